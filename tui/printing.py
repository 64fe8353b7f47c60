"""What the commands print: for people, and as JSON."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from index.clean import drawable
from index.library import Library
from index.papers import Entry
from tui.pace import Pace

if TYPE_CHECKING:
    from index.finding import Found
    from index.importing import FileReport

WIDTH: Final = 80
EVERY: Final = 0.1
"""Seconds between two lines of progress."""
LONGEST_NAME: Final = 24
"""Characters of a file's name beside its progress."""
MOST_SKIPPED: Final = 50
"""Records of a file of which it is said why they were skipped."""
MOST_NAMED: Final = 5
"""Files that are no lists of which the names are told."""
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


def tell_files(reports: Sequence[FileReport], to: TextIO) -> None:
    """What became of the files of an import, in a table if there are several, and why records were skipped.

    Files that were not named and are no lists, such as the pictures in a folder, are told in one line.
    """
    others = [report for report in reports if report.error and not report.failed]
    for report in reports:
        name = drawable(report.path)
        if report.failed:
            say(f"postil: {name}: {report.error}")
        for problem in report.skipped[:MOST_SKIPPED]:
            where = f"record {problem.position}: " if problem.position else ""
            say(f"{name}: {where}{problem.reason}")
        if len(report.skipped) > MOST_SKIPPED:
            say(f"{name}: {len(report.skipped) - MOST_SKIPPED:,} more were skipped; --json tells each")
    if others:
        names = [drawable(report.path) for report in others]
        some = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
        say(f"passed over, being no lists of papers: {len(names)} of {len(reports)} files ({some})")
    read = [report for report in reports if report.format and report not in others]
    if len(read) == 1:
        (one,) = read
        told = f"{one.new} new, {one.merged} merged, {one.unchanged} already here"
        skipped = f", {len(one.skipped)} skipped" if one.skipped else ""
        print(f"{drawable(one.path)}: {one.format}, {one.records} records: {told}{skipped}", file=to)
    elif read:
        _print_table(read, to)
    if named := sum(report.one for report in read):
        say(f"{named} of these records named papers that are one: joined; `postil undo` takes them apart")
    if gone := sum(report.removed for report in read):
        stay = "is of a paper that was" if gone == 1 else "are of papers that were"
        say(f"{gone} of these records {stay} removed from the library, and it stays so")


def _print_table(reports: Sequence[FileReport], to: TextIO) -> None:
    """A line for each file, and one for all."""
    from rich.cells import cell_len, set_cell_size

    numbers = [(one.records, one.new, one.merged, one.unchanged, len(one.skipped)) for one in reports]
    rows: list[tuple[str, ...]] = [("file", "format", "records", "new", "merged", "already here", "skipped")]
    for report, counts in zip(reports, numbers, strict=True):
        rows.append((drawable(report.path), str(report.format), *map(str, counts)))
    rows.append(("all", "", *(str(sum(column)) for column in zip(*numbers, strict=True))))
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        told = [set_cell_size(text, width) for text, width in zip(row[:2], widths, strict=False)]
        told += [text.rjust(width) for text, width in zip(row[2:], widths[2:], strict=True)]
        print("  ".join(told), file=to)


def reading(file: str, records: int, share: float | None) -> None:
    """Progress of an import, of which the share is read; None if that is not known."""
    part = "" if share is None else f", {100 * share:.0f} %"
    name = file if len(file) <= LONGEST_NAME else file[: LONGEST_NAME - 1] + "…"
    _progress(f"reading {name}", records, f"{records:,} records{part}", share)


def indexing(done: int, total: int) -> None:
    """Progress of the search index."""
    _progress("indexing", done, f"{done:,} of {total:,}", done / max(total, 1))


class _Job:
    """What `_progress` tells of now, at which pace, and when it was told last."""

    what = ""
    told = 0.0
    pace = Pace()


def _progress(what: str, done: int, far: str, share: float | None) -> None:
    """How far a job is, its rate and the time left: on a terminal, in a line that is rewritten."""
    if not sys.stderr.isatty():
        return
    now = time.monotonic()
    if what != _Job.what or done < _Job.pace.done:
        _Job.what, _Job.told, _Job.pace = what, 0.0, Pace(done, share)
    if now - _Job.told < EVERY:
        return
    _Job.told = now
    line = f"{what}: {_Job.pace.told(done, far, share)}"
    print(f"\r{drawable(line)[: WIDTH - 1]}\x1b[K", end="", file=sys.stderr, flush=True)


def end_progress() -> None:
    """Wipe the line of progress; what comes next is another job."""
    if _Job.what:
        _Job.what = ""
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
