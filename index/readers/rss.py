"""RSS 1.0 and 2.0: arXiv's daily lists, and other feeds whose items are papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TextIO
from xml.etree.ElementTree import Element

from index.papers import Problem, Record
from index.readers import identifiers, xml_records
from index.readers.dates import dated
from index.readers.markup import plain
from index.readers.texts import each, line, text_of
from index.readers.xml_records import child

_ITEM: Final = frozenset(["item"])
_ANNOUNCED: Final = re.compile(
    r"\s*(?:arXiv:\S+\s+)?(?:Announce Type:\s*\S+\s+)?Abstract:\s*", re.IGNORECASE
)  # before the abstract of an item of arXiv
_TITLE: Final = re.compile(r"\s*\(arXiv:[^()]*(?:\([^()]*\))?[^()]*\)\s*$|^\s*\[[\d.v]+\]\s*")
_LABEL: Final = re.compile(r"^(Authors?|Summary|Abstract|Upvotes|Published|Date)\s*:\s*", re.IGNORECASE)
_MONTH_DAY: Final = re.compile(r"\d{1,2} [A-Z][a-z]{2} \d{4}")


def fits(head: str) -> bool:
    return xml_records.root(head) in ("rss", "RDF")


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record an item. Raises BrokenFileError."""
    for position, (_, item) in enumerate(xml_records.elements(text, _ITEM), 1):
        yield _record(position, item)


def _record(position: int, item: Element) -> Record | Problem:
    title = line(_TITLE.sub("", plain(child(item, "title"))))
    abstract, told = _parts(child(item, "encoded") or child(item, "description"))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    addresses = [child(item, "link"), child(item, "guid"), item.get("about", "")]
    ids = identifiers.told(
        arxiv=next(filter(None, map(identifiers.arxiv, addresses)), None),
        doi=next(
            filter(None, map(identifiers.doi, [child(item, "DOI"), child(item, "doi"), *addresses])), None
        ),
    )
    names = [name for one in item.findall("creator") for name in _names(plain(xml_records.said(one)))]
    extra: dict[str, Any] = {}
    if categories := [line(one) for one in xml_records.each(item, "category")]:
        extra["categories"] = categories
    day = _MONTH_DAY.search(child(item, "pubDate"))
    year, date = dated(day[0] if day else child(item, "date")[:10])
    return Record(
        position, abstract, title or None, each(names or _names(told.get("author", ""))), year, date,
        None, ids, (), identifiers.links(addresses[:1], ids), extra,
    )  # fmt: skip


def _parts(told: str) -> tuple[str, dict[str, str]]:
    """The abstract of a description, and what its labelled paragraphs say besides."""
    text = plain(told)
    labelled: dict[str, str] = {}
    rest = []
    for paragraph in text.split("\n"):
        found = _LABEL.match(paragraph)
        if found and not paragraph.lower().startswith("abstract"):
            labelled[found[1].lower().rstrip("s")] = paragraph[found.end() :]
        else:
            rest.append(paragraph)
    abstract = labelled.get("summary") or _ANNOUNCED.sub("", "\n".join(rest), count=1)
    return text_of(abstract), labelled


def _names(told: str) -> list[str]:
    return [name for name in re.split(r",\s+|\n|\band\b", told) if name.strip()]
