"""Plain values: what makes two records one paper, ids, and changes made to an annotation."""

from __future__ import annotations

import re
import string
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.papers import Annotation, Change, Highlight, Record, identities, later, normalised, paper_id
from tests.index.helpers import WHEN, abstract


def change(field: str, before: Any, after: Any) -> Change:
    return Change("s", "o", "p", field, before, after, WHEN)


@given(st.text())
def test_an_id_is_a_letter_and_nine_digits_of_base_36(identity: str) -> None:
    assert re.fullmatch("[a-z][0-9a-z]{9}", paper_id(identity.encode("utf-8", "replace").decode()))


def test_case_spacing_and_punctuation_make_no_other_paper() -> None:
    text = abstract(1)
    changed = text.upper().replace(" ", "\n", 9).replace(",", " --").replace(".", "")
    assert identities(Record(1, text)) == identities(Record(9, changed))
    assert identities(Record(1, text)) != identities(Record(1, abstract(2)))


@given(st.text(st.characters(codec="utf-8")))
def test_normalised_text_stays_as_it_is(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    "other",
    [
        Record(2, "Not available", title="Another"),
        Record(2, "Not available", authors=("A. Writer",)),
        Record(2, "Not available", year=2024),
        Record(2, "Not available", venue="Here"),
        Record(2, "Not at hand"),
    ],
)
def test_a_short_text_identifies_only_when_all_fields_agree(other: Record) -> None:
    short = Record(1, "Not available")
    assert not set(identities(short)) & set(identities(other))
    assert identities(other) == identities(replace(other, position=7, abstract=other.abstract.upper()))


def test_short_texts_of_signs_alone_are_told_apart() -> None:
    assert identities(Record(1, "???")) != identities(Record(1, "∞ + ∞"))
    assert identities(Record(1, "???")) == identities(Record(5, "???"))


@pytest.mark.parametrize("length", [199, 200])
def test_how_long_a_text_identifies_by_itself(length: int) -> None:
    text = (string.ascii_lowercase * 8)[:length]
    one, other = (identities(Record(1, text, title=title)) for title in ("One", "Other"))
    assert (one == other) is (length == 200)


def test_identifiers_are_compared_without_case_and_version() -> None:
    def keys(kind: str, value: str) -> tuple[str, ...]:
        return identities(Record(1, identifiers={kind: (value,)}))

    assert keys("doi", "10.1/ABC") == keys("doi", "10.1/abc") == ("doi:10.1/abc",)
    assert keys("arxiv", "2401.01234v2") == keys("arxiv", "2401.01234") == ("arxiv:2401.01234",)
    assert keys("arxiv", "2401.01234") != keys("arxiv", "2401.01235")
    assert keys("pmid", "123") == ("pmid:123",)


def test_the_strongest_identity_comes_first() -> None:
    record = Record(1, abstract(3), identifiers={"pmid": ("1",), "arxiv": ("2",), "doi": ("3",)})
    assert [key.partition(":")[0] for key in identities(record)] == ["doi", "arxiv", "pmid", "text"]


@given(st.integers(0, 80), st.integers(1, 80))
def test_a_highlight_agrees_with_the_text(start: int, length: int) -> None:
    text = abstract(4)
    mark = Highlight.on(text, start, start + length, id="h", colour="method", comment="why")
    assert text[mark.start : mark.end] == mark.quote
    assert text[: mark.start].endswith(mark.prefix)
    assert text[mark.end :].startswith(mark.suffix)
    assert len(mark.prefix) == min(32, start)
    assert Highlight.from_json({**mark.to_json(), "unknown": 1}) == mark


def test_changes_of_an_annotation_and_back() -> None:
    mark = Highlight.on(abstract(5), 3, 9, id="7f3a").to_json()
    fields = [
        ("status", "read"), ("starred", True), ("rating", 4), ("due", "2026-12-01"), ("note", "so"),
        ("title", "Mine"), ("tags/b", True), ("tags/a/c", True), ("highlights/7f3a", mark),
    ]  # fmt: skip
    made = [change(field, Annotation("p").value(field), after) for field, after in fields]
    told = Annotation("p")
    for one in made:
        told = told.after(one)
        assert told.value(one.field) == one.after
        assert told.times[one.field] == WHEN
    assert told.tags == ("a/c", "b")
    for one in reversed(made):
        told = told.after(replace(one, before=one.after, after=one.before))
    assert replace(told, times={}, versions={}) == Annotation("p")
    assert told.times.keys() == dict(fields).keys(), "what was taken away is a tombstone"
    assert told.changed == WHEN


@pytest.mark.parametrize(
    ("when", "than", "wanted"),
    [
        ("2026-11-30T08:00:00.001Z", "2026-11-30T08:00:00.000Z", "2026-11-30T08:00:00.001Z"),
        ("2026-11-30T08:00:00.000Z", "2026-11-30T08:00:00.000Z", "2026-11-30T08:00:00.001Z"),
        ("2026-11-30T08:00:00.000Z", "2099-12-31T23:59:59.999Z", "2100-01-01T00:00:00.000Z"),
        ("2026-11-30T08:00:00.000Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z+"),
        ("2026-11-30T08:00:00.000Z", "2027-01-01", "2027-01-01T00:00:00.001Z"),
        ("2026-11-30T08:00:00.000Z", "no time", "no time+"),
        ("2026-11-30T08:00:00.000Z", "", "2026-11-30T08:00:00.000Z"),
    ],
)
def test_a_moment_after_another(when: str, than: str, wanted: str) -> None:
    assert later(when, than) == wanted > than
