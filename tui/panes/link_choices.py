"""The papers that a link in a note may lead to, listed while it is typed. The editor has the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui import draw

ROWS: Final = 6
"""Rows that are shown at once, if there is room."""
NOTHING: Final = "no heading has that; Esc leaves it as it stands"


class LinkChoices(Widget):
    """Headings, one of them chosen; not seen while nothing is to be chosen."""

    class Clicked(Message):
        """The chosen paper was pointed at."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"link-choices--chosen"}
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    LinkChoices {
        display: none;
        height: auto;
        max-height: 30%;
        background: $surface;
        & > .link-choices--chosen { text-style: reverse; }
        &.-open { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._picks: Sequence[tuple[str, str]] = ()
        self._at = 0
        self._signs = draw.signs()

    @property
    def open(self) -> bool:
        """Whether something may be chosen."""
        return self.has_class("-open")

    @property
    def chosen(self) -> tuple[str, str] | None:
        """The id and the heading under the cursor."""
        return self._picks[self._at] if self._picks else None

    def show(self, picks: Sequence[tuple[str, str]] | None) -> None:
        """Show papers, the first chosen; None closes."""
        if picks is None and not self.open:
            return
        self._picks, self._at = picks or (), 0
        self.set_class(picks is not None, "-open")
        self.styles.height = max(1, min(ROWS, len(self._picks)))
        self.refresh()

    def move(self, rows: int) -> None:
        """Choose another, from the last one on to the first."""
        if self._picks:
            self._at = (self._at + rows) % len(self._picks)
            self.refresh()

    @property
    def _first(self) -> int:
        return max(0, self._at - self.size.height + 1)

    def render_line(self, y: int) -> Strip:
        at = self._first + y
        style, width = self.rich_style, self.size.width
        shown = [heading for _, heading in self._picks] or [NOTHING]
        text = shown[at] if at < len(shown) else ""
        chosen = bool(self._picks) and at == self._at
        if chosen:
            style += self.get_component_rich_style("link-choices--chosen", partial=True)
        bar = self._signs["cursor"] if chosen else " "
        line = [Segment(f"{bar} ", style), *draw.write(text, style, max(0, width - 3), self._signs["more"])]
        return draw.strip(line, width, style)

    def on_click(self, event: events.Click) -> None:
        at = self._first + event.y
        if at < len(self._picks):
            self._at = at
            self.post_message(self.Clicked())
