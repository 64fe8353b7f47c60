"""The JSON that postil itself exports: its papers. What the reader wrote comes back by `postil merge`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from index.papers import Problem, Record
from index.readers import json_records
from index.readers.json_records import keys
from index.readers.texts import line, text_of


def fits(head: str) -> bool:
    found = keys(head)
    return {"heading", "sources", "abstract"} <= found or {"_meta", "annotations"} <= found


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record a paper; a document without papers holds none."""
    return json_records.read(text, _record)


def _record(position: int, value: Any) -> Record | Problem | None:
    if not isinstance(value, Mapping) or ("_meta" in value and "abstract" not in value):
        return None if isinstance(value, Mapping) else Problem(position, "no paper: not an object")

    def text(name: str) -> str:
        told = value.get(name)
        return told if isinstance(told, str) else ""

    def texts(told: Any) -> tuple[str, ...]:
        return tuple(line(one) for one in told if isinstance(one, str)) if isinstance(told, list) else ()

    title, abstract, year = line(text("title")), text_of(text("abstract")), value.get("year")
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    kinds, extra = value.get("identifiers"), value.get("extra")
    return Record(
        position, abstract, title or None, texts(value.get("authors")),
        year if isinstance(year, int) and 1000 <= year <= 2999 else None,
        line(text("date")) or None, line(text("venue")) or None,
        {line(kind): texts(told) for kind, told in kinds.items()} if isinstance(kinds, Mapping) else {},
        texts(value.get("keywords")), texts(value.get("links")), extra if isinstance(extra, Mapping) else {},
    )  # fmt: skip
