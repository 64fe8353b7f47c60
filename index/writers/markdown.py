"""Markdown: a reading list grouped by status, with notes, highlights and, folded last, the abstract."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from index.clean import one_line
from index.papers import STATUSES, Entry, Highlight
from index.writers.reading_list import ReadingList

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_START: Final = re.compile(r"^(\d+(?=[.)])|(?=[-+=]))")


def write(papers: ReadingList) -> Iterator[str]:
    """The list as CommonMark with GitHub's `<details>`; no text of a paper can act as markup."""
    counts = Counter(entry.annotation.status for entry in papers.entries)
    yield f"# {escaped(papers.title)}\n\n"
    told = [f"{counts[status]} {status}" for status in STATUSES if counts[status]]
    yield f"{len(papers.entries)} paper" + ("s" if len(papers.entries) != 1 else "")
    yield f" ({', '.join(told)}), last changed {escaped(papers.changed)}" if told else ""
    yield f", found by {_code(papers.query)}\n" if papers.query else "\n"
    for status in STATUSES:
        if counts[status]:
            yield f"\n## {status.capitalize()}\n"
        for entry in papers.entries:
            if entry.annotation.status == status:
                yield from _paper(entry, papers.meanings)


def escaped(text: str) -> str:
    """`text` on one line, without spaces around it, so that Markdown shows it as it stands."""
    return _START.sub(r"\1\\", _SPECIAL.sub(r"\\\1", one_line(text).strip()))


def _paper(entry: Entry, meanings: Mapping[str, str]) -> Iterator[str]:
    paper, told = entry.paper, entry.annotation
    derived = not (told.title or paper.title)
    yield f"\n### {escaped(told.title or paper.heading)}\n\n"
    for line in _facts(entry, derived):
        yield f"- {line}\n"
    if told.note:
        yield f"\n{_note(told.note)}\n"
    for mark in told.highlights:
        yield from _highlight(mark, meanings)
    yield f"\n<details><summary>Abstract</summary>\n\n{escaped(paper.abstract)}\n\n</details>\n"


def _note(text: str) -> str:
    """A note of the reader's as it stands, its headings below those of the list and its fences closed."""
    fence = ""
    lines = []
    for line in text.rstrip().split("\n"):
        if mark := re.match(r" {0,3}(```+|~~~+)", line):
            closes = fence and mark[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence or mark[1]
        elif not fence and re.match(r" {0,3}#{1,6}(?:\s|$)", line):
            line = "###" + line.lstrip()
            line = re.sub(r"^#{7,}", "######", line)
        lines.append(line)
    return "\n".join([*lines, fence] if fence else lines)


def _facts(entry: Entry, derived: bool) -> Iterator[str]:
    paper, told = entry.paper, entry.annotation
    if paper.authors:
        yield escaped(", ".join(paper.authors))
    if published := [str(part) for part in (paper.venue, paper.year) if part]:
        yield escaped(", ".join(published))
    marks = [f"{told.rating}/5" if told.rating else "", "starred" if told.starred else ""]
    marks += [f"due {told.due}" if told.due else "", *(f"#{escaped(tag)}" for tag in told.tags)]
    if any(marks):
        yield " · ".join(filter(None, marks))
    yield from (
        f"<{link}>" if re.fullmatch(r"https?://[^\s<>]+", link) else escaped(link) for link in paper.links
    )
    listed = "; ".join(f"{escaped(source.file)}, no. {source.position}" for source in paper.sources)
    yield f"{listed} · id {paper.id}" + (" · heading derived from the abstract" if derived else "")


def _highlight(mark: Highlight, meanings: Mapping[str, str]) -> Iterator[str]:
    yield f"\n> {escaped(mark.quote)}\n>\n> — {escaped(meanings.get(mark.colour, mark.colour))}\n"
    if mark.comment:
        yield f">\n> {escaped(mark.comment)}\n"


def _code(text: str) -> str:
    """`text` as code, between more backticks than it holds itself."""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{one_line(text)}{pad}{fence}"
