"""What the reader thinks of papers: status, star, rating, due date, tags; marks; undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from index.days import parse_day
from index.library import Undone
from tui.actions import Actions


class Judging(Actions):
    """Each key is one step; nothing is judged by reading alone."""

    def read(self, count: int | None) -> None:
        self.reading.do(self.desk.toggle_read(self.targets(count)))

    def status_unread(self, count: int | None) -> None:
        self._status("unread", count)

    def status_later(self, count: int | None) -> None:
        self._status("later", count)

    def status_reading(self, count: int | None) -> None:
        self._status("reading", count)

    def status_read(self, count: int | None) -> None:
        self._status("read", count)

    def status_skipped(self, count: int | None) -> None:
        self._status("skipped", count)

    def later(self, count: int | None) -> None:
        self._status("later", count)
        self._on(count)

    def skip(self, count: int | None) -> None:
        self._status("skipped", count)
        self._on(count)

    def _status(self, status: str, count: int | None) -> None:
        self.reading.do(self.desk.set(self.targets(count), "status", status, status))

    def _on(self, count: int | None) -> None:
        if not self.desk.marked:
            self.reading.papers.move(count or 1)

    def star(self, count: int | None) -> None:
        self.reading.do(self.desk.toggle_star(self.targets(count)))

    def rating_0(self, count: int | None) -> None:
        self._rate(None, count)

    def rating_1(self, count: int | None) -> None:
        self._rate(1, count)

    def rating_2(self, count: int | None) -> None:
        self._rate(2, count)

    def rating_3(self, count: int | None) -> None:
        self._rate(3, count)

    def rating_4(self, count: int | None) -> None:
        self._rate(4, count)

    def rating_5(self, count: int | None) -> None:
        self._rate(5, count)

    def _rate(self, rating: int | None, count: int | None) -> None:
        what = f"rating {rating}" if rating else "no rating"
        self.reading.do(self.desk.set(self.targets(count), "rating", rating, what))

    def due(self, _count: int | None) -> None:
        papers = self.targets(None)
        old = self.library.annotation(papers[0]).due if papers else None

        def done(text: str) -> None:
            day = parse_day(text, date.today())  # noqa: DTZ011 (the reader's own day)
            what = f"due {day}" if day else "not due"
            self.reading.do(self.desk.set(papers, "due", day, what))

        self.reading.ask("Due", old or "", "2026-12-01, today, 7d, 2w; an empty line takes it away", done)

    def tags(self, _count: int | None) -> None:
        papers = self.targets(None)
        common = self.desk.common_tags(papers)

        def done(tags: list[str]) -> None:
            come = [tag for tag in tags if tag not in common]
            gone = [tag for tag in common if tag not in tags]
            self.reading.do(self.desk.retag(papers, come, gone))

        self._edit_tags(papers, "Tags", common, list(self.library.tags()), done)

    def add_tag(self, _count: int | None) -> None:
        papers = self.targets(None)
        self._edit_tags(
            papers, "Add tags", [], list(self.library.tags()),
            lambda tags: self.reading.do(self.desk.retag(papers, tags, ())),
        )  # fmt: skip

    def remove_tag(self, _count: int | None) -> None:
        papers = self.targets(None)
        known = sorted({tag for id in papers for tag in self.library.annotation(id).tags})
        self._edit_tags(
            papers, "Remove tags", [], known,
            lambda tags: self.reading.do(self.desk.retag(papers, (), tags)),
        )  # fmt: skip

    def _edit_tags(
        self,
        papers: Sequence[str],
        title: str,
        tags: Sequence[str],
        known: Sequence[str],
        done: Callable[[list[str]], None],
    ) -> None:
        from tui.screens.tag_editor import TagEditor

        if papers:
            about = f"{title} of {len(papers)} papers" if len(papers) > 1 else title
            counts = self.library.tags()
            self.reading.open_dialog(TagEditor(about, tags, {tag: counts.get(tag, 0) for tag in known}), done)

    def mark(self, count: int | None) -> None:
        ids = self.desk.ids[self.reading.papers.cursor :][: count or 1]
        self.desk.marked.symmetric_difference_update(ids)
        for id in ids:
            self.reading.papers.refresh_row(id)
        self.reading.papers.move(len(ids))
        self._tell_marks()

    def mark_all(self, _count: int | None) -> None:
        self.desk.marked = set(self.desk.whole) - self.desk.left
        self.reading.papers.refresh_rows()
        self._tell_marks()

    def _tell_marks(self) -> None:
        self.reading.say(f"{len(self.desk.marked)} marked; Esc forgets the marks")

    def undo(self, count: int | None) -> None:
        self._back(self.library.undo, count, "undone")

    def redo(self, count: int | None) -> None:
        self._back(self.library.redo, count, "made again")

    def _back(self, next_step: Callable[[], Undone | None], count: int | None, done: str) -> None:
        for _ in range(count or 1):
            back = next_step()
            if back is None:
                self.reading.say("nothing further to undo" if done == "undone" else "nothing to make again")
                return
            self.reading.do(back.step)
            left = "; left alone, changed since: " + ", ".join(change.field for change in back.left)
            told = done if back.step.changes else "nothing to take back"
            self.reading.say(f"{told}: {back.step.what}" + (left if back.left else ""))
