"""Asks for one line of text."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from index.clean import drawable
from tui.screens.dialog import Dialog, Line


class Prompt(Dialog[str]):
    """A title, a line to write in, and what may be written there."""

    def __init__(
        self, title: str, value: str, about: str, done: Callable[[str], None], *, kept: bool = False
    ) -> None:
        """`done` takes the line; a ValueError that it raises is shown, and the line can be mended.

        What is `kept` is taken too when the reader is left with the line still open.
        """
        super().__init__()
        self._kept = kept
        self._title = title
        self._value = drawable(value)
        self._about = about
        self._done = done

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(self._title, classes="title")
            yield Input(self._value, max_length=2000, select_on_focus=False)
            yield Line(self._about, classes="quiet", id="about")

    def keep(self) -> None:
        """Take the line as it stands, if it is one to be kept."""
        line = self.query_one(Input).value
        if self._kept and line != self._value:
            self._value = line
            with contextlib.suppress(ValueError):
                self._done(line)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            if event.value != self._value:  # a value of several lines stays what it is until it is edited
                self._done(event.value)
        except ValueError as error:
            about = self.query_one("#about", Line)
            about.set_classes("wrong")
            about.say(str(error))
        else:
            self.dismiss(event.value)
