"""Two texts woven into one by their lines: what both hold stands once, what one of them holds stays.

Lines are aligned by those that are rare, then by those that are rare between these (patience diff). A line
that both hold in places that do not agree is taken to have been moved. So a line stands as often as in the
text that holds it more often, and texts that meet again and again in any order do not grow. A block of code
is one line.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

_FENCES: Final = ("```", "~~~")
_LEVELS: Final = 40
"""How often one looks for rare lines between rare lines: bounds the time on a text made to be slow."""


def worded(text: str) -> set[str]:
    """The lines of a text that have a word in them."""
    return {line for line in _lines(text) if any(map(str.isalnum, line))}


def woven(first: str, second: str, base: str = "") -> str:
    """The text with the lines of both; where each wrote in one place, what is in `first` comes first.

    A line of `base`, which both grew from, goes where one took it away and the other left it as it was; a
    line that both changed stays in both versions. A text that holds all lines of the other is the answer.
    """
    one, other = _lines(first), _lines(second)
    if base:
        one, other = _without_deleted(_lines(base), one, other)
    if _counted(one) <= _counted(other):
        return "\n".join(other)
    if _counted(other) <= _counted(one):
        return "\n".join(one)
    return "\n".join(_weave(_stripped(one), _stripped(other)))


def _weave(one: list[str], other: list[str]) -> list[str]:
    places, others = _written(one), _written(other)
    pairs = _aligned([one[i] for i in places], [other[j] for j in others])
    unaligned = set(places).difference(places[i] for i, _ in pairs)
    moved = Counter(one[i] for i in unaligned)
    out: list[str] = []
    i = j = 0
    for to, other_to in [*((places[i], others[j]) for i, j in pairs), (len(one), len(other))]:
        own = []
        for line in other[j:other_to]:
            own.append((line, moved[line] == 0))
            moved[line] -= moved[line] > 0
        out += _joined(one[i:to], _kept(own))
        out += one[to : to + 1]
        i, j = to + 1, other_to + 1
    return out


def _joined(ours: list[str], theirs: list[str]) -> list[str]:
    """What stands between two lines that both hold."""
    if not _written(theirs):
        return ours
    if not _written(ours):
        return theirs
    return ours + theirs[not ours[-1].strip() and not theirs[0].strip() :]


def _without_deleted(base: list[str], one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Each without the lines of `base` that it left as they were and the other took away."""
    before = [base[i] for i in _written(base)]
    sides = [(side, _written(side)) for side in (one, other)]
    left = [dict(_aligned(before, [side[i] for i in places])) for side, places in sides]
    out = []
    for (side, places), mine, others in zip(sides, left, reversed(left), strict=True):
        gone = {places[mine[line]] for line in mine.keys() - others.keys()}
        out.append(_kept((line, place not in gone) for place, line in enumerate(side)))
    return out[0], out[1]


def _kept(lines: Iterable[tuple[str, bool]]) -> list[str]:
    """The lines that are to stay; of the empty ones around another, those before it alone."""
    out: list[str] = []
    cut = False
    for line, stays in lines:
        if not stays:
            cut = True
        elif line.strip() or not cut or (out and out[-1].strip()):
            out.append(line)
            cut = cut and not line.strip()
    return out


def _aligned(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The places of lines that both hold in one order, each place once, both rising."""
    pairs = []
    spans = [(0, len(one), 0, len(other))]
    for _ in range(_LEVELS):
        narrower = []
        for start, end, begin, stop in spans:
            while start < end and begin < stop and one[start] == other[begin]:
                pairs.append((start, begin))
                start, begin = start + 1, begin + 1
            while start < end and begin < stop and one[end - 1] == other[stop - 1]:
                end, stop = end - 1, stop - 1
                pairs.append((end, stop))
            if start < end and begin < stop:
                rare = [(start + i, begin + j) for i, j in _rare(one[start:end], other[begin:stop])]
                corners = [(start, begin), *rare, (end, stop)] if rare else []
                narrower += [(a, b, c, d) for (a, c), (b, d) in pairwise(corners)]
        if not narrower:
            break
        spans = narrower
    return sorted(pairs)


def _rare(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The places of lines that each holds once: the longest row of them that rises in both."""
    counts, counted = Counter(one), Counter(other)
    where = {line: j for j, line in enumerate(other) if counted[line] == 1}
    last: list[int] = []  # where the best row of each length ends in `other`, and in both
    ends: list[tuple[int, int]] = []
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for i, line in enumerate(one):
        if counts[line] == 1 and line in where:
            j = where[line]
            length = bisect_left(last, j)
            last[length : length + 1] = [j]
            ends[length : length + 1] = [(i, j)]
            before[i, j] = ends[length - 1] if length else None
    row: list[tuple[int, int]] = []
    step = ends[-1] if ends else None
    while step:
        row.append(step)
        step = before[step]
    return row[::-1]


def _lines(text: str) -> list[str]:
    """The lines of a text; a block of code that is closed is one."""
    out: list[str] = []
    begin, fence = 0, ""
    for line in text.split("\n"):
        out.append(line)
        mark = line.lstrip()[:3]
        if fence:
            if mark == fence:
                out[begin:] = ["\n".join(out[begin:])]
                fence = ""
        elif mark in _FENCES:
            begin, fence = len(out) - 1, mark
    return out


def _written(lines: Sequence[str]) -> list[int]:
    """The places of the lines that are not empty."""
    return [place for place, line in enumerate(lines) if line.strip()]


def _counted(lines: Iterable[str]) -> Counter[str]:
    return Counter(line for line in lines if line.strip())


def _stripped(lines: list[str]) -> list[str]:
    places = _written(lines)
    return lines[: places[-1] + 1] if places else []
