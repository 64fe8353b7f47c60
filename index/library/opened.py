"""A library as it is opened: its papers and what the reader wrote about them."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from index import files, settings, state
from index.annotations import (
    Annotations,
    AnnotationsError,
    Search,
    new_step,
)
from index.kept import Kept
from index.new_library import make
from index.note_links import Headings
from index.papers import STATUSES, Annotation, Entry, Paper, with_given
from index.paths import Layout, config_file
from index.shelf import Row, Shelf


class LibraryError(Exception):
    """Something cannot be done with this library; one line says what, where and what to do."""


class Opened:
    """A library's papers, and what the reader wrote about them."""

    def __init__(self, folder: Path, *, fill: bool = True) -> None:
        """Open the library in `folder`; `fill` an empty one with the shipped lists. Raises LibraryError."""
        self.notice: str | None = None
        """One line that the reader should see once, or None."""
        self._memory: weakref.finalize[[str], Opened] | None = None
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
        self._view: Kept | None = None
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

    # Papers

    @property
    def ids(self) -> Sequence[str]:
        """All papers that were not removed, in the order of import."""
        return self._kept.ids

    @property
    def _kept(self) -> Kept:
        if self._view is None or self._view.shelf is not self._shelf:
            self._view = Kept(self._shelf, self._annotations)
        return self._view

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
        id = self._kept.root(id)
        row, title = self._kept.row(id), self._annotations.get(id).title
        return replace(row, heading=title, titled=True) if title else row

    def entry(self, id: str) -> Entry:
        """A paper with its annotation. Raises KeyError, and LibraryError where it cannot be read."""
        try:
            for paper in self._kept.papers([self._kept.root(id)]):
                return self._entry(paper)
            raise KeyError(id)
        except OSError as error:
            raise self._unreadable(error) from error

    def _entry(self, paper: Paper) -> Entry:
        told = self._annotations.get(paper.id)
        return Entry(with_given(paper, told), told)

    def _unreadable(self, error: OSError) -> LibraryError:
        return LibraryError(f"{self.layout.papers} cannot be read: {error.strerror or error}")

    def annotation(self, id: str) -> Annotation:
        """What the reader wrote about a paper, with what is not on disk yet."""
        return self._annotations.get(self._kept.root(id))

    def root(self, id: str) -> str:
        """The paper as which this one is listed: itself, unless the two were joined."""
        return self._kept.root(id)

    def resolve(self, text: str) -> str:
        """The one paper that `text` means: an id or a prefix of one, a DOI, an arXiv or a PubMed id.

        Raises LibraryError when it means none, or several.
        """
        found = self._kept.resolve(text) or self._kept.resolve_given(text)
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
        count = sum(len(self._shelf.among(ids)) for ids in others)
        return len(self._kept) - count if status == STATUSES[0] else count

    def with_status(self, status: str) -> frozenset[str]:
        """The papers of a status; of those that are unread, only such as were something else before."""
        return self._annotations.with_status(status)

    def headings(self) -> Headings:
        """All headings, to be searched for a link. Not for a thread that draws."""
        return Headings(self._kept.headings())

    def linked_from(self, id: str) -> list[str]:
        """The papers whose notes link to this one, in the order of import."""
        names = (id, *self._kept.parts.get(id, ()))
        papers = {paper for name in names for paper in self._annotations.linking_to(name)}
        return sorted((paper for paper in papers if paper in self._kept), key=self._shelf.place)

    def saved(self, name: str) -> Search:
        """The saved search of this name. Raises LibraryError, which names those that there are."""
        known = {search.name: search for search in self.searches()}
        if name.strip() in known:
            return known[name.strip()]
        there = f"there are: {', '.join(known)}" if known else "none is saved yet; save one with --save NAME"
        raise LibraryError(f"no saved search {name!r}; {there}")

    def refresh_papers(self) -> bool:
        """Whether another window or command brought papers in; then `ids` and all that goes by it are new.

        A stat when there is nothing new; else papers.jsonl is read (not for a thread that draws).
        """
        if not self._shelf.behind:
            return False
        self._shelf = Shelf(self.layout)
        return True

    def json(self, id: str, score: float | None = None, partial: str | None = None) -> dict[str, Any]:
        """PAPER, as every command with `--json` shows it."""
        from index.writers.paper_json import paper_json

        return paper_json(self.entry(id), score, partial)
