"""The list and the search bar: a query typed, answered by the worker, listed; kept or taken back."""

from __future__ import annotations

import gc
import time
from abc import abstractmethod
from functools import partial
from typing import Final

from textual.messages import Update
from textual.screen import Screen
from textual.timer import Timer

from index.library import Library
from tui.desk import Desk
from tui.messages import Answered, Prepared, Preparing
from tui.panes.lines import FoundLine, HintLine, TopLine
from tui.panes.papers import PaperList
from tui.panes.rows import Row
from tui.panes.search_bar import SearchBar
from tui.searcher import Searcher

NOTHING: Final = "No paper here. Press / to search for something else, Esc to see all."
_EMPTY: Final = "No papers yet. i imports a file. Or quit with q, then: postil add --seeds"
PAUSE: Final = 0.01
"""Seconds between a painted list and the words in their context, and between two lots of these."""
LOT: Final = 0.005
"""Seconds that one lot takes: longer would hold up a key."""
SEARCHING: Final = "Searching: the answer is still to come. Esc shows all papers."
AT_ONCE: Final = 0.003
"""Seconds that a letter waits for its answer: what comes by then is painted with it, in one frame."""
LONG: Final = 1.5
"""Seconds after which what is listed is no longer taken for the answer to come."""
NARROW: Final = 60
"""Columns below which few words must do."""
INDENT: Final = 4
"""Cells that a row has before and after the words in their context."""


class Listing(Screen[None]):
    """The half of the reading screen that finds papers and lists them."""

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.desk = Desk(library)
        self.papers = PaperList(self._row, empty=_EMPTY, id="list")
        self.bar = SearchBar(id="bar")
        self.searcher = Searcher(library, self.post_message)
        self.asked = ""
        """The query that is listed, as it was typed."""
        self.waiting = False
        """Whether an answer that will be listed is still to come."""
        self._ticket = self._recheck = self._kept = 0
        """The requests for what is to be listed, for what of it is still found, and for what Enter ended."""
        self._unfound: Answered | None = None
        """The answer to what Enter ended, while it is taken for a beginning."""
        self.sorted_by: str | None = None
        """The order that was asked for."""
        self._lacking: dict[str, None] = {}
        """Papers in view whose rows could say more."""
        self._filling: Timer | None = None
        self._indexed: tuple[int, int] | None = None
        """While the search index grows: how many papers are in it, and of how many."""
        self._answered = False
        """Whether the search worker has ever answered."""
        self._before_search: str | None = None
        self._back_to: str | None = None
        self._best = False
        """Whether the cursor is to be on the best paper: letters were typed, and it has not moved since."""

    @abstractmethod
    def show_current(self) -> None:
        """Show the paper under the cursor."""

    @abstractmethod
    def follow(self) -> None:
        """Show the paper under the cursor once keys and letters rest on it."""

    @abstractmethod
    def open_list(self) -> None:
        """Give the keys to the list."""

    @abstractmethod
    def remember(self, text: str) -> None:
        """Keep a query among the former ones."""

    @abstractmethod
    def say(self, line: str) -> None:
        """Say something for a few seconds where the keys stand."""

    @property
    def _room(self) -> int:
        """Cells that a row has for the words in their context."""
        return self.papers.row_width - INDENT

    def _row(self, id: str) -> Row:
        if self.desk.lacks_passage(id, self._room):
            self._lacking[id] = None
            self._filling = self._filling or self.set_timer(PAUSE, self._fill)
        return self.desk.row(id)

    def _fill(self) -> None:
        """Show in some rows the words that were asked for in their context."""
        end = time.monotonic() + LOT
        while self._lacking and time.monotonic() < end:
            id = next(iter(self._lacking))
            del self._lacking[id]
            if self.desk.find_passage(id, self._room):
                self.papers.refresh_row(id)
        self._filling = self.set_timer(PAUSE, self._fill) if self._lacking else None

    def begin_search(self) -> None:
        """Give the keys to the search bar."""
        self._before_search, self._best = self.papers.current, False
        self.open_list()
        self.bar.begin()

    def find(self, text: str, *, typing: bool) -> None:
        """List what a query finds, once the worker has answered; an empty one lists all at once."""
        self.asked, self._kept, self._unfound = text, 0, None
        if text.strip() or self.sorted_by not in (None, "added"):
            self._ticket, self.waiting = self.searcher.ask(text, typing=typing, sort=self.sorted_by), True
            if typing and (found := self.searcher.answer(self._ticket, AT_ONCE)):
                self.take(Answered(self._ticket, found))
                for changed in (self.papers, self.query_one(FoundLine), self.query_one(HintLine)):
                    self.post_message(Update(changed))  # each tells of itself too late for this frame
            else:
                self.set_timer(LONG, partial(self._list_nothing, self._ticket))
        else:
            self._ticket, self.waiting, self._best = 0, False, False
            self.desk.take(None)
            self._list(_EMPTY)
        self._tell_hint()

    @property
    def answering(self) -> bool:
        """Whether an answer is to come before the next key means anything: not once nothing is listed."""
        return self.waiting and (self.desk.found is not None or bool(self.desk.ids))

    def _list_nothing(self, ticket: int) -> None:
        """The answer has not come: nothing is listed, so that nothing else is taken for it."""
        if self.waiting and ticket == self._ticket:
            back_to = self._back_to
            self.desk.list_nothing()
            self._list(SEARCHING)
            self._back_to = back_to

    def _list(self, empty: str) -> None:
        """Show what lies on the desk, the cursor on the paper that it was on where that is still listed."""
        self._lacking.clear()
        self.papers.show(
            self.desk.ids, keep=self._back_to, top=self._best, two_lines=self.desk.in_context, empty=empty
        )
        self._back_to = None
        if self.bar.has_focus:
            self.follow()  # half of what a frame costs: the list is painted before
        else:
            self.show_current()
        self._tell_found()
        self.tell_marks()

    def tell_marks(self) -> None:
        """Show how many papers are marked, and how many of them cannot be seen."""
        marked = self.desk.marked
        self.query_one(TopLine).tell_marks(len(marked), self.desk.unlisted(marked))

    def forget_query(self) -> None:
        """List all papers again, in the order of import."""
        self.bar.set("")
        self.sorted_by = None
        self.find("", typing=False)

    def sort(self, sort: str) -> None:
        """List the same papers in another order."""
        self.sorted_by = sort
        self.find(self.asked, typing=False)

    def on_search_bar_typed(self, event: SearchBar.Typed) -> None:
        self._best = True
        self.find(event.text, typing=True)

    def on_search_bar_kept(self) -> None:
        self.set_focus(self.papers)
        self.find(self.bar.value, typing=False)
        self._kept = self._ticket

    def on_search_bar_left(self) -> None:
        self.set_focus(self.papers)
        self._back_to, self._best = self._before_search, False
        self.find(self.bar.value, typing=False)

    def on_search_bar_cut_short(self) -> None:
        self.say("only the beginning of what was pasted fits into the search bar")

    def on_paste(self) -> None:
        self.say("a paste is not taken as keys: press / to search for it, or e for a note")

    def on_search_bar_stuck(self) -> None:
        if not self.take_meant():
            self.say("nothing to complete; a field begins so: tag, status, has, name, year")

    def take_meant(self) -> bool:
        """Look for the better spelling that was found for the query; False when there is none."""
        found = self.desk.found
        if not found or not found.did_you_mean or found.query.text.split() != self.asked.split():
            return False
        if self.bar.has_focus:
            self.bar.take(found.did_you_mean)
        else:
            self.bar.set(found.did_you_mean)
            self.find(found.did_you_mean, typing=False)
        return True

    def on_search_bar_moved(self, event: SearchBar.Moved) -> None:
        self._best = False
        self.papers.move(event.rows)

    def on_answered(self, answer: Answered) -> None:
        self.take(answer)

    def take(self, answer: Answered) -> None:
        """List what was found, or dim what of the list no longer is."""
        if not self._answered:
            self._answered = True
            gc.freeze()  # a collection would go through all that search has loaded: 90 ms at 10,000 papers
        if answer.ticket == self._recheck and not self.waiting:
            for id in self.desk.recheck(answer.found):
                self.papers.refresh_row(id)
        elif answer.ticket == self._ticket:
            if self._takes_begun(answer):
                return
            self.waiting = False
            here = self._back_to or self.papers.current
            self.desk.take(answer.found)
            self._list(NOTHING)
            self._tell_hint()
            if not self._best and here not in self.desk.ids:
                self.papers.top()
            self._best &= self.bar.has_focus

    def _takes_begun(self, answer: Answered) -> bool:
        """Where Enter ended a word that no paper has, take it for the beginning that was listed before.

        It is asked for, and its answer awaited; if that finds nothing either, it is as if nobody had asked.
        """
        from tui.query_text import begin

        if answer.ticket == self._kept and not answer.found.ids and (begun := begin(self.asked)):
            self._kept, self._unfound = 0, answer
            self._ticket = self.searcher.ask(begun, typing=False, sort=self.sorted_by)
            return True
        unfound, self._unfound = self._unfound, None
        if unfound and answer.found.ids:
            self.asked = answer.found.query.text
            self.bar.set(self.asked)
            self.remember(self.asked)
            self.say(f"no paper has the last word whole: {self.asked} finds what begins so")
        elif unfound:
            self.post_message(Answered(self._ticket, unfound.found))
            return True
        return False

    def on_preparing(self, event: Preparing) -> None:
        self._indexed = event.done, event.total
        self._tell_found()

    def on_prepared(self, event: Prepared) -> None:
        self._indexed = None
        self._tell_found()
        if event.trouble:
            self.waiting = False
            self.say(event.trouble)

    def recheck(self) -> None:
        """Ask which listed papers the query still finds, after a change; the others will be dimmed."""
        if self.desk.found and not self.waiting:
            self._recheck = self.searcher.ask(self.asked, typing=False, sort=self.sorted_by)

    def _tell_found(self) -> None:
        self.query_one(FoundLine).tell(
            self.desk.found, len(self.desk.library.ids), self._indexed, waiting=self.waiting
        )

    def _tell_hint(self) -> None:
        """Say what of the query was not understood, else what was perhaps meant, and which key takes it."""
        from index import query

        problems = query.parse(self.asked, typing=self.bar.has_focus).problems
        found = None if self.waiting else self.desk.found
        meant = self.desk.found and self.desk.found.did_you_mean
        if not problems and not meant and found and not found.partial and found.hint:
            problems = (found.hint,)  # what the answer alone knows: that it was cut short, what no paper has
        if meant:
            begun = self.bar.has_focus and self.bar.completions()[1]
            key = (
                "Enter, then Y, takes it" if begun else "Tab takes it" if self.bar.has_focus else "Y takes it"
            )
            short = self.size.width < NARROW
            told = f"{meant}? {key}" if short else f"did you mean: {meant} ({key})"
            problems = ("; ".join((told, *problems)),)
        self.query_one(HintLine).tell(problems, kept=self.bar.has_focus)

    def on_descendant_focus(self) -> None:
        self._tell_hint()
