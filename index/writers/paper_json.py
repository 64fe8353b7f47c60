"""JSON: a paper as every command with `--json` shows it, and an export of such papers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from index.anchors import anchored
from index.papers import Entry
from index.writers.reading_list import ReadingList


def paper_json(entry: Entry, score: float | None = None, partial: str | None = None) -> dict[str, Any]:
    """PAPER as the manual gives it; `partial` says how many of the words it has, such as `3 of 4 words`.

    A highlight's offsets are those in this abstract; one that is `lost` keeps its old ones.
    """
    paper, told = entry.paper, entry.annotation
    held, lost = anchored(told, paper.abstract)
    return {
        "id": paper.id,
        "title": told.title or paper.title,
        "heading": told.title or paper.heading,
        "name": paper.name,
        "abstract": paper.abstract,
        "authors": list(paper.authors),
        "year": paper.year,
        "date": paper.date,
        "venue": paper.venue,
        "identifiers": {kind: list(values) for kind, values in paper.identifiers.items()},
        "keywords": list(paper.keywords),
        "links": list(paper.links),
        "sources": [asdict(source) for source in paper.sources],
        "status": told.status,
        "starred": told.starred,
        "rating": told.rating,
        "due": told.due,
        "tags": list(told.tags),
        "note": told.note,
        "highlights": [{**mark.to_json(), "lost": mark in lost} for mark in (*held, *lost)],
        "score": score,
        "partial": partial,
    }


def write(papers: ReadingList) -> Iterator[str]:
    """One JSON document: `{"title", "query", "papers": [PAPER…]}`."""
    head = json.dumps({"title": papers.title, "query": papers.query}, ensure_ascii=False)
    yield head[:-1] + ', "papers": ['
    for number, entry in enumerate(papers.entries):
        yield (",\n" if number else "\n") + json.dumps(paper_json(entry), ensure_ascii=False)
    yield "\n]}\n"


def write_lines(papers: ReadingList) -> Iterator[str]:
    """One PAPER a line."""
    for entry in papers.entries:
        yield json.dumps(paper_json(entry), ensure_ascii=False) + "\n"
