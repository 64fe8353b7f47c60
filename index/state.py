"""state.json: the last place, what was opened when, which exports are postil's own. It may be lost."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Final

from index import files

PATIENCE: Final = 1.0
"""Seconds to wait for another window that writes it."""
_BY_NAME: Final = ("opened", "exports", "brought")
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
    with contextlib.suppress(OSError), _held(path):
        files.replace(path, [json.dumps(load(path) | changed).encode()])


def put_first(path: Path, name: str, text: str, most: int) -> None:
    """Put a text before the others of a list, `most` of them at most; what other windows put there stays."""
    with contextlib.suppress(OSError), _held(path):
        known = load(path)
        held = known.get(name)
        others = [other for other in held if other != text] if isinstance(held, list) else []
        files.replace(path, [json.dumps({**known, name: [text, *others][:most]}).encode()])


def _held(path: Path) -> contextlib.AbstractContextManager[None]:
    return files.alone(path.with_suffix(".lock"), PATIENCE)


def _texts(value: object) -> dict[str, str]:
    entries = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in entries if isinstance(text, str)}
