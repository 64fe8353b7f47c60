"""A note beside the text that it is about."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from index.clean import clean


class NoteEditor(TextArea):
    """Markdown of one paper's note; Esc leaves it."""

    class Left(Message):
        """The reader is done with the note."""

        def __init__(self, editor: NoteEditor) -> None:
            super().__init__()
            self.editor = editor

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]
    DEFAULT_CSS = """
    NoteEditor, NoteEditor:focus {
        height: 35%;
        min-height: 4;
        border: none;
        border-top: solid $primary;
        padding: 0 1;
    }
    """

    def __init__(self, paper: str, note: str) -> None:
        super().__init__(note, soft_wrap=True, show_line_numbers=False, tab_behavior="indent")
        self.paper = paper
        self._before = note
        self.border_title = "note"
        self.move_cursor(self.document.end)

    @property
    def note(self) -> str:
        """What is written, as it will be kept."""
        return clean(self.text)

    @property
    def changed(self) -> bool:
        """Whether it is another note than it was."""
        return self.note != self._before

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.post_message(self.Left(self))
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert(clean(event.text))

    def action_leave(self) -> None:
        self.post_message(self.Left(self))
