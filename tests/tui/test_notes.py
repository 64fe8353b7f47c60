"""Notes by keys: beside the abstract, as they read, with links to other papers, and in another editor."""

from __future__ import annotations

import json
import os
import signal
import stat
from pathlib import Path

import pytest

from index.library import Library
from tests.tui.helpers import HOSTILE, SIZES, drawn, unsafe, until
from tests.tui.reader import Reader, opened
from tests.tui.terminal import Terminal, folder_env
from tui.panes.link_choices import LinkChoices
from tui.panes.note_editor import NoteEditor


def text_pane(reader: Reader) -> str:
    pane = reader.screen.text
    return drawn(pane.render_line(line) for line in range(pane.size.height))


def write(folder: Path, *notes: tuple[str, str]) -> None:
    """Write notes as another window does."""
    library = Library(folder)
    step = library.step("note", [(paper, "note", note) for paper, note in notes])
    assert step
    library.commit(step)
    library.close()


def heading(reader: Reader, paper: str) -> str:
    return reader.library.row(paper).heading


async def choices(reader: Reader) -> LinkChoices:
    shown = reader.screen.query_one(LinkChoices)
    await until(reader.pilot, lambda: shown.open)
    await reader.pilot.pause()
    return shown


# Beside the abstract


async def test_what_was_typed_is_taken_back_by_a_key_that_does_not_put_postil_to_sleep(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _pid, number: slept.append(number))
    async with opened(library_folder) as reader:
        await reader.press("e", *"mine", "ctrl+underscore")
        editor = reader.screen.query_one(NoteEditor)
        await until(reader.pilot, lambda: editor.text == "")
        await reader.press("ctrl+y")
        await until(reader.pilot, lambda: editor.text == "mine")
        assert "C-_ undo  C-y redo" in reader.line("bottom")
        monkeypatch.setattr(type(reader.app._driver), "can_suspend", True)
        await reader.press("ctrl+z")
        assert slept == [signal.SIGTSTP]


@pytest.mark.parametrize("size", SIZES)
async def test_abstract_and_note_are_both_seen(library_folder: Path, size: tuple[int, int]) -> None:
    async with opened(library_folder, size) as reader:
        await reader.press("e", *"mine")
        await reader.pilot.pause()
        editor = reader.screen.query_one(NoteEditor)
        begin = reader.library.entry(reader.current).paper.abstract[:20]
        assert begin in text_pane(reader)
        assert editor.region.height >= 4
        assert editor.region.bottom <= size[1] - 1
        await reader.press("ctrl+down", "ctrl+down")
        assert reader.screen.text.scroll_y >= 2 or size == (120, 40)
        assert editor.text == "mine"


async def test_a_note_reads_as_it_will_while_it_is_written(library_folder: Path) -> None:
    async with opened(library_folder, (80, 24)) as reader:
        await reader.press("e", "f2")
        assert "no note to read" in reader.line("bottom")
        await reader.press(*"*so* it is", "f2")
        await reader.pilot.pause()
        assert "so it is" in text_pane(reader)
        assert "*so*" not in text_pane(reader)
        assert reader.library.annotation(reader.current).note == ""
        await reader.press("f2")
        await reader.pilot.pause()
        begin = reader.library.entry(reader.current).paper.abstract[:20]
        assert begin in text_pane(reader)


@pytest.mark.parametrize("size", SIZES)
async def test_no_note_lets_anything_through(library_folder: Path, size: tuple[int, int]) -> None:
    note = "\n".join(f"- {text} [[{text}]] `{text}`\n> {text}" for text in HOSTILE)
    library = Library(library_folder)
    write(library_folder, (library.ids[0], note), (library.ids[1], f"[[{library.ids[0]}|{note}]]"))
    library.close()
    async with opened(library_folder, size) as reader:
        await reader.press("enter")
        for _ in range(2):
            while not reader.screen.text.at_end:
                assert unsafe(text_pane(reader)) == {"\n"}
                reader.screen.text.page(1)
            await reader.press("J")


# Links


async def test_a_link_is_completed_followed_and_seen_from_its_other_end(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e", *"see [[colosseum")
        shown = await choices(reader)
        assert shown.chosen
        paper, name = shown.chosen
        assert "COLOSSEUM" in name
        await reader.press("enter", *"!", "escape")
        note = reader.library.annotation(first).note
        assert note == f"see [[{paper}|{name}]]!"
        assert not reader.screen.query(LinkChoices)
        await reader.press("g", "f")
        assert reader.current == paper
        await reader.pilot.pause()
        pane = " ".join(text_pane(reader).split())
        assert f"linked from {'─' * 5}" in pane
        await reader.press("backspace")
        assert reader.current == first
        await reader.press("J", "g", "f")  # and back along it
        assert reader.current == first
        await reader.press("u")
        assert reader.library.linked_from(paper) == []


async def test_choices_move_by_arrows_and_escape_leaves_what_is_typed(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", *"[[grok")
        shown = await choices(reader)
        assert shown.chosen
        first = shown.chosen
        await reader.press("down", "down", "up")
        assert shown.chosen != first
        await reader.press("up", "escape")
        assert not shown.open
        editor = reader.screen.query_one(NoteEditor)
        await reader.press(*" x")
        assert (editor.text, shown.open) == ("[[grok x", False)
        await reader.press("enter", *"[[grok", "tab")
        assert editor.text == f"[[grok x\n[[{first[0]}|{first[1]}]]"
        await reader.press(*" [[zz zz", "enter")
        assert editor.text.endswith(" [[zz zz\n")


async def test_a_link_takes_the_place_of_the_one_it_stands_in(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", *"[[old|words]] end", "home", "right", "right", *"colosseum")
        for _ in "old":
            await reader.press("delete")
        shown = await choices(reader)
        assert shown.chosen
        paper, name = shown.chosen
        await reader.press("enter")
        assert reader.screen.query_one(NoteEditor).text == f"[[{paper}|{name}]] end"


async def test_before_anything_is_typed_the_last_opened_come_first(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        ids = reader.screen.desk.ids
        await reader.press("j", "enter", "q", "j", "enter", "q", "g", "g", "e", *"[[")
        shown = await choices(reader)
        assert shown.chosen == (ids[2], heading(reader, ids[2]))
        await reader.press("down")
        assert shown.chosen == (ids[1], heading(reader, ids[1]))


async def test_of_several_links_one_is_picked(library_folder: Path) -> None:
    library = Library(library_folder)
    first, one, other, back = library.ids[:4]
    library.close()
    write(library_folder, (first, f"[[{one}]] [[{other}]] [[zzzzzzzzzz|gone]]"), (back, f"[[{first}]]"))
    async with opened(library_folder) as reader:
        await reader.press("g", "f")
        assert len(reader.app.screen_stack) == 2
        await reader.press("down", "enter")
        assert reader.current == other
        await reader.press("backspace", "g", "f", *"links here", "enter")
        assert reader.current == back


async def test_a_link_leads_out_of_a_query_and_back_into_it(library_folder: Path) -> None:
    library = Library(library_folder)
    first = library.ids[0]
    library.close()
    async with opened(library_folder) as reader:
        await reader.search("colosseum", 1)
        here = reader.current
        write(library_folder, (here, f"[[{first}]]"))
        await until(reader.pilot, lambda: bool(reader.library.annotation(here).note))
        await reader.press("enter", "g", "f")
        await until(reader.pilot, lambda: reader.screen.papers.current == first)
        assert reader.screen.place == "text"
        await reader.press("backspace")
        await until(reader.pilot, lambda: reader.screen.papers.current == here)
        assert len(reader.screen.desk.ids) == 1


async def test_a_note_without_a_link_says_so(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("g", "f")
        assert "no link in the note" in reader.line("bottom")
        write(library_folder, (reader.current, "[[zzzzzzzzzz|gone]]"))
        await until(reader.pilot, lambda: bool(reader.library.annotation(reader.current).note))
        await reader.press("g", "f")
        assert "no longer in the library" in reader.line("bottom")


# In another editor


async def test_a_terminal_that_cannot_be_lent_is_told_of(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("E")
        await until(reader.pilot, lambda: "the note is as it was" in reader.line("bottom"))
        assert "no other editor" in reader.line("bottom")
        await until(reader.pilot, lambda: not list(library_folder.glob("draft.*")))
        await reader.press("j")
        assert reader.screen.papers.cursor == 1


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """An editor that keeps what it was given in `given`, then does as `script` says with the file `$1`."""
    path = tmp_path / "an editor"
    path.write_text(f'#!/bin/sh\nstat -c %a "$1" > "{tmp_path}/mode"\ncp "$1" "{tmp_path}/given"\n{script}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"VISUAL": " ", "EDITOR": f"'{path}'"}


def note_on_disk(folder: Path) -> list[str]:
    path = folder / "annotations.json"
    data = json.loads(path.read_text("utf-8")) if path.exists() else {"annotations": {}}
    return [one["note"] for one in data["annotations"].values()]


def run(folder: Path, env: dict[str, str], *steps: tuple[str, str]) -> Terminal:
    """Start the reader; each step is keys and what is then to be seen."""
    terminal = Terminal(env={**folder_env(folder), **env}, columns=100, rows=24)
    terminal.until("393 papers")
    terminal.until("saved")
    for keys, seen in steps:
        terminal.type(keys)
        terminal.until(seen)
    return terminal


def test_a_note_is_written_in_the_readers_editor_as_one_step(library_folder: Path, tmp_path: Path) -> None:
    env = editor(
        tmp_path,
        """printf '\\357\\273\\277one\\r\\n*two*\\r\\n\\r\\n' | cat - "$1" > "$1~" && mv "$1~" "$1" """,
    )
    terminal = run(library_folder, env, ("lE", "note on 1 paper"), ("u", "undone"), ("\x12", "made again"))
    terminal.type("\x11")
    assert terminal.wait() == 0
    assert note_on_disk(library_folder) == ["one\n*two*"]
    given = (tmp_path / "given").read_text()
    assert (tmp_path / "mode").read_text() == "600\n"
    assert "The advent of the Transformer" in given
    assert not list(library_folder.glob("draft.*"))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "ended with 3: the note is as it was"),
        (":", "the note is as it was"),
        ('echo more >> "$1"; exit 1', "damaged/"),
        ('rm "$1"', "cannot be read"),
        ("kill -INT $PPID; sleep 0.1; :", "the note is as it was"),
    ],
)
def test_an_editor_that_fails_leaves_the_note(
    library_folder: Path, tmp_path: Path, script: str, said: str
) -> None:
    terminal = run(library_folder, editor(tmp_path, script), ("E", said))
    terminal.type("\x11")
    assert terminal.wait() == 0
    assert not list(library_folder.glob("draft.*"))
    assert len(list(library_folder.glob("damaged/draft.*"))) == ("damaged" in said)
    assert note_on_disk(library_folder) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-editor --wait", "no editor 'no-such-editor'"),
        ("an 'open quote", "is no command"),
        ("/", "cannot"),
    ],
)
def test_an_editor_that_cannot_be_run_is_told_of(library_folder: Path, command: str, said: str) -> None:
    terminal = run(library_folder, {"VISUAL": command}, ("E", said), ("j", "▌●"))
    terminal.type("\x11")
    assert terminal.wait() == 0


def test_what_was_written_in_an_editor_outlives_a_kill(library_folder: Path, tmp_path: Path) -> None:
    write(library_folder, (first_paper(library_folder), "before"))
    env = editor(
        tmp_path, 'printf "unlost\\n\\n" | cat - "$1" > "$1.new" && mv "$1.new" "$1"; echo LENT; sleep 30'
    )
    terminal = run(library_folder, env, ("E", "LENT"))
    os.killpg(os.getpgid(terminal.pid), signal.SIGKILL)
    terminal.kill()
    terminal = run(library_folder, {}, ("", "¶"))
    terminal.type("\x11")
    assert terminal.wait() == 0
    assert note_on_disk(library_folder) == ["unlost\n\nbefore"]
    assert not list(library_folder.glob("draft.*"))


def test_what_was_saved_in_an_editor_outlives_its_terminal(library_folder: Path, tmp_path: Path) -> None:
    env = editor(tmp_path, 'echo unlost > "$1"; echo LENT; exec sleep 30')
    terminal = run(library_folder, env, ("E", "LENT"))
    terminal.vanish()
    terminal = run(library_folder, {}, ("", "¶"))
    terminal.type("\x11")
    assert terminal.wait() == 0
    assert note_on_disk(library_folder) == ["unlost"]
    assert not list(library_folder.glob("draft.*"))


def test_another_windows_note_meets_the_one_from_the_editor(library_folder: Path, tmp_path: Path) -> None:
    paper = first_paper(library_folder)
    env = editor(
        tmp_path, f'''echo mine > "$1"; while [ ! -e "{tmp_path}/go" ]; do echo LENT; sleep 0.05; done'''
    )
    terminal = run(library_folder, env, ("E", "LENT"))
    write(library_folder, (paper, "theirs"))
    (tmp_path / "go").touch()
    terminal.until("another window wrote in this note too")
    terminal.type("\x11")
    assert terminal.wait() == 0
    (note,) = note_on_disk(library_folder)
    assert sorted(note.split()) == ["mine", "theirs"]


def first_paper(folder: Path) -> str:
    library = Library(folder)
    library.close()
    return library.ids[0]
