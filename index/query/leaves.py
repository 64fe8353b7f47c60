"""One word, phrase or pattern of a query into a leaf of the tree, with what is wrong with it."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from difflib import get_close_matches
from typing import Final

from index.papers import STATUSES
from index.query.patterns import fault
from index.query.spans import SPANS, span
from index.query.tree import And, Fuzzy, Node, Or, Phrase, Prefix, Regex, State, Word
from index.query.words import FIELDS, PATTERN_FIELDS, Token, tokens

CHOICES: Final = {
    "status": STATUSES,
    "is": (*STATUSES, "starred", "tagged", "due"),
    "has": ("note", "highlight", "link", "code", "title"),
}
"""Fields that take one of a few words."""
WRITTEN: Final = ("tag", "note", "quote", "source")
"""Fields whose words become a `State`."""

_NAMES: Final = tuple(dict.fromkeys(FIELDS.values()))
_LONG_NAMES: Final = [name for name in _NAMES if len(name) > 3]
_NAMED: Final = re.compile(r"([A-Za-z]{3,10}):(?!//).")
_ANYTHING_FIRST: Final = re.compile(r"\.\*\??(?=[^+])")
_STAR_WITHIN: Final = re.compile(r"\w\*\w")
_LAST_PART: Final = re.compile(r"(.*\w)[\s/\-\u2010-\u2015]+([^\W\d_]+)", re.DOTALL)
_EITHER_SIDE: Final = re.compile(r"[^\W\d_][\w-]{2,}(?:/[^\W\d_][\w-]{2,}){1,3}")
"""`moe/experts` is both words; a paper in which they stand so comes first."""
_EDITS: Final = re.compile(r"([0-9]*)(?:/[0-9]*)?")


def leaf(token: Token, field: str | None, today: date, problems: list[str]) -> Node | None:
    """The leaf that `token` is in `field`, or None where it says nothing.

    Adds to `problems` one line for each thing that was not understood.
    """
    if token.kind == "pattern":
        return _pattern(token, field, problems)
    if token.kind == "phrase" and not token.closed:
        problems.append("a quote is not closed; write another where the phrase ends")
    if token.tail.startswith("~"):
        problems.append(f'"{token.tail[:9]}" after a phrase means nothing; leave it out')
    if field in SPANS and token.text:
        return span(field, token.text.lower(), token.half, today, problems)
    if not any(map(_says, token.text)):
        _report_nothing(token, field, problems)
        return None
    if field in CHOICES:
        return _choice(field, token, problems)
    if field in WRITTEN:
        return _state(field, token, problems)
    return _text(field, token, problems)


def shown(text: str) -> str:
    """`text` in quotes for a problem line, cut short where it is long."""
    return f'"{text}"' if len(text) <= 40 else f'"{text[:39]}…"'


def _says(char: str) -> bool:
    """Whether a character is more than punctuation (∞ and 🤗 are)."""
    return char.isalnum() or (not char.isascii() and unicodedata.category(char)[0] in "LMNS")


def _report_nothing(token: Token, field: str | None, problems: list[str]) -> None:
    if field:
        takes = ", ".join(CHOICES[field]) if field in CHOICES else SPANS.get(field, "a word")
        problems.append(f"{field}: has nothing after it; with no space between write {takes}")
    elif token.half and (token.kind == "phrase" or token.text == "-"):
        begun = '"' if token.kind == "phrase" else "-"
        problems.append(f"the {begun} at the end has nothing after it yet")
    elif token.last and token.text == "-":
        problems.append("the - at the end has nothing after it; take it out")
    elif token.kind == "word" and token.text in ("|", "||"):
        problems.append(f"{shown(token.text)} means nothing; write OR")


def _text(field: str | None, token: Token, problems: list[str]) -> Node:
    text = token.text
    if token.kind == "phrase":
        if not token.half and any(word[-1] in "*~" for word in text.split() if len(word) > 1):
            problems.append(f'{shown(text)}: "*" and "~" mean nothing between quotes; leave them out there')
        told = _telling(text, 2) if token.half else text
        return Phrase(told, field, open=(token.half and told == text) or token.tail == "*")
    if field is None:
        _report_misspelt(text, problems)
    if text.startswith("*"):
        problems.append(f'{shown(text)}: "*" works only at the end of a word')
        text = text.lstrip("*")
    if _STAR_WITHIN.search(text):
        problems.append(
            f'{shown(text)}: "*" works only at the end of a word; quote it to look for it as it is'
        )
    nearly = _without_edits(text, problems)
    if nearly:
        return Fuzzy(nearly, field)
    begun = text.rstrip("*")
    if token.half and begun == text and (told := _telling(begun, 1)) != begun:
        return Word(told, field)
    if field in (None, "title", "abstract") and _EITHER_SIDE.fullmatch(begun):
        *first, begun = begun.split("/")
        last = Prefix(begun, field) if token.half or text.endswith("*") else Word(begun, field)
        return And((*(Word(word, field) for word in first), last))
    return Prefix(begun, field) if token.half or begun != text else Word(text, field)


def _telling(text: str, least: int) -> str:
    """A half-typed text without a last part of at most `least` letters, with which anything may begin."""
    parts = _LAST_PART.fullmatch(text)
    return parts[1] if parts and len(parts[2]) <= least else text


def _report_misspelt(text: str, problems: list[str]) -> None:
    """A colon is part of a word (`10:30`, `foo:bar`), unless what is before it is nearly a field."""
    found = _NAMED.match(text)
    if found is None:
        return
    name = found[1].lower()
    if near := _near_field(name):
        problems.append(
            f"{name}: is no field, {near}: is one. Put it in quotes to look for the words; "
            f"fields are: {', '.join(_NAMES)}"
        )


def _near_field(name: str) -> str | None:
    singular = name.removesuffix("s")
    near = [singular] if singular in _NAMES else get_close_matches(name, _LONG_NAMES, 1, 0.8)
    return near[0] if near else None


def respelt(text: str) -> str:
    """A query with the nearest known name in the place of each field and choice that is not known."""
    for token in tokens(text, typing=False):
        found = _NAMED.match(token.text) if token.kind == "word" and not token.field else None
        if found and (near := _near_field(found[1].lower())):
            text = re.sub(rf"(?<!\w){found[1]}(?=:)", near, text, count=1)
        elif token.field in CHOICES and not _fitting(token, token.field):
            for near in get_close_matches(token.text.lower(), CHOICES[token.field], 1, 0.7):
                text = re.sub(rf"(?<=:){re.escape(token.text)}(?!\w)", near, text, count=1)
    return text


def _without_edits(text: str, problems: list[str]) -> str | None:
    """`word` of `word~` or `word~1`, None when `text` is not of that form."""
    word, tilde, number = text.rpartition("~")
    edits = _EDITS.fullmatch(number)
    if not tilde or edits is None or not any(map(str.isalpha, word)):
        return None
    if edits[1] not in ("", "1"):
        problems.append(f"{shown(text)} allows one edit, no other number; write {shown(word + '~')}")
    return word.rstrip("~*")


def _state(field: str, token: Token, problems: list[str]) -> Node | None:
    text = token.text
    if token.kind == "word":
        nearly = _without_edits(text, [])
        if nearly:
            problems.append(f'{field}:{text[:30]}: "~" works only on words of the paper')
            text = nearly
    begun = token.half or token.tail == "*" or text.endswith("*")
    text = text.strip("*")
    if field == "tag":
        text = text.lower().lstrip("#")
        text = text if token.half else text.rstrip("/")
    return State(field, text + "*" if begun and field != "source" else text)


def _fitting(token: Token, field: str) -> list[str]:
    """The choices of a field that the word of a token may stand for."""
    value, options = token.text.lower(), CHOICES[field]
    fits = [option for option in options if value in (option, option + "s")]
    if not fits and token.half:
        fits = [option for option in options if option.startswith(value)]
    return fits


def _choice(field: str, token: Token, problems: list[str]) -> Node | None:
    value, options, fits = token.text.lower(), CHOICES[field], _fitting(token, field)
    if len(fits) != 1:
        problems.append(f"{field}:{value[:30]} is not known; {field}: takes {', '.join(options)}")
        return None
    if field == "has" and fits[0] not in ("note", "highlight"):
        return Word(fits[0], field)
    return State(field, fits[0])


def _pattern(token: Token, field: str | None, problems: list[str]) -> Node | None:
    start = f"{field}:/{token.text[:30]}" if field else f"/{token.text[:30]}"
    if field and field not in PATTERN_FIELDS:
        problems.append(f"{start}: a /pattern/ works in {', '.join(PATTERN_FIELDS)}")
    elif not token.closed:
        problems.append(f"{start}: the pattern needs a slash at its end, and no slash within it but \\/")
    elif reason := fault(token.text):
        problems.append(f"{start}/: not a pattern to search for: {reason}")
    else:
        # A search begins anywhere: `.*` before it finds nothing more, and takes a hundred times as long.
        begun = _ANYTHING_FIRST.match(token.text)
        pattern = token.text[begun.end() :] if begun else token.text
        return Regex(field, pattern) if field else Or(tuple(Regex(name, pattern) for name in PATTERN_FIELDS))
    return None
