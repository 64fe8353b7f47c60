"""The writing thread: at once on the screen, soon on disk, kept when the disk refuses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from index import files
from index.annotations import Annotations, History, Step, Writer, inverse, new_step, storage, writer
from index.papers import Change, Value, now, paper_id

P, Q = paper_id("doi:10.1/p"), paper_id("doi:10.1/q")
LONG = 20.0
"""Seconds after which a test that waits has failed."""


def step_of(*changes: tuple[str, str, Value], what: str = "a step") -> Step:
    id, when = new_step(), now()
    return Step(
        id,
        "w",
        what,
        when,
        tuple(Change(id, "w", p, field, None, after, when) for p, field, after in changes),
    )


class Bench:
    """A writer on a folder, and what it called back."""

    def __init__(self, folder: Path) -> None:
        self.store, self.history = Annotations.open(folder), History(folder)
        self.saved: list[str] = []
        self.troubles: list[str] = []
        self.called = threading.Condition()
        self.writer = Writer(self.store, self.history, self._on_saved, self._on_trouble)

    def _on_saved(self, steps: list[str]) -> None:
        with self.called:
            self.saved.extend(steps)
            self.called.notify_all()

    def _on_trouble(self, message: str) -> None:
        with self.called:
            self.troubles.append(message)
            self.called.notify_all()

    def wait(self, happened: Callable[[], object]) -> None:
        with self.called:
            assert self.called.wait_for(happened, LONG)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(writer, "SOONEST", 0.01)
    bench = Bench(tmp_path)
    yield bench
    bench.writer.close(LONG)


def refusing(path: Path, data: object) -> None:
    raise OSError(28, "No space left on device", str(path))


_append = files.append


def refusing_history(path: Path, data: bytes) -> None:
    if path.name == "history.jsonl":
        refusing(path, data)
    _append(path, data)


def test_a_step_is_shown_at_once_and_on_disk_when_it_is_saved(bench: Bench, tmp_path: Path) -> None:
    step = step_of((P, "tags/moe", True), (Q, "tags/moe", True), what="tag moe on 2 papers")
    bench.writer.submit(step, {P: ["doi:10.1/p"]})
    assert bench.store.tagged("moe") == {P, Q} and bench.history.undoable("w")
    bench.wait(lambda: bench.saved == [step.step])
    assert Annotations.open(tmp_path).tagged("moe") == {P, Q}
    (line,) = History(tmp_path).steps(9)
    assert line.what == "tag moe on 2 papers" and [c.before for c in line.changes] == [False, False]
    assert "doi:10.1/p" in (tmp_path / "annotations.journal").read_text()
    assert bench.writer.waiting == 0 and bench.troubles == []


def test_what_waits_is_written_together(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, begun, go = files.append, threading.Event(), threading.Event()
    writes = []

    def slow(path: Path, data: bytes) -> None:
        begun.set()
        assert go.wait(LONG)
        writes.append(path.name)
        append(path, data)

    monkeypatch.setattr(files, "append", slow)
    steps = [step_of((P, "note", str(number)), (P, f"tags/{number}", True)) for number in range(20)]
    bench.writer.submit(steps[0])
    assert begun.wait(LONG)
    for step in steps[1:]:
        bench.writer.submit(step)
    assert bench.writer.waiting == 20 and bench.store.get(P).note == "19"
    go.set()
    bench.wait(lambda: len(bench.saved) == 20)
    assert writes == 2 * ["annotations.journal", "history.jsonl"]
    assert bench.saved == [step.step for step in steps]
    assert [step.changes[0].before for step in History(tmp_path).steps(99)] == [
        *map(str, range(18, -1, -1)),
        "",
    ]
    assert len(Annotations.open(tmp_path).tags()) == 20


def test_a_full_disk_keeps_changes_and_a_later_success_reports_them(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = step_of((P, "note", "kept")), step_of((Q, "starred", True))
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", refusing)
        bench.writer.submit(first)
        bench.wait(lambda: len(bench.troubles) >= 2)
        bench.writer.submit(second)
        assert bench.store.get(P).note == "kept" and bench.store.starred() == {Q}
        assert bench.writer.waiting == 2 and bench.saved == [] and not Annotations.open(tmp_path).items()
    bench.wait(lambda: len(bench.saved) == 2)
    assert "No space left" in bench.troubles[0] and "\n" not in bench.troubles[0]
    assert Annotations.open(tmp_path).get(P).note == "kept" and Annotations.open(tmp_path).starred() == {Q}


def test_a_history_that_cannot_be_written_does_not_make_the_changes_twice(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Annotations.open(tmp_path).apply(step_of((P, "note", "theirs")).changes)
    step = step_of((P, "note", "mine"))
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", refusing_history)
        bench.writer.submit(step)
        bench.wait(lambda: len(bench.troubles) >= 2)
        assert bench.writer.waiting == 0 and bench.saved == [], "it is on disk, though not in the history"
        assert bench.troubles[0].startswith("saved, but undo does not know of it yet")
        undoable = bench.history.undoable("w")
        assert undoable and undoable.changes[0].before == "theirs"
        Annotations.open(tmp_path).apply(step_of((P, "note", "later")).changes)
    bench.wait(lambda: bench.saved == [step.step])
    assert Annotations.open(tmp_path).get(P).note == "later"
    (line,) = History(tmp_path).steps(9)
    assert (line.changes[0].before, line.changes[0].after) == ("theirs", "mine")


def test_a_step_that_waits_can_be_undone(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", refusing)
        bench.writer.submit(step_of((P, "tags/moe", True), (P, "status", "read")))
        step = bench.history.undoable("w")
        assert step
        back, left = inverse(step, bench.store.value, "w")
        bench.writer.submit(back)
        assert left == [] and bench.store.get(P).tags == () and bench.store.get(P).status == "unread"
        assert bench.history.undoable("w") is None and bench.history.redoable("w") == back
    bench.wait(lambda: len(bench.saved) == 2)
    assert Annotations.open(tmp_path).tags() == {} and History(tmp_path).undoable("w") is None


def test_close_writes_what_waits(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for number in range(50):
        bench.writer.submit(step_of((P, f"tags/{number}", True)))
    assert bench.writer.close(LONG) == []
    assert len(Annotations.open(tmp_path).tags()) == len(bench.saved) == 50
    idle = Bench(tmp_path)
    assert idle.writer.close(LONG) == []
    assert "annotations" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(RuntimeError, match="closed"):
        bench.writer.submit(step_of((P, "starred", True)))


def test_close_returns_what_could_not_be_written(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "append", refusing)
    step = step_of((P, "note", "kept"), (Q, "starred", True))
    bench.writer.submit(step)
    assert [(c.paper, c.field, c.after) for c in bench.writer.close(0.1)] == [
        (P, "note", "kept"),
        (Q, "starred", True),
    ]
    assert bench.store.get(P).note == "kept" and bench.saved == [] and bench.troubles


def test_a_bad_change_is_refused_when_it_is_submitted(bench: Bench) -> None:
    with pytest.raises(ValueError, match="status"):
        bench.writer.submit(step_of((P, "note", "n"), (P, "status", "Read")))
    assert bench.writer.waiting == 0 and not bench.store.items() and bench.history.undoable("w") is None


def test_whatever_goes_wrong_the_thread_lives(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    step = step_of((P, "starred", True))
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", lambda path, data: 1 // 0)
        bench.writer.submit(step)
        bench.wait(lambda: bench.troubles)
    bench.wait(lambda: bench.saved == [step.step])


def test_closing_publishes_and_what_grew_long_is_published_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "LEAST_JOURNAL", 2000)
    bench = Bench(tmp_path)
    for number in range(40):
        bench.writer.submit(step_of((P, "note", f"{number}" * 50)))
        bench.wait(lambda: bench.writer.waiting == 0)
    journal = tmp_path / "annotations.journal"
    assert (tmp_path / "annotations.json").exists() and journal.stat().st_size < 8000
    assert bench.writer.close(LONG) == []
    assert len(journal.read_bytes().splitlines()) == 1 and not bench.store.grown
    tables = json.loads((tmp_path / "annotations.json").read_bytes())
    assert tables["annotations"][str(int(P, 36))]["note"] == "39" * 50
    assert tables["_meta"]["1"]["seq"] == 40


def test_a_publish_that_fails_is_no_trouble_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "LEAST_JOURNAL", 1)
    monkeypatch.setattr(writer, "PUBLISHING", 0.0)
    bench = Bench(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", refusing)
        bench.writer.submit(step_of((P, "note", "kept")))
        bench.wait(lambda: len(bench.saved) == 1)
        bench.writer.submit(step_of((Q, "note", "kept too")))
        bench.wait(lambda: len(bench.saved) == 2)
    assert bench.writer.close(LONG) == [] and bench.troubles == []
    assert b"kept too" in (tmp_path / "annotations.json").read_bytes()


def test_a_change_without_its_line_in_the_history_does_not_disturb_undo(tmp_path: Path) -> None:
    """As after a kill between the two writes."""
    store, history = Annotations.open(tmp_path), History(tmp_path)
    first = step_of((P, "note", "one"), (Q, "starred", True))
    made = store.apply(first.changes)
    history.record(replace(first, changes=tuple(made)))
    store.apply(step_of((P, "note", "two")).changes)
    again = Annotations.open(tmp_path)
    step = History(tmp_path).undoable("w")
    assert step
    back, left = inverse(step, again.value, "w")
    again.apply(back.changes)
    assert (
        [change.field for change in left] == ["note"] and again.get(P).note == "two" and not again.starred()
    )
