"""What the options of a command ask for, as edits of papers. Raises UsageError for what they cannot mean."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from datetime import date

from index.clean import clean, tag_name
from index.days import parse_day
from index.library import Library, LibraryError
from index.papers import Value
from tui.usage import UsageError


def edits(options: Namespace) -> Iterable[tuple[str, Value]]:
    """Fields and their new values, but for the note."""
    if options.status:
        yield "status", options.status
    if options.starred is not None:
        yield "starred", options.starred
    if options.rating is not None:
        yield "rating", options.rating or None
    if options.due is not None:
        try:
            yield "due", parse_day(options.due, date.today())  # noqa: DTZ011 (the reader's own day)
        except ValueError as error:
            raise UsageError(str(error)) from error
    tags, untags = (
        dict.fromkeys(tag(name) for given in names for name in given.split(","))
        for names in (options.tag, options.untag)
    )
    if both := [one for one in tags if one in untags]:
        raise UsageError(f"--tag and --untag of {both[0]!r} do not go together")
    yield from ((f"tags/{one}", True) for one in tags)
    yield from ((f"tags/{one}", False) for one in untags)


def tag(name: str) -> str:
    """A tag as it is kept."""
    if kept := tag_name(name):
        return kept
    raise UsageError(f"{name!r} is no tag")


def note(library: Library, options: Namespace) -> Callable[[str], list[tuple[str, Value]]]:
    """The edit of a paper's note that the options ask for."""
    given = options.note if options.note is not None else options.append_note
    if given is None:
        return lambda _id: []
    text = clean(sys.stdin.buffer.read().decode("utf-8", "replace") if given == "-" else given)

    def edit(id: str) -> list[tuple[str, Value]]:
        old = library.annotation(id).note if options.note is None else ""
        return [("note", "\n\n".join(filter(None, (old.rstrip("\n") if old.strip() else "", text))))]

    return edit


def said(field: str, value: Value) -> str:
    """An edit in a few words."""
    kind, _, key = field.partition("/")
    match kind:
        case "tags":
            return f"tag {key}" if value else f"untag {key}"
        case "starred":
            return "star" if value else "no star"
        case "note":
            return "note"
    return f"{kind} {'none' if value is None else value}"


def place(abstract: str, quote: str, nth: int | None) -> tuple[int, int]:
    """Where `quote` stands in the abstract, any white space in it being as good as any other."""
    wanted = r"\s+".join(map(re.escape, quote.split()))
    places = [found.span() for found in re.finditer(wanted, abstract)] if wanted else []
    if not places:
        raise LibraryError(f"the abstract does not hold {quote!r}")
    if nth is None and len(places) > 1:
        raise LibraryError(f"the abstract holds {quote!r} {len(places)} times; say which with --nth")
    if (nth or 1) > len(places):
        raise LibraryError(f"the abstract holds {quote!r} {len(places)} times; --nth {nth} is beyond")
    return places[(nth or 1) - 1]
