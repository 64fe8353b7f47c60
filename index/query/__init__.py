"""Typed text into a query tree, bounded, never raising.

The tree is in `tree`, the pieces of the text in `words`, what each means in `leaves`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final

from index.clean import clean, one_line
from index.query.leaves import leaf, respelt
from index.query.tree import (
    TEXT_FIELDS,
    And,
    Everything,
    Fuzzy,
    Ids,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Range,
    Regex,
    State,
    Word,
    describe,
    explain,
    nothing_has,
    with_last,
)
from index.query.words import Token, tokens

__all__ = [
    "TEXT_FIELDS",
    "And",
    "Everything",
    "Fuzzy",
    "Ids",
    "Node",
    "Not",
    "Or",
    "Phrase",
    "Prefix",
    "Query",
    "Range",
    "Regex",
    "State",
    "Word",
    "describe",
    "explain",
    "nothing_has",
    "parse",
    "respelt",
]

MOST_CHARACTERS: Final = 2000
MOST_WORDS: Final = 64
MOST_DEPTH: Final = 32
MOST_PATTERNS: Final = 4
"""Each is run on every title or note."""


def parse(text: str, *, typing: bool = False, today: date | None = None) -> Query:
    """The query that `text` is: at most 2,000 characters, 64 words, 4 patterns and 32 parentheses deep of it.

    `typing`: the last word has only begun, until a space follows. `today` is what `7d` counts from.
    Never raises: what was dropped or not understood is one line each in the query's `problems`, and
    its `text` is what was read, cleaned.
    """
    reading = _Reading(today or datetime.now().astimezone().date())
    if len(text) > MOST_CHARACTERS:
        reading.problems.append(f"only the first {MOST_CHARACTERS} characters were read")
    text = one_line(clean(text[:MOST_CHARACTERS]))
    for token in tokens(text, typing=typing):
        if token.kind not in "()" and reading.words == MOST_WORDS:
            reading.problems.append(f"only the first {MOST_WORDS} words were read")
            break
        reading.take(token)
    tree = reading.end(typing)
    if isinstance(tree, Everything) and text.strip() and not reading.problems:
        reading.problems.append("nothing to look for in this; write a word, or a field such as tag:moe")
    entered = with_last(tree, reading.entered) if reading.entered else None
    return Query(text, tree, tuple(dict.fromkeys(reading.problems)), entered)


@dataclass(slots=True)
class _Group:
    """An open parenthesis, or the whole query: parts joined by AND within alternatives joined by OR."""

    within: str | None  # the field that its words are looked for in
    named: str | None = None  # the field written right before the parenthesis
    alternatives: list[list[Node]] = field(default_factory=lambda: [[]])
    waiting: str = ""  # the operator that has nothing after it yet
    negate: bool = False

    def add(self, node: Node | None) -> None:
        """Put in what follows the operators read last; None is a term that says nothing."""
        negate, self.negate = self.negate, False
        if node is None:
            return
        self.waiting = ""
        if negate:
            node = node.part if isinstance(node, Not) else Not(node)
        self.alternatives[-1].append(node)

    def node(self) -> Node | None:
        parts = [_joined(And, parts) for parts in self.alternatives if parts]
        return _joined(Or, parts) if parts else None


def _joined(kind: type[And | Or], parts: list[Node]) -> Node:
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, And | Or) and isinstance(part, kind) else [part])
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


@dataclass(slots=True)
class _Reading:
    """The parentheses that are open, and what was found so far."""

    today: date
    groups: list[_Group] = field(default_factory=lambda: [_Group(None)])
    too_deep: int = 0
    words: int = 0
    patterns: int = 0
    problems: list[str] = field(default_factory=list)
    entered: Node | None = None
    """The last leaf as it would be if nothing more of it were typed, where that is another."""

    def take(self, token: Token) -> None:
        group = self.groups[-1]
        match token.kind:
            case "(":
                self.open(_Group(token.field or group.within, token.field))
            case ")":
                self.close()
            case "NOT":
                group.negate = not group.negate
                group.waiting = "NOT"
            case "AND" | "OR" | "ANDNOT":
                self.join(group, token.kind)
            case "pattern" if self.patterns == MOST_PATTERNS:
                group.add(None)
                group.waiting = ""
                self.problems.append(f"only the first {MOST_PATTERNS} patterns were read")
            case _:
                self.words += 1
                self.patterns += token.kind == "pattern"
                known = len(self.problems)
                within = token.field or group.within
                node = leaf(token, within, self.today, self.problems)
                group.add(node)
                if node and token.half:
                    whole = leaf(replace(token, half=False), within, self.today, [])
                    self.entered = None if whole == node else whole
                if len(self.problems) > known:
                    group.waiting = ""  # what follows the operator was there, and was reported

    def join(self, group: _Group, operator: str) -> None:
        if group.waiting:
            self.problems.append(f"nothing between {group.waiting} and {operator}; write one of them")
        elif not group.alternatives[-1]:
            self.problems.append(f"nothing before {operator}; quote it to look for the word")
        else:
            group.waiting = operator
            if operator == "OR":
                group.alternatives.append([])
        group.negate ^= operator == "ANDNOT"

    def open(self, group: _Group) -> None:
        if len(self.groups) > MOST_DEPTH:
            self.too_deep += 1
            self.problems.append(f"parentheses more than {MOST_DEPTH} deep were left out")
        else:
            self.groups.append(group)

    def close(self) -> None:
        if self.too_deep:
            self.too_deep -= 1
        elif len(self.groups) == 1:
            self.problems.append("a ) closes nothing; take it out, or quote it")
        else:
            self.groups[-2].add(self.finished(self.groups.pop()))

    def finished(self, group: _Group) -> Node | None:
        node = group.node()
        if group.waiting:
            self.problems.append(f"nothing after {group.waiting}; quote it to look for the word")
        elif group.named and node is None:
            self.problems.append(f"nothing to look for between the parentheses after {group.named}:")
        return node

    def end(self, typing: bool) -> Node:
        """The whole tree, whatever is still open closed."""
        last = self.groups[-1]
        if len(self.groups) > 1:
            if not typing:
                self.problems.append("a ( is not closed; write ) where it ends")
            elif last.node() is None and not last.waiting and not last.named:
                self.problems.append("the ( at the end has nothing after it yet")
        self.too_deep = 0
        while len(self.groups) > 1:
            self.close()
        return self.finished(self.groups[0]) or Everything()
