"""The text pane under the hand: pages, and the mouse on a sentence or a link or over words."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from textual import events
from textual.message import Message

from tui.draw import Glyph
from tui.panes.bare import Bare
from tui.panes.paper_view import GUTTER, Page
from tui.panes.selection import Selection

WHEEL: Final = 3
"""Lines that one step of the wheel scrolls."""


class Pointing(Bare):
    """The part of the text pane that scrolls, and that the mouse works on."""

    class LinkClicked(Message):
        """A link was clicked."""

        def __init__(self, link: str) -> None:
            super().__init__()
            self.link = link

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page = Page([], [], 0)
        self._selected: Selection | None = None
        self._pressed: Glyph | None = None

    @property
    @abstractmethod
    def _left(self) -> int:
        """Empty cells left of the gutter."""

    @abstractmethod
    def _select(self, selected: Selection | None) -> None:
        """Select something else, and bring the end that moves into view."""

    @abstractmethod
    def _go_to(self, offset: int) -> None:
        """Move the cursor to the sentence that holds the code point `offset`."""

    @abstractmethod
    def scroll_lines(self, n: int) -> None:
        """Scroll by `n` lines; the cursor comes along."""

    @property
    def at_end(self) -> bool:
        """Whether the last line is in view."""
        return round(self.scroll_y) >= self.max_scroll_y

    def page(self, direction: int) -> bool:
        """Scroll by a page, two lines kept; False when the end was already in view."""
        if self.at_end if direction > 0 else round(self.scroll_y) == 0:
            return False
        self.scroll_lines(direction * max(1, self.size.height - 2))
        return True

    def half_page(self, direction: int) -> None:
        """Scroll by half a page."""
        self.scroll_lines(direction * max(1, self.size.height // 2))

    def _scroll(self, line: int) -> None:
        self.scroll_to(y=line, animate=False, force=True)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.prevent_default()
        self.scroll_lines(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.prevent_default()
        self.scroll_lines(-WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._select(None)
        self._pressed = self._page.glyph(*self._under(event))
        if self._pressed:
            self.capture_mouse()
            self._go_to(self._pressed.start)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._pressed is None or not event.button:
            return
        glyph = self._page.nearest(*self._under(event))
        if glyph != self._pressed or self._selected:
            edge = glyph.end if glyph >= self._pressed else glyph.start
            self._select(Selection((self._pressed.start, self._pressed.end), edge))

    def on_mouse_up(self, _: events.MouseUp) -> None:
        if self._pressed:
            self._pressed = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        number, _ = self._under(event)
        if not self._selected and 0 <= number < len(self._page.lines) and self._page.lines[number].link:
            self.post_message(self.LinkClicked(self._page.lines[number].link))

    def _under(self, event: events.MouseEvent) -> tuple[int, int]:
        """The line and the column of the text under the mouse; beyond an edge, those nearest to it."""
        place = event.get_content_offset_capture(self)
        line = max(0, min(place.y, self.size.height - 1))
        return line + round(self.scroll_y), place.x - self._left - GUTTER
