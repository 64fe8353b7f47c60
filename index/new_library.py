"""A library's folder as it begins: private, fit to be a git repository, filled with the shipped lists."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from index import files
from index.paths import Layout
from index.shelf import Shelf

_GIT_IGNORE: Final = """\
index/
*.lock
*.journal
*.base
*.owner
backups/
damaged/
conflicts/
state.json
draft.*
.filling-*/
.*.json*.*
"""
_GIT_ATTRIBUTES: Final = "*.jsonl merge=union\n"


def make(layout: Layout, *, fill: bool) -> None:
    """Make the folder of a library, fit to be a git repository; `fill` an empty one. Raises OSError."""
    files.make_folder(layout.folder)
    for name, content in ((".gitignore", _GIT_IGNORE), (".gitattributes", _GIT_ATTRIBUTES)):
        if not (layout.folder / name).exists():
            files.replace(layout.folder / name, [content.encode()])
    if layout.index.exists() and not layout.index.is_dir():
        files.move_aside(layout.damaged, layout.index)
    if fill and not layout.papers.exists():
        _fill(layout)


def _fill(layout: Layout) -> None:
    """Give an empty library the shipped lists: all of them, or, when broken off, none. Raises OSError."""
    from index import importing
    from index.seed_lists import seed_lists

    with (
        files.alone(layout.lock),
        tempfile.TemporaryDirectory(prefix=".filling-", dir=layout.folder) as scratch,
    ):
        if not layout.papers.exists():
            made = Layout(Path(scratch))
            importing.add(Shelf(made), map(str, seed_lists()))
            made.papers.replace(layout.papers)
            files.sync_folder(layout.folder)
