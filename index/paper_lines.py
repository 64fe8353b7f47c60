"""A line of papers.jsonl: what a record looks like there, and what the lines of a paper say together."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from index.clean import clean
from index.papers import Paper, Record, Source

TEXTS: Final = ("abstract", "title", "date", "venue")
SINGLE: Final = (*TEXTS, "year")
LISTS: Final = ("authors", "keywords", "links")
_KINDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(TEXTS, str),
    **dict.fromkeys((*LISTS, "keys"), list),
    "year": int,
    "identifiers": dict,
    "extra": dict,
}


def fields_of(record: Record) -> dict[str, Any]:
    """The fields of a record that say something, as they stand in a line."""
    data = {name: getattr(record, name) for name in (*SINGLE, *LISTS, "identifiers", "extra")}
    return {name: value for name, value in data.items() if value}


def parsed(line: bytes) -> dict[str, Any] | None:
    """A line of papers.jsonl, each field of its kind; None when it is not the line of a paper."""
    try:
        data = json.loads(line)
        source = data["source"]
        sound = re.fullmatch("[a-z][0-9a-z]{9}", data["id"]) and isinstance(source["position"], int)
        data["source"] = {
            "file": clean(source["file"]),
            "position": source["position"],
            "added": clean(source["added"]),
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return {name: value for name, value in data.items() if _of_its_kind(name, value)} if sound else None


def record_of(line: Mapping[str, Any]) -> Record:
    """The record that a line holds; its text is cleaned again, for the file may have been edited."""
    told: dict[str, Any] = {name: clean(line[name]) for name in TEXTS if name in line}
    told |= {name: texts(line[name]) for name in LISTS if name in line}
    identifiers = {clean(kind): texts(values) for kind, values in line.get("identifiers", {}).items()}
    return Record(
        position=line["source"]["position"],
        year=line.get("year"),
        identifiers=identifiers,
        extra=line.get("extra", {}),
        **told,
    )


def paper_of(id: str, heading: str, name: str | None, lines: Sequence[Mapping[str, Any]]) -> Paper:
    """What the lines of a paper say together: the earlier one where two differ, all of what is a list."""
    records = [record_of(line) for line in lines]
    told: dict[str, Any] = {}
    identifiers: dict[str, tuple[str, ...]] = {}
    extra: dict[str, Any] = {}
    for record in records:
        for field in (*SINGLE, "authors"):
            told[field] = told.get(field) or getattr(record, field)
        for field in ("keywords", "links"):
            told[field] = tuple(dict.fromkeys((*told.get(field, ()), *getattr(record, field))))
        for kind, values in record.identifiers.items():
            identifiers[kind] = tuple(dict.fromkeys((*identifiers.get(kind, ()), *values)))
        extra = {**record.extra, **extra}
    sources: dict[tuple[str, int], Source] = {}
    for line in lines:
        source = Source(**line["source"])
        sources.setdefault((source.file, source.position), source)  # a merge by git may double lines
    return Paper(
        id=id,
        heading=heading,
        name=name,
        sources=tuple(sources.values()),
        identifiers=identifiers,
        extra=extra,
        **told,
    )


def beyond(
    paper: Paper, known: Sequence[str], record: Record, keys: Sequence[str], source: Source
) -> dict[str, Any] | None:
    """What a record of `keys` adds to its paper, which has the keys `known`, as the fields of a line.

    None when all of it is known.
    """
    more = {
        name: value
        for name, value in fields_of(record).items()
        if name in (*SINGLE, "authors") and not getattr(paper, name)
    }
    for name in ("keywords", "links"):
        if new := [item for item in getattr(record, name) if item not in getattr(paper, name)]:
            more[name] = new
    for kind, values in record.identifiers.items():
        if new := [value for value in values if value not in paper.identifiers.get(kind, ())]:
            more.setdefault("identifiers", {})[kind] = new
    if extra := {kind: value for kind, value in record.extra.items() if kind not in paper.extra}:
        more["extra"] = extra
    listed = any((s.file, s.position) == (source.file, source.position) for s in paper.sources)
    if listed and not more and set(keys) <= set(known):
        return None
    return {"keys": list(keys), **more}


def _of_its_kind(name: str, value: object) -> bool:
    return isinstance(value, _KINDS.get(name, object)) and not isinstance(value, bool)


def texts(values: object) -> tuple[str, ...]:
    """The texts of a list, cleaned; whatever else it holds is left out."""
    if not isinstance(values, list):
        return ()
    return tuple(clean(value) for value in values if isinstance(value, str))
