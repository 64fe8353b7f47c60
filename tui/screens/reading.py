"""The screen for reading: list, text and search bar, and what flows between them.

Keys and messages come in here; values go down to the panes. What a command does is in `tui.actions`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Static

from index import drafts
from index.clean import drawable
from index.drafts import Draft
from index.library import Library, LibraryError, Step
from index.papers import both_notes
from tui import actions
from tui.commands import Command, Place, shown
from tui.keys import Keys, Run
from tui.messages import ChangedElsewhere, PapersCame, Saved, Told, Trouble
from tui.panes.abstract import AbstractView
from tui.panes.lines import BottomLine, FoundLine, HintLine, TopLine
from tui.screens.listing import Listing

if TYPE_CHECKING:
    from tui.panes.note_editor import NoteEditor

WIDE: Final = 100
"""Columns from which list and text stand side by side."""
PROBLEM: Final = 15.0
"""Seconds that something wrong with the settings or the library is shown at the start."""
LOOK: Final = 0.5
"""Seconds between two looks for changes that another window or command made."""
MANY: Final = 50
"""Changed papers from which the whole list is drawn anew."""
REST: Final = 0.04
"""Seconds without a key after which the text follows the list: drawing it costs three times a row's move."""
_NOTHING: Final = "No paper here. Press / to search for something else, Esc to see all."
_EMPTY: Final = "No papers yet. Quit with q, then: postil add FILE, or postil add --seeds"


class Reading(Listing):
    """List, text and search bar."""

    AUTO_FOCUS = "#list"
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    DEFAULT_CSS = """
    Reading {
        #top { background: $panel; color: $text; }
        #searching { height: 1; }
        #slash { width: 3; }
        #bar { width: 1fr; }
        #found { width: 42; max-width: 60%; color: $text-muted; }
        &.-narrow #found { width: 28; }
        #body { height: 1fr; }
        #list { width: 45%; }
        #reading { width: 1fr; }
        #text { height: 1fr; }
        &.-wide #list { border-right: vkey $panel; }
        &.-narrow #list, &.-zoom #list { width: 1fr; border-right: none; }
        &.-wide.-zoom #reading, &.-narrow #reading { display: none; }
        &.-wide.-zoom.-open #reading, &.-narrow.-open #reading { display: block; }
        &.-wide.-zoom.-open #list, &.-narrow.-open #list { display: none; }
        #bottom { background: $panel; color: $text; }
    }
    """

    def __init__(self, library: Library, commands: tuple[Command, ...], problems: Sequence[str] = ()) -> None:
        """`problems` are said at the start, one line each."""
        super().__init__(library)
        self._problems = [
            line for line in (library.notice, *library.problems, *library.notices, *problems) if line
        ]
        self.commands = commands
        self.text = AbstractView(empty="Nothing to read here.", id="text")
        self._noticed = len(library.notices)
        """Of the library's notices, how many were told."""
        self._keys = Keys(commands)
        self._actions = actions.bound(self)
        self._editor: NoteEditor | None = None
        """Of the note that is being written."""
        self._opening = False
        """Whether the editor is still to take the focus."""
        self._resting: Timer | None = None

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        with Horizontal(id="searching"):
            yield Static(" / ", id="slash", markup=False)
            yield self.bar
            yield FoundLine(id="found")
        yield HintLine(id="hint")
        with Horizontal(id="body"):
            yield self.papers
            with Vertical(id="reading"):
                yield self.text
        yield BottomLine(id="bottom")

    def on_mount(self) -> None:
        library = self.desk.library
        library.listen(
            lambda steps: self.post_message(Saved(steps)), lambda line: self.post_message(Trouble(line))
        )
        last = library.state.get("paper")
        self.papers.show(self.desk.ids, keep=last if isinstance(last, str) else None)
        self.show_current()
        self._tell_counts()
        self.query_one(BottomLine).tell_state("saved")
        self.tell_keys()
        self._take_up()
        for problem in self._problems:
            self.notify(drawable(problem), severity="warning", timeout=PROBLEM, markup=False)
        self.call_after_refresh(gc.enable)
        self.call_after_refresh(self.searcher.start)
        self.call_after_refresh(self._back_up)
        self.set_interval(LOOK, self._look)

    # Keys

    @property
    def place(self) -> Place:
        """Where the focus is."""
        if self.focused is self.text:
            return "select" if self.text.selection() else "text"
        return "typing" if self.bar.has_focus or self._writing else "list"

    @property
    def _writing(self) -> bool:
        """Whether a note has the focus."""
        return self._editor is not None and self._editor.has_focus

    def on_key(self, event: events.Key) -> None:
        if self.place == "typing":
            return
        key = event.key
        if event.is_printable and event.character:
            key = "space" if event.character == " " else event.character
        if self._press(key):
            event.stop()
            event.prevent_default()

    def _press(self, key: str) -> bool:
        """What a key does after those before it; False when it means nothing here."""
        pressed = self._keys.press(key, self.place)
        if pressed is None:
            return False
        bottom = self.query_one(BottomLine)
        if isinstance(pressed, Run):
            bottom.rest()
            self._actions[pressed.command.name](pressed.count)
        elif pressed.follow:
            follow = [(key, what.rpartition(": ")[2]) for key, what in pressed.follow]
            bottom.show([(pressed.typed, "…"), *follow])
        elif pressed.typed:
            bottom.show(pressed.typed)
        else:
            bottom.rest()
        return True

    def run_command(self, name: str, count: int | None) -> bool:
        """Run the command of this name; False when there is none for the place that has the focus."""
        known = any(command.name == name and self.place in command.places for command in self.commands)
        if known:
            self._actions[name](count)
        return known

    # List and text

    def on_paper_list_moved(self) -> None:
        """Show the paper, or, while keys run through the list, the one on which they rest."""
        if self.focused is self.text:
            self.show_current()
        elif self._resting:
            self._resting.reset()
        else:
            self._resting = self.set_timer(REST, self.show_current)

    def on_paper_list_opened(self) -> None:
        self.open_text()

    def open_text(self) -> None:
        """Give the keys to the text."""
        if (current := self.papers.current) is None:
            return
        self.desk.opened(current)
        if self._resting:
            self.show_current()
        self.add_class("-open")
        self.set_focus(self.text)

    def open_list(self) -> None:
        self.text.cancel_selection()
        self.remove_class("-open")
        self.set_focus(self.papers)

    @property
    def settled(self) -> bool:
        """Whether the next key finds what the last one opened, or the papers of the query that it kept."""
        return not self._opening and (self.bar.has_focus or not self.waiting)

    def on_descendant_focus(self) -> None:
        self._opening &= not self._writing
        if self._editor and not self._writing and not self._opening:
            self._leave_note(self._editor)  # a click elsewhere is as good as Esc
        self._keys.reset()
        self.tell_keys()

    def show_current(self) -> None:
        if self._resting:
            self._resting.stop()
            self._resting = None
        current = self.papers.current
        try:
            view = self.desk.view(current) if current else None
        except (KeyError, LibraryError) as error:  # papers.jsonl has gone, or was made anew without it
            view = None
            self.say(
                str(error) if isinstance(error, LibraryError) else "this paper is no longer in the library"
            )
        self.text.show(view)

    # Changes

    def do(self, step: Step | None, same: str = "nothing to change") -> None:
        """Make a step: shown at once, written soon."""
        if step is None:
            self.say(same)
            return
        try:
            self.desk.library.submit(step)
        except ValueError as error:
            self.say(str(error))
            return
        self.query_one(BottomLine).tell_state("saving…")
        self._repaint({change.paper for change in step.changes})
        self.say(step.what)
        self.recheck()

    def _repaint(self, papers: set[str]) -> None:
        if len(papers) > MANY:
            self.papers.refresh_rows()
        else:
            for id in papers:
                self.papers.refresh_row(id)
        if self.papers.current in papers:
            self.show_current()
        self._tell_counts()

    def on_saved(self) -> None:
        if not self.desk.library.waiting:
            self.query_one(BottomLine).tell_state("saved")

    def on_trouble(self, event: Trouble) -> None:
        self.query_one(BottomLine).tell_state(event.line)

    @work(thread=True)
    def _back_up(self) -> None:
        self.desk.library.back_up()

    @work(thread=True, exclusive=True, group="look")
    def _look(self) -> None:
        try:
            if papers := self.desk.library.refresh():
                self.post_message(ChangedElsewhere(papers))
            for notice in self.desk.library.notices[self._noticed :]:
                self._noticed += 1
                self.post_message(Told(notice))
            before = len(self.desk.library.ids)
            if self.desk.library.refresh_papers():
                self.post_message(PapersCame(len(self.desk.library.ids) - before))
        except (LibraryError, OSError) as error:  # perhaps another program is just writing it
            self.post_message(Trouble(str(error)))

    def on_papers_came(self, event: PapersCame) -> None:
        self.find(self.asked, typing=False)
        self._tell_counts()
        self.say(f"{event.count} new in the library" if event.count > 0 else "papers.jsonl was changed")

    def on_changed_elsewhere(self, event: ChangedElsewhere) -> None:
        self._repaint(event.papers)

    # Dialogs, notes, copies

    def open_dialog(self, dialog: ModalScreen[Any], done: Callable[[Any], None]) -> None:
        """Open a dialog; `done` is called with what it gives, unless that is None."""
        self.app.push_screen(dialog, lambda given: None if given is None else done(given))

    def ask(self, title: str, value: str, about: str, done: Callable[[str], None]) -> None:
        """Ask for one line. `done` may raise ValueError with a line of why not; then it is asked again."""
        from tui.screens.prompt import Prompt

        self.open_dialog(Prompt(title, value, about, done), lambda _none: None)

    def edit_note(self) -> None:
        """Write the note of the current paper below its text."""
        current = self.papers.current
        if current is None:
            return
        from tui.panes.note_editor import NoteEditor

        if self._editor:
            self._leave_note(self._editor)
        self.add_class("-open")
        self._editor, self._opening = NoteEditor(current, self.desk.library.annotation(current).note), True
        self.query_one("#reading").mount(self._editor)
        self._editor.focus()

    def on_note_editor_left(self, event: NoteEditor.Left) -> None:
        self._leave_note(event.editor)
        self.set_focus(self.text)

    def on_note_editor_drafted(self, event: NoteEditor.Drafted) -> None:
        editor = event.editor
        self._put_by(Draft(editor.paper, editor.before, editor.note))

    @work(thread=True, exclusive=True, group="draft")
    def _put_by(self, draft: Draft) -> None:
        """Keep the draft of a note where a crash leaves it; the next start makes it the note."""
        drafts.keep(self.desk.library.layout.folder, draft)

    def _take_up(self) -> None:
        """Make drafts that a crash left behind the notes."""
        for draft, path in drafts.left(self.desk.library.layout.folder):
            self._write_note(draft.paper, draft.before, draft.note)
            path.unlink(missing_ok=True)

    def _write_note(self, paper: str, before: str, note: str) -> None:
        """Make `note` what is written about a paper; what another window wrote there meanwhile stays too."""
        held = self.desk.library.annotation(paper).note
        whole = note if held == before else both_notes(before, held, note)
        self.do(self.desk.set([paper], "note", whole, "note"))

    def _leave_note(self, editor: NoteEditor) -> None:
        self._keep_note(editor)
        self._editor = None
        editor.remove()

    def _keep_note(self, editor: NoteEditor) -> None:
        if editor.changed:
            self._write_note(editor.paper, editor.before, editor.note)
        drafts.drop(self.desk.library.layout.folder)

    def copy(self, what: str, text: str) -> None:
        """Put text on the clipboard, and say which way it went."""
        self._copy(what, text)

    @work(thread=True)
    def _copy(self, what: str, text: str) -> None:
        from tui import clipboard

        line = clipboard.copy(
            text,
            app_copy=lambda data: self.app.call_from_thread(self.app.copy_to_clipboard, data),
            folder=self.desk.library.layout.folder,
        )
        self.post_message(Told(f"{what}: {line}"))

    def on_told(self, event: Told) -> None:
        self.say(event.line)

    def leave(self) -> None:
        """Keep what is being written and quit."""
        if self._editor:
            self._keep_note(self._editor)
        if current := self.papers.current:
            self.desk.library.remember(paper=current, opened=self.desk.library.state.get("opened", {}))
        self.searcher.close()
        self.app.exit()

    # Lines

    def say(self, line: str) -> None:
        self.query_one(BottomLine).say(line)

    def tell_keys(self) -> None:
        """Show what may be pressed here."""
        place = self.place
        if self._writing:
            keys = [("Esc", "keep the note and go back")]
        elif place == "typing":
            keys = [("Enter", "keep"), ("Esc", "as before"), ("↑↓", "move the list")]
        else:
            keys = [
                (shown(command.keys[0]), command.hint)
                for command in self.commands
                if command.hint and place in command.places
            ]
        self.query_one(BottomLine).tell_keys(keys)

    def _tell_counts(self) -> None:
        self.query_one(TopLine).tell(len(self.desk.library.ids), self.desk.unread())
