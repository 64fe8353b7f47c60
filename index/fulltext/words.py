"""Did you mean: the nearest word of the corpus."""

from __future__ import annotations

from typing import Final

from index.fulltext.analysis import pieces
from index.fulltext.matching import Matching
from index.fulltext.postings import Snapshot
from index.fulltext.slots import near_by
from index.query import Word

_SHORTEST: Final = 4  # letters of a word that is worth a guess
_TWO_EDITS: Final = 7  # letters from which two edits may be wrong


def suggestion(word: str, index: Snapshot, matching: Matching) -> str | None:
    """`word` with each unknown piece replaced by the nearest form, the more frequent of two; or None."""
    if matching.matches(Word(word)):
        return None
    guess, end, changed = "", 0, False
    for form, start, stop in pieces(word):
        nearest = form if matching.matches(Word(form)) else _nearest(form, index)
        if nearest is None:
            return None
        changed |= nearest != form
        guess += word[end:start] + nearest
        end = stop
    return guess + word[end:] if changed else None


def _nearest(form: str, index: Snapshot) -> str | None:
    if len(form) < _SHORTEST:
        return None
    most = 2 if len(form) >= _TWO_EDITS else 1
    found = [
        (distance, other[0] != form[0], -index.frequency(other), other)
        for other, distance in near_by(form, index.words(), most).items()
    ]
    return min(found)[3] if found else None
