"""Where a query matches in any text, and which stretch of it shows that best. No index is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from index.fulltext.analysis import Piece, pieces
from index.fulltext.slots import Leaf, Slot, positive, readings, slots
from index.query import Node

_SHOWN: Final = frozenset({"title", "abstract", "name", "link"})


def spans(text: str, tree: Node, field: str | None = None) -> list[tuple[int, int]]:
    """The stretches of `text` (code points, sorted, disjoint) that the text leaves of `tree` match.

    With `field`, that of the text, leaves that ask for another are left out; without, those that ask for
    what no abstract shows, such as its author.
    """
    row = list(pieces(text))
    found: list[tuple[int, int]] = []
    for leaf in positive(tree):
        if leaf.field in (None, field) or (field is None and leaf.field in _SHOWN):
            found += _matches(row, leaf)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def occurs(text: str, leaf: Leaf) -> bool:
    """Whether `text` matches one leaf, as a paper with that text would."""
    return next(_matches(list(pieces(text)), leaf), None) is not None


def _matches(row: Sequence[Piece], leaf: Leaf) -> Iterator[tuple[int, int]]:
    known = {piece.form for piece in row}
    asked = slots(leaf)
    if not asked:
        return
    for reading in readings(asked, lambda slot: bool(_accepted(slot, known))):
        accepted = [_accepted(slot, known) for slot in reading]
        if all(accepted):
            width = len(reading)
            for at in range(len(row) - width + 1):
                if all(row[at + i].form in accepted[i] for i in range(width)):
                    yield row[at].start, row[at + width - 1].end


def _accepted(slot: Slot, known: set[str]) -> set[str]:
    if slot.how == "exact":  # of the many readings of a word most are cut in exact parts
        return {slot.form} & known
    return {form for form in known if slot.accepts(form)}


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
