"""The bare Textual app that `letters.py` sets beside the reader: a list filtered by `in` as one types.

It stands as its makers would write it first: an `Input`, an `OptionList` of the first papers that hold all
words, and their count. No order, no stems, no context, no second thread.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

SHOWN: Final = 100
"""Papers that are put into the list: all of 100,000 would take it seconds."""


def papers(path: Path) -> list[str]:
    """The abstracts of a library, in lower case."""
    told: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record.get("abstract"):
                told.setdefault(record["id"], record["abstract"].lower())
    return list(told.values())


def found(abstracts: Sequence[str], text: str) -> list[str]:
    """The abstracts that hold each word of `text`."""
    words = text.lower().split()
    return [abstract for abstract in abstracts if all(word in abstract for word in words)]


class Filtering(App[None]):
    """Filters as one types; `/` gives the keys to the bar."""

    BINDINGS: ClassVar[list[BindingType]] = [("slash", "app.focus('bar')", "search")]
    CSS = """
    #searching { height: 1; }
    #bar, #bar:focus { width: 1fr; height: 1; border: none; padding: 0; }
    #count { width: 42; text-align: right; }
    #list, #list:focus { border: none; height: 1fr; }
    """

    def __init__(self, abstracts: list[str]) -> None:
        super().__init__()
        self._abstracts = abstracts

    def compose(self) -> ComposeResult:
        yield Label("papers")
        with Horizontal(id="searching"):
            yield Input(id="bar")
            yield Label(id="count", markup=False)
        yield OptionList(id="list", markup=False)

    def on_mount(self) -> None:
        self.query_one("#list").focus()
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, text: str) -> None:
        held = found(self._abstracts, text)
        listed = self.query_one("#list", OptionList)
        listed.clear_options()
        listed.add_options(self._rows(held[:SHOWN]))
        self.query_one("#count", Label).update(f"{len(held)} of {len(self._abstracts)}")

    @staticmethod
    def _rows(abstracts: Sequence[str]) -> Iterator[Option]:
        for abstract in abstracts:
            yield Option(abstract[:100])


if __name__ == "__main__":
    Filtering(papers(Path(sys.argv[1]))).run()
