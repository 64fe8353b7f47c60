"""Runs the reader, and writes down at its end the turns of its screen's thread that took long.

`python -m tests.bench.turns FILE`, with the library named by POSTIL_LIBRARY; `letters.py` runs it. FILE gets
a JSON list of `{"began", "ms", "cpu"}`: monotonic seconds, and milliseconds by the clock and of CPU.
A turn is one callback of the event loop, which no key and no frame can interrupt.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from typing import Final

LONG: Final = 0.004
"""Seconds from which on a turn is written down."""


def measured(turns: list[dict[str, float]]) -> None:
    """From now on each long turn of the main thread goes into `turns`."""
    run = asyncio.Handle._run

    def timed(self: asyncio.Handle) -> None:
        began, cpu = time.monotonic(), time.thread_time()
        run(self)
        took = time.monotonic() - began
        if took >= LONG and threading.current_thread() is threading.main_thread():
            turns.append({"began": began, "ms": 1000 * took, "cpu": 1000 * (time.thread_time() - cpu)})

    asyncio.Handle._run = timed  # type: ignore[method-assign]


if __name__ == "__main__":
    from tui.cli import main

    noted: list[dict[str, float]] = []
    measured(noted)
    status = main([])
    Path(sys.argv[1]).write_text(json.dumps(noted), "utf-8")
    sys.exit(status)
