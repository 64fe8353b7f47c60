"""The search worker answers from as much as is indexed, and again when there is more."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message

from index import indexing
from index.finding import Found
from index.library import Library
from tests.index.helpers import abstract, list_file
from tui.messages import Answered, Prepared, Preparing
from tui.searcher import Searcher


def test_a_growing_index_is_searched_and_the_answer_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "LOT", 4)
    library = Library(tmp_path / "library", fill=False)
    library.add([str(list_file(tmp_path / "l.txt", [abstract(number) for number in range(10)]))])
    told: queue.Queue[Message] = queue.Queue()

    def until_answered(count: int) -> None:
        while True:
            message = told.get(timeout=20)
            if isinstance(message, Answered) and len(message.found.ids) == count:
                assert message.ticket == ticket
                return

    def build(folder: Path, progress: Callable[[int, int], None], grown: Callable[[], None]) -> None:
        def grown_and_seen() -> None:
            grown()
            lots.append(len(lots))
            until_answered((4, 8, 10)[lots[-1]])

        progress(1, 10)
        indexing.bring_up(library._shelf, progress, grown_and_seen)[0].close()
        built.set()

    lots: list[int] = []
    built = threading.Event()
    monkeypatch.setattr(indexing, "build_in_child", build)
    searcher = Searcher(library, told.put)
    ticket = searcher.ask("case", typing=False, sort=None)
    searcher.start()
    assert built.wait(30)  # until then the messages are taken there
    while not isinstance(message := told.get(timeout=20), Prepared):
        assert isinstance(message, Answered | Preparing)
    assert message.trouble is None
    assert lots == [0, 1, 2]
    searcher.close()
    library.close()


def test_a_letter_asks_no_thread_where_the_index_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path / "library", fill=False)
    library.add([str(list_file(tmp_path / "l.txt", [abstract(number) for number in range(3)]))])
    told: queue.Queue[Message] = queue.Queue()
    begun = 0

    def build() -> None:
        nonlocal begun
        begun += 1
        in_its_place()

    searcher = Searcher(library, told.put)
    in_its_place = searcher._build
    monkeypatch.setattr(searcher, "_build", build)
    searcher.start()
    for text in ("c", "ca", "cas"):
        ticket = searcher.ask(text, typing=True, sort=None)
        while not (isinstance(message := told.get(timeout=20), Answered) and message.ticket == ticket):
            pass
    assert begun == 1, "not one for each letter"
    searcher.close()
    library.close()


def test_an_answer_is_given_to_who_waits_for_it_or_told_but_never_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path / "library", fill=False)
    library.add([str(list_file(tmp_path / "l.txt", [abstract(number) for number in range(3)]))])
    library.prepare()
    told: queue.Queue[Message] = queue.Queue()
    held = threading.Event()
    find = library.find

    def hold(text: str, **more: Any) -> Found:
        held.wait(20)
        return find(text, **more)

    monkeypatch.setattr(library, "find", hold)
    searcher = Searcher(library, told.put)
    searcher.start()
    late = searcher.ask("case", typing=True, sort=None)
    assert searcher.answer(late, 0.01) is None
    held.set()
    message = told.get(timeout=20)
    assert isinstance(message, Answered)
    assert (message.ticket, len(message.found.ids)) == (late, 3)
    held.clear()
    ticket = searcher.ask("cases", typing=True, sort=None)
    threading.Timer(0.05, held.set).start()
    found = searcher.answer(ticket, 20)
    assert found is not None
    assert found.query.text == "cases"
    searcher.close()
    assert told.empty()
    library.close()
