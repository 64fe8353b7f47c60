"""Brings files into a library in a process of its own, so that the screen goes on.

`python -m tui.bringing LIBRARY [FILE]` tells line by line how far it is, and at last what became of them,
as a JSON object. Without a file it brings in what is new in the folders that the settings name.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from index import own_process
from index.importing import FileReport
from index.library import Library, LibraryError
from tui.pace import Pace

EVERY: Final = 0.2
"""Seconds between two lines of progress."""


def bring(folder: Path, file: Path, progress: Callable[[str], None]) -> str:
    """Import `file` into the library in `folder`; one line of what became of it.

    `progress` is told how far it is, in a few words. Waits for the end: not for a thread that draws.
    """
    try:
        told = _told(_brought(progress, str(folder), str(file))["files"])
    except LibraryError as error:
        told = str(error)
    return f"{file.name}: {told}"


def bring_new(folder: Path, progress: Callable[[str], None]) -> str:
    """Import what is new in the folders of the settings; what came of it in one line, empty if nothing did.

    As `bring`. Raises LibraryError.
    """
    told = _brought(progress, str(folder))
    files = [one for one in told["files"] if one["records"] or one["failed"]]
    new = sum(one["new"] for one in files)
    said = list(told["problems"])
    if new:
        said.insert(0, f"{new} new in your folders; added:last shows what came")
    said += [f"{Path(one['path']).name}: {one['error']}" for one in files if one["failed"]]
    return "; ".join(said)


def _brought(progress: Callable[[str], None], *words: str) -> Mapping[str, Any]:
    """What the process said at its end. Raises LibraryError with its last line where that is no report."""
    child = own_process.start("tui.bringing", *words)
    assert child.stdout and child.stderr
    last = ""
    with child:
        for last in child.stdout:
            if not last.startswith("{"):
                progress(last.strip())
        trouble = child.stderr.read().strip().splitlines() or ["it stopped"]
    if not last.startswith("{"):
        raise LibraryError(trouble[-1])
    told: Mapping[str, Any] = json.loads(last)
    return told


def _told(reports: Sequence[Mapping[str, Any]]) -> str:
    """The counts of all files together, and the first thing that went wrong."""
    skipped = [one for report in reports for one in report["skipped"]]
    counts = {kind: sum(report[kind] for report in reports) for kind in ("new", "merged", "unchanged")}
    counts["skipped"] = len(skipped)
    said = [", ".join(f"{count} {kind}" for kind, count in counts.items() if count)]
    if len(reports) > 1:
        said.insert(0, f"{sum(1 for report in reports if report['records'])} of {len(reports)} files")
    said += [
        f"no. {one['position']}: {one['reason']}" if one["position"] else one["reason"] for one in skipped[:1]
    ]
    said += [report["error"] for report in reports if report["failed"]][:1]
    return "; ".join(filter(None, said))


def main() -> None:
    """Import, and tell."""
    folder, *files = sys.argv[1:]
    said = time.monotonic()

    pace = Pace()

    def progress(_file: str, records: int, share: float | None) -> None:
        nonlocal said, pace
        if records < pace.done:  # another file
            pace = Pace(records, share)
        if time.monotonic() - said >= EVERY:
            said = time.monotonic()
            part = "" if share is None else f", {100 * share:.0f} %"
            print(pace.told(records, f"{records:,} records{part}", share), flush=True)

    library, problems = Library(Path(folder), fill=False), list[str]()
    try:
        if files:
            reports = library.add(files, progress=progress)
        else:
            reports, problems = library.add_new_in_folders(progress)
    except LibraryError as error:
        reports = [FileReport(path, error=str(error)) for path in files or [folder]]
    finally:
        library.close()
    told = [{**asdict(report), "failed": report.failed} for report in reports]
    print(json.dumps({"files": told, "problems": problems}))


if __name__ == "__main__":
    main()
