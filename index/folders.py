"""The folders of lists that the user named: which of their files are new since they were last looked at."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from index import unpacking


@dataclass(slots=True)
class Looked:
    """What lies in the folders."""

    new: list[str] = field(default_factory=list)
    """The files that are new, or other than they were."""
    seen: dict[str, str] = field(default_factory=dict)
    """Each file, and what tells whether it has changed: its size and the time of its last change."""
    problems: list[str] = field(default_factory=list)
    """One line for each folder that could not be looked through."""


def look(folders: Mapping[str, str], known: Mapping[str, str]) -> Looked:
    """Look through `folders` (a name in the settings, and a path), of which `known` was `seen` before."""
    looked = Looked()
    for name, told in folders.items():
        try:
            path = Path(told).expanduser().absolute()
            if not path.is_dir():
                raise NotADirectoryError(0, "no such folder")
            for file in unpacking.files_in(str(path)):
                _see(file, known, looked)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: no such home
            why = getattr(error, "strerror", None) or error
            looked.problems.append(f"config.toml: folders.{name}: {told}: {why}")
    return looked


def _see(file: str, known: Mapping[str, str], looked: Looked) -> None:
    try:
        about = Path(file).stat()
    except OSError:  # it has just gone, or is a link to nothing
        return
    if stat.S_ISREG(about.st_mode) and file not in looked.seen:
        looked.seen[file] = f"{about.st_size} {about.st_mtime_ns}"
        if known.get(file) != looked.seen[file]:
            looked.new.append(file)
