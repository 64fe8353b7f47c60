"""How long each format of an export takes, and by how many MB the memory grows for it.

Run by hand: `.venv/bin/python -m tests.bench.exporting [--papers 10000] [--libraries DIR]`; DIR as for
`letters.py`. Every tenth paper has a status, a tag, a note and a highlight. Each format is written to a file
by a process of its own, from the opened library on; seconds by the clock, and of CPU. Memory is by how much
the peak of the process is above what it was once the library stood open.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from index import writers
from index.library import Library
from index.papers import Value
from tests.bench.letters import library

BUDGET: Final = 3.0
"""Seconds that an export of 10,000 papers may take."""
EVERY: Final = 10
MEGA: Final = 1000 if sys.platform == "linux" else 1_000_000


def annotated(count: int, libraries: Path, folder: Path) -> None:
    """A library of so many papers in `folder`, of which every tenth is written about."""
    shutil.copytree(library(count, libraries), folder)
    held = Library(folder, fill=False)
    edits: list[tuple[str, str, Value]] = []
    for id in held.ids[::EVERY]:
        mark = held.highlight(id, 0, min(80, len(held.entry(id).paper.abstract)), "result", "a comment")
        edits += [(id, "status", "read"), (id, "tags/bench", True), (id, "note", "A note\n\nof two lines.")]
        edits.append((id, f"highlights/{mark.id}", mark.to_json()))
    step = held.step("bench", edits)
    assert step
    held.commit(step)
    held.close()


def one(format: str, folder: Path, path: Path) -> None:
    """Write one format and tell what it took."""
    held = Library(folder, fill=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, cpu = time.monotonic(), time.process_time()
    held.export_file(held.reading_list(held.ids, "All"), format, path)
    took, spent = time.monotonic() - began, time.process_time() - cpu
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / MEGA
    print(json.dumps([took, spent, grown, path.stat().st_size / 1e6]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=10_000)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--one", nargs=3)
    options = parser.parse_args()
    if options.one:
        format, folder, path = options.one
        one(format, Path(folder), Path(path))
    else:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made, "library")
            annotated(options.papers, options.libraries or Path(made), folder)
            print(f"{options.papers:,} papers; the budget is {BUDGET:.0f} s; load {os.getloadavg()[0]:.1f}\n")
            print("| format | s | CPU s | MB more | MB of file |\n|---|---|---|---|---|")
            for format, ending in writers.ENDINGS.items():
                command = [sys.executable, "-m", "tests.bench.exporting", "--one", format, str(folder)]
                said = subprocess.check_output([*command, str(Path(made, f"all{ending}"))])
                print(
                    f"| {format} | {' | '.join(f'{figure:.1f}' for figure in json.loads(said))} |", flush=True
                )
