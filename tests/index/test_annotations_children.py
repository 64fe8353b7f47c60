"""What the child processes of test_annotations_processes.py do; no test is in here.

python -m tests.index.test_annotations_children ROLE FOLDER ARGUMENTS
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from unittest import mock

from index.annotations import Annotations, History, Step, Writer, new_step, storage
from index.papers import Change, Value, now, paper_id

PAPERS = tuple(paper_id(f"doi:10.1/{number}") for number in range(3))


def step_of(origin: str, *changes: tuple[str, str, Value]) -> Step:
    id, when = new_step(), now()
    made = tuple(Change(id, origin, paper, field, None, after, when) for paper, field, after in changes)
    return Step(id, origin, "a step", when, made)


def tag(folder: Path, origin: str, count: int) -> None:
    """Tag the same papers over and over, half by the writer and half directly, with a look between."""
    store = Annotations.open(folder)
    writer = Writer(store, History(folder), lambda steps: None, lambda message: None)
    for number in range(count):
        step = step_of(origin, (PAPERS[number % 3], f"tags/{origin}/{number}", True))
        if number % 2:
            writer.submit(step)
        else:
            store.apply(step.changes)
        store.refresh()
    left = writer.close(60)
    sys.exit(1 if left else 0)


def be_killed(folder: Path, rounds: int, seed: int) -> None:
    """Fork a process that writes, kill it at a random moment, count what it was told is saved: again.

    A new library every 25 rounds, so that it stays small and is published all the time.
    """
    chance = random.Random(seed)
    acknowledged: list[str] = []
    lost: list[str] = []
    notices: set[str] = set()
    published = count = 0
    for number in range(rounds):
        if number % 25 == 0:
            library = folder / str(number // 25)
            library.mkdir()
            acknowledged, before = [], 0
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            write_for_ever(library, number, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            first = pipe.readline()
            time.sleep(chance.uniform(0, 0.03))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            lines = (first + pipe.read()).split(b"\n")
        acknowledged += [line.decode() for line in lines[:-1]]  # the last may be cut
        count += len(lines) - 1
        store, history = Annotations.open(library), History(library)
        notices |= {notice.partition(" ")[0] for notice in store.notices}
        if (snapshot := library / "annotations.json").exists():
            seq = json.loads(snapshot.read_bytes())["_meta"]["1"]["seq"]
            published, before = published + (seq > before), seq
        known = {step.step for step in history.steps(10**9)}
        written = {f"{name}@{moment}" for _, note in store.items() for name, moment in note.times.items()}
        lost = [
            told for told in acknowledged if told.split()[0] not in known or told.split()[1] not in written
        ]
        if lost:
            break
    told = {"acknowledged": count, "lost": lost, "rounds": number + 1}
    print(json.dumps({**told, "notices": sorted(notices), "published": published}))


def write_for_ever(folder: Path, number: int, pipe: int) -> None:
    steps: dict[str, Step] = {}
    mock.patch.object(storage, "LEAST_JOURNAL", 4000).start()  # so that it publishes all the time

    def on_saved(ids: list[str]) -> None:
        told = "".join(f"{id} {steps[id].changes[0].field}@{steps[id].when}\n" for id in ids)
        os.write(pipe, told.encode())

    writer = Writer(Annotations.open(folder), History(folder), on_saved, lambda message: os._exit(3))
    for count in range(10**6):
        step = step_of(f"c{number}", (PAPERS[count % 3], f"tags/{number}/{count}", True))
        steps[step.step] = step
        writer.submit(step)
        while writer.waiting > 3:
            time.sleep(0)


def fill(folder: Path) -> None:
    """Write until files may grow no longer, and again when they may: what was said meanwhile."""
    import resource

    troubles: list[str] = []
    saved: list[str] = []
    stuck, free = threading.Event(), threading.Event()

    def on_trouble(message: str) -> None:
        troubles.append(message)
        stuck.set()

    def on_saved(ids: list[str]) -> None:
        saved.extend(ids)
        if stuck.is_set():
            free.set()

    store = Annotations.open(folder)
    store.apply(
        step_of("full", (PAPERS[0], "note", "n" * 300)).changes
    )  # so that it fills up before the history
    writer = Writer(store, History(folder), on_saved, on_trouble)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, unlimited[1]))
    count = 0
    while not stuck.is_set() and count < 10_000:
        writer.submit(step_of("full", (PAPERS[count % 3], f"tags/{count}", True)))
        count += 1
        while writer.waiting > 2 and not stuck.is_set():
            time.sleep(0.001)
    meanwhile = Annotations.open(folder)
    held, shown, waiting = len(meanwhile.tags()), len(store.tags()), writer.waiting
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    freed = free.wait(30)
    left = writer.close(30)
    result = {"count": count, "held": held, "shown": shown, "waiting": waiting, "freed": freed}
    print(json.dumps({**result, "trouble": troubles[0], "saved": len(saved), "left": len(left)}))


if __name__ == "__main__":
    role, folder = sys.argv[1], Path(sys.argv[2])
    if role == "tag":
        tag(folder, sys.argv[3], int(sys.argv[4]))
    elif role == "be-killed":
        be_killed(folder, int(sys.argv[3]), int(sys.argv[4]))
    elif role == "fill":
        fill(folder)
