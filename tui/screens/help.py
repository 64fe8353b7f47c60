"""All keys, and what the signs mean; what is typed filters them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input

from tui import draw
from tui.commands import Command, Place, shown
from tui.screens.dialog import Dialog, Line

_PLACES: Final = {"list": "list", "text": "text", "side": "sidebar", "select": "selecting"}
KEYS: Final = 22
"""Cells of the column of keys."""


class Help(Dialog[None]):
    """The commands of the pane that had the focus first, then the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll(-1)", show=False, priority=True),
        Binding("down", "scroll(1)", show=False, priority=True),
        Binding("pageup", "scroll(-10)", show=False, priority=True),
        Binding("pagedown", "scroll(10)", show=False, priority=True),
        Binding("enter", "cancel", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    Help {
        & > Vertical { height: 100%; width: 92; }
        & VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        & Line { height: auto; }
    }
    """

    def __init__(self, commands: Sequence[Command], place: Place) -> None:
        super().__init__()
        self._commands = commands
        self._place = place

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input(placeholder="type to filter; Esc closes")
            with VerticalScroll(can_focus=False):
                yield Line(id="lines")

    def on_mount(self) -> None:
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def _show(self, wanted: str) -> None:
        words = wanted.casefold().split()
        lines: list[str] = [self._signs()] if not words else []
        here = [command for command in self._commands if self._place in command.places]
        others = [command for command in self._commands if self._place not in command.places]
        for commands in (here, others):
            group = ""
            for command in commands:
                line = self._line(command)
                if not all(word in f"{line} {command.name} {command.group}".casefold() for word in words):
                    continue
                place = "" if commands is here else f" ({_where(command)})"
                if command.group + place != group:
                    group = command.group + place
                    lines += ["", group]
                lines.append(line)
        self.query_one("#lines", Line).update(Content("\n".join(lines).strip("\n") or "nothing"))

    def _line(self, command: Command) -> str:
        keys = ", ".join(map(shown, command.keys))
        return f"  {keys:{KEYS}} {command.about}  ({command.name})"

    def _signs(self) -> str:
        sign = draw.signs()
        names = ("unread", "later", "reading", "read", "skipped", "starred", "note", "highlights", "marked")
        told = "  ".join(f"{sign[name]} {name}" for name in names)
        return f"{told}\n{sign['derived']} the heading was derived from the abstract"


def _where(command: Command) -> str:
    return ", ".join(name for place, name in _PLACES.items() if place in command.places)
