"""papers.jsonl and the list beside it: what was imported, and which papers are the same.

papers.jsonl is append-only. The first line of a paper holds its first record; each later line of the
same id holds one more source and whatever that record knew beyond the others. The list has one line a
paper with what a screen needs to begin; it is derived, and follows papers.jsonl from where it stood.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any, BinaryIO, Final, TypeAlias

from index import files, list_rows
from index.clean import one_line
from index.list_rows import Known
from index.list_rows import Row as Row
from index.paper_lines import beyond, fields_of, paper_of, parsed, record_of, texts
from index.papers import Paper, Problem, Record, Source, identities, normalised, paper_id
from index.paths import Layout

SCHEMA: Final = 3
_BEFORE: Final = 2
"""Of a list in which the records that say little have keys of fewer fields."""
BATCH: Final = 1 << 18
"""Bytes gathered for one append."""
_STRONG: Final = frozenset(("doi", "arxiv", "pmid"))
_UNTITLED: Final = "(no title)"
_SCREEN: Final = 200
"""Papers that are looked for one by one: a start that shows no others needs no dictionary of all."""


Parts: TypeAlias = Mapping[str, Sequence[str]]
"""Papers that are one with an earlier one, by the id of that."""
_NONE: Final[Parts] = {}


@dataclass(slots=True)
class Added:
    """What became of the records of one file: each is new, merged, unchanged or skipped."""

    records: int = 0
    new: int = 0
    merged: int = 0
    unchanged: int = 0
    removed: int = 0
    """Records of papers that the reader removed: they come back by an undo alone."""
    skipped: list[Problem] = field(default_factory=list)
    one: int = 0
    """Records that say of several papers that they are one."""


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
        self._lines = list_rows.Lines()
        self._rows: dict[str, Row] = {}
        """The lines that were asked for or changed, as rows."""
        self._known: Known | None = None
        """What all rows say together, once it was asked for: that reads the whole list."""
        self._places: dict[str, int] | None = {}
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

    def among(self, ids: frozenset[str]) -> AbstractSet[str]:
        """Those of some papers that are here."""
        return ids & self._place.keys() if ids else ids

    @property
    def _place(self) -> dict[str, int]:
        """Where each paper stands; made when it is first asked for."""
        if self._places is None:
            self._places = dict(zip(self.ids, range(len(self.ids)), strict=True))
        return self._places

    def get_ready(self) -> None:
        """Make what the first screen did without; better not in a thread that draws."""
        self._places = self._place

    def place(self, id: str) -> int:
        """Where a paper stands in the order of import, from 0. Raises KeyError."""
        if self._places is None:
            with contextlib.suppress(ValueError):
                return self.ids.index(id, 0, _SCREEN)
        return self._place[id]

    def row(self, id: str) -> Row:
        """The list's line of a paper. Raises KeyError."""
        row = self._rows.get(id)
        if row is None:
            try:
                line = self._lines[self.place(id)]
            except ValueError:
                self.refresh(whole=True)
                line = self._lines[self.place(id)]
            row = self._rows[id] = list_rows.row_of(line)
        return row

    def headings(self) -> Iterator[tuple[str, str]]:
        """Each paper's id and heading, empty where it has none, as they are now; may run in another thread.

        Where a line of the list is damaged that paper is left out, until the list is made anew.
        """
        return list_rows.headings(self._lines.sound())

    def _all(self) -> Known:
        if self._known is None:
            lines = self._lines.sound()
            if len(lines) < len(self):
                self.refresh(whole=True)
                lines = self._lines.sound()
            self._known = Known(lines)
        return self._known

    def _put(self, row: Row) -> None:
        """Have `row` in the list."""
        if self._known:
            self._known.put(row, self._rows.get(row.id))
        self._rows[row.id] = row
        self._lines.put(self._place[row.id], list_rows.line_of(row))

    def paper(self, id: str) -> Paper:
        """A paper with all that its records say. Raises KeyError, OSError."""
        for paper in self.some([id]):
            return paper
        raise KeyError(id)

    def some(self, ids: Sequence[str], parts: Parts = _NONE) -> list[Paper]:
        """Some papers, also when another program has changed papers.jsonl: one that is gone is left out."""
        try:
            return list(self.papers(ids, parts))
        except _MovedError:
            self.refresh(whole=True)
            return list(self.papers((id for id in ids if id in self), parts))

    def papers(self, ids: Iterable[str] | None = None, parts: Parts = _NONE) -> Iterator[Paper]:
        """Some papers, or all in the order of import, read one after the other, each with its `parts`."""
        chosen = self.ids if ids is None else ids
        if not self.ids:
            return
        with self._opened() as source:
            for id in chosen:
                others = [other for other in parts.get(id, ()) if other in self]
                row = list_rows.as_one(self.row(id), map(self.row, others))
                lines = []
                for offset in row.offsets:
                    source.seek(offset)
                    line = parsed(source.readline())
                    if line is None or line["id"] not in (id, *others):
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
        wanted = asked_keys(text)
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
            later = {
                told["id"] for told in map(parsed, source.read(self._length - length).splitlines()) if told
            }
        return sorted(later & self._place.keys(), key=self.place)

    # What comes onto it

    def see_room(self, need: int) -> None:
        """Raise OSError, which says so, unless so many bytes are free where the library lies."""
        free = shutil.disk_usage(self.layout.folder).free
        if need > free:
            wanted, there = (f"{-(-size // 1_000_000):,} MB" for size in (need, free))
            raise OSError(errno.ENOSPC, f"it needs {wanted} in {self.layout.folder}, where {there} are free")

    def add(
        self,
        records: Iterable[Record | Problem],
        file: str,
        added: str,
        given: Mapping[str, str] | None = None,
        removed: frozenset[str] = frozenset(),
        one: list[tuple[str, ...]] | None = None,
    ) -> Added:
        """Put the records of `file` on the shelf under the lock; what it holds already changes nothing.

        `given` are keys of papers that no record told, but the reader; `removed` are papers that stay so.
        To `one` are added papers of which a record says that they are one.
        A record that is one paper with an earlier one adds a source and what was missing.
        Each batch is on disk before the next is read, so that a break leaves what came before it.
        """
        told = Added()
        with files.alone(self.layout.lock):
            self.refresh()
            known = ChainMap(self._all().ids, dict(given or {}))
            batch: dict[str, bytes] = {}
            try:
                for record in records:
                    told.records += record.position > 0
                    if isinstance(record, Problem):
                        told.skipped.append(record)
                        continue
                    keys = identities(record)
                    source = Source(file, record.position, added)
                    if any(known.get(key) in batch for key in keys):
                        self._append(batch)
                    named = [(known[key], key) for key in keys if known.get(key) in self]
                    one_of = dict.fromkeys(id for id, key in named if not self._another(id, key, record))
                    meant = sorted(one_of, key=self.place)
                    told.removed += not removed.isdisjoint(meant)
                    more: dict[str, Any] | None
                    if not meant:
                        id, more = self._new_id(keys[0], batch), fields_of(record)
                        told.new += 1
                    else:
                        beyonds = [
                            beyond(self.paper(id), self.row(id).keys, record, keys, source) for id in meant
                        ]
                        if None in beyonds:
                            told.unchanged += 1
                            continue
                        id, more = meant[0], beyonds[0]
                        told.merged += 1
                        if len(meant) > 1:
                            told.one += 1
                            if one is not None:
                                one.append(tuple(meant))
                    assert more is not None
                    line = {"id": id, "source": asdict(source), **more}
                    known.update(dict.fromkeys(keys, id))
                    batch[id] = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                    if sum(map(len, batch.values())) > BATCH:
                        self._append(batch)
            finally:
                self._append(batch)
                self._tell_apart()
                self._save()
        return told

    def _another(self, id: str, key: str, record: Record) -> bool:
        """Whether a paper with the same text is another one all the same, such as two withdrawal notices.

        So it is where both have a title and identifiers of one kind, and neither is the same.
        """
        if not key.startswith("text:"):
            return False
        row = self.row(id)
        if not row.titled or not record.title or normalised(row.heading) == normalised(record.title):
            return False
        kinds = [{key.partition(":")[0] for key in keys} & _STRONG for keys in (row.keys, identities(record))]
        return bool(kinds[0] & kinds[1]) and set(row.keys).isdisjoint(set(identities(record)) - {key})

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
        if len(self._lines.sound()) < len(self):
            self._clear()
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
            row = Row(id, heading=_UNTITLED, added=line["source"]["added"])
        else:
            row = self.row(id)
        told: dict[str, Any] = {}
        if not row.titled and (title := one_line(record.title or "").strip()):
            told = {"heading": title, "titled": True}
        if record.abstract and not row.words:
            from index import headings  # not needed where the list stands

            told["words"] = len(record.abstract.split())
            if row.titled or told.get("titled"):
                told["name"] = headings.name_of(record.abstract)
            else:
                found = headings.derive(record.abstract)
                told |= {"heading": found.heading or _UNTITLED, "derived": found.heading, "name": found.name}
        self._put(
            replace(
                row,
                year=row.year if row.year is not None else record.year,
                files=tuple(dict.fromkeys((*row.files, line["source"]["file"]))),
                offsets=(*row.offsets, offset),
                keys=tuple(dict.fromkeys((*row.keys, *keys))),
                **told,
            )
        )

    def _tell_apart(self) -> None:
        """Make each derived heading unlike every other."""
        alike: list[Row] = []
        for own, ids in self._all().alike():
            group = [row for row in map(self.row, ids) if row.own.casefold() == own]
            if not all(row.titled for row in group):
                alike += group
        from index import headings

        abstracts = (paper.abstract for paper in self.papers(row.id for row in alike))
        told = headings.distinct(
            [(row.id, row.own, abstract) for row, abstract in zip(alike, abstracts, strict=True)]
        )
        for row, heading in zip(alike, told, strict=True):
            if not row.titled and (heading or _UNTITLED) != row.heading:
                self._put(replace(row, heading=heading or _UNTITLED))

    def _new_id(self, key: str, batch: Mapping[str, bytes]) -> str:
        id = paper_id(key)
        while id in self._place or id in batch:
            key += "'"
            id = paper_id(key)
        return id

    # Its two files

    def _append(self, batch: dict[str, bytes]) -> None:
        """Put the lines of `batch` on disk and into the list, and empty it."""
        if not batch:
            return
        data = b"".join(batch.values())
        try:
            files.append(self.layout.papers, data if self._ends_whole() else b"\n" + data)
        except BaseException:
            self._known = None  # it holds keys that did not come onto the disk
            raise
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
            stamp, ids, lines = list_rows.read(self.layout.list)
            if stamp["schema"] not in (SCHEMA, _BEFORE) or len(ids) != len(lines):
                return
            damaged = stamp["damaged"]
            self._length, self._digest, self._seen = stamp["length"], stamp["digest"], tuple(stamp["seen"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return
        self._lines, self.ids, self._damaged = lines, ids, damaged
        self._places = None
        if stamp["schema"] == _BEFORE:
            self._renew_keys()

    def _renew_keys(self) -> None:
        """Give papers that are told apart by all their fields the keys of today.

        All else of such a list is as it was: to derive 100,000 headings anew would take a start a minute.
        """
        try:
            with self._opened() as source:
                for data in self._lines.sound():
                    if b'"all:' in data:
                        row = list_rows.row_of(data)
                        source.seek(row.offsets[0])
                        line = parsed(source.readline())
                        if line is None or line["id"] != row.id:
                            raise ValueError("papers.jsonl was changed since")
                        kept = (key for key in row.keys if not key.startswith("all:"))
                        keys = dict.fromkeys((*kept, *identities(record_of(line))))
                        self._put(replace(row, keys=tuple(keys)))
        except (OSError, ValueError):
            self._clear()
        else:
            self._save()

    def _save(self) -> None:
        """Write the list; where that is not allowed it is made again the next time."""
        head = {"schema": SCHEMA, **self.stamp, "seen": self._seen, "damaged": self._damaged}
        with contextlib.suppress(OSError):
            list_rows.write(self.layout.list, head, self.ids, self._lines.sound())


def asked_keys(text: str) -> frozenset[str]:
    """The keys of the DOI, the arXiv or the PubMed id that `text` may be."""
    bare = text.removeprefix("https://").removeprefix("doi.org/").removeprefix("arxiv.org/abs/")
    kinds = {kind: (bare.removeprefix(f"{kind}:"),) for kind in ("doi", "arxiv", "pmid")}
    return frozenset(identities(Record(0, identifiers=kinds)))


class _MovedError(OSError):
    """papers.jsonl no longer holds a paper's line where the list says."""


def _seen(stat: os.stat_result) -> tuple[int, int, int]:
    """What tells one state of a file from another; a time of change survives no swap."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _chained(digest: str, line: bytes) -> str:
    """The hash of a file's lines up to this one, from the hash up to the one before."""
    return blake2b(digest.encode() + line, digest_size=16).hexdigest()
