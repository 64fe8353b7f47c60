"""The text of a query while it is edited: words completed, terms put in and taken out. Knows no widget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from index.papers import STATUSES
from index.query import And, Everything, Node, Or, State, parse
from index.query.leaves import CHOICES
from index.query.words import FIELDS

__all__ = ["CHOICES", "EXAMPLES", "begin", "completions", "held", "term", "toggled"]

EXAMPLES: Final = {
    "rating": (">=4", "5", "4", "3", "2", "1"),
    "due": ("7d", "today", "..today"),
    "added": ("last", "7d", "30d"),
    "date": ("7d", "30d"),
}
"""What may be written after a field of numbers or days."""
_WORD: Final = re.compile(r'[^\s()"]*\Z')
_FIELD: Final = re.compile(r"([A-Za-z]+):\Z")
_QUOTED: Final = re.compile(r"[\s()]|[*~]\Z|\A/")
"""What has a meaning of its own in a value that stands in no quotes."""


def completions(before: str, values: Callable[[str], Iterable[str]]) -> tuple[int, list[str]]:
    """What the word at the end of `before` may become, best first, and where it starts.

    A word that a field's name begins with becomes the name, with its colon; after a colon it becomes
    a value of that field, of which `values` gives all. Empty where nothing goes on.
    """
    start, name, begun = _begun(before)
    field = FIELDS.get(name.lower())
    if name and not field:
        return start, []
    if field:
        fit = [value for value in values(field) if value.casefold().startswith(begun.casefold())]
        words = [term(name, value) for value in fit if value and '"' not in value]
    else:
        names = [one for one in dict.fromkeys(FIELDS.values()) if one.startswith(begun.lower())]
        words = [f"{one}:" for one in names if begun]
    return start, [word for word in words if word != before[start:]]


def begin(text: str) -> str | None:
    """The query in which the last word of `text` has only begun; None where that says nothing else."""
    if text != text.rstrip():
        return None
    longer = text + ('"*' if text.count('"') % 2 else "*")
    asked = parse(longer)
    return longer if asked.whole and asked.tree != parse(text).tree else None


def _begun(before: str) -> tuple[int, str, str]:
    """Where the last word of `before` starts, the field that it names, and what follows that."""
    if before.count('"') % 2:
        quote = before.rindex('"')
        found = _FIELD.search(before, 0, quote)
        return (found.start(), found[1], before[quote + 1 :]) if found else (len(before), "", "")
    found = _WORD.search(before)
    word = found[0].lstrip("-") if found else ""
    name, colon, value = word.partition(":")
    return len(before) - len(word), name if colon else "", value if colon else word


def term(field: str, value: str) -> str:
    """`field:value`, quoted where the value would be taken for more than a word."""
    return f'{field}:"{value}"' if _QUOTED.search(value) else f"{field}:{value}"


def held(text: str) -> frozenset[Node]:
    """What each paper that the query finds must be: the parts that it joins by AND."""
    tree = _tree(text)
    parts = tree.parts if isinstance(tree, And) else () if isinstance(tree, Everything) else (tree,)
    return frozenset(map(_plain, parts))


def _plain(part: Node) -> Node:
    """The part with `is:unread` as `status:unread`, which says the same."""
    if isinstance(part, State) and part.field == "is" and part.value in STATUSES:
        return State("status", part.value)
    return part


def toggled(text: str, term: str) -> str:
    """The query without `term`, where it is among the parts that it joins by AND, else with it.

    A paper has one status: another takes the place of the one that is asked for.
    """
    tree, parts = _tree(text), held(term)
    if tree == _tree(term):
        return ""
    if parts <= held(text):
        return _without(list(_pieces(text)), parts)
    others = frozenset(part for part in held(text) if _is_status(part))
    if others and all(map(_is_status, parts)):
        return toggled(_without(list(_pieces(text)), others), term)
    text = f'{text}"' if text.count('"') % 2 else text
    if isinstance(tree, Everything):
        return term
    return f"({text.strip()}) {term}" if isinstance(tree, Or) else f"{text.strip()} {term}"


def _is_status(part: Node) -> bool:
    return isinstance(part, State) and part.field == "status"


def _without(pieces: list[str], parts: frozenset[Node]) -> str:
    """The pieces of a conjunction without those that say `parts`."""
    kept: list[str] = []
    for piece in pieces:
        negated = kept[-1:] in (["NOT"], ["ANDNOT"])
        if piece != "AND" and (negated or not held(piece) or not held(piece) <= parts):
            kept.append(piece)
    if kept[:1] == ["ANDNOT"]:
        kept[0] = "NOT"
    return " ".join(kept)


@lru_cache(maxsize=4096)
def _tree(text: str) -> Node:
    return parse(text).tree


def _pieces(text: str) -> Iterator[str]:
    """The words of a query; what stands in quotes or parentheses is one with what it touches."""
    start, depth, quoted = 0, 0, False
    for at, char in enumerate(f"{text} "):
        if char == '"':
            quoted = not quoted
        elif not quoted:
            depth += (char == "(") - (char == ")")
            if char.isspace() and depth <= 0:
                if at > start:
                    yield text[start:at]
                start = at + 1
    if start < len(text):
        yield text[start:]
