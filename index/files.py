"""Files that hold what cannot be made again: a lock, an atomic replace, an append that is on disk."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
PATIENCE: Final = 10.0
"""Seconds to wait for another process that holds a lock."""


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
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, PRIVATE_FILE)
    try:
        _see_plain(handle)
        end = os.fstat(handle).st_size
        try:
            if os.write(handle, data) != len(data):
                raise OSError(28, "no space left for a whole write", str(path))
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, end)
            raise
    finally:
        os.close(handle)
    if new:
        sync_folder(path.parent)


def see_room(path: Path, size: int) -> None:
    """See that `size` bytes could be added to the file at `path`, which is left as it is.

    The caller holds the lock. Raises OSError.
    """
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, PRIVATE_FILE)
    try:
        _see_plain(handle)
        end = os.fstat(handle).st_size
        try:
            if os.write(handle, b"\n" * size) != size:
                raise OSError(errno.ENOSPC, "no space left for a whole write", str(path))
            os.fsync(handle)
        finally:
            os.ftruncate(handle, end)
    finally:
        os.close(handle)


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
