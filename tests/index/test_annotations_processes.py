"""Real processes on one folder: two that write, one that is killed, one whose disk is full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from index.annotations import Annotations, History
from tests.index.test_annotations_children import PAPERS, step_of

ROOT = Path(__file__).parents[2]


def child(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.index.test_annotations_children", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def test_two_processes_and_a_window_lose_nothing(tmp_path: Path) -> None:
    window = Annotations.open(tmp_path)
    seen: set[str] = set()
    children = [child("tag", tmp_path, origin, 60) for origin in ("a", "b")]
    while any(process.poll() is None for process in children):
        seen |= window.refresh()
        try:
            children[0].wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    for process in children:
        process.communicate(timeout=60)
    seen |= window.refresh()
    assert [process.returncode for process in children] == [0, 0]
    wanted = {f"{origin}/{number}" for origin in "ab" for number in range(60)}
    assert set(window.tags()) == set(Annotations.open(tmp_path).tags()) == wanted
    assert seen == set(PAPERS)
    assert len(History(tmp_path).steps(999)) == 60  # every second one went by the writer
    for number, paper in enumerate(PAPERS):
        assert window.get(paper).tags == tuple(sorted(t for t in wanted if int(t[2:]) % 3 == number))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks and kills")
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    out, _ = child("be-killed", tmp_path, 25, 1).communicate(timeout=120)
    result = json.loads(out)
    assert result["lost"] == [] and result["rounds"] == 25 and result["acknowledged"] >= 25
    (tmp_path / ".annotations.json.cut").write_bytes(b"half of")
    Annotations.open(tmp_path).apply(step_of("w", (PAPERS[0], "starred", True)).changes)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"annotations.json", "annotations.lock", "history.jsonl"}, "what the killed left is swept"


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_real_full_disk(tmp_path: Path) -> None:
    out, _ = child("fill", tmp_path).communicate(timeout=120)
    result = json.loads(out)
    assert "File too large" in result["trouble"] or "space" in result["trouble"]
    assert result["shown"] == result["count"], "what could not be written is shown all the same"
    assert result["held"] >= result["count"] - result["waiting"] > 0, "what was written can be read"
    assert result["freed"] and result["left"] == 0 and result["saved"] == result["count"]
    assert len(Annotations.open(tmp_path).tags()) == len(History(tmp_path).steps(9999)) == result["count"]
