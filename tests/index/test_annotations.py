"""The store: what is written, what is shown while it waits, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tinydb

from index import files
from index.annotations import Annotations, Search
from index.annotations.storage import JournaledStorage
from index.papers import Change, Highlight, Value, now, paper_id
from tests.index.helpers import delete_search, full_disk, save_search

P, Q, R = (paper_id(f"doi:10.1/{name}") for name in "pqr")
TEXT = "Mixtures of experts route each token to a few experts, and we ask which of them it needs."


def change(paper: str, field: str, after: Value, step: str = "s", origin: str = "test") -> Change:
    return Change(step, origin, paper, field, None, after, now())


def mark(id: str = "7f3a", comment: str = "why") -> dict[str, Any]:
    return Highlight.on(TEXT, 12, 30, id=id, comment=comment).to_json()


def file_of(folder: Path) -> Path:
    return folder / "annotations.json"


def rewrite(folder: Path, edit: Callable[[Any], None]) -> None:
    """Edit annotations.json by another hand."""
    Annotations.open(folder).publish()
    tables = json.loads(file_of(folder).read_bytes())
    edit(tables)
    file_of(folder).write_text(json.dumps(tables))


def test_what_is_applied_is_there_after_reopening(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "status", "reading"), change(P, "tags/rg/grok", True), change(P, "note", "so")])
    store.apply(
        [change(P, "rating", 4), change(P, "due", "2026-11-30"), change(P, "highlights/7f3a", mark())]
    )
    again = Annotations.open(tmp_path).get(P)
    assert again == store.get(P)
    assert (again.status, again.tags, again.note, again.rating, again.due) == (
        "reading", ("rg/grok",), "so", 4, "2026-11-30"
    )  # fmt: skip
    assert again.highlights[0].quote == TEXT[12:30]
    assert set(again.times) == {"status", "tags/rg/grok", "note", "rating", "due", "highlights/7f3a"}


def test_a_deleted_tag_leaves_a_time(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "tags/moe", True)])
    gone = change(P, "tags/moe", False)
    store.apply([gone])
    kept = Annotations.open(tmp_path).get(P)
    assert kept.tags == () and kept.times["tags/moe"] == gone.when


def test_unknown_papers_have_an_untouched_annotation_and_no_file_is_made(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    assert store.get(P).status == "unread" and store.get(P).paper == P
    assert not store.items() and list(tmp_path.iterdir()) == []


def test_predicates(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "tags/rg", True), change(Q, "tags/rg/grok", True), change(R, "tags/rgb", True)])
    store.apply([change(P, "status", "read"), change(Q, "status", "read"), change(P, "starred", True)])
    store.apply([change(P, "rating", 2), change(Q, "rating", 5), change(R, "note", "hm")])
    store.apply([change(P, "due", "2026-01-31"), change(Q, "due", "2026-02-01")])
    store.apply([change(Q, "highlights/7f3a", mark())])
    assert store.with_status("read") == {P, Q} and store.with_status("unread") == {R}
    assert store.tagged("rg") == {P, Q} and store.tagged("RG/Grok") == {Q} and store.tagged("r") == set()
    assert store.tagged("rg*") == {P, Q, R} and store.tagged("rg/*") == {Q} and store.tagged("*") == {P, Q, R}
    assert store.starred() == {P} and store.with_note() == {R} and store.with_highlight() == {Q}
    assert store.rated(3, None) == {Q} and store.rated(None, None) == {P, Q} and store.rated(1, 2) == {P}
    assert store.due(None, "2026-01-31") == {P} and store.due("2026-02-01", None) == {Q}
    assert store.tags() == {"rg": 1, "rg/grok": 1, "rgb": 1}
    assert store.texts(Q) == ("rg/grok", "why", TEXT[12:30]) and store.texts(R) == ("hm", "rgb")
    store.apply([change(P, "tags/rg", False), change(P, "status", "unread"), change(P, "starred", False)])
    assert store.tagged("rg") == {Q} and store.with_status("read") == {Q} and store.starred() == set()
    assert store.tags() == {"rg/grok": 1, "rgb": 1}


def test_what_waits_is_shown_until_it_is_given_up_or_applied(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "old")])
    first, second = change(P, "note", "new"), change(P, "tags/moe", True)
    first, second = store.pending([first, second])
    assert (first.before, second.before) == ("old", False)
    assert store.get(P).note == "new" and store.tagged("moe") == {P}
    assert dict(store.items())[P].tags == ("moe",)
    assert Annotations.open(tmp_path).get(P).note == "old"
    store.give_up([first])
    assert store.get(P).note == "old" and store.tagged("moe") == {P}
    store.apply([second])
    assert store.get(P) == Annotations.open(tmp_path).get(P)
    Annotations.open(tmp_path).apply([change(P, "tags/moe", False)])
    assert store.refresh() == {P} and store.tags() == {}, "what was applied waits no longer"


def test_what_waits_stays_on_top_of_what_another_wrote(tmp_path: Path) -> None:
    mine, other = Annotations.open(tmp_path), Annotations.open(tmp_path)
    mine.pending([change(P, "status", "read")])
    other.apply([change(P, "status", "later"), change(P, "tags/moe", True)])
    assert mine.refresh() == {P} and mine.refresh() == set()
    assert mine.get(P).status == "read" and mine.get(P).tags == ("moe",)
    assert mine.with_status("read") == {P} and mine.with_status("later") == set()


def test_changes_are_made_on_what_the_file_holds_and_told_so(tmp_path: Path) -> None:
    one, two = Annotations.open(tmp_path), Annotations.open(tmp_path)
    one.apply([change(P, "tags/moe", True), change(P, "status", "later")])
    made = two.apply(
        [change(P, "tags/moe", True), change(P, "status", "read"), change(P, "status", "skipped")]
    )
    assert [(c.before, c.after) for c in made] == [(True, True), ("later", "read"), ("read", "skipped")]
    assert two.refresh() == {P}  # the tag was news to this window, though it came with its own write
    assert one.refresh() == {P} and one.get(P) == two.get(P)


def test_a_failed_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept")])
    before = (tmp_path / "annotations.journal").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", full_disk)
        with pytest.raises(OSError, match="No space left"):
            store.apply([change(P, "note", "lost"), change(Q, "starred", True)])
        with pytest.raises(OSError, match="No space left"):
            save_search(store, "a", "b")
    assert store.get(P).note == "kept" and store.starred() == set() and store.searches() == []
    assert (tmp_path / "annotations.journal").read_bytes() == before
    store.apply([change(R, "starred", True)])
    assert {paper for paper, _ in Annotations.open(tmp_path).items()} == {P, R}


def test_a_search_is_deleted_on_disk_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Annotations.open(tmp_path)
    save_search(store, "kept", "x")
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", full_disk)
        with pytest.raises(OSError, match="No space left"):
            delete_search(store, "kept")
    assert store.searches() == Annotations.open(tmp_path).searches() == [Search("kept", "x")]


def test_a_publish_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept")])
    assert store.publish() and not store.publish()
    store.apply([change(Q, "starred", True)])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", full_disk)
        with pytest.raises(OSError, match="No space left"):
            store.publish()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", full_disk)  # the snapshot is in its place, the journal is not
        with pytest.raises(OSError, match="No space left"):
            store.publish()
    store.apply([change(R, "starred", True)])
    again = Annotations.open(tmp_path)
    assert {paper for paper, _ in again.items()} == {P, Q, R} and store.notices == again.notices == []


def test_the_storage_takes_what_tinydb_itself_writes(tmp_path: Path) -> None:
    first, second = JournaledStorage(tmp_path), JournaledStorage(tmp_path)
    with tinydb.TinyDB(tmp_path, storage=lambda folder: first) as db, first.writing():
        first.catch_up()
        db.table("exports").insert_multiple([{"name": "weekly"}, {"name": "daily"}])
        db.table("exports").remove(doc_ids=[2])
    assert second.open() == [] and second.read() == {"exports": {"1": {"name": "weekly"}}}


def test_stock_tinydb_reads_every_table(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "tags/moe", True), change(P, "note", "é\n𝔸")], {P: ["doi:10.1/p", "text:00"]})
    store.apply([change(P, "starred", True)])
    save_search(store, "mine", "moe is:unread", "year")
    store.publish()
    with tinydb.TinyDB(file_of(tmp_path), access_mode="r", encoding="utf-8") as db:
        assert db.tables() == {"_meta", "annotations", "searches"}
        (entry,) = db.table("annotations").all()
        assert entry.doc_id == int(P, 36) and entry["paper"] == P
        assert entry["identities"] == ["doi:10.1/p", "text:00"]
        assert entry["tags"] == ["moe"] and entry["note"] == "é\n𝔸" and entry["starred"] is True
        assert db.table("_meta").all() == [{"schema": 1, "seq": 3, "parent": ""}]
        (search,) = db.table("searches").all()
        told = {"name": "mine", "query": "moe is:unread", "sort": "year", "deleted": False}
        assert {name: search[name] for name in told} == told


def test_one_document_a_line_and_a_diff_of_one_line(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(paper, "note", "n") for paper in (P, Q, R)])
    store.publish()
    before = file_of(tmp_path).read_text().splitlines()
    store.apply([change(Q, "note", "m")])
    store.publish()
    after = file_of(tmp_path).read_text().splitlines()
    assert len(before) == len(after)
    differing = [line for old, line in zip(before, after, strict=True) if old != line]
    assert len(differing) == 2 and '"seq": 4' in differing[0] and Q in differing[1]


def test_saved_searches(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    save_search(store, "new", "is:unread")
    save_search(store, "old\x1b[31m", "due:7d\n", "due")
    other = Annotations.open(tmp_path)
    assert other.searches() == [Search("new", "is:unread"), Search("old[31m", "due:7d", "due")]
    save_search(other, "new", "is:later")
    delete_search(store, "old[31m")
    delete_search(store, "never")
    assert store.searches() == [Search("new", "is:later")]
    rewrite(tmp_path, lambda t: t["searches"].update({"9": {"name": "half"}, "12": {}}))
    store.apply([change(P, "starred", True)])
    save_search(store, "third", "x")
    assert [search.name for search in store.searches()] == ["new", "third"]
    save_search(store, "old[31m", "again")
    assert store.searches()[1] == Search("old[31m", "again"), "a name keeps its place"
    with tinydb.TinyDB(file_of(tmp_path), access_mode="r", encoding="utf-8") as tables:
        assert tables.table("searches").get(doc_id=9) == {"name": "half"}, "what is no search is left alone"


@pytest.mark.parametrize(
    ("field", "after"),
    [
        ("status", "Read"),
        ("status", None),
        ("starred", 1),
        ("rating", 6),
        ("rating", True),
        ("due", "tomorrow"),
        ("due", "20261130"),
        ("note", None),
        ("title", 3),
        ("tags/", True),
        ("tags/moe", "yes"),
        ("highlights/7f3a", {"id": "7f3a"}),
        ("highlights/other", mark()),
        ("highlights/7f3a", {**mark(), "colour": "mauve"}),
        ("paper", Q),
        ("times", {}),
        ("identities", {}),
        ("mood", "good"),
    ],
)
def test_what_no_annotation_can_hold_is_refused(tmp_path: Path, field: str, after: Value) -> None:
    store = Annotations.open(tmp_path)
    for take in (store.apply, store.pending):
        with pytest.raises(ValueError, match=field):
            take([change(Q, "note", "with it"), change(P, field, after)])
    assert not store.items() and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("paper", ["", "ZZZ", "../x", "paper-1", "0000000001", "p"])
def test_what_is_no_id_is_refused(tmp_path: Path, paper: str) -> None:
    with pytest.raises(ValueError, match="starred"):
        Annotations.open(tmp_path).apply([change(paper, "starred", True)])
