"""Shows what a command said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from index.clean import drawable
from tui.screens.dialog import Dialog, Line

MOST: Final = 2000
"""Lines that are shown."""


class Output(Dialog[None]):
    """Lines of plain text, to be scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("space,pagedown", "scroll(10)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("q,enter", "cancel", show=False),
    ]
    DEFAULT_CSS = """
    Output {
        & > Vertical { width: 92; }
        & VerticalScroll { height: auto; max-height: 70vh; scrollbar-size-vertical: 1; }
        & #lines { height: auto; }
    }
    """

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(self._title, classes="title")
            with VerticalScroll():
                yield Line(id="lines")
            more = f" · {len(self._lines) - MOST} more lines" if len(self._lines) > MOST else ""
            yield Line(f"j k scroll · Esc closes{more}", classes="quiet")

    def on_mount(self) -> None:
        text = "\n".join(map(drawable, self._lines[:MOST]))
        self.query_one("#lines", Line).update(Content(text))

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
