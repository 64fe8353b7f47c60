"""One change, opening and memory of the annotations, beside stock TinyDB on the same records.

Run by hand: `.venv/bin/python -m tests.bench.store [--large] [--papers N…] [--seconds S]`. It prints a
Markdown table for 1,000 and 10,000 annotated papers, with `--large` for 100,000 too. A record is about
1.5 KB: status, two tags, a note of 400 characters, two highlights, the times. Stock TinyDB works on a
copy of the same annotations.json, with its `JSONStorage` as it is and under its `CachingMiddleware`.
Figures are p50 / p99; those of one run stand side by side, and the ratio is what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tinydb import TinyDB
from tinydb.middlewares import CachingMiddleware
from tinydb.storages import JSONStorage

from index.annotations import Annotations, History, Step, Writer, new_step
from index.papers import Change, Highlight, Value, now, paper_id

ROOT: Final = Path(__file__).parents[2]
CACHING: Final[Any] = CachingMiddleware
MOST: Final = 500
LEAST: Final = 3
"""How many changes of one kind are measured, if there is time."""
TEXT: Final = "We introduce a scheme that learns where routing pays, and show that it halves the cost. " * 12
KINDS: Final = ("stock", "caching", "postil")


@dataclass
class Took:
    """Seconds: until the calling thread goes on, and until the change is on disk."""

    called: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)


# The records


def paper(number: int) -> str:
    return paper_id(f"doi:10.1/{number}")


def edits(number: int) -> list[tuple[str, Value]]:
    chance = random.Random(number)
    note = " ".join(chance.choices(TEXT.split(), k=100))[:400]
    marks = [
        Highlight.on(TEXT, start, start + 60, id=f"{chance.getrandbits(32):08x}", colour="method")
        for start in chance.sample(range(900), 2)
    ]
    return [
        ("status", chance.choice(("later", "reading", "read"))),
        (f"tags/topic/{number % 50}", True),
        (f"tags/venue/{number % 7}", True),
        ("note", note.ljust(400, ".")),
        *((f"highlights/{mark.id}", mark.to_json()) for mark in marks),
    ]


def step_of(*changes: tuple[str, str, Value]) -> Step:
    id, when = new_step(), now()
    made = tuple(Change(id, "bench", paper, name, None, after, when) for paper, name, after in changes)
    return Step(id, "bench", "a change", when, made)


def fill(folder: Path, count: int) -> None:
    """Annotate so many papers, and close as a window does, so that annotations.json holds them all."""
    window = Window(folder)
    for start in range(0, count, 20_000):
        numbers = range(start, min(count, start + 20_000))
        window.store.apply(step_of(*((paper(n), *edit) for n in numbers for edit in edits(n))).changes)
    window.change(0)
    window.close()


# One change


class Window:
    """The annotations as a window holds them."""

    def __init__(self, folder: Path) -> None:
        self.store = Annotations.open(folder)
        self.saved: dict[str, float] = {}
        self.news = threading.Condition()
        self.writer = Writer(self.store, History(folder), self.on_saved, print)

    def on_saved(self, steps: list[str]) -> None:
        with self.news:
            self.saved |= dict.fromkeys(steps, time.perf_counter())
            self.news.notify()

    def change(self, number: int, took: Took | None = None) -> None:
        """Tag a paper, and come back when it is on disk."""
        step = step_of((paper(number), f"tags/bench/{new_step()[-4:]}", True))
        began = time.perf_counter()
        self.writer.submit(step)
        called = time.perf_counter()
        with self.news:
            self.news.wait_for(lambda: step.step in self.saved)
        if took:
            took.called.append(called - began)
            took.saved.append(self.saved[step.step] - began)

    def close(self) -> None:
        assert self.writer.close(600) == []


def timed(change: Callable[[int, Took], None], count: int, seconds: float) -> Took:
    """What changes of papers by chance took, for so many seconds."""
    chance, took = random.Random(1), Took()
    until = time.monotonic() + seconds
    while len(took.called) < LEAST or (time.monotonic() < until and len(took.called) < MOST):
        change(chance.randrange(count), took)
    return took


def ours(folder: Path, count: int, seconds: float) -> tuple[Took, Took]:
    """Our changes, and after each the least that "on disk" can cost here: 1 KB appended, and fsync."""
    window, floor = Window(folder), Took()
    with (folder / "floor").open("ab", buffering=0) as file:

        def change(number: int, took: Took) -> None:
            window.change(number, took)
            began = time.perf_counter()
            file.write(b"x" * 1024)
            os.fsync(file.fileno())
            floor.saved.append(time.perf_counter() - began)

        took = timed(change, count, seconds)
    window.close()
    return took, floor


def ours_publishing(folder: Path, count: int, seconds: float) -> Took:
    """Changes while another thread publishes, again and again."""
    window, took = Window(folder), Took()
    chance, until = random.Random(2), time.monotonic() + seconds
    while len(took.called) < LEAST or time.monotonic() < until:
        window.change(chance.randrange(count))
        publishing = threading.Thread(target=window.store.publish)
        publishing.start()
        while publishing.is_alive():
            window.change(chance.randrange(count), took)
        publishing.join()
    window.close()
    return took


def stock(path: Path, count: int, seconds: float, *, caching: bool) -> Took:
    storage = CACHING(JSONStorage) if caching else JSONStorage
    with TinyDB(path, storage=storage) as db:
        table = db.table("annotations")

        def change(number: int, took: Took) -> None:
            id = int(paper(number), 36)
            began = time.perf_counter()
            table.update({"tags": ["bench", new_step()[-4:]]}, doc_ids=[id])
            took.called.append(time.perf_counter() - began)
            if caching:
                db.storage.flush()
            took.saved.append(time.perf_counter() - began)

        change(0, Took())  # the first one reads the file
        return timed(change, count, seconds)


# Opening and memory, in a process of their own


def memory() -> float:
    """MB that this process has to itself, with its share of what it shares (PSS); 0 where unknown."""
    try:
        rollup = Path("/proc/self/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return int(re.findall(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)[0]) / 1024


def opened(kind: str, path: Path, number: int) -> dict[str, float]:
    """Seconds until the annotation of one paper can be told, and the memory before and after."""
    before = memory()
    began = time.perf_counter()
    held: Any
    if kind == "postil":
        store = Annotations.open(path.parent)
        held = store.get(paper(number)).note
    else:
        db = TinyDB(path, storage=CACHING(JSONStorage) if kind == "caching" else JSONStorage)
        held = db.table("annotations").get(doc_id=int(paper(number), 36))
    took = time.perf_counter() - began
    assert held
    return {"seconds": took, "before": before, "after": memory()}


def in_child(kind: str, path: Path, number: int) -> dict[str, float]:
    """The medians of three processes."""
    command = [sys.executable, "-m", "tests.bench.store", "--open", kind, str(path), str(number)]
    runs = [json.loads(subprocess.check_output(command, cwd=ROOT)) for _ in range(3)]
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


# The table


def measure(count: int, seconds: float) -> Iterator[str]:
    """The table for so many papers, line by line."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "library")
        folder.mkdir()
        fill(folder, count)
        path = folder / "annotations.json"
        size = path.stat().st_size
        copies = {kind: Path(scratch, f"{kind}.json") for kind in ("stock", "caching")}
        for copy in copies.values():
            shutil.copyfile(path, copy)
        opening = {kind: in_child(kind, copies.get(kind, path), count - 1) for kind in KINDS}
        took = {kind: stock(copies[kind], count, seconds, caching=kind == "caching") for kind in copies}
        took["postil"], floor = ours(folder, count, seconds)
        publishing = ours_publishing(folder, count, seconds)
    yield f"### {count:,} annotated papers, {size / count / 1024:.2f} KB each"
    yield ""
    yield "| | stock TinyDB | with CachingMiddleware | postil | stock / postil |"
    yield "|---|---|---|---|---|"
    yield _line("one change, on the calling thread, ms", [took[kind].called for kind in KINDS])
    yield _line("one change, until on disk, ms", [took[kind].saved for kind in KINDS])
    yield _line("while it publishes: on the calling thread, ms", [[], [], publishing.called])
    yield _line("while it publishes: until on disk, ms", [[], [], publishing.saved])
    yield _line("1 KB appended and on disk, in turn with ours, ms", [[], [], floor.saved])
    yield _line("open, ms", [[opening[kind]["seconds"]] for kind in KINDS])
    memories = [opening[kind]["after"] for kind in KINDS]
    cells = [f"{mb:.0f} ({opening[kind]['before']:.0f})" for kind, mb in zip(KINDS, memories, strict=True)]
    yield f"| memory once open (before), PSS, MB | {' | '.join(cells)} | {memories[0] / memories[2]:.1f} |"
    yield ""
    changes = ", ".join(f"{kind} {len(took[kind].called)}" for kind in KINDS)
    times = statistics.median(took["postil"].saved) / statistics.median(floor.saved)
    yield f"Changes measured: {changes}, while it publishes {len(publishing.called)}."
    yield f"Until a change of ours is on disk takes {times:.1f} times as long as 1 KB appended."
    yield ""


def _line(what: str, columns: Sequence[Sequence[float]]) -> str:
    """p50 / p99 of each column, a single figure as it is, and the ratio of the medians."""
    ratio = f"{statistics.median(columns[0]) / statistics.median(columns[2]):.1f}" if columns[0] else ""
    cells = [_told(sorted(1000 * second for second in column)) for column in columns]
    return f"| {what} | {' | '.join(cells)} | {ratio} |"


def _told(times: Sequence[float]) -> str:
    if len(times) < 2:
        return "".join(f"{time:,.1f}" for time in times)
    return f"{statistics.median(times):,.2f} / {times[int(0.99 * (len(times) - 1) + 0.5)]:,.2f}"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="100,000 papers too")
    parser.add_argument("--papers", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=8.0, help="for each kind of change")
    parser.add_argument("--open", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.open:
        kind, path, number = options.open
        print(json.dumps(opened(kind, Path(path), int(number))))
        return
    print(f"load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}\n")
    for count in [*options.papers, *([100_000] if options.large else [])]:
        for line in measure(count, options.seconds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
