"""From paper to paper, and back to where one was or what was asked; how list and text share the room."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from textual import events, work

from index import state
from index.clean import one_line
from index.library import Library
from tui.screens.recalling import MOST_QUERIES, Recalling

JUMPS: Final = frozenset({
    "top", "bottom", "next_paper", "previous_paper", "next_unread", "previous_unread", "search", "related",
    "saved_searches", "choose", "take_meant", "clear", "triage", "command_line",
})  # fmt: skip
"""Commands that may lead far away: where one was before them is remembered."""
MOST_PLACES: Final = 100
SPLITS: Final = range(25, 71, 5)
"""Hundredths of the room that the list may have beside the text."""
USUAL: Final = 45
TINY: Final = 60
"""Columns below which the sidebar has no list beside it."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the reader was: a paper, in the list of a query in an order."""

    paper: str
    asked: str
    sort: str | None


class Going(Recalling):
    """The part of the reading screen that goes to a paper, wherever it is, and back."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._places: list[Standing] = []
        """Where to go back to, the latest last."""
        self._wanted: Standing | None = None
        """Where to stand once its list has come, also if that lacks the paper now."""
        self._unwritten: list[str] = []
        """Queries that are not on disk yet, the oldest first."""
        self._queries_lock = threading.Lock()

    def remember_place(self) -> None:
        """Keep where the reader is, to come back."""
        if here := self._here:
            self._places = [*(place for place in self._places if place != here), here][-MOST_PLACES:]

    @property
    def _here(self) -> Standing | None:
        current = self.papers.current
        return Standing(current, self.asked, self.sorted_by) if current else None

    def go_to(self, id: str) -> None:
        """Go to a paper, and remember the place; where the list lacks it, all papers are listed."""
        self.remember_place()
        self._show_paper(id)

    def _show_paper(self, id: str) -> None:
        if id in self.desk.ids:
            self.papers.move_to(self.desk.ids.index(id))
        elif id in self.desk.library.ids:
            self.say("this paper is not in the list that was here: all are listed again")
            self._back_to = id
            self.forget_query()
        else:
            self.say("this paper is no longer in the library")

    def go_back(self) -> None:
        """Go back to the place that was left last; from related papers, to the list before them."""
        while self._places and self._places[-1] == self._here:
            self._places.pop()
        place = self._places[-1] if self._places else None
        if self.desk.shared and (self.papers.has_focus or place is None or place.paper not in self.desk.ids):
            self.back_from_related()
        elif place is None:
            self.say("there is no place to go back to")
        else:
            self._places.pop()
            self._stand(place)

    def _stand(self, place: Standing) -> None:
        if (place.asked, place.sort) == (self.asked, self.sorted_by):
            self._show_paper(place.paper)
            return
        self.sorted_by = place.sort
        self._back_to, self._wanted = place.paper, place
        self.bar.set(place.asked)
        self.find(place.asked, typing=False)
        self.say(f"back to: {place.asked}" if place.asked else "back to all papers")

    def _list(self, empty: str) -> None:
        super()._list(empty)
        if self._wanted and not self.waiting:
            wanted, self._wanted = self._wanted, None
            if wanted.asked == self.asked and wanted.paper not in self.desk.ids:
                self._show_paper(wanted.paper)

    # Former queries, on disk

    def remember(self, text: str) -> None:
        super().remember(text)
        if text := one_line(text).strip():
            self._unwritten.append(text)
            self._write_apart()

    @work(thread=True, group="queries")
    def _write_apart(self) -> None:
        self.write_queries()

    def write_queries(self) -> None:
        """Write the queries that were kept, beside those of other windows. Not for a thread that draws."""
        library = self.desk.library
        with self._queries_lock:
            while self._unwritten:
                if not library.displaced:
                    state.put_first(library.layout.state, "queries", self._unwritten[0], MOST_QUERIES)
                del self._unwritten[0]

    # The room

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < TINY, "-tiny")

    def split(self, steps: int) -> None:
        """Give the list so many steps more room beside the text, or less."""
        if self.has_class("-narrow") or self.has_class("-zoom"):
            self.say("list and text do not stand side by side here")
            return
        share = (self._split or USUAL) + steps * SPLITS.step
        self.desk.library.state["split"] = max(SPLITS[0], min(SPLITS[-1], share))
        self.show_split()

    def show_split(self) -> None:
        """Share the room as it was chosen."""
        if share := self._split:
            self.papers.styles.width = f"{share}fr"
            self.query_one("#reading").styles.width = f"{100 - share}fr"

    @property
    def _split(self) -> int | None:
        share = self.desk.library.state.get("split")
        return share if isinstance(share, int) and share in SPLITS else None
