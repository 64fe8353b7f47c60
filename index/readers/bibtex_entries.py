"""The entries of a BibTeX file, one after the other, as their fields stand there.

A reader of our own: the entries of a file of any size, each as soon as it has ended; an entry whose braces
do not match costs itself alone; entries that share a key are all kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TextIO

LONGEST: Final = 2_000_000
"""Characters of one entry."""
_BEGIN: Final = re.compile(r"@[ \t]*([A-Za-z][\w-]*)\s*([{(])")
_AT_START: Final = re.compile(
    r"[ \t]*@[ \t]*(?:[A-Za-z]\w+)[ \t]*[{(][ \t]*(?:[^\s,={}()\"]+[ \t]*(?:,|=)|$)"
)
_SIGN: Final = re.compile(r"\\.|[{}()\"]", re.DOTALL)
_NAME: Final = re.compile(r"""[\s,]*([^\s=,{}"#()%][^=,{}"#%]*?)\s*=\s*""")
_END: Final = "the end of the file"
_BARE: Final = re.compile(r"""[^\s,#{}"]+""")
_JOINT: Final = re.compile(r"\s*#\s*")
_KEY: Final = re.compile(r"\s*([^,={}\"]*?)\s*(?:,|$)")
MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


@dataclass(slots=True)
class Entry:
    """One entry: its type in lower case, its key, its fields by their names in lower case, undecoded."""

    type: str
    key: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    """What is wrong with it, where it could not be read."""
    cut: bool = False
    """Whether the file ends in it."""


def entries(text: TextIO) -> Iterator[Entry]:
    """The entries but for comments, preambles and strings; those with a fault too."""
    strings = {name: name for name in MONTHS}
    for kind, body, fault in _cut(text):
        if kind in ("comment", "preamble"):
            continue
        if fault:
            yield Entry(kind, fault=fault, cut=fault.endswith(_END))
        elif kind == "string":
            strings.update(list(_fields(body, 0, strings)))
        else:
            yield _entry(kind, body, strings)


class _Open:
    """An entry that has begun: what of it was read, and how deep in braces we are."""

    def __init__(self, kind: str, opened: str) -> None:
        self.kind = kind
        self._round = opened == "("
        self._parts: list[str] = []
        self._size = 0
        self.depth = 1
        self._quoted = False

    def feed(self, line: str) -> int:
        """Take a line in; where in it the entry ends, -1 when it does not."""
        end = -1
        for sign in _SIGN.finditer(line):
            self._see(sign[0])
            if self.depth == 0:
                end = sign.start()
                break
        self._size += len(line)
        if self._size <= LONGEST:
            self._parts.append(line if end < 0 else line[:end])
        return end

    def _see(self, sign: str) -> None:
        if sign == '"':
            self._quoted ^= self.depth == 1
        elif sign == ")":
            self.depth -= self._round and self.depth == 1 and not self._quoted
        elif sign != "(":
            self.depth += (sign == "{") - (sign == "}")

    def read(self, where: str = "") -> tuple[str, str, str]:
        """Type and body, and what is wrong: it has not ended before `where`, unless by the other sign."""
        body = "".join(self._parts)
        fault = "" if self._size <= LONGEST else f"longer than {LONGEST:,} characters"
        if where and not (self.depth == 1 and body.rstrip().endswith(")")):
            fault = f"its braces do not match before {where}"
        return self.kind, body, fault


def _cut(text: TextIO) -> Iterator[tuple[str, str, str]]:
    """Type and body of each entry, and what is wrong where it does not end."""
    entry: _Open | None = None
    number = 0
    while line := text.readline(LONGEST):
        number += 1
        if entry and _AT_START.match(line) and (entry.kind != "comment" or entry.depth == 1):
            yield entry.read(f"line {number}")
            entry = None
        while line:
            if not entry:
                found = _BEGIN.search(line)
                if not found or "%" in line[: found.start()]:
                    break
                entry, line = _Open(found[1].lower(), found[2]), line[found.end() :]
            end = entry.feed(line)
            if end < 0:
                break
            yield entry.read()
            entry, line = None, line[end + 1 :]
    if entry:
        yield entry.read(_END)


def _entry(kind: str, body: str, strings: dict[str, str]) -> Entry:
    found = _KEY.match(body)
    key, start = (found[1], found.end()) if found else ("", 0)
    entry = Entry(kind, key)
    for name, value in _fields(body, start, strings):
        entry.fields.setdefault(name, value)
    return entry


def _fields(body: str, at: int, strings: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Names and values; what is neither is passed over up to the next comma."""
    while at < len(body):
        found = _NAME.match(body, at)
        if not found:
            comma = body.find(",", at + 1)
            at = comma if comma >= 0 else len(body)
            continue
        value, at = _value(body, found.end(), strings)
        yield " ".join(found[1].lower().split()), value


def _value(body: str, at: int, strings: dict[str, str]) -> tuple[str, int]:
    """The value at a place, joined from its parts, and where it ends."""
    parts = []
    while at < len(body):
        if body[at] in '{"':
            end = _closing(body, at)
            parts.append(body[at + 1 : end])
            at = end + 1
        elif bare := _BARE.match(body, at):
            parts.append(strings.get(bare[0].lower(), bare[0]))
            at = bare.end()
        else:
            break
        joint = _JOINT.match(body, at)
        if not joint:
            break
        at = joint.end()
    return "".join(parts), at


def _closing(body: str, at: int) -> int:
    """Where the value ends that begins at a brace or a quote."""
    depth, quote = 0, body[at] == '"'
    for sign in _SIGN.finditer(body, at + quote):
        if sign[0] == "{":
            depth += 1
        elif sign[0] == "}":
            depth -= 1
            if depth == 0 and not quote:
                return sign.start()
        elif sign[0] == '"' and quote and depth <= 0:
            return sign.start()
    return len(body)
