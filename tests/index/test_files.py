"""Files: a replace is whole or nothing, an append that falls short leaves no trace, a lock is one's own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from index import files


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
