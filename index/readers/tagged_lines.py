"""Records of lines that begin with a tag: RIS, Web of Science's plain text, PubMed's nbib.

Tolerant of what exporters do: a missing end mark, one space for two, tags in lower case, lines between
records, values that go on in the next line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol, TypeAlias

from index.papers import Problem, Record

LONGEST: Final = 2_000_000
"""Characters of one record; what is longer is none."""
Fields: TypeAlias = dict[str, list[str]]
Tag: TypeAlias = re.Pattern[str]
"""Matches the beginning of a line that holds a tag: its first group the tag, its second the value."""
Make: TypeAlias = Callable[[int, "Fields"], Record | Problem]


class Lines(Protocol):
    """What gives one line after the other, each cut off at so many characters."""

    def readline(self, size: int, /) -> str: ...


def read(
    text: Lines, tag: Tag, begins: str, ends: str, make: Make, joint: str = " "
) -> Iterator[Record | Problem]:
    """What `make` makes of each record: from a line tagged `begins` to one tagged `ends`, or the next one.

    Lines outside of records are passed over; `joint` stands where a value goes on in the next line.
    """
    position, size = 0, 0
    fields: Fields | None = None
    last: list[str] | None = None
    while line := text.readline(LONGEST + 2):
        size += len(line)
        found = tag.match(line)
        name = found[1].upper() if found else ""
        if name == begins:
            if fields is not None:
                position += 1
                yield _made(position, fields, size - len(line), make)
            fields, size, last = {}, len(line), None
        if fields is None:
            continue
        if name and name == ends:
            position += 1
            yield _made(position, fields, size, make)
            fields, last = None, None
        elif size > LONGEST:
            last = None
        elif found:
            last = fields.setdefault(name, [])
            last.append(found[2].strip())
        elif last and line.strip():
            last[-1] = f"{last[-1]}{joint}{line.strip()}".strip()
        elif last and name == "":
            last[-1] += "\n" if last[-1] else ""
    if fields is not None:
        yield _made(position + 1, fields, size, make)


def _made(position: int, fields: Fields, size: int, make: Make) -> Record | Problem:
    if size > LONGEST:
        return Problem(position, f"longer than {LONGEST:,} characters: no record")
    return make(position, fields)


def first(fields: Mapping[str, list[str]], *tags: str) -> str:
    """The first value that is not empty, of the first of the tags that has one."""
    return next((value for tag in tags for value in fields.get(tag, ()) if value.strip()), "")


def every(fields: Mapping[str, list[str]], *tags: str) -> list[str]:
    """The values of the tags that are not empty."""
    return [value for tag in tags for value in fields.get(tag, ()) if value.strip()]
