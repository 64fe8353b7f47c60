"""Brings a file into a library in a process of its own, so that the screen goes on.

`python -m tui.bringing FOLDER FILE` tells line by line how far it is, and at last what became of the records,
as a JSON object.
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
    child = own_process.start("tui.bringing", str(folder), str(file))
    assert child.stdout and child.stderr
    last = ""
    with child:
        for last in child.stdout:
            if not last.startswith("{"):
                progress(last.strip())
        trouble = child.stderr.read().strip().splitlines() or ["it stopped"]
    return f"{file.name}: {_told(json.loads(last)['files']) if last.startswith('{') else trouble[-1]}"


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
    said += [
        report["error"] for report in reports if report["error"] and (len(reports) == 1 or report["format"])
    ][:1]
    return "; ".join(filter(None, said))


def main() -> None:
    """Import, and tell."""
    folder, file = sys.argv[1:]
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

    library = Library(Path(folder), fill=False)
    try:
        told = [asdict(report) for report in library.add([file], progress=progress)]
    except LibraryError as error:
        told = [asdict(FileReport(file, error=str(error)))]
    finally:
        library.close()
    print(json.dumps({"files": told}))


if __name__ == "__main__":
    main()
