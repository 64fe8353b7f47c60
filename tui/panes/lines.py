"""The lines above and below the panes: what is open, what was found, what may be pressed, what was saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tui import draw


class TwoEnds(Widget):
    """One line with text at its left and its right end; the right one is kept whole where both do not fit."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"two-ends--key"}
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TwoEnds {
        height: 1;
        width: 1fr;
        & > .two-ends--key { text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Sequence[tuple[str, str]] = ()
        self._right = ""

    def show(self, left: str | Sequence[tuple[str, str]] | None = None, right: str | None = None) -> None:
        """Show text at either end; what is None stays. `left` may be pairs of a key and what it does."""
        if left is not None:
            self._left = [("", left)] if isinstance(left, str) else left
        if right is not None:
            self._right = right
        self.refresh()

    @property
    def text(self) -> tuple[str, str]:
        """What stands at the left end and at the right."""
        return "  ".join(f"{key} {what}".strip() for key, what in self._left), self._right

    def render_line(self, _y: int) -> Strip:
        style, width = self.rich_style, self.size.width
        key_style = style + self.get_component_rich_style("two-ends--key", partial=True)
        right = draw.write(self._right, style, max(0, width - 2), "…")
        room = width - 3 - sum(segment.cell_length for segment in right)
        left = [Segment(" ", style)]
        for key, what in self._left:
            part = draw.write(key, key_style, width, "…") if key else []
            part += draw.write(f" {what}  " if key else what, style, max(0, room if not key else width), "…")
            size = sum(segment.cell_length for segment in part)
            if size > room + 2:
                break
            left += part
            room -= size
        gap = width - 1 - sum(segment.cell_length for segment in (*left, *right))
        return draw.strip([*left, Segment(" " * max(0, gap), style), *right], width, style)
