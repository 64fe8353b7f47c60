"""CSL-JSON, as pandoc and Zotero read it: what the schema knows, the rest under `custom`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from index.papers import Entry
from index.writers.people import parted
from index.writers.reading_list import ReadingList

LOST: Final = ""
_TYPES: Final = {
    **dict.fromkeys(("article", "jour"), "article-journal"),
    **dict.fromkeys(("inproceedings", "conference", "conf", "cpaper"), "paper-conference"),
    **dict.fromkeys(("inbook", "incollection", "chap"), "chapter"),
    **dict.fromkeys(("phdthesis", "mastersthesis", "thes"), "thesis"),
    **dict.fromkeys(("techreport", "rprt"), "report"),
    "unpublished": "manuscript",
}
_SCHEMA: Final = frozenset(
    ("article-journal", "article", "paper-conference", "book", "chapter", "thesis", "report", "dataset",
     "software", "manuscript", "webpage", "review", "speech", "patent")
)  # fmt: skip


def write(papers: ReadingList) -> Iterator[str]:
    """One JSON array."""
    yield "["
    for number, entry in enumerate(papers.entries):
        item = {name: value for name, value in _item(entry, papers.meanings).items() if value}
        yield ("," if number else "") + "\n" + json.dumps(item, ensure_ascii=False)
    yield "\n]\n"


def _item(entry: Entry, meanings: Mapping[str, str]) -> dict[str, Any]:
    paper, told, ids, extra = entry.paper, entry.annotation, entry.paper.identifiers, entry.paper.extra
    kind = str(extra.get("type", "")).lower()
    arxiv = [f"https://arxiv.org/abs/{id}" for id in ids.get("arxiv", ())]
    return {
        "id": str(extra.get("key") or paper.id),
        "type": _TYPES.get(kind)
        or (kind if kind in _SCHEMA else "article-journal" if paper.venue else "article"),
        "title": told.title or paper.title or paper.heading,
        "author": [_name(name) for name in paper.authors],
        "issued": _issued(paper.date or str(paper.year or "")),
        "container-title": paper.venue,
        "volume": str(extra.get("volume", "")),
        "issue": str(extra.get("number") or extra.get("issue") or ""),
        "page": re.sub(r"-+|–", "-", str(extra.get("pages", ""))),
        "publisher": str(extra.get("publisher", "")),
        "DOI": next(iter(ids.get("doi", ())), ""),
        "PMID": next(iter(ids.get("pmid", ())), ""),
        "ISBN": next(iter(ids.get("isbn", ())), ""),
        "ISSN": next(iter(ids.get("issn", ())), ""),
        "URL": next(iter((*arxiv, *paper.links)), ""),
        "keyword": ", ".join(word.replace(",", " ") for word in dict.fromkeys((*paper.keywords, *told.tags))),
        "abstract": paper.abstract,
        "note": told.note,
        "custom": _custom(entry, meanings),
    }


def _name(name: str) -> dict[str, str]:
    parts = parted(name)
    if parts is None:
        return {"literal": name}
    return {key: part for key, part in zip(("family", "given", "suffix"), parts, strict=True) if part}


def _issued(date: str) -> dict[str, Any] | None:
    found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?", date)
    return {"date-parts": [[int(part) for part in found.groups() if part]]} if found else None


def _custom(entry: Entry, meanings: Mapping[str, str]) -> dict[str, Any]:
    paper, told = entry.paper, entry.annotation
    custom = {
        "postil_id": paper.id,
        "derived_title": not (told.title or paper.title),
        "status": told.status,
        "starred": told.starred,
        "rating": told.rating,
        "due": told.due,
        "tags": list(told.tags),
        "links": list(paper.links),
        "sources": [f"{source.file}, no. {source.position}" for source in paper.sources],
        "highlights": [
            {"quote": mark.quote, "meaning": meanings.get(mark.colour, mark.colour), "comment": mark.comment}
            for mark in told.highlights
        ],
    }
    return {name: value for name, value in custom.items() if value}
