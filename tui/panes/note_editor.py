"""A note beside the text that it is about."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea

from index.clean import clean

REST: Final = 1.0
"""Seconds after which what was written is put by as a draft."""


class NoteEditor(TextArea):
    """Markdown of one paper's note; Esc leaves it."""

    class Drafted(Message):
        """The note has rested for a moment and is not kept yet."""

        def __init__(self, editor: NoteEditor) -> None:
            super().__init__()
            self.editor = editor

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
        self.before = note
        """What the note was when the editor was opened."""
        self.border_title = "note"
        self.move_cursor(self.document.end)
        self._resting: Timer | None = None

    @property
    def note(self) -> str:
        """What is written, as it will be kept."""
        return clean(self.text)

    @property
    def changed(self) -> bool:
        """Whether it is another note than it was."""
        return self.note != self.before

    def on_text_area_changed(self) -> None:
        if self._resting is None:
            self._resting = self.set_timer(REST, self._rested)

    def _rested(self) -> None:
        self._resting = None
        if self.changed:
            self.post_message(self.Drafted(self))

    def render_lines(self, crop: Region) -> list[Strip]:
        try:
            return super().render_lines(crop)
        except KeyError:  # Textual drew it before its styles were there; it draws it again when they are
            return [Strip.blank(crop.width)] * crop.height

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
