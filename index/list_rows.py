"""The list beside papers.jsonl: its rows, how they are written, and what all of them say together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from index import files

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


def read(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    """The head and the lines of the list at `path`. Raises OSError, and ValueError where it is damaged."""
    total, _, saved = path.read_bytes().partition(b"\n")
    if total != _sum(saved):
        raise ValueError("the list is not as it was written")
    head, *lines = saved.removesuffix(b"\n").split(b"\n")
    return json.loads(head), lines


def write(path: Path, head: Mapping[str, Any], lines: Iterable[bytes]) -> None:
    """Put the list at `path`, with a checksum before it. Raises OSError."""
    saved = b"\n".join((json.dumps(head).encode(), *lines)) + b"\n"
    files.make_folder(path.parent)
    files.replace(path, (_sum(saved), b"\n", saved))


def _sum(data: bytes) -> bytes:
    return b"%08x" % crc32(data)


def line_of(row: Row) -> bytes:
    """A row as it stands in the list, without a line break."""
    values = [getattr(row, name) for name in Row.__slots__]
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode()


def id_of(line: bytes) -> str:
    """The id alone, without parsing the line. Raises ValueError."""
    return line[2:12].decode("ascii")


def row_of(line: bytes) -> Row:
    """The row that stands in a line of the list."""
    told: list[Any] = [tuple(value) if isinstance(value, list) else value for value in json.loads(line)]
    return Row(*told)


def headings(lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """The id and the heading in each line, without making rows."""
    for start in range(0, len(lines), _TOGETHER):
        for id, heading, *_ in json.loads(b"[%b]" % b",".join(lines[start : start + _TOGETHER])):
            yield id, heading


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
