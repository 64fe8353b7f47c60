"""CSL-JSON, as Zotero, pandoc and Crossref write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers, json_records
from index.readers.dates import dated, whole
from index.readers.json_records import keys
from index.readers.markup import plain
from index.readers.texts import joined, line, text_of

_OURS: Final = frozenset(
    ("title", "abstract", "author", "issued", "container-title", "DOI", "PMID", "PMCID", "ISBN", "ISSN",
    "URL",
     "keyword", "id", "citation-key")
)  # fmt: skip
_MARKS: Final = frozenset(
    ("issued", "author", "DOI", "container-title", "editor", "title", "URL", "citation-key")
)
_NOTED: Final = re.compile(r"^\s*(arXiv|PMID|PMCID|DOI)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


def fits(head: str) -> bool:
    found = keys(head)
    return (
        "type" in found and bool(found & _MARKS) and not found & {"paper", "heading", "publishedAt", "user"}
    )


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record an item; what is not one is a Problem."""
    return json_records.read(text, _record)


def _record(position: int, value: Any) -> Record | Problem | None:
    if not isinstance(value, Mapping):
        return Problem(position, "no item: not an object")

    def text(name: str) -> str:
        told = value.get(name)
        if isinstance(told, list):  # as Crossref gives titles
            told = next(iter(told), "")
        return str(told) if isinstance(told, str | int) and not isinstance(told, bool) else ""

    title, abstract = line(plain(text("title"))), text_of(plain(text("abstract")))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    noted = {kind.lower(): told for kind, told in _NOTED.findall(text("note"))}
    told = identifiers.told(
        doi=next(filter(None, map(identifiers.doi, (text("DOI"), noted.get("doi", ""), text("URL")))), None),
        arxiv=(identifiers.arxiv(text("number")) if "arxiv" in text("publisher").lower() else None)
        or identifiers.arxiv(noted.get("arxiv", "")) or identifiers.arxiv(text("URL")),
        pmid=identifiers.pmid(text("PMID") or noted.get("pmid", "")),
        pmcid=line(text("PMCID") or noted.get("pmcid", "")), isbn=identifiers.numbers(text("ISBN")),
        issn=identifiers.numbers(text("ISSN")),
    )  # fmt: skip
    year, date = _issued(value.get("issued"))
    extra = {
        name.lower(): told for name, told in value.items() if name not in _OURS and told not in (None, "")
    }
    if key := text("citation-key") or text("id"):
        extra["key"] = key
    return Record(
        position, abstract, title or None, _names(value.get("author")), year, date,
        line(plain(text("container-title"))) or None,
        identifiers=told, links=identifiers.links([text("URL")], told),
        keywords=tuple(dict.fromkeys(filter(None, map(line, re.split(r"[,;]", text("keyword")))))),
        extra=extra,
    )  # fmt: skip


def _names(authors: Any) -> tuple[str, ...]:
    found = []
    for one in authors if isinstance(authors, list) else ():
        if isinstance(one, Mapping):
            part = {name: told for name, told in one.items() if isinstance(told, str)}
            particles = (part.get("dropping-particle", ""), part.get("non-dropping-particle", ""))
            family = " ".join((*particles, part.get("family", "")))
            found.append(
                line(part.get("literal", "")) or joined(part.get("given", ""), family, part.get("suffix", ""))
            )
        elif isinstance(one, str):
            found.append(line(one))
    return tuple(filter(None, found))


def _issued(told: Any) -> tuple[int | None, str | None]:
    """The year and the date; of a range, the beginning."""
    if isinstance(told, str):
        return dated(told)
    if not isinstance(told, Mapping):
        return None, None
    parts = told.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    if isinstance(first, list) and first:
        numbers = [int(part) for part in map(str, first[:3]) if re.fullmatch(r"-?\d{1,6}", part)]
        return whole(*numbers) if numbers else (None, None)
    return next(
        (dated(told[name]) for name in ("raw", "literal") if isinstance(told.get(name), str)), (None, None)
    )
