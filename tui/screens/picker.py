"""Picks one line of many; what is typed filters them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from index.clean import drawable
from tui.screens.dialog import Dialog, Field, Line

MOST: Final = 200
"""Lines that are shown at once."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A line that can be picked: what it gives, what is shown after that, and a count before it."""

    name: str
    about: str = ""
    count: int | None = None

    @property
    def line(self) -> str:
        count = "" if self.count is None else f"{self.count:>6}  "
        return drawable(f"{count}{self.name}" + (f"   {self.about}" if self.about else ""))


class Picker(Dialog[str]):
    """Gives the name of the line that was picked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False, priority=True),
        Binding("down", "choose(1)", show=False, priority=True),
        Binding("pageup", "choose(-10)", show=False, priority=True),
        Binding("pagedown", "choose(10)", show=False, priority=True),
        Binding("ctrl+d,delete", "delete", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    Picker OptionList {
        height: auto; max-height: 50vh; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(
        self,
        title: str,
        picks: Sequence[Pick],
        *,
        typed: str = "",
        nothing: str = "nothing",
        delete: Callable[[str], bool] | None = None,
    ) -> None:
        """`typed` filters at first; `nothing` is said where no line is left; `delete` deletes one, or not."""
        super().__init__()
        self._title = title
        self._picks = list(picks)
        self._typed = typed
        self._nothing = nothing
        self._delete = delete
        self._fit: list[Pick] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(self._title, classes="title")
            yield Field(self._typed, placeholder="type to filter")
            yield OptionList(markup=False)
            deletes = " · C-d deletes, u in the list takes that back" if self._delete else ""
            yield Line(f"Enter takes · Esc cancels{deletes}", classes="quiet", id="about")

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self._filter()

    def show(self, picks: Sequence[Pick]) -> None:
        """Other lines, or the same ones with their counts; the cursor stays on the same one."""
        self._picks = list(picks)
        if self.is_mounted:
            self._filter()

    def _filter(self) -> None:
        options = self.query_one(OptionList)
        here = self._chosen
        words = self.query_one(Input).value.casefold().split()
        fit = [pick for pick in self._picks if all(word in pick.line.casefold() for word in words)]
        self._fit = fit[:MOST]
        options.clear_options()
        options.add_options(Option(Content(pick.line)) for pick in self._fit)
        if not fit:
            options.add_option(Option(Content(self._nothing), disabled=True))
            return
        names = [pick.name for pick in self._fit]
        options.highlighted = names.index(here.name) if here and here.name in names else 0

    @property
    def _chosen(self) -> Pick | None:
        at = self.query_one(OptionList).highlighted
        return self._fit[at] if at is not None and at < len(self._fit) else None

    def on_input_changed(self) -> None:
        self._filter()

    def on_input_submitted(self) -> None:
        self._take()

    def on_option_list_option_selected(self) -> None:
        self._take()

    def _take(self) -> None:
        if chosen := self._chosen:
            self.dismiss(chosen.name)

    def action_choose(self, rows: int) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = max(0, min(len(self._fit) - 1, options.highlighted + rows))

    def action_delete(self) -> None:
        if self._delete and (chosen := self._chosen) and self._delete(chosen.name):
            self._picks.remove(chosen)
            self._filter()
