"""What the tests of the command line share: a command run in this process, and what it answered."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tui.cli import main


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        assert self.status == 0, self.err
        return json.loads(self.out)

    @property
    def ids(self) -> list[str]:
        return [paper["id"] for paper in self.json["results"]]

    def refused(self, status: int = 1) -> str:
        """The one line of an error."""
        assert (self.status, self.out) == (status, ""), self
        assert re.fullmatch("postil: .+\n", self.err), self
        return self.err


SEEDS = sorted((Path(__file__).parents[2] / "seeds").glob("*.txt"))
Postil = Callable[..., Said]


@pytest.fixture
def postil(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Postil:
    """Runs a command on a library of the shipped lists; `stdin` is what it is given."""
    monkeypatch.setenv("POSTIL_LIBRARY", str(library_folder))

    def run(*words: str, stdin: bytes = b"") -> Said:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        status = main(words)
        return Said(status, *capsys.readouterr())

    return run


@pytest.fixture
def paper(postil: Postil) -> str:
    """The id of a paper whose abstract holds `grokking`."""
    return postil("search", "grokking", "--json", "--limit", "1").ids[0]


def abstracts() -> list[str]:
    """The listed abstracts, read without the help of any reader."""
    return [
        " ".join(paragraph.split())
        for file in SEEDS
        for paragraph in re.split(r"\n\s*\n", file.read_text("utf-8"))
        if len(paragraph.strip()) > 100
    ]
