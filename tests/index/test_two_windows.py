"""Two windows and the command line on one library: each sees what the others did, and none of it is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from index.annotations import Step
from index.library import Library
from index.papers import Value
from tests.index.helpers import abstract, list_file
from tests.index.reader_model import PLAIN, Place
from tests.index.window import Window, finish, run_command, start_command

PAPERS = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    library = Library(tmp_path / "library", fill=False)
    library.add([str(list_file(tmp_path / "list.txt", [abstract(number) for number in range(PAPERS)]))])
    library.close()
    return tmp_path / "library"


@pytest.fixture
def papers(folder: Path) -> list[str]:
    library = Library(folder, fill=False)
    library.close()
    return list(library.ids)


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., Window]]:
    """Opens a window, which is killed in the end if it has not quit."""
    windows: list[Window] = []

    def open(every: float) -> Window:
        windows.append(Window(folder, every))
        return windows[-1]

    yield open
    for window in windows:
        window.kill()


def test_what_is_saved_is_seen_at_the_next_look(
    folder: Path, papers: list[str], opened: Callable[..., Window]
) -> None:
    """The reader looks every half second, so that is when it sees it."""
    one, two = windows = [opened(every=0), opened(every=0)]
    paper, other, *_ = papers
    both, places = sorted((paper, other)), [(paper, "status"), (paper, "note"), (other, "tags/seen")]
    for here, there, value in ((one, two, "later"), (two, one, "read")) * 3:
        here.send({"edit": [(paper, "status", value), (other, "tags/seen", value == "later")]})
        here.settle()
        assert there.ask("look") == both
        assert there.ask("hold", places) == [value, "", value == "later"]
        assert (here.ask("look"), there.ask("look")) == ([], [])
    run_command(folder, ["mark", paper, "--status", "skipped", "--append-note", "from outside"])
    for window in windows:
        assert window.ask("look") == [paper]
        assert window.ask("hold", places) == ["skipped", "from outside", False]
    two.send({"undo": None})
    two.settle()
    assert one.ask("look") == [other], "what the command changed since is left alone"
    run_command(folder, ["undo"])
    assert (one.ask("look"), two.ask("look")) == ([paper], [paper])
    assert one.ask("hold", places) == ["read", "", True]
    shown = [window.ask("show", papers) for window in windows]
    assert shown[0] == shown[1]
    for window in windows:
        window.quit()


def test_a_change_is_made_on_what_another_window_saved(
    papers: list[str], opened: Callable[..., Window]
) -> None:
    one, two = opened(every=0), opened(every=0)
    paper = papers[0]
    one.send({"edit": [(paper, "note", "mine"), (paper, "tags/one", True)]})
    one.settle()
    two.send({"edit": [(paper, "rating", 4), (paper, "tags/two", True)]})  # it has not seen the note
    two.settle()
    places = [(paper, name) for name in ("note", "rating", "tags/one", "tags/two")]
    one.ask("look")
    for window in (one, two):
        assert window.ask("hold", places) == ["mine", 4, True, True]
        window.quit()


@pytest.mark.parametrize("count", [150, pytest.param(1000, marks=pytest.mark.slow)])
def test_two_windows_and_commands_lose_nothing(
    folder: Path, papers: list[str], opened: Callable[..., Window], count: int
) -> None:
    windows = {name: opened(every=0.05) for name in "ab"}
    told = list(batches(papers, count))
    for number, commands in enumerate(told):
        running = start_command(folder, ["mark", *papers, "--tag", f"c/{number}"])
        for name, window in windows.items():
            window.send(*commands[name])
        finish(running)
    for window in windows.values():
        window.settle()
    wanted = one_after_another(folder, 2 * count + len(told))
    for window in windows.values():
        window.see(wanted)
    shown = [window.ask("show", papers) for window in windows.values()]
    for window in windows.values():
        window.quit()
    library = Library(folder, fill=False)
    assert shown == [{paper: library.json(paper) for paper in papers}] * 2
    library.close()
    for place, paper in enumerate(papers):
        tags = [f"{name}/{number}" for name in windows for number in range(place, count, PAPERS)]
        assert shown[0][paper]["tags"] == sorted([*tags, *(f"c/{number}" for number in range(len(told)))])


def batches(papers: list[str], count: int) -> Iterator[dict[str, list[dict[str, Any]]]]:
    """What each window is told, fifty steps at a time: a tag of its own, and a note that both write.

    After every third step it waits until that is on disk, so that it also writes alone.
    """
    for start in range(0, count, 50):
        told: dict[str, list[dict[str, Any]]] = {"a": [], "b": []}
        for number in range(start, min(count, start + 50)):
            for name, commands in told.items():
                paper, shared = papers[number % len(papers)], papers[number // 5 % 2]
                edits = [(paper, f"tags/{name}/{number}", True), (shared, "note", f"{name} {number}")]
                commands.append({"edit": edits})
                if number % 3 == 2:
                    commands.append({"wait": None})
        yield told


def one_after_another(folder: Path, count: int) -> dict[Place, Value]:
    """The values that the history leads to, if it holds `count` steps of which each one began with
    what the ones before it left: then no step was made on what somebody else had changed meanwhile."""
    lines = (folder / "history.jsonl").read_bytes().splitlines()  # as they were written, not by time
    steps = [step for line in lines if (step := Step.from_line(line))]
    assert len(lines) == len({step.step for step in steps}) == count
    held: dict[Place, Value] = {}
    for change in (change for step in steps for change in step.changes):
        place = change.paper, change.field
        assert change.before == held.get(place, PLAIN.get(change.field, False)), place
        held[place] = change.after
    return held
