"""What is shown of one paper, and how it is arranged in lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from rich.style import Style

from index.papers import COLOURS, Highlight
from tui import draw
from tui.draw import Glyph, Layer, Line, Span
from tui.panes.note_view import Part, Styled, note_parts


@dataclass(frozen=True, slots=True)
class PaperView:
    """What is shown of one paper.

    Spans and highlights count code points, `matches` in the abstract and `heading_spans` in the
    heading; `lost` are highlights whose words are no longer in the text; `meanings` says what the
    reader calls a colour; `note_headings` are those of the papers that the note links to, by id, and
    `linked_from` those of the papers whose notes link here; `facts` and `footer` are lines.
    """

    id: str
    heading: str
    abstract: str
    derived: bool = False
    facts: tuple[str, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    matches: tuple[Span, ...] = ()
    note: str = ""
    note_headings: Mapping[str, str] = field(default_factory=dict)
    linked_from: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()
    heading_spans: tuple[Span, ...] = ()
    lost: tuple[Highlight, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def highlight_spans(self) -> list[Span]:
        return [(mark.start, mark.end) for mark in self.highlights]

    def highlight_on(self, place: Span) -> Highlight | None:
        """The highlight that lies exactly on `place`, else the first that touches it."""
        touching = [mark for mark in self.highlights if mark.start < place[1] and place[0] < mark.end]
        exact = [mark for mark in touching if (mark.start, mark.end) == place]
        return next(iter(exact + touching), None)


class DrawnLine(NamedTuple):
    """A line of the pane: its part's style, a sign or a colour for the gutter, the text, where it leads.

    `lead` stands before the text, which has `spans` in other styles.
    """

    style: str
    sign: str
    colour: str
    line: Line
    link: str = ""
    lead: str = ""
    spans: tuple[Styled, ...] = ()


ABSTRACT: Final = "abstract"
GUTTER: Final = 3
"""Cells left of the text: the cursor's bar, the number of a colour, a space."""
NARROWEST: Final = 10
"""Cells that a text has beside what stands before it."""
BLANK: Final = Part("quiet", "")


class Page(NamedTuple):
    """A paper in lines of the pane.

    `lines` are all of them; `text` are those of the abstract, whole and without a gap, and `first`
    is where they begin in `lines`, as `note` is where the note does, if there is one.
    """

    lines: list[DrawnLine]
    text: list[Line]
    first: int
    note: int | None = None

    def lines_of(self, span: Span) -> tuple[int, int]:
        """The first and the last line that hold the span of the abstract."""
        first, last = (draw.line_of(self.text, offset) for offset in (span[0], span[1] - 1))
        return self.first + first, self.first + last

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column at which the code point `offset` is drawn; the start of an empty text."""
        number = draw.line_of(self.text, offset)
        return self.first + number, self.text[number].column(offset) if self.text else 0

    def line_span(self, offset: int) -> Span:
        """What of the abstract stands in the line of the code point `offset`."""
        line = self.text[draw.line_of(self.text, offset)]
        return line.start, line.end

    def glyph(self, number: int, column: int) -> Glyph | None:
        """What is drawn at the column of a line; None where that is no line of the abstract."""
        inside = 0 <= number - self.first < len(self.text)
        return self.text[number - self.first].glyph(max(0, column)) if inside else None

    def nearest(self, number: int, column: int) -> Glyph:
        """What of the abstract, which is not empty, is drawn nearest to the column of a line."""
        if number < self.first:
            return self.text[0].glyph(0)
        if number >= self.first + len(self.text):
            return self.text[-1].glyphs[-1]
        return self.text[number - self.first].glyph(max(0, column))

    def glyph_spans(self) -> list[Span]:
        return [(glyph.start, glyph.end) for line in self.text for glyph in line.glyphs]

    def snap(self, span: Span) -> Span:
        """The span made wider where it would part a character from the marks upon it."""
        first, last = (self._glyph_of(offset) for offset in (span[0], span[1] - 1))
        return first.start, last.end

    def _glyph_of(self, offset: int) -> Glyph:
        line = self.text[draw.line_of(self.text, offset)]
        return line.glyph(line.column(offset))


def arrange(view: PaperView, width: int, signs: dict[str, str]) -> Page:
    """The paper from its heading to the footer, for a text of `width` cells."""
    lines = [line for part in _parts(view, width, signs) for line in _drawn(part, width)]
    text = [drawn.line for drawn in lines if drawn.style == ABSTRACT]
    first = next((number for number, drawn in enumerate(lines) if drawn.style == ABSTRACT), 0)
    note = next((number for number, drawn in enumerate(lines) if drawn.style == "section"), None)
    return Page(lines, text, first, note if view.note else None)


@lru_cache(maxsize=2048)
def _drawn(part: Part, width: int) -> list[DrawnLine]:
    """A part in lines; they are kept, since a note is drawn anew while it is written."""
    wrapped = draw.wrap(part.text or " ", max(NARROWEST, width - len(part.lead)))
    first = DrawnLine(part.style, part.sign, part.colour, wrapped[0], part.link, part.lead, part.spans)
    others = (DrawnLine(part.style, " ", "", line, part.link, part.hang, part.spans) for line in wrapped[1:])
    return [first, *others]


def known(colour: str) -> str:
    """The colour, or the first one instead of one that is not known."""
    return colour if colour in COLOURS else COLOURS[0]


def _parts(view: PaperView, width: int, signs: dict[str, str]) -> Iterator[Part]:
    rule = signs["rule"]

    def section(name: str) -> list[Part]:
        title = f"{rule * 2} {name} "
        return [BLANK, Part("section", title + rule * (width - len(title)))]

    yield Part("heading", view.heading, signs["derived"] if view.derived else " ")
    yield from (Part("quiet", fact) for fact in view.facts)
    yield BLANK
    yield Part(ABSTRACT, view.abstract) if view.abstract else Part("quiet", "(no abstract)")
    if view.note:
        yield from section("note")
        yield from note_parts(view.note, view.note_headings, width, rule)
    if view.linked_from:
        yield from section("linked from")
        yield from (Part("text", heading, lead="← ", hang="  ") for heading in view.linked_from)
    if view.highlights or view.lost:
        yield from section("highlights")
        yield from _highlights(view)
    if view.links:
        yield from section("links")
        yield from (Part("text", f"{number} {link}", link=link) for number, link in enumerate(view.links, 1))
    if view.footer:
        yield BLANK
        yield Part("quiet", rule * width)
        yield from (Part("quiet", line) for line in view.footer)


def _highlights(view: PaperView) -> Iterator[Part]:
    for mark in view.highlights + view.lost:
        meaning = view.meanings.get(mark.colour, mark.colour)
        if mark in view.lost:
            yield Part("quiet", f"{meaning}, no longer in the text: {mark.quote}", colour=mark.colour)
        else:
            yield Part("text", f"{meaning}: {mark.quote}", colour=mark.colour)
        yield from (Part("quiet", line) for line in mark.comment.splitlines())


def highlight_layers(marks: Sequence[Highlight], style: Callable[[str], Style]) -> list[Layer]:
    """The highlights as layers, the one that begins later on top, and "overlap" where two lie together.

    `style` gives the layer of a colour; a colour that is not known is shown as the first.
    """
    layers: list[Layer] = []
    overlaps: list[Layer] = []
    reach = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        layers.append((mark.start, mark.end, style(known(mark.colour))))
        if mark.start < reach:
            overlaps.append((mark.start, min(mark.end, reach), style("overlap")))
        reach = max(reach, mark.end)
    return layers + overlaps
