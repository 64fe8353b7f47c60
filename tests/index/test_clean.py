"""Clean text: what comes out holds nothing that acts on a terminal, and cleaning twice changes nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.clean import clean, drawable, one_line

DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
OTHERS = "\0\t\r\x0b\x1b\x85\x9b\u2028\ufeff\U000e0041\ud800e\u0301"
ANY_TEXT = st.lists(st.characters() | st.sampled_from(DIRECTION + OTHERS), max_size=40).map("".join)
"""Lone surrogates included."""


def harmful(text: str) -> set[str]:
    return {
        char
        for char in text
        if char in DIRECTION or (unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char != "\n")
    }


@given(ANY_TEXT)
def test_clean_text_is_harmless_composed_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert not harmful(cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


@given(ANY_TEXT)
def test_what_is_drawn_is_one_harmless_line_as_long_as_the_text(text: str) -> None:
    drawn = drawable(text)
    assert len(drawn) == len(text)
    assert not harmful(drawn)
    assert "\n" not in drawn
    assert len(one_line(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("tab\there", "tab here"),
        ("e\u0301", "\xe9"),
        ("a\x1b[31mred\x1b[0m", "a[31mred[0m"),
        ("\ufeffbom \u202egnp.exe", "bom gnp.exe"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("tag \U000e0041 char", "tag  char"),
        ("zero\u200dwidth 👩\u200d🔬 한국어 [b] $x$", "zero\u200dwidth 👩\u200d🔬 한국어 [b] $x$"),
    ],
)
def test_what_becomes_of_a_text(text: str, expected: str) -> None:
    assert clean(text) == expected
