"""A query tree against the index: each node becomes the papers that it matches, with a score.

Trees are joined as sets, so every match is found, whatever it scores. Scores are BM25F: occurrences
weighted by field, saturated once for each leaf, and words that stand together score more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import Final

from index.fulltext.acronyms import FIELDS, Acronyms
from index.fulltext.analysis import ODD, may_share, stem
from index.fulltext.postings import PAPER, Snapshot
from index.fulltext.schema import BARE, BEGINS, identifier
from index.fulltext.slots import LEAVES, Leaf, Slot, demands, near_by, neighbours, readings, said, slots
from index.fulltext.spelling import may_become
from index.query import And, Everything, Ids, Node, Not, Or, Range, Word

Scores = dict[int, float]

_SATURATION: Final = 1.2  # BM25's k1
_OTHER_FORM: Final = 0.7  # what another inflection of the word weighs
_TOGETHER: Final = 0.6  # what two words that stand together add, as a share of their scores
_LOOKED_AT: Final = 300  # the best matches in which it is looked for
_STEP: Final = 1 << 14  # spots taken at once, in about 1 ms
_KEPT: Final = 100_000  # scores of leaves kept in memory before they are dropped, or four a paper


class Matching:
    """Evaluates trees over one snapshot, keeping the leaves it met: while a query is typed they return."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._index = snapshot
        self._kept: dict[Node, Scores] = {}
        self._size = 0
        self._most = max(_KEPT, 4 * len(snapshot.keys))
        self._norms = [_SATURATION * norm for norm in snapshot.norms]
        self._families: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._nears: dict[str, tuple[str, ...]] = {}
        self._knowns: dict[Slot, bool] = {}
        self.acronyms = Acronyms(snapshot)

    def matches(self, tree: Node) -> Scores:
        """Every paper that `tree` matches, by number."""
        if isinstance(tree, LEAVES):
            return self._leaf(tree)
        if isinstance(tree, And):
            return self._all(tree.parts)
        if isinstance(tree, Or):
            found: Scores = {}
            for part in tree.parts:
                scores = self.matches(part)
                _add(found, scores.keys(), scores.values())
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
        found: list[Scores] = []
        gone: list[Scores] = []
        asked = demands(parts)
        short = self.acronyms.over([said(part) for part, _ in asked])
        for (part, joined_words), acronyms in zip(asked, short, strict=True):
            also = (*joined_words, *acronyms)
            if isinstance(part, Not):
                gone.append(self.matches(part.part))
                continue
            scores = self.matches(part)
            if also:
                scores = dict(scores)
                for joined in also:
                    for doc, score in self._joined(joined).items():
                        scores[doc] = max(scores.get(doc, 0.0), score)
            found.append(scores)
        both, *others = sorted(found, key=len) or [self.matches(Everything())]
        for other in others:
            both = {doc: score + other[doc] for doc, score in both.items() if doc in other}
        for other in gone:
            both = {doc: score for doc, score in both.items() if doc not in other}
        self._reward_neighbours(parts, both)
        return both

    def _reward_neighbours(self, parts: Sequence[Node], scores: Scores) -> None:
        """Add to the best of `scores` what words of the query that stand side by side are worth."""
        beside = list(neighbours(parts)) if scores else []
        if not beside:  # then `scores` may be what is kept of one word
            return
        best = set(sorted(scores, key=scores.__getitem__, reverse=True)[:_LOOKED_AT])
        for a, b, row in beside:
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
                kept = self._scored(self._rows(leaf), leaf.field)
            self._size += len(kept) + 1
            if self._size > self._most:
                while self._kept:  # one by one, since all at once would hold up other threads
                    self._kept.popitem()
                self._size = len(kept)
            self._kept[leaf] = kept
        return kept

    def _rows(self, leaf: Leaf) -> list[Sequence[Slot]]:
        """Each row of pieces that a leaf stands for, first that which it is."""
        row = slots(leaf)
        rows: list[Sequence[Slot]] = list(readings(row, self._known)) if row else []
        if isinstance(leaf, Word) and leaf.field in FIELDS:
            for words in self.acronyms.instead([slot.form for slot in row]):
                asked = tuple(map(Slot, words))
                rows += readings(asked, self._known) if len(asked) > 1 else [asked]
        return rows

    def _joined(self, word: Word) -> Scores:
        return self._scored([slots(word)], word.field)

    def _scored(self, rows: Iterable[Sequence[Slot]], field: str | None) -> Scores:
        counts: dict[int, float] = {}
        for row in rows:
            if len(row) == 1:
                self._count(row[0], field, counts)
            else:
                for name, weight in _fields(field).items():
                    found = self._row(name, row)
                    _add(counts, found.keys(), found.values(), weight)
        rarity = self._rarity(len(counts)) * (_SATURATION + 1)
        norms = self._norms
        return {doc: rarity * n / (n + norms[doc]) for doc, n in counts.items()}

    def _count(self, slot: Slot, field: str | None, counts: dict[int, float]) -> None:
        """Add to `counts` the weighted occurrences of one piece."""
        if slot.how == "begun" and field is None and len(slot.form) <= BEGINS:
            begins = self._index.postings("begins", slot.form)
            _add(counts, begins.docs, begins.counts, 1.0)
            slot = Slot(slot.form, "exact")  # the word itself counts for more
        for name, weight in _fields(field).items():
            if slot.how == "begun":
                for form, docs, count in self._index.holders(name, slot.form):
                    share = weight * count * (1.0 if form == slot.form else _OTHER_FORM)
                    for doc in docs:
                        counts[doc] = counts.get(doc, 0.0) + share
            for form in self._forms(slot, name):
                postings = self._index.postings(name, form)
                share = weight * (1.0 if form == slot.form else _OTHER_FORM)
                _add(counts, postings.docs, postings.counts, share)

    def _row(
        self, name: str, row: Sequence[Slot], within: AbstractSet[int] | None = None
    ) -> Mapping[int, int]:
        """How often the pieces of `row` stand side by side in the field `name`, by paper.

        From the rarest piece on, as places of the whole index at which the row could begin.
        """
        asked = []
        for place, slot in enumerate(row):
            postings = [self._index.postings(name, form) for form in self._forms(slot, name)]
            often = sum(sum(one.counts) for one in postings)
            if slot.how == "begun":
                often += self._index.occurrences(name, slot.form)
            if not often:
                return {}
            asked.append((often, place, slot, postings))
        starts: set[int] | None = None
        docs = within
        for _, place, slot, postings in sorted(asked, key=lambda one: one[:2]):
            if slot.how == "begun":
                postings += self._index.begun_postings(name, slot.form, docs)
            spots = chain.from_iterable(one.spots(docs) for one in postings)
            shifted = map((-place).__add__, spots) if place else spots
            starts = _gathered(shifted, starts)
            if not starts:
                return {}
            docs = {start >> PAPER for start in starts}
        found = Counter(start >> PAPER for start in starts or ())
        return found if within is None else {doc: n for doc, n in found.items() if doc in within}

    def _forms(self, slot: Slot, name: str) -> Sequence[str]:
        """The forms of the index that `slot` accepts; where it has begun, those it does not begin."""
        if name not in BARE or slot.how == "exact":
            return (slot.form,) if slot.how != "begun" else ()
        if slot.how == "near":
            return self._near(slot.form)
        return self._family(slot.form, begun=slot.how == "begun")

    def _known(self, slot: Slot) -> bool:
        known = self._knowns.get(slot)
        if known is None:
            known = self._index.has(slot.form) or (slot.how == "word" and bool(self._family(slot.form)))
            self._knowns[slot] = known
        return known

    def _family(self, form: str, *, begun: bool = False) -> tuple[str, ...]:
        """The forms of the index that share a stem with `form`; with `begun`, those that do not begin so."""
        if len(form) == 1 and form not in ODD:
            return () if begun else (form,)
        family = self._families.get((form, begun))
        if family is None:
            root = stem(form)
            british = (root.replace("e", "ae", 1), root.replace("e", "oe", 1))  # paediatric, oestrogen
            same = 3 if len(root) > 3 else 2  # letters that no inflection changes: use, using; try, tries
            starts = {word[:same] for word in (form, root, *british, *ODD.get(root, ()))}
            near = set().union(*map(self._index.bucket, starts))
            if begun:
                near = {one for one in near if not one.startswith(form)}
            alike = {one for one in near if may_share(one, root) and stem(one) == root}
            if begun:
                others = chain.from_iterable(map(self._family, may_become(form)))
                alike.update(one for one in others if not one.startswith(form))
            family = tuple(sorted(alike))
            self._families[form, begun] = family
        return family

    def _near(self, form: str) -> tuple[str, ...]:
        near = self._nears.get(form)
        if near is None:
            other = near_by(form, self._index.words(), 1)
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


def _add(counts: Scores, docs: Iterable[int], more: Iterable[float], share: float = 1.0) -> None:
    """Add `share` of `more` to the counts of `docs`."""
    weighed = map(share.__mul__, more)
    if counts:
        for doc, count in zip(docs, weighed, strict=True):
            counts[doc] = counts.get(doc, 0.0) + count
    else:
        pairs = zip(docs, weighed, strict=True)
        while some := dict(islice(pairs, _STEP)):
            counts.update(some)


def _gathered(spots: Iterable[int], among: AbstractSet[int] | None) -> set[int]:
    """The spots, those `among` others; in steps, since while a large set is made no other thread goes on."""
    spots, found = iter(spots), set[int]()
    while some := set(islice(spots, _STEP)):
        found |= some if among is None else some & among
    return found


def _fields(name: str | None) -> Mapping[str, float]:
    return BARE if name is None else {name: BARE.get(name, 1.0)}
