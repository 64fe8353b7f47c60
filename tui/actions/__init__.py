"""What each command does: one class a group of the table, one method a command, by its name.

A method takes the count that was typed, or None. Only `Actions` knows the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from tui.commands import BY_NAME

if TYPE_CHECKING:
    from tui.screens.reading import Reading

Action: TypeAlias = Callable[[int | None], None]


NO_PAPER: Final = "no paper here"
ON_CURRENT: Final = frozenset({"open", "open_link", "follow_link", "related"})
"""Beside writing, what acts on the paper under the cursor and never on the marked ones."""
ON_NONE: Final = frozenset({"undo", "redo", "rename_tag", "export", "export_again", "bring_in"})
"""Of judging and taking away, what needs no paper."""


def lacks_paper(reading: Reading, name: str) -> bool:
    """Whether a command has no paper to act on: none under the cursor, nor a marked one."""
    group = BY_NAME[name].group
    if reading.papers.current is not None or name in ON_NONE:
        return False
    on_marked = group in ("Judging", "Taking away") and name not in ON_CURRENT
    return not reading.desk.marked if on_marked else group == "Writing" or name in ON_CURRENT


class Actions:
    """A group of commands, bound to the screen that they act on."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.desk = reading.desk
        self.library = reading.desk.library

    @property
    def current(self) -> str | None:
        """The paper under the cursor."""
        return self.reading.papers.current

    def targets(self, count: int | None) -> list[str]:
        """The papers that a command acts on.

        In the text the one that is read; in the list the range, which is then over, and the marked ones,
        else as many as were counted.
        """
        if self.reading.place != "list":
            return [self.current] if self.current else []
        chosen = self.chosen()
        return self.desk.targets(self.current, count) if chosen is None else chosen

    def chosen(self) -> list[str] | None:
        """The papers of the range, which is then over, and the marked ones; None where there are neither."""
        papers = self.reading.papers
        ranged = papers.end_range() if papers.range_from is not None else ()
        if not self.desk.marked:
            return list(ranged) or None
        both = self.desk.marked.union(ranged)
        return [id for id in self.library.ids if id in both]


def bound(reading: Reading) -> Mapping[str, Action]:
    """Every command's name to what it does."""
    from tui.actions.around import Around
    from tui.actions.finding import Finding
    from tui.actions.judging import Judging
    from tui.actions.moving import Moving
    from tui.actions.taking import Taking
    from tui.actions.writing import Writing

    groups = [group(reading) for group in (Moving, Finding, Judging, Writing, Taking, Around)]
    return {
        name: getattr(group, name)
        for group in groups
        for name in vars(type(group))
        if not name.startswith("_")
    }


def said(reading: Reading) -> Mapping[str, Callable[[str], None]]:
    """What the command line takes with something after it: the name, and what is done with the rest.

    These raise ValueError with one line for what they cannot take.
    """
    from tui.actions.finding import Finding
    from tui.actions.judging import Judging
    from tui.actions.taking import Taking

    judging, finding, taking = Judging(reading), Finding(reading), Taking(reading)
    return {
        "tag": judging._say_tag, "untag": judging._say_untag, "due": judging._say_due,
        "rating": judging._say_rating, "status": judging._say_status, "rename_tag": judging._say_rename,
        "edit": judging._say_edit, "join": judging._say_join,
        "sort": finding._say_sort, "search": finding._say_search,
        "export": taking._say_export, "import": taking._say_import, "pipe": taking._say_pipe,
    }  # fmt: skip


def bring_new(reading: Reading) -> None:
    """Bring in what is new in the folders that the settings name."""
    from tui.actions.taking import Taking

    Taking(reading)._bring_new()


def browse(reading: Reading, link: str) -> None:
    """Open a link in a browser, or copy it where there is none."""
    from tui.actions.taking import Taking

    Taking(reading)._browse(link)
