"""Files: a replace is whole or nothing, an append that falls short leaves no trace, a lock is one's own."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from index import files
from index.library import Library
from index.papers import now
from index.paths import Layout
from index.shelf import Shelf
from tests.index.helpers import records


def test_replace_leaves_the_old_file_when_the_new_one_fails(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.replace(path, [b"one"])

    def broken() -> Iterator[bytes]:
        yield b"two"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        files.replace(path, broken())
    assert path.read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_replace_keeps_the_mode_and_the_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    files.replace(link, [b"n", b"ew"])
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_files_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "library")
    files.replace(tmp_path / "replaced", [b"x"])
    files.append(tmp_path / "appended", b"x")
    with files.locked(tmp_path / "lock"):
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    assert modes == {"library": 0o700, "replaced": 0o600, "appended": 0o600, "lock": 0o600}


def test_an_append_that_falls_short_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    files.append(path, b"one\n")
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:3]))
    with pytest.raises(OSError, match="no space left"):
        files.append(path, b"two three\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"one\n"
    files.append(path, b"four\n")
    assert path.read_bytes() == b"one\nfour\n"


def test_an_append_whose_sync_fails_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_handle: int) -> None:
        raise OSError(5, "Input/output error")

    files.append(tmp_path / "a", b"one\n")
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output"):
        files.append(tmp_path / "a", b"two\n")
    assert (tmp_path / "a").read_bytes() == b"one\n"


def test_a_lock_that_another_holds_is_reported_in_one_line(tmp_path: Path) -> None:
    with files.locked(tmp_path / "lock"):
        with pytest.raises(files.BusyError, match="another postil is writing here"):
            with files.locked(tmp_path / "lock", patience=0.05):
                pass
    with files.locked(tmp_path / "lock", patience=0.05):
        assert (tmp_path / "lock").exists()


def test_a_lock_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        with files.locked(tmp_path / "lock"):
            raise RuntimeError
    with files.locked(tmp_path / "lock", patience=0.05):
        pass


def test_a_file_system_without_locks_is_an_error_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(_self: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(FileLock, "acquire", no_locks)
    with pytest.raises(OSError, match="locks"):
        with files.locked(tmp_path / "lock"):
            pass


def test_a_lock_that_is_a_link_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere" / "lock")
    with pytest.raises(OSError, match=r"lock is a symbolic link \(to .*elsewhere/lock\): delete that link"):
        with files.locked(tmp_path / "lock"):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


# Where the file system has no locks


@pytest.fixture(params=[errno.ENOLCK, errno.EOPNOTSUPP, None])
def no_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_self: object) -> None:
        raise NotImplementedError if request.param is None else OSError(request.param, "no locks")

    monkeypatch.setattr(FileLock, "acquire", refused)


def owner_of(folder: Path, **told: object) -> Path:
    path = folder / "library.owner"
    path.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "token": "other", **told}))
    return path


@pytest.mark.usefixtures("no_locks")
def test_without_locks_one_at_a_time_holds_the_file(tmp_path: Path) -> None:
    lock, inside, most = tmp_path / "library.lock", [], []

    def work() -> None:
        with files.alone(lock):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.005)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 5 and not (tmp_path / "library.owner").exists()
    assert not files.has_locks(lock)
    with contextlib.suppress(RuntimeError), files.alone(lock):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_locks")
def test_what_a_process_holds_that_runs_or_runs_elsewhere_is_waited_for(tmp_path: Path) -> None:
    for told in ({}, {"host": "elsewhere", "pid": 2**22 + 1}):
        path = owner_of(tmp_path, **told)
        with pytest.raises(files.BusyError, match=f"another postil .process .*delete {path}"):
            with files.alone(tmp_path / "library.lock", patience=0.01):
                pass
        assert json.loads(path.read_text())["token"] == "other"


@pytest.mark.usefixtures("no_locks")
def test_what_a_process_held_that_has_gone_is_taken_over(tmp_path: Path) -> None:
    child = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True)
    owner_of(tmp_path, pid=int(child.stdout))
    with files.alone(tmp_path / "library.lock", patience=0.01):
        assert json.loads((tmp_path / "library.owner").read_text())["pid"] == os.getpid()
    (tmp_path / "library.owner").write_bytes(b"")  # killed as it began
    with pytest.raises(files.BusyError), files.alone(tmp_path / "library.lock", patience=0.01):
        pass
    os.utime(tmp_path / "library.owner", (0, 0))
    with files.alone(tmp_path / "library.lock", patience=0.01):
        pass


def test_with_locks_there_is_no_such_file(tmp_path: Path) -> None:
    with files.alone(tmp_path / "library.lock"):
        assert [path.name for path in tmp_path.iterdir()] == ["library.lock"]
        assert files.has_locks(tmp_path / "library.lock")
        with pytest.raises(files.BusyError), files.alone(tmp_path / "library.lock", patience=0.01):
            pass


@pytest.mark.usefixtures("no_locks")
@pytest.mark.parametrize("no_locks", [errno.ENOLCK], indirect=True)
def test_without_locks_a_library_begins_takes_papers_and_finds_them(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    library = Library(folder)
    assert library.notice is None and len(library.ids) > 300
    assert library.find("agents").ids
    library.close()
    shelf = Shelf(Layout(folder))
    assert shelf.add(records([1]), "list", now()).new == 1
    assert list(folder.glob("*.owner")) == []


@pytest.mark.parametrize(("pid", "runs"), [(2**22 + 1, False), (10**30, False), ("x", True)])
def test_a_number_that_no_process_has_is_no_process(pid: object, runs: bool) -> None:
    assert files.lives(pid) == runs
    assert files.lives(os.getpid())


def test_room_is_seen_for_and_the_file_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "history.jsonl"
    files.append(path, b"one\n")
    files.see_room(path, 1000)
    assert path.read_bytes() == b"one\n"
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:100]))
    with pytest.raises(OSError, match="no space left"):
        files.see_room(path, 1000)
    assert path.read_bytes() == b"one\n"


def test_what_is_moved_aside_takes_the_place_of_nothing(tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        (tmp_path / "file").write_text(text)
        assert files.move_aside(tmp_path / "aside", tmp_path / "file").read_text() == text
    assert sorted(path.read_text() for path in (tmp_path / "aside").iterdir()) == ["one", "three", "two"]
