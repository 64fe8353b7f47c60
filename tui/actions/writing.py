"""What the reader writes: notes, highlights, comments; and the selection of words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from index.papers import COLOURS, Highlight
from index.sentences import sentences
from tui.actions import Actions
from tui.desk import short
from tui.draw import Span


class Writing(Actions):
    """Writing acts on the paper that is shown."""

    def note(self, _count: int | None) -> None:
        self.reading.edit_note()

    def note_outside(self, _count: int | None) -> None:
        self.reading.edit_note_outside()

    def highlight(self, count: int | None) -> None:
        id, text = self.current, self.reading.text
        if id is None:
            return
        selected = text.selection()
        stood_at = text.highlight_span() if count is None else None
        span = selected or stood_at or self._sentence(id, count)
        text.cancel_selection()
        if span is None:
            self.reading.say("no such sentence")
            return
        here = self.desk.highlighted(id, *span)
        made = not here or (selected is not None and here[0].colour != self.desk.colour)
        self.reading.again = partial(self._again, made, self.desk.colour)
        self._highlight(id, span, made)

    def _highlight(self, id: str, span: Span, made: bool) -> None:
        """Highlight, and stand on it, so that what follows is about it; or take what lies there away."""
        self.reading.do(self.desk.highlight(id, *span) if made else self.desk.unhighlight(id, *span))
        if made:
            self.reading.text.to_highlight(span)

    def _again(self, made: bool, colour: str, count: int | None) -> None:
        """Highlight the sentence under the cursor as the last one was, or take its highlight away."""
        if self.reading.place != "text" or self.current is None:
            self.reading.say("open the paper to highlight in it again")
            return
        stood_at = self.reading.text.highlight_span() if count is None and not made else None
        span = stood_at or self._sentence(self.current, count)
        if span is None or made is bool(self.desk.highlighted(self.current, *span)):
            self.reading.say("no such sentence" if span is None else "nothing to change")
            return
        self.desk.colour = colour
        self._highlight(self.current, span, made)

    def _sentence(self, id: str, count: int | None) -> Span | None:
        """The sentence under the cursor, or the one of that number, counted from 1."""
        if count is None:
            return self.reading.text.sentence_span()
        spans = sentences(self.library.entry(id).paper.abstract)
        return spans[count - 1] if count <= len(spans) else None

    def select(self, _count: int | None) -> None:
        self.reading.text.begin_selection()

    def select_end(self, _count: int | None) -> None:
        self.reading.text.cancel_selection()

    def word_on(self, count: int | None) -> None:
        self.reading.text.extend_word(count or 1)

    def word_back(self, count: int | None) -> None:
        self.reading.text.extend_word(-(count or 1))

    def character_on(self, count: int | None) -> None:
        self.reading.text.extend_char(count or 1)

    def character_back(self, count: int | None) -> None:
        self.reading.text.extend_char(-(count or 1))

    def sentence_on(self, count: int | None) -> None:
        self.reading.text.extend_sentence(count or 1)

    def sentence_back(self, count: int | None) -> None:
        self.reading.text.extend_sentence(-(count or 1))

    def line_start(self, _count: int | None) -> None:
        self.reading.text.extend_line(-1)

    def line_end(self, _count: int | None) -> None:
        self.reading.text.extend_line(1)

    def other_end(self, _count: int | None) -> None:
        self.reading.text.swap_ends()

    def colour_claim(self, _count: int | None) -> None:
        self._colour(0)

    def colour_method(self, _count: int | None) -> None:
        self._colour(1)

    def colour_result(self, _count: int | None) -> None:
        self._colour(2)

    def colour_question(self, _count: int | None) -> None:
        self._colour(3)

    def colour_doubt(self, _count: int | None) -> None:
        self._colour(4)

    def _colour(self, number: int) -> None:
        """The colour of the highlight under the cursor, and of the next one."""
        colour = self.desk.colour = COLOURS[number]
        if self.reading.text.highlight() and self.reading.text.selection() is None:
            self._with_highlight(partial(self._recolour, colour))
        else:
            self.reading.say(f"the next highlight: {self.library.settings.meanings[colour]}")

    def _recolour(self, colour: str, id: str, mark: Highlight) -> None:
        def again(_count: int | None) -> None:
            self._with_highlight(partial(self._recolour, colour))

        self.desk.colour, self.reading.again = colour, again
        same = f"already {self.library.settings.meanings[colour]}"
        self.reading.do(self.desk.recolour(id, mark, colour), same=same)

    def comment(self, _count: int | None) -> None:
        text = self.reading.text
        if self.current and (span := text.selection()):
            text.cancel_selection()
            if self.desk.highlighted(self.current, *span):
                text.to_highlight(span)
            else:
                self._highlight(self.current, span, made=True)
        self._with_highlight(self._comment)

    def _comment(self, id: str, mark: Highlight) -> None:
        def done(text: str) -> None:
            step = self.desk.comment(id, mark, text)
            self.reading.do(step)
            if step:
                self.reading.not_again("a comment")

        about = "on the highlight; an empty line takes it away"
        self.reading.ask(f"Comment on “{short(mark.quote)}”", mark.comment, about, done, kept=True)

    def _with_highlight(self, act: Callable[[str, Highlight], None]) -> None:
        mark = self.reading.text.highlight()
        if self.current and mark:
            act(self.current, mark)
        else:
            self.reading.say("no highlight here; H makes one")
