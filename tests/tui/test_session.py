"""Whole sessions in a real pseudo-terminal, on a new library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tui.terminal import Terminal, faultless, folder_env

ENTER, ESCAPE = "\r", "\x1b"


def cli(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tui.cli", *words],
        env={**os.environ, **folder_env(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_from_a_new_library_to_an_annotated_reading_list(tmp_path: Path) -> None:
    folder, export = tmp_path / "library", tmp_path / "list.md"
    first = Terminal(env=folder_env(folder))
    first.until("393 papers · 393 unread")
    first.type("/")
    first.until("Enter keep")
    first.type("colosseum")
    first.until("1 of 393, best first")
    first.type(ENTER)
    first.until("Enter open")
    first.type("t")
    first.until("Tab completes")
    first.type("robots, benchmarks/sim" + ENTER)
    first.until("tag robots, tag benchmarks/sim on 1 paper")
    first.type("sl")
    first.until("later on 1 paper")
    first.type(ENTER)
    first.until("h back")
    first.type("3H")
    first.until("── highlights")
    first.type("e")
    first.until("Esc keep the note")
    first.type("Compare with *RLBench*.")
    first.until("RLBench")
    first.type(ESCAPE)
    first.until("── note")
    first.type("x")
    first.until("Export 1 paper")
    first.type("\x15" + str(export) + ENTER)  # C-u empties the line
    first.until(lambda _: export.exists())
    first.type("\x11")
    assert first.wait() == 0

    second = Terminal(env=folder_env(folder))
    second.until("393 papers · 392 unread")
    second.until("#benchmarks/sim · #robots")
    second.until("later · 1 min read")
    second.until("Compare with RLBench.")
    second.until("¶ ≡1")
    second.type("q")
    assert second.wait() == 0

    (paper,) = json.loads(cli(folder, "search", "tag:benchmarks status:later has:note", "--json"))["results"]
    assert paper["tags"] == ["benchmarks/sim", "robots"]
    assert paper["note"] == "Compare with *RLBench*."
    (mark,) = paper["highlights"]
    assert paper["abstract"][mark["start"] : mark["end"]] == mark["quote"]
    text = export.read_text("utf-8")
    assert "### THE COLOSSEUM" in text
    assert "Compare with *RLBench*." in text
    assert "> We present THE COLOSSEUM" in text
    assert "\\#robots" in text or "#robots" in text


UNTOLD = """
import signal
from tui import app, cli
signal.SIGHUP = signal.SIGUSR2  # so that nothing listens to a hangup
cli.main()
"""


def test_a_hangup_in_the_middle_of_a_note_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    terminal = Terminal(columns=80, rows=24, env=folder_env(folder))
    terminal.until("393 papers")
    terminal.type("e")
    terminal.until("Esc keep the note")
    terminal.type("half a thought")
    terminal.until("half a thought")
    os.kill(terminal.pid, signal.SIGHUP)
    terminal.wait()
    (paper,) = json.loads(cli(folder, "search", "has:note", "--json"))["results"]
    assert paper["note"] == "half a thought"


@pytest.mark.parametrize("told", [True, False])
def test_a_terminal_that_goes_away_ends_the_reader_and_loses_nothing(tmp_path: Path, told: bool) -> None:
    """Without a word, as where `nohup` or a container's init keeps the signal away."""
    folder = tmp_path / "library"
    unheard = ("-c", 'trap "" HUP; exec "$0" -c "$1"', sys.executable, UNTOLD)
    terminal = Terminal(
        columns=80, rows=24, env=folder_env(folder),
        command=(sys.executable, "-m", "tui.cli") if told else ("/bin/sh", *unheard),
    )  # fmt: skip
    terminal.until("393 papers")
    terminal.type("*e")
    terminal.until("Esc keep the note")
    terminal.type("half a thought")
    terminal.until("half a thought")
    terminal.vanish()
    (paper,) = json.loads(cli(folder, "search", "has:note is:starred", "--json"))["results"]
    assert paper["note"] == "half a thought"


REPLACED = """
import sys
from tui import cli
from tui.screens.reading import Reading

def replaced():
    sys.meta_path.clear()  # nothing more can be loaded, as when the program was removed or updated
    sys.path_importer_cache.clear()

opened = Reading.open_text
Reading.open_text = lambda self: (opened(self), replaced())
sys.argv = ["postil"]
sys.exit(cli.main())
"""


@pytest.mark.parametrize("way", ["q", "the terminal goes away"])
def test_a_program_that_was_replaced_while_it_ran_ends_and_loses_nothing(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "library"
    terminal = Terminal(columns=80, rows=24, env=folder_env(folder), command=(sys.executable, "-c", REPLACED))
    terminal.until("393 papers")
    terminal.type("*")
    terminal.until("saved")
    terminal.type("\r")
    terminal.until("h back")
    if way == "q":
        terminal.type("qq")
        assert terminal.wait() == 0, terminal.screen
    else:
        terminal.vanish()
    assert len(json.loads(cli(folder, "search", "is:starred", "--json"))["results"]) == 1


def test_the_terminal_is_left_as_it_was(tmp_path: Path) -> None:
    terminal = Terminal(columns=40, rows=12, env=folder_env(tmp_path / "library"))
    terminal.until("393 papers")
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.wait() == 0
    for mode in (b"1049", b"1000", b"1003", b"2004"):  # other screen, mouse, mouse moves, bracketed paste
        assert terminal.sent.rindex(b"\x1b[?" + mode + b"l") > terminal.sent.rindex(b"\x1b[?" + mode + b"h")
    assert faultless(terminal.sent)


def test_keys_that_come_all_at_once_do_what_they_do_one_by_one(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    terminal = Terminal(env=folder_env(folder))
    terminal.until(lambda seen: "393 papers" in seen.split("\n")[1])
    terminal.type("/colosseum\r\r3HtRG/Burst, dq5*\redd *q= 5\x1b")
    terminal.until("── note")
    terminal.type("qj/grokking is:unread\rAsrq")
    assert terminal.wait() == 0
    papers = json.loads(cli(folder, "search", "--all", "--json"))["results"]
    (written,) = (paper for paper in papers if paper["tags"])
    assert written["tags"] == ["dq5*", "rg/burst"]
    assert written["note"] == "dd *q= 5"
    assert written["highlights"][0]["quote"].startswith("We present THE COLOSSEUM")
    assert (written["status"], written["starred"], written["rating"]) == ("unread", False, None)
    read = [paper for paper in papers if paper["status"] == "read"]
    assert len(read) == 7
    assert all("grokking" in paper["abstract"].lower() for paper in read)


PLACES = {
    "": "393 papers",
    "/": "keep",
    "e": "keep the note",
    "t": "Tags",
    "?": "type to filter",
    "\x10": "Search for commands",
    "T": "1 of 39",
}
"""What leads to each place that takes keys, and what is seen there."""


def test_from_everywhere_it_can_be_put_to_sleep_and_wakes_whole(library_folder: Path) -> None:
    terminal = Terminal(columns=80, rows=24, env=folder_env(library_folder))
    terminal.until(lambda screen: screen.count("393 papers") == 2 and "saved" in screen)
    for keys, seen in PLACES.items():
        terminal.type(keys)
        terminal.until(seen)
        before = terminal.rest()
        terminal.type("\x1a")
        assert terminal.slept() == terminal.modes[0], keys
        assert terminal.sent.rfind(b"\x1b[?1049l") > terminal.sent.rfind(b"\x1b[?1049h")
        assert terminal.sent.rfind(b"\x1b[?25h") > terminal.sent.rfind(b"\x1b[?25l")
        terminal.wake()
        terminal.until(before.__eq__)
        terminal.type("\x1b")
        terminal.rest()
        terminal.type("\x1b")
        terminal.until(lambda screen: "help" in screen)
    terminal.type("\x11")
    assert terminal.wait() == 0
