"""What is told of a long job: on a terminal a line that is rewritten, else a line now and then."""

from __future__ import annotations

import io
import re
import sys
import time
from pathlib import Path

import pytest

from index.paths import Layout
from index.shelf import Shelf
from tests.index.helpers import abstract, list_file
from tests.tui.reader import opened
from tests.tui.terminal import Terminal
from tui import printing
from tui.messages import Prepared, Preparing


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def test_progress_tells_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, screen = [100.0], Screen(terminal=True)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", screen)
    for done in range(0, 6001, 10):  # 160 a second
        printing.indexing(done, 60_000)
        clock[0] += 0.0625
    printing.end_progress()
    for done in range(1, 301):  # 16 a second
        printing.reading("a\x1b[2Jlist", done, done / 1200)
        clock[0] += 0.0625
    printing.end_progress()
    for done in range(1, 301):
        printing.reading("standard input", done, None)
        clock[0] += 0.0625
    printing.end_progress()
    lines = [line.removesuffix("\x1b[K") for line in screen.getvalue().split("\r")]
    assert "indexing: [          ] 3,200 of 60,000, 160 a second, 6 min left" in lines
    assert "reading a [2Jlist: [#         ] 129 records, 11 %, 16 a second, 67 s left" in lines
    assert "reading standard input: 201 records, 16 a second" in lines
    assert "\x1b[2J" not in screen.getvalue()
    assert "\n" not in screen.getvalue()
    assert all(len(line) < 80 for line in lines)
    assert 300 < len(lines) < 10 * (1200 * 0.0625 + 1), "ten times a second, and no more"


def test_progress_is_for_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, screen = [100.0], Screen(terminal=False)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", screen)
    for done in range(0, 6001, 10):
        printing.indexing(done, 60_000)
        printing.reading("a list", done, None)
        clock[0] += 1.0
    printing.end_progress()
    assert screen.getvalue() == ""


def test_an_import_in_a_terminal_tells_how_far_it_is_and_ctrl_c_leaves_what_came_in(tmp_path: Path) -> None:
    source = list_file(tmp_path / "big.txt", [abstract(number) for number in range(8000)])
    words = ("--library", str(tmp_path / "library"), "add", str(source))
    terminal = Terminal(*words)
    told = re.compile(r"reading big\.txt: \[#* *\] ([\d,]+) records, \d+ %, [\d,]+ a second, \d+ s left")
    terminal.until(lambda screen: told.search(screen) is not None)
    terminal.type("\x03")
    assert terminal.wait() == 130
    assert terminal.screen.strip() == "postil: interrupted; what was done so far is kept"
    shelf = Shelf(Layout(tmp_path / "library"))
    assert 0 < len(shelf) < 8000
    assert [paper.abstract for paper in shelf.papers()] == [abstract(number) for number in range(len(shelf))]
    assert not shelf.problems


async def test_what_was_found_stands_beside_how_much_is_indexed(tmp_path: Path) -> None:
    async with opened(tmp_path / "library", (80, 24)) as reader:
        reader.screen.on_preparing(Preparing(100, 393))
        assert "393 papers; 25 % indexed" in reader.line("found")
        reader.screen.on_prepared(Prepared(None))
        await reader.search("grokking", 7)
        reader.screen.on_preparing(Preparing(2_000, 10_000))
        assert "7 of 393, best first; 20 % indexed" in reader.line("found")
        reader.screen.on_prepared(Prepared(None))
        assert "indexed" not in reader.line("found")
