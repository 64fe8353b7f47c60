"""The list and the search bar: a query typed, answered by the worker, listed; kept or taken back."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from textual.screen import Screen

from index.library import Library
from tui.desk import Desk
from tui.messages import Answered, Prepared, Preparing
from tui.panes.lines import FoundLine, HintLine
from tui.panes.papers import PaperList
from tui.panes.search_bar import SearchBar
from tui.searcher import Searcher

_NOTHING: Final = "No paper here. Press / to search for something else, Esc to see all."
_EMPTY: Final = "No papers yet. Quit with q, then: postil add FILE, or postil add --seeds"


class Listing(Screen[None]):
    """The half of the reading screen that finds papers and lists them."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.desk = Desk(library)
        self.papers = PaperList(self.desk.row, empty=_EMPTY, id="list")
        self.bar = SearchBar(id="bar")
        self.searcher = Searcher(library, self.post_message)
        self.asked = ""
        """The query that is listed, as it was typed."""
        self.waiting = False
        """Whether an answer that will be listed is still to come."""
        self._ticket = self._recheck = 0
        self._sort: str | None = None
        self._before_search: str | None = None
        self._back_to: str | None = None
        self._moved = False
        """Whether the cursor was moved while the query was typed: else it stands on the best paper."""

    @abstractmethod
    def show_current(self) -> None:
        """Show the paper under the cursor."""

    @abstractmethod
    def open_list(self) -> None:
        """Give the keys to the list."""

    @abstractmethod
    def say(self, line: str) -> None:
        """Say something for a few seconds where the keys stand."""

    def begin_search(self) -> None:
        """Give the keys to the search bar."""
        self._before_search, self._moved = self.papers.current, False
        self.open_list()
        self.bar.begin()

    def find(self, text: str, *, typing: bool) -> None:
        """List what a query finds, once the worker has answered; an empty one lists all at once."""
        self.asked = text
        if text.strip() or self._sort not in (None, "added"):
            self._ticket, self.waiting = self.searcher.ask(text, typing=typing, sort=self._sort), True
        else:
            self._ticket, self.waiting = 0, False
            self.desk.take(None)
            self._list(_EMPTY)
        self._hint(text, typing)

    def _list(self, empty: str) -> None:
        """Show what lies on the desk, the cursor on the paper that it was on where that is still listed."""
        self.papers.show(self.desk.ids, keep=self._back_to, empty=empty)
        self._back_to = None
        self.show_current()
        self._tell_found()

    def forget_query(self) -> None:
        """List all papers again, in the order of import."""
        self.bar.set("")
        self._sort = None
        self.find("", typing=False)

    def sort(self, sort: str) -> None:
        """List the same papers in another order."""
        self._sort = sort
        self.find(self.asked, typing=False)

    def on_search_bar_typed(self, event: SearchBar.Typed) -> None:
        self.find(event.text, typing=True)

    def on_search_bar_kept(self) -> None:
        self.set_focus(self.papers)
        self.find(self.bar.value, typing=False)

    def on_search_bar_left(self) -> None:
        self.set_focus(self.papers)
        self._back_to = self._before_search
        self.find(self.bar.value, typing=False)

    def on_search_bar_moved(self, event: SearchBar.Moved) -> None:
        self._moved = True
        self.papers.move(event.rows)

    def on_answered(self, answer: Answered) -> None:
        if answer.ticket == self._recheck and not self.waiting:
            for id in self.desk.recheck(answer.found):
                self.papers.refresh_row(id)
        elif answer.ticket == self._ticket:
            self.waiting = False
            here = self.papers.current
            self.desk.take(answer.found)
            self._list(_NOTHING)
            if here not in self.desk.ids or (self.bar.has_focus and not self._moved):
                self.papers.top()

    def on_preparing(self, event: Preparing) -> None:
        self.query_one(FoundLine).show(right=f"building the search index: {event.done} of {event.total} ")

    def on_prepared(self, event: Prepared) -> None:
        self._tell_found()
        if event.trouble:
            self.waiting = False
            self.say(event.trouble)

    def recheck(self) -> None:
        """Ask which listed papers the query still finds, after a change; the others will be dimmed."""
        if self.desk.found and not self.waiting:
            self._recheck = self.searcher.ask(self.asked, typing=False, sort=self._sort)

    def _tell_found(self) -> None:
        self.query_one(FoundLine).tell(self.desk.found, len(self.desk.library.ids))

    def _hint(self, text: str, typing: bool) -> None:
        from index import query

        self.query_one(HintLine).tell(query.parse(text, typing=typing).problems)
