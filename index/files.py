"""Files that hold what cannot be made again: a lock, an atomic replace, an append that is on disk."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import socket
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from index.papers import now

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
PATIENCE: Final = 10.0
"""Seconds to wait for another process that holds a lock."""
NO_LOCKS: Final = {None, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
"""What the file system of a folder says that has no locks (`locked` gives some of it no number)."""
_PAUSE: Final = 0.05
"""Seconds between two looks at a file that another process is to take away."""
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)
"""A pipe that nobody writes to is not waited for."""


class BusyError(OSError):
    """Another process holds the lock."""


@contextlib.contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file `path`, which is never deleted.

    Raises `BusyError` after `patience` seconds, OSError where there can be no lock.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the folder {path.parent} has gone")
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"{path} is a symbolic link (to {path.readlink()}): delete that link")
    from filelock import FileLock, Timeout  # slow to load, and a start that writes nothing needs none

    lock = FileLock(path, timeout=patience, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout as error:
        raise BusyError(f"another postil is writing here ({path.name}); try again") from error
    except NotImplementedError as error:
        raise OSError(f"the file system of {path.parent} has no locks") from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def alone(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """As `locked`; where there can be no locks, a file beside it (`.owner`) is there as long as it is held.

    Raises `BusyError` after `patience` seconds, OSError where nothing can be written.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path, patience))
        except OSError as error:
            if isinstance(error, BusyError) or error.errno not in NO_LOCKS:
                raise
            stack.enter_context(_owned(path.with_suffix(".owner"), patience))
        yield


@contextlib.contextmanager
def _owned(owner: Path, patience: float) -> Iterator[None]:
    token, until = secrets.token_hex(8), time.monotonic() + patience
    while (other := claimed(owner, token)) is not None:
        if time.monotonic() >= until:
            raise BusyError(
                f"another postil (process {other.get('pid')} on {other.get('host')}) is writing here: "
                f"try again, or delete {owner} if it is not running"
            )
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        release(owner, token)


def has_locks(path: Path) -> bool:
    """Whether the lock file `path` is on a file system that has locks, as far as can be told."""
    try:
        with locked(path, 0):
            return True
    except OSError as error:
        return isinstance(error, BusyError) or error.errno not in NO_LOCKS


def claimed(owner: Path, token: str) -> dict[str, Any] | None:
    """Have the file `owner` name this process and `token`, unless it names one that runs: then that one.

    Taken over from a process of this machine that has gone. Raises OSError.
    """
    mine = {"pid": os.getpid(), "host": socket.gethostname(), "since": now(), "token": token}
    told: dict[str, Any] = {}
    for has_gone in (False, True):
        with contextlib.suppress(FileExistsError):
            _write_new(owner, json.dumps(mine).encode())
            if has_gone:
                time.sleep(_PAUSE)  # another may have seen the same dead one, and taken ours for it
        told = _owner(owner)
        if told.get("token") == token:
            return None
        if not _has_gone(owner, told):
            break
        owner.unlink(missing_ok=True)
    return told


def release(owner: Path, token: str) -> None:
    """Take the file `owner` away if it names `token`."""
    if _owner(owner).get("token") == token:
        owner.unlink(missing_ok=True)


def lives(pid: object) -> bool:
    """Whether a process of this machine runs under this number, as far as can be told."""
    if not isinstance(pid, int) or pid <= 0 or os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # or a number that no process has
        return False
    except OSError:
        return True
    return True


def _owner(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _has_gone(path: Path, told: dict[str, Any]) -> bool:
    if told:
        return told.get("host") == socket.gethostname() and not lives(told.get("pid"))
    with contextlib.suppress(FileNotFoundError):  # it names nobody: killed before it was written
        return time.time() - path.stat().st_mtime > PATIENCE
    return False


def _write_new(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        os.write(handle, data)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


def make_folder(path: Path) -> None:
    """Make `path` and what leads to it, readable by its owner alone; one that exists is left as it is."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def replace(path: Path, chunks: Iterable[bytes]) -> None:
    """Put `chunks` in the place of `path`, whole or not at all, and on disk when this returns.

    A symbolic link stays and its target is replaced; an existing file keeps its mode.
    """
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.writelines(chunks)
            out.flush()
            with contextlib.suppress(FileNotFoundError):
                Path(name).chmod(path.stat().st_mode & 0o7777)
            os.fsync(out.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def append(path: Path, data: bytes) -> None:
    """Add `data` at the end of `path` with one write, and on disk when this returns.

    A write that fails or falls short is cut back, so that the file ends as it did before.
    The caller holds the lock.
    """
    new = not path.exists()
    with _at_end(path) as (handle, end):
        try:
            _write(handle, data)
        except OSError:
            os.ftruncate(handle, end)
            raise
    if new:
        sync_folder(path.parent)


def see_room(path: Path, size: int) -> None:
    """See that `size` bytes could be added to the file at `path`, which is left as it is.

    The caller holds the lock. Raises OSError.
    """
    with _at_end(path) as (handle, end):
        try:
            _write(handle, b"\n" * size)
        finally:
            os.ftruncate(handle, end)


@contextlib.contextmanager
def _at_end(path: Path) -> Iterator[tuple[int, int]]:
    """A plain file to be added to, and its length."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, PRIVATE_FILE)
    try:
        _see_plain(handle)
        yield handle, os.fstat(handle).st_size
    finally:
        os.close(handle)


def _write(handle: int, data: bytes) -> None:
    if os.write(handle, data) != len(data):
        raise OSError(errno.ENOSPC, "no space left for a whole write")
    os.fsync(handle)


def move_aside(folder: Path, path: Path) -> Path:
    """Move a file into `folder`, under its own name or, when that is taken, with a number before it."""
    make_folder(folder)
    names: Iterator[str] = (f"{number}-{path.name}" if number else path.name for number in range(10**6))
    target = next(folder / name for name in names if not (folder / name).exists())
    os.rename(path, target)  # noqa: PTH104
    sync_folder(folder)
    return target


def opened(path: Path) -> BinaryIO:
    """A plain file, to be read; anything else is not waited for. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    try:
        _see_plain(handle)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def unwritable(folder: Path) -> str | None:
    """Why nothing can be written in `folder` now, in one line, or None: a look at what it allows."""
    for path in (folder, folder / "annotations.journal", folder / "annotations.json"):
        if path.exists() and not os.access(path, os.W_OK):
            return f"{path} cannot be written"
    return None


def _see_plain(handle: int) -> None:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file; move it away")


def sync_folder(path: Path) -> None:
    """Make a rename or a new file in `path` last; a system that cannot sync a folder is left alone."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
