"""UTF-8 that was read as Windows-1252 (`DvoÅ™Ã¡k`, `itâ€™s`), put right where nothing else can be meant."""

from __future__ import annotations

import re
from typing import Final

from index.clean import clean

_AS_BYTES: Final = {
    **{byte: byte for byte in range(0x80, 0x100)},  # what Windows-1252 leaves undefined is kept as it is
    **{ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)): byte for byte in range(0x80, 0xA0)},
}
_RUN: Final = re.compile("[\u0080-\U0010ffff]+")
_MEANT: Final = re.compile(
    "[\u00a0-\u024f\u0370-\u03ff\u2010-\u206f\u2070-\u22ff\u25a0-\u25ff\ufb00-\ufb06]+"
)
"""What texts of Latin script hold: letters with accents, Greek, quotes and dashes, signs of mathematics."""
_SURE: Final = re.compile("[ÂÃ][^\u2010-\u203a«»]|â..")
"""What nobody writes: by it the mistake is known. `Å°` may be meant, and a capital before a quote."""


def cleaned(text: str) -> str:
    """Text from outside, repaired and then made safe."""
    return clean(repaired(text))


def repaired(text: str) -> str:
    """`text` with what it was before, if every character beyond ASCII in it comes of that one mistake.

    A text with one character that does not is left as it is, and so is one in which all of it may be meant.
    """
    if text.isascii():
        return text
    runs = _RUN.findall(text)
    told = [_decoded(run) for run in runs]
    if None in told or not any(map(_SURE.search, runs)):
        return text
    each = iter(told)
    return _RUN.sub(lambda _: str(next(each)), text)


def _decoded(run: str) -> str | None:
    try:
        found = bytes(_AS_BYTES[ord(char)] for char in run).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        return None
    return found if _MEANT.fullmatch(found) else None
