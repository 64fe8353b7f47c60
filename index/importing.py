"""Brings files into a library: read, put on the shelf, tell what became of each record."""

from __future__ import annotations

import contextlib
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from index import readers, unpacking
from index.clean import drawable
from index.papers import Problem, Record, now
from index.shelf import Shelf

STANDARD_INPUT: Final = "-"
NO_RECORD: Final = "no abstract in it"
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
    removed: int = 0
    """Records of papers that the reader removed, and that stay so."""
    one: int = 0
    """Records that say of several papers that they are one."""
    skipped: list[Problem] = field(default_factory=list)
    error: str | None = None
    named: bool = True
    """Whether the reader named it: what lies in a folder or an archive may be no list at all."""

    @property
    def failed(self) -> bool:
        """Whether something of it should have come in and did not."""
        return bool(self.error) and (self.named or (self.format is not None and self.error != NO_RECORD))


def add(
    shelf: Shelf,
    paths: Iterable[str],
    format: str | None = None,
    progress: Progress = lambda _file, _records, _share: None,
    *,
    given: Mapping[str, str] | None = None,
    removed: frozenset[str] = frozenset(),
    one: list[tuple[str, ...]] | None = None,
    named: bool = True,
) -> list[FileReport]:
    """Import `paths` (files, folders, `-` for standard input), all as one import of this moment.

    `given` are the keys of papers that the reader told, `removed` the papers that she removed; to `one`
    are added papers of which a record says that they are one.
    `named` says whether the reader named the files, and
    not only the folder where they were found.
    One bad record does not stop its file, nor one bad file the rest. Raises OSError only where the
    library itself cannot be written, and before anything is where there is no room for all.
    """
    found, moment = [file for path in paths for file in _found(path, named=named)], now()
    shelf.see_room(int(DISK * sum(_size(report.path) for report in found)))
    whole = _Import(shelf, format, moment, progress, given or {}, removed, one)
    return [told for report in found for told in _add_file(report, whole)]


@dataclass(frozen=True, slots=True)
class _Import:
    """What all files of one import share."""

    shelf: Shelf
    format: str | None
    moment: str
    progress: Progress
    given: Mapping[str, str]
    removed: frozenset[str]
    one: list[tuple[str, ...]] | None


def _found(path: str, *, named: bool) -> Iterator[FileReport]:
    """What is to be read: a file as it was named, or each in a folder."""
    try:
        names = list(unpacking.files_in(path)) if path != STANDARD_INPUT and Path(path).is_dir() else None
    except OSError as error:
        yield FileReport(path, error=f"cannot be read: {error.strerror or error}")
        return
    if names:
        yield from (FileReport(name, named=False) for name in names)
    else:
        yield FileReport(path, error=None if names is None else "a folder without files", named=named)


def _add_file(report: FileReport, one: _Import) -> Iterator[FileReport]:
    """What became of a file, or of each file that is packed in it."""
    if report.error:
        yield report
        return
    size, inside = _size(report.path), 0
    try:
        with _opened(report.path) as stream:
            share = (lambda: min(stream.tell() / size, 1.0)) if size else (lambda: None)
            name = "standard input" if report.path == STANDARD_INPUT else Path(report.path).name
            for part in unpacking.parts(stream):
                told, of = replace(report, skipped=[]), name
                if part.name:
                    told.path, told.named, of = f"{report.path}/{part.name}", False, f"{name}/{part.name}"
                _add_part(part, drawable(of), told, one, share)
                inside += 1
                yield told
    except (_UnreadableError, readers.BrokenFileError) as error:
        report.error = str(error)
        yield report
    else:
        if not inside:
            report.error = "an archive without files"
            yield report


def _add_part(
    part: unpacking.Part, name: str, report: FileReport, one: _Import, share: Callable[[], float | None]
) -> None:
    """Put the records of a plain file on the shelf, and what became of them into its report."""
    try:
        with part.opened() as stream:
            try:
                report.format, records = readers.read(stream, one.format, meant=report.named)
            except OSError as error:
                raise _UnreadableError(f"cannot be read: {error.strerror or error}") from error
            counted = _counted(_unbroken(records, report), name, share, one.progress)
            told = one.shelf.add(counted, name, one.moment, one.given, one.removed, one.one)
    except (readers.UnknownFormatError, readers.BrokenFileError, _UnreadableError) as error:
        report.error = str(error)
        return
    if not told.records and not report.error:
        report.error = NO_RECORD
    report.records, report.new, report.merged = told.records, told.new, told.merged
    report.unchanged, report.removed, report.skipped = told.unchanged, told.removed, told.skipped
    report.one = told.one


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
