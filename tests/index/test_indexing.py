"""The index follows the shelf: added to, built anew where it does not fit, built in a child process."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from index import files, indexing, query
from index.clean import clean
from index.fulltext import Engine
from index.papers import Record
from index.paths import Layout
from index.shelf import Shelf
from tests.index.helpers import SHARED, WHEN, records, shelf_in

ROOT = Path(__file__).parents[2]
CORPUS = SHARED / "corpora" / "abstracts-10k.jsonl.xz"


def ids_for(shelf: Shelf, word: str) -> set[str]:
    engine, _ = indexing.bring_up(shelf, lambda _done, _all: None)
    try:
        return set(engine.search(query.parse(word).tree))
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


def test_an_index_that_is_behind_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "f", WHEN)
    assert len(ids_for(shelf, "")) == 5
    shelf.add(records([7]), "g", WHEN)
    opened = Engine.open
    times: list[Path] = []

    def opening(folder: Path) -> Engine:
        times.append(folder)
        return opened(folder)

    monkeypatch.setattr(Engine, "open", opening)
    assert len(ids_for(shelf, "")) == 6
    assert len(times) == 1


def test_a_large_addition_goes_into_the_standing_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "f", WHEN)
    assert len(ids_for(shelf, "")) == 5
    shelf.add(records(range(5, 25)), "g", WHEN)
    monkeypatch.setattr(Engine, "build", None)
    assert ids_for(shelf, "") == set(shelf.ids)


def test_a_build_is_searched_lot_by_lot_and_stopped_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "LOT", 4)
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(10)), "f", WHEN)
    seen: list[set[str]] = []

    def grown() -> None:
        engine = indexing.so_far(shelf)
        assert engine
        seen.append(set(engine.search(query.parse("").tree)))
        engine.close()
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        indexing.bring_up(shelf, lambda _done, _all: None, grown)
    assert seen == [set(shelf.ids[:4]), set(shelf.ids[:8])]
    assert not indexing.stands(shelf)
    more = [*records([50]), replace(records([3])[0], title="Wombats", position=9)]
    shelf.add(more, "g", WHEN)  # meanwhile one has come and one has changed
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(Engine, "build", None)
    engine, _ = indexing.bring_up(shelf, lambda *done: told.append(done))
    engine.close()
    assert told == [(8, 11), (9, 11), (10, 11), (11, 11)]
    assert ids_for(shelf, "title:wombats") == {shelf.ids[3]}
    assert ids_for(shelf, "") == set(shelf.ids)


@pytest.mark.parametrize("killings", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_a_killed_build_goes_on_and_ends_as_a_clean_one(tmp_path: Path, killings: int) -> None:
    shelf = shelf_in(tmp_path / "killed")
    shelf.add(records(range(200)), "f", WHEN)
    shutil.copytree(tmp_path / "killed", tmp_path / "clean")
    program = (
        "import sys; from pathlib import Path; from index import indexing\n"
        "indexing.LOT = 20; sys.argv = sys.argv[:2]; indexing.main()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "killed")]
    chance, reached = Random(killings), 0
    for _ in range(killings):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout
            for _ in range(chance.randrange(1, 30)):
                child.stdout.readline()
            time.sleep(chance.random() * 0.01)
            child.kill()
        engine = indexing.so_far(shelf)
        if engine:
            assert reached <= len(engine) <= 200
            reached = len(engine)
            assert set(engine.search(query.parse("").tree)) == set(shelf.ids[:reached])
            if reached == 200:  # from the beginning again
                assert indexing.stands(shelf)
                reached = 0
                shutil.rmtree(shelf.layout.fulltext)
            engine.close()
        else:
            assert not reached
    clean = Shelf(Layout(tmp_path / "clean"))
    for asked in ("", "routing", "Method17", "halves the cost", "vision speech", "benchm*"):
        assert ids_for(shelf, asked) == ids_for(clean, asked)
    names = {path.name.split(".")[0] for path in shelf.layout.fulltext.iterdir()} - {"MAIN_WRITELOCK"}
    assert len(names) <= 12, "what the killed ones left is cleared"


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not there")
def test_ten_thousand_papers_whose_build_is_killed_answer_as_if_it_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = shelf_in(tmp_path / "killed")
    with lzma.open(CORPUS, "rt", encoding="utf-8") as lines:
        told = list(map(json.loads, lines))
    shelf.add(
        (Record(n, clean(one["abstract"]), title=one["title"]) for n, one in enumerate(told, 1)), "f", WHEN
    )
    shutil.copytree(tmp_path / "killed", tmp_path / "clean")
    program = "import sys; from index import indexing; indexing.LOT = 1500; indexing.main()"
    command = [sys.executable, "-c", program, str(tmp_path / "killed")]
    whole, begun = [], []
    for until in (700, 1400, 2000, 2900, 3100, 8000, 9900):  # more are done than the last one left
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            counts = (int(line.partition("/")[0]) for line in child.stdout if "/" in line)
            begun.append(next(counts))
            next((count for count in counts if count >= until), None)
            child.kill()
        engine = indexing.so_far(shelf)
        whole.append(len(engine) if engine else 0)
        if engine:
            engine.close()
    assert whole == [0, 0, 1500, 1500, 3000, 7500, 9000]
    assert begun == [1, 1, 1, 1501, 1501, 3001, 7501]
    killed, _ = indexing.bring_up(shelf, lambda _done, _all: None)
    clean_shelf = Shelf(Layout(tmp_path / "clean"))
    monkeypatch.setattr(indexing, "LOT", 1500)
    clean_engine, _ = indexing.bring_up(clean_shelf, lambda _done, _all: None)
    for asked in (
        "",
        "attention",
        "graph neural",
        '"we propose"',
        "tra*",
        "title:learning",
        "-model",
        "qantum~",
    ):
        tree = query.parse(asked).tree
        assert killed.search(tree) == pytest.approx(clean_engine.search(tree)), asked
    assert [one.id for one in killed.related(shelf.ids[7])] == [
        one.id for one in clean_engine.related(shelf.ids[7])
    ]
    killed.close()
    clean_engine.close()


def test_no_build_is_begun_without_room_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "f", WHEN)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=999))
    with pytest.raises(OSError, match=r"it needs 1 MB in .*, where 1 MB are free"):
        indexing.bring_up(shelf, lambda _done, _all: None)
    monkeypatch.undo()
    assert ids_for(shelf, "") == set(shelf.ids)


@pytest.mark.skipif(os.name == "nt", reason="there is no such limit")
def test_a_disk_that_fills_up_leaves_what_was_whole(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(300)), "f", WHEN)
    program = (
        "import resource, sys; from index import indexing; indexing.LOT = 2\n"
        "def grown(*_):\n"
        "    indexing.LOT = 298; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "from index.paths import Layout; from index.shelf import Shelf; from pathlib import Path\n"
        "try:\n"
        "    shelf = Shelf(Layout(Path(sys.argv[1])))\n"
        "    Shelf.see_room = grown if len(sys.argv) > 2 else Shelf.see_room\n"
        "    indexing.bring_up(shelf, lambda *_: None, lambda: sys.exit(0) if len(sys.argv) == 2 else None)\n"
        "except OSError as error: sys.exit(error.strerror)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    files_before = {path.name for path in shelf.layout.fulltext.iterdir()}
    done = subprocess.run([*command, "full"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == "File too large"
    assert {path.name for path in shelf.layout.fulltext.iterdir()} == files_before
    engine = indexing.so_far(shelf)
    assert engine
    assert len(engine) == 2
    engine.close()
    assert ids_for(shelf, "") == set(shelf.ids)


def test_one_builds_and_another_waits_and_tells_how_far_it_is(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(4)), "f", WHEN)
    files.make_folder(shelf.layout.index)
    Engine.build(shelf.layout.fulltext, shelf.papers(shelf.ids[:3]), stamp={**shelf.stamp, "indexed": 3})
    told: list[tuple[int, int]] = []
    waited = threading.Event()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        waited.set()

    with ThreadPoolExecutor(1) as pool:
        with files.alone(shelf.layout.index_lock):
            other = pool.submit(indexing.bring_up, shelf, progress)
            assert waited.wait(20)
        engine, _ = other.result(20)
    assert told[0] == (3, 4)
    assert told[-1] == (4, 4)
    assert len(engine) == 4
    engine.close()


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
