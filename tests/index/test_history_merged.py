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
