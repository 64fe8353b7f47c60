"""The screen in ASCII, for a terminal that shows nothing else: each character in as many cells as it had."""

from __future__ import annotations

import locale
import os
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from rich.cells import get_character_cell_size

from tui.draw import SIGNS

_LIKE: Final = {
    "-": "─━═╌╍┄┈▔▀‐‑‒–—―−",
    "|": "│┃║╎╏┆┊▏▕▎▍▋▊▉▐",
    "#": "█",
    " ": "▁▂▃▄▅▆▇",  # the ends of a scrollbar, which are told by their colours
    "'": "‘’‚‛′",
    '"': "“”„‟″«»",
    "x": "×",
    "<": "←≤",
    ">": "→≥",
    "^": "↑",
    "v": "↓",
    "*": "•",
}
_ASCII: Final = {
    **{like: sign for sign, likes in _LIKE.items() for like in likes},
    **dict(SIGNS.values()),
}
_JOINED: Final = re.compile("\u200d.")
"""What is drawn as one with what stands before it."""


def plain(text: str) -> str:
    """`text` in ASCII: a sign that looks alike, a letter without its accent, else `?`."""
    return text if text.isascii() else _JOINED.sub("", text).translate(_TABLE)


class _Table(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = _plain(chr(code))
        return self[code]


def _plain(character: str) -> str:
    width = get_character_cell_size(character)
    if character.isascii() or width == 0:
        return character if character.isascii() else ""
    bare = _ASCII.get(character, "+" if "─" <= character <= "▟" else "")
    bare = bare or "".join(filter(str.isascii, unicodedata.normalize("NFKD", character)))
    return bare.ljust(width) if bare and len(bare) <= width else "?" * width


_TABLE: Final = _Table()


def ascii_wanted(setting: bool | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to show ASCII only: as POSTIL_ASCII says, else `setting`, else as the terminal needs it."""
    if told := environ.get("POSTIL_ASCII", "").lower():
        return told not in ("0", "no", "off", "false")
    if setting is not None:
        return setting
    if re.match(r"linux|vt\d|ansi", environ.get("TERM", "")):
        return True
    try:
        "".join(sign for sign, _ in SIGNS.values()).encode(locale.getencoding())
    except (UnicodeEncodeError, LookupError):
        return True
    return False
