"""A library in a git repository, two clones that diverge and meet: nothing is lost, whoever merges how."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index.annotations import Annotations
from index.library import Library
from index.papers import APART
from tests.index.helpers import abstract, do, list_file

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

SETTINGS = {
    "user.name": "A Reader", "user.email": "reader@example.org", "commit.gpgsign": "false",
    "core.autocrlf": "false", "init.defaultBranch": "main", "merge.conflictStyle": "merge", "gc.auto": "0",
}  # fmt: skip


def git(folder: Path, *words: str, fails: bool = False) -> str:
    options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    ran = subprocess.run(
        ["git", *options, *words], cwd=folder, capture_output=True, text=True, timeout=60,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip
    assert (ran.returncode != 0) == fails, (words, ran.stdout, ran.stderr)
    return ran.stdout


def opened(folder: Path) -> Library:
    return Library(folder, fill=False)


def add(library: Library, *numbers: int) -> None:
    path = library.layout.folder.parent / f"list-{'-'.join(map(str, numbers))}.txt"
    library.add([str(list_file(path, [abstract(number) for number in numbers]))])


def keep(library: Library) -> None:
    """Quit, and commit all that there is."""
    library.close()
    Annotations.open(library.layout.folder).publish()
    git(library.layout.folder, "add", "--all")
    git(library.layout.folder, "commit", "--message", "as it is")


def written(library: Library) -> dict[str, dict[str, Any]]:
    """What is written about each paper; a source may have come at another time on another machine."""
    return {id: {**library.json(id), "sources": []} for id in sorted(library.ids)}


@pytest.fixture
def clones(tmp_path: Path) -> Iterator[tuple[Library, Library]]:
    """Two machines with a clone of one library each; both have written since, about the same papers."""
    first = opened(tmp_path / "first")
    add(first, 0, 1, 2, 3)
    one, two, three, four = first.ids
    do(first, (one, "tags/common", True), (one, "tags/both", True), (two, "note", "Old."), (two, "rating", 1))
    mark = first.highlight(three, 3, 9, "claim", "Why?")
    do(first, (three, f"highlights/{mark.id}", mark.to_json()))
    git(first.layout.folder, "init")
    keep(first)
    git(tmp_path, "clone", str(first.layout.folder), "second")
    here, there = opened(tmp_path / "first"), opened(tmp_path / "second")
    assert written(here) == written(there) and len(there.steps(9)) == 2
    do(here, (one, "tags/here", True), (one, "tags/both", False), (two, "note", "Mine."))
    mine = here.highlight(three, 20, 30, "method")
    do(here, (three, f"highlights/{mine.id}", mine.to_json()), (three, "status", "read"))
    do(there, (one, "tags/there", True), (two, "note", "Yours."), (two, "rating", 5))
    edited = there.annotation(three).highlights[0].to_json() | {"colour": "doubt"}
    do(there, (three, f"highlights/{mark.id}", edited), (three, "status", "later"), (four, "starred", True))
    add(here, 4, 5)
    add(there, 5, 6)
    keep(here)
    keep(there)
    yield opened(tmp_path / "first"), opened(tmp_path / "second")


def is_whole(library: Library) -> None:
    """The library holds what both machines wrote."""
    assert len(library.ids) == 7 and library.problems == []
    papers = {library.entry(id).paper.abstract: id for id in library.ids}
    one, two, three, four = (papers[abstract(number)] for number in range(4))
    assert library.annotation(one).tags == ("common", "here", "there")
    assert library.annotation(two).note == f"Mine.{APART}Yours." and library.annotation(two).rating == 5
    marks = library.annotation(three).highlights
    assert [(mark.colour, mark.comment) for mark in marks] == [("doubt", "Why?"), ("method", "")]
    assert library.annotation(three).status == "later" and library.annotation(four).starred


def merge(library: Library, other: Library) -> Path:
    """What `git pull` does; annotations.json comes out in conflict."""
    folder = library.layout.folder
    git(folder, "fetch", str(other.layout.folder), "HEAD")
    git(folder, "merge", "FETCH_HEAD", fails=True)
    assert git(folder, "diff", "--name-only", "--diff-filter=U").split() == ["annotations.json"]
    return folder


def test_only_what_is_a_machines_own_stays_out_of_git(clones: tuple[Library, Library]) -> None:
    here, _ = clones
    files = git(here.layout.folder, "ls-files").split()
    assert files == [".gitattributes", ".gitignore", "annotations.json", "history.jsonl", "papers.jsonl"]
    here.prepare()
    do(here, (here.ids[0], "starred", True))
    here.close()
    assert git(here.layout.folder, "status", "--porcelain").split() == [
        "M", "annotations.json", "M", "history.jsonl",
    ]  # fmt: skip


@pytest.mark.parametrize("way", ["markers", "--ours", "--theirs"])
def test_annotations_in_conflict_are_merged_when_opened(clones: tuple[Library, Library], way: str) -> None:
    folder = merge(*clones)
    if way == "markers":
        assert b"<<<<<<<" in (folder / "annotations.json").read_bytes()
    else:
        git(folder, "checkout", way, "annotations.json")
    library = opened(folder)
    if way == "--ours":  # what the other one wrote is in its commit alone
        other = folder.parent / "theirs.json"
        other.write_text(git(folder, "show", "FETCH_HEAD:annotations.json"))
        assert len(library.merge(other).papers) == 4
    is_whole(library)
    keep(library)
    is_whole(opened(folder))


def test_both_clones_agree_in_the_end(clones: tuple[Library, Library]) -> None:
    here, there = clones
    merge(here, there)
    keep(opened(here.layout.folder))
    git(there.layout.folder, "pull", "--ff-only", str(here.layout.folder), "HEAD")
    first, second = opened(here.layout.folder), opened(there.layout.folder)
    is_whole(second)
    assert written(first) == written(second)
    assert first.steps(99) == second.steps(99)


def test_opening_what_came_by_git_changes_no_file(clones: tuple[Library, Library]) -> None:
    here, there = clones
    folder = there.layout.folder
    merge(here, there)
    keep(opened(here.layout.folder))
    git(folder, "pull", "--ff-only", str(here.layout.folder), "HEAD")
    opened(folder).close()
    Annotations.open(folder).publish()
    assert git(folder, "status", "--porcelain") == "", "nothing to send back and forth for ever"


def test_papers_and_history_are_sound_after_a_union(clones: tuple[Library, Library]) -> None:
    here, there = clones
    steps = [*here.steps(99), *there.steps(99)]
    folder = merge(here, there)
    git(folder, "checkout", "--theirs", "annotations.json")
    library = opened(folder)
    assert library.problems == [] and len(library.ids) == len(set(library.ids)) == 7
    doubled = next(id for id in library.ids if library.entry(id).paper.abstract == abstract(5))
    assert [source.file for source in library.entry(doubled).paper.sources] == [
        "list-4-5.txt",
        "list-5-6.txt",
    ]
    told = library.steps(99)
    assert {step.step for step in told} == {step.step for step in steps}
    assert len(told) == len({step.step for step in told}) == 6
    assert [step.when for step in told] == sorted((step.when for step in told), reverse=True)


def test_undo_after_a_union_takes_back_the_latest_by_time_and_ones_own_first(
    clones: tuple[Library, Library],
) -> None:
    here, there = clones
    four = next(id for id in here.ids if here.entry(id).paper.abstract == abstract(3))
    do(there, (four, "tags/early", True))
    do(here, (four, "tags/late", True))
    keep(there)
    keep(here)
    folder = merge(here, there)
    lines = (folder / "history.jsonl").read_bytes().splitlines(keepends=True)
    assert b"early" in lines[-1], "the other machine's lines stand last, though they are older"
    (folder / "history.jsonl").write_bytes(b"".join([*lines, *lines[2:5]]))
    library = opened(folder)
    assert library.annotation(four).tags == ("early", "late")
    for left in (("early",), ()):
        undone = library.undo()
        assert undone and undone.left == ()
        library.commit(undone.step)
        assert library.annotation(four).tags == left
    again = library.redo()
    assert again
    library.commit(again.step)
    do(library, (four, "rating", 3))
    for _ in range(2):
        undone = library.undo()
        assert undone and undone.step.changes
        library.commit(undone.step)
    assert (library.annotation(four).rating, library.annotation(four).tags) == (None, ())
