"""What the files of a library hold between them when they do not simply go on from one another.

annotations.json was swapped underneath, or is damaged; the journal is torn, or another machine's; a write
was broken off; Syncthing left a copy. All of it ends in one set of tables, and nothing that was there is
lost: what is damaged is kept in damaged/, what was merged in conflicts/.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from index import files
from index.annotations import backups, copies, journal, merge, replay, rescue, snapshot
from index.annotations.journal import Journal, Tables
from index.annotations.migration import SCHEMA
from index.annotations.places import AnnotationsError as AnnotationsError
from index.annotations.places import Places, read, unusable
from index.annotations.replay import Replay
from index.annotations.rescue import CONFLICTS, DAMAGED, Found
from index.annotations.snapshot import Draft, Stamp
from index.clean import drawable
from index.papers import moment, now

SETTLE: Final = 0.15
"""Seconds after which a file that seems damaged, or gone, is looked at again: it may be half written."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a process has in memory: where the files have lost it, it is put back."""

    tables: Tables
    snapshot: str
    seq: int
    machine: str


@dataclass(slots=True)
class Whole:
    """What everything comes to. `as_before`: all that was wrong has been cut off the journal's end."""

    tables: Tables = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    seq: int = 0
    machine: str = ""
    snapshot: str = ""
    stamp: Stamp | None = None
    journal: Stamp | None = None
    read: int = 0
    notices: list[str] = field(default_factory=list)
    read_only: str | None = None
    as_before: bool = False
    adopted: bytes | None = None
    """annotations.json as it is, where it holds all there is: it came from another machine."""
    copies: tuple[Path, ...] = ()
    """Conflict copies that are in `tables` now."""


def mended(places: Places, held: Held | None, still_there: Callable[[], None], *, can_write: bool) -> Whole:
    """Everything that the files, and `held`, hold. The caller holds the lock, and publishes the result.

    `still_there` raises where they turn out to be of another library. Without `can_write` nothing is kept
    aside or cut. Raises OSError, and AnnotationsError where a file cannot be read, or is damaged and there
    is nothing at all in its place.
    """
    disk = _read_all(places, held)
    still_there()
    whole = Whole(snapshot=disk.name, stamp=disk.stamp, journal=disk.journal_stamp, read=disk.log.size)
    if disk.newer:
        return _as_it_is(whole, places, disk)
    if can_write:
        _keep_damaged_lines(whole, places, disk.log)
    came = copies.of_annotations(places.folder) if can_write or not held else []
    schema = disk.seen.meta.get("schema", SCHEMA)
    if can_write and schema != SCHEMA:
        backups.back_up(places.folder, date.today(), why=f"schema-{schema}")  # noqa: DTZ011
    sources = _sources(places, disk, held)
    edited = min(moment(disk.stamp[0] / 1e9), now()) if disk.stamp else ""
    whole.tables, worn = _merged(sources, edited)
    again = replay.replayed(whole.tables, places.history, worn) if disk.lost else Replay(whole.tables)
    short = disk.emptied or disk.has_gap
    cut_off = disk.follows and not short and not disk.log.damaged and not again.count
    if can_write and cut_off and not came and schema == SCHEMA:
        whole.as_before = True
        return whole
    whole.tables = again.tables
    whole.notices += _why(places, disk, sources, again, held)
    _take_copies(whole, came, disk.base.versions[0] if disk.base else sources.common)
    if disk.seen.fault and disk.data is not None:
        if not any(whole.tables.values()):
            raise unusable(places.snapshot, disk.seen.fault)
        if can_write:
            folder = places.folder / (CONFLICTS if disk.seen.in_conflict else DAMAGED)
            kept = rescue.set_aside(folder, places.snapshot.name, disk.data)
            whole.notices.append(f"{places.snapshot.name} as it was is {folder.name}/{kept.name}")
    metas = [disk.seen.meta, disk.base.meta if disk.base else {}]
    seqs = [meta["seq"] for meta in metas if type(meta.get("seq")) is int]
    whole.seq = max([0, *seqs, *(entry.seq for entry in disk.log.entries), held.seq if held else 0])
    whole.meta = {**disk.seen.meta, "parent": disk.name}
    sound = disk.data is not None and not disk.seen.fault and schema == SCHEMA and not whole.copies
    if sound and whole.tables == disk.seen.versions[0]:
        whole.adopted = disk.data  # written anew it would go back and forth between two machines for ever
    kin = disk.log.machine if not sources.strange else ""
    whole.machine = (held.machine if held else "") or kin or secrets.token_hex(8)
    whole.notices = [drawable(notice) for notice in whole.notices]
    return whole


@dataclass(frozen=True, slots=True)
class _Disk:
    """What the files hold, each by itself."""

    data: bytes | None
    stamp: Stamp | None
    seen: Found
    log: Journal
    journal_stamp: Stamp | None
    base: Found | None
    base_data: bytes | None
    lacking: bool
    """Whether a journal other than this process knows is there, none, an older one, or a damaged one; or
    whether all has gone of what a backup or the history remembers."""

    @property
    def name(self) -> str:
        return snapshot.digest(self.data)

    @property
    def newer(self) -> int | None:
        return self.seen.newer or (self.log.schema if self.log.schema > SCHEMA else None)

    @property
    def goes_on(self) -> bool:
        """Whether the journal, if there is one, goes on from a sound annotations.json."""
        return self.seen.fault is None and self._from(self.name, self.seen)

    @property
    def goes_on_from_base(self) -> bool:
        return self.base is not None and self._from(snapshot.digest(self.base_data), self.base)

    def _from(self, name: str, seen: Found) -> bool:
        """A journal without a readable header goes on from what was last published, if the numbers do."""
        if self.log.snapshot is not None or self.log.goes_on_from(name):
            return self.log.goes_on_from(name)
        if self.base_data is not None and snapshot.digest(self.base_data) != name:
            return False
        return not self.log.entries or bool(self.log.entries[0].seq == seen.meta.get("seq", 0) + 1)

    @property
    def follows(self) -> bool:
        return self.goes_on and not self.lacking

    @property
    def emptied(self) -> bool:
        """Whether the journal is empty, or has gone from beside what was last saved here.

        Where another machine's annotations.json has come, the latter tells nothing.
        """
        base = snapshot.digest(self.base_data)
        elsewhere = self.data is not None and not self.seen.fault and self.base and base != self.name
        gone = self.base_data is not None and not elsewhere
        return not self.log.size and (self.journal_stamp is not None or gone)

    @property
    def has_gap(self) -> bool:
        seen = self.base if self.base and self.goes_on_from_base else self.seen
        return replay.has_gap(self.log, seen.meta.get("seq", 0)) and (self.goes_on or self.goes_on_from_base)

    @property
    def lost(self) -> bool:
        """Whether anything may be missing that was on disk."""
        torn = bool(self.log.torn) or len(self.log.damaged) > self.log.repaired or self.has_gap
        gone = (self.data is None or self.seen.fault) and not (self.goes_on or self.goes_on_from_base)
        return torn or self.emptied or self.lacking or bool(gone)

    def played(self, seen: Found, after: int) -> Tables:
        """What `seen` holds and, on it, the lines of the journal after number `after`."""
        entries = [entry for entry in self.log.entries if entry.seq > after]
        return journal.played(seen.versions[0] if seen.versions else {}, entries)


@dataclass(frozen=True, slots=True)
class _Sources:
    """What is to be merged: the `versions` of annotations.json into `ours`, then what is `strange`."""

    ours: Tables | None
    theirs: Found
    common: Tables | None = None
    strange: Journal | None = None
    name: str | None = None
    """What `ours` is, in words; None of two files that go on from one another."""


def _read_all(places: Places, held: Held | None) -> _Disk:
    base_data, _ = read(places.base)
    data, stamp, seen = _settled(places.snapshot, expected=held is not None or base_data is not None)
    lines, journal_stamp = read(places.journal)
    log = journal.parsed(lines or b"")
    odd = [entry for entry in log.entries if not rescue.is_sound(entry)]
    log.entries = [entry for entry in log.entries if rescue.is_sound(entry)]
    log.damaged += [entry.line for entry in odd]
    base = rescue.found(base_data) if base_data is not None else None
    if base and (base.fault or base.newer):
        base = None
    last = max([log.seq, seen.meta.get("seq", 0), *(entry.seq for entry in log.entries)])
    lost = len(log.damaged) - log.repaired
    lacking = held is not None and (lost > 0 or last < held.seq or held.machine not in ("", log.machine))
    gone = held is None and data is None and not log.size and base_data is None
    lacking = lacking or (gone and was_there(places))
    return _Disk(data, stamp, seen, log, journal_stamp, base, base_data, lacking)


def _sources(places: Places, disk: _Disk, held: Held | None) -> _Sources:
    """Where each thing that the files should hold is to be had."""
    seen, log = disk.seen, disk.log
    after = seen.meta.get("seq", 0)
    if disk.follows:
        return _Sources(None, replace(seen, versions=(disk.played(seen, after),)))
    common = disk.base.versions[0] if disk.base else None
    base_name = snapshot.digest(disk.base_data)
    if disk.base and disk.goes_on_from_base and not disk.lacking:
        ours = disk.played(disk.base, disk.base.meta.get("seq", 0))
        return _Sources(ours, seen, common, None, "what was last saved and written since")
    if held:
        theirs, strange, ours = seen, None, held.tables
        if disk.lacking and disk.goes_on:
            theirs = replace(seen, versions=(disk.played(seen, after),))
        elif not disk.lacking and log.goes_on_from(held.snapshot):
            ours = journal.played(ours, [entry for entry in log.entries if entry.seq > held.seq])
        else:
            strange = log
        common = None if base_name == disk.name else common
        return _Sources(ours, theirs, common, strange, "what was open here")
    backup = backups.newest_sound(places.folder) if seen.fault or disk.data is None else None
    if common is None and backup:
        common = next(iter(rescue.found(read(backup)[0] or b"").versions), {})
        return _Sources(common, seen, common, log, f"the backup {backup.name}")
    return _Sources(common, seen, common, log, "what was last saved here" if common else "")


def _merged(sources: _Sources, edited: str = "") -> tuple[Tables, set[str]]:
    """All of it, and the papers of which a part could not be read: taken where there is no other."""
    tables = sources.ours
    for version in sources.theirs.versions:
        tables = version if tables is None else merge.merged(sources.common, tables, version, edited)
    for version in rescue.found_in_journal(sources.strange).versions if sources.strange else ():
        tables = merge.merged(sources.common, tables or {}, version)
    tables = {name: dict(table) for name, table in (tables or {}).items()}
    papers = set()
    for worn in sources.theirs.worn:
        for name, table in worn.items():
            sound = tables.get(name, {})
            papers |= {str(table[key].get("paper")) for key in table if key not in sound}
            tables[name] = {**table, **sound}
    return tables, papers


def _take_copies(whole: Whole, paths: Sequence[Path], common: Tables | None) -> None:
    """Merge the conflict copies, but for those of a newer postil."""
    for path in paths:
        if path.suffix.lower() == ".journal":
            part = rescue.found_in_journal(journal.parsed(read(path)[0] or b""))
        else:
            _, _, part = _settled(path, expected=True)
        if part.newer:
            whole.notices.append(f"{path.name} was written by a newer postil and left alone")
            continue
        for version in (*part.versions, *part.worn):
            whole.tables = merge.merged(common, whole.tables, version)
        wrong = f", though it {part.fault}" if part.fault else ""
        whole.notices.append(f"{path.name} was merged{wrong}, and is in {CONFLICTS}/")
        whole.copies += (path,)


def was_there(places: Places) -> bool:
    """Whether a backup or the history remembers something: without annotations that is no empty start."""
    return backups.newest_sound(places.folder) is not None or replay.has_steps(places.history)


def is_ours(places: Places, held: Held) -> bool:
    """Whether the folder is a copy of the library that `held` is of: what was last saved there, or more.

    Raises AnnotationsError.
    """
    data, lines, base = (read(path)[0] for path in (places.snapshot, places.journal, places.base))
    if not held.snapshot and not held.machine:
        return data is None and lines is None and base is None
    if held.snapshot and held.snapshot in (snapshot.digest(base), snapshot.digest(data)):
        return True
    log = journal.parsed(lines or b"")
    if not held.machine or log.machine != held.machine:
        return False
    saved = rescue.found(data).meta.get("seq", 0) if data else 0
    return max([log.seq, saved, *(entry.seq for entry in log.entries)]) >= held.seq


def put_in_place(places: Places, draft: Draft, begin: bytes) -> None:
    """Put `draft` in the place of annotations.json, and begin a new journal with `begin`.

    The caller holds the lock. When this is broken off anywhere, the journal goes on from what is there.
    """
    if snapshot.stamp(places.journal):
        files.append(places.journal, journal.publishing(draft.snapshot))
    draft.put(places.snapshot, places.base)
    files.replace(places.journal, [begin])


def adopt(places: Places, data: bytes, begin: bytes) -> None:
    """Begin a new journal, with `begin`, that goes on from annotations.json as it is, which is `data`."""
    files.replace(places.journal, [begin])
    files.replace(places.base, [data])


def _settled(path: Path, *, expected: bool) -> tuple[bytes | None, Stamp | None, Found]:
    """The file and what is in it, once it stays as it is: git and others write it in place."""
    data, stamp = read(path)
    while True:
        seen = rescue.found(data) if data is not None else Found()
        if seen.fault is None and (data is not None or not expected):
            return data, stamp, seen
        time.sleep(SETTLE)
        before, (data, stamp) = data, read(path)
        if data == before:
            return data, stamp, seen


def _as_it_is(whole: Whole, places: Places, disk: _Disk) -> Whole:
    """What can be shown of a newer postil's files. They are left alone."""
    seen = disk.seen
    tables = disk.played(seen, seen.meta.get("seq", 0)) if disk.goes_on else _merged(_Sources(None, seen))[0]
    whole.tables, whole.meta, whole.machine = tables, seen.meta, disk.log.machine
    wrong = f"was written by a newer postil (schema {disk.newer})"
    whole.read_only = str(unusable(places.snapshot, wrong, "update postil to change it"))
    return whole


def _keep_damaged_lines(whole: Whole, places: Places, log: Journal) -> None:
    damaged, name = places.folder / DAMAGED, places.journal.name
    if log.torn:
        kept = rescue.set_aside(damaged, name, log.torn)
        with places.journal.open("rb+") as file:
            file.truncate(log.size)
        whole.notices.append(
            f"{name} ended in the middle of a line, as after a crash: the rest is {DAMAGED}/{kept.name}"
        )
    if log.damaged:
        kept = rescue.set_aside(damaged, name, b"\n".join(log.damaged))
        count, lost = len(log.damaged), len(log.damaged) - log.repaired
        told = f"1 line of {name} was" if count == 1 else f"{count} lines of {name} were"
        done = "and cannot be read" if lost == count else f"and {lost} of them cannot be read"
        told = f"{told} damaged {done if lost else 'and put right'}"
        whole.notices.append(f"{told}: what was found is {DAMAGED}/{kept.name}")


def _why(places: Places, disk: _Disk, sources: _Sources, again: Replay, held: Held | None) -> list[str]:
    """What was wrong with the files, a line each: what they were made again from, what may be missing."""
    name, lines, fault = places.snapshot.name, places.journal.name, disk.seen.fault
    if sources.name is None:
        if again.count:
            return [f"{lines} had lost its last lines: they were made again from {again.told}"]
        if (disk.emptied or disk.has_gap) and not again.known:
            return [
                f"{lines} lacks lines, and history.jsonl cannot tell: what was written last may be missing"
            ]
        return []
    says, source = [], " and ".join(filter(None, (sources.name, again.told))) or "what else there is"
    after = " after it" if sources.name else ""
    doubt = "" if held or again.known else f": what was written{after} may be missing"
    if disk.data is None:
        says = [f"{name} had gone: it was made again from {source}{doubt}"]
    elif disk.seen.in_conflict:
        says = [f"{name} {fault}: both sides were merged with {source}"]
    elif fault:
        says = [f"{name} {fault}: it was rebuilt from {source}, and from what can be read of it{doubt}"]
    elif not disk.goes_on:
        says = [f"{name} was changed by another program: that was merged with {source}"]
    if sources.strange and sources.strange.entries:
        says.append(f"{lines} goes on from a file that is not here: its lines were merged")
    elif disk.lacking and held:
        says.append(f"{lines} lacked {source}: that was merged")
    return says
