"""papers.jsonl and the list beside it: what was imported, and which papers are the same.

papers.jsonl is append-only. The first line of a paper holds its first record; each later line of the
same id holds one more source and whatever that record knew beyond the others. The list has one line a
paper with what a screen needs to begin; it is derived, and follows papers.jsonl from where it stood.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any, BinaryIO, Final
from zlib import crc32

from index import files
from index.clean import one_line
from index.paper_lines import SINGLE, fields_of, paper_of, parsed, record_of, texts
from index.papers import Paper, Problem, Record, Source, identities, paper_id
from index.paths import Layout

SCHEMA: Final = 1
BATCH: Final = 1 << 18
"""Bytes gathered for one append."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the list knows of a paper without reading its record."""

    id: str
    heading: str = ""
    titled: bool = False
    """Whether the heading is a title that was given."""
    derived: str = ""
    """The heading that the abstract alone gave, before it was told apart from others."""
    name: str | None = None
    words: int = 0
    year: int | None = None
    added: str = ""
    files: tuple[str, ...] = ()
    offsets: tuple[int, ...] = ()
    """Where the paper's lines begin in papers.jsonl, in bytes."""
    keys: tuple[str, ...] = ()


@dataclass(slots=True)
class Added:
    """What became of the records of one file: each is new, merged, unchanged or skipped."""

    records: int = 0
    new: int = 0
    merged: int = 0
    unchanged: int = 0
    skipped: list[Problem] = field(default_factory=list)


class Shelf:
    """The papers of one library, in the order of import. Not for two threads at once."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._clear()
        self._load()
        self.refresh()

    def _clear(self) -> None:
        self.ids: list[str] = []
        self._damaged: list[int] = []
        """Where the lines of papers.jsonl begin that could not be read, in bytes; they stay in the file."""
        self._lines: list[bytes] = []
        self._rows: dict[str, Row] = {}
        self._place: dict[str, int] = {}
        self._length = 0
        self._digest = ""
        self._seen = (0, 0, 0)

    # What is on the shelf

    @property
    def stamp(self) -> dict[str, Any]:
        """Which state of papers.jsonl this is: its length in bytes and the hash of those bytes."""
        return {"length": self._length, "digest": self._digest}

    @property
    def problems(self) -> list[str]:
        """One line that says how many lines of papers.jsonl could not be read, if there are such lines."""
        told, count = "papers.jsonl: the line at byte {} is damaged and passed over", len(self._damaged)
        if count > 1:
            told = f"papers.jsonl: {count:,} lines are damaged and passed over, the first at byte {{}}"
        return [told.format(self._damaged[0])] if count else []

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, id: object) -> bool:
        return id in self._place

    def place(self, id: str) -> int:
        """Where a paper stands in the order of import, from 0. Raises KeyError."""
        return self._place[id]

    def row(self, id: str) -> Row:
        """The list's line of a paper. Raises KeyError."""
        row = self._rows.get(id)
        if row is None:
            row = self._rows[id] = _row(json.loads(self._lines[self._place[id]]))
        return row

    def paper(self, id: str) -> Paper:
        """A paper with all that its records say. Raises KeyError, OSError."""
        for paper in self.some([id]):
            return paper
        raise KeyError(id)

    def some(self, ids: Sequence[str]) -> list[Paper]:
        """Some papers, also when another program has changed papers.jsonl: one that is gone is left out."""
        try:
            return list(self.papers(ids))
        except _MovedError:
            self.refresh(whole=True)
            return list(self.papers(id for id in ids if id in self))

    def papers(self, ids: Iterable[str] | None = None) -> Iterator[Paper]:
        """Some papers, or all in the order of import, read one after the other."""
        chosen = self.ids if ids is None else ids
        if not self.ids:
            return
        with self._opened() as source:
            for id in chosen:
                row = self.row(id)
                lines = []
                for offset in row.offsets:
                    source.seek(offset)
                    line = parsed(source.readline())
                    if line is None or line["id"] != id:
                        raise _MovedError("papers.jsonl was changed by another program; try again")
                    lines.append(line)
                yield paper_of(row.id, row.heading, row.name, lines)

    def resolve(self, text: str) -> list[str]:
        """The ids that `text` can mean: an id, a prefix of one, a DOI, an arXiv or a PubMed id."""
        text = text.strip().lower()
        if text in self._place:
            return [text]
        if text and (found := [id for id in self.ids if id.startswith(text)]):
            return found
        bare = text.removeprefix("https://").removeprefix("doi.org/").removeprefix("arxiv.org/abs/")
        kinds = {kind: (bare.removeprefix(f"{kind}:"),) for kind in ("doi", "arxiv", "pmid")}
        wanted = set(identities(Record(0, identifiers=kinds)))
        return [id for id in self.ids if not wanted.isdisjoint(self.row(id).keys)]

    def since(self, stamp: Mapping[str, Any]) -> list[str] | None:
        """The papers with lines beyond the state that `stamp` names; None when it is no earlier state."""
        if not (isinstance(length := stamp.get("length"), int) and 0 < length <= self._length):
            return None
        offset, digest = 0, ""
        with self._opened() as source:
            while offset < length:
                line = source.readline()
                offset, digest = offset + len(line), _chained(digest, line)
        if offset != length or digest != stamp.get("digest"):
            return None
        return [id for id in self.ids if self.row(id).offsets[-1] >= length]

    # What comes onto it

    def add(self, records: Iterable[Record | Problem], file: str, added: str) -> Added:
        """Put the records of `file` on the shelf under the lock; what it holds already changes nothing.

        A record that is one paper with an earlier one adds a source and what was missing.
        Each batch is on disk before the next is read, so that a break leaves what came before it.
        """
        told = Added()
        with files.alone(self.layout.lock):
            self.refresh()
            known = {key: id for id in self.ids for key in self.row(id).keys}
            batch: dict[str, bytes] = {}
            try:
                for record in records:
                    told.records += 1
                    if isinstance(record, Problem):
                        told.skipped.append(record)
                        continue
                    keys = identities(record)
                    source = Source(file, record.position, added)
                    id = next((known[key] for key in keys if key in known), None)
                    if id in batch:
                        self._append(batch)
                    more: dict[str, Any] | None
                    if id is None:
                        id, more = self._new_id(keys[0], batch), fields_of(record)
                        told.new += 1
                    elif (more := self._beyond(id, record, keys, source)) is not None:
                        told.merged += 1
                    else:
                        told.unchanged += 1
                        continue
                    line = {"id": id, "source": asdict(source), **more}
                    known |= dict.fromkeys(keys, id)
                    batch[id] = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                    if sum(map(len, batch.values())) > BATCH:
                        self._append(batch)
            finally:
                self._append(batch)
                self._tell_apart()
                self._save()
        return told

    @property
    def behind(self) -> bool:
        """Whether papers.jsonl is no longer as it was read; one that has gone for a moment is no news."""
        try:
            return self._seen != _seen(self.layout.papers.stat())
        except OSError:
            return False

    def refresh(self, *, whole: bool = False) -> bool:
        """Follow papers.jsonl where it has changed; `whole` reads it anew. True when it had changed."""
        try:
            stat = self.layout.papers.stat()
        except FileNotFoundError:
            changed = bool(self.ids)
            self._clear()
            return changed
        if whole:
            self._clear()
        elif self._seen == _seen(stat):
            return False
        before = self._digest
        if not self._follow(from_start=True):
            self._clear()
            self._follow(from_start=True)
        if changed := self._digest != before:
            self._tell_apart()
        self._save()
        return changed

    def _follow(self, *, from_start: bool) -> bool:
        """Take in the lines beyond those known.

        `from_start` checks the known ones on the way: False when they are no longer what they were.
        """
        known = self._length
        offset, digest = (0, "") if from_start else (known, self._digest)
        with self._opened() as source:
            seen = _seen(os.fstat(source.fileno()))
            source.seek(offset)
            for line in source:
                if offset < known < offset + len(line) or (offset == known and digest != self._digest):
                    return False
                digest = _chained(digest, line)
                if offset >= known and line.strip():
                    told = parsed(line)
                    if told is None:
                        self._damaged.append(offset)
                    else:
                        self._take(told, offset)
                offset += len(line)
        if offset < known or (offset == known and digest != self._digest):
            return False
        self._length, self._digest, self._seen = offset, digest, seen
        return True

    def _take(self, line: Mapping[str, Any], offset: int) -> None:
        """One line of papers.jsonl into the list."""
        id, record = line["id"], record_of(line)
        keys = texts(line["keys"]) if "keys" in line else identities(record)
        if id not in self._place:
            self._place[id] = len(self.ids)
            self.ids.append(id)
            self._lines.append(b"")
            row = Row(id, added=line["source"]["added"])
        else:
            row = self.row(id)
        if record.abstract and not row.words:
            from index import headings  # not needed where the list stands

            told = headings.derive(record.abstract)
            row = replace(row, derived=told.heading, name=told.name, words=len(record.abstract.split()))
        if title := one_line(record.title or "").strip():
            row = row if row.titled else replace(row, heading=title, titled=True)
        elif not row.titled:
            row = replace(row, heading=row.derived or "(no title)")
        self._rows[id] = replace(
            row,
            year=row.year if row.year is not None else record.year,
            files=tuple(dict.fromkeys((*row.files, line["source"]["file"]))),
            offsets=(*row.offsets, offset),
            keys=tuple(dict.fromkeys((*row.keys, *keys))),
        )

    def _tell_apart(self) -> None:
        """Make each derived heading unlike every other."""
        groups: dict[str, list[Row]] = {}
        for row in map(self.row, self.ids):
            groups.setdefault((row.heading if row.titled else row.derived).casefold(), []).append(row)
        from index import headings

        alike = {row.id: row for group in groups.values() if len(group) > 1 for row in group}
        papers = self.papers(alike)
        told = headings.distinct(
            [
                (row.id, row.heading if row.titled else row.derived, paper.abstract)
                for row, paper in zip(alike.values(), papers, strict=True)
            ]
        )
        for row, heading in zip(alike.values(), told, strict=True):
            if not row.titled:
                self._rows[row.id] = replace(row, heading=heading or "(no title)")

    def _new_id(self, key: str, batch: Mapping[str, bytes]) -> str:
        id = paper_id(key)
        while id in self._place or id in batch:
            key += "'"
            id = paper_id(key)
        return id

    def _beyond(self, id: str, record: Record, keys: Sequence[str], source: Source) -> dict[str, Any] | None:
        """What `record` adds to its paper, as the fields of a line; None when all of it is known."""
        paper = self.paper(id)
        more = {
            name: value
            for name, value in fields_of(record).items()
            if name in (*SINGLE, "authors") and not getattr(paper, name)
        }
        for name in ("keywords", "links"):
            if new := [item for item in getattr(record, name) if item not in getattr(paper, name)]:
                more[name] = new
        for kind, values in record.identifiers.items():
            if new := [value for value in values if value not in paper.identifiers.get(kind, ())]:
                more.setdefault("identifiers", {})[kind] = new
        if extra := {kind: value for kind, value in record.extra.items() if kind not in paper.extra}:
            more["extra"] = extra
        listed = any((s.file, s.position) == (source.file, source.position) for s in paper.sources)
        if listed and not more and set(keys) <= set(self.row(id).keys):
            return None
        return {"keys": list(keys), **more}

    # Its two files

    def _append(self, batch: dict[str, bytes]) -> None:
        """Put the lines of `batch` on disk and into the list, and empty it."""
        if not batch:
            return
        data = b"".join(batch.values())
        files.append(self.layout.papers, data if self._ends_whole() else b"\n" + data)
        batch.clear()
        self._follow(from_start=False)

    def _opened(self) -> BinaryIO:
        """papers.jsonl, to be read; what is no plain file is not waited for. Raises OSError."""
        path = self.layout.papers
        try:
            return files.opened(path)
        except OSError as error:
            if path.is_file() or not path.exists():
                raise
            kind = "a folder" if path.is_dir() else "a named pipe" if path.is_fifo() else "no plain file"
            do = "move it away, start again, and add your lists anew"
            raise OSError(error.errno, f"papers.jsonl is {kind}: {do}") from error

    def _ends_whole(self) -> bool:
        try:
            with self._opened() as source:
                return source.seek(0, 2) == 0 or (source.seek(-1, 2) >= 0 and source.read(1) == b"\n")
        except FileNotFoundError:
            return True

    def _load(self) -> None:
        """Take the list as it was saved, unless it is missing, damaged or of another schema."""
        try:
            total, _, saved = self.layout.list.read_bytes().partition(b"\n")
            head, *lines = saved.removesuffix(b"\n").split(b"\n")
            stamp = json.loads(head)
            if total != _sum(saved) or stamp["schema"] != SCHEMA:
                return
            ids = [line[2:12].decode("ascii") for line in lines]
            damaged = stamp["damaged"]
            self._length, self._digest, self._seen = stamp["length"], stamp["digest"], tuple(stamp["seen"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return
        self._lines, self.ids, self._damaged = lines, ids, damaged
        self._place = {id: place for place, id in enumerate(ids)}

    def _save(self) -> None:
        """Write the list; where that is not allowed it is made again the next time."""
        for id, row in self._rows.items():
            self._lines[self._place[id]] = _line(row)
        head = {"schema": SCHEMA, **self.stamp, "seen": self._seen, "damaged": self._damaged}
        saved = b"\n".join((json.dumps(head).encode(), *self._lines)) + b"\n"
        with contextlib.suppress(OSError):
            files.make_folder(self.layout.index)
            files.replace(self.layout.list, (_sum(saved), b"\n", saved))


class _MovedError(OSError):
    """papers.jsonl no longer holds a paper's line where the list says."""


def _seen(stat: os.stat_result) -> tuple[int, int, int]:
    """What tells one state of a file from another; a time of change survives no swap."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _sum(data: bytes) -> bytes:
    return b"%08x" % crc32(data)


def _chained(digest: str, line: bytes) -> str:
    """The hash of a file's lines up to this one, from the hash up to the one before."""
    return blake2b(digest.encode() + line, digest_size=16).hexdigest()


def _line(row: Row) -> bytes:
    values = [getattr(row, name) for name in Row.__slots__]
    return json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode()


def _row(values: Sequence[Any]) -> Row:
    told: list[Any] = [tuple(value) if isinstance(value, list) else value for value in values]
    return Row(*told)
