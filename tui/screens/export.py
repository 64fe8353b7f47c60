"""Asks for a format and a file, and writes the reading list there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from index.clean import drawable
from index.exporting import ENDINGS, FORMATS
from index.library import Library, LibraryError
from tui.screens.dialog import Dialog, Line


class Export(Dialog[str]):
    """Gives one line of what was written."""

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
            yield Input(str(Path.cwd() / f"reading-list{ENDINGS[self._format]}"), select_on_focus=False)
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
            self._refuse("name a file")
            return
        path = Path(event.value.strip()).expanduser()
        try:
            papers = self._library.reading_list(self._papers, "Reading list", self._asked)
            format = self._library.format_of(path) or self._format
            self._library.export_file(papers, format, path)
        except LibraryError as error:
            self._refuse(str(error))
        else:
            self.dismiss(f"{self._count} written to {drawable(str(path.absolute()))}")

    def _refuse(self, why: str) -> None:
        about = self.query_one("#about", Line)
        about.set_classes("wrong")
        about.say(why)
