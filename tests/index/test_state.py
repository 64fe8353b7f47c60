"""state.json, which several windows write."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from index import files, state


def test_windows_that_write_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    monkeypatch.setattr(state, "PATIENCE", 30.0)
    both = threading.Barrier(2, timeout=10)

    def window(number: int) -> None:
        both.wait()
        for count in range(20):
            state.put_first(path, "queries", f"{number}/{count}", 200)
            state.save(path, **{f"paper{number}": count})

    threads = [threading.Thread(target=window, args=[number]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = state.load(path)
    assert (known["paper0"], known["paper1"]) == (19, 19)
    for number in range(2):
        own = [text for text in known["queries"] if text.startswith(f"{number}/")]
        assert own == [f"{number}/{count}" for count in reversed(range(20))]


@pytest.mark.parametrize("held", [None, 7, {"a": 1}, "text", ["b", "a", 3, "c"]])
def test_a_text_comes_first_and_but_once(tmp_path: Path, held: object) -> None:
    path = tmp_path / "state.json"
    state.save(path, queries=held, paper="p")
    state.put_first(path, "queries", "a", 3)
    assert state.load(path)["queries"] == (["a", "b", 3] if isinstance(held, list) else ["a"])
    assert state.load(path)["paper"] == "p"


def test_where_nothing_can_be_written_nothing_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "none" / "state.json"
    state.put_first(path, "queries", "a", 3)
    state.save(path, paper="p")
    assert state.load(path) == {}
    monkeypatch.setattr(state, "PATIENCE", 0.05)
    (tmp_path / "here").mkdir()
    with files.alone(tmp_path / "here" / "state.lock"):
        state.put_first(tmp_path / "here" / "state.json", "queries", "a", 3)
    assert state.load(tmp_path / "here" / "state.json") == {}
