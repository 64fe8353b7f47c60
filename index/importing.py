"""Brings files into a library: read, put on the shelf, tell what became of each record."""

from __future__ import annotations

import contextlib
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from index import readers
from index.clean import drawable
from index.papers import Problem, Record, now
from index.shelf import Shelf

STANDARD_INPUT: Final = "-"
DISK: Final = 6.0
"""Bytes that an import and its index need at most for each byte of the files, temporary ones included."""

Progress: TypeAlias = Callable[[str, int, float | None], None]
"""Told the file, how many of its records are read, and which share of it, 0 to 1; None if not known."""


@dataclass(slots=True)
class FileReport:
    """What became of one file; `error` when it could not be read, or not to its end."""

    path: str
    format: str | None = None
    records: int = 0
    new: int = 0
    merged: int = 0
    unchanged: int = 0
    skipped: list[Problem] = field(default_factory=list)
    error: str | None = None


def add(
    shelf: Shelf,
    paths: Iterable[str],
    format: str | None = None,
    progress: Progress = lambda _file, _records, _share: None,
) -> list[FileReport]:
    """Import `paths` (`-` for standard input), all as one import of this moment.

    One bad record does not stop its file, nor one bad file the rest. Raises OSError only where the
    library itself cannot be written, and before anything is where there is no room for all.
    """
    paths, moment = list(paths), now()
    shelf.see_room(int(DISK * sum(map(_size, paths))))
    return [_add_file(shelf, path, format, moment, progress) for path in paths]


def _add_file(shelf: Shelf, path: str, format: str | None, moment: str, progress: Progress) -> FileReport:
    report = FileReport(path)
    try:
        with _opened(path) as stream:
            try:
                report.format, records = readers.read(stream, format)
            except OSError as error:
                raise _UnreadableError(f"cannot be read: {error.strerror or error}") from error
            name = "standard input" if path == STANDARD_INPUT else drawable(Path(path).name)
            size = _size(path)
            share = (lambda: min(stream.tell() / size, 1.0)) if size else (lambda: None)
            told = shelf.add(_counted(_unbroken(records, report), name, share, progress), name, moment)
    except readers.UnknownFormatError as error:
        report.error = str(error)
    except _UnreadableError as error:
        report.error = str(error)
    else:
        if not told.records and not report.error:
            report.error = "no abstract in it"
        report.records, report.new, report.merged = told.records, told.new, told.merged
        report.unchanged, report.skipped = told.unchanged, told.skipped
    return report


def _size(path: str) -> int:
    """Bytes of a plain file; 0 for what is none, or not known beforehand."""
    with contextlib.suppress(OSError, ValueError):
        told = Path(path).stat()
        return told.st_size if path != STANDARD_INPUT and stat.S_ISREG(told.st_mode) else 0
    return 0


def _opened(path: str) -> BinaryIO:
    if path == STANDARD_INPUT:
        return sys.stdin.buffer
    try:
        kind = Path(path).stat().st_mode
        if not stat.S_ISREG(kind):
            raise _UnreadableError("a folder, not a file" if stat.S_ISDIR(kind) else "not a plain file")
        return Path(path).open("rb")
    except FileNotFoundError as error:
        raise _UnreadableError("no such file") from error
    except (OSError, ValueError) as error:
        raise _UnreadableError(getattr(error, "strerror", None) or "not a usable path") from error


def _unbroken(records: Iterator[Record | Problem], report: FileReport) -> Iterator[Record | Problem]:
    """The records up to where the file cannot be read on, which is kept as the error of the report."""
    try:
        yield from records
    except OSError as error:
        report.error = f"could not be read to its end: {error.strerror or error}"
    except readers.BrokenFileError as error:
        report.error = str(error)


def _counted(
    records: Iterable[Record | Problem],
    name: str,
    share: Callable[[], float | None],
    progress: Progress,
) -> Iterator[Record | Problem]:
    for number, record in enumerate(records, 1):
        progress(name, number, share())
        yield record


class _UnreadableError(Exception):
    """The file cannot be opened; the message says why in a few words."""
