"""A click or a drag in the text gives it the keys, as Tab and Enter do."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget

from tests.tui.helpers import until
from tests.tui.reader import Reader, opened

NARROW = (80, 24)


async def narrowed(reader: Reader) -> None:
    await reader.pilot.resize_terminal(*NARROW)
    await until(reader.pilot, lambda: reader.screen.size == NARROW)
    await reader.pilot.pause()


async def dragged(reader: Reader, pane: Widget, start: tuple[int, int], end: tuple[int, int]) -> None:
    from textual import events

    await reader.pilot.mouse_down(pane, offset=start)
    x, y = pane.region.offset + end
    move = events.MouseMove(pane, x, y, 1, 0, 1, False, False, False, screen_x=x, screen_y=y)
    reader.screen._forward_event(move)
    await reader.pilot.mouse_up(pane, offset=end)
    await reader.pilot.pause()


@pytest.mark.parametrize("drag", [False, True])
async def test_on_a_narrower_screen_the_text_that_was_clicked_is_shown(
    library_folder: Path, drag: bool
) -> None:
    async with opened(library_folder) as reader:
        screen, id = reader.screen, reader.current
        if drag:
            await dragged(reader, screen.text, (10, 5), (20, 5))
            assert screen.place == "select"
            assert "select nothing" in reader.line("bottom")
        else:
            await reader.pilot.click(screen.text, offset=(10, 5))
            assert "h back" in reader.line("bottom")
        await narrowed(reader)
        assert screen.query_one("#reading").display
        assert not screen.papers.display
        assert screen.place == ("select" if drag else "text")
        await reader.press("H")
        assert len(reader.library.annotation(id).highlights) == 1
        await reader.press("ctrl+l")
        assert "h back" in reader.line("bottom")


async def test_after_a_drag_esc_gives_the_footer_of_the_text_and_then_of_the_list(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        await dragged(reader, reader.screen.text, (10, 5), (20, 5))
        await reader.press("escape")
        assert "h back" in reader.line("bottom")
        await reader.press("escape")
        assert "Enter open" in reader.line("bottom")
        await dragged(reader, reader.screen.text, (10, 5), (20, 5))
        await narrowed(reader)
        await reader.press("escape")
        assert "h back" in reader.line("bottom")
        await reader.press("escape")
        assert "Enter open" in reader.line("bottom")


async def test_on_a_narrower_screen_the_list_that_was_clicked_is_shown(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter")
        await reader.pilot.click(reader.screen.papers, offset=(10, 3))
        await narrowed(reader)
        assert reader.screen.papers.display
        assert reader.screen.place == "list"
