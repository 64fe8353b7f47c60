"""The Daily Papers lists that come with postil."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def seed_lists() -> list[Path]:
    """The shipped lists, in order: inside the installed package, else in `seeds/` of the checkout."""
    package = Path(str(files("index")))
    for folder in (package / "seeds", package.parent / "seeds"):
        if lists := sorted(folder.glob("*.txt")):
            return lists
    return []
