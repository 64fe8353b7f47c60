"""What the reader writes: notes, highlights, comments; and the selection of words."""

from __future__ import annotations

from collections.abc import Callable

from index.papers import COLOURS, Highlight
from index.sentences import sentences
from tui.actions import Actions


class Writing(Actions):
    """Writing acts on the paper that is shown."""

    def note(self, _count: int | None) -> None:
        self.reading.edit_note()

    def highlight(self, count: int | None) -> None:
        id, text = self.current, self.reading.text
        if id is None:
            return
        if selected := text.selection():
            text.cancel_selection()
            self.reading.do(self.desk.highlight(id, *selected, toggle=False))
        elif span := self._sentence(id, count):
            self.reading.do(self.desk.highlight(id, *span, toggle=True))
        else:
            self.reading.say("no such sentence")

    def _sentence(self, id: str, count: int | None) -> tuple[int, int] | None:
        """The sentence under the cursor, or the one of that number, counted from 1."""
        if count is None:
            return self.reading.text.sentence_span()
        spans = sentences(self.library.entry(id).paper.abstract)
        return spans[count - 1] if count <= len(spans) else None

    def select(self, _count: int | None) -> None:
        if self.reading.text.begin_selection():
            self.reading.tell_keys()

    def select_end(self, _count: int | None) -> None:
        self.reading.text.cancel_selection()
        self.reading.tell_keys()

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
        meaning = self.library.settings.meanings[colour]
        mark = self.reading.text.highlight()
        if self.current and mark and self.reading.text.selection() is None:
            self.reading.do(self.desk.recolour(self.current, mark, colour), same=f"already {meaning}")
        else:
            self.reading.say(f"the next highlight: {meaning}")

    def comment(self, _count: int | None) -> None:
        self._with_highlight(self._comment)

    def _comment(self, id: str, mark: Highlight) -> None:
        def done(text: str) -> None:
            self.reading.do(self.desk.comment(id, mark, text))

        about = "on the highlight; an empty line takes it away"
        self.reading.ask("Comment", mark.comment, about, done, kept=True)

    def _with_highlight(self, act: Callable[[str, Highlight], None]) -> None:
        mark = self.reading.text.highlight()
        if self.current and mark:
            act(self.current, mark)
        else:
            self.reading.say("no highlight here; H makes one")
