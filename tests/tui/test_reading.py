"""The reader driven by keys, judged by what the library then holds and the panes show."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from index import paths
from index.finding import Found
from index.library import Library
from tests.tui.helpers import until
from tui import app
from tui.app import Postil
from tui.commands import COMMANDS
from tui.panes.lines import TwoEnds
from tui.panes.note_editor import NoteEditor
from tui.screens.dialog import Line
from tui.screens.reading import Reading


class Reader:
    """A reader under test: its app, pilot, screen and library."""

    def __init__(self, app: Postil, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.library = app.library

    @property
    def screen(self) -> Reading:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, Reading)
        return screen

    @property
    def current(self) -> str:
        current = self.screen.papers.current
        assert current
        return current

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if char == " " else char for char in text))

    async def search(self, text: str, count: int) -> None:
        """Type a query, keep it, and wait until so many papers are listed."""
        await self.press("/")
        await self.type(text)
        await self.press("enter")
        await until(self.pilot, lambda: len(self.screen.desk.ids) == count and not self.screen.waiting)
        await self.pilot.pause()

    async def saved(self) -> None:
        await until(self.pilot, lambda: self.library.waiting == 0)
        await self.pilot.pause()

    def line(self, id: str) -> str:
        return "  ".join(self.screen.query_one(f"#{id}", TwoEnds).text)


@asynccontextmanager
async def opened(folder: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Reader]:
    library = Library(folder)
    app = Postil(library)
    try:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Reader(app, pilot)
    finally:
        assert library.close() == []


def statuses(folder: Path) -> dict[str, str]:
    """Each annotated paper's status, as another process would read it."""
    data = json.loads((folder / "annotations.json").read_text("utf-8"))
    return {one["paper"]: one["status"] for one in data["annotations"].values()}


async def test_every_command_of_the_table_is_done_somewhere(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        assert set(reader.screen._actions) == {command.name for command in COMMANDS}


async def test_the_list_shows_393_papers_and_reading_changes_nothing(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        assert len(reader.screen.desk.ids) == 393
        assert reader.line("top") == "postil · Daily Papers  393 papers · 393 unread "
        await reader.press("j", "enter", "J", "space", "G", "q", "k", "h")
        await reader.saved()
    assert not (library_folder / "annotations.json").exists()


async def test_movement_with_counts(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        papers = reader.screen.papers
        await reader.press("5", "j")
        assert papers.cursor == 5
        await reader.press("2", "k")
        assert papers.cursor == 3
        await reader.press("1", "0", "j")
        assert papers.cursor == 13
        await reader.press("G")
        assert papers.cursor == 392
        await reader.press("g", "g")
        assert papers.cursor == 0
        await reader.press("g", "x", "j")
        assert papers.cursor == 1


async def test_search_as_you_type_keep_and_take_back(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("j", "j")
        before = reader.current
        await reader.press("/")
        await reader.type("grokk")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        assert reader.current == before
        await reader.search("grokking", 7)
        assert reader.screen.papers.cursor == 0
        assert "7 of 393, best first" in reader.line("found")
        assert all(
            "grokking" in reader.library.entry(id).paper.abstract.lower() for id in reader.screen.desk.ids
        )
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)


async def test_a_key_after_a_kept_query_waits_for_its_papers(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = Library.find

    def slow(self: Library, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
        time.sleep(0.3)
        return find(self, text, typing=typing, sort=sort)

    monkeypatch.setattr(Library, "find", slow)
    async with opened(library_folder) as reader:
        await reader.press("/", *"grokking", "enter", "r")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await until(reader.pilot, lambda: reader.library.count("read") == 1)
        (id,) = (id for id in reader.library.ids if reader.library.annotation(id).status == "read")
        assert "grokking" in reader.library.entry(id).paper.abstract.lower()


async def test_a_query_that_is_not_understood_says_so_and_lists_the_rest(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("/")
        await reader.type("grokking titel:x")
        hint = reader.screen.query_one("#hint")
        await until(reader.pilot, lambda: hint.has_class("-said"))
        assert "titel" in reader.line("hint")


async def test_status_star_rating_and_their_undo(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("r", "*", "=", "4")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("read", True, 4)
        await reader.press("s", "l")
        assert reader.library.annotation(id).status == "later"
        await reader.press("u", "u", "u", "u")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("unread", False, None)
        await reader.press("4", "ctrl+r")
        told = reader.library.annotation(id)
        assert (told.status, told.starred, told.rating) == ("later", True, 4)
        await reader.saved()
    assert statuses(library_folder) == {id: "later"}


async def test_a_number_then_a_letter_acts_on_so_many_and_rjr_on_exactly_two(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking is:unread", 7)
        first, second, *others = reader.screen.desk.ids
        await reader.press("r", "j", "r")
        await reader.saved()
        await until(reader.pilot, lambda: reader.screen.desk.left == {first, second})
        assert list(reader.screen.desk.ids) == [first, second, *others]
        await reader.press("g", "g", "j", "j", "3", "s", "x")
        await reader.saved()
    assert statuses(library_folder) == {
        first: "read", second: "read", **dict.fromkeys(others[:3], "skipped"),
    }  # fmt: skip


async def test_all_of_a_search_is_tagged_and_untagged_after_a_restart(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        seven = set(reader.screen.desk.ids)
        await reader.press("A", "t")
        await reader.type("rg/grok")
        await reader.press("enter")
        await reader.saved()
        assert reader.library.tags() == {"rg/grok": 7}
        await reader.press("ctrl+q")
    async with opened(library_folder) as reader:
        assert {id for id in reader.library.ids if reader.library.annotation(id).tags} == seven
        await reader.press("u")
        assert reader.library.tags() == {}
        await reader.press("ctrl+r")
        assert reader.library.tags() == {"rg/grok": 7}


async def test_the_tag_editor_completes_adds_and_takes_away(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("t")
        await reader.type("MoE, scaling/laws")
        await reader.press("enter")
        assert reader.library.annotation(first).tags == ("moe", "scaling/laws")
        await reader.press("j", "+")
        await reader.type("sca")
        await reader.press("tab", "enter")
        assert reader.library.annotation(reader.current).tags == ("scaling/laws",)
        await reader.press("k", "t")
        await reader.press(*["backspace"] * len("scaling/laws, "), "enter")
        assert reader.library.annotation(first).tags == ("moe",)
        await reader.press("-")
        await reader.type("moe")
        await reader.press("enter")
        assert reader.library.annotation(first).tags == ()


@pytest.mark.parametrize(
    ("word", "number", "begins", "ends"),
    [
        ("colosseum", 3, "We present THE COLOSSEUM", "perturbations."),
        ("gcog", 4, "We found that across model architectures (e.g., RNNs", "fared better."),
    ],
)
async def test_a_numbered_sentence_is_highlighted_whole(
    library_folder: Path, word: str, number: int, begins: str, ends: str
) -> None:
    async with opened(library_folder) as reader:
        await reader.search(word, 1)
        await reader.press("enter", str(number), "H")
        await reader.saved()
        (mark,) = reader.library.annotation(reader.current).highlights
        abstract = reader.library.entry(reader.current).paper.abstract
        assert mark.quote.startswith(begins)
        assert mark.quote.endswith(ends)
        assert abstract[mark.start : mark.end] == mark.quote
        assert abstract[: mark.start].endswith(mark.prefix)
        assert abstract[mark.end :].startswith(mark.suffix)
        assert reader.library.annotation(reader.current).rating is None


async def test_highlight_toggle_colour_comment_and_selection(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("enter", ")", "H")
        (mark,) = reader.library.annotation(id).highlights
        assert mark.quote.startswith("To assess the generality")
        await reader.press("C", "3", "c")
        await reader.type("worth it")
        await reader.press("enter")
        (mark,) = reader.library.annotation(id).highlights
        assert (mark.colour, mark.comment) == ("result", "worth it")
        await reader.press("H")
        assert reader.library.annotation(id).highlights == ()
        await reader.press("v", "w", "w", "H")
        (mark,) = reader.library.annotation(id).highlights
        assert mark.quote.startswith("To assess")
        assert mark.colour == "result"
        assert reader.screen.text.selection() is None


async def test_a_note_is_kept_on_leaving_and_on_quitting(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e")
        await reader.type("two *words*")
        await reader.press("enter")
        await reader.type("q j 5")
        await reader.press("escape")
        assert reader.library.annotation(first).note == "two *words*\nq j 5"
        await reader.press("q", "j", "e")
        second = reader.current
        await reader.type("unfinished")
        await reader.press("ctrl+q")
    library = Library(library_folder)
    assert library.annotation(first).note == "two *words*\nq j 5"
    assert library.annotation(second).note == "unfinished"
    library.close()


async def test_two_windows_see_one_another(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        other = Library(library_folder)
        step = other.step("star", [(reader.current, "starred", True)])
        assert step
        other.commit(step)
        other.close()
        await until(reader.pilot, lambda: reader.library.annotation(reader.current).starred)
        assert reader.screen.desk.row(reader.current).starred


async def test_papers_that_another_command_brings_in_are_listed_and_found(
    library_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new.txt"
    path.write_text("Daily Papers\n\n" + "We introduce Zyzzyva, a beetle of the tropics. " * 8, "utf-8")
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        other = Library(library_folder)
        other.add([str(path)])
        other.close()
        await until(reader.pilot, lambda: "394 papers" in reader.line("top"))
        assert "1 new in the library" in reader.line("bottom")
        assert len(reader.screen.desk.ids) == 7
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 394)
        await reader.search("zyzzyva", 1)


async def test_export_dialog_writes_what_is_listed_and_refuses_a_foreign_file(
    library_folder: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "mine.md"
    foreign.write_text("my own words")
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        await reader.press("x")
        line = reader.app.screen.query_one(Input)
        line.value = str(foreign)
        await reader.press("enter")
        assert foreign.read_text() == "my own words"
        line.value = str(tmp_path / "list.md")
        await reader.press("tab", "enter")
        assert reader.app.screen is reader.screen
    papers = json.loads((tmp_path / "list.json").read_text("utf-8"))["papers"]
    assert len(papers) == 7


async def test_pasted_text_is_never_keys(library_folder: Path) -> None:
    from textual import events

    async with opened(library_folder) as reader:
        reader.screen.papers.post_message(events.Paste("dd 5*q"))
        await reader.pilot.pause()
        await reader.press("e")
        editor = reader.screen.query_one(NoteEditor)
        editor.post_message(events.Paste("a\x1b]52;c;ZXZpbA==\x07b"))
        await reader.pilot.pause()
        assert editor.text == "a]52;c;ZXZpbA==b"
        await reader.press("escape")
        assert reader.app.is_running
    assert set(statuses(library_folder).values()) == {"unread"}


async def test_escape_and_the_next_key_sent_as_one(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter")
        assert reader.screen.text.has_focus
        await reader.press("alt+j")
        assert (reader.screen.papers.has_focus, reader.screen.papers.cursor) == (True, 1)


async def test_the_way_by_palette_and_by_command_line(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press(":")
        await reader.type("star")
        await reader.press("enter")
        assert reader.library.annotation(reader.current).starred
        await reader.press(":")
        await reader.type("nonsense")
        await reader.press("enter")
        assert reader.app.screen is not reader.screen
        await reader.press("escape", "ctrl+p")
        await reader.type("status: skipped")
        await until(reader.pilot, lambda: bool(reader.app.screen.query("CommandList")))
        await reader.pilot.pause(0.3)
        await reader.press("enter")
        await until(reader.pilot, lambda: reader.library.annotation(reader.current).status == "skipped")


async def test_help_shows_every_command_and_filters(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("?")
        shown = reader.app.screen.query_one("#lines", Line).visual
        assert all(command.about in str(shown) for command in COMMANDS)
        await reader.type("undo")
        shown = reader.app.screen.query_one("#lines", Line).visual
        assert "undo" in str(shown)
        assert "half a page" not in str(shown)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_it_works_at_every_size(library_folder: Path, size: tuple[int, int]) -> None:
    async with opened(library_folder, size) as reader:
        screen = reader.screen
        assert screen.papers.region.height >= 8
        assert screen.text.display and screen.query_one("#reading").display is (size[0] >= 100)
        await reader.press("j", "enter")
        assert screen.query_one("#reading").display
        assert screen.text.has_focus
        assert screen.text.region.width >= 38
        assert screen.query_one("#list").display is (size[0] >= 100)
        await reader.press("q")
        assert screen.papers.has_focus
        assert screen.papers.region.width >= (50 if size[0] >= 100 else size[0])


async def test_what_is_wrong_with_the_settings_is_said_at_the_start_and_the_rest_goes_on(
    library_folder: Path,
) -> None:
    config = paths.config_file()
    config.parent.mkdir(parents=True)
    config.write_text(
        '[keys]\nnonsense = "q"\nread = "t"\nstar = "*, f2"\n[colours]\nclaim = "Behauptung"\n', "utf-8"
    )
    async with opened(library_folder, (160, 30)) as reader:
        said = [note.message for note in reader.app._notifications]
        assert [name for name in ("keys.nonsense", "keys.read") if any(name in line for line in said)] == [
            "keys.nonsense", "keys.read",
        ]  # fmt: skip
        await reader.press("f2")
        assert reader.library.annotation(reader.current).starred
        await reader.press("enter", "H")
        assert "highlight as Behauptung" in reader.line("bottom")


async def test_copies_say_which_way_they_went(library_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def copy(text: str, **_: object) -> str:
        copied.append(text)
        return "copied (nowhere)"

    monkeypatch.setattr("tui.clipboard.copy", copy)
    async with opened(library_folder) as reader:
        heading = reader.library.row(reader.current).heading
        for keys, begins in (
            ("yt", heading),
            ("ya", "The advent of"),
            ("ym", "# Reading list"),
            ("yy", "Unknown"),
        ):
            count = len(copied)
            await reader.press(*keys)
            await until(reader.pilot, lambda count=count: len(copied) > count)  # type: ignore[misc]
            await until(reader.pilot, lambda: "copied (nowhere)" in reader.line("bottom"))
            assert copied[-1].startswith(begins)
        assert copied[-1] == (f"Unknown authors (n.d.). {heading} [heading derived from the abstract]")
        await reader.press("y", "h")
        await until(reader.pilot, lambda: "no highlights to copy" in reader.line("bottom"))


async def test_a_file_that_another_program_has_emptied_is_put_right_while_the_reader_is_open(
    library_folder: Path,
) -> None:
    step = (seen := Library(library_folder)).step("star", [(seen.ids[0], "starred", True)])
    assert step
    seen.commit(step)
    seen.close()
    async with opened(library_folder) as reader:
        first = reader.library.ids[0]
        await reader.press("e", *"words")
        (library_folder / "annotations.json").write_bytes(b"")
        await until(reader.pilot, lambda: "annotations.json" in reader.line("bottom"))
        await reader.press("escape")
        await reader.saved()
        assert reader.library.annotation(first).starred
    library = Library(library_folder)
    told = library.annotation(first)
    assert (told.starred, told.note) == (True, "words")
    library.close()


async def test_a_note_that_was_changed_elsewhere_meanwhile_keeps_both(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", *"mine")
        other = Library(library_folder)
        step = other.step("note", [(reader.current, "note", "theirs")])
        assert step
        other.commit(step)
        other.close()
        await reader.press("escape")
        await reader.saved()
        assert reader.library.annotation(reader.current).note == "theirs\n\nmine"


async def test_a_click_elsewhere_keeps_the_note_with_its_paper(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e", *"for paper one")
        await reader.pilot.click("#list", offset=(20, 5))
        await until(reader.pilot, lambda: not reader.screen.query(NoteEditor))
        assert reader.current != first
        assert reader.library.annotation(first).note == "for paper one"


async def test_a_draft_outlives_a_crash(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        paper = reader.current
        await reader.press("e", *"half a thought")
        state = library_folder / "state.json"
        await until(reader.pilot, lambda: state.exists() and "half a thought" in state.read_text(), 400)
        draft = json.loads(state.read_text())["draft"]
        await reader.press("escape")
        await until(reader.pilot, lambda: json.loads(state.read_text())["draft"] is None)
        await reader.press("u")
        await reader.saved()
    state.write_text(json.dumps({"draft": {**draft, "by": 2**22 + 1}}))
    async with opened(library_folder) as reader:
        await reader.saved()
        assert reader.library.annotation(paper).note == "half a thought"


async def test_escape_and_a_key_sent_as_one_leave_a_note_the_bar_and_a_dialog(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", "alt+j")
        assert not reader.screen.query(NoteEditor)
        assert reader.library.annotation(reader.current).note == ""
        await reader.press("q", "/", "a", "alt+j")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        assert reader.screen.bar.value == ""
        cursor = reader.screen.papers.cursor
        await reader.press("?", "alt+j")
        assert reader.app.screen is reader.screen
        assert reader.screen.papers.cursor == cursor + 1


async def test_the_palette_can_be_paged_at_once(library_folder: Path) -> None:
    async with opened(library_folder, (40, 12)) as reader:
        await reader.press("ctrl+p", "pagedown", "pageup", "pagedown", "escape")
        assert reader.app.is_running


async def test_a_number_goes_to_that_row(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("5", "G")
        assert reader.screen.papers.cursor == 4
        await reader.press("1", "0", "g", "g")
        assert reader.screen.papers.cursor == 9
        await reader.press("3", "=", "2")
        assert sum(reader.library.annotation(id).rating == 2 for id in reader.library.ids) == 3


def test_what_the_library_cannot_take_is_put_in_another_place(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = Library(library_folder)
    library.listen(lambda _saved: None, lambda _trouble: None)
    monkeypatch.setattr("index.files.append", _no_space)
    monkeypatch.setattr("index.library.PATIENCE", 0.5)
    step = library.step("note", [(library.ids[0], "note", "not lost")])
    assert step
    library.submit(step)
    left = library.close()
    monkeypatch.undo()
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert "they are kept in" in app._rescued(library, left)
    (kept,) = tmp_path.glob("postil-unsaved-*.json")
    (change,) = json.loads(kept.read_text())["unsaved"]
    assert (change["paper"], change["field"], change["after"]) == (library.ids[0], "note", "not lost")


def _no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")
