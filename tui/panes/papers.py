"""The list of papers: one row a paper, drawn line by line, at the same cost for any length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip

from tui import draw
from tui.panes.bare import Bare
from tui.panes.rows import Row, RowStyles, draw_row

MARGIN: Final = 2
"""Rows kept in view above and below the cursor, where there is room."""
WHEEL: Final = 3
"""Rows that one step of the wheel scrolls."""
CACHED: Final = 512
"""Rows kept drawn."""


class PaperList(Bare, can_focus=True, inherit_bindings=False):
    """A list of papers with a cursor.

    `row` gives the looks of a paper when it is drawn; it is asked for visible rows only, and again
    after `refresh_row`, `refresh_rows` or `show`.
    """

    class Moved(Message):
        """The cursor is on another paper; `id` is None in an empty list."""

        def __init__(self, id: str | None) -> None:
            super().__init__()
            self.id = id

    class Opened(Message):
        """The paper under the cursor was clicked."""

        def __init__(self, id: str) -> None:
            super().__init__()
            self.id = id

    BINDINGS: ClassVar[list[BindingType]] = []
    ALLOW_SELECT = False
    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """As any widget's, but no reason to lay out the whole screen anew: see `_fit`."""
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "paper-list--text",
        "paper-list--done",
        "paper-list--quiet",
        "paper-list--dimmed",
        "paper-list--cursor",
        "paper-list--match",
        "paper-list--empty",
    }
    DEFAULT_CSS = """
    PaperList {
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .paper-list--text { color: $foreground; }
        & > .paper-list--done { color: $text-muted; }
        & > .paper-list--quiet { color: $text-muted; }
        & > .paper-list--dimmed { color: $text-disabled; text-style: dim; }
        & > .paper-list--cursor { text-style: bold; }
        & > .paper-list--match { text-style: bold underline; }
        & > .paper-list--empty { color: $text-muted; }
        &:focus > .paper-list--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
        &:focus:nocolor > .paper-list--cursor {
            color: $foreground;
            background: $background;
            text-style: bold reverse;
        }
    }
    """

    def __init__(self, row: Callable[[str], Row], *, empty: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        """The place of the current paper, counted from 0."""
        self.range_from: int | None = None
        """Where the range of papers that are being chosen begins, while one is."""
        self._row = row
        self._empty = empty
        self._signs = draw.signs()
        self._ids: Sequence[str] = ()
        self._height = 1
        self.row_width = 0
        """Cells of a row."""
        self._drawn: dict[tuple[str, bool, bool, bool], tuple[Strip, ...]] = {}

    @property
    def length(self) -> int:
        """How many papers are shown."""
        return len(self._ids)

    @property
    def current(self) -> str | None:
        """The id of the paper under the cursor."""
        return self._ids[self.cursor] if self._ids else None

    def begin_range(self) -> None:
        """Choose from here to wherever the cursor goes."""
        self.range_from = self.cursor
        self._repaint(self.cursor)

    def end_range(self) -> Sequence[str]:
        """Choose no longer; the papers that were chosen, none where there was no range."""
        chosen = self._ids[self._range.start : self._range.stop]
        self.range_from = None
        self.refresh()
        return chosen

    @property
    def _range(self) -> range:
        if self.range_from is None:
            return range(0)
        return range(min(self.range_from, self.cursor), max(self.range_from, self.cursor) + 1)

    def show(
        self,
        ids: Sequence[str],
        *,
        keep: str | None = None,
        top: bool = False,
        two_lines: bool | None = None,
        empty: str | None = None,
    ) -> None:
        """Show other papers. The cursor goes to the `top` or to `keep`, or stays on its paper or place.

        `two_lines` gives each row a second line for tags and snippet; `empty` is said when there
        is no paper. Left out, both stay as they were.
        """
        before = self.current
        if ids is not self._ids:
            self.range_from = None
        line = self.cursor * self._height - round(self.scroll_y)
        wanted = before if keep is None else keep
        self._ids = ids
        try:
            self.cursor = 0 if top or wanted is None else ids.index(wanted)
        except ValueError:
            self.cursor = max(0, min(self.cursor, len(ids) - 1))
        if two_lines is not None:
            self._height = 1 + two_lines
        if empty is not None:
            self._empty = empty
        self._fit()
        self._scroll(self.cursor * self._height - line)
        self._keep_in_view()
        self.refresh_rows()
        if self.current != before:
            self.post_message(self.Moved(self.current))

    def refresh_row(self, id: str) -> None:
        """Ask for the looks of one paper again and repaint its row, where it is in view."""
        for cursor, focus, chosen in product((False, True), repeat=3):
            self._drawn.pop((id, cursor, focus, chosen), None)
        first = round(self.scroll_y) // self._height
        for index in range(first, min(len(self._ids), first + self._visible + 2)):
            if self._ids[index] == id:
                self._repaint(index)

    def refresh_rows(self) -> None:
        """Ask for the looks of every paper again and repaint what is in view."""
        self._drawn.clear()
        self.refresh()

    def move(self, delta: int) -> None:
        """Move the cursor by so many rows."""
        self.move_to(self.cursor + delta)

    def move_to(self, index: int) -> None:
        """Move the cursor to a row, or to the nearest there is."""
        index = max(0, min(index, len(self._ids) - 1))
        if index != self.cursor:
            self._repaint(self.cursor)
            self.cursor = index
            self._repaint(index)
            if self.range_from is not None:
                self.refresh()
            self.post_message(self.Moved(self.current))
        self._keep_in_view()

    def page(self, direction: int) -> None:
        """Move the cursor by so many pages."""
        self.move(direction * self._visible)

    def half_page(self, direction: int) -> None:
        """Move the cursor by so many half pages."""
        self.move(direction * max(1, self._visible // 2))

    def top(self) -> None:
        """Move the cursor to the first paper."""
        self.move_to(0)

    def bottom(self) -> None:
        """Move the cursor to the last paper."""
        self.move_to(len(self._ids) - 1)

    @property
    def place_on_screen(self) -> Offset:
        """Where the row under the cursor begins."""
        return self.content_region.offset + Offset(0, self.cursor * self._height - round(self.scroll_y))

    @property
    def _visible(self) -> int:
        """Whole rows in view, at least one."""
        return max(1, self.size.height // self._height)

    @property
    def _margin(self) -> int:
        """Rows kept in view above and below the cursor."""
        return min(MARGIN, (self._visible - 1) // 2)

    def _fit(self) -> None:
        """Scroll over as many lines as there are; the layout is asked for when a scroll bar comes or goes."""
        self.virtual_size = Size(self.row_width, len(self._ids) * self._height)
        self._scroll_update(self.virtual_size)

    def _repaint(self, index: int) -> None:
        self.refresh_lines(index * self._height, self._height)

    def _scroll(self, line: int) -> None:
        self.scroll_to(y=line, animate=False, force=True)

    def _keep_in_view(self) -> None:
        first = (self.cursor - self._margin) * self._height
        last = (self.cursor + self._margin + 1) * self._height - self.size.height
        top = round(self.scroll_y)
        if not last <= top <= first:
            self._scroll(min(first, max(last, top)))

    def render_line(self, y: int) -> Strip:
        index, line = divmod(y + round(self.scroll_y), self._height)
        if index < len(self._ids):
            return self._strips(index)[line]
        style = self.get_component_rich_style("paper-list--empty")
        said = [] if self._ids else self._empty_lines(self.row_width - 2)
        if y >= len(said):
            return Strip.blank(self.row_width, style)
        return draw.strip([Segment(" ", style), *draw.paint_line(said[y], style)], self.row_width, style)

    def _empty_lines(self, width: int) -> list[draw.Line]:
        return [line for part in self._empty.split("\n") for line in draw.wrap(part or " ", max(1, width))]

    def _strips(self, index: int) -> tuple[Strip, ...]:
        id, cursor = self._ids[index], index == self.cursor
        chosen = index in self._range
        key = (id, cursor, cursor and self.has_focus, chosen)
        if key not in self._drawn:
            if len(self._drawn) >= CACHED:
                self._drawn.clear()
            row = self._row(id)
            row = replace(row, marked=True) if chosen else row
            self._drawn[key] = draw_row(
                row, self.row_width, self._styles(row, cursor), self._signs,
                cursor=cursor, two_lines=self._height == 2,
            )  # fmt: skip
        return self._drawn[key]

    def _styles(self, row: Row, cursor: bool) -> RowStyles:
        match = self.get_component_rich_style("paper-list--match", partial=True)
        done = "done" if row.status in ("read", "skipped") else "text"
        text = self.get_component_rich_style(f"paper-list--{'dimmed' if row.dimmed else done}")
        if not cursor:
            quiet = self.get_component_rich_style("paper-list--quiet")
            return RowStyles(text, text if row.dimmed else quiet, match)
        if self.has_focus:
            text = self.get_component_rich_style("paper-list--cursor")
        else:
            text += self.get_component_rich_style("paper-list--cursor", partial=True)
        return RowStyles(text, text, match)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()

    def on_resize(self) -> None:
        self.row_width = self.size.width - self.scrollbar_gutter.width
        self._drawn.clear()
        self._fit()
        self._keep_in_view()

    def on_focus(self) -> None:
        self._repaint(self.cursor)

    def on_blur(self) -> None:
        self._repaint(self.cursor)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.prevent_default()
        self._wheel(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.prevent_default()
        self._wheel(-WHEEL)

    def _wheel(self, rows: int) -> None:
        """Scroll; the cursor comes along, or the next key would act on a paper out of view."""
        top = max(0, min(round(self.scroll_y) // self._height + rows, self.length - self._visible))
        self._scroll(top * self._height)
        first = top + self._margin if top else 0
        last = top + self._visible - 1 - (self._margin if top + self._visible < self.length else 0)
        self.move_to(max(first, min(self.cursor, last)))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        index = (place.y + round(self.scroll_y)) // self._height
        if index >= len(self._ids):
            return
        if index == self.cursor:
            self.post_message(self.Opened(self._ids[index]))
        else:
            self.move_to(index)
