"""Motions over a text: from place to place, and of one end of a selection."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tui.draw import Span

_IDEOGRAPH: Final = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD: Final = rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+(?:[^\w\s—–]+[^\W{_IDEOGRAPH}]+)*%?"


def words(text: str) -> list[Span]:
    """The words that can be chosen: `gCOG`, `30-50%`, `https://example.org/a`, one ideograph."""
    return [match.span() for match in re.finditer(_WORD, text)]  # compiled at need: a start needs none


def nth_place(places: Sequence[Span], here: Span, n: int) -> Span | None:
    """The `n`-th of `places` after `here`, or before it when negative.

    Where there are fewer it is the last on the way, and None where there is none.
    """
    spans = sorted(set(places))
    ahead = spans[bisect_right(spans, here) :] if n > 0 else spans[: bisect_left(spans, here)][::-1]
    return ahead[min(abs(n), len(ahead)) - 1] if ahead else None


class Around(NamedTuple):
    """One of several places: where, its number from 1, of how many, and whether an end was passed."""

    span: Span
    number: int
    of: int
    passed: bool


def place_around(places: Sequence[Span], here: Span, n: int) -> Around | None:
    """As `nth_place`, but after the last place comes the first, and before the first the last."""
    spans = sorted(set(places))
    if not spans:
        return None
    at = bisect_right(spans, here) - 1 + n if n > 0 else bisect_left(spans, here) + n
    place = at % len(spans)
    return Around(spans[place], place + 1, len(spans), place != at)


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection that holds `anchor`, the span where it began, and reaches to `edge`, which moves.

    Offsets count code points. Once the ends were swapped the anchor is a place without length.
    """

    anchor: Span
    edge: int

    @property
    def bounds(self) -> Span:
        return min(self.anchor[0], self.edge), max(self.anchor[1], self.edge)

    @property
    def inside(self) -> int:
        """The code point next to the edge that is selected."""
        return self.edge - 1 if self.edge > self.anchor[0] else self.edge

    def span(self, text: str) -> Span | None:
        """What is selected of `text`, without the white space at its ends; None when that is all."""
        start, end = self.bounds
        chosen = text[start:end]
        start += len(chosen) - len(chosen.lstrip())
        return (start, start + len(chosen.strip())) if chosen.strip() else None

    def swapped(self) -> Selection:
        """The same selection, of which the other end moves."""
        start, end = self.bounds
        return Selection((end, end), start) if self.edge > self.anchor[0] else Selection((start, start), end)

    def to(self, offset: int) -> Selection:
        """The selection with its edge at `offset`; as it is, where it would come to be empty."""
        return self if self.anchor == (offset, offset) else replace(self, edge=offset)

    def over(self, units: Sequence[Span], n: int) -> Selection:
        """The selection with its edge moved over `n` of the sorted `units`, backwards when negative.

        Before the anchor the edge stops where a unit starts, after it where one ends.
        """
        first, last = self.anchor
        stops = [start for start, _ in units if start < first]
        stops += [last] if first < last else []
        stops += [end for _, end in units if end > last]
        if not stops:
            return self
        at = bisect_right(stops, self.edge) - 1 if n > 0 else bisect_left(stops, self.edge)
        return replace(self, edge=stops[max(0, min(at + n, len(stops) - 1))])
