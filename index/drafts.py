"""Drafts of notes: what is being written, put by so that a crash leaves it; one file a process."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from index import files

DAY: Final = 86_400.0
"""Seconds after which a draft counts as left where it cannot be told when its process started."""
_SLACK: Final = 2.0
"""Seconds that the clocks of files and of processes may disagree."""


@dataclass(eq=False, slots=True)
class Draft:
    """A note that is being written about a paper, and what it was `before`.

    Once the note is queued, `step` is the step that holds it.
    """

    paper: str
    before: str
    note: str
    step: str | None = None


class Drafts:
    """The drafts of this process. All but `write` is for the thread that draws."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"draft.{os.getpid()}.json"
        self._held: tuple[Draft, ...] = ()
        self._taken_from: list[Path] = []
        self._writing = threading.Lock()

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
        with self._writing, contextlib.suppress(OSError):
            if held := self._held:
                drafts = [{"paper": one.paper, "before": one.before, "note": one.note} for one in held]
                files.replace(self.path, [json.dumps({"drafts": drafts}).encode()])
            else:
                self.path.unlink(missing_ok=True)
            while self._taken_from:
                self._taken_from.pop().unlink(missing_ok=True)

    def take_up(self) -> list[list[Draft]]:
        """What processes that are gone were writing, held here from now on.

        Each list is of one paper, and each of its drafts goes on from the note of the one before.
        """
        taken: list[list[Draft]] = []
        for path, drafts in list(self._left()):
            if path != self.path:
                self._taken_from.append(path)
            last: dict[str, list[Draft]] = {}
            for draft in drafts:
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

    def _left(self) -> Iterator[tuple[Path, list[Draft]]]:
        """The files that no running process writes, each with its drafts; what is no draft stays there."""
        for path in sorted(self.path.parent.glob("draft.*.json")):
            with contextlib.suppress(
                OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError
            ):
                process = int(path.name.split(".")[1])
                if process == os.getpid() or not _writes(process, path.stat().st_mtime):
                    data = json.loads(path.read_bytes())
                    # Before there could be several, the file was a draft and not a list of them.
                    yield path, [_draft(one) for one in data.get("drafts", [data])]


def _draft(data: Any) -> Draft:
    draft = Draft(data["paper"], data["before"], data["note"])
    if not all(isinstance(text, str) for text in (draft.paper, draft.before, draft.note)):
        raise TypeError("a draft is text")
    return draft


def _writes(process: int, written: float) -> bool:
    """Whether the process that wrote a file at `written` is still there: perhaps another has its number."""
    if process <= 0:
        return False
    if os.name != "nt":  # where this would be an interruption
        try:
            os.kill(process, 0)
        except PermissionError:
            pass
        except (OSError, OverflowError):
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
