"""An annotation as a document of the table `annotations`, and back; and what its fields can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from operator import itemgetter
from typing import Any, Final

from tinydb.table import Document

from index.annotations.searches import checked_search
from index.clean import clean, tag_name
from index.papers import COLOURS, STATUSES, Annotation, Change, Highlight, Value

_ID: Final = re.compile("[a-z][0-9a-z]{9}")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PLAIN: Final = ("status", "starred", "rating", "due", "note", "title", "doi", "arxiv", "removed", "joined")
_SELDOM: Final = ("doi", "arxiv", "removed", "joined")
"""Fields that a document has only once they were set."""
_MARK_TEXTS: Final = ("id", "quote", "prefix", "suffix", "colour", "comment", "created", "changed")
_mark_texts: Final = itemgetter(*_MARK_TEXTS)


def document_id(paper: str) -> int:
    """The number under which TinyDB keeps a paper. Raises ValueError when `paper` is no id."""
    if not _ID.fullmatch(paper):
        raise ValueError(f"{paper!r} is no id of a paper")
    return int(paper, 36)


def paper_of(key: str) -> str:
    """The paper that is kept under the number `key`."""
    number, paper = int(key), ""
    while number:
        number, digit = divmod(number, 36)
        paper = _DIGITS[digit] + paper
    return paper


def to_document(annotation: Annotation, old: Mapping[str, Any], identities: Sequence[str] | None) -> Document:
    """The document for `annotation`, in the place of `old`: fields that postil does not know are kept.

    `identities` None keeps those of `old`.
    """
    marks = {mark["id"]: mark for mark in old.get("highlights", ())}
    fields = {
        "paper": annotation.paper,
        "identities": list(old.get("identities", ()) if identities is None else identities),
        "status": annotation.status,
        "starred": annotation.starred,
        "rating": annotation.rating,
        "due": annotation.due,
        "tags": list(annotation.tags),
        "note": annotation.note,
        "highlights": [{**marks.get(mark.id, {}), **mark.to_json()} for mark in annotation.highlights],
        "title": annotation.title,
        "times": dict(annotation.times),
    }
    for name in _SELDOM:
        if (value := getattr(annotation, name)) or name in old:
            fields[name] = value
    if annotation.versions:
        fields["versions"] = dict(annotation.versions)
    return Document({**old, **fields}, doc_id=document_id(annotation.paper))


def from_document(document: Mapping[str, Any]) -> Annotation:
    """The annotation in a checked document, its text made safe: the file may have been written by anyone."""
    get = document.get
    return Annotation(
        paper=document["paper"],
        status=get("status", STATUSES[0]),
        starred=get("starred", False),
        rating=get("rating"),
        due=get("due"),
        tags=tuple(sorted(set(filter(None, map(tag_name, get("tags", ())))))),
        note=_safe(get("note", "")),
        highlights=tuple(map(_highlight, get("highlights", ()))),
        title=_safe_line(get("title")),
        doi=_safe_line(get("doi")),
        arxiv=_safe_line(get("arxiv")),
        removed=get("removed", False),
        joined=get("joined"),
        times=dict(get("times", {})),
        versions=dict(get("versions", {})),
    )


def checked_document(key: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document at `key`, if it is an annotation; its text and tags set right where they are not.

    Much quicker than to make an annotation, so that a whole file is looked at when it is opened.
    Raises ValueError, TypeError, KeyError or AttributeError.
    """
    get = document.get
    if key != str(document_id(document["paper"])):
        raise ValueError("its key is not the number of its paper")
    tags, marks = get("tags", []), get("highlights", [])
    if not (isinstance(tags, list) and isinstance(marks, list)):
        raise TypeError("its tags and highlights are not lists")
    title = get("title")
    times = [*get("times", {}).values(), *get("versions", {}).values()]
    given = [text for text in (title, get("doi"), get("arxiv")) if text is not None]
    text = "".join([get("note", ""), *given, *tags, *times])
    _check(get("status", STATUSES[0]), get("starred", False), get("rating"), get("due"))
    _check_flag("removed", get("removed", False))
    _check_joined(get("joined"), document["paper"])
    for mark in marks:
        _check_mark(mark)
    if _is_safe(text) and tags == [*map(tag_name, tags)]:
        return document
    return to_document(from_document(document), document, None)


def checked(change: Change) -> Change:
    """`change` as an annotation can hold it: text cleaned, a tag in lower case and on one line.

    Raises ValueError for what no annotation can hold.
    """
    if not change.paper:
        return checked_search(change)
    kind, _, key = change.field.partition("/")
    try:
        document_id(change.paper)
        if kind == "tags":
            tag = tag_name(key)
            if not tag or not isinstance(change.after, bool):
                raise ValueError("a tag has a name, and is True or False")
            return replace(change, field=f"tags/{tag}")
        if kind == "highlights":
            return replace(change, after=_mark_value(key, change.after))
        if change.field not in _PLAIN:
            raise ValueError("there is no such field")
        if isinstance(change.after, str):
            change = replace(change, after=clean(change.after))
        after = Annotation(change.paper).after(change)
        texts = (after.title, after.doi, after.arxiv)
        if not isinstance(after.note, str) or not all(isinstance(text, str | None) for text in texts):
            raise ValueError("it is text")
        _check(after.status, after.starred, after.rating, after.due)
        _check_flag("removed", after.removed)
        _check_joined(after.joined, change.paper)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{change.field!r} cannot be {change.after!r} ({error})") from error
    return change


def differences(before: Annotation, after: Annotation, when: str) -> list[Change]:
    """What makes `before` into `after`, as changes that name no step and no origin.

    Each is of the time that `after` gives its field, or else of `when`.
    """
    sides = (before, after)
    names = dict.fromkeys(_PLAIN)
    names |= dict.fromkeys(f"tags/{tag}" for side in sides for tag in side.tags)
    names |= dict.fromkeys(f"highlights/{mark.id}" for side in sides for mark in side.highlights)
    values = [(name, before.value(name), after.value(name)) for name in names]
    return [
        Change("", "", after.paper, name, old, new, after.when(name) or when)
        for name, old, new in values
        if old != new
    ]


def _mark_value(key: str, value: Value) -> Value:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError("a highlight is a mapping or None")
    _check_mark(value)
    mark = _highlight(value)
    if mark.id != key or not key or mark.colour not in COLOURS or not 0 <= mark.start < mark.end:
        raise ValueError("its id, its colour or its place is wrong")
    return mark.to_json()


def _check(status: Any, starred: Any, rating: Any, due: Any) -> None:
    if status not in STATUSES:
        raise ValueError(f"a status is one of {', '.join(STATUSES)}")
    _check_flag("starred", starred)
    if rating is not None and (type(rating) is not int or not 1 <= rating <= 5):
        raise ValueError("a rating is from 1 to 5")
    if due is not None and date.fromisoformat(due).isoformat() != due:
        raise ValueError("a due date is written as 2026-11-30")


def _check_joined(value: object, paper: str) -> None:
    if value is not None and (not isinstance(value, str) or not _ID.fullmatch(value) or value == paper):
        raise ValueError("joined is the id of another paper")


def _check_flag(name: str, value: Any) -> None:
    if type(value) is not bool:
        raise ValueError(f"{name} is true or false")


def _check_mark(mark: Mapping[str, Any]) -> None:
    if type(mark["start"]) is not int or type(mark["end"]) is not int:
        raise TypeError("the start and the end of a highlight are numbers")
    try:
        "".join(_mark_texts(mark))
    except KeyError:  # not all are needed
        "".join([mark["id"], mark["quote"], *(mark.get(name, "") for name in _MARK_TEXTS)])


def _highlight(value: Mapping[str, Any]) -> Highlight:
    mark = Highlight.from_json(value)
    if _is_safe("".join([getattr(mark, name) for name in _MARK_TEXTS])):
        return mark
    cleaned: dict[str, Any] = {name: clean(getattr(mark, name)) for name in _MARK_TEXTS}
    return replace(mark, **cleaned)


def _is_safe(text: str) -> bool:
    """Quick, and true of nearly all text: printable characters and LF alone."""
    return text.replace("\n", "").isprintable()


def _safe_line(text: str | None) -> str | None:
    return None if text is None else _safe(text)


def _safe(text: str) -> str:
    return text if _is_safe(text) else clean(text)
