"""Answers a query: what the reader wrote and where papers are listed become ids, the engine does the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from difflib import get_close_matches
from functools import lru_cache
from itertools import filterfalse, pairwise
from typing import Any, Final

from index import fulltext, own_words
from index import query as q
from index.annotations import Annotations
from index.fulltext import Engine
from index.kept import Kept
from index.own_words import OwnWords
from index.papers import STATUSES
from index.query import Query
from index.query.known import both, either, is_known, negated
from index.query.patterns import Patience
from index.query.tree import leaves as leaves
from index.shelf import Row, asked_keys
from index.sorting import Sorting

MOST_PARTIAL: Final = 50
"""Papers shown that have only most of the words, where none has all."""
FEW: Final = 10
"""Where fewer have all the words, the list is filled up to so many with those that have half or more."""
MOST_MEANT: Final = 8
"""Words of a query that a better spelling is looked for: a lost one is compared with every known word."""
PATIENCE: Final = 0.1
PATIENCE_A_PAPER: Final = 2e-6
"""Seconds of CPU that the patterns of a query may take together, whatever the library, and for each paper."""
SLOW: Final = "the pattern took too long, and not all was searched; write a simpler one"
_TEXT: Final = (q.Word, q.Prefix, q.Fuzzy, q.Phrase)
_NO_WORDS: Final = ("has", "id", "cat", "link")
"""Text fields that say what a paper is, not what it speaks of: no best paper, no partial match."""
_MISSPELT: Final = (q.Word, q.Prefix, q.Phrase, q.State)
_OTHER: Final = q.Word("0")


@dataclass(frozen=True, slots=True)
class Partial:
    """A paper that has only some of the words of a query."""

    id: str
    found: int
    of: int

    @property
    def share(self) -> str:
        """`3 of 4 words`."""
        return f"{self.found} of {self.of} words"


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query: whole matches in their order, and partial ones where whole ones are few."""

    query: Query
    ids: tuple[str, ...]
    sort: str
    partial: tuple[Partial, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    did_you_mean: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    """For a paper that holds a word only in what the reader wrote: "title", "note", "tag" or "comment"."""
    marked: q.Node | None = None
    """What is to be marked in a text: the query's tree, and what its acronyms stand for."""
    missing: str | None = None
    """Where nothing at all is found, one line that says what no paper has."""

    @property
    def shown(self) -> tuple[str, ...]:
        """What a list shows: the whole matches, then the partial ones."""
        return (*self.ids, *(part.id for part in self.partial)) if self.partial else self.ids

    @property
    def hint(self) -> str | None:
        """One line on what was not understood, or on why nothing or only partial matches are shown."""
        if self.query.problems:
            return self.query.problems[0]
        if self.partial and not self.ids:
            best = self.partial[0]
            return f"no paper has all the words; these have {best.found} of {best.of}"
        return self.missing


class Finder:
    """Finds papers of one library. For one thread."""

    def __init__(self, shelf: Kept, annotations: Annotations, engine: Engine) -> None:
        self.shelf = shelf
        shelf.shelf.get_ready()
        self.annotations = annotations
        self.engine = engine
        self.own = OwnWords(annotations)
        self.sorting = Sorting(shelf, annotations)
        self._patience = Patience(PATIENCE)
        self._found: dict[q.Node, q.Node] = {}
        """What each leaf was resolved to; both are those of the query in hand."""

    def find(self, query: Query, sort: str | None = None, opened: Mapping[str, str] | None = None) -> Found:
        """Whole matches of `query`, by `sort` (relevance with words, else the order of import).

        `opened` says when each paper was last opened. Raises ValueError for a sort that is not known.
        """
        query, entered, scores = self._answered(query)
        worded = any(_is_text(leaf) for leaf in leaves(query.tree, positive=True))
        if not worded and sort in (None, "relevance"):
            sort = "added"
        sort = sort or "relevance"
        sought = q.Or((query.tree, query.entered)) if query.entered else query.tree
        ids = self.sorting.sorted(scores, sort, opened or {})
        if sort == "relevance" and 0 < len(entered) < len(ids):
            # What Enter lists comes first, and in its order: it is not to change what stands there.
            ids = (*filter(entered.__contains__, ids), *filterfalse(entered.__contains__, ids))
        partial = self._partial(query.tree, scores.keys()) if len(scores) < FEW else ()
        return Found(
            query,
            ids,
            sort,
            partial,
            scores,
            self._meant(query, scores) if not scores or query.problems else None,
            self._where(sought, scores.keys() | {part.id for part in partial} if partial else scores),
            self.engine.widened(sought) if worded else None,
            None if ids or partial else self._missing(query),
        )

    def ids(self, query: Query) -> frozenset[str]:
        """Whole matches of `query`, in no order."""
        return frozenset(self._answered(query)[-1])

    def told(self, query: Query) -> list[str]:
        """One line for each acronym that is also looked for spelled out, or that spells words out."""
        said = '"{}" is also looked for as "{}"'
        return [said.format(*told) for told in self.engine.told(query.entered or query.tree)]

    def _answered(self, query: Query) -> tuple[Query, Mapping[str, float], Mapping[str, float]]:
        """The query, with one more problem where its patterns took too long, and its whole matches.

        Before them, while the last word is being typed, those that Enter would leave; else none.
        """
        self._patience, self._found = Patience(PATIENCE + PATIENCE_A_PAPER * len(self.shelf)), {}
        entered = self._scores(self._resolved(query.entered)) if query.entered else {}
        scores = self._scores(self._resolved(query.tree)) | entered
        if self._patience.ended:
            query = replace(query, problems=(*query.problems, SLOW))
        return query, entered, scores

    def _scores(self, tree: q.Node) -> dict[str, float]:
        """The papers on the shelf that a resolved tree matches; a tree without text needs no index."""
        match tree:
            case q.Ids(ids):
                return {id: 0.0 for id in self.shelf.ids if id in ids}  # no call that holds up other threads
            case q.Not(q.Ids(ids)):
                return {id: 0.0 for id in self.shelf.ids if id not in ids}
        scores = self.engine.search(tree)
        stamp, hidden = self.shelf.state
        if self.engine.stamp == stamp:  # it has the papers of the shelf and no others
            return {id: score for id, score in scores.items() if id not in hidden} if hidden else scores
        return {id: score for id, score in scores.items() if id in self.shelf}

    def _resolved(self, node: q.Node) -> q.Node:
        """The tree with each part that is not about a paper's text as `Ids`, or as what `Ids` leave."""
        match node:
            case q.And(parts):
                parts = tuple(self._all(parts))
                return both(parts) if all(map(is_known, parts)) else q.And(parts)
            case q.Or(parts):
                parts = tuple(map(self._resolved, parts))
                return either(parts) if all(map(is_known, parts)) else q.Or(parts)
            case q.Not(part):
                return negated(self._resolved(part))
            case q.Everything():
                return q.Not(q.Ids(frozenset()))
        found = self._found.get(node)
        if found is None:
            found = self._found[node] = self._leaf(node)
        return found

    def _leaf(self, node: q.Node) -> q.Node:
        match node:
            case q.State("has", value) if value not in ("note", "highlight"):
                return q.Word(value, "has")
            case q.State("is" | "status", value) if value == STATUSES[0]:
                touched = map(self.annotations.with_status, STATUSES[1:])  # what was never touched is unread
                return q.Not(q.Ids(frozenset().union(*touched)))
            case q.State():
                return q.Ids(frozenset(self._holding(node)))
            case q.Regex(name, pattern):
                return q.Ids(frozenset(self._matching(name, re.compile(pattern, re.IGNORECASE))))
            case q.Range(field="rating" | "due" | "added"):
                return q.Ids(frozenset(self._within(node)))
        own = self._given(node) if isinstance(node, q.Word) and node.field == "id" else self._own(node)
        return q.Or((node, q.Ids(frozenset(own)))) if own else node

    def _all(self, parts: Sequence[q.Node]) -> Iterator[q.Node]:
        """Each part of a conjunction; a note that says `multitask` has both words of `multi task`."""
        asked = [at for at, part in enumerate(parts) if _asked_for(part)] or list(range(len(parts)))
        joined: list[frozenset[str]] = [frozenset()] * len(parts)
        for one, two in pairwise(asked):
            match parts[one], parts[two]:
                case q.Word(left, None), q.Word(right, None):
                    own = self.own.holding(q.Word(left + right)).keys()
                    joined[one] |= own
                    joined[two] |= own
        for part, ids in zip(parts, joined, strict=True):
            node = self._resolved(part)
            said = node.parts if ids and isinstance(node, q.Or) else (node,)
            yield q.Or((*said, q.Ids(ids))) if ids else node

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
                return notes.with_status(status)
            case "has", what:
                return notes.with_note() if what == "note" else notes.with_highlight()
            case "note", words:
                return self.own.holding(own_words.words(words), ("note",))
            case "quote", words:
                return self.own.holding(own_words.words(words), ("quote",))
            case "source", part:
                return self._listed(lambda row: any(part.casefold() in file.casefold() for file in row.files))
            case "added", _:
                last = max((row.added for row in self.shelf.rows()), default="")
                return self._listed(lambda row: row.added == last)
        return ()

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
        return (row.id for row in self.shelf.rows() if holds(row))

    def _matching(self, name: str, pattern: re.Pattern[str]) -> Iterator[str]:
        """The papers of which a text matches, as far as the time goes that is left for patterns."""
        texts: Iterable[tuple[str, Iterable[str]]]
        match name:
            case "title":
                texts = ((id, (heading,)) for id, heading in self.sorting.headings().items())
            case "tag":
                texts = ((id, told.tags) for id, told in self.annotations.items())
            case _:
                texts = ((id, (told.note,)) for id, told in self.annotations.items())
        for id, some in texts:
            if any(self._patience.holds(pattern, text) for text in some):
                yield id
            if self._patience.ended:
                return

    def _own(self, leaf: q.Node) -> Mapping[str, str]:
        """The papers for which the reader wrote what a leaf of text says, each with where."""
        match leaf:
            case q.Word(field=None) | q.Prefix(field=None) | q.Fuzzy(field=None) | q.Phrase(field=None):
                return self.own.holding(leaf)
            case q.Word() | q.Prefix() | q.Fuzzy() | q.Phrase() if leaf.field == "title":
                return self.own.holding(leaf, ("title",))
            case q.State("note", value):
                return self.own.holding(own_words.words(value), ("note",))
        return {}

    def _given(self, leaf: q.Word) -> Iterable[str]:
        """The papers to which the reader gave an identifier that begins so."""
        starts = tuple(asked_keys(leaf.text.strip().lower()))
        return [id for key, id in self.annotations.given().items() if key.startswith(starts)]

    def _where(self, tree: q.Node, found: Container[str]) -> dict[str, str]:
        """Where the reader wrote it, for each of `found` whose own text lacks a word of `tree`."""
        where: dict[str, str] = {}
        for leaf in dict.fromkeys(leaves(tree, positive=True)):
            own = {id: kind for id, kind in self._own(leaf).items() if id in found}
            here = self.engine.search(q.And((leaf, q.Ids(frozenset(own))))) if own else ()
            where = {id: kind for id, kind in own.items() if id not in here} | where
        return where

    def _partial(self, tree: q.Node, whole: AbstractSet[str]) -> tuple[Partial, ...]:
        """Papers with most of the words of a conjunction, the most first, beside the `whole` that have all.

        Where there are whole ones, two words are too few for such a paper to be worth showing.
        """
        if not isinstance(tree, q.And):
            return ()
        words = [part for part in tree.parts if _is_text(part)]
        rest = tuple(self._resolved(part) for part in tree.parts if part not in words)
        words = list(dict.fromkeys(word for word in words if _asked_for(word))) or words
        if len(words) < (3 if whole else 2):
            return ()
        allowed = self._scores(both(rest) if all(map(is_known, rest)) else q.And(rest)) if rest else None
        limit = (
            MOST_PARTIAL + len(whole) + len(self.shelf.hidden) if allowed is None else len(self.shelf.shelf)
        )
        shown = [
            hit
            for hit in self.engine.partial(list(map(self._resolved, words)), limit)
            if hit.id in self.shelf and hit.id not in whole and (allowed is None or hit.id in allowed)
        ]
        if whole:
            shown = shown[: FEW - len(whole)]
        else:
            shown = [hit for hit in shown[:MOST_PARTIAL] if hit.found == shown[0].found]
        return tuple(Partial(hit.id, hit.found, len(words)) for hit in shown)

    def _missing(self, query: Query) -> str | None:
        """What no paper has of a query that finds nothing: a part that is found nowhere, or all of it."""
        if isinstance(query.tree, q.Everything):
            return None
        parts = query.tree.parts if isinstance(query.tree, q.And) else (query.tree,)
        for part in parts[:MOST_MEANT]:
            if len(parts) == 1 or not self._finds(self._resolved(part)):
                return q.nothing_has(part)
        return q.nothing_has(query.tree)

    def _finds(self, tree: q.Node) -> bool:
        return bool(self._scores(tree)) if is_known(tree) else self.engine.finds(tree)

    def _meant(self, query: Query, scores: Container[str]) -> str | None:
        """The query with the nearest known field or value for one that is not known; else, where it found
        nothing, with the nearest word or tag for each that no paper has, if some paper has all that.
        """
        text = q.respelt(query.text)
        if text != query.text or scores:
            return text if text != query.text else None
        sought = [leaf for leaf in leaves(query.tree, positive=True) if isinstance(leaf, _MISSPELT)]
        for leaf in [leaf for leaf in sought if _may_be_meant(leaf)][:MOST_MEANT]:
            word, better = self._better(leaf)
            if better and not self._finds(self._resolved(leaf)):
                text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", better.replace("\\", r"\\"), text)
        return text if text != query.text and self.ids(q.parse(text)) else None

    def _better(self, leaf: q.Word | q.Prefix | q.Phrase | q.State) -> tuple[str, str | None]:
        """The word of a leaf, and the nearest that is known; at once None for one that some paper holds."""
        if not isinstance(leaf, q.State):
            return leaf.text, self.engine.suggest(leaf.text)
        known = sorted({tag for _, told in self.annotations.items() for tag in told.tags})
        return leaf.value, next(iter(get_close_matches(leaf.value, known, 1)), None)


def left_out(tree: q.Node) -> tuple[str, ...]:
    """The words of `tree` that are not looked for, since they stand beside others: `of`, `the`."""
    match tree:
        case q.And(parts) | q.Or(parts):
            found = [word for part in parts for word in left_out(part)]
            idle = [part for part in parts if isinstance(part, q.Word) and not _asked_for(part)]
            if isinstance(tree, q.And) and len(idle) < len(parts):
                found += [word.text for word in idle]
            return tuple(dict.fromkeys(found))
        case q.Not(part):
            return left_out(part)
        case _:
            return ()


def _is_text(node: q.Node) -> bool:
    """Whether a leaf asks for words that a paper speaks of."""
    return isinstance(node, _TEXT) and node.field not in _NO_WORDS


def _may_be_meant(node: q.Node) -> bool:
    """Whether another word or tag may have been meant: not by a tag that has only begun."""
    if isinstance(node, q.State):
        return node.field == "tag" and not node.value.endswith("*")
    return _is_text(node)


def _asked_for(word: q.Node) -> bool:
    """Whether `word` counts beside others: `of` and `the` do not."""
    return not isinstance(word, q.Word) or bool(fulltext.spans(word.text, q.And((word, _OTHER))))


@lru_cache(maxsize=1024)
def _day(when: str) -> str:
    """The reader's own day at a moment; what is no moment is taken as it stands."""
    try:
        return datetime.fromisoformat(when).astimezone().date().isoformat()
    except (ValueError, OverflowError):
        return when[:10]
