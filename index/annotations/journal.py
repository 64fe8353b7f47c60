"""annotations.journal: a line for each changed document, checked by its CRC-32, after a header.

The header names the snapshot (annotations.json) that the lines go on from. A line `publish` names the one
that is about to take its place, so that a kill between the two files leaves no doubt: lines that it holds
already are told by their number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from index.annotations.migration import SCHEMA

Document: TypeAlias = Mapping[str, Any]
Tables: TypeAlias = dict[str, dict[str, Any]]

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Entry:
    """One document as a change left it; None when it was deleted. `line` is what the journal holds."""

    seq: int
    table: str
    id: str
    document: Document | None
    line: bytes

    @classmethod
    def of(cls, seq: int, table: str, id: str, document: Document | None) -> Entry:
        entry = {"seq": seq, "table": table, "id": id, "document": document}
        return cls(seq, table, id, document, _line(entry))


@dataclass(slots=True)
class Journal:
    """What a journal, or a piece of one, holds; `size` bytes of it are whole lines."""

    snapshot: str | None = None
    """Of the header; None where there is none that can be read."""
    machine: str = ""
    """Stays the same from one journal to the next on one machine, and no other machine has it."""
    schema: int = SCHEMA
    seq: int = 0
    """Of the header: lines go on from this number, where the snapshot came from another machine."""
    publishing: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    damaged: list[bytes] = field(default_factory=list)
    repaired: int = 0
    """How many of the damaged lines could be put right."""
    torn: bytes = b""
    size: int = 0

    def goes_on_from(self, snapshot: str) -> bool:
        """Whether the lines belong to the snapshot with this hash."""
        return snapshot == self.snapshot or snapshot in self.publishing


def header(snapshot: str, machine: str, seq: int = 0) -> bytes:
    """The first line of a journal that goes on from `snapshot`, or from `seq` where that is further on."""
    told = {"snapshot": snapshot, "schema": SCHEMA, "machine": machine}
    return _line({**told, "seq": seq} if seq else told)


def publishing(snapshot: str) -> bytes:
    """The line that says that annotations.json is about to be replaced by `snapshot`."""
    return _line({"publish": snapshot})


def parsed(data: bytes) -> Journal:
    """A journal, or a piece of one that begins with a line. Never raises: what is damaged is told apart.

    One wrong byte in a line is put right, whichever it is, one that ends or joins lines too.
    """
    journal = Journal()
    *lines, journal.torn = data.split(b"\n")
    journal.size = len(data) - len(journal.torn)
    place = 0
    while place < len(lines):
        line, following = lines[place], lines[place + 1 : place + 2]
        place += 1
        if _take(journal, line):
            continue
        journal.damaged.append(line)
        head, rest = _apart(line)
        if any(_take(journal, good) for good in _repaired(line)):
            journal.repaired += 1
        elif rest and _take(journal, head):  # what ended the line is wrong
            journal.repaired += 1
            lines.insert(place, rest[1:])
        elif following and any(_take(journal, good) for good in _repaired(line + b"\n" + following[0])):
            journal.repaired += 1
            place += 1
    if _take(journal, _apart(journal.torn)[0]):
        journal.damaged.append(journal.torn)
        journal.repaired += 1
        journal.size, journal.torn = len(data), b""
    return journal


def played(tables: Tables, entries: Iterable[Entry]) -> Tables:
    """New tables, with the documents of `entries` set in `tables`."""
    new = {name: dict(table) for name, table in tables.items()}
    for entry in entries:
        table = new.setdefault(entry.table, {})
        if entry.document is None:
            table.pop(entry.id, None)
        else:
            table[entry.id] = entry.document
    return new


def _line(value: Mapping[str, Any]) -> bytes:
    """A lone surrogate is written as its JSON escape."""
    data = _encode(value).encode("utf-8", "backslashreplace")
    return b"%08x %s\n" % (zlib.crc32(data), data)


def _take(journal: Journal, line: bytes) -> bool:
    """Take in a line; whether it could be."""
    data = line[9:]
    if line[:9] != b"%08x " % zlib.crc32(data):
        return False
    try:
        value = json.loads(data)
        if "publish" in value:
            journal.publishing.append(str(value["publish"]))
        elif "snapshot" in value:
            journal.snapshot, journal.schema = str(value["snapshot"]), int(value["schema"])
            journal.machine, journal.seq = str(value.get("machine", "")), int(value.get("seq", 0))
        else:
            document = value["document"]
            if type(value["seq"]) is not int or not isinstance(document, dict | None):
                return False
            entry = Entry(value["seq"], str(value["table"]), str(value["id"]), document, line + b"\n")
            journal.entries.append(entry)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return False
    return True


def _repaired(line: bytes) -> Iterator[bytes]:
    """What a damaged line was, if one byte of it is wrong."""
    data = line[9:]
    yield (
        b"%08x %s" % (zlib.crc32(data), data) if _differ(line[:9], b"%08x " % zlib.crc32(data)) == 1 else b""
    )
    try:
        place, flip = _error(int(line[:8], 16) ^ zlib.crc32(data), len(data))
    except ValueError:
        return
    yield line[: 9 + place] + bytes([data[place] ^ flip]) + data[place + 1 :]


def _apart(line: bytes) -> tuple[bytes, bytes]:
    """What looks like a whole line at the beginning of this one, and what follows it."""
    text = line.decode("utf-8", "surrogateescape")
    try:
        _, end = json.JSONDecoder().raw_decode(text, 9)
    except (ValueError, RecursionError):
        return b"", line
    head = text[:end].encode("utf-8", "surrogateescape")
    return head, line[len(head) :]


def _differ(one: bytes, other: bytes) -> int:
    return sum(a != b for a, b in zip(one, other, strict=False))


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xEDB88320 if byte & 1 else 0)
        table.append(byte)
    return table


def _error(syndrome: int, length: int) -> tuple[int, int]:
    """The place of the one wrong byte and the bits that are wrong in it; ValueError where there is none such.

    `syndrome` is the CRC-32 that was written XOR that of the `length` bytes that are there. A CRC is
    linear: stepped back from the end, the syndrome becomes that of the wrong byte alone.
    """
    table = _table()
    byte_of = {value: byte for byte, value in enumerate(table)}
    top = {value >> 24: byte for byte, value in enumerate(table)}
    for place in range(length - 1, -1, -1):
        if syndrome in byte_of:
            return place, byte_of[syndrome]
        last = top[syndrome >> 24]
        syndrome = (syndrome ^ table[last]) << 8 & 0xFFFFFFFF | last
    raise ValueError("more than one byte is wrong")
