"""The reader as an app: opens the library, shows the screen for reading, and leaves all sound."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.screen import Screen

from index import files
from index.clean import drawable
from index.library import Library, LibraryError
from index.papers import Change
from index.paths import Layout
from tui.commands import with_keys
from tui.key_order import KeyOrder
from tui.palette import Commands, Palette
from tui.screens.reading import Reading


class Postil(KeyOrder[None]):
    """The reader of one library."""

    TITLE = "postil"
    COMMANDS = App.COMMANDS | {Commands}

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library
        self.commands, self._problems = with_keys(library.settings.keys)
        if (theme := library.settings.theme) in self.available_themes:
            self.theme = str(theme)
        elif theme:
            known = ", ".join(sorted(self.available_themes))
            self._problems.append(f"no theme {theme!r}; known are: {known}")

    def get_default_screen(self) -> Reading:
        return Reading(self.library, self.commands, self._problems)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):  # not on Windows
                loop.add_signal_handler(getattr(signal, name), self._leave)

    @property
    def settled(self) -> bool:
        screen = self.screen
        return screen.settled if isinstance(screen, Reading) else super().settled

    def apart(self, event: events.Key) -> tuple[events.Key, events.Key] | None:
        bound = any(event.key in command.keys for command in self.commands)
        return None if bound else super().apart(event)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Of Textual's own commands only what the table does not have."""
        del screen
        yield SystemCommand("theme", "another theme, for this session", self.action_change_theme)

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

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
    if fill and not Layout(folder).papers.exists():
        print("postil: filling a new library with the lists that come with it…", file=sys.stderr)
    library = Library(folder, fill=fill)
    try:
        Postil(library).run()
    finally:
        left = library.close()
        if left:
            print(f"postil: {_rescued(library, left)}", file=sys.stderr)
    return int(bool(left))


def _rescued(library: Library, left: Sequence[Change]) -> str:
    """Put changes that the library could not take into another place; one line says where."""
    told = f"{len(left)} changes could not be written to {library.layout.folder}"
    changes = [{name: getattr(change, name) for name in change.__slots__} for change in left]
    data = json.dumps({"unsaved": changes}, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    for place in (Path.home(), Path(tempfile.gettempdir())):
        path = place / f"postil-unsaved-{left[-1].step}.json"
        with contextlib.suppress(OSError):
            files.replace(path, [data])
            return drawable(f"{told}; they are kept in {path}")
    return drawable(f"{told}, nor anywhere else: {json.dumps(changes)}")
