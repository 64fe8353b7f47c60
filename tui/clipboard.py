"""Text to the clipboard, by whatever way there is here, saying which; the only place that knows pyperclip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from index import files
from tui.piping import end

PATIENCE: Final = 3.0
"""Seconds that another program may take."""
LARGEST_OSC52: Final = 75_000
"""Bytes of text that may go through the terminal; common terminals drop sequences above 100 kB."""
FILE: Final = "clipboard.txt"
_SET_SYSTEM_CLIPBOARD: Final = """
import sys, pyperclip
text = sys.stdin.buffer.read().decode()
pyperclip.copy(text)
sys.exit(pyperclip.paste().replace("\\r\\n", "\\n") != text.replace("\\r\\n", "\\n"))
"""
"""Reads back what was copied, since the programs that pyperclip calls fail without a word."""
_NAME_SYSTEM_CLIPBOARD: Final = """
import pyperclip
copy, _ = pyperclip.determine_clipboard()
print(copy.__name__.removeprefix("copy_") if copy else "")
"""


def copy(text: str | bytes, *, app_copy: Callable[[str], None], folder: Path) -> str:
    """Copy `text`, bytes as UTF-8, and return one line that says where it went.

    Inside tmux its buffer is loaded, which tmux hands on to its terminal; on this machine's own
    screen the system's clipboard is set too. Where neither is to be had, `app_copy` sends it to
    the terminal (`App.copy_to_clipboard`), and where that cannot be, it is written into `folder`.
    Runs other programs for up to `PATIENCE` seconds each: call it in a worker thread, and give an
    `app_copy` that may be called there.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    ways = []
    if os.environ.get("TMUX") and _tmux(data):
        ways.append("tmux")
    if not _remote() and _system(data):
        ways.append("system clipboard")
    if ways:
        return f"copied ({', '.join(ways)})"
    if len(data) <= LARGEST_OSC52 and _terminal_may_listen():
        app_copy(data.decode())
        return "sent to the terminal by OSC 52, which does not say whether it arrived"
    return _to_file(data, folder)


def ways() -> list[str]:
    """The ways that `copy` would take here, by their names; none where it would write into a file.

    Copies nothing. Runs another program for up to `PATIENCE` seconds.
    """
    found = ["tmux"] if os.environ.get("TMUX") and shutil.which("tmux") else []
    if not _remote() and (name := _name_of_system_clipboard()):
        found.append(f"system clipboard by {name}")
    return found or (["OSC 52 through the terminal"] if _terminal_may_listen() else [])


def _tmux(data: bytes) -> bool:
    """Load tmux's buffer; from tmux 3.2 on `-w` has it sent on to the clipboard of tmux's terminal."""
    tmux = shutil.which("tmux")
    if tmux is None:
        return False
    return _run([tmux, "load-buffer", "-w", "-"], data) or _run([tmux, "load-buffer", "-"], data)


def _remote() -> bool:
    """Whether the reader sits before another machine, whose clipboard pyperclip cannot reach."""
    return bool(os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"))


def _system(data: bytes) -> bool:
    """Set the system's clipboard by pyperclip in a process that can be ended when it hangs.

    `-P` keeps out a pyperclip.py that lies in the present folder.
    """
    return _run([sys.executable, "-P", "-c", _SET_SYSTEM_CLIPBOARD], data)


def _name_of_system_clipboard() -> str:
    """What pyperclip would set the system's clipboard with; nothing where there is none."""
    said = _heard([sys.executable, "-P", "-c", _NAME_SYSTEM_CLIPBOARD], b"", subprocess.PIPE)
    return (said or b"").decode("utf-8", "replace").strip()


def _run(command: Sequence[str], data: bytes) -> bool:
    """Whether `command`, given `data`, ends well and in time; what it says does not reach the screen."""
    return _heard(command, data, subprocess.DEVNULL) is not None


def _heard(command: Sequence[str], data: bytes, out: int) -> bytes | None:
    """What `command`, given `data`, says through `out`; None where it fails, or is ended after its time."""
    try:
        child = subprocess.Popen(  # noqa: S603 - the command is ours, the text goes in by a pipe
            command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError:
        return None
    with child:
        try:
            said, _ = child.communicate(data, PATIENCE)
        except (OSError, subprocess.TimeoutExpired):
            end(child)
            return None
    return None if child.returncode else said or b""


def _terminal_may_listen() -> bool:
    """Whether OSC 52 can reach a clipboard: not through tmux or screen, nor on a bare console."""
    inside = os.environ.get("TMUX") or os.environ.get("STY")
    return not inside and os.environ.get("TERM", "") not in ("", "linux", "dumb")


def _to_file(data: bytes, folder: Path) -> str:
    path = folder / FILE
    try:
        path.unlink(missing_ok=True)
        files.replace(path, [data])
    except OSError as error:
        return f"not copied: no clipboard here, and {path} cannot be written ({error.strerror})"
    return f"no clipboard here; written to {path}"
