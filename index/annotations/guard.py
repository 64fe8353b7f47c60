"""Who may write: whoever holds the lock, and where there are no locks, the first to come."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import socket
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from index import files
from index.papers import now

_NO_LOCKS: Final = {None, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
"""What the file system of a folder says that has no locks (files.locked gives some of it no number)."""


class TakenError(Exception):
    """There are no locks here, and another process was here first; one line says which."""


class Guard:
    """The right to write in a folder, moment by moment with a lock; without, from the first time on."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._owner = lock.with_suffix(".owner")
        self._token = secrets.token_hex(8)
        self.release = weakref.finalize(self, _release, self._owner, self._token)
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
                if error.errno not in _NO_LOCKS:
                    raise
                self._own()
            yield

    def _own(self) -> None:
        """Be the owner; looked at anew each time, since two may have seen the same dead one."""
        mine = {"pid": os.getpid(), "host": socket.gethostname(), "since": now(), "token": self._token}
        for _ in range(2):
            with contextlib.suppress(FileExistsError):
                handle = os.open(self._owner, os.O_WRONLY | os.O_CREAT | os.O_EXCL, files.PRIVATE_FILE)
                with os.fdopen(handle, "w", encoding="utf-8") as out:
                    json.dump(mine, out)
            owner = _read(self._owner)
            if owner.get("token") == self._token:
                return
            if owner.get("host") != mine["host"] or lives(owner.get("pid")):
                break
            self._owner.unlink(missing_ok=True)
        raise TakenError(
            f"the file system of {self._lock.parent} has no locks, and another postil (process "
            f"{owner.get('pid')} on {owner.get('host')}) writes there: close it, or delete "
            f"{self._owner.name} if it is not running"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        owner = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def lives(pid: object) -> bool:
    """Whether a process of this machine runs under this number, as far as can be told."""
    if not isinstance(pid, int) or pid <= 0 or os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _release(owner: Path, token: str) -> None:
    if _read(owner).get("token") == token:
        owner.unlink(missing_ok=True)
