"""Atom: arXiv's API, and other feeds whose entries are papers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TextIO
from xml.etree.ElementTree import Element

from index.papers import Problem, Record
from index.readers import identifiers, xml_records
from index.readers.dates import dated
from index.readers.markup import plain
from index.readers.texts import each, line, text_of
from index.readers.xml_records import child

_ENTRY: Final = frozenset(["entry"])
_ERRORS: Final = "/api/errors"


def fits(head: str) -> bool:
    return xml_records.root(head) == "feed"


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record an entry; what arXiv says of an error is none. Raises BrokenFileError."""
    position = 0
    for _, entry in xml_records.elements(text, _ENTRY):
        if _ERRORS not in child(entry, "id"):
            position += 1
            yield _record(position, entry)


def _record(position: int, entry: Element) -> Record | Problem:
    marked = any((part := entry.find(name)) is not None and part.get("type") in ("html", "xhtml")
                 for name in ("summary", "content"))  # fmt: skip
    title, told = child(entry, "title"), child(entry, "summary") or child(entry, "content")
    title, abstract = line(plain(title) if marked else title), text_of(plain(told) if marked else told)
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    addresses = [child(entry, "id"), *(link.get("href", "") for link in entry.findall("link"))]
    ids = identifiers.told(
        arxiv=next(filter(None, map(identifiers.arxiv, addresses)), None),
        doi=next(filter(None, map(identifiers.doi, [child(entry, "doi"), *addresses])), None),
    )
    year, date = dated(child(entry, "published")[:10] or child(entry, "updated")[:10])
    extra: dict[str, Any] = {}
    if comment := line(child(entry, "comment")):
        extra["comment"] = comment
    if categories := [line(term) for one in entry.findall("category") if (term := one.get("term"))]:
        extra["categories"] = categories
    links = [
        link.get("href") for link in entry.findall("link") if link.get("rel", "alternate") == "alternate"
    ]
    return Record(
        position, abstract, title or None, each(child(author, "name") for author in entry.findall("author")),
        year, date, line(child(entry, "journal_ref")) or None, ids, (), identifiers.links(links, ids), extra,
    )  # fmt: skip
