"""The door of full-text search: build, open, update, ask."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import whoosh
from whoosh import index as whoosh_index

from index import files
from index.fulltext import related
from index.fulltext.codec import Codec
from index.fulltext.matching import Matching, Scores
from index.fulltext.postings import Snapshot
from index.fulltext.schema import VERSION, document, schema
from index.fulltext.words import suggestion
from index.papers import Paper
from index.query import Node

_STAMP: Final = "stamp.json"
# MB of postings sorted in memory: 10,000 papers fit, and a sort on disk takes nearly twice as long.
# No compound file, since Whoosh copies the whole of one into memory.
_WRITER: Final[dict[str, Any]] = {"limitmb": 512, "compound": False, "codec": Codec()}


def whoosh_version() -> str:
    """Of the Whoosh that is loaded, whatever package it came from."""
    return ".".join(map(str, whoosh.__version__))


class UnusableError(Exception):
    """The index cannot be opened, and has to be built again; the text says why in one line."""


class Hit(NamedTuple):
    """A paper that matches, by id; a higher score is a better match."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class PartialHit:
    """A paper that matches some leaves of a query, and how many."""

    id: str
    score: float
    found: int


# By way of Hit's own constructor, 100,000 hits take 50 ms more.
_hit: Final[Callable[[tuple[str, float]], Hit]] = partial(tuple.__new__, Hit)


class Engine:
    """An open index. Any thread may ask; one is served at a time."""

    def __init__(self, folder: Path, whoosh_files: Any, stamp: Mapping[str, Any]) -> None:
        """For `open`."""
        self._folder = folder
        self._files = whoosh_files
        self._lock = threading.Lock()
        self.stamp = stamp
        self._read()

    def _read(self) -> None:
        self._snapshot = Snapshot(self._files.reader())
        self._matching = Matching(self._snapshot)

    @staticmethod
    def build(
        folder: Path,
        papers: Iterable[Paper],
        *,
        stamp: Mapping[str, Any],
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Make `folder` an index of `papers`; the old one stays until the new one is whole.

        `progress` is told the number of papers done. The caller holds the library's lock: what an
        interrupted build left beside is removed.
        """
        files.make_folder(folder.parent)
        for left in folder.parent.glob(f".{folder.name}-*"):
            shutil.rmtree(left, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            made = whoosh_index.create_in(str(new), schema())
            with made.writer(**_WRITER) as writer:
                for done, paper in enumerate(papers, 1):
                    writer.add_document(**document(paper))
                    progress(done)
            made.close()
            _write_stamp(new, stamp)
            if folder.exists():
                folder.rename(new.with_name(new.name + "-old"))
            new.rename(folder)
            files.sync_folder(folder.parent)
        finally:
            for left in (new, new.with_name(new.name + "-old")):
                shutil.rmtree(left, ignore_errors=True)

    @classmethod
    def open(cls, folder: Path) -> Engine:
        """The index in `folder`. Raises `UnusableError` when it is missing, damaged or of another version."""
        try:
            stamp = _read_stamp(folder)
            opened = whoosh_index.open_dir(str(folder), schema=schema())
            return cls(folder, opened, stamp)
        except UnusableError:
            raise
        except Exception as error:  # Whoosh raises whatever the bytes lead it to
            raise UnusableError(f"the search index is damaged ({type(error).__name__})") from error

    def update(self, papers: Iterable[Paper], *, stamp: Mapping[str, Any]) -> None:
        """Add `papers`, or put them in the place of those with the same id."""
        latest = {paper.id: paper for paper in papers}
        self._write(latest.keys(), map(document, latest.values()), stamp)

    def remove(self, ids: Iterable[str], *, stamp: Mapping[str, Any]) -> None:
        """Take the papers with these ids out."""
        self._write(ids, (), stamp)

    def _write(
        self, gone: Iterable[str], added: Iterable[Mapping[str, Any]], stamp: Mapping[str, Any]
    ) -> None:
        with self._lock:
            with self._files.writer(**_WRITER) as writer:
                for id in gone:
                    if id in self._snapshot.numbers:
                        writer.delete_document(self._snapshot.numbers[id])
                for fields in added:
                    writer.add_document(**fields)
            _write_stamp(self._folder, stamp)
            self._snapshot.close()
            self.stamp = stamp
            self._read()

    def search(self, tree: Node) -> list[Hit]:
        """All papers that `tree` matches, the best first, the rest in the order of the index."""
        with self._lock:
            scores = self._matching.matches(tree)
            # By number first: the sort by score leaves equal ones as they stand.
            best = sorted(sorted(scores), key=scores.__getitem__, reverse=True)
            keys = map(self._snapshot.keys.__getitem__, best)
            return list(map(_hit, zip(keys, map(scores.__getitem__, best), strict=True)))

    def partial(self, leaves: Sequence[Node], limit: int) -> list[PartialHit]:
        """The papers that match half of `leaves` or more, but not all; the most first, then the best."""
        with self._lock:
            scores: Scores = {}
            found: dict[int, int] = {}
            for leaf in leaves:
                for doc, score in self._matching.matches(leaf).items():
                    scores[doc] = scores.get(doc, 0.0) + score
                    found[doc] = found.get(doc, 0) + 1
            some = [doc for doc in scores if len(leaves) <= 2 * found[doc] < 2 * len(leaves)]
            some.sort(key=lambda doc: (-found[doc], -scores[doc], doc))
            return [PartialHit(self._snapshot.keys[doc], scores[doc], found[doc]) for doc in some[:limit]]

    def suggest(self, word: str) -> str | None:
        """Did you mean: `word` with what no paper holds changed by one or two edits to what some hold."""
        with self._lock:
            return suggestion(word, self._snapshot, self._matching)

    def related(self, id: str, limit: int = 8) -> list[related.Related]:
        """The papers nearest to the one with this id; none when it is not in the index."""
        with self._lock:
            return related.nearest(id, limit, self._snapshot, self._matching)

    def close(self) -> None:
        """Let go of the files."""
        with self._lock:
            self._snapshot.close()
            self._files.close()


def _write_stamp(folder: Path, stamp: Mapping[str, Any]) -> None:
    """Store `stamp` beside the index, with its version and a checksum of its files."""
    data = {
        "schema": VERSION,
        "whoosh": whoosh.versionstring(),
        "files": _checksums(folder),
        "stamp": dict(stamp),
    }
    files.replace(folder / _STAMP, [json.dumps(data).encode()])


def _read_stamp(folder: Path) -> Mapping[str, Any]:
    try:
        data = json.loads((folder / _STAMP).read_bytes())
    except FileNotFoundError:
        raise UnusableError("there is no search index yet") from None
    if data["schema"] != VERSION or data["whoosh"] != whoosh.versionstring():
        raise UnusableError("the search index was made by another version")
    if data["files"] != _checksums(folder):
        raise UnusableError("the search index is damaged (its files have changed)")
    stamp: Mapping[str, Any] = dict(data["stamp"])
    return stamp


def _checksums(folder: Path) -> dict[str, int]:
    """The CRC-32 of each file of the index; Whoosh itself notices little of what happened to them."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name != _STAMP and not path.name.endswith("LOCK"):
            crc = 0
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    crc = zlib.crc32(block, crc)
            found[path.name] = crc
    return found
