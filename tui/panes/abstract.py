"""One paper: its heading and facts, the abstract with all that is marked in it, the note, the links."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip

from index.papers import COLOURS, Highlight
from index.sentences import sentences
from tui import draw
from tui.draw import Layer, Span
from tui.panes.note_view import NOTE_STYLES
from tui.panes.paper_view import GUTTER, PaperView, arrange, highlight_layers, known
from tui.panes.pointing import Pointing
from tui.panes.selection import Around, Selection, nth_place, place_around, words

__all__ = ["AbstractView", "PaperView"]

MEASURE: Final = 72
"""Cells of the widest line of text."""


class AbstractView(Pointing, can_focus=True, inherit_bindings=False):
    """One paper to read, with a sentence cursor and a selection of words.

    Offsets count code points of the abstract as it is stored. Methods that move return whether
    they could.
    """

    class SentenceMoved(Message):
        """The cursor is on another sentence, counted from 0."""

        def __init__(self, sentence: int) -> None:
            super().__init__()
            self.sentence = sentence

    class Selecting(Message):
        """A selection was begun, or given up."""

    BINDINGS: ClassVar[list[BindingType]] = []
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "abstract--text",
        "abstract--abstract",
        "abstract--heading",
        "abstract--quiet",
        "abstract--bar",
        "abstract--sentence",
        "abstract--match",
        "abstract--here",
        "abstract--selection",
        "abstract--overlap",
        *(f"abstract--{name}" for name in NOTE_STYLES),
        *(f"abstract--{colour}" for colour in COLOURS),
    }
    DEFAULT_CSS = """
    AbstractView {
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .abstract--heading { text-style: bold; }
        & > .abstract--quiet { color: $text-muted; }
        & > .abstract--bar { color: $text-muted; }
        &:focus > .abstract--bar { color: $text-accent; text-style: bold; }
        & > .abstract--section { color: $text-muted; }
        & > .abstract--title { text-style: bold underline; }
        & > .abstract--strong { text-style: bold; }
        & > .abstract--emphasis { text-style: italic; }
        & > .abstract--struck { text-style: strike; }
        & > .abstract--code { color: $text-accent; }
        & > .abstract--link { text-style: underline; }
        & > .abstract--gone { color: $text-muted; text-style: italic; }
        & > .abstract--sentence { background: $foreground 8%; }
        & > .abstract--match { color: $text-warning; text-style: bold; }
        & > .abstract--here { text-style: bold reverse; }
        & > .abstract--selection { text-style: reverse; }
        & > .abstract--overlap { text-style: uu; }
        & > .abstract--claim { background: #3b82f6 35%; text-style: underline; }
        & > .abstract--method { background: #a855f7 35%; text-style: underline; }
        & > .abstract--result { background: #22c55e 35%; text-style: underline; }
        & > .abstract--question { background: #eab308 35%; text-style: underline; }
        & > .abstract--doubt { background: #ef4444 35%; text-style: underline; }
        &:ansi > .abstract--claim { background: ansi_default; color: ansi_blue; }
        &:ansi > .abstract--method { background: ansi_default; color: ansi_magenta; }
        &:ansi > .abstract--result { background: ansi_default; color: ansi_green; }
        &:ansi > .abstract--question { background: ansi_default; color: ansi_yellow; }
        &:ansi > .abstract--doubt { background: ansi_default; color: ansi_red; }
    }
    """

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:
        super().__init__(id=id)
        self.sentence = 0
        """The place of the sentence under the cursor, counted from 0."""
        self._empty = PaperView("", empty, " ")  # a blank, or the lack of an abstract would be told
        self._view = self._empty
        self._signs = draw.signs()
        self._sentences: tuple[Span, ...] = ()
        self._width = MEASURE
        self._here: Span | None = None
        """The match or highlight that the cursor was moved to."""
        self._painted: list[Layer] | None = None

    def show(self, view: PaperView | None) -> None:
        """Show a paper from its top, or, when it is the one already shown, as it is now; None shows none."""
        view = view or self._empty
        same = view.id == self._view.id and view.abstract == self._view.abstract
        self._view = view
        self._sentences = sentences(view.abstract)
        if not same:
            self.sentence = 0
            self._here = self._selected = self._pressed = None
            self._scroll(0)
        if self._here not in (*view.matches, *view.highlight_spans):
            self._here = None
        self._rewrap()

    @property
    def view(self) -> PaperView:
        """What is shown."""
        return self._view

    # Sentences, matches and highlights

    def sentence_span(self) -> Span | None:
        """Where the sentence under the cursor stands in the abstract; None where there is no abstract."""
        return self._sentences[self.sentence] if self._sentences else None

    def next_sentence(self, n: int = 1) -> bool:
        """Move the cursor down by `n` sentences."""
        return self._move_to_sentence(self.sentence + n)

    def previous_sentence(self, n: int = 1) -> bool:
        """Move the cursor up by `n` sentences."""
        return self._move_to_sentence(self.sentence - n)

    def next_match(self, n: int = 1) -> Around | None:
        """Go to the `n`-th match of the query after this place, on from the last one to the first."""
        found = place_around(self._view.matches, self._place, n)
        self._jump(found.span if found else None)
        return found

    def previous_match(self, n: int = 1) -> Around | None:
        """Go to the `n`-th match of the query before this place, on from the first one to the last."""
        return self.next_match(-n)

    def next_highlight(self, n: int = 1) -> bool:
        """Go to the `n`-th highlight after this place."""
        return self._jump(nth_place(self._view.highlight_spans, self._place, n))

    def previous_highlight(self, n: int = 1) -> bool:
        """Go to the `n`-th highlight before this place."""
        return self.next_highlight(-n)

    def highlight(self) -> Highlight | None:
        """The highlight under the cursor: the one it was moved to, else the first in its sentence."""
        place = self._here or self.sentence_span()
        return self._view.highlight_on(place) if place else None

    def highlight_span(self) -> Span | None:
        """The span of the highlight that the cursor was moved to, where there is one."""
        return self._here if self._here in self._view.highlight_spans else None

    def to_highlight(self, span: Span) -> None:
        """Move the cursor to the highlight that lies just there; to the sentence, where it is a whole one."""
        if span in self._view.highlight_spans:
            self._jump(span)
            self._here = None if span in self._sentences else span

    @property
    def _place(self) -> Span:
        return self._here or ((self.sentence_span() or (0, 0))[0], -1)

    def _jump(self, place: Span | None) -> bool:
        if place is None:
            return False
        self._go_to(place[0])
        self._here = place
        self._show_span(place)
        self._repaint()
        return True

    def _go_to(self, offset: int) -> None:
        self._move_to_sentence(self._sentence_at(offset))

    def _sentence_at(self, offset: int) -> int:
        """The sentence that holds `offset`, or the one before the gap in which it lies."""
        return max(0, bisect_right(self._sentences, offset, key=lambda span: span[0]) - 1)

    def _move_to_sentence(self, number: int) -> bool:
        number = max(0, min(number, len(self._sentences) - 1))
        moved = number != self.sentence
        self._here = None
        if moved:
            self.sentence = number
            self.post_message(self.SentenceMoved(number))
        if span := self.sentence_span():
            self._show_span(span)
        self._repaint()
        return moved

    # Selection

    def selection(self) -> Span | None:
        """What is selected, without white space at its ends; None when nothing is."""
        return self._selected.span(self._view.abstract) if self._selected else None

    def begin_selection(self) -> bool:
        """Select the match or highlight that the cursor was moved to, else its sentence's first word."""
        span = self.sentence_span()
        if span is None:
            return False
        inside = [word for word in words(self._view.abstract) if span[0] <= word[0] < span[1]]
        anchor = self._page.snap(self._here or next(iter(inside), span))
        self._select(Selection(anchor, anchor[1]))
        return True

    def cancel_selection(self) -> None:
        """Select nothing."""
        self._select(None)

    def swap_ends(self) -> None:
        """Let the next motion move the other end of the selection."""
        self._select(self._selected and self._selected.swapped())

    def extend_char(self, n: int) -> None:
        """Move the selection's edge by `n` characters as they are seen."""
        self._extend(self._page.glyph_spans(), n)

    def extend_word(self, n: int) -> None:
        """Move the selection's edge by `n` whole words."""
        self._extend([self._page.snap(word) for word in words(self._view.abstract)], n)

    def extend_sentence(self, n: int) -> None:
        """Move the selection's edge by `n` sentences."""
        self._extend(self._sentences, n)

    def extend_line(self, direction: int) -> None:
        """Move the selection's edge to the end (1) or the start (-1) of its line."""
        if self._selected:
            start, end = self._page.line_span(self._selected.inside)
            self._select(self._selected.to(end if direction > 0 else start))

    def _extend(self, units: Sequence[Span], n: int) -> None:
        self._select(self._selected and self._selected.over(units, n))

    def _select(self, selected: Selection | None) -> None:
        if (selected is None) is not (self._selected is None):
            self.post_message(self.Selecting())
        self._selected = selected
        if selected:
            self._show_span((selected.inside, selected.inside + 1))
        self._repaint()

    # Scrolling

    def scroll_lines(self, n: int) -> None:
        """Scroll by `n` lines; the cursor comes along to a sentence in view."""
        self._scroll(round(self.scroll_y) + n)
        self._bring_cursor()

    def top(self) -> None:
        """Go to the first line and the first sentence."""
        self._move_to_sentence(0)
        self._scroll(0)

    def bottom(self) -> None:
        """Go to the last line and the last sentence."""
        self._move_to_sentence(len(self._sentences) - 1)
        self._scroll(len(self._page.lines))

    def show_abstract(self) -> None:
        """Bring the sentence under the cursor into view, also where the facts alone fill the pane."""
        if span := self.sentence_span():
            self._show_span(span)

    def toggle_note(self) -> bool:
        """Scroll to the note, or from there to the abstract; False when there is no note."""
        note = self._page.note
        if note is not None and round(self.scroll_y) < min(note, round(self.max_scroll_y)):
            self._scroll(note)
        else:
            self.show_abstract()
        return note is not None

    def _show_span(self, span: Span) -> None:
        """Scroll as little as brings the span into view with a line to spare; of a long one, its start."""
        first, last = self._page.lines_of(span)
        spare = 1 if self.size.height > last - first + 2 else 0
        top = max(round(self.scroll_y), last + spare + 1 - self.size.height)
        self._scroll(min(top, first - spare))

    def _bring_cursor(self) -> None:
        """Move the cursor to the nearest sentence that begins in view, unless some of its own is in view."""
        top = round(self.scroll_y)
        view = range(top, top + self.size.height)
        places = [self._page.lines_of(span) for span in self._sentences]
        if not places or (places[self.sentence][1] >= view.start and places[self.sentence][0] < view.stop):
            return
        seen = [number for number, (first, _) in enumerate(places) if first in view]
        if seen:
            self.sentence = min(seen, key=lambda number: abs(number - self.sentence))
            self._here = None
            self.post_message(self.SentenceMoved(self.sentence))
            self._repaint()

    def on_resize(self) -> None:
        self._width = self.size.width - self.scrollbar_gutter.width
        at_top = round(self.scroll_y) == 0 and self.sentence == 0
        self._rewrap()
        if not at_top and (span := self._here or self.sentence_span()):
            self._show_span(span)

    def _rewrap(self) -> None:
        width = max(1, min(MEASURE, self._width - GUTTER - 1))
        self._page = arrange(self._view, width, self._signs)
        self.set_reactive(AbstractView.virtual_size, Size(self._width, len(self._page.lines)))
        self._scroll_update(self.virtual_size)
        self._repaint()

    # Drawing

    @property
    def place_on_screen(self) -> Offset:
        """Where the sentence under the cursor begins, or the end of the selection that moves."""
        span = self.sentence_span() or (0, 0)
        at = self._selected.inside if self._selected else (self._here or span)[0]
        number, column = self._page.place(at)
        line = min(max(0, number - round(self.scroll_y)), self.size.height - 1)
        return self.content_region.offset + Offset(self._left + GUTTER + column, line)

    @property
    def _left(self) -> int:
        """Empty cells left of the gutter, where the pane is wider than the measure."""
        return max(0, (self._width - GUTTER - MEASURE) // 2)

    def render_line(self, y: int) -> Strip:
        number = y + round(self.scroll_y)
        base = self.get_component_rich_style("abstract--text")
        if number >= len(self._page.lines):
            return Strip.blank(self._width, base)
        part, sign, colour, line, _, lead, spans = self._page.lines[number]
        layers: list[Layer] = []
        bar = " "
        if part == "abstract":
            starting = [mark.colour for mark in self._view.highlights if line.start <= mark.start < line.end]
            colour = next(iter(starting), "")
            layers = [layer for layer in self._layers() if layer[0] < line.end and line.start < layer[1]]
            span = self.sentence_span()
            if span and span[0] < line.end and line.start < span[1]:
                bar = self._signs["cursor"]
        elif part == "heading":
            match = self._over("match") + Style(underline=True)
            layers = [(*span, match) for span in self._view.heading_spans]
        else:
            layers = [(start, end, self._over(name)) for start, end, name in spans]
        if colour:
            sign = str(COLOURS.index(known(colour)) + 1)
        quiet = self.get_component_rich_style("abstract--quiet")
        segments = [
            Segment(" " * self._left, base),
            Segment(bar, self.get_component_rich_style("abstract--bar")),
            Segment(sign, quiet + self._over(known(colour)) if colour else quiet),
            Segment(f" {lead}", quiet if lead else base),
            *draw.paint_line(line, self.get_component_rich_style(f"abstract--{part}"), layers),
        ]
        return draw.strip(segments, self._width, base)

    def _layers(self) -> list[Layer]:
        """What lies over the abstract, the lowest first."""
        if self._painted is None:
            span = self.sentence_span()
            layers = [(*span, self._over("sentence"))] if span else []
            layers += highlight_layers(self._view.highlights, self._over)
            layers += [(*match, self._over("match")) for match in self._view.matches]
            if self._here:
                layers.append((*self._here, self._over("here")))
            if chosen := self.selection():
                layers.append((*chosen, self._over("selection")))
            self._painted = layers
        return self._painted

    def _over(self, name: str) -> Style:
        """The style of a component as a layer: only what it sets, its colours mixed with what is below."""
        style = self.get_component_rich_style(f"abstract--{name}", partial=True)
        if style.bgcolor is None:
            return style
        return style + Style(bgcolor=self.get_component_rich_style(f"abstract--{name}").bgcolor)

    def _repaint(self) -> None:
        self._painted = None
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painted = None
