"""The history of two machines in one file: each step once, the latest by time, one's own first."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from index.annotations import History, Step
from index.papers import Change, paper_id

P = paper_id("doi:10.1/p")
NUMBERS = count()


def step(minute: int, origin: str, undoes: str | None = None, redoes: str | None = None) -> Step:
    id, when = f"{next(NUMBERS):013x}", f"2026-11-30T08:{minute:02}:00.000Z"
    change = Change(id, origin, P, "note", "", id, when)
    return Step(id, origin, f"at {minute}", when, (change,), undoes, redoes)


def history_of(folder: Path, *steps: Step) -> History:
    (folder / "history.jsonl").write_bytes(b"".join(one.to_line() for one in steps))
    return History(folder)


@settings(deadline=None)
@given(st.lists(st.sampled_from(("here", "there")), max_size=12), st.randoms(use_true_random=False))
def test_two_blocks_are_read_as_one_by_time(turns: list[str], chance: random.Random) -> None:
    made = [step(minute, turn) for minute, turn in enumerate(turns)]
    blocks = [[one for one in made if one.origin == turn] for turn in ("here", "there")]
    chance.shuffle(blocks)
    doubled = chance.sample(made, len(made) // 2)
    with TemporaryDirectory() as folder:
        history = history_of(Path(folder), *blocks[0], *blocks[1], *doubled)
        assert history.steps(99) == made[::-1]
        assert history.undoable("new") == history.undoable(None) == (made[-1] if made else None)
        assert all(history.undoable(block[0].origin) in block for block in blocks if block)


def test_what_was_undone_on_either_machine_is_undone(tmp_path: Path) -> None:
    first, second = step(1, "here"), step(2, "there")
    back = step(3, "there", undoes=second.step)
    history = history_of(tmp_path, first, second, back, second)
    assert history.undoable("new") == first and history.redoable("new") == back
    again = step(4, "there", redoes=back.step)
    history = history_of(tmp_path, second, back, again, first)
    assert history.undoable("new") == again and history.redoable("new") is None


def test_a_clock_that_was_put_back_confuses_no_undo(tmp_path: Path) -> None:
    first, second = step(10, "here"), step(20, "here")
    back = step(5, "here", undoes=second.step)
    history = history_of(tmp_path, first, second, back)
    assert history.steps(9) == [back, second, first]
    assert history.undoable("new") == history.undoable("here") == first
    assert history.redoable("new") == back


def test_what_is_made_here_last_is_the_last_whatever_other_clocks_said(tmp_path: Path) -> None:
    ahead = [step(50, "there"), step(55, "there")]
    history = history_of(tmp_path, *ahead)
    made = [step(1, "here"), step(2, "here"), step(58, "here")]
    for one in made:
        history.record(one)
    for fresh in (History(tmp_path), history):
        assert [one.step for one in fresh.steps(9)] == [one.step for one in (*made[::-1], *ahead[::-1])]
        last = fresh.undoable("command")
        assert last and (last.step, last.changes) == (made[2].step, made[2].changes)
    assert [one.when for one in history.steps(3)] == [
        made[2].when, "2026-11-30T08:55:00.002Z", "2026-11-30T08:55:00.001Z",
    ]  # fmt: skip
    assert [one.changes for one in history.steps(3)] == [one.changes for one in made[::-1]], "as they were"


def test_a_step_that_came_from_elsewhere_meanwhile_is_seen_too(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.record(step(1, "here"))
    later = step(30, "there")
    for _ in range(2):
        path = tmp_path / "history.jsonl"
        path.write_bytes(path.read_bytes() + later.to_line())  # in place
        history.record(made := step(2, "here"))
        latest = history.undoable(None)
        assert latest and latest.step == made.step and latest.when > later.when
        later = step(40, "there")
    swapped = tmp_path / "swapped"
    swapped.write_bytes(step(50, "there").to_line() + path.read_bytes())
    swapped.replace(path)
    history.record(made := step(3, "here"))
    latest = history.undoable(None)
    assert latest and latest.step == made.step


def test_a_time_that_is_none_is_no_measure(tmp_path: Path) -> None:
    line = step(1, "there").to_line().replace(b"2026-11-30T08:01:00.000Z", b"zzz")
    (tmp_path / "history.jsonl").write_bytes(line)
    history = History(tmp_path)
    history.record(step(2, "here"))
    assert [one.when for one in history.steps(2) if one.origin == "here"] == ["2026-11-30T08:02:00.000Z"]
