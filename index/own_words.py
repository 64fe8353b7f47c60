"""The words that the reader wrote, kept in memory: which papers hold what a leaf of a query says, and where.

A match is what it is in a paper's text (`fulltext.occurs`); an index by word spares reading every note
at every key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from index import fulltext
from index import query as q
from index.annotations import Annotations
from index.clean import one_line
from index.fulltext.analysis import forms, stem
from index.fulltext.slots import Leaf, Slot, readings, slots
from index.papers import STATUSES, Annotation

KINDS: Final[Mapping[str, Callable[[Annotation], Iterable[str]]]] = {
    "title": lambda told: (told.title or "",),
    "note": lambda told: (told.note,),
    "tag": lambda told: told.tags,
    "comment": lambda told: (mark.comment for mark in told.highlights),
    "quote": lambda told: (mark.quote for mark in told.highlights),
}
"""What the reader writes or marks, and how to get at it."""
BARE: Final = ("title", "note", "tag", "comment")
"""Where a word without a field is looked for; of two places the first is named."""

_KEPT: Final = 200
"""Answers kept until something is written."""


class OwnWords:
    """What is written about the papers of one library, by word. For one thread."""

    def __init__(self, annotations: Annotations) -> None:
        self._annotations = annotations
        self._seen: dict[str, tuple[int, list[int]]] = {}  # a hash of what is said, and its numbers
        self._state: Sequence[frozenset[str]] = ()
        self._clear()

    def _clear(self) -> None:
        self._seen.clear()
        self._said: list[tuple[str, str] | None] = []  # paper and kind by number; None: no longer said
        self._gone = 0
        self._numbers: dict[str, list[int]] = {}  # of what holds a form
        self._stems: dict[str, list[str]] = {}
        self._sorted: list[str] = []
        self._answers: dict[tuple[Leaf, Sequence[str]], dict[str, str]] = {}

    def holding(self, leaf: Leaf, kinds: Sequence[str] = BARE) -> Mapping[str, str]:
        """The papers of which something of `kinds` matches `leaf`, each with the first such kind."""
        self._catch_up()
        asked = leaf, kinds
        if asked not in self._answers:
            found: dict[str, str] = {}
            for number in self._matching(leaf):
                said = self._said[number]
                if said and said[1] in kinds:
                    paper, kind = said
                    found[paper] = min(kind, found.get(paper, kind), key=kinds.index)
            if len(self._answers) >= _KEPT:
                self._answers.clear()
            self._answers[asked] = found
        return self._answers[asked]

    def _catch_up(self) -> None:
        """Take in what was written since the last time."""
        # The store gives the same sets until anything changes; whoever was annotated has a status.
        state = [self._annotations.with_status(status) for status in STATUSES]
        if len(state) == len(self._state) and all(map(lambda a, b: a is b, state, self._state)):
            return
        self._answers.clear()
        if 2 * self._gone > len(self._said):
            self._clear()
        papers = set()
        for paper, told in self._annotations.items():
            papers.add(paper)
            said = {kind: tuple(texts(told)) for kind, texts in KINDS.items()}
            known = hash(tuple(said.values()))
            if paper not in self._seen or self._seen[paper][0] != known:
                self._forget(paper)
                self._seen[paper] = known, list(self._learn(paper, said))
        for paper in self._seen.keys() - papers:
            self._forget(paper)
        if len(self._sorted) != len(self._numbers):
            self._sorted = sorted(self._numbers)
        self._state = state

    def _forget(self, paper: str) -> None:
        _, numbers = self._seen.pop(paper, (0, ()))
        for number in numbers:
            self._said[number] = None
        self._gone += len(numbers)

    def _learn(self, paper: str, said: Mapping[str, Iterable[str]]) -> Iterator[int]:
        for kind, texts in said.items():
            held = {form for text in texts for form in forms(text)}
            if held:
                number = len(self._said)
                self._said.append((paper, kind))
                for form in held:
                    if form not in self._numbers:
                        self._numbers[form] = []
                        self._stems.setdefault(stem(form), []).append(form)
                    self._numbers[form].append(number)
                yield number

    def _matching(self, leaf: Leaf) -> set[int]:
        row = slots(leaf)
        found: set[int] = set()
        for reading in readings(row, lambda slot: bool(self._accepted(slot))) if row else ():
            first, *others = (self._holders(slot) for slot in reading)
            held = first.intersection(*others)
            found |= {one for one in held - found if self._occurs(one, leaf)} if others else held
        return found

    def _holders(self, slot: Slot) -> set[int]:
        return {number for form in self._accepted(slot) for number in self._numbers[form]}

    def _accepted(self, slot: Slot) -> Iterable[str]:
        """The forms that `slot` accepts."""
        if slot.how == "near":
            return list(filter(slot.accepts, self._sorted))
        if slot.how == "exact":
            return (slot.form,) if slot.form in self._numbers else ()
        accepted = set(self._stems.get(stem(slot.form), ()))
        if slot.how == "begun":
            for form in self._sorted[bisect_left(self._sorted, slot.form) :]:
                if not form.startswith(slot.form):
                    break
                accepted.add(form)
        return accepted

    def _occurs(self, number: int, leaf: Leaf) -> bool:
        said = self._said[number]
        if said is None:
            return False
        paper, kind = said
        return any(fulltext.occurs(text, leaf) for text in KINDS[kind](self._annotations.get(paper)))


def passage(told: Annotation, tree: q.Node, kind: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of `kind` in which most of `tree` stands, on one line, and where in it."""
    found = [
        (one_line(text), tuple(fulltext.spans(one_line(text), _worded(tree)))) for text in KINDS[kind](told)
    ]
    return max(found, key=lambda one: len(one[1]), default=("", ()))


def _worded(tree: q.Node) -> q.Node:
    """The tree with what is looked for in notes alone as words."""
    match tree:
        case q.And(parts):
            return q.And(tuple(map(_worded, parts)))
        case q.Or(parts):
            return q.Or(tuple(map(_worded, parts)))
        case q.State("note", value):
            return words(value)
        case _:
            return tree


def words(value: str) -> q.Phrase:
    """The words of a `note:` or `quote:` as a leaf; a trailing `*` leaves the last one open."""
    return q.Phrase(value.removesuffix("*"), open=value.endswith("*"))
