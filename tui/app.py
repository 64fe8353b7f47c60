"""The reader as an app: opens the library, shows the screen for reading, and leaves all sound."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from textual import events
from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.driver import Driver
from textual.screen import Screen

from index.clean import drawable
from index.drafts import Drafts
from index.library import Library, LibraryError
from index.papers import Change
from index.paths import Layout
from tui.commands import with_keys
from tui.garbage import OFTEN, Garbage
from tui.key_order import KeyOrder
from tui.palette import Commands, Palette
from tui.screens.reading import Reading

LOOK: Final = 1.0
"""Seconds between two looks whether the terminal is still there."""


class Postil(KeyOrder[None]):
    """The reader of one library."""

    TITLE = "postil"
    COMMANDS = App.COMMANDS | {Commands}

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.library = library
        self.garbage = Garbage()
        self.drafts = Drafts(library.layout.folder, lambda: library.displaced)
        self.commands, self._problems = with_keys(library.settings.keys)
        if (theme := library.settings.theme) in self.available_themes:
            self.theme = str(theme)
        elif theme:
            known = ", ".join(sorted(self.available_themes))
            self._problems.append(f"no theme {theme!r}; known are: {known}")

    def get_default_screen(self) -> Reading:
        return Reading(self.library, self.drafts, self.commands, self._problems)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):  # not on Windows
                loop.add_signal_handler(getattr(signal, name), self._end)
        self.set_interval(LOOK, self._look_for_terminal)
        self.call_after_refresh(self.garbage.begin)
        self.set_interval(OFTEN / 10, self.garbage.rest)

    def on_unmount(self) -> None:
        self.garbage.end()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent):
            self.garbage.key()
        await super().on_event(event)

    def get_driver_class(self) -> type[Driver]:
        if os.name != "posix" or os.environ.get("TEXTUAL_DRIVER"):
            return super().get_driver_class()
        from tui.driver import TerminalDriver

        return TerminalDriver

    def _look_for_terminal(self) -> None:
        """End with the terminal, also where nothing tells: what is written is on disk, or kept elsewhere."""
        if getattr(self._driver, "gone", False):
            self._end()

    @property
    def settled(self) -> bool:
        if not self.screen_stack:  # it is closing
            return True
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
        self._reading.leave()

    def _end(self) -> None:
        """Quit at once, from wherever we are, and ask nothing."""
        self._reading.end()

    @property
    def _reading(self) -> Reading:
        return next(screen for screen in self.screen_stack if isinstance(screen, Reading))


def run(folder: Path, *, fill: bool) -> int:
    """Open the reader on the library in `folder`; returns the exit status. Raises LibraryError."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise LibraryError("the reader needs a terminal; `postil --help` tells what works without one")
    if fill and not Layout(folder).papers.exists():  # what follows would be a blank screen for seconds
        print("postil: filling a new library with the lists that come with it…", file=sys.stderr)
    elif Layout(folder).papers.exists() and not Layout(folder).list.exists():
        print("postil: reading all papers anew, since the list of them is gone…", file=sys.stderr)
    library = Library(folder, fill=fill)
    reader = Postil(library)
    try:
        reader.run()
    finally:
        left = library.close()
        told = _farewell(library, left)
        if left and not library.kept:
            reader.drafts.write()
        else:
            reader.drafts.close()
        if told:
            print(f"postil: {drawable(told)}", file=sys.stderr)
    return int(bool(left))


def _farewell(library: Library, left: Sequence[Change]) -> str | None:
    """See that what the library could not take lies in another place; one line says where, if need be."""
    if left and not library.kept:
        from tui.screens.unsaved import places

        for place in places():
            with contextlib.suppress(LibraryError):
                library.keep_elsewhere(place)
                break
    if library.kept and left:
        take_back = f"`postil merge {shlex.quote(str(library.kept))}` takes it back"
        return f"what {library.layout.folder} could not take lies in {library.kept}; once it can, {take_back}"
    if library.kept:
        return f"the library has taken everything after all; {library.kept} is no longer needed"
    if left:
        changes = [{name: getattr(change, name) for name in change.__slots__} for change in left]
        return f"{len(left)} changes could not be written anywhere: {json.dumps(changes)}"
    return None
