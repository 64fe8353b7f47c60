"""annotations.json as postil writes it: whole, one document a line, put in place only when it is on disk."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import stat as modes
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from index import files
from index.annotations.packed import encoded

Stamp: TypeAlias = tuple[int, int, int]
"""What tells one state of a file from another: the time of its last change, its size, its number."""

Place: TypeAlias = tuple[int, int]
"""The number of a folder, and that of the device that it is on."""

_CHUNK: Final = 64
"""Documents that are written before other threads get their turn: a millisecond's work."""
_STALE: Final = 3600
"""Seconds after which a temporary file is of a process that was killed, wherever that ran."""
_HOST: Final = re.sub(r"[^0-9A-Za-z-]", "-", socket.gethostname())[:64]
_KINDS: Final = {
    modes.S_IFDIR: "a folder",
    modes.S_IFIFO: "a named pipe",
    modes.S_IFSOCK: "a socket",
}


class NoFileError(OSError):
    """Where a file should be there is something else; one line says what it is."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A snapshot that is on disk and not yet in its place, and the copy that becomes annotations.base."""

    snapshot: str
    """Its hash."""
    seq: int
    stamp: Stamp
    path: Path
    copy: Path

    def put(self, path: Path, base: Path) -> None:
        """Take the place of `path` and of `base`. Raises OSError."""
        self.path.replace(path.resolve())
        files.sync_folder(path.resolve().parent)
        self.copy.replace(base)
        files.sync_folder(base.parent)

    def drop(self) -> None:
        """Leave nothing behind, whether it was put in its place or not."""
        for path in (self.path, self.copy):
            path.unlink(missing_ok=True)


def written(tables: Mapping[str, Mapping[str, Any]], seq: int, path: Path, base: Path) -> Draft:
    """Write `tables` to temporary files beside `path` and `base`. Slow, and meant for no lock.

    Raises OSError, and then leaves nothing behind.
    """
    target = path.resolve()
    sweep(path, base)
    prefix = f".{path.name}.{_HOST}.{os.getpid()}."  # by which `sweep` knows whose it is
    digest = sha256()
    with contextlib.ExitStack() as undo:
        handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
        undo.callback(Path(name).unlink, missing_ok=True)
        copy_handle, copy = tempfile.mkstemp(prefix=prefix, dir=base.parent)
        undo.callback(Path(copy).unlink, missing_ok=True)
        with os.fdopen(handle, "wb") as out, os.fdopen(copy_handle, "wb") as second:
            for chunk in _chunks(tables):
                digest.update(chunk)
                out.write(chunk)
                second.write(chunk)
                time.sleep(0)  # lets another thread run
            for file in (out, second):
                file.flush()
            with contextlib.suppress(FileNotFoundError):
                Path(name).chmod(target.stat().st_mode & 0o7777)
            for file in (out, second):
                os.fsync(file.fileno())
            stamp = stamp_of(os.fstat(out.fileno()))
        undo.pop_all()
    return Draft(digest.hexdigest(), seq, stamp, Path(name), Path(copy))


def read(path: Path) -> tuple[bytes | None, Stamp | None]:
    """The bytes of a file and its stamp, None of one that is not there. Raises as `opened` does."""
    try:
        with opened(path) as file:
            stamp = stamp_of(os.fstat(file.fileno()))
            return file.read(), stamp
    except FileNotFoundError:
        return None, None


def opened(path: Path) -> BinaryIO:
    """A file to be read. Raises OSError, and NoFileError if it is none: a pipe would be waited for."""
    check(path)
    return path.open("rb")


def check(path: Path) -> bool:
    """Whether anything is there. Raises OSError, and NoFileError if it is no file, or a link to none."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise NoFileError(f"is a symbolic link to {path.readlink()}, and nothing is there") from None
        return False
    if not modes.S_ISREG(mode):
        raise NoFileError(f"is {_KINDS.get(modes.S_IFMT(mode), 'a device')} and no file")
    return True


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file, None of one that is not there. Raises OSError."""
    try:
        return stamp_of(path.stat())
    except FileNotFoundError:
        return None


def stamp_of(stat: os.stat_result) -> Stamp:
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def place(folder: Path) -> Place | None:
    """What tells a folder from any other that comes in its place, None of one that is not there."""
    try:
        stat = folder.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def digest(data: bytes | None) -> str:
    """The hash by which a journal names a snapshot: SHA-256, or nothing where there is no file."""
    return "" if data is None else sha256(data).hexdigest()


def sweep(path: Path, base: Path) -> None:
    """Remove what processes left beside `path` and `base` that were killed as they wrote. Raises OSError.

    At once what those of this machine left, after an hour any other.
    """
    ours = re.compile(rf"\.{re.escape(path.name)}\.{re.escape(_HOST)}\.(\d{{1,9}})\..*")
    for other in [one for folder in {path.resolve().parent, base.parent} for one in folder.iterdir()]:
        if other.name.startswith((f".{path.name}.", ".annotations.")):
            with contextlib.suppress(FileNotFoundError):
                of = ours.fullmatch(other.name)
                if (of and not files.lives(int(of[1]))) or time.time() - other.stat().st_mtime > _STALE:
                    other.unlink()


def _chunks(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[bytes]:
    lines: list[bytes] = []
    for line in _lines(tables):
        lines.append(line)
        if len(lines) == _CHUNK:
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


def _lines(tables: Mapping[str, Mapping[str, Any]]) -> Iterable[bytes]:
    """The tables as JSON, one document a line; `layout.sound` reads them."""
    between = b"{\n"
    for name, table in tables.items():
        yield b"%s%s: {" % (between, encoded(name))
        line_end = b"\n"
        for key, document in table.items():
            yield b"%s%s: %s" % (line_end, encoded(key), encoded(document))
            line_end = b",\n"
        yield b"\n}"
        between = b",\n"
    yield b"\n}\n"
