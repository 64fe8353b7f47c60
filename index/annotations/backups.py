"""backups/: copies of annotations.json, one a day, checked before they count; the older ones thinned out."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from index import files
from index.annotations import snapshot

FOLDER: Final = "backups"
DAILY: Final = 7
WEEKLY: Final = 4
"""How many of the latest daily copies are kept; from how many weeks before those one each."""
_NAME: Final = re.compile(r"annotations-(\d{4}-\d\d-\d\d)(?:-([a-z0-9-]+))?\.json")


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of annotations.json; `why` it was made is None for a daily one."""

    path: Path
    day: date
    why: str | None

    @property
    def week(self) -> tuple[int, int]:
        year, week, _ = self.day.isocalendar()
        return year, week


def back_up(folder: Path, today: date, *, why: str = "daily") -> Path | None:
    """Copy annotations.json of the library in `folder` into its backups; the copy is on disk then.

    None when today's copy of that kind is there, and when there is nothing sound to copy. Daily copies
    are rotated; those with another `why` (small letters, digits, hyphens) stay for good, such as the
    one before a migration. Raises OSError, and then no older copy has gone.
    """
    path = folder / FOLDER / f"annotations-{today.isoformat()}{'' if why == 'daily' else f'-{why}'}.json"
    if not _NAME.fullmatch(path.name):
        raise ValueError(f"{why!r} cannot be part of a backup's name")
    if path.exists():
        return None
    data, _ = snapshot.read(folder / "annotations.json")
    if data is None or not _is_sound(data):
        return None
    files.make_folder(path.parent)
    files.replace(path, [data])
    if path.read_bytes() != data:
        path.unlink()
        raise OSError(5, "the copy is not what was written", str(path))
    if why == "daily":
        for old in _superfluous(folder, today):
            old.unlink(missing_ok=True)
    return path


def newest_sound(folder: Path) -> Path | None:
    """The latest backup of the library in `folder` that can be read, whatever it was made for."""
    return next((backup.path for backup in all_of(folder) if is_sound(backup.path)), None)


def all_of(folder: Path) -> list[Backup]:
    """The backups of the library in `folder`, the newest first; other files there are none."""
    try:
        paths = sorted((folder / FOLDER).iterdir(), reverse=True)
    except OSError:
        return []
    found = []
    for path in paths:
        if named := _NAME.fullmatch(path.name):
            with contextlib.suppress(ValueError):  # 2026-02-31
                found.append(Backup(path, date.fromisoformat(named[1]), named[2]))
    return found


def is_sound(path: Path) -> bool:
    """Whether a file holds tables of documents, and at least one table."""
    try:
        data, _ = snapshot.read(path)
    except OSError:
        return False
    return data is not None and _is_sound(data)


def _is_sound(data: bytes) -> bool:
    try:
        tables: Any = json.loads(data)
    except (ValueError, RecursionError):
        return False
    if not isinstance(tables, dict):
        return False
    return bool(tables) and all(
        isinstance(table, dict) and all(isinstance(document, dict) for document in table.values())
        for table in tables.values()
    )


def _superfluous(folder: Path, today: date) -> list[Path]:
    """The daily copies beyond the latest ones and the last of each of the weeks before those.

    One that a clock that was wrong dated later than `today` is neither counted nor taken away.
    """
    daily = [backup for backup in all_of(folder) if backup.why is None and backup.day <= today]
    older = daily[DAILY:]
    last = {backup.week: backup for backup in reversed(older) if backup.week != daily[DAILY - 1].week}
    kept = list(last.values())[-WEEKLY:]
    return [backup.path for backup in older if backup not in kept]
