"""The reader's own editor, on the terminal that postil lends it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

from index.clean import drawable

LOOK: Final = 0.05
"""Seconds between two looks whether the editor has ended."""


def command() -> list[str]:
    """The program and its arguments: `$VISUAL`, `$EDITOR`, else vi. Raises ValueError with one line."""
    line = next(filter(str.strip, map(os.environ.get, ("VISUAL", "EDITOR"), ("", ""))), "vi")
    try:
        return shlex.split(line)
    except ValueError as error:
        raise ValueError(f"$VISUAL or $EDITOR is no command: {drawable(line)}") from error


def edit(command: list[str], path: Path) -> str:
    """Let an editor have the terminal until it ends; why it failed, or "".

    What ends us ends it too, and what it had saved counts. A Ctrl-C in it is not for us.
    """
    name = drawable(Path(command[0]).name)
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        if child is None:
            early.append(number)
        elif number != signal.SIGINT:
            child.send_signal(number)

    kinds = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, kind) for kind in kinds if hasattr(signal, kind)]
    before = {number: signal.signal(number, pass_on) for number in numbers}
    try:
        child = subprocess.Popen([*command, str(path)], stdout=None if os.isatty(1) else 2)  # noqa: S603
        for number in early:
            pass_on(number, None)
        while (status := child.poll()) is None:  # not wait: another thread may get the signal, and it go on
            time.sleep(LOOK)
    except FileNotFoundError:
        return f"no editor {name!r}; set $EDITOR to one"
    except (OSError, ValueError) as error:
        return f"{name} cannot be run: {getattr(error, 'strerror', None) or error}"
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return f"{name} ended with {status}" if status > 0 else ""
