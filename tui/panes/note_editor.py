"""A note beside the text that it is about."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, TypeAlias

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from index.clean import clean
from index.drafts import Draft
from index.note_links import BEGUN, link
from tui.panes.link_choices import LinkChoices

REST: Final = 0.3
"""Seconds without a key after which what was written is put by as a draft."""
LONGEST: Final = 1.0
"""Seconds after which that is done all the same."""
Complete: TypeAlias = Callable[[str], Sequence[tuple[str, str]] | None]
_REST_OF_LINK: Final = re.compile(r"(?:\|[^\[\]\n]{0,300})?\]\]")
MOST_PASTED: Final = 100_000
"""Characters of one paste: with ten times as many, each key would take half a second."""


class NoteEditor(TextArea):
    """Markdown of one paper's note; `[[` begins a link to a paper, Esc leaves the note."""

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

    class CutShort(Message):
        """Of what was pasted the end was left out."""

    class Sized(Message):
        """The editor has another size, and so has the text above."""

    class Previewed(Message):
        """The note is to be shown as it reads, or the abstract again."""

    class Scrolled(Message):
        """The text above is to be scrolled."""

        def __init__(self, lines: int) -> None:
            super().__init__()
            self.lines = lines

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+underscore", "undo", show=False),  # ctrl+z puts postil to sleep
        Binding("f2", "preview", show=False),
        Binding("ctrl+up", "scroll_text(-1)", show=False),
        Binding("ctrl+down", "scroll_text(1)", show=False),
    ]
    DEFAULT_CSS = """
    NoteEditor, NoteEditor:focus {
        height: 35%;
        min-height: 4;
        border: none;
        border-top: solid $primary;
        padding: 0 1;
    }
    """

    def __init__(self, paper: str, note: str, choices: LinkChoices, complete: Complete) -> None:
        """`complete` gives papers for what is typed behind `[[`, each by id and heading; None: not yet."""
        super().__init__(note, soft_wrap=True, show_line_numbers=False, tab_behavior="indent")
        self.draft = Draft(paper, note, note)
        """What is written, when it was last looked at, and what the note was when the editor was opened."""
        self.border_title = "note"
        self.move_cursor(self.document.end)
        self.choices = choices
        self._complete = complete
        self._left_as_typed: Location | None = None
        """Where a link begins that is not to be completed."""
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
        if self.choices.open and self._choose(event.key):
            pass
        elif event.key == "escape":
            self.action_leave()
        else:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert(clean(event.text[:MOST_PASTED]))
        if len(event.text) > MOST_PASTED:
            self.post_message(self.CutShort())

    # Links

    def on_text_area_selection_changed(self) -> None:
        self.look_for_link()

    def look_for_link(self) -> None:
        """List papers where a link is being typed."""
        begun = self._begun
        if begun is None or begun[0] != self._left_as_typed:
            self._left_as_typed = None
            self.choices.show(None if begun is None else self._complete(begun[1]))

    @property
    def _begun(self) -> tuple[Location, str] | None:
        """Where the link begins that is being typed, and what is typed of it."""
        row, column = self.cursor_location
        if self.selection.is_empty and (found := BEGUN.search(self.document[row][:column])):
            return (row, found.start()), found[1]
        return None

    def _choose(self, key: str) -> bool:
        """What a key does among the papers that are listed; False when it is the editor's."""
        if key in ("up", "down"):
            self.choices.move(1 if key == "down" else -1)
        elif key in ("enter", "tab"):
            return self.take_link()
        elif key == "escape":
            self._left_as_typed = self._begun[0] if self._begun else None
            self.choices.show(None)
        else:
            return False
        return True

    def take_link(self) -> bool:
        """Put the chosen paper in the place of what is typed; False when there is none."""
        begun, chosen = self._begun, self.choices.chosen
        if begun is None or chosen is None:
            return False
        row, column = self.cursor_location
        rest = _REST_OF_LINK.match(self.document[row][column:])
        end = row, column + (rest.end() if rest else 0)
        self.move_cursor(self.replace(link(*chosen), begun[0], end).end_location)
        self.choices.show(None)
        return True

    # The text above

    def on_resize(self) -> None:
        self.post_message(self.Sized())

    def action_preview(self) -> None:
        self.post_message(self.Previewed())

    def action_scroll_text(self, lines: int) -> None:
        self.post_message(self.Scrolled(lines))

    def action_leave(self) -> None:
        self.post_message(self.Left(self))
