"""Sets a reading list down: to text, or to a file that is postil's own to replace."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from index import files, state, writers
from index.writers import ReadingList

FORMATS: Final = tuple(writers.FORMATS)
ENDINGS: Final = writers.ENDINGS
LOST: Final = writers.LOST


class NotOursError(Exception):
    """The file exists and is not as postil left it; one line says so and what to do."""


def text(papers: ReadingList, format: str) -> Iterable[str]:
    """The list in `format`, in pieces. Raises ValueError for a format that is not known."""
    if format not in writers.FORMATS:
        raise ValueError(f"unknown format {format!r}; known are: {', '.join(FORMATS)}")
    return writers.FORMATS[format](papers)


def to_file(papers: ReadingList, format: str, path: Path, memory: Path, *, replace: bool = False) -> None:
    """Write the list to `path`, whole or not at all.

    A file that is there already is replaced only when its bytes are those that an export left (`memory`
    is the state file that knows), or when `replace` says so. Raises NotOursError, ValueError, OSError.
    """
    path = path.expanduser().absolute()
    written = state.load(memory).get("exports", {})
    if path.is_dir():
        raise NotOursError(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise NotOursError(f"{path} is no plain file; name another")
    if path.exists() and not replace and written.get(str(path)) != _digest(path.read_bytes()):
        overrides = "`postil export --replace` overrides"
        raise NotOursError(f"{path} is not as an export left it; choose another name ({overrides})")
    data = _data(papers, format)
    files.replace(path, data)
    state.save(memory, exports={**written, str(path): _digest(*data)})


def to_new_file(papers: ReadingList, format: str, path: Path) -> None:
    """Write the list to `path`, where nothing is yet, whole or not at all. Raises NotOursError, OSError."""
    if os.path.lexists(path):
        raise NotOursError(f"{path} exists already; choose another name")
    files.replace(path, _data(papers, format))


def _data(papers: ReadingList, format: str) -> list[bytes]:
    """The list in UTF-8: as one `str` it would take four times the room for the sake of one rare letter."""
    return [piece.encode("utf-8", "replace") for piece in text(papers, format)]


def _digest(*data: bytes) -> str:
    digest = blake2b(digest_size=16)
    for piece in data:
        digest.update(piece)
    return digest.hexdigest()
