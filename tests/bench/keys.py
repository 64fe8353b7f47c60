"""What a key in the list costs, and the memory of the reader, at 393, 1,000, 10,000 and 100,000 papers.

Run by hand: `.venv/bin/python -m tests.bench.keys [--papers 393 1000 10000 100000] [--libraries DIR]`; DIR
as for `letters.py`. The reader runs in a pseudo-terminal of 120×40; each key comes once nothing more is
painted. CPU is that of the whole process, divided by the keys: with all that a key leads to, also the text of
the paper, which follows after a rest. Memory is the proportional share of pages (Linux).
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.bench.letters import QUIET, Watched, library, running, tables
from tests.bench.search import SHIPPED
from tests.tui.terminal import folder_env

BUDGET: Final = 5.0
"""Milliseconds of CPU that a key in the list may take."""
SETTLED: Final = 1.5
"""Seconds after which nothing is left to do of the keys before."""
IDLE: Final = 20
"""So many times nothing is waited for, to see what the reader takes by itself."""
KEYS: Final = (
    ("down, in view", "gg", "j", 12),
    ("down, scrolling", "gg30j", "j", 40),
    ("held down: 100 in a burst", "gg", "j" * 100, 3),
    ("half a page", "gg", "\x04", 12),
    ("to the end, and back", "gg", "Ggg", 6),
    ("mark", "gg", " ", 12),
    ("star", "gg", "*", 12),
    ("read and on", "gg", "rj", 12),
    ("sort by heading, and back", "gg", "StSa", 3),
    ("mark all, forget", "gg", "A\x1b", 3),
)
"""What is done, the keys that come before, those that are measured, and how many times."""


def costs(terminal: Watched, keys: str, times: int, idle: float = 0.0) -> tuple[float, float]:
    """Milliseconds of CPU for these keys, and by the clock until the first frame after them; means.

    `idle` milliseconds of CPU a second are what the reader takes when nothing is done.
    """
    cpu, start, waits = terminal.cpu(), time.monotonic(), []
    for _ in range(times):
        began = time.monotonic()
        terminal.type(keys)
        frames = terminal.frames()
        waits.append(1000 * (frames[0].came - began) if frames else float("nan"))
    took = 1000 * (terminal.cpu() - cpu) - idle * (time.monotonic() - start)
    return max(0.0, took) / times, statistics.median(waits)


def memory(pid: int) -> float:
    """The proportional share of memory in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def measure(count: int, libraries: Path) -> Iterator[str]:
    """The table for so many papers, line by line."""
    folder = library(count, libraries)
    load = os.getloadavg()[0]
    with running((sys.executable, "-m", "tui.cli"), folder_env(folder)) as terminal:
        terminal.until(" unread")
        while terminal.frames():
            pass
        at_start = memory(terminal.pid)
        terminal.type("/model\r")
        terminal.until("best first")
        terminal.type("\x1b")
        while terminal.frames():
            pass
        idle = costs(terminal, "", IDLE)[0] / QUIET
        yield f"### {count:,} papers, load {load:.1f}, {idle:.0f} ms of CPU a second when nothing is done"
        yield ""
        yield "| keys | CPU ms | ms to the first frame |"
        yield "|---|---|---|"
        for told, before, keys, times in KEYS:
            terminal.type(before)
            terminal.frames()
            time.sleep(SETTLED)
            cpu, wait = costs(terminal, keys, times, idle)
            each = cpu / 100 if len(keys) == 100 else cpu
            yield f"| {told} | {each:.1f} | {wait:.1f} |"
        yield f"| memory in MB: at the start, at the end | {at_start:.0f} | {memory(terminal.pid):.0f} |"
    yield ""


if __name__ == "__main__":
    head = f"the budget of a key in the list is {BUDGET:.0f} ms of CPU"
    tables(__doc__, [SHIPPED, 1_000, 10_000, 100_000], head, measure)
