"""One thread that writes: changes are shown at once, written soon, and kept until they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from index.annotations.history import History, Step
from index.annotations.store import Annotations
from index.clean import drawable
from index.papers import Change, Value

SOONEST: Final = 0.25
LATEST: Final = 10.0
"""Seconds until a failed write is tried again: the first time, and at most."""
PUBLISHING: Final = 60.0
"""Seconds until a failed publishing is tried again; the journal holds everything meanwhile."""


class Writer:
    """Writes what is submitted to `annotations` and `history`, in order; publishes what has grown long.

    `on_saved` is given the ids of the steps that are on disk, `on_trouble` one line about a write that
    failed and will be tried again; both are called from the writing thread and must not raise.
    """

    def __init__(
        self,
        annotations: Annotations,
        history: History,
        on_saved: Callable[[list[str]], object],
        on_trouble: Callable[[str], object],
        meet: Callable[[Change, Value], Change] | None = None,
    ) -> None:
        self._annotations = annotations
        self._history = history
        self._on_saved = on_saved
        self._on_trouble = on_trouble
        self._meet = meet
        self._submitting = threading.Lock()  # steps are shown in the order in which they are written
        self._changed = threading.Condition()  # guards what follows; held for moments
        self._queue: list[tuple[Step, Mapping[str, Sequence[str]]]] = []
        self._unrecorded: list[Step] = []  # in the annotations, not yet in the history
        self._until: float | None = None  # set by close: when to give up
        self._publish_from = 0.0  # not before this moment
        self.trouble: str | None = None
        """Why nothing could be written when it was last tried, or None."""
        self._thread = threading.Thread(target=self._run, name="annotations", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many steps are not on disk yet; those that only the history lacks are."""
        with self._changed:
            return len(self._queue)

    def submit(self, step: Step, identities: Mapping[str, Sequence[str]] | None = None) -> None:
        """Show the changes of `step` now and write them soon. Raises ValueError for a bad change."""
        with self._submitting:
            if self._until is not None:
                raise RuntimeError("the writer is closed")
            step = replace(step, changes=tuple(self._annotations.pending(step.changes)))
            with self._changed:
                self._history.expect(step)
                self._queue.append((step, identities or {}))
                self._changed.notify()

    def close(self, timeout: float) -> list[Change]:
        """Write what waits, for at most `timeout` seconds; returns the changes that could not be written.

        In what remains of that time annotations.json is published; if it does not do, the journal holds it.
        """
        with self._changed:
            self._until = time.monotonic() + timeout
            self._changed.notify()
        self._thread.join(timeout)
        with self._changed:
            left = [change for step, _ in self._queue for change in step.changes]
            self._queue.clear()
        return left

    def _run(self) -> None:
        delay = SOONEST
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._unrecorded or self._until is not None)
                # What is in the annotations already only lacks its line in the history: that goes first.
                steps = self._unrecorded or [step for step, _ in self._queue]
                identities = {paper: keys for _, part in self._queue for paper, keys in part.items()}
            if not steps:
                self._publish()
                return
            try:
                if self._unrecorded:
                    with self._annotations.locked():
                        self._record()
                else:
                    changes = [change for step in steps for change in step.changes]
                    self._annotations.apply(changes, identities, partial(self._applied, steps), self._meet)
            except Exception as error:  # whatever it was, the changes stay and the thread lives
                self.trouble = _told(error, saved=bool(self._unrecorded))
                self._on_trouble(self.trouble)
                if not self._pause(delay):
                    return
                delay = min(2 * delay, LATEST)
            else:
                delay, self.trouble = SOONEST, None
                self._on_saved([step.step for step in steps])
                if self._annotations.grown and time.monotonic() >= self._publish_from:
                    self._publish()

    def _publish(self) -> None:
        """Nothing is lost when this fails, or is broken off by the end of the process."""
        try:
            self._annotations.publish()
        except Exception:  # whatever it was, what is written is in the journal
            self._publish_from = time.monotonic() + PUBLISHING

    def _applied(self, steps: Sequence[Step], made: list[Change]) -> None:
        """`steps` are in the annotations, as `made`: now their lines. The lock is held."""
        rest = iter(made)
        with self._changed:
            self._unrecorded = [
                replace(step, changes=tuple(islice(rest, len(step.changes)))) for step in steps
            ]
            del self._queue[: len(steps)]
        self._record()

    def _record(self) -> None:
        for step in self._unrecorded:
            self._history.expect(step)
        self._history.record(*self._unrecorded)
        with self._changed:
            self._unrecorded = []

    def _pause(self, delay: float) -> bool:
        """Wait before the next attempt; False when it is time to give up."""
        with self._changed:
            if self._until is None:
                self._changed.wait_for(lambda: self._until is not None, delay)
                return True
            left = self._until - time.monotonic()
        time.sleep(max(0.0, min(SOONEST, left)))
        return left > 0


def _told(error: Exception, *, saved: bool) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    what = "saved, but undo does not know of it yet" if saved else "not saved yet"
    return drawable(f"{what}, will be tried again: {reason}")
