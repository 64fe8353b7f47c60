"""The door of full-text search: build, open, update, ask."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import whoosh

from index import files
from index.fulltext import commits, related
from index.fulltext.commits import Standing, UnusableError
from index.fulltext.matching import Matching, Scores
from index.fulltext.postings import Snapshot
from index.fulltext.schema import document
from index.fulltext.words import suggestion
from index.papers import Paper
from index.query import Node

_TRIES: Final = 20
"""Openings of an index that a writer goes on with meanwhile."""


def whoosh_version() -> str:
    """Of the Whoosh that is loaded, whatever package it came from."""
    return ".".join(map(str, whoosh.__version__))


@dataclass(frozen=True, slots=True)
class PartialHit:
    """A paper that matches some leaves of a query, and how many."""

    id: str
    score: float
    found: int


class Engine:
    """An open index. Any thread may ask; one is served at a time."""

    def __init__(self, standing: Standing) -> None:
        """For `open`."""
        self._standing = standing
        self._lock = threading.Lock()
        self._read()

    def _read(self) -> None:
        self._snapshot = Snapshot(self._standing.reader())
        self._matching = Matching(self._snapshot)

    @property
    def stamp(self) -> Mapping[str, Any]:
        """How far the index goes, as its last writer said."""
        return self._standing.stamp

    def __len__(self) -> int:
        return len(self._snapshot.numbers)

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
            with commits.Writing(commits.create(new, stamp), stamp, merge=False) as writer:
                for done, paper in enumerate(papers, 1):
                    writer.add_document(**document(paper))
                    progress(done)
            if folder.exists():
                folder.rename(new.with_name(new.name + "-old"))
            new.rename(folder)
            files.sync_folder(folder.parent)
        finally:
            for left in (new, new.with_name(new.name + "-old")):
                shutil.rmtree(left, ignore_errors=True)

    @classmethod
    def open(cls, folder: Path) -> Engine:
        """The index in `folder`, as far as it goes; a writer may go on with it meanwhile.

        Raises `UnusableError` when it is missing, damaged or of another version.
        """
        for _ in range(_TRIES):
            stamp = Engine.stamped(folder)
            try:
                return cls(Standing(folder))
            except Exception as error:  # Whoosh raises whatever the bytes lead it to
                if stamp != Engine.stamped(folder):
                    continue
                if isinstance(error, UnusableError):
                    raise
                raise UnusableError(f"the search index is damaged ({type(error).__name__})") from error
        raise UnusableError("the search index changes all the time")

    @staticmethod
    def stamped(folder: Path) -> Mapping[str, Any] | None:
        """How far the index in `folder` says that it goes, without a look at it; None when it cannot say."""
        try:
            stamp: Mapping[str, Any] = commits.read_stamp(folder)["stamp"]
        except (OSError, ValueError, LookupError, TypeError, UnusableError):
            return None
        return stamp

    def update(
        self,
        papers: Iterable[Paper],
        *,
        stamp: Mapping[str, Any],
        merge: bool = True,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Add `papers`, or put them in the place of those with the same id: all of them or, stopped, none.

        With `merge`, small segments become one, which suits small additions. `progress` is told the
        number of papers done.
        """
        latest = {paper.id: paper for paper in papers}
        self._write(latest.keys(), map(document, latest.values()), stamp, merge, progress)

    def remove(self, ids: Iterable[str], *, stamp: Mapping[str, Any]) -> None:
        """Take the papers with these ids out."""
        self._write(ids, (), stamp)

    def _write(
        self,
        gone: Iterable[str],
        added: Iterable[Mapping[str, Any]],
        stamp: Mapping[str, Any],
        merge: bool = True,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        with self._lock:
            try:
                with commits.Writing(self._standing, stamp, merge=merge) as writer:
                    for id in gone:
                        if id in self._snapshot.numbers:
                            writer.delete_document(self._snapshot.numbers[id])
                    for done, fields in enumerate(added, 1):
                        writer.add_document(**fields)
                        progress(done)
            except BaseException:
                self._standing.clear()
                raise
            self._snapshot.close()
            self._read()

    def search(self, tree: Node) -> dict[str, float]:
        """All papers that `tree` matches, by id and in no order; a higher score is a better match."""
        with self._lock:
            scores = self._matching.matches(tree)
            return dict(zip(map(self._snapshot.keys.__getitem__, scores), scores.values(), strict=True))

    def widened(self, tree: Node) -> Node:
        """`tree` with what else its acronyms and what they stand for are found by: where a text matches."""
        with self._lock:
            return self._matching.acronyms.widened(tree)

    def told(self, tree: Node) -> list[tuple[str, str]]:
        """Words of `tree` with what else they are looked for as: an acronym, or what one stands for."""
        with self._lock:
            return list(dict.fromkeys(self._matching.acronyms.told(tree)))

    def finds(self, tree: Node) -> bool:
        """Whether `tree` matches any paper."""
        with self._lock:
            return bool(self._matching.matches(tree))

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
