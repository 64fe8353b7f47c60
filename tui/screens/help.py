"""All keys, and what the signs mean; what is typed filters them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input

from tui import draw
from tui.commands import Command, Place, shown
from tui.screens.dialog import Dialog, Field, Line

_PLACES: Final = {"list": "list", "text": "text", "side": "sidebar", "select": "selecting"}
KEYS: Final = 22
"""Cells of the column of keys."""
MOST: Final = 92
"""Columns of the box, where there are as many (as the style sheet has it)."""
NARROW: Final = 64
"""Cells below which keys stand above what they do."""


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
            yield Field(placeholder="type to filter; Esc closes")
            with VerticalScroll(can_focus=False):
                yield Line(id="lines")

    def on_resize(self) -> None:
        self._show(self.query_one(Input).value)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def _show(self, wanted: str) -> None:
        words = wanted.casefold().split()
        width = min(MOST, self.size.width) - 5  # borders, padding, scroll bar
        lines = list(_signs(width)) if not words else []
        here = [command for command in self._commands if self._place in command.places]
        others = [command for command in self._commands if self._place not in command.places]
        for commands in (here, others):
            group = ""
            for command in commands:
                keys = ", ".join(map(shown, command.keys))
                told = f"{command.about}  ({command.name})"
                if not all(word in f"{keys} {told} {command.group}".casefold() for word in words):
                    continue
                place = "" if commands is here else f" ({_where(command)})"
                if command.group + place != group:
                    group = command.group + place
                    lines += ["", group]
                lines += _entry(keys, told, width)
        self.query_one("#lines", Line).update(Content("\n".join(lines).strip("\n") or "nothing"))


def _entry(keys: str, told: str, width: int) -> Iterator[str]:
    """Keys, and what they do beside them, or below them where that is narrow."""
    indent = " " * (KEYS + 3)
    lead = f"  {keys:{KEYS}} "
    if width < NARROW or len(lead) > len(indent):
        yield lead.rstrip()
        indent = lead = " " * 4
    first, *rest = _wrapped(told, width - len(indent))
    yield lead + first
    yield from (indent + line for line in rest)


def _signs(width: int) -> Iterator[str]:
    sign = draw.signs()
    names = ("unread", "later", "reading", "read", "skipped", "starred", "note", "highlights", "marked")
    yield from _wrapped("  ".join(f"{sign[name]}\u00a0{name}" for name in names), width)
    first, *rest = _wrapped("the heading was derived from the abstract", width - 2)
    yield f"{sign['derived']} {first}"
    yield from (f"  {line}" for line in rest)


def _wrapped(text: str, width: int) -> list[str]:
    """The text in lines; a no-break space holds what must stay together."""
    lines = draw.wrap(text, max(1, width))
    return [line.text.rstrip().replace("\u00a0", " ") for line in lines]


def _where(command: Command) -> str:
    return ", ".join(name for place, name in _PLACES.items() if place in command.places)
