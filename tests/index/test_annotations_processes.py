"""Real processes on one folder: two that write, one that is killed, one whose disk is full."""

from __future__ import annotations

import json
import os
import shutil
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


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_two_processes_and_a_window_lose_nothing(tmp_path: Path, count: int) -> None:
    window = Annotations.open(tmp_path)
    seen: set[str] = set()
    children = [child("tag", tmp_path, origin, count) for origin in ("a", "b")]
    while any(process.poll() is None for process in children):
        seen |= window.refresh()
        try:
            children[0].wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    for process in children:
        process.communicate(timeout=600)
    seen |= window.refresh()
    assert [process.returncode for process in children] == [0, 0]
    wanted = {f"{origin}/{number}" for origin in "ab" for number in range(count)}
    assert set(window.tags()) == set(Annotations.open(tmp_path).tags()) == wanted
    assert seen == set(PAPERS)
    assert len(History(tmp_path).steps(9999)) == count  # every second one went by the writer
    for number, paper in enumerate(PAPERS):
        assert window.get(paper).tags == tuple(sorted(t for t in wanted if int(t[2:]) % 3 == number))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks and kills")
@pytest.mark.parametrize("rounds", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path, rounds: int) -> None:
    out, _ = child("be-killed", tmp_path, rounds, 1).communicate(timeout=1200)
    result = json.loads(out)
    assert result["lost"] == [] and result["rounds"] == rounds and result["acknowledged"] >= rounds
    assert result["published"] > 0 and "annotations.json" not in result["notices"]
    tmp_path /= "0"
    left = tmp_path / ".annotations.json.cut"
    left.write_bytes(b"half of")
    for path in tmp_path.glob(".annotations.*"):
        os.utime(path, (0, 0))
    store = Annotations.open(tmp_path)
    store.apply(step_of("w", (PAPERS[0], "starred", True)).changes)
    store.publish()
    names = {path.name for path in tmp_path.iterdir()} - {"damaged"}
    wanted = {f"annotations.{ending}" for ending in ("json", "journal", "base", "lock")} | {"history.jsonl"}
    assert names == wanted, "what the killed left is swept"


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_real_full_disk(tmp_path: Path) -> None:
    out, _ = child("fill", tmp_path).communicate(timeout=120)
    result = json.loads(out)
    assert "File too large" in result["trouble"] or "space" in result["trouble"]
    assert result["shown"] == result["count"], "what could not be written is shown all the same"
    assert result["held"] >= result["count"] - result["waiting"] > 0, "what was written can be read"
    assert result["freed"] and result["left"] == 0 and result["saved"] == result["count"]
    assert len(Annotations.open(tmp_path).tags()) == len(History(tmp_path).steps(9999)) == result["count"]


def test_a_file_system_that_fills_up(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(tmp_path)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        store, history = Annotations.open(tmp_path), History(tmp_path)
        written = 0
        with pytest.raises(OSError, match="space"):
            for number in range(10**4):
                store.apply(step_of("w", (PAPERS[0], f"tags/{number}", True)).changes)
                written = number + 1
                history.record(step_of("w", (PAPERS[0], f"tags/{number}", True)))
        with pytest.raises(OSError, match="space"):
            store.publish()
        assert len(store.tags()) == len(Annotations.open(tmp_path).tags()) == written > 20
        subprocess.run(["mount", "-o", "remount,size=4m", str(tmp_path)], check=True)
        store.apply(step_of("w", (PAPERS[0], "tags/last", True)).changes)
        assert store.publish() and len(Annotations.open(tmp_path).tags()) == written + 1
        assert Annotations.open(tmp_path).notices == [] and not list(tmp_path.glob(".*"))
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
