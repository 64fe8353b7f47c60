"""A real pseudo-terminal with postil in it, read as a person would see it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tui.faults import MARK

PATIENCE = 30.0
"""Seconds to wait for what must appear; a loaded machine needs some."""
ASKED_FOR_FRAMES = b"\x1b[?2026$p"
"""Asks whether the terminal shows a frame only when all of it has come; this one says yes."""


class Terminal:
    """Runs `postil` in a pseudo-terminal; `screen` is what would be seen, `sent` all that came."""

    def __init__(
        self,
        *words: str,
        columns: int = 120,
        rows: int = 40,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (sys.executable, "-m", "tui.cli"),
    ) -> None:
        self.columns = columns
        self._display = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._display)
        self.sent = b""
        self.ended = False
        self.modes: list[list[object]] = []
        """How the terminal was set before the program, and after it."""
        self.pid, self._handle = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(command[0], [*command, *words], _environment(env or {}))
        self.modes.append(termios.tcgetattr(self._handle))

    @property
    def screen(self) -> str:
        """The lines as they are seen."""
        # Not pyte's own `display`, which raises where one half of a wide character was written over.
        rows = (self._display.buffer[row] for row in range(self._display.lines))
        columns = range(self._display.columns)
        return "\n".join("".join(row[at].data for at in columns).rstrip() for row in rows)

    @property
    def cursor(self) -> tuple[int, int, bool]:
        """Where the terminal's own cursor stands, column and row, and whether it is seen."""
        cursor = self._display.cursor
        return cursor.x, cursor.y, not cursor.hidden

    def looks(self, column: int, row: int) -> str:
        """The looks of a cell: `bold`, `underscore`, `reverse`, and its colours if it has any."""
        cell = self._display.buffer[row][column]
        told = [name for name in ("bold", "underscore", "reverse") if getattr(cell, name)]
        return " ".join([*told, *(name for name in (cell.fg, cell.bg) if name != "default")])

    @property
    def colours(self) -> set[str]:
        """The colours that were asked for so far: `31`, `48;5;20`."""
        codes = re.findall(rb"\x1b\[([\d;]*)m", self.sent)
        told = re.findall(r"[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+", ";".join(code.decode() for code in codes))
        return {code for code in told if re.fullmatch(r"[34][0-7]|9\d|10\d|[34]8;.*", code)}

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self._display.resize(rows, columns)
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.05) -> bool:
        """Take in what comes within `seconds`; False when the program has gone."""
        if not select.select([self._handle], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._handle, 1 << 16)
        except OSError:
            return False
        self.sent += data
        self._stream.feed(data)
        if ASKED_FOR_FRAMES in self.sent[-len(data) - len(ASKED_FOR_FRAMES) + 1 :]:
            os.write(self._handle, b"\x1b[?2026;2$y")
        return bool(data)

    @property
    def whole(self) -> bool:
        """Whether what is seen is a whole frame, where the program says when one begins and ends."""
        return self.sent.rfind(b"\x1b[?2026l") >= self.sent.rfind(b"\x1b[?2026h")

    def until(self, condition: Callable[[str], bool] | str) -> str:
        """Read until the screen holds a text, or meets a condition; returns it."""
        holds = condition if callable(condition) else lambda seen: condition in seen
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            alive = self.read()
            if self.whole and holds(self.screen):
                return self.screen
            if not alive:
                break
        raise AssertionError(f"did not appear: {condition}\n{self.screen}")

    def type(self, text: str) -> None:
        """Send keys as the terminal would."""
        self.send(text.encode())

    def press(self, keys: str, shown: Callable[[str], bool] | str) -> str:
        """Send keys and read what they do: a text that was not on the screen before, or a condition."""
        self.type(keys)
        return self.until(shown)

    def send(self, data: bytes) -> None:
        """Send what may be more than the program takes at once."""
        while data:
            self.read(0)
            if select.select([], [self._handle], [], 0.05)[1]:
                data = data[os.write(self._handle, data[:1024]) :]

    def paste(self, text: str) -> None:
        """Send a bracketed paste."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def mouse(self, button: int, column: int, row: int, *, up: bool = False) -> None:
        """Send what the mouse did at a cell: 0 the left button, 32 moved with it, 64 and 65 the wheel."""
        self.type(f"\x1b[<{button};{column + 1};{row + 1}{'m' if up else 'M'}")

    def click(self, column: int, row: int) -> None:
        """Press the left button and let it go."""
        self.mouse(0, column, row)
        self.mouse(0, column, row, up=True)

    def wait(self) -> int:
        """Wait until the program ends; returns its exit status."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            alive = self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while alive and select.select([self._handle], [], [], 0)[0]:
                    alive = self.read()
                self.modes.append(termios.tcgetattr(self._handle))
                os.close(self._handle)
                self.ended = True
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError(f"did not end\n{self.screen}")

    def rest(self, seconds: float = 0.2) -> str:
        """Read until nothing has come for so long; returns the screen."""
        before = -1
        while before != len(self.sent):
            before = len(self.sent)
            self.read(seconds)
        return self.screen

    def slept(self) -> list[object]:
        """Wait until the program has stopped itself; returns how the terminal is set then."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read()
            if os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)[0]:
                self.read()
                return termios.tcgetattr(self._handle)
        raise AssertionError(f"did not stop\n{self.screen}")

    def wake(self) -> None:
        """Let the program go on, with nothing on the screen of what it drew."""
        self._display.reset()
        os.kill(self.pid, signal.SIGCONT)

    def vanish(self) -> int:
        """Close the terminal's window; returns the exit status of the program, which ends."""
        os.close(self._handle)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("it went on without a terminal")

    def kill(self) -> None:
        """End the program at once."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._handle)


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of the program: of this terminal, not of the one in which the tests run."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return {**kept, "TERM": "xterm-256color", "POSTIL_ASCII": "0", **more}


def faultless(sent: bytes) -> bool:
    """Whether no fault of the program's own was told, nor a traceback shown."""
    told = b" ".join(sent.split())
    return b"Traceback" not in told and MARK.encode() not in told


def folder_env(folder: Path) -> dict[str, str]:
    """The environment in which `folder` is the library."""
    return {"POSTIL_LIBRARY": str(folder)}
