"""Completion, former queries, what was meant, related papers: by keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.library import Library
from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.screens.picker import Picker


def tag(folder: Path, *tags: str) -> None:
    library = Library(folder)
    step = library.step("tags", [(library.ids[0], f"tags/{tag}", True) for tag in tags])
    assert step
    library.commit(step)
    library.close()


async def test_tab_completes_and_goes_round(library_folder: Path) -> None:
    tag(library_folder, "moe/routing", "to read")
    async with opened(library_folder) as reader:
        bar = reader.screen.bar
        await reader.press("/", *"ta", "tab")
        assert bar.value == "tag:"
        seen = []
        for key in ("tab", "tab", "tab", "tab", "shift+tab"):
            await reader.press(key)
            seen.append(bar.value)
        assert seen == ["tag:moe/routing", 'tag:"to read"', "tag:moe", "tag:moe/routing", "tag:moe"]
        await reader.press("space", *"sta", "tab", *"l", "tab")
        assert bar.value == "tag:moe status:later"
        await reader.press(*" zebra".replace(" ", ""), "tab")
        assert bar.value == "tag:moe status:laterzebra"
        assert "nothing to complete" in reader.line("bottom")
        assert bar.has_focus
        await reader.press("home", *"is", "tab")
        assert bar.value == "is:tag:moe status:laterzebra"
        bar.set("")
        await reader.press(*"rating:", "tab")
        assert bar.value == "rating:>=4"


async def test_names_years_and_lists_are_completed_once_they_were_gathered(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.press("/", *"name:Zip")
        await until(reader.pilot, lambda: bool(screen._gathered))
        await reader.press("tab")
        assert screen.bar.value == "name:ZipIt!"
        assert list(screen._values("source")) == sorted(
            {file for id in reader.library.ids for file in reader.library.row(id).files}
        )
        await reader.press("ctrl+u", *"source:000", "tab")
        assert screen.bar.value.startswith("source:000_")


async def test_the_first_completion_stands_behind_the_cursor_and_the_arrow_takes_it(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        bar = reader.screen.bar
        await reader.press("/", *"sta")
        await until(reader.pilot, lambda: bar._suggestion == "status:")
        await reader.press("right", *"sk")
        await until(reader.pilot, lambda: bar._suggestion == "status:skipped")
        assert bar.value == "status:sk"
        await reader.press("ctrl+u", *"t")
        await reader.pilot.pause()
        assert bar._suggestion == "", "one letter is too little to guess at a field"


def hint(reader: Reader) -> str:
    return reader.line("hint").strip()


async def test_what_was_meant_is_taken_by_one_key(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.press("/", *"grokkign")
        await until(reader.pilot, lambda: "did you mean: grokking (Tab takes it)" in hint(reader))
        await reader.press("tab")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 7)
        assert (screen.bar.value, screen.bar.has_focus, hint(reader)) == ("grokking", True, "")
        await reader.press("ctrl+u", *"grokkign", "enter")
        await until(reader.pilot, lambda: "(Y takes it)" in hint(reader))
        await reader.press("Y")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 7)
        assert (screen.bar.value, screen.papers.has_focus, hint(reader)) == ("grokking", True, "")
        await reader.press("Y")
        assert "no better spelling" in reader.line("bottom")


async def test_a_field_or_value_that_was_meant_is_taken_by_the_same_key(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.press("/", *"grokking is:unred")
        await until(
            reader.pilot, lambda: "did you mean: grokking is:unread (Tab takes it); is:" in hint(reader)
        )
        await reader.press("tab")
        await until(reader.pilot, lambda: hint(reader) == "")
        assert (screen.bar.value, len(screen.desk.ids)) == ("grokking is:unread", 7)


async def test_former_queries_come_back_the_newest_first(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        for text, count in (("grokking", 7), ("is:read", 0), ("grokking", 7), ("modular", 6)):
            await reader.search(text, count)
        await reader.press("/", "ctrl+r")
        picker = reader.app.screen
        assert isinstance(picker, Picker)
        assert [pick.name for pick in picker._fit] == ["modular", "grokking", "is:read"]
        await reader.press("escape", *"gro", "ctrl+r")
        picker = reader.app.screen
        assert isinstance(picker, Picker)
        assert [pick.name for pick in picker._fit] == ["grokking"]
        await reader.press("enter")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        assert (reader.screen.bar.value, reader.screen.bar.has_focus) == ("grokking", True)
        await reader.press("escape", "q")
    assert Library(library_folder).state["queries"] == ["modular", "grokking", "is:read"]


@pytest.mark.parametrize("broken", [7, {"a": 1}, ["grokking", 3, None]])
async def test_a_state_that_somebody_else_wrote_does_no_harm(library_folder: Path, broken: object) -> None:
    Library(library_folder).remember(queries=broken, sidebar="yes")
    async with opened(library_folder) as reader:
        assert not reader.screen.side_open
        await reader.search("modular", 6)
        await reader.press("/", "ctrl+r", "escape")
        assert reader.library.state["queries"][0] == "modular"


async def test_related_papers_are_listed_and_left_again(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("grokking", 7)
        stood = list(screen.desk.ids)
        await reader.press("j", "m")
        first = stood[1]
        await until(reader.pilot, lambda: len(screen.desk.ids) == 8)
        near = reader.library.related(first)
        assert list(screen.desk.ids) == [paper.id for paper in near]
        assert screen.desk.row(near[0].id).snippet == f"shares {', '.join(near[0].terms)}"
        assert screen.bar.value == ""
        assert screen.bar.placeholder == f"related to {reader.library.row(first).heading}"
        assert "8 related, nearest first" in reader.line("found")
        await reader.press("r")
        await reader.pilot.pause()
        assert screen.desk.left == frozenset(), "no query is rechecked"
        await reader.press("j", "m")
        await until(reader.pilot, lambda: first in screen.desk.ids)
        await reader.press("backspace")
        assert (list(screen.desk.ids), reader.current) == ([paper.id for paper in near], near[1].id)
        await reader.press("escape")
        assert (list(screen.desk.ids), reader.current) == (stood, first)
        assert (screen.bar.value, "7 of 393" in reader.line("found")) == ("grokking", True)
        await reader.press("escape")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 393)


async def test_a_search_from_related_papers_begins_at_the_query_that_stood(library_folder: Path) -> None:
    async with opened(library_folder, (80, 24)) as reader:
        screen = reader.screen
        await reader.search("grokking", 7)
        await reader.press("enter", "m")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 8)
        assert screen.papers.has_focus
        await reader.press("/")
        assert screen.bar.value == "grokking"
        await reader.press("escape")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 7)
        assert screen.bar.value == "grokking"
        assert screen.desk.shared == {}


async def test_matches_in_the_text_are_counted_and_gone_round(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        await reader.press("enter")
        count = len(reader.screen.desk.view(reader.current).matches)
        assert count > 1
        said = []
        for key in ("n", *["n"] * (count - 1), "n", "N"):
            await reader.press(key)
            said.append(reader.line("bottom"))
        assert said[0].startswith(f"match 1 of {count}  ")
        assert said[count - 1].startswith(f"match {count} of {count}  ")
        assert said[count].startswith(f"match 1 of {count}, from the first on again")
        assert said[count + 1].startswith(f"match {count} of {count}, from the last back again")
        await reader.press("q", "escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        await reader.press("enter", "n")
        assert "no match in this abstract" in reader.line("bottom")


async def test_where_nothing_is_found_it_is_said_what_no_paper_has(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("qzxvwq is:unread", 0)
        assert 'no paper has "qzxvwq"' in reader.line("hint")
        await reader.search("rating:5", 0)
        assert "no paper" in reader.line("hint")
        await reader.press("escape")
        assert not reader.line("hint").strip()
