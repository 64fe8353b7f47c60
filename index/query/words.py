"""The text of a query into its words, phrases, patterns, operators and parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

FIELDS: Final = {
    alias: names.split()[0]
    for names in (
        "title ti", "abstract abs", "author au a", "name", "year y", "venue", "cat", "id", "source", "link",
        "tag t label", "status", "is", "has", "note", "quote", "rating", "due", "added", "date",
    )
    for alias in names.split()
}  # fmt: skip
"""What may stand before a colon, and the field that it means."""
PATTERN_FIELDS: Final = ("title", "tag", "note")
SLASH_FIELDS: Final = ("id", "link", "source")
"""Fields whose words may begin with a slash, so that none is a pattern."""

_QUOTES: Final = '"“”„‟'
_QUOTE: Final = re.compile(f"[{_QUOTES}]")
_AFTER_QUOTE: Final = re.compile(r"\*|~[0-9]*")
_OPERATOR: Final = re.compile(rf"(ANDNOT|AND|OR|NOT)(?=[\s(){_QUOTES}]|$)")
_MINUS: Final = re.compile(r"-(?=[^\s)-])(?![0-9]+(?:[.,][0-9]+)*%|[0-9]+\.[0-9])")
"""Takes away what follows it; `-36.9%` is a number."""
_FIELD: Final = re.compile(r"([A-Za-z]+):")
_PATTERN: Final = re.compile(r"/((?![\s/])(?:[^/\\]|\\.)+(?<!\s))/(?=[\s)]|$)")
_SPACE: Final = re.compile(r"\s*")

Kind: TypeAlias = Literal["(", ")", "AND", "OR", "NOT", "ANDNOT", "word", "phrase", "pattern"]
_OPERATORS: Final[dict[str, Kind]] = {"AND": "AND", "OR": "OR", "NOT": "NOT", "ANDNOT": "ANDNOT"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query. `field` is the one named before it; a word can be empty after a field.

    `half`: it is still being typed; `last`: nothing comes after it; `closed`: its quote or slash has its
    partner, or a quote is still being typed; `tail`: what is glued to a phrase, `*` or `~2`.
    """

    kind: Kind
    text: str = ""
    field: str | None = None
    half: bool = False
    last: bool = False
    closed: bool = True
    tail: str = ""


def tokens(text: str, *, typing: bool) -> Iterator[Token]:
    """The pieces of `text`, one after another; every text has some reading."""
    glued = _glued(text)
    at = 0
    while (at := _end(_SPACE, text, at)) < len(text):
        if text[at] == "(" or text[at] == ")":
            yield Token("(" if text[at] == "(" else ")")
            at += 1
        elif operator := _OPERATOR.match(text, at):
            yield Token(_OPERATORS[operator[1]])
            at = operator.end()
        elif (at == 0 or text[at - 1].isspace() or text[at - 1] == "(") and _MINUS.match(text, at):
            yield Token("NOT")
            at += 1
        else:
            name = _FIELD.match(text, at)
            field = FIELDS.get(name[1].lower()) if name else None
            at = name.end() if name and field else at
            if field and text.startswith("(", at):
                yield Token("(", field=field)
                at += 1
            else:
                token, at = _term(text, at, field, glued, typing)
                yield token


def _term(text: str, at: int, field: str | None, glued: dict[int, int], typing: bool) -> tuple[Token, int]:
    """The word, phrase or pattern that begins at `at`, and where it ends."""
    if _QUOTE.match(text, at):
        closing = _QUOTE.search(text, at + 1)
        words = " ".join(text[at + 1 : closing.start() if closing else None].split())
        if closing is None:
            half = typing and not text[-1].isspace()
            return Token("phrase", words, field, half=half, closed=typing), len(text)
        tail = _AFTER_QUOTE.match(text, closing.end())
        return Token("phrase", words, field, tail=tail[0] if tail else ""), (tail or closing).end()
    if field not in SLASH_FIELDS and (pattern := _PATTERN.match(text, at)):
        return Token("pattern", pattern[1], field), pattern.end()
    end = _word_end(text, at, glued)
    word = text[at:end]
    if field in PATTERN_FIELDS and word.startswith("/"):
        return Token("pattern", word[1:], field, closed=False), end
    last = not text[end:].strip()
    return Token("word", word, field, half=typing and end == len(text), last=last), end


def _word_end(text: str, at: int, glued: dict[int, int]) -> int:
    """Where a word ends: before a space, or a parenthesis whose partner is not in the word (`O(n)`)."""
    while at < len(text) and not text[at].isspace() and text[at] != ")":
        if text[at] == "(":
            if at not in glued:
                break
            at = glued[at]
        at += 1
    return at


def _glued(text: str) -> dict[int, int]:
    """Each opening parenthesis whose partner follows before the next space, with that partner."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at, char in enumerate(text):
        if char.isspace():
            opened.clear()
        elif char == "(":
            opened.append(at)
        elif char == ")" and opened:
            pairs[opened.pop()] = at
    return pairs


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
