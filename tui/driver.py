"""Textual's driver for a terminal that may go away, send anything, and show ASCII only.

What is written to one that has gone is dropped, and the reader ends: Textual's own thread for output
would die of it, and the reader wait for that thread for ever.
"""

from __future__ import annotations

import codecs
import os
import select
from pathlib import Path
from typing import IO, Any, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from tui.plain import plain
from tui.terminal_input import TerminalInput

AT_ONCE = 1 << 16
"""Bytes read at once."""


class TerminalDriver(LinuxDriver):
    """A driver whose output never raises, and that takes any input."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        assert self._file
        self._wake, self._waken = os.pipe()
        self._file = cast("Any", _Output(self._file, ascii_only=getattr(app, "ascii_only", False)))

    def start_application_mode(self) -> None:
        self._cursor_shown = False
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def show_cursor(self, shown: bool) -> None:
        """Show the terminal's own cursor, or hide it."""
        if shown != self._cursor_shown:
            self._cursor_shown = shown
            self.write("\x1b[?25h" if shown else "\x1b[?25l")

    def disable_input(self) -> None:
        os.write(self._waken, b" ")  # or its thread would be waited for until the next look
        super().disable_input()
        os.read(self._wake, 1)

    @property
    def gone(self) -> bool:
        """Whether the terminal has gone: its window was closed, or the connection broke off."""
        return not os.isatty(self.fileno)

    def run_input_thread(self) -> None:
        """Hand on what is typed and pasted until the reader ends or the terminal has gone."""
        terminal = TerminalInput()
        # Not strictly: a paste may be in another encoding.
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            if self.fileno in select.select([self.fileno, self._wake], [], [], terminal.pause)[0]:
                try:
                    data = os.read(self.fileno, AT_ONCE)
                except OSError:
                    return
                if not data:
                    return
                for event in terminal.feed(decode(data)):
                    self.process_message(event)
            for event in terminal.tick():
                self.process_message(event)


class _Output:
    """A file that may be broken."""

    def __init__(self, file: IO[str], *, ascii_only: bool) -> None:
        self._file = file
        self._ascii_only = ascii_only

    def write(self, text: str) -> None:
        try:
            self._file.write(plain(text) if self._ascii_only else text)
        except OSError:
            self._drop()

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            self._drop()

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()

    def _drop(self) -> None:
        """Forget what could not be written: Python keeps it, to raise again at the end."""
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), self._file.fileno())
