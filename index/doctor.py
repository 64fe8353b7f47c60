"""Looks a library over and says in plain words what is well, what to look at, and what is wrong.

What can be repaired without losing a word that the reader wrote is repaired on demand: what cannot be
read is moved aside, never deleted, and what is derived is made anew.
"""

from __future__ import annotations

import operator
import os
import re
import shlex
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from index import anchors, drafts, files, fulltext, indexing
from index.annotations import Annotations, AnnotationsError, Step, backups, journal, rescue
from index.kept import Kept
from index.paper_lines import parsed
from index.papers import normalised
from index.paths import Layout, config_file
from index.settings import Settings
from index.shelf import Shelf

WELL: Final = "well"
LOOK: Final = "look"
WRONG: Final = "wrong"

OLD: Final = 7
"""Days after which a backup is old."""
LITTLE_SPACE: Final = 200_000_000
"""Bytes on the disk below which to look at it."""
PYTHONS: Final = ((3, 11), (3, 13))
REPAIR: Final = "`postil doctor --repair`"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and how it is: one plain sentence, and what to do or None."""

    what: str
    state: Literal["well", "look", "wrong"]
    say: str
    do: str | None = None
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Patient:
    """An open library. `reindex` makes anew what is derived and raises OSError."""

    shelf: Shelf
    annotations: Annotations
    settings: Settings
    reindex: Callable[[], None]

    @property
    def layout(self) -> Layout:
        return self.shelf.layout

    @property
    def folder(self) -> Path:
        return self.shelf.layout.folder


def examine(patient: Patient, today: date, *, repair: bool) -> list[Finding]:
    """All findings about a library; with `repair`, what is safe is done as it is found."""
    return [
        _library(patient.layout),
        *_papers(patient, repair),
        *_annotations(patient),
        *_base(patient.folder),
        *_journal(patient, repair),
        *_history(patient),
        *_drafts(patient),
        *_backups(patient, today, repair),
        *_aside(patient),
        *_highlights(patient),
        *_alike(Kept(patient.shelf, patient.annotations)),
        *_index(patient, repair),
        *_settings(patient.settings),
        *_space(patient),
        *versions(),
    ]


def _mended(finding: Finding, mend: Callable[[], object], *, repair: bool) -> Finding:
    """`finding` repaired, if that is wanted and works."""
    if not repair:
        return finding
    try:
        mend()
    except (OSError, AnnotationsError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        return replace(
            finding, do=f"it could not be repaired ({why}); see that {finding.what} can be written"
        )
    return replace(finding, do=None, repaired=True)


def _library(layout: Layout) -> Finding:
    """Whether what is written or imported can be kept at all."""
    folder = layout.folder
    paths = (folder / "annotations.lock", folder / "history.jsonl", layout.papers, layout.lock)
    closed = ", ".join(path.name for path in paths if path.exists() and not os.access(path, os.W_OK))
    told = files.unwritable(folder)
    if told and closed:
        told += f", nor {closed}"
    elif closed:
        told = f"in {folder} these cannot be written: {closed}"
    if told:
        do = f"see that it can: `chmod -R u+w {shlex.quote(str(folder))}`, or mount its disk for writing"
        return Finding("library", WRONG, f"{told}: nothing is saved until it can", do)
    return Finding("library", WELL, f"{folder} can be written")


# What was imported


def _papers(patient: Patient, repair: bool) -> Iterator[Finding]:
    shelf = patient.shelf
    shelf.refresh()
    for problem in shelf.problems:
        damaged = Finding("papers", WRONG, problem, f"{REPAIR} moves it to damaged/; then add its list again")
        yield _mended(damaged, partial(_tidy, shelf), repair=repair)
    if len(shelf):
        yield Finding("papers", WELL, f"papers.jsonl holds {_count(len(shelf), 'paper')}")
    else:
        yield Finding("papers", WELL, "there are no papers yet", "`postil add FILE` or `postil add --seeds`")


def _tidy(shelf: Shelf) -> None:
    """Move the lines of papers.jsonl that cannot be read into damaged/. Raises OSError."""
    layout = shelf.layout
    with files.alone(layout.lock):
        lines = [line + b"\n" for line in layout.papers.read_bytes().split(b"\n") if line.strip()]
        damaged = [line for line in lines if parsed(line) is None]
        rescue.set_aside(layout.folder / rescue.DAMAGED, layout.papers.name, b"".join(damaged))
        files.replace(layout.papers, [line for line in lines if parsed(line) is not None])
    shelf.refresh(whole=True)


def _index(patient: Patient, repair: bool) -> Iterator[Finding]:
    if not len(patient.shelf):
        return
    if indexing.stands(patient.shelf):
        yield Finding("index", WELL, "the search index stands and is up to date")
        return
    behind = Finding("index", LOOK, "the search index is missing or behind", "the next search brings it up")
    yield _mended(behind, patient.reindex, repair=repair)


def _alike(shelf: Kept) -> Iterator[Finding]:
    """Papers that may be one: a suggestion, for titles such as `Introduction` say little."""
    groups: defaultdict[tuple[str, int | None], list[str]] = defaultdict(list)
    for row in shelf.rows():
        if title := normalised(row.heading):
            groups[title, row.year].append(row.id)
    for ids in groups.values():
        if len(ids) > 1:
            heading = shelf.row(ids[0]).heading
            shown = " and ".join(f"`postil show {id}`" for id in ids)
            one = f"if they are one, `postil join {' '.join(ids)}` makes them so"
            yield Finding(
                "alike", LOOK, f"{len(ids)} papers have the title {heading!r}", f"compare {shown}; {one}"
            )


# What the reader wrote


def _annotations(patient: Patient) -> Iterator[Finding]:
    annotations, path = patient.annotations, patient.folder / "annotations.json"
    if annotations.read_only:
        yield Finding("annotations", WRONG, annotations.read_only)
    if path.exists() and not backups.is_sound(path):
        yield Finding("annotations", WRONG, f"{path} cannot be read", "open the library again")
    yield from (Finding("annotations", LOOK, notice) for notice in annotations.notices)
    papers = [paper for paper, _ in annotations.items()]
    if away := sum(paper not in patient.shelf for paper in papers):
        yield Finding(
            "annotations", LOOK,
            f"{_count(away, 'paper')} with what you wrote, kept, but no longer in papers.jsonl",
            "add the lists again that they came from",
        )  # fmt: skip
    yield Finding("annotations", WELL, f"{_count(len(papers), 'paper')} with something that you wrote")


def _base(folder: Path) -> Iterator[Finding]:
    path = folder / "annotations.base"
    if path.exists() and not backups.is_sound(path):
        yield Finding(
            "annotations", LOOK,
            f"{path} cannot be read: it tells who changed what when another machine's annotations.json comes",
            "change anything and quit the reader: it is made anew",
        )  # fmt: skip


def _drafts(patient: Patient) -> Iterator[Finding]:
    """Notes that were being written when a reader was killed."""
    for left in drafts.left_behind(patient.folder):
        name = left.path.name
        if left.unreadable:
            yield Finding("drafts", LOOK, f"{name} cannot be read: {left.unreadable}", "see who may read it")
        if left.damaged:
            told = f"{name} is damaged" + ("" if left.drafts else ", and nothing can be read of it")
            do = "open the reader: it takes up what can be read, and moves the file to damaged/"
            yield Finding("drafts", LOOK, told, do)
        for draft in left.drafts:
            if draft.paper in patient.shelf:
                about, do = patient.shelf.row(draft.paper).heading, "open the reader to take it up"
            else:
                about, do = "a paper that is not here", "add its list again, then open the reader"
            yield Finding("drafts", LOOK, f"a note that was being written about {about} ({draft.paper})", do)


def _history(patient: Patient) -> Iterator[Finding]:
    try:
        with files.opened(patient.folder / "history.jsonl") as lines:
            steps = [Step.from_line(line) is not None for line in lines if line.strip()]
    except FileNotFoundError:
        steps = []
    except OSError as error:
        yield Finding(
            "history", WRONG, f"history.jsonl cannot be read: {error.strerror}", "see who may read it"
        )
        return
    if damaged := steps.count(False):
        told = f"{_count(damaged, 'line')} of history.jsonl cannot be read and is passed over"
        yield Finding("history", LOOK, told, "nothing; those steps cannot be undone, all else can")
    if not steps and patient.annotations.items():
        told = "there is no history, so nothing can be undone"
        yield Finding("history", LOOK, told, "nothing, or put a copy of history.jsonl back")
        return
    yield Finding(
        "history", WELL, f"{_count(steps.count(True), 'step')} can be looked at with `postil history`"
    )


def _journal(patient: Patient, repair: bool) -> Iterator[Finding]:
    path = patient.folder / "annotations.journal"
    try:
        held = journal.parsed(path.read_bytes() if path.exists() else b"")
    except OSError as error:
        told = f"annotations.journal cannot be read: {error.strerror}"
        yield Finding("journal", WRONG, told, "see who may read it")
        return
    length = f"{_count(len(held.entries), 'change')} ({held.size:,} bytes)"
    if held.damaged or held.torn:
        told = f"{_count(len(held.damaged) + bool(held.torn), 'line')} of annotations.journal cannot be read"
        bad = Finding(
            "journal", LOOK, told, f"{REPAIR} puts what can be read into annotations.json: {length}"
        )
        yield _mended(bad, patient.annotations.publish, repair=repair)
    elif held.entries:
        yield Finding("journal", WELL, f"{length} wait in the journal to go into annotations.json")
    else:
        yield Finding("journal", WELL, "all that you wrote is in annotations.json")


def _backups(patient: Patient, today: date, repair: bool) -> Iterator[Finding]:
    folder, sound = patient.folder, []
    for backup in backups.all_of(folder):
        if backups.is_sound(backup.path):
            sound.append(backup)
            continue
        told = f"backups/{backup.path.name} cannot be read"
        move = partial(files.move_aside, folder / rescue.DAMAGED, backup.path)
        yield _mended(Finding("backups", LOOK, told, f"{REPAIR} moves it to damaged/"), move, repair=repair)
    if not sound and not patient.annotations.items():
        yield Finding("backups", WELL, "there is no backup, and nothing to copy yet")
    elif not sound or (today - sound[0].day).days > OLD:
        told = f"the newest backup is of {sound[0].day}" if sound else "there is no backup that can be read"
        old = Finding("backups", LOOK, told, f"{REPAIR} makes one")
        yield _mended(old, partial(_back_up, patient, today), repair=repair)
    else:
        told = f"{_count(len(sound), 'backup')} can be read, the newest of {sound[0].day}"
        yield Finding("backups", WELL, told)


def _back_up(patient: Patient, today: date) -> None:
    """Raises OSError, AnnotationsError."""
    patient.annotations.publish()
    if backups.back_up(patient.folder, today) is None:
        raise OSError("annotations.json cannot be copied")


def _aside(patient: Patient) -> Iterator[Finding]:
    """What was found damaged or in conflict, and kept."""
    for name, told in (
        (rescue.CONFLICTS, "merged into the library"),
        (rescue.DAMAGED, "read as far as can be"),
    ):
        folder = patient.folder / name
        if kept := sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []:
            some = ", ".join(kept[:3]) + (", …" if len(kept) > 3 else "")
            yield Finding(
                name, LOOK, f"{_count(len(kept), 'file')} in {folder}, {told}: {some}",
                "look whether anything is missing; then you may delete them",
            )  # fmt: skip


def _highlights(patient: Patient) -> Iterator[Finding]:
    """Highlights whose words are no longer in the text."""
    shelf = patient.shelf
    marked = {id: told for id, told in patient.annotations.items() if told.highlights and id in shelf}
    count = 0
    for paper in shelf.some(list(marked)):
        held, lost = anchors.anchored(marked[paper.id], paper.abstract)
        count += len(held)
        for mark in lost:
            yield Finding(
                "highlights", LOOK, f"no longer in the text of {paper.id} ({paper.heading}): “{mark.quote}”",
                f"highlight it anew, or `postil highlight {paper.id} --remove {mark.id}`",
            )  # fmt: skip
    yield Finding("highlights", WELL, f"{_count(count, 'highlight')} found in the texts")


# What is around it


def _settings(settings: Settings) -> Iterator[Finding]:
    path = config_file()
    for problem in settings.problems:
        yield Finding("settings", LOOK, problem, f"edit {path}")
    if not settings.problems:
        yield Finding("settings", WELL, f"{path} is in use" if path.exists() else f"there is no {path}")


def _space(patient: Patient) -> Iterator[Finding]:
    if not files.has_locks(patient.layout.lock):
        told = f"the file system of {patient.folder} has no locks: one postil at a time can write notes there"
        yield Finding("locks", LOOK, told, "close other windows before you write")
    free = shutil.disk_usage(patient.folder).free
    written = [patient.folder / name for name in ("annotations.json", "annotations.journal")]
    needed = 3 * sum(path.stat().st_size for path in written if path.exists())
    told = f"{free / 1e6:,.0f} MB are free on the disk of {patient.folder}"
    if free < needed:
        yield Finding("space", WRONG, f"{told}, too little to write annotations.json anew", "make room")
    elif free < LITTLE_SPACE:
        yield Finding("space", LOOK, told, "make room")
    else:
        yield Finding("space", WELL, told)


def versions() -> Iterator[Finding]:
    """Python, Whoosh and TinyDB against what postil asks for."""
    here = sys.version_info[:2]
    python = Finding("Python", WELL, f"Python {sys.version.split()[0]}")
    if not PYTHONS[0] <= here <= PYTHONS[-1]:
        asked = " to ".join(f"{major}.{minor}" for major, minor in PYTHONS)
        python = replace(python, state=LOOK, do=f"postil is made for Python {asked}")
    yield python
    yield _version("Whoosh", "whoosh3", "whoosh", fulltext.whoosh_version())
    yield _version("TinyDB", "tinydb", "tinydb", _installed("tinydb") or "(unknown)")


def _version(what: str, distribution: str, module: str, found: str) -> Finding:
    """Whether the module that is loaded is the one that postil asks for, and nothing is installed over it."""
    asked = next(filter(None, (re.match(rf"{distribution}\b(.*)", line) for line in _asked())), None)
    others = set(metadata.packages_distributions().get(module, ())) - {distribution}
    again = "install postil anew, in an environment of its own"
    if others:
        told = f"{what} {found}, over which {', '.join(sorted(others))} is installed"
        return Finding(what, WRONG, told, again)
    if asked and not _fits(found, asked[1]):
        return Finding(what, WRONG, f"{what} {found}, and postil asks for {asked[1]}", again)
    return Finding(what, WELL, f"{what} {found}")


def _asked() -> list[str]:
    """What postil asks for, as its package says; nothing in a bare checkout."""
    try:
        return metadata.requires("postil") or []
    except metadata.PackageNotFoundError:
        return []


def _installed(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _fits(version: str, asked: str) -> bool:
    """Whether a version of numbers alone fits `==3.54.0` or `<5,>=4.9`."""
    tests = {"==": operator.eq, ">=": operator.ge, "<": operator.lt}
    bounds = re.findall(r"(==|>=|<)([\d.]+)", asked)
    return all(tests[sign](_numbers(version), _numbers(bound)) for sign, bound in bounds)


def _numbers(version: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", version)))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("s" if number != 1 else "")
