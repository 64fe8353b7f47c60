"""The tree that a query is, and the same in plain words.

The leaves that speak of text are compiled by the full-text engine; the library replaces the leaves
that speak of what the reader wrote, or of the shelf, by `Ids`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

TEXT_FIELDS: Final = ("title", "abstract", "author", "name", "venue", "cat", "id", "link", "has")
"""Fields that the full-text engine knows (`has`: link, code, title); None is what a bare word searches."""

_SAID: Final = 60  # characters of a query that are said again


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
    """`title:/…/`, `tag:/…/` or `note:/…/`: a pattern searched for, without case.

    It compiles, and has no backreference and no repeat of a repeat. Run it on one line at a time.
    """

    field: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Range:
    """`year`, `rating`, `due`, `added` or `date` from low to high, both ends included, None for open.

    Years and ratings are int; days are `2026-11-30`. Open at both ends: the paper has one at all.
    """

    field: str
    low: int | str | None
    high: int | str | None


@dataclass(frozen=True, slots=True)
class State:
    """What the reader wrote, or where a paper is listed.

    `tag` (lower case, nested ones too), `status`, `is` (a status, starred, tagged, due: today or
    before), `has` (note, highlight), `note`, `quote` (words that stand together), `source` (a piece
    of a file's name), `added` (`last`). A `*` at the end of a tag, note or quote: it has only begun.
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
    entered: Node | None = None
    """While the last word of `tree` is being typed: the tree with that word as Enter would take it."""

    @property
    def whole(self) -> bool:
        """Whether all of it was understood: what a command that changes or exports asks for."""
        return not self.problems


def with_last(node: Node, leaf: Node) -> Node:
    """`node` with `leaf` in the place of its last one."""
    match node:
        case And(parts):
            return And((*parts[:-1], with_last(parts[-1], leaf)))
        case Or(parts):
            return Or((*parts[:-1], with_last(parts[-1], leaf)))
        case Not(part):
            return Not(with_last(part, leaf))
    return leaf


def leaves(node: Node, *, positive: bool = False) -> Iterable[Node]:
    """The leaves of a tree from left to right; with `positive`, none that a NOT takes away."""
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part, positive=positive)
        case Not(part):
            if not positive:
                yield from leaves(part)
        case _:
            yield node


def explain(query: Query) -> str:
    """The tree as indented lines, then one line for each problem."""
    return "\n".join([*_lines(query.tree, ""), *(f"not understood: {line}" for line in query.problems)])


def _lines(node: Node, indent: str) -> list[str]:
    match node:
        case And(parts) | Or(parts):
            head = "all of:" if isinstance(node, And) else "any of:"
            below = [line for part in parts for line in _lines(part, indent + "  ")]
            return [indent + head, *below]
        case Not(part):
            return [indent + "not:", *_lines(part, indent + "  ")]
        case _:
            return [indent + _leaf(node)]


def describe(query: Query) -> str:
    """What was understood, on one line in plain words: `moe and status unread`."""
    return _words(query.tree)


def nothing_has(node: Node) -> str:
    """One line: no paper has what `node`, a query or a part of one, asks for."""
    match node:
        case Word(text, None) | Phrase(text, None, False):
            return f'no paper has "{_short(text)}"'
        case Prefix(text, None) | Phrase(text, None, True):
            return f'no paper has "{_short(text)}…"'
        case Fuzzy(text, None):
            return f'no paper has "{_short(text)}" or a word that is nearly the same'
    return f"no paper fits: {_short(_words(node))}"


def _short(text: str) -> str:
    return text if len(text) <= _SAID else f"{text[: _SAID - 1]}…"


def _words(node: Node) -> str:
    match node:
        case And(parts):
            return " and ".join(map(_part, parts))
        case Or(parts):
            return " or ".join(map(_part, parts))
        case Not(part):
            words = _part(part)
            return f"has no {words[6:]}" if words.startswith("has a ") else f"not {words}"
        case _:
            return _leaf(node)


def _part(node: Node) -> str:
    return f"({_words(node)})" if isinstance(node, And | Or) else _words(node)


def _leaf(node: Node) -> str:
    match node:
        case Word(text, field):
            return _held(text) if field == "has" else _within(text, field)
        case Prefix(text, field):
            return _within(f"{text}…", field)
        case Fuzzy(text, field):
            return _within(f"nearly {text}", field)
        case Phrase(text, field, begun):
            return _within(f'"{text}…"' if begun else f'"{text}"', field)
        case Regex(field, pattern):
            return _within(f"/{pattern}/", field)
        case Range(field, low, high):
            return _span(field, low, high)
        case State(field, value):
            return _state(field, value)
        case Ids(ids):
            return f"one of {len(ids)} papers"
        case _:
            return "every paper"


_PLACES: Final = {
    "author": "among the authors",
    "cat": "among the categories",
    "id": "as its identifier",
    "link": "in a link",
    "tag": "in a tag",
    "quote": "in a highlight",
}
"""Where a word may stand, if not `in the title` or whatever the field is."""


def _within(words: str, field: str | None) -> str:
    return f"{words} {_PLACES.get(field, f'in the {field}')}" if field else words


_SPANS: Final[Mapping[str, tuple[str, str, str, str, str, str]]] = {
    "year": ("has a year", "year ", "year ", " or later", " or before", "year "),
    "rating": ("has a rating", "rating ", "rating ", " or more", " or less", "rating "),
    "due": ("has a due date", "due on ", "due ", " or later", " or before", "due from "),
    "added": ("has a day of import", "added on ", "added ", " or later", " or before", "added from "),
    "date": ("has a date", "dated ", "dated ", " or later", " or before", "dated from "),
}
"""How a range is said: any, one, before an open one, after its low or its high end, before both ends."""


def _span(field: str, low: int | str | None, high: int | str | None) -> str:
    any_, one, half, later, earlier, both = _SPANS[field]
    if low is None and high is None:
        return any_
    if low == high:
        return f"{one}{low}"
    if high is None:
        return f"{half}{low}{later}"
    return f"{half}{high}{earlier}" if low is None else f"{both}{low} to {high}"


def _held(value: str) -> str:
    return {"code": "has a link to code", "title": "has a given title"}.get(value, f"has a {value}")


def _state(field: str, value: str) -> str:
    text = value[:-1] + "…" if value.endswith("*") else value
    match field, value:
        case "is", "due":
            return "due today or before"
        case "is", "starred" | "tagged":
            return value
        case "is", _:
            return f"status {value}"
        case "has", _:
            return _held(value)
        case "added", _:
            return "added by the last import"
        case "note" | "quote", _:
            return _within(f'"{text}"', field)
        case "source", _:
            return f"in a list whose name holds {text}"
        case _:
            return f"{field} {text}"
