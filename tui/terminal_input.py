"""What the terminal sends into keys, mouse and pastes, however it was cut on its way.

Textual takes an ESC inside a bracketed paste for the start of a key, and what follows for keys; it goes
through megabytes letter by letter; and over a slow line it takes the rest of a sequence for letters.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from time import monotonic
from typing import Final

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END as END
from textual._xterm_parser import BRACKETED_PASTE_START as START
from textual._xterm_parser import XTermParser
from textual.constants import ESCAPE_DELAY
from textual.message import Message

from index.clean import clean

ESC: Final = "\x1b"
LONGEST: Final = 1_000_000
"""Characters of a paste that are kept."""
PATIENCE: Final = 1.0
"""Seconds that the rest of a sequence is waited for; nobody begins one by hand."""
LONGEST_KEY: Final = 32
"""Characters of the longest sequence that a key or the mouse sends."""
SOON, LATER = 0.02, 0.2
"""Seconds until the next look, when a key may be waiting for it and when none is."""
_BEGUN: Final = re.compile(r"\x1b(?:O|\[[0-?]*)?\Z")
_WITH_ESC: Final = re.compile(r"(?P<escapes>\x1b*)\x1b(?P<key>[^\x1b\[O\t\x7f])")
"""Textual takes some of these for other letters, and loses the ESC before others."""
_REST: Final = re.compile(r"O[A-DFHP-S]|\[(?:[A-DFHIOZ]|[\d;]+[~A-HP-Su]|<[\d;]+[Mm]|\Z)")
"""What follows the ESC of a sequence."""


class TerminalInput(XTermParser):
    """Textual's parser, before which pastes are taken out and sequences put together."""

    def __init__(self) -> None:
        super().__init__()
        self._pasted: list[str] | None = None
        """What has come of the paste that is under way."""
        self._room = 0
        """Characters that it may still take."""
        self._unended = False
        """Whether the last paste was given up: its end may still come."""
        self._held = ""
        """What the next read may go on with."""
        self._since = 0.0
        """When that came."""
        self._escaped = -PATIENCE
        """When an ESC was last taken for the key."""

    @property
    def pause(self) -> float:
        """Seconds until `tick` is to be called, also if nothing comes."""
        return SOON if self._held or self._timeout_time is not None else LATER

    def feed(self, data: str) -> Iterator[Message]:
        """What was sent; a paste as one event, cleaned, whatever it holds."""
        if monotonic() - self._escaped < PATIENCE and _REST.match(data):
            data = ESC + data  # it came too early to be known for a part of this
        self._escaped = -PATIENCE
        data, self._held = self._held + data, ""
        if self._unended:  # the line has only been slow, where this is more than a key
            self._unended = False
            on = data.partition(START)[0]
            if END in on or (len(on) > LONGEST_KEY and not on.startswith(ESC)):
                self._begin_paste()
        while data:
            data = yield from self._keys(data) if self._pasted is None else self._paste(data)

    def tick(self) -> Iterator[Message]:
        """What is no longer waited for."""
        yield from super().tick()
        age = monotonic() - self._since
        if self._pasted is not None and age >= PATIENCE:
            self._unended = True
            yield from self._end_paste(self._held)
            self._held = ""
        if self._pasted is not None or not self._held:
            return
        held = self._held
        if held == ESC and age >= ESCAPE_DELAY:
            self._held, self._escaped = "", monotonic()
            yield events.Key("escape", ESC)
        elif age >= PATIENCE:
            self._held = ""
            yield from self._with_esc(held[1]) if len(held) == 2 else ()

    def _keys(self, data: str) -> Generator[Message, None, str]:
        keys, start, rest = data.partition(START)
        if start:
            self._begin_paste()
        elif begun := _BEGUN.search(keys):
            keys, self._held, self._since = keys[: begun.start()], begun[0], monotonic()
        at = 0
        for both in _WITH_ESC.finditer(keys):
            yield from self._sequences(keys[at : both.start()])
            at = both.end()
            yield from (events.Key("escape", ESC) for _ in both["escapes"])
            yield from self._with_esc(both["key"])
        yield from self._sequences(keys[at:])
        return rest

    def _sequences(self, keys: str) -> Iterator[Message]:
        yield from super().feed(keys) if keys else ()  # what is empty would end it

    def _with_esc(self, key: str) -> Iterator[Message]:
        """An ESC and a character that came as one: `alt` and the character."""
        if key.isprintable():
            yield events.Key("alt+space" if key == " " else f"alt+{key}", key)
        else:
            yield events.Key("escape", ESC)
            yield from super().feed(key)

    def _begin_paste(self) -> None:
        self._pasted, self._room, self._since = [], LONGEST, monotonic()

    def _paste(self, data: str) -> Generator[Message, None, str]:
        text, end, rest = data.rpartition(END)  # an end before the last is part of a hostile text
        if end:
            yield from self._end_paste(text)
            return rest
        self._take(data[: 1 - len(END)])
        self._held, self._since = data[1 - len(END) :], monotonic()
        return ""

    def _take(self, text: str) -> None:
        assert self._pasted is not None
        self._pasted.append(text[: self._room])
        self._room -= len(self._pasted[-1])

    def _end_paste(self, text: str) -> Iterator[Message]:
        assert self._pasted is not None
        self._take(text)
        pasted, self._pasted = clean("".join(self._pasted)), None
        for event in super().feed(START + END):  # behind an ESC that it still holds
            yield events.Paste(pasted) if isinstance(event, events.Paste) else event
