"""The list beside papers.jsonl: its rows, how they are written, and what all of them say together."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from index import files

Read = Callable[[int, int], bytes]
"""Gives so many bytes of a file, from an offset on."""
_FIRST: Final = 64
"""Bytes in which the first line of the list ends."""
_TOGETHER: Final = 1000
"""Lines that are parsed together, in a third of the time that one after the other takes."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the list knows of a paper without reading its record."""

    id: str
    heading: str = ""
    titled: bool = False
    """Whether the heading is a title that was given."""
    derived: str = ""
    """The heading that the abstract alone gave, before it was told apart from others; none beside a title."""
    name: str | None = None
    words: int = 0
    year: int | None = None
    added: str = ""
    files: tuple[str, ...] = ()
    offsets: tuple[int, ...] = ()
    """Where the paper's lines begin in papers.jsonl, in bytes."""
    keys: tuple[str, ...] = ()

    @property
    def own(self) -> str:
        """The heading before it is told apart from others."""
        return self.heading if self.titled else self.derived


def as_one(row: Row, others: Iterable[Row]) -> Row:
    """What the list says of a paper with which `others` are one: the first that knows it."""
    for other in others:
        told: dict[str, Any] = {}
        if other.titled and not row.titled:
            told = {"heading": other.heading, "titled": True}
        elif other.derived and not (row.titled or row.derived):
            told = {"heading": other.heading}
        row = replace(
            row,
            derived=row.derived or other.derived,
            name=row.name or other.name,
            words=row.words or other.words,
            year=other.year if row.year is None else row.year,
            files=tuple(dict.fromkeys((*row.files, *other.files))),
            offsets=(*row.offsets, *other.offsets),
            keys=tuple(dict.fromkeys((*row.keys, *other.keys))),
            **told,
        )
    return row


class Lines:
    """The lines of the list by place. One that was saved is read, and checked, when it is asked for."""

    def __init__(
        self, read: Read | None = None, start: int = 0, ends: Sequence[int] = (), sums: Sequence[int] = ()
    ) -> None:
        """Of a file that `read` reads, where the lines begin at `start`: how far each ends, and its sum."""
        self._read, self._start, self._ends, self._sums = read, start, ends, sums
        self._own: dict[int, bytes] = {}
        """Those that are new, or no longer as they were saved."""
        self._length = len(sums)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> bytes:
        """Raises IndexError, and ValueError where the line is not as it was written."""
        if (own := self._own.get(place)) is not None:
            return own
        end, begin = self._ends[place], self._ends[place - 1] if place else 0
        line = self._read(end - begin, self._start + begin) if self._read else b""
        if crc32(line) != self._sums[place]:
            raise ValueError("the list is not as it was written")
        return line

    def put(self, place: int, line: bytes) -> None:
        """Have `line` there; the place after the last makes the list longer."""
        self._own[place] = line
        self._length = max(self._length, place + 1)

    def sound(self) -> list[bytes]:
        """All lines that are as they were written."""
        found = []
        for place in range(self._length):
            with contextlib.suppress(ValueError):
                found.append(self[place])
        return found


def read(path: Path) -> tuple[dict[str, Any], list[str], Lines]:
    """The head, the ids and the lines of the list at `path`. Raises OSError, and ValueError where damaged.

    It opens with the sum and the length of what must be read to begin: the head, all ids, and where
    each line ends with its sum. A start with 100,000 papers is to take no longer than one with few.
    """
    read = _reader(path)
    first, _, _ = read(_FIRST, 0).partition(b"\n")
    total, length = first.split()
    told = read(int(length), len(first) + 1)
    if total != _sum(told):
        raise ValueError("the list is not as it was written")
    line, names, numbers = told.split(b"\n", 2)
    head, ids = json.loads(line), names.decode("ascii").split()
    if head["byteorder"] != sys.byteorder:
        raise ValueError("the list was written by a machine of another kind")
    ends, sums = array("Q"), array("Q")
    ends.frombytes(numbers[: len(numbers) // 2])
    sums.frombytes(numbers[len(numbers) // 2 :])
    return head, ids, Lines(read, len(first) + 1 + len(told), ends, sums)


def _reader(path: Path) -> Read:
    """Gives so many bytes of a file from an offset on, also when another file came into its place."""
    if not hasattr(os, "pread"):
        data = path.read_bytes()
        return lambda size, offset: data[offset : offset + size]
    file = os.open(path, os.O_RDONLY)

    def read(size: int, offset: int) -> bytes:
        try:
            return os.pread(file, size, offset)
        except OSError as error:
            raise ValueError("the list cannot be read") from error

    weakref.finalize(read, os.close, file)
    return read


def write(path: Path, head: Mapping[str, Any], ids: Iterable[str], lines: Sequence[bytes]) -> None:
    """Put the list at `path`. Raises OSError."""
    line = json.dumps({**head, "byteorder": sys.byteorder}).encode()
    ends, sums = array("Q", accumulate(map(len, lines))), array("Q", map(crc32, lines))
    told = b"%b\n%b\n%b%b" % (line, " ".join(ids).encode("ascii"), ends.tobytes(), sums.tobytes())
    files.make_folder(path.parent)
    files.replace(path, (b"%b %d\n" % (_sum(told), len(told)), told, *lines))


def _sum(data: bytes) -> bytes:
    return b"%08x" % crc32(data)


def line_of(row: Row) -> bytes:
    """A row as it stands in the list, without a line break."""
    values = [getattr(row, name) for name in Row.__slots__]
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode()


def row_of(line: bytes) -> Row:
    """The row that stands in a line of the list."""
    told: list[Any] = [tuple(value) if isinstance(value, list) else value for value in json.loads(line)]
    return Row(*told)


def headings(lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """The id and the heading in each line, empty where a paper has none, without making rows."""
    for start in range(0, len(lines), _TOGETHER):
        together = json.loads(b"[%b]" % b",".join(lines[start : start + _TOGETHER]))
        for id, heading, titled, derived, *_ in together:
            yield id, heading if titled or derived else ""


class Known:
    """Which papers have a key, and which have or had a heading of their own alike."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        """Of all `lines` of a list; later ones are to be `put`."""
        self.ids: dict[str, str] = {}
        self._alike: dict[str, list[str]] = {}
        for start in range(0, len(lines), _TOGETHER):
            together = b"[%b]" % b",".join(lines[start : start + _TOGETHER])
            for id, heading, titled, derived, *_, keys in json.loads(together):  # a Row takes twice as long
                self._take(id, heading if titled else derived, keys)

    def put(self, row: Row, before: Row | None = None) -> None:
        """Take in a row that is new, or that stands in the place of `before`."""
        if before is None or (before.own, before.keys) != (row.own, row.keys):
            known = before.keys if before else ()
            self._take(row.id, row.own, [key for key in row.keys if key not in known])

    def _take(self, id: str, own: str, keys: Iterable[str]) -> None:
        for key in keys:
            self.ids[key] = id
        group = self._alike.setdefault(own.casefold(), [])
        if id not in group[-1:]:
            group.append(id)

    def alike(self) -> Iterator[tuple[str, list[str]]]:
        """Each heading, folded, that several papers have or had, and these papers by id."""
        return ((own, ids) for own, ids in self._alike.items() if len(ids) > 1)
