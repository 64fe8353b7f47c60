"""A module of ours in a process of its own, that tells line by line how far it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def start(module: str, *words: str) -> subprocess.Popen[str]:
    """Run `python -m module words…` with our own interpreter and modules; its output is to be read."""
    root = str(Path(__file__).parent.parent)
    return subprocess.Popen(  # noqa: S603 (our own interpreter and module)
        [sys.executable, "-P", "-m", module, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))},
    )
