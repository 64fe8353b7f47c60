"""Keys wait their turn, however long what is ahead of them takes."""

from __future__ import annotations

import asyncio

import pytest
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tests.tui.helpers import until
from tui import key_order
from tui.key_order import FORGET, KeyOrder


class Bare(ModalScreen[None]):
    """A dialog in which nothing can have the focus."""

    BINDINGS = [("q", "dismiss")]  # noqa: RUF012 (Textual's own way)

    def compose(self) -> ComposeResult:
        yield Vertical()


class Slow(KeyOrder[None]):
    """An app in which a `!` has its effect once it is told so."""

    AUTO_FOCUS = "Input"

    def __init__(self) -> None:
        super().__init__()
        self.done = True
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield Input()

    @property
    def settled(self) -> bool:
        return self.done and super().settled

    def on_key(self, event: events.Key) -> None:
        self.done &= event.character != "!"

    def on_input_changed(self, event: Input.Changed) -> None:
        self.done &= not event.value.endswith("!")

    def notify(self, message: str, **_more: object) -> None:
        self.said.append(message)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_order, "PATIENCE", 0.05)


def typed(app: Slow, text: str) -> None:
    for char in text:
        app.post_message(events.Key(FORGET if char == "^" else char, char))


async def test_no_key_is_dropped_behind_a_slow_one_and_it_is_said() -> None:
    app = Slow()
    async with app.run_test() as pilot:
        line = app.query_one(Input)
        typed(app, "a!bcd")
        await until(pilot, lambda: len(app.said) > 1)
        assert (line.value, "keys typed since wait" in app.said[0]) == ("a!", True)
        typed(app, "ef")
        await pilot.pause(0.1)
        assert line.value == "a!"
        app.done = True
        await until(pilot, lambda: line.value == "a!bcdef")
        said = len(app.said)
        await pilot.pause(0.2)
        assert len(app.said) == said


async def test_keys_behind_one_that_hangs_can_be_dropped() -> None:
    app = Slow()
    async with app.run_test() as pilot:
        line = app.query_one(Input)
        typed(app, "!dd")
        await until(pilot, lambda: len(app.said) > 0)
        typed(app, "^x")
        await until(pilot, lambda: line.value == "!x")


async def test_a_dialog_without_focus_gets_its_keys_all_the_same() -> None:
    app = Slow()
    async with app.run_test() as pilot:
        await app.push_screen(Bare())
        typed(app, "jq")
        await until(pilot, lambda: not isinstance(app.screen, Bare))


async def test_keys_that_come_while_it_closes_are_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Slow()
    async with app.run_test() as pilot:
        typed(app, "!b")
        await until(pilot, lambda: not app.done)
        with monkeypatch.context() as closing:
            closing.setattr(app, "_screen_stacks", {app.current_mode: []})
            app.done = True
            typed(app, "c")
            app.post_message(events.Paste("d"))
            await asyncio.sleep(0.2)
    assert app._exception is None
