"""Keeps the full-text index in step with the shelf; also the child process that builds it.

A child, because a build in a thread of the screen stalled its keys for up to 777 ms.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from index import files
from index.fulltext import Engine, UnusableError
from index.paths import Layout
from index.shelf import Shelf


def current(shelf: Shelf) -> Engine | None:
    """The index, when it stands and says what the shelf says."""
    try:
        engine = Engine.open(shelf.layout.fulltext)
    except UnusableError:
        return None
    if engine.stamp == shelf.stamp:
        return engine
    engine.close()
    return None


def stands(shelf: Shelf) -> bool:
    """Whether the index needs no work."""
    engine = current(shelf)
    if engine:
        engine.close()
    return engine is not None


def bring_up(shelf: Shelf, progress: Callable[[int, int], None]) -> tuple[Engine, Shelf]:
    """The index in step with the shelf: opened, added to, or built anew if it is missing or broken.

    Also the shelf that it is in step with: `shelf`, which another thread may be reading and is left as
    it is, or a new one where papers have come since. `progress` is told how many papers of how many are
    done. Raises OSError where nothing can be written.
    """
    if engine := current(shelf):
        return engine, shelf
    layout = shelf.layout
    with files.locked(layout.index_lock, patience=600):
        if shelf.behind:
            shelf = Shelf(layout)
        if engine := current(shelf):
            return engine, shelf
        files.make_folder(layout.index)
        if not _added(shelf):
            total = len(shelf)
            Engine.build(
                layout.fulltext,
                shelf.papers(),
                stamp=shelf.stamp,
                progress=lambda done: progress(done, total),
            )
        return Engine.open(layout.fulltext), shelf


def _added(shelf: Shelf) -> bool:
    """Add what is new to a sound index that is only behind; False when it has to be built anew."""
    try:
        engine = Engine.open(shelf.layout.fulltext)
    except UnusableError:
        return False
    try:
        ids = shelf.since(engine.stamp)
        if ids is None or len(ids) * 4 > len(shelf):
            return False
        engine.update(shelf.papers(ids), stamp=shelf.stamp)
    finally:
        engine.close()
    return True


def build_in_child(folder: Path, progress: Callable[[int, int], None]) -> str | None:
    """Bring the index of the library in `folder` up in a process of its own, and wait for it.

    Returns one line of what went wrong, or None.
    """
    root = str(Path(__file__).parent.parent)
    command = [sys.executable, "-P", "-m", "index.indexing", str(folder)]
    child = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))},
    )
    assert child.stdout and child.stderr
    with child:
        for line in child.stdout:
            done, _, total = line.partition("/")
            progress(int(done), int(total))
        trouble = child.stderr.read().strip()
    return (trouble.splitlines() or ["it stopped"])[-1] if child.returncode else None


def main() -> None:
    """Build for the folder named on the command line, telling `done/total` line by line."""
    shelf = Shelf(Layout(Path(sys.argv[1])))
    engine, _ = bring_up(shelf, lambda done, total: print(f"{done}/{total}", flush=True))
    engine.close()


if __name__ == "__main__":
    main()
