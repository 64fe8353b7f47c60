"""history.jsonl as the last resort: whatever else is gone or damaged, what it tells is there again."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from index.annotations import Annotations, AnnotationsError, History, Search, Step, backups, mending, new_step
from index.papers import APART, Annotation, Change, Highlight, Value, now
from tests.index.test_annotations import TEXT, P, Q, R, change, file_of, mark

DAY = date(2026, 11, 30)
FILES = ("annotations.json", "annotations.base", "annotations.journal")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for the disk, nor for a file that is being written: nothing is killed here."""
    monkeypatch.setattr(mending, "SETTLE", 0.0001)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def do(folder: Path, store: Annotations, *edits: tuple[str, str, Value], undoes: str | None = None) -> Step:
    """Make a step and record it, as a window does."""
    id, when = new_step(), now()
    step = Step(id, "test", "a step", when, (), undoes)
    made = store.apply([Change(id, "test", *edit[:2], None, edit[2], when) for edit in edits])
    step = replace(step, changes=tuple(made))
    History(folder).record(step)
    return step


def filled(folder: Path) -> Annotations:
    """A backup, what was published after it, and what is only in the journal: of each some."""
    folder.mkdir(exist_ok=True)
    store = Annotations.open(folder)
    do(folder, store, (P, "note", "old"), (P, "tags/old", True), (P, "highlights/7f3a", mark()))
    do(folder, store, ("", "searches/mine", {"query": "moe", "sort": None}))
    store.publish()
    backups.back_up(folder, DAY)
    do(folder, store, (P, "tags/old", False), (P, "tags/new", True), (Q, "note", "of Q"))
    store.publish()
    do(folder, store, (P, "highlights/7f3a", None), (P, "note", "new"), (Q, "status", "read"))
    do(folder, store, ("", "searches/mine", {"query": "vision", "sort": "year"}))
    return store


def like(store: Annotations) -> tuple[dict[str, Annotation], list[Search]]:
    return dict(store.items()), sorted(store.searches(), key=lambda search: search.name)


def remove(*names: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        for name in names:
            path = folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return act


def empty(*names: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        for name in names:
            (folder / name).write_bytes(b"")

    return act


LOSSES: dict[str, Sequence[Callable[[Path], None]]] = {
    "all but the backup": [remove(*FILES)],
    "all": [remove(*FILES, "backups")],
    "the journal": [remove(FILES[2])],
    "journal and base, annotations.json is empty": [remove(*FILES[1:]), empty(FILES[0])],
    "the same, and the backup": [remove(*FILES[1:], "backups"), empty(FILES[0])],
    "what is in the journal": [empty(FILES[2])],
    "what is in the journal, and the base": [remove(FILES[1]), empty(FILES[2])],
    "annotations.json and journal": [remove(FILES[0], FILES[2])],
    "annotations.json and base": [remove(*FILES[:2])],
}


@pytest.mark.parametrize("loss", LOSSES)
def test_what_was_lost_is_made_again_from_the_history(tmp_path: Path, loss: str) -> None:
    before = like(filled(tmp_path))
    for act in LOSSES[loss]:
        act(tmp_path)
    store = Annotations.open(tmp_path)
    assert like(store) == before, "tombstones too"
    in_the_journal = loss == "annotations.json and base"  # it holds whole documents
    assert any("in history.jsonl" in notice for notice in store.notices) != in_the_journal, store.notices
    assert all("\n" not in notice and "missing" not in notice for notice in store.notices)
    do(tmp_path, store, (R, "rating", 4))
    again = Annotations.open(tmp_path)
    assert like(again) == like(store) and again.notices == []


def test_the_notice_says_what_was_used(tmp_path: Path) -> None:
    filled(tmp_path)
    shutil.copytree(tmp_path, tmp_path.with_name("forgotten"))
    remove(*FILES)(tmp_path)
    assert Annotations.open(tmp_path).notices == [
        "annotations.json had gone: it was made again from the backup annotations-2026-11-30.json and "
        "7 later changes in history.jsonl"
    ]
    remove(*FILES, "history.jsonl")(tmp_path.with_name("forgotten"))
    store = Annotations.open(tmp_path.with_name("forgotten"))
    assert store.get(P).note == "old" and store.notices == [
        "annotations.json had gone: it was made again from the backup annotations-2026-11-30.json: what was "
        "written after it may be missing"
    ]


def test_a_journal_that_has_gone_with_nothing_in_it_is_no_loss(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.publish()
    before, held = like(store), file_of(tmp_path).read_bytes()
    assert Annotations.open(tmp_path).notices == [], "all is published"
    remove("annotations.journal")(tmp_path)
    again = Annotations.open(tmp_path)
    assert like(again) == before and again.notices == [] and file_of(tmp_path).read_bytes() == held
    assert (tmp_path / "annotations.journal").exists()
    remove("annotations.journal", "history.jsonl")(tmp_path)
    (notice,) = Annotations.open(tmp_path).notices
    assert "annotations.journal" in notice and "may be missing" in notice


@pytest.mark.parametrize("gone", ["", "annotations.journal"])
def test_of_a_file_that_another_machine_brought_the_history_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    filled(tmp_path / "here").publish()
    (tmp_path / "there").mkdir()
    shutil.copy(file_of(tmp_path / "here"), tmp_path / "there")
    clone = Annotations.open(tmp_path / "there")
    clone.apply([change(R, "note", "of there")])
    clone.publish()
    shutil.copy(file_of(tmp_path / "there"), tmp_path / "here")
    if gone:
        (tmp_path / "here" / gone).unlink()

    def not_asked_for(line: bytes) -> None:
        raise AssertionError(line)

    monkeypatch.setattr(Step, "from_line", not_asked_for)
    assert Annotations.open(tmp_path / "here").get(R).note == "of there"
    assert Annotations.open(tmp_path / "here").notices == []


def test_lines_taken_out_of_the_journal_come_back(tmp_path: Path) -> None:
    before = like(filled(tmp_path))
    path = tmp_path / "annotations.journal"
    lines = path.read_bytes().splitlines(keepends=True)
    for place in range(1, len(lines) - 1):
        path.write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
        store = Annotations.open(tmp_path)
        assert like(store) == before and store.publish() is False
        shutil.rmtree(tmp_path)
        before = like(filled(tmp_path))
        lines = path.read_bytes().splitlines(keepends=True)


def test_a_damaged_line_of_the_journal_comes_back_and_an_open_window_sees_it(tmp_path: Path) -> None:
    store = filled(tmp_path)
    other = Annotations.open(tmp_path)
    do(tmp_path, other, (R, "note", "unseen by the first"))
    path = tmp_path / "annotations.journal"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + b"\0" * 40 + b"\n")
    assert R in store.refresh() and store.get(R).note == "unseen by the first"
    assert like(store) == like(Annotations.open(tmp_path))


def test_of_one_field_the_later_time_counts_and_of_one_time_the_later_line(tmp_path: Path) -> None:
    """As git leaves two machines' lines: one after the other's, some twice, the last one torn."""
    times = [f"2026-11-30T08:00:0{second}.000Z" for second in range(4)]
    lines = [
        line(times[2], (P, "note", "latest")), line(times[1], (P, "note", "earlier")),
        line(times[3], (Q, "rating", 1), (Q, "rating", 3)), line(times[0], (Q, "rating", 5)),
        line(times[2], (P, "note", "latest")), line(times[3], (Q, "starred", True))[:-9],
    ]  # fmt: skip
    (tmp_path / "history.jsonl").write_bytes(b"".join(lines))
    store = Annotations.open(tmp_path)
    assert (store.get(P).note, store.get(Q).rating, store.get(Q).starred) == ("latest", 3, False)
    assert store.get(P).times == {"note": times[2]} and store.get(Q).times == {"rating": times[3]}


def line(when: str, *edits: tuple[str, str, Value]) -> bytes:
    changes = tuple(Change("s", "o", paper, field, None, after, when) for paper, field, after in edits)
    return Step(new_step(), "o", "what", when, changes).to_line()


@pytest.mark.parametrize("field, after", [
    ("rating", 9), ("status", "Read"), ("tags/", True), ("tags/moe", "yes"), ("colour", "blue"), ("note", 3),
    ("highlights/a", {"id": "a"}), ("times", {}), ("due", "soon"), ("", None),
])  # fmt: skip
def test_a_change_that_makes_no_sense_is_left_out(tmp_path: Path, field: str, after: Value) -> None:
    edits: Sequence[tuple[str, str, Value]] = [
        (P, field, after), ("../x", "starred", True), ("", "starred", True), (P, "starred", True)
    ]  # fmt: skip
    odd = (
        b'{"step": "s", "origin": "o", "what": "", "when": "2026", "undoes": null, "redoes": null, "changes"'
    )
    odd += b': [{"paper": [1], "field": 7, "before": null, "after": null}]}\n[]\n\xff\n' + b"[" * 9999 + b"\n"
    (tmp_path / "history.jsonl").write_bytes(odd + line(now(), *edits) + line("\x1b[31m", (P, "note", "x")))
    store = Annotations.open(tmp_path)
    assert store.get(P).starred and store.get(P).times.keys() == {"starred"} and len(store.items()) == 1


def test_an_empty_file_with_a_history_that_tells_nothing_is_left(tmp_path: Path) -> None:
    file_of(tmp_path).write_bytes(b"")
    (tmp_path / "history.jsonl").write_bytes(b"\0" * 100)
    with pytest.raises(AnnotationsError, match="left as it is"):
        Annotations.open(tmp_path)


def test_a_document_that_cannot_be_read_is_made_from_the_history(tmp_path: Path) -> None:
    """One of which letters cannot be read, one that is cut in two; others may be by another hand."""
    store = filled(tmp_path)
    do(tmp_path, store, (R, "note", "of R"))
    store.publish()
    remove(*FILES[1:], "backups")(tmp_path)
    data = file_of(tmp_path).read_bytes().replace(b'"note": "new"', b'"note": "by hand"')
    file_of(tmp_path).write_bytes(
        data.replace(b"of Q", b"of \xff").replace(b'"note": "of R', b'"note: "of R')
    )
    again = Annotations.open(tmp_path)
    assert (again.get(P).note, again.get(Q).note, again.get(R).note) == ("by hand", "of Q", "of R")
    assert again.get(Q).times == store.get(Q).times and again.get(R) == store.get(R)


def test_a_note_of_two_machines_is_not_put_back_to_one_of_them(tmp_path: Path) -> None:
    """It has the later one's time, and the history of that machine ends with its own part."""
    store = filled(tmp_path)
    both = f"new{APART}of there"
    document = store.document(P)
    assert document
    store.take_in({"annotations": {str(int(P, 36)): {**document, "note": both}}}, lambda changes: None)
    noted = store.get(P).note
    assert "of there" in noted
    store.publish()
    remove("annotations.journal")(tmp_path)
    assert Annotations.open(tmp_path).get(P).note == noted


def test_undo_is_a_step_like_any_other(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    first = do(tmp_path, store, (P, "tags/moe", True), (P, "note", "so"))
    do(tmp_path, store, (P, "tags/moe", False), (P, "note", ""), undoes=first.step)
    before = like(store)
    remove("annotations.journal")(tmp_path)
    assert like(Annotations.open(tmp_path)) == before and "tags/moe" in before[0][P].times


def test_without_a_loss_no_opening_reads_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(tmp_path)
    monkeypatch.setattr(Step, "from_line", None)
    assert like(Annotations.open(tmp_path)) == like(store)
    store.publish()
    assert store.refresh() == set() and like(Annotations.open(tmp_path)) == like(store)


def test_what_cannot_be_written_is_made_again_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = like(filled(tmp_path))
    remove("annotations.journal")(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}

    def refused(path: Path, patience: float = 0) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("index.files.locked", refused)
    assert like(Annotations.open(tmp_path)) == before
    assert {path.name for path in tmp_path.iterdir()} == names


VALUES: dict[str, Sequence[Value]] = {
    "status": ("later", "read", "unread"), "starred": (True, False), "rating": (1, 5, None),
    "note": ("one", "two\nlines", "", "é"), "due": ("2026-12-24", None), "title": ("T", None),
    "tags/moe": (True, False), "tags/rg/grok": (True, False),
    "highlights/h": (Highlight.on(TEXT, 1, 9, id="h", comment="why").to_json(),
                     Highlight.on(TEXT, 1, 9, id="h", colour="doubt").to_json(), None),
}  # fmt: skip
SEARCHES: Sequence[Value] = ({"query": "moe", "sort": None}, {"query": "a", "sort": "year"}, None)


def damage(path: Path, chance: random.Random) -> None:
    """Gone, empty, cut within a line, or zeros somewhere."""
    if not path.exists():
        return
    data, kind = path.read_bytes(), chance.choice(("gone", "empty", "cut", "zeros", "none"))
    place = chance.randrange(len(data) or 1)
    if kind == "gone":
        path.unlink()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        # A cut between two lines of the journal is one that nothing tells.
        path.write_bytes(data[: place + (data[:place].endswith(b"\n"))])
    elif kind == "zeros":
        path.write_bytes(data[:place] + bytes(min(300, len(data) - place)) + data[place + 300 :])


@pytest.mark.parametrize("seed", range(int(os.environ.get("POSTIL_LOSSES", "60"))))
def test_whatever_is_lost_all_that_was_recorded_is_there(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    store = Annotations.open(tmp_path)
    model: dict[tuple[str, str], Value] = {}
    for _ in range(chance.randint(1, 4)):
        for number in range(chance.randint(1, 12)):
            paper, field = chance.choice((P, Q, R)), chance.choice(list(VALUES))
            edit = paper, field, chance.choice(VALUES[field])
            if number % 4 == 3:
                edit = "", f"searches/{chance.choice('ab')}", chance.choice(SEARCHES)
            do(tmp_path, store, edit)
            model[edit[:2]] = edit[2]
            if chance.random() < 0.2:
                store.publish()
            if chance.random() < 0.1:
                backups.back_up(tmp_path, DAY)
        before = like(store)
        data = file_of(tmp_path).read_bytes() if file_of(tmp_path).exists() else None
        for name in FILES:
            damage(tmp_path / name, chance)
        if data and not any((tmp_path / name).exists() for name in FILES[1:]):
            file_of(tmp_path).unlink(missing_ok=True)  # alone and sound it is as git brings it to a clone
        if chance.random() < 0.3:
            shutil.rmtree(tmp_path / "backups", ignore_errors=True)
        store = Annotations.open(tmp_path)
        assert {place: store.value(*place) for place in model} == model
        assert like(store) == before
        assert Annotations.open(tmp_path).notices == []
