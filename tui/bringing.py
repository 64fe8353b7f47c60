"""Brings a file into a library in a process of its own, so that the screen goes on.

`python -m tui.bringing FOLDER FILE` tells line by line how far it is, and at last what became of the records,
as a JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from index import own_process
from index.library import Library, LibraryError

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
    return f"{file.name}: {_told(json.loads(last)) if last.startswith('{') else trouble[-1]}"


def _told(report: Mapping[str, Any]) -> str:
    counts = [f"{report[kind]} {kind}" for kind in ("new", "merged", "unchanged") if report[kind]]
    counts += [f"{len(report['skipped'])} skipped"] if report["skipped"] else []
    why = [
        f"no. {one['position']}: {one['reason']}" if one["position"] else one["reason"]
        for one in report["skipped"][:1]
    ]
    said = [", ".join(counts), *why, *([report["error"]] if report["error"] else [])]
    return "; ".join(filter(None, said))


def main() -> None:
    """Import, and tell."""
    folder, file = sys.argv[1:]
    said = time.monotonic()

    def progress(_file: str, records: int, share: float | None) -> None:
        nonlocal said
        if time.monotonic() - said >= EVERY:
            said = time.monotonic()
            print(f"{records} read" + ("" if share is None else f", {100 * share:.0f} %"), flush=True)

    library = Library(Path(folder), fill=False)
    try:
        (report,) = library.add([file], progress=progress)
        told = asdict(report)
    except LibraryError as error:
        told = {"new": 0, "merged": 0, "unchanged": 0, "skipped": [], "error": str(error)}
    finally:
        library.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
