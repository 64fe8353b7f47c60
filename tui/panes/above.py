"""Above the line at the bottom, over the panes: what that has no room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from tui import draw

Pair: TypeAlias = tuple[str, str]
"""A key and what it does; without a key, text."""
MOST: Final = 3
"""Lines of a message."""


class Above(Widget):
    """Keys in columns, or a message, in as few lines as it takes; off the cursor's row where it can be."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"above--key"}
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Above {
        display: none;
        layer: above;
        dock: bottom;
        height: auto;
        max-height: 100%;
        background: $panel;
        color: $text;
        &.-said { display: block; }
        &.-top { dock: top; }
        & > .above--key { text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[Pair] = ()
        self._message = ""

    @property
    def text(self) -> str:
        """What is shown; nothing while this is hidden."""
        return self._message or "  ".join(f"{key} {what}" for key, what in self._keys)

    def show(self, message: str = "", keys: Sequence[Pair] = ()) -> None:
        """Show a message, or keys and what each does; nothing of either hides this."""
        self._message, self._keys = message, keys
        body = self.parent
        if self.text and isinstance(body, Widget):
            lines = len(self._lines(body.size.width))
            cursor = self.app.cursor_position.y - body.region.y
            self.set_class(lines <= cursor and cursor >= body.size.height - lines, "-top")
        self.set_class(bool(self.text), "-said")
        self.refresh(layout=bool(self.text))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(self._lines(width))

    def _lines(self, width: int) -> list[list[Pair]]:
        """The lines, each of pairs that are to be written one after the other."""
        if self._keys:
            return _columns(self._keys, width - 2)
        lines = [line.text for line in draw.wrap(self._message, max(1, width - 2))]
        if len(lines) > MOST:
            lines[MOST - 1] = "".join(lines[MOST - 1 :])
        return [[("", line)] for line in lines[:MOST]]

    def render_line(self, y: int) -> Strip:
        style, width = self.rich_style, self.size.width
        key_style = style + self.get_component_rich_style("above--key", partial=True)
        lines = self._lines(width)
        segments, room = [Segment(" ", style)], width - 2
        for key, what in lines[y] if y < len(lines) else ():
            part = draw.write(key, key_style, room, "…")
            part += draw.write(what, style, room - _size(key), "…")
            segments += part
            room -= _size(key + what)
        return draw.strip(segments, width, style)


def _columns(keys: Sequence[Pair], width: int) -> list[list[Pair]]:
    """The keys in as many columns as go into `width` cells, filled downwards."""
    for lines in range(1, len(keys) + 1):
        columns = [keys[at : at + lines] for at in range(0, len(keys), lines)]
        sizes = [max(_size(f"{key} {what}") for key, what in column) for column in columns]
        if sum(sizes) + 2 * (len(sizes) - 1) <= width:
            break
    gaps = [*(size + 2 for size in sizes[:-1]), 0]
    return [
        [
            (key, f" {what}{' ' * (gap - _size(f'{key} {what}'))}")
            for column, gap in zip(columns, gaps, strict=True)
            for key, what in column[line : line + 1]
        ]
        for line in range(lines)
    ]


def _size(text: str) -> int:
    return draw.cells(draw.glyphs(text))
