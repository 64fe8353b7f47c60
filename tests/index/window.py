"""A window without a screen, a process that holds a library as the reader does, and commands beside it.

python -m tests.index.window FOLDER SECONDS BYTES

The process reads commands from standard input, one JSON object a line, and answers each in one line
that names it (`re`, counted from 1); what is on disk is told unasked (`saved`). It looks for what
others changed every SECONDS, on a thread of its own; with 0 only when it is told to. It publishes from
BYTES of journal on.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from index.annotations import storage
from index.library import Library
from index.papers import Value

ROOT: Final = Path(__file__).parents[2]
PATIENCE: Final = 60.0
"""Seconds after which something that was to happen is taken never to happen."""


# The process


class _Process:
    def __init__(self, folder: Path, every: float) -> None:
        self.speaking = threading.Lock()
        self.library = Library(folder, fill=False)
        self.library.listen(lambda ids: self.tell(saved=ids), lambda line: self.tell(trouble=line))
        self.tell(origin=self.library.origin)
        if every:
            threading.Thread(target=self.keep_looking, args=[every], daemon=True).start()

    def tell(self, **said: Any) -> None:
        with self.speaking:  # two threads tell
            print(json.dumps(said), flush=True)

    def keep_looking(self, every: float) -> None:
        while True:
            time.sleep(every)
            self.library.refresh()

    def run(self) -> None:
        for number, line in enumerate(sys.stdin.buffer, 1):
            (name, given), *_ = json.loads(line).items()
            self.tell(re=number, answer=getattr(self, name)(given))
            if name == "close":
                return

    def edit(self, edits: Iterable[tuple[str, str, Value]]) -> str | None:
        step = self.library.step("an edit", [(paper, field, value) for paper, field, value in edits])
        if step is None:
            return None
        self.library.submit(step)
        return step.step

    def retag(self, names: tuple[str, str | None]) -> str | None:
        return self.edit(self.library.retag(*names)[0])

    def undo(self, _given: None) -> str | None:
        return self.back(self.library.undo)

    def redo(self, _given: None) -> str | None:
        return self.back(self.library.redo)

    def back(self, next_step: Callable[[], Any]) -> str | None:
        undone = next_step()
        if undone is None:
            return None
        self.library.submit(undone.step)
        return str(undone.step.step)

    def rest(self, seconds: float) -> None:
        time.sleep(seconds)

    def wait(self, _given: None) -> None:
        """Go on when all is on disk."""
        while self.library.waiting:
            time.sleep(0.0005)

    def look(self, _given: None) -> list[str]:
        return sorted(self.library.refresh())

    def see(self, wanted: Iterable[tuple[str, str, Value]]) -> list[Any]:
        """Wait until these values are shown; what is shown instead when that never happens."""
        until = time.monotonic() + PATIENCE / 2
        while other := [
            (*place, held) for *place, value in wanted if (held := self.hold([place])[0]) != value
        ]:
            if time.monotonic() > until:
                return other
            time.sleep(0.002)
        return []

    def hold(self, places: Iterable[Any]) -> list[Value]:
        return [self.library.annotation(paper).value(field) for paper, field in places]

    def show(self, papers: Iterable[str]) -> dict[str, Any]:
        return {paper: self.library.json(paper) for paper in papers}

    def close(self, _given: None) -> int:
        return len(self.library.close())


# The handle


class Window:
    """A running window; `saved` are the steps that it said are on disk, in order."""

    def __init__(self, folder: Path, every: float = 0.05, least_journal: int = storage.LEAST_JOURNAL) -> None:
        words = [str(folder), str(every), str(least_journal)]
        command = [sys.executable, "-m", "tests.index.window", *words]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._changed = threading.Condition()  # guards what follows
        self._answers: dict[int, Any] = {}
        self.origin = ""
        self.saved: list[str] = []
        self.troubles: list[str] = []
        self._ended = False
        self._sent = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._until(lambda: bool(self.origin), "open")

    def send(self, *commands: Mapping[str, Any]) -> None:
        """Give the window commands, in one write, and wait for nothing."""
        assert self._process.stdin
        self._sent += len(commands)
        self._process.stdin.write(b"".join(json.dumps(command).encode() + b"\n" for command in commands))
        self._process.stdin.flush()

    def ask(self, name: str, given: Any = None) -> Any:
        """What the window answers to one command."""
        self.send({name: given})
        number = self._sent
        self._until(lambda: number in self._answers, name)
        return self._answers[number]

    def settle(self) -> None:
        """Wait until every command is answered and every step that it made is on disk."""
        self._until(lambda: len(self._answers) == self._sent and self._steps <= {*self.saved}, "settle")

    def until_saved(self, count: int) -> None:
        """Wait until so many steps in all are on disk, or the process has ended."""
        self._until(lambda: len(self.saved) >= count or self._ended, "save")

    def see(self, wanted: Mapping[tuple[str, str], Value]) -> None:
        """Wait until the window shows these values by place."""
        other = self.ask("see", [(*place, value) for place, value in wanted.items()])
        assert not other, (
            f"the window shows {other}, never {[wanted[paper, name] for paper, name, _ in other]}"
        )

    def kill(self) -> None:
        """End the window as a crash or `kill -9` does, if it has not ended."""
        self._process.send_signal(signal.SIGKILL)
        self._end()

    def quit(self) -> None:
        """Close the window, unless it was told to close already; all of it must be on disk then."""
        if not self._ended:
            with contextlib.suppress(BrokenPipeError):
                self.send({"close": None})
        assert self._end() == 0, "the window fell over"
        assert [left for left in self._answers.values() if type(left) is int] == [0]
        assert self._steps <= {*self.saved}
        assert self.troubles == []

    @property
    def _steps(self) -> set[str]:
        return {answer for answer in self._answers.values() if isinstance(answer, str)}

    def _end(self) -> int:
        status = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        return status

    def _until(self, happened: Callable[[], bool], what: str) -> None:
        with self._changed:
            done = self._changed.wait_for(lambda: happened() or self._ended, PATIENCE)
            assert done and happened(), f"{what}: {'ended' if self._ended else 'nothing happened'}"

    def _read(self) -> None:
        assert self._process.stdout
        with self._process.stdout as out:
            for line in out:
                if not line.endswith(b"\n"):  # killed as it spoke
                    break
                said = json.loads(line)
                with self._changed:
                    self.origin = said.get("origin", self.origin)
                    self.saved += said.get("saved", [])
                    self.troubles += [said["trouble"]] if "trouble" in said else []
                    if "re" in said:
                        self._answers[said["re"]] = said["answer"]
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


# Commands


def run_command(folder: Path, words: Sequence[str], text: str = "") -> str:
    """What a command prints; it must succeed."""
    return finish(start_command(folder, words), text)


def start_command(folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tui.cli", words[0], "--library", str(folder), *words[1:]]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8")


def finish(running: subprocess.Popen[str], text: str = "") -> str:
    out, said = running.communicate(text, PATIENCE)
    assert running.returncode == 0, said
    return out


if __name__ == "__main__":
    vars(storage)["LEAST_JOURNAL"] = int(sys.argv[3])
    _Process(Path(sys.argv[1]), float(sys.argv[2])).run()
