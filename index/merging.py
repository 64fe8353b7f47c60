"""Takes in what was written elsewhere: another machine's annotations.json, or an export as `postil`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Final

from index.annotations import Annotations, Search
from index.annotations.documents import checked, from_document, to_document
from index.annotations.merge import merged, merged_document
from index.annotations.migration import Tables
from index.annotations.rescue import found
from index.clean import drawable
from index.papers import Annotation, Change, now

_PLAIN: Final = ("status", "starred", "rating", "due", "note", "title")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class MergeError(Exception):
    """The file cannot be merged; one line says why."""


@dataclass(slots=True)
class MergeReport:
    """What a file brings. Its `changes` are still to be made, and name no step and no origin yet."""

    papers: list[str] = field(default_factory=list)
    """Those of which something changes to the eye."""
    changes: list[Change] = field(default_factory=list)
    identities: dict[str, Sequence[str]] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    """Saved searches of names that are not known yet."""
    left: list[str] = field(default_factory=list)
    """One line for each thing that cannot be taken in."""


def merge_file(annotations: Annotations, path: Path) -> MergeReport:
    """What the file at `path` changes in `annotations`, each field with the time at which it was written.

    Of a damaged file, what can be read of it. Raises MergeError for any other file.
    """
    report = MergeReport()
    tables = _read(path, report)
    for document in tables.get("annotations", {}).values():
        paper = document["paper"]
        ours = annotations.get(paper)
        both = merged_document(None, to_document(ours, {}, None), document)
        changes = list(_changes(ours, from_document(both), report))
        if any(change.before != change.after for change in changes):
            report.papers.append(paper)
            report.changes += changes
            report.identities[paper] = [key for key in both["identities"] if isinstance(key, str)]
    known = {search.name for search in annotations.searches()}
    for entry in tables.get("searches", {}).values():
        name, query, sort = (entry.get(key) for key in ("name", "query", "sort"))
        if isinstance(name, str) and isinstance(query, str) and name not in known:
            report.searches.append(Search(name, query, sort if isinstance(sort, str) else None))
    return report


def _read(path: Path, report: MergeReport) -> Tables:
    try:
        data = path.expanduser().read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # no such file, no usable path, no such home
        raise MergeError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    told = found(data)
    if told.newer:
        raise MergeError(f"{path} was written by a newer postil; update this one to merge it")
    versions: list[Tables] = [tables for tables in (*told.versions, *told.worn) if "annotations" in tables]
    if not versions:
        why = f" ({told.fault})" if told.fault else ""
        raise MergeError(f"{path} is neither an annotations.json nor a postil export{why}")
    if told.fault and not told.in_conflict:
        report.left.append(f"{path} {told.fault}: what can be read of it is merged")
    return reduce(lambda ours, theirs: merged(None, ours, theirs), versions)


def _changes(ours: Annotation, both: Annotation, report: MergeReport) -> Iterator[Change]:
    """What makes `ours` into `both`; a field that only became newer is among it, for the next merge."""
    sides = (ours, both)
    names = dict.fromkeys(_PLAIN)
    names |= dict.fromkeys(f"tags/{tag}" for side in sides for tag in side.tags)
    names |= dict.fromkeys(f"highlights/{mark.id}" for side in sides for mark in side.highlights)
    names |= dict.fromkeys(name for name in both.times if name.startswith(("tags/", "highlights/")))
    for name in names:
        before, after = ours.value(name), both.value(name)
        when = both.times.get(name, "")
        if before == after and when <= ours.times.get(name, ""):
            continue
        when = when if _TIME.fullmatch(when) else now()
        try:
            yield checked(Change("", "", ours.paper, name, before, after, when))
        except ValueError as error:
            report.left.append(drawable(f"{ours.paper}: {error}"))
