"""Text into cells: nothing is lost, nothing is too wide, nothing acts on the terminal."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from tests.tui.helpers import HOSTILE, anomalies, unsafe
from tui import draw

TEXTS = st.text(
    st.one_of(
        st.sampled_from("ab -–.,漢字、（）한é\u0301\u0308\u200d\ufe0f👩🔬\u00a0\u3000"),
        st.characters(),
    ),
    max_size=120,
)
PLAIN, BOLD, UNDERLINE = Style(), Style(bold=True), Style(underline=True)


@pytest.mark.parametrize("name", draw.SIGNS)
def test_each_sign_is_one_cell_and_has_an_ascii_form(name: str) -> None:
    sign, plain = draw.SIGNS[name]
    assert cell_len(sign) == 1
    assert plain.isascii()
    assert len(plain) == 1


def test_signs_differ_from_one_another() -> None:
    for signs in zip(*draw.SIGNS.values(), strict=True):
        assert len(set(signs)) == len(draw.SIGNS)


@given(TEXTS)
def test_glyphs_hold_every_code_point_once_and_are_as_wide_as_they_say(text: str) -> None:
    glyphs = draw.glyphs(text)
    assert [at for glyph in glyphs for at in range(glyph.start, glyph.end)] == list(range(len(text)))
    for glyph in glyphs:
        assert glyph.width in (1, 2)
        assert cell_len(glyph.text) == glyph.width
    assert cell_len("".join(glyph.text for glyph in glyphs)) == draw.cells(glyphs)


@given(TEXTS)
@example("a\u200db")
def test_no_glyph_holds_what_could_act_on_a_terminal(text: str) -> None:
    assert not unsafe("".join(glyph.text for glyph in draw.glyphs(text)))


@pytest.mark.parametrize("text", HOSTILE + anomalies(), ids=lambda text: ascii(text[:20]))
def test_hostile_text_is_drawn_and_harmless(text: str) -> None:
    segments = draw.write(text, PLAIN, 2 * len(text), "…")
    line = "".join(segment.text for segment in segments)
    assert not unsafe(line)
    assert line.count("[") == text.count("[")
    assert line.count("]") == text.count("]")


def test_marks_belong_to_the_character_before_them() -> None:
    assert [(g.start, g.end, g.text, g.width) for g in draw.glyphs("e\u0301漢")] == [
        (0, 2, "e\u0301", 1),
        (2, 3, "漢", 2),
    ]


@given(TEXTS, st.integers(1, 80))
@example("e\u0301x漢\u0301y", 80)
def test_wrapped_text_finds_every_code_point_again(text: str, width: int) -> None:
    lines = draw.wrap(text, width)
    for offset in range(len(text)):
        line = lines[draw.line_of(lines, offset)]
        glyph = line.glyph(line.column(offset))
        assert glyph.start <= offset < glyph.end


@given(TEXTS, st.integers(2, 80))
def test_wrapped_lines_fit_but_for_white_space_at_their_end(text: str, width: int) -> None:
    for line in draw.wrap(text, width):
        kept = list(line.glyphs)
        while kept and draw.cells(kept) > width:
            assert kept.pop().text.isspace()


@given(st.lists(st.text("abc", min_size=1, max_size=9), max_size=40), st.integers(10, 40))
def test_words_that_fit_are_never_parted(words: list[str], width: int) -> None:
    lines = draw.wrap(" ".join(words), width)
    assert [word for line in lines for word in line.text.split()] == words


def _lines(text: str, width: int) -> list[str]:
    return [line.text for line in draw.wrap(text, width)]


SINGLES = st.text(st.sampled_from("ab1²½ -–—.,é"), max_size=120)


@given(SINGLES, st.integers(1, 40))
def test_a_text_of_single_cells_is_wrapped_as_by_its_glyphs(text: str, width: int) -> None:
    lines = draw.wrap(text, width)
    slowly = draw._wrap_glyphs(draw.glyphs(text), width)
    assert all(line.single for line in lines)
    assert [(line.start, line.end, line.text, line.glyphs) for line in lines] == [
        (line.start, line.end, line.text, list(line.glyphs)) for line in slowly
    ]
    for line, slow in zip(lines, slowly, strict=True):
        for at in range(-1, len(line.text) + 2):
            assert line.column(line.start + at) == slow.column(line.start + at)
            assert line.glyph(at) == slow.glyph(at)


@given(SINGLES, st.integers(1, 40), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_a_line_of_single_cells_is_painted_as_its_glyphs(
    text: str, width: int, spans: list[tuple[int, int]]
) -> None:
    layers = [(*span, Style(bold=n % 2 == 0, color=f"color({n})")) for n, span in enumerate(spans)]
    for line in draw.wrap(text, width):
        assert draw.paint_line(line, PLAIN, layers) == draw.paint(line.glyphs, PLAIN, layers)


def test_where_lines_are_broken() -> None:
    assert _lines("state-of-the-art result", 9) == ["state-of-", "the-art ", "result"]
    assert _lines("a loss of -5 here", 11) == ["a loss of ", "-5 here"]
    assert _lines("ab abcdefgh", 5) == ["ab ", "abcde", "fgh"]
    assert _lines("unbreakable", 4) == ["unbr", "eaka", "ble"]
    assert _lines("10\u00a0km more", 6) == ["10\u00a0km ", "more"]
    assert _lines("大语言模型，评测", 10) == ["大语言模", "型，评测"], "no line begins with a comma"
    assert _lines("two\nlines", 20) == ["two lines"]
    assert _lines("", 20) == []


@given(TEXTS, st.integers(0, 40))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, width: int) -> None:
    glyphs = draw.glyphs(text)
    kept = draw.cut(glyphs, width, "…")
    assert draw.cells(kept) <= width
    assert kept == glyphs or not kept or kept[-1].text == "…"
    assert kept or not glyphs or width == 0


@given(TEXTS.filter(bool), st.integers(0, 119), st.integers(0, 40))
def test_a_cut_around_a_place_shows_it_and_fits(text: str, offset: int, width: int) -> None:
    offset %= len(text)
    kept = draw.cut_around(draw.glyphs(text), (offset, offset + 1), width, "…")
    assert draw.cells(kept) <= width
    shown = next(glyph for glyph in draw.glyphs(text) if glyph.start <= offset < glyph.end)
    assert width < 8 or shown in kept


def test_a_cut_around_a_place_says_what_was_left_out() -> None:
    text = "one two three four five six"

    def kept(start: int, end: int) -> str:
        return "".join(glyph.text for glyph in draw.cut_around(draw.glyphs(text), (start, end), 12, "…"))

    assert kept(14, 18) == "…ree four f…"
    assert kept(4, 7) == "one two thr…"
    assert kept(24, 27) == "…ive six"
    assert kept(8, 27) == "…two three …", "of a long place the start is shown"


def test_layers_are_painted_in_order_and_reach_whole_glyphs() -> None:
    segments = draw.paint(
        draw.glyphs("abcde\u0301f"), PLAIN, [(1, 4, BOLD), (3, 5, Style(bold=False)), (5, 6, UNDERLINE)]
    )
    assert segments == [
        Segment("a", PLAIN),
        Segment("bc", BOLD),
        Segment("d", Style(bold=False)),
        Segment("e\u0301", Style(bold=False) + UNDERLINE),
        Segment("f", PLAIN),
    ]


@given(TEXTS, st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), max_size=6))
def test_painting_changes_no_text(text: str, spans: list[tuple[int, int]]) -> None:
    glyphs = draw.glyphs(text)
    segments = draw.paint(glyphs, PLAIN, [(start, end, BOLD) for start, end in spans])
    assert "".join(segment.text for segment in segments) == "".join(glyph.text for glyph in glyphs)


@given(TEXTS, st.integers(1, 60))
def test_a_strip_is_exactly_as_wide_as_asked(text: str, width: int) -> None:
    assert draw.strip(draw.write(text, PLAIN, 80, "…"), width, PLAIN).cell_length == width


SPANS = st.tuples(st.integers(0, 60), st.integers(1, 60)).map(lambda one: (one[0], one[0] + one[1]))


@given(
    st.one_of(TEXTS, st.text(st.characters(max_codepoint=0x2FF)), st.text(st.sampled_from("ab é…–\xad\xa0"))),
    st.integers(-1, 70),
    st.lists(st.tuples(SPANS, st.sampled_from((BOLD, UNDERLINE))), max_size=3),
    SPANS,
)
@example("abcdef", 4, [((0, 1), BOLD)], (3, 6))
def test_text_is_written_as_glyph_by_glyph(
    text: str, width: int, marked: list[tuple[tuple[int, int], Style]], place: tuple[int, int]
) -> None:
    def cells(segments: list[Segment]) -> list[tuple[str, Style | None]]:
        return [(character, segment.style) for segment in segments for character in segment.text]

    layers = [(start, end, style) for (start, end), style in marked]
    place = (min(place[0], len(text)), min(place[1], len(text)))
    slowly = draw.paint(draw.cut_around(draw.glyphs(text), place, width, "…"), PLAIN, layers)
    assert cells(draw.write(text, PLAIN, width, "…", layers, place)) == cells(slowly)


def test_what_is_taken_for_single_cells_is_one_glyph_each() -> None:
    singles = [sign for sign in map(chr, range(0x3000)) if draw._SINGLE.fullmatch(sign)]
    assert len(singles) > 500
    assert all(len(draw.glyphs(f"a{sign}")) == 2 and draw._width(sign) == 1 for sign in singles)
