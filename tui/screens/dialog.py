"""What all dialogs share: a box in the middle, closed by Esc, with one line for what is wrong."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from index.clean import drawable

Given = TypeVar("Given")


class Line(Static):
    """A line of plain text: whatever it holds is shown as it stands."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(Content(drawable(text)), id=id, classes=classes, markup=False)

    def say(self, text: str) -> None:
        """Show another text."""
        self.update(Content(drawable(text)))


class Dialog(ModalScreen[Given]):
    """A box over the reader."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False)]
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        & > Vertical {
            width: 76;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & .title { text-style: bold; }
        & .quiet { color: $text-muted; }
        & .wrong { color: $text-error; }
        & Input, & Input:focus { border: none; height: 1; padding: 0; background: $boost; }
    }
    """

    def box(self, *children: Static) -> Vertical:
        """The box with what is in it."""
        return Vertical(*children)

    def action_cancel(self) -> None:
        """Close, and change nothing."""
        self.dismiss(None)
