"""Triage: what is unread of the list, one abstract at a time; each judgement goes on to the next."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from index.drafts import Drafts
from index.library import Library, Undone
from index.papers import STATUSES
from tui.commands import BY_NAME, Command, shown
from tui.panes.lines import FoundLine
from tui.screens.changing import Changing
from tui.screens.dialog import Dialog, Line
from tui.screens.recalling import Stood

NEXT: Final[Mapping[str, str]] = {
    "later": "f, then later: what you put off",
    "read": "A, then x: a reading list of what is marked",
    "unread": "T goes on with what is left",
}
"""What may be done with the papers of a status after triage."""
HINTS: Final[Mapping[str, str]] = {
    "later": "later", "skip": "skip", "read": "read", "page_on": "on", "back": "leave", "undo": "undo",
    "highlight": "highlight", "tags": "tag", "note": "note",
}  # fmt: skip
"""What the footer says of commands during triage."""
ELSEWHERE: Final = ("focus_next", "focus_previous", "zoom", "narrower", "wider")


class Summary(Dialog[bool]):
    """What became of the papers that were gone through; gives True when the last of it is to be undone."""

    BINDINGS = [Binding("enter,q", "cancel", show=False)]  # noqa: RUF012 (Textual's own way)

    def __init__(self, counts: Mapping[str, int], undo: Command) -> None:
        super().__init__()
        self._counts = counts
        self._undo = undo.keys

    def compose(self) -> ComposeResult:
        box = Vertical()
        box.can_focus = True  # or the keys would wait for something that has the focus
        with box:
            yield Line(f"Triage: {told(self._counts)}", classes="title")
            for status, what in NEXT.items():
                if self._counts.get(status):
                    yield Line(f"  {what}")
            about = f"Enter goes back to the list · {shown(self._undo[0])} takes the last one back"
            yield Line(about, classes="quiet", id="about")

    def on_key(self, event: events.Key) -> None:
        if event.key in self._undo or event.character in self._undo:
            event.stop()
            self.dismiss(True)


def told(counts: Mapping[str, int]) -> str:
    """`12 read, 20 later, 8 skipped, 0 left`."""
    names = {**{status: status for status in STATUSES}, "unread": "left"}
    order = ("read", "reading", "later", "skipped", "unread")
    return ", ".join(f"{counts[one]} {names[one]}" for one in order if counts[one] or one != "reading")


class Triaging(Changing):
    """The part of the reading screen that shows one abstract at a time."""

    def __init__(self, library: Library, drafts: Drafts, commands: tuple[Command, ...]) -> None:
        super().__init__(library, drafts)
        self.triaged: Sequence[str] = ()
        """The papers that are gone through; none outside triage."""
        self.commands = commands

    def triage(self) -> None:
        """Go through the unread papers of the list, from the cursor on."""
        if self.triaged:
            self.say("this is triage already; q leaves it")
            return
        touched = frozenset().union(*map(self.desk.library.with_status, STATUSES[1:]))
        papers = tuple(id for id in self.desk.ids[self.papers.cursor :] if id not in touched)
        if not papers:
            self.say("no unread paper from here on; gg goes to the top")
            return
        from index import query
        from index.finding import Found

        self._stood.append(Stood(self.desk.found, self.desk.shared, self.bar.placeholder, papers[0]))
        self.bar.set("")
        self.triaged = papers
        self.add_class("-triage")
        self._show(Found(query.parse(""), papers, "added"), {}, f"triage of {len(papers)} unread")
        self.papers.top()
        self.open_text()
        self.tell_keys()  # the text may have had the keys already

    @abstractmethod
    def tell_keys(self) -> None:
        """Show what may be pressed here."""

    @abstractmethod
    def open_text(self) -> None:
        """Give the keys to the text."""

    def on(self, count: int = 1) -> None:
        """On to the next paper; from the last one of triage to the summary."""
        if self.triaged and self.papers.cursor + count >= len(self.triaged):
            counts = self._counts()
            self.leave_triage()
            undo = next(command for command in self.commands if command.name == "undo")

            def take_back(_last: bool) -> None:
                self.run_command("undo", None)

            self.open_dialog(Summary(counts, undo), take_back)
        else:
            self.papers.move(count)

    def leave_triage(self) -> None:
        """List again what stood before, at the paper that is shown."""
        self.say(f"triage: {told(self._counts())}")
        if current := self.papers.current:
            self._stood[-1] = replace(self._stood[-1], current=current)
        self._end_triage()
        self.back_from_related()
        self.open_list()

    def find(self, text: str, *, typing: bool) -> None:
        self._end_triage()
        super().find(text, typing=typing)

    def _end_triage(self) -> None:
        self.triaged = ()
        self.remove_class("-triage")

    def _counts(self) -> dict[str, int]:
        counts = {
            status: len(self.desk.library.with_status(status).intersection(self.triaged))
            for status in STATUSES[1:]
        }
        return {STATUSES[0]: len(self.triaged) - sum(counts.values()), **counts}

    def show_undone(self, undone: Undone) -> None:
        """Go back to the paper that a judgement was taken from, unless the cursor is on one of them."""
        papers = {change.paper for change in undone.step.changes}
        if self.papers.current in papers:
            return
        back = next((place for place, id in enumerate(self.desk.ids) if id in papers), None)
        if back is not None:
            self.papers.move_to(back)

    def barred(self, name: str) -> bool:
        """Whether a command would lead out of triage, which only `back` does."""
        return bool(self.triaged) and (BY_NAME[name].group == "Finding" or name in ELSEWHERE)

    def on_paper_list_moved(self) -> None:
        if self.triaged:
            self._tell_found()

    def _tell_found(self) -> None:
        if self.triaged:
            self.query_one(FoundLine).show(right=f"{self.papers.cursor + 1} of {len(self.triaged)} ")
        else:
            super()._tell_found()
