"""Keeps the full-text index in step with the shelf; also the child process that builds it.

It grows in the order of import, some papers at a time, each lot whole on disk before the next: its stamp
is that of the shelf, and while papers are missing also how many of the first are there (`indexed`). One
that was stopped goes on from there. A child process, because a build in a thread of the screen stalled
its keys for up to 777 ms.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from index import files, own_process
from index.fulltext import Engine, UnusableError
from index.paths import Layout
from index.shelf import Shelf

LOT: Final = 5_000
"""Papers added at a time: what is lost when a build is stopped, and what can be searched the sooner."""
SMALL: Final = 500
"""An addition of fewer is merged with other small ones, so that years of them leave few segments."""
DISK: Final = 2.5
"""Bytes that a build needs at most for each byte of papers.jsonl that it reads, temporary ones included."""
Joined: TypeAlias = Mapping[str, str]
"""Papers that are found as another one, each with that."""
PATIENCE: Final = 600.0
"""Seconds to wait for another process that builds, from when it was last seen to get on."""


def current(shelf: Shelf, joined: Joined | None = None) -> Engine | None:
    """The index, when it stands and says what the shelf says, and with `joined` what is joined."""
    stamp = Engine.stamped(shelf.layout.fulltext)
    if stamp is None or not _says(stamp, shelf, joined):  # to open it takes 0.5 s for 100,000 papers
        return None
    try:
        engine = Engine.open(shelf.layout.fulltext)
    except UnusableError:
        return None
    if _says(engine.stamp, shelf, joined):
        return engine
    engine.close()
    return None


def _says(stamp: Mapping[str, Any], shelf: Shelf, joined: Joined | None) -> bool:
    told = dict(stamp)
    held = told.pop("joined", {})
    return told == shelf.stamp and joined in (None, held)


def stands(shelf: Shelf) -> bool:
    """Whether the index needs no work."""
    engine = current(shelf)
    if engine:
        engine.close()
    return engine is not None


def so_far(shelf: Shelf) -> Engine | None:
    """The index as far as it goes, if what it holds is of this shelf; perhaps it grows meanwhile."""
    try:
        engine = Engine.open(shelf.layout.fulltext)
    except UnusableError:
        return None
    if _missing(engine, shelf) is not None:
        return engine
    engine.close()
    return None


def bring_up(
    shelf: Shelf,
    progress: Callable[[int, int], None],
    grown: Callable[[], None] = lambda: None,
    joined: Joined | None = None,
) -> tuple[Engine, Shelf]:
    """The index in step with the shelf: opened, added to, or built anew if it is missing or broken.

    Also the shelf that it is in step with: `shelf`, which another thread may be reading and is left as
    it is, or a new one where papers have come since. `progress` is told how many papers of how many are
    done, also while another process builds; `grown` is called when more can be searched. `joined` are
    the papers that are found as another; without it, as the index has it. Raises OSError where nothing can
    be written.
    """
    if engine := current(shelf, joined):
        return engine, shelf
    layout = shelf.layout
    with _alone(shelf, progress):
        if shelf.behind:
            shelf = Shelf(layout)
        if engine := current(shelf, joined):
            return engine, shelf
        files.make_folder(layout.index)
        return _completed(shelf, progress, grown, joined), shelf


def _alone(shelf: Shelf, progress: Callable[[int, int], None]) -> contextlib.ExitStack:
    """The index's lock, once no other process holds it; tells how far that one is. Raises BusyError."""
    held, seen, since = contextlib.ExitStack(), None, time.monotonic()
    while True:
        try:
            held.enter_context(files.alone(shelf.layout.index_lock, patience=0.5))
        except files.BusyError:
            stamp = Engine.stamped(shelf.layout.fulltext)
            if stamp != seen:
                seen, since = stamp, time.monotonic()
            if time.monotonic() - since > PATIENCE:
                raise
            if stamp and "indexed" in stamp:
                progress(stamp["indexed"], len(shelf))
        else:
            return held


def _completed(
    shelf: Shelf, progress: Callable[[int, int], None], grown: Callable[[], None], joined: Joined | None
) -> Engine:
    """The index with all that is missing, lot by lot."""
    engine, missing = _begun(shelf, joined)
    joined = engine.stamp.get("joined", {}) if joined is None else joined
    parts = {root: [id for id in joined if joined[id] == root] for root in joined.values()}
    stamp = {**shelf.stamp, "joined": dict(joined)} if joined else shelf.stamp
    total = len(shelf)
    done = total - len(missing)
    try:
        if missing:
            shelf.see_room(int(shelf.stamp["length"] * DISK * len(missing) / total))
        for start in range(0, len(missing), LOT):
            lot, before = missing[start : start + LOT], done + start
            after = before + len(lot)
            engine.update(
                shelf.papers(lot, parts),
                stamp=stamp if after == total else {**stamp, "indexed": after},
                merge=len(missing) < SMALL,
                progress=lambda count, before=before: progress(before + count, total),  # type: ignore[misc]
            )
            grown()
    except BaseException:
        engine.close()
        raise
    return engine


def _begun(shelf: Shelf, joined: Joined | None) -> tuple[Engine, list[str]]:
    """The index as far as it goes, or a new one, and the papers to be added to it, in order."""
    with contextlib.suppress(UnusableError):
        engine = Engine.open(shelf.layout.fulltext)
        missing = _missing(engine, shelf, joined)
        if missing is not None:
            return engine, missing
        engine.close()
    Engine.build(shelf.layout.fulltext, (), stamp={**shelf.stamp, "indexed": 0} if shelf.ids else shelf.stamp)
    return Engine.open(shelf.layout.fulltext), list(shelf.ids)


def _missing(engine: Engine, shelf: Shelf, joined: Joined | None = None) -> list[str] | None:
    """The papers to be added to an index, those first that it holds as they were; None if it does not fit."""
    later = shelf.since(engine.stamp)
    if later is None:
        return None
    new = {id for id in later if shelf.row(id).offsets[0] >= engine.stamp["length"]}
    there = engine.stamp.get("indexed", len(shelf) - len(new))
    held = engine.stamp.get("joined", {})
    joined = held if joined is None else joined
    otherwise = [root for _, root in held.items() ^ joined.items() if root in shelf]
    grown = [joined[id] for id in later if id in joined]
    later = sorted({*later, *otherwise, *grown}, key=shelf.place)
    changed = [id for id in later if shelf.place(id) < there]
    if len(engine) != there or len(changed) > LOT:
        return None
    return [*changed, *shelf.ids[there:]]


def build_in_child(
    folder: Path, progress: Callable[[int, int], None], grown: Callable[[], None] = lambda: None
) -> str | None:
    """Bring the index of the library in `folder` up in a process of its own, and wait for it.

    `progress` and `grown` as for `bring_up`. Returns one line of what went wrong, or None.
    """
    child = own_process.start("index.indexing", str(folder))
    assert child.stdout and child.stderr
    with child:
        for line in child.stdout:
            done, slash, total = line.partition("/")
            if slash:
                progress(int(done), int(total))
            else:
                grown()
        trouble = child.stderr.read().strip()
    return (trouble.splitlines() or ["it stopped"])[-1] if child.returncode else None


def main() -> None:
    """Build for the folder named on the command line; tell `done/total`, and `grown`, line by line."""
    shelf = Shelf(Layout(Path(sys.argv[1])))
    try:
        engine, _ = bring_up(
            shelf,
            lambda done, total: print(f"{done}/{total}", flush=True),
            lambda: print("grown", flush=True),
        )
    except OSError as error:
        sys.exit(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
    engine.close()


if __name__ == "__main__":
    main()
