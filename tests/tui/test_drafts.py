"""Drafts of notes: a crash at any moment takes nothing of what was being written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from index import drafts, files
from index.drafts import Draft, Drafts
from index.library import Library
from tests.tui.helpers import until
from tests.tui.reader import opened
from tests.tui.terminal import Terminal, folder_env
from tui.messages import Saved
from tui.panes import note_editor
from tui.panes.note_editor import NoteEditor
from tui.screens import noting

GONE = 2**22 + 1
"""The number of no process: more than Linux gives."""


def on_disk(folder: Path) -> list[str]:
    """The notes of the drafts that a crash would leave now."""
    return [
        draft["note"]
        for path in sorted(folder.glob("draft.*.json"))
        for draft in json.loads(path.read_text())["drafts"]
    ]


def leave(folder: Path, *drafts: dict[str, str], process: int = GONE) -> Path:
    path = folder / f"draft.{process}.json"
    path.write_text(json.dumps({"drafts": drafts}))
    return path


def write(folder: Path, paper: str, note: str) -> None:
    step = (library := Library(folder)).step("note", [(paper, "note", note)])
    assert step
    library.commit(step)
    library.close()


# In the reader


async def test_a_draft_outlives_a_crash_and_meets_what_was_written_since(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        paper = reader.current
        await reader.press("e", *"half")
        await until(reader.pilot, lambda: on_disk(library_folder) == ["half"], 400)
        (path,) = library_folder.glob("draft.*.json")
        draft = path.read_text()
        await reader.press("escape")
        await reader.saved()
        await until(reader.pilot, lambda: not path.exists())
        await reader.press("u")
        await reader.saved()
    write(library_folder, paper, "since then")
    (library_folder / f"draft.{GONE}.json").write_text(draft)
    async with opened(library_folder) as reader:
        await reader.saved()
        assert reader.library.annotation(paper).note == "since then\n\nhalf"
        await until(reader.pilot, lambda: on_disk(library_folder) == [])
    assert not list(library_folder.glob("draft.*.json"))


async def test_a_draft_is_held_until_its_note_is_on_disk(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, full = files.append, True

    def fill(path: Path, data: bytes) -> None:
        if full:
            raise OSError(28, "No space left on device")
        append(path, data)

    monkeypatch.setattr(files, "append", fill)
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e", "a", "escape", "q", "j", "e", "b", "escape")
        second = reader.current
        await until(reader.pilot, lambda: on_disk(library_folder) == ["a", "b"])
        await reader.press("q", "k", "e", "c", "escape")
        await until(reader.pilot, lambda: on_disk(library_folder) == ["a", "b", "ac"])
        held = next(library_folder.glob("draft.*.json")).read_text()
        await reader.press("e", "d", "backspace", "escape")
        await reader.pilot.pause()
        assert on_disk(library_folder) == ["a", "b", "ac"]
        full = False
        await reader.saved()
        await until(reader.pilot, lambda: on_disk(library_folder) == [])
    write(library_folder, first, "")
    write(library_folder, second, "")
    (library_folder / f"draft.{GONE}.json").write_text(held)  # as after a kill while the disk was full
    async with opened(library_folder) as reader:
        await reader.saved()
        assert [reader.library.annotation(id).note for id in (first, second)] == ["ac", "b"]
    write(library_folder, first, "a")  # as if only the first of them had been saved
    (library_folder / f"draft.{GONE}.json").write_text(held)
    async with opened(library_folder) as reader:
        await reader.saved()
        assert [reader.library.annotation(id).note for id in (first, second)] == ["ac", "b"]


async def test_the_footer_says_while_a_note_is_not_on_disk(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "AGAIN", 0.05)
    replace, full = files.replace, True

    def fill(path: Path, chunks: Iterable[bytes]) -> None:
        if full and path.name.startswith("draft."):
            raise OSError(28, "No space left on device")
        replace(path, chunks)

    monkeypatch.setattr(files, "replace", fill)
    told = "this note is not on disk: No space left on device"
    async with opened(library_folder) as reader:
        assert reader.line("bottom").endswith("saved")
        await reader.press("e", "a")
        await until(reader.pilot, lambda: reader.line("bottom").endswith(told), 400)
        reader.screen.post_message(Saved([]))  # as of another note, or of a look at the library
        await reader.pilot.pause()
        assert reader.line("bottom").endswith(told)
        full = False
        await until(reader.pilot, lambda: on_disk(library_folder) == ["a"])
        await until(reader.pilot, lambda: reader.line("bottom").endswith("  saved"))
        full = True
        await reader.press("b")
        await until(reader.pilot, lambda: reader.line("bottom").endswith(told), 400)
        await reader.press("escape")
        await reader.saved()
        await until(reader.pilot, lambda: reader.line("bottom").endswith("  saved"))
        assert reader.library.annotation(reader.current).note == "ab"


async def test_a_draft_that_was_cut_off_is_taken_up_as_far_as_it_goes(library_folder: Path) -> None:
    (seen := Library(library_folder)).close()
    one, two, three = seen.ids[:3]
    write(library_folder, one, "a")
    write(library_folder, two, "what is longer than what is left of it")
    for number, (paper, before, note, cut) in enumerate(
        [
            (one, "a", "a note “of mine”\nand", 6),
            (two, "what is longer than what is left of it", "what is longer, and changed", 20),
            (three, "", "", 9),
        ]
    ):
        path = leave(library_folder, {"paper": paper, "before": before, "note": note}, process=GONE + number)
        path.write_bytes(path.read_bytes()[:-cut])
    async with opened(library_folder) as reader:
        await reader.saved()
        assert reader.library.annotation(one).note == "a note “of mine”\na"
        assert reader.library.annotation(two).note == "what is longer than what is left of it"
        assert reader.library.annotation(three).note == ""
        told = [note.message for note in reader.app._notifications]
        assert len([line for line in told if "what can be read of it is taken up" in line]) == 2
        assert len([line for line in told if "nothing can be read of it" in line]) == 1
        await until(reader.pilot, lambda: not list(library_folder.glob("draft.*.json")))
    assert len(list((library_folder / "damaged").glob("draft.*.json"))) == 3


async def test_what_is_taken_up_stays_on_disk_until_it_is_saved(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seen := Library(library_folder)).close()
    one, two = seen.ids[:2]
    old = library_folder / f"draft.{GONE}.json"  # of a postil that knew one draft a process
    old.write_text(json.dumps({"paper": one, "before": "", "note": "old"}))
    leave(library_folder, {"paper": two, "before": "", "note": "new"}, process=GONE + 1)
    leave(library_folder, {"paper": two, "before": "", "note": "other"}, process=GONE + 2)
    append, full = files.append, True

    def fill(path: Path, data: bytes) -> None:
        if full:
            raise OSError(28, "No space left on device")
        append(path, data)

    monkeypatch.setattr(files, "append", fill)
    async with opened(library_folder) as reader:
        assert reader.library.annotation(one).note == "old"
        assert {"new", "other"} <= set(reader.library.annotation(two).note.split("\n"))
        assert on_disk(library_folder) == ["old", "new", "other"]
        full = False
        await reader.saved()
        await until(reader.pilot, lambda: on_disk(library_folder) == [])


@pytest.mark.parametrize("held", ["one", "two", "three"])
async def test_of_a_note_written_in_three_sittings_the_last_is_the_note(
    library_folder: Path, held: str
) -> None:
    (seen := Library(library_folder)).close()
    paper, other = seen.ids[0], seen.ids[1]
    write(library_folder, paper, held)
    leave(
        library_folder,
        {"paper": paper, "before": "one", "note": "two"},
        {"paper": other, "before": "", "note": "mine"},
        {"paper": paper, "before": "two", "note": "three"},
        {"paper": other, "before": "", "note": "of another window"},
    )
    async with opened(library_folder) as reader:
        await reader.saved()
        assert reader.library.annotation(paper).note == "three"
        told = reader.library.annotation(other).note
        assert "mine" in told
        assert "of another window" in told


async def test_a_draft_of_a_paper_that_is_gone_waits_for_it(library_folder: Path) -> None:
    draft = {"paper": "zzzzzzzzzz", "before": "", "note": "of a lost paper"}
    path = leave(library_folder, draft, {"paper": "no id", "before": "", "note": "of none"})
    async with opened(library_folder) as reader:
        assert reader.library.waiting == 0
        told = [note.message for note in reader.app._notifications]
        assert len([line for line in told if "no longer here" in line and "draft." in line]) == 2
        await reader.press("e", "x", "escape")
        await reader.saved()
        await until(reader.pilot, lambda: on_disk(library_folder) == ["of a lost paper", "of none"])
    assert not path.exists()
    assert on_disk(library_folder) == ["of a lost paper", "of none"]


async def test_a_note_is_put_by_while_it_is_written_without_a_pause(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_editor, "REST", 60.0)
    monkeypatch.setattr(note_editor, "LONGEST", 0.05)
    async with opened(library_folder) as reader:
        await reader.press("e", "a", "b")
        await until(reader.pilot, lambda: bool(on_disk(library_folder)))
        monkeypatch.setattr(note_editor, "LONGEST", 60.0)
        monkeypatch.setattr(note_editor, "REST", 0.05)
        await reader.press("c")
        await until(reader.pilot, lambda: on_disk(library_folder) == ["abc"])
        await reader.press("backspace", "backspace", "backspace")
        await until(reader.pilot, lambda: on_disk(library_folder) == [])
        editor = reader.screen.query_one(NoteEditor)
        assert not editor.look()


def test_a_kill_in_the_middle_of_a_note_loses_nothing(library_folder: Path) -> None:
    for note in ("one", "two"):
        terminal = Terminal(columns=80, rows=24, env=folder_env(library_folder))
        terminal.until("393 papers")
        terminal.type("e")
        terminal.until("Esc keep the note")
        terminal.type(f" {note}")
        end = time.monotonic() + 20
        while not any(note in kept for kept in on_disk(library_folder)) and time.monotonic() < end:
            terminal.read()
        terminal.kill()
    terminal = Terminal(columns=80, rows=24, env=folder_env(library_folder))
    terminal.until("393 papers")
    terminal.type("q")
    assert terminal.wait() == 0
    library = Library(library_folder)
    assert library.annotation(library.ids[0]).note.split() == ["one", "two"]
    library.close()
    assert on_disk(library_folder) == []


# Whose drafts they are


def taken(folder: Path) -> list[str]:
    return [draft.note for chain in Drafts(folder).take_up() for draft in chain]


def one(note: str) -> dict[str, str]:
    return {"paper": "a", "before": "", "note": note}


def test_the_draft_of_a_process_that_runs_is_its_own(tmp_path: Path) -> None:
    path = leave(tmp_path, one("mine"), process=os.getppid())
    assert taken(tmp_path) == []
    assert path.exists()


@pytest.mark.skipif(not Path("/proc/uptime").exists(), reason="no start of a process to be known")
def test_a_draft_older_than_the_process_of_its_number_is_left(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        path = leave(tmp_path, one("of a former"), process=child.pid)
        os.utime(path, (time.time() - 60, time.time() - 60))
        assert taken(tmp_path) == ["of a former"]
        assert not path.exists()
        child.communicate(b"\n")


def test_where_no_start_is_known_a_draft_is_left_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_process: int) -> float:
        raise FileNotFoundError("/proc")

    monkeypatch.setattr(drafts, "_age", unknown)
    path = leave(tmp_path, one("old"), process=os.getppid())
    assert taken(tmp_path) == []
    os.utime(path, (time.time() - 90_000, time.time() - 90_000))
    assert taken(tmp_path) == ["old"]


def test_a_former_process_of_our_own_number_loses_nothing(tmp_path: Path) -> None:
    """As in a container, where it is always the same."""
    leave(tmp_path, one("former"), process=os.getpid())
    held = Drafts(tmp_path)
    assert [draft.note for chain in held.take_up() for draft in chain] == ["former"]
    held.keep(Draft("b", "", "new"))
    held.write()
    assert on_disk(tmp_path) == ["former", "new"]


@pytest.mark.parametrize(
    "data", ["", "[]", "{}", "[" * 9999, '{"drafts": 3}', '{"drafts": [{"paper": "a"}]}']
)
def test_what_is_no_draft_is_told_and_kept(tmp_path: Path, data: str) -> None:
    ours, other = tmp_path / f"draft.{GONE}.json", tmp_path / "draft.x.json"
    for path in (ours, other):
        path.write_text(data)
    held = Drafts(tmp_path)
    assert held.take_up() == []
    (told,) = held.notices
    assert ours.name in told
    (kept,) = (tmp_path / "damaged").iterdir()
    assert kept.name in told
    assert [path.read_text() for path in (kept, other)] == [data, data]
    assert not ours.exists()
    assert Drafts(tmp_path).take_up() == []


LONG = [
    {"paper": "a", "before": "", "note": 'one "of" \\ 😀'},
    {"paper": "b", "before": "old", "note": "old, ünd\nmore 😀"},
]


def test_a_file_cut_anywhere_gives_the_beginnings_of_its_notes(tmp_path: Path) -> None:
    path = leave(tmp_path, *LONG)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        (left,) = drafts.left_behind(tmp_path)
        assert left.damaged
        assert len(left.drafts) == whole[:end].count(b'"note": "o')
        for held, written in zip(left.drafts, LONG, strict=False):
            assert held.paper == written["paper"]
            assert written["note"].startswith(held.note.rstrip("\ufffd"))
            assert held.before == (written["before"] if held.note.startswith(written["before"]) else "")
    path.write_bytes(whole)
    assert [draft.note for draft in drafts.left_behind(tmp_path)[0].drafts] == [one["note"] for one in LONG]


def test_a_byte_that_is_no_text_ends_a_note_and_not_those_after_it(tmp_path: Path) -> None:
    path = leave(tmp_path, *LONG)
    path.write_bytes(path.read_bytes().replace(b"of", b"o\0"))
    assert taken(tmp_path) == ['one "o', LONG[1]["note"]]


def test_a_damaged_file_of_our_own_number_is_not_written_over(tmp_path: Path) -> None:
    path = leave(tmp_path, one("former"), process=os.getpid())
    path.write_bytes(path.read_bytes()[:-6])
    damaged = path.read_bytes()
    (tmp_path / "damaged").touch()  # where no folder can be made
    held = Drafts(tmp_path)
    assert [draft.note for chain in held.take_up() for draft in chain] == ["form"]
    assert "cannot be moved" in held.notices[0]
    assert path.read_bytes() == damaged
    path.unlink()
    assert on_disk(tmp_path) == ["form"]


def test_a_draft_that_cannot_be_opened_is_told_and_stays(tmp_path: Path) -> None:
    path = tmp_path / f"draft.{GONE}.json"
    path.mkdir()
    held = Drafts(tmp_path)
    assert held.take_up() == []
    assert len(held.notices) == 1
    assert path.name in held.notices[0]
    assert path.is_dir()


def test_drafts_that_cannot_be_taken_over_stay_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = leave(tmp_path, one("kept"))
    held = Drafts(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", refuse)
        assert len(held.take_up()) == 1
    assert on_disk(tmp_path) == ["kept"]
    held.write()
    assert not path.exists()
    assert on_disk(tmp_path) == ["kept"]
    held.close()  # no step holds it
    assert on_disk(tmp_path) == ["kept"]
