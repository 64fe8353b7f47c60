"""Untrusted text into safe text: what is stored, and what may be drawn."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_BREAKS: Final = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSAFE: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, but for LF
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of text
    "\u2028\u2029\ufeff\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"  # no text at all
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` as a library stores it: NFC, LF for every line break, no control or bidi character.

    A tab becomes a space and a lone surrogate U+FFFD; nothing else is changed.
    """
    text = _BREAKS.sub("\n", text).replace("\t", " ")
    text = _SURROGATE.sub("\ufffd", _UNSAFE.sub("", text))
    return unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """`text` on one line, each LF a space, so that offsets stay what they were."""
    return text.replace("\n", " ")


def drawable(text: str) -> str:
    """`text` for one row of the screen, of the same length: whatever could act on a terminal is a space.

    For text that has not been through `clean` (a file's name, an error of the system) and as the
    last gate before a strip.
    """
    return _SURROGATE.sub("\ufffd", _UNSAFE.sub(" ", text.replace("\n", " ")))


@lru_cache(4096)
def tag_name(text: str) -> str:
    """A tag as it is kept: cleaned, in lower case, single spaces, no empty piece between its slashes,
    no comma, which parts tags in the editor.

    A # before it is how people write one, and no part of it.
    """
    pieces = (
        " ".join(piece.split())
        for piece in clean(clean(text).lower()).replace(",", " ").lstrip("# \n").split("/")
    )
    return "/".join(filter(None, pieces))
