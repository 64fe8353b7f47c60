"""The lines above and below the panes: what is open, what was found, what may be pressed, what was saved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui import draw
from tui.panes.above import Above

if TYPE_CHECKING:
    from index.finding import Found

SAID: Final = 5.0
"""Seconds that a message stays."""
SHORT: Final = 20
"""Cells up to which only the count is told."""
_SORTED: Final = {
    "relevance": "best first", "added": "in order of import", "title": "by heading", "year": "by year",
    "status": "by status", "rating": "by rating", "due": "by due date", "opened": "last opened first",
}  # fmt: skip


class TwoEnds(Widget):
    """One line with text at its left and its right end; the right one is kept whole where both do not fit."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"two-ends--key"}
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TwoEnds {
        height: 1;
        width: 1fr;
        & > .two-ends--key { text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: list[tuple[str, str]] = []
        self._right = ""

    def show(self, left: str | Sequence[tuple[str, str]] | None = None, right: str | None = None) -> None:
        """Show text at either end; what is None stays. `left` may be pairs of a key and what it does."""
        before = self._left, self._right
        if left is not None:
            self._left = [("", left)] if isinstance(left, str) else list(left)
        if right is not None:
            self._right = right
        if (self._left, self._right) != before:
            self.refresh()

    @property
    def text(self) -> tuple[str, str]:
        """What stands at the left end and at the right."""
        return "  ".join(f"{key} {what}".strip() for key, what in self._left), self._right

    def render_line(self, _y: int) -> Strip:
        style, width = self.rich_style, self.size.width
        key_style = style + self.get_component_rich_style("two-ends--key", partial=True)
        right = draw.write(self._right, style, max(0, width - 2), "…")
        room = width - 3 - sum(segment.cell_length for segment in right)
        left = [Segment(" ", style)]
        for key, what in self._left:
            part = draw.write(key, key_style, width, "…") if key else []
            part += draw.write(f" {what}  " if key else what, style, max(0, room if not key else width), "…")
            size = sum(segment.cell_length for segment in part)
            if size > room + 2:
                if room < 1:  # of the two blanks after the last pair, or no gap would be left
                    left[-1] = Segment(left[-1].text[: max(room - 1, -2)], left[-1].style)
                left.append(Segment("…", style))
                room -= 1
                break
            left += part
            room -= size
        gap = width - 1 - sum(segment.cell_length for segment in (*left, *right))
        least = not left[-1].text.endswith(" ")
        return draw.strip([*left, Segment(" " * max(least, gap), style), *right], width, style)


class TopLine(TwoEnds):
    """What is open, and how much of it is unread; or how many papers are marked, for as long as some are."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._counts = self._marks = ""

    def tell(self, papers: int, unread: int) -> None:
        self._counts = f"{papers} papers · {unread} unread "
        self.show("postil · Daily Papers", self._marks or self._counts)

    def tell_marks(self, marked: int, unlisted: int) -> None:
        """`unlisted` of the marked papers cannot be seen, and yet a key acts on them."""
        apart = f", {unlisted} not listed" if unlisted else ""
        marks = f"{marked} marked{apart} · Esc forgets " if marked else ""
        if marks != self._marks:
            self._marks = marks
            self.show(right=marks or self._counts)


class Banner(TwoEnds):
    """Below the top line, for as long as nothing can be saved: why."""

    DEFAULT_CSS = """
    Banner { display: none; color: $warning; text-style: bold reverse; }
    Banner.-said { display: block; }
    """

    def tell(self, why: str | None, folder: Path) -> None:
        """Say `why`, or with None nothing; of what lies in `folder`, the name alone."""
        self.set_class(bool(why), "-said")
        self.show(f"! Nothing is saved: {why.replace(f'{folder}{os.sep}', '')}" if why else "")


class FoundLine(TwoEnds):
    """Beside the search bar: how many papers are listed, and where there is room, in what order."""

    def tell(
        self,
        found: Found | None,
        papers: int,
        indexed: tuple[int, int] | None = None,
        *,
        waiting: bool = False,
    ) -> None:
        """`indexed` while the search index grows: how many papers are in it, and of how many.

        Where nothing was found yet, `waiting` says that something may be.
        """
        told = "searching…" if waiting else f"{papers} papers"
        if found:
            told = _counted(found, papers) if self.size.width > SHORT else f"{len(found.ids)} of {papers}"
        if indexed:
            told += f"; {100 * indexed[0] // max(1, indexed[1])} % indexed"
        self.show(right=f"{told} ")


def _counted(found: Found, papers: int) -> str:
    """`7 of 393, best first`, and how many papers have most of the words."""
    whole = f"{len(found.ids)} of {papers}, {_SORTED[found.sort]}"
    if not found.partial:
        return whole
    most, least = found.partial[0], found.partial[-1]
    share = most.share if most.found == least.found else f"{least.found} to {most.share}"
    return f"{whole if found.ids else 'none whole'}; {len(found.partial)} with {share}"


class HintLine(TwoEnds):
    """Below the search bar, while that is typed in or there is something: what was not understood."""

    DEFAULT_CSS = """
    HintLine { display: none; color: $text-warning; }
    HintLine.-said { display: block; }
    """

    def tell(self, problems: Sequence[str], *, kept: bool) -> None:
        """`kept` keeps its place also for nothing to say: a list must not jump at each letter."""
        self.set_class(bool(problems) or kept, "-said")
        self.show(f"   {problems[0]}" if problems else "")


class BottomLine(TwoEnds):
    """What may be pressed, or for a while what was just done; and whether all is saved."""

    def __init__(self, above: Above, *, id: str | None = None) -> None:
        """`above` takes what does not fit."""
        super().__init__(id=id)
        self._above = above
        self._keys: Sequence[tuple[str, str]] = ()
        self._said: Timer | None = None

    @property
    def text(self) -> tuple[str, str]:
        left, right = super().text
        return "  ".join(filter(None, (left, self._above.text))), right

    def tell_keys(self, keys: Sequence[tuple[str, str]]) -> None:
        """Keys and what each does, for whenever nothing is being said."""
        self._keys = keys
        if not self._said:
            self.rest()

    def tell_follow(self, typed: str, keys: Sequence[tuple[str, str]]) -> None:
        """What was typed, and all that may follow it, each with what it does, in as few words as tell it."""
        keys = [(key, what.rpartition(": ")[2].partition(", ")[0]) for key, what in keys]
        begun = (typed, "…")
        if self._fits([begun, *keys]):
            self.show([begun, *keys])
        else:
            self.show([begun])
            self._above.show(keys=keys)

    def tell_state(self, state: str) -> None:
        """Whether all is saved, or what is wrong."""
        self.show(right=state)

    def say(self, line: str) -> None:
        """A message, for a few seconds."""
        self.rest()
        fits = self._fits([("", line)])
        self.show(line if fits else "")
        self._above.show("" if fits else line)
        self._said = self.set_timer(SAID, self.rest)

    def rest(self) -> None:
        """Show the keys again."""
        if self._said:
            self._said.stop()
            self._said = None
        self._above.show()
        self.show(self._keys)

    def _fits(self, left: Sequence[tuple[str, str]]) -> bool:
        """Whether all of it can be seen beside what stands at the right end."""
        sizes = [draw.cells(draw.glyphs(f"{key} {what}" if key else what)) for key, what in left]
        right = draw.cells(draw.glyphs(self._right))
        return sum(sizes) + 2 * (len(sizes) - 1) <= self.size.width - 3 - right
