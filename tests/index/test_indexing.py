"""The index follows the shelf: added to, built anew where it does not fit, built in a child process."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from index import files, indexing, query
from index.fulltext import Engine
from index.shelf import Shelf
from tests.index.helpers import WHEN, records, shelf_in


def ids_for(shelf: Shelf, word: str) -> set[str]:
    engine, _ = indexing.bring_up(shelf, lambda _done, _all: None)
    try:
        return {hit.id for hit in engine.search(query.parse(word).tree)}
    finally:
        engine.close()


def test_an_addition_goes_into_the_standing_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(20)), "f", WHEN)
    told: list[tuple[int, int]] = []
    engine, _ = indexing.bring_up(shelf, lambda *done: told.append(done))
    engine.close()
    assert told == [(number, 20) for number in range(1, 21)]
    assert indexing.stands(shelf)
    shelf.add([*records([50]), replace(records([3])[0], title="Wombats", position=9)], "g", WHEN)
    assert not indexing.stands(shelf)
    monkeypatch.setattr(Engine, "build", None)
    assert ids_for(shelf, "Method50") == {shelf.ids[20]}
    assert ids_for(shelf, "title:wombats") == {shelf.ids[3]}
    assert ids_for(shelf, "Method3") == {shelf.ids[3]}
    assert ids_for(Shelf(shelf.layout), "") == set(shelf.ids)


def test_a_large_addition_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "f", WHEN)
    assert len(ids_for(shelf, "")) == 5
    shelf.add(records(range(5, 15)), "g", WHEN)
    monkeypatch.setattr(Engine, "update", None)
    assert ids_for(shelf, "") == set(shelf.ids)


@pytest.mark.parametrize("way", ["deleted", "corrupted", "emptied", "swapped papers"])
def test_an_index_that_does_not_fit_is_built_anew(tmp_path: Path, way: str) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(8)), "f", WHEN)
    assert len(ids_for(shelf, "")) == 8
    for path in [path for path in shelf.layout.fulltext.rglob("*") if path.is_file()]:
        if way == "deleted":
            path.unlink()
        elif way == "corrupted":
            path.write_bytes(bytes(byte ^ 0x55 for byte in path.read_bytes()))
        elif way == "emptied":
            path.write_bytes(b"")
    if way == "swapped papers":
        path = shelf.layout.papers
        files.replace(path, [path.read_bytes().replace(b"Method2", b"Wombat2")])
        assert shelf.refresh()
        assert ids_for(shelf, "Wombat2") == {shelf.ids[2]}
    assert not ids_for(shelf, "nothing-like-it")
    assert ids_for(shelf, "") == set(shelf.ids)
    assert indexing.stands(Shelf(shelf.layout))


def test_an_empty_library_has_an_empty_index(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    assert ids_for(shelf, "") == ids_for(shelf, "word") == set()


def test_the_index_is_built_in_a_child_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "index").mkdir(parents=True)
    for name in ("__init__.py", "indexing.py", "shelf.py"):
        (elsewhere / "index" / name).write_text("raise SystemExit('the wrong package')\n")
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("PYTHONPATH", str(elsewhere))
    shelf = shelf_in(tmp_path / "library")
    shelf.add(records(range(3)), "f", WHEN)
    told: list[tuple[int, int]] = []
    assert indexing.build_in_child(tmp_path / "library", lambda *done: told.append(done)) is None
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert indexing.stands(shelf)


def test_a_child_that_fails_says_why_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(3)), "f", WHEN)
    shelf.layout.index_lock.mkdir()
    trouble = indexing.build_in_child(tmp_path, lambda _done, _all: None)
    assert trouble
    assert "index.lock" in trouble
    assert "\n" not in trouble
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert indexing.build_in_child(tmp_path, lambda _done, _all: None) == "it stopped"


def test_a_child_finds_what_its_parent_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text(f"open({str(tmp_path / 'seen')!r}, 'w')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    shelf = shelf_in(tmp_path / "library")
    shelf.add(records(range(2)), "f", WHEN)
    assert indexing.build_in_child(tmp_path / "library", lambda _done, _all: None) is None
    assert (tmp_path / "seen").exists()
