"""From keys to commands: counts, and sequences of keys such as `g g` or `s r`. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tui.commands import Command, Place, shown

LARGEST_COUNT: Final = 99_999
_DIGITS: Final = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Run:
    """Run this command; `count` is None where no number was typed."""

    command: Command
    count: int | None


@dataclass(frozen=True, slots=True)
class Wait:
    """More is to come: what was typed, and what may follow it, as (key, what it does)."""

    typed: str
    follow: tuple[tuple[str, str], ...] = ()


class Keys:
    """What has been typed so far of a count and a sequence."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._commands = tuple(commands)
        self.reset()

    def reset(self) -> None:
        """Forget what was typed."""
        self._count = ""
        self._typed: list[str] = []

    def places(self, key: str) -> frozenset[Place]:
        """Where a command begins with this key."""
        found = [one.places for one in self._commands for keys in one.keys if keys.split()[0] == key]
        return frozenset[Place]().union(*found)

    def press(self, key: str, place: Place) -> Run | Wait | None:
        """What `key` does in `place`, after what was typed before; None when it means nothing there.

        An unknown key, and Esc within a sequence, end it.
        """
        if not self._typed and key in _DIGITS and (self._count or key != "0"):
            self._count = str(min(int(self._count + key), LARGEST_COUNT))
            return Wait(self._count)
        begun = bool(self._typed or self._count)
        if begun and key == "escape":
            self.reset()
            return Wait("")
        self._typed.append(key)
        follow: list[tuple[str, str]] = []
        for command in self._commands:
            if place not in command.places:
                continue
            for keys in command.keys:
                sequence = keys.split()
                if sequence == self._typed:
                    count = int(self._count) if self._count and command.counts else None
                    self.reset()
                    return Run(command, count)
                if sequence[: len(self._typed)] == self._typed:
                    follow.append((shown(" ".join(sequence[len(self._typed) :])), command.about))
        if follow:
            return Wait(self._count + shown(" ".join(self._typed)), tuple(follow))
        self.reset()
        return Wait("") if begun else None
