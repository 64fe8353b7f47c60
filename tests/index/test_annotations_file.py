"""annotations.json itself: what another hand may have put there, and what is never written over."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.annotations import Annotations, AnnotationsError, Search, mending
from index.annotations.documents import checked, checked_document, from_document
from index.clean import clean
from tests.index.helpers import save_search
from tests.index.test_annotations import TEXT, P, Q, change, file_of, mark, rewrite


def test_what_is_unknown_is_kept(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "highlights/7f3a", mark()), change(Q, "starred", True)], {P: ["doi:10.1/p"]})

    def edit(tables: Any) -> None:
        tables["exports"] = {"7": {"name": "weekly", "deep": [1, {"a": None}]}}
        tables["_meta"]["1"]["colour"] = "blue"
        tables["annotations"][str(int(P, 36))].update(mood="good", odd="\ud800")
        tables["annotations"][str(int(P, 36))]["highlights"][0]["shape"] = "box"

    rewrite(tmp_path, edit)
    store.apply([change(P, "highlights/7f3a", mark(comment="because")), change(P, "highlights/b", mark("b"))])
    store.publish()
    tables = json.loads(file_of(tmp_path).read_bytes())
    assert tables["exports"] == {"7": {"name": "weekly", "deep": [1, {"a": None}]}}
    assert tables["_meta"]["1"] == {**tables["_meta"]["1"], "schema": 1, "seq": 3, "colour": "blue"}
    entry = tables["annotations"][str(int(P, 36))]
    assert (entry["mood"], entry["odd"], entry["identities"]) == ("good", "\ud800", ["doi:10.1/p"])
    assert [(m["comment"], m.get("shape")) for m in entry["highlights"]] == [
        ("because", "box"),
        ("why", None),
    ]


def test_tags_of_another_hand_are_set_right(tmp_path: Path) -> None:
    Annotations.open(tmp_path).apply([change(P, "starred", True)])
    rewrite(
        tmp_path, lambda t: t["annotations"][str(int(P, 36))].update(tags=["RG//Grok ", "moe", "MoE", ""])
    )
    store = Annotations.open(tmp_path)
    assert store.get(P).tags == ("moe", "rg/grok") and store.tagged("rg") == {P}
    assert store.tags() == {"moe": 1, "rg/grok": 1}


DAMAGED = {
    "empty": b"",
    "null": b"null",
    "a list": b"[]",
    "torn": b'{"annotations": {"1": {"pa',
    "conflict": b'<<<<<<< HEAD\n{"annotations": {}}\n',
    "not text": b"\xff\xfe\x00{",
    "deep": b"[" * 200_000,
    "a table that is a list": b'{"annotations": []}',
    "a document that is none": b'{"annotations": {"1": 3}}',
    "an alien document": b'{"annotations": {"1": {"a": 1}}}',
    "a wrong key": json.dumps({"annotations": {"1": {"paper": P}}}).encode(),
    "two keys for one": json.dumps({"annotations": {f"0{int(P, 36)}": {"paper": P}}}).encode(),
    "a wrong status": json.dumps({"annotations": {str(int(P, 36)): {"paper": P, "status": "Read"}}}).encode(),
    "tags in a string": json.dumps({"annotations": {str(int(P, 36)): {"paper": P, "tags": "moe"}}}).encode(),
    "a number for a note": json.dumps({"annotations": {str(int(P, 36)): {"paper": P, "note": 3}}}).encode(),
    "half a highlight": json.dumps(
        {"annotations": {str(int(P, 36)): {"paper": P, "highlights": [{"id": "a", "start": 1}]}}}
    ).encode(),
    "a schema in words": b'{"_meta": {"1": {"schema": "two"}}}',
}


NOTHING_IN_IT = [name for name in DAMAGED if "key" not in name]


def kept(folder: Path, name: str = "damaged") -> list[bytes]:
    return sorted(path.read_bytes() for path in (folder / name).glob("annotations-*"))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "SETTLE", 0.001)


@pytest.mark.parametrize("name", NOTHING_IN_IT)
def test_a_damaged_file_with_nothing_in_its_place_is_named_and_left(tmp_path: Path, name: str) -> None:
    file_of(tmp_path).write_bytes(DAMAGED[name])
    with pytest.raises(AnnotationsError) as raised:
        Annotations.open(tmp_path)
    message = str(raised.value)
    assert (name == "empty") == ("is empty (0 bytes)" in message)
    assert str(file_of(tmp_path)) in message and "left as it is" in message and "\n" not in message
    assert file_of(tmp_path).read_bytes() == DAMAGED[name]


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_damaged_underneath_is_rebuilt_and_kept(tmp_path: Path, name: str, published: bool) -> None:
    store, other = Annotations.open(tmp_path), Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept")])
    if published:
        store.publish()
    store.apply([change(P, "rating", 2)])
    file_of(tmp_path).write_bytes(DAMAGED[name])
    store.apply([change(Q, "starred", True)])
    other.refresh()
    again = Annotations.open(tmp_path)
    for window in (store, other, again):
        assert (window.get(P).note, window.get(P).rating) == ("kept", 2) and window.starred() == {Q}
    assert kept(tmp_path) == [DAMAGED[name]]
    assert store.notices and all("\n" not in notice for notice in store.notices)
    assert other.notices == again.notices == [], "it is told once"
    json.loads(file_of(tmp_path).read_bytes())


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_damaged_while_nobody_looked_is_rebuilt(tmp_path: Path, name: str) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept"), change(P, "status", "later")])
    save_search(store, "mine", "moe")
    store.publish()
    store.apply([change(Q, "starred", True)])
    file_of(tmp_path).write_bytes(DAMAGED[name])
    again = Annotations.open(tmp_path)
    assert (again.get(P).note, again.get(P).status) == ("kept", "later") and again.starred() == {Q}
    assert again.searches() == [Search("mine", "moe")]
    assert kept(tmp_path) == [DAMAGED[name]]
    assert again.notices and not Annotations.open(tmp_path).notices


def test_a_file_that_has_gone_comes_back(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept")])
    store.publish()
    file_of(tmp_path).unlink()
    assert store.refresh() == set() and store.get(P).note == "kept"
    store.apply([change(Q, "starred", True)])
    assert {paper for paper, _ in Annotations.open(tmp_path).items()} == {P, Q}
    file_of(tmp_path).unlink()
    again = Annotations.open(tmp_path)
    assert {paper for paper, _ in again.items()} == {P, Q} and "had gone" in again.notices[0]


def test_a_newer_schema_is_read_and_not_written(tmp_path: Path) -> None:
    Annotations.open(tmp_path).apply([change(P, "note", "kept")])
    rewrite(tmp_path, lambda tables: tables["_meta"]["1"].update(schema=2))
    before = file_of(tmp_path).read_bytes()
    store = Annotations.open(tmp_path)
    assert store.get(P).note == "kept" and store.read_only and "newer postil" in store.read_only
    with pytest.raises(AnnotationsError, match="newer postil"):
        store.apply([change(P, "note", "lost")])
    with pytest.raises(AnnotationsError, match="newer postil"):
        save_search(store, "a", "b")
    recorded: list[object] = []
    with pytest.raises(AnnotationsError, match="newer postil"):
        store.apply([], record=recorded.append)
    with pytest.raises(AnnotationsError, match="newer postil"):
        store.take_in({}, recorded.append)
    assert recorded == [], "nothing goes into the history"
    assert file_of(tmp_path).read_bytes() == before and store.get(P).note == "kept"


@pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
def test_the_file_is_private_and_a_link_stays(tmp_path: Path) -> None:
    library, elsewhere = tmp_path / "library", tmp_path / "elsewhere"
    library.mkdir()
    elsewhere.mkdir()
    store = Annotations.open(elsewhere)
    store.apply([change(P, "note", "kept")])
    store.publish()
    assert {stat.S_IMODE(path.stat().st_mode) for path in elsewhere.iterdir()} == {0o600}
    file_of(elsewhere).chmod(0o640)
    file_of(library).symlink_to(file_of(elsewhere))
    linked = Annotations.open(library)
    linked.apply([change(Q, "starred", True)])
    linked.publish()
    assert file_of(library).is_symlink() and stat.S_IMODE(file_of(elsewhere).stat().st_mode) == 0o640
    assert {paper for paper, _ in Annotations.open(elsewhere).items()} == {P, Q}


HOSTILE = "\ud800 \x1b]0;x\x07 \u202eevil\u202c \r\n e\u0301 \x00 [bold]"


def test_hostile_text_is_cleaned_on_the_way_in_and_stays_writable(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    commented = change(P, "highlights/7f3a", mark(comment=HOSTILE))
    store.apply([change(P, "note", HOSTILE), change(P, "title", HOSTILE), commented])
    store.publish()
    entry = json.loads(file_of(tmp_path).read_bytes())["annotations"][str(int(P, 36))]
    assert entry["note"] == entry["title"] == entry["highlights"][0]["comment"] == clean(HOSTILE)
    store.apply([change(P, f"tags/{HOSTILE}", True)])
    kept = Annotations.open(tmp_path).get(P)
    assert kept == store.get(P)
    assert kept.note == kept.title == kept.highlights[0].comment == clean(HOSTILE)
    assert kept.tags == ("\ufffd ]0;x evil é [bold]",)


def test_hostile_text_in_the_file_is_cleaned_on_the_way_out(tmp_path: Path) -> None:
    Annotations.open(tmp_path).apply([change(P, "note", "n"), change(P, "highlights/7f3a", mark())])

    def edit(tables: Any) -> None:
        entry = tables["annotations"][str(int(P, 36))]
        entry.update(note=HOSTILE, tags=[HOSTILE], title=HOSTILE)
        entry["highlights"][0]["comment"] = HOSTILE

    rewrite(tmp_path, edit)
    store = Annotations.open(tmp_path)
    assert set(store.texts(P)) == {clean(HOSTILE), *store.get(P).tags, TEXT[12:30]} and store.get(
        P
    ).title == clean(HOSTILE)
    (tag,) = store.get(P).tags
    assert store.tags() == {tag: 1} and store.tagged(HOSTILE) == {P}
    store.apply([change(P, f"tags/{HOSTILE}", False)])
    assert store.tags() == {}
    store.apply([change(P, "starred", True)])
    assert Annotations.open(tmp_path).get(P) == store.get(P)


LEAVES = st.none() | st.booleans() | st.integers(0, 6) | st.text(max_size=3)
JSON = st.recursive(LEAVES, st.lists, max_leaves=3)
MARK_FIELDS = st.sampled_from(("id", "start", "end", "quote", "colour", "comment", "prefix"))
MARKS = st.lists(st.dictionaries(MARK_FIELDS, JSON), max_size=2)
DOCUMENTS = st.fixed_dictionaries(
    {"paper": st.just(P)},
    optional={
        "status": st.just("read") | JSON,
        "starred": JSON,
        "rating": JSON,
        "due": st.just("2026-11-30") | JSON,
        "tags": JSON,
        "note": JSON,
        "title": JSON,
        "times": st.dictionaries(st.text(max_size=3), JSON, max_size=2) | JSON,
        "highlights": MARKS | st.just([mark()]) | JSON,
    },
)


@given(DOCUMENTS)
def test_a_document_that_passes_the_check_can_be_read(document: dict[str, Any]) -> None:
    try:
        safe = checked_document(str(int(P, 36)), document)
    except (AttributeError, KeyError, TypeError, ValueError):
        return
    annotation = from_document(safe)
    assert annotation.changed is None or isinstance(annotation.changed, str)
    assert all(isinstance(tag, str) for tag in annotation.tags) and isinstance(annotation.note, str)


@given(st.text(st.characters(), max_size=8))
def test_what_was_made_holdable_stays_as_it_is(text: str) -> None:
    for field, after in ((f"tags/a{text}", True), ("note", text), ("highlights/7f3a", mark(comment=text))):
        once = checked(change(P, field, after))
        assert checked(once) == once
