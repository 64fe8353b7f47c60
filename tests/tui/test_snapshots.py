"""Pictures of the screen at fixed sizes. Some of them are the README's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from index.library import Library, Search
from index.papers import Value
from tests.tui.helpers import until
from tui.app import Postil
from tui.panes.lines import FoundLine
from tui.screens.picker import Picker
from tui.screens.reading import Reading


class Compare(Protocol):
    def __call__(
        self,
        app: App[None],
        terminal_size: tuple[int, int],
        run_before: Callable[[Pilot[None]], Awaitable[None]],
    ) -> bool: ...


COLOSSEUM = "We present THE COLOSSEUM, a novel simulation benchmark"


@pytest.fixture
def annotated(library_folder: Path) -> Iterator[Postil]:
    """The reader on a library in which a few papers were read and marked up."""
    library = Library(library_folder)
    first, second, third, fourth, *_ = library.ids
    text = library.entry(second).paper.abstract
    start = text.index(COLOSSEUM)
    claim = library.highlight(second, start, text.index(". These perturbations") + 1, "claim")
    result = library.highlight(
        second,
        text.index("their success rate"),
        text.index(" across these"),
        "result",
        "Less than I had thought.",
    )
    edits: list[tuple[str, str, Value]] = [
        (first, "status", "read"), (first, "rating", 4), (first, "tags/generalization", True),
        (second, "status", "reading"), (second, "starred", True), (second, "tags/robots", True),
        (second, "tags/benchmarks/sim", True), (second, "due", "2026-12-03"),
        (second, "note", "Compare with *RLBench*:\n- which perturbations are new?"),
        (second, f"highlights/{claim.id}", claim.to_json()),
        (second, f"highlights/{result.id}", result.to_json()),
        (third, "status", "later"), (fourth, "status", "skipped"),
    ]  # fmt: skip
    step = library.step("a morning's reading", edits)
    assert step
    library.commit(step)
    for name, query in (("puzzles", "grokking is:unread"), ("to compare", "benchmark robot")):
        saved = library.save_search(Search(name, query))
        assert saved
        library.commit(saved)
    yield Postil(library)
    library.close()


def screen_of(pilot: Pilot[None]) -> Reading:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Reading)
    return screen


def after(
    *keys: str, found: int | None = None, holds: Callable[[Reading], bool] = lambda _screen: True
) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press keys; wait until so many papers are listed and more holds; let no cursor blink."""

    async def run(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await until(pilot, lambda: "393 papers" in screen_of(pilot).query_one(FoundLine).text[1])
        await pilot.press(*keys)
        if found is not None:
            await until(pilot, lambda: len(screen_of(pilot).desk.ids) == found)
        await until(pilot, lambda: holds(screen_of(pilot)) and not screen_of(pilot)._lacking)
        await pilot.pause(0.2)
        for screen in pilot.app.screen_stack:
            for line in screen.query(Input):
                line.cursor_blink = False
        await pilot.pause(0.1)

    return run


def keys(text: str) -> Sequence[str]:
    return ["space" if char == " " else char for char in text]


def counted(screen: Reading) -> bool:
    """Whether the sidebar shows the counts of the saved searches, or the dialog does."""
    dialog = screen.app.screen
    shown = dialog._fit if isinstance(dialog, Picker) else screen.side._choices
    return bool(shown) and all(one.count is not None for one in shown)


CASES = {
    "reading-120x40": ((120, 40), after("j", "enter", ")", ")")),
    "search-120x40": ((120, 40), after("/", *keys("grokking is:unread"), "enter", found=7)),
    "list-80x24": ((80, 24), after("j")),
    "text-80x24": ((80, 24), after("j", "enter")),
    "note-80x24": ((80, 24), after("j", "e")),
    "list-40x12": ((40, 12), after("j")),
    "text-40x12": ((40, 12), after("j", "enter")),
    "tags-80x24": ((80, 24), after("j", "t", *keys("gen"))),
    "export-80x24": ((80, 24), after("x", "ctrl+u", *keys("reading-list.md"))),
    "help-120x40": ((120, 40), after("?")),
    "sequence-120x40": ((120, 40), after("s")),
    "sidebar-120x40": (
        (120, 40),
        after("b", "g", "g", *"jjjjjjjjjj", "enter", "tab", found=389, holds=counted),
    ),
    "sidebar-40x12": ((40, 12), after("b", holds=counted)),
    "saved-80x24": ((80, 24), after("f", holds=counted)),
    "related-80x24": ((80, 24), after("j", "m", found=8)),
    "meant-80x24": ((80, 24), after("/", *keys("grokkign"), found=0)),
    "misunderstood-80x24": ((80, 24), after("/", *keys("titel:moe"))),
}


@pytest.mark.parametrize("name", CASES)
def test_picture(annotated: Postil, snap_compare: Compare, name: str) -> None:
    size, run_before = CASES[name]
    assert snap_compare(annotated, terminal_size=size, run_before=run_before)
