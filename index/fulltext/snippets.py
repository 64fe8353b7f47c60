"""Where a query matches in any text, and which stretch of it shows that best. No index is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from index.fulltext.analysis import pieces
from index.fulltext.slots import Known, Leaf, positive, readings, slots
from index.query import Node

_SHOWN: Final = frozenset({"title", "abstract", "name", "link"})
_KEPT: Final = 100
"""Texts kept in pieces, at some 40 KB each: those of a screen are shown again at the next letter."""


def spans(text: str, tree: Node, field: str | None = None) -> list[tuple[int, int]]:
    """The stretches of `text` (code points, sorted, disjoint) that the text leaves of `tree` match.

    With `field`, that of the text, leaves that ask for another are left out; without, those that ask for
    what no abstract shows, such as its author.
    """
    read = _read(text)
    found: list[tuple[int, int]] = []
    for leaf in positive(tree):
        if leaf.field in (None, field) or (field is None and leaf.field in _SHOWN):
            found += _matches(read, leaf)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def occurs(text: str, leaf: Leaf) -> bool:
    """Whether `text` matches one leaf, as a paper with that text would."""
    return next(_matches(_Read(text), leaf), None) is not None


class _Read:
    """A text in pieces."""

    def __init__(self, text: str) -> None:
        self.row = list(pieces(text))
        self.at: dict[str, list[int]] = {}
        """Where in the row each form stands."""
        for place, piece in enumerate(self.row):
            self.at.setdefault(piece.form, []).append(place)
        self.known = Known(self.at)


_read: Final = lru_cache(maxsize=_KEPT)(_Read)


def _matches(read: _Read, leaf: Leaf) -> Iterator[tuple[int, int]]:
    accepted = cache(read.known.accepted)  # many readings share a slot
    asked, row = slots(leaf), read.row
    for reading in readings(asked, lambda slot: bool(accepted(slot))) if asked else ():
        first, *others = map(accepted, reading)
        if first and all(others):
            for place in sorted(place for form in first for place in read.at[form]):
                end = place + len(others)
                if end < len(row) and all(row[place + n].form in forms for n, forms in enumerate(others, 1)):
                    yield row[place].start, row[end].end


def snippet(text: str, spans: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """The stretch of `text` of at most `width` code points that shows most of `spans`, from word to word."""
    if len(text) <= width:
        return 0, len(text)
    best, most = 0, 0
    for start, _ in spans:
        first = max(0, start - width // 4)
        shown = len({text[a:b].casefold() for a, b in spans if a >= first and b <= first + width})
        if shown > most:
            best, most = first, shown
    start = min(best, len(text) - width)
    end = start + width
    while start and start < end and not text[start - 1].isspace():
        start += 1
    while end < len(text) and end > start and not text[end].isspace():
        end -= 1
    if start >= end:  # one word longer than the width
        return best, best + width
    return start, end
