"""A leaf of a query as slots for pieces of text, the one sense of a match for the index and for any text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from index.fulltext.analysis import LONGEST, STOP, forms, stem
from index.fulltext.spelling import may_become
from index.query import And, Everything, Ids, Node, Not, Or, Phrase, Prefix, Word
from index.query import Fuzzy as Near

Leaf = Word | Prefix | Near | Phrase
LEAVES: Final = (Word, Prefix, Near, Phrase)
_RUNS: Final = re.compile(r"\d+|\D+")
_LEAST_NEAR: Final = 3  # letters: below that, one edit makes any word of any other
_MOST: Final = 100  # pieces of a leaf that are looked for; the rest of a longer one is ignored
_LONGEST_ROW: Final = 16  # pieces: a longer one is a sentence, and is looked for as it stands
_LEAST_CUT: Final = 3  # letters of each part while a word is being typed


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one piece: the same form, the same word, one that so begins, or one edit away."""

    form: str
    how: Literal["exact", "word", "begun", "near"] = "word"


class Known:
    """The forms that stand in some texts, and which of them a slot accepts."""

    def __init__(self, forms: Iterable[str] = ()) -> None:
        self._forms: set[str] = set()
        self._stems: dict[str, list[str]] = {}
        self._sorted: list[str] = []
        for form in forms:
            self.add(form)

    def add(self, form: str) -> None:
        """One more, unless it is there."""
        if form not in self._forms:
            self._forms.add(form)
            self._stems.setdefault(stem(form), []).append(form)

    def accepted(self, slot: Slot) -> Collection[str]:
        """The forms that `slot` accepts, each once."""
        if slot.how == "exact":
            return (slot.form,) if slot.form in self._forms else ()
        alike = self._stems.get(stem(slot.form), ())
        if slot.how == "word":
            return alike
        if slot.how == "near":
            return {*alike, *(form for form in self._forms if edits(slot.form, form, 1) <= 1)}
        other = (form for word in may_become(slot.form) for form in self._stems.get(stem(word), ()))
        return {*alike, *self._begun(slot.form), *other}

    def _begun(self, start: str) -> Iterator[str]:
        if len(self._sorted) != len(self._forms):
            self._sorted = sorted(self._forms)
        for form in self._sorted[bisect_left(self._sorted, start) :]:
            if not form.startswith(start):
                return
            yield form


@lru_cache(maxsize=1024)
def slots(leaf: Leaf) -> tuple[Slot, ...]:
    """The pieces that `leaf` asks for, in a row; none when it holds neither letter nor digit."""
    found = forms(leaf.text)[:_MOST]
    if not found:
        return ()
    if isinstance(leaf, Near):
        return tuple(Slot(form, "near" if len(form) >= _LEAST_NEAR else "word") for form in found)
    begun = isinstance(leaf, Prefix) or (isinstance(leaf, Phrase) and leaf.open)
    return (*map(Slot, found[:-1]), Slot(found[-1], "begun" if begun else "word"))


def readings(row: Sequence[Slot], known: Callable[[Slot], bool]) -> Iterator[tuple[Slot, ...]]:
    """`row`, and the rows that differ from it by where the borders of words fall.

    Two neighbours joined, or one piece cut in two; a piece of letters and digits (`vlm2bench`) also at
    each change. Parts that are not `known` could match nothing and are passed over; stop words are
    never parts, since `is land` is no island.
    """
    yield tuple(row)
    if len(row) > _LONGEST_ROW:
        return
    for at, (left, right) in enumerate(pairwise(row)):
        if left.how == "word" and right.how != "near" and not {left.form, right.form} & STOP:
            yield (*row[:at], Slot((left.form + right.form)[:LONGEST], right.how), *row[at + 2 :])
    for at, slot in enumerate(row):
        if slot.how != "near":
            for parts in _cuts(slot, known):
                yield (*row[:at], *parts, *row[at + 1 :])


def _cuts(slot: Slot, known: Callable[[Slot], bool]) -> Iterator[tuple[Slot, ...]]:
    for left, right in _halves(slot):
        if known(left) and (slot.how == "begun" or known(right)):
            yield left, right
    *runs, last = _runs(slot)
    if len(runs) > 1 and all(map(known, runs)):
        yield (*runs, last)


@lru_cache(maxsize=1024)
def _halves(slot: Slot) -> tuple[tuple[Slot, Slot], ...]:
    """Each two parts that a piece may be cut in."""
    halves = []
    for cut in range(1, len(slot.form)):
        left, right = Slot(slot.form[:cut], "exact"), Slot(slot.form[cut:], slot.how)
        if slot.how == "begun":
            enough = right.form.isdigit() or min(cut, len(right.form)) >= _LEAST_CUT
        else:
            enough = len(right.form) > 1 or right.form.isdigit() or left.form.isdigit()
        if enough and not {left.form, right.form} & STOP:
            halves.append((left, right))
    return tuple(halves)


@lru_cache(maxsize=1024)
def _runs(slot: Slot) -> tuple[Slot, ...]:
    """A piece cut wherever digits and letters meet."""
    *runs, last = _RUNS.findall(slot.form)
    return (*(Slot(run, "exact") for run in runs), Slot(last, slot.how))


def demands(parts: Iterable[Node]) -> list[tuple[Node, tuple[Word, ...]]]:
    """What an And asks of a paper: each part, with the joined words that also satisfy it.

    Of `multi task`, `multitask` satisfies both. Parts without a letter are left out, and so are
    stop words beside others.
    """
    flat = list(_flat(parts))
    telling = [part for part in flat if not _empty(part)]
    kept = [part for part in telling if not _stop(part)] or telling or flat[:1]
    joins: list[list[Word]] = [[] for _ in kept]
    words = [said(part) for part in kept]
    for at, (left, right) in enumerate(pairwise(words)):
        if isinstance(left, Word) and isinstance(right, Word) and left.field == right.field:
            a, b = slots(left), slots(right)
            if len(a) == len(b) == 1:
                joined = Word(a[0].form + b[0].form, left.field)
                joins[at].append(joined)
                joins[at + 1].append(joined)
    return [(part, tuple(also)) for part, also in zip(kept, joins, strict=True)]


def neighbours(parts: Iterable[Node]) -> Iterator[tuple[Word, Word | Prefix, tuple[Slot, ...]]]:
    """Each two words of an And that follow each other, and the row they make with the stop words between."""
    first: Word | None = None
    row: tuple[Slot, ...] = ()
    for part in map(said, parts):
        if not isinstance(part, Word | Prefix) or not slots(part):
            first = None
        elif _stop(part):
            row += slots(part)
        else:
            if first is not None and first.field == part.field:
                yield first, part, (*row, *slots(part))
            first = part if isinstance(part, Word) else None
            row = slots(part)


def _flat(parts: Iterable[Node]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, And):
            yield from _flat(part.parts)
        else:
            yield part


def said(part: Node) -> Node:
    """The leaf of text of which `part` consists: itself, or an Or of it with the ids of papers noted so."""
    if isinstance(part, Or):
        leaves = [one for one in part.parts if not isinstance(one, Ids)]
        if len(leaves) == 1:
            return leaves[0]
    return part


def _empty(part: Node) -> bool:
    part = said(part)
    return isinstance(part, Everything) or (isinstance(part, LEAVES) and not slots(part))


def _stop(part: Node) -> bool:
    part = said(part)
    return isinstance(part, Word) and part.field is None and all(slot.form in STOP for slot in slots(part))


def positive(tree: Node) -> Iterator[Leaf]:
    """The leaves of text that a match can show: those under no Not, as `demands` leaves them."""
    if isinstance(tree, LEAVES):
        yield tree
    elif isinstance(tree, Or):
        for part in tree.parts:
            yield from positive(part)
    elif isinstance(tree, And):
        for part, also in demands(tree.parts):
            if not isinstance(part, Not):
                yield from positive(part)
            yield from also


def near_by(form: str, words: str, most: int) -> dict[str, int]:
    """The words of `words` (see `Snapshot.words`) at most `most` edits from `form`, and how many.

    One edit leaves the first half as it is, or the second; two leave one third. So only words that
    hold such a part where it could stand are looked at whole.
    """
    size = len(form) // (most + 1)
    found: dict[str, int] = {}
    for part in range(most + 1):
        first, last = part == 0, part == most
        # An edit may swap the letters on both sides of a border: all but the first part begin one later.
        start = part * size + (not first)
        end = len(form) if last else (part + 1) * size
        sought = "\n" * first + form[start:end] + "\n" * last
        at = words.find(sought)
        while at >= 0:
            left = words.rfind("\n", 0, at + first) + 1
            right = words.find("\n", at + first)
            near = abs(right - left - len(form)) <= most and abs(at + first - left - start) <= most
            if near and (other := words[left:right]) not in found:
                found[other] = edits(form, other, most)
            at = words.find(sought, at + 1)
    return {other: distance for other, distance in found.items() if distance <= most}


def edits(a: str, b: str, most: int) -> int:
    """Edits (insert, delete, replace, swap two neighbours) from `a` to `b`; more than `most` is `most + 1`.

    The optimal string alignment distance, row by row.
    """
    if abs(len(a) - len(b)) > most or len(set(a).symmetric_difference(b)) > 2 * most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        two, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
