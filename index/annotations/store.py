"""What the reader wrote, in memory and on disk: every write reads the file's latest state first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Final

from tinydb.table import Document

from index import files
from index.annotations.documents import checked, from_document, to_document
from index.annotations.facets import Facets
from index.annotations.storage import ANNOTATIONS, SEARCHES, Documents, Snapshot
from index.clean import clean, one_line, tag_name
from index.papers import Annotation, Change, Value

LOCK: Final = "annotations.lock"


@dataclass(frozen=True, slots=True)
class Search:
    """A saved search. `sort` is None for the usual order."""

    name: str
    query: str
    sort: str | None = None


class Annotations:
    """The annotations of one library. What is shown is what the file holds and, on it, what waits.

    Safe to use from several threads: only `apply`, `refresh` and the saving of searches touch the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.lock = folder / LOCK
        self._storage = Snapshot(folder / "annotations.json")
        self._documents = Documents(self._storage, ANNOTATIONS)
        self._searches = Documents(self._storage, SEARCHES)
        self._disk = threading.Lock()  # one thread at a time reads or writes the file
        self._memory = threading.RLock()  # held for moments: what is below changes together
        self._held: dict[str, Mapping[str, Any]] = {}  # the documents in the file, by paper
        self._made: dict[str, Annotation] = {}  # from those, when first asked for
        self._waiting: dict[str, list[Change]] = {}
        self._shown: dict[str, Annotation] = {}  # what is held and on it what waits, where any does
        self._facets = Facets()
        self._news: set[str] = set()

    @classmethod
    def open(cls, folder: Path) -> Annotations:
        """The annotations in `folder`, none if it has no file yet.

        Raises `AnnotationsError` when the file cannot be used; it is then left as it is.
        """
        annotations = cls(folder)
        annotations._reload()
        annotations._news.clear()
        return annotations

    @property
    def read_only(self) -> str | None:
        """Why nothing can be written here, or None."""
        return self._storage.read_only

    def get(self, paper: str) -> Annotation:
        """The annotation of `paper`; an untouched one when there is none."""
        with self._memory:
            return self._shown.get(paper) or self._in_file(paper)

    def items(self) -> list[tuple[str, Annotation]]:
        """Every paper that has an annotation, with it."""
        with self._memory:
            papers = list({**self._held, **self._shown})
        return [(paper, self.get(paper)) for paper in papers]

    def texts(self, paper: str) -> tuple[str, ...]:
        """What the reader wrote or marked: the note, tags, comments and quotes."""
        annotation = self.get(paper)
        marks = annotation.highlights
        texts = (annotation.note, *annotation.tags, *(m.comment for m in marks), *(m.quote for m in marks))
        return tuple(filter(None, texts))

    def with_status(self, status: str) -> frozenset[str]:
        """Papers of this status. A paper without an annotation is unread too, and is not among them."""
        return self._ids("status", [status])

    def tagged(self, tag: str) -> frozenset[str]:
        """Papers with `tag` or one nested in it; with a trailing `*`, one that begins so."""
        name = tag_name(tag.removesuffix("*"))
        if tag.endswith("*"):
            begin = name + "/" * tag.endswith("/*")
            return self._ids("tag", [known for known in self.tags() if known.startswith(begin)])
        return self._ids("tag", [known for known in self.tags() if f"{known}/".startswith(f"{name}/")])

    def starred(self) -> frozenset[str]:
        return self._ids("starred", [True])

    def with_note(self) -> frozenset[str]:
        return self._ids("note", [True])

    def with_highlight(self) -> frozenset[str]:
        return self._ids("highlights", [True])

    def rated(self, low: int | None, high: int | None) -> frozenset[str]:
        """Papers with a rating from `low` to `high`, both included; None is open."""
        return self._ids("rating", range(low or 1, (high or 5) + 1))

    def due(self, low: str | None, high: str | None) -> frozenset[str]:
        """Papers due from the day `low` to the day `high`, both included; None is open."""
        with self._memory:
            days = [day for day in self._facets.counts("due") if isinstance(day, str)]
        return self._ids("due", [d for d in days if (low or "") <= d and (high is None or d <= high)])

    def tags(self) -> dict[str, int]:
        """Each tag and how many papers have it, by name."""
        with self._memory:
            counts = self._facets.counts("tag")
        return {str(tag): counts[tag] for tag in sorted(counts, key=str)}

    def pending(self, changes: Iterable[Change]) -> list[Change]:
        """Show `changes` from now on, until they are applied or given up.

        Returns them as they are to be applied: `before` is what was shown. Raises ValueError for a bad one.
        """
        shown = []
        for change in [checked(change) for change in changes]:
            with self._memory:
                change = replace(change, before=self.get(change.paper).value(change.field))
                self._waiting.setdefault(change.paper, []).append(change)
                self._turn(change.paper, self._held.get(change.paper))
            shown.append(change)
        return shown

    def give_up(self, changes: Iterable[Change]) -> None:
        """Show `changes`, as `pending` returned them, no longer: they will not be applied."""
        for paper, own in _by_paper(changes).items():
            with self._memory:
                self._turn(paper, self._held.get(paper), own)

    def apply(
        self,
        changes: Sequence[Change],
        identities: Mapping[str, Sequence[str]] | None = None,
        record: Callable[[list[Change]], None] | None = None,
        meet: Callable[[Change, Value], Change] | None = None,
    ) -> list[Change]:
        """Make `changes` on what the file holds now; they are on disk when this returns, and wait no longer.

        Returns them as they were made: `before` is what the file held. `identities` are those of the
        papers. `meet` may make another change of one whose field the file holds otherwise than both its
        `before` and its `after`. `record` is called with what is returned, under the same lock, once it
        is on disk.
        Raises ValueError for a bad change, OSError or `AnnotationsError` when nothing could be written;
        nothing has changed then.
        """
        changes = [checked(change) for change in changes]
        with self._disk, files.locked(self.lock):
            self._reload()
            latest: dict[str, Annotation] = {}
            made = []
            for change in changes:
                annotation = latest.get(change.paper) or self._in_file(change.paper)
                held = annotation.value(change.field)
                if meet and held not in (change.before, change.after):
                    change = meet(change, held)
                made.append(replace(change, before=held))
                latest[change.paper] = annotation.after(change)
            new = {
                paper: to_document(annotation, self._held.get(paper, {}), (identities or {}).get(paper))
                for paper, annotation in latest.items()
            }
            if new:
                self._documents.put(new.values())
            done = _by_paper(changes)
            for paper, document in new.items():
                with self._memory:
                    self._turn(paper, document, done[paper])
            if record:
                record(made)
        return made

    def refresh(self) -> set[str]:
        """The papers whose annotation another process changed since this was last asked.

        A stat when nothing changed; else the file is read (not for a thread that draws). While this
        process is writing nothing is looked at, and the next call tells.
        """
        if self._disk.acquire(blocking=False):
            try:
                self._reload()
            finally:
                self._disk.release()
        with self._memory:
            news, self._news = self._news, set()
        return news

    def searches(self) -> list[Search]:
        """The saved searches, the oldest first, as the file last read or written holds them."""
        return [
            Search(entry["name"], entry["query"], entry.get("sort"))
            for entry in self._searches
            if isinstance(entry.get("name"), str) and isinstance(entry.get("query"), str)
        ]

    def save_search(self, search: Search) -> None:
        """Save `search`, in the place of one with the same name. Raises as `apply` does."""
        values = {name: value and one_line(clean(value)) for name, value in asdict(search).items()}
        with self._disk, files.locked(self.lock):
            self._reload()
            known = {entry.get("name"): entry for entry in self._searches}
            unused = max((entry.doc_id for entry in self._searches), default=0) + 1
            old = known.get(values["name"], Document({}, unused))
            self._searches.put([Document({**old, **values}, old.doc_id)])

    def delete_search(self, name: str) -> None:
        """Delete the saved search `name`, if there is one. Raises as `apply` does."""
        with self._disk, files.locked(self.lock):
            self._reload()
            ids = [entry.doc_id for entry in self._searches if entry.get("name") == name]
            if ids:
                self._searches.remove(doc_ids=ids)

    def _ids(self, kind: str, values: Iterable[object]) -> frozenset[str]:
        with self._memory:
            return self._facets.ids(kind, values)

    def _in_file(self, paper: str) -> Annotation:
        with self._memory:
            if paper not in self._made:
                document = self._held.get(paper)
                if document is None:
                    return Annotation(paper)
                self._made[paper] = from_document(document)
            return self._made[paper]

    def _reload(self) -> None:
        """Take over the file's state if another process changed it. The caller holds `_disk`."""
        fresh = self._storage.reload()
        if fresh is None:
            return
        for paper in [p for p in {**self._held, **fresh} if self._held.get(p) != fresh.get(p)]:
            with self._memory:
                self._turn(paper, fresh.get(paper))
                self._news.add(paper)

    def _turn(self, paper: str, document: Mapping[str, Any] | None, done: Iterable[Change] = ()) -> None:
        """The file holds `document` now, and `done` no longer wait. The caller holds `_memory`."""
        old = self._shown.pop(paper, None) or self._held.get(paper)
        self._made.pop(paper, None)
        if document is None:
            self._held.pop(paper, None)
        else:
            self._held[paper] = document
        waiting = self._waiting.pop(paper, [])
        for change in done:
            if change in waiting:
                waiting.remove(change)
        if waiting:
            self._waiting[paper] = waiting
            self._shown[paper] = reduce(Annotation.after, waiting, self._in_file(paper))
        self._facets.move(paper, old, self._shown.get(paper, document))


def _by_paper(changes: Iterable[Change]) -> dict[str, list[Change]]:
    out: dict[str, list[Change]] = {}
    for change in changes:
        out.setdefault(change.paper, []).append(change)
    return out
