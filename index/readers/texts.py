"""The texts of a record as they are kept: names as "Given Family", titles on one line, abstracts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from index.readers.mojibake import cleaned

_SUFFIX: Final = re.compile(r"(?:(?i:jr|sr|ph\.?d|md|m\.d)|II|III|IV|VI{1,3})\.?")
_OTHERS: Final = frozenset(("others", "et al", "et al.", "..."))


def shown(name: str) -> str:
    """A name as "Given Family", from that or from "Family, Given" or "Family, Jr, Given"."""
    name = line(name)
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) == 2 and not _SUFFIX.fullmatch(parts[1]):
        return f"{parts[1]} {parts[0]}"
    if len(parts) == 3 and _SUFFIX.fullmatch(parts[1]):
        return f"{parts[2]} {parts[0]}, {parts[1]}"
    return name


def joined(given: str, family: str, suffix: str = "") -> str:
    """The parts of a name as it is shown."""
    name = line(f"{given} {family}")
    return f"{name}, {line(suffix)}" if suffix else name


def each(names: Iterable[str]) -> tuple[str, ...]:
    """Names as they are shown, without the empty ones and without "others"."""
    found = (shown(name) for name in names)
    return tuple(name for name in found if name and name.lower() not in _OTHERS)


def line(text: str) -> str:
    """Text from outside on one line, with single spaces."""
    return " ".join(cleaned(text).split())


def text_of(text: str) -> str:
    """An abstract as it came, cleaned, without the space around it and around its lines."""
    return "\n".join(part.strip(" ") for part in cleaned(text).split("\n")).strip()
