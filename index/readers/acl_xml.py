"""The ACL Anthology's XML, in the shape of 2019 and in that of today."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TextIO
from xml.etree.ElementTree import Element

from index.papers import Problem, Record
from index.readers import identifiers, xml_records
from index.readers.dates import dated
from index.readers.texts import joined, line, text_of
from index.readers.xml_records import child, said

_WANTED: Final = frozenset(["paper", "meta"])
_SITE: Final = "https://aclanthology.org/"
_KEPT: Final = ("pages", "bibkey", "award", "publisher", "address")


def fits(head: str) -> bool:
    return (xml_records.root(head) == "collection" and "<paper" in head) or xml_records.root(head) == "volume"


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record a paper, with what its volume says. Raises BrokenFileError."""
    position, volume = 0, Element("meta")
    for name, element in xml_records.elements(text, _WANTED):
        if name == "meta":
            volume = element
        else:
            position += 1
            yield _record(position, element, volume)


def _record(position: int, paper: Element, volume: Element) -> Record | Problem:
    title, abstract = line(child(paper, "title")), text_of(said(paper.find("abstract")))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    year, date = dated(" ".join(child(part, "month") + " " + child(part, "year") for part in (paper, volume)))
    where = line(child(paper, "url"))
    told = identifiers.told(
        doi=identifiers.doi(child(paper, "doi")), acl=where if where and "/" not in where else None
    )
    address = where if where.startswith("http") else f"{_SITE}{where}/" if where else None
    extra: dict[str, Any] = {
        name: kept for name in _KEPT if (kept := line(child(paper, name) or child(volume, name)))
    }
    if editors := [_name(one) for one in volume.findall("editor")]:
        extra["editor"] = " and ".join(editors)
    if key := extra.pop("bibkey", ""):
        extra["key"] = key
    return Record(
        position, abstract, title or None, _authors(paper), year, date,
        line(child(volume, "booktitle")) or None, told, (), identifiers.links([address], told), extra,
    )  # fmt: skip


def _authors(paper: Element) -> tuple[str, ...]:
    return tuple(filter(None, map(_name, paper.findall("author"))))


def _name(person: Element) -> str:
    return joined(child(person, "first"), child(person, "last")) or line(said(person))
