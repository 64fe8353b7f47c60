"""RIS, as Zotero, EndNote and Mendeley read it: the note, each highlight and the status in an `N1` each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from index.clean import one_line
from index.papers import Entry
from index.writers.people import parted
from index.writers.reading_list import ReadingList

LOST: Final = "line breaks in notes, and where in the abstract a highlight stands"
_TYPES: Final = {
    "article": "JOUR", "inproceedings": "CONF", "conference": "CONF", "book": "BOOK", "inbook": "CHAP",
    "incollection": "CHAP", "phdthesis": "THES", "mastersthesis": "THES", "thesis": "THES",
    "techreport": "RPRT", "report": "RPRT", "unpublished": "UNPB", "proceedings": "CONF", "dataset": "DATA",
    "software": "COMP", "article-journal": "JOUR", "journal article": "JOUR", "paper-conference": "CONF",
    "chapter": "CHAP",
}  # fmt: skip
_OWN: Final = re.compile("[A-Z]{3,6}")
_EXTRA: Final = {
    "VL": ("volume",), "IS": ("number", "issue"), "PB": ("publisher",), "LA": ("language",),
    "ET": ("edition",),
}  # fmt: skip


def write(papers: ReadingList) -> Iterator[str]:
    """The records, in the order of the list; a line ends as RIS has it, by CR and LF."""
    for entry in papers.entries:
        lines = (f"{tag}  - {value}\r\n" for tag, value in _fields(entry, papers.meanings) if value)
        yield f"TY  - {_type(entry)}\r\n{''.join(lines)}ER  - \r\n\r\n"


def _type(entry: Entry) -> str:
    told = str(entry.paper.extra.get("type", ""))
    kind = _TYPES.get(told.lower())
    return kind or (told if _OWN.fullmatch(told) else "JOUR" if entry.paper.venue else "GEN")


def _fields(entry: Entry, meanings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Tags and values, each on one line."""
    for tag, values in _values(entry, meanings):
        for value in values:
            yield tag, one_line(value).strip()


def _values(entry: Entry, meanings: Mapping[str, str]) -> Iterator[tuple[str, Iterable[str]]]:
    paper, told, ids, extra = entry.paper, entry.annotation, entry.paper.identifiers, entry.paper.extra
    yield "TI", [told.title or paper.title or paper.heading]
    yield "AU", map(_author, paper.authors)
    yield "PY", [str(paper.year or "")]
    yield "DA", [(paper.date or "").replace("-", "/")]
    yield "T2", [paper.venue or ""]
    for tag, names in _EXTRA.items():
        yield tag, [next((str(extra[name]) for name in names if extra.get(name)), "")]
    start, _, end = re.sub(r"\s*[-–—]+\s*", "-", str(extra.get("pages", ""))).partition("-")
    yield from (("SP", [start]), ("EP", [end]))
    yield "SN", [*ids.get("issn", ()), *ids.get("isbn", ())]
    yield "DO", ids.get("doi", ())[:1]
    if pmid := ids.get("pmid", ()):
        yield from (("AN", pmid[:1]), ("DB", ["PubMed"]))
    yield "UR", dict.fromkeys((*paper.links, *(f"https://arxiv.org/abs/{id}" for id in ids.get("arxiv", ()))))
    yield "KW", (word.replace("*", " ") for word in dict.fromkeys((*paper.keywords, *told.tags)))
    yield "AB", [paper.abstract]
    yield "N1", _remarks(entry, meanings)
    yield "ID", [str(extra.get("key") or paper.id)]


def _author(name: str) -> str:
    """A name as RIS has it: family, given, suffix; no comma in one that is not to be parted."""
    name = name.replace("*", " ")
    parts = parted(name)
    return ", ".join(filter(None, parts)) if parts else " ".join(name.replace(",", " ").split())


def _remarks(entry: Entry, meanings: Mapping[str, str]) -> Iterator[str]:
    told = entry.annotation
    marks = [told.status, "starred" if told.starred else "", f"{told.rating}/5" if told.rating else ""]
    marks.append(f"due {told.due}" if told.due else "")
    yield f"Status: {', '.join(filter(None, marks))}"
    if not (told.title or entry.paper.title):
        yield "Heading derived from the abstract"
    yield told.note
    for mark in told.highlights:
        comment = f" — {mark.comment}" if mark.comment else ""
        yield f"{meanings.get(mark.colour, mark.colour)}: “{mark.quote}”{comment}"
