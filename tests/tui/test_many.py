"""Many at once by keys: the last change again, ranges, large changes in a thread, tags renamed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from index.library import Library, Step
from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.desk import Desk
from tui.screens.tag_editor import TagEditor


def status(reader: Reader, *ids: str) -> list[str]:
    return [reader.library.annotation(id).status for id in ids]


async def test_a_point_does_the_last_change_again_as_an_effect(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        ids = reader.screen.desk.ids
        await reader.press(".")
        assert "nothing was done yet" in reader.line("bottom")
        await reader.press("j", "r", "k", "r", "r", ".")
        assert status(reader, *ids[:2]) == ["unread", "read"], "the effect was: unread"
        await reader.press("j", "j", "*", "j", "3", ".")
        assert [reader.library.annotation(id).starred for id in ids[:7]] == [False] * 2 + [True] * 4 + [False]
        await reader.press("=", "4", "G", ".", "g", "g", "t", *"moe", "enter", "j", ".")
        assert reader.library.annotation(ids[392]).rating == 4
        assert reader.library.tags() == {"moe": 2}
        await reader.press("w", *"2030-01-02", "enter", "j", ".", "u", "u")
        assert [reader.library.annotation(id).due for id in ids[1:3]] == [None, None]


async def test_a_point_after_later_moves_on_in_list_and_text(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        ids = reader.screen.desk.ids
        await reader.press("a", ".", "2", ".")
        assert reader.screen.papers.cursor == 4
        await reader.press("enter", ".", ".")
        assert reader.screen.papers.cursor == 6
        assert status(reader, *ids[:7]) == ["later"] * 6 + ["unread"]
        await reader.press("2", "d")
        assert reader.screen.papers.cursor == 7, "in the text it is one paper"


async def test_a_point_highlights_the_sentence_under_the_cursor_in_the_same_colour(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("enter", "C", "3", "H", ")", ".", ".")
        assert "nothing to change" in reader.line("bottom")
        await reader.press(")", ")", "C", "5", "(", "(", "3", ".")
        marks = reader.library.annotation(id).highlights
        assert [mark.colour for mark in marks] == ["result"] * 3
        await reader.press("(", "H", "(", ".")
        assert reader.library.annotation(id).highlights == marks[2:], "taking away is done again too"
        await reader.press("q", ".")
        assert "open the paper" in reader.line("bottom")
        assert reader.library.annotation(id).highlights == marks[2:]


async def test_a_point_does_another_colour_again_and_says_of_a_note_that_it_does_not(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        id, ids = reader.current, reader.screen.desk.ids
        await reader.press("enter", "H", ")", "H", "C", "4", "g", "g", ".")
        assert [mark.colour for mark in reader.library.annotation(id).highlights] == ["question"] * 2
        await reader.press(")", ")", ".")
        assert "no highlight here" in reader.line("bottom")
        await reader.press("q", "d")
        before = reader.library.count("unread")
        for keys, said in (
            (("e", *"words", "escape", "q"), "a note"),
            (("g", "g", "enter", "c", *"why", "enter", "q"), "a comment"),
            (("+", *"old", "enter", "g", "t", "enter", "ctrl+u", *"new", "enter"), "a tag's new name"),
        ):
            await reader.press(*keys)
            await until(reader.pilot, lambda: reader.screen.settled and not reader.screen.making)
            await reader.press("j", ".")
            assert f"the last change, {said}, is not done again" in reader.line("bottom")
        assert reader.library.count("unread") == before
        await reader.press("e", "escape", "q", "+", *"t", "enter", "e", "escape", "q", "j", ".")
        assert reader.library.tags()["t"] == 2, "a note that stayed as it was is no change"
        assert ids[0] == id


async def test_a_point_does_it_again_to_as_many_papers(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        ids = reader.screen.desk.ids
        await reader.press("3", "a", ".", "2", ".", ".")
        assert status(reader, *ids[:11]) == ["later"] * 10 + ["unread"]
        await reader.press("2", "=", "4", "2", "j", ".")
        assert [reader.library.annotation(id).rating for id in ids[10:15]] == [4] * 4 + [None]


async def test_a_counted_range_begins_with_so_many(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        ids = reader.screen.desk.ids
        await reader.press("5", "V", "r")
        assert status(reader, *ids[:6]) == ["read"] * 5 + ["unread"]


async def test_a_range_is_shown_acts_at_once_and_is_one_step(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen, ids = reader.screen, reader.screen.desk.ids
        await reader.press("5", "j", "V", "3", "k")
        shown = [screen.papers.render_line(y).text[0] for y in range(8)]
        assert [sign == "✓" for sign in shown] == [False] * 2 + [True] * 4 + [False] * 2
        await reader.press("r")
        assert status(reader, *ids[:7]) == ["unread"] * 2 + ["read"] * 4 + ["unread"]
        assert screen.papers.range_from is None
        await reader.press("j", "r", "u", "u")
        assert set(status(reader, *ids[:7])) == {"unread"}, "the range was one step"
        await reader.press("g", "g", "V", "j", "V")
        assert screen.desk.marked == set(ids[:2])
        await reader.press("G", "V", "k", "a")
        assert status(reader, *ids[:2], *ids[-2:]) == ["later"] * 4, "marks and range together"
        await reader.press("V", "escape")
        assert screen.papers.range_from is None
        assert screen.desk.marked == set(ids[:2]), "Esc dropped the range alone"


async def test_later_on_a_range_goes_on_behind_it_and_another_list_ends_it(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("V", "j", "j", "d")
        assert reader.screen.papers.cursor == 3
        await reader.press("V", "j")
        await reader.search("grokking", 7)
        assert reader.screen.papers.range_from is None


@pytest.mark.parametrize("key", ["u", "r"])
async def test_a_large_change_is_made_in_a_thread_shown_at_once_and_what_follows_waits_for_it(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    go, threads = threading.Event(), []
    submit = Library.submit

    def slow(self: Library, step: Step) -> None:
        threads.append(threading.current_thread())
        if len(step.changes) > 300:
            go.wait(10)
        submit(self, step)

    monkeypatch.setattr(Library, "submit", slow)
    async with opened(library_folder) as reader:
        screen, ids = reader.screen, reader.screen.desk.ids
        await reader.press("A", "s", "r")
        assert screen.making
        assert reader.library.annotation(ids[0]).status == "unread", "not made yet"
        assert screen.papers.render_line(0).text[1] == "○", "but shown"
        await reader.press("2", "j")
        assert screen.papers.cursor == 2, "the screen goes on"
        reader.app.simulate_key(key)  # back again as one, or, since all are read, unread again
        reader.app.simulate_key("j")
        await reader.pilot.pause()
        assert screen.holding, "what would change something waits"
        go.set()
        await until(reader.pilot, lambda: not screen.making and screen.papers.cursor == 3)
        assert reader.library.count("unread") == 393
        await reader.press("ctrl+r" if key == "u" else "u")
        await until(reader.pilot, lambda: not screen.making and reader.library.count("read") == 393)
        assert threading.main_thread() not in threads
        await reader.saved()


async def test_quitting_waits_for_a_large_change(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("A", "t", *"all", "enter", "q")
    assert Library(library_folder).tags() == {"all": 393}


async def test_a_tag_is_renamed_and_merged_as_one_step(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("t", *"moe/routing", "enter", "j", "t", *"experts", "enter")
        await reader.press(
            "g", "t", *"rout", "enter", *["backspace"] * len("moe/routing"), *"experts", "enter"
        )
        await until(reader.pilot, lambda: reader.library.tags() == {"experts": 2})
        assert "rename tag moe/routing to experts on 1 paper" in reader.line("bottom")
        await reader.press("u")
        assert reader.library.tags() == {"experts": 1, "moe/routing": 1}
        await reader.press(":", *"rename-tag", "space", *"moe", "space", *"mixture", "enter")
        await until(reader.pilot, lambda: reader.library.tags() == {"experts": 1, "mixture/routing": 1})


@pytest.mark.parametrize(("key", "look"), [("*", "all_starred"), ("t", "common_tags"), ("-", "all_tags")])
async def test_many_papers_are_looked_at_in_a_thread_and_the_next_key_waits(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, key: str, look: str
) -> None:
    go, threads, looked = threading.Event(), [], getattr(Desk, look)

    def slow(self: Desk, papers: Sequence[str]) -> object:
        threads.append(threading.current_thread())
        go.wait(10)
        return looked(self, papers)

    async with opened(library_folder) as reader:
        await reader.press("A", "+", *"moe", "enter")
        await until(reader.pilot, lambda: not reader.screen.making)
        monkeypatch.setattr(Desk, look, slow)
        reader.app.simulate_key(key)
        reader.app.post_message(events.Key("j", "j"))
        await until(reader.pilot, lambda: len(threads) > 0)
        await reader.pilot.pause(0.05)
        assert threads != [threading.main_thread()]
        assert (reader.screen.papers.cursor, reader.app.screen) == (0, reader.screen)
        go.set()
        if key == "*":
            await until(reader.pilot, lambda: reader.screen.papers.cursor == 1)
            await until(reader.pilot, lambda: not reader.screen.making)
            assert all(reader.library.annotation(id).starred for id in reader.library.ids)
        else:
            app = reader.app
            await until(reader.pilot, lambda: isinstance(reader.app.screen, TagEditor))
            await until(reader.pilot, lambda: any(line.value[-1:] == "j" for line in app.screen.query(Input)))


async def test_what_is_removed_stays_dimmed_until_the_query_runs_again_and_undo_brings_it_back(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        gone = list(reader.screen.desk.ids[:2])
        await reader.press("space", "space", "g", "x")
        await reader.saved()
        assert len(reader.library.ids) == 391
        assert not reader.screen.desk.marked
        await until(reader.pilot, lambda: all(reader.screen.desk.row(id).dimmed for id in gone))
        assert len(reader.screen.desk.ids) == 7
        assert "391 papers" in reader.line("top")
        assert "7 of 391" in reader.line("found")
        await reader.search("grokking", 5)
        await reader.press("u")
        await reader.saved()
        await reader.search("grokking", 7)
        assert len(reader.library.ids) == 393
        assert not any(reader.screen.desk.row(id).dimmed for id in gone)
        await reader.press(":")
        await reader.type("remove")
        await reader.press("enter")
        await reader.saved()
        assert len(reader.library.ids) == 392
        await reader.press("escape", "escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 392)


async def test_a_paper_is_given_a_title_and_an_identifier_on_the_command_line(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        paper = reader.current
        for line in ("edit title Owls at night", "edit arxiv 2405.00001"):
            await reader.press(":")
            await reader.type(line)
            await reader.press("enter")
            await reader.saved()
        assert reader.screen.desk.row(paper).heading == "Owls at night"
        assert reader.library.resolve("2405.00001") == paper
        await reader.press("j", ":")
        await reader.type("edit arxiv 2405.00001")
        await reader.press("enter")
        await until(reader.pilot, lambda: f"`postil show {paper}`" in reader.line("bottom"))


async def test_marked_papers_are_joined_and_a_named_one_with_the_one_under_the_cursor(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        ids = list(reader.library.ids)
        for keys, line, count in ((("space", "space"), "join", 392), (("j",), f"join {ids[9][:9]}", 391)):
            await reader.press(*keys, ":")
            await reader.type(line)
            await reader.press("enter")
            await until(reader.pilot, lambda count=count: len(reader.screen.desk.ids) == count)  # type: ignore[misc]
            await reader.saved()
        assert not reader.screen.desk.marked
        assert reader.library.resolve(ids[1]) == ids[0]
        assert reader.library.resolve(ids[9]) != ids[9]
        await reader.press(":")
        await reader.type("join")
        await reader.press("enter")
        assert "two papers or more" in str(reader.app.screen.query("#about, .wrong").last().render())
        await reader.press("escape", *"2u")
        await reader.saved()
        await until(reader.pilot, lambda: list(reader.library.ids) == ids)
