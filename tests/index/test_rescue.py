"""Damage and swaps: what another hand, a sync tool or a crash left, with real content to be kept."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import files
from index.annotations import Annotations, AnnotationsError, Search, Step, backups, journal, mending, rescue
from tests.index.helpers import save_search
from tests.index.test_annotations import P, Q, R, change, file_of, mark

HERE = ("note of P", ("moe",), True)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the disk, nor for a file that is being written: nothing is killed here."""
    monkeypatch.setattr(mending, "SETTLE", 0.001)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def filled(folder: Path) -> Annotations:
    """A library whose snapshot holds P, Q and R, and whose journal a change of P."""
    folder.mkdir(exist_ok=True)
    store = Annotations.open(folder)
    store.apply([change(P, "note", "note of P"), change(Q, "note", "note of Q"), change(R, "rating", 4)])
    save_search(store, "mine", "moe")
    store.publish()
    store.apply([change(P, "tags/moe", True), change(Q, "starred", True)])
    return store


def holds_it_all(store: Annotations) -> None:
    assert (store.get(P).note, store.get(P).tags, store.get(Q).starred) == HERE
    assert (store.get(Q).note, store.get(R).rating) == ("note of Q", 4)
    assert store.searches() == [Search("mine", "moe")]


def kept(folder: Path, name: str) -> list[bytes]:
    with contextlib.suppress(FileNotFoundError):
        return [path.read_bytes() for path in sorted((folder / name).iterdir())]
    return []


def edited(data: bytes, edit: Callable[[Any], object]) -> bytes:
    tables = json.loads(data)
    edit(tables)
    return json.dumps(tables).encode()


def conflicted(data: bytes) -> bytes:
    """As git leaves a file whose line of Q was changed on both sides."""
    lines = data.decode().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if "note of Q" in line)
    theirs = lines[place].replace('"tags": []', '"tags": ["theirs"]')
    theirs = theirs.replace('"times": {', '"times": {"tags/theirs": "2026-11-30T09:00:00.000Z", ')
    lines[place : place + 1] = ["<<<<<<< HEAD\n", lines[place], "=======\n", theirs, ">>>>>>> other\n"]
    return "".join(lines).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "zero bytes": lambda data: b"",
    "all NULs": lambda data: bytes(len(data)),
    "a block of NULs": lambda data: data[:200] + bytes(300) + data[500:],
    "bad UTF-8": lambda data: data.replace(b"note of Q", b"note \xff\xfe Q"),
    "wrong root": lambda data: b"[" + data + b"]",
    "duplicate keys": lambda data: data.replace(b'"note": "note of Q"', b'"note": "", "note": "note of Q"'),
    "a table that is none": lambda data: edited(data, lambda t: t.update(annotations=[1, 2])),
    "a document that is none": lambda data: edited(data, lambda t: t["annotations"].update({"7": {"a": 1}})),
    "a document that is a number": lambda data: edited(data, lambda t: t["annotations"].update({"7": 1})),
    "a schema in words": lambda data: edited(data, lambda t: t["_meta"]["1"].update(schema="one")),
    "a seq in words": lambda data: edited(data, lambda t: t["_meta"]["1"].update(seq="one")),
    "overwritten": lambda data: b"# my notes\n",
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("without", ["nothing", "base", "journal", "base and journal"])
def test_whatever_is_damaged_everything_comes_back(
    tmp_path: Path, name: str, is_open: bool, without: str
) -> None:
    """With base and journal, from memory, or from a backup as far as that goes."""
    store: Annotations | None = filled(tmp_path)
    if "journal" in without and not is_open:
        assert store
        store.publish()
        (tmp_path / "annotations.journal").unlink()
    backups.back_up(tmp_path, date(2026, 11, 30))
    if "base" in without:
        (tmp_path / "annotations.base").unlink()
    damaged = DAMAGES[name](file_of(tmp_path).read_bytes())
    file_of(tmp_path).write_bytes(damaged)
    if is_open and store:
        store.refresh()
    else:
        store = Annotations.open(tmp_path)
    holds_it_all(store)
    assert kept(tmp_path, "damaged") == [damaged]
    (kept_as,) = (tmp_path / "damaged").iterdir()
    assert any(kept_as.name in notice for notice in store.notices)
    store.apply([change(R, "note", "later")])
    again = Annotations.open(tmp_path)
    holds_it_all(again)
    assert again.get(R).note == "later" and again.notices == []


def test_what_stands_whole_in_a_damaged_file_is_read_from_it(tmp_path: Path) -> None:
    """A library that was copied without anything beside it, and whose file lost its end."""
    filled(tmp_path / "source").publish()
    data = file_of(tmp_path / "source").read_bytes()
    for end in range(300, len(data), 50):
        folder = tmp_path / str(end)
        folder.mkdir()
        file_of(folder).write_bytes(data[:end])
        whole = {paper for paper in (P, Q, R) if f'"{int(paper, 36)}": {{"paper"'.encode() in data[:end]}
        last = max(whole, key=lambda paper: data.index(str(int(paper, 36)).encode()), default=None)
        if whole - {last}:
            store = Annotations.open(folder)
            assert whole - {last} <= {paper for paper, _ in store.items()} <= whole
            assert kept(folder, "damaged") == [data[:end]] and "not JSON" in store.notices[0]
        elif not whole:
            with pytest.raises(AnnotationsError, match="left as it is"):
                Annotations.open(folder)
            assert file_of(folder).read_bytes() == data[:end]


def test_letters_that_cannot_be_read_are_replaced_where_there_is_no_other_copy(tmp_path: Path) -> None:
    filled(tmp_path / "source").publish()
    data = file_of(tmp_path / "source").read_bytes().replace(b"note of Q", b"note \xff of Q")
    file_of(tmp_path).write_bytes(data)
    store = Annotations.open(tmp_path)
    assert store.get(Q).note == "note \ufffd of Q" and store.get(P).note == "note of P"
    assert "not UTF-8" in store.notices[0] and kept(tmp_path, "damaged") == [data]


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16"])
def test_another_encoding_is_no_damage(tmp_path: Path, form: str) -> None:
    store = filled(tmp_path)
    file_of(tmp_path).write_bytes(file_of(tmp_path).read_text("utf-8").encode(form))
    again = Annotations.open(tmp_path)
    holds_it_all(again)
    assert kept(tmp_path, "damaged") == [] and json.loads(file_of(tmp_path).read_text("utf-8"))
    assert store.refresh() == set()
    holds_it_all(store)


@pytest.mark.parametrize("is_open", [True, False])
def test_both_sides_of_a_conflict_in_git_are_merged(tmp_path: Path, is_open: bool) -> None:
    store = filled(tmp_path)
    damaged = conflicted(file_of(tmp_path).read_bytes())
    file_of(tmp_path).write_bytes(damaged)
    if is_open:
        assert store.refresh() == {Q}
    else:
        store = Annotations.open(tmp_path)
    holds_it_all(store)
    assert store.get(Q).tags == ("theirs",)
    assert kept(tmp_path, "conflicts") == [damaged] and "conflict markers" in store.notices[0]


def theirs(tables: Any) -> None:
    """What another machine did: a tag on Q, R deleted from its file, a paper more."""
    entry = tables["annotations"][str(int(Q, 36))]
    entry["tags"] = ["theirs"]
    entry["times"]["tags/theirs"] = "2026-11-30T09:00:00.000Z"
    del tables["annotations"][str(int(R, 36))]
    tables["_meta"]["1"]["seq"] += 40
    tables["exports"] = {"1": {"name": "weekly"}}


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("without", ["nothing", "base", "journal"])
def test_a_file_swapped_underneath_is_merged(tmp_path: Path, is_open: bool, without: str) -> None:
    store, other = filled(tmp_path), Annotations.open(tmp_path)
    if without == "journal" and not is_open:
        store.publish()
    if without != "nothing" and (is_open or without == "journal"):
        (tmp_path / f"annotations.{without}").unlink()
    new = edited(file_of(tmp_path).read_bytes(), theirs)
    file_of(tmp_path).write_bytes(new)
    if is_open:
        assert store.refresh() == {Q}
    else:
        store = Annotations.open(tmp_path)
    assert "changed by another program" in store.notices[0]
    for window in (store, other, Annotations.open(tmp_path)):
        window.refresh()
        holds_it_all(window)
        assert window.get(Q).tags == ("theirs",)
    tables = json.loads(file_of(tmp_path).read_bytes())
    assert tables["exports"] == {"1": {"name": "weekly"}} and kept(tmp_path, "damaged") == []
    assert without == "journal" or other.notices == []


def test_a_journal_that_has_gone_takes_nothing_with_it(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (tmp_path / "annotations.journal").unlink()
    assert store.refresh() == set()
    holds_it_all(store)
    holds_it_all(Annotations.open(tmp_path))
    assert "annotations.journal lacked" in store.notices[0]


def test_a_merge_that_is_broken_off_before_the_new_journal_is_not_undone_by_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    file_of(tmp_path).write_bytes(edited(file_of(tmp_path).read_bytes(), theirs))

    def full(path: Path, chunks: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", full)
        store = Annotations.open(tmp_path)
        assert store.get(Q).tags == ("theirs",), "in memory"
    again = Annotations.open(tmp_path)
    holds_it_all(again)
    assert again.get(Q).tags == ("theirs",) and again.notices == []


def test_a_swap_back_to_an_older_snapshot_loses_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path)
    old = file_of(tmp_path).read_bytes()
    store.publish()
    store.apply([change(P, "rating", 1)])
    file_of(tmp_path).write_bytes(old)
    again = Annotations.open(tmp_path)
    holds_it_all(again)
    assert again.get(P).rating == 1 and store.refresh() == set()
    holds_it_all(store)


def test_a_journal_of_another_machine_is_merged(tmp_path: Path) -> None:
    store = filled(tmp_path / "here")
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    (tmp_path / "there" / "annotations.journal").unlink()
    there = Annotations.open(tmp_path / "there")
    there.apply([change(R, "note", "of there")])
    there.publish()
    there.apply([change(R, "tags/there", True)])
    for folder, window in ((tmp_path / "here", store), (tmp_path / "closed", None)):
        if window is None:
            shutil.copytree(tmp_path / "here", folder)
        shutil.copy(tmp_path / "there" / "annotations.journal", folder)
        opened = Annotations.open(folder) if window is None else window
        opened.refresh()
        assert opened.get(R).tags == ("there",) and opened.get(R).note == "of there"
        assert (opened.get(R).rating, opened.get(P).note) == (4, "note of P")
    holds_it_all(store)
    assert any("goes on from a file that is not here" in notice for notice in store.notices)


def test_all_files_swapped_underneath_an_open_window(tmp_path: Path) -> None:
    filled(tmp_path / "here").publish()
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    (tmp_path / "there" / "annotations.journal").unlink()
    store, there = Annotations.open(tmp_path / "here"), Annotations.open(tmp_path / "there")
    there.apply([change(R, "note", "of there")])
    there.publish()
    there.apply([change(R, "tags/there", True)])
    store.apply([change(R, "tags/here", True), change(P, "note", "of here")])
    for path in (tmp_path / "there").glob("annotations.*"):
        shutil.copy(path, tmp_path / "here")
    assert store.refresh() == {R}
    assert store.get(R).tags == ("here", "there") and store.get(R).note == "of there"
    assert store.get(P).note == Annotations.open(tmp_path / "here").get(P).note == "of here"


COPIES = (
    "annotations.sync-conflict-20261130-090000-ABCDEFG.json",
    "annotations (conflicted copy 2026-11-30).json",
    "annotations (Ada's conflicted copy 2026-11-30).json",
)


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("damaged", [True, False])
def test_a_conflict_copy_is_merged_and_moved(tmp_path: Path, name: str, damaged: bool) -> None:
    filled(tmp_path)
    data = edited(file_of(tmp_path).read_bytes(), theirs)
    data = data.replace(b'"_meta": {"1"', b'"_meta": {1') if damaged else data
    (tmp_path / name).write_bytes(data)
    (tmp_path / "annotations.json.orig").write_bytes(b"left alone")
    store = Annotations.open(tmp_path)
    holds_it_all(store)
    assert store.get(Q).tags == ("theirs",)
    assert (tmp_path / "conflicts" / name).read_bytes() == data and not (tmp_path / name).exists()
    assert (tmp_path / "annotations.json.orig").exists() and name in store.notices[0]
    assert len(store.notices) == 1 and Annotations.open(tmp_path).notices == []
    (tmp_path / name).write_bytes(data)
    Annotations.open(tmp_path)
    assert len(kept(tmp_path, "conflicts")) == 2, "nothing there is written over"


def test_a_conflict_copy_of_the_journal_is_merged(tmp_path: Path) -> None:
    filled(tmp_path)
    source = tmp_path / "source"
    filled(source).apply([change(R, "tags/there", True)])
    name = "annotations.sync-conflict-20261130-090000-ABCDEFG.journal"
    shutil.copy(source / "annotations.journal", tmp_path / name)
    store = Annotations.open(tmp_path)
    holds_it_all(store)
    assert store.get(R).tags == ("there",) and (tmp_path / "conflicts" / name).exists()


def test_a_file_that_is_just_being_written_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path)
    whole = edited(file_of(tmp_path).read_bytes(), theirs)
    monkeypatch.setattr(mending.time, "sleep", lambda seconds: file_of(tmp_path).write_bytes(whole))  # type: ignore[attr-defined]
    file_of(tmp_path).write_bytes(whole[:100])
    assert store.refresh() == {Q}
    holds_it_all(store)
    assert store.get(Q).tags == ("theirs",) and kept(tmp_path, "damaged") == []


def test_a_newer_postil_on_another_machine_makes_this_one_a_reader(tmp_path: Path) -> None:
    store = filled(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    newer = edited(edited(before["annotations.json"], theirs), lambda t: t["_meta"]["1"].update(schema=99))
    file_of(tmp_path).write_bytes(newer)
    for window in (store, Annotations.open(tmp_path)):
        window.refresh()
        assert window.get(Q).tags == ("theirs",) and "newer postil (schema 99)" in str(window.read_only)
        with pytest.raises(AnnotationsError, match="newer postil"):
            window.apply([change(P, "note", "lost")])
        assert not window.publish()
    now = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert now == {**before, "annotations.json": newer}, "what is not published yet is left for the newer one"
    file_of(tmp_path).write_bytes(before["annotations.json"])
    assert store.refresh() and store.read_only is None
    holds_it_all(store)


def test_a_newer_journal_makes_this_one_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path)
    data = (tmp_path / "annotations.journal").read_bytes().splitlines(keepends=True)
    monkeypatch.setattr(journal, "SCHEMA", 2)
    data[0] = journal.header(journal.parsed(data[0]).snapshot or "", "m")
    monkeypatch.undo()
    (tmp_path / "annotations.journal").write_bytes(b"".join(data))
    store = Annotations.open(tmp_path)
    assert "newer postil" in str(store.read_only)
    holds_it_all(store)


def test_what_cannot_be_mended_on_disk_is_mended_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    damaged = file_of(tmp_path).read_bytes()[:-9]
    file_of(tmp_path).write_bytes(damaged)

    @contextlib.contextmanager
    def refused(path: Path, patience: float = 0) -> Iterator[None]:
        if path:
            raise OSError(errno.EROFS, "Read-only file system")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(files, "locked", refused)
        store = Annotations.open(tmp_path)
        holds_it_all(store)
        with pytest.raises(OSError, match="Read-only"):
            store.apply([change(P, "note", "lost")])
    assert file_of(tmp_path).read_bytes() == damaged and not (tmp_path / "damaged").exists()
    store.apply([change(R, "note", "later")])
    assert kept(tmp_path, "damaged") == [damaged] and Annotations.open(tmp_path).get(R).note == "later"


@pytest.mark.parametrize("number", [None, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_the_first_writes_and_the_second_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    filled(tmp_path)

    @contextlib.contextmanager
    def lockless(path: Path, patience: float = 0) -> Iterator[None]:
        if path:
            raise OSError("no locks") if number is None else OSError(number, "no locks")
        yield

    monkeypatch.setattr(files, "locked", lockless)
    first, second = Annotations.open(tmp_path), Annotations.open(tmp_path)
    assert first.read_only is None and "has no locks" in str(second.read_only)
    first.apply([change(R, "note", "n")])
    assert first.publish() and second.refresh() == {R} and second.get(R).note == "n"
    with pytest.raises(AnnotationsError, match=f"process {os.getpid()}"):
        second.apply([change(R, "note", "m")])
    assert not second.publish()
    first.close()
    second.apply([change(R, "note", "m")])
    assert second.read_only is None and first.refresh() == {R}
    second.close()
    owner = {"pid": 2**22 + 1, "host": os.uname().nodename, "token": "dead"}
    (tmp_path / "annotations.owner").write_text(json.dumps(owner))
    first.apply([change(R, "note", "o")])
    first.close()
    (tmp_path / "annotations.owner").write_text(json.dumps({**owner, "host": "elsewhere"}))
    with pytest.raises(AnnotationsError, match="on elsewhere"):
        first.apply([change(R, "note", "p")])


@given(st.binary(max_size=60), st.integers(0, 600), st.integers(0, 200))
def test_no_bytes_raise_and_no_document_is_made_up(piece: bytes, place: int, length: int) -> None:
    document = {"paper": P, "note": "n", "highlights": [mark()]}
    tables = {"_meta": {"1": {"schema": 1}}, "annotations": {str(int(P, 36)): document}}
    data = json.dumps(tables, indent=1).encode()
    seen = rescue.found(data[:place] + piece + data[place + length :])
    assert seen.fault is None or "\n" not in seen.fault.strip()
    for version in (*seen.versions, *seen.worn):
        for key, found in version.get("annotations", {}).items():
            assert key == str(int(found["paper"], 36))


def test_annotations_that_have_gone_come_back_from_the_backup(tmp_path: Path) -> None:
    annotations = Annotations.open(tmp_path)
    annotations.apply([change(P, "starred", True)])
    annotations.publish()
    annotations.close()
    assert backups.back_up(tmp_path, date(2026, 11, 30))
    for path in tmp_path.glob("annotations.*"):
        path.unlink()
    again = Annotations.open(tmp_path)
    assert again.get(P).starred
    assert again.notices
    again.close()


@pytest.mark.parametrize("history", [None, b"", bytes(300), b"no step\n"])
@pytest.mark.parametrize("journal_too", [True, False])
def test_what_a_backup_may_lack_is_said_where_the_history_cannot_tell(
    tmp_path: Path, history: bytes | None, journal_too: bool
) -> None:
    filled(tmp_path)
    backups.back_up(tmp_path, date(2026, 11, 30))
    names = ["annotations.json", "annotations.base", *(["annotations.journal"] if journal_too else [])]
    for name in names:
        (tmp_path / name).write_bytes(bytes((tmp_path / name).stat().st_size))
    if history is not None:
        (tmp_path / "history.jsonl").write_bytes(history)
    store = Annotations.open(tmp_path)
    assert store.get(Q).note == "note of Q"
    told = next(notice for notice in store.notices if "rebuilt from the backup" in notice)
    assert told.endswith("what was written after it may be missing")


def test_a_history_that_can_tell_leaves_no_doubt(tmp_path: Path) -> None:
    filled(tmp_path)
    backups.back_up(tmp_path, date(2026, 11, 30))
    for name in ("annotations.json", "annotations.base", "annotations.journal"):
        (tmp_path / name).write_bytes(b"")
    made = change(P, "tags/moe", True)
    step = Step("s", "o", "tag moe", made.when, (made,))
    (tmp_path / "history.jsonl").write_bytes(step.to_line())
    store = Annotations.open(tmp_path)
    assert store.get(P).tags == ("moe",) and not any("missing" in notice for notice in store.notices)


def test_a_link_to_nothing_is_named_and_nothing_is_begun_elsewhere(tmp_path: Path) -> None:
    library, drive = tmp_path / "library", tmp_path / "drive"
    store = filled(library)
    store.publish()
    drive.mkdir()
    file_of(library).rename(drive / "notes.json")
    file_of(library).symlink_to(drive / "notes.json")
    linked = Annotations.open(library)
    holds_it_all(linked)
    for gone in (drive / "notes.json", drive):
        drive.rename(tmp_path / "away")
        if gone != drive:
            drive.mkdir()
        told = f"annotations.json is a symbolic link to {drive}/notes.json, and nothing is there: it was left"
        with pytest.raises(AnnotationsError, match=told):
            Annotations.open(library)
        for act in (linked.refresh, lambda: linked.apply([change(R, "note", "n")])):
            with pytest.raises(AnnotationsError, match=told):
                act()
        assert not (drive / "notes.json").exists() and file_of(library).is_symlink()
        if drive.exists():
            drive.rmdir()
        (tmp_path / "away").rename(drive)
        linked.refresh()
        holds_it_all(linked)
    linked.apply([change(R, "note", "n")])
    assert Annotations.open(library).get(R).note == "n" and linked.notices == []


def test_a_lock_that_is_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "annotations.lock").unlink()
    (tmp_path / "annotations.lock").symlink_to(tmp_path / "gone" / "lock")
    store = Annotations.open(tmp_path)
    holds_it_all(store)
    with pytest.raises(OSError, match=r"annotations.lock is a symbolic link .*: delete that link"):
        store.apply([change(P, "note", "n")])
