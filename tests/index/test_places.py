"""What stands where the library's files and its folder should: another folder, a pipe, what a kill left."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from index.annotations import Annotations, AnnotationsError, History, Step, Writer, backups, mending, snapshot
from index.papers import now
from tests.index.test_annotations import P, Q, R, change, file_of

posix = pytest.mark.skipif(os.name == "nt", reason="folders and files of POSIX")
pytestmark = posix
FILES = ("annotations.json", "annotations.journal", "annotations.base")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "SETTLE", 0.0001)
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def filled(folder: Path, note: str = "note of P") -> Annotations:
    """Something published, and on it a change that is in the journal."""
    folder.mkdir()
    store = Annotations.open(folder)
    store.apply([change(P, "note", note)])
    store.publish()
    store.apply([change(P, "starred", True)])
    return store


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Another folder


@pytest.mark.parametrize("way", ["moved", "linked"])
def test_another_library_in_the_place_of_the_open_one_is_left_alone(tmp_path: Path, way: str) -> None:
    folder, old, other = tmp_path / "lib", tmp_path / "old", tmp_path / "other"
    if way == "linked":
        filled(old)
        folder.symlink_to(old)
        store = Annotations.open(folder)
    else:
        store = filled(folder)
    filled(other, "of another")
    (other / "annotations.lock").unlink()
    before = contents(other)

    def swap(new: Path, aside: Path) -> None:
        if way == "linked":
            folder.unlink()
            folder.symlink_to(new)
        else:
            folder.rename(aside)
            new.rename(folder)

    swap(other, old)
    not_called = mock.patch.object(snapshot, "written")
    for act in (store.refresh, store.publish, lambda: store.apply([change(Q, "note", "lost?")])):
        with (
            not_called as written,
            pytest.raises(AnnotationsError, match="another folder than the one that was opened") as raised,
        ):
            act()
        assert not written.called
        assert "\n" not in str(raised.value) and str(folder) in str(raised.value)
    assert contents(folder) == before and store.get(P).note == "note of P"
    swap(old, other)
    assert store.refresh() == set()
    store.apply([change(Q, "note", "of Q")])
    assert store.publish() and Annotations.open(folder).get(Q).note == "of Q"
    assert store.notices == [] and contents(other) == before


def test_what_waits_is_told_and_written_when_the_folder_is_back(tmp_path: Path) -> None:
    folder, other = tmp_path / "lib", tmp_path / "other"
    store = filled(folder)
    filled(other, "of another")
    trouble: list[str] = []
    writer = Writer(store, History(folder), lambda steps: None, trouble.append)
    folder.rename(tmp_path / "old")
    other.rename(folder)
    before = contents(folder)
    writer.submit(Step("s", "o", "what", now(), (change(Q, "note", "of Q"),)))
    wait(lambda: bool(trouble))
    assert "another folder" in trouble[0] and writer.waiting == 1 and contents(folder) == before
    folder.rename(other)
    (tmp_path / "old").rename(folder)
    wait(lambda: writer.waiting == 0)
    assert writer.close(5) == [] and Annotations.open(folder).get(Q).note == "of Q"


def wait(until: object) -> None:
    end = time.monotonic() + 10
    while not until():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    "meanwhile", ["nothing", "written", "published", "published by another", "its journal left out"]
)
def test_a_copy_put_in_its_place_goes_on(tmp_path: Path, meanwhile: str) -> None:
    folder, copy = tmp_path / "lib", tmp_path / "copy"
    store = filled(folder)
    if meanwhile == "published by another":
        Annotations.open(folder).publish()
    shutil.copytree(folder, copy)
    if meanwhile == "its journal left out":
        (copy / "annotations.journal").unlink()
    if meanwhile == "written":
        store.apply([change(R, "note", "after the copy")])
    if meanwhile == "published":
        store.publish()
    shutil.rmtree(folder)
    copy.rename(folder)
    store.refresh()
    store.apply([change(Q, "note", "of Q")])
    for window in (store, Annotations.open(folder)):
        assert (window.get(P).note, window.get(P).starred, window.get(Q).note) == ("note of P", True, "of Q")
        assert window.get(R).note == ("after the copy" if meanwhile == "written" else "")


def test_another_library_that_comes_while_the_files_are_looked_for_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between `mv lib old` and `mv other lib` there is nothing, and postil looks a second time."""
    folder, other = tmp_path / "lib", tmp_path / "other"
    store = filled(folder)
    filled(other, "of another")
    before = contents(other)
    folder.rename(tmp_path / "old")
    monkeypatch.setattr(mending.time, "sleep", lambda seconds: other.rename(folder))  # type: ignore[attr-defined]
    with pytest.raises(AnnotationsError, match="another folder"):
        store.refresh()
    assert store.get(P).note == "note of P" and contents(folder) == before


def test_a_library_in_which_nothing_is_written_yet_is_told_from_one_with_something(tmp_path: Path) -> None:
    folder, other = tmp_path / "lib", tmp_path / "other"
    folder.mkdir()
    store = Annotations.open(folder)
    filled(other)
    folder.rmdir()
    folder.mkdir()
    assert store.refresh() == set()
    folder.rmdir()
    other.rename(folder)
    with pytest.raises(AnnotationsError, match="another folder"):
        store.refresh()


# Something that is no file


def put(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "a folder":
        path.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(path)
    else:
        here = Path.cwd()
        os.chdir(path.parent)  # the whole path may be longer than a socket's may be
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
        os.chdir(here)


@pytest.mark.parametrize("kind", ["a folder", "a named pipe", "a socket"])
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("is_open", [True, False])
def test_what_is_no_file_is_named_and_left(tmp_path: Path, name: str, kind: str, is_open: bool) -> None:
    folder = tmp_path / "lib"
    store = filled(folder)
    put(folder / name, kind)
    if is_open and name != "annotations.base":  # which is not read again
        with pytest.raises(AnnotationsError, match=f"is {kind} and no file"):
            store.refresh()
        assert store.get(P).note == "note of P"
    with pytest.raises(AnnotationsError, match=f"is {kind} and no file") as raised:
        Annotations.open(folder)
    assert str(folder / name) in str(raised.value) and "move it away" in str(raised.value)
    (folder / name).rename(tmp_path / "away")
    again = Annotations.open(folder)
    assert again.get(P).note == "note of P" and (again.get(P).starred or name == "annotations.journal")


def test_no_pipe_is_waited_for(tmp_path: Path) -> None:
    """Not among the backups, nor as the history or a copy of another machine's."""
    put(tmp_path / "history.jsonl", "a named pipe")
    (tmp_path / "backups").mkdir()
    put(tmp_path / "backups" / "annotations-2026-11-30.json", "a named pipe")
    put(tmp_path / "annotations (conflicted copy).json", "a named pipe")
    assert not Annotations.open(tmp_path).items() and backups.newest_sound(tmp_path) is None
    (tmp_path / "annotations.base").write_bytes(b"{}")
    assert not Annotations.open(tmp_path).items()


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", FILES[:2])
def test_what_may_not_be_read_is_named(tmp_path: Path, name: str) -> None:
    filled(tmp_path / "lib")
    (tmp_path / "lib" / name).chmod(0)
    with pytest.raises(AnnotationsError, match=r"cannot be read .Permission denied.*see who may read it"):
        Annotations.open(tmp_path / "lib")


# What a kill left

KILLED = """
import os, signal, sys
from pathlib import Path
from index.annotations import Annotations
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
Annotations.open(Path(sys.argv[1])).publish()
"""


@pytest.mark.parametrize("by", ["publishing", "mending", "adopting"])
def test_what_a_killed_process_left_is_taken_away_at_once(tmp_path: Path, by: str) -> None:
    folder = tmp_path / "lib"
    store = filled(folder)
    mine = snapshot.written({}, 1, file_of(folder), folder / "annotations.base")
    ran = subprocess.run([sys.executable, "-c", KILLED, str(folder)], timeout=60)
    assert ran.returncode < 0 and len(list(folder.glob(".annotations.*"))) == 4
    elsewhere = folder / f".annotations.json.elsewhere.{2**22 + 1}.abc"
    elsewhere.write_bytes(b"{")
    if by == "publishing":
        store.publish()
    elif by == "mending":
        file_of(folder).unlink()
        Annotations.open(folder)
    else:
        (folder / "annotations.journal").unlink()
        Annotations.open(folder)
    left = {path.name for path in folder.glob(".annotations.*")}
    assert left == {mine.path.name, mine.copy.name, elsewhere.name}, "they may be in use"
    mine.drop()
    os.utime(elsewhere, (time.time() - 4000,) * 2)
    store.refresh()
    store.apply([change(Q, "note", "of Q")])
    assert store.publish() and not list(folder.glob(".annotations.*"))
