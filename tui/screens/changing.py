"""Changes: made at once and written soon; those of many papers in a thread, so that the screen goes on."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, TypeVar

from textual.message import Message

from index.drafts import Drafts
from index.library import Library, LibraryError, Step
from tui.commands import BY_NAME
from tui.desk import Effect
from tui.panes.lines import BottomLine
from tui.screens.lending import Lending

MANY: Final = 50
"""Changed papers from which the whole list is drawn anew."""
LARGE: Final = 100
"""Changes from which a step is made in a thread: 100 cost the screen's thread 5 ms, a key's worth."""
AT_ONCE: Final = 0.008
"""Seconds that a step is waited for that is most likely small."""
MAKING: Final = 10.0
"""Seconds that quitting waits for a step that is being made."""
MEANWHILE: Final = ("Moving", "Finding", "Around")
"""Groups of commands that go on while a step is being made: they neither change nor tell what was changed."""
Result = TypeVar("Result")


class Over(Message):
    """A thread is done; `tell` is to be called by the thread that draws."""

    def __init__(self, tell: Callable[[], object]) -> None:
        super().__init__()
        self.tell = tell


class Changing(Lending):
    """The part of the reading screen that makes changes and takes them back."""

    def __init__(self, library: Library, drafts: Drafts) -> None:
        super().__init__(library, drafts)
        self.again: Callable[[int | None], None] | None = None
        """Does the last change again, to the papers of that moment."""
        self._making: threading.Thread | None = None
        """Makes a step of many papers."""
        self._after: list[Callable[[], object]] = []
        """What waits for that step, the first first."""
        self._looked_at = False
        """Whether papers are looked at before they are changed."""

    @abstractmethod
    def run_command(self, name: str, count: int | None) -> bool:
        """Run the command of this name; False when there is none for the place that has the focus."""

    @abstractmethod
    def tell_counts(self) -> None:
        """Show how many papers there are and how many are unread, and count anew what else is shown."""

    @abstractmethod
    def go_on_leaving(self) -> None:
        """Quit, if the reader is being left and all is on disk."""

    def not_again(self, what: str) -> None:
        """The last change is one that `.` does not do again; rather than an older one, it says so."""
        self.again = lambda _count: self.say(f"the last change, {what}, is not done again")

    def do(self, step: Step | None, same: str = "nothing to change") -> None:
        """Make a step, or say that there is none to make."""
        if step is None:
            self.say(same)
        else:
            self.make(step)

    def make(self, step: Step) -> bool:
        """Make a step: shown at once, written soon. False when it is refused."""
        try:
            self.desk.library.submit(step)
        except ValueError as error:
            self.say(str(error))
            return False
        self.show_made(step)
        return True

    def show_made(self, step: Step | None) -> None:
        """Show a step that was made, or say that there was none to make."""
        if step is None:
            self.say("nothing to change")
            return
        self.query_one(BottomLine).tell_state("saving…")
        papers = {change.paper for change in step.changes}
        self.repaint(papers)
        self._tell_found()  # papers may be gone, or back
        unlisted = self.desk.unlisted(papers) if self.desk.marked else 0
        elsewhere = "" if self.papers.current in papers else self._heading(papers)
        self.say(f"{step.what}, {unlisted} of them not listed" if unlisted else f"{step.what}{elsewhere}")
        self.recheck()

    def _heading(self, papers: Collection[str]) -> str:
        """Which paper it was, where it was one: the reader may be looking at another."""
        found = self.desk.headings(papers) if len(papers) == 1 else {}
        return "".join(f": {heading}" for heading in found.values())

    def repaint(self, papers: Collection[str]) -> None:
        """Show anew what is written about these papers."""
        if len(papers) > MANY:
            self.papers.refresh_rows()
        else:
            for id in papers:
                self.papers.refresh_row(id)
        if self.papers.current in papers:
            self.show_current()
        self.tell_counts()

    # Many papers

    def look_first(
        self, papers: Sequence[str], look: Callable[[], Result], then: Callable[[Result], object]
    ) -> None:
        """Go on to `then` with what `look` tells of papers; of many in a thread, and the next key waits."""

        def over(tell: Callable[[], object]) -> None:
            self._looked_at = False
            tell()

        if len(papers) < LARGE:
            then(look())
            return
        self._looked_at = True
        self.apart(
            look,
            lambda told: over(lambda: then(told)),
            lambda line: over(lambda: self.say(line)),
        )

    def do_all(self, effect: Effect, papers: Sequence[str]) -> None:
        """Have an effect on some papers, as one step; the list shows it at once however many they are."""
        if self.making:
            self._after.append(partial(self.do_all, effect, papers))
            return
        if len(papers) * len(effect.edits) < LARGE:
            self.do(self.desk.step(effect, papers))
            return
        self.desk.coming = frozenset(papers), effect
        self.papers.refresh_rows()
        self.say(f"{effect.what} on {len(papers)} papers…")
        self.make_apart(lambda: self.desk.step(effect, papers), self.show_made)

    def make_apart(
        self,
        step: Callable[[], Step | None],
        made: Callable[[Step | None], object],
        *,
        at_once: bool = False,
    ) -> None:
        """Make the step that `step` gives in a thread, for it may be large; then `made` shows it.

        With `at_once` it is waited for as long as no one sees it: a small step is then made by the next key.
        """

        def make() -> Step | None:
            found = step()
            if found:
                self.desk.library.submit(found)
            return found

        def over(found: Step | None) -> None:
            self._making = self.desk.coming = None
            made(found)
            while self._after and not self.making:
                self._after.pop(0)()
            self.go_on_leaving()

        def failed(line: str) -> None:
            self.papers.refresh_rows()
            over(None)
            self.say(line)

        if self.making:
            self._after.append(partial(self.make_apart, step, made, at_once=at_once))
            return
        self._making = self.apart(make, over, failed)
        if at_once:
            self._making.join(AT_ONCE)

    def must_wait(self, name: str, count: int | None) -> bool:
        """Whether a command must wait for the step that is being made; it is run after that."""
        if self._making is None or BY_NAME[name].group in MEANWHILE:
            return False
        self._after.append(partial(self.run_command, name, count))
        return True

    @property
    def making(self) -> bool:
        """Whether a step is being made."""
        return self._making is not None

    @property
    def holding(self) -> bool:
        """Whether something waits for many papers to be changed or looked at: then the next key waits too."""
        return bool(self._after) or self._looked_at

    def end_making(self) -> None:
        """Wait for the step that is being made."""
        if self._making:
            self._making.join(MAKING)

    # Threads

    def apart(
        self,
        work: Callable[[], Result],
        done: Callable[[Result], object],
        failed: Callable[[str], object] | None = None,
    ) -> threading.Thread:
        """Do `work` in a thread that does not keep the program; then `done` with what it gave.

        Whatever goes wrong is told in one line to `failed`, or said.
        """

        def run() -> None:
            try:
                result = work()
            except Exception as error:
                line = str(error) if isinstance(error, LibraryError | ValueError) else repr(error)
                self.post_message(Over(lambda: (failed or self.say)(line)))
            else:
                self.post_message(Over(lambda: done(result)))

        thread = threading.Thread(target=run, name="apart", daemon=True)
        thread.start()
        return thread

    def on_over(self, event: Over) -> None:
        event.tell()

    # Copies

    def copy(self, what: str, text: str | bytes) -> None:
        """Put text on the clipboard, and say which way it went."""

        def put() -> str:
            from tui import clipboard

            return clipboard.copy(
                text,
                app_copy=lambda data: self.app.call_from_thread(self.app.copy_to_clipboard, data),
                folder=self.desk.library.layout.folder,
            )

        self.apart(put, lambda line: self.say(f"{what}: {line}"))
