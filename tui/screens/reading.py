"""The screen for reading: list, text and search bar, and what flows between them.

Keys and messages come in here; values go down to the panes. What a command does is in `tui.actions`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widgets import Static

from index import query
from index.library import Library, Step
from tui import actions, clipboard
from tui.commands import Command, Place, shown
from tui.desk import Desk
from tui.keys import Keys, Run
from tui.messages import Answered, ChangedElsewhere, Prepared, Preparing, Saved, Told, Trouble
from tui.panes.abstract import AbstractView
from tui.panes.lines import TwoEnds
from tui.panes.note_editor import NoteEditor
from tui.panes.papers import PaperList
from tui.panes.search_bar import SearchBar
from tui.searcher import Searcher

WIDE: Final = 100
"""Columns from which list and text stand side by side."""
LOOK: Final = 0.5
"""Seconds between two looks for changes that another window or command made."""
REST: Final = 0.04
"""Seconds without a key after which the text follows the list: drawing it costs three times a row's move."""
SAID: Final = 5.0
"""Seconds that a message stays."""
_SORTED: Final = {
    "relevance": "best first", "added": "in order of import", "title": "by heading", "year": "by year",
    "status": "by status", "rating": "by rating", "due": "by due date", "opened": "last opened first",
}  # fmt: skip
_NOTHING: Final = "No paper here. Press / to search for something else, Esc to see all."
_EMPTY: Final = "No papers yet. Quit with q, then: postil add FILE, or postil add --seeds"


class Reading(Screen[None]):
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
        #hint { display: none; color: $text-warning; }
        #hint.-said { display: block; }
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

    def __init__(self, library: Library, commands: tuple[Command, ...]) -> None:
        super().__init__()
        self.commands = commands
        self.desk = Desk(library)
        self.papers = PaperList(self.desk.row, empty=_EMPTY, id="list")
        self.text = AbstractView(empty="Nothing to read here.", id="text")
        self.bar = SearchBar(id="bar")
        self.asked = ""
        """The query that is listed, as it was typed."""
        self._keys = Keys(commands)
        self._actions = actions.bound(self)
        self._searcher = Searcher(library, self.post_message)
        self._ticket = self._recheck = 0
        self._waiting = False
        """Whether an answer that will be listed is still to come."""
        self._sort: str | None = None
        self._before_search: str | None = None
        self._back_to: str | None = None
        self._moved = False
        """Whether the cursor was moved while the query was typed: else it stands on the best paper."""
        self._opening: NoteEditor | None = None
        """The editor that is about to take the focus."""
        self._said: Timer | None = None
        self._resting: Timer | None = None
        self._state = "saved"

    def compose(self) -> ComposeResult:
        yield TwoEnds(id="top")
        with Horizontal(id="searching"):
            yield Static(" / ", id="slash", markup=False)
            yield self.bar
            yield TwoEnds(id="found")
        yield TwoEnds(id="hint")
        with Horizontal(id="body"):
            yield self.papers
            with Vertical(id="reading"):
                yield self.text
        yield TwoEnds(id="bottom")

    def on_mount(self) -> None:
        library = self.desk.library
        library.listen(
            lambda steps: self.post_message(Saved(steps)), lambda line: self.post_message(Trouble(line))
        )
        last = library.state.get("paper")
        self.papers.show(self.desk.ids, keep=last if isinstance(last, str) else None)
        self._show_current()
        self._tell_counts()
        self.tell_keys()
        for line in (library.notice, *library.problems):
            if line:
                self.say(line)
        self.call_after_refresh(self._searcher.start)
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
        return isinstance(self.focused, NoteEditor)

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
        pressed = self._keys.press(key, self.place)
        if pressed is None and key.startswith("alt+"):  # Esc and the next key came as one
            return self._press("escape") | self._press(key.removeprefix("alt+"))
        if pressed is None:
            return False
        if isinstance(pressed, Run):
            self.tell_keys()
            self._actions[pressed.command.name](pressed.count)
        elif pressed.follow:
            follow = [(key, what.rpartition(": ")[2]) for key, what in pressed.follow]
            self._bottom.show([(pressed.typed, "…"), *follow])
        elif pressed.typed:
            self._bottom.show(pressed.typed)
        else:
            self.tell_keys()
        return True

    def run_command(self, name: str, count: int | None) -> bool:
        """Run the command of this name; False when there is none for the place that has the focus."""
        known = any(command.name == name and self.place in command.places for command in self.commands)
        if known:
            self._actions[name](count)
        return known

    # Searching

    def begin_search(self) -> None:
        """Give the keys to the search bar."""
        self._before_search, self._moved = self.papers.current, False
        self.open_list()
        self.bar.begin()

    def find(self, text: str, *, typing: bool) -> None:
        """List what a query finds, once the worker has answered; an empty one lists all at once."""
        self.asked = text
        if text.strip() or self._sort not in (None, "added"):
            self._ticket, self._waiting = self._searcher.ask(text, typing=typing, sort=self._sort), True
        else:
            self._ticket, self._waiting = 0, False
            self.desk.take(None)
            self._list(_EMPTY)
        self._hint(text, typing)

    def _list(self, empty: str) -> None:
        """Show what lies on the desk, the cursor on the paper that it was on where that is still listed."""
        self.papers.show(self.desk.ids, keep=self._back_to, empty=empty)
        self._back_to = None
        self._show_current()
        self._tell_found()

    def forget_query(self) -> None:
        """List all papers again, in the order of import."""
        self.bar.set("")
        self._sort = None
        self.find("", typing=False)

    def sort(self, sort: str) -> None:
        """List the same papers in another order."""
        self._sort = sort
        self.find(self.asked, typing=False)

    def on_search_bar_typed(self, event: SearchBar.Typed) -> None:
        self.find(event.text, typing=True)

    def on_search_bar_kept(self) -> None:
        self.set_focus(self.papers)
        self.find(self.bar.value, typing=False)

    def on_search_bar_left(self) -> None:
        self.set_focus(self.papers)
        self._back_to = self._before_search
        self.find(self.bar.value, typing=False)

    def on_search_bar_moved(self, event: SearchBar.Moved) -> None:
        self._moved = True
        self.papers.move(event.rows)

    def on_answered(self, answer: Answered) -> None:
        if answer.ticket == self._recheck and not self._waiting:
            for id in self.desk.recheck(answer.found):
                self.papers.refresh_row(id)
        elif answer.ticket == self._ticket:
            self._waiting = False
            here = self.papers.current
            self.desk.take(answer.found)
            self._list(_NOTHING)
            if here not in self.desk.ids or (self.bar.has_focus and not self._moved):
                self.papers.top()

    def on_preparing(self, event: Preparing) -> None:
        self._found.show(right=f"building the search index: {event.done} of {event.total} ")

    def on_prepared(self, event: Prepared) -> None:
        self._tell_found()
        if event.trouble:
            self.say(event.trouble)

    # List and text

    def on_paper_list_moved(self) -> None:
        """Show the paper, or, while keys run through the list, the one on which they rest."""
        if self.focused is self.text:
            self._show_current()
        elif self._resting:
            self._resting.reset()
        else:
            self._resting = self.set_timer(REST, self._show_current)

    def on_paper_list_opened(self) -> None:
        self.open_text()

    def open_text(self) -> None:
        """Give the keys to the text."""
        if (current := self.papers.current) is None:
            return
        self.desk.opened(current)
        if self._resting:
            self._show_current()
        self.add_class("-open")
        self.set_focus(self.text)

    def open_list(self) -> None:
        """Give the keys to the list."""
        self.text.cancel_selection()
        self.remove_class("-open")
        self.set_focus(self.papers)

    @property
    def settled(self) -> bool:
        """Whether the next key finds what the last one opened, or the papers of the query that it kept."""
        return self._opening is None and (self.bar.has_focus or not self._waiting)

    def on_descendant_focus(self) -> None:
        if self._writing:
            self._opening = None
        self._keys.reset()
        self.tell_keys()

    def _show_current(self) -> None:
        if self._resting:
            self._resting.stop()
            self._resting = None
        current = self.papers.current
        self.text.show(self.desk.view(current) if current else None)

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
        self._state = "saving…"
        self._repaint({change.paper for change in step.changes})
        self.say(step.what)
        if self.desk.found and not self._waiting:
            self._recheck = self._searcher.ask(self.asked, typing=False, sort=self._sort)

    def _repaint(self, papers: set[str]) -> None:
        for id in papers:
            self.papers.refresh_row(id)
        if self.papers.current in papers:
            self._show_current()
        self._tell_counts()

    def on_saved(self) -> None:
        if not self.desk.library.waiting:
            self._state = "saved"
        self._bottom.show(right=self._state)

    def on_trouble(self, event: Trouble) -> None:
        self._state = event.line
        self._bottom.show(right=event.line)

    @work(thread=True, exclusive=True, group="look")
    def _look(self) -> None:
        if papers := self.desk.library.refresh():
            self.post_message(ChangedElsewhere(papers))

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
        if current is None or self.query_one("#reading").query(NoteEditor):
            return
        self.add_class("-open")
        editor = NoteEditor(current, self.desk.library.annotation(current).note)
        self._opening = editor
        self.query_one("#reading").mount(editor)
        editor.focus()

    def on_note_editor_left(self, event: NoteEditor.Left) -> None:
        self._keep_note(event.editor)
        event.editor.remove()
        self.set_focus(self.text)

    def _keep_note(self, editor: NoteEditor) -> None:
        if editor.changed:
            self.do(self.desk.set([editor.paper], "note", editor.note, "note"))

    def copy(self, what: str, text: str) -> None:
        """Put text on the clipboard, and say which way it went."""
        self._copy(what, text)

    @work(thread=True)
    def _copy(self, what: str, text: str) -> None:
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
        for editor in self.query(NoteEditor):
            self._keep_note(editor)
        if current := self.papers.current:
            self.desk.library.remember(paper=current, opened=self.desk.library.state.get("opened", {}))
        self._searcher.close()
        self.app.exit()

    # Lines

    @property
    def _bottom(self) -> TwoEnds:
        return self.query_one("#bottom", TwoEnds)

    @property
    def _found(self) -> TwoEnds:
        return self.query_one("#found", TwoEnds)

    def say(self, line: str) -> None:
        """Say something for a few seconds where the keys stand."""
        self._bottom.show(line, self._state)
        if self._said:
            self._said.stop()
        self._said = self.set_timer(SAID, self.tell_keys)

    def tell_keys(self) -> None:
        """Show what may be pressed here, and whether all is saved."""
        place = self.place
        keys = [
            (shown(command.keys[0]), command.hint)
            for command in self.commands
            if command.hint and place in command.places
        ]
        if self._writing:
            keys = [("Esc", "keep the note and go back")]
        elif place == "typing":
            keys = [("Enter", "keep"), ("Esc", "as before"), ("↑↓", "move the list")]
        self._bottom.show(keys, self._state)

    def tell_marks(self) -> None:
        """Say how many papers are marked."""
        self.say(f"{len(self.desk.marked)} marked; Esc forgets the marks")

    def _tell_counts(self) -> None:
        total = len(self.desk.library.ids)
        self.query_one("#top", TwoEnds).show(
            "postil · Daily Papers", f"{total} papers · {self.desk.unread()} unread "
        )

    def _tell_found(self) -> None:
        found, total = self.desk.found, len(self.desk.library.ids)
        if found is None:
            self._found.show(right=f"{total} papers ")
        elif found.partial:
            part = found.partial[0]
            self._found.show(right=f"none whole; {len(found.partial)} with {part.found} of {part.of} words ")
        else:
            self._found.show(right=f"{len(found.ids)} of {total}, {_SORTED[found.sort]} ")

    def _hint(self, text: str, typing: bool) -> None:
        """One line below the bar on what was not understood, while there is something."""
        problems = query.parse(text, typing=typing).problems
        line = self.query_one("#hint", TwoEnds)
        line.set_class(bool(problems), "-said")
        line.show(f"   {problems[0]}" if problems else "")
