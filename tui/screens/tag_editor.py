"""Edits tags as one line of text, with completion from the tags that exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from index.clean import drawable
from tui.desk import split_tags
from tui.screens.dialog import Dialog, Field, Line

_ABOUT: Final = "Enter keeps · Tab completes · Esc cancels · commas between · a/b nests"


class TagEditor(Dialog[list[str]]):
    """The tags, parted by commas; below them those that the last one could become."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False, priority=True),
        Binding("up", "choose(-1)", show=False, priority=True),
        Binding("down", "choose(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    TagEditor OptionList { height: auto; max-height: 10; border: none; padding: 0; background: $surface; }
    """

    def __init__(self, title: str, tags: Sequence[str], known: Mapping[str, int]) -> None:
        """`known` are the tags that can be completed, and how many papers have each."""
        super().__init__()
        self._title = title
        self._tags = tags
        self._known = known

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(self._title, classes="title")
            yield Field("".join(f"{tag}, " for tag in self._tags), joint=", ")
            yield OptionList(markup=False)
            yield Line(_ABOUT, classes="quiet", id="about")

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self._suggest()

    def on_input_changed(self) -> None:
        self._suggest()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(split_tags(event.value))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._take(event.option_id)

    def _suggest(self) -> None:
        """Tags that hold the begun one, those that begin with it first; not those already there."""
        done, begun = self._parts()
        fit = [tag for tag in self._known if begun in tag and tag not in done]
        fit.sort(key=lambda tag: (not tag.startswith(begun), -self._known[tag], tag))
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            Option(Content(f"{drawable(tag)}  {self._known[tag] or ''}"), id=tag) for tag in fit[:50]
        )
        if fit:
            options.highlighted = 0

    def _parts(self) -> tuple[list[str], str]:
        """The tags that are whole, and the one that has only begun."""
        before, _, begun = self.query_one(Input).value.rpartition(",")
        return split_tags(before), " ".join(begun.lower().split()).removeprefix("#")

    def action_complete(self) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            self._take(options.get_option_at_index(options.highlighted).id)

    def action_choose(self, rows: int) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = max(0, min(options.option_count - 1, options.highlighted + rows))

    def _take(self, tag: str | None) -> None:
        if tag is None:
            return
        done, _ = self._parts()
        line = self.query_one(Input)
        line.value = "".join(f"{one}, " for one in (*done, tag))
        line.cursor_position = len(line.value)
