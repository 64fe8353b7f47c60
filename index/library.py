"""The one door: an open library. It holds the shelf, the annotations, their writer and the finder.

What a screen or a command does to a library it does here; the work is in the rooms beside. What the
first frame of the reader does not need is imported where it is used: it makes half of the start.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from index import files, settings, state
from index.annotations import (
    REACH,
    Annotations,
    AnnotationsError,
    History,
    Search,
    Step,
    Writer,
    backups,
    inverse,
    new_step,
)
from index.new_library import make
from index.papers import STATUSES, Annotation, Change, Entry, Highlight, Value, meeting, now
from index.paths import Layout, config_file
from index.shelf import Row, Shelf

if TYPE_CHECKING:
    from index.doctor import Finding
    from index.facets import Counting, Facets
    from index.finding import Finder, Found
    from index.fulltext import Related
    from index.importing import FileReport
    from index.merging import MergeReport
    from index.writers import ReadingList

__all__ = ["AnnotationsError", "Library", "LibraryError", "Row", "Search", "Step"]

PATIENCE: Final = 5.0
"""Seconds that closing waits for what is not on disk yet."""


Made = TypeVar("Made")


class LibraryError(Exception):
    """Something cannot be done with this library; one line says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A step taken back or made again, and what was left alone since it had changed meanwhile."""

    step: Step
    left: tuple[Change, ...]


class Library:
    """An open library. One thread changes it; `find` and what it needs may run in one other."""

    def __init__(self, folder: Path, *, fill: bool = True) -> None:
        """Open the library in `folder`; `fill` an empty one with the shipped lists. Raises LibraryError."""
        self.notice: str | None = None
        """One line that the reader should see once, or None."""
        self._memory: weakref.finalize[[str], Library] | None = None
        """Takes the folder away of a library that is held in memory; at the latest in the end."""
        if folder.exists() and not folder.is_dir():
            raise LibraryError(f"{folder} is not a folder; name one with --library")
        try:
            make(Layout(folder), fill=fill)
        except OSError as error:
            why = error.strerror or error
            self.notice = f"{folder} cannot be written ({why}): nothing you write here is kept"
            folder = Path(tempfile.mkdtemp(prefix="postil-"))
            self._memory = weakref.finalize(self, shutil.rmtree, str(folder), ignore_errors=True)
            make(Layout(folder), fill=True)
        self.layout = Layout(folder)
        self.origin = new_step()
        """Names this window or command in the history: no other has the same."""
        self.settings = settings.load(config_file())
        self.state = state.load(self.layout.state)
        try:
            self._shelf = Shelf(self.layout)
            self._annotations = Annotations.open(folder)
            if self._shelf.behind:  # a copy of papers.jsonl was taken in
                self._shelf.refresh()
        except OSError as error:
            raise LibraryError(f"{folder} cannot be used: {error.strerror or error}") from error
        except AnnotationsError as error:
            raise LibraryError(str(error)) from error
        self._history = History(folder)
        self._writer: Writer | None = None
        self.kept: Path | None = None
        """Where what could not be saved was put last."""
        self._finding = threading.Lock()
        self._finder: Finder | None = None
        self._closed = False
        self._growing = False
        """Whether a child adds to the index, and what is there is searched meanwhile."""
        self._counting: Counting | None = None
        self._saved: dict[str, frozenset[str]] = {}
        """The papers of each saved search, as last counted."""

    # Papers

    @property
    def ids(self) -> Sequence[str]:
        """All papers, in the order of import."""
        return self._shelf.ids

    @property
    def problems(self) -> Sequence[str]:
        """One line for each thing in the library or the settings that could not be read."""
        refused = self._annotations.read_only
        return [*([refused] if refused else []), *self._shelf.problems, *self.settings.problems]

    @property
    def read_only(self) -> str | None:
        """Why what is written now is not kept, or None."""
        if self._memory:
            return self.notice
        return self._annotations.read_only or files.unwritable(self.layout.folder)

    @property
    def displaced(self) -> bool:
        """Whether another library lies where this one was opened: nothing is written there."""
        return self._annotations.displaced

    @property
    def notices(self) -> Sequence[str]:
        """One line for each thing of the annotations that was found broken or merged, and where it lies."""
        return self._annotations.notices

    def row(self, id: str) -> Row:
        """What the list says of a paper, without reading its record. Raises KeyError."""
        row, title = self._shelf.row(id), self._annotations.get(id).title
        return replace(row, heading=title, titled=True) if title else row

    def entry(self, id: str) -> Entry:
        """A paper with its annotation. Raises KeyError, and LibraryError where it cannot be read."""
        try:
            return Entry(self._shelf.paper(id), self._annotations.get(id))
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> LibraryError:
        return LibraryError(f"{self.layout.papers} cannot be read: {error.strerror or error}")

    def annotation(self, id: str) -> Annotation:
        """What the reader wrote about a paper, with what is not on disk yet."""
        return self._annotations.get(id)

    def resolve(self, text: str) -> str:
        """The one paper that `text` means: an id or a prefix of one, a DOI, an arXiv or a PubMed id.

        Raises LibraryError when it means none, or several.
        """
        found = self._shelf.resolve(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise LibraryError(f"{text!r} begins {len(found)} ids; write more of it")
        raise LibraryError(f"no paper {text!r}; `postil search` shows the ids")

    def searches(self) -> Sequence[Search]:
        """The saved searches, the oldest first, with what is not on disk yet."""
        return self._annotations.searches()

    def tags(self) -> Mapping[str, int]:
        """Each tag and how many papers have it, by name."""
        return self._annotations.tags()

    def count(self, status: str) -> int:
        """How many papers have a status; those never touched are unread."""
        others = [
            self._annotations.with_status(other) for other in STATUSES[1:] if status in (STATUSES[0], other)
        ]
        count = sum(id in self._shelf for ids in others for id in ids)
        return len(self._shelf) - count if status == STATUSES[0] else count

    def json(self, id: str, score: float | None = None, partial: str | None = None) -> dict[str, Any]:
        """PAPER, as every command with `--json` shows it."""
        from index.writers.paper_json import paper_json

        return paper_json(self.entry(id), score, partial)

    # Finding

    def prepare(self, progress: Callable[[int, int], None] = lambda _done, _all: None) -> None:
        """Bring the full-text index up in this process, unless it stands. Raises LibraryError."""
        from index import finding, indexing

        with self._finding:
            self._see_open()
            if self._finder and (self._growing or self._finder.engine.stamp == self._shelf.stamp):
                return
            try:
                engine, self._shelf = indexing.bring_up(self._shelf, progress)
            except OSError as error:
                raise LibraryError(f"the search index cannot be built: {error.strerror or error}") from error
            self._close_finder()
            self._finder = finding.Finder(self._shelf, self._annotations, engine)

    @property
    def searchable(self) -> bool:
        """Whether the full-text index is open and holds all papers that are known here."""
        with self._finding:
            return self._finder is not None and self._finder.engine.stamp == self._shelf.stamp

    def prepare_in_child(
        self, progress: Callable[[int, int], None], grown: Callable[[], None] = lambda: None
    ) -> bool:
        """Bring the full-text index up in a process of its own, so that the screen goes on.

        Blocks its thread; False when the index stood already. From the first call of `grown` on, `find`
        answers in another thread from what is there; each further call says that there is more. Raises
        LibraryError.
        """
        from index import finding, indexing

        def take() -> None:
            engine = indexing.so_far(self._shelf)
            if engine:
                with contextlib.ExitStack() as undo, self._finding:
                    undo.callback(engine.close)
                    self._see_open()
                    self._close_finder()
                    self._finder = finding.Finder(self._shelf, self._annotations, engine)
                    self._growing = True
                    undo.pop_all()
                grown()

        if self.searchable:
            return False
        if not indexing.stands(self._shelf):
            take()
            trouble = indexing.build_in_child(self.layout.folder, progress, take)
            with self._finding:
                self._growing = False
            if trouble:
                raise LibraryError(f"the search index cannot be built: {trouble}")
        self.prepare()
        return True

    def _see_open(self) -> None:
        """Raises LibraryError once the library is closed: nobody would close the index again."""
        if self._closed:
            raise LibraryError("the library is closed")

    @contextlib.contextmanager
    def _ready(self) -> Iterator[Finder]:
        """The finder, with the index brought up; one thread at a time has it. Raises LibraryError."""
        self.prepare()
        with self._finding:
            self._see_open()
            assert self._finder
            yield self._finder

    def _close_finder(self) -> None:
        """Let go of the index. The caller holds `_finding`."""
        if self._finder:
            self._finder.engine.close()
            self._finder = None

    def find(self, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
        """The papers that `text` asks for; `typing` takes its last word as begun. May run in a worker.

        Raises LibraryError, and ValueError for an unknown sort; never for what `text` holds.
        """
        from index import query

        with self._ready() as finder:
            return finder.find(query.parse(text, typing=typing), sort, self.state.get("opened", {}))

    def explain(self, text: str, *, typing: bool = False) -> str:
        """How a query is understood: its tree, what is not looked for, what was not understood; lines."""
        from index import finding, query

        understood = query.parse(text, typing=typing)
        words = finding.left_out(understood.tree)
        told = [f"not looked for beside other words: {', '.join(words)}"] if words else []
        return "\n".join([query.explain(understood), *told])

    def matches(self, text: str, found: Found) -> tuple[tuple[int, int], ...]:
        """Where `text` holds what a query asked for: spans in code points, in order, apart."""
        from index import fulltext

        return tuple(fulltext.spans(text, found.query.tree))

    def snippet(self, text: str, spans: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
        """The stretch of `text` of at most `width` code points that shows its matches best."""
        from index import fulltext

        return fulltext.snippet(text, spans, width)

    def passage(self, id: str, found: Found) -> tuple[str, str, tuple[tuple[int, int], ...]] | None:
        """Where the reader wrote a word that the paper's own text lacks, the text, and the matches in it.

        The first is one of `Found.where`; None for a paper that is not among them.
        """
        from index import own_words

        where = found.where.get(id)
        if where is None:
            return None
        return where, *own_words.passage(self._annotations.get(id), found.query.tree, where)

    def facets(self, ids: Iterable[str] | None = None) -> Facets:
        """How many of these papers, or of all, have each status, tag, list and saved search.

        From sets in memory; the saved searches are those of the last `count_saved`. For one thread.
        """
        from index.facets import Counting

        if self._counting is None or self._counting.shelf is not self._shelf:
            self._counting = Counting(self._shelf, self._annotations)
        return self._counting.facets(ids, self._saved)

    def count_saved(self, stop: Callable[[], bool] = lambda: False) -> dict[str, int]:
        """How many papers each saved search finds, the oldest first. For the search worker.

        `stop` is asked before each: when it says so, those that are left keep their last count, if they
        have one. Raises LibraryError.
        """
        from index import query

        saved: dict[str, frozenset[str]] = {}
        for search in self.searches():
            if not stop():
                with self._ready() as finder:
                    saved[search.name] = finder.ids(query.parse(search.query))
            elif search.name in self._saved:
                saved[search.name] = self._saved[search.name]
        self._saved = saved
        return {name: len(ids) for name, ids in saved.items()}

    def saved(self, name: str) -> Search:
        """The saved search of this name. Raises LibraryError, which names those that there are."""
        known = {search.name: search for search in self.searches()}
        if name.strip() in known:
            return known[name.strip()]
        there = f"there are: {', '.join(known)}" if known else "none is saved yet; save one with --save NAME"
        raise LibraryError(f"no saved search {name!r}; {there}")

    def related(self, id: str, limit: int = 8) -> list[Related]:
        """The papers nearest to one, each with the terms that they share, the most telling first."""
        with self._ready() as finder:
            return finder.engine.related(id, limit)

    # What the reader writes

    def step(self, what: str, edits: Iterable[tuple[str, str, Value]]) -> Step | None:
        """A step of edits (paper, field, new value); None when none of them changes anything."""
        id, when = new_step(), now()
        changes = [
            Change(id, self.origin, paper, field, before, after, when)
            for paper, field, after in edits
            if (before := self._annotations.value(paper, field)) != after
        ]
        return Step(id, self.origin, what, when, tuple(changes)) if changes else None

    def save_search(self, search: Search) -> Step | None:
        """The step that saves a search, in the place of one of its name; None when it is saved so.

        Raises LibraryError for one without a name, or whose query is not wholly understood.
        """
        from index import query

        if not search.name.strip():
            raise LibraryError("a saved search needs a name")
        understood = query.parse(search.query)
        if not understood.whole:
            raise LibraryError(f"not saved, for it was not wholly understood: {understood.problems[0]}")
        if isinstance(understood.tree, query.Everything):
            raise LibraryError("not saved, for it looks for nothing; write a word or a field")
        value = {"query": search.query, "sort": search.sort}
        return self.step(f"save the search {search.name}", [("", f"searches/{search.name}", value)])

    def delete_search(self, name: str) -> Step | None:
        """The step that deletes a saved search; None when there is none of that name."""
        return self.step(f"delete the search {name}", [("", f"searches/{name}", None)])

    def retag(self, old: str, new: str | None) -> tuple[list[tuple[str, str, Value]], int]:
        """The edits that rename a tag and those nested in it, or with None delete them.

        Also on how many papers. Onto a tag that exists, the two become one.
        """
        edits: list[tuple[str, str, Value]] = []
        papers = sorted(self._annotations.tagged(old), key=self._place)
        for paper in papers:
            tags = set(self._annotations.get(paper).tags)
            gone = {tag for tag in tags if tag == old or tag.startswith(old + "/")}
            come = {new + tag[len(old) :] for tag in gone} if new else set()
            edits += [(paper, f"tags/{tag}", False) for tag in sorted(gone - come)]
            edits += [(paper, f"tags/{tag}", True) for tag in sorted(come - tags)]
        return edits, len(papers)

    def _place(self, id: str) -> int:
        """Where a paper stands in the order of import; one that is no longer here, last."""
        return self._shelf.place(id) if id in self._shelf else len(self._shelf)

    def highlight(self, id: str, start: int, end: int, colour: str, comment: str = "") -> Highlight:
        """A new highlight on a stretch of a paper's abstract, still to be made a step of."""
        return Highlight.on(
            self._shelf.paper(id).abstract, start, end, id=new_step()[-8:], colour=colour, comment=comment
        )

    def commit(self, step: Step) -> None:
        """Make `step`; it is on disk when this returns. Raises LibraryError, which says what was saved."""
        if step.undoes or step.redoes:  # one that the history lacks could not be taken back again
            self._see_room_for(step)

        def write(record: Callable[[Sequence[Change]], None]) -> list[Change]:
            return self._annotations.apply(step.changes, self._identities(step), record, meeting)

        self._record(write, lambda made: replace(step, changes=tuple(made)))

    def _see_room_for(self, step: Step) -> None:
        try:
            with self._annotations.locked():
                self._history.see_room_for(step)
        except OSError as error:
            raise LibraryError(
                f"nothing was changed in {self.layout.folder}: {error.strerror or error}"
            ) from error
        except AnnotationsError as error:
            raise LibraryError(str(error)) from error

    def _record(
        self,
        write: Callable[[Callable[[Sequence[Change]], None]], Made],
        step: Callable[[Sequence[Change]], Step],
    ) -> Made:
        """What `write` gives; it calls its argument with what is on disk, which the history has as `step`.

        Raises LibraryError, which says what was saved.
        """
        unrecorded: list[OSError] = []

        def record(made: Sequence[Change]) -> None:
            try:
                self._history.record(step(made))
            except OSError as error:
                unrecorded.append(error)

        try:
            made = write(record)
        except OSError as error:
            raise LibraryError(
                f"nothing was saved in {self.layout.folder}: {error.strerror or error}"
            ) from error
        except (AnnotationsError, ValueError) as error:
            raise LibraryError(str(error)) from error
        if unrecorded:
            why = unrecorded[0].strerror or unrecorded[0]
            raise LibraryError(f"it was saved, but undo will not know of it: history.jsonl: {why}")
        return made

    def listen(self, on_saved: Callable[[list[str]], object], on_trouble: Callable[[str], object]) -> None:
        """From now on `submit` may be used; both are called from the thread that writes."""
        self._writer = Writer(self._annotations, self._history, on_saved, on_trouble, meeting)

    def submit(self, step: Step) -> None:
        """Show `step` now and write it soon. Raises ValueError for a bad change."""
        assert self._writer, "listen first"
        self._writer.submit(step, self._identities(step))

    @property
    def waiting(self) -> int:
        """How many steps are shown and not on disk yet; of a library in memory, all."""
        if self._memory:
            return len(self._history.steps(REACH))
        return self._writer.waiting if self._writer else 0

    @property
    def trouble(self) -> str | None:
        """Why nothing could be written when it was last tried, or None."""
        if self._memory:
            return self.notice
        return self._writer.trouble if self._writer else None

    def keep_elsewhere(self, path: Path) -> None:
        """Write what is not on disk yet to `path`, in the format `postil`: `merge` takes it back.

        It is all of every paper that has such changes. Also after `close`. Raises LibraryError.
        """
        from index import exporting
        from index.writers import ReadingList

        known = self._annotations
        written = [paper for paper, _ in known.items()] if self._memory else known.unsaved()
        documents = {paper: known.document(paper) or {} for paper in written}
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(LibraryError):  # what was written needs no papers to be kept
            entries = self.reading_list([paper for paper in written if paper in self._shelf], "").entries
        searches = known.stored_searches(unsaved=not self._memory)
        unsaved = ReadingList(entries, "Not saved", "", self.settings.meanings, documents, searches)
        try:
            self._see_outside(path)
            exporting.to_new_file(unsaved, "postil", path)
        except (exporting.NotOursError, ValueError, RuntimeError) as error:
            raise LibraryError(str(error)) from error
        except OSError as error:
            raise LibraryError(f"{path} cannot be written: {error.strerror or error}") from error
        self.kept = path

    def _see_outside(self, path: Path) -> None:
        """Raises LibraryError for a path in the library; what else a path that makes no sense raises."""
        if path.expanduser().resolve().is_relative_to(self.layout.folder.resolve()):
            raise LibraryError(f"{path} is in the library's own folder; choose another place")

    def undo(self) -> Undone | None:
        """The step that takes back the latest one, still to be made; None when there is none."""
        return self._back(self._history.undoable(self.origin))

    def redo(self) -> Undone | None:
        """The step that makes again what was undone last, still to be made; None when there is none."""
        return self._back(self._history.redoable(self.origin))

    def _back(self, step: Step | None) -> Undone | None:
        if step is None:
            return None
        back, left = inverse(step, self._annotations.value, self.origin)
        return Undone(back, tuple(left))

    def steps(self, limit: int) -> Sequence[Step]:
        """The latest steps of the library, the newest first."""
        return self._history.steps(limit)

    def refresh(self) -> set[str]:
        """The papers whose annotation another window or command changed since this was last asked.

        Raises LibraryError while the file cannot be read, and may be asked again.
        """
        try:
            return self._annotations.refresh()
        except (AnnotationsError, OSError) as error:
            raise LibraryError(str(error)) from error

    def back_up(self) -> None:
        """A copy of the annotations for today, if there is none; not for a thread that draws."""
        with contextlib.suppress(OSError):
            backups.back_up(self.layout.folder, date.today())  # noqa: DTZ011 (the reader's own day)

    def refresh_papers(self) -> bool:
        """Whether another window or command brought papers in; then `ids` and all that goes by it are new.

        A stat when there is nothing new; else papers.jsonl is read (not for a thread that draws).
        """
        if not self._shelf.behind:
            return False
        self._shelf = Shelf(self.layout)
        return True

    def _identities(self, step: Step) -> dict[str, Sequence[str]]:
        return {
            change.paper: self._shelf.row(change.paper).keys
            for change in step.changes
            if change.paper in self._shelf
        }

    # In and out

    def add(
        self,
        paths: Iterable[str],
        *,
        seeds: bool = False,
        format: str | None = None,
        progress: Callable[[str, int], None] = lambda _file, _records: None,
    ) -> list[FileReport]:
        """Import files, and the shipped lists with `seeds`; what became of each. Raises LibraryError."""
        from index import importing
        from index.seed_lists import seed_lists

        names = [*(map(str, seed_lists()) if seeds else ()), *paths]
        try:
            return importing.add(self._shelf, names, format, progress)
        except OSError as error:
            raise LibraryError(
                f"{self.layout.folder} cannot be written: {error.strerror or error}"
            ) from error

    def merge(self, path: Path) -> MergeReport:
        """Take in another machine's annotations.json, or an export as `postil`: one step.

        Merged a second time, a file changes nothing. Raises LibraryError.
        """
        from index import merging

        id, when = new_step(), now()

        def step(made: Sequence[Change]) -> Step:
            count = len({change.paper for change in made if change.paper})
            changes = tuple(replace(change, step=id, origin=self.origin) for change in made)
            what = f"merge {path.name} into {count} paper{'s' if count != 1 else ''}"
            return Step(id, self.origin, what, when, changes)

        try:
            return self._record(lambda record: merging.merge_file(self._annotations, path, record), step)
        except merging.MergeError as error:
            raise LibraryError(str(error)) from error

    def reading_list(self, ids: Iterable[str], title: str, query: str = "") -> ReadingList:
        """Papers with their annotations, to be set down by `export_text` or `export_file`.

        Raises LibraryError.
        """
        from index.writers import ReadingList

        try:
            papers = self._shelf.some(list(ids))
        except OSError as error:
            raise self._unreadable(error) from error
        entries = tuple(Entry(paper, self._annotations.get(paper.id)) for paper in papers)
        stored = ((paper.id, self._annotations.document(paper.id)) for paper in papers)
        documents = {paper: document for paper, document in stored if document}
        searches = self._annotations.stored_searches(unsaved=False) if len(entries) == len(self.ids) else ()
        return ReadingList(entries, title, query, self.settings.meanings, documents, searches)

    def format_of(self, path: Path) -> str | None:
        """The export format that a file's ending names, if any."""
        from index import exporting

        named = [name for name, end in exporting.ENDINGS.items() if path.name.lower().endswith(end)]
        return max(named, key=lambda name: len(exporting.ENDINGS[name]), default=None)

    def export_text(self, papers: ReadingList, format: str) -> Iterable[str]:
        """The list in `format`, in pieces. Raises LibraryError."""
        from index import exporting

        try:
            return exporting.text(papers, format)
        except ValueError as error:
            raise LibraryError(str(error)) from error

    def export_file(self, papers: ReadingList, format: str, path: Path, *, replace: bool = False) -> None:
        """Write the list to `path`, whole or not at all. Raises LibraryError."""
        from index import exporting

        try:
            self._see_outside(path)
            exporting.to_file(papers, format, path, self.layout.state, replace=replace)
        except (exporting.NotOursError, ValueError, RuntimeError) as error:  # RuntimeError: no such home
            raise LibraryError(str(error)) from error
        except OSError as error:
            raise LibraryError(f"{path} cannot be written: {error.strerror or error}") from error

    def reindex(self, progress: Callable[[int, int], None]) -> None:
        """Make all that is derived anew: the list and the full-text index. Raises LibraryError."""
        with self._finding:
            self._close_finder()
        try:
            if self.layout.index.exists():
                shutil.rmtree(self.layout.index)
        except OSError as error:
            raise LibraryError(
                f"{self.layout.index} cannot be made anew: {error.strerror or error}"
            ) from error
        self._shelf = Shelf(self.layout)
        self.prepare(progress)

    def doctor(self, repair: bool) -> list[Finding]:
        """How everything about this library is; with `repair`, what is safe to repair is repaired."""
        from index import doctor

        def reindex() -> None:
            try:
                self.reindex(lambda _done, _all: None)
            except LibraryError as error:
                raise OSError(str(error)) from error

        if self._memory and self.notice:  # what is looked at would be in memory, and well
            return [doctor.Finding("library", "wrong", self.notice, "name another folder with --library")]
        patient = doctor.Patient(self._shelf, self._annotations, self.settings, reindex)
        return doctor.examine(patient, date.today(), repair=repair)  # noqa: DTZ011 (the reader's own day)

    def remember(self, **changed: Any) -> None:
        """Keep the place, sort or query for the next start, as far as anything can be written."""
        self.state |= changed
        if not self.displaced:
            state.save(self.layout.state, **changed)

    def close(self) -> list[Change]:
        """Write what waits; returns the changes that could not be written.

        It waits no longer for what was kept elsewhere, and of a library in memory all are returned.
        """
        left: list[Change] = []
        if self._memory:
            left = [change for step in self._history.steps(REACH) for change in step.changes]
        if self._writer:
            left += self._writer.close(PATIENCE if self.kept is None else 0)
        else:
            with contextlib.suppress(OSError, AnnotationsError):  # the journal holds everything
                self._annotations.publish()
        self.back_up()
        self._annotations.close()
        self._writer = None
        with self._finding:
            self._closed = True
            self._close_finder()
        if self._memory and not left:
            self._memory()
        return left
