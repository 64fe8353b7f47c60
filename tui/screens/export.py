"""Asks for a format and a file, and writes the reading list there, in a thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from index.clean import drawable
from index.exporting import ENDINGS, FORMATS
from index.library import Library, LibraryError
from tui.screens.dialog import Dialog, Field, Line


def written(library: Library, papers: Sequence[str], asked: str, format: str, path: Path) -> str:
    """Write the list to `path`; one line of what was written. Not for a thread that draws.

    Raises LibraryError.
    """
    library.export_file(library.reading_list(papers, "Reading list", asked), format, path)
    count = f"{len(papers)} paper" + ("s" if len(papers) != 1 else "")
    lost = f"; {format} has no place for {lost}" if (lost := library.lost(format)) else ""
    return f"{count} written to {drawable(str(path.expanduser().absolute()))}{lost}"


class Export(Dialog[tuple[str, str, str]]):
    """Gives one line of what was written, the format, and the file."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "next_format", show=False, priority=True)]

    def __init__(self, library: Library, papers: Sequence[str], asked: str) -> None:
        """`asked` is the query that found the papers."""
        super().__init__()
        self._library = library
        self._papers = papers
        self._asked = asked
        self._format = FORMATS[0]
        self._count = f"{len(papers)} paper" + ("s" if len(papers) != 1 else "")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(f"Export {self._count}", classes="title")
            yield Line(id="format")
            yield Field(str(Path.cwd() / f"reading-list{ENDINGS[self._format]}"))
            yield Line("Enter writes · Tab changes the format · Esc cancels", classes="quiet", id="about")

    def on_mount(self) -> None:
        self._show_format()

    def _show_format(self) -> None:
        told = "  ".join(f"[{name}]" if name == self._format else f" {name} " for name in FORMATS)
        self.query_one("#format", Line).say(told)

    def action_next_format(self) -> None:
        """Another format; the file's ending goes with it."""
        line = self.query_one(Input)
        old = ENDINGS[self._format]
        self._format = FORMATS[(FORMATS.index(self._format) + 1) % len(FORMATS)]
        if line.value.endswith(old):
            line.value = line.value.removesuffix(old) + ENDINGS[self._format]
        self._show_format()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if not event.value.strip():
            self.refuse("name a file")
            return
        event.input.disabled = True  # so the next key waits
        self._write(event.value.strip())

    @work(thread=True)
    def _write(self, name: str) -> None:
        try:
            path = Path(name).expanduser().absolute()
            format = self._library.format_of(path) or self._format
            line = written(self._library, self._papers, self._asked, format, path)
        except (LibraryError, RuntimeError) as error:  # RuntimeError: no such home
            self.app.call_from_thread(self._refused, str(error))
        else:
            self.app.call_from_thread(self._close, (line, format, str(path)))

    def _close(self, given: tuple[str, str, str]) -> None:
        if self.is_current:
            self.dismiss(given)

    def _refused(self, why: str) -> None:
        if not self.is_current:
            return
        line = self.query_one(Input)
        line.disabled = False
        line.focus()
        self.refuse(why)
