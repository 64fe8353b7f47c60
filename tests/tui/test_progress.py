"""What is told of a long job: on a terminal a line that is rewritten, else a line now and then."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from tests.tui.reader import opened
from tui import printing
from tui.messages import Prepared, Preparing


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_tells_rate_and_time_left(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    clock, screen = [100.0], Screen(terminal)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", screen)
    for done in range(0, 6001, 10):  # 160 a second
        printing.indexing(done, 60_000)
        clock[0] += 0.0625
    printing.end_progress()
    for done in range(2):
        printing.reading("a\x1b[2Jlist", done)
    lines = [line for line in screen.getvalue().replace("\n", "\r").split("\r") if line]
    assert "\x1b[2J" not in screen.getvalue()
    assert "building the search index: 3,200 of 60,000, 160 a second, 6 min left" in screen.getvalue()
    assert ("\n" in screen.getvalue()) is not terminal
    assert len(lines) > 100 if terminal else len(lines) == 3
    assert all(len(line.removesuffix("\x1b[K")) < 80 for line in lines)


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
