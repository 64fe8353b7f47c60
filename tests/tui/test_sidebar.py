"""The sidebar: its wheel, and the room that it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from tests.tui.helpers import drawn, until
from tests.tui.reader import opened
from tui.panes.sidebar import Choice


async def test_the_wheel_takes_the_cursor_along(library_folder: Path) -> None:
    async with opened(library_folder, (80, 12)) as reader:
        side = reader.screen.side

        async def wheel(kind: type[events.MouseScrollDown | events.MouseScrollUp]) -> None:
            await reader.pilot._post_mouse_events([kind], widget=side, offset=(3, 3), button=0)

        await reader.press("b")
        await until(reader.pilot, lambda: side.has_focus and side.size.height > 0)
        side.show([Choice(f"group {place // 4}", f"label {place}", "") for place in range(40)])
        for down in [True] * 20 + [False] * 20:
            before = side.scroll_y
            await wheel(events.MouseScrollDown if down else events.MouseScrollUp)
            await reader.pilot.pause()
            assert abs(side.scroll_y - before) in (0, 1, 2, 3)
            shown = drawn(side.render_line(y) for y in range(side.size.height))
            assert side.current
            assert f" {side.current.label} " in shown
            assert 0 <= side.place_on_screen.y - side.content_region.y < side.size.height
            if down and side.scroll_y > before:
                assert side.cursor > 0
        assert side.scroll_y == 0
        await wheel(events.MouseScrollDown)
        await reader.pilot.pause()
        assert side.scroll_y == 3


@pytest.mark.parametrize("keys", [("b",), ("enter", "b")])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_the_sidebar_lies_over_no_text(
    library_folder: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with opened(library_folder, size) as reader:
        screen = reader.screen
        await reader.press(*keys)
        await until(reader.pilot, lambda: screen.side.has_focus and screen.side.size.width > 0)
        await reader.pilot.pause()
        panes = [pane for pane in (screen.side, screen.papers, screen.text) if pane.region.area]
        assert not any(
            one.region.overlaps(other.region) for one in panes for other in panes if one is not other
        )
        assert len(panes) == (1 if size[0] == 40 else 3 if size[0] == 120 else 2)
        assert screen.side.size.width >= 27
        assert size[0] == 120 or sum(pane.outer_size.width for pane in panes) == size[0]
        await reader.press("escape")
        await until(reader.pilot, lambda: screen.papers.has_focus and screen.papers.region.area > 0)
        assert (screen.side.region.area > 0) == (size[0] == 120)
