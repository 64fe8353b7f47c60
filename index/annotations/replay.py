"""history.jsonl as the last resort: what the other files have lost is made again from the steps in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tinydb.table import Document

from index.annotations import snapshot
from index.annotations.documents import checked, document_id, from_document, to_document
from index.annotations.history import Step
from index.annotations.journal import Journal, Tables
from index.annotations.rescue import ANNOTATIONS, SEARCHES
from index.annotations.searches import Searches
from index.papers import Annotation, Change


@dataclass(frozen=True, slots=True)
class Replay:
    """The tables as they are now, and how many changes of the history that took."""

    tables: Tables
    count: int = 0
    known: bool = True
    """False where no step can be read of the history, or there is none."""

    @property
    def told(self) -> str:
        return f"{self.count} later change{'s' * (self.count != 1)} in history.jsonl" if self.count else ""


def has_gap(journal: Journal, saved: int) -> bool:
    """Whether lines are missing before the last one, where those up to the number `saved` are published."""
    numbers = [max(saved, journal.seq), *(entry.seq for entry in journal.entries)]
    return any(after > before + 1 for before, after in pairwise(numbers))


def has_steps(path: Path) -> bool:
    """Whether there may be steps in the history at `path`. Reads nothing of it."""
    try:
        return snapshot.check(path) and path.stat().st_size > 0
    except OSError:
        return False


def replayed(tables: Tables, path: Path, worn: Collection[str]) -> Replay:
    """`tables` and on them what the history at `path` says was changed later, field by field. Never raises.

    Later than the document says of that field; of papers that are `worn`, of which a part could not be
    read, at the same time too. Of two changes of one time the later line counts: git may have merged two
    machines' lines. What makes no sense is passed over. The file is read line by line.
    """
    targets: dict[str, Annotation | Searches] = {}
    latest: dict[tuple[str, str], str] = {}
    count, known = 0, False
    try:
        for change in _changes(path):
            known = True
            if change.when <= _since(tables, change) and change.paper not in worn:
                continue  # as are nearly all, where little was lost
            try:
                change = checked(change)
            except (AttributeError, KeyError, TypeError, ValueError):
                continue
            target = targets.get(change.paper) or _target(tables, change.paper)
            place = change.paper, change.field
            since = latest.get(place, target.when(change.field))
            again = place in latest or change.paper in worn
            if change.when < since or (change.when == since and not again):
                continue
            latest[place] = change.when
            if (after := target.after(change)) != target:
                targets[change.paper] = after
                count += 1
    except OSError:
        known = False
    return Replay(_with(tables, targets), count, known)


def _changes(path: Path) -> Iterator[Change]:
    """Those that have a time, in the order of the file; they may not be sound. Raises OSError."""
    with snapshot.opened(path) as lines:
        for line in lines:
            step = Step.from_line(line)
            yield from (change for change in step.changes if change.when.isprintable()) if step else ()


def _since(tables: Tables, change: Change) -> str:
    """When the field was last changed, as `tables` tell at a glance; else ""."""
    try:
        document = tables[ANNOTATIONS][str(document_id(change.paper))]
        return str(document["times"][change.field])
    except (KeyError, TypeError, ValueError):
        return ""


def _target(tables: Tables, paper: str) -> Annotation | Searches:
    if not paper:
        table = tables.get(SEARCHES, {})
        return Searches.of(Document(table[key], int(key)) for key in table if key.isdecimal())
    document = tables.get(ANNOTATIONS, {}).get(str(document_id(paper)))
    return from_document(document) if document else Annotation(paper)


def _with(tables: Tables, targets: dict[str, Annotation | Searches]) -> Tables:
    """New tables. Of a paper that had no document its identities are not known: a later change tells them."""
    if not targets:
        return tables
    new = {ANNOTATIONS: {}, **{name: dict(table) for name, table in tables.items()}}
    for target in targets.values():
        if isinstance(target, Searches):
            searches = {str(one.doc_id): dict(one) for one in target.documents.values()}
            new[SEARCHES] = {**new.get(SEARCHES, {}), **searches}
        else:
            key = str(document_id(target.paper))
            new[ANNOTATIONS][key] = dict(to_document(target, new[ANNOTATIONS].get(key, {}), None))
    return new
