"""The tables of one library as a TinyDB storage: a snapshot, and the journal that goes on from it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tinydb.storages import Storage
from tinydb.table import Document, Table

from index import files
from index.annotations import copies, journal, layout, mending, places, replay, rescue, snapshot
from index.annotations.documents import paper_of
from index.annotations.guard import Guard, TakenError
from index.annotations.journal import Entry, Tables
from index.annotations.migration import SCHEMA
from index.annotations.packed import packed
from index.annotations.places import AnnotationsError, Places
from index.annotations.rescue import ANNOTATIONS, META, ONLY
from index.annotations.snapshot import Draft, Stamp

SEARCHES: Final = rescue.SEARCHES
LEAST_JOURNAL: Final = 1 << 20
"""Bytes of journal below which nothing is published but on closing."""
LOOK: Final = 0.2
"""Seconds that a look waits for another process to let go."""

News = list[tuple[str, Mapping[str, Any] | None]]
"""Papers whose document another process set, or took away."""
Change = tuple[str, str, Mapping[str, Any] | None]
"""A table, the id of a document in it, and what is to be there."""


@dataclass(slots=True)
class State:
    """What the files hold together, and how far they were read."""

    tables: Tables = field(default_factory=dict)
    """Annotations are packed in it, the few other documents are not."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    snapshot: str = ""
    published: int = 0
    """The number of the last line that the snapshot holds."""
    seq: int = 0
    machine: str = ""
    stamp: Stamp | None = None
    journal: Stamp | None = None
    read: int = 0
    """How many bytes of the journal."""
    mended: bool = True
    """False of what was put together in memory and could not be put on disk."""


class JournaledStorage(Storage):
    """One library's tables in memory, each change a line of the journal, now and then a new snapshot.

    Whoever calls `change` or `publish` holds `writing` and has called `catch_up` since; one thread at a
    time calls any of these. What TinyDB's own `Table` changes goes the same way, though slower; but its
    `update` alters documents in place before they are written, and packed ones cannot be: `Documents.put`
    is used instead.
    """

    def __init__(self, folder: Path) -> None:
        self.places = Places(folder)
        self.notices: list[str] = []
        self._guard = Guard(self.places.lock)
        self._copies = copies.Copies(self.places)
        self._newer: str | None = None
        self._taken: str | None = None
        self._state = State()
        self._opened = False
        self._place: snapshot.Place | None = None

    @property
    def read_only(self) -> str | None:
        """Why nothing can be written here, or None."""
        return self._newer or self._taken

    @property
    def grown(self) -> bool:
        """Whether the journal has become so long that a new snapshot is worth its while."""
        size = self._state.stamp[1] if self._state.stamp else 0
        return self._state.read > max(LEAST_JOURNAL, size // 4) and self._state.seq > self._state.published

    @contextlib.contextmanager
    def writing(self, patience: float = files.PATIENCE) -> Iterator[None]:
        """Hold the right to write. Raises OSError, and AnnotationsError where this process has none."""
        self._stay()
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._guard.held(patience))
            except TakenError as error:
                self._taken = str(error)
                raise AnnotationsError(self._taken) from error
            self._taken = None
            yield

    def close(self) -> None:
        """Let another process write where there are no locks."""
        self._guard.release()

    def open(self) -> News:
        """Read what there is, and mend what is damaged: all of it is news.

        Raises OSError and AnnotationsError.
        """
        news = self.look(files.PATIENCE)
        if self._copies.come():
            news += self.look(files.PATIENCE)
        if self._state.read or self._state.stamp:  # whether there are locks here shows at once
            with contextlib.suppress(OSError, AnnotationsError), self.writing(0):
                pass
        return news

    def look(self, patience: float = LOOK) -> News:
        """What other processes changed since; a stat when nothing did. Takes the lock only to mend.

        Raises AnnotationsError where a file is past mending, and then memory holds what it held.
        """
        if self._taken:
            with contextlib.suppress(OSError, AnnotationsError), self.writing(0):
                pass  # nobody else writes there any more
        news = self._read_on()
        if news is None:
            news = self._load()
        if news is not None and not self._copies.come():
            return news
        try:
            with self.writing(patience):
                return (news or []) + self.catch_up()
        except files.BusyError:
            if self._opened:
                return news or []  # the next look will tell
            raise
        except (OSError, AnnotationsError) as error:
            if news is not None:
                self._copies.leave(self._copies.come())
                return news
            if isinstance(error, AnnotationsError) and not self._taken:
                raise
            return self._mend(can_write=False)

    def catch_up(self) -> News:
        """As `look`, for who holds `writing`. Raises OSError and AnnotationsError."""
        news = self._read_on() if self._state.mended else None
        if news is None:
            news = self._load()
        if news is None:
            news = self._mend(can_write=True)
        if came := self._copies.come():
            self.notices += self._copies.take_lines(came)
            if rest := [path for path in came if copies.is_of_annotations(path)]:
                news += self._mend(can_write=True)
            self._copies.leave(rest)
        return news

    def change(self, changes: Iterable[Change]) -> None:
        """Put `changes` on disk, then in memory. Raises OSError or AnnotationsError: neither has changed.

        The latter also for no changes, where nothing can be written.
        """
        if self.read_only:
            raise AnnotationsError(self.read_only)
        state = self._state
        entries = [Entry.of(state.seq + number, *change) for number, change in enumerate(changes, 1)]
        if not entries:
            return
        data = b"".join(entry.line for entry in entries)
        machine = state.machine or secrets.token_hex(8)
        if state.read == 0:
            data = journal.header(state.snapshot, machine) + data
        files.append(self.places.journal, data)
        for entry in entries:
            _set(state.tables, entry)
        state.seq, state.machine, state.read = entries[-1].seq, machine, state.read + len(data)
        stamp = snapshot.stamp(self.places.journal)
        state.journal = stamp if stamp and stamp[1] == state.read else None

    def captured(self) -> tuple[Tables, State] | None:
        """What a new snapshot is to hold, for `snapshot.written`; None when the old one holds it all.

        Raises AnnotationsError.
        """
        state = self._state
        if self.read_only or state.seq == state.published:
            return None
        self._stay()
        meta = {**state.meta, "schema": SCHEMA, "seq": state.seq, "parent": state.snapshot}
        tables = {name: dict(table) for name, table in state.tables.items()}
        return {META: {ONLY: meta}, **tables}, state

    def publish(self, draft: Draft, state: State) -> None:
        """Put `draft`, of what was captured with `state`, in the place of annotations.json.

        Lines that came meanwhile go on into the new journal. Nothing is done when another process was
        quicker. Raises OSError: the old snapshot and journal then hold everything.
        """
        if self._state is not state or self.read_only:
            return
        lines = journal.parsed(self.places.journal.read_bytes()).entries if state.read else []
        later = b"".join(entry.line for entry in lines if entry.seq > draft.seq)
        self._put(state, draft, later)

    def read(self) -> Tables:
        """The tables in memory. TinyDB puts tables into the mapping it is given, so that is a copy."""
        return dict(self._state.tables)

    def write(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Make the tables what `data` is: TinyDB's way, which looks at every document."""
        held = self._state.tables
        changes: list[Change] = []
        for name in {**held, **data}:
            old, new = held.get(name, {}), data.get(name, {})
            changes += [(name, id, new[id]) for id in new if old.get(id) != new[id]]
            changes += [(name, id, None) for id in old if id not in new]
        if changes:
            self.change(changes)

    def _stay(self) -> None:
        """Raises AnnotationsError where another library has come in the place of the one that was opened."""
        place = snapshot.place(self.places.folder)
        if place and place != self._place:
            if self._opened and not mending.is_ours(self.places, self._held()):
                raise AnnotationsError(
                    f"{self.places.folder} is another folder than the one that was opened: nothing is read "
                    "from it or written to it; put the first one back, or close postil and open this one"
                )
            self._place = place

    @property
    def displaced(self) -> bool:
        """Whether another library lies where this one was opened."""
        try:
            self._stay()
        except (OSError, AnnotationsError):
            return True
        return False

    def _held(self) -> mending.Held:
        state = self._state
        return mending.Held(state.tables, state.snapshot, state.seq, state.machine)

    def _read_on(self) -> News | None:
        """Take in the journal's new lines; None when that is not all that has changed."""
        state = self._state
        stamp, lines = snapshot.stamp(self.places.snapshot), snapshot.stamp(self.places.journal)
        if not self._opened or stamp != state.stamp:
            return None
        if lines == state.journal:
            return []
        if lines is None or state.journal is None or lines[2] != state.journal[2] or lines[1] <= state.read:
            return None
        try:
            with snapshot.opened(self.places.journal) as file:
                file.seek(state.read)
                part = journal.parsed(file.read())
        except OSError:  # a folder may have the number that the file had; `_load` tells
            return None
        seqs = [entry.seq for entry in part.entries]
        if part.torn or part.damaged or part.snapshot is not None:
            return None
        if seqs != [*range(state.seq + 1, state.seq + 1 + len(seqs))] or not all(
            map(rescue.is_sound, part.entries)
        ):
            return None
        news = []
        for entry in part.entries:
            old = state.tables.get(entry.table, {}).get(entry.id)
            _set(state.tables, entry)
            news += _told(entry.table, entry.id, old, state.tables[entry.table].get(entry.id))
        state.seq, state.read, state.journal = state.seq + len(seqs), state.read + part.size, lines
        return news

    def _load(self) -> News | None:
        """Read both files from the beginning; None when anything about them is not as it should be."""
        data, stamp = places.read(self.places.snapshot)
        lines, journal_stamp = places.read(self.places.journal)
        has_base = places.is_there(self.places.base)
        part = journal.parsed(lines or b"")
        if part.torn or part.damaged or not all(map(rescue.is_sound, part.entries)):
            return None
        if not self._opened and copies.of_annotations(self.places.folder):
            return None
        if data is None and not lines and not self._opened and mending.was_there(self.places):
            return None
        name = snapshot.digest(data)
        if self._state.machine and part.machine != self._state.machine:
            return None
        if lines:
            if not part.goes_on_from(name) or part.schema != SCHEMA:
                return None
        elif has_base or lines is not None:
            return None  # the two begin together, and it with a header
        trusted = bool(lines) and has_base  # without a base it was not put in place here
        with layout.no_collection():
            tables = layout.sound(data, trusted=trusted) if data is not None else {}
        if tables is None:
            return None
        meta = rescue.meta_of(tables)
        tables.pop(META, None)
        state = State(tables, meta, name, max(meta.get("seq", 0), part.seq))
        state.seq, state.machine, state.read = state.published, part.machine, part.size
        state.stamp, state.journal = stamp, journal_stamp
        for entry in part.entries:
            if entry.seq > state.published:
                _set(tables, entry)
                state.seq = entry.seq
        if state.seq < self._state.seq or replay.has_gap(part, state.published):
            return None  # the journal was put back, or lines were taken out of it
        self._stay()
        self._newer = None
        return self._take(state)

    def _mend(self, *, can_write: bool) -> News:
        """Put together what the files hold between them, keep what is damaged, and publish the result."""
        held = self._held() if self._opened else None
        whole = mending.mended(self.places, held, self._stay, can_write=can_write)
        self.notices += [notice for notice in whole.notices if notice not in self.notices]
        self._newer = whole.read_only
        if can_write:
            snapshot.sweep(self.places.snapshot, self.places.base)
        if whole.as_before:  # all that was wrong could be cut off
            news = self._load()
            if news is None:
                raise AnnotationsError(
                    f"{self.places.snapshot} is being written by another program: try again"
                )
            return news
        tables = layout.packed_tables(whole.tables)
        state = State(tables, whole.meta, whole.snapshot, whole.seq, whole.seq, whole.machine)
        state.stamp, state.journal, state.read = whole.stamp, whole.journal, whole.read
        state.mended = whole.read_only is not None
        can_write = can_write and not whole.read_only
        if can_write and whole.adopted is not None and layout.goes_by_lines(whole.adopted):
            begin = journal.header(state.snapshot, state.machine, state.seq)
            mending.adopt(self.places, whole.adopted, begin)
            self._begun(state, begin)
            state.mended = True
        elif can_write:
            tables = {META: {ONLY: {**whole.meta, "schema": SCHEMA, "seq": whole.seq}}, **tables}
            draft = snapshot.written(tables, whole.seq, self.places.snapshot, self.places.base)
            self._put(state, draft, b"")
            state.mended = True
            self.notices += copies.put_away(self.places, whole.copies)
        return self._take(state)

    def _put(self, state: State, draft: Draft, later: bytes) -> None:
        """Put `draft` in its place, and begin a new journal with the lines `later`."""
        begin = journal.header(draft.snapshot, state.machine)
        try:
            mending.put_in_place(self.places, draft, begin + later)
        finally:
            draft.drop()
        state.snapshot, state.published, state.stamp = draft.snapshot, draft.seq, draft.stamp
        self._begun(state, begin + later)

    def _begun(self, state: State, lines: bytes) -> None:
        """The journal holds `lines` and nothing else now, unless another process was as quick."""
        state.read = len(lines)
        stamp = snapshot.stamp(self.places.journal)
        state.journal = stamp if stamp and stamp[1] == state.read else None

    def _take(self, state: State) -> News:
        """Hold `state` from now on; what is new in it."""
        old = self._state.tables.get(ANNOTATIONS, {})
        new = state.tables.get(ANNOTATIONS, {})
        self._state, self._opened = state, True
        changed = new if not old else [key for key in {**old, **new} if old.get(key) != new.get(key)]
        return [told for key in changed for told in _told(ANNOTATIONS, key, old.get(key), new.get(key))]


class Documents(Table):
    """A table whose documents are set by id, many in one write."""

    def put(self, documents: Iterable[Document]) -> None:
        """Set these documents; what `JournaledStorage.change` raises leaves the table as it was.

        TinyDB's own `upsert` looks at every document, and changes them in memory before the write.
        """
        self._change([(self.name, str(document.doc_id), dict(document)) for document in documents])

    def drop(self, ids: Iterable[int]) -> None:
        """Delete the documents with these ids."""
        self._change([(self.name, str(id), None) for id in ids])

    def _change(self, changes: Sequence[Change]) -> None:
        assert isinstance(self.storage, JournaledStorage)
        self.storage.change(changes)
        self.clear_cache()


def _set(tables: Tables, entry: Entry) -> None:
    """Other threads may be reading the small tables; nobody reads the large one but by id."""
    table = tables.get(entry.table, {})
    tables[entry.table] = table = table if entry.table == ANNOTATIONS else dict(table)
    if entry.document is None:
        table.pop(entry.id, None)
    else:
        table[entry.id] = packed(entry.document) if entry.table == ANNOTATIONS else entry.document


def _told(table: str, key: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> News:
    return [(paper_of(key), new)] if table == ANNOTATIONS and old != new else []
