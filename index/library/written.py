"""A library that is written in: steps are made, taken back and made again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

from index import joining
from index.annotations import (
    REACH,
    AnnotationsError,
    History,
    Search,
    Step,
    Writer,
    backups,
    inverse,
    new_step,
)
from index.clean import clean
from index.library.opened import LibraryError
from index.library.searched import Searched
from index.papers import Annotation, Change, Highlight, Value, meeting, now

LONGEST_NAME: Final = 80
"""Characters of a saved search's name: a line holds it."""
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Undone:
    """A step taken back or made again, and what was left alone since it had changed meanwhile."""

    step: Step
    left: tuple[Change, ...]


class Written(Searched):
    """Takes what the reader writes."""

    def __init__(self, folder: Path, *, fill: bool = True) -> None:
        """As `Opened`."""
        super().__init__(folder, fill=fill)
        self._history = History(self.layout.folder)
        self._writer: Writer | None = None
        self.kept: Path | None = None
        """Where what could not be saved was put last."""

    def step(self, what: str, edits: Iterable[tuple[str, str, Value]]) -> Step | None:
        """A step of edits (paper, field, new value); None when none of them changes anything.

        What is said of a paper that is one with another is said of that.
        """
        id, when = new_step(), now()
        root = self._kept.root
        said = ((one if field == "joined" else root(one), field, value) for one, field, value in edits)
        changes = [
            Change(id, self.origin, paper, field, before, after, when)
            for paper, field, after in said
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
        if len(search.name) > LONGEST_NAME:
            raise LibraryError(f"the name of a saved search has at most {LONGEST_NAME} characters")
        understood = query.parse(search.query)
        if not understood.whole:
            raise LibraryError(f"not saved, for it was not wholly understood: {understood.problems[0]}")
        if isinstance(understood.tree, query.Everything):
            raise LibraryError("not saved, for it looks for nothing; write a word or a field")
        value = {"query": search.query, "sort": search.sort}
        before = next((known.query for known in self.searches() if known.name == search.name), None)
        what = f"save the search {search.name}" + (f" in the place of: {before}" if before else "")
        return self.step(what, [("", f"searches/{search.name}", value)])

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

    def edit(
        self, paper: str, title: str | None = None, doi: str | None = None, arxiv: str | None = None
    ) -> Step | None:
        """The step that gives a paper a title or identifiers of the reader's; an empty text takes one back.

        None where nothing changes. Raises LibraryError for what is no identifier, or another paper's.
        """
        from index.readers import identifiers

        edits: list[tuple[str, str, Value]] = []
        if title is not None:
            edits.append((paper, "title", " ".join(clean(title).split()) or None))
        for field, text, read in (("doi", doi, identifiers.doi), ("arxiv", arxiv, identifiers.arxiv)):
            if text is None:
                continue
            value = read(text)
            if text.strip() and not value:
                raise LibraryError(f"{text!r} is no {'DOI' if field == 'doi' else 'arXiv id'}")
            others = self._kept.resolve(value) or self._kept.resolve_given(value) if value else []
            if other := next((one for one in others if one != paper), None):
                raise LibraryError(f"{value} is that of another paper: `postil show {other}`")
            edits.append((paper, field, value))
        told = ", ".join(field if value else f"no {field}" for _, field, value in edits)
        return self.step(f"edit {told}", edits)

    def remove(self, papers: Iterable[str]) -> Step | None:
        """The step that takes papers out of the library; None where there are none.

        What is written about them is kept, and so are their records: an undo brings all back.
        """
        gone = list(dict.fromkeys(papers))
        what = f"remove {len(gone)} paper{'s' if len(gone) != 1 else ''}"
        return self.step(what, [(id, "removed", True) for id in gone])

    def join(self, papers: Iterable[str]) -> Step | None:
        """The step that makes papers one: the one that came first stays, the others are names of it for ever.

        What is written about any of them is then about that one. Raises LibraryError where fewer than two
        are named that are not one yet.
        """
        named = sorted(set(map(self._kept.root, papers)), key=self._shelf.place)
        if len(named) < 2:
            raise LibraryError("name two papers or more, which are not one already")
        return self.step(f"join {len(named)} papers", self._joining([named]))

    def join_named(self, groups: Iterable[Sequence[str]]) -> Step | None:
        """The step that joins papers of which records say that they are one, but no removed ones."""
        met: list[set[str]] = []
        for group in groups:
            named = {root for root in map(self._kept.root, group) if root in self._kept}
            for other in [other for other in met if other & named]:
                met.remove(other)
                named |= other
            met.append(named)
        edits = self._joining(sorted(named, key=self._shelf.place) for named in met if len(named) > 1)
        papers = len({paper for paper, field, _ in edits if field == "joined"})
        told = f"{papers} paper{'s' * (papers != 1)} with the earlier one{'s' * (papers != 1)}"
        return self.step(f"join {told} that a record names too", edits)

    def _joining(self, groups: Iterable[Sequence[str]]) -> list[tuple[str, str, Value]]:
        edits: list[tuple[str, str, Value]] = []
        met: dict[str, Annotation] = {}
        for first, *others in groups:
            for other in others:
                held = met.get(first, self._annotations.get(first))
                told = list(joining.edits(held, self._annotations.get(other)))
                edits += [(first, field, value) for field, value in told]
                edits.append((other, "joined", first))
                for field, value in told:
                    held = held.after(Change("", "", first, field, None, value, now()))
                met[first] = held
        latest = {(paper, field): value for paper, field, value in edits}
        return [(paper, field, value) for (paper, field), value in latest.items()]

    def only_in(self, source: str) -> list[str]:
        """The papers that the list of this name holds and no other. Raises LibraryError for no such list."""
        name = source.casefold()
        rows = [(id, [file.casefold() for file in self._kept.row(id).files]) for id in self.ids]
        if not any(name in files for _, files in rows):
            raise LibraryError(f"no list {source!r}; `postil show` and the sidebar tell their names")
        return [id for id, files in rows if set(files) == {name}]

    def highlight(self, id: str, start: int, end: int, colour: str, comment: str = "") -> Highlight:
        """A new highlight on a stretch of a paper's abstract, still to be made a step of."""
        return Highlight.on(
            self.entry(id).paper.abstract, start, end, id=new_step()[-8:], colour=colour, comment=comment
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

    def _identities(self, step: Step) -> dict[str, Sequence[str]]:
        return {
            change.paper: self._shelf.row(change.paper).keys
            for change in step.changes
            if change.paper in self._shelf
        }

    def _place(self, id: str) -> int:
        """Where a paper stands in the order of import; one that is no longer here, last."""
        return self._shelf.place(id) if id in self._shelf else len(self._shelf)
