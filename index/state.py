"""state.json: the last place, what was opened when, which exports are postil's own. It may be lost."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Final

from index import files

_BY_NAME: Final = ("opened", "exports")
"""Parts that map names to texts."""


def load(path: Path) -> dict[str, Any]:
    """What was saved; nothing when there is no file, or none that can be read."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {name: _texts(value) if name in _BY_NAME else value for name, value in data.items()}


def save(path: Path, **changed: Any) -> None:
    """Set some keys of the state and keep the others; where nothing can be written, nothing is."""
    with contextlib.suppress(OSError):
        files.replace(path, [json.dumps(load(path) | changed).encode()])


def _texts(value: object) -> dict[str, str]:
    entries = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in entries if isinstance(text, str)}
