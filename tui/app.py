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

from rich.text import Text
from textual import events
from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.driver import Driver
from textual.geometry import Offset
from textual.screen import Screen

from index.clean import drawable
from index.drafts import Drafts
from index.library import Library, LibraryError
from index.papers import Change
from index.paths import Layout
from tui import faults
from tui.commands import shown, with_keys, with_meanings
from tui.garbage import OFTEN, Garbage
from tui.key_order import KeyOrder
from tui.palette import Commands, Palette
from tui.plain import ascii_wanted
from tui.screens.reading import Reading

BY_WORDS: Final = {"alt+b": "ctrl+left", "alt+f": "ctrl+right"}
"""What moves by words in a line of a shell, and what does so here."""
FROM_ANYWHERE: Final = {
    "suspend": "suspend_process", "quit_now": "quit", "palette": "command_palette",
}  # fmt: skip
"""Commands that are run from dialogs and lines too, and Textual's name for each."""
OWN_PALETTE: Final = "ansi-dark"
"""The theme for a terminal of 16 colours: those that its owner chose."""
TURN: Final = 0.0005
"""Seconds that a busy thread keeps another waiting: the usual 5 ms are paid at each read of a file."""
SEEN: Final = 1.5
"""Seconds after which a notice goes with the next key."""
LOOK: Final = 1.0
"""Seconds between two looks whether the terminal is still there."""


class Postil(KeyOrder[None]):
    """The reader of one library."""

    TITLE = "postil"
    COMMANDS = App.COMMANDS | {Commands}
    CSS = """
    Postil.-own-cursor {  /* the terminal draws one */
        & Input > .input--cursor, & TextArea .text-area--cursor {
            background: transparent; color: $foreground; text-style: none;
        }
    }
    Input:nocolor > .input--selection { text-style: reverse; }
    Toast { max-width: 100%; padding: 0 1; }
    OptionList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """

    def __init__(self, library: Library) -> None:
        self._cursor_at = Offset(0, 0)
        # Without this, NO_COLOR gives greys of its own, also for the terminal's own black and white.
        super().__init__(ansi_color="NO_COLOR" in os.environ or None)
        self.library = library
        self.ascii_only = ascii_wanted(library.settings.ascii)
        self.garbage = Garbage()
        self.drafts = Drafts(library.layout.folder, lambda: library.displaced)
        commands, self._problems = with_keys(library.settings.keys)
        self.commands = with_meanings(commands, library.settings.meanings)
        self._bind_from_anywhere()
        if (theme := library.settings.theme) in self.available_themes:
            self.theme = str(theme)
        elif theme:
            known = ", ".join(sorted(self.available_themes))
            self._problems.append(f"no theme {theme!r}; known are: {known}")

    def _bind_from_anywhere(self) -> None:
        """Bind what works in dialogs and lines too to the keys of the table, not to Textual's own."""
        for keys in (self.COMMAND_PALETTE_BINDING, "ctrl+q"):
            self._bindings.key_to_bindings.pop(keys, None)
        for command in self.commands:
            for key in command.keys if command.name in FROM_ANYWHERE else ():
                if len(key) > 1 and " " not in key:  # no letter, and no sequence
                    self._bindings.bind(key, FROM_ANYWHERE[command.name], priority=True)

    def get_default_screen(self) -> Reading:
        library, wrong = self.library, [*self.library.settings.problems, *self._problems]
        if len(wrong) > 1:  # more than one would not fit on the screen
            told = f"{len(wrong)} lines of config.toml are not understood (postil doctor tells all)"
            wrong = [f"{told}: {wrong[0]} …"]
        others = [line for line in library.problems if line not in library.settings.problems]
        problems = [line for line in (library.notice, *others, *library.notices, *wrong) if line]
        return Reading(library, self.drafts, self.commands, problems)

    def on_mount(self) -> None:
        self.set_class(hasattr(self._driver, "show_cursor"), "-own-cursor")
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):  # not on Windows
                loop.add_signal_handler(getattr(signal, name), self._end)
        self.set_interval(LOOK, self._look_for_terminal)
        self.call_after_refresh(self.garbage.begin)
        self.set_interval(OFTEN / 10, self._rest)

    def _rest(self) -> None:
        if self.screen_stack:  # else it is closing
            self.garbage.rest(busy=self._reading.waiting)

    def on_unmount(self) -> None:
        self.garbage.end()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent):
            self.garbage.key()
        if isinstance(event, events.Key) and any(
            notice.timeout - notice.time_left > SEEN for notice in self._notifications
        ):
            self.clear_notifications()  # they lie over what is written
        await super().on_event(event)

    def get_driver_class(self) -> type[Driver]:
        if os.name != "posix" or os.environ.get("TEXTUAL_DRIVER"):
            return super().get_driver_class()
        from tui.driver import TerminalDriver

        return TerminalDriver

    @property
    def cursor_position(self) -> Offset:
        """Where the terminal's own cursor stands, which input methods and readers of the screen follow."""
        focused = self.focused
        place = getattr(focused, "cursor_screen_offset", None) or getattr(focused, "place_on_screen", None)
        if place and getattr(focused, "cursor_at_end", False):
            place -= Offset(1, 0)  # an Input says one too many there
        self._cursor_at = place or self._cursor_at
        return self._cursor_at

    @cursor_position.setter
    def cursor_position(self, position: Offset) -> None:
        self._cursor_at = position  # for a moment only: what has the focus is asked at every frame

    def post_display_hook(self) -> None:
        """Show the terminal's own cursor while something is typed."""
        if show := getattr(self._driver, "show_cursor", None):
            show(self.typing)

    @property
    def typing(self) -> bool:
        """Whether what has the focus takes letters."""
        return hasattr(self.focused, "cursor_screen_offset")

    def _look_for_terminal(self) -> None:
        """End with the terminal, also where nothing tells: what is written is on disk, or kept elsewhere."""
        if getattr(self._driver, "gone", False):
            self._end()

    @property
    def settled(self) -> bool:
        screen = self.screen
        return screen.settled if isinstance(screen, Reading) else super().settled

    def apart(self, event: events.Key) -> tuple[events.Key, ...] | None:
        if self.typing and event.key in BY_WORDS:
            return (events.Key(BY_WORDS[event.key], None),)
        bound = any(event.key in command.keys for command in self.commands)
        return None if bound else super().apart(event)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Of Textual's own commands only what the table does not have."""
        del screen
        yield SystemCommand(
            "theme",
            'another theme, for this session; `theme = "…"` in config.toml keeps it',
            self.action_change_theme,
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "suspend_process" and isinstance(self.screen, Reading):
            return self.screen.place == "typing"  # in the panes it is the table's
        return super().check_action(action, parameters)

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def action_help_quit(self) -> None:
        """C-c, where nothing is selected in a line or a note: copies what is selected in the text, else stops
        commands under way, else says how to quit, in place of Textual's box over what is read.
        """
        reading = self._reading
        if self.screen is reading and reading.run_command("copy_selection", None):
            return
        if reading.pipes:
            for pipe in reading.pipes:
                pipe.stop("stopped")
            return
        leave = next(command for command in self.commands if command.name == "quit_now")
        reading.say(f"{shown(leave.keys[0])} quits")

    async def action_quit(self) -> None:
        self._reading.leave()

    def _fatal_error(self) -> None:
        """Say what went wrong in one line, where Textual prints pages."""
        error = sys.exception()
        self._exit_renderables.append(Text(f"postil: {faults.told(error)}" if error else "postil: ended"))
        self._close_messages_no_wait()

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
    sys.setswitchinterval(TURN)
    reader = Postil(library)
    if reader.console.color_system == "standard" and not library.settings.theme:
        reader.theme = OWN_PALETTE
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
    return reader.return_code or int(bool(left))


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
