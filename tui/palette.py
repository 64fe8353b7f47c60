"""The command palette: the table of commands, searched by name."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.markup import escape

from tui.commands import Command, shown

if TYPE_CHECKING:
    from tui.screens.reading import Reading


class Commands(Provider):
    """The commands that can be run where the focus was."""

    @property
    def _reading(self) -> Reading:
        from tui.screens.reading import Reading

        assert isinstance(self.screen, Reading)
        return self.screen

    def _here(self) -> list[Command]:
        place = self._reading.place
        return [command for command in self._reading.commands if place in command.places]

    def _run(self, command: Command) -> None:
        self._reading.run_command(command.name, None)

    async def discover(self) -> Hits:
        for command in self._here():
            title = _title(command)
            yield DiscoveryHit(escape(title), partial(self._run, command), text=title, help=command.group)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._here():
            title = _title(command)
            if (score := matcher.match(title)) > 0:
                yield Hit(
                    score,
                    matcher.highlight(escape(title)),
                    partial(self._run, command),
                    text=title,
                    help=command.group,
                )


def _title(command: Command) -> str:
    return f"{command.about}  ({shown(command.keys[0])}, {command.name})"


class Palette(CommandPalette):
    """Textual's palette, which raises when it is paged before its lines are known."""

    def _action_command_list(self, action: str) -> None:
        with contextlib.suppress(KeyError, IndexError):
            super()._action_command_list(action)
