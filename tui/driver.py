"""Textual's driver for a terminal that may go away: what is written then is dropped, and the reader ends.

Textual's own thread for output would die of it, and the reader wait for that thread for ever.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver


class TerminalDriver(LinuxDriver):
    """A driver whose output never raises."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        assert self._file
        self._file = cast("Any", _Output(self._file))

    @property
    def gone(self) -> bool:
        """Whether the terminal has gone: its window was closed, or the connection broke off."""
        return not os.isatty(self.fileno)


class _Output:
    """A file that may be broken."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        try:
            self._file.write(text)
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
