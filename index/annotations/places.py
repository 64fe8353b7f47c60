"""The files of the annotations, and what to say of one that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.annotations import snapshot
from index.annotations.snapshot import Stamp
from index.clean import drawable

_BACK: Final = "put back what it points to, or delete the link and start again"
_MOVE: Final = "move it away and start again, and what was saved is put together from the rest"


class AnnotationsError(Exception):
    """annotations.json cannot be used as it is; one line says where, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Places:
    """The files of the annotations in `folder`."""

    folder: Path

    @property
    def snapshot(self) -> Path:
        return self.folder / "annotations.json"

    @property
    def journal(self) -> Path:
        return self.folder / "annotations.journal"

    @property
    def base(self) -> Path:
        """The snapshot that was last put in place here: the base of a merge."""
        return self.folder / "annotations.base"

    @property
    def history(self) -> Path:
        return self.folder / "history.jsonl"

    @property
    def lock(self) -> Path:
        return self.folder / "annotations.lock"


def read(path: Path) -> tuple[bytes | None, Stamp | None]:
    """As `snapshot.read`, but what cannot be read raises AnnotationsError."""
    try:
        return snapshot.read(path)
    except snapshot.NoFileError as error:
        raise unusable(path, str(error), _BACK if path.is_symlink() else _MOVE) from error
    except OSError as error:
        raise unusable(path, f"cannot be read ({error.strerror})", "see who may read it") from error


def is_there(path: Path) -> bool:
    """Whether there is such a file. Raises AnnotationsError for something else, and OSError."""
    try:
        return snapshot.check(path)
    except snapshot.NoFileError as error:
        raise unusable(path, str(error), _BACK if path.is_symlink() else _MOVE) from error


def unusable(path: Path, wrong: str, do: str = "restore it from a copy, or move it away") -> AnnotationsError:
    """The error to raise: what is wrong with the file at `path`, and what to do."""
    return AnnotationsError(drawable(f"{path} {wrong}: it was left as it is; {do}"))
