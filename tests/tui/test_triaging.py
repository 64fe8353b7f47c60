"""Triage by keys: one unread abstract at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.screens.dialog import Line
from tui.screens.triaging import Summary


def status(reader: Reader, *ids: str) -> list[str]:
    return [reader.library.annotation(id).status for id in ids]


async def test_forty_abstracts_in_about_seventy_keys(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        forty = screen.desk.ids[353:]
        keys = 0

        async def press(*pressed: str) -> None:
            nonlocal keys
            keys += len(pressed)
            await reader.press(*pressed)

        await reader.press("3", "5", "4", "G")
        await press("T")
        assert "1 of 40" in reader.line("found")
        wanted = []
        for number, id in enumerate(forty):
            assert (reader.current, screen.place) == (id, "text")
            while not screen.text.at_end:
                await press("space")
                assert reader.current == id, "pages first"
            key = "adr"[number % 3]
            await press(key)
            wanted.append({"a": "later", "d": "skipped", "r": "read"}[key])
        summary = reader.app.screen
        assert isinstance(summary, Summary)
        assert status(reader, *forty) == wanted
        assert summary._counts == {"unread": 0, "later": 14, "reading": 0, "read": 13, "skipped": 13}
        assert keys <= 70
        await reader.press("enter")
        assert (screen.place, len(screen.desk.ids), reader.current) == ("list", 393, forty[-1])
        await reader.saved()


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_everything_else_works_and_undo_goes_back_to_its_paper(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        screen = reader.screen
        await reader.search("grokking", 7)
        await reader.press("j", "r", "k", "T")
        one, two, three, *_ = screen.triaged
        assert len(screen.triaged) == 6
        assert not screen.papers.display
        assert screen.text.region.width > size[0] - 4
        await reader.press("*", "=", "5", "H", "t", *"nice", "enter", "e", *"hm", "escape")
        told = reader.library.annotation(one)
        assert (told.starred, told.rating, told.tags, told.note, len(told.highlights)) == (
            True, 5, ("nice",), "hm", 1,
        )  # fmt: skip
        assert reader.current == one, "only a judgement goes on"
        await reader.press("a", "d")
        assert "3 of 6" in reader.line("found")
        await reader.press("u")
        assert (reader.current, status(reader, one, two)) == (two, ["later", "unread"])
        await reader.press("J", "J", "K")
        assert reader.current == three
        await reader.press("b", "tab", "m", "/")
        assert "q leaves it" in reader.line("bottom")
        assert (screen.place, reader.current) == ("text", three)
        await reader.press("a", ".", "q")
        assert "0 read, 3 later, 0 skipped, 3 left" in reader.line("bottom")
        await reader.pilot.pause()
        assert (screen.place, screen.bar.value, len(screen.desk.ids)) == ("list", "grokking", 7)
        assert screen.query_one("#list").display
        await until(reader.pilot, lambda: "7 of 393" in reader.line("found"))


async def test_begun_in_the_text_the_footer_is_that_of_triage_and_r_means_read(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("j", "r", "k", "enter", "T")
        await reader.press("ctrl+l")
        assert "leave" in reader.line("bottom")
        assert "search" not in reader.line("bottom")
        one = reader.current
        await reader.press("r", "K", "r")
        assert status(reader, one) == ["read"]
        assert reader.screen.papers.cursor == 1
        await reader.press("q", "ctrl+l")
        assert "leave" not in reader.line("bottom")
        await reader.press("enter", "ctrl+l")
        assert "back" in reader.line("bottom")
        assert "leave" not in reader.line("bottom")
        reader.screen.papers.move_to(reader.screen.desk.ids.index(one))
        await reader.press("r")
        assert status(reader, one) == ["unread"], "elsewhere it is read, or unread again"


async def test_the_summary_takes_the_last_judgement_back(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("3", "9", "2", "G", "T", "a", "d")
        summary = reader.app.screen
        assert isinstance(summary, Summary)
        assert "u takes the last one back" in str(summary.query_one("#about", Line).visual)
        ids = reader.screen.desk.ids
        await reader.press("u")
        assert reader.app.screen is reader.screen
        assert status(reader, *ids[-2:]) == ["later", "unread"]
        assert "undone" in reader.line("bottom")


async def test_where_nothing_is_unread_it_says_so(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("G", "r", "T")
        assert "no unread paper from here on" in reader.line("bottom")
        assert not reader.screen.triaged


async def test_space_at_the_end_of_the_last_one_ends_it_with_what_is_left(library_folder: Path) -> None:
    async with opened(library_folder, (40, 12)) as reader:
        await reader.press("G", "T")
        for _ in range(30):
            if reader.app.screen is not reader.screen:
                break
            await reader.press("space")
        summary = reader.app.screen
        assert isinstance(summary, Summary)
        assert summary._counts["unread"] == 1
        await reader.press("escape", "u")
        assert reader.screen.papers.has_focus


async def test_papers_that_come_in_leave_triage_alone(library_folder: Path, tmp_path: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("grokking", 7)
        await reader.press("T", "a")
        new = tmp_path / "new.txt"
        new.write_text(f"Daily Papers\n\n{'A new abstract about grokking and its phases. ' * 5}\n", "utf-8")
        await reader.press(":", *"import", "space", *str(new), "enter")
        await until(reader.pilot, lambda: "394 papers" in reader.line("top"), turns=2000)
        assert (len(screen.triaged), screen.papers.cursor, screen.place) == (7, 1, "text")
        await reader.press("q")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 8, turns=2000)
