"""What Syncthing, Dropbox and iCloud leave where two machines wrote at once: nothing of it is lost."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from index import files
from index.annotations import Annotations, History, Step, copies, mending
from index.annotations.places import Places
from index.papers import Change, now
from index.paths import Layout
from index.shelf import Shelf
from tests.index.helpers import records
from tests.index.test_annotations import P, Q, change, file_of

MARKS = (
    ".sync-conflict-20261130-090000-ABCDEFG",
    " (Ada's conflicted copy 2026-11-30)",
    " (Case Conflict)",
    " (Case Conflict 1)",
    " (Ada in Konflikt stehende Kopie 2026-11-30)",
    " (copie en conflit de Ada 2026-11-30)",
    " (Copia in conflitto di Ada 2026-11-30)",
    " (Copia en conflicto de Ada 2026-11-30)",
    unicodedata.normalize("NFD", " (Cópia em conflito de Ada 2026-11-30)"),
    " (конфликтующая копия с Ada 2026-11-30)",
    " (Ada の競合コピー 2026-11-30)",
    " (Ada 的冲突副本 2026-11-30)",
    " 2",
)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "SETTLE", 0.001)


def filled(folder: Path) -> Annotations:
    store = Annotations.open(folder)
    store.apply([change(P, "rating", 3), change(Q, "note", "note of Q")])
    store.publish()
    return store


def other_file(folder: Path) -> bytes:
    """annotations.json as another machine wrote it: a tag more."""
    tables = json.loads(file_of(folder).read_bytes())
    entry = tables["annotations"][str(int(Q, 36))]
    entry["tags"], entry["times"]["tags/theirs"] = ["theirs"], "2026-11-30T09:00:00.000Z"
    return json.dumps(tables).encode()


def step(name: str) -> Step:
    return Step(name, "o", f"did {name}", now(), (Change(name, "o", P, "note", "", name, now()),))


@pytest.mark.parametrize("mark", MARKS)
def test_every_name_of_a_copy_is_known(tmp_path: Path, mark: str) -> None:
    filled(tmp_path)
    name = f"annotations{mark}.json"
    (tmp_path / name).write_bytes(other_file(tmp_path))
    store = Annotations.open(tmp_path)
    assert store.get(Q).tags == ("theirs",) and store.get(Q).note == "note of Q"
    assert [path.name for path in (tmp_path / "conflicts").iterdir()] == [name]
    assert store.notices == [f"{name} was merged, and is in conflicts/"]


@pytest.mark.parametrize(
    "name", ["annotations.json.orig", "annotations copy.json", "annotations (old).json", "state 2.json"]
)
def test_other_files_are_left_alone(tmp_path: Path, name: str) -> None:
    filled(tmp_path)
    (tmp_path / name).write_bytes(other_file(tmp_path))
    assert Annotations.open(tmp_path).get(Q).tags == () and (tmp_path / name).exists()


@pytest.mark.parametrize("mark", MARKS)
def test_steps_of_a_copy_that_are_not_there_are_added_once(tmp_path: Path, mark: str) -> None:
    filled(tmp_path)
    path, copy = tmp_path / "history.jsonl", tmp_path / f"history{mark}.jsonl"
    one, two, three = map(step, ("one", "two", "three"))
    path.write_bytes(one.to_line() + two.to_line().rstrip())  # its end is not whole
    copy.write_bytes(b"torn\n" + two.to_line() + one.to_line() + three.to_line())
    store = Annotations.open(tmp_path)
    assert path.read_bytes() == one.to_line() + two.to_line() + three.to_line()
    assert [told.step for told in History(tmp_path).steps(9)] == ["three", "two", "one"]
    assert not copy.exists() and (tmp_path / "conflicts" / copy.name).exists()
    assert store.notices == [f"{copy.name} was merged, and is in conflicts/"]
    assert Annotations.open(tmp_path).notices == []


def test_papers_of_a_copy_that_are_not_there_are_added(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, numbers in ((here, (0, 1)), (there, (0, 2, 3))):
        folder.mkdir()
        Shelf(Layout(folder)).add(records(numbers), "list", now())
    before = Layout(here).papers.read_bytes()
    lines = Layout(there).papers.read_bytes()
    (here / "papers 2.jsonl").write_bytes(before + lines + b"{}\nno line\n")
    shelf = Shelf(Layout(here))
    store = Annotations.open(here)
    assert store.notices == ["papers 2.jsonl was merged, and is in conflicts/"]
    assert shelf.behind and shelf.refresh()
    assert len(shelf) == 4 and shelf.problems == []
    assert Layout(here).papers.read_bytes() == before + lines


def test_a_copy_of_papers_waits_for_who_writes_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_PATIENCE", 0.01)
    Shelf(Layout(tmp_path)).add(records([0]), "list", now())
    data = Layout(tmp_path).papers.read_bytes()
    Layout(tmp_path).papers.write_bytes(b"")
    (tmp_path / "papers 2.jsonl").write_bytes(data)
    with files.locked(Layout(tmp_path).lock):
        store = Annotations.open(tmp_path)
        store.refresh()
        assert Layout(tmp_path).papers.read_bytes() == b"" and store.notices == []
    store.refresh()
    assert Layout(tmp_path).papers.read_bytes() == data and len(store.notices) == 1


def test_a_copy_that_is_half_written_is_left_for_a_later_look(tmp_path: Path) -> None:
    store = filled(tmp_path)
    copy, whole = tmp_path / "history 2.jsonl", step("one").to_line() + step("two").to_line()
    copy.write_bytes(whole[:-9])
    store.refresh()
    assert copy.exists() and store.notices == []
    copy.write_bytes(whole)
    store.refresh()
    assert (tmp_path / "history.jsonl").read_bytes() == whole and not copy.exists()
    copy.write_bytes(whole + step("three").to_line()[:-9])
    os.utime(copy, (0, 0))  # nobody writes it any more
    store.refresh()
    assert (tmp_path / "history.jsonl").read_bytes() == whole and not copy.exists()


def test_copies_that_come_while_a_window_is_open_are_taken_in(tmp_path: Path) -> None:
    store, other = filled(tmp_path), Annotations.open(tmp_path)
    for kind in ("json", "base"):
        (tmp_path / f"annotations 2.{kind}").write_bytes(other_file(tmp_path))
    (tmp_path / "history 2.jsonl").write_bytes(line := step("one").to_line())
    assert store.refresh() == {Q} and store.get(Q).tags == ("theirs",)
    assert (tmp_path / "history.jsonl").read_bytes() == line and len(store.notices) == 3
    assert sorted(path.name for path in (tmp_path / "conflicts").iterdir()) == [
        "annotations 2.base", "annotations 2.json", "history 2.jsonl",
    ]  # fmt: skip
    assert other.refresh() == {Q} and other.get(Q).tags == ("theirs",) and other.notices == []
    assert any("annotations 2.base is of no use here" in notice for notice in store.notices)
    store.apply([change(Q, "tags/theirs", False)])
    again = json.loads(other_file(tmp_path))
    again["annotations"][str(int(Q, 36))]["times"]["tags/later"] = "2026-11-30T09:00:00.000Z"
    again["annotations"][str(int(Q, 36))]["tags"] = ["later"]
    (tmp_path / "annotations 2.json").write_text(json.dumps(again))  # the same name again
    other.refresh()
    assert other.get(Q).tags == ("later",)


def test_nothing_is_looked_for_where_nothing_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(tmp_path)
    os.utime(tmp_path, (1, 1))
    store.refresh()
    monkeypatch.setattr(copies, "_in_folder", lambda folder: pytest.fail(f"{folder} was listed"))
    for _ in range(3):
        assert store.refresh() == set()
    store.apply([change(P, "rating", 2)])


def test_a_copy_of_a_newer_postil_is_told_of_once_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path)
    tables = json.loads(other_file(tmp_path))
    tables["_meta"]["1"]["schema"] = 99
    (tmp_path / "annotations 2.json").write_text(json.dumps(tables))
    store.refresh()
    with monkeypatch.context() as patch:
        patch.setattr(mending, "mended", None)  # not looked into again
        store.refresh()
        store.apply([change(P, "rating", 1)])
    assert store.notices == ["annotations 2.json was written by a newer postil and left alone"]
    assert (tmp_path / "annotations 2.json").exists() and store.read_only is None
    assert copies.Copies(Places(tmp_path)).come() == [tmp_path / "annotations 2.json"]


def test_an_edit_by_hand_is_not_taken_back_by_a_stale_copy(tmp_path: Path) -> None:
    filled(tmp_path).close()
    stale = file_of(tmp_path).read_bytes()
    file_of(tmp_path).write_bytes(stale.replace(b'"rating": 3', b'"rating": 2'))
    assert Annotations.open(tmp_path).get(P).rating == 2
    for mark in MARKS[:2]:
        (tmp_path / f"annotations{mark}.json").write_bytes(stale)
        assert Annotations.open(tmp_path).get(P).rating == 2
    file_of(tmp_path).write_bytes(stale)  # and a sync tool that puts the old one back
    assert Annotations.open(tmp_path).get(P).rating == 2


def test_an_edit_by_hand_in_a_copy_counts(tmp_path: Path) -> None:
    filled(tmp_path).close()
    by_hand = file_of(tmp_path).read_bytes().replace(b'"rating": 3', b'"rating": 2')
    (tmp_path / "annotations 2.json").write_bytes(by_hand)
    assert Annotations.open(tmp_path).get(P).rating == 2
