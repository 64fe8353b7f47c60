"""The format `postil`: everything, with times and tombstones, as `postil merge` reads it back.

The tables are those of annotations.json, so that stock TinyDB reads them too; `papers` is one beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from index.papers import Annotation, Entry, identities
from index.writers.paper_json import paper_json
from index.writers.reading_list import ReadingList

SCHEMA: Final = 1
"""Of the table `annotations`, which annotations.json has too."""
_NOT_OF_A_PAPER: Final = {
    "status", "starred", "rating", "due", "tags", "note", "highlights", "score", "partial",
}  # fmt: skip


def write(papers: ReadingList) -> Iterator[str]:
    """One JSON document of tables that map an id (a paper's, read as base 36) to a document."""
    yield "{" + _table("_meta", {1: {"schema": SCHEMA, "title": papers.title, "query": papers.query}})
    keys = {entry.paper.id: list(identities(entry.paper)) for entry in papers.entries}
    annotations = {
        _key(paper): {**document, "identities": keys.get(paper) or document.get("identities", [])}
        for paper, document in papers.documents.items()
    }
    yield ",\n" + _table("annotations", annotations)
    if papers.searches:
        yield ",\n" + _table("searches", dict(enumerate(papers.searches, 1)))
    yield ",\n" + _table("papers", {_key(entry.paper.id): _paper(entry) for entry in papers.entries}) + "}\n"


def _table(name: str, documents: Mapping[int, Mapping[str, Any]]) -> str:
    lines = [f'"{key}": {json.dumps(document, ensure_ascii=False)}' for key, document in documents.items()]
    return f'"{name}": {{\n' + ",\n".join(lines) + "\n}"


def _key(paper: str) -> int:
    return int(paper, 36)


def _paper(entry: Entry) -> dict[str, Any]:
    untouched = paper_json(Entry(entry.paper, Annotation(entry.paper.id)))
    told = {name: value for name, value in untouched.items() if name not in _NOT_OF_A_PAPER}
    return {**told, "extra": dict(entry.paper.extra)}
