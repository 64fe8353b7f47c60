"""The words that the reader wrote, kept in memory: which papers hold what a leaf of a query says, and where.

A match is what it is in a paper's text (`fulltext.Texts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from index import fulltext
from index import query as q
from index.annotations import Annotations
from index.clean import one_line
from index.fulltext import Leaf
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
        self._texts: fulltext.Texts[tuple[str, str]] = fulltext.Texts(self._said)  # by paper and kind
        self._versions: dict[str, object] = {}
        self._state: Sequence[frozenset[str]] = ()
        self._answers: dict[tuple[Leaf, Sequence[str]], dict[str, str]] = {}

    def _said(self, key: tuple[str, str]) -> Iterable[str]:
        paper, kind = key
        return KINDS[kind](self._annotations.get(paper))

    def holding(self, leaf: Leaf, kinds: Sequence[str] = BARE) -> Mapping[str, str]:
        """The papers of which something of `kinds` matches `leaf`, each with the first such kind."""
        self._catch_up()
        asked = leaf, kinds
        if asked not in self._answers:
            found: dict[str, str] = {}
            for paper, kind in self._texts.matching(leaf):
                if kind in kinds:
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
        before, self._versions = self._versions, self._annotations.versions()
        for paper in {**before, **self._versions}:
            if before.get(paper) is not self._versions.get(paper):
                for kind in KINDS:
                    self._texts.put((paper, kind))
        self._state = state


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
