"""What lies packed in a file, or in a folder: the plain files, one by one, unpacked as they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from index.readers.broken import BrokenFileError
from index.readers.decoding import Joined

MOST: Final = 100 << 20
RATIO: Final = 200
"""What is unpacked may have `MOST` bytes, and then `RATIO` for each packed one: text has 20 at most."""
MOST_FILES: Final = 10_000
"""Files that an archive may hold."""
_ENCRYPTED: Final = 1
_HEAD: Final = 6
_STREAMS: Final[dict[bytes, Callable[[BinaryIO], Any]]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_ZIPS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_PACKED: Final = (*_STREAMS, *_ZIPS)
_OTHERS: Final = {
    b"%PDF": "a PDF; postil reads lists of papers",
    b"7z\xbc\xaf\x27\x1c": "packed by 7-Zip; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed by zstd; unpack it first",
}
_TROUBLE: Final = (
    EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, zipfile.LargeZipFile,
    NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
"""What the packers raise for a file that is no good."""


@dataclass(frozen=True, slots=True)
class Part:
    """A plain file that lies in another: its name there, empty where it is no archive, and its bytes.

    They are to be read before the next part is asked for. Opening and reading raise BrokenFileError.
    """

    name: str
    opened: Callable[[], BinaryIO]


def files_in(folder: str) -> Iterator[str]:
    """The files in a folder and its folders, by name, but not hidden ones, nor through links to folders.

    Raises OSError where a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    for path, below, names in os.walk(folder, onerror=refuse):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (str(Path(path, name)) for name in sorted(names) if not name.startswith("."))


def parts(stream: BinaryIO) -> Iterator[Part]:
    """The plain files in `stream`, unpacked as they are read, so that memory does not grow with them.

    Raises BrokenFileError for what is damaged, encrypted, packed twice, or far larger than any list once it
    is unpacked. Nothing is written but to a file without a name, for an archive that cannot be wound back.
    """
    try:
        head = stream.read(_HEAD)
    except OSError as error:
        raise BrokenFileError(f"cannot be read: {error.strerror or error}") from error
    for begins, what in _OTHERS.items():
        if head.startswith(begins):
            raise BrokenFileError(what)
    if head.startswith(_ZIPS):
        yield from _members(head, stream)
        return
    whole = Joined(head, stream)
    plain = io.BufferedReader(whole)
    packer = next((packer for begins, packer in _STREAMS.items() if head.startswith(begins)), None)
    if packer is None:
        yield Part("", lambda: plain)
    else:
        unpacked = _Unpacked(packer(plain), _Allowance(lambda: whole.given))
        yield Part("", lambda: io.BufferedReader(unpacked))


def _members(head: bytes, stream: BinaryIO) -> Iterator[Part]:
    """The files of a zip archive, but not those that are hidden."""
    with tempfile.TemporaryFile() as copy:
        archive: IO[bytes] = stream
        if not stream.seekable():
            archive = copy
            copy.write(head)
            shutil.copyfileobj(stream, copy)
        try:
            packed = zipfile.ZipFile(archive)
        except _TROUBLE as error:
            raise _broken(error) from error
        members = [one for one in packed.infolist() if not (one.is_dir() or _hidden(one.filename))]
        if len(members) > MOST_FILES:
            raise BrokenFileError(f"it holds {len(members):,} files; postil reads {MOST_FILES:,} at most")
        size = archive.seek(0, io.SEEK_END)
        allowance = _Allowance(lambda: size)

        def opened(member: zipfile.ZipInfo) -> BinaryIO:
            if member.flag_bits & _ENCRYPTED:
                raise BrokenFileError("it is encrypted; unpack it first")
            try:
                return io.BufferedReader(_Unpacked(packed.open(member), allowance))
            except _TROUBLE as error:
                raise _broken(error) from error

        for member in members:
            yield Part(member.filename, partial(opened, member))


def _hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or any(
        part.startswith(".") and part.strip(".") for part in name.split("/")
    )


def _broken(error: BaseException) -> BrokenFileError:
    said = " ".join(str(error).split())[:100] or "it is cut off"
    return BrokenFileError(f"cannot be unpacked: {said}")


class _Allowance:
    """How much may still be unpacked of one file, which may be made to fill a disk."""

    def __init__(self, packed: Callable[[], int]) -> None:
        self._packed = packed
        self._given = 0

    def take(self, size: int) -> None:
        """Count so many bytes. Raises BrokenFileError."""
        self._given += size
        if self._given > MOST and self._given > RATIO * self._packed():
            raise BrokenFileError(
                f"it unpacks to more than {RATIO} times its size, as no list of papers does"
            )


class _Unpacked(io.RawIOBase):
    """What a packer gives, as far as that is allowed; whatever it raises comes as BrokenFileError."""

    def __init__(self, packer: IO[bytes], allowance: _Allowance) -> None:
        self._packer, self._allowance = packer, allowance
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._packer.read(len(buffer))
        except _TROUBLE as error:
            raise _broken(error) from error
        if not self._begun and data.startswith(_PACKED):
            raise BrokenFileError("packed twice; unpack it first")
        self._begun = True
        self._allowance.take(len(data))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packer.close()
        super().close()
