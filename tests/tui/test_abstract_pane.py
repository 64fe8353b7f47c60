"""One paper on a small host: offsets, cursor, marks, selection, scrolling, hostile text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.app import App, ComposeResult
from textual.events import MouseMove, MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from index.papers import COLOURS, Highlight
from tests.tui.helpers import HOSTILE, SIZES, anomalies, drawn, unsafe, until
from tui import draw
from tui.panes.abstract import AbstractView, PaperView
from tui.panes.paper_view import arrange
from tui.panes.selection import Around, Selection, nth_place, words

TEXT = (
    "We study sparse models of language. They route each token to a few experts, and it works. "
    "Our method, gCOG, gains 30-50% on a state-of-the-art baseline! "
    "Code is at https://example.org/gcog for everyone who would like to read it on a train. "
    "It needs no more than one card. We hope that it will be of use to those who come after us."
)
VIEW = PaperView("p1", "A heading", TEXT)


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.view = AbstractView(empty="no paper [here]")
        self.moved: list[int] = []
        self.links: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_pointing_link_clicked(self, event: AbstractView.LinkClicked) -> None:
        self.links.append(event.link)

    def on_abstract_view_sentence_moved(self, event: AbstractView.SentenceMoved) -> None:
        self.moved.append(event.sentence)


@asynccontextmanager
async def host(
    view: PaperView | None = VIEW, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Host, AbstractView, Pilot[None]]]:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.view.size.height > 0)
        app.view.show(view)
        yield app, app.view, pilot


def lines(pane: AbstractView) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]


def span(quote: str, text: str = TEXT) -> tuple[int, int]:
    start = text.index(quote)
    return start, start + len(quote)


def mark(quote: str, colour: str = "claim", comment: str = "", text: str = TEXT) -> Highlight:
    return Highlight.on(text, *span(quote, text), id=quote[:8], colour=colour, comment=comment)


def chosen(pane: AbstractView) -> str:
    found = pane.selection()
    return TEXT[slice(*found)] if found else ""


def styled(pane: AbstractView, words: str) -> Style:
    """The style in which a piece of the abstract, drawn as one segment, is in view."""
    for y in range(pane.size.height):
        for segment in pane.render_line(y):
            if segment.text == words:
                return segment.style or Style()
    raise AssertionError(f"{words!r} is not drawn in one piece")


async def test_what_is_shown_of_a_paper() -> None:
    view = replace(
        VIEW,
        derived=True,
        abstract="A short\nabstract.",
        facts=("unread · 1 min read", "#moe · 4/5"),
        note="First *line*\n\n[third]",
        highlights=(mark("short", "result", "a comment", "A short"),),
        lost=(Highlight("x", 0, 4, "gone", colour="doubt"),),
        meanings={"result": "finding"},
        links=("https://example.org",),
        footer=("also in list 002",),
    )
    async with host(view, (40, 30)) as (_, pane, _pilot):
        rule = "─" * 35
        assert lines(pane) == [
            " · A heading",
            "   unread · 1 min read",
            "   #moe · 4/5",
            "",
            "▌3 A short abstract.",
            "",
            "   ── note " + "─" * 27,
            "   First line",
            "",
            "   [third]",
            "",
            "   ── highlights " + "─" * 21,
            " 3 finding: short",
            "   a comment",
            " 5 doubt, no longer in the text: gone",
            "",
            "   ── links " + "─" * 26,
            "   1 https://example.org",
            "",
            "   " + rule,
            "   also in list 002",
            *[""] * 9,
        ]


async def test_no_paper_and_no_abstract() -> None:
    async with host(None) as (_, pane, _pilot):
        assert lines(pane)[0].strip() == "no paper [here]"
        assert pane.sentence_span() is None
        assert not pane.begin_selection()
        assert not pane.next_sentence()
        assert not pane.next_match()
        pane.extend_word(1)
        assert pane.selection() is None
        pane.show(replace(VIEW, abstract=""))
        assert "(no abstract)" in drawn(pane.render_line(y) for y in range(5))


async def test_a_wide_pane_keeps_the_measure_and_a_narrow_one_works() -> None:
    async with host(size=(120, 40)) as (_, pane, pilot):
        text = [line for line in lines(pane) if line]
        assert max(map(len, text)) - min(len(line) - len(line.lstrip(" ▌")) for line in text) <= 72
        await pilot.resize_terminal(38, 12)
        await until(pilot, lambda: pane.size.width == 38)
        assert all(pane.render_line(y).cell_length == 37 for y in range(12))
        assert any("We study sparse models" in line for line in lines(pane))


@given(st.text(st.one_of(st.sampled_from("ab .!漢é\u0301\u200d👩"), st.characters()), max_size=150),
       st.integers(1, 80))  # fmt: skip
def test_each_code_point_is_found_again_where_it_is_drawn(text: str, width: int) -> None:
    view = PaperView("p", "Heading", text, facts=("fact",), note="note")
    page = arrange(view, width, draw.signs())
    for offset in range(len(text)):
        number, last = page.lines_of((offset, offset + 1))
        assert number == last
        glyph = page.glyph(number, page.lines[number].line.column(offset))
        assert glyph is not None
        assert glyph.start <= offset < glyph.end
        assert page.snap((offset, offset + 1)) == (glyph.start, glyph.end)
    assert page.glyph(page.first - 1, 0) is None
    assert page.glyph(page.first + len(page.text), 0) is None


@pytest.mark.parametrize("size", SIZES)
async def test_the_sentence_cursor_moves_in_view_and_shows_by_a_bar(size: tuple[int, int]) -> None:
    async with host(size=size) as (app, pane, pilot):
        starts = ["We study", "They route", "Our method", "Code is at", "It needs", "We hope"]
        for number, start in enumerate(starts):
            found = pane.sentence_span()
            assert found
            assert TEXT[slice(*found)].startswith(start)
            barred = "".join(line.replace("▌", "") for line in lines(pane) if "▌" in line)
            assert TEXT[slice(*found)].replace(" ", "") in barred.replace(" ", "")
            assert pane.next_sentence() == (number < 5)
        assert pane.previous_sentence(3)
        assert pane.sentence == 2
        assert pane.previous_sentence(9)
        assert not pane.previous_sentence()
        await until(pilot, lambda: app.moved == [1, 2, 3, 4, 5, 2, 0])


async def test_the_sentence_stays_in_view_when_the_pane_shrinks() -> None:
    async with host(size=(80, 24)) as (_, pane, pilot):
        pane.next_sentence(5)
        await pilot.resize_terminal(40, 8)
        await until(pilot, lambda: pane.size.width == 40)
        assert any("after us." in line for line in lines(pane))


async def test_what_is_shown_before_the_first_layout_is_in_view_after_it() -> None:
    class Early(Host):
        def compose(self) -> ComposeResult:
            self.view.show(replace(VIEW, matches=(span("come after"),)))
            self.view.next_match()
            return super().compose()

    app = Early()
    async with app.run_test(size=(40, 8)) as pilot:
        await until(pilot, lambda: app.view.size.height > 0 and app.view.scroll_y > 0)
        assert styled(app.view, "come after").reverse


async def test_matches_and_highlights_are_gone_through_in_order() -> None:
    marks = (mark("each token", "method"), mark("one card", "doubt"))
    matches = (span("models"), span("experts"), span("method"))
    async with host(replace(VIEW, matches=matches, highlights=marks)) as (_, pane, _pilot):
        assert styled(pane, "models").bold
        assert not styled(pane, "models").reverse
        assert pane.next_match()
        assert styled(pane, "models").reverse, "the match that the cursor is on stands out"
        assert pane.next_match(2) == Around(span("method"), 3, 3, passed=False)
        assert pane.sentence == 2
        assert pane.next_match() == Around(span("models"), 1, 3, passed=True)
        assert styled(pane, "models").reverse
        assert pane.previous_match() == Around(span("method"), 3, 3, passed=True)
        assert pane.next_match(4) == Around(span("models"), 1, 3, passed=True)
        assert pane.previous_match(2) == Around(span("experts"), 2, 3, passed=True)
        assert pane.sentence == 1
        assert styled(pane, "experts").reverse
        assert pane.highlight() is None
        assert pane.previous_highlight()
        assert pane.highlight() == marks[0]
        assert pane.next_highlight(5)
        assert pane.highlight() == marks[1]
        assert pane.sentence == 4
        pane.previous_sentence(3)
        assert pane.highlight() == marks[0], "in its sentence"
        pane.show(replace(VIEW, matches=()))
        assert pane.sentence == 1, "the same paper stays where it was"
        pane.show(replace(VIEW, id="p2"))
        assert pane.sentence == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))), st.integers(-1, 31), st.integers(1, 5))
def test_the_nth_place_is_the_nth_in_order(places: list[tuple[int, int]], start: int, n: int) -> None:
    here = (start, -1)
    after = [place for place in sorted(set(places)) if place > here]
    before = [place for place in sorted(set(places), reverse=True) if place < here]
    assert nth_place(places, here, n) == (after[:n][-1] if after else None)
    assert nth_place(places, here, -n) == (before[:n][-1] if before else None)


async def test_highlights_are_told_apart_with_and_without_colour() -> None:
    quotes = ["sparse models", "each token", "experts", "gains", "one card"]
    marks = tuple(mark(quote, colour) for quote, colour in zip(quotes, COLOURS, strict=True))
    async with host(replace(VIEW, highlights=marks)) as (_, pane, _pilot):
        pane.bottom()
        pane.top()
        looks = [styled(pane, quote) for quote in quotes]
        assert all(style.underline for style in looks)
        assert len({style.bgcolor for style in looks}) == 5
        assert not styled(pane, " of language.").underline
        in_margin = {line[:3].strip(" ▌") for line in lines(pane)[:9]} - {""}
        assert in_margin <= set("12345")


async def test_overlapping_highlights_show_where_both_lie() -> None:
    marks = (mark("We study sparse models"), mark("models of language", "doubt"))
    async with host(replace(VIEW, highlights=marks)) as (_, pane, _pilot):
        first, both, second = (styled(pane, part) for part in ("We study sparse ", "models", " of language"))
        assert not first.underline2
        assert both.underline2
        assert not second.underline2
        assert both.bgcolor == second.bgcolor != first.bgcolor


async def test_an_unknown_colour_is_drawn() -> None:
    async with host(replace(VIEW, highlights=(mark("models", "mauve"),))) as (_, pane, _pilot):
        assert styled(pane, "models").underline
        assert any(line.strip().startswith("1 mauve: models") for line in lines(pane))


async def test_words_are_selected_by_motions() -> None:
    async with host() as (_, pane, _pilot):
        pane.next_sentence(2)
        assert pane.begin_selection()
        assert chosen(pane) == "Our"
        pane.extend_word(2)
        assert chosen(pane) == "Our method, gCOG"
        assert styled(pane, "Our method, gCOG").reverse
        pane.extend_word(2)
        assert chosen(pane) == "Our method, gCOG, gains 30-50%"
        pane.extend_word(-1)
        assert chosen(pane) == "Our method, gCOG, gains"
        pane.swap_ends()
        pane.extend_word(1)
        assert chosen(pane) == "method, gCOG, gains"
        pane.extend_char(-2)
        assert chosen(pane) == "r method, gCOG, gains"
        pane.swap_ends()
        pane.extend_sentence(1)
        assert chosen(pane) == TEXT[TEXT.index("r method") : TEXT.index("!") + 1]
        pane.cancel_selection()
        assert pane.selection() is None


async def test_a_selection_goes_backwards_over_its_first_word_and_along_lines() -> None:
    async with host() as (_, pane, _pilot):
        pane.next_sentence()
        pane.begin_selection()
        pane.extend_word(-2)
        assert chosen(pane) == "of language. They"
        pane.extend_word(2)
        assert chosen(pane) == "They"
        pane.extend_line(-1)
        assert chosen(pane) == "We study sparse models of language. They"
        pane.extend_line(1)
        first = next(line for line in lines(pane) if "They" in line)
        assert chosen(pane) == first[first.index("They") :]


async def test_a_selection_begins_with_the_match_under_the_cursor() -> None:
    async with host(replace(VIEW, matches=(span("few experts"),))) as (_, pane, _pilot):
        pane.next_match()
        pane.begin_selection()
        assert chosen(pane) == "few experts"


def test_words() -> None:
    text = "A 30-50% gain (gCOG, ZipIt!) at https://a.org/b; Yo'LLaVA — 大模型 e.g. R^2."
    assert [text[slice(*word)] for word in words(text)] == [
        "A", "30-50%", "gain", "gCOG", "ZipIt", "at", "https://a.org/b", "Yo'LLaVA",
        "大", "模", "型", "e.g", "R^2",
    ]  # fmt: skip


MOTIONS = st.lists(
    st.tuples(st.sampled_from(["word", "char", "swap", "to"]), st.integers(-4, 4)), max_size=12
)


@given(st.text("ab .", min_size=1, max_size=40), st.data(), MOTIONS)
def test_a_selection_is_never_empty_and_never_leaves_the_text(
    text: str, data: st.DataObject, motions: list[tuple[str, int]]
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    selection = Selection((start, start + 1), start + 1)
    for name, n in motions:
        if name == "swap":
            swapped = selection.swapped()
            assert swapped.bounds == selection.bounds
            selection = swapped
        elif name == "to":
            selection = selection.to(abs(n) % (len(text) + 1))
        else:
            units = words(text) if name == "word" else [(at, at + 1) for at in range(len(text))]
            selection = selection.over(units, n)
        first, last = selection.bounds
        assert 0 <= first < last <= len(text)
        assert first <= selection.inside < last


async def test_pages_and_lines() -> None:
    async with host(size=(40, 6)) as (_, pane, _pilot):
        assert not pane.page(-1)
        assert pane.max_scroll_y > 4
        pages = 0
        while pane.page(1):
            pages += 1
            top = round(pane.scroll_y)
            found = pane.sentence_span()
            assert found
            first, last = pane._page.lines_of(found)
            assert first < top + 6
            assert last >= top, "the cursor comes along"
        assert pages == 2
        assert pane.at_end
        assert pane.page(-1)
        pane.top()
        pane.scroll_lines(3)
        assert pane.scroll_y == 3
        pane.half_page(-1)
        assert pane.scroll_y == 0
        pane.bottom()
        assert pane.at_end
        pane.show(replace(VIEW, note="more"))
        assert pane.scroll_y > 0, "the same paper stays where it was"
        pane.show(replace(VIEW, id="p2"))
        assert pane.scroll_y == 0


async def test_a_short_paper_is_at_its_end() -> None:
    async with host(replace(VIEW, abstract="Short.")) as (_, pane, _pilot):
        assert pane.at_end
        assert not pane.page(1)


async def test_a_click_sets_the_cursor_and_a_drag_selects() -> None:
    async with host(size=(80, 24)) as (_, pane, pilot):
        await until(pilot, lambda: pane.virtual_size.height > 3)
        y = next(y for y, line in enumerate(lines(pane)) if "They route" in line)
        line = pane.render_line(y).text
        x = line.index("They")
        await pilot.click(pane, offset=(x, y))
        await until(pilot, lambda: pane.sentence == 1)
        assert pane.selection() is None
        await pilot.mouse_down(pane, offset=(x, y))
        pane.on_mouse_move(_moved(pane, x + 9, y))
        assert chosen(pane) == "They route"
        pane.on_mouse_move(_moved(pane, x - 3, y))
        assert chosen(pane) == "e. T"
        await pilot.mouse_up(pane, offset=(x, y))
        await pilot.click(pane, offset=(5, 0))
        assert pane.selection() is None


def _moved(pane: AbstractView, x: int, y: int) -> MouseMove:
    """The mouse moved with its button held down, which a pilot cannot do."""
    return MouseMove(pane, x, y, 0, 0, 1, False, False, False)


@pytest.mark.parametrize("down", [True, False])
async def test_a_drag_beyond_the_pane_scrolls_and_ends_with_the_abstract(down: bool) -> None:
    async with host(replace(VIEW, note="a note\n" * 5), size=(40, 6)) as (_, pane, pilot):
        await until(pilot, lambda: pane.max_scroll_y > 4)
        if not down:
            pane.bottom()
            pane.scroll_lines(-7)
        top = round(pane.scroll_y)
        y = next(y for y, line in enumerate(lines(pane)) if pane._page.glyph(top + y, 0))
        await pilot.mouse_down(pane, offset=(9, y))
        pressed = pane._pressed
        assert pressed
        for _step in range(20):
            pane.on_mouse_move(_moved(pane, 9, 80 if down else -80))
        chosen = pane.selection()
        assert chosen == ((pressed.start, len(TEXT.rstrip())) if down else (0, pressed.end))
        assert (pane.scroll_y > top) if down else (pane.scroll_y < top)


async def test_the_wheel_takes_the_cursor_along() -> None:
    async with host(replace(VIEW, abstract=TEXT * 4), size=(40, 6)) as (app, pane, pilot):
        await until(pilot, lambda: pane.max_scroll_y > 9)
        await pilot._post_mouse_events([MouseScrollDown], pane, button=0)
        await pilot._post_mouse_events([MouseScrollDown], pane, button=0)
        assert pane.scroll_y == 6
        assert app.moved
        span = pane.sentence_span()
        assert span
        assert pane._page.lines_of(span)[1] >= 6
        await pilot._post_mouse_events([MouseScrollUp], pane, button=0)
        assert pane.scroll_y == 3


async def test_a_click_on_a_link_names_it() -> None:
    links = ("https://example.org/" + "long/" * 20, "https://example.org/b")
    async with host(replace(VIEW, links=links), size=(60, 30)) as (app, pane, pilot):
        await until(pilot, lambda: any("2 https" in line for line in lines(pane)))
        rows = [y for y, line in enumerate(lines(pane)) if "long/" in line or "2 https" in line]
        for y in (*rows, rows[0] - 3, 0):
            await pilot.click(pane, offset=(9, y))
        await until(pilot, lambda: len(app.links) == len(rows))
        assert app.links == [links[0]] * (len(rows) - 1) + [links[1]]
        assert len(rows) > 2


async def test_the_pane_binds_no_key() -> None:
    async with host(size=(40, 8)) as (_, pane, pilot):
        pane.focus()
        await pilot.press("down", "pagedown", "end", "j", "right")
        assert pane.scroll_y == 0
        assert not list(pane._bindings.key_to_bindings)


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_text_is_shown_and_harmless(size: tuple[int, int]) -> None:
    async with host(size=size) as (_, pane, _pilot):
        width = pane.size.width - pane.scrollbar_gutter.width
        for number, text in enumerate(HOSTILE + [text[:2000] for text in anomalies()]):
            lost = Highlight("x", 0, 1, text[:80], colour=text[:9], comment=text[:80])
            view = PaperView(
                str(number), text[:200], text, facts=(text[:80],), note=text[:200], links=(text[:80],),
                footer=(text[:80],), lost=(lost,), meanings={text[:9]: text[:9]}, matches=((0, 3),),
                highlights=(Highlight.on(text, 1, 4, id="h", colour="claim"),),
            )  # fmt: skip
            pane.show(view)
            strips = []
            for top in range(0, pane.virtual_size.height, pane.size.height):
                pane.scroll_to(y=top, animate=False, force=True)
                strips += [pane.render_line(y) for y in range(pane.size.height)]
            assert not unsafe(drawn(strips).replace("\n", ""))
            assert all(strip.cell_length == width for strip in strips)
            if text.startswith("["):
                assert drawn(strips).count("[") >= 5 * text.count("[")
