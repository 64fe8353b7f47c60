"""Text that would act on a terminal, or as markup, is shown as it stands, wherever it is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

from textual.widgets import Input

from index.clean import clean
from index.library import Library
from tests.tui.helpers import HOSTILE, anomalies, drawn, unsafe, until
from tests.tui.reader import Reader, opened
from tests.tui.terminal import Terminal, folder_env
from tui.screens.tag_editor import TagEditor

FILE_NAME = "evil \x1b]0;title\x07\u202e[@click=app.quit]x[\x2f].txt".replace("/", "")
EVIL = "[@click=app.quit]x[/] \x1b]52;c;ZXZpbA==\x07 \x9b31m \u202eabc"


def texts() -> list[str]:
    """Hostile texts, each one paragraph of a list."""
    return [" ".join(text.split()) for text in (*HOSTILE, *anomalies()) if clean(text).split()]


def hostile_library(folder: Path) -> Library:
    """A library whose papers, file names, tags, notes and comments are all hostile."""
    path = folder / FILE_NAME
    path.write_bytes(b"Daily Papers\n\n" + "\n\n".join(texts()).encode("utf-8", "surrogatepass"))
    library = Library(folder / "library", fill=False)
    (report,) = library.add([str(path)])
    assert report.records == len(texts())
    edits: list[tuple[str, str, str | bool | dict[str, object]]] = []
    for id in library.ids:
        end = min(12, len(library.entry(id).paper.abstract))
        mark = library.highlight(id, 0, end, "claim", EVIL)
        edits += [
            (id, "note", EVIL),
            (id, f"tags/{EVIL}", True),
            (id, f"highlights/{mark.id}", mark.to_json()),
        ]
    step = library.step(f"hostile {EVIL}", edits)
    assert step
    library.commit(step)
    library.prepare()
    return library


def whole_screen(reader: Reader) -> str:
    """What the top screen draws, and nothing but that."""
    return drawn(reader.app.screen._compositor.render_strips()).replace("\n", " ")


async def test_no_pane_and_no_dialog_lets_anything_through(tmp_path: Path) -> None:
    library = hostile_library(tmp_path)
    library.close()
    async with opened(tmp_path / "library") as reader:
        count = len(reader.library.ids)
        for _ in range(count):
            await reader.pilot.pause()
            await reader.press("enter")
            assert unsafe(whole_screen(reader)) == set()
            await reader.press("q", "j")
        await reader.press("G", "enter")
        assert "[@click=app.quit]x[/]" in whole_screen(reader)
        await reader.press("q", "/", *"click", "enter")
        await until(reader.pilot, lambda: 0 < len(reader.screen.desk.ids) <= count)
        assert unsafe(whole_screen(reader)) == set()
        for keys in (["t"], ["+"], ["-"], ["x"], ["?"], [":"], ["w"], ["e"], ["enter", "c"], ["s"], ["u"]):
            await reader.press(*keys)
            await reader.pilot.pause()
            assert unsafe(whole_screen(reader)) == set(), keys
            if isinstance(reader.app.screen, TagEditor):
                assert "[@click=app.quit]x[/]" in whole_screen(reader)
            for line in reader.app.screen.query(Input):
                assert unsafe(line.value) == set()
            await reader.press("escape", "escape")
            await until(reader.pilot, lambda: reader.app.screen is reader.screen)
        reader.screen.say(EVIL)
        await reader.pilot.pause()
        assert unsafe(whole_screen(reader)) == set()
        assert reader.app.is_running


def test_nothing_hostile_reaches_a_real_terminal_and_all_of_it_is_exported(tmp_path: Path) -> None:
    library = hostile_library(tmp_path)
    ids = list(library.ids)
    papers = library.reading_list(ids, "Hostile")
    exported = json.loads("".join(library.export_text(papers, "json")))
    assert len(exported["papers"]) == len(ids)
    assert unsafe("".join(library.export_text(papers, "markdown"))) <= set("\n\u00ad\u200b\u200d\u2060")
    library.close()
    terminal = Terminal(columns=100, rows=30, env=folder_env(tmp_path / "library"))
    terminal.until(f"{len(ids)} papers ")
    terminal.type("\r" + "J" * (len(ids) - 1))
    terminal.until("[@click=app.quit]x[/]")
    terminal.type("q/click\r")
    terminal.until("best first")
    terminal.type("q")
    assert terminal.wait() == 0
    sent = terminal.sent.decode("utf-8", "replace")
    commands = set(re.findall("\x1b][^\x07\x1b]*", sent))
    assert not {command for command in commands if "evil" in command.lower() or "ZXZpbA" in command}, commands
    assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ufeff]", sent)
