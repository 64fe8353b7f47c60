"""Asks where to put what the library cannot take, so that quitting loses nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from datetime import date
from itertools import count
from pathlib import Path
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from index.library import Library, LibraryError
from tui.screens.dialog import Dialog, Field, Line

LOOK: Final = 0.2
"""Seconds between two looks whether the library has taken everything after all."""


class Unsaved(Dialog[bool]):
    """Gives True when quitting loses nothing any more."""

    DEFAULT_CSS = "Unsaved #why { max-height: 3; }"

    def __init__(self, library: Library) -> None:
        super().__init__()
        self._library = library

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(classes="title", id="count")
            yield Line(classes="wrong", id="why")
            yield Line("Enter puts them into this file and quits:")
            yield Field(f"~/{free(Path('~')).name}")
            yield Line("Esc goes back to reading; postil goes on trying", classes="quiet", id="about")

    def on_mount(self) -> None:
        self._tell()
        self.set_interval(LOOK, self._look)

    def _look(self) -> None:
        if not self._library.waiting and self.app.screen is self:
            self.dismiss(True)
        else:
            self._tell()

    def _tell(self) -> None:
        waiting = self._library.waiting
        self.query_one("#count", Line).say(
            f"{waiting} changes are not on disk" if waiting != 1 else "1 change is not on disk"
        )
        self.query_one("#why", Line).say(self._library.trouble or "being written")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            if not event.value.strip():
                raise LibraryError("name a file")
            self._library.keep_elsewhere(Path(event.value.strip()).expanduser().absolute())
        except (LibraryError, RuntimeError, ValueError) as error:
            named = isinstance(error, LibraryError)
            self.refuse(str(error) if named else f"{event.value.strip()} names no file here")
        else:
            self.dismiss(True)


def places() -> Iterator[Path]:
    """Where what is not on disk may be put when there is nobody to ask."""
    for folder in (Path("~"), Path(tempfile.gettempdir())):
        yield free(folder)


def free(folder: Path) -> Path:
    """A file of today in `folder` that is not there yet."""
    name = f"postil-unsaved-{date.today()}"  # noqa: DTZ011 (the reader's own day)
    with contextlib.suppress(RuntimeError):  # no such home
        folder = folder.expanduser()
    path = folder / f"{name}.json"
    for number in count(2):
        if not os.path.lexists(path):
            break
        path = folder / f"{name}-{number}.json"
    return path
