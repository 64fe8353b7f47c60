"""From a letter typed in the search bar to the painted list, beside a bare Textual app that filters by `in`.

Run by hand: `.venv/bin/python -m tests.bench.letters [--papers 393 10000 100000] [--libraries DIR]`. 393 are
the shipped lists. A library is built once into DIR and used again; without DIR it is built in a temporary
folder, which at 100,000 papers takes minutes. A dozen queries, drawn from the papers by a fixed seed, are
typed letter by letter into either program, in a pseudo-terminal of 120×40; the next letter comes once
nothing more is painted.

A letter's time ends with the frame that draws the count of its own answer, known beforehand from the library,
and the list with it. Figures are wall-clock milliseconds, median / p95 / most, and the ratio is what counts.
The turns are those of the screen's thread in a third run, from which no times are taken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import pyte

from index.library import Library
from tests.bench import filtering
from tests.bench.search import CORPORA, SHIPPED, corpus, drawn
from tests.bench.start import library_of
from tests.tui.terminal import PATIENCE, Terminal, folder_env

QUIET: Final = 0.25
"""Seconds without output after which all that a letter leads to is taken to be painted."""
FRAME: Final = 0.003
"""Seconds between two pieces of output from which the second belongs to another frame."""
COLUMNS, ROWS = 120, 40
FOUND_ROW: Final = 1
FOUND_COLUMN: Final = 79
"""Where the count stands, in both programs."""
LIST_COLUMNS: Final = 40
"""So many columns from the left, below the bar, are the list's in both programs."""
TURN: Final = 16.0
"""Milliseconds that a turn of the screen's thread may take."""
BUDGET: Final[Mapping[int, float]] = {SHIPPED: 16, 10_000: 50, 100_000: 250}
"""Milliseconds that p95 of all letters may be."""
SLOWEST: Final = 4
CLEAR: Final = "\x15"
QUIT: Final = "\x11"
CPU_TICK: Final = os.sysconf("SC_CLK_TCK")
KINDS: Final[Mapping[str, str]] = {
    "rare": "a rare word",
    "common": "a common word",
    "and": "two words",
    "phrase": "a phrase",
    "prefix 4": "a prefix",
    "field": "a word in the title",
    "state": "a state, and with a word",
}
BARE_HAS: Final = ("rare", "common", "and", "phrase")


@dataclass
class Frame:
    """What came at once: when it was there, and which parts of the screen it drew."""

    came: float
    drew: set[str] = field(default_factory=set)


class Watched(Terminal):
    """A pseudo-terminal that knows when what was painted."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        super().__init__(command=command, env=env, columns=COLUMNS, rows=ROWS)
        self._display = self._watch = _Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._display)

    @property
    def count(self) -> str:
        """What stands beside the bar."""
        return self.screen.split("\n")[FOUND_ROW][FOUND_COLUMN:].strip()

    def frames(self) -> list[Frame]:
        """The frames until nothing comes for a while."""
        # All is taken from the program before any of it is looked at, which takes longer than to send it.
        pieces: list[tuple[float, bytes]] = []
        while select.select([self._handle], [], [], QUIET)[0]:
            data = os.read(self._handle, 1 << 16)
            pieces.append((time.monotonic(), data))
        frames: list[Frame] = []
        for came, data in pieces:
            if not frames or came - frames[-1].came > FRAME:
                frames.append(Frame(came))
            frames[-1].came = came
            self._watch.drew = frames[-1].drew
            self._stream.feed(data)
        return frames

    def answered(self, keys: str, count: str) -> tuple[float, float]:
        """Type keys; seconds until the list with this count was painted, and until its last change.

        Raises AssertionError when it does not come.
        """
        began = time.monotonic()
        self.type(keys)
        frames: list[Frame] = []
        while time.monotonic() - began < PATIENCE:
            frames += self.frames()
            # A frame before the last one may have drawn the former count again, which is perhaps the same.
            told = [at for at, frame in enumerate(frames) if "count" in frame.drew]
            listed = [frame.came for frame in frames[told[-1] :] if "list" in frame.drew] if told else []
            if listed and self.count.startswith(count):
                return listed[0] - began, listed[-1] - began
        raise AssertionError(f"{count!r} did not appear after {keys!r}\n{self.screen}")

    def cpu(self) -> float:
        """Seconds of CPU that the program has used (Linux)."""
        told = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / CPU_TICK


class _Screen(pyte.Screen):  # type: ignore[misc]
    """Notes which parts are drawn."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.drew: set[str] = set()

    def draw(self, data: str) -> None:
        row, column = self.cursor.y, self.cursor.x
        super().draw(data)
        if row == FOUND_ROW and self.cursor.x > FOUND_COLUMN:
            self.drew.add("count")
        elif FOUND_ROW < row < self.lines - 1 and column < LIST_COLUMNS:
            self.drew.add("list")


class Letter(NamedTuple):
    """A letter of a query of this kind, what stood in the bar after it, and milliseconds."""

    kind: str
    text: str
    painted: float
    """Until the list was painted."""
    whole: float
    """Until its last change, when all words stand in their context."""


@dataclass
class Typed:
    """What became of the letters; milliseconds of CPU for all; when they began and ended; long turns."""

    letters: list[Letter]
    cpu: float
    span: tuple[float, float]
    turns: list[dict[str, float]] = field(default_factory=list)

    def painted(self, kinds: Container[str]) -> list[float]:
        return [letter.painted for letter in self.letters if letter.kind in kinds]


# What is typed, and into what


def library(count: int, libraries: Path) -> Path:
    """The library of so many papers in `libraries`, a twentieth of them for later; built where it is not."""
    folder = libraries / f"reader-{count}"
    if not folder.exists():
        scratch = Path(tempfile.mkdtemp(dir=libraries))
        made = library_of(0 if count <= SHIPPED else count, scratch)
        held = Library(made, fill=False)
        if step := held.step("later", [(id, "status", "later") for id in held.ids[::20]]):
            held.commit(step)
        held.close()
        made.rename(folder)
        shutil.rmtree(scratch)
    return folder


def queries(count: int) -> Iterator[tuple[str, str]]:
    """A dozen queries, each with its kind."""
    told = drawn(list(corpus(count)))
    for kind, many in (("rare", 2), ("common", 2), ("and", 2), ("phrase", 2), ("prefix 4", 1), ("field", 1)):
        for text in told[kind][:many]:
            yield kind, {"phrase": f'"{text}"', "field": f"title:{text}"}.get(kind, text)
    yield "state", "is:later"
    yield "state", f"is:unread {told['filter'][0]}"


def beginnings(text: str) -> list[str]:
    """What stands in the bar after each letter."""
    return [text[:end] for end in range(1, len(text) + 1)]


def counts(folder: Path, texts: Sequence[str]) -> dict[str, str]:
    """What postil says beside the bar for each text, as far as it is told here; for the empty one too."""
    held = Library(folder, fill=False)
    told = {"": f"{len(held.ids)} papers"}
    for text in texts:
        found = held.find(text, typing=True)
        whole = found.ids or not found.partial
        told[text] = f"{len(found.ids)} of {len(held.ids)}, " if whole else "none whole; "
    held.close()
    return told


def typed(terminal: Watched, asked: Sequence[tuple[str, str]], expected: Mapping[str, str]) -> Typed:
    """Type each query letter by letter; before that, the first of them to warm up."""
    terminal.until(expected[""])
    while terminal.frames():
        pass
    terminal.type("/")
    terminal.frames()
    list(answers(terminal, *asked[0], expected))
    began, before = time.monotonic(), terminal.cpu()
    found = [letter for kind, text in asked for letter in answers(terminal, kind, text, expected)]
    return Typed(found, 1000 * (terminal.cpu() - before), (began, time.monotonic()))


def answers(terminal: Watched, kind: str, text: str, expected: Mapping[str, str]) -> Iterator[Letter]:
    """Type one query into the empty bar, and clear it."""
    for begun in beginnings(text):
        painted, whole = terminal.answered(begun[-1], expected[begun])
        yield Letter(kind, begun, 1000 * painted, 1000 * whole)
    terminal.answered(CLEAR, expected[""])


def postil(folder: Path, asked: Sequence[tuple[str, str]], expected: Mapping[str, str]) -> Typed:
    """Type into the reader; then once more, with its turns written down."""
    with running((sys.executable, "-m", "tui.cli"), folder_env(folder)) as terminal:
        told = typed(terminal, asked, expected)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "turns.json")
        command = (sys.executable, "-m", "tests.bench.turns", str(path))
        with running(command, folder_env(folder)) as terminal:
            began, ended = typed(terminal, asked, expected).span
            terminal.type(QUIT)
            while terminal.read():
                pass
        turns = json.loads(path.read_text("utf-8"))
    told.turns = [turn for turn in turns if began < turn["began"] < ended]
    return told


def bare(folder: Path, asked: Sequence[tuple[str, str]]) -> Typed:
    """Type into the bare app what it can look for."""
    papers = filtering.papers(folder / "papers.jsonl")
    asked = [(kind, text.strip('"')) for kind, text in asked if kind in BARE_HAS]
    texts = ["", *(begun for _, text in asked for begun in beginnings(text))]
    expected = {text: f"{len(filtering.found(papers, text))} of {len(papers)}" for text in texts}
    command = (sys.executable, "-m", "tests.bench.filtering", str(folder / "papers.jsonl"))
    with running(command, {}) as terminal:
        return typed(terminal, asked, expected)


@contextlib.contextmanager
def running(command: Sequence[str], env: Mapping[str, str]) -> Iterator[Watched]:
    """A program in its pseudo-terminal, ended at the end."""
    terminal = Watched(command, env)
    try:
        yield terminal
    finally:
        terminal.kill()


# The table


def measure(count: int, libraries: Path) -> Iterator[str]:
    """The table for so many papers, line by line."""
    folder = library(count, libraries)
    asked = list(queries(count))
    expected = counts(folder, [begun for _, text in asked for begun in beginnings(text)])
    load = os.getloadavg()[0]
    ours, theirs = postil(folder, asked, expected), bare(folder, asked)
    yield f"### {expected['']}, load {load:.1f} before and {os.getloadavg()[0]:.1f} after"
    yield ""
    yield "| | letters | postil | bare Textual | postil / bare |"
    yield "|---" * 5 + "|"
    for kind, told in KINDS.items():
        yield _line(told, ours.painted((kind,)), theirs.painted((kind,)))
    yield _line("all that the bare app can look for", ours.painted(BARE_HAS), theirs.painted(KINDS))
    yield _line("all", ours.painted(KINDS), [])
    yield _line("all, until the words stand in their context", [letter.whole for letter in ours.letters], [])
    a, b = (told.cpu / len(told.letters) for told in (ours, theirs))
    yield f"| CPU a letter, mean, clearing the bar included | | {a:.1f} | {b:.1f} | {a / b:.2f} |"
    for how, name in (("by the clock", "ms"), ("of CPU", "cpu")):
        turns = [turn[name] for turn in ours.turns]
        told = f"{max(turns, default=0):.1f}; {sum(turn > TURN for turn in turns)} above {TURN:.0f}"
        yield f"| longest turn of the screen's thread, {how} | | {told} | | |"
    yield ""
    if count in BUDGET:
        kept = "kept" if _p95(ours.painted(KINDS)) <= BUDGET[count] else "missed"
        yield f"The budget of p95, {BUDGET[count]:.0f} ms, is {kept}."
    slowest = sorted(ours.letters, key=lambda letter: -letter.painted)[:SLOWEST]
    yield f"Slowest: {'; '.join(f'`{letter.text}` {letter.painted:.0f}' for letter in slowest)}"
    yield ""


def _line(what: str, ours: list[float], theirs: list[float]) -> str:
    ratio = f"{statistics.median(ours) / statistics.median(theirs):.2f}" if theirs else ""
    return f"| {what} | {len(ours)} | {_told(ours)} | {_told(theirs)} | {ratio} |"


def _told(times: Sequence[float]) -> str:
    """Median, p95 and most."""
    if not times:
        return ""
    return f"{statistics.median(times):.1f} / {_p95(times):.1f} / {max(times):.1f}"


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1) + 0.5)]


def tables(
    about: str | None,
    papers: Sequence[int],
    head: str,
    measure: Callable[[int, Path], Iterable[str]],
    words: Sequence[str] | None = None,
) -> None:
    """Print the table that `measure` gives for each number of papers that the command line names."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--papers", type=int, nargs="+", default=papers)
    parser.add_argument("--libraries", type=Path, help="where libraries are built, and kept")
    options = parser.parse_args(words)
    print(f"Python {sys.version.split()[0]}; {head}\n")
    with tempfile.TemporaryDirectory() as scratch:
        libraries = options.libraries or Path(scratch)
        libraries.mkdir(parents=True, exist_ok=True)
        for count in options.papers:
            if count > SHIPPED and not CORPORA.exists():
                print(f"### {count:,} papers: skipped, the corpora are not there\n")
                continue
            for line in measure(count, libraries):
                print(line, flush=True)


if __name__ == "__main__":
    tables(__doc__, [SHIPPED, 10_000, 100_000], "milliseconds, median / p95 / most", measure)
