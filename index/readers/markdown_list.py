"""Markdown lists and tables with links to arXiv: one record an arXiv id, titled by its link.

An abstract is taken where it is plainly one: a quote or a line "Abstract: …" below the link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers
from index.readers.texts import each, line, text_of

LONGEST: Final = 200_000
"""Characters of a line that are looked at."""
_PAPER: Final = r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/[^\s)>\]|]+"
_LINK: Final = re.compile(rf"\[((?:[^\[\]\\]|\[[^\[\]]*\]|\\.)*)\]\(\s*<?({_PAPER})>?[^)]*\)", re.DOTALL)
_LINES: Final = 2
"""Lines that the text of a link goes on in."""
_ADDRESS: Final = re.compile(_PAPER)
_SHAPE: Final = re.compile(r"^(?:\s*[-*+]\s|\s*\d+[.)]\s|\s*#{1,6}\s|\s*\||\s*>|---\s*$)", re.MULTILINE)
_ABSTRACT: Final = re.compile(
    r"\s*(?:[-*>]\s*)*[*_]*abstract[*_]*\s*[:.]\s*[*_]*\s*(.*)", re.IGNORECASE | re.DOTALL
)
_QUOTE: Final = re.compile(r"\s*>\s?(.*)", re.DOTALL)
_NO_TITLE: Final = re.compile(
    r"(?:arxiv|pdf|abs|paper|link|html|\[?\d{4}\.\d{4,5}\]?)(?:v\d+)?[\s:.]*(?:\d{4}\.\d{4,5})?",
    re.IGNORECASE,
)


def fits(head: str) -> bool:
    return bool(_SHAPE.search(head)) and bool(
        _ADDRESS.search(head) or re.search(r"^#{1,6} \S", head, re.MULTILINE)
    )


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record for each arXiv id, where it comes first; no link, no record."""
    position, seen = 0, set[str]()
    open_: tuple[int, str, str, list[str]] | None = None
    for joined in _joined(text):
        found = [(title, id) for title, address in _links(joined) if (id := identifiers.arxiv(address))]
        if not found:
            if open_:
                _take(joined, open_[3])
            continue
        for title, id in found:
            if id in seen:
                continue
            if open_:
                yield _record(*open_)
            seen.add(id)
            position += 1
            open_ = (position, title, id, [])
    if open_:
        yield _record(*open_)


def _joined(text: TextIO) -> Iterator[str]:
    """The lines; one in which a link's text is open with the next two, but not over a gap or an item."""
    held: list[str] = []
    while one := text.readline(LONGEST):
        if held and (not one.strip() or _SHAPE.match(one)):
            yield from held  # the bracket was no link's
            held = []
        held.append(one)
        whole = "".join(held)
        if whole.count("[") <= whole.count("]") or len(held) > _LINES:
            yield from [whole] if whole.count("[") <= whole.count("]") else held
            held = []
    yield from held


def _links(text: str) -> Iterator[tuple[str, str]]:
    """The title and the address of each paper in a line."""
    end = 0
    for found in _LINK.finditer(text):
        for bare in _ADDRESS.finditer(text, end, found.start()):
            yield "", bare[0]
        yield line(found[1].replace("\\", "")), found[2]
        end = found.end()
    for bare in _ADDRESS.finditer(text, end):
        yield "", bare[0]


def _take(text: str, abstract: list[str]) -> None:
    """What of a line below a link belongs to its abstract."""
    quoted = _QUOTE.fullmatch(text)
    if (named := _ABSTRACT.fullmatch(text)) or (quoted and quoted[1].strip()):
        told = named[1] if named else quoted[1] if quoted else ""
        abstract.append(told.strip())


def _record(position: int, title: str, id: str, abstract: list[str]) -> Record | Problem:
    title = "" if _NO_TITLE.fullmatch(title) else title.strip("*_ ")
    if not title and not abstract:
        return Problem(position, f"arXiv {id} has neither title nor abstract here")
    return Record(
        position, text_of("\n".join(abstract)), title or None, each(()), identifiers={"arxiv": (id,)}
    )
