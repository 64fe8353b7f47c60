"""The screen in ASCII: as wide as it was, and when it is wanted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual._border import BORDER_CHARS

from tests.tui.helpers import HOSTILE, anomalies
from tui import draw, plain
from tui.plain import ascii_wanted


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_drawn_text_is_as_wide_in_ascii(text: str) -> None:
    for glyph in draw.glyphs(text):
        shown = plain.plain(glyph.text)
        assert shown.isascii()
        assert shown.isprintable()
        assert len(shown) == glyph.width


def test_hostile_and_odd_texts_too() -> None:
    for text in [*HOSTILE, *anomalies()]:
        shown = plain.plain("".join(glyph.text for glyph in draw.glyphs(text)))
        assert shown.isascii()
        assert len(shown) == draw.cells(draw.glyphs(text))


def test_signs_differ_and_borders_are_lines() -> None:
    signs = [plain.plain(sign) for sign in draw.signs().values()]
    assert signs == [ascii_sign for _, ascii_sign in draw.SIGNS.values()]
    assert len(set(signs)) == len(signs)
    for edge in ("round", "solid", "vkey", "hkey", "tall", "outer"):
        for row in BORDER_CHARS[edge]:
            for character in row:
                assert plain.plain(character) in tuple(" -|+>")


def test_letters_and_sequences() -> None:
    assert plain.plain("naïve “Ångström” — 3×4 → ﬁ ﾊﾝ Ａ 多 👩\u200d🔬 ●…") == (
        'naive "Angstrom" - 3x4 > ? ?? A  ?? ?? o~'
    )
    sequence = "\x1b[1;38;5;240m\x1b[2;3H"
    assert plain.plain(f"{sequence}é") == f"{sequence}e"
    assert cell_len("多") == len(plain.plain("多"))


@pytest.mark.parametrize(
    ("environ", "setting", "wanted"),
    [
        ({"TERM": "xterm-256color"}, None, False),
        ({"TERM": "linux"}, None, True),
        ({"TERM": "vt100"}, None, True),
        ({"TERM": "linux"}, False, False),
        ({"TERM": "xterm-256color"}, True, True),
        ({"POSTIL_ASCII": "1"}, False, True),
        ({"POSTIL_ASCII": "0", "TERM": "vt220"}, True, False),
        ({"POSTIL_ASCII": ""}, True, True),
    ],
)
def test_who_decides(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], setting: bool | None, wanted: bool
) -> None:
    monkeypatch.setattr("locale.getencoding", lambda: "utf-8")
    assert ascii_wanted(setting, environ) is wanted


@pytest.mark.parametrize(
    ("encoding", "wanted"),
    [("ANSI_X3.4-1968", True), ("iso-8859-1", True), ("UTF-8", False), ("nonsense", True)],
)
def test_a_locale_that_cannot_carry_the_signs(
    monkeypatch: pytest.MonkeyPatch, encoding: str, wanted: bool
) -> None:
    monkeypatch.setattr("locale.getencoding", lambda: encoding)
    assert ascii_wanted(None, {"TERM": "xterm"}) is wanted
