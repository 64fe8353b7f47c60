"""What is written about two papers that are one becomes what is written about the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from index.papers import APART_IN_LINE, STATUSES, Annotation, Highlight, Value, both_notes


def edits(first: Annotation, other: Annotation) -> Iterator[tuple[str, Value]]:
    """The fields of `first` that change, each with its new value, so that nothing of `other` is lost.

    Of a status, a rating and a due date the one that was given later counts; what one lacks the other gives.
    """
    for field, nothing in (("status", STATUSES[0]), ("rating", None), ("due", None)):
        old, new = first.value(field), other.value(field)
        if new != nothing and (old == nothing or other.when(field) > first.when(field)):
            yield field, new
    for field in ("title", "doi", "arxiv"):
        if other.value(field) and not first.value(field):
            yield field, other.value(field)
    if other.starred:
        yield "starred", True
    for tag in other.tags:
        yield f"tags/{tag}", True
    if other.note:
        yield "note", both_notes("", first.note, other.note) if first.note else other.note
    for mark in other.highlights:
        same = next((one for one in first.highlights if _same(one, mark)), None)
        if same is None:
            yield f"highlights/{mark.id}", mark.to_json()
        elif mark.comment and mark.comment not in same.comment:
            both = APART_IN_LINE.join(filter(None, (same.comment, mark.comment)))
            yield f"highlights/{same.id}", replace(same, comment=both).to_json()


def _same(one: Highlight, other: Highlight) -> bool:
    """Whether two highlights are on the same words of the same text."""
    places = [(mark.quote, mark.prefix, mark.suffix) for mark in (one, other)]
    return one.id == other.id or places[0] == places[1]
