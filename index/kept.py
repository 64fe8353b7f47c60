"""The papers on the shelf as the reader has them: without the removed, and those that she joined as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from index import list_rows
from index.annotations import Annotations
from index.papers import Paper
from index.shelf import Parts, Row, Shelf, asked_keys


class Kept:
    """A view of a shelf, which goes with every change of either. Not for two threads that write at once."""

    def __init__(self, shelf: Shelf, annotations: Annotations) -> None:
        self.shelf = shelf
        self._annotations = annotations
        self._of: object = None
        self._ids: Sequence[str] = ()
        self._joined_of: tuple[frozenset[str], int] | None = None
        self._hidden: frozenset[str] = frozenset()
        self._hidden_of: tuple[frozenset[str], Mapping[str, str]] | None = None
        self._roots: dict[str, str] = {}
        self._parts: dict[str, list[str]] = {}

    @property
    def joined(self) -> Mapping[str, str]:
        """Papers that are one with an earlier one: each with that, as which it is listed."""
        marked, length = self._annotations.joined(), len(self.shelf)
        if self._joined_of is None or self._joined_of[0] is not marked or self._joined_of[1] != length:
            self._joined_of = marked, length
            told = {id: self._annotations.get(id).joined for id in marked if id in self.shelf}
            self._roots = {id: root for id in told if (root := self._end(id, told)) != id}
            parts = defaultdict(list)
            for id in sorted(self._roots, key=self.shelf.place):
                parts[self._roots[id]].append(id)
            self._parts = dict(parts)
        return self._roots

    def _end(self, id: str, told: Mapping[str, str | None]) -> str:
        """The paper at the end of a chain of joins; of a ring, which two machines may make, the first."""
        seen = [id]
        while (after := told.get(seen[-1])) is not None and after in self.shelf:
            if after in seen:
                return min(seen[seen.index(after) :], key=self.shelf.place)
            seen.append(after)
        return seen[-1]

    @property
    def parts(self) -> Parts:
        """The papers that are one with an earlier one, by the id of that, in the order of import."""
        return self._parts if self.joined else {}

    def root(self, id: str) -> str:
        """The paper as which this one is listed: itself, unless it is one with an earlier one."""
        return self.joined.get(id, id)

    @property
    def hidden(self) -> frozenset[str]:
        """Papers that are not listed: removed, which an undo brings back, or one with an earlier one."""
        removed, joined = self._annotations.removed(), self.joined
        if not joined:
            return removed
        if self._hidden_of is None or self._hidden_of[0] is not removed or self._hidden_of[1] is not joined:
            self._hidden, self._hidden_of = removed.union(joined), (removed, joined)
        return self._hidden

    @property
    def ids(self) -> Sequence[str]:
        """The papers that are listed, in the order of import; the same object until one comes or goes."""
        hidden = self.hidden
        if not hidden:
            return self.shelf.ids
        of = len(self.shelf.ids), hidden
        if self._of != of:
            self._ids, self._of = [id for id in self.shelf.ids if id not in hidden], of
        return self._ids

    @property
    def stamp(self) -> dict[str, Any]:
        """Which state of the papers this is, as the search index has it: with what is joined."""
        return {**self.shelf.stamp, "joined": dict(self.joined)} if self.joined else self.shelf.stamp

    @property
    def state(self) -> tuple[dict[str, Any], frozenset[str]]:
        """What tells one state of the papers from another."""
        return self.stamp, self.hidden

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self.shelf and id not in self.hidden

    def row(self, id: str) -> Row:
        """The list's line of a paper, with what its parts know. Raises KeyError."""
        row, parts = self.shelf.row(id), self.parts.get(id)
        return list_rows.as_one(row, map(self.shelf.row, parts)) if parts else row

    def rows(self) -> Iterator[Row]:
        """The lines of all papers, in the order of import."""
        parts = self.parts
        for id in self.ids:
            yield self.row(id) if id in parts else self.shelf.row(id)

    def papers(self, ids: Iterable[str]) -> list[Paper]:
        """Some papers with all that their records say; one that is gone is left out. Raises OSError."""
        return self.shelf.some(list(ids), self.parts)

    def headings(self) -> Iterator[tuple[str, str]]:
        """Each paper's id and heading, empty where it has none; may run in another thread."""
        hidden = self.hidden
        told = {id: self.row(id).heading for id in self.parts}
        return ((id, told.get(id, heading)) for id, heading in self.shelf.headings() if id not in hidden)

    def resolve(self, text: str) -> list[str]:
        """The ids that `text` can mean: an id, a prefix of one, a DOI, an arXiv or a PubMed id."""
        found = dict.fromkeys(map(self.root, self.shelf.resolve(text)))
        return [id for id in found if id not in self.hidden]

    def resolve_given(self, text: str) -> list[str]:
        """As `resolve`, by the identifiers that the reader gave."""
        keys, given = asked_keys(text.strip().lower()), self._annotations.given()
        return [id for id in dict.fromkeys(given[key] for key in keys if key in given) if id in self]
