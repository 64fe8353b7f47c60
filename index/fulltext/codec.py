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
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import Any, Final

from whoosh.codec.whoosh3 import W3Codec
from whoosh.matching import ListMatcher

_NUMBER: Final = "I"  # four bytes wherever Python runs
_HEAD: Final = struct.Struct("=II?")  # papers, bytes of the first part, whether both are compressed
_LEAST: Final = 96  # bytes that are worth compressing
_LENGTHS: Final = struct.Struct("!ii")  # of a key of the dictionary and of its value
_FIELD: Final = struct.Struct("!H")  # begins each key
_INFO: Final = struct.Struct("!BfIBBfIIqi")  # the value, as W3TermInfo writes it
_TOLD: Final = 2  # holders that the dictionary itself knows: the first and the last; most forms have no more
_AFTER: Final = b"\xff"  # stands in no UTF-8: after every key that so begins

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


def decoded(stored: bytes, base: int = 0) -> tuple[array[int], array[int], Coded]:
    """Papers, numbered from `base` on, occurrences in each, and what `places` reads, of a form's postings."""
    count, length, compressed = _HEAD.unpack_from(stored)
    first, second = stored[_HEAD.size : _HEAD.size + length], stored[_HEAD.size + length :]
    numbers = array(_NUMBER)
    numbers.frombytes(zlib.decompress(first) if compressed else first)
    numbers[0] += base
    return array(_NUMBER, accumulate(numbers[:count])), numbers[count:], (second, compressed)


def places(coded: Coded) -> array[int]:
    """Where a form stands, paper after paper; none for a field that keeps no places."""
    found = array(_NUMBER)
    stored, compressed = coded
    found.frombytes(zlib.decompress(stored) if compressed else stored)
    return found


class Dictionary:
    """The forms of one segment, and their postings. The files may be deleted while it is open."""

    def __init__(self, terms: Any, base: int) -> None:
        """`terms` is Whoosh's reader of the segment's terms; its papers are numbered from `base` on."""
        index = terms._tindex
        self._base = base
        self._fields = {name: _FIELD.pack(number) for name, number in index.extras["fieldmap"].items()}
        self._words = _mapped(index.dbfile)
        self._postings = _mapped(terms._postfile)
        at = array(index.extras["indextype"])
        at.frombytes(self._words[index.indexbase : index.indexbase + index.indexlen * index.indexsize])
        if sys.byteorder == "little":
            at.byteswap()
        self._places = range(len(at))
        # And where the last one ends, so that each ends where the next begins.
        ends = [last + _LENGTHS.size + sum(_LENGTHS.unpack_from(self._words, last)) for last in at[-1:]]
        self._at = array(_NUMBER, chain(at, ends))

    def _key(self, place: int) -> bytes:
        return self._words[self._at[place] + _LENGTHS.size : self._at[place + 1] - _INFO.size]

    def _begun(self, name: str, start: str) -> range:
        """The places of the forms in the field `name` that begin with `start`."""
        if name not in self._fields:
            return range(0)
        key = self._fields[name] + start.encode("utf-8", "replace")
        first = bisect_left(self._places, key, key=self._key)
        return range(first, bisect_left(self._places, key + _AFTER, first, key=self._key))

    def find(self, name: str, form: str) -> int | None:
        """The place of `form` in the field `name`, for `postings`."""
        if name in self._fields:
            key = self._fields[name] + form.encode("utf-8", "replace")
            place = bisect_left(self._places, key, key=self._key)
            if place < len(self._places) and self._key(place) == key:
                return place
        return None

    def postings(self, place: int) -> tuple[array[int], array[int], Coded]:
        """`decoded` for the form at `place`."""
        *_, offset, length = _INFO.unpack_from(self._words, self._at[place + 1] - _INFO.size)
        return decoded(self._postings[offset : offset + length], self._base)

    def begun(
        self, name: str, start: str, within: AbstractSet[int] | None
    ) -> Iterator[tuple[array[int], array[int], Coded]]:
        """`decoded` for each form of the field `name` that begins with `start` and is in one of `within`."""
        for place in self._begun(name, start):
            end = self._at[place + 1] - _INFO.size
            *_, count, _, _, _, first, last, offset, length = _INFO.unpack_from(self._words, end)
            told = {self._base + first, self._base + last}
            if within is None or count > _TOLD or not within.isdisjoint(told):
                found = decoded(self._postings[offset : offset + length], self._base)
                if within is None or not within.isdisjoint(found[0]):
                    yield found

    def occurrences(self, name: str, start: str) -> int:
        """How often the forms of the field `name` that begin with `start` stand in it, taken together."""
        ends = (self._at[place + 1] - _INFO.size for place in self._begun(name, start))
        return int(sum(_INFO.unpack_from(self._words, end)[1] for end in ends))

    def forms(self, name: str, start: str) -> list[bytes]:
        """The forms in the field `name` that begin with `start`, in order, encoded."""
        places, skip = self._begun(name, start), _LENGTHS.size + _FIELD.size
        at = self._at[places.start : places.stop + 1]
        return [self._words[here + skip : end - _INFO.size] for here, end in pairwise(at)]

    def holders(self, name: str, start: str) -> Iterator[tuple[str, Sequence[int], float]]:
        """Each form of the field `name` that begins with `start`, who holds it, and how often on average."""
        for place in self._begun(name, start):
            end = self._at[place + 1] - _INFO.size
            _, weight, count, _, _, _, first, last, offset, length = _INFO.unpack_from(self._words, end)
            if count > _TOLD:
                docs: Sequence[int] = decoded(self._postings[offset : offset + length], self._base)[0]
            else:
                docs = (self._base + first, self._base + last)[:count]
            form = self._words[self._at[place] + _LENGTHS.size + _FIELD.size : end]
            yield form.decode(), docs, weight / count


def _mapped(file: Any) -> mmap.mmap | bytes:
    """The whole of an open file."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file cannot be mapped
        return b""
