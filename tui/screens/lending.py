"""A note in the reader's own editor: it is lent the terminal, and the note as a file."""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from textual.app import SuspendNotSupported

from index import files, note_files
from index.drafts import DAMAGED, Draft
from index.papers import Entry
from tui.key_order import KeyOrder
from tui.screens.noting import Noting

Result = TypeVar("Result")


class Lending(Noting):
    """The part of the reading screen that gives a note to another editor and takes it back."""

    @abstractmethod
    def apart(
        self,
        work: Callable[[], Result],
        done: Callable[[Result], object],
        failed: Callable[[str], object] | None = None,
    ) -> threading.Thread:
        """Do `work` in a thread, then `done` with what it gave; what goes wrong is told to `failed`."""

    def edit_note_outside(self) -> None:
        """Write the note of the current paper in `$VISUAL` or `$EDITOR`.

        Until it is a step, the draft says what the note was, and the editor's file what it became.
        """
        from tui import outside_editor

        library, current = self.desk.library, self.papers.current
        if current is None:
            return
        try:
            command = outside_editor.command()
        except ValueError as error:
            self.say(str(error))
            return
        self.leave_note()
        entry, heading = library.entry(current), library.row(current).heading
        draft = Draft(current, entry.annotation.note, entry.annotation.note)
        path = note_files.place(library.layout.folder, current)
        self.lent = True
        self._drafts.keep(draft)
        self.apart(
            lambda: self._set_down(path, entry, heading),
            lambda _none: self._lend(command, draft, path),
            lambda line: self._not_lent(draft, line),
        )

    def _set_down(self, path: Path, entry: Entry, heading: str) -> None:
        """Raises ValueError with one line."""
        self._drafts.write()
        try:
            if self._drafts.trouble:
                raise OSError(self._drafts.trouble)
            note_files.write(path, entry.annotation.note, heading, entry.paper.abstract)
        except OSError as error:
            raise ValueError(f"no file for the editor: {error.strerror or error}") from error

    def _not_lent(self, draft: Draft, line: str) -> None:
        self.lent = False
        self._drafts.drop(draft)
        self._put_by()
        self.say(line)

    def _lend(self, command: list[str], draft: Draft, path: Path) -> None:
        from tui.outside_editor import edit

        trouble = "no other editor can be used on this terminal"
        with contextlib.suppress(SuspendNotSupported), self.app.suspend():
            trouble = edit(command, path)
        assert isinstance(self.app, KeyOrder)
        self.app.forget_keys()  # they were typed ahead, for the editor
        self.apart(
            lambda: self._read(path, draft, trouble),
            lambda note: self._take_back(draft, path, note, trouble),
            lambda line: self._not_lent(draft, line),
        )

    def _read(self, path: Path, draft: Draft, trouble: str) -> str:
        """The note as it was written. Raises ValueError with one line, which says where the file lies."""
        try:
            note = note_files.read(path)
            if note == draft.before.strip():
                note = draft.before
            if trouble and note != draft.before:
                kept = files.move_aside(path.parent / DAMAGED, path)
                raise ValueError(
                    f"{trouble}: the note is as it was; what was written lies in {DAMAGED}/{kept.name}"
                )
        except OSError as error:
            why = error.strerror or error
            raise ValueError(f"the note is as it was; {path.name} cannot be read: {why}") from error
        return note

    def _take_back(self, draft: Draft, path: Path, note: str, trouble: str) -> None:
        self.lent = False
        draft.note = note
        self._keep([draft])
        if trouble or note == draft.before:
            self.say(f"{trouble}: the note is as it was" if trouble else "the note is as it was")
        self._put_by(path)
