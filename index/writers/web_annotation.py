"""W3C Web Annotation as JSON-LD: each highlight, note and tag about the paper's address.

https://www.w3.org/TR/annotation-model/. A highlight is found by its quote with as much around it as makes
it the only one, and by its place in the abstract, in code points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from index.anchors import anchored
from index.papers import Entry, Highlight
from index.writers.reading_list import ReadingList

LOST: Final = "abstracts and what else is known of a paper; papers about which nothing is written"
_CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
_STEP: Final = 16
"""Characters by which what stands around a quote grows until it is the only one."""


def write(papers: ReadingList) -> Iterator[str]:
    """One collection with one page."""
    head = {"@context": _CONTEXT, "type": "AnnotationCollection", "label": papers.title}
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "first": {"type": "AnnotationPage", "items": ['
    between = "\n"
    for entry in papers.entries:
        for annotation in _annotations(entry, papers.meanings):
            yield between + json.dumps(annotation, ensure_ascii=False)
            between = ",\n"
    yield "\n]}}\n"


def _annotations(entry: Entry, meanings: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    paper, told = entry.paper, entry.annotation
    source = {"source": _address(entry)}
    held, lost = anchored(told, paper.abstract)
    for mark in (*held, *lost):
        body = [_body("tagging", meanings.get(mark.colour, mark.colour))]
        body += [_body("commenting", mark.comment)] if mark.comment else []
        target = {**source, "selector": _selectors(mark, paper.abstract, lost=mark in lost)}
        times = {"created": mark.created, "modified": mark.changed}
        yield _made(f"{paper.id}:{mark.id}", "highlighting", body, target, times)
    if told.note:
        body = [{**_body("commenting", told.note), "format": "text/markdown"}]
        yield _made(f"{paper.id}:note", "commenting", body, source, {"modified": told.when("note")})
    if told.tags:
        body = [_body("tagging", tag) for tag in told.tags]
        yield _made(f"{paper.id}:tags", "tagging", body, source, {})
    marks = [told.status, "starred" if told.starred else "", f"{told.rating}/5" if told.rating else ""]
    marks.append(f"due {told.due}" if told.due else "")
    if told.times and any((told.when("status"), told.starred, told.rating, told.due)):
        body = [_body("assessing", ", ".join(filter(None, marks)))]
        yield _made(f"{paper.id}:status", "assessing", body, source, {})


def _made(
    name: str, motivation: str, body: list[dict[str, str]], target: dict[str, Any], times: dict[str, str]
) -> dict[str, Any]:
    kept = {name: time for name, time in times.items() if time}
    return {"id": f"urn:postil:{name}", "type": "Annotation", "motivation": motivation, **kept, "body": body,
            "target": target}  # fmt: skip


def _body(purpose: str, value: str) -> dict[str, str]:
    return {"type": "TextualBody", "purpose": purpose, "value": value, "format": "text/plain"}


def _address(entry: Entry) -> str:
    """Where the paper is read, or what names it."""
    ids = entry.paper.identifiers
    found = [f"https://arxiv.org/abs/{id}" for id in ids.get("arxiv", ())]
    found += [f"https://doi.org/{id}" for id in ids.get("doi", ())]
    return next(iter((*found, *entry.paper.links, f"urn:postil:{entry.paper.id}")))


def _selectors(mark: Highlight, text: str, *, lost: bool) -> list[dict[str, Any]]:
    if lost:
        quote = {"exact": mark.quote, "prefix": mark.prefix, "suffix": mark.suffix}
        return [{"type": "TextQuoteSelector", **quote}]
    start, end, around = mark.start, mark.end, _STEP
    while True:
        before, after = max(0, start - around), min(len(text), end + around)
        if text.count(text[before:after]) == 1 or (before, after) == (0, len(text)):
            break
        around += _STEP
    quote = {"exact": text[start:end], "prefix": text[before:start], "suffix": text[end:after]}
    return [
        {"type": "TextQuoteSelector", **quote},
        {"type": "TextPositionSelector", "start": start, "end": end},
    ]
