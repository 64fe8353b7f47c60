"""What the reader wrote, in memory and on disk: every write takes in what others wrote first."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from tinydb.table import Document

from index.annotations import snapshot
from index.annotations.documents import checked, from_document, to_document
from index.annotations.facets import Facets
from index.annotations.rescue import ANNOTATIONS
from index.annotations.storage import SEARCHES, Documents, JournaledStorage, News, no_collection
from index.clean import clean, one_line, tag_name
from index.papers import Annotation, Change, Value


@dataclass(frozen=True, slots=True)
class Search:
    """A saved search. `sort` is None for the usual order."""

    name: str
    query: str
    sort: str | None = None


class Annotations:
    """The annotations of one library. What is shown is what the file holds and, on it, what waits.

    Safe to use from several threads: only `apply`, `refresh`, `publish` and the saving of searches touch
    the disk.
    """

    def __init__(self, folder: Path) -> None:
        self._storage = JournaledStorage(folder)
        self._documents = Documents(self._storage, ANNOTATIONS)
        self._searches = Documents(self._storage, SEARCHES)
        self._disk = threading.Lock()  # one thread at a time reads or writes the file
        self._memory = threading.RLock()  # held for moments: what is below changes together
        self._held: dict[str, Mapping[str, Any]] = {}  # the documents in the file, by paper
        self._made: dict[str, Annotation] = {}  # from those, when first asked for
        self._waiting: dict[str, list[Change]] = {}
        self._shown: dict[str, Annotation] = {}  # what is held and on it what waits, where any does
        self._facets: Facets | None = None  # made when first asked for
        self._news: set[str] = set()

    @classmethod
    def open(cls, folder: Path) -> Annotations:
        """The annotations in `folder`, none if it has no file yet; what is damaged is mended, see `notices`.

        Raises `AnnotationsError` when there is a file of which nothing can be made; it is then left as it is.
        """
        annotations = cls(folder)
        with no_collection():
            annotations._held = {
                paper: document for paper, document in annotations._storage.open() if document
            }
        return annotations

    @property
    def read_only(self) -> str | None:
        """Why nothing can be written here, or None."""
        return self._storage.read_only

    @property
    def notices(self) -> list[str]:
        """One line each of what was found damaged, merged or made again since opening, and where it lies."""
        return list(self._storage.notices)

    @property
    def grown(self) -> bool:
        """Whether the journal has grown so long that it is time to `publish`."""
        return self._storage.grown

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the right to write in the folder, for what belongs to the annotations.

        Raises OSError and `AnnotationsError`.
        """
        with self._storage.writing():
            yield

    def publish(self) -> bool:
        """Make annotations.json hold everything, and begin a new journal; False when it does already.

        Slow, with other threads and processes going on meanwhile. Raises OSError and `AnnotationsError`;
        everything is then on disk as it was.
        """
        with self._disk:
            captured = self._storage.captured()
        if captured is None:
            return False
        tables, state = captured
        places = self._storage.places
        draft = snapshot.written(tables, state.seq, places.snapshot, places.base)
        try:
            with self._disk, self._storage.writing():
                self._see(self._storage.catch_up())
                self._storage.publish(draft, state)
        finally:
            draft.drop()
        return True

    def close(self) -> None:
        """Let another process write, where the folder has no locks. Does not publish."""
        self._storage.close()

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
            days = [day for day in self._sorted().counts("due") if isinstance(day, str)]
        return self._ids("due", [d for d in days if (low or "") <= d and (high is None or d <= high)])

    def tags(self) -> dict[str, int]:
        """Each tag and how many papers have it, by name."""
        with self._memory:
            counts = self._sorted().counts("tag")
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
        with self._disk, self._storage.writing():
            self._see(self._storage.catch_up())
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

        Two stats when nothing changed, the journal's new lines when something did; only a snapshot that
        was replaced is read whole (not for a thread that draws). While this process is writing nothing is
        looked at, and the next call tells. Raises `AnnotationsError`.
        """
        if self._disk.acquire(blocking=False):
            try:
                self._see(self._storage.look())
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
        with self._disk, self._storage.writing():
            self._see(self._storage.catch_up())
            known = {entry.get("name"): entry for entry in self._searches}
            unused = max((entry.doc_id for entry in self._searches), default=0) + 1
            old = known.get(values["name"], Document({}, unused))
            self._searches.put([Document({**old, **values}, old.doc_id)])

    def delete_search(self, name: str) -> None:
        """Delete the saved search `name`, if there is one. Raises as `apply` does."""
        with self._disk, self._storage.writing():
            self._see(self._storage.catch_up())
            ids = [entry.doc_id for entry in self._searches if entry.get("name") == name]
            if ids:
                self._searches.drop(ids)

    def _ids(self, kind: str, values: Iterable[object]) -> frozenset[str]:
        with self._memory:
            return self._sorted().ids(kind, values)

    def _sorted(self) -> Facets:
        """The papers by what they have. The caller holds `_memory`."""
        if self._facets is None:
            self._facets = Facets()
            self._facets.fill({**self._held, **self._shown})
        return self._facets

    def _in_file(self, paper: str) -> Annotation:
        with self._memory:
            if paper not in self._made:
                document = self._held.get(paper)
                if document is None:
                    return Annotation(paper)
                self._made[paper] = from_document(document)
            return self._made[paper]

    def _see(self, news: News) -> None:
        """Take over what another process changed. The caller holds `_disk`."""
        for paper, document in news:
            with self._memory:
                self._turn(paper, document)
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
        if self._facets:
            self._facets.move(paper, old, self._shown.get(paper, document))


def _by_paper(changes: Iterable[Change]) -> dict[str, list[Change]]:
    out: dict[str, list[Change]] = {}
    for change in changes:
        out.setdefault(change.paper, []).append(change)
    return out
