"""A query tree against the index: each node becomes the papers that it matches, with a score.

Trees are joined as sets, so every match is found, whatever it scores. Scores are BM25F: occurrences
weighted by field, saturated once for each leaf, and words that stand together score more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from index.fulltext.analysis import ODD, stem
from index.fulltext.postings import Postings, Snapshot
from index.fulltext.schema import BARE, BEGINS, identifier
from index.fulltext.slots import LEAVES, Leaf, Slot, demands, edits, neighbours, readings, slots
from index.query import And, Everything, Ids, Node, Not, Or, Range, Word

Scores = dict[int, float]

_SATURATION: Final = 1.2  # BM25's k1
_OTHER_FORM: Final = 0.7  # what another inflection of the word weighs
_TOGETHER: Final = 0.6  # what two words that stand together add, as a share of their scores
_LOOKED_AT: Final = 300  # the best matches in which it is looked for
_KEPT: Final = 100_000  # scores of leaves kept in memory before they are dropped


class Matching:
    """Evaluates trees over one snapshot, keeping the leaves it met: while a query is typed they return."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._index = snapshot
        self._kept: dict[Node, Scores] = {}
        self._size = 0
        self._families: dict[str, tuple[str, ...]] = {}
        self._nears: dict[str, tuple[str, ...]] = {}

    def matches(self, tree: Node) -> Scores:
        """Every paper that `tree` matches, by number."""
        if isinstance(tree, LEAVES):
            return self._leaf(tree)
        if isinstance(tree, And):
            return self._all(tree.parts)
        if isinstance(tree, Or):
            found: Scores = {}
            for part in tree.parts:
                for doc, score in self.matches(part).items():
                    found[doc] = found.get(doc, 0.0) + score
            return found
        if isinstance(tree, Not):
            return dict.fromkeys(sorted(self._index.alive - self.matches(tree.part).keys()), 0.0)
        if isinstance(tree, Everything):
            return dict.fromkeys(sorted(self._index.alive), 0.0)
        if isinstance(tree, Ids):
            numbers = self._index.numbers
            return dict.fromkeys(sorted(numbers[id] for id in tree.ids if id in numbers), 0.0)
        if isinstance(tree, Range):
            return self._range(tree)
        return {}

    def _all(self, parts: Sequence[Node]) -> Scores:
        asked = demands(parts)
        if not asked:
            return self.matches(Everything())
        found = []
        for part, also in asked:
            scores = self.matches(part)
            if also:
                scores = dict(scores)
                for joined in also:
                    for doc, score in self._joined(joined).items():
                        scores[doc] = max(scores.get(doc, 0.0), score)
            found.append(scores)
        least, *others = sorted(found, key=len)
        both = {doc: score for doc, score in least.items() if all(doc in other for other in others)}
        for other in others:
            for doc in both:
                both[doc] += other[doc]
        self._reward_neighbours(parts, both)
        return both

    def _reward_neighbours(self, parts: Sequence[Node], scores: Scores) -> None:
        """Add to the best of `scores` what words of the query that stand side by side are worth."""
        best = set(sorted(scores, key=scores.__getitem__, reverse=True)[:_LOOKED_AT])
        for a, b, row in neighbours(parts) if best else ():
            if row[-1].how == "begun" and len(row[-1].form) <= BEGINS:
                continue  # nearly anything stands beside
            share = _TOGETHER * (self._rarity(len(self._leaf(a))) + self._rarity(len(self._leaf(b))))
            for name, weight in _fields(a.field).items():
                for doc, count in self._row(name, row, best).items():
                    scores[doc] += share * weight * count / (weight * count + _SATURATION)

    def _leaf(self, leaf: Leaf) -> Scores:
        kept = self._kept.get(leaf)
        if kept is None:
            if leaf.field == "id":
                kept = self._identified(leaf.text)
            else:
                row = slots(leaf)
                kept = self._scored(list(readings(row, self._known)), leaf.field) if row else {}
            self._size += len(kept) + 1
            if self._size > _KEPT:
                self._kept.clear()
                self._size = len(kept)
            self._kept[leaf] = kept
        return kept

    def _joined(self, word: Word) -> Scores:
        return self._scored([slots(word)], word.field)

    def _scored(self, rows: Iterable[Sequence[Slot]], field: str | None) -> Scores:
        counts: dict[int, float] = defaultdict(float)
        for row in rows:
            if len(row) == 1:
                self._count(row[0], field, counts)
            else:
                for name, weight in _fields(field).items():
                    for doc, count in self._row(name, row).items():
                        counts[doc] += weight * count
        rarity = self._rarity(len(counts)) * (_SATURATION + 1)
        norms = self._index.norms
        return {doc: rarity * n / (n + _SATURATION * norms[doc]) for doc, n in counts.items()}

    def _count(self, slot: Slot, field: str | None, counts: dict[int, float]) -> None:
        """Add to `counts` the weighted occurrences of one piece."""
        if slot.how == "begun" and field is None and len(slot.form) <= BEGINS:
            for doc in self._index.postings("begins", slot.form).docs:
                counts[doc] += 1.0
            slot = Slot(slot.form)
        for name, weight in _fields(field).items():
            if slot.how == "begun":
                for form, docs, count in self._index.holders(name, slot.form):
                    share = weight * count * (1.0 if form == slot.form else _OTHER_FORM)
                    for doc in docs:
                        counts[doc] += share
            for form in self._forms(slot, name):
                postings = self._index.postings(name, form)
                share = weight * (1.0 if form == slot.form else _OTHER_FORM)
                for doc, count in zip(postings.docs, postings.counts, strict=True):
                    counts[doc] += share * count

    def _row(self, name: str, row: Sequence[Slot], within: set[int] | None = None) -> Mapping[int, int]:
        """How often the pieces of `row` stand side by side in the field `name`, by paper."""
        docs = within
        columns: list[tuple[int, dict[int, list[Postings]]]] = []
        for place, slot in sorted(enumerate(row), key=lambda one: one[1].how in ("begun", "near")):
            column = self._column(name, slot, docs)
            if not column:
                return {}
            docs = set(column)
            columns.append((place, column))
        found: dict[int, int] = {}
        for doc in docs or ():
            starts: set[int] = set()
            for place, column in reversed(columns):
                here = {at - place for postings in column[doc] for at in postings.places(doc)}
                starts = starts & here if starts else here
                if not starts:
                    break
            if starts:
                found[doc] = len(starts)
        return found

    def _column(self, name: str, slot: Slot, within: set[int] | None) -> dict[int, list[Postings]]:
        """Who of those `within` holds in the field `name` what `slot` accepts, and where to look it up."""
        column: dict[int, list[Postings]] = {}
        found = list(self._forms(slot, name))
        if slot.how == "begun":
            for form, docs, _ in self._index.holders(name, slot.form):
                if within is None or not within.isdisjoint(docs):
                    found.append(form)
        for form in dict.fromkeys(found):
            postings = self._index.postings(name, form)
            for doc in postings.docs if within is None else within.intersection(postings.docs):
                column.setdefault(doc, []).append(postings)
        return column

    def _forms(self, slot: Slot, name: str) -> Sequence[str]:
        """The forms of the index that `slot` accepts; where it has begun, those it does not begin."""
        if name not in BARE or slot.how == "exact":
            return (slot.form,) if slot.how != "begun" else ()
        if slot.how == "near":
            return self._near(slot.form)
        family = self._family(slot.form)
        return [form for form in family if not form.startswith(slot.form)] if slot.how == "begun" else family

    def _known(self, slot: Slot) -> bool:
        return self._index.has(slot.form) or (slot.how == "word" and bool(self._family(slot.form)))

    def _family(self, form: str) -> tuple[str, ...]:
        """The forms of the index that share a stem with `form`."""
        if len(form) == 1:
            return (form,)
        family = self._families.get(form)
        if family is None:
            root = stem(form)
            british = (root.replace("e", "ae", 1), root.replace("e", "oe", 1))  # paediatric, oestrogen
            same = 3 if len(root) > 3 else 2  # letters that no inflection changes: use, using; try, tries
            starts = {word[:same] for word in (form, root, *british, *ODD.get(root, ()))}
            near = set().union(*map(self._index.bucket, starts))
            family = tuple(sorted(one for one in near if stem(one) == root))
            self._families[form] = family
        return family

    def _near(self, form: str) -> tuple[str, ...]:
        near = self._nears.get(form)
        if near is None:
            other = (one for one in self._index.bucket("") if edits(form, one, 1) <= 1)
            near = self._nears[form] = tuple(sorted({*self._family(form), *other}))
        return near

    def _identified(self, text: str) -> Scores:
        start = identifier(text)
        forms = self._index.begun(start, ("id",)) if start else ()
        holders = {doc for form in forms for doc in self._index.postings("id", form).docs}
        return dict.fromkeys(sorted(holders), 0.0)

    def _range(self, asked: Range) -> Scores:
        alive = sorted(self._index.alive)
        if asked.field == "year":
            low = 1 if asked.low is None else int(asked.low)
            high = 9999 if asked.high is None else int(asked.high)
            years = self._index.years
            return {doc: 0.0 for doc in alive if years[doc] and low <= years[doc] <= high}
        if asked.field == "date":
            first, last = str(asked.low or ""), str(asked.high or "9")
            dates = self._index.dates
            # A date may be a year or a month alone, and is then each of its days.
            return {
                doc: 0.0 for doc in alive if dates[doc] and dates[doc] <= last and dates[doc] + "-99" >= first
            }
        return {}

    def _rarity(self, count: int) -> float:
        """BM25's inverse document frequency of what stands in `count` papers."""
        return math.log(1 + (len(self._index.alive) - count + 0.5) / (count + 0.5))


def _fields(name: str | None) -> Mapping[str, float]:
    return BARE if name is None else {name: BARE.get(name, 1.0)}
