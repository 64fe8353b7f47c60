"""Moving, finding and judging by keys, judged by what the library then holds and the panes show."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from index import paths
from index.finding import Found
from index.library import Library
from tests.tui.helpers import until
from tests.tui.reader import opened, statuses
from tui.commands import COMMANDS
from tui.screens.dialog import Line


async def test_every_command_of_the_table_is_done_somewhere(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        assert set(reader.screen._actions) == {command.name for command in COMMANDS}


async def test_the_list_shows_393_papers_and_reading_changes_nothing(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        assert len(reader.screen.desk.ids) == 393
        assert reader.line("top") == "postil · Daily Papers  393 papers · 393 unread "
        await reader.press("j", "enter", "J", "space", "G", "q", "k", "h")
        await reader.saved()
    assert not (library_folder / "annotations.json").exists()


async def test_movement_with_counts(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        papers = reader.screen.papers
        await reader.press("5", "j")
        assert papers.cursor == 5
        await reader.press("2", "k")
        assert papers.cursor == 3
        await reader.press("1", "0", "j")
        assert papers.cursor == 13
        await reader.press("G")
        assert papers.cursor == 392
        await reader.press("g", "g")
        assert papers.cursor == 0
        await reader.press("g", "x", "j")
        assert papers.cursor == 1


async def test_search_as_you_type_keep_and_take_back(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("j", "j")
        before = reader.current
        await reader.press("/")
        await reader.type("grokk")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        assert reader.current == before
        await reader.search("grokking", 7)
        assert reader.screen.papers.cursor == 0
        assert "7 of 393, best first" in reader.line("found")
        assert all(
            "grokking" in reader.library.entry(id).paper.abstract.lower() for id in reader.screen.desk.ids
        )
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)


async def test_a_key_after_a_kept_query_waits_for_its_papers(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = Library.find

    def slow(self: Library, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
        time.sleep(0.3)
        return find(self, text, typing=typing, sort=sort)

    monkeypatch.setattr(Library, "find", slow)
    async with opened(library_folder) as reader:
        await reader.press("/", *"grokking", "enter", "r")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await until(reader.pilot, lambda: reader.library.count("read") == 1)
        (id,) = (id for id in reader.library.ids if reader.library.annotation(id).status == "read")
        assert "grokking" in reader.library.entry(id).paper.abstract.lower()


async def test_a_query_that_is_not_understood_says_so_and_lists_the_rest(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("/")
        await reader.type("grokking titel:x")
        hint = reader.screen.query_one("#hint")
        await until(reader.pilot, lambda: hint.has_class("-said"))
        assert "titel" in reader.line("hint")


async def test_status_star_rating_and_their_undo(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("r", "*", "=", "4")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("read", True, 4)
        await reader.press("s", "l")
        assert reader.library.annotation(id).status == "later"
        await reader.press("u", "u", "u", "u")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("unread", False, None)
        await reader.press("4", "ctrl+r")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("later", True, 4)
        await reader.saved()
    assert statuses(library_folder) == {id: "later"}


async def test_a_number_then_a_letter_acts_on_so_many_and_rjr_on_exactly_two(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking is:unread", 7)
        first, second, *others = reader.screen.desk.ids
        await reader.press("r", "j", "r")
        await reader.saved()
        await until(reader.pilot, lambda: reader.screen.desk.left == {first, second})
        assert list(reader.screen.desk.ids) == [first, second, *others]
        await reader.press("g", "g", "j", "j", "3", "s", "x")
        await reader.saved()
    assert statuses(library_folder) == {
        first: "read", second: "read", **dict.fromkeys(others[:3], "skipped"),
    }  # fmt: skip


async def test_escape_and_the_next_key_sent_as_one(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter")
        assert reader.screen.text.has_focus
        await reader.press("alt+j")
        assert (reader.screen.papers.has_focus, reader.screen.papers.cursor) == (True, 1)


async def test_the_way_by_palette_and_by_command_line(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press(":")
        await reader.type("star")
        await reader.press("enter")
        assert reader.library.annotation(reader.current).starred
        await reader.press(":")
        await reader.type("nonsense")
        await reader.press("enter")
        assert reader.app.screen is not reader.screen
        await reader.press("escape", "ctrl+p")
        await reader.type("status: skipped")
        await until(reader.pilot, lambda: bool(reader.app.screen.query("CommandList")))
        await reader.pilot.pause(0.3)
        await reader.press("enter")
        await until(reader.pilot, lambda: reader.library.annotation(reader.current).status == "skipped")


async def test_help_shows_every_command_and_filters(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("?")
        shown = " ".join(str(reader.app.screen.query_one("#lines", Line).visual).split())
        assert all(command.about in shown for command in COMMANDS)
        await reader.type("undo")
        shown = str(reader.app.screen.query_one("#lines", Line).visual)
        assert "undo" in shown
        assert "half a page" not in shown


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_it_works_at_every_size(library_folder: Path, size: tuple[int, int]) -> None:
    async with opened(library_folder, size) as reader:
        screen = reader.screen
        assert screen.papers.region.height >= 8
        assert screen.text.display and screen.query_one("#reading").display is (size[0] >= 100)
        await reader.press("j", "enter")
        assert screen.query_one("#reading").display
        assert screen.text.has_focus
        assert screen.text.region.width >= 38
        assert screen.query_one("#list").display is (size[0] >= 100)
        await reader.press("q")
        assert screen.papers.has_focus
        assert screen.papers.region.width >= (50 if size[0] >= 100 else size[0])


async def test_what_is_wrong_with_the_settings_is_said_at_the_start_and_the_rest_goes_on(
    library_folder: Path,
) -> None:
    config = paths.config_file()
    config.parent.mkdir(parents=True)
    config.write_text(
        '[keys]\nnonsense = "q"\nread = "t"\nstar = "*, f2"\n[colours]\nclaim = "Behauptung"\n', "utf-8"
    )
    async with opened(library_folder, (160, 30)) as reader:
        (said,) = [note.message for note in reader.app._notifications]
        assert "2 lines of config.toml are not understood" in said
        assert "keys.nonsense" in said
        await reader.press("f2")
        assert reader.library.annotation(reader.current).starred
        await reader.press("enter", "H")
        assert "highlight as Behauptung" in reader.line("bottom")


async def test_the_palette_can_be_paged_at_once(library_folder: Path) -> None:
    async with opened(library_folder, (40, 12)) as reader:
        await reader.press("ctrl+p", "pagedown", "pageup", "pagedown", "escape")
        assert reader.app.is_running


async def test_a_number_goes_to_that_row(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("5", "G")
        assert reader.screen.papers.cursor == 4
        await reader.press("1", "0", "g", "g")
        assert reader.screen.papers.cursor == 9
        await reader.press("3", "=", "2")
        assert sum(reader.library.annotation(id).rating == 2 for id in reader.library.ids) == 3
