"""A whole import, from a list on disk until all of it can be searched, beside plain Whoosh.

Run by hand: `.venv/bin/python -m tests.bench.importing [--papers 393 10000 100000]`; 393 are the shipped
lists, the others are taken from the corpora as a Daily Papers list. Each side runs in a process of its own.
Plain Whoosh reads the same list by `str.split` and puts heading and abstract into its index, stemmed and
stored; it makes no heading, tells no two papers to be one, keeps no record, and syncs nothing. CPU is that of
the process; the ratio is what counts. The peak of memory is that of the process too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from index.library import Library
from index.papers import Paper
from tests.bench.engines import Whoosh
from tests.bench.search import SHIPPED, corpus

BUDGET: Final = 1.15
"""Times plain Whoosh's CPU that an import with its index may take at 10,000 papers."""


def postil(path: Path, folder: Path) -> None:
    library = Library(folder, fill=False)
    library.add([str(path)])
    library.prepare()
    library.close()


def whoosh(path: Path, folder: Path) -> None:
    texts = path.read_text("utf-8").split("\n\n")[1:]
    Whoosh.build(folder, (Paper(str(n), "", None, text, ()) for n, text in enumerate(texts)))


SIDES: Final[dict[str, Callable[[Path, Path], None]]] = {"postil": postil, "Whoosh": whoosh}


def measured(side: str, path: Path) -> dict[str, float]:
    """CPU seconds, seconds by the clock and the peak in MB of one side, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.importing", "--side", side, str(path), f"{folder}/made"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told: dict[str, float] = json.loads(said)
    return told


def one(side: str, path: Path, folder: Path) -> None:
    """Do one side and tell what it took."""
    began = time.monotonic()
    SIDES[side](path, folder)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / (1000 if sys.platform == "linux" else 1e6)
    print(json.dumps({"cpu": cpu, "clock": time.monotonic() - began, "peak": peak}))


def lines(counts: Sequence[int]) -> Iterator[str]:
    """The table, line by line."""
    version, load = sys.version.split()[0], os.getloadavg()[0]
    yield f"Python {version}; the budget at 10,000 papers is {BUDGET} times; load {load:.1f}"
    yield ""
    names = (f"{side}, {what}" for what in ("CPU s", "s", "peak MB") for side in SIDES)
    yield f"| papers | {' | '.join(names)} | ratio of CPU |"
    yield "|---" * 8 + "|"
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "list.txt")
            abstracts = ["\n".join(filter(None, paper.abstract.split("\n"))) for paper in corpus(count)]
            path.write_text("\n\n".join(["Daily Papers", *abstracts]) + "\n", "utf-8")
            ours, theirs = measured("postil", path), measured("Whoosh", path)
        pairs = [f"{ours[name]:.1f} | {theirs[name]:.1f}" for name in ("cpu", "clock", "peak")]
        yield f"| {count:,} | {' | '.join(pairs)} | {ours['cpu'] / theirs['cpu']:.2f} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=[SHIPPED, 10_000, 100_000])
    parser.add_argument("--side", nargs=3)
    options = parser.parse_args()
    if options.side:
        side, path, folder = options.side
        one(side, Path(path), Path(folder))
    else:
        for line in lines(options.papers):
            print(line, flush=True)
