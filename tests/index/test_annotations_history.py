"""Steps on disk, and undo and redo: which step is next, and what taking it back does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from index.annotations import Annotations, History, Step, inverse, new_step
from index.papers import Change, Value, now, paper_id

P, Q = paper_id("doi:10.1/p"), paper_id("doi:10.1/q")


def step_of(origin: str, *changes: tuple[str, str, Value], what: str = "a step") -> Step:
    id, when = new_step(), now()
    made = tuple(Change(id, origin, paper, field, None, after, when) for paper, field, after in changes)
    return Step(id, origin, what, when, made)


def do(store: Annotations, history: History, step: Step) -> Step:
    """Write a step as the writer does; returns it as it was made."""
    made: list[Change] = store.apply(step.changes)
    done = Step(step.step, step.origin, step.what, step.when, tuple(made), step.undoes, step.redoes)
    history.record(done)
    return done


def undo(store: Annotations, history: History, origin: str) -> list[Change]:
    step = history.undoable(origin)
    assert step
    back, left = inverse(step, store.value, origin)
    do(store, history, back)
    return left


def redo(store: Annotations, history: History, origin: str) -> None:
    step = history.redoable(origin)
    assert step
    do(store, history, inverse(step, store.value, origin)[0])


def test_undo_undo_redo_redo_across_restarts(tmp_path: Path) -> None:
    store = Annotations.open(tmp_path)
    for note in ("one", "two", "three"):
        do(store, History(tmp_path), step_of("w", (P, "note", note)))
    undo(store, History(tmp_path), "w")
    undo(store, History(tmp_path), "w")
    assert store.get(P).note == "one"
    redo(store, History(tmp_path), "w")
    assert store.get(P).note == "two"
    undo(store, History(tmp_path), "later window")
    assert store.get(P).note == "one"
    redo(store, History(tmp_path), "later window")
    redo(store, History(tmp_path), "w")
    assert store.get(P).note == "three" and History(tmp_path).redoable("w") is None
    for _ in range(3):
        undo(store, History(tmp_path), "third window")
    assert store.get(P).note == "" and History(tmp_path).undoable("third window") is None
    redo(store, History(tmp_path), "third window")
    assert store.get(P).note == "one"
    do(store, History(tmp_path), step_of("w", (Q, "starred", True)))
    assert History(tmp_path).redoable("w") is None and History(tmp_path).redoable(None) is None
    assert History(tmp_path).redoable("third window"), "its own go on until it makes a change itself"


def test_a_window_undoes_its_own_step_first(tmp_path: Path) -> None:
    store, history = Annotations.open(tmp_path), History(tmp_path)
    mine = do(store, history, step_of("mine", (P, "note", "m")))
    theirs = do(store, history, step_of("theirs", (Q, "note", "t")))
    assert history.undoable("mine") == mine
    assert history.undoable(None) == history.undoable("nobody") == theirs
    undo(store, history, "mine")
    assert (store.get(P).note, store.get(Q).note) == ("", "t")
    assert history.undoable("mine") == theirs
    assert history.redoable("theirs") == history.redoable("mine")


def test_undo_is_exact(tmp_path: Path) -> None:
    store, history = Annotations.open(tmp_path), History(tmp_path)
    do(store, history, step_of("w", (P, "tags/moe", True), (P, "status", "later"), (P, "note", "old")))
    before = store.get(P)
    bulk = step_of("w", (P, "tags/moe", True), (Q, "tags/moe", True), (P, "note", "a"), (P, "note", "b"))
    do(store, history, bulk)
    assert store.tagged("moe") == {P, Q} and store.get(P).note == "b"
    assert undo(store, history, "w") == []
    after = store.get(P)
    assert (after.tags, after.status, after.note, store.get(Q).tags) == (("moe",), "later", "old", ())
    assert after.times["note"] > before.times["note"], "the times are those of the undo"


def test_what_changed_since_is_left_alone_and_named(tmp_path: Path) -> None:
    store, history = Annotations.open(tmp_path), History(tmp_path)
    do(store, history, step_of("w", (P, "note", "mine"), (P, "rating", 3), (Q, "rating", 3)))
    do(store, history, step_of("other", (P, "note", "theirs")))
    left = undo(store, history, "w")
    assert [(c.paper, c.field, c.after) for c in left] == [(P, "note", "mine")]
    assert (store.get(P).note, store.get(P).rating, store.get(Q).rating) == ("theirs", None, None)
    redo(store, history, "w")
    assert (store.get(P).note, store.get(P).rating, store.get(Q).rating) == ("theirs", 3, 3)


def test_a_step_of_which_nothing_can_be_taken_back_is_not_in_the_way(tmp_path: Path) -> None:
    store, history = Annotations.open(tmp_path), History(tmp_path)
    first = do(store, history, step_of("w", (Q, "starred", True)))
    do(store, history, step_of("w", (P, "note", "mine")))
    do(store, history, step_of("other", (P, "note", "theirs")))
    assert len(undo(store, history, "w")) == 1
    assert history.undoable("w") == first


def test_changes_of_another_hand_are_left_alone(tmp_path: Path) -> None:
    store, history = Annotations.open(tmp_path), History(tmp_path)
    store.apply(step_of("w", (P, "status", "read")).changes)
    odd: list[tuple[str, str, Value, Value]] = [(P, "mood", "low", "good"), ("../x", "note", "a", "")]
    odd += [(P, "status", "Read", "read"), (P, "tags/", 1, 2)]
    step = Step("9", "w", "odd", now(), tuple(Change("9", "w", p, f, b, a, now()) for p, f, b, a in odd))
    history.record(step)
    assert len(undo(store, history, "w")) == 4 and store.get(P).status == "read"
    (tmp_path / "history.jsonl").write_bytes(step.to_line().replace(b'"undoes": null', b'"undoes": ["x"]'))
    assert history.undoable("w") is None


def test_a_step_counts_before_it_is_written(tmp_path: Path) -> None:
    history = History(tmp_path)
    step = step_of("w", (P, "note", "n"))
    history.expect(step)
    assert history.undoable("w") == step and history.steps(9) == [step]
    history.record(step)
    assert History(tmp_path).steps(9) == history.steps(9) == [step]
    history.expect(second := step_of("w", (P, "note", "m")))
    history.forget([second])
    assert history.undoable("w") == step
    other = step_of("other", (P, "note", "o"))
    History(tmp_path).record(other)
    assert history.steps(9) == [other, step]
    history.expect(other)  # written a moment ago, and still said to wait
    assert history.steps(9) == [other, step]


def test_a_torn_or_damaged_line_takes_nothing_with_it(tmp_path: Path) -> None:
    path, history = tmp_path / "history.jsonl", History(tmp_path)
    first, second, third = (step_of("w", (P, "note", note), what=note) for note in ("one", "two", "three"))
    history.record(first)
    whole = path.stat().st_size
    history.record(second)
    data = path.read_bytes()
    for cut in range(whole + 1, len(data) + 1):
        path.write_bytes(data[:cut])
        history.record(third)
        names = [step.what for step in history.steps(9)]
        assert names == (["three", "two", "one"] if cut >= len(data) - 1 else ["three", "one"]), cut
    path.write_bytes(b'\xff\n{"step": 1}\n[]\n\n' + data[: whole // 2] + b"\x00" + data[whole // 2 :])
    assert [step.what for step in history.steps(9)] == ["two"]


def test_long_lines_are_read_from_the_end(tmp_path: Path) -> None:
    history = History(tmp_path)
    written = [
        step_of("w", (P, "note", str(i) * size)) for i, size in enumerate((10, 200_000, 65_535, 3, 70_000))
    ]
    history.record(*written)
    assert history.steps(9) == written[::-1] and history.steps(2) == written[:2:-1]


def test_hostile_text_stays_on_its_line(tmp_path: Path) -> None:
    history = History(tmp_path)
    step = step_of("w\n", (P, "note", '\ud800\n"}], "changes": ['), what='", "undoes": "x\n\u2028')
    history.record(step)
    assert history.steps(9) == [step] and len((tmp_path / "history.jsonl").read_bytes().splitlines()) == 1


def test_new_steps_sort_by_time_and_differ() -> None:
    ids = [new_step() for _ in range(2000)]
    assert len(set(ids)) == 2000 and [id[:13] for id in ids] == sorted(id[:13] for id in ids)


class Stacks:
    """Undo and redo as two stacks, replayed from the beginning: what History tells from the end."""

    def __init__(self, view: str | None) -> None:
        self.view, self.done, self.undone = view, list[str](), list[str]()

    def see(self, step: Step) -> None:
        mine = self.view in (None, step.origin)
        if step.undoes in self.done:
            self.done.remove(step.undoes)
        if step.redoes in self.undone:
            self.undone.remove(step.redoes)
        if mine and step.undoes:
            self.undone.append(step.step)
        elif mine:
            self.done.append(step.step)
            if not step.redoes:
                self.undone.clear()


ACTIONS = st.lists(
    st.tuples(st.sampled_from(("do", "undo", "undo", "redo")), st.sampled_from("ab")), max_size=25
)


@settings(max_examples=60, deadline=None)
@given(ACTIONS)
def test_undo_and_redo_are_two_stacks(actions: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        history = History(Path(folder))
        stacks: Mapping[str | None, Stacks] = {view: Stacks(view) for view in (None, "a", "b", "c")}
        for action, origin in actions:
            step: Step | None = step_of(origin)
            if action != "do":
                found = history.undoable(origin) if action == "undo" else history.redoable(origin)
                step = inverse(found, Annotations(Path(folder)).value, origin)[0] if found else None
            if step:
                history.expect(step)  # not on disk: the disk is for the other tests
                for stack in stacks.values():
                    stack.see(step)
            for view, stack in stacks.items():
                undoable, redoable = history.undoable(view), history.redoable(view)
                done, undone = stack.done or stacks[None].done, stack.undone or stacks[None].undone
                assert (undoable.step if undoable else None) == (done[-1] if done else None)
                assert (redoable.step if redoable else None) == (undone[-1] if undone else None)
