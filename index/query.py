"""Typed text into a query tree, bounded, never raising.

The leaves that speak of text are compiled by the full-text engine; the library replaces the leaves
that speak of what the reader wrote, or of the shelf, by `Ids`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

TEXT_FIELDS: Final = ("title", "abstract", "author", "name", "venue", "cat", "id", "link", "has")
"""Fields that the full-text engine knows (`has`: link, code, title); None means all that a bare word searches."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as typed; the engine decides which tokens it stands for (`VLM^2-Bench` is one Word)."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """A word that has only begun: `prefix*`, or the last one while it is being typed."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """`word~`: the word or one edit away from it."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand together in this order; `open` when the last one has only begun."""

    text: str
    field: str | None = None
    open: bool = False


@dataclass(frozen=True, slots=True)
class Regex:
    """`title:/…/`, `tag:/…/` or `note:/…/`: a pattern searched for, without case."""

    field: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Range:
    """`year`, `rating`, `due`, `added` or `date` from low to high, both ends included, None for open.

    Years and ratings are int; days are `2026-11-30`.
    """

    field: str
    low: int | str | None
    high: int | str | None


@dataclass(frozen=True, slots=True)
class State:
    """What the reader wrote, or where a paper is listed.

    `tag` (nested ones too), `status`, `is` (a status, starred, tagged, due), `has` (note, highlight),
    `note`, `quote` (words), `source` (a piece of a file's name), `added` (`last`).
    """

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Ids:
    """The papers with these ids: what the library puts in the place of a leaf."""

    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


@dataclass(frozen=True, slots=True)
class Everything:
    """Matches every paper: the empty query."""


Node: TypeAlias = Word | Prefix | Fuzzy | Phrase | Regex | Range | State | Ids | And | Or | Not | Everything


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was understood: the tree, and one line for each thing that was not."""

    text: str
    tree: Node
    problems: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether all of it was understood: what a command that changes or exports asks for."""
        return not self.problems
