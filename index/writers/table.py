"""CSV for a spreadsheet: a row a paper; no cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Final

from index.papers import Entry
from index.writers.reading_list import ReadingList

LOST: Final = "where in the abstract a highlight stands"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of one."""
_BETWEEN: Final = "; "


def write(papers: ReadingList) -> Iterator[str]:
    """The header, and a row a paper; a line ends by CR and LF, one within a cell by LF."""
    header = True
    for entry in papers.entries:
        cells = _cells(entry, papers.meanings)
        if header:
            yield _row(cells)
            header = False
        yield _row(map(_harmless, cells.values()))
    if header:
        yield ""


def _row(values: object) -> str:
    told = io.StringIO()
    csv.writer(told).writerow(values)  # type: ignore[arg-type]
    return told.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _cells(entry: Entry, meanings: Mapping[str, str]) -> dict[str, str]:
    paper, told, ids = entry.paper, entry.annotation, entry.paper.identifiers
    return {
        "id": paper.id,
        "key": str(paper.extra.get("key", "")),
        "title": told.title or paper.title or paper.heading,
        "derived title": "" if told.title or paper.title else "yes",
        "authors": _BETWEEN.join(paper.authors),
        "year": str(paper.year or ""),
        "publication date": paper.date or "",
        "journal": paper.venue or "",
        "doi": _BETWEEN.join(ids.get("doi", ())),
        "arxiv": _BETWEEN.join(ids.get("arxiv", ())),
        "pmid": _BETWEEN.join(ids.get("pmid", ())),
        "urls": _BETWEEN.join(paper.links),
        "status": told.status,
        "starred": "yes" if told.starred else "",
        "rating": str(told.rating or ""),
        "due": told.due or "",
        "keywords": _BETWEEN.join(paper.keywords),
        "postil tags": _BETWEEN.join(told.tags),
        "note": told.note,
        "highlights": "\n".join(
            f"{meanings.get(mark.colour, mark.colour)}: “{mark.quote}”"
            + (f" — {mark.comment}" if mark.comment else "")
            for mark in told.highlights
        ),
        "abstract": paper.abstract,
        "lists": _BETWEEN.join(f"{source.file}, no. {source.position}" for source in paper.sources),
    }
