"""Drafts of notes: what is being written, put by so that a crash leaves it; one file a process."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from index import files, note_files
from index.clean import clean

DAMAGED: Final = "damaged"
"""The folder for files of drafts that are not as they were written."""
DAY: Final = 86_400.0
"""Seconds after which a draft counts as left where it cannot be told when its process started."""
_SLACK: Final = 2.0
"""Seconds that the clocks of files and of processes may disagree."""
_TEXT: Final = r'((?:[ !#-\[\]-~]|\\u[0-9a-f]{4}|\\["\\bfnrt])*)'
_WRITTEN: Final = re.compile(rf'\{{"paper": "{_TEXT}", "before": "{_TEXT}", "note": "{_TEXT}("?)')
"""A draft as it stands in a file, its last quotation mark only where the note was not cut off."""


@dataclass(eq=False, slots=True)
class Draft:
    """A note that is being written about a paper, and what it was `before`.

    Once the note is queued, `step` is the step that holds it.
    """

    paper: str
    before: str
    note: str
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A file of a process that is gone, and its drafts: of a damaged one those that can be read.

    `unreadable` says why it could not be opened, or is None.
    """

    path: Path
    drafts: tuple[Draft, ...] = ()
    damaged: bool = False
    unreadable: str | None = None


class Drafts:
    """The drafts of this process. All but `write` is for the thread that draws."""

    def __init__(self, folder: Path, displaced: Callable[[], bool] = lambda: False) -> None:
        """`displaced` says whether another folder lies where the library was: nothing is written there."""
        self._displaced = displaced
        self.path = folder / f"draft.{os.getpid()}.json"
        self._held: tuple[Draft, ...] = ()
        self._taken_from: list[Path] = []
        self._writing = threading.Lock()
        self.trouble: str | None = None
        """Why what is held was not on disk when it was last written, in one line, or None."""
        self.notices: list[str] = []
        """One line for each file that `take_up` could not read as it was written."""

    def keep(self, draft: Draft) -> None:
        """Hold `draft` until it is dropped or its step is saved; `write` puts it on disk."""
        if draft not in self._held:
            self._held += (draft,)

    def drop(self, *drafts: Draft) -> None:
        """Forget `drafts`; `write` takes them off the disk."""
        self._held = tuple(draft for draft in self._held if draft not in drafts)

    def saved(self, steps: Collection[str]) -> bool:
        """These steps are on disk: forget the drafts that they hold. Whether there were any."""
        before = self._held
        self._held = tuple(draft for draft in before if draft.step not in steps)
        return len(self._held) < len(before)

    def close(self) -> None:
        """Every step is on disk, or in another place: only what no step holds is left."""
        self._held = tuple(draft for draft in self._held if draft.step is None)
        self.write()

    def write(self) -> None:
        """Put on disk what is held by now, as far as anything can be written; may run in any thread."""
        with self._writing:
            held = self._held
            drafts = [{"paper": one.paper, "before": one.before, "note": one.note} for one in held]
            try:
                if self._displaced():
                    raise OSError("another folder has come in the library's place")
                if held:
                    files.replace(self.path, [json.dumps({"drafts": drafts}).encode()])
                else:
                    self.path.unlink(missing_ok=True)
            except OSError as error:
                self.trouble = f"this note is not on disk: {error.strerror or error}" if held else None
                return
            self.trouble = None
            with contextlib.suppress(OSError):
                while self._taken_from:
                    self._taken_from[-1].unlink(missing_ok=True)
                    self._taken_from.pop()

    def take_up(self) -> list[list[Draft]]:
        """What processes that are gone were writing, held here from now on.

        Each list is of one paper, and each of its drafts goes on from the note of the one before.
        """
        taken: list[list[Draft]] = []
        for left in left_behind(self.path.parent):
            if left.damaged or left.unreadable:
                self._tell(left)
            elif left.path != self.path:
                self._taken_from.append(left.path)
            last: dict[str, list[Draft]] = {}
            for draft in left.drafts:
                chain = last.get(draft.paper)
                if chain and chain[-1].note == draft.before:
                    chain.append(draft)
                else:
                    taken.append([draft])
                    last[draft.paper] = taken[-1]
                self.keep(draft)
        if taken:
            self.write()
        return taken

    def _tell(self, left: Left) -> None:
        """Say what is wrong with a file; a damaged one is kept in damaged/ and never written over."""
        name = left.path.name
        if left.unreadable:
            self.notices.append(f"{name}, a note that was being written, cannot be read: {left.unreadable}")
        else:
            what = "what can be read of it is taken up" if left.drafts else "nothing can be read of it"
            try:
                kept = files.move_aside(self.path.parent / DAMAGED, left.path)
                where = f"the file lies in {DAMAGED}/{kept.name}"
            except OSError as error:
                where = f"it cannot be moved to {DAMAGED}/: {error.strerror or error}"
            self.notices.append(f"{name}, a note that was being written, is damaged: {what}; {where}")
        if left.path == self.path and left.path.exists():
            self.path = left.path.with_suffix(".new.json")


def left_behind(folder: Path) -> list[Left]:
    """The files of drafts in `folder` that no running process writes; nothing is changed."""
    found = []
    for path in sorted(folder.glob("draft.*.json")):
        with contextlib.suppress(OSError, ValueError):  # it has gone meanwhile, or its name says no process
            if _gone(path):
                found.append(_read(path))
    for path in sorted(folder.glob("draft.*.*.md")):  # after those: they say what the note was before
        with contextlib.suppress(OSError, ValueError):
            if _gone(path):
                found.append(_read_outside(path, found))
    return found


def _gone(path: Path) -> bool:
    """Whether nobody writes a draft's file any more. Raises OSError, and ValueError for another's name."""
    process = int(path.name.split(".")[1])
    return process == os.getpid() or not _writes(process, path.stat().st_mtime)


def _read_outside(path: Path, known: Iterable[Left]) -> Left:
    """A note that was in another editor when the process ended."""
    _, process, paper, _ = path.name.split(".")
    begun = [draft for left in known if left.path.name.split(".")[1] == process for draft in left.drafts]
    before = next((draft.before for draft in begun if draft.paper == paper), "")
    try:
        note = note_files.read(path)
    except OSError as error:
        return Left(path, unreadable=error.strerror or str(error))
    return Left(path, (Draft(paper, before, note if note != before.strip() else before),))


def _read(path: Path) -> Left:
    """Raises FileNotFoundError."""
    try:
        with files.opened(path) as source:
            data = source.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        return Left(path, unreadable=error.strerror or str(error))
    try:
        told = json.loads(data)
        # Before there could be several, the file was a draft and not a list of them.
        return Left(path, tuple(_draft(one) for one in told.get("drafts", [told])))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Left(path, tuple(_readable(data)), damaged=True)


def _readable(data: bytes) -> Iterator[Draft]:
    """The drafts in a damaged file, the last perhaps cut off: then it takes the place of nothing longer."""
    for found in _WRITTEN.finditer(data.decode("latin-1")):
        paper, before, note = (clean(json.loads(f'"{text}"')) for text in found.groups()[:3])
        if found[4]:
            yield Draft(paper, before, note)
        elif note.strip():
            yield Draft(paper, before if note.startswith(before) else "", note)


def _draft(data: Any) -> Draft:
    draft = Draft(data["paper"], data["before"], data["note"])
    if not all(isinstance(text, str) for text in (draft.paper, draft.before, draft.note)):
        raise TypeError("a draft is text")
    return draft


def _writes(process: int, written: float) -> bool:
    """Whether the process that wrote a file at `written` is still there: perhaps another has its number."""
    if process <= 0 or not files.lives(process):
        return False
    age = time.time() - written
    try:
        return _age(process) > age - _SLACK
    except (OSError, ValueError, IndexError):
        return age < DAY


def _age(process: int) -> float:
    """Seconds since a process started, after proc(5). Raises OSError where there is no such file."""
    started = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    uptime = Path("/proc/uptime").read_text("utf-8").split()[0]
    return float(uptime) - int(started) / os.sysconf("SC_CLK_TCK")
