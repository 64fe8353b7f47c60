"""Packed files and folders: their lists come in, and what is hostile is refused in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index import importing, unpacking
from index.importing import FileReport
from index.readers.broken import BrokenFileError
from index.shelf import Shelf
from tests.index.helpers import abstract, shelf_in


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelf_in(tmp_path / "library")


def a_list(*numbers: int) -> bytes:
    return ("Daily Papers\n\n" + "\n\n".join(map(abstract, numbers))).encode()


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in two parts": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zipped({"a list": data}),
}


@pytest.mark.parametrize("way", PACKERS)
@pytest.mark.parametrize("through", ["a file", "standard input", "a pipe"])
def test_a_packed_list_is_the_same_list(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, through: str
) -> None:
    data = PACKERS[way](a_list(1, 2, 3))
    path = tmp_path / "list"
    path.write_bytes(data)
    stream = Pipe(data) if through == "a pipe" else io.BytesIO(data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    named = str(path) if through == "a file" else "-"
    (report,) = importing.add(shelf, [named])
    assert (report.format, report.records, report.new, report.error) == ("daily-text", 3, 3, None)
    inside = "/a list" if way == "zip" else ""
    assert report.path == named + inside
    sources = {source.file for paper in shelf.papers() for source in paper.sources}
    assert sources == {("list" if named != "-" else "standard input") + inside}


class Pipe(io.BytesIO):
    """Bytes that cannot be wound back."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise io.UnsupportedOperation("seek")


def test_an_archive_gives_each_of_its_files_and_passes_over_what_is_hidden_or_no_list(
    shelf: Shelf, tmp_path: Path
) -> None:
    path = tmp_path / "all.zip"
    members = {
        "b/one.txt": a_list(1, 2),
        "__MACOSX/one.txt": a_list(7),
        ".git/two.txt": a_list(8),
        "a.bib": b"@article{x, title={A title of a paper}, doi={10.1/x}}",
        "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        "LICENSE": b"A licence\n\nThat says much of what may be done with it.\n\nAnd what not.",
        "README.md": b"# What is here\n\nLists of papers.\n",
        "e\x1b[2Jmpty/": b"",
    }
    path.write_bytes(zipped(members))
    reports = importing.add(shelf, [str(path)])
    assert [(one.path, one.new, one.failed) for one in reports] == [
        (f"{path}/b/one.txt", 2, False),
        (f"{path}/a.bib", 1, False),
        (f"{path}/picture.png", 0, False),
        (f"{path}/LICENSE", 0, False),
        (f"{path}/README.md", 0, False),
    ]
    assert [report.error for report in reports[2:]] == [
        "not in a format that postil reads",
        "running text; name the file itself if it is a list",
        "no abstract in it",
    ]
    again = importing.add(shelf, [str(path)])
    assert sum(one.new + one.merged for one in again) == 0


def test_a_folder_gives_its_files_by_name_and_goes_through_no_link_to_a_folder(
    shelf: Shelf, tmp_path: Path
) -> None:
    folder = tmp_path / "lists"
    (folder / "b").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "z.txt").write_bytes(a_list(1))
    (folder / "b" / "a.txt").write_bytes(a_list(2))
    (folder / ".hidden" / "a.txt").write_bytes(a_list(3))
    (folder / "b" / "c.gz").write_bytes(gzip.compress(a_list(4)))
    (folder / "loop").symlink_to(folder)
    (folder / "itself").symlink_to(folder / "itself")
    os.mkfifo(folder / "pipe")
    reports = importing.add(shelf, [str(folder)])
    assert {Path(one.path).name: (one.new, one.error) for one in reports} == {
        "itself": (0, "Too many levels of symbolic links"),
        "pipe": (0, "not a plain file"),
        "z.txt": (1, None),
        "a.txt": (1, None),
        "c.gz": (1, None),
    }
    assert not any(one.failed for one in reports)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permission_is_told(shelf: Shelf, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    (report,) = importing.add(shelf, [str(folder)])
    folder.chmod(0o700)
    assert report.error == "cannot be read: Permission denied"


def test_a_folder_without_files_is_told(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (report,) = importing.add(shelf, [str(tmp_path / "none")])
    assert (report.error, report.failed) == ("a folder without files", True)


def refused(shelf: Shelf, path: Path, data: bytes) -> FileReport:
    path.write_bytes(data)
    report = importing.add(shelf, [str(path)])[-1]
    assert report.error
    assert "\n" not in report.error
    return report


def test_what_unpacks_to_far_more_than_a_list_is_refused(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "MOST", 1 << 20)
    bomb = a_list(1) + b"\n\n" + b"word " * (1 << 20)
    for name, packer in PACKERS.items():
        if name not in ("plain", "gzip in two parts"):
            told = refused(shelf, tmp_path / "bomb", packer(bomb)).error
            assert told == "it unpacks to more than 200 times its size, as no list of papers does", name
    many = {f"{number}.txt": a_list(1) + b" " * (1 << 19) for number in range(4)}
    assert "200 times" in str(refused(shelf, tmp_path / "many", zipped(many)).error)
    monkeypatch.setattr(unpacking, "MOST_FILES", 3)
    assert refused(shelf, tmp_path / "many", zipped(many)).error == "it holds 4 files; postil reads 3 at most"
    assert len(shelf) == 1


def test_what_cannot_be_unpacked_is_told_and_what_came_before_is_kept(shelf: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "x"
    texts = [abstract(number) for number in range(3000)]
    data = ("Daily Papers\n\n" + "\n\n".join(texts)).encode()
    for packer in (gzip.compress, bz2.compress, lzma.compress):
        packed = packer(data)
        told = refused(shelf, path, packed[: len(packed) // 2])
        assert str(told.error).startswith("cannot be unpacked: "), told.error
    assert 0 < len(shelf) < 3000
    twice = gzip.compress(gzip.compress(data))
    assert refused(shelf, path, twice).error == "packed twice; unpack it first"
    assert (
        refused(shelf, path, zipped({"a.gz": gzip.compress(data)})).error == "packed twice; unpack it first"
    )
    assert refused(shelf, path, b"PK\x03\x04 nothing").error == "cannot be unpacked: File is not a zip file"
    assert refused(shelf, path, zipped({})).error == "an archive without files"
    assert refused(shelf, path, b"%PDF-1.7").error == "a PDF; postil reads lists of papers"
    locked = bytearray(zipped({"a": b"x"}))
    for start in (locked.index(b"PK\x03\x04") + 6, locked.index(b"PK\x01\x02") + 8):
        locked[start] |= 1
    assert "encrypted" in str(refused(shelf, path, bytes(locked)).error)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([name for name in PACKERS if name != "plain"]), st.integers(0, 2**32))
def test_damaged_archives_give_parts_or_one_line(way: str, seed: int) -> None:
    pick = random.Random(seed)
    data = bytearray(PACKERS[way](a_list(*range(20))))
    for _ in range(pick.randrange(1, 5)):
        data[pick.randrange(len(data))] = pick.randrange(256)
    try:
        for part in unpacking.parts(io.BytesIO(bytes(data[: pick.randrange(len(data) + 1)]))):
            with part.opened() as stream:
                stream.read()
    except BrokenFileError as error:
        assert str(error)


def test_a_member_that_names_a_folder_above_is_read_and_nothing_is_written_there(
    shelf: Shelf, tmp_path: Path
) -> None:
    path = tmp_path / "a" / "b" / "lists.zip"
    path.parent.mkdir(parents=True)
    path.write_bytes(zipped({"../../up.txt": a_list(1), ".hidden/x.txt": a_list(2)}))
    (report,) = importing.add(shelf, [str(path)])
    assert (report.path, report.new) == (f"{path}/../../up.txt", 1)
    assert not list(tmp_path.rglob("up.txt"))
