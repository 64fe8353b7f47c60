"""What each command does: one class a group of the table, one method a command, by its name.

A method takes the count that was typed, or None. Only `Actions` knows the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tui.screens.reading import Reading

Action: TypeAlias = Callable[[int | None], None]


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

        In the text the one that is read; in the list the marked ones, else as many as were counted.
        """
        if self.reading.place != "list":
            return [self.current] if self.current else []
        return self.desk.targets(self.current, count)


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
