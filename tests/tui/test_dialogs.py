"""The dialogs: what is pasted into their lines, what they say, and how they fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import events
from textual.containers import VerticalScroll
from textual.widgets import Input

from index.paths import config_file
from tests.tui.conftest import Postil
from tests.tui.helpers import SIZES, drawn, until
from tests.tui.reader import Reader, opened
from tui import draw
from tui.commands import COMMANDS
from tui.panes.above import Above
from tui.panes.lines import BottomLine
from tui.screens.dialog import MOST, Line


async def paste(reader: Reader, text: str) -> None:
    reader.app.post_message(events.Paste(text))
    await reader.pilot.pause()


def about(reader: Reader) -> str:
    """What a dialog says below its line."""
    return str(reader.app.screen.query_one("#about", Line).visual)


async def test_of_what_is_pasted_no_line_is_lost(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter", "H", "c")
        await paste(reader, "line one\r\n\r\n  line two\n")
        await reader.press("enter", "h")
        first = reader.current
        assert [mark.comment for mark in reader.library.annotation(first).highlights] == ["line one line two"]
        await reader.press("t")
        await paste(reader, "foo\nbar,baz\n")
        await reader.press("enter")
        assert reader.library.annotation(first).tags == ("bar", "baz", "foo")
        await reader.press("t")
        reader.app.copy_to_clipboard("two\nlines")  # as from a note; no terminal pastes this
        await reader.press("ctrl+v", "enter")
        assert reader.library.annotation(first).tags == ("bar", "baz", "foo", "lines", "two")


@pytest.mark.parametrize("keys", ["t", "w", "x", "f", "i", ":"])
async def test_what_does_not_fit_into_a_line_is_said(library_folder: Path, keys: str) -> None:
    async with opened(library_folder) as reader:
        await reader.press(*keys)
        await paste(reader, "some words\n" * 50_000)
        assert len(reader.app.screen.query_one(Input).value) == MOST
        assert f"holds {MOST} characters" in about(reader)
        await reader.press("escape")
        await until(reader.pilot, lambda: reader.app.screen is reader.screen)


# C-c


def settle(settings: str) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text(settings)


async def test_ctrl_c_says_in_one_line_how_to_quit(library_folder: Path) -> None:
    settle('[keys]\nquit_now = "f12"\n')
    async with opened(library_folder) as reader:
        for keys in ((), ("enter",), ("e",)):
            await reader.press("escape", *keys, "ctrl+c", "ctrl+c")
            await until(reader.pilot, lambda: "f12 quits" in reader.line("bottom"))
        assert len(reader.app._notifications) == 0


async def test_ctrl_c_copies_what_is_selected(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", *"word", "shift+left", "shift+left", "ctrl+c")
        assert reader.app.clipboard == "rd"
        await reader.press("escape", "v", "w", "ctrl+c")
        await until(reader.pilot, lambda: "selection: " in reader.line("bottom"))
        assert reader.screen.text.selection() is None
        assert "quits" not in reader.line("bottom")


async def test_ctrl_c_stops_a_command_under_way(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("|")
        await reader.type("sleep 60")
        await reader.press("enter")
        await until(reader.pilot, lambda: any(pipe._child for pipe in reader.screen.pipes))
        await reader.press("ctrl+c")
        await until(reader.pilot, lambda: "sleep: stopped" in reader.line("bottom"))
        assert reader.screen.pipes == []


# What the line at the bottom has no room for


def screen_text(reader: Reader) -> str:
    return drawn(reader.screen._compositor.render_strips())


@pytest.mark.parametrize("size", SIZES)
async def test_all_that_may_follow_a_first_key_is_seen_until_the_next_one(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        for place, more in (("list", {"g", "S", "s", "=", "y"}), ("text", {"g", "S", "s", "=", "y", "C"})):
            here = [command for command in COMMANDS if place in command.places]
            sequences = [keys.split() for command in here for keys in command.keys if " " in keys]
            assert {first for first, _ in sequences} == more
            for first in more:
                await reader.press(first)
                text = screen_text(reader)
                for second in (second for one, second in sequences if one == first):
                    command = next(command for command in here if f"{first} {second}" in command.keys)
                    told = command.about.rpartition(": ")[2].partition(", ")[0]
                    assert re.search(
                        rf"(^|  | ){re.escape(second)} {re.escape(told)}( |$)", text, re.MULTILINE
                    )
                await reader.press("escape")
                await until(reader.pilot, lambda: not reader.screen.query_one(Above).display)
            await reader.press("enter")


async def test_what_may_follow_does_not_lie_over_the_row_of_the_cursor(library_folder: Path) -> None:
    async with opened(library_folder, (40, 12)) as reader:
        for keys in ("gg", "G", "kkk", "kkk"):
            await reader.press(*keys, "S")
            await until(reader.pilot, lambda: reader.screen.query_one(Above).size.height == 4)
            at = reader.screen.papers.place_on_screen
            assert not reader.screen.query_one(Above).region.contains(*at)
            await reader.press("escape")


@pytest.mark.parametrize("size", SIZES)
async def test_a_long_message_is_seen_whole(library_folder: Path, size: tuple[int, int]) -> None:
    words = "not saved, for it looks for nothing that a paper of this library could ever have"
    async with opened(library_folder, size) as reader:
        reader.screen.say(words)
        await reader.pilot.pause()
        assert words in " ".join(screen_text(reader).split())
        assert reader.line("bottom").startswith(words) or reader.line("bottom").endswith(f"{words}  saved")
        await reader.press("j", "k")
        assert words[:9] not in screen_text(reader)
        reader.screen.say(f"{words} " * 5)
        await reader.pilot.pause()
        assert "…" in screen_text(reader)
        assert reader.screen.query_one(Above).size.height == 3


# The first minute


@pytest.mark.parametrize("size", SIZES)
async def test_the_signs_are_told_until_a_status_was_given(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        (line,) = [line for line in screen_text(reader).splitlines() if "? " in line and "keys" in line]
        assert line.split()[:5] == ["●", "unread", "○", "read", "·"]
        assert ("derived" in line) is (size == (40, 12))
        await reader.press("j", "r")
        await reader.pilot.pause()
        assert "○ read" not in screen_text(reader)
        await reader.press("u")
        await reader.saved()
        assert "○ read" not in screen_text(reader)
    async with opened(library_folder, size) as reader:
        assert "○ read" not in screen_text(reader)


async def test_an_empty_library_says_first_what_can_be_done_here(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "papers.jsonl").touch()
    async with opened(tmp_path / "library", (40, 12)) as reader:
        text = screen_text(reader)
        assert "No papers yet. i imports a file" in " ".join(text.split())
        assert "○ read" not in text
        await reader.press("i")
        assert "~ is your home" in about(reader)


async def test_of_many_faults_of_the_settings_the_first_is_said_and_the_doctor_tells_all(
    library_folder: Path, postil: Postil
) -> None:
    names = [f"nonsense_{number}" for number in range(8)]
    settle("theme = 'none'\n[nowhere]\n[keys]\n" + "".join(f"{name} = 'z'\n" for name in names))
    async with opened(library_folder) as reader:
        (note,) = reader.app._notifications
        assert note.message.startswith("10 lines of config.toml are not understood (postil doctor tells all)")
        assert "nowhere" in note.message
    told = postil("doctor").out
    assert all(name in told for name in (*names, "nowhere", "'none'"))


# Help


@pytest.mark.parametrize("size", SIZES)
async def test_help_hangs_what_is_wrapped_below_its_beginning(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        await reader.press("?")
        lines = str(reader.app.screen.query_one("#lines", Line).visual).split("\n")
        pane = reader.app.screen.query_one(VerticalScroll).scrollable_content_region
        assert max(map(len, lines)) <= pane.width
        signs = draw.signs()
        assert any(f"{signs['marked']} marked" in line for line in lines)
        beside = size[0] >= 80
        begins = {len(line) - len(line.lstrip()) for line in lines[lines.index("") :] if line}
        assert begins == ({0, 2, 25} if beside else {0, 2, 4})
        at = next(at for at, line in enumerate(lines) if line.strip().startswith("V"))
        told = [line.strip() for line in lines[at : at + (2 if beside else 4)]]
        assert re.split(r"\s+", " ".join(told))[:5] == ["V", "a", "range:", "from", "here"]


# What they say


async def test_an_export_again_over_an_edited_file_names_the_key_to_press(
    library_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "list.md"
    async with opened(library_folder) as reader:
        await reader.press("x", "ctrl+u")
        await paste(reader, str(file))
        await reader.press("enter")
        await until(reader.pilot, lambda: "393 papers written" in reader.line("bottom"))
        file.write_text("mine", "utf-8")
        await reader.press("X")
        await until(reader.pilot, lambda: "x asks for another file: " in reader.line("bottom"))
        assert "is not as an export left it" in reader.line("bottom")
    assert file.read_text("utf-8") == "mine"


async def test_a_tag_is_not_renamed_into_another_one_than_was_typed(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("t", *"old", "enter", "g", "t", "enter", "ctrl+u")
        await reader.type("a, b")
        await reader.press("enter")
        assert "without it: a b" in about(reader)
        await reader.press("left", "backspace", "backspace", "backspace", "delete", "z", "enter")
        await until(reader.pilot, lambda: set(reader.library.tags()) == {"z"})


async def test_the_prompt_for_a_pipe_says_that_there_is_no_shell(library_folder: Path) -> None:
    async with opened(library_folder, (80, 24)) as reader:
        await reader.press("|")
        assert "no shell" in about(reader)


@pytest.mark.parametrize("key", ["s", "?"])
async def test_the_status_of_what_is_being_read_has_one_name(library_folder: Path, key: str) -> None:
    async with opened(library_folder) as reader:
        await reader.press("s", "i")
        assert "reading · " in str(reader.screen.desk.view(reader.current))
        await reader.press(key)
        await reader.pilot.pause()
        text = drawn(reader.app.screen._compositor.render_strips())
        assert ("i reading" if key == "s" else "◐ reading") in text
        assert "in progress" not in text


async def test_where_the_keys_are_cut_off_there_is_a_gap_before_the_state(library_folder: Path) -> None:
    async with opened(library_folder, (60, 12)) as reader:
        bottom = reader.screen.query_one(BottomLine)
        for columns in range(60, 30, -1):
            await reader.pilot.resize_terminal(columns, 12)
            await until(reader.pilot, lambda: bottom.size.width == columns)  # noqa: B023 (called at once)
            bottom.tell_keys([("h", "back"), ("/", "search"), ("r", "read"), ("t", "tag"), ("e", "note")])
            shown = bottom.render_line(0).text
            assert len(shown) == columns
            assert re.search(r"[a-z…] +saved *$", shown), shown
