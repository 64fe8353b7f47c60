"""What config.toml says of keys and colours holds everywhere: in panes, lines, dialogs, hints and help."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.paths import config_file
from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tui.palette import Palette
from tui.screens.dialog import Line


def settle(settings: str) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text(settings, "utf-8")


@pytest.mark.parametrize("meaning", ["ask the author", "[bold]why[/bold]"])
async def test_a_colour_is_told_of_by_what_it_means(library_folder: Path, meaning: str) -> None:
    settle(f'[colours]\ndoubt = "{meaning}"\n')
    async with opened(library_folder) as reader:
        await reader.press("enter", "C")
        assert f"5 {meaning}" in reader.line("bottom")
        await reader.press("escape", "?")
        assert f"colour: {meaning}" in str(reader.app.screen.query_one("#lines", Line).visual)
        await reader.press("escape", "ctrl+p")
        await reader.type("colour: ")
        await until(reader.pilot, lambda: any(meaning in line for line in listed(reader)))


def listed(reader: Reader) -> list[str]:
    """What the palette lists."""
    return [
        str(option.prompt)
        for commands in reader.app.screen.query("CommandList")
        for option in commands.options  # type: ignore[attr-defined]
    ]


async def test_keys_that_work_from_anywhere_can_be_changed_and_are_free_then(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle('[keys]\nquit_now = "f12"\nstar = "ctrl+q"\npalette = "f11"\nread = "ctrl+p"\n')
    async with opened(library_folder) as reader:
        left: list[bool] = []
        monkeypatch.setattr(reader.screen, "leave", lambda: left.append(True))
        await reader.press("ctrl+q", "ctrl+p")
        told = reader.library.annotation(reader.current)
        assert (told.starred, told.status) == (True, "read")
        await reader.press("f11")
        assert isinstance(reader.app.screen, Palette)
        await reader.press("escape", "t", "ctrl+q")
        assert left == []
        await reader.press("f12")
        assert left == [True], "also from a dialog"
        await reader.press("escape", "e", "f12")
        assert left == [True, True], "also from a note"
