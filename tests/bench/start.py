"""From the start of the program to its first paper row, beside the first frame of a bare Textual app.

Run by hand: `.venv/bin/python -m tests.bench.start [--runs N] [--papers 0 10000]`; 0 papers means the
shipped lists. Both programs start in turn in a pseudo-terminal of 120×40; the figures are medians of
wall-clock seconds, and the ratio is what counts.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from index.library import Library
from tests.tui.terminal import Terminal

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("the first row")
Bare().run()
"""


def corpus(count: int) -> Iterator[str]:
    """The first abstracts of the corpus that holds enough of them."""
    path = CORPORA / ("abstracts-10k.jsonl.xz" if count <= 10_000 else "abstracts-100k.jsonl.xz")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number == count:
                return
            yield " ".join(json.loads(line)["abstract"].split())


def library_of(count: int, folder: Path) -> Path:
    """A library of so many papers with its index built."""
    library = Library(folder / "library", fill=count == 0)
    if count:
        path = folder / "list.txt"
        path.write_text("Daily Papers\n\n" + "\n\n".join(corpus(count)), "utf-8")
        library.add([str(path)])
    library.prepare()
    library.close()
    return folder / "library"


def seconds_to(text: str, *command: str, env: dict[str, str]) -> float:
    """Seconds from the fork until `text` is on the screen."""
    began = time.monotonic()
    terminal = Terminal(command=command, env=env)
    terminal.until(text)
    took = time.monotonic() - began
    terminal.kill()
    return took


def measure(count: int, runs: int) -> None:
    """Print the medians of postil and of the bare app, and their ratio."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = library_of(count, Path(scratch))
        library = Library(folder, fill=False)
        first = library.row(library.ids[0]).heading[:20]
        papers = len(library.ids)
        library.close()
        env = {"POSTIL_LIBRARY": str(folder)}
        bare: list[float] = []
        ours: list[float] = []
        for _ in range(runs + 1):
            bare.append(seconds_to("the first row", sys.executable, "-c", BARE, env=env))
            ours.append(seconds_to(first, sys.executable, "-m", "tui.cli", env=env))
    told = [statistics.median(times[1:]) for times in (bare, ours)]  # the first run only warms the caches
    print(f"{papers:>7} papers: bare {told[0]:.3f} s, postil {told[1]:.3f} s, ratio {told[1] / told[0]:.2f}")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--papers", type=int, nargs="+", default=[0])
    options = parser.parse_args(words)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # both start as they do once installed: compiled
    print(f"load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, {options.runs} runs")
    for count in options.papers:
        measure(count, options.runs)


if __name__ == "__main__":
    main()
