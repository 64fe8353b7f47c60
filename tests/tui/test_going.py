"""From paper to paper and back, how the room is shared, and queues: by keys."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from index import state
from index.library import Library
from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.screens.narrowing import QUEUES
from tui.screens.picker import Picker


async def test_backspace_goes_back_to_where_one_was(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        papers = reader.screen.papers
        await reader.press("backspace")
        assert "no place to go back to" in reader.line("bottom")
        await reader.press("4", "j", "G", "2", "g", "g", "j", "enter", "J", "J")
        assert papers.cursor == 4
        cursors = []
        for _ in range(4):
            await reader.press("backspace")
            cursors.append(papers.cursor)
        assert cursors == [3, 2, 392, 4], "back through J, J, 2gg and G"
        assert reader.screen.text.has_focus


async def test_backspace_leads_from_a_search_to_the_list_before_it(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("modular", 6)
        await reader.press("j", "j")
        here = reader.current
        await reader.search("grokking", 7)
        await reader.press("backspace")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 6)
        assert (reader.current, screen.bar.value) == (here, "modular")
        await reader.press("backspace")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 393)


async def test_a_place_whose_list_has_lost_the_paper_is_found_among_all(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("modular is:unread", 6)
        here = reader.current
        await reader.press("r")
        await reader.search("grokking", 7)
        await reader.press("backspace")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 393)
        assert reader.current == here
        assert "not in the list" in reader.line("bottom")


async def test_going_to_a_paper_lists_it_and_remembers_the_place(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("grokking", 7)
        first, *_, last = screen.desk.ids
        screen.go_to(last)
        assert (reader.current, len(screen.desk.ids)) == (last, 7)
        other = next(id for id in reader.library.ids if id not in screen.desk.ids)
        screen.go_to(other)
        assert (reader.current, len(screen.desk.ids)) == (other, 393)
        assert "all are listed again" in reader.line("bottom")
        screen.go_to("nonesuch")
        assert "no longer in the library" in reader.line("bottom")
        await reader.press("backspace")
        await until(reader.pilot, lambda: len(screen.desk.ids) == 7)
        assert reader.current == last
        await reader.press("backspace")
        assert reader.current == first


async def test_a_query_taken_back_leaves_the_cursor_where_it_was(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("modular", 6)
        await reader.press("3", "j")
        here = reader.current
        await reader.press("/", "ctrl+u", *"grokking")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 6)
        assert reader.current == here


async def test_the_split_moves_within_bounds_and_is_kept(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        papers, text = reader.screen.papers, reader.screen.text
        before = papers.region.width
        await reader.press("<", "<")
        await reader.pilot.pause()
        assert papers.region.width < before
        narrow = papers.region.width
        await reader.press("9", "9", ">")
        await reader.pilot.pause()
        assert papers.region.width > before
        assert text.region.width >= 30
        await reader.press("9", "9", "<", "ctrl+q")
        assert papers.region.width >= 25
    async with opened(library_folder) as reader:
        assert reader.screen.papers.region.width <= narrow
        await reader.pilot.resize_terminal(80, 24)
        await reader.pilot.pause()
        assert reader.screen.papers.region.width == 80, "one pane at a time has all the room"
        await reader.press(">")
        assert "side by side" in reader.line("bottom")
    Library(library_folder).remember(split="wide")
    async with opened(library_folder) as reader:
        await reader.press("<")
        assert reader.library.state["split"] == 40


def queues(reader: Reader) -> dict[str, int | None]:
    return {choice.label: choice.count for choice in reader.screen.side._choices if choice.group == "queues"}


async def test_queues_stand_above_all_else_with_their_counts(library_folder: Path, tmp_path: Path) -> None:
    library = Library(library_folder)
    today = date.today().isoformat()  # noqa: DTZ011 (the reader's own day)
    edits = [(id, "due", today) for id in library.ids[:2]] + [(library.ids[2], "due", "2999-01-01")]
    step = library.step("due", edits)
    assert step
    library.commit(step)
    new = tmp_path / "new.txt"
    new.write_text(
        f"Daily Papers\n\n{'A brand new abstract about zebras and their stripes. ' * 5}\n", "utf-8"
    )
    assert library.add([str(new)])[0].new == 1
    library.close()
    async with opened(library_folder) as reader:
        await reader.press("a", "a", "a", "b")
        assert next(iter(reader.screen.side._choices)).group == "queues"
        await until(
            reader.pilot,
            lambda: queues(reader) == {"later": 3, "due today": 2, "new": 1, "unread": 391},
            turns=1000,
        )
        await reader.press("escape", "G", "a", "b", "b", "j", "enter")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 2)
        assert reader.screen.asked == "is:due"
        await until(
            reader.pilot, lambda: queues(reader) == {"later": 2, "due today": 2, "new": 0, "unread": 0}
        )
        await reader.press("escape", "f")
        picker = reader.app.screen
        assert isinstance(picker, Picker)
        assert [pick.name for pick in picker._fit] == list(QUEUES)
        await until(reader.pilot, lambda: picker._fit[0].count == 4)
        await reader.press("ctrl+d", *"new", "enter")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 1 and not reader.screen.waiting)
        assert reader.screen.asked == "added:last"


async def test_a_query_is_on_disk_once_it_was_run_and_no_window_loses_another_s(library_folder: Path) -> None:
    def kept() -> object:
        return state.load(library_folder / "state.json").get("queries")

    async with opened(library_folder) as first:
        async with opened(library_folder) as second:
            await first.search("grokking", 7)
            await until(first.pilot, lambda: kept() == ["grokking"])
            await second.search("modular", 6)
            await until(second.pilot, lambda: kept() == ["modular", "grokking"])
            await second.search("is:read", 0)
            await second.press("q")
        await first.search("grokking", 7)
        await first.press("q")
    assert kept() == ["grokking", "is:read", "modular"]
