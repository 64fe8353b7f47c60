"""Quitting, and what is said, while the library cannot be written: nothing is lost without a word."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from index import files
from index.library import Library
from index.papers import Annotation, Value
from tests.tui.helpers import drawn, until
from tests.tui.reader import Reader, opened
from tests.tui.terminal import Terminal, faultless, folder_env
from tui import app, cli
from tui.panes.lines import Banner
from tui.screens.dialog import Line
from tui.screens.help import Help
from tui.screens.unsaved import Unsaved, free


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.library.PATIENCE", 0.2)
    monkeypatch.setattr("index.annotations.writer.SOONEST", 0.05)
    monkeypatch.setattr("index.annotations.writer.LATEST", 0.05)


@pytest.fixture
def disk(library_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(library_folder, monkeypatch)


class Disk:
    """The disk of a library, which is full until it is `mended`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.full = True
        for name in ("append", "replace"):
            monkeypatch.setattr(files, name, self._guarded(getattr(files, name)))

    def _guarded(self, write: Callable[..., None]) -> Callable[..., None]:
        def guarded(path: Path, *data: object) -> None:
            if self.full and path.is_relative_to(self.folder):
                raise OSError(28, "No space left on device", str(path))
            write(path, *data)

        return guarded

    def mend(self) -> None:
        self.full = False


@asynccontextmanager
async def reading(folder: Path) -> AsyncIterator[Reader]:
    """The reader, which is not closed here."""
    reader = app.Postil(Library(folder))
    async with reader.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        yield Reader(reader, pilot)


def write_much(reader: Reader) -> None:
    """Everything that can be written, on four papers, in two steps."""
    library = reader.library
    one, two, *more = library.ids[:4]
    mark = library.highlight(one, 4, 40, "result", "really").to_json()
    edits: list[tuple[str, str, Value]] = [
        (one, f"highlights/{mark['id']}", mark), (one, "note", "two\nlines"), (two, "tags/rg/x", True),
        (two, "rating", 4), (two, "due", "2031-01-02"), (two, "starred", True),
        *((id, "status", "read") for id in more),
    ]  # fmt: skip
    reader.screen.do(library.step("much", edits))
    reader.screen.do(library.step("a title", [(one, "title", "Mine")]))


def written(library: Library) -> dict[str, Annotation]:
    """All that is shown, by paper."""
    return {id: library.annotation(id) for id in library.ids if library.annotation(id) != Annotation(id)}


async def asked(reader: Reader) -> Unsaved:
    await until(reader.pilot, lambda: isinstance(reader.app.screen, Unsaved))
    await reader.pilot.pause()
    assert isinstance(reader.app.screen, Unsaved)
    return reader.app.screen


def says(dialog: Unsaved) -> str:
    return "\n".join(str(line.content) for line in dialog.query(Line))


@pytest.mark.parametrize("way", ["quit", "a hangup"])
async def test_a_comment_that_is_being_written_is_kept(library_folder: Path, way: str) -> None:
    library = Library(library_folder)
    id = library.ids[0]
    mark = library.highlight(id, 0, 40, "result")
    step = library.step("a highlight", [(id, f"highlights/{mark.id}", mark.to_json())])
    assert step
    library.commit(step)
    library.close()
    async with reading(library_folder) as reader:
        await reader.press("enter", "right_curly_bracket", "c", *"why")
        await until(reader.pilot, lambda: reader.app.screen is not reader.screen)
        if way == "quit":
            await reader.press("ctrl+q")
        else:
            reader.app._end()
        await until(reader.pilot, lambda: not reader.app.is_running)
    assert reader.library.close() == []
    (mark,) = Library(library_folder).annotation(id).highlights
    assert mark.comment == "why"


async def test_what_is_not_on_disk_is_put_elsewhere_and_merged_back_whole(
    library_folder: Path, disk: Disk, tmp_path: Path
) -> None:
    fresh, kept = tmp_path / "fresh", tmp_path / "kept.json"
    shutil.copytree(library_folder, fresh)
    async with reading(library_folder) as reader:
        write_much(reader)
        await reader.press("q")
        dialog = await asked(reader)
        assert "2 changes are not on disk" in says(dialog)
        assert "No space left on device" in says(dialog)
        shown = written(reader.library)
        dialog.query_one(Input).value = str(kept)
        await reader.press("enter")
        await until(reader.pilot, lambda: not reader.app.is_running)
    left = reader.library.close()
    assert {change.paper for change in left} == set(shown)
    assert len(shown) == 4
    told = app._farewell(reader.library, left)
    assert told
    assert f"postil merge {kept}" in told
    assert list(Path.home().iterdir()) == []
    for thread in threading.enumerate():
        if thread.name == "annotations":  # in its last attempt, perhaps
            thread.join()
    disk.mend()
    again = Library(library_folder)
    assert written(again) == {}
    again.close()
    for folder in (library_folder, fresh):
        assert cli.main(["merge", str(kept), "--library", str(folder)]) == 0
        library = Library(folder)
        for id, told_of in written(library).items():
            for field in ("status", "rating", "starred", "due", "tags", "note", "highlights", "title"):
                assert getattr(told_of, field) == getattr(shown[id], field)
        assert written(library).keys() == shown.keys()
        library.close()


@pytest.mark.parametrize("keys", [["q"], ["ctrl+q"], [":", "q", "enter"], ["e", "x", "ctrl+q"]])
async def test_every_way_out_asks_and_esc_goes_back_to_reading(
    library_folder: Path, disk: Disk, keys: list[str]
) -> None:
    async with opened(library_folder) as reader:
        await reader.press("*", *keys)
        dialog = await asked(reader)
        assert "No space left on device" in says(dialog)
        reader.screen.leave()  # it is asked already
        assert reader.app.screen_stack[1:] == [dialog]
        await reader.press("escape")
        assert reader.app.screen_stack == [reader.screen]
        disk.mend()
        await reader.saved()
        assert reader.app.is_running
        reader.screen.leave()
        await until(reader.pilot, lambda: not reader.app.is_running)
    (told,) = written(library := Library(library_folder)).values()
    assert (told.starred, told.note) == (True, "x" if "x" in keys else "")
    library.close()
    assert list(Path.home().iterdir()) == []


async def test_quitting_goes_on_when_the_disk_has_taken_everything(library_folder: Path, disk: Disk) -> None:
    async with opened(library_folder) as reader:
        await reader.press("*", "q")
        await asked(reader)
        disk.mend()
        await until(reader.pilot, lambda: not reader.app.is_running)
    assert list(Path.home().iterdir()) == []
    library = Library(library_folder)
    assert len(written(library)) == 1
    library.close()


async def test_a_place_that_cannot_be_used_is_told_and_asked_again(
    library_folder: Path, disk: Disk, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text("my own words")
    async with reading(library_folder) as reader:
        await reader.press("*", "q")
        dialog = await asked(reader)
        about, line = dialog.query_one("#about", Line), dialog.query_one(Input)
        for place, wrong in (
            ("", "name a file"),
            (str(mine), "exists already"),
            (str(tmp_path / "no" / "such.json"), "cannot be written"),
            (str(library_folder / "x.json"), "library's own folder"),
            ("a\0b", ""),
        ):
            line.value = place
            await reader.press("enter")
            assert reader.app.screen is dialog
            assert about.has_class("wrong")
            assert wrong in str(about.content)
            about.set_classes("quiet")
        line.value = "~/here.json"
        await reader.press("enter")
        await until(reader.pilot, lambda: not reader.app.is_running)
    reader.library.close()
    assert mine.read_text() == "my own words"
    assert [path.name for path in Path.home().iterdir()] == ["here.json"]


async def test_quitting_waits_for_a_slow_disk_and_does_not_ask(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, go = files.append, threading.Event()

    def slow(path: Path, data: bytes) -> None:
        assert go.wait(20)
        append(path, data)

    monkeypatch.setattr(files, "append", slow)
    monkeypatch.setattr("tui.screens.reading.BUSY", 20.0)
    async with opened(library_folder) as reader:
        await reader.press("*", "q")
        await reader.pilot.pause(0.1)
        assert reader.app.screen is reader.screen
        assert reader.app.is_running
        go.set()
        await until(reader.pilot, lambda: not reader.app.is_running)


async def test_a_disk_that_neither_takes_nor_refuses_does_not_hold_the_reader(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(files, "append", lambda *_: go.wait(20))
    monkeypatch.setattr("tui.screens.reading.BUSY", 0.1)
    async with reading(library_folder) as reader:
        await reader.press("*", "q")
        await until(reader.pilot, lambda: not reader.app.is_running)
    left = reader.library.close()
    assert [change.field for change in left] == ["starred"]
    assert app._farewell(reader.library, left)
    (kept,) = Path.home().iterdir()
    assert "postil-unsaved-" in kept.name
    go.set()


async def test_a_signal_asks_nothing_and_a_home_that_is_full_is_passed_over(
    library_folder: Path, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    async with reading(library_folder) as reader:
        await reader.press("*", "e", *"half")
        reader.app._end()
        await until(reader.pilot, lambda: not reader.app.is_running)
    left = reader.library.close()
    assert {change.field for change in left} == {"starred", "note"}
    replace = files.replace

    def full(path: Path, *data: object) -> None:
        if full_everywhere or path.is_relative_to(Path.home()):
            raise OSError(28, "No space left on device")
        replace(path, *data)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", full)
    full_everywhere = True
    told = app._farewell(reader.library, left)
    assert told
    assert '"half"' in told
    full_everywhere = False
    assert "postil merge" in (app._farewell(reader.library, left) or "")
    (kept,) = tmp_path.glob("postil-unsaved-*.json")
    (note,) = (one["note"] for one in json.loads(kept.read_text())["annotations"].values())
    assert note == "half"
    assert "postil merge" in (app._farewell(reader.library, left) or "")
    assert len(list(tmp_path.glob("postil-unsaved-*.json"))) == 1


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        names.append(free(tmp_path))
        names[-1].touch()
    stem = names[0].stem
    assert [path.name for path in names] == [f"{stem}.json", f"{stem}-2.json", f"{stem}-3.json"]


# In a terminal, on annotations that a newer postil wrote


def newer(folder: Path) -> None:
    step = (library := Library(folder)).step("note", [(library.ids[-1], "note", "from long ago")])
    assert step
    library.commit(step)
    library.close()
    path = folder / "annotations.json"
    tables = json.loads(path.read_text("utf-8"))
    tables["_meta"]["1"]["schema"] = 99
    path.write_text(json.dumps(tables), "utf-8")


@pytest.mark.parametrize("hang_up", [False, True])
def test_a_terminal_is_told_where_the_changes_are(library_folder: Path, hang_up: bool) -> None:
    newer(library_folder)
    before = (library_folder / "annotations.json").read_bytes()
    terminal = Terminal(columns=80, rows=24, env=folder_env(library_folder))
    terminal.until("! Nothing is saved: annotations.json was written by a newer postil")
    terminal.type("*")
    terminal.until("not saved yet")
    if hang_up:
        os.kill(terminal.pid, signal.SIGHUP)
    else:
        terminal.type("q")
        terminal.until("1 change is not on disk")
        terminal.type("\r")
    terminal.until(lambda seen: "takes it back" in seen.replace("\n", ""))
    assert terminal.wait() == 1
    assert faultless(terminal.sent)
    (kept,) = Path.home().glob("postil-unsaved-*.json")
    assert terminal.screen.replace("\n", "").count(f"postil merge {kept}") == 1
    assert (library_folder / "annotations.json").read_bytes() == before
    (told,) = json.loads(kept.read_text("utf-8"))["annotations"].values()
    assert told["starred"]


# While nothing can be saved


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
async def test_a_banner_stands_for_as_long_as_nothing_can_be_saved(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    why: str | None = f"{library_folder}/annotations.json is another's, and this is a rather long line of it"
    monkeypatch.setattr(Library, "read_only", property(lambda _library: why))
    async with opened(library_folder, size) as reader:
        banner = reader.screen.query_one(Banner)
        (line,) = [banner.render_line(0)]
        assert banner.region.y == 1
        assert "! Nothing is saved: annotations.json" in drawn([line])
        assert ("…" in drawn([line])) is (size == (40, 12))
        assert line.cell_length == size[0]
        assert all(segment.style and segment.style.reverse for segment in line if segment.text.strip())
        why = None
        await until(reader.pilot, lambda: not banner.display, 400)
        await until(reader.pilot, lambda: reader.screen.query_one("#searching").region.y == 1)
        why = "again"
        await until(reader.pilot, lambda: banner.display, 400)
        assert "Nothing is saved: again" in banner.text[0]


@pytest.mark.parametrize(
    "error", [OSError(5, "Input/output error"), ZeroDivisionError(), KeyError("x\x1b[2J")]
)
@pytest.mark.parametrize("what", ["refresh", "refresh_papers"])
async def test_whatever_a_look_for_news_meets_is_told_and_the_reader_goes_on(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, error: Exception
) -> None:
    def fails(_library: Library) -> None:
        raise error

    async with opened(library_folder) as reader:
        with monkeypatch.context() as patch:
            patch.setattr(Library, what, fails)
            line = str(error) or "ZeroDivisionError"
            await until(reader.pilot, lambda: not reader.app.is_running or line in reader.line("bottom"), 400)
            assert reader.app.is_running
            await reader.press("j")
            assert reader.screen.papers.cursor == 1
        await until(reader.pilot, lambda: reader.line("bottom").endswith("saved"), 400)


async def test_a_dialog_that_the_command_line_opens_stays(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press(":", *"help", "enter")
        await until(reader.pilot, lambda: isinstance(reader.app.screen, Help))
        await reader.press("escape")
        assert reader.app.screen is reader.screen
