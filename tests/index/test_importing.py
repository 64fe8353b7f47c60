"""Imports: what is reported of each file, and one bad file never stops the rest."""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from index import importing, indexing, readers
from index.paths import Layout
from index.seed_lists import seed_lists
from index.shelf import Shelf
from tests.index.helpers import SEEDS, abstract, list_file, shelf_in


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelf_in(tmp_path / "library")


def test_the_shipped_lists_are_found() -> None:
    assert [path.read_bytes() for path in seed_lists()] == [path.read_bytes() for path in SEEDS]


def test_a_report_counts_every_record(shelf: Shelf, tmp_path: Path) -> None:
    path = list_file(tmp_path / "list.txt", [abstract(1), "\u202e", abstract(2), abstract(1)])
    (report,) = importing.add(shelf, [str(path)])
    assert (report.path, report.format, report.error) == (str(path), "daily-text", None)
    assert (report.records, report.new, report.merged, report.unchanged) == (4, 2, 1, 0)
    assert [(one.position, one.reason) for one in report.skipped] == [(2, "nothing but control characters")]
    (report,) = importing.add(shelf, [str(path)])
    assert (report.records, report.new, report.merged, report.unchanged) == (4, 0, 0, 3)


def test_one_import_is_of_one_moment_and_tells_its_progress(shelf: Shelf, tmp_path: Path) -> None:
    paths = [list_file(tmp_path / name, [abstract(n), abstract(n + 1)]) for n, name in ((1, "a"), (5, "b"))]
    told: list[tuple[str, int, float | None]] = []
    importing.add(shelf, map(str, paths), progress=lambda *what: told.append(what))
    assert told == [("a", 1, 1.0), ("a", 2, 1.0), ("b", 1, 1.0), ("b", 2, 1.0)]
    assert len({source.added for paper in shelf.papers() for source in paper.sources}) == 1


def test_progress_tells_the_share_that_is_read(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = list_file(tmp_path / "a", [abstract(number) for number in range(2000)])
    shares: list[float | None] = []
    importing.add(shelf, [str(path)], progress=lambda _file, _records, share: shares.append(share))
    assert all(share is not None for share in shares)
    assert shares == sorted(shares)  # type: ignore[type-var]
    assert [shares[number] for number in (500, 1000, 1999)] == pytest.approx([0.25, 0.5, 1.0], abs=0.15)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(path.read_bytes())))
    importing.add(shelf, ["-"], progress=lambda _file, _records, share: shares.append(share))
    assert shares[2000:] == [None] * 2000


def test_bad_files_are_told_in_a_few_words_and_the_rest_comes_in(shelf: Shelf, tmp_path: Path) -> None:
    good = list_file(tmp_path / "good.txt", [abstract(1)])
    (tmp_path / "empty").touch()
    (tmp_path / "x.json").write_text('[{"title": "x"}]')
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    paths = [
        tmp_path / "none",
        tmp_path / "folder",
        tmp_path / "empty",
        tmp_path / "x.json",
        tmp_path / "pipe",
    ]
    reports = importing.add(shelf, [*map(str, paths), "nul\0", str(good)])
    assert [report.error for report in reports] == [
        "no such file", "a folder without files", "empty", "not in a format that postil reads",
        "not a plain file", "not a usable path", None,
    ]  # fmt: skip
    assert len(shelf) == 1
    (report,) = importing.add(shelf, [str(good)], "docx")
    assert report.error
    assert report.error.startswith("unknown format 'docx'; known are: atom, ")


class Unreadable(io.BytesIO):
    """A file that breaks after so many bytes."""

    def __init__(self, data: bytes, sound: int) -> None:
        super().__init__(data)
        self.sound = sound

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() >= self.sound:
            raise OSError(5, "Input/output error")
        return super().read(size)


@pytest.mark.parametrize("sound", [0, 1 << 16])
def test_a_file_that_breaks_off_is_told_and_what_was_read_is_kept(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sound: int
) -> None:
    whole = list_file(tmp_path / "whole.txt", [abstract(number) for number in range(500)]).read_bytes()
    good = list_file(tmp_path / "good.txt", [abstract(999)])
    opened = importing._opened
    monkeypatch.setattr(
        importing, "_opened", lambda path: Unreadable(whole, sound) if path == "broken" else opened(path)
    )
    broken, after = importing.add(shelf, ["broken", str(good)])
    assert (
        broken.error
        == ("could not be read to its end" if sound else "cannot be read") + ": Input/output error"
    )
    assert after.new == 1
    assert len(shelf) == broken.new + 1
    assert (broken.new > 100) is (sound > 0)


def test_nothing_is_begun_without_room_for_all(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [list_file(tmp_path / name, [abstract(n) for n in range(3000)]) for name in ("a", "b")]
    need = -(-int(importing.DISK * sum(path.stat().st_size for path in paths)) // 10**6)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=(need - 1) * 10**6))
    with pytest.raises(
        OSError, match=rf"^\[Errno 28\] it needs {need} MB in .*, where {need - 1} MB are free$"
    ):
        importing.add(shelf, map(str, paths))
    assert not shelf.layout.papers.exists()
    (report,) = importing.add(shelf, [str(paths[0])])
    assert report.new == 3000


def test_an_import_and_its_index_need_no_more_than_is_said(tmp_path: Path, shelf: Shelf) -> None:
    source = list_file(tmp_path / "a", [abstract(n) for n in range(2000)])
    importing.add(shelf, [str(source)])
    engine, _ = indexing.bring_up(shelf, lambda _done, _all: None)
    engine.close()
    used = sum(path.stat().st_size for path in shelf.layout.folder.rglob("*") if path.is_file())
    assert used < importing.DISK * source.stat().st_size


def test_standard_input_and_hostile_names(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Input:
        buffer = io.BytesIO(abstract(1).encode())

    monkeypatch.setattr(sys, "stdin", Input)
    name = tmp_path / "a\x1b[31m\nb.txt"
    list_file(name, [abstract(2)])
    importing.add(shelf, ["-", str(name)])
    assert [paper.sources[0].file for paper in shelf.papers()] == ["standard input", "a [31m b.txt"]


def test_an_interrupted_import_is_completed_by_the_next(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(list_file(tmp_path / name, [abstract(n) for n in numbers]))
             for name, numbers in (("a", range(30)), ("b", range(20, 60)))]  # fmt: skip

    def interrupt(file: str, record: int, _share: float | None) -> None:
        if (file, record) == ("b", 15):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importing.add(shelf, paths, progress=interrupt)
    assert len(Shelf(Layout(shelf.layout.folder))) == 34
    reports = importing.add(shelf, paths)
    assert [(one.new, one.merged, one.unchanged) for one in reports] == [(0, 0, 30), (26, 0, 14)]
    assert len(Shelf(Layout(shelf.layout.folder))) == 60


def test_a_reader_that_fails_leaves_what_came_before(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = readers.read

    def failing(stream: io.BytesIO, format: str | None = None, **_: bool) -> object:
        name, found = real(stream, format)
        return name, (one if one.position < 3 else 1 / 0 for one in found)

    path = list_file(tmp_path / "a", [abstract(number) for number in range(5)])
    with monkeypatch.context() as patched:
        patched.setattr(readers, "read", failing)
        with pytest.raises(ZeroDivisionError):
            importing.add(shelf, [str(path)])
    assert [paper.abstract for paper in shelf.papers()] == [abstract(0), abstract(1)]
    assert importing.add(shelf, [str(path)])[0].new == 3
