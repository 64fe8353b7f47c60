"""One key at a time: a key is not given out before the one ahead of it has had its whole effect.

Textual sends each key to whatever has the focus at that moment. Keys that come in a burst, over a slow
line or from `tmux send-keys`, would so reach the list although the first of them opened the search bar
or a note: letters of a note would be taken as commands.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Final, TypeVar

from textual import events
from textual.app import App
from textual.keys import key_to_character
from textual.message_pump import MessagePump

Returned = TypeVar("Returned")

ROUNDS: Final = 2
"""A key's own way up to the app, and that of the message that it gives rise to (a line submitted)."""
PATIENCE: Final = 2.0
"""Seconds after which it is said that keys wait for something slow."""
FORGET: Final = "ctrl+c"
"""Drops the keys that wait so, for what they wait for may hang."""
LOOK: Final = 0.005
"""Seconds between two looks whether a dialog has opened."""


class KeyOrder(App[Returned]):
    """An app that keeps keys and pastes in order."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._held: deque[events.Key | events.Paste] = deque()
        self._under_way = 0
        """The number of the key whose effect is awaited; 0 for none."""
        self._number = 0
        self._late = False
        """Whether its effect has been awaited for long."""
        self._arrived = False
        """Whether it has gone its way up to the app."""

    @property
    def settled(self) -> bool:
        """Whether whatever a key has opened is ready for the next one."""
        return self.screen.focused is not None

    def forget_keys(self) -> None:
        """Drop what was typed ahead."""
        self._held.clear()

    def apart(self, event: events.Key) -> tuple[events.Key, ...] | None:
        """Esc and the next key, where a terminal sent them as one `alt+key` that means nothing else."""
        key = event.key.removeprefix("alt+")
        character = key if len(key) == 1 else key_to_character(key)
        if key == event.key or character is None or not character.isprintable():
            return None
        return events.Key("escape", None), events.Key(key, character)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif not self.screen_stack:
            return  # it is closing
        elif isinstance(event, events.Key) and (keys := self.apart(event)):
            for key in keys:
                await self.on_event(key)
        elif self._under_way and self._late and isinstance(event, events.Key) and event.key == FORGET:
            self.forget_keys()
            self._under_way = 0
        elif self._under_way:
            self._held.append(event)
        else:
            self._number += 1
            self._under_way = self._number
            self._late = self._arrived = False
            self.set_timer(PATIENCE, partial(self._wait, self._number))
            await super().on_event(event)
            self._follow(self._front, self._number, ROUNDS)

    @property
    def _front(self) -> MessagePump:
        """What gets the keys."""
        return (self.focused or self.screen) if self.screen_stack else self

    def _follow(self, node: MessagePump, number: int, rounds: int) -> None:
        """Go the way of a key from `node` up to the app, behind it in every queue."""
        if node is self:
            if rounds > 1:
                self.call_later(self._follow, self._front, number, rounds - 1)
            else:
                self.call_later(self._landed, number)
        elif node.is_running and not node._closing:
            node.call_later(self._follow, node._parent or self, number, rounds)
        else:
            self._follow(node._parent or self, number, rounds)

    def _wait(self, number: int) -> None:
        """The key has taken long: say so, and see that it is still followed."""
        if number != self._under_way or not self.screen_stack:
            return
        self._late = True
        if self._held:
            self.notify("still busy: the keys typed since wait; C-c drops them", timeout=PATIENCE)
        if not self._arrived:  # what closed has taken along what was queued there
            self._follow(self._front, number, 1)
        self.set_timer(PATIENCE, partial(self._wait, number))

    async def _landed(self, number: int) -> None:
        """The key has had its effect: give out the next one."""
        if number != self._under_way or not self.screen_stack:
            return
        self._arrived = True
        # A dialog in which nothing has the focus has got its keys by then.
        if not self.settled and not (self._late and self.screen.is_modal):
            self.set_timer(LOOK, partial(self._landed, number))
            return
        self._under_way = 0
        if self._held:
            await self.on_event(self._held.popleft())
