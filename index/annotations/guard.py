"""Who may write: whoever holds the lock, and where there are no locks, the first to come."""

from __future__ import annotations

import contextlib
import secrets
import weakref
from collections.abc import Iterator
from pathlib import Path

from index import files


class TakenError(Exception):
    """There are no locks here, and another process was here first; one line says which."""


class Guard:
    """The right to write in a folder, moment by moment with a lock; without, from the first time on."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._owner = lock.with_suffix(".owner")
        self._token = secrets.token_hex(8)
        self.release = weakref.finalize(self, files.release, self._owner, self._token)
        """Let another process be the owner."""

    @contextlib.contextmanager
    def held(self, patience: float = files.PATIENCE) -> Iterator[None]:
        """Hold the right to write. Raises OSError as `files.locked` does, and TakenError."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(files.locked(self._lock, patience))
            except files.BusyError:
                raise
            except OSError as error:
                if error.errno not in files.NO_LOCKS:
                    raise
                self._own()
            yield

    def _own(self) -> None:
        """Be the owner; looked at anew each time, since two may have seen the same dead one."""
        owner = files.claimed(self._owner, self._token)
        if owner is not None:
            raise TakenError(
                f"the file system of {self._lock.parent} has no locks, and another postil (process "
                f"{owner.get('pid')} on {owner.get('host')}) writes there: close it, or delete "
                f"{self._owner.name} if it is not running"
            )
