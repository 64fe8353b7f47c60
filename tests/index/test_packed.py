"""Documents held as their JSON: what they say is what they were, and the memory they take."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.annotations import Annotations, layout, store
from index.annotations.documents import document_id, paper_of
from index.annotations.journal import Tables
from index.annotations.packed import Packed, encoded, packed
from index.annotations.snapshot import written
from index.papers import paper_id
from tests.index.test_annotations import P, Q, change, file_of

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
DOCUMENTS = st.dictionaries(
    st.text(st.characters()), st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3)), max_size=5
)
KEY, OTHER = str(document_id(P)), str(document_id(Q))


@given(DOCUMENTS, DOCUMENTS)
def test_a_packed_document_is_as_the_document(document: dict[str, Any], other: dict[str, Any]) -> None:
    held = packed(document)
    assert dict(held) == document and held == document and document == held
    assert list(held) == list(document) and len(held) == len(document)
    assert (held == packed(other)) == (held == other) == (document == other)
    assert b"\n" not in held.json and packed(held) is held and encoded(held) == encoded(document)
    assert held != None  # noqa: E711


def test_the_order_of_keys_and_blanks_make_no_difference() -> None:
    assert Packed(b'{"a":1,"b":[]}') == Packed(b'{"b": [], "a": 1}') != Packed(b'{"a":1,"b":[0]}')


@given(st.from_regex("[a-z][0-9a-z]{9}", fullmatch=True))
def test_the_number_of_a_paper_tells_the_paper(paper: str) -> None:
    assert paper_of(str(document_id(paper))) == paper


@given(DOCUMENTS, DOCUMENTS)
def test_what_a_snapshot_holds_is_read_line_by_line(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, Any], other: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("library")
    tables: Tables = {
        "_meta": {"1": {"seq": 3}},
        "annotations": {KEY: one, OTHER: packed(other)},
        "searches": {},
    }
    draft = written(tables, 3, file_of(folder), folder / "annotations.base")
    data = draft.path.read_bytes()
    assert layout._by_lines(data) == json.loads(data) == tables
    assert {type(held) for held in (layout._by_lines(data) or {})["annotations"].values()} == {Packed}


def laid_out(rows: str, tables: str = "") -> str:
    return f'{{\n{tables}"annotations": {{\n{rows}\n}}\n}}\n'


ONE = f'"{KEY}": {{"paper": "{P}", "note": "one"}}'
TWO = f'"{OTHER}": {{"paper": "{Q}", "note": "two"}}'
BROKEN_BEFORE, BROKEN_WITHIN = f'"{KEY}": {{\n"paper"', '"note": "one", "odd": {"a": {},\n"5": {}}'
LAID_OUT = laid_out(f"{ONE},\n{TWO}")
BY_ANOTHER_HAND = {
    "in one line": json.dumps(json.loads(LAID_OUT)),
    "with blanks before": json.dumps(json.loads(LAID_OUT), indent=1),
    "as postil does": LAID_OUT,
    "without blanks": LAID_OUT.replace(": {", ":{"),
    "a document that seems a table": LAID_OUT.replace(f'"{KEY}": {{"paper"', BROKEN_BEFORE),
    "a document in two lines": LAID_OUT.replace('"note": "one"', BROKEN_WITHIN),
    "another table in a line": laid_out(f"{ONE},\n{TWO}", '"exports": {"7": {}},\n'),
}


@pytest.mark.parametrize("name", BY_ANOTHER_HAND)
def test_however_a_file_is_laid_out_all_of_it_is_read(tmp_path: Path, name: str) -> None:
    text = BY_ANOTHER_HAND[name]
    file_of(tmp_path).write_text(text)
    for rating in (3, 4, 5):
        opened = Annotations.open(tmp_path)
        assert [opened.get(paper).note for paper in (P, Q)] == ["one", "two"]
        assert opened.with_note() == {P, Q}
        opened.apply([change(P, "rating", rating)])
    opened.publish()
    tables = json.loads(file_of(tmp_path).read_bytes())
    before = json.loads(text)
    assert {**tables["annotations"][KEY], **before["annotations"][KEY]} == tables["annotations"][KEY]
    assert tables["annotations"][OTHER] == before["annotations"][OTHER]
    assert tables.get("exports") == before.get("exports")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"note": "one"', BROKEN_WITHIN), ('"annotations": {', '"5": {"7": {}},\n"annotations": {')],
    ids=["a document in two lines", "another table in a line"],
)
def test_a_file_that_was_swapped_and_laid_out_otherwise_is_read(tmp_path: Path, old: str, new: str) -> None:
    first = Annotations.open(tmp_path)
    first.apply([change(P, "note", "one"), change(Q, "note", "two")])
    first.publish()
    file_of(tmp_path).write_text(file_of(tmp_path).read_text().replace(old, new, 1))
    for rating in (3, 4):
        opened = Annotations.open(tmp_path)
        assert [opened.get(paper).note for paper in (P, Q)] == ["one", "two"]
        opened.apply([change(P, "rating", rating)])
    opened.publish()
    tables = json.loads(file_of(tmp_path).read_bytes())
    told = (tables["annotations"][KEY].get("odd"), tables.get("5"))
    assert told in (({"a": {}, "5": {}}, None), (None, {"7": {}}))


def test_only_lines_that_are_not_safe_are_made_so(tmp_path: Path) -> None:
    one = Annotations.open(tmp_path)
    one.apply([change(P, "note", "a 👩\u200d🔬 and a tab\t"), change(Q, "note", "plain")])
    one.publish()
    data = file_of(tmp_path).read_bytes()
    bad = data.replace(b"plain", b"pl\\u001b[2Jain")
    tables = layout.sound(bad, trusted=True) or {}
    assert "\x1b" not in tables["annotations"][OTHER]["note"] != ""
    assert tables["annotations"][KEY] == json.loads(data)["annotations"][KEY]


def test_annotations_take_little_more_memory_than_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_MADE", 10)
    papers = [paper_id(f"doi:10.1/{number}") for number in range(1000)]
    first = Annotations.open(tmp_path)
    first.apply([change(paper, "note", "note " * 100) for paper in papers])
    first.apply([change(paper, f"tags/a/{number}", True) for paper in papers for number in range(5)])
    first.publish()
    size = file_of(tmp_path).stat().st_size
    Annotations.open(tmp_path).tags()  # what is made once and for all
    tracemalloc.start()
    try:
        again = Annotations.open(tmp_path)
        opened, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        assert sum(len(told.tags) for _, told in again.items()) == 5000
        walked, walking = tracemalloc.get_traced_memory()
        again.apply([change(paper, "starred", True) for paper in papers])
        changed, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert changed < 3.5 * size, (changed, size)
    assert opened < 1.5 * size, (opened, size)
    assert walked - opened < 0.3 * size and walking - opened < 0.4 * size, (walked, walking, size)


def test_a_document_that_is_handed_out_can_be_written(tmp_path: Path) -> None:
    one = Annotations.open(tmp_path)
    one.apply([change(P, "note", "kept")])
    assert json.loads(json.dumps(one.document(P)))["note"] == "kept" and one.document(Q) is None
