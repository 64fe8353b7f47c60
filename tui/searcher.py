"""The one search worker: a thread that answers the latest request, from as much as is indexed.

A second thread brings the index up; each time that more can be searched, the last request is answered anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from index.library import Library, LibraryError
from tui import faults
from tui.messages import Answered, Prepared, Preparing

if TYPE_CHECKING:
    from index.finding import Found


@dataclass(frozen=True, slots=True)
class Request:
    """A query to be answered; `typing` while its last word has only begun."""

    ticket: int
    text: str
    typing: bool
    sort: str | None


class Searcher:
    """Answers by messages. A request that comes before the last one was begun takes its place."""

    def __init__(self, library: Library, post: Callable[[Message], object]) -> None:
        self._library = library
        self._post = post
        self._changed = threading.Condition()
        self._request: Request | None = None
        self._last: Request | None = None
        self._building = False
        self._some = False
        """Whether anything can be searched."""
        self._closed = False
        self._tickets = 0
        self._awaited = 0
        """The request whose answer `answer` waits for."""
        self._given: Found | None = None
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)

    def start(self) -> None:
        """Begin, once the first frame is drawn: this loads the search engine."""
        self._thread.start()

    def ask(self, text: str, *, typing: bool, sort: str | None) -> int:
        """Ask for the papers of a query; returns the number of the request, which its answer bears."""
        with self._changed:
            self._tickets += 1
            self._request = Request(self._tickets, text, typing, sort)
            self._changed.notify_all()
            return self._tickets

    def answer(self, ticket: int, seconds: float) -> Found | None:
        """The answer to a request if it comes within so many seconds, else None: then it comes by message."""
        with self._changed:
            self._awaited = ticket
            self._changed.wait_for(lambda: self._given, seconds)
            given, self._given, self._awaited = self._given, None, 0
            return given

    def close(self) -> None:
        """Answer nothing more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(1)

    def _run(self) -> None:
        self._prepare()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._request or self._closed)
                request, self._request = self._request, None
                self._last = request
            if request is None or self._closed:
                return
            if not self._prepare():
                continue
            try:
                found = self._library.find(request.text, typing=request.typing, sort=request.sort)
            except (LibraryError, ValueError) as error:
                self._tell(Prepared(str(error)))
            except Exception as error:  # or no letter would ever be answered again
                self._tell(Prepared(faults.told(error)))
            else:
                self._give(request.ticket, found)

    def _give(self, ticket: int, found: Found) -> None:
        with self._changed:
            if ticket == self._awaited:
                self._given = found
                self._changed.notify_all()
                return
        self._tell(Answered(ticket, found))

    def _prepare(self) -> bool:
        """See that the index is up or being brought up, and wait until something can be searched."""
        up = self._library.searchable  # asked without the lock: the screen's thread may want that
        with self._changed:
            if up and self._some and not self._building:
                return True
            if not self._building:
                self._building, self._some = True, False
                threading.Thread(target=self._build, name="index", daemon=True).start()
            self._changed.wait_for(lambda: self._some or not self._building or self._closed)
            return self._some

    def _build(self) -> None:
        """Bring the index up, unless it stands; tells when that was not so."""
        trouble, built = None, False
        try:
            built = self._library.prepare_in_child(
                lambda done, total: self._tell(Preparing(done, total)), self._grown
            )
        except LibraryError as error:
            trouble = str(error)
        with self._changed:
            self._building = False
            self._some = trouble is None
            self._changed.notify_all()
        if trouble or built:
            self._tell(Prepared(trouble))
        if built:
            self._grown()

    def _grown(self) -> None:
        """More can be searched than before."""
        with self._changed:
            self._some = True
            self._request = self._request or self._last
            self._changed.notify_all()

    def _tell(self, message: Message) -> None:
        if not self._closed:
            self._post(message)
