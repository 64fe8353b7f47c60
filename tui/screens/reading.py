"""The screen for reading: list, text and search bar, and what flows between them.

Keys and messages come in here; values go down to the panes. What a command does is in `tui.actions`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Static

from index.clean import drawable
from index.drafts import Drafts
from index.library import Library, LibraryError
from index.papers import STATUSES, Highlight
from tui import actions
from tui.commands import TYPING, WRITING, Command, Place, shown
from tui.keys import Keys, Run
from tui.messages import ChangedElsewhere, PapersCame, ReadOnly, Saved, Told, Trouble
from tui.panes.above import Above
from tui.panes.legend import Legend
from tui.panes.lines import Banner, BottomLine, FoundLine, HintLine, TopLine
from tui.panes.pointing import Pointing
from tui.screens.going import JUMPS
from tui.screens.noting import JOINED
from tui.screens.triaging import HINTS, Triaging

if TYPE_CHECKING:
    from tui.piping import Pipe
    from tui.screens.unsaved import Unsaved

WIDE: Final = 100
"""Columns from which list and text stand side by side."""
PROBLEM: Final = 15.0
"""Seconds that something wrong with the settings or the library is shown at the start."""
LOOK: Final = 0.5
"""Seconds between two looks for changes that another window or command made."""
REST: Final = 0.04
"""Seconds without a key after which the text follows the list: drawing it costs three times a row's move."""
KEPT: Final = ("opened", "sidebar", "split", "export")
"""What of the state is kept for the next start, beside the paper and the queries."""
BUSY: Final = 1.0
"""Seconds that quitting waits with the screen for what is being written to be on disk, or refused."""


class Reading(Triaging):
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
        &.-narrow #found { width: 36; }
        &.-tiny #found { width: 18; }
        #body { height: 1fr; layers: below above; }
        #side { display: none; width: 28; }
        &.-wide.-side #side, &.-narrow.-aside #side { display: block; border-right: vkey $panel; }
        &.-tiny.-aside #side { width: 1fr; border-right: none; }
        #list { width: 44%; }
        &.-wide.-side #list { width: 38%; }
        #reading { width: 1fr; }
        #text { height: 1fr; }
        &.-wide #reading { border-left: vkey $panel; }
        &.-narrow #list, &.-zoom #list { width: 1fr !important; }
        &.-zoom #reading { border-left: none; }
        &.-wide.-zoom #reading, &.-narrow #reading { display: none; }
        &.-wide.-zoom.-open #reading, &.-narrow.-open #reading { display: block; }
        &.-wide.-zoom.-open #list, &.-narrow.-open #list { display: none; }
        &.-triage #list, &.-triage #side { display: none !important; }
        &.-tiny.-aside #list, &.-tiny.-aside #reading { display: none !important; }
        &.-triage #reading { display: block !important; }
        #bottom { background: $panel; color: $text; }
    }
    """

    def __init__(
        self, library: Library, drafts: Drafts, commands: tuple[Command, ...], problems: Sequence[str] = ()
    ) -> None:
        """`problems` are said at the start, one line each."""
        super().__init__(library, drafts, commands)
        self._problems = problems
        self._noticed = len(library.notices)
        """Of the library's notices, how many were told."""
        self._keys = Keys(commands)
        self._actions = actions.bound(self)
        self._resting: Timer | None = None
        self._wrong: str | None = None
        """What was wrong at the last look for changes."""
        self._looking = threading.Lock()
        """One thread at a time looks for changes."""
        self.pipes: list[Pipe] = []
        """Commands that text was piped to, under way."""
        self._read_only = library.read_only
        self._unsaved: Unsaved | None = None
        """The dialog that asks where to put what is not on disk."""
        self._leaving = False
        """Whether the reader is to be left as soon as it is known that all is on disk."""

    def compose(self) -> ComposeResult:
        yield TopLine(id="top")
        yield Banner(id="banner")
        with Horizontal(id="searching"):
            yield Static(" / ", id="slash", markup=False)
            yield self.bar
            yield FoundLine(id="found")
        yield HintLine(id="hint")
        with Horizontal(id="body"):
            yield self.side
            yield self.papers
            with Vertical(id="reading"):
                yield self.text
            yield (above := Above())
        yield Legend(next(shown(command.keys[0]) for command in self.commands if command.name == "help"))
        yield BottomLine(above, id="bottom")

    def on_mount(self) -> None:
        library = self.desk.library
        library.listen(
            lambda steps: self.post_message(Saved(steps)), lambda line: self.post_message(Trouble(line))
        )
        last = library.state.get("paper")
        self.papers.show(self.desk.ids, keep=last if isinstance(last, str) else None)
        self.show_current()
        self.tell_counts()
        self.show_split()
        self.query_one(BottomLine).tell_state("saved")
        self.tell_keys()
        self.on_read_only(ReadOnly(self._read_only))
        self.take_up()
        for problem in self._problems:
            self.notify(drawable(problem), severity="warning", timeout=PROBLEM, markup=False)
        self.call_after_refresh(self.searcher.start)
        self.call_after_refresh(self._back_up)
        self.call_after_refresh(self.recount)
        if library.settings.folders and not self._read_only:
            self.call_after_refresh(actions.bring_new, self)
        self.set_interval(LOOK, self._look)

    # Keys

    @property
    def place(self) -> Place:
        """Where the focus is."""
        if self.focused is self.text:
            return "select" if self.text.selection() else "text"
        if self.focused is self.side:
            return "side"
        return "typing" if self.bar.has_focus or self.writing else "list"

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
            self._tell_place(key)
            return False
        bottom = self.query_one(BottomLine)
        bottom.rest()
        if isinstance(pressed, Run):
            self._run(pressed.command.name, pressed.count)
        elif pressed.follow:
            bottom.tell_follow(pressed.typed, pressed.follow)
        elif pressed.typed:
            bottom.show(pressed.typed)
        return True

    def _tell_place(self, key: str) -> None:
        """Say of a key that means nothing here where it means something."""
        places, here = self._keys.places(key), self.place
        if here == "select" and places:
            self.say(f"{shown(key)} means nothing while words are selected; Esc ends that")
        elif here == "list" and "text" in places:
            self.say(f"{shown(key)} works in the text; Enter goes there")
        elif here == "text" and "list" in places:
            self.say(f"{shown(key)} works in the list; q goes there")

    def run_command(self, name: str, count: int | None) -> bool:
        """Run the command of this name; False when there is none for the place that has the focus."""
        known = any(command.name == name and self.place in command.places for command in self.commands)
        if known:
            self._run(name, count)
        return known

    def _run(self, name: str, count: int | None) -> None:
        if self.barred(name):
            self.say("this leads out of triage; q leaves it")
        elif actions.lacks_paper(self, name):
            self.say(actions.NO_PAPER)
        elif not self.must_wait(name, count):
            if name in JUMPS:
                self.remember_place()
            self._actions[name](count)

    # List and text

    def on_paper_list_moved(self) -> None:
        if self.focused is self.text:
            self.show_current()
        else:
            self.follow()

    def follow(self) -> None:
        if self._resting:
            self._resting.reset()
        else:
            self._resting = self.set_timer(REST, self.show_current)

    def on_paper_list_opened(self) -> None:
        self.open_text()

    def open_text(self) -> None:
        """Give the keys to the text."""
        if (current := self.papers.current) is None:
            self.say(actions.NO_PAPER)
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
        ready = self.bar.has_focus or not self.answering
        return ready and not self._opening and not self.lent and not self.holding

    def on_descendant_focus(self) -> None:
        self._opening &= not self.writing
        if not self.writing and not self._opening:
            self.leave_note()  # a click elsewhere is as good as Esc
        self._keys.reset()
        if self.focused is self.text and not self.has_class("-open"):
            self.open_text()  # a click is as good as Tab
        elif self.focused is self.papers:
            self.open_list()
        self.tell_keys()

    def show_current(self) -> None:
        if self._resting:
            self._resting.stop()
            self._resting = None
        current = self.papers.current
        try:
            view = self.as_written(self.desk.view(current)) if current else None
        except (KeyError, LibraryError) as error:  # papers.jsonl has gone, or was made anew without it
            view = None
            self.say(
                str(error) if isinstance(error, LibraryError) else "this paper is no longer in the library"
            )
        self.text.show(view)

    def on_abstract_view_selecting(self) -> None:
        self.tell_keys()

    def on_pointing_link_clicked(self, event: Pointing.LinkClicked) -> None:
        actions.browse(self, event.link)

    # Changes

    def on_saved(self, event: Saved) -> None:
        self.drop_saved(event.steps)
        self._show_joined()
        if not self.desk.library.waiting:
            self.query_one(BottomLine).tell_state(self._drafts.trouble or "saved")
        elif self.desk.library.trouble:
            self.query_one(BottomLine).tell_state("not on disk")
        self.go_on_leaving()

    def _show_joined(self) -> None:
        """Show what became of the paper on disk: a note may have met one that another window wrote."""
        shown, current = self.text.view, self.papers.current
        if current is None or shown.id != current or self.writing:
            return
        told = self.desk.library.annotation(current)
        if _comments(told.highlights) != _comments((*shown.highlights, *shown.lost)):
            self.show_current()
        if told.note != shown.note:
            self.show_current()
            self.say(JOINED)

    def on_trouble(self, event: Trouble) -> None:
        self.query_one(BottomLine).tell_state(event.line)
        self.go_on_leaving()

    def on_read_only(self, event: ReadOnly) -> None:
        self.query_one(Banner).tell(event.why, self.desk.library.layout.folder)

    @work(thread=True)
    def _back_up(self) -> None:
        self.desk.library.back_up()

    @work(thread=True, exclusive=True, group="look")
    def _look(self) -> None:
        """Look for what others have changed. Whatever goes wrong with that is told while it does."""
        wrong = None
        try:
            with self._looking:
                self._look_around()
        except Exception as error:  # perhaps another program is just writing it
            wrong = str(error) or type(error).__name__
            self.post_message(Trouble(wrong))
        if self._wrong and not wrong:
            self.post_message(Saved([]))  # the line at the bottom is free again
        self._wrong = wrong

    def look_now(self) -> None:
        """Take over what came from elsewhere before this returns; for a thread. What fails, `_look` tells."""
        with contextlib.suppress(Exception), self._looking:
            self._look_around()

    def _look_around(self) -> None:
        library = self.desk.library
        if papers := library.refresh():
            self.post_message(ChangedElsewhere(papers))
        for notice in library.notices[self._noticed :]:
            self._noticed += 1
            self.post_message(Told(notice))
        if (why := library.read_only) != self._read_only:
            self._read_only = why
            self.post_message(ReadOnly(why))
        before = len(library.ids)
        if library.refresh_papers():
            self.post_message(PapersCame(len(library.ids) - before))

    def on_papers_came(self, event: PapersCame) -> None:
        self.find_anew()
        self.tell_counts()
        self.say(f"{event.count} new in the library" if event.count > 0 else "papers.jsonl was changed")

    def on_changed_elsewhere(self, event: ChangedElsewhere) -> None:
        self.repaint(event.papers)

    def on_told(self, event: Told) -> None:
        self.say(event.line)

    # The way out

    def leave(self) -> None:
        """Quit once all is on disk; where it cannot be written, ask for another place for it first."""
        self.keep_line()
        if self._editor:
            self.on_note_editor_left()
        if not (self._unsaved and self._unsaved.is_attached):
            self._leaving = True
            self.set_timer(BUSY, lambda: self.end() if self._leaving else None)
            self.go_on_leaving()

    def go_on_leaving(self) -> None:
        library = self.desk.library
        if self._leaving and not library.waiting and not self.making:
            self.end()
        elif self._leaving and library.trouble:
            from tui.screens.unsaved import Unsaved

            self._leaving = False
            self.app.clear_notifications()  # they would lie over it
            self._unsaved = Unsaved(library)
            self.open_dialog(self._unsaved, lambda _safe: self.end())

    def end(self) -> None:
        """Keep what is being written and quit, whether it is on disk or not."""
        # It ends whatever happens: perhaps the terminal has gone, or the program was replaced under it.
        try:
            self.keep_line()
            self.leave_note()
            self.end_making()
            self.write_queries()
            for pipe in self.pipes:
                pipe.stop("the reader was left")
            library = self.desk.library
            kept = {name: library.state[name] for name in KEPT if name in library.state}
            current = {"paper": self.papers.current} if self.papers.current else {}
            if kept or current:
                library.remember(**kept, **current)
            self.searcher.close()
        finally:
            self.app.exit()

    # Lines

    def say(self, line: str) -> None:
        self.query_one(BottomLine).say(line)

    def tell_keys(self) -> None:
        """Show what may be pressed here."""
        place = self.place
        if self.writing:
            keys = list(WRITING)
        elif place == "typing":
            keys = list(TYPING)
        elif self.triaged and place == "text":
            known = {command.name: command for command in self.commands}
            keys = [(shown(known[name].keys[0]), word) for name, word in HINTS.items()]
        else:
            keys = [
                (shown(command.keys[0]), command.hint)
                for command in self.commands
                if command.hint and place in command.places
            ]
        self.query_one(BottomLine).tell_keys(keys)

    def tell_counts(self) -> None:
        library = self.desk.library
        self.query_one(TopLine).tell(len(library.ids), self.desk.unread())
        self.query_one(Legend).display &= bool(library.ids) and not any(map(library.with_status, STATUSES))
        self.recount()


def _comments(marks: Iterable[Highlight]) -> set[tuple[str, str]]:
    return {(mark.id, mark.comment) for mark in marks}
