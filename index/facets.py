"""How many papers have each status, tag, list and saved search: of all, or of those that a query finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from index.annotations import Annotations
from index.kept import Kept
from index.papers import STATUSES


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts by value; a value that none of the papers has is there with 0."""

    statuses: Mapping[str, int]
    """In their usual order."""
    tags: Mapping[str, int]
    """By name; a tag in which others are nested counts their papers too."""
    sources: Mapping[str, int]
    """The lists, in the order of import."""
    searches: Mapping[str, int]
    """The saved searches as they were last counted, the oldest first."""


class Counting:
    """The papers of one library by what they have, as sets that are kept until something changes."""

    def __init__(self, shelf: Kept, annotations: Annotations) -> None:
        self.shelf = shelf
        self._annotations = annotations
        self._seen: object = None
        self._all: frozenset[str] = frozenset()
        self._sources: dict[str, frozenset[str]] = {}
        self._state: Sequence[frozenset[str]] = ()
        self._tags: dict[str, frozenset[str]] = {}

    def facets(self, found: Iterable[str] | None, searches: Mapping[str, frozenset[str]]) -> Facets:
        """Of the papers `found`, or with None of all; `searches` are the papers of each saved search."""
        self._follow()
        ids = self._all if found is None else frozenset(found)
        statuses = dict(zip(STATUSES, (len(ids & held) for held in self._state), strict=True))
        statuses[STATUSES[0]] = len(ids) - sum(statuses[status] for status in STATUSES[1:])
        return Facets(
            statuses,
            {tag: len(ids & held) for tag, held in self._tags.items()},
            {file: len(ids & held) for file, held in self._sources.items()},
            {name: len(ids & held) for name, held in searches.items()},
        )

    def _follow(self) -> None:
        if self._seen != (seen := self.shelf.state):
            files: defaultdict[str, set[str]] = defaultdict(set)
            for row in self.shelf.rows():
                for file in row.files:
                    files[file].add(row.id)
            self._sources = {file: frozenset(ids) for file, ids in files.items()}
            self._all, self._seen = frozenset(self.shelf.ids), seen
        # The store gives the same sets until anything changes; whoever has a tag has a status.
        state = [self._annotations.with_status(status) for status in STATUSES]
        if len(state) != len(self._state) or any(a is not b for a, b in zip(state, self._state, strict=True)):
            names = {"/".join(tag.split("/")[:end]) for tag in self._annotations.tags() for end in _ends(tag)}
            self._tags = {name: self._annotations.tagged(name) for name in sorted(names)}
            self._state = state


def _ends(tag: str) -> range:
    """How many parts each tag has that `tag` is nested in, and itself."""
    return range(1, tag.count("/") + 2)
