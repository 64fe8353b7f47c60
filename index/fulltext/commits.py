"""How far an index goes: the stamp beside it, and commits that hold from the moment it is written.

Whoosh writes the files of a segment, then a list of its segments (a TOC, numbered by generation), and
deletes the list before; nothing of it is synced. Here the stamp names the generation and the files that
count, with their checksums: whatever stops a writer at any moment, the index is as the stamp says, and
what lies beside is cleared by the next commit.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import whoosh
from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC, FileIndex
from whoosh.writing import MERGE_SMALL, NO_MERGE, SegmentWriter

from index import files
from index.fulltext.codec import Codec
from index.fulltext.schema import VERSION, schema

_STAMP: Final = "stamp.json"
_LOCK: Final = "MAIN_WRITELOCK"
# MB of postings sorted in memory: 10,000 papers fit, and a sort on disk takes nearly twice as long.
# No compound file, since Whoosh copies the whole of one into memory.
_WRITER: Final[dict[str, Any]] = {"limitmb": 512, "compound": False}

_LARGE: Final = 2_500
"""Papers of a segment that is left as it is when others are merged."""


class UnusableError(Exception):
    """The index cannot be opened, and has to be built again; the text says why in one line."""


class _Storage(FileStorage):  # type: ignore[misc]
    """A folder. Whoosh's own, where a temporary one exists, keeps alive whoever called for the writer."""

    def temp_storage(self, name: str) -> FileStorage:
        folder = Path(self.folder, name)
        folder.mkdir(exist_ok=True)
        return FileStorage(str(folder))


class Standing(FileIndex):  # type: ignore[misc]
    """The index in a folder, at the generation that its stamp names."""

    def __init__(self, folder: Path) -> None:
        """Raises UnusableError, and whatever damaged bytes lead to."""
        self.folder = folder
        self.storage, self.indexname, self._schema = _Storage(str(folder)), "MAIN", schema()
        data = read_stamp(folder)
        self.generation: int = data["generation"]
        self.files: Mapping[str, int] = data["files"]
        self.stamp: Mapping[str, Any] = data["stamp"]
        if {name: _checksum(folder / name) for name in self.files} != self.files:
            raise UnusableError("the search index is damaged (its files have changed)")

    def _read_toc(self) -> Any:
        return TOC.read(self.storage, self.indexname, gen=self.generation, schema=self._schema)

    def clear(self) -> None:
        """Delete what is not of this generation. For one who may write."""
        for path in self.folder.iterdir():
            if path.name not in (*self.files, _STAMP, _LOCK) and path.is_file():
                with contextlib.suppress(OSError):  # where another has it open, a later writer deletes it
                    path.unlink()


class Writing(SegmentWriter):  # type: ignore[misc]
    """A writer whose commit gives the index `stamp`. A commit merges small ones only if `merge`."""

    def __init__(self, standing: Standing, stamp: Mapping[str, Any], *, merge: bool) -> None:
        standing.clear()  # of what another left that was stopped
        super().__init__(standing, codec=Codec(), **_WRITER)
        self.mergetype = _merged if merge else NO_MERGE
        self._standing, self._stamp = standing, stamp

    def _commit_toc(self, segments: Iterable[Any]) -> None:
        segments = list(segments)
        TOC(self.schema, segments, self.generation).write(self.storage, self.indexname)
        standing = self._standing
        names = _names(standing.folder, self.generation, segments)
        known = {name: sum for name, sum in standing.files.items() if name in names}
        new = {name: _checksum(standing.folder / name, sync=True) for name in names - known.keys()}
        write_stamp(standing.folder, self._stamp, self.generation, known | new)
        standing.generation, standing.files, standing.stamp = self.generation, known | new, self._stamp
        standing.clear()


def _merged(writer: Writing, segments: Sequence[Any]) -> list[Any]:
    """Whoosh's own policy, but among small segments alone: it would write 100,000 papers again for two."""
    large = [one for one in segments if one.doc_count_all() >= _LARGE]
    small = [one for one in segments if one not in large]
    return [*large, *MERGE_SMALL(writer, small)]


def create(folder: Path, stamp: Mapping[str, Any]) -> Standing:
    """An index without papers in the new folder `folder`."""
    FileIndex.create(FileStorage(str(folder)), schema(), "MAIN")
    names = _names(folder, 0, ())
    write_stamp(folder, stamp, 0, {name: _checksum(folder / name, sync=True) for name in names})
    return Standing(folder)


def read_stamp(folder: Path) -> dict[str, Any]:
    """What `write_stamp` stored. Raises UnusableError for none and for another version, ValueError."""
    try:
        data: dict[str, Any] = json.loads((folder / _STAMP).read_bytes())
    except FileNotFoundError:
        raise UnusableError("there is no search index yet") from None
    if data["schema"] != VERSION or data["whoosh"] != whoosh.versionstring():
        raise UnusableError("the search index was made by another version")
    return data


def write_stamp(folder: Path, stamp: Mapping[str, Any], generation: int, sums: Mapping[str, int]) -> None:
    """Have the index be at `generation`, which holds the files named in `sums`."""
    data = {
        "schema": VERSION,
        "whoosh": whoosh.versionstring(),
        "generation": generation,
        "files": dict(sums),
        "stamp": dict(stamp),
    }
    files.replace(folder / _STAMP, [json.dumps(data).encode()])


def _names(folder: Path, generation: int, segments: Iterable[Any]) -> set[str]:
    """The files of a generation."""
    begin = tuple(f"{segment.segment_id()}." for segment in segments)
    return {TOC._filename("MAIN", generation)} | {
        path.name for path in folder.iterdir() if begin and path.name.startswith(begin)
    }


def _checksum(path: Path, *, sync: bool = False) -> int:
    """The CRC-32 of a file; Whoosh itself notices little of what happened to one."""
    crc = 0
    with path.open("rb") as file:
        if sync:
            os.fsync(file.fileno())
        while block := file.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc
