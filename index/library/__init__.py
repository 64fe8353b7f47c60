"""The one door: an open library. It holds the shelf, the annotations, their writer and the finder.

What a screen or a command does to a library it does here: `opened`, `searched` and `written` are its
parts, and here files come in and lists go out. The work is in the rooms beside. What the first frame of
the reader does not need is imported where it is used: it makes half of the start.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from index import state
from index.annotations import REACH, AnnotationsError, Search, Step, new_step
from index.library.opened import LibraryError
from index.library.written import Undone, Written
from index.papers import Change, Entry, now
from index.shelf import Row, Shelf

if TYPE_CHECKING:
    from index.doctor import Finding
    from index.importing import FileReport, Progress
    from index.merging import MergeReport
    from index.writers import ReadingList

__all__ = ["AnnotationsError", "Library", "LibraryError", "Row", "Search", "Step", "Undone"]

PATIENCE: Final = 5.0
"""Seconds that closing waits for what is not on disk yet."""


class Library(Written):
    """An open library. One thread changes it; `find` and what it needs may run in one other."""

    def add(
        self,
        paths: Iterable[str],
        *,
        seeds: bool = False,
        format: str | None = None,
        progress: Progress = lambda _file, _records, _share: None,
    ) -> list[FileReport]:
        """Import files, and the shipped lists with `seeds`; what became of each. Raises LibraryError."""
        from index import importing
        from index.seed_lists import seed_lists

        names = [*(map(str, seed_lists()) if seeds else ()), *paths]
        try:
            with self._joining_named() as one:
                return importing.add(
                    self._shelf, names, format, progress,
                    given=self._annotations.given(), removed=self._annotations.removed(), one=one,
                )  # fmt: skip
        except OSError as error:
            raise self._unwritable(error) from error

    def add_new_in_folders(
        self, progress: Progress = lambda _file, _records, _share: None
    ) -> tuple[list[FileReport], list[str]]:
        """Import what is new in the folders of the settings: what became of each file, and what was wrong.

        Raises LibraryError.
        """
        from index import folders, importing

        looked = folders.look(self.settings.folders, self.state.get("brought", {}))
        reports: list[FileReport] = []
        if looked.new:
            try:
                with self._joining_named() as one:
                    reports = importing.add(
                        self._shelf, looked.new, None, progress, one=one,
                        given=self._annotations.given(), removed=self._annotations.removed(), named=False,
                    )  # fmt: skip
            except OSError as error:
                raise self._unwritable(error) from error
        if looked.seen != self.state.get("brought", {}):
            self.remember(brought=looked.seen)
        return reports, looked.problems

    @contextlib.contextmanager
    def _joining_named(self) -> Iterator[list[tuple[str, ...]]]:
        """Takes papers of which records say that they are one; in the end they are joined, as one step."""
        one: list[tuple[str, ...]] = []
        try:
            yield one
        finally:
            if one and (step := self.join_named(one)):
                (self.submit if self._writer else self.commit)(step)

    def _unwritable(self, error: OSError) -> LibraryError:
        return LibraryError(f"{self.layout.folder} cannot be written: {error.strerror or error}")

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
            papers = self._kept.papers(ids)
        except OSError as error:
            raise self._unreadable(error) from error
        entries = tuple(self._entry(paper) for paper in papers)
        kept = (id for paper in papers for id in (paper.id, *self._kept.parts.get(paper.id, ())))
        stored = ((id, self._annotations.document(id)) for id in kept)
        documents = {paper: document for paper, document in stored if document}
        searches = self._annotations.stored_searches(unsaved=False) if len(entries) == len(self.ids) else ()
        return ReadingList(entries, title, query, self.settings.meanings, documents, searches)

    def format_of(self, path: Path) -> str | None:
        """The export format that a file's ending names, if any."""
        from index import exporting

        named = [name for name, end in exporting.ENDINGS.items() if path.name.lower().endswith(end)]
        return max(named, key=lambda name: len(exporting.ENDINGS[name]), default=None)

    def lost(self, format: str) -> str:
        """What of a list a format has no place for; nothing where it holds all."""
        from index import exporting

        return exporting.LOST.get(format, "")

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
