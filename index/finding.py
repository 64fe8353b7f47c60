"""Answers a query: what the reader wrote and where papers are listed become ids, the engine does the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final

from index import fulltext
from index import query as q
from index.annotations import Annotations
from index.fulltext import Engine
from index.papers import STATUSES, Annotation
from index.query import Query
from index.shelf import Row, Shelf

SORTS: Final = ("relevance", "added", "title", "year", "status", "rating", "due", "opened")
MOST_PARTIAL: Final = 50
"""Papers shown that have only most of the words."""
PIECE: Final = 300
"""Characters given to a pattern at a time: its time is bounded for so much."""
OVERLAP: Final = 100
"""Characters that two pieces of a long line share."""
_TEXT: Final = (q.Word, q.Prefix, q.Fuzzy, q.Phrase)


@dataclass(frozen=True, slots=True)
class Partial:
    """A paper that has only some of the words of a query."""

    id: str
    found: int
    of: int


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query: whole matches in their order, or, where there is none, partial ones."""

    query: Query
    ids: tuple[str, ...]
    sort: str
    partial: tuple[Partial, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    did_you_mean: str | None = None

    @property
    def hint(self) -> str | None:
        """One line on what was not understood, or on why only partial matches are shown."""
        if self.query.problems:
            return self.query.problems[0]
        if self.partial:
            best = self.partial[0]
            return f"no paper has all the words; these have {best.found} of {best.of}"
        return None


class Finder:
    """Finds papers of one library. For one thread."""

    def __init__(self, shelf: Shelf, annotations: Annotations, engine: Engine) -> None:
        self.shelf = shelf
        self.annotations = annotations
        self.engine = engine

    def find(self, query: Query, sort: str | None = None, opened: Mapping[str, str] | None = None) -> Found:
        """Whole matches of `query`, by `sort` (relevance with words, else the order of import).

        `opened` says when each paper was last opened. Raises ValueError for a sort that is not known.
        """
        tree = self._resolved(query.tree)
        scores = {hit.id: hit.score for hit in self.engine.search(tree) if hit.id in self.shelf}
        worded = any(isinstance(leaf, _TEXT) for leaf in leaves(query.tree))
        sort = sort or ("relevance" if worded else "added")
        ids = self._sorted(scores, sort, opened or {})
        if ids or not worded:
            return Found(query, ids, sort, scores=scores)
        return Found(query, (), sort, self._partial(query.tree), did_you_mean=self._meant(query))

    def _resolved(self, node: q.Node) -> q.Node:
        """The tree with each leaf that is not about a paper's text replaced by `Ids`."""
        match node:
            case q.And(parts):
                return q.And(tuple(map(self._resolved, parts)))
            case q.Or(parts):
                return q.Or(tuple(map(self._resolved, parts)))
            case q.Not(part):
                return q.Not(self._resolved(part))
            case q.State("has", value) if value not in ("note", "highlight"):
                return q.Word(value, "has")
            case q.State():
                return q.Ids(frozenset(self._holding(node)))
            case q.Regex(name, pattern):
                return q.Ids(frozenset(self._matching(name, re.compile(pattern, re.IGNORECASE))))
            case q.Range(field="rating" | "due" | "added"):
                return q.Ids(frozenset(self._within(node)))
            case q.Word(field=None) | q.Prefix(field=None) | q.Fuzzy(field=None) | q.Phrase(field=None):
                if own := self._written(node, _own_words):
                    return q.Or((node, q.Ids(own)))
            case q.Word() | q.Prefix() | q.Fuzzy() | q.Phrase() if node.field == "title":
                if own := self._written(node, lambda told: (told.title or "",)):
                    return q.Or((node, q.Ids(own)))
        return node

    def _holding(self, node: q.State) -> Iterable[str]:
        notes = self.annotations
        match node.field, node.value:
            case "tag", tag:
                return notes.tagged(tag)
            case "is", "starred":
                return notes.starred()
            case "is", "tagged":
                return (id for id, told in notes.items() if told.tags)
            case "is", "due":
                return notes.due(None, date.today().isoformat())  # noqa: DTZ011 (the reader's own day)
            case (("is" | "status"), status):
                return self._with_status(status)
            case "has", what:
                return notes.with_note() if what == "note" else notes.with_highlight()
            case "note", words:
                return self._written(_words(words), lambda told: (told.note,))
            case "quote", words:
                return self._written(_words(words), lambda told: (mark.quote for mark in told.highlights))
            case "source", part:
                return self._listed(lambda row: any(part.casefold() in file.casefold() for file in row.files))
            case "added", _:
                last = max((self.shelf.row(id).added for id in self.shelf.ids), default="")
                return self._listed(lambda row: row.added == last)
        return ()

    def _with_status(self, status: str) -> Iterable[str]:
        """Papers of a status; what was never touched is unread."""
        told = self.annotations.with_status(status)
        if status != STATUSES[0]:
            return told
        others = set().union(*(self.annotations.with_status(other) for other in STATUSES[1:]))
        return (id for id in self.shelf.ids if id not in others)

    def _within(self, node: q.Range) -> Iterable[str]:
        low: Any = node.low
        high: Any = node.high
        match node.field:
            case "rating":
                return self.annotations.rated(low, high)
            case "due":
                return self.annotations.due(low, high)
        return self._listed(lambda row: (low or "") <= _day(row.added) <= (high or "9"))

    def _listed(self, holds: Callable[[Row], bool]) -> Iterable[str]:
        return (id for id in self.shelf.ids if holds(self.shelf.row(id)))

    def _matching(self, name: str, pattern: re.Pattern[str]) -> Iterable[str]:
        if name == "title":
            return (id for id in self.shelf.ids if _holds(pattern, self._heading(id)))
        return (
            id
            for id, told in self.annotations.items()
            if any(_holds(pattern, text) for text in (told.tags if name == "tag" else (told.note,)))
        )

    def _heading(self, id: str) -> str:
        """The title that the reader gave a paper, else its heading; empty when there is neither."""
        row = self.shelf.row(id)
        return self.annotations.get(id).title or (row.heading if row.titled or row.derived else "")

    def _written(
        self, leaf: q.Word | q.Prefix | q.Fuzzy | q.Phrase, texts: Callable[[Annotation], Iterable[str]]
    ) -> frozenset[str]:
        """The papers for which the reader wrote what `leaf` says."""
        return frozenset(
            id
            for id, told in self.annotations.items()
            if any(text and fulltext.occurs(text, leaf) for text in texts(told))
        )

    def _sorted(self, scores: Mapping[str, float], sort: str, opened: Mapping[str, str]) -> tuple[str, ...]:
        """The ids of `scores` by `sort`; what has no value comes last, and ties keep the order of import."""
        row, told = self.shelf.row, self.annotations.get
        keys: dict[str, Callable[[str], Any]] = {
            "relevance": lambda one: -scores[one],
            "added": self.shelf.place,
            "title": lambda one: (not self._heading(one), self._heading(one).casefold()),
            "year": lambda one: -(row(one).year or 0),
            "status": lambda one: STATUSES.index(told(one).status),
            "rating": lambda one: -(told(one).rating or 0),
            "due": lambda one: told(one).due or "9",
            "opened": lambda one: tuple(-ord(char) for char in opened.get(one, "")) or (1,),
        }
        if sort not in keys:
            raise ValueError(f"unknown sort {sort!r}; known are: {', '.join(SORTS)}")
        return tuple(sorted(sorted(scores, key=self.shelf.place), key=keys[sort]))

    def _partial(self, tree: q.Node) -> tuple[Partial, ...]:
        """Papers with most of the words of a conjunction, which nothing satisfies whole."""
        if not isinstance(tree, q.And):
            return ()
        words = [part for part in tree.parts if isinstance(part, _TEXT)]
        rest = tuple(self._resolved(part) for part in tree.parts if not isinstance(part, _TEXT))
        if len(words) < 2:
            return ()
        allowed = {hit.id for hit in self.engine.search(q.And(rest))} if rest else None
        hits = self.engine.partial(
            list(map(self._resolved, words)), MOST_PARTIAL if allowed is None else len(self.shelf)
        )
        shown = [hit for hit in hits if hit.id in self.shelf and (allowed is None or hit.id in allowed)]
        most = max((hit.found for hit in shown), default=0)
        return tuple(
            Partial(hit.id, hit.found, len(words)) for hit in shown[:MOST_PARTIAL] if hit.found == most
        )

    def _meant(self, query: Query) -> str | None:
        """The query with each word that no paper holds replaced by the nearest that one does."""
        text = query.text
        for leaf in leaves(query.tree):
            if isinstance(leaf, q.Word | q.Prefix) and (better := self.engine.suggest(leaf.text)):
                word = rf"(?<!\w){re.escape(leaf.text)}(?!\w)"
                text = re.sub(word, better.replace("\\", r"\\"), text)
        return text if text != query.text else None


def leaves(node: q.Node, *, positive: bool = False) -> Iterable[q.Node]:
    """The leaves of a tree from left to right; with `positive`, none that a NOT takes away."""
    match node:
        case q.And(parts) | q.Or(parts):
            for part in parts:
                yield from leaves(part, positive=positive)
        case q.Not(part):
            if not positive:
                yield from leaves(part)
        case _:
            yield node


def _own_words(told: Annotation) -> Iterable[str]:
    """What the reader wrote that a bare word is looked for in."""
    return (told.title or "", told.note, *told.tags, *(mark.comment for mark in told.highlights))


@lru_cache(maxsize=1024)
def _day(when: str) -> str:
    """The reader's own day at a moment; what is no moment is taken as it stands."""
    try:
        return datetime.fromisoformat(when).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return when[:10]


def _holds(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a line of `text` holds `pattern`; a long line is searched in overlapping pieces."""
    step = PIECE - OVERLAP
    for line in text.split("\n"):
        for start in range(0, max(1, len(line) - OVERLAP), step):
            end = start + PIECE
            found = pattern.search(line, start, end)
            # What begins in the overlap is left to the next piece, which sees what comes after it.
            if found and (end >= len(line) or found.start() < start + step):
                return True
    return False


def _words(value: str) -> q.Phrase:
    """The words of a `note:` or `quote:` as a leaf; a trailing `*` leaves the last one open."""
    return q.Phrase(value.removesuffix("*"), open=value.endswith("*"))
