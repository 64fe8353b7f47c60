"""A note as a file for another editor: below it the abstract, in a comment that is no part of it."""

from __future__ import annotations

import codecs
import os
import re
import textwrap
from pathlib import Path
from typing import Final

from index import files
from index.clean import clean

BEGIN: Final = "<!-- postil: the abstract, to read while you write; this comment is no part of the note"
END: Final = "-->"
MOST: Final = 4_000_000
"""Bytes of a file that is read back."""
MEASURE: Final = 72
"""Characters in a line of the abstract."""


def place(folder: Path, paper: str) -> Path:
    """Where the note about `paper` lies while this process has it edited."""
    return folder / f"draft.{os.getpid()}.{paper}.md"


def write(path: Path, note: str, heading: str, abstract: str) -> None:
    """Put a note and the comment in a file that only its owner reads. Raises OSError."""
    files.replace(path, [text(note, heading, abstract).encode("utf-8", "replace")])


def read(path: Path) -> str:
    """The note in a file that an editor wrote, without the comment. Raises OSError."""
    with files.opened(path) as source:
        data = source.read(MOST + 1)
    if len(data) > MOST:
        raise OSError(f"it is larger than {MOST // 1_000_000} MB")
    return note_in(data)


def text(note: str, heading: str, abstract: str) -> str:
    """What the editor is given."""
    quoted = "\n\n".join(filter(None, map(_quoted, (heading, abstract))))
    return f"{note.strip()}\n\n{BEGIN}\n\n{quoted}\n\n{END}\n"


def note_in(data: bytes) -> str:
    """The note in what an editor wrote: cleaned, without the comment, and without blank lines around it.

    Where the comment has lost its end, nothing is taken off.
    """
    text = clean(_decoded(data))
    begin = text.rfind(BEGIN)
    end = text.find(END, begin + len(BEGIN))
    if begin >= 0 and end >= 0:
        parts = text[:begin].strip(), text[end + len(END) :].strip()
        text = "\n\n".join(filter(None, parts))
    return text.strip()


def _quoted(text: str) -> str:
    """`text` in lines, none of which ends the comment."""
    return textwrap.fill(re.sub("-(?=-)", "- ", text), MEASURE, break_on_hyphens=False)


def _decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 where the file says so; a byte that is neither is taken as cp1252."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    text = data.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda bad: _byte(bad[0]), text)


def _byte(character: str) -> str:
    return bytes([ord(character) - 0xDC00]).decode("cp1252", "replace")
