"""Hugging Face's daily papers, as its API has given them through the years and as others collect them.

A paper may stand under `paper` or by itself, its abstract as `summary`, `abstract` or in `details`. Some
archives hold Python's `repr` of each object instead of the object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers, json_records
from index.readers.dates import dated
from index.readers.json_records import keys
from index.readers.texts import each, line, text_of

LONGEST: Final = 1_000_000
"""Characters of a `repr` that is looked at."""
_KEPT: Final = ("upvotes", "ai_summary", "numComments", "stars")


def fits(head: str) -> bool:
    found = keys(head)
    return "paper_url" in found or ("paper" in found and bool(found & {"publishedAt", "summary"}))


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record a paper; what is not one is a Problem."""
    return json_records.read(text, _record)


def _record(position: int, value: Any) -> Record | Problem | None:
    if isinstance(value, str):
        value = _evaluated(value)
    if not isinstance(value, Mapping):
        return Problem(position, "no paper: not an object")
    inner, details = (
        part if isinstance(part := value.get(name), Mapping) else {} for name in ("paper", "details")
    )
    levels = (inner, value, details)

    def first(*names: str) -> str:
        told = (level.get(name) for level in levels for name in names)
        return next((one for one in told if isinstance(one, str) and one.strip()), "")

    title, abstract = line(first("title")), text_of(first("summary", "abstract"))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    addresses = [first(name) for name in ("paper_url", "arxiv_page_url", "projectPage", "githubRepo")]
    told = identifiers.told(
        arxiv=next(filter(None, map(_arxiv, (first("id", "arxiv_id"), *addresses[:2]))), None)
    )
    authors = next(
        (names for level in levels if isinstance(names := level.get("authors"), list) and names), []
    )
    year, date = dated(first("publishedAt", "published", "scraped_date")[:10])
    return Record(
        position, abstract, title or None, each(map(_name, authors)), year, date,
        identifiers=told, links=identifiers.links(addresses, told),
        keywords=tuple(map(line, filter(_is_text, inner.get("ai_keywords") or ()))),
        extra={
            name: kept
            for level in levels for name in _KEPT if isinstance(kept := level.get(name), str | int)
        },
    )  # fmt: skip


def _evaluated(text: str) -> Any:
    """The object that a `repr` says; None where it says none."""
    if len(text) > LONGEST:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _name(author: Any) -> str:
    name = author.get("name") or author.get("fullname") if isinstance(author, Mapping) else author
    return name if isinstance(name, str) else ""


def _arxiv(told: str) -> str | None:
    """The arXiv id that is told, or that stands in the address of a page of papers on Hugging Face."""
    _, found, id = told.partition("huggingface.co/papers/")
    return identifiers.arxiv(told) or (identifiers.arxiv(id) if found else None)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
