"""Which papers have what: sets of ids, turned round, so that a predicate reads no annotation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from index.note_links import linked
from index.papers import STATUSES, Annotation

Holder: TypeAlias = Annotation | Mapping[str, Any] | None
"""What the reader wrote about a paper: an annotation, its document, or nothing."""


class Facets:
    """Sets of ids by kind (status, tag, rating, …) and value, kept up one paper at a time."""

    def __init__(self) -> None:
        self._ids: defaultdict[str, dict[Hashable, set[str]]] = defaultdict(dict)
        self._answers: dict[tuple[str, tuple[Hashable, ...]], frozenset[str]] = {}

    def fill(self, holders: Mapping[str, Holder]) -> None:
        """These papers, of which none was known, have these."""
        for paper, holder in holders.items():
            for kind, value in _traits(holder):
                self._ids[kind].setdefault(value, set()).add(paper)

    def move(self, paper: str, old: Holder, new: Holder) -> None:
        """`paper` had `old` and now has `new`."""
        before, after = set(_traits(old)), set(_traits(new))
        for kind, value in before - after:
            ids = self._ids[kind][value]
            ids.discard(paper)
            if not ids:
                del self._ids[kind][value]
        for kind, value in after - before:
            self._ids[kind].setdefault(value, set()).add(paper)
        self._answers.clear()

    def ids(self, kind: str, values: Iterable[Hashable]) -> frozenset[str]:
        """The papers that have any of `values`; asked again before anything changed, the same set."""
        asked = kind, tuple(values)
        if asked not in self._answers:
            known = self._ids[kind]
            self._answers[asked] = frozenset().union(*(known[value] for value in asked[1] if value in known))
        return self._answers[asked]

    def counts(self, kind: str) -> dict[Hashable, int]:
        """How many papers have each value."""
        return {value: len(ids) for value, ids in self._ids[kind].items()}


def _traits(holder: Holder) -> Iterator[tuple[str, Hashable]]:
    if holder is None:
        return
    get = partial(getattr, holder) if isinstance(holder, Annotation) else holder.get
    for kind in ("removed", "joined"):
        if get(kind, None):
            yield kind, True
            return
    yield "status", get("status", STATUSES[0])
    for tag in get("tags", ()):
        yield "tag", tag
    for kind in ("rating", "due", "doi", "arxiv"):
        if value := get(kind, None):
            yield kind, value
    for kind in ("starred", "note", "highlights"):
        if get(kind, None):
            yield kind, True
    for id in linked(get("note", "")):
        yield "link", id
