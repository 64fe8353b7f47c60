"""How postings lie on disk: Whoosh's third codec, but for the postings themselves.

Whoosh stores them in pickled blocks of 128, and each place list is a pickle of its own. Here the postings of
a form are three arrays of 32-bit numbers: who holds it, how often, and where. Its dictionary of forms is
read through a memory map, a form by bisection and a prefix from its first form on.
"""

from __future__ import annotations

import mmap
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, chain
from operator import sub
from typing import Any, Final, NamedTuple

from whoosh.codec.whoosh3 import W3Codec
from whoosh.matching import ListMatcher

_NUMBER: Final = "I"  # four bytes wherever Python runs
_HEAD: Final = struct.Struct("=II?")  # papers, bytes of the first part, whether both are compressed
_LEAST: Final = 96  # bytes that are worth compressing
_LENGTHS: Final = struct.Struct("!ii")  # of a key of the dictionary and of its value
_FIELD: Final = struct.Struct("!H")  # begins each key
_INFO: Final = struct.Struct("!BfIBBfIIqi")  # the value, as W3TermInfo writes it

Coded = tuple[bytes, bool]
"""Places as they are stored, and whether compressed."""


class Codec(W3Codec):  # type: ignore[misc]
    """For Whoosh's writers: `index.writer(codec=Codec())`."""

    def postings_writer(self, dbfile: Any, byteids: bool = False) -> _Writer:  # noqa: ARG002 (Whoosh's)
        return _Writer(dbfile)

    def postings_reader(
        self, dbfile: Any, terminfo: Any, format_: Any, term: Any = None, scorer: Any = None
    ) -> Any:
        """For the merging of segments; `Dictionary` is what a search reads by."""
        offset, (length,) = terminfo.extent()  # Whoosh reads the length as a tuple of one
        docs, counts, coded = decoded(dbfile.get(offset, length))
        at, ends = places(coded), accumulate(counts)
        values = [at[end - count : end].tobytes() for end, count in zip(ends, counts, strict=True)]
        weights = list(map(float, counts))
        return ListMatcher(list(docs), weights, values, format_, scorer, term=term, terminfo=terminfo)


class _Writer:
    """What Whoosh calls a postings writer: form by form, paper by paper."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def start_postings(self, _format: Any, terminfo: Any) -> None:
        self._info = terminfo
        self._docs = array(_NUMBER)
        self._counts = array(_NUMBER)
        self._places: list[bytes] = []

    def add_posting(self, id_: int, weight: float, vbytes: bytes, _length: int | None = None) -> None:
        self._docs.append(id_)
        self._counts.append(int(weight))
        self._places.append(vbytes)

    def finish_postings(self) -> Any:
        docs, counts, info = self._docs, self._counts, self._info
        info._weight, info._df = float(sum(counts)), len(docs)
        info._minid, info._maxid = docs[0], docs[-1]
        first = array(_NUMBER, chain(docs[:1], map(sub, docs[1:], docs), counts)).tobytes()
        second = b"".join(self._places)
        compressed = len(first) + len(second) >= _LEAST
        if compressed:
            first, second = zlib.compress(first, 3), zlib.compress(second, 3)
        start = self._file.tell()
        self._file.write(_HEAD.pack(len(docs), len(first), compressed) + first + second)
        info.set_extent(start, self._file.tell() - start)
        return info

    def written(self) -> bool:
        return False


def decoded(stored: bytes) -> tuple[array[int], array[int], Coded]:
    """Papers, occurrences in each, and what `places` reads, of the postings of a form."""
    count, length, compressed = _HEAD.unpack_from(stored)
    first, second = stored[_HEAD.size : _HEAD.size + length], stored[_HEAD.size + length :]
    numbers = array(_NUMBER)
    numbers.frombytes(zlib.decompress(first) if compressed else first)
    return array(_NUMBER, accumulate(numbers[:count])), numbers[count:], (second, compressed)


def places(coded: Coded) -> array[int]:
    """Where a form stands, paper after paper; none for a field that keeps no places."""
    found = array(_NUMBER)
    stored, compressed = coded
    found.frombytes(zlib.decompress(stored) if compressed else stored)
    return found


class Entry(NamedTuple):
    """A form of the dictionary: how many papers hold it, how often in all, the first and the last, where."""

    form: bytes
    holders: int
    weight: float
    first: int
    last: int
    offset: int
    length: int


class Dictionary:
    """The forms of one segment, and their postings. The files may be deleted while it is open."""

    def __init__(self, terms: Any) -> None:
        """`terms` is Whoosh's reader of the segment's terms."""
        index = terms._tindex
        self._fields = {name: _FIELD.pack(number) for name, number in index.extras["fieldmap"].items()}
        self._words = _mapped(index.dbfile)
        self._postings = _mapped(terms._postfile)
        self._at = array(index.extras["indextype"])
        end = index.indexbase + index.indexlen * index.indexsize
        self._at.frombytes(self._words[index.indexbase : end])
        if sys.byteorder == "little":
            self._at.byteswap()

    def _key(self, at: int) -> bytes:
        start = at + _LENGTHS.size
        return self._words[start : start + _LENGTHS.unpack_from(self._words, at)[0]]

    def _entry(self, key: bytes, at: int) -> Entry:
        _, weight, count, _, _, _, first, last, offset, length = _INFO.unpack_from(
            self._words, at + _LENGTHS.size + len(key)
        )
        return Entry(key[_FIELD.size :], count, weight, first, last, offset, length)

    def find(self, name: str, form: str) -> Entry | None:
        """The entry of `form` in the field `name`."""
        for key, at in self._from(name, form):
            return self._entry(key, at) if len(key) == _FIELD.size + len(form.encode()) else None
        return None

    def begun(self, name: str, start: str) -> Iterator[Entry]:
        """The entries of the forms in the field `name` that begin with `start`, in order."""
        return (self._entry(key, at) for key, at in self._from(name, start))

    def forms(self, name: str, start: str) -> Iterator[str]:
        """The forms in the field `name` that begin with `start`, in order."""
        return (key[_FIELD.size :].decode() for key, _ in self._from(name, start))

    def _from(self, name: str, start: str) -> Iterator[tuple[bytes, int]]:
        if name in self._fields:
            prefix = self._fields[name] + start.encode("utf-8", "replace")
            for place in range(bisect_left(self._at, prefix, key=self._key), len(self._at)):
                at = self._at[place]
                key = self._key(at)
                if not key.startswith(prefix):
                    return
                yield key, at

    def postings(self, entry: Entry) -> tuple[array[int], array[int], Coded]:
        """`decoded` for an entry."""
        return decoded(self._postings[entry.offset : entry.offset + entry.length])


def _mapped(file: Any) -> mmap.mmap | bytes:
    """The whole of an open file."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file cannot be mapped
        return b""
