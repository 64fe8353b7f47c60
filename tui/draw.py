"""Plain values into cells of the screen: widths, wrapping, spans, signs. No widget and no markup here."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from index.clean import drawable

Span: TypeAlias = tuple[int, int]
"""Start and end in code points of the text that is drawn."""
Layer: TypeAlias = tuple[int, int, Style]
"""A span and the style that is laid over it."""

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    "unread": ("●", "o"),  # filled: still to read
    "later": ("◆", "+"),
    "reading": ("◐", "%"),
    "read": ("○", "."),  # hollow: done
    "skipped": ("×", "x"),
    "starred": ("★", "*"),
    "note": ("¶", "n"),
    "highlights": ("≡", "h"),
    "derived": ("·", ":"),  # the heading was taken from the abstract
    "marked": ("✓", "v"),
    "cursor": ("▌", ">"),  # this paper, this sentence
    "rule": ("─", "-"),
    "more": ("…", "~"),  # text was left out here
}
"""Every sign of the panes, each one cell wide: as it is, and as `tui.plain` has it in ASCII."""


def signs() -> dict[str, str]:
    """The signs by name."""
    return {name: sign for name, (sign, _) in SIGNS.items()}


class Glyph(NamedTuple):
    """What stands in one place of the screen: a character with the marks upon it.

    `start` and `end` count code points of the source text, `width` counts cells (1 or 2).
    """

    start: int
    end: int
    text: str
    width: int


class Line:
    """One line of wrapped text; the white space at which it was broken hangs at its end.

    `text` is what is drawn. Where each code point of it fills one cell, there are no glyphs until
    somebody asks: as tuples they would take a hundred times the room.
    """

    __slots__ = ("_glyphs", "end", "start", "text")

    def __init__(self, start: int, text: str, glyphs: Sequence[Glyph] | None = None) -> None:
        """Of a text from its code point `start` on; with `glyphs` where these are not one cell each."""
        self.start, self.text, self._glyphs = start, text, glyphs
        self.end = glyphs[-1].end if glyphs else start + len(text)

    @property
    def glyphs(self) -> Sequence[Glyph]:
        return self._glyphs or _singles(self.text, self.start)

    @property
    def single(self) -> bool:
        """Whether each code point fills one cell."""
        return self._glyphs is None

    def column(self, offset: int) -> int:
        """The cell, counted from the line's first, where the code point `offset` is drawn."""
        if self._glyphs is None:
            return max(0, min(offset, self.end) - self.start)
        return sum(glyph.width for glyph in self._glyphs if glyph.end <= offset)

    def glyph(self, column: int) -> Glyph:
        """What is drawn in the cell `column`; the last glyph for a column beyond the line."""
        if self._glyphs is None:
            at = max(0, min(column, len(self.text) - 1))
            return Glyph(self.start + at, self.start + at + 1, self.text[at], 1)
        for glyph in self._glyphs:
            column -= glyph.width
            if column < 0:
                return glyph
        return self._glyphs[-1]


_SINGLE: Final = re.compile("[ -~\xa1-\xac\xae-\u02ff–—‘’“”…]*")
"""Text of which each code point is one glyph of one cell: nearly all text there is."""


@lru_cache(maxsize=8192)
def _width(character: str) -> int:
    """Cells of one character, or -1 for one that is not drawn.

    Joiners, variation selectors and soft hyphens are left out: terminals disagree about the width
    of what they join, and without them all agree.
    """
    if unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f":
        return -1
    return get_character_cell_size(character)


def glyphs(text: str) -> list[Glyph]:
    """The glyphs of `text`, safe to draw and without a gap: they hold every code point once.

    What has no width belongs to the glyph before it; at the very start it stands on a space.
    """
    safe = drawable(text)
    if _SINGLE.fullmatch(safe):
        return _singles(safe)
    found: list[Glyph] = []
    for at, character in enumerate(safe):
        width = _width(character)
        drawn = "" if width < 0 else character
        if width > 0:
            found.append(Glyph(at, at + 1, drawn, width))
        elif found:
            last = found[-1]
            found[-1] = Glyph(last.start, at + 1, last.text + drawn, last.width)
        else:
            found.append(Glyph(at, at + 1, " " + drawn, 1))
    return found


def _singles(safe: str, start: int = 0) -> list[Glyph]:
    """The glyphs of a text of which each code point is one cell, counted from `start`."""
    return [Glyph(at, at + 1, character, 1) for at, character in enumerate(safe, start)]


def cells(drawn: Iterable[Glyph]) -> int:
    """How many cells the glyphs take."""
    return sum(glyph.width for glyph in drawn)


def cut(drawn: Sequence[Glyph], width: int, more: str) -> list[Glyph]:
    """As many glyphs as go into `width` cells; the sign `more` ends them where some were left out."""
    if cells(drawn) <= width:
        return list(drawn)
    kept: list[Glyph] = []
    room = width - 1
    for glyph in drawn:
        room -= glyph.width
        if room < 0:
            return [*kept, Glyph(glyph.start, glyph.end, more, 1)] if width > 0 else []
        kept.append(glyph)
    return kept


def cut_around(drawn: Sequence[Glyph], place: Span, width: int, more: str) -> list[Glyph]:
    """As `cut`, but the start is left out where `place` would not be seen; of a long place, its start is."""
    first = max(0, bisect_right(drawn, place[0], key=lambda glyph: glyph.start) - 1)
    last = bisect_left(drawn, place[1], key=lambda glyph: glyph.start)
    room = width // 3
    while first > 0 and drawn[first - 1].width <= room:
        first -= 1
        room -= drawn[first].width
    if first == 0 or width < 1 or cells(drawn[:last]) < width:
        return cut(drawn, width, more)
    return [Glyph(drawn[0].start, drawn[first].start, more, 1), *cut(drawn[first:], width - 1, more)]


_BREAK: Final = re.compile(r" +(?! )|(?<=[^\W_])[-‐–—](?=[^\W\d_²³¹¼½¾])")
"""Behind it a line may begin, in a text of `_SINGLE`: the white space between words, a dash inside one."""
_INK: Final = re.compile("[^ ]")
_NO_BREAK: Final = frozenset("\u00a0\u2007\u202f")
_DASHES: Final = frozenset("-‐–—")
_NOT_FIRST: Final = frozenset("、。，．：；！？）」』】〉》〕］｝ー…")
_NOT_LAST: Final = frozenset("（「『【〈《〔［｛")


def _is_space(glyph: Glyph) -> bool:
    return glyph.text.isspace() and glyph.text not in _NO_BREAK


def _may_break(drawn: Sequence[Glyph], at: int) -> bool:
    """Whether a line may begin inside a word, with the glyph `at`: after a dash, and beside CJK."""
    before, after = drawn[at - 1], drawn[at]
    if before.text in _DASHES:
        return at > 1 and drawn[at - 2].text[0].isalnum() and after.text[0].isalpha()
    if max(before.width, after.width) == 1:
        return False
    return before.text not in _NOT_LAST and after.text not in _NOT_FIRST


def wrap(text: str, width: int) -> list[Line]:
    """`text` in lines of at most `width` cells, broken at the borders of words where that is possible.

    White space that does not fit hangs over the edge, and a line always holds one glyph, so that
    each code point is in exactly one line. No line for an empty text.
    """
    safe = drawable(text)
    return _wrap_single(safe, width) if _SINGLE.fullmatch(safe) else _wrap_glyphs(glyphs(text), width)


def _wrap_single(safe: str, width: int) -> list[Line]:
    """As `_wrap_glyphs`, for a text of which each code point is one cell, as nearly every text is."""
    borders = [found.end() for found in _BREAK.finditer(safe)]
    lines: list[Line] = []
    first = 0
    while beyond := _INK.search(safe, first + width):
        at = beyond.start()
        border = bisect_right(borders, at) - 1
        end = borders[border] if border >= 0 and borders[border] > first else at
        lines.append(Line(first, safe[first:end]))
        first = end
    if safe:
        lines.append(Line(first, safe[first:]))
    return lines


def _wrap_glyphs(drawn: Sequence[Glyph], width: int) -> list[Line]:
    lines: list[Line] = []
    first = border = used = 0
    after_space = False
    for at, glyph in enumerate(drawn):
        space = _is_space(glyph)
        if at > first and not space:
            if after_space or _may_break(drawn, at):
                border = at
            while used + glyph.width > width and at > first:
                end = border if border > first else at
                lines.append(_line(drawn[first:end]))
                first, used = end, cells(drawn[end:at])
        used += glyph.width
        after_space = space
    if drawn:
        lines.append(_line(drawn[first:]))
    return lines


def _line(drawn: Sequence[Glyph]) -> Line:
    return Line(drawn[0].start, "".join(glyph.text for glyph in drawn), tuple(drawn))


def line_of(lines: Sequence[Line], offset: int) -> int:
    """The number of the line that holds the code point `offset`; the last one for an offset beyond."""
    return max(0, bisect_right(lines, offset, key=lambda line: line.start) - 1)


def paint(drawn: Iterable[Glyph], base: Style, layers: Sequence[Layer] = ()) -> list[Segment]:
    """The glyphs as segments: `base`, and upon it each layer that touches the glyph, the last on top."""
    segments: list[Segment] = []
    run: list[str] = []
    over: tuple[int, ...] = ()
    for glyph in drawn:
        here = tuple(
            number for number, (start, end, _) in enumerate(layers) if start < glyph.end and glyph.start < end
        )
        if here != over and run:
            segments.append(_segment(run, base, layers, over))
            run = []
        over = here
        run.append(glyph.text)
    if run:
        segments.append(_segment(run, base, layers, over))
    return segments


def _segment(run: list[str], base: Style, layers: Sequence[Layer], over: Iterable[int]) -> Segment:
    return Segment("".join(run), sum((layers[number][2] for number in over), base))


def write(
    text: str, style: Style, width: int, more: str, layers: Sequence[Layer] = (), place: Span = (0, 0)
) -> list[Segment]:
    """`text` in at most `width` cells, `place` among what is seen: `cut_around` and `paint` in one."""
    safe = drawable(text)
    if not _SINGLE.fullmatch(safe):
        return paint(cut_around(glyphs(safe), place, width, more), style, layers)
    # Drawn glyph by glyph this took half of what a list costs.
    left = max(0, min(place[0], len(safe) - 1) - width // 3)
    if left == 0 or width < 1 or min(place[1], len(safe)) < width:
        left = 0
    else:
        safe = more + safe[left:]
        left -= 1
        layers = [(max(0, a - left), max(1, b - left), over) for a, b, over in layers if a < b]
    if len(safe) > width:
        safe = safe[: width - 1] + more if width > 0 else ""
    return _paint_single(safe, style, layers)


def paint_line(line: Line, base: Style, layers: Sequence[Layer] = ()) -> list[Segment]:
    """As `paint`, of one line; layers count code points of the whole text."""
    if not line.single:
        return paint(line.glyphs, base, layers)
    at = line.start
    return _paint_single(line.text, base, [(max(0, a - at), b - at, over) for a, b, over in layers])


def _paint_single(safe: str, base: Style, layers: Sequence[Layer]) -> list[Segment]:
    """As `paint`, for a text of which each code point is one cell."""
    layers = [layer for layer in layers if layer[0] < min(layer[1], len(safe))]
    borders = {0, len(safe)}.union(*(layer[:2] for layer in layers))
    return [
        _segment([safe[start:end]], base, layers, [n for n, (a, b, _) in enumerate(layers) if a <= start < b])
        for start, end in pairwise(sorted(border for border in borders if border <= len(safe)))
    ]


def strip(segments: Iterable[Segment], width: int, style: Style) -> Strip:
    """The segments as one line of exactly `width` cells, filled up in `style`."""
    line = list(segments)
    used = sum(segment.cell_length for segment in line)
    if used < width:
        line.append(Segment(" " * (width - used), style))
    whole = Strip(line, max(used, width))
    return whole.crop(0, width) if used > width else whole
