"""A highlight in a text that may have changed: found by its words and what stands around them, or not at all.

The method is that of the Web Annotation model's text quote selector (W3C, 2017: exact, prefix, suffix),
without its fuzzy matching. White space is alike: a text that was wrapped anew holds what it held.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from index.papers import ANCHOR, Annotation, Highlight

_SPACE: Final = re.compile(r"\s+")


def anchored(annotation: Annotation, text: str) -> tuple[list[Highlight], list[Highlight]]:
    """The highlights that `text` holds, in its order and with offsets put right; and those it does not."""
    held, lost = [], []
    for mark in annotation.highlights:
        if place := found(text, mark):
            held.append(
                replace(mark, start=place[0], end=place[1]) if place != (mark.start, mark.end) else mark
            )
        else:
            lost.append(mark)
    return sorted(held, key=lambda mark: (mark.start, mark.end, mark.id)), lost


def found(text: str, mark: Highlight) -> tuple[int, int] | None:
    """Where `text` holds the words of `mark`; None where it does not, or where they may be in several places.

    At the old offsets if all of the context agrees there. Else at the one place where all of it agrees,
    else where half of it does; of several such the one at the old offsets. Else where the words stand
    once in the text, unless the old context stands elsewhere around other words: then they were changed.
    """
    quote, start = mark.quote, mark.start
    if not quote:
        return None
    if start >= 0 and text.startswith(quote + mark.suffix, start) and text.endswith(mark.prefix, 0, start):
        return start, start + len(quote)
    places = [match.span(1) for match in re.finditer(f"(?=({_pattern(quote)}))", text)]
    agreeing = {place: _agreeing(text, place, mark) for place in places}
    context = len(_spaced(mark.prefix)) + len(_spaced(mark.suffix))
    if whole := [place for place in places if agreeing[place] == context]:
        return _only(whole, start)
    half = [place for place in places if 2 * agreeing[place] >= context]
    place = _only(half, start) if half else _only(places, None)
    return place if place and not _changed(text, mark, place) else None


def _only(places: Sequence[tuple[int, int]], start: int | None) -> tuple[int, int] | None:
    """The only one of these places, or of several the one at `start`."""
    here = [place for place in places if len(places) == 1 or place[0] == start]
    return here[0] if here else None


def _agreeing(text: str, place: tuple[int, int], mark: Highlight) -> int:
    """How many characters of the context of `mark` stand around `place`, counted outwards."""
    before, after = _spaced(mark.prefix), _spaced(mark.suffix)
    left = _spaced(text[max(0, place[0] - 2 * len(mark.prefix) - ANCHOR) : place[0]])
    right = _spaced(text[place[1] : place[1] + 2 * len(mark.suffix) + ANCHOR])
    return _alike(reversed(before), reversed(left)) + _alike(after, right)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters the two have in common from their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _changed(text: str, mark: Highlight, place: tuple[int, int]) -> bool:
    """Whether the context of `mark` stands in the text, around a stretch that does not hold `place`.

    Without context on one side the words stood at that end of the text.
    """
    before, after = _pattern(mark.prefix) or r"\A", _pattern(mark.suffix) or r"\Z"
    between = f"(.{{0,{2 * len(mark.quote) + ANCHOR}}}?)"
    stretches = [match.span(1) for match in re.finditer(before + between + after, text, re.DOTALL)]
    return bool(stretches) and not any(s <= place[0] and place[1] <= e for s, e in stretches)


def _pattern(words: str) -> str:
    return r"\s+".join(map(re.escape, _SPACE.split(words)))


def _spaced(text: str) -> str:
    return _SPACE.sub(" ", text)
