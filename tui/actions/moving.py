"""Moving through the list and the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.actions import Actions

if TYPE_CHECKING:
    from tui.panes.papers import PaperList
    from tui.panes.selection import Around
    from tui.panes.sidebar import Sidebar


class Moving(Actions):
    """Up, down, to the next of something, from pane to pane."""

    @property
    def _rows(self) -> PaperList | Sidebar | None:
        """The pane of rows that has the focus, if it is none of text."""
        if self.reading.place == "side":
            return self.reading.side
        return self.reading.papers if self.reading.place == "list" else None

    def down(self, count: int | None) -> None:
        self._by(count or 1)

    def up(self, count: int | None) -> None:
        self._by(-(count or 1))

    def _by(self, rows: int) -> None:
        if pane := self._rows:
            pane.move(rows)
        else:
            self.reading.text.scroll_lines(rows)

    def half_page_down(self, count: int | None) -> None:
        self._pane_half_page(count or 1)

    def half_page_up(self, count: int | None) -> None:
        self._pane_half_page(-(count or 1))

    def _pane_half_page(self, pages: int) -> None:
        (self._rows or self.reading.text).half_page(pages)

    def page_down(self, count: int | None) -> None:
        self._pane_page(count or 1)

    def page_up(self, count: int | None) -> None:
        self._pane_page(-(count or 1))

    def _pane_page(self, pages: int) -> None:
        (self._rows or self.reading.text).page(pages)

    def top(self, count: int | None) -> None:
        if pane := self._rows:
            pane.move_to((count or 1) - 1)
        else:
            self.reading.text.top()

    def bottom(self, count: int | None) -> None:
        if pane := self._rows:
            pane.move_to(count - 1 if count else pane.length - 1)
        else:
            self.reading.text.bottom()

    def next_paper(self, count: int | None) -> None:
        self.reading.papers.move(count or 1)

    def previous_paper(self, count: int | None) -> None:
        self.reading.papers.move(-(count or 1))

    def next_unread(self, count: int | None) -> None:
        self._to_unread(1, count or 1)

    def previous_unread(self, count: int | None) -> None:
        self._to_unread(-1, count or 1)

    def _to_unread(self, direction: int, count: int) -> None:
        papers, ids = self.reading.papers, self.desk.ids
        at = papers.cursor
        for _ in range(count):
            at += direction
            while 0 <= at < len(ids) and self.library.annotation(ids[at]).status != "unread":
                at += direction
        if 0 <= at < len(ids):
            papers.move_to(at)
        else:
            self.reading.say("no unread paper further on")

    def next_match(self, count: int | None) -> None:
        self._tell_match(self.reading.text.next_match(count or 1), "from the first on again")

    def previous_match(self, count: int | None) -> None:
        self._tell_match(self.reading.text.previous_match(count or 1), "from the last back again")

    def _tell_match(self, match: Around | None, passed: str) -> None:
        if match:
            told = f"match {match.number} of {match.of}"
            self.reading.say(f"{told}, {passed}" if match.passed else told)
        else:
            found, current = self.desk.found, self.current
            where = found.where.get(current) if found and current else None
            self.reading.say("no match in this abstract" + (f": it is in the {where}" if where else ""))

    def next_sentence(self, count: int | None) -> None:
        self._to(self.reading.text.next_sentence, count, "the last sentence")

    def previous_sentence(self, count: int | None) -> None:
        self._to(self.reading.text.previous_sentence, count, "the first sentence")

    def next_highlight(self, count: int | None) -> None:
        self._to(self.reading.text.next_highlight, count, "no further highlight")

    def previous_highlight(self, count: int | None) -> None:
        self._to(self.reading.text.previous_highlight, count, "no highlight before")

    def _to(self, move: Callable[[int], bool], count: int | None, otherwise: str) -> None:
        if not move(count or 1):
            self.reading.say(otherwise)

    def page_on(self, _count: int | None) -> None:
        if not self.reading.text.page(1):
            self.reading.on()

    def open(self, _count: int | None) -> None:
        self.reading.open_text()

    def back(self, _count: int | None) -> None:
        if self.reading.triaged:
            self.reading.leave_triage()
        else:
            self.reading.open_list()

    def choose(self, _count: int | None) -> None:
        self.reading.choose()

    def clear(self, _count: int | None) -> None:
        if self.reading.papers.range_from is not None:
            self.reading.papers.end_range()
        elif self.desk.marked:
            self.desk.marked.clear()
            self.reading.tell_marks()
            self.reading.papers.refresh_rows()
        elif self.desk.shared:
            self.reading.back_from_related()
        elif self.desk.found or self.reading.waiting:
            self.reading.forget_query()

    def focus_next(self, _count: int | None) -> None:
        self._focus(1)

    def focus_previous(self, _count: int | None) -> None:
        self._focus(-1)

    def _focus(self, step: int) -> None:
        """Give the keys to the pane so many further on: the sidebar where it is open, the list, the text."""
        panes = [("list", self.reading.open_list), ("text", self.reading.open_text)]
        if self.reading.side_open:
            panes.insert(0, ("side", self.reading.open_side))
        at = [place for place, _ in panes].index(self.reading.place)
        panes[(at + step) % len(panes)][1]()
