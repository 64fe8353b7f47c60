"""What all dialogs share: a box in the middle, closed by Esc, a line to write in, one for what is wrong."""

from __future__ import annotations

from typing import ClassVar, Final, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.suggester import Suggester
from textual.widgets import Input, Static

from index.clean import drawable

Given = TypeVar("Given")
MOST: Final = 2000
"""Characters of a line."""
MOST_PASTED: Final = 10 * MOST
"""Characters of a paste that are looked at: blank lines among them are left out."""


class Line(Static):
    """A line of plain text: whatever it holds is shown as it stands."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(Content(drawable(text)), id=id, classes=classes, markup=False)

    def say(self, text: str) -> None:
        """Show another text."""
        self.update(Content(drawable(text)))


class Field(Input):
    """A line to write in. Of what is pasted the lines stand one after the other, with `joint` between."""

    class CutShort(Message):
        """Of what was pasted the end did not fit."""

    def __init__(
        self, value: str = "", *, joint: str = " ", placeholder: str = "", suggester: Suggester | None = None
    ) -> None:
        super().__init__(
            value, max_length=MOST, placeholder=placeholder, select_on_focus=False, suggester=suggester
        )
        self._joint = joint

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self._put(event.text)

    def action_paste(self) -> None:
        self._put(self.app.clipboard)

    def _put(self, pasted: str) -> None:
        lines = (drawable(line).strip() for line in pasted[:MOST_PASTED].splitlines())
        text = self._joint.join(filter(None, lines))
        start, end = sorted(self.selection)
        room = max(0, MOST - len(self.value) + end - start)
        self.replace(text[:room], start, end)
        if len(text) > room or len(pasted) > MOST_PASTED:
            self.post_message(self.CutShort())


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

    def refuse(self, why: str) -> None:
        """Say in the line `#about` what is wrong."""
        for about in self.query("#about").results(Line):
            about.set_classes("wrong")
            about.say(why)

    def on_field_cut_short(self) -> None:
        self.refuse(f"only the beginning of what was pasted fits: a line holds {MOST} characters")

    def action_cancel(self) -> None:
        """Close, and change nothing."""
        self.dismiss(None)
