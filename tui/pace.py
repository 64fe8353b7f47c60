"""How far a long job is, how fast it goes and how long it will still take, in one line."""

from __future__ import annotations

import time
from typing import Final

CELLS: Final = 10
"""Of the bar."""
_SURE: Final = 1.0
"""Seconds before which no rate is told."""


class Pace:
    """The pace of one job from now on."""

    def __init__(self, done: int = 0, share: float | None = None) -> None:
        """`done` is what was done before, and `share` which part of all that is, if it is known."""
        self.done = done
        self._from, self._share, self._began = done, share or 0.0, time.monotonic()

    def told(self, done: int, far: str, share: float | None) -> str:
        """`[###       ] 3,200 of 60,000, 160 a second, 6 min left`; `far` is how far it is, in words."""
        self.done = done
        took, more = time.monotonic() - self._began, done - self._from
        line = far if share is None else f"[{'#' * int(CELLS * share):<{CELLS}}] {far}"
        if took >= _SURE and more >= took:
            line += f", {more / took:,.0f} a second"
            if share and share > self._share:
                line += f", {_left(took * (1 - share) / (share - self._share))} left"
        return line


def _left(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
