"""JSON values one after the other: from an array, from a list within an object, from JSON Lines.

A value is read whole, the file is not: memory is bounded by the longest value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers.broken import BrokenFileError

LONGEST: Final = 2_000_000
"""Characters of one value; what is longer is no record."""
CHUNK: Final = 1 << 16
_LISTS: Final = ("papers", "items", "data", "results", "entries", "articles", "records", "references")
"""Names under which an object holds the list of its records."""
_OF_ONE: Final = frozenset(("title", "abstract", "summary", "paper"))
"""What one record has; then only `papers` is a list of others."""
_LIST: Final = re.compile(rf'"(?:{"|".join(_LISTS)})"\s*:\s*\[')
_BETWEEN: Final = re.compile(r"[\s,]*")
_KEY: Final = re.compile(r"""["']([A-Za-z_-]{1,40})["']\s*:""")
_CUT: Final = 40
"""So near to the end of what is held, what is no JSON may be JSON that is cut off."""
_DIGITS: Final = 18
"""Of a number; a longer one says nothing about a paper, and takes long to read."""


def keys(head: str) -> frozenset[str]:
    """The names of fields in the beginning of a file, if that is JSON."""
    return frozenset(_KEY.findall(head)) if head.lstrip()[:1] in ("[", "{") else frozenset()


def read(text: TextIO, record: Callable[[int, Any], Record | Problem | None]) -> Iterator[Record | Problem]:
    """What `record` makes of each value and its position; None is no record, and has no position."""
    position = 1
    for value in values(text):
        found = Problem(0, value) if isinstance(value, _Fault) else record(position, value)
        if found is not None:
            yield found
            position += found.position > 0


class _Fault(str):
    """What is wrong where a value was expected."""

    __slots__ = ()


class _Source:
    """The text not yet read, as much of it as is needed."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.held = ""
        self.at = 0
        """Characters of what is held that are done with."""
        self.before = 0
        """Characters before what is held."""
        self.ended = False

    @property
    def left(self) -> int:
        """How many characters are held and not done with."""
        return len(self.held) - self.at

    def more(self) -> bool:
        """Hold twice as much, at least a chunk more; False at the end."""
        piece = self._text.read(max(CHUNK, self.left))
        self.held = self.held[self.at :] + piece
        self.before, self.at = self.before + self.at, 0
        self.ended = not piece
        return bool(piece)


def values(text: TextIO) -> Iterator[Any]:
    """The values, and a `_Fault` for each place that holds none."""
    source = _Source(text)
    depth, first = 0, True
    while True:
        _pass(source, _BETWEEN)
        if not source.left:
            if depth:
                raise BrokenFileError("it ends in the middle of a list")
            return
        char = source.held[source.at]
        if char == "[" and first:
            depth, first = 1, False
            source.at += 1
        elif char == "]":
            depth = 0
            source.at += 1
        elif depth == 0 and char not in "{[":
            if not first or not _next_line(source):
                return  # what follows the list, or no JSON
        else:
            first = False
            found = _value(source)
            if depth == 0 and isinstance(found, dict) and (listed := _listed(found)) is not None:
                yield from listed
            elif isinstance(found, _Fault):
                within = None if depth else _LIST.search(source.held, source.at)
                if within:  # an object too long to be one record: its list is read value by value
                    source.at = within.end()
                    depth = 1
                else:
                    yield found
                    if not _next_line(source):
                        return
            else:
                yield found


def _value(source: _Source) -> Any:
    """The value that comes next, or what is wrong with it; that one is not passed over."""
    while True:
        try:
            value, end = _DECODER.raw_decode(source.held, source.at)
        except RecursionError:
            return _Fault("nested too deeply")
        except ValueError as error:
            place, what = getattr(error, "pos", source.at), getattr(error, "msg", str(error))
            cut = place > len(source.held) - _CUT or "Unterminated" in what or what == str(error)
            if cut and source.left < LONGEST and source.more():
                continue
            at = source.before + place + 1
            return _Fault(
                f"longer than {LONGEST:,} characters, or not JSON" if cut and not source.ended
                else f"not JSON at character {at}: {what[:80]}"
            )  # fmt: skip
        if end == len(source.held) and not source.ended and source.more():
            continue  # a number, which may go on
        source.at = end
        return value


def _listed(value: Mapping[str, Any]) -> list[Any] | None:
    """The records within an object that holds a list of them; Crossref's answers hold one in `message`."""
    if isinstance(inner := value.get("message"), dict):
        value = inner
    for name in _LISTS if not _OF_ONE.intersection(value) else _LISTS[:1]:
        found = value.get(name)
        if isinstance(found, list) and all(isinstance(one, dict | str) for one in found):
            return found
        if isinstance(found, dict) and name == "papers":  # a table, as postil's own format has
            return list(found.values())
    return None


def _pass(source: _Source, pattern: re.Pattern[str]) -> None:
    """Pass over what matches, and have something held if there is something."""
    while True:
        found = pattern.match(source.held, source.at)
        source.at = found.end() if found else source.at
        if source.left or not source.more():
            return


def _next_line(source: _Source) -> bool:
    """Pass over the rest of the line; False when none follows that could begin a value."""
    while True:
        at = source.held.find("\n{", source.at)
        if at >= 0:
            source.at = at + 1
            return True
        source.at = max(source.at, len(source.held) - 1)
        if not source.more():
            source.at = len(source.held)
            return False


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


_DECODER: Final = json.JSONDecoder(
    parse_int=_number, parse_constant=lambda _name: None, parse_float=lambda told: float(told[:40])
)
