"""The reader as an app: opens the library, shows the screen for reading, and leaves all sound."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from textual.app import App, SystemCommand
from textual.screen import Screen

from index.library import Library, LibraryError
from tui.commands import with_keys
from tui.key_order import KeyOrder
from tui.palette import Commands
from tui.screens.reading import Reading


class Postil(KeyOrder[None]):
    """The reader of one library."""

    TITLE = "postil"
    COMMANDS = App.COMMANDS | {Commands}

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library
        self.commands, self._problems = with_keys(library.settings.keys)

    def get_default_screen(self) -> Reading:
        return Reading(self.library, self.commands, self._problems)

    def on_mount(self) -> None:
        if (theme := self.library.settings.theme) and theme in self.available_themes:
            self.theme = theme
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):  # not on Windows
                loop.add_signal_handler(getattr(signal, name), self._leave)

    @property
    def settled(self) -> bool:
        screen = self.screen
        return screen.settled if isinstance(screen, Reading) else super().settled

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Of Textual's own commands only what the table does not have."""
        del screen
        yield SystemCommand("theme", "another theme, for this session", self.action_change_theme)

    async def action_quit(self) -> None:
        self._leave()

    def _leave(self) -> None:
        """Quit from wherever we are, keeping what is being written."""
        for screen in self.screen_stack:
            if isinstance(screen, Reading):
                screen.leave()


def run(folder: Path, *, fill: bool) -> int:
    """Open the reader on the library in `folder`; returns the exit status. Raises LibraryError."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise LibraryError("the reader needs a terminal; `postil --help` tells what works without one")
    library = Library(folder, fill=fill)
    try:
        Postil(library).run()
    finally:
        left = library.close()
    if left:
        papers = len({change.paper for change in left})
        print(f"postil: changes to {papers} papers could not be written to {folder}", file=sys.stderr)
    return int(bool(left))
