"""One row of the list of papers: what it holds, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui import draw
from tui.draw import Span

LEAST_EXTRA: Final = 12
"""Cells below which tags or a snippet are not worth drawing after the heading."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one paper looks in the list; spans count code points of `heading` and of `snippet`."""

    id: str
    heading: str
    derived: bool = False
    status: str = "unread"
    starred: bool = False
    rating: int | None = None
    tags: tuple[str, ...] = ()
    note: bool = False
    highlights: int = 0
    marked: bool = False
    dimmed: bool = False
    share: str | None = None
    """Of a partial match, before all else: `3 of 4 words`."""
    snippet: str | None = None
    spans: tuple[Span, ...] = ()
    snippet_spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class RowStyles:
    """The styles of one row: the heading, what is quiet beside it, and what is laid over a match."""

    text: Style
    quiet: Style
    match: Style


def draw_row(
    row: Row, width: int, styles: RowStyles, signs: dict[str, str], *, cursor: bool, two_lines: bool
) -> tuple[Strip, ...]:
    """One row of the list as one or two strips of `width` cells."""
    more = signs["more"]
    text, quiet = styles.text, styles.quiet
    first = signs["marked"] if row.marked else signs["cursor"] if cursor else " "
    segments = [
        Segment(first + signs.get(row.status, "?"), text),
        Segment(signs["derived"] if row.derived else " ", quiet),
    ]
    flags = _flags(row, signs)
    room = max(0, width - 3 - len(flags))
    layers = [(start, end, styles.match) for start, end in row.spans]
    heading = draw.write(row.heading, text, room, more, layers)
    segments += heading
    room -= sum(segment.cell_length for segment in heading)
    extra = _extra(row, styles, room - 2 if not two_lines else width - 3, more)
    if not two_lines and extra and room >= LEAST_EXTRA:
        segments += [Segment("  ", text), *extra]
        room -= 2 + sum(segment.cell_length for segment in extra)
    segments += [Segment(" " * room, text), Segment(flags, text)]
    strips = [draw.strip(segments, width, text)]
    if two_lines:
        strips.append(draw.strip([Segment("   ", text), *extra], width, text))
    return tuple(strips)


def _flags(row: Row, signs: dict[str, str]) -> str:
    """Star, rating, note and number of highlights, each after a space."""
    flags = [
        signs["starred"] if row.starred else "",
        f"{row.rating}/5" if row.rating else "",
        signs["note"] if row.note else "",
        f"{signs['highlights']}{row.highlights}" if row.highlights else "",
    ]
    return "".join(" " + flag for flag in flags if flag)


def _extra(row: Row, styles: RowStyles, room: int, more: str) -> list[Segment]:
    """Share, tags and snippet in at most `room` cells."""
    tags = " ".join("#" + tag for tag in row.tags)
    share = (row.share or "") + (" · " if row.share and (tags or row.snippet) else "")
    extra = draw.write(share, styles.quiet, room, more)
    room -= sum(segment.cell_length for segment in extra)
    # Why a paper was found is worth as much room as what it is tagged.
    told = draw.write(tags, styles.quiet, room // 2 if row.snippet else room, more)
    extra += told
    if not row.snippet:
        return extra
    room -= sum(segment.cell_length for segment in told)
    if told:
        extra.append(Segment("  ", styles.quiet))
        room -= 2
    match = row.snippet_spans[0] if row.snippet_spans else (0, 0)
    layers = [(start, end, styles.match) for start, end in row.snippet_spans]
    return extra + draw.write(row.snippet, styles.quiet, max(0, room), more, layers, match)
