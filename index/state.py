"""state.json: the last place, what was opened when, which exports are postil's own. It may be lost."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from index import files


def load(path: Path) -> dict[str, Any]:
    """What was saved; nothing when there is no file, or none that can be read."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def save(path: Path, **changed: Any) -> None:
    """Set some keys of the state and keep the others; where nothing can be written, nothing is."""
    with contextlib.suppress(OSError):
        files.replace(path, [json.dumps(load(path) | changed, ensure_ascii=False).encode()])
