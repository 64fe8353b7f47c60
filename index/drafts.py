"""Drafts of notes: what is being written, put by so that a crash leaves it; one file a process."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from index import files


@dataclass(frozen=True, slots=True)
class Draft:
    """A note that is being written about a paper, and what it was `before`."""

    paper: str
    before: str
    note: str


def keep(folder: Path, draft: Draft) -> None:
    """Put `draft` by, in the place of this process's last one; where nothing can be written, nothing is."""
    with contextlib.suppress(OSError):
        files.replace(_path(folder), [json.dumps(asdict(draft), ensure_ascii=True).encode()])


def drop(folder: Path) -> None:
    """The note is kept now: forget this process's draft."""
    with contextlib.suppress(OSError):
        _path(folder).unlink(missing_ok=True)


def left(folder: Path) -> Iterator[tuple[Draft, Path]]:
    """The drafts of processes that are gone, each with its file, which is removed once the note is kept."""
    for path in sorted(folder.glob("draft.*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
            if not _runs(int(path.name.split(".")[1])):
                draft = Draft(**json.loads(path.read_bytes()))
                if all(isinstance(text, str) for text in asdict(draft).values()):
                    yield draft, path


def _path(folder: Path) -> Path:
    return folder / f"draft.{os.getpid()}.json"


def _runs(process: int) -> bool:
    """Whether a process is there: another window, perhaps, which is still writing."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError, ValueError):
        return False
    return True
