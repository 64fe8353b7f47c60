"""The journal: what a cut or a flipped byte does, how two windows read on in it, what a publish leaves."""

from __future__ import annotations

import json
import os
import shutil
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from index import files
from index.annotations import Annotations, Search, journal, mending, places, snapshot, storage
from index.annotations.journal import Entry
from index.annotations.snapshot import Draft
from tests.index.helpers import delete_search, save_search
from tests.index.test_annotations import P, Q, R, change, file_of


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the disk, nor for a file that is being written: nothing is killed here."""
    monkeypatch.setattr(mending, "SETTLE", 0.0001)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def journal_of(folder: Path) -> Path:
    return folder / "annotations.journal"


def kept(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / "damaged").glob("annotations-*.journal")))


def two_changes(folder: Path) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """A snapshot, and on it two changes, each a line of the journal; what P is like after each of them."""
    folder.mkdir()
    store = Annotations.open(folder)
    store.apply([change(P, "note", "begun"), change(Q, "starred", True)])
    store.publish()
    after = [like(store)]
    for edit in (change(P, "note", "é"), change(P, "tags/moe", True)):
        store.apply([edit])
        after.append(like(store))
    return after


def like(store: Annotations) -> tuple[str, int | None, tuple[str, ...]]:
    annotation = store.get(P)
    assert store.starred() == {Q}
    return annotation.note, annotation.rating, annotation.tags


def opened_with(source: Path, folder: Path, data: bytes) -> Annotations:
    """A copy of a library, its journal replaced by `data`, opened."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("annotations.json", "annotations.base"):
        (folder / name).write_bytes((source / name).read_bytes())
    journal_of(folder).write_bytes(data)
    return Annotations.open(folder)


def test_a_journal_cut_anywhere_keeps_every_whole_line(tmp_path: Path) -> None:
    after = two_changes(tmp_path / "source")
    whole, copy = journal_of(tmp_path / "source").read_bytes(), tmp_path / "copy"
    for end in range(len(whole)):
        store = opened_with(tmp_path / "source", copy, whole[:end])
        lines = whole[: end + 1].count(b"\n")  # a line that lacks only its end is whole
        assert like(store) == after[max(0, lines - 1)], end
        torn = whole[:end].rpartition(b"\n")[2]
        assert kept(copy) == torn and bool(store.notices) == bool(torn or not end), end
        if end % 20 == 0:
            store.apply([change(P, "rating", 4)])
            again = Annotations.open(copy)
            assert again.get(P) == store.get(P) and again.get(P).rating == 4 and again.notices == []


@pytest.mark.parametrize("flip", [0x15, 0x80])
def test_a_byte_flipped_anywhere_loses_nothing_and_is_told(tmp_path: Path, flip: int) -> None:
    after = two_changes(tmp_path / "source")
    whole, copy = journal_of(tmp_path / "source").read_bytes(), tmp_path / "copy"
    for place in range(flip % 3, len(whole), 3):
        data = bytearray(whole)
        data[place] ^= flip
        store = opened_with(tmp_path / "source", copy, bytes(data))
        assert like(store) == after[-1], place
        assert store.notices and kept(copy), place
        if place % 20 == 0:
            again = Annotations.open(copy)
            assert like(again) == after[-1] and again.notices == [], place


def test_any_wrong_byte_of_a_line_is_put_right() -> None:
    entries = [Entry.of(number, "searches", str(number), {"name": "é"}) for number in (1, 2)]
    whole = journal.header("abc", "m") + b"".join(entry.line for entry in entries)
    for place in range(len(whole)):
        for flip in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            data = bytearray(whole)
            data[place] ^= flip
            part = journal.parsed(bytes(data))
            assert (part.entries, part.snapshot) == (entries, "abc") and part.damaged, (place, flip)


def test_a_line_that_cannot_be_put_right_is_left_out_and_kept(tmp_path: Path) -> None:
    after = two_changes(tmp_path / "source")
    lines = journal_of(tmp_path / "source").read_bytes().splitlines(keepends=True)
    damaged = lines[1].replace(b"begun", b"xx").replace(b"note", b"\0\0\0\0")
    store = opened_with(tmp_path / "source", tmp_path / "copy", lines[0] + damaged + lines[2])
    assert like(store) == after[2], "the line after it holds the whole document"
    assert kept(tmp_path / "copy") == damaged.rstrip(b"\n")
    assert store.notices[0].startswith(
        "1 line of annotations.journal was damaged and cannot be read: what was"
    )
    store = opened_with(tmp_path / "source", tmp_path / "copy", lines[0] + damaged)
    assert like(store) == after[0] and "1 line of annotations.journal was damaged" in store.notices[0]


def test_a_window_makes_up_for_a_damaged_line(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "kept"), change(Q, "starred", True)])
    store.apply([change(R, "note", "last")])
    data = journal_of(tmp_path).read_bytes()
    for damaged in (data.replace(b"kept", b"????"), data.replace(b"last", b"????"), data[:60], b""):
        journal_of(tmp_path).write_bytes(damaged)
        store.refresh()
        again = Annotations.open(tmp_path)
        assert (again.get(P).note, again.get(R).note) == ("kept", "last") and again.starred() == {Q}
        assert store.notices and again.notices == []
        assert file_of(tmp_path).exists()
        store.apply([change(R, "rating", 1)])


def test_a_flipped_byte_of_the_header_and_one_of_the_snapshot(tmp_path: Path) -> None:
    source = tmp_path / "source"
    two_changes(source)
    data = bytearray(journal_of(source).read_bytes())
    data[20:23] = b"???"
    whole = file_of(source).read_bytes()
    for place in range(0, len(whole), 9):
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        file_of(source).write_bytes(damaged)
        store = opened_with(source, tmp_path / "copy", bytes(data))
        assert "é" in store.get(P).note and "moe" in store.get(P).tags and store.notices, place


def test_a_write_is_one_line_for_each_changed_document(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    store.apply([change(paper, "note", "n") for paper in (P, Q, R)])
    store.publish()
    before = file_of(tmp_path).read_bytes()
    with mock.patch.object(files, "append", wraps=files.append) as append:
        store.apply([change(Q, "note", "m"), change(Q, "tags/moe", True), change(R, "rating", 1)])
    assert append.call_count == 1
    part = journal.parsed(journal_of(tmp_path).read_bytes())
    assert [(entry.seq, entry.id) for entry in part.entries] == [(4, str(int(Q, 36))), (5, str(int(R, 36)))]
    assert file_of(tmp_path).read_bytes() == before and part.snapshot == snapshot.digest(before)


def test_a_second_window_reads_only_the_new_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Annotations.open(tmp_path), Annotations.open(tmp_path)
    one.apply([change(P, "note", "n")])
    assert two.refresh() == {P}
    one.apply([change(P, "note", "m"), change(Q, "starred", True)])

    def not_asked_for(path: Path) -> None:
        raise AssertionError(f"{path} was read whole")

    with monkeypatch.context() as patch:
        patch.setattr(places, "read", not_asked_for)
        assert two.refresh() == {P, Q} and two.refresh() == set() and two.get(P).note == "m"
        two.apply([change(R, "starred", True)])
        assert one.refresh() == {R}
    one.publish()
    assert two.refresh() == set() and two.starred() == {Q, R}
    save_search(two, "mine", "moe")
    assert one.refresh() == set()
    assert one.searches() == [Search("mine", "moe")]
    delete_search(two, "mine")
    assert one.refresh() == set() and one.searches() == Annotations.open(tmp_path).searches() == []


def test_a_line_that_is_being_written_is_left_for_the_next_look(tmp_path: Path) -> None:
    one, two = Annotations.open(tmp_path), Annotations.open(tmp_path)
    one.apply([change(P, "note", "n")])
    two.refresh()
    before = journal_of(tmp_path).read_bytes()
    time.sleep(0.002)  # so that its time is a later one
    one.apply([change(P, "note", "m")])
    after = journal_of(tmp_path).read_bytes()
    journal_of(tmp_path).write_bytes(after[:-5])
    with files.locked(tmp_path / "annotations.lock"):  # who writes holds it
        assert two.refresh() == set() and two.get(P).note == "n"
    journal_of(tmp_path).write_bytes(after)
    assert two.refresh() == {P} and two.get(P).note == "m" and two.notices == []
    journal_of(tmp_path).write_bytes(before)  # the write was taken back, or a sync tool put it back
    two.refresh()
    assert two.get(P).note == Annotations.open(tmp_path).get(P).note == "m", "what was seen stays"


def test_what_comes_while_a_snapshot_is_written_goes_on_into_the_new_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = Annotations.open(tmp_path), Annotations.open(tmp_path)
    one.apply([change(P, "note", "n")])
    written = snapshot.written

    def meanwhile(*arguments: object) -> Draft:
        draft: Draft = written(*arguments)  # type: ignore[arg-type]
        one.apply([change(Q, "starred", True)])
        two.apply([change(R, "starred", True)])
        return draft

    monkeypatch.setattr(snapshot, "written", meanwhile)
    assert one.publish()
    assert one.starred() == {Q, R}
    assert [entry.seq for entry in journal.parsed(journal_of(tmp_path).read_bytes()).entries] == [2, 3]
    assert (
        Annotations.open(tmp_path).starred() == {Q, R} and two.refresh() == {P, Q} and two.starred() == {Q, R}
    )


def test_of_two_that_publish_the_slower_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Annotations.open(tmp_path), Annotations.open(tmp_path)
    one.apply([change(P, "note", "n")])
    two.refresh()
    written = snapshot.written

    def meanwhile(*arguments: object) -> Draft:
        draft: Draft = written(*arguments)  # type: ignore[arg-type]
        monkeypatch.setattr(snapshot, "written", written)
        two.apply([change(Q, "starred", True)])
        two.publish()
        return draft

    monkeypatch.setattr(snapshot, "written", meanwhile)
    one.publish()
    assert one.starred() == {Q}
    tables = json.loads(file_of(tmp_path).read_bytes())
    assert len(tables["annotations"]) == 2 and Annotations.open(tmp_path).notices == []
    assert not list(tmp_path.glob(".*")), "no draft is left"


STEPS_OF_A_PUBLISH: dict[str, Callable[[], object]] = {
    "announcing": lambda: mock.patch.object(files, "append", side_effect=OSError(28, "full")),
    "announced": lambda: mock.patch.object(Draft, "put", side_effect=OSError(28, "full")),
    "replaced": lambda: mock.patch.object(Draft, "put", lambda draft, path, base: put_half(draft, path)),
    "copied": lambda: mock.patch.object(files, "replace", side_effect=OSError(28, "full")),
}


def put_half(draft: Draft, path: Path) -> None:
    draft.path.replace(path)
    raise OSError(28, "full")


@pytest.mark.parametrize("step", STEPS_OF_A_PUBLISH)
@pytest.mark.parametrize("first", [True, False])
def test_a_publish_that_is_broken_off_anywhere_leaves_everything_sound(
    tmp_path: Path, step: str, first: bool
) -> None:
    store, other = Annotations.open(tmp_path), Annotations.open(tmp_path)
    store.apply([change(P, "note", "n"), change(P, "tags/old", True)])
    if not first:
        store.publish()
    store.apply([change(P, "tags/old", False), change(Q, "starred", True)])
    with pytest.raises(OSError, match="full"), STEPS_OF_A_PUBLISH[step]():  # type: ignore[attr-defined]
        store.publish()
    opened = Annotations.open(tmp_path)
    opened.apply([change(R, "starred", True)])
    for window in (store, other, opened, Annotations.open(tmp_path)):
        window.refresh()
        assert window.starred() == {Q, R} and window.tags() == {} and window.get(P).note == "n"
        assert window.notices == []
    assert opened.publish()
    assert Annotations.open(tmp_path).starred() == {Q, R} and Annotations.open(tmp_path).notices == []
    assert len(journal_of(tmp_path).read_bytes().splitlines()) == 1


def test_a_line_says_what_it_is_and_survives_a_lone_surrogate() -> None:
    entry = Entry.of(7, "annotations", "1", {"note": "\ud800\n\u2028é"})
    part = journal.parsed(journal.header("abc", "m") + entry.line + journal.publishing("def"))
    assert part.entries == [entry] and part.goes_on_from("abc") and part.goes_on_from("def")
    assert (part.machine, part.damaged, part.torn) == ("m", [], b"") and entry.line.count(b"\n") == 1


@pytest.mark.parametrize(
    "line", [b"", b"x", b"00000000 {}", b"[1]", b'{"seq": 1}', b'{"seq": "1"}', b"[" * 9999]
)
def test_a_line_of_another_hand_is_damaged_and_raises_nothing(line: bytes) -> None:
    checked = b"%08x %s" % (zlib.crc32(line), line)
    for data in (line, checked):
        assert data in journal.parsed(data + b"\n").damaged


def test_a_long_journal_asks_to_be_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "LEAST_JOURNAL", 3000)
    store = Annotations.open(tmp_path)
    store.apply([change(P, "note", "n" * 1000)])
    grown = [store.grown]
    store.apply([change(Q, "note", "n" * 2000)])
    grown.append(store.grown)
    store.publish()
    assert [*grown, store.grown] == [False, True, False]
