"""For a newcomer: what the signs of the list mean, and where the keys are told."""

from __future__ import annotations

from typing import Final

from tui import draw
from tui.panes.lines import TwoEnds

SHORT: Final = 64
"""Columns below which fewer words are made."""


class Legend(TwoEnds):
    """A line below the panes; once it is no longer wanted it does not come back."""

    DEFAULT_CSS = "Legend { color: $text-muted; }"

    def __init__(self, help_key: str) -> None:
        super().__init__(id="legend")
        self._help_key = help_key

    def on_resize(self) -> None:
        sign, short = draw.signs(), self.size.width < SHORT
        derived = "derived" if short else "heading taken from the abstract"
        left = [(sign["unread"], "unread"), (sign["read"], "read"), (sign["derived"], derived)]
        self.show(left, f"{self._help_key} {'keys' if short else 'all keys'} ")
