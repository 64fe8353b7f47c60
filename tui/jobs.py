"""What each command does: asks the library, prints for people or as JSON, returns the exit status."""

from __future__ import annotations

import contextlib
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from index import query
from index.clean import clean, drawable
from index.library import Library, LibraryError, Search, Step, Undone
from index.papers import COLOURS, Value, now
from tui import asked
from tui.printing import (
    count_papers,
    end_progress,
    found_json,
    indexing,
    paper_line,
    paper_lines,
    print_json,
    reading,
    say,
    tell_files,
    tell_found,
)
from tui.usage import UsageError

if TYPE_CHECKING:
    from index.finding import Found


def add(library: Library, options: Namespace) -> int:
    if not options.words and not options.seeds:
        raise UsageError("name the files to add, or --seeds for the lists that come with postil")
    with _told_progress():
        reports = library.add(options.words, seeds=options.seeds, format=options.format, progress=reading)
    if options.json:
        print_json({"files": [asdict(report) for report in reports]})
    tell_files(reports, to=sys.stderr if options.json else sys.stdout)
    _prepare(library)
    return int(any(report.failed for report in reports))


def search(library: Library, options: Namespace) -> int:
    text, sort = _query(options.words), options.sort
    if options.explain and options.json:
        raise UsageError("--explain and --json do not go together")
    if options.save is not None or options.delete is not None:
        return _keep_search(library, options)
    if options.saved is not None:
        saved = library.saved(options.saved)
        text, sort = _narrowed(saved.query, text, typing=options.typing), sort or saved.sort
    if options.explain:
        print(library.explain(text, typing=options.typing))
        return 0
    found = _found(library, text, typing=options.typing, sort=sort)
    limit = None if options.all else options.limit
    if options.json:
        print_json(found_json(library, found, limit))
    else:
        tell_found(library, found, limit)
    return 0


def _keep_search(library: Library, options: Namespace) -> int:
    """Save the query, or delete one that is saved."""
    if options.explain or options.json or options.typing:
        raise UsageError("--save and --delete go with no --explain, --json or --typing")
    if library.notice:
        raise LibraryError(library.notice)
    if options.delete is not None:
        _no_words(options)
        step = library.delete_search(library.saved(options.delete).name)
    else:
        name = clean(options.save).strip()
        step = library.save_search(Search(name, _query(options.words), options.sort))
    return _make(library, step)


def _narrowed(saved: str, text: str, *, typing: bool) -> str:
    """The query of a saved search with further words; the last one is left open while it is typed.

    Raises LibraryError for words that would close the search's own parenthesis.
    """
    if any("closes nothing" in problem for problem in query.parse(text).problems):
        raise LibraryError("a ) in the words closes nothing; take it out, or quote it")
    return f"({saved}) ({text}" + ("" if typing else ")") if text.strip() else saved


def show(library: Library, options: Namespace) -> int:
    id = _one_id(library, options.words)
    if options.json:
        print_json(library.json(id))
    else:
        print("\n".join(paper_lines(library.entry(id), library)))
    return 0


def related(library: Library, options: Namespace) -> int:
    id = _one_id(library, options.words)
    _prepare(library)
    near = library.related(id, options.limit)
    if options.json:
        results = [{**library.json(other.id, other.score), "terms": list(other.terms)} for other in near]
        print_json({"id": id, "results": results})
        return 0
    for other in near:
        print(paper_line(library, other.id))
        print(f"            shares: {', '.join(map(drawable, other.terms))}")
    return 0


def mark(library: Library, options: Namespace) -> int:
    edits = list(asked.edits(options))
    notes = [text for text in (options.note, options.append_note) if text is not None]
    if not edits and not notes:
        raise UsageError(
            "say what to change: --status, --star, --rating, --due, --tag, --untag, --note, --append-note"
        )
    if len(notes) == 2:
        raise UsageError("--note and --append-note do not go together")
    ids = _chosen(library, options)
    note = asked.note(library, options)
    changes = [(id, field, value) for id in ids for field, value in (*edits, *note(id))]
    what = ", ".join(asked.said(field, value) for field, value in (*edits, *(note(ids[0]) if ids else ())))
    return _commit(library, f"{what} on {count_papers(len(ids))}", changes)


def edit(library: Library, options: Namespace) -> int:
    if options.title is options.doi is options.arxiv is None:
        raise UsageError("say what to set: --title, --doi, --arxiv")
    id = _one_id(library, options.words)
    return _make(library, library.edit(id, options.title, options.doi, options.arxiv))


def join(library: Library, options: Namespace) -> int:
    return _make(library, library.join(map(library.resolve, options.words)))


def remove(library: Library, options: Namespace) -> int:
    if options.source is not None:
        if options.words or options.query is not None:
            raise UsageError("--source goes with no ID and no --query")
        ids = library.only_in(options.source)
        if not ids:
            say(f"every paper of {drawable(options.source)} is in another list too; name those to be removed")
            return 0
    else:
        ids = _chosen(library, options)
    return _make(library, library.remove(ids))


def highlight(library: Library, options: Namespace) -> int:
    if bool(options.quote) == bool(options.remove):
        raise UsageError("say either --quote TEXT or --remove HIGHLIGHT")
    id = _one_id(library, options.words)
    if options.remove:
        marks = [mark.id for mark in library.annotation(id).highlights if mark.id.startswith(options.remove)]
        if len(marks) != 1:
            raise LibraryError(f"{len(marks)} highlights of {id} begin with {options.remove!r}")
        return _commit(library, "take away a highlight", [(id, f"highlights/{marks[0]}", None)])
    start, end = asked.place(library.entry(id).paper.abstract, clean(options.quote), options.nth)
    mark = library.highlight(id, start, end, options.colour or COLOURS[0], options.comment)
    for held in library.annotation(id).highlights:
        if (held.start, held.end) == (start, end):  # one on these words: it gets what is new
            told: dict[str, Any] = {
                "colour": options.colour or held.colour,
                "comment": options.comment or held.comment,
            }
            mark = replace(held, **told)
            mark = replace(mark, changed=now()) if mark != held else held
    edit = (id, f"highlights/{mark.id}", mark.to_json())
    return _commit(library, f"highlight as {mark.colour}", [edit])


def tags(library: Library, options: Namespace) -> int:
    _no_words(options)
    if options.rename and options.delete:
        raise UsageError("--rename and --delete do not go together")
    if options.rename or options.delete is not None:
        old, new = options.rename or (options.delete, None)
        old, new = asked.tag(old), new and asked.tag(new)
        edits, papers = library.retag(old, new)
        if not papers:
            raise LibraryError(f"no paper has the tag {old!r}; `postil tags` lists them")
        what = f"rename tag {old} to {new}" if new else f"delete tag {old}"
        return _commit(library, f"{what} on {count_papers(papers)}", edits)
    if options.json:
        print_json({"tags": dict(library.tags())})
        return 0
    for tag, count in library.tags().items():
        print(f"{count:5}  {drawable(tag)}")
    return 0


def export(library: Library, options: Namespace) -> int:
    text = _query(options.words)
    found = _found(library, text, sort=options.sort, whole=True)
    papers = library.reading_list(found.ids, clean(options.title), found.query.text)
    if not found.ids:
        say(f"postil: {found.hint or 'no paper is here'}; the list is empty")
    if options.output == "":
        raise UsageError("--output names no file")
    path = None if options.output in (None, "-") else Path(options.output)
    format = options.format or (path and library.format_of(path)) or "markdown"
    if path is None:
        for piece in library.export_text(papers, format):
            sys.stdout.write(piece)
    else:
        library.export_file(papers, format, path, replace=options.replace)
        say(f"{count_papers(len(found.ids))} written to {path}")
    if lost := library.lost(format):
        say(f"{format} has no place for {lost}")
    return 0


def merge(library: Library, options: Namespace) -> int:
    if len(options.words) != 1:
        raise UsageError("name one file: another machine's annotations.json, or an export as `postil`")
    (name,) = options.words
    report = library.merge(Path(name))
    for line in report.left:
        say(f"postil: {line}")
    if away := set(report.papers) - set(library.ids):
        say(f"{count_papers(len(away))} of {name} not in this library; what is written there is kept")
    if report.searches:
        say(f"saved searches merged: {', '.join(report.searches)}")
    if report.changes:
        say(f"{name} merged into {count_papers(len(report.papers))}; `postil undo` takes it back")
    else:
        say("nothing to change")
    return 0


def undo(library: Library, options: Namespace) -> int:
    return _back(library, options, library.undo, "undone")


def redo(library: Library, options: Namespace) -> int:
    return _back(library, options, library.redo, "made again")


def history(library: Library, options: Namespace) -> int:
    _no_words(options)
    steps = library.steps(options.limit)
    if options.json:
        print_json({"steps": [asdict(step) for step in steps]})
        return 0
    for step in steps:
        kind = "undo: " if step.undoes else "redo: " if step.redoes else ""
        print(drawable(f"{step.when[:19].replace('T', ' ')}  {kind}{step.what}"))
    return 0


def reindex(library: Library, options: Namespace) -> int:
    _no_words(options)
    with _told_progress():
        library.reindex(indexing)
    say(f"the list and the search index of {count_papers(len(library.ids))} are made anew")
    return 0


def doctor(library: Library, options: Namespace) -> int:
    from tui import checkup  # loads all that it looks at

    _no_words(options)
    findings = [*library.doctor(options.repair), *checkup.surroundings()]
    return checkup.tell(findings, as_json=options.json)


# What several commands need


def _query(words: Sequence[str]) -> str:
    return " ".join(words)


def _no_words(options: Namespace) -> None:
    if options.words:
        raise UsageError(f"{options.words[0]!r} is one word too many")


def _prepare(library: Library) -> None:
    with _told_progress():
        library.prepare(indexing)


@contextlib.contextmanager
def _told_progress() -> Iterator[None]:
    """The line of progress is wiped when the job is done, breaks or is interrupted."""
    try:
        yield
    finally:
        end_progress()


def _found(
    library: Library, text: str, *, sort: str | None, typing: bool = False, whole: bool = False
) -> Found:
    """What `text` finds; with `whole`, refused unless all of it was understood."""
    if whole and not (understood := query.parse(text)).whole:
        raise LibraryError(f"the query was not wholly understood: {understood.problems[0]}")
    if whole and text.strip() and isinstance(understood.tree, query.Everything):
        raise LibraryError(f"the query {text!r} looks for nothing; write a word or a field")
    _prepare(library)
    try:
        found = library.find(text, typing=typing, sort=sort)
        if whole and not found.query.whole:  # its patterns took too long
            raise LibraryError(f"the query was not wholly answered: {found.query.problems[0]}")
        return found
    except ValueError as error:  # of a saved search: what is given on the command line was looked at
        raise LibraryError(str(error)) from error


def _one_id(library: Library, words: Sequence[str]) -> str:
    if len(words) != 1:
        raise UsageError("name one paper by its id")
    return library.resolve(words[0])


def _chosen(library: Library, options: Namespace) -> list[str]:
    """The papers that a command is to change: by their ids or by a query, not by both."""
    if bool(options.words) == bool((options.query or "").strip()):
        raise UsageError("name the papers by their ids, or with --query")
    if options.words:
        return list(dict.fromkeys(library.resolve(word) for word in options.words))
    return list(_found(library, options.query, sort=None, whole=True).ids)


def _commit(library: Library, what: str, edits: Iterable[tuple[str, str, Value]]) -> int:
    return _make(library, library.step(what, edits))


def _make(library: Library, step: Step | None) -> int:
    if step is None:
        say("nothing to change")
        return 0
    library.commit(step)
    say(f"{step.what}; `postil undo` takes it back")
    return 0


def _back(library: Library, options: Namespace, next_step: Callable[[], Undone | None], done: str) -> int:
    words = options.words or ["1"]
    if len(words) > 1 or not re.fullmatch("[1-9][0-9]{0,8}", words[0]):
        raise UsageError("say how many steps, as a number from 1 on")
    for _ in range(int(words[0])):
        back = next_step()
        if back is None:
            say("no further step")
            return 0
        library.commit(back.step)
        say(f"{done if back.step.changes else 'nothing to take back'}: {back.step.what}")
        for change in back.left:
            say(f"left alone, for it has changed since: {change.field} of {change.paper}")
    return 0


JOBS: Final[Mapping[str, Callable[[Library, Namespace], int]]] = {
    "add": add,
    "search": search,
    "show": show,
    "related": related,
    "mark": mark,
    "edit": edit,
    "join": join,
    "remove": remove,
    "highlight": highlight,
    "tags": tags,
    "export": export,
    "merge": merge,
    "undo": undo,
    "redo": redo,
    "history": history,
    "reindex": reindex,
    "doctor": doctor,
}
"""Each command's name to what it does."""
