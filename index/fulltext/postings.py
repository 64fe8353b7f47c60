"""Reading a Whoosh index as plain lists: who holds a form, how often, where.

Whoosh's own matchers walk one posting at a time and look up a column for each; a search here wants
every match, so postings are taken a block at a time and kept while they are in use.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from index.fulltext.schema import BARE, Row

_KEPT: Final = 100_000
"""Postings kept in memory before they are dropped."""


@dataclass(slots=True)
class Postings:
    """The papers that hold one form in one field: their numbers, how often, and Whoosh's coded places."""

    docs: list[int] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)
    _places: list[bytes] = field(default_factory=list)
    _at: dict[int, bytes] = field(default_factory=dict)

    def places(self, doc: int) -> list[int]:
        """Where the form stands in `doc`; nowhere when it does not."""
        if not self._at:
            self._at = dict(zip(self.docs, self._places, strict=True))
        coded = self._at.get(doc)
        found: list[int] = Row.format.decode_positions(coded) if coded is not None else []
        return found


_NOTHING: Final = Postings()


class Snapshot:
    """An index as it stood when `reader` was opened. Papers are numbered as Whoosh numbers them."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._leaves = reader.leaf_readers() if reader.doc_count_all() else []
        self._postings: dict[tuple[str, str], Postings] = {}
        self._size = 0
        self._buckets: dict[str, list[str]] = {}
        self.fields = frozenset(reader.indexed_field_names())
        self.keys = [key.decode() for key in self._column("key")]
        """The id of each number, whether the paper is still there or not."""
        self.alive = frozenset(reader.all_doc_ids())
        self.numbers = {self.keys[doc]: doc for doc in self.alive}
        # Read or opened now, since a commit by another process deletes files.
        self.years: list[int] = self._column("year")
        """The year of each number, 0 where there is none."""
        self.dates = [date.decode() for date in self._column("date")]
        """The date of each number, empty where there is none."""
        for leaf, _ in self._leaves:
            leaf.stored_fields(0)
        lengths = self._column("length")
        mean = sum(lengths[doc] for doc in self.alive) / max(len(self.alive), 1) or 1.0
        self.norms = [0.6 + 0.4 * length / mean for length in lengths]
        """BM25's denominator for each number, with b = 0.4: abstracts differ little in length."""

    def close(self) -> None:
        self._reader.close()

    def _column(self, name: str) -> list[Any]:
        return [
            value for leaf, _ in self._leaves for value in leaf.column_reader(name, translate=False).load()
        ]

    def bag(self, doc: int) -> str:
        """What `schema.bag` made of a paper."""
        found: str = self._reader.stored_fields(doc)["bag"]
        return found

    def has(self, form: str) -> bool:
        """Whether any field that a bare word searches holds `form`."""
        return any(name in self.fields and (name, form) in self._reader for name in BARE)

    def begun(self, start: str, names: Iterable[str]) -> set[str]:
        """The forms that begin with `start`, in any of the fields."""
        return {form for name in names for form, *_ in self._prefixed(name, start)}

    def holders(self, name: str, start: str) -> Iterator[tuple[str, Sequence[int], float]]:
        """Each form of the field `name` that begins with `start`, who holds it, and how often on average."""
        whole = len(self.alive) == len(self.keys)
        for form, info, base, end in self._prefixed(name, start):
            count = info.doc_frequency()
            if count <= 2:  # most forms: the dictionary knows the first and the last holder
                docs: Sequence[int] = sorted({base + info.min_id(), base + info.max_id()})
            else:
                docs = self.postings(name, form).docs
                docs = docs[bisect_left(docs, base) : bisect_left(docs, end)]
            if not whole:
                docs = [doc for doc in docs if doc in self.alive]
            yield form, docs, info.weight() / count

    def _prefixed(self, name: str, start: str) -> Iterator[tuple[str, Any, int, int]]:
        """Forms, what Whoosh's dictionary says of them, and the numbers of that segment."""
        if name in self.fields:
            for leaf, base in self._leaves:
                end = base + leaf.doc_count_all()
                for form, info in leaf.iter_prefix(name, start):
                    yield form.decode(), info, base, end

    def bucket(self, start: str) -> list[str]:
        """`begun` over the fields of a bare word, kept."""
        kept = self._buckets.get(start)
        if kept is None:
            kept = self._buckets[start] = sorted(self.begun(start, BARE))
        return kept

    def frequency(self, form: str) -> int:
        """In how many abstracts and headings `form` stands."""
        return sum(len(self.postings(name, form).docs) for name in ("abstract", "title"))

    def postings(self, name: str, form: str) -> Postings:
        """Who holds `form` in the field `name`."""
        kept = self._postings.get((name, form))
        if kept is None:
            kept = self._read(name, form) if name in self.fields else _NOTHING
            self._size += len(kept.docs) + 1
            if self._size > _KEPT:
                self._postings.clear()
                self._size = len(kept.docs)
            self._postings[name, form] = kept
        return kept

    def _read(self, name: str, form: str) -> Postings:
        found = Postings()
        for leaf, base in self._leaves:
            if (name, form) not in leaf:
                continue
            for docs, counts, places in _blocks(leaf.postings(name, form)):
                found.docs += [base + doc for doc in docs]
                found.counts += counts
                found._places += places
        if len(self.alive) < len(self.keys) and not self.alive.issuperset(found.docs):
            kept = [at for at, doc in enumerate(found.docs) if doc in self.alive]
            return Postings(
                [found.docs[at] for at in kept],
                [found.counts[at] for at in kept],
                [found._places[at] for at in kept],
            )
        return found


def _blocks(matcher: Any) -> Iterator[tuple[Iterable[int], Iterable[float], Iterable[bytes]]]:
    """The blocks of 128 that Whoosh's third codec writes; its matcher drops what is deleted one by one."""
    while not hasattr(matcher, "_read_ids"):
        matcher = matcher.child
    while matcher.is_active():
        matcher._read_ids()
        matcher._read_weights()
        matcher._read_values()
        yield matcher._ids, matcher._weights, matcher._values
        matcher._next_block()
