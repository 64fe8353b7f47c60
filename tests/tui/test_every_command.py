"""Every command of the table is pressed by its first key in each of its places: none can be forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, get_args

import pytest

from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.commands import COMMANDS, Place
from tui.palette import Palette
from tui.screens.dialog import Line
from tui.screens.help import Help

PLACES: Final = [place for place in get_args(Place) if place != "typing"]
UNSEEN: Final = frozenset({"redraw", "suspend", "quit", "quit_now", "other_end"})
"""What they do cannot be seen here."""


async def to(reader: Reader, place: Place) -> None:
    """Give the keys to a place, in the middle of what there is, from wherever a command has led."""
    screen = reader.screen
    while reader.app.screen is not screen:
        await reader.press("escape")
    screen.leave_note()
    if screen.triaged:
        screen.leave_triage()
    screen.open_list()
    screen.papers.end_range()
    screen.papers.move_to(200)
    screen.desk.marked = {reader.current}
    if place == "side":
        if not screen.side_open:
            screen.toggle_side()
        screen.open_side()
        await until(reader.pilot, lambda: screen.side.length > 6)
        screen.side.move_to(4)
    elif place != "list":
        screen.open_text()
        screen.text.top()
        screen.text.scroll_lines(7)
        if place == "select":
            assert screen.text.begin_selection()
            screen.text.extend_sentence(1)
            screen.text.extend_word(-2)
            screen.text.extend_char(-2)
    await until(reader.pilot, lambda: screen.place == place and not screen.making and not screen.waiting)
    await reader.press("ctrl+l")  # the line at the bottom shows keys again


def seen(reader: Reader) -> tuple[object, ...]:
    """What a command may be seen to do."""
    screen, library = reader.screen, reader.library
    return (
        reader.app.screen, screen.place, screen.focused, screen.asked, screen.sorted_by, set(screen.classes),
        screen.papers.cursor, screen.papers.range_from, set(screen.desk.marked), len(screen.desk.ids),
        screen.side.cursor, screen.text.sentence, screen.text.scroll_y, screen.text.selection(),
        screen.desk.colour, reader.line("bottom"), library.annotation(reader.current),
    )  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
async def test_each_command_is_run_by_its_key_and_seen_and_told_of_in_help(
    library_folder: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "true %s")
    monkeypatch.setattr(os, "kill", lambda _pid, _signal: None)  # `suspend` would put the tests to sleep
    here = [command for command in COMMANDS if place in command.places]
    ran: list[str] = []
    unseen: list[str] = []
    async with opened(library_folder, (40, 12)) as reader:
        monkeypatch.setattr(reader.screen, "leave", lambda: ran.append("quit_now"))
        actions = reader.screen._actions

        def noted(name: str) -> Callable[[int | None], None]:
            def act(count: int | None) -> None:
                ran.append(name)
                actions[name](count)

            return act

        reader.screen._actions = {name: noted(name) for name in actions}
        for command in here:
            await to(reader, place)
            ran.clear()
            before = seen(reader)
            await reader.press(*command.keys[0].split())
            if command.name == "palette":  # by Textual's own binding
                assert isinstance(reader.app.screen, Palette)
            else:
                assert ran[:1] == [command.name]
            if command.name not in UNSEEN:
                for _ in range(200):
                    if seen(reader) != before:
                        break
                    await reader.pilot.pause(0.01)
                else:
                    unseen.append(command.name)
        await to(reader, place)
        assert unseen == []
        await reader.press("?")
        await until(reader.pilot, lambda: isinstance(reader.app.screen, Help))
        lines = str(reader.app.screen.query_one("#lines", Line).visual)
        assert [command.name for command in here if f"({command.name})" not in lines] == []
