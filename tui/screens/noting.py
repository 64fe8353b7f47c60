"""Notes: the editor beside the text, and drafts, so that a crash takes nothing of what was being written."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import work
from textual.message import Message
from textual.timer import Timer

from index.clean import drawable
from index.drafts import Draft, Drafts
from index.library import Library, Step
from index.papers import both_notes
from tui.panes.abstract import AbstractView, PaperView
from tui.panes.lines import BottomLine
from tui.screens.linking import Linking

if TYPE_CHECKING:
    from tui.panes.note_editor import NoteEditor


JOINED: Final = "another window wrote in this note too: all of it is kept"
AGAIN: Final = 1.0
"""Seconds after which a draft that could not be put by is tried again."""
TOLD: Final = 15.0
"""Seconds that a damaged draft is told of."""


class Noting(Linking):
    """The part of the reading screen that writes notes."""

    class PutBy(Message):
        """The drafts are on disk, or could not be written."""

    def __init__(self, library: Library, drafts: Drafts) -> None:
        super().__init__(library)
        self.text = AbstractView(empty="Nothing to read here.", id="text")
        self._drafts = drafts
        self._editor: NoteEditor | None = None
        """Of the note that is being written."""
        self._opening = False
        """Whether the editor is still to take the focus."""
        self.lent = False
        """Whether another editor has a note, or is to have it."""
        self._not_put_by: str | None = None
        """Why the drafts could not be put by, as the line at the bottom says it."""
        self._again: Timer | None = None

    @abstractmethod
    def make(self, step: Step) -> bool:
        """Make a step: shown at once, written soon. False when it is refused."""

    @abstractmethod
    def not_again(self, what: str) -> None:
        """The last change is one that `.` does not do again."""

    @property
    def writing(self) -> bool:
        """Whether a note has the focus."""
        return self._editor is not None and self._editor.has_focus

    def edit_note(self) -> None:
        """Write the note of the current paper below its text."""
        current = self.papers.current
        if current is None:
            return
        from tui.panes.link_choices import LinkChoices
        from tui.panes.note_editor import NoteEditor

        self.leave_note()
        self.add_class("-open")
        self.gather_headings()
        note, choices = self.desk.library.annotation(current).note, LinkChoices()
        self._editor, self._opening = NoteEditor(current, note, choices, self.link_choices), True
        self.query_one("#reading").mount(choices, self._editor)
        self._editor.focus()

    def as_written(self, view: PaperView) -> PaperView:
        """What is shown of a paper, with the note as it is being written."""
        draft = self._editor.draft if self._editor else None
        return replace(view, note=draft.note) if draft and draft.paper == view.id else view

    def on_note_editor_left(self) -> None:
        self.leave_note()
        self.set_focus(self.text)

    def on_note_editor_cut_short(self) -> None:
        self.say("only the first 100,000 characters of what was pasted were taken")

    def on_note_editor_sized(self) -> None:
        self.text.show_abstract()

    def on_note_editor_previewed(self) -> None:
        if self._editor and self._editor.look():
            self.show_current()
        if not self.text.toggle_note():
            self.say("there is no note to read yet")

    def on_note_editor_scrolled(self, event: NoteEditor.Scrolled) -> None:
        self.text.scroll_lines(event.lines)

    def on_link_choices_clicked(self) -> None:
        if self._editor:
            self._editor.take_link()

    def complete_link(self) -> None:
        if self._editor:
            self._editor.look_for_link()

    def leave_note(self) -> None:
        """Close the editor, if it is open, and keep the note."""
        if self._editor is None:
            return
        if self._editor.look():
            self._keep([self._editor.draft])
        else:
            self._drafts.drop(self._editor.draft)
        self._put_by()
        self._editor.choices.remove()
        self._editor.remove()
        self._editor, self._opening = None, False

    def on_note_editor_drafted(self, event: NoteEditor.Drafted) -> None:
        if event.editor is not self._editor:
            return
        if event.editor.look():
            self._drafts.keep(event.editor.draft)
        else:
            self._drafts.drop(event.editor.draft)
        self._put_by()
        self.show_current()

    def take_up(self) -> None:
        """Make drafts that a crash left behind the notes."""
        chains = self._drafts.take_up()
        for chain in chains:
            try:
                self.desk.library.row(chain[-1].paper)
            except KeyError:
                self.notify(
                    f"A note that was being written is about a paper that is no longer here: it stays in "
                    f"{self._drafts.path.name}, and is taken up when the paper is back.",
                    severity="warning", markup=False,
                )  # fmt: skip
            else:
                self._keep(chain)
        for notice in self._drafts.notices:
            self.notify(drawable(notice), severity="warning", timeout=TOLD, markup=False)
        if chains:
            self._put_by()

    def _keep(self, chain: list[Draft]) -> None:
        """Make the last of `chain` the paper's note; what another window wrote there meanwhile stays too.

        The drafts are held until that is on disk.
        """
        first, last = chain[0], chain[-1]
        held = self.desk.library.annotation(last.paper).note
        known = held in (first.before, *(draft.note for draft in chain))
        whole = last.note if known else both_notes(first.before, held, last.note)
        step = self.desk.set([last.paper], "note", whole, "note")
        if step is None:
            self._drafts.drop(*chain)
            return
        made = self.make(step)
        if made and not known:
            self.say(JOINED)
        self.not_again("a note")
        for draft in chain:
            draft.step = step.step if made else None
            self._drafts.keep(draft)

    def drop_saved(self, steps: list[str]) -> None:
        """These steps are on disk: the drafts of the notes that they hold are no longer needed."""
        if self._drafts.saved(steps):
            self._put_by()

    @work(thread=True, group="drafts")
    def _put_by(self, outside: Path | None = None) -> None:
        """Write the drafts; the file of another editor, which they hold then, is no longer needed."""
        self._drafts.write()
        if outside and not self._drafts.trouble:
            for path in (outside, outside.with_name(f"{outside.name}~")):  # some editors keep a copy
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
        self.post_message(self.PutBy())

    def on_noting_put_by(self) -> None:
        """Say at the bottom while what is being written is not on disk, and try again."""
        before, self._not_put_by = self._not_put_by, self._drafts.trouble
        if self._again:
            self._again.stop()
            self._again = None
        if self._not_put_by:
            self.query_one(BottomLine).tell_state(self._not_put_by)
            self._again = self.set_timer(AGAIN, self._put_by)
        elif before:
            library = self.desk.library
            state = library.trouble or "saving…" if library.waiting else "saved"
            self.query_one(BottomLine).tell_state(state)
