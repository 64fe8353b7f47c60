"""The search bar: a line of input that tells of every letter."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from index.clean import drawable


class SearchBar(Input):
    """Where a query is typed. What is pasted becomes one line of text, never keys."""

    class Typed(Message):
        """The query is now this, its last word perhaps only begun."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """The query stays, and the list takes the keys again."""

    class Left(Message):
        """The query that stood before is wanted back."""

    class Moved(Message):
        """The cursor of the list is to move while the query is typed."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", show=False),
        Binding("escape", "leave", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
    ]
    DEFAULT_CSS = """
    SearchBar, SearchBar:focus { border: none; height: 1; padding: 0; background: transparent; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, placeholder="press / to search", max_length=2000, select_on_focus=False)
        self._before = ""

    def begin(self) -> None:
        """Take the keys, with the query that stands selected, so that typing replaces it."""
        self._before = self.value
        self.focus()
        self.select_all()

    def set(self, text: str) -> None:
        """Show a query without telling of it."""
        with self.prevent(Input.Changed):
            self.value = text

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(" ".join(drawable(event.text).split()))

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_leave(self) -> None:
        self.set(self._before)
        self.post_message(self.Left())

    def action_move(self, rows: int) -> None:
        self.post_message(self.Moved(rows))
