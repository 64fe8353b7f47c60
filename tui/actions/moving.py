"""Moving through the list and the text."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions import Actions


class Moving(Actions):
    """Up, down, to the next of something, from pane to pane."""

    def down(self, count: int | None) -> None:
        self._by(count or 1)

    def up(self, count: int | None) -> None:
        self._by(-(count or 1))

    def _by(self, rows: int) -> None:
        if self.reading.place == "list":
            self.reading.papers.move(rows)
        else:
            self.reading.text.scroll_lines(rows)

    def half_page_down(self, count: int | None) -> None:
        self._pane_half_page(count or 1)

    def half_page_up(self, count: int | None) -> None:
        self._pane_half_page(-(count or 1))

    def _pane_half_page(self, pages: int) -> None:
        pane = self.reading.papers if self.reading.place == "list" else self.reading.text
        pane.half_page(pages)

    def page_down(self, count: int | None) -> None:
        self._pane_page(count or 1)

    def page_up(self, count: int | None) -> None:
        self._pane_page(-(count or 1))

    def _pane_page(self, pages: int) -> None:
        if self.reading.place == "list":
            self.reading.papers.page(pages)
        else:
            self.reading.text.page(pages)

    def top(self, count: int | None) -> None:
        if self.reading.place != "list":
            self.reading.text.top()
        else:
            self.reading.papers.move_to((count or 1) - 1)

    def bottom(self, count: int | None) -> None:
        if self.reading.place != "list":
            self.reading.text.bottom()
        else:
            self.reading.papers.move_to((count or len(self.desk.ids)) - 1)

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
        self._to(self.reading.text.next_match, count, "no further match")

    def previous_match(self, count: int | None) -> None:
        self._to(self.reading.text.previous_match, count, "no match before")

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
            self.reading.papers.move(1)

    def open(self, _count: int | None) -> None:
        self.reading.open_text()

    def back(self, _count: int | None) -> None:
        self.reading.open_list()

    def clear(self, _count: int | None) -> None:
        if self.desk.marked:
            self.desk.marked.clear()
            self.reading.papers.refresh_rows()
        elif self.desk.found:
            self.reading.forget_query()

    def focus_next(self, _count: int | None) -> None:
        self._focus_other()

    def focus_previous(self, _count: int | None) -> None:
        self._focus_other()

    def _focus_other(self) -> None:
        if self.reading.place == "list":
            self.reading.open_text()
        else:
            self.reading.open_list()
