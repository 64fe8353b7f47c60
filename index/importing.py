"""Brings files into a library: read, put on the shelf, tell what became of each record."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from index import readers
from index.clean import drawable
from index.papers import Problem, Record, now
from index.shelf import Shelf

STANDARD_INPUT = "-"


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
    progress: Callable[[str, int], None] = lambda _file, _records: None,
) -> list[FileReport]:
    """Import `paths` (`-` for standard input), all as one import of this moment.

    One bad record does not stop its file, nor one bad file the rest. `progress` is told the file and
    how many of its records are read. Raises OSError only where the library itself cannot be written.
    """
    moment = now()
    return [_add_file(shelf, path, format, moment, progress) for path in paths]


def _add_file(
    shelf: Shelf, path: str, format: str | None, moment: str, progress: Callable[[str, int], None]
) -> FileReport:
    report = FileReport(path)
    try:
        with _opened(path) as stream:
            try:
                report.format, records = readers.read(stream, format)
            except OSError as error:
                raise _UnreadableError(f"cannot be read: {error.strerror or error}") from error
            name = "standard input" if path == STANDARD_INPUT else drawable(Path(path).name)
            told = shelf.add(_counted(_unbroken(records, report), name, progress), name, moment)
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


def _counted(
    records: Iterable[Record | Problem], name: str, progress: Callable[[str, int], None]
) -> Iterator[Record | Problem]:
    for number, record in enumerate(records, 1):
        progress(name, number)
        yield record


class _UnreadableError(Exception):
    """The file cannot be opened; the message says why in a few words."""
