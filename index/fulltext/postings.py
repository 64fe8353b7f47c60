"""Reading an index as plain arrays: who holds a form, how often, where.

Whoosh's own matchers walk one posting at a time and look up a column for each; a search here wants
every match, so the postings of a form are taken whole and kept while they are in use.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain, repeat
from operator import add
from typing import Any, Final

from index.fulltext.codec import Coded, Dictionary, places
from index.fulltext.schema import BARE

_KEPT: Final = 500_000
"""Postings kept in memory before they are dropped, or ten for each paper where that is more."""
PAPER: Final = 32
"""Bits to the right of the paper's number in a place of the whole index."""
_FEW: Final = 8  # times fewer papers, for which looking each up beats going through all


class Postings:
    """The papers that hold one form in one field: their numbers, and how often it stands in each."""

    __slots__ = ("_coded", "_ends", "_places", "counts", "docs")

    def __init__(self, docs: array[int], counts: array[int], coded: Sequence[Coded] = ()) -> None:
        """`coded` are places as `codec.decoded` gives them, one for each segment."""
        self.docs = docs
        self.counts = counts
        self._coded = coded
        self._places: array[int] | None = None
        self._ends: list[int] | None = None

    def _all_places(self) -> array[int]:
        if self._places is None:
            self._places = array("I", chain.from_iterable(map(places, self._coded)))
            self._coded = ()
        return self._places

    def spots(self, within: Collection[int] | None) -> Iterable[int]:
        """Where the form stands, as paper << 32 | place; in the papers `within`, and perhaps in others."""
        at = self._all_places()
        if within is None or len(within) * _FEW > len(self.docs):
            papers = map((1 << PAPER).__mul__, self.docs)
            return map(add, chain.from_iterable(map(repeat, papers, self.counts)), at)
        if self._ends is None:
            self._ends = list(accumulate(self.counts))
        found: list[int] = []
        for doc in within:
            n = bisect_left(self.docs, doc)
            if n < len(self.docs) and self.docs[n] == doc:
                base, end = doc << PAPER, self._ends[n]
                found += [base + place for place in at[end - self.counts[n] : end]]
        return found

    def only(self, alive: Collection[int]) -> Postings:
        """Without the papers that are no longer there."""
        kept = [n for n, doc in enumerate(self.docs) if doc in alive]
        if len(kept) == len(self.docs):
            return self
        ends, at = list(accumulate(self.counts)), self._all_places()
        left = Postings(array("I", [self.docs[n] for n in kept]), array("I", [self.counts[n] for n in kept]))
        if at:
            stretches = (at[ends[n] - self.counts[n] : ends[n]] for n in kept)
            left._places = array("I", chain.from_iterable(stretches))
        return left


class Snapshot:
    """An index as it stood when `reader` was opened. Papers are numbered as Whoosh numbers them."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._leaves = reader.leaf_readers() if reader.doc_count_all() else []
        # Read or opened now, since a commit by another process deletes files.
        self._dictionaries = [Dictionary(leaf._terms, base) for leaf, base in self._leaves]
        self._postings: dict[tuple[str, str], Postings] = {}
        self._size = 0
        self._buckets: dict[str, list[str]] = {}
        self._words = ""
        self.keys = [key.decode() for key in self._column("key")]
        """The id of each number, whether the paper is still there or not."""
        self.alive = frozenset(reader.all_doc_ids())
        self.numbers = {self.keys[doc]: doc for doc in self.alive}
        self.whole = len(self.alive) == len(self.keys)
        """Whether no paper was taken out since."""
        self._most = max(_KEPT, 10 * len(self.keys))
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
        """Let go of the files; a second time nothing is done."""
        self._dictionaries = []
        reader, self._reader = self._reader, None
        if reader:
            reader.close()

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
        return any(
            words.find(name, form) is not None for name in _LARGEST_FIRST for words in self._dictionaries
        )

    def begun(self, start: str, names: Iterable[str]) -> set[str]:
        """The forms that begin with `start`, in any of the fields."""
        return set(map(bytes.decode, self._begun(start, names)))

    def _begun(self, start: str, names: Iterable[str]) -> set[bytes]:
        found: set[bytes] = set()
        for name in names:
            for words in self._dictionaries:
                found.update(words.forms(name, start))
        return found

    def holders(self, name: str, start: str) -> Iterator[tuple[str, Sequence[int], float]]:
        """Each form of the field `name` that begins with `start`, who holds it, and how often on average.

        A form comes once for each segment.
        """
        found = chain.from_iterable(words.holders(name, start) for words in self._dictionaries)
        if self.whole:
            return found
        return ((form, [doc for doc in docs if doc in self.alive], mean) for form, docs, mean in found)

    def occurrences(self, name: str, start: str) -> int:
        """How often forms that begin with `start` stand in the field `name`, with papers that are gone."""
        return sum(words.occurrences(name, start) for words in self._dictionaries)

    def begun_postings(self, name: str, start: str, within: AbstractSet[int] | None) -> Iterator[Postings]:
        """The postings of forms of the field `name` that begin with `start` and stand in papers `within`."""
        for words in self._dictionaries:
            for docs, counts, spots in words.begun(name, start, within):
                found = Postings(docs, counts, (spots,))
                yield found if self.whole else found.only(self.alive)

    def bucket(self, start: str) -> list[str]:
        """`begun` over the fields of a bare word, kept."""
        kept = self._buckets.get(start)
        if kept is None:
            kept = self._buckets[start] = sorted(self.begun(start, BARE))
        return kept

    def words(self) -> str:
        """All forms that a bare word may find, in no order, each between line feeds."""
        if not self._words:
            self._words = b"\n".join((b"", *self._begun("", BARE), b"")).decode()
        return self._words

    def frequency(self, form: str) -> int:
        """In how many abstracts and headings `form` stands."""
        return sum(len(self.postings(name, form).docs) for name in ("abstract", "title"))

    def postings(self, name: str, form: str) -> Postings:
        """Who holds `form` in the field `name`."""
        kept = self._postings.get((name, form))
        if kept is None:
            kept = self._read(name, form)
            self._size += len(kept.docs) + 1
            if self._size > self._most:
                self._postings.clear()
                self._size = len(kept.docs)
            self._postings[name, form] = kept
        return kept

    def _read(self, name: str, form: str) -> Postings:
        docs, counts, coded = array("I"), array("I"), []
        for words in self._dictionaries:
            place = words.find(name, form)
            if place is not None:
                some, often, spots = words.postings(place)
                docs += some
                counts += often
                coded.append(spots)
        found = Postings(docs, counts, coded)
        return found if self.whole else found.only(self.alive)


_LARGEST_FIRST: Final = sorted(BARE, key=lambda name: name != "abstract")
