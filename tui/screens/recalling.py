"""What leads to another list: former queries, completion of what is typed, related papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from textual import work
from textual.message import Message
from textual.screen import ModalScreen
from textual.suggester import Suggester

from index.clean import one_line
from index.library import Library, LibraryError
from tui.messages import Answered, Told
from tui.panes.lines import FoundLine
from tui.panes.search_bar import EMPTY, SearchBar
from tui.screens.listing import NOTHING, Listing

if TYPE_CHECKING:
    from index.finding import Found
    from tui.screens.prompt import Prompt

MOST_QUERIES: Final = 200
"""Former queries that are remembered."""


class Neared(Message):
    """The papers nearest to one, each with the terms that they share."""

    def __init__(self, id: str, shared: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.id = id
        self.shared = shared


@dataclass(frozen=True, slots=True)
class Stood:
    """A list to go back to: its answer, the terms that it shared, what the bar said, the current paper."""

    found: Found | None
    shared: Mapping[str, Sequence[str]]
    said: str
    current: str


class Recalling(Listing):
    """The part of the reading screen that completes and recalls queries, and lists related papers."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self.bar.values = self._values
        self._gathered: Mapping[str, Sequence[str]] = {}
        """The values of fields that are completed from the papers; empty until they are wanted."""
        self._gathering = False
        self._asked_for: Prompt | None = None
        """The dialog that asked for a line last."""
        self._stood: list[Stood] = []
        """The lists before the related papers that are listed, the latest last."""
        self._outdated = False
        """Whether papers came in since what stands behind the related papers was found."""
        self._relating: str | None = None
        """The paper whose related ones are to be listed."""

    def open_dialog(self, dialog: ModalScreen[Any], done: Callable[[Any], None]) -> None:
        """Open a dialog; `done` is called with what it gives, unless that is None."""

        def push() -> None:
            self.app.push_screen(dialog, lambda given: None if given is None else done(given))

        if self.app.screen is self:
            push()
        else:
            self.call_later(push)  # the command line, which asks for it, closes first

    def ask(
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
        """Ask for one line. `done` may raise ValueError with a line of why not; then it is asked again.

        What is `kept` is taken too when the reader is left with the line still open; a `chosen` value
        is what the first letter that is typed takes the place of.
        """
        from tui.screens.prompt import Prompt

        self._asked_for = Prompt(title, value, about, done, kept=kept, chosen=chosen, suggester=suggester)
        self.open_dialog(self._asked_for, lambda _none: None)

    def keep_line(self) -> None:
        """Take the line that is being written, if it is one to be kept."""
        if self._asked_for and self._asked_for.is_attached:
            self._asked_for.keep()

    def find(self, text: str, *, typing: bool) -> None:
        self._relating, self._outdated = None, False
        if self._stood:
            self._stood.clear()
            self.desk.shared = {}
            self.bar.placeholder = EMPTY
            if not self.bar.has_focus:
                self.bar.set(text)
        super().find(text, typing=typing)

    # Former queries

    def on_search_bar_kept(self) -> None:
        self.remember(self.bar.value)

    def remember(self, text: str) -> None:
        """Keep a query among the former ones."""
        if text := one_line(text).strip():
            others = [query for query in self._queries if query != text]
            self.desk.library.state["queries"] = [text, *others][:MOST_QUERIES]

    @property
    def _queries(self) -> list[str]:
        """The former queries, the newest first."""
        known = self.desk.library.state.get("queries")
        return [query for query in known if isinstance(query, str)] if isinstance(known, list) else []

    def on_search_bar_recalled(self, event: SearchBar.Recalled) -> None:
        from tui.screens.picker import Pick, Picker

        picks = [Pick(query) for query in self._queries]
        dialog = Picker("Former queries", picks, typed=event.begun, nothing="no such query")
        self.open_dialog(dialog, self.bar.take)

    # Completion

    def _values(self, field: str) -> Iterable[str]:
        """All values of a field that can be completed, the likeliest first."""
        from tui.query_text import CHOICES, EXAMPLES

        if field in CHOICES:
            return CHOICES[field]
        if field in EXAMPLES:
            return EXAMPLES[field]
        if field == "tag":
            tags = self.desk.library.tags()
            nested = {tag[:at] for tag in tags for at, char in enumerate(tag) if char == "/"}
            return sorted({*tags, *nested}, key=lambda tag: (-tags.get(tag, 0), tag))
        if field in ("name", "year", "source") and not self._gathering and not self._gathered:
            self._gathering = True
            self._gather()
        return self._gathered.get(field, ())

    @work(thread=True, group="gather")
    def _gather(self) -> None:
        """Look through all papers: not for the thread that draws."""
        library = self.desk.library
        names: set[str] = set()
        years: set[int] = set()
        files: dict[str, None] = {}
        for id in library.ids:
            try:
                row = library.row(id)
            except KeyError:  # papers.jsonl was made anew meanwhile
                continue
            names |= {row.name} if row.name else set()
            years |= {row.year} if row.year else set()
            files |= dict.fromkeys(row.files)
        self._gathered = {
            "name": sorted(names, key=str.casefold),
            "year": [str(year) for year in sorted(years, reverse=True)],
            "source": list(files),
        }
        self._gathering = False

    # Related papers

    def list_related(self) -> None:
        """List the papers nearest to the current one, once they are found."""
        if current := self.papers.current:
            self._relating, self.waiting = current, True
            self._relate(current)

    @work(thread=True, group="related")
    def _relate(self, id: str) -> None:
        library = self.desk.library
        near: Mapping[str, Sequence[str]] = {}
        try:
            library.prepare_in_child(lambda _done, _total: None)
            near = {paper.id: paper.terms for paper in library.related(id)}
        except LibraryError as error:
            self.post_message(Told(str(error)))
        self.post_message(Neared(id, near))

    def on_neared(self, event: Neared) -> None:
        if event.id != self._relating:
            return
        self._relating, self.waiting = None, False
        if not event.shared:
            self.say("nothing is related to it")
            return
        from index import query
        from index.finding import Found

        self._stood.append(Stood(self.desk.found, self.desk.shared, self.bar.placeholder, event.id))
        self.bar.set("")
        heading = self.desk.library.row(event.id).heading
        self._show(
            Found(query.parse(""), tuple(event.shared), "relevance"), event.shared, f"related to {heading}"
        )
        self.papers.top()
        self.open_list()

    def take(self, answer: Answered) -> None:
        if self._stood and answer.ticket == self._ticket:  # more was indexed: it is for what stood before
            self._stood[0] = replace(self._stood[0], found=answer.found)
        else:
            super().take(answer)

    def find_anew(self) -> None:
        """Ask the query again, for papers came in; from related papers, once they are left."""
        if self._stood:
            self._outdated = True
        else:
            self.find(self.asked, typing=False)

    @property
    def recalling(self) -> bool:
        """Whether something else than the answer to a query is listed."""
        return bool(self._stood)

    def back_from_related(self) -> None:
        """List again what stood before the related papers, or what else was put in its place."""
        stood = self._stood.pop()
        self._back_to = stood.current
        self._show(stood.found, stood.shared, stood.said)
        if self._stood:
            return
        self.bar.set(self.asked)
        if self._outdated:
            self._back_to = stood.current
            self.find(self.asked, typing=False)
        else:
            self.recheck()

    def _show(self, found: Found | None, shared: Mapping[str, Sequence[str]], said: str) -> None:
        self.desk.shared = shared
        self.desk.take(found)
        self.bar.placeholder = one_line(said)
        self._list(NOTHING)

    def begin_search(self) -> None:
        if self._stood:
            self.bar.set(self.asked)
        super().begin_search()

    def recheck(self) -> None:
        if not self._stood:
            super().recheck()

    def _tell_found(self) -> None:
        if self.desk.shared:
            self.query_one(FoundLine).show(right=f"{len(self.desk.ids)} related, nearest first ")
        else:
            super()._tell_found()
