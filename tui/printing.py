"""What the commands print: for people, and as JSON."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TextIO

from index.clean import drawable
from index.library import Library
from index.papers import Entry

if TYPE_CHECKING:
    from index.finding import Found
    from index.importing import FileReport

WIDTH: Final = 80
EVERY: Final = 0.1
"""Seconds between two lines of progress."""
AROUND: Final = 48
"""Characters shown of a note in which a query was found."""


def print_json(data: object) -> None:
    """One JSON document on standard output, in ASCII: nothing in it can act on a terminal."""
    print(json.dumps(data, indent=1))


def say(line: str) -> None:
    """A message for people, on standard error."""
    print(drawable(line), file=sys.stderr)


def count_papers(count: int) -> str:
    """`1 paper`, `7 papers`."""
    return f"{count} paper" + ("s" if count != 1 else "")


def paper_line(library: Library, id: str) -> str:
    """A paper on one line: id, heading, and what is written about it."""
    told = library.annotation(id)
    facts = [told.status] if told.status != "unread" else []
    facts += [f"{told.rating}/5"] if told.rating else []
    facts += [f"#{tag}" for tag in told.tags]
    return drawable(f"{id}  {library.row(id).heading}" + (f"  [{' '.join(facts)}]" if facts else ""))


def found_json(library: Library, found: Found, limit: int | None) -> dict[str, object]:
    """What `search --json` shows: whole matches, then partial ones, at most `limit` together."""
    partial = {part.id: part.share for part in found.partial}
    return {
        "query": found.query.text,
        "total": len(found.ids),
        "did_you_mean": found.did_you_mean,
        "hint": found.hint,
        "results": [library.json(id, found.scores.get(id), partial.get(id)) for id in found.shown[:limit]],
    }


def tell_found(library: Library, found: Found, limit: int | None) -> None:
    """The same for people; what is no paper goes to standard error."""
    partial = {part.id: part.share for part in found.partial}
    for id in found.shown[:limit]:
        notes = (partial.get(id), _passage(library, id, found))
        print(paper_line(library, id) + "".join(f"  ({note})" for note in notes if note))
    for line in (found.hint, found.did_you_mean and f"did you mean: {found.did_you_mean}"):
        if line:
            say(line)
    more = len(found.ids) - limit if limit else 0
    say(count_papers(len(found.ids)) + (f"; --all shows {more} more" if more > 0 else ""))


def _passage(library: Library, id: str, found: Found) -> str | None:
    """What the reader wrote that a paper was found by, around the match: `note: …the words…`."""
    passage = library.passage(id, found)
    if passage is None:
        return None
    where, text, spans = passage
    start, end = library.snippet(text, spans, AROUND)
    cut = ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")
    return drawable(f"{where}: {cut}")


def paper_lines(entry: Entry, library: Library) -> Iterable[str]:
    """A paper with all that is written about it."""
    paper, told = entry.paper, entry.annotation
    yield from _wrapped(told.title or paper.heading)
    yield from _wrapped(", ".join(paper.authors))
    facts = [told.status, "starred" if told.starred else "", f"{told.rating}/5" if told.rating else ""]
    facts += [f"due {told.due}" if told.due else "", *(f"#{tag}" for tag in told.tags), paper.venue or ""]
    yield from _wrapped(" · ".join(filter(None, [*facts, str(paper.year or "")])))
    yield from _wrapped("; ".join(f"{source.file}, no. {source.position}" for source in paper.sources))
    yield from ("", *_wrapped(paper.abstract))
    if told.note:
        yield from ("", "-- note", *map(drawable, told.note.split("\n")))
    if told.highlights:
        yield from ("", "-- highlights")
    for mark in told.highlights:
        yield from _wrapped(
            f"{mark.id} {library.settings.meanings.get(mark.colour, mark.colour)}: {mark.quote}"
        )
        yield from _wrapped(f"  {mark.comment}" if mark.comment else "")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(drawable(text), WIDTH)


def tell(report: FileReport, to: TextIO) -> None:
    """What became of a file, and each record that was skipped."""
    name = drawable(report.path)
    if report.error:
        say(f"postil: {name}: {report.error}")
    if report.format:
        told = f"{report.new} new, {report.merged} merged, {report.unchanged} already here"
        skipped = f", {len(report.skipped)} skipped" if report.skipped else ""
        print(f"{name}: {report.format}, {report.records} records: {told}{skipped}", file=to)
    for problem in report.skipped:
        where = f"record {problem.position}: " if problem.position else ""
        say(f"{name}: {where}{problem.reason}")


def reading(file: str, records: int, share: float | None) -> None:
    """Progress of an import, of which the share is read; None if that is not known."""
    part = "" if share is None else f", {100 * share:.0f} %"
    _progress(f"reading {file}", records, f"{records:,} records{part}", share)


def indexing(done: int, total: int) -> None:
    """Progress of the search index."""
    _progress("building the search index", done, f"{done:,} of {total:,}", done / max(total, 1))


class _Job:
    """What `_progress` tells of now: since when, from where on, and when it was told last."""

    what = ""
    began = told = share = 0.0
    done = 0


def _progress(what: str, done: int, far: str, share: float | None) -> None:
    """How far a job is, its rate and the time left: on a terminal, in a line that is rewritten."""
    if not sys.stderr.isatty():
        return
    now = time.monotonic()
    if what != _Job.what or done < _Job.done:
        _Job.what, _Job.began, _Job.told, _Job.done, _Job.share = what, now, 0.0, done, share or 0.0
    if now - _Job.told < EVERY:
        return
    _Job.told = now
    took = now - _Job.began
    line = f"{what}: {far}"
    if took >= 1 and done - _Job.done >= took:
        line += f", {(done - _Job.done) / took:,.0f} a second"
        if share and share > _Job.share:
            line += f", {_left(took * (1 - share) / (share - _Job.share))} left"
    print(f"\r{drawable(line)[: WIDTH - 1]}\x1b[K", end="", file=sys.stderr, flush=True)


def _left(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def end_progress() -> None:
    """Wipe the line of progress; what comes next is another job."""
    if _Job.what:
        _Job.what = ""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
