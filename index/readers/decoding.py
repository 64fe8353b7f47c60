"""Bytes of an unknown encoding into text: BOM, then UTF-16 by its zeros, then UTF-8, then cp1252."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, Final, TextIO

HEAD: Final = 1 << 16
"""Bytes looked at to tell the encoding and the format."""

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes that are no UTF-8 as cp1252, in which every list seen so far was written then."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(_cp1252(byte) for byte in wrong), error.end


def _cp1252(byte: int) -> str:
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return "\ufffd"


codecs.register_error("postil-cp1252", _as_cp1252)


def encoding_of(head: bytes) -> str:
    """The encoding that `head`, the first bytes of a file, is in."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 4:
        return "utf-16-be" if even > odd else "utf-16-le"
    return "utf-8"


def opened(stream: BinaryIO, head: bytes) -> TextIO:
    """The text of `stream`, which begins with `head` (already read from it), with LF for every line end."""
    encoding = encoding_of(head)
    errors = "postil-cp1252" if encoding.startswith("utf-8") else "replace"
    return io.TextIOWrapper(io.BufferedReader(Joined(head, stream)), encoding=encoding, errors=errors)


class Joined(io.RawIOBase):
    """`head` and then the rest of `stream`, for a stream that cannot be wound back."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = memoryview(head)
        self._stream = stream
        self.given = 0
        """Bytes that were read so far."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data: bytes | memoryview = self._head[: len(buffer)]
        if data:
            self._head = self._head[len(data) :]
        else:
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.given += len(data)
        return len(data)
