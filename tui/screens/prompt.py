"""Asks for one line of text."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.suggester import Suggester
from textual.widgets import Input

from index.clean import drawable
from tui.screens.dialog import Dialog, Field, Line


class Paths(Suggester):
    """Completes the path of a file, as far as one name goes."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        return await asyncio.to_thread(_completed, value)  # a folder may be far away


def _completed(begun: str) -> str | None:
    folder, name = os.path.split(begun)
    try:
        with os.scandir(Path(folder or ".").expanduser()) as entries:
            fit = [entry for entry in entries if entry.name.startswith(name) and _shown(entry.name, name)]
            best = min(fit, key=lambda entry: entry.name, default=None)
            end = "/" if best and best.is_dir() else ""
    except (OSError, ValueError, RuntimeError):
        return None
    return f"{begun}{best.name[len(name) :]}{end}" if best and best.name.isprintable() else None


def _shown(name: str, begun: str) -> bool:
    return begun.startswith(".") or not name.startswith(".")


class Prompt(Dialog[str]):
    """A title, a line to write in, and what may be written there."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", show=False, priority=True)]

    def __init__(
        self,
        title: str,
        value: str,
        about: str,
        done: Callable[[str], None],
        *,
        kept: bool = False,
        chosen: bool = False,
        suggester: Suggester | None = None,
    ) -> None:
        """`done` takes the line; a ValueError that it raises is shown, and the line can be mended.

        What is `kept` is taken too when the reader is left with the line still open; a `chosen` value
        is what the first letter that is typed takes the place of.
        """
        super().__init__()
        self._kept = kept
        self._chosen = chosen
        self._title = title
        self._value = drawable(value)
        self._about = about
        self._done = done
        self._suggester = suggester

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(self._title, classes="title")
            yield Field(self._value, suggester=self._suggester)
            yield Line(self._about, classes="quiet", id="about")

    def on_mount(self) -> None:
        if self._chosen:
            self.query_one(Input).action_select_all()

    def action_complete(self) -> None:
        """Take what is suggested behind the cursor."""
        line = self.query_one(Input)
        line.action_end()
        line.action_cursor_right()

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
            self.refuse(str(error))
        else:
            self.dismiss(event.value)
