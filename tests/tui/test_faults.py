"""A fault of our own is told in one line, and its traceback stands in a file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from index.finding import Finder
from tests.tui.terminal import Terminal, faultless, folder_env
from tui.cli import main
from tui.faults import MARK

BREAKS = """
import sys
from tui.panes.papers import PaperList
from tui.cli import main
def broken(*_): raise KeyError("\\x1b[31mred")
PaperList.move = broken
sys.exit(main())
"""


def test_a_command_tells_it_in_one_line(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*_: object, **_more: object) -> None:
        raise RecursionError("\x1b[31m" + "x" * 1000)

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(Finder, "find", broken)
    assert main(["--library", str(library_folder), "search", "moe"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    (line,) = said.err.splitlines()
    assert MARK in line
    assert "RecursionError" in line
    assert "\x1b" not in line
    (file,) = tmp_path.rglob("fault.txt")
    assert str(file) in line
    assert "Traceback" in file.read_text("utf-8")
    assert not faultless(line.encode())


@pytest.mark.skipif(sys.platform != "linux", reason="the folder of logs is named as on Linux")
def test_the_reader_ends_with_one_line(library_folder: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-c", BREAKS)
    env = {**folder_env(library_folder), "XDG_STATE_HOME": str(tmp_path)}
    reader = Terminal(columns=400, rows=12, env=env, command=command)
    reader.until("393 papers")
    reader.type("j")
    assert reader.wait() == 1
    assert b"Traceback" not in reader.sent
    after = reader.sent.rpartition(b"\x1b[?1049l")[2].decode()
    assert f"postil: {MARK}" in after
    assert "KeyError" in after
    assert "\x1b[31mred" not in after
    assert "Traceback" in next(tmp_path.rglob("fault.txt")).read_text("utf-8")
