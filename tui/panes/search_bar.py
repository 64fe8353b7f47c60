"""The search bar: a line of input that tells of every letter, and completes what was begun."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from index.clean import drawable

EMPTY: Final = "press / to search"
MOST: Final = 2000
"""Characters of a query."""
MOST_PASTED: Final = 10 * MOST
"""Characters of a paste that are looked at: spaces among them are drawn together."""
LEAST: Final = 2
"""Letters of a field's name from which on it is suggested behind the cursor."""


@dataclass(slots=True)
class Completing:
    """The words that Tab goes through, and the text around them."""

    head: str
    words: Sequence[str]
    tail: str
    at: int
    shown: tuple[str, int] = ("", 0)
    """The text and the cursor as the last Tab left them: anything else begins anew."""


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

    class CutShort(Message):
        """Of what was pasted the end did not fit."""

    class Stuck(Message):
        """There is nothing to complete."""

    class Recalled(Message):
        """A former query is wanted: one that holds `begun`."""

        def __init__(self, begun: str) -> None:
            super().__init__()
            self.begun = begun

    class Moved(Message):
        """The cursor of the list is to move while the query is typed."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", show=False),
        Binding("escape", "leave", show=False),
        Binding("tab", "complete(1)", show=False),
        Binding("shift+tab", "complete(-1)", show=False),
        Binding("ctrl+r", "recall", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
    ]
    DEFAULT_CSS = """
    SearchBar, SearchBar:focus { border: none; height: 1; padding: 0; background: transparent; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id, placeholder=EMPTY, max_length=MOST, select_on_focus=False, suggester=_Behind(self)
        )
        self.values: Callable[[str], Iterable[str]] = lambda _field: ()
        """Gives all values of a field that can be completed."""
        self._before = ""
        self._completing: Completing | None = None

    @property
    def content_width(self) -> int:
        """At least the bar's own width: as long as that holds the query, a letter asks for no new layout."""
        return max(super().content_width, self.scrollable_content_region.width)

    def begin(self) -> None:
        """Take the keys, with the query that stands selected, so that typing replaces it."""
        self._before = self.value
        self.focus()
        self.select_all()

    def set(self, text: str) -> None:
        """Show a query without telling of it."""
        with self.prevent(Input.Changed):
            self.value = text

    def take(self, text: str) -> None:
        """Show a query as if it had been typed."""
        self.value = text
        self.cursor_position = len(text)

    @property
    def going(self) -> Completing | None:
        """What Tab goes through, unless something else was done since."""
        going = self._completing
        return going if going and going.shown == (self.value, self.cursor_position) else None

    def completions(self) -> tuple[int, list[str]]:
        """What the word at the cursor may become, and where it starts."""
        from tui.query_text import completions

        return completions(self.value[: self.cursor_position], self.values)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = " ".join(drawable(event.text[:MOST_PASTED]).split())
        start, end = sorted(self.selection)
        room = MOST - len(self.value) + end - start
        self.replace(text[: max(0, room)], start, end)
        if len(text) > room or len(event.text) > MOST_PASTED:
            self.post_message(self.CutShort())

    def action_keep(self) -> None:
        self.post_message(self.Kept())

    def action_leave(self) -> None:
        self.set(self._before)
        self.post_message(self.Left())

    def action_complete(self, step: int) -> None:
        """Complete the word at the cursor, or show the next of what it may become."""
        going = self.going
        if going is None:
            start, words = self.completions()
            if not words:
                self.post_message(self.Stuck())
                return
            head, tail = self.value[:start], self.value[self.cursor_position :]
            going = Completing(head, words, tail, -1 if step > 0 else 0)
        going.at = (going.at + step) % len(going.words)
        whole = going.head + going.words[going.at]
        self.value = whole + going.tail
        self.cursor_position = len(whole)
        going.shown = (self.value, self.cursor_position)
        self._completing = going if len(going.words) > 1 else None

    def action_recall(self) -> None:
        self.post_message(self.Recalled("" if self.value == self._before else self.value))

    def action_move(self, rows: int) -> None:
        self.post_message(self.Moved(rows))


class _Behind(Suggester):
    """The rest of the first completion, shown grey behind the cursor; the right arrow takes it too."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        bar = self._bar
        if not bar.has_focus or value != bar.value or not bar.cursor_at_end or bar.going:
            return None
        start, words = bar.completions()
        whole = (
            value[:start] + words[0]
            if words and (":" in value[start:] or len(value) - start >= LEAST)
            else ""
        )
        return whole if whole.startswith(value) else None
