"""A note beside the text that it is about."""

from __future__ import annotations

import time
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea

from index.clean import clean
from index.drafts import Draft

REST: Final = 0.3
"""Seconds without a key after which what was written is put by as a draft."""
LONGEST: Final = 1.0
"""Seconds after which that is done all the same."""


class NoteEditor(TextArea):
    """Markdown of one paper's note; Esc leaves it."""

    class Drafted(Message):
        """It is time to put by what is written."""

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
        self.draft = Draft(paper, note, note)
        """What is written, when it was last looked at, and what the note was when the editor was opened."""
        self.border_title = "note"
        self.move_cursor(self.document.end)
        self._resting: Timer | None = None
        self._since = 0.0
        """When the first key was pressed that no draft has."""

    def look(self) -> bool:
        """Take what is written into the draft, as it will be kept; whether it is another note than it was."""
        self.draft.note = clean(self.text)
        return self.draft.note != self.draft.before

    def on_text_area_changed(self) -> None:
        if self._resting:
            self._resting.stop()
        else:
            self._since = time.monotonic()
        left = self._since + LONGEST - time.monotonic()
        self._resting = self.set_timer(max(0.001, min(REST, left)), self._rested)

    def _rested(self) -> None:
        self._resting = None
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
