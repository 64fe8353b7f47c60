"""A fault of our own: one line for the user, and all about it in a file, to be sent with a report."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path
from typing import Final

import platformdirs

from index.clean import drawable

MARK: Final = "a fault of its own"
"""Stands in the line, and in no other."""
_SHOWN: Final = 120


def told(error: BaseException) -> str:
    """What went wrong, where, and where the whole of it was written down, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name} line {frames[-1].lineno}" if frames else ""
    what = drawable(f"{type(error).__name__}: {error}")[:_SHOWN]
    line = f"{MARK}{where} ({what}); what was written is kept"
    file = platformdirs.user_log_path("postil") / "fault.txt"
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(traceback.format_exception(error)), "utf-8", "replace")
        line += f". Please report it, with {file}"
    return line
