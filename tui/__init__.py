"""Everything of postil that draws, and the command line."""

from importlib.util import find_spec
from pathlib import Path


def _check_house() -> None:
    """`tui` and `index` must stand side by side: another distribution could overwrite two such names."""
    here, found = Path(__file__).parent, find_spec("index")
    there = Path(found.origin).parent if found and found.origin else None
    if there is None or there.resolve() != here.resolve().with_name("index"):
        raise SystemExit(
            f"postil: its package `index` was not found beside {str(here)!r} but at {str(there)!r};"
            " install postil by itself, with pipx or in an environment of its own"
        )


_check_house()
