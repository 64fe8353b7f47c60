"""The papers on the shelf without those that the reader removed: what is listed, found and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from index.annotations import Annotations
from index.shelf import Row, Shelf, asked_keys


class Kept:
    """A view of a shelf, which goes with every change of either. Not for two threads that write at once."""

    def __init__(self, shelf: Shelf, annotations: Annotations) -> None:
        self.shelf = shelf
        self._annotations = annotations
        self._of: tuple[int, frozenset[str]] | None = None
        self._ids: Sequence[str] = ()

    @property
    def removed(self) -> frozenset[str]:
        """Papers that the reader removed; they stay on the shelf, and an undo brings them back."""
        return self._annotations.removed()

    @property
    def ids(self) -> Sequence[str]:
        """The papers that are left, in the order of import; the same object until one comes or goes."""
        removed = self.removed
        if not removed:
            return self.shelf.ids
        of = len(self.shelf.ids), removed
        if self._of != of:
            self._ids, self._of = [id for id in self.shelf.ids if id not in removed], of
        return self._ids

    @property
    def state(self) -> tuple[dict[str, Any], frozenset[str]]:
        """What tells one state of the papers from another."""
        return self.shelf.stamp, self.removed

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self.shelf and id not in self.removed

    def row(self, id: str) -> Row:
        """The list's line of a paper. Raises KeyError."""
        return self.shelf.row(id)

    def headings(self) -> Iterator[tuple[str, str]]:
        """Each paper's id and heading, empty where it has none; may run in another thread."""
        removed = self.removed
        return ((id, heading) for id, heading in self.shelf.headings() if id not in removed)

    def resolve(self, text: str) -> list[str]:
        """The ids that `text` can mean: an id, a prefix of one, a DOI, an arXiv or a PubMed id."""
        return [id for id in self.shelf.resolve(text) if id not in self.removed]

    def resolve_given(self, text: str) -> list[str]:
        """As `resolve`, by the identifiers that the reader gave."""
        keys, given = asked_keys(text.strip().lower()), self._annotations.given()
        return [id for id in dict.fromkeys(given[key] for key in keys if key in given) if id in self]
