"""The order of papers: by relevance, import, heading, year, or what the reader gave them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from index.annotations import Annotations
from index.papers import STATUSES, Annotation

if TYPE_CHECKING:
    from index.kept import Kept

SORTS: Final = ("relevance", "added", "title", "year", "status", "rating", "due", "opened")
_RUN: Final = 1 << 13
"""Papers sorted at once, in about 1 ms."""
_NEVER: Final = "9"
"""After every date."""
_LAST: Final = "\U0010ffff"
"""After every heading."""


class Sorting:
    """Sorts papers of one library, and knows their headings. For one thread."""

    def __init__(self, shelf: Kept, annotations: Annotations) -> None:
        self._shelf, self._annotations = shelf, annotations
        self._read: dict[str, str] = {}
        self._read_of: object = None
        """The headings of the shelf, and its state when they were read."""
        self._given: dict[str, str] | None = None
        self._headings: Mapping[str, str] = {}
        """The titles that the reader gave, and the headings with them."""
        self._alphabet: Sequence[str] = ()
        """All papers by heading; none until that is asked for."""

    def sorted(self, scores: Mapping[str, float], sort: str, opened: Mapping[str, str]) -> tuple[str, ...]:
        """The papers of `scores` by `sort`; what has no value comes last, and ties keep the order of import.

        `opened` says when each paper was last opened. Raises ValueError for a sort that is not known.
        """
        by_import = filter(scores.__contains__, self._shelf.ids)
        match sort:
            case "added":
                return tuple(by_import)
            case "relevance":
                return _ranked(by_import, scores.__getitem__, reverse=True)
            case "title":
                return tuple([id for id in self._by_heading() if id in scores])
            case "year":
                years = {row.id: row.year or 0 for row in self._shelf.rows()}
                return _ranked(by_import, years.__getitem__, reverse=True)
            case "status":
                with_status = enumerate(map(self._annotations.with_status, STATUSES))
                status = {one: place for place, ids in with_status for one in ids}
                return _ranked(by_import, lambda one: status.get(one, 0))
            case "rating":
                return _ranked(by_import, self._own(lambda told: -(told.rating or 0), 0))
            case "due":
                return _ranked(by_import, self._own(lambda told: told.due or _NEVER, _NEVER))
            case "opened":
                latest = {one: -place for place, one in enumerate(sorted(opened, key=opened.__getitem__))}
                return _ranked(by_import, lambda one: latest.get(one, 1))
            case _:
                raise ValueError(f"unknown sort {sort!r}; known are: {', '.join(SORTS)}")

    def headings(self) -> Mapping[str, str]:
        """The title that the reader gave each paper, else its heading; empty when there is neither."""
        shelf = self._shelf
        if self._read_of != shelf.state:
            read = dict(shelf.headings())
            for id in shelf.ids:
                if id not in read:  # its line is damaged: asking for it makes the list anew
                    row = shelf.row(id)
                    read[id] = row.heading if row.titled or row.derived else ""
            self._read = {id: read[id] for id in shelf.ids}
            self._read_of, self._given = shelf.state, None
        given = {id: told.title for id, told in self._annotations.items() if told.title and id in self._read}
        if self._given != given:
            self._given, self._headings, self._alphabet = given, self._read | given, ()
        return self._headings

    def _by_heading(self) -> Sequence[str]:
        headings = self.headings()
        if not self._alphabet:
            folded = {id: heading.casefold() or _LAST for id, heading in headings.items()}
            runs = _runs(folded, folded.__getitem__)
            # Strings compare slowly: one call that sorts all would hold up the screen for 50 ms at 100,000.
            self._alphabet = tuple(merge(*runs, key=folded.__getitem__))
        return self._alphabet

    def _own(self, value: Callable[[Annotation], Any], without: Any) -> Callable[[str], Any]:
        """What the reader gave a paper as a key to sort by; `without` where she wrote nothing about it."""
        values = {id: value(told) for id, told in self._annotations.items()}
        return lambda one: values.get(one, without)


def _ranked(ids: Iterable[str], key: Callable[[str], Any], *, reverse: bool = False) -> tuple[str, ...]:
    """`ids` by `key`. Sorted in parts and then whole: while a call sorts, no other thread goes on."""
    runs = _runs(ids, key, reverse=reverse)
    return tuple(sorted(chain.from_iterable(runs), key=key, reverse=reverse))


def _runs(ids: Iterable[str], key: Callable[[str], Any], *, reverse: bool = False) -> Iterator[list[str]]:
    """`ids` in parts that are sorted."""
    ids = iter(ids)
    while some := sorted(islice(ids, _RUN), key=key, reverse=reverse):
        yield some
