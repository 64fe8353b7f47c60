"""The list is the answer to the query that stands, or says that this is still to come."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual import events

from index.finding import Found
from index.library import Library
from tests.tui.helpers import drawn, until
from tests.tui.reader import Reader, opened
from tui.panes import search_bar
from tui.screens import listing


def shown(reader: Reader) -> str:
    pane = reader.screen.papers
    return drawn(pane.render_line(line) for line in range(pane.size.height))


async def test_nothing_is_taken_for_an_answer_that_is_still_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("grokking", 7)
        go_on = threading.Event()
        find = Library.find

        def slow(self: Library, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
            assert go_on.wait(20)
            return find(self, text, typing=typing, sort=sort)

        monkeypatch.setattr(Library, "find", slow)
        monkeypatch.setattr(listing, "LONG", 0.05)
        await reader.press("/")
        await reader.type("colosseum")
        await reader.press("enter")
        await until(reader.pilot, lambda: not reader.screen.papers.length)
        assert "Searching" in shown(reader)
        assert "searching" in reader.line("found")
        await reader.press("A", "r")
        assert not reader.screen.desk.marked
        assert reader.library.count("read") == 0
        go_on.set()
        await until(reader.pilot, lambda: reader.screen.papers.length == 1)
        assert "COLOSSEUM" in shown(reader)

        go_on.clear()
        await reader.press("/")
        await reader.type("moe")
        await reader.press("enter")
        await until(reader.pilot, lambda: not reader.screen.papers.length)
        await reader.press("escape")
        assert reader.screen.papers.length == 393, "Esc waits for nothing"
        go_on.set()


async def test_papers_that_left_the_query_are_not_among_all_of_it(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("grokking is:unread", 7)
        first = reader.current
        await reader.press("r")
        await until(reader.pilot, lambda: first in reader.screen.desk.left)
        await reader.press("A")
        assert reader.screen.desk.marked == set(reader.screen.desk.ids) - {first}


async def test_what_is_pasted_takes_the_place_of_the_old_query(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("colosseum", 1)
        await reader.press("/")
        reader.app.post_message(events.Paste("grok\nking\t"))
        await until(reader.pilot, lambda: reader.screen.bar.value == "grok king")
        await reader.press("left", "left")
        reader.app.post_message(events.Paste("ABC"))
        await until(reader.pilot, lambda: reader.screen.bar.value == "grok kiABCng")


@pytest.mark.parametrize("length", [search_bar.MOST + 1, 1_000_000])
async def test_a_paste_that_is_too_long_is_cut_and_said_to_be(tmp_path: Path, length: int) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.press("/", "x")
        reader.app.post_message(events.Paste("y" * length))
        await until(reader.pilot, lambda: "only the beginning" in reader.line("bottom"))
        assert reader.screen.bar.value == "x" + "y" * (search_bar.MOST - 1)


async def test_a_query_typed_in_one_breath_leaves_the_cursor_on_the_best_paper(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the paper on which it stood is among those that are found, and no letter was answered."""
    go_on = threading.Event()
    find = Library.find

    def slow(self: Library, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
        assert go_on.wait(20)
        return find(self, text, typing=typing, sort=sort)

    async with opened(library_folder) as reader:
        best = (found := reader.library.find("generalization")).shown[0]
        await reader.press("j", "j")
        assert reader.current in found.shown[1:]
        monkeypatch.setattr(Library, "find", slow)
        monkeypatch.setattr(listing, "LONG", 60.0)
        await reader.press("/")
        await reader.type("generalization")
        await reader.press("enter")
        go_on.set()
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 191 and not reader.screen.waiting)
        assert reader.current == best
        await reader.press("j")
        await reader.press("S", "r")  # sorted anew, the cursor stays on its paper
        await until(reader.pilot, lambda: not reader.screen.waiting)
        assert reader.current == found.shown[1]


async def test_all_of_a_query_that_was_not_understood_is_neither_marked_nor_exported(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("grokking status:nonsense", 7)
        await reader.press("A")
        assert "not marked" in reader.line("bottom")
        assert not reader.screen.desk.marked
        await reader.press("x")
        assert "not exported" in reader.line("bottom")
        assert reader.app.screen is reader.screen
        await reader.press("space", "x")
        assert reader.app.screen is not reader.screen, "what was marked by hand is known"
        await reader.press("escape")


@pytest.mark.parametrize(
    ("typed", "count", "kept"),
    [
        ("transfor", 96, "transfor*"),
        ("benchmark robot man", 3, "benchmark robot man*"),
        ('"vision lang', 38, '"vision lang"*'),
        ("title:transfor", 17, "title:transfor*"),
    ],
)
async def test_enter_on_a_word_that_no_paper_has_whole_keeps_what_so_begins(
    tmp_path: Path, typed: str, count: int, kept: str
) -> None:
    async with opened(tmp_path / "library") as reader:
        screen = reader.screen
        await reader.press("/")
        await reader.type(typed)
        await until(reader.pilot, lambda: len(screen.desk.whole) == count)
        listed = list(screen.desk.ids)
        await reader.press("enter")
        await until(reader.pilot, lambda: not screen.waiting and screen.bar.value == kept)
        assert sorted(screen.desk.ids) == sorted(listed)
        assert kept in reader.line("bottom"), "it is said"
        await reader.press("/", "ctrl+r")
        await reader.press("enter")
        assert screen.bar.value == kept, "and is among the former queries"


async def test_enter_on_what_nothing_begins_with_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("grokkign", 0)
        assert reader.screen.bar.value == "grokkign"
        assert "did you mean: grokking" in reader.line("hint")


async def test_marks_that_cannot_be_seen_are_told(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("grokking", 7)
        assert "unread" in reader.line("top")
        await reader.press("A")
        assert "7 marked" in reader.line("top")
        assert "not listed" not in reader.line("top")
        await reader.search("diffusion", 28)
        assert "7 marked, 7 not listed" in reader.line("top")
        await reader.press("d")
        assert "7 of them not listed" in reader.line("bottom")
        await reader.press("escape")
        assert "marked" not in reader.line("top")


async def test_a_list_stays_in_its_place_while_letters_are_typed(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        screen = reader.screen
        await reader.press("/", "t")
        await until(reader.pilot, lambda: not screen.waiting)
        await reader.pilot.pause()
        top = screen.papers.region.y
        for letter in "itel:moe (":
            await reader.type(letter)
            await until(reader.pilot, lambda: not screen.waiting)
            await reader.pilot.pause()
            assert screen.papers.region.y == top


async def test_nothing_is_not_exported(tmp_path: Path) -> None:
    async with opened(tmp_path / "library") as reader:
        await reader.search("lets think step by step quokka", 1)
        await reader.press("x")
        assert "nothing to export: no paper has all the words" in reader.line("bottom")
        assert reader.app.screen is reader.screen
