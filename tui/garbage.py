"""Garbage is collected while nobody types: a full collection goes through all that a library holds.

With 10,000 papers and their index in memory that took 45 ms, in the middle of a word.
"""

from __future__ import annotations

import gc
import time
from typing import Final

REST: Final = 3.0
"""Seconds without a key after which nobody types."""
OFTEN: Final = 30.0
"""Seconds between two collections, at the least."""
_NEVER: Final = 1_000_000


class Garbage:
    """Collects by itself only what is young; the rest in `rest`, when that is called at a quiet time."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._collected = self._key = time.monotonic()

    def begin(self) -> None:
        """From now on no full collection comes by itself; what lives now is not looked at again."""
        gc.set_threshold(*self._before[:2], _NEVER)
        gc.freeze()
        gc.enable()

    def end(self) -> None:
        """As it was before."""
        gc.set_threshold(*self._before)
        gc.unfreeze()

    def key(self) -> None:
        """A key was pressed."""
        self._key = time.monotonic()

    def rest(self, *, busy: bool = False) -> None:
        """Collect, if it is time and nobody types or waits; what lives then is not looked at again."""
        now = time.monotonic()
        if not busy and now - self._key >= REST and now - self._collected >= OFTEN:
            gc.collect()
            gc.freeze()
            self._collected = time.monotonic()
