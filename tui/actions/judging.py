"""What the reader thinks of papers: status, star, rating, due date, tags; marks; undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from textual.suggester import SuggestFromList

from index.clean import tag_name
from index.days import parse_day
from index.library import LibraryError, Step, Undone
from index.papers import STATUSES
from tui.actions import NO_PAPER, Actions
from tui.desk import Effect, split_tags, tagging


class Judging(Actions):
    """Each key is one step; nothing is judged by reading alone."""

    def _do(
        self, effect: Effect, papers: Sequence[str], *, on: bool = False, count: int | None = None
    ) -> None:
        """Have an effect on papers, with `on` go on to the next, and remember it for `.`, on as many."""

        def again(other: int | None) -> None:
            self._do(effect, self.targets(other or count), on=on, count=other or count)

        if not papers or not effect.edits:
            self.reading.say("nothing to change" if papers else NO_PAPER)
            return
        self.reading.again = again
        self.reading.do_all(effect, papers)
        if on or (self.reading.triaged and effect.edits[0][0] == "status"):
            self._on(papers)

    def _on(self, papers: Sequence[str]) -> None:
        if self.reading.place != "list":
            self.reading.on()
        elif not self.desk.marked:
            self.reading.papers.move_to(self.desk.ids.index(papers[-1]) + 1)

    def again(self, count: int | None) -> None:
        if self.reading.again:
            self.reading.again(count)
        else:
            self.reading.say("nothing was done yet that could be done again")

    def read(self, count: int | None) -> None:
        papers = self.targets(count)
        unread = not self.reading.triaged and self.desk.all_are("read", papers)
        self._status("unread" if unread else "read", papers, count)

    def status_unread(self, count: int | None) -> None:
        self._status("unread", self.targets(count), count)

    def status_later(self, count: int | None) -> None:
        self._status("later", self.targets(count), count)

    def status_reading(self, count: int | None) -> None:
        self._status("reading", self.targets(count), count)

    def status_read(self, count: int | None) -> None:
        self._status("read", self.targets(count), count)

    def status_skipped(self, count: int | None) -> None:
        self._status("skipped", self.targets(count), count)

    def later(self, count: int | None) -> None:
        self._status("later", self.targets(count), count, on=True)

    def skip(self, count: int | None) -> None:
        self._status("skipped", self.targets(count), count, on=True)

    def _status(
        self, status: str, papers: Sequence[str], count: int | None = None, *, on: bool = False
    ) -> None:
        self._do(Effect(status, (("status", status),)), papers, on=on, count=count)

    def star(self, count: int | None) -> None:
        papers = self.targets(count)

        def toggle(all_starred: bool) -> None:
            what = "no star" if all_starred else "star"
            self._do(Effect(what, (("starred", not all_starred),)), papers, count=count)

        self.reading.look_first(papers, lambda: self.desk.all_starred(papers), toggle)

    def rating_0(self, count: int | None) -> None:
        self._rate(0, count)

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

    def _rate(self, rating: int, count: int | None) -> None:
        what = f"rating {rating}" if rating else "no rating"
        self._do(Effect(what, (("rating", rating or None),)), self.targets(count), count=count)

    def due(self, count: int | None) -> None:
        papers = self.targets(count)
        old = self.library.annotation(papers[0]).due if papers else None
        about = "2026-12-01, today, 7d, 2w; an empty line takes it away"
        self.reading.ask(_of("Due", papers), old or "", about, lambda text: self._due(text, papers, count))

    def _due(self, text: str, papers: Sequence[str], count: int | None = None) -> None:
        day = parse_day(text, date.today())  # noqa: DTZ011 (the reader's own day)
        self._do(Effect(f"due {day}" if day else "not due", (("due", day),)), papers, count=count)

    def tags(self, count: int | None) -> None:
        papers = self.targets(count)

        def edit(common: list[str]) -> None:
            def done(tags: list[str]) -> None:
                come = [tag for tag in tags if tag not in common]
                gone = [tag for tag in common if tag not in tags]
                self._do(tagging(come, gone), papers, count=count)

            self._edit_tags(papers, "Tags", common, list(self.library.tags()), done)

        self.reading.look_first(papers, lambda: self.desk.common_tags(papers), edit)

    def add_tag(self, count: int | None) -> None:
        papers = self.targets(count)

        def done(tags: list[str]) -> None:
            self._do(tagging(tags, ()), papers, count=count)

        self._edit_tags(papers, "Add tags", [], list(self.library.tags()), done)

    def remove_tag(self, count: int | None) -> None:
        papers = self.targets(count)

        def done(tags: list[str]) -> None:
            self._do(tagging((), tags), papers, count=count)

        def edit(known: list[str]) -> None:
            self._edit_tags(papers, "Remove tags", [], known, done)

        self.reading.look_first(papers, lambda: self.desk.all_tags(papers), edit)

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
            counts = self.library.tags()
            self.reading.open_dialog(
                TagEditor(_of(title, papers), tags, {tag: counts.get(tag, 0) for tag in known}), done
            )

    def rename_tag(self, _count: int | None) -> None:
        from tui.screens.picker import Pick, Picker

        picks = [Pick(tag, "", count) for tag, count in self.library.tags().items()]
        about = "onto a tag that exists, the two become one"

        def ask(old: str) -> None:
            self.reading.ask(
                f"Rename {old}", old, about, lambda new: self._rename(old, new),
                chosen=True, suggester=SuggestFromList(self.library.tags()),
            )  # fmt: skip

        self.reading.open_dialog(Picker("Rename a tag", picks, nothing="no such tag"), ask)

    def _rename(self, old: str, new: str) -> None:
        """Rename a tag and those nested in it, or merge them into others. Raises ValueError."""
        if "," in new:
            raise ValueError(f"a comma parts tags, and none holds one; without it: {tag_name(new)}")
        old, new = tag_name(old), tag_name(new)
        if not new:
            raise ValueError("a tag needs a name")
        if not any(f"{tag}/".startswith(f"{old}/") for tag in self.library.tags()):
            raise ValueError(f"no paper has the tag {old}")

        def step() -> Step | None:
            edits, papers = self.library.retag(old, new)
            count = f"{papers} paper" + ("s" if papers != 1 else "")
            return self.library.step(f"rename tag {old} to {new} on {count}", edits)

        def made(step: Step | None) -> None:
            self.reading.show_made(step)
            if step:
                self.reading.not_again("a tag's new name")

        self.reading.make_apart(step, made)

    def mark(self, count: int | None) -> None:
        ids = self.desk.ids[self.reading.papers.cursor :][: count or 1]
        self.desk.marked.symmetric_difference_update(ids)
        for id in ids:
            self.reading.papers.refresh_row(id)
        self.reading.papers.move(len(ids))
        self._tell_marks()

    def mark_range(self, count: int | None) -> None:
        papers = self.reading.papers
        if papers.range_from is None:
            papers.begin_range()
            papers.move((count or 1) - 1)
            self.reading.say("a range from here on: what follows acts on it; V marks it, Esc drops it")
        else:
            self.desk.marked |= set(papers.end_range())
            papers.refresh_rows()
            self._tell_marks()

    def mark_all(self, _count: int | None) -> None:
        if why := self.desk.half_understood:
            self.reading.say(f"not marked, for the query was not wholly understood: {why}")
            return
        self.desk.marked = set(self.desk.whole) - self.desk.left
        self.reading.papers.refresh_rows()
        self._tell_marks()

    def _tell_marks(self) -> None:
        self.reading.tell_marks()
        self.reading.say(f"{len(self.desk.marked)} marked; Esc forgets the marks")

    def remove(self, count: int | None) -> None:
        papers = self.targets(count)
        self._do(Effect("removed", (("removed", True),)), papers, count=count)
        self.desk.marked -= set(papers)
        self.reading.tell_marks()

    def triage(self, _count: int | None) -> None:
        self.reading.triage()

    def undo(self, count: int | None) -> None:
        self._back(count or 1, self.library.undo, "undone", "nothing further to undo")

    def redo(self, count: int | None) -> None:
        self._back(count or 1, self.library.redo, "made again", "nothing to make again")

    def _back(self, count: int, back: Callable[[], Undone | None], done: str, none: str) -> None:
        """Take back so many of the latest steps, one after the other, however large they are."""
        undone: list[Undone] = []

        def step() -> Step | None:
            undone.extend(filter(None, [back()]))
            return undone[0].step if undone else None

        def made(step: Step | None) -> None:
            if step is None:
                self.reading.say(none)
                return
            self.reading.show_made(step)
            self._tell_back(undone[0], done)
            if count > 1:
                self._back(count - 1, back, done, none)

        self.reading.make_apart(step, made, at_once=True)

    def _tell_back(self, back: Undone, done: str) -> None:
        left = "; left alone, changed since: " + ", ".join(sorted({change.field for change in back.left}))
        told = done if back.step.changes else "nothing to take back"
        self.reading.say(f"{told}: {back.step.what}" + (left if back.left else ""))
        self.reading.show_undone(back)

    # On the command line, with what follows the name; ValueError says why not

    def _say_tag(self, text: str) -> None:
        self._do(tagging(split_tags(text), ()), self.targets(None))

    def _say_untag(self, text: str) -> None:
        self._do(tagging((), split_tags(text)), self.targets(None))

    def _say_due(self, text: str) -> None:
        self._due(text, self.targets(None))

    def _say_rating(self, text: str) -> None:
        if text not in tuple("012345"):
            raise ValueError(f"{text!r} is no rating; write 1 to 5, or 0 for none")
        self._rate(int(text), None)

    def _say_status(self, text: str) -> None:
        if text not in STATUSES:
            raise ValueError(f"no status {text!r}; there are: {', '.join(STATUSES)}")
        self._status(text, self.targets(None))

    def _say_edit(self, text: str) -> None:
        field, _, value = text.partition(" ")
        paper = self.current
        if field not in ("title", "doi", "arxiv") or paper is None:
            raise ValueError("write title, doi or arxiv and what it is; without more, it is taken back")
        self.reading.make_apart(
            lambda: self.library.edit(paper, **{field: value}), self.reading.show_made, at_once=True
        )

    def _say_join(self, text: str) -> None:
        """Make the marked papers one, or the one under the cursor and those that are named."""
        papers = self.targets(None)
        try:
            named = [*papers, *map(self.library.resolve, text.split())]
            step = self.library.join(named)
        except LibraryError as error:
            raise ValueError(str(error)) from error
        self.reading.do(step)
        if step:
            self.desk.marked.clear()
            self.reading.tell_marks()
            self.reading.find_anew()

    def _say_rename(self, text: str) -> None:
        old, comma, new = text.partition(",") if "," in text else text.partition(" ")
        if not comma:
            raise ValueError(
                "write the old name and the new one, with a comma between where they hold spaces"
            )
        self._rename(old, new)


def _of(title: str, papers: Sequence[str]) -> str:
    """The title of a dialog, with how many papers it is about where they are several."""
    return f"{title} of {len(papers)} papers" if len(papers) > 1 else title
