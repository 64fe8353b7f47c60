"""UTF-8 that was read as Windows-1252 comes back; what its author may have meant is left alone."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import readers
from index.papers import Record
from index.readers.mojibake import repaired
from tests.index.helpers import abstract


def spoilt(text: str) -> str:
    """`text` as a program shows it that takes its UTF-8 for Windows-1252."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())


LETTERS = st.sampled_from("abc xyz éüñøçßÅãšřőıŁ αβγ ’“”–—… ×±≤∞ ﬁ ½²°")


@given(st.text(LETTERS, max_size=60))
def test_what_was_spoilt_comes_back_or_is_left_but_is_never_made_worse(text: str) -> None:
    assert repaired(spoilt(text)) in (text, spoilt(text))
    assert repaired(text) == text


@given(st.text(LETTERS, min_size=2, max_size=60))
def test_two_places_are_enough_to_be_sure(text: str) -> None:
    text = f"{text} Dvořák’s naïve"
    assert repaired(spoilt(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "MANHÃ”", "Å°", "5 Å° and 6 Å°", "Î±", "„Ä“ is a letter", "groß–klein", "São Paulo",
        "MÃ¼ller and Müller", "«Â»", "plain",
        "日本語", "Ã", "â€", "π ≈ 3.14", "\u0080\u0099", "Ünïcödé – “quoted” …",
    ],
)  # fmt: skip
def test_what_may_be_meant_is_left(text: str) -> None:
    assert repaired(text) == text


def test_what_is_not_of_latin_script_is_left_as_it_came() -> None:
    assert repaired(spoilt("日本語")) == spoilt("日本語")


def test_every_text_of_a_record_is_repaired_whatever_its_format() -> None:
    title, name = "Dvořák’s naïve method", "José Müller"
    bibtex = f"@article{{x, title={{{spoilt(title)}}}, author={{{spoilt(name)}}}, doi={{10.1/x}}}}"
    ris = f"TY  - JOUR\nTI  - {spoilt(title)}\nAU  - {spoilt('Müller, José')}\nER  - \n"
    for data in (bibtex, ris):
        _, found = readers.read(io.BytesIO(data.encode()))
        (record,) = found
        assert isinstance(record, Record)
        assert (record.title, record.authors) == (title, (name,))
    text = abstract(1).replace("We study", "Dvořák’s naïve study of")
    _, found = readers.read(io.BytesIO(f"Daily Papers\n\n{spoilt(text)}\n".encode()))
    assert [record.abstract for record in found if isinstance(record, Record)] == [text]
