"""Full collections come while nobody types, and only then."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from tests.tui.reader import opened
from tui import garbage


class Knot:
    """Holds itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.self = self


async def test_garbage_is_collected_at_rest_and_not_while_keys_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = gc.get_threshold()
    full: list[int] = []

    def told(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            full.append(1)

    async with opened(tmp_path / "library") as reader:
        await reader.search("grokking", 7)
        kept = reader.app.garbage
        gc.callbacks.append(told)
        try:
            knots = [Knot() for _ in range(100_000)]
            knot = weakref.ref(knots[0])
            knots.clear()
            await reader.press(*"jjjj")
            assert not full
            monkeypatch.setattr(garbage, "OFTEN", 0.0)
            kept.rest()
            assert not full, "a key has just been pressed"
            monkeypatch.setattr(garbage, "REST", 0.0)
            kept.rest(busy=True)
            assert not full, "an answer is waited for"
            kept.rest()
            assert full
            assert knot() is None
            monkeypatch.setattr(garbage, "OFTEN", 1_000.0)
            kept.rest()
            assert len(full) == 1, "not again so soon"
        finally:
            gc.callbacks.remove(told)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
