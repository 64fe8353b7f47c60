"""Copies that a sync tool left of a library's files, since two machines wrote at once: found and put away.

Of history.jsonl and papers.jsonl the lines that are not there yet are added; copies of annotations.json and
its journal are merged in `mending`. What a copy held is kept in conflicts/.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from index import files
from index.annotations.history import Step
from index.annotations.places import Places
from index.annotations.rescue import CONFLICTS
from index.clean import drawable
from index.paper_lines import parsed
from index.paths import Layout

_WORDS: Final = "conflict|konflikt|conflit|конфликт|競合|冲突"
"""Of Dropbox, in the languages that it speaks; they stand in `conflicted`, `conflitto`, `conflicto` too."""
_MARK: Final = rf"(?:\.sync-conflict-.*| \(.*(?:{_WORDS}).*\)| \d{{1,3}})"
"""What Syncthing, Dropbox and iCloud put before the ending of a name."""
_NAME: Final = re.compile(
    rf"annotations{_MARK}\.(?:json|journal|base)|(?:history|papers){_MARK}\.jsonl", re.IGNORECASE
)
_FRESH: Final = 2.0
"""Seconds: two changes of a folder can have one time where it is told no more finely than that."""
_PATIENCE: Final = 0.2
"""Seconds to wait for who writes papers.jsonl; the next look tries again."""


class Copies:
    """The copies in a library's folder, looked for only when something has come into it."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._seen = 0
        """The folder's time of change when no copy was there."""
        self._left: set[Path] = set()

    def come(self) -> list[Path]:
        """Those that are there, but for those that were left. A stat when nothing has come."""
        try:
            changed = self._places.folder.stat().st_mtime_ns
            found = _in_folder(self._places.folder) if changed != self._seen else []
        except OSError:
            return []
        found = [path for path in found if path not in self._left]
        if not found and time.time() - changed / 1e9 > _FRESH:
            self._seen = changed
        return found

    def leave(self, paths: Iterable[Path]) -> None:
        """Speak no more of those that are still there."""
        self._left.update(path for path in paths if path.exists())

    def take_lines(self, paths: Iterable[Path]) -> list[str]:
        """Add what those of history.jsonl and papers.jsonl hold; put away those of annotations.base too.

        The caller holds the annotations' lock. What was done, a line each. A copy of papers.jsonl waits for
        the next look while another process writes there, as does one that seems to be half written.
        """
        notices = []
        for path in paths:
            try:
                told = _taken(self._places, path)
            except files.BusyError:
                continue
            except OSError as error:
                notices.append(drawable(f"{path.name} could not be merged: {error.strerror or error}"))
                self.leave([path])
                continue
            if told:
                notices += put_away(self._places, [path]) or [drawable(told)]
                self.leave([path])
        return notices


def of_annotations(folder: Path) -> list[Path]:
    """The copies to be merged into the annotations."""
    try:
        return [path for path in _in_folder(folder) if is_of_annotations(path)]
    except FileNotFoundError:
        return []


def is_of_annotations(path: Path) -> bool:
    """Whether a copy is to be merged into the annotations."""
    return path.suffix.lower() in (".json", ".journal")


def put_away(places: Places, paths: Iterable[Path]) -> list[str]:
    """Move copies that are merged and on disk out of the way; what could not be moved, a line each."""
    left = []
    for path in paths:
        try:
            files.move_aside(places.folder / CONFLICTS, path)
        except OSError as error:
            left.append(drawable(f"{path.name} could not be moved to {CONFLICTS}/: {error.strerror}"))
    return left


def _in_folder(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file())


def _taken(places: Places, path: Path) -> str | None:
    """What was done with a copy, in a line, None if nothing. Raises OSError."""
    if path.suffix.lower() == places.base.suffix:
        return f"{path.name} is of no use here, and is in {CONFLICTS}/"
    if is_of_annotations(path) or _is_half_written(path):
        return None
    if path.name.lower().startswith("history"):
        _add_lines(path, places.history, _step)
    else:
        layout = Layout(places.folder)
        with files.alone(layout.lock, _PATIENCE):
            _add_lines(path, layout.papers, _paper)
    return f"{path.name} was merged, and is in {CONFLICTS}/"


def _is_half_written(path: Path) -> bool:
    with files.opened(path) as file:
        stat = os.fstat(file.fileno())
        if time.time() - stat.st_mtime > _FRESH or not stat.st_size:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def _add_lines(copy: Path, path: Path, key: Callable[[bytes], Hashable]) -> None:
    """Append the lines of `copy` whose keys no line of `path` has; None is the key of what is no line."""
    known: set[Hashable] = {None}
    last = b"\n"
    with contextlib.suppress(FileNotFoundError), files.opened(path) as lines:
        for last in lines:
            known.add(key(last))
    new = []
    with files.opened(copy) as lines:
        for line in lines:
            if (told := key(line)) not in known:
                known.add(told)
                new.append(line.rstrip(b"\r\n") + b"\n")
    if new:
        files.append(path, b"".join(new) if last.endswith(b"\n") else b"\n" + b"".join(new))


def _step(line: bytes) -> Hashable:
    step = Step.from_line(line)
    return step and step.step


def _paper(line: bytes) -> Hashable:
    return blake2b(line.rstrip(), digest_size=16).digest() if parsed(line) else None
