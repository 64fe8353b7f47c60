"""What the reader wrote, in memory and on disk: every write takes in what others wrote first."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, Final

from index.annotations import merge, snapshot
from index.annotations.documents import checked, differences, from_document, to_document
from index.annotations.facets import Facets
from index.annotations.layout import no_collection
from index.annotations.migration import Tables
from index.annotations.packed import packed
from index.annotations.rescue import ANNOTATIONS
from index.annotations.searches import Search, Searches
from index.annotations.storage import SEARCHES, Documents, JournaledStorage, News
from index.annotations.storage import Change as Row
from index.clean import tag_name
from index.papers import Annotation, Change, Value, later, now

MOST_MADE: Final = 2000
"""Annotations that are kept as such beside their documents, at about 4 KB each."""


class Annotations:
    """The annotations of one library. What is shown is what the file holds and, on it, what waits.

    Safe to use from several threads: only `apply`, `take_in`, `refresh` and `publish` touch the disk.
    """

    def __init__(self, folder: Path) -> None:
        self._storage = JournaledStorage(folder)
        self._documents = Documents(self._storage, ANNOTATIONS)
        self._searches = Documents(self._storage, SEARCHES)
        self._disk = threading.Lock()  # one thread at a time reads or writes the file
        self._memory = threading.RLock()  # held for moments: what is below changes together
        self._held: dict[str, Mapping[str, Any]] = {}  # the documents in the file, packed, by paper
        self._made: dict[str, Annotation] = {}  # from those, when asked for, and not all at once
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
                paper: document for paper, document in annotations._storage.open() if document is not None
            }
        return annotations

    @property
    def read_only(self) -> str | None:
        """Why nothing can be written here, or None."""
        return self._storage.read_only

    @property
    def displaced(self) -> bool:
        """Whether another library lies where this one was opened: nothing is to be written there."""
        return self._storage.displaced

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

    def value(self, paper: str, field: str) -> Value:
        """What is shown in a field of a paper, or in `searches/NAME` of no paper. Raises AttributeError."""
        return self.get(paper).value(field) if paper else self._shown_searches().value(field)

    def document(self, paper: str) -> Mapping[str, Any] | None:
        """What is shown of a paper as it is stored, with all that this version does not know; or None."""
        with self._memory:
            held, shown = self._held.get(paper), self._shown.get(paper)
        return to_document(shown, held or {}, None) if shown else held and dict(held)

    def unsaved(self) -> list[str]:
        """The papers of which something is shown that is not on disk."""
        with self._memory:
            return [paper for paper in self._waiting if paper]

    def stored_searches(self, *, unsaved: bool) -> tuple[Mapping[str, Any], ...]:
        """The saved searches as they are to be stored; with `unsaved` only if one of them is not on disk."""
        with self._memory:
            return (
                tuple(self._shown_searches().documents.values()) if "" in self._waiting or not unsaved else ()
            )

    def items(self) -> ItemsView[str, Annotation]:
        """Every paper that has an annotation, with it as it is when its turn comes."""
        with self._memory:
            papers = [*{**self._held, **self._shown}]
        return _Lazily(papers, self.get).items()

    def versions(self) -> dict[str, object]:
        """Every paper that has an annotation, with an object that is another one once anything changed."""
        with self._memory:
            return {**self._held, **self._shown}

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

    def removed(self) -> frozenset[str]:
        """Papers that were taken out of the library; they count nowhere else."""
        return self._ids("removed", [True])

    def joined(self) -> frozenset[str]:
        """Papers that are one with an earlier one; they count nowhere else."""
        return self._ids("joined", [True])

    def given(self) -> dict[str, str]:
        """The paper of each identifier that the reader gave to one, as a key of `identities`."""
        with self._memory:
            kinds = {kind: list(self._sorted().counts(kind)) for kind in ("doi", "arxiv")}
        keys = [(kind, str(value)) for kind, values in kinds.items() for value in values]
        return {f"{kind}:{value}": min(self._ids(kind, [value])) for kind, value in keys}

    def starred(self) -> frozenset[str]:
        return self._ids("starred", [True])

    def with_note(self) -> frozenset[str]:
        return self._ids("note", [True])

    def linking_to(self, paper: str) -> frozenset[str]:
        """Papers whose note links to `paper`."""
        return self._ids("link", [paper])

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
                change = replace(change, before=self.value(change.paper, change.field))
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

        Returns them as they were made: `before` is what the file held, `when` later than what that was
        changed at, whatever the clocks say. `identities` are those of the papers. `meet` may make another
        change of one whose field the file holds otherwise than both its `before` and its `after`.
        `record` is called with what is returned, under the same lock, once it is on disk.
        Raises ValueError for a bad change, OSError or `AnnotationsError` when nothing could be written;
        nothing has changed then.
        """
        changes = [checked(change) for change in changes]
        with self._disk, self._storage.writing():
            self._see(self._storage.catch_up())
            latest: dict[str, Annotation | Searches] = {}
            made = []
            for change in changes:
                target = latest.get(change.paper) or self._target(change.paper)
                held = target.value(change.field)
                if meet and held not in (change.before, change.after):
                    change = meet(change, held)
                when = later(change.when, target.when(change.field))
                made.append(change := replace(change, before=held, when=when))
                latest[change.paper] = target.after(change)
            rows: list[Row] = []
            for paper, target in latest.items():
                if isinstance(target, Searches):
                    known = self._searches_in_file().documents
                    changed = [one for name, one in target.documents.items() if one != known.get(name)]
                    rows += [(SEARCHES, str(one.doc_id), dict(one)) for one in changed]
                else:
                    document = to_document(target, self._held.get(paper, {}), (identities or {}).get(paper))
                    rows.append((ANNOTATIONS, str(document.doc_id), dict(document)))
            self._write(rows, _by_paper(changes))
            if record:
                record(made)
        return made

    def take_in(self, theirs: Tables, record: Callable[[list[Change]], None]) -> list[Change]:
        """Merge what was written elsewhere, sound documents; it is on disk when this returns.

        Returns what changes to the eye, and calls `record` with it where there is any: the changes name
        no step and no origin. What only became newer is taken in too, for the next merge.
        Raises OSError or `AnnotationsError` when nothing could be written; nothing has changed then.
        """
        with self._disk, self._storage.writing():
            self._see(self._storage.catch_up())
            held, before = self._storage.read(), self._searches_in_file()
            ours = {name: dict(held.get(name, {})) for name in theirs}
            if known := ours.get(ANNOTATIONS):
                ours[ANNOTATIONS] = {key: known[key] for key in theirs[ANNOTATIONS] if key in known}
            both = merge.merged(None, ours, theirs)
            rows: list[Row] = []
            for name, table in both.items():
                rows += [(name, key, table[key]) for key in table if table[key] != ours[name].get(key)]
                rows += [(name, key, None) for key in ours[name] if key not in table]
            came, when = [], now()
            for name, _, document in rows:
                if name == ANNOTATIONS and document:
                    came += differences(self._in_file(document["paper"]), from_document(document), when)
            self._write(rows, {})
            after = self._searches_in_file()
            for search in dict.fromkeys([*before.documents, *after.documents]):
                field = f"searches/{search}"
                if (old := before.value(field)) != (new := after.value(field)):
                    came.append(Change("", "", "", field, old, new, when))
            if came:
                record(came)
        return came

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
        """The saved searches, the oldest first, with what is not on disk yet."""
        return self._shown_searches().saved()

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
                if len(self._made) >= MOST_MADE:
                    self._made.clear()
                self._made[paper] = from_document(document)
            return self._made[paper]

    def _searches_in_file(self) -> Searches:
        return Searches.of(self._searches)

    def _shown_searches(self) -> Searches:
        with self._memory:
            return reduce(Searches.after, self._waiting.get("", ()), self._searches_in_file())

    def _target(self, paper: str) -> Annotation | Searches:
        return self._in_file(paper) if paper else self._searches_in_file()

    def _write(self, rows: list[Row], done: Mapping[str, Sequence[Change]]) -> None:
        """Put `rows` on disk, then in memory, where `done` wait no longer. The caller holds `writing`."""
        self._storage.change(rows)
        self._searches.clear_cache()
        self._documents.clear_cache()
        for name, _, document in rows:
            if name == ANNOTATIONS and document:
                with self._memory:
                    self._turn(document["paper"], document, done.get(document["paper"], ()))
        with self._memory:
            self._turn("", None, done.get("", ()))

    def _see(self, news: News) -> None:
        """Take over what another process changed. The caller holds `_disk`."""
        for paper, document in news:
            with self._memory:
                self._turn(paper, document)
                self._news.add(paper)

    def _turn(self, paper: str, document: Mapping[str, Any] | None, done: Iterable[Change] = ()) -> None:
        """The file holds `document` now, and `done` no longer wait. The caller holds `_memory`."""
        waiting = self._waiting.pop(paper, [])
        for change in done:
            if change in waiting:
                waiting.remove(change)
        if waiting:
            self._waiting[paper] = waiting
        if not paper:  # the saved searches: nothing is kept of them but what waits
            return
        old = self._shown.pop(paper, None) or self._held.get(paper)
        self._made.pop(paper, None)
        if document is None:
            self._held.pop(paper, None)
        else:
            self._held[paper] = packed(document)
        if waiting:
            self._shown[paper] = reduce(Annotation.after, waiting, self._in_file(paper))
        if self._facets:
            self._facets.move(paper, old, self._shown.get(paper, document))


class _Lazily(Mapping[str, Annotation]):
    """Made one by one: a walk over all of them leaves none behind."""

    def __init__(self, papers: list[str], get: Callable[[str], Annotation]) -> None:
        self._papers = papers
        self._get = get

    def __getitem__(self, paper: str) -> Annotation:
        return self._get(paper)

    def __iter__(self) -> Iterator[str]:
        return iter(self._papers)

    def __len__(self) -> int:
        return len(self._papers)


def _by_paper(changes: Iterable[Change]) -> dict[str, list[Change]]:
    out: dict[str, list[Change]] = {}
    for change in changes:
        out.setdefault(change.paper, []).append(change)
    return out
