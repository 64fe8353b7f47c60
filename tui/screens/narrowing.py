"""The sidebar and the saved searches, with their counts."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from textual import work
from textual.message import Message

from index.clean import clean, one_line
from index.library import Library, LibraryError, Search, Step
from tui.desk import list_name
from tui.panes.sidebar import Choice, Sidebar
from tui.screens.going import Going

if TYPE_CHECKING:
    from index.facets import Facets
    from tui.screens.picker import Pick, Picker

SAVED: Final = "saved searches"
QUEUES: Final = {
    "later": "status:later", "due today": "is:due", "new": "added:last", "unread": "status:unread",
}  # fmt: skip
"""What waits for the reader: a name, and the query. A saved search of the same name takes its place."""


class Counted(Message):
    """How many of the listed papers have what and are in which queue; it answers the count of this number."""

    def __init__(self, number: int, facets: Facets, queues: Mapping[str, int]) -> None:
        super().__init__()
        self.number = number
        self.facets = facets
        self.queues = queues


class SavedCounted(Message):
    """How many papers each saved search finds."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        super().__init__()
        self.counts = counts


class Narrowing(Going):
    """The part of the reading screen that narrows a query, and saves it."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self.side = Sidebar(id="side")
        self.set_class(library.state.get("sidebar") is True, "-side")
        self._counting = threading.Lock()
        self._number = 0
        """Of the latest count."""
        self._facets: Facets | None = None
        self._queued: dict[str, frozenset[str]] = {}
        """The papers of each queue, as last looked for."""
        self._newest: tuple[int, int] = 0, 0
        """Of which papers the newest were looked for: that goes through all."""
        self._in_queues: Mapping[str, int] = {}
        """How many of the listed papers are in each queue."""
        self._picker: Picker | None = None

    @abstractmethod
    def do(self, step: Step | None, same: str = "nothing to change") -> None:
        """Make a step, or say that there is none to make."""

    def _list(self, empty: str) -> None:
        super()._list(empty)
        self.count()

    # The sidebar

    @property
    def side_open(self) -> bool:
        """Whether the sidebar is open; on a narrow screen it is seen while it has the focus."""
        return self.has_class("-side")

    def toggle_side(self) -> None:
        """Open the sidebar, or close it where it is seen."""
        if self.has_class("-aside") or (self.side_open and not self.has_class("-narrow")):
            self.remove_class("-side")
            if self.focused is self.side:
                self.open_list()
        else:
            self.add_class("-side")
            self.open_side()
        self.desk.library.state["sidebar"] = self.side_open

    def open_side(self) -> None:
        """Give the keys to the sidebar."""
        self.add_class("-aside")
        self.set_focus(self.side)
        self.count()
        self._count_saved()

    def on_descendant_focus(self) -> None:
        self.set_class(self.focused is self.side, "-aside")

    def on_sidebar_chosen(self) -> None:
        self.choose()

    def choose(self) -> None:
        """Put what is under the sidebar's cursor into the query, or take it out."""
        choice = self.side.current
        if choice is None:
            return
        if choice.group == SAVED and not self.asked.strip():
            self._run_saved(choice.label)
            return
        from tui.query_text import toggled

        text = toggled(self.asked, choice.term)
        self.bar.set(text)
        self.find(text, typing=False)

    def count(self) -> None:
        """Count anew what the sidebar shows, where it is open."""
        if self.side_open and self.is_mounted:
            self._number += 1
            self._count(self._number, None if self.desk.found is None else self.desk.whole)
            self._show_side()

    @work(thread=True, group="count", description="")  # or all ids would be set down as text
    def _count(self, number: int, ids: Sequence[str] | None) -> None:
        with self._counting:
            if number == self._number:  # else a later one is on its way
                listed = None if ids is None else frozenset(ids)
                queues = {
                    name: len(papers if listed is None else papers & listed)
                    for name, papers in list(self._queued.items())
                }
                self.post_message(Counted(number, self.desk.library.facets(listed), queues))

    def on_counted(self, event: Counted) -> None:
        if event.number == self._number:
            self._facets, self._in_queues = event.facets, event.queues
            self._show_side()

    def _show_side(self) -> None:
        if self._facets:
            self.side.show(list(self._choices(self._facets)))

    def _choices(self, facets: Facets) -> Iterator[Choice]:
        from tui.query_text import held, term

        inside = held(self.asked)

        def choice(group: str, label: str, term: str, count: int | None) -> Choice:
            parts = held(term)
            return Choice(group, label, term, count, chosen=bool(parts) and parts <= inside)

        for name, query in self._queues.items():
            yield choice("queues", name, query, self._in_queues.get(name))
        for search in self.desk.library.searches():
            yield choice(SAVED, search.name, f"({search.query})", facets.searches.get(search.name))
        for tag, count in facets.tags.items():
            yield choice("tags", tag, term("tag", tag), count)
        for status, count in facets.statuses.items():
            yield choice("statuses", status, term("status", status), count)
        for file, count in facets.sources.items():
            yield choice("lists", list_name(file), term("source", file), count)

    # Saved searches

    def recount(self) -> None:
        """Count anew, also what the saved searches find: something was changed."""
        self._gathered = {}
        self.count()
        if self.side_open and self.is_mounted:
            self._count_saved()

    @work(thread=True, exclusive=True, group="saved")
    def _count_saved(self) -> None:
        library = self.desk.library
        try:
            library.prepare_in_child(lambda _done, _total: None)
            counts = library.count_saved(lambda: not self.is_running)
            newest, queues = (id(library.ids), len(library.ids)), self._queues
            for name, query in queues.items():
                if name != "new" or newest != self._newest or name not in self._queued:
                    self._queued[name] = library.ids_of(query)
            self._newest = newest
        except LibraryError:  # the search worker has told of it
            return
        waiting = {name: len(self._queued[name]) for name in queues}
        self.post_message(SavedCounted({**waiting, **counts}))

    def on_saved_counted(self, event: SavedCounted) -> None:
        self.count()
        if self._picker and self._picker.is_attached:
            self._picker.show(self._picks(event.counts))

    @property
    def _queues(self) -> dict[str, str]:
        """The queues and their queries, but for those whose name a saved search has."""
        saved = {search.name for search in self.desk.library.searches()}
        return {name: query for name, query in QUEUES.items() if name not in saved}

    def _picks(self, counts: Mapping[str, int]) -> list[Pick]:
        from tui.screens.picker import Pick

        saved = {search.name: search.query for search in self.desk.library.searches()}
        picks = {**saved, **self._queues}
        return [Pick(name, query, counts.get(name)) for name, query in picks.items()]

    def pick_search(self) -> None:
        """Let a queue or a saved search be picked, and run it."""
        from tui.screens.picker import Picker

        nothing = "no such search; F saves the query"
        self._picker = Picker(
            "Saved searches and queues", self._picks({}), nothing=nothing, delete=self._delete_saved
        )
        self.open_dialog(self._picker, self._run_saved)
        self._count_saved()

    def _delete_saved(self, name: str) -> bool:
        step = self.desk.library.delete_search(name)
        self.do(step, same=f"{name} is always here")
        return step is not None

    def _run_saved(self, name: str) -> None:
        try:
            queue = self._queues.get(name)
            search = Search(name, queue, None) if queue else self.desk.library.saved(name)
        except LibraryError as error:
            self.say(str(error))
            return
        self.sorted_by = search.sort
        self.bar.set(search.query)
        self.remember(search.query)
        self.find(search.query, typing=False)

    def ask_for_name(self) -> None:
        """Save the query that is listed, under a name that is asked for."""
        library, text, sort = self.desk.library, self.asked.strip(), self.sorted_by

        def save(name: str) -> None:
            name = one_line(clean(name)).strip()
            queue = self._queues.get(name)
            try:
                self.do(library.save_search(Search(name, text, sort)), "saved as it is")
                if queue:
                    self.say(f"{name} is this search now, and no longer the queue {queue}; u takes it back")
            except LibraryError as error:
                raise ValueError(str(error)) from error

        try:
            library.save_search(Search("a name", text, sort))
        except LibraryError as error:  # better before a name is asked for
            self.say(str(error))
        else:
            self.ask("Save this search", "", f"the name of: {text}", save)
