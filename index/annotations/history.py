"""history.jsonl: every step that was made, one line each, and what can be undone and redone.

A step that undoes one, or redoes an undone one, is a step like any other and names it. So what can be
undone is told by reading from the end, and undo and redo go on after a restart. The history is never
read whole for it: years of steps cost a key no more than the last day's.

Where git merged the lines of two machines, they stand one machine's after the other's, some perhaps twice:
a step counts once, and those of the library are taken by time. So that what is made here last is the last,
whatever the clock of another machine said, a step is recorded as no earlier than those before it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from index import files
from index.annotations.documents import checked
from index.papers import Change, Value, later, now

REACH: Final = 1000
"""How many steps back a window looks for one of its own before it takes the library's latest.

So many are put in the order of time, too: two machines may have made as many before they met.
"""
_BLOCK: Final = 1 << 16
_WHEN: Final = re.compile(rb'"when":\s*"(\d{4}-\d\d-\d\dT[\d:.]+Z)"')
"""The first in a line is the step's own: the changes come last."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one key or one command did: `what` in a few words, such as "tag moe on 7 papers".

    `undoes` names the step that this one took back, `redoes` the undoing step that it took back.
    """

    step: str
    origin: str
    what: str
    when: str
    changes: tuple[Change, ...]
    undoes: str | None = None
    redoes: str | None = None

    def to_line(self) -> bytes:
        """One line of the history. A lone surrogate is written as its JSON escape.

        A change whose time is not the step's has one of its own: what it replaced was from a clock ahead.
        """
        changes = [
            {"paper": c.paper, "field": c.field, "before": c.before, "after": c.after}
            | ({} if c.when == self.when else {"when": c.when})
            for c in self.changes
        ]
        names = ("step", "origin", "what", "when", "undoes", "redoes")
        line = {**{name: getattr(self, name) for name in names}, "changes": changes}
        return (json.dumps(line, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")

    @classmethod
    def from_line(cls, line: bytes) -> Step | None:
        """The step in a line, or None when the line is torn or damaged."""
        try:
            data: dict[str, Any] = json.loads(line)
            step, origin, when = str(data["step"]), str(data["origin"]), str(data["when"])
            changes = tuple(
                Change(
                    step, origin, c["paper"], c["field"], c["before"], c["after"], str(c.get("when", when))
                )
                for c in data["changes"]
            )
            undoes, redoes = (data[name] and str(data[name]) for name in ("undoes", "redoes"))
            return cls(step, origin, str(data["what"]), when, changes, undoes, redoes)
        except (KeyError, TypeError, ValueError, RecursionError):
            return None


def new_step() -> str:
    """An id for a step: sorts by time, and no two processes make the same."""
    return f"{time.time_ns() // 1000:013x}{secrets.token_hex(4)}"


def inverse(step: Step, current: Callable[[str, str], Value], origin: str) -> tuple[Step, list[Change]]:
    """The step that takes `step` back, and the changes of `step` that it leaves alone.

    `current` gives what a field of a paper holds. Left alone is one that no longer holds what `step` left
    in it, or that is not known here. Of several changes to one field the first `before` and the last
    `after` count. The new step's times are of now; it may hold no changes at all and is still to be
    written, so that the next undo goes further.
    """
    whole: dict[tuple[str, str], Change] = {}
    for change in step.changes:
        place = change.paper, change.field
        whole[place] = replace(change, before=whole[place].before) if place in whole else change
    id, when = new_step(), now()
    back, left = [], []
    for change in whole.values():
        try:
            undoing = checked(replace(change, step=id, origin=origin, after=change.before, when=when))
            held = current(change.paper, change.field)
        except ValueError:  # written by a newer postil, or by another hand
            left.append(change)
            continue
        if held == change.after:
            back.append(replace(undoing, before=held))
        else:
            left.append(change)
    undoes, redoes = (None, step.step) if step.undoes else (step.step, None)
    return Step(id, origin, step.what, when, tuple(back), undoes, redoes), left


class History:
    """The steps of one library: those in its history.jsonl, and on top those that wait to be written.

    Reading raises OSError when there is a file and it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "history.jsonl"
        self._waiting: dict[str, Step] = {}
        self._newest = ""
        """The latest time among the last steps of the file, as far as it was read: see `_read`."""
        self._read = (0, 0)
        """The number of the file that was read, and its length."""

    def expect(self, step: Step) -> None:
        """Count `step` as made from now on, until it is recorded or forgotten."""
        self._waiting[step.step] = step

    def forget(self, steps: Iterable[Step]) -> None:
        """These steps were not made after all."""
        for step in steps:
            self._waiting.pop(step.step, None)

    def record(self, *steps: Step) -> None:
        """Append `steps`, none earlier than what is there; they are on disk when this returns.

        The caller holds the annotations' lock. Raises OSError, and then nothing was appended.
        """
        self._look()
        newest, lines = self._newest, []
        for step in steps:
            newest = step.when if step.when >= newest else later(step.when, newest)
            lines.append(replace(step, when=newest).to_line())
        data = b"".join(lines)
        files.append(self._path, data if self._ends_whole() else b"\n" + data)
        self.forget(steps)
        with contextlib.suppress(OSError):
            stat = self._path.stat()
            self._newest, self._read = newest, (stat.st_ino, stat.st_size)

    def see_room_for(self, step: Step) -> None:
        """See that `step` could be recorded now. The caller holds the annotations' lock. Raises OSError."""
        files.see_room(self._path, len(step.to_line()) + 1)

    def undoable(self, origin: str | None) -> Step | None:
        """The latest step of `origin` that is done, else the library's latest; None is for the library's."""
        return self._latest(origin, self._done)

    def redoable(self, origin: str | None) -> Step | None:
        """The step that undid last, to be taken back, of `origin` if it has one, else of the library.

        A new change ends what can be redone: `origin`'s own for its own, anyone's for the library's.
        """
        return self._latest(origin, self._undoing)

    def steps(self, limit: int) -> list[Step]:
        """The latest steps, the newest first."""
        return list(islice(self._by_time(), limit))

    def _look(self) -> None:
        """See how late the last steps are: of a file that has only grown, its new lines alone are read."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return
        number, length = self._read
        start = length if number == stat.st_ino and length <= stat.st_size else 0
        lines = islice(_lines_newest_first(self._path, start), REACH)
        whens = [found[1].decode() for found in map(_WHEN.search, lines) if found]
        self._newest = max([self._newest if start else "", *whens])
        self._read = stat.st_ino, stat.st_size

    def _latest(self, origin: str | None, among: Callable[..., Iterator[Step]]) -> Step | None:
        if origin is not None:
            recent = islice(self._newest_first(), REACH)
            for step in among(recent, origin):
                return step
        return next(among(self._by_time(), None), None)

    @staticmethod
    def _done(newest_first: Iterable[Step], origin: str | None) -> Iterator[Step]:
        """Steps that are done. One that was undone is so for good: redoing it makes a new step."""
        undone = set()
        for step in newest_first:
            if step.undoes:
                undone.add(step.undoes)
            elif step.step not in undone and origin in (None, step.origin):
                yield step

    @staticmethod
    def _undoing(newest_first: Iterable[Step], origin: str | None) -> Iterator[Step]:
        """Undoing steps that nothing has redone, as far back as the last new change."""
        redone = set()
        for step in newest_first:
            if step.redoes:
                redone.add(step.redoes)
            elif origin in (None, step.origin):
                if not step.undoes:
                    return
                if step.step not in redone:
                    yield step

    def _by_time(self) -> Iterator[Step]:
        """The latest first; what takes a step back is later than it, whatever the clocks said."""
        newest_first = self._newest_first()
        recent = list(islice(newest_first, REACH))
        moments: dict[str, str] = {}
        for step in reversed(recent):
            moments[step.step] = max(step.when, moments.get(step.undoes or step.redoes or "", ""))
        yield from sorted(recent, key=lambda step: moments[step.step], reverse=True)
        yield from newest_first

    def _newest_first(self) -> Iterator[Step]:
        """From the last line to the first, each step once."""
        waiting = list(self._waiting.values())
        yield from reversed(waiting)
        seen = {step.step for step in waiting}
        for line in _lines_newest_first(self._path):
            step = Step.from_line(line)
            if step and step.step not in seen:
                seen.add(step.step)
                yield step

    def _ends_whole(self) -> bool:
        """Whether the file ends with a whole line, so that a torn one does not swallow the next."""
        try:
            with files.opened(self._path) as file:
                if file.seek(0, os.SEEK_END) == 0:
                    return True
                file.seek(-1, os.SEEK_END)
                return file.read() == b"\n"
        except FileNotFoundError:
            return True


def _lines_newest_first(path: Path, first: int = 0) -> Iterator[bytes]:
    """The lines of a file from its end, read as far as they are asked for; none from before byte `first`."""
    try:
        file = files.opened(path)
    except FileNotFoundError:
        return
    with file:
        start = file.seek(0, os.SEEK_END)
        pieces: list[bytes] = []  # of the line whose beginning is still to be read, the last one first
        while start > first:
            end, start = start, max(first, start - _BLOCK)
            file.seek(start)
            head, *lines = file.read(end - start).split(b"\n")
            if lines:
                pieces.append(lines.pop())
                yield b"".join(reversed(pieces))
                yield from reversed(lines)
                pieces = []
            pieces.append(head)
        yield b"".join(reversed(pieces))
