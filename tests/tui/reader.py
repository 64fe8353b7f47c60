"""The reader driven by keys: what its tests share."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from index.library import Library
from tests.tui.helpers import until
from tui.app import Postil
from tui.panes.lines import TwoEnds
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
