"""The sidebar: what narrows a query, each with the number of papers that it would leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui import draw

WHEEL: Final = 3
"""Lines that one step of the wheel scrolls."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be put into the query: what it is called, its term, and how many papers it leaves.

    `chosen` while it is in the query; no count while none was made.
    """

    group: str
    label: str
    term: str
    count: int | None = None
    chosen: bool = False


class Sidebar(ScrollView, can_focus=True, inherit_bindings=False):
    """Choices in groups, with a cursor."""

    class Chosen(Message):
        """A choice was clicked."""

    BINDINGS: ClassVar[list[BindingType]] = []
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "sidebar--text",
        "sidebar--title",
        "sidebar--none",
        "sidebar--chosen",
        "sidebar--cursor",
    }
    DEFAULT_CSS = """
    Sidebar {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        background: $surface;
        & > .sidebar--text { color: $foreground; }
        & > .sidebar--title { color: $text-muted; text-style: bold; }
        & > .sidebar--none { color: $text-disabled; }
        & > .sidebar--chosen { text-style: bold; }
        &:focus > .sidebar--cursor {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
        &:focus:nocolor > .sidebar--cursor {
            color: $foreground;
            background: $background;
            text-style: bold reverse;
        }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        """The place of the current choice, counted from 0."""
        self._signs = draw.signs()
        self._choices: Sequence[Choice] = ()
        self._lines: list[str | int] = []
        """What stands in each line: the title of a group, or the place of a choice."""

    @property
    def length(self) -> int:
        """How many choices there are."""
        return len(self._choices)

    @property
    def current(self) -> Choice | None:
        """The choice under the cursor."""
        return self._choices[self.cursor] if self._choices else None

    def show(self, choices: Sequence[Choice]) -> None:
        """Show other choices, those of a group one after the other; the cursor stays on the same one."""
        here = self.current
        self._choices = choices
        terms = [(choice.group, choice.label) for choice in choices]
        if here and (here.group, here.label) in terms:
            self.cursor = terms.index((here.group, here.label))
        else:
            self.cursor = max(0, min(self.cursor, len(choices) - 1))
        self._lines = []
        group = ""
        for place, choice in enumerate(choices):
            if choice.group != group:
                self._lines += ["", choice.group] if group else [choice.group]
                group = choice.group
            self._lines.append(place)
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._keep_in_view()
        self.refresh()

    @property
    def place_on_screen(self) -> Offset:
        """Where the choice under the cursor stands."""
        line = self._lines.index(self.cursor) if self._choices else 0
        return self.content_region.offset + Offset(0, line - round(self.scroll_y))

    def move(self, delta: int) -> None:
        """Move the cursor by so many choices."""
        self.move_to(self.cursor + delta)

    def move_to(self, place: int) -> None:
        """Move the cursor to a choice, or to the nearest there is."""
        self.cursor = max(0, min(place, len(self._choices) - 1))
        self._keep_in_view()
        self.refresh()

    def page(self, direction: int) -> None:
        """Move the cursor by so many pages."""
        self.move(direction * max(1, self.size.height))

    def half_page(self, direction: int) -> None:
        """Move the cursor by so many half pages."""
        self.move(direction * max(1, self.size.height // 2))

    def _keep_in_view(self) -> None:
        if self._choices:
            line = self._lines.index(self.cursor)
            first = 0 if self.cursor == 0 else line  # the first title comes into view too
            top = round(self.scroll_y)
            if not line - self.size.height < top <= first:
                self.scroll_to(
                    y=first if first < top else line - self.size.height + 1, animate=False, force=True
                )

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        base = self.get_component_rich_style("sidebar--text")
        number = y + round(self.scroll_y)
        if number >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[number]
        if isinstance(line, str):
            style = self.get_component_rich_style("sidebar--title")
            return draw.strip(draw.write(f" {line}", style, width, self._signs["more"]), width, base)
        choice = self._choices[line]
        style = self.get_component_rich_style(f"sidebar--{'text' if choice.count != 0 else 'none'}")
        if choice.chosen:
            style += self.get_component_rich_style("sidebar--chosen", partial=True)
        if line == self.cursor and self.has_focus:
            style = self.get_component_rich_style("sidebar--cursor")
        count = " " if choice.count is None else f" {choice.count} "
        room = width - len(count)
        sign = self._signs["marked"] if choice.chosen else " "
        label = draw.write(f"{sign} {choice.label}", style, room, self._signs["more"])
        return Strip([*draw.strip(label, room, style), Segment(count, style)]).crop(0, width)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._keep_in_view()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.prevent_default()
        self._wheel(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.prevent_default()
        self._wheel(-WHEEL)

    def _wheel(self, lines: int) -> None:
        """Scroll; the cursor comes along, or the next key would choose what is out of view."""
        top = max(0, min(round(self.scroll_y) + lines, len(self._lines) - self.size.height))
        self.scroll_to(y=top, animate=False, force=True)
        seen = [place for place in self._lines[top : top + self.size.height] if isinstance(place, int)]
        if seen:
            self.cursor = max(seen[0], min(self.cursor, seen[-1]))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        line = place.y + round(self.scroll_y) if place else len(self._lines)
        if line < len(self._lines) and isinstance(at := self._lines[line], int):
            self.move_to(at)
            self.post_message(self.Chosen())
