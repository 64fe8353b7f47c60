"""The command line: what may be said to `postil`, and how it answers when something is wrong.

Nothing here loads the screen unless the reader is opened.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from index import paths
from index.clean import drawable
from index.library import Library, LibraryError
from index.papers import COLOURS, STATUSES
from tui.usage import UsageError

DONE: Final = 0
FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130
FRAMES: Final = "333"
"""Frames a second that Textual may paint: with its 60 a letter waits up to 17 ms for the next one."""

SORTS: Final = ("relevance", "added", "title", "year", "status", "rating", "due", "opened")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{drawable(message)}; `{self.prog} --help` tells more")


def _parser(name: str, about: str) -> _Parser:
    parser = _Parser(prog=f"postil {name}".strip(), description=about, allow_abbrev=False)
    parser.add_argument("--library", metavar="DIR", help="the folder of the library")
    return parser


def _add() -> _Parser:
    parser = _parser("add", "Import lists of abstracts; `-` reads standard input.")
    parser.add_argument("words", nargs="*", metavar="FILE")
    parser.add_argument("--seeds", action="store_true", help="the lists that come with postil")
    parser.add_argument("--format", metavar="F", help="do not tell the format by the content")
    parser.add_argument("--json", action="store_true")
    return parser


def _search() -> _Parser:
    parser = _parser("search", "Find papers; put `--` before a query that begins with a minus.")
    parser.add_argument("words", nargs="*", metavar="QUERY")
    parser.add_argument("--typing", action="store_true", help="take the last word as only begun")
    saved = parser.add_mutually_exclusive_group()
    saved.add_argument("--saved", metavar="NAME", help="run a saved search; QUERY narrows it")
    saved.add_argument("--save", metavar="NAME", help="save QUERY and --sort instead of running it")
    saved.add_argument("--delete", metavar="NAME", help="delete a saved search")
    parser.add_argument("--limit", type=_count, default=20, metavar="N", help="show at most N (20)")
    parser.add_argument("--all", action="store_true", help="show every one")
    parser.add_argument("--sort", choices=SORTS)
    parser.add_argument("--explain", action="store_true", help="print how the query was understood")
    parser.add_argument("--json", action="store_true")
    return parser


def _show() -> _Parser:
    parser = _parser("show", "Show a paper with all that is written about it.")
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--json", action="store_true")
    return parser


def _related() -> _Parser:
    parser = _parser("related", "The nearest papers, and the terms that they share.")
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--limit", type=_count, default=8, metavar="N")
    parser.add_argument("--json", action="store_true")
    return parser


def _mark() -> _Parser:
    parser = _parser("mark", "Change what is written about papers; one step to undo.")
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--query", metavar="Q", help="all papers that Q finds")
    parser.add_argument("--status", choices=STATUSES)
    parser.add_argument("--star", dest="starred", action="store_true", default=None)
    parser.add_argument("--no-star", dest="starred", action="store_false")
    parser.add_argument("--rating", type=int, choices=range(6), metavar="0-5", help="0 clears it")
    parser.add_argument("--due", metavar="DATE", help="2026-12-01, today, 7d, …; none clears it")
    parser.add_argument("--tag", action="append", default=[], metavar="T")
    parser.add_argument("--untag", action="append", default=[], metavar="T")
    parser.add_argument("--note", metavar="TEXT", help="in place of the note; - reads standard input")
    parser.add_argument("--append-note", metavar="TEXT", help="at the end of the note")
    return parser


def _edit() -> _Parser:
    parser = _parser(
        "edit", "Give a paper a title, a DOI or an arXiv id by hand; an empty text takes it back."
    )
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--title", metavar="T")
    parser.add_argument("--doi", metavar="D", help="a later record with it is then this paper")
    parser.add_argument("--arxiv", metavar="A", help="likewise")
    return parser


def _join() -> _Parser:
    parser = _parser(
        "join", "Make papers one: the first that came stays, and all that is written about them is about it."
    )
    parser.add_argument("words", nargs="*", metavar="ID")
    return parser


def _remove() -> _Parser:
    parser = _parser("remove", "Take papers out of the library; one step to undo, which loses nothing.")
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--query", metavar="Q", help="all papers that Q finds")
    parser.add_argument("--source", metavar="FILE", help="all papers that only this list holds")
    return parser


def _highlight() -> _Parser:
    parser = _parser("highlight", "Highlight words of an abstract, or take a highlight away.")
    parser.add_argument("words", nargs="*", metavar="ID")
    parser.add_argument("--quote", metavar="TEXT", help="the exact words")
    parser.add_argument("--nth", type=_count, metavar="N", help="which one, where they stand several times")
    parser.add_argument("--colour", choices=COLOURS)
    parser.add_argument("--comment", default="", metavar="TEXT")
    parser.add_argument("--remove", metavar="HIGHLIGHT", help="its id, as `postil show --json` gives it")
    return parser


def _tags() -> _Parser:
    parser = _parser("tags", "The tags and how many papers have each; rename or delete one everywhere.")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)
    parser.add_argument("--rename", nargs=2, metavar=("A", "B"), help="nested ones go along")
    parser.add_argument("--delete", metavar="T", help="nested ones go along")
    parser.add_argument("--json", action="store_true")
    return parser


def _export() -> _Parser:
    parser = _parser("export", "Set papers down with all that is written about them.")
    parser.add_argument("words", nargs="*", metavar="QUERY")
    parser.add_argument("--format", metavar="F", help="markdown, bibtex, ris, …; else by the file's ending")
    parser.add_argument("--output", metavar="FILE", help="else standard output")
    parser.add_argument("--replace", action="store_true", help="also a file that postil did not write")
    parser.add_argument("--sort", choices=SORTS)
    parser.add_argument("--title", default="Reading list", metavar="T")
    return parser


def _merge() -> _Parser:
    parser = _parser("merge", "Take in another machine's annotations.json, or an export as `postil`.")
    parser.add_argument("words", nargs="*", metavar="FILE")
    return parser


def _undo() -> _Parser:
    parser = _parser("undo", "Take back the latest step, or the latest N.")
    parser.add_argument("words", nargs="*", metavar="N")
    return parser


def _redo() -> _Parser:
    parser = _parser("redo", "Make again what was undone last, or the last N.")
    parser.add_argument("words", nargs="*", metavar="N")
    return parser


def _history() -> _Parser:
    parser = _parser("history", "The latest steps, the newest first.")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=_count, default=20, metavar="N")
    parser.add_argument("--json", action="store_true")
    return parser


def _reindex() -> _Parser:
    parser = _parser("reindex", "Make the list and the search index anew.")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)
    return parser


def _doctor() -> _Parser:
    parser = _parser("doctor", "Look over the library and what it is read with; say what to do.")
    parser.add_argument("words", nargs="*", metavar="", help=argparse.SUPPRESS)
    parser.add_argument("--repair", action="store_true", help="do what is safe; nothing you wrote is deleted")
    parser.add_argument("--json", action="store_true")
    return parser


CHANGING: Final = frozenset(
    ("add", "mark", "edit", "join", "remove", "highlight", "tags", "merge", "undo", "redo", "reindex")
)
"""What makes no sense where nothing can be kept."""

COMMANDS: Final = {
    "add": _add,
    "search": _search,
    "show": _show,
    "related": _related,
    "mark": _mark,
    "edit": _edit,
    "join": _join,
    "remove": _remove,
    "highlight": _highlight,
    "tags": _tags,
    "export": _export,
    "merge": _merge,
    "undo": _undo,
    "redo": _redo,
    "history": _history,
    "reindex": _reindex,
    "doctor": _doctor,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, or open the reader; returns the exit status and never raises."""
    _ready_streams()
    status = DONE
    try:
        with contextlib.suppress(SystemExit):  # how argparse ends when it has printed a help
            status = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except UsageError as error:
        _say(str(error))
        status = WRONG_USAGE
    except LibraryError as error:
        _say(str(error))
        status = FAILED
    except BrokenPipeError:  # nobody wants to read on
        status = DONE
    except OSError as error:
        _say(": ".join(filter(None, (error.filename, error.strerror or str(error)))))
        status = FAILED
    except KeyboardInterrupt:
        _say("interrupted; what was done so far is kept")
        status = INTERRUPTED
    except Exception as error:
        from tui import faults

        _say(faults.told(error))
        status = FAILED
    _hush_streams()
    return status


def _run(words: list[str]) -> int:
    asked, free = _split(words)
    named, asked = _named_library(asked)
    first = next((number for number, word in enumerate(asked) if not word.startswith("-")), None)
    if first is None:
        return _without_command(asked, free, named)
    command = asked.pop(first)
    if command not in COMMANDS:
        raise UsageError(f"unknown command {command!r}; they are: {', '.join(COMMANDS)}")
    options = COMMANDS[command]().parse_intermixed_args(asked)
    options.words += free
    examining = command == "doctor"  # which needs no papers, and tells in its own way what is wrong
    try:
        library = Library(_folder(named), fill=named is None and not examining)
    except LibraryError as error:
        if not examining:
            raise
        from tui import checkup

        return checkup.tell([checkup.unusable(error), *checkup.surroundings()], as_json=options.json)
    try:
        if library.notice and command in CHANGING:
            raise LibraryError(library.notice)
        if not examining:
            for line in filter(None, (library.notice, *library.problems, *library.notices)):
                _say(line)
        from tui.jobs import JOBS  # the reader does without them

        return JOBS[command](library, options)
    finally:
        library.close()


def _without_command(asked: list[str], free: list[str], named: str | None) -> int:
    parser = _parser("", f"Read, search and mark up paper abstracts. Commands: {', '.join(COMMANDS)}.")
    parser.add_argument("--version", action="store_true")
    options = parser.parse_args(asked)
    if free:
        raise UsageError(f"unknown command {free[0]!r}; they are: {', '.join(COMMANDS)}")
    if options.version:
        print(f"postil {_version()}")
        return DONE
    gc.disable()  # nothing that the start makes is garbage; the reader's first frame turns it on again
    os.environ.setdefault("TEXTUAL_FPS", FRAMES)
    from tui.app import run  # Textual is loaded for the reader alone

    status = run(_folder(named), fill=named is None)
    gc.freeze()  # or Python, ending, would go through all that was read once more
    return status


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the first `--`, and what after it."""
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _named_library(words: list[str]) -> tuple[str | None, list[str]]:
    """The library named anywhere among `words`, and the other words."""
    parser = _Parser(prog="postil", add_help=False, allow_abbrev=False)
    parser.add_argument("--library")
    options, others = parser.parse_known_args(words)
    return options.library, others


def _folder(named: str | None) -> Path:
    if named == "":
        raise UsageError("--library names no folder")
    try:
        return paths.library_folder(named)
    except RuntimeError as error:  # a home folder that is not known
        raise LibraryError(f"the folder of the library is not known: {error}") from error


def _count(text: str) -> int:
    """A number from 1 on."""
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and seldom asked

    try:
        return version("postil")
    except PackageNotFoundError:
        return "(not installed)"


def _say(line: str) -> None:
    with contextlib.suppress(OSError):  # where there is nobody to tell
        print(f"postil: {drawable(line)}", file=sys.stderr)


def _ready_streams() -> None:
    """Streams that are closed become the null device; what is printed is UTF-8 wherever we are."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (till the end)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def _hush_streams() -> None:
    """What cannot be written to becomes the null device, or Python would complain when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
