"""Takes in what was written elsewhere: another machine's annotations.json, or an export as `postil`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

from index.annotations import Annotations
from index.annotations.merge import merged
from index.annotations.migration import Tables
from index.annotations.rescue import found
from index.papers import Change, now

_TABLES: Final = ("annotations", "searches", "exports")
_NOT_WRITTEN: Final = ("_meta", "papers")
_TIMES: Final = ("times", "versions")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


class MergeError(Exception):
    """The file cannot be merged; one line says why."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a file brought."""

    changes: tuple[Change, ...]
    """What changed to the eye."""
    left: tuple[str, ...]
    """One line for each thing that could not be taken in."""

    @property
    def papers(self) -> list[str]:
        """The papers of which something changed."""
        return list(dict.fromkeys(change.paper for change in self.changes if change.paper))

    @property
    def searches(self) -> list[str]:
        """The names of the saved searches that came, changed or went."""
        return [change.field.partition("/")[2] for change in self.changes if not change.paper]


def merge_file(annotations: Annotations, path: Path, record: Callable[[list[Change]], None]) -> MergeReport:
    """Take the file at `path` into `annotations`, each field with the time at which it was written.

    `record` is given what changes to the eye, if anything does, once it is on disk. Of a damaged file,
    what can be read of it. Raises MergeError for any other file, OSError and AnnotationsError.
    """
    left: list[str] = []
    changes = annotations.take_in(_read(path, left), record)
    return MergeReport(tuple(changes), tuple(left))


def _read(path: Path, left: list[str]) -> Tables:
    try:
        data = path.expanduser().read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # no such file, no usable path, no such home
        raise MergeError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    told = found(data)
    if told.newer:
        raise MergeError(f"{path} was written by a newer postil; update this one to merge it")
    read: tuple[Tables, ...] = (*told.versions, *told.worn)
    versions = [tables for tables in read if any(name in tables for name in _TABLES)]
    if not versions:
        why = f" ({told.fault})" if told.fault else ""
        raise MergeError(f"{path} is neither an annotations.json nor a postil export{why}")
    if told.fault and not told.in_conflict:
        left.append(f"{path} {told.fault}: what can be read of it is merged")
    return _timely(reduce(lambda ours, theirs: merged(None, ours, theirs), versions))


def _timely(tables: Tables) -> Tables:
    """What is the reader's, with the present moment for what is no time: it might win for ever."""
    return {
        name: {
            key: {**document, **{field: _times(document[field]) for field in _TIMES if field in document}}
            for key, document in table.items()
        }
        for name, table in tables.items()
        if name not in _NOT_WRITTEN
    }


def _times(times: Any) -> dict[str, str]:
    known = times if isinstance(times, Mapping) else {}
    return {name: str(when) if _TIME.match(str(when)) else now() for name, when in known.items()}
