"""A command of the reader's own, given text: run without a shell, for so long and no longer."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import Final

from index.clean import clean

PATIENCE: Final = 60.0
"""Seconds that a command may take."""
MOST: Final = 200_000
"""Bytes of its output that are heard."""
_ESCAPES: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.")


@dataclass(frozen=True, slots=True)
class Piped:
    """What came of a command: `trouble` in a few words, "" where it ended well, and what it said."""

    trouble: str
    said: str


def words(line: str) -> list[str]:
    """The program and its arguments, as a shell would part them. Raises ValueError with one line."""
    try:
        parts = shlex.split(line)
    except ValueError as error:
        raise ValueError(f"not a command: {str(error).lower()}") from error
    if not parts:
        raise ValueError("write a command, such as: wc -w")
    return parts


class Pipe:
    """One command under way. `stop` ends it from another thread."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = ""

    def run(self, text: bytes) -> Piped:
        """Give the command `text` on its standard input, and hear it out. Not for a thread that draws."""
        with tempfile.TemporaryFile() as given:
            given.write(text)
            given.seek(0)
            try:
                self._child = subprocess.Popen(  # noqa: S603 (the reader's own command; no shell)
                    self._command,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except FileNotFoundError:
                return Piped("no such program", "")
            except (OSError, ValueError) as error:
                return Piped(f"cannot be run: {getattr(error, 'strerror', None) or error}", "")
        assert self._child.stdout
        limit = threading.Timer(PATIENCE, self.stop, [f"ended after {PATIENCE:.0f} s"])
        limit.daemon = True
        limit.start()
        with self._child:
            said = self._child.stdout.read(MOST + 1)
            if len(said) > MOST:
                self.stop(f"ended after {MOST // 1000} kB of output")
        limit.cancel()
        status = self._child.returncode
        trouble = self._stopped or (f"ended with {status}" if status else "")
        return Piped(trouble, plain(said[:MOST].decode("utf-8", "replace")))

    def stop(self, why: str) -> None:
        """End the command and all that it began."""
        if self._child and self._child.poll() is None:
            self._stopped = why
            end(self._child)


def end(child: subprocess.Popen[bytes]) -> None:
    """End a program that was started in a session of its own, with all that it began."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def plain(text: str) -> str:
    """What a program says, without colours and whatever else acts on a terminal."""
    return clean(_ESCAPES.sub("", text)).strip("\n")
