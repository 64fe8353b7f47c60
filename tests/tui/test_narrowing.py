"""The sidebar and the saved searches by keys: what they show, and what becomes of the query."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from index.library import Library, Search
from index.papers import Value
from tests.tui.helpers import HOSTILE, SIZES, anomalies, unsafe, until
from tests.tui.reader import Reader, opened
from tui.panes.sidebar import Choice, Sidebar
from tui.screens.picker import Picker


def annotate(folder: Path) -> None:
    """Two tags, one of them nested, and a saved search."""
    library = Library(folder)
    one, two, *_ = library.ids
    edits: list[tuple[str, str, Value]] = [
        (one, "tags/moe", True),
        (two, "tags/moe/routing", True),
        (two, "status", "read"),
    ]
    for step in (
        library.step("tags", edits),
        library.save_search(Search("puzzles", "grokking is:unread", "title")),
    ):
        assert step
        library.commit(step)
    library.close()


def counts(reader: Reader) -> dict[str, int | None]:
    return {choice.label: choice.count for choice in reader.screen.side._choices}


def chosen(reader: Reader) -> set[str]:
    return {choice.label for choice in reader.screen.side._choices if choice.chosen}


async def to(reader: Reader, label: str) -> None:
    """Move the sidebar's cursor down to a choice."""
    labels = [choice.label for choice in reader.screen.side._choices]
    await reader.press("g", "g", *"j" * labels.index(label))
    current = reader.screen.side.current
    assert isinstance(current, Choice)
    assert current.label == label


async def listed(reader: Reader, count: int, text: str) -> None:
    """Wait until a query has listed so many papers and was counted."""
    await until(reader.pilot, lambda: not reader.screen.waiting and len(reader.screen.desk.ids) == count)
    await until(reader.pilot, lambda: sum(counts(reader)[s] or 0 for s in ("unread", "read")) == count)
    assert reader.screen.bar.value == reader.screen.asked == text


async def test_the_sidebar_narrows_and_its_counts_follow(library_folder: Path) -> None:
    annotate(library_folder)
    async with opened(library_folder) as reader:
        await reader.press("b")
        assert reader.screen.side.has_focus
        await until(reader.pilot, lambda: counts(reader).get("puzzles") == 7)
        assert counts(reader)["moe"] == 2
        assert counts(reader)["moe/routing"] == counts(reader)["read"] == 1
        assert counts(reader)["unread"] == 392
        assert chosen(reader) == set()
        await to(reader, "moe")
        await reader.press("enter")
        await listed(reader, 2, "tag:moe")
        assert chosen(reader) == {"moe"}
        await to(reader, "unread")
        await reader.press("space")
        await listed(reader, 1, "tag:moe status:unread")
        assert counts(reader)["moe/routing"] == counts(reader)["puzzles"] == 0
        await to(reader, "moe")
        await reader.press("l")
        await listed(reader, 392, "status:unread")
        await reader.press("escape")
        assert reader.screen.papers.has_focus
        await reader.press("r")
        await until(reader.pilot, lambda: counts(reader)["unread"] == 391)


async def test_a_saved_search_in_the_sidebar_runs_or_narrows(library_folder: Path) -> None:
    annotate(library_folder)
    async with opened(library_folder) as reader:
        await reader.press("b")
        await until(reader.pilot, lambda: "puzzles" in counts(reader))
        await to(reader, "puzzles")
        await reader.press("enter")
        await listed(reader, 7, "grokking is:unread")
        assert "by heading" in reader.line("found")
        assert chosen(reader) == {"puzzles", "unread"}
        await reader.press("enter")
        await listed(reader, 393, "")
        await reader.press("escape")
        await reader.search("phenomenon", 22)
        await until(reader.pilot, lambda: counts(reader).get("puzzles") == 3)
        await reader.press("b", "b")
        await to(reader, "puzzles")
        await reader.press("enter")
        await listed(reader, 3, "phenomenon (grokking is:unread)")


async def test_the_sidebar_is_clicked_and_is_open_again_at_the_next_start(library_folder: Path) -> None:
    annotate(library_folder)
    async with opened(library_folder) as reader:
        assert not reader.screen.side.display
        await reader.press("b")
        await until(reader.pilot, lambda: "read" in counts(reader))
        labels = [choice.label for choice in reader.screen.side._choices]
        line = reader.screen.side._lines.index(labels.index("read"))
        await reader.pilot.click("#side", offset=(5, line))
        await listed(reader, 1, "status:read")
        await reader.press("escape", "q")
    async with opened(library_folder) as reader:
        assert reader.screen.side.region.width > 20
        assert reader.screen.papers.has_focus
        await until(reader.pilot, lambda: counts(reader).get("puzzles") == 7)
        await reader.press("b")
        assert not reader.screen.has_class("-side")
        await reader.press("q")
    assert Library(library_folder).state["sidebar"] is False


async def test_tab_goes_from_pane_to_pane(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("b")
        for key, place in [("tab", "list"), ("tab", "text"), ("tab", "side"), ("shift+tab", "text")]:
            await reader.press(key)
            assert reader.screen.place == place


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_on_a_narrow_screen_it_is_there_while_it_has_the_focus(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        side, papers = reader.screen.side, reader.screen.papers
        await reader.press("b")
        await reader.pilot.pause()
        assert side.has_focus
        assert reader.app.screen.get_widget_at(2, 4)[0] is side
        await until(reader.pilot, lambda: "unread" in counts(reader))
        await reader.press("escape")
        await reader.pilot.pause()
        assert papers.has_focus
        assert not side.display
        await reader.press("b", "b")
        await reader.pilot.pause()
        assert not side.display
        assert papers.has_focus


async def test_a_query_is_saved_run_deleted_and_that_undone(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("F")
        assert "looks for nothing" in reader.line("bottom")
        await reader.press("/", *"titel:x", "enter", "F")
        assert "not wholly understood" in reader.line("bottom")
        await reader.search("grokking", 7)
        await reader.press("S", "t", "F")
        await reader.type("puzzles")
        await reader.press("enter")
        assert reader.library.searches() == [Search("puzzles", "grokking", "title")]
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        await reader.press("f")
        picker = reader.app.screen
        assert isinstance(picker, Picker)
        await until(reader.pilot, lambda: picker._fit[0].count == 7)
        await reader.type("nope")
        assert picker._fit == []
        await reader.press("ctrl+u")
        await reader.type("puz")
        await reader.press("enter")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        assert "by heading" in reader.line("found")
        await reader.press("f", "ctrl+d", "escape")
        assert not reader.library.searches()
        await reader.press("u")
        assert [search.name for search in reader.library.searches()] == ["puzzles"]
        await reader.saved()


class Host(App[None]):
    """The sidebar alone."""

    def compose(self) -> ComposeResult:
        yield Sidebar(id="side")


@pytest.mark.parametrize("size", SIZES)
async def test_choices_of_any_text_are_shown_in_full_lines_and_harmless(size: tuple[int, int]) -> None:
    texts = HOSTILE + anomalies()[:40]
    app = Host()
    async with app.run_test(size=size) as pilot:
        side = app.query_one(Sidebar)
        side.focus()
        await until(pilot, lambda: side.has_focus and side.size.height > 0)
        side.show(
            [Choice(f"group {at // 9}", text, text, at, chosen=at % 2 == 0) for at, text in enumerate(texts)]
        )
        for at in range(len(texts)):
            side.move_to(at)
            strips = [side.render_line(y) for y in range(side.size.height)]
            assert not any(unsafe(strip.text) for strip in strips)
            assert {strip.cell_length for strip in strips} == {side.size.width}
            assert any(strip.text.endswith(f" {at} ") for strip in strips), "the cursor is in view"
        side.page(-99)
        assert side.render_line(0).text.strip() == "group 0", "the first title comes into view too"


async def test_the_cursor_stays_on_its_choice_when_others_come() -> None:
    async with Host().run_test(size=(80, 24)) as pilot:
        side = pilot.app.query_one(Sidebar)
        side.show([Choice("tags", tag, f"tag:{tag}") for tag in "bcd"])
        side.move_to(1)
        side.show([Choice("tags", tag, f"tag:{tag}") for tag in "abcd"])
        assert side.current == Choice("tags", "c", "tag:c")
        side.show([Choice("tags", "a", "tag:a")])
        assert side.current == Choice("tags", "a", "tag:a")
        side.show([])
        side.move(1)
        assert side.current is None
