"""arXiv's records as JSON: the lines of its data set on Kaggle, and what daily lists make of its API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers, json_records
from index.readers.dates import dated
from index.readers.json_records import keys
from index.readers.texts import each, joined, line, text_of

_KEPT: Final = {"comments": "comment", "comment": "comment", "report-no": "report-no", "license": "license"}


def fits(head: str) -> bool:
    found = keys(head)
    return bool(
        {"title", "authors"} <= found
        and found & {"summary", "abstract"}
        and found & {"categories", "arxiv_id", "authors_parsed"}
        and not found & {"paper", "heading", "type"}
    )


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record a value; what is not one is a Problem."""
    return json_records.read(text, _record)


def _record(position: int, value: Any) -> Record | Problem | None:
    if not isinstance(value, Mapping):
        return Problem(position, "no paper: not an object")

    def text(*names: str) -> str:
        return next((told for name in names if isinstance(told := value.get(name), str) and told.strip()), "")

    title, abstract = line(text("title")), text_of(text("summary", "abstract"))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    told = identifiers.told(
        arxiv=identifiers.arxiv(text("arxiv_id", "id", "entry_id")), doi=identifiers.doi(text("doi"))
    )
    categories = value.get("categories")
    if isinstance(categories, str):
        categories = categories.split()
    year, date = _published(value)
    addresses = [text(name) for name in ("abs", "url", "pdf", "pdf_url", "entry_id")]
    extra: dict[str, Any] = {kept: line(text(name)) for name, kept in _KEPT.items() if text(name)}
    if isinstance(categories, list):
        extra["categories"] = [line(one) for one in categories if isinstance(one, str)]
    return Record(
        position, abstract, title or None, _authors(value), year, date, line(text("journal-ref")) or None,
        identifiers=told, links=identifiers.links(addresses, told), extra=extra,
    )  # fmt: skip


def _authors(value: Mapping[str, Any]) -> tuple[str, ...]:
    parsed = value.get("authors_parsed")
    if isinstance(parsed, list) and parsed:
        parts = [[part for part in one if isinstance(part, str)] for one in parsed if isinstance(one, list)]
        names = (joined(*(one[1:2] or [""]), *one[:1], *one[2:3]) for one in parts if one)
        return tuple(filter(None, names))
    authors = value.get("authors")
    if isinstance(authors, str):
        return each(authors.replace(" and ", ", ").split(", "))
    if not isinstance(authors, list):
        return ()
    return each(
        told for one in authors if isinstance(told := one.get("name") if isinstance(one, dict) else one, str)
    )


def _published(value: Mapping[str, Any]) -> tuple[int | None, str | None]:
    """The day of the first version, where it is told; else whatever day is."""
    versions = value.get("versions")
    first = versions[0] if isinstance(versions, list) and versions else None
    told = first.get("created") if isinstance(first, Mapping) else None
    for day in (told, *(value.get(name) for name in ("published", "date", "updated", "update_date"))):
        if isinstance(day, str) and (found := dated(day[:30]))[0]:
            return found
    return None, None
