"""The reader's folders of lists: what is new in them comes in once, and nothing else does."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from index import folders
from index.library import Library
from index.paths import config_file
from tests.index.helpers import abstract


def a_list(*numbers: int) -> str:
    return "Daily Papers\n\n" + "\n\n".join(map(abstract, numbers))


def settings(**named: Path) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(
        "[folders]\n" + "".join(f"{key} = {json.dumps(str(path))}\n" for key, path in named.items())
    )


def came(library: Path) -> tuple[int, list[str]]:
    """How many papers came in, and what was said; by a new process, as it were."""
    opened = Library(library, fill=False)
    reports, problems = opened.add_new_in_folders()
    opened.close()
    return sum(report.new for report in reports), [
        *problems,
        *(one.error or "" for one in reports if one.failed),
    ]


def test_new_and_changed_files_come_in_once(tmp_path: Path) -> None:
    incoming, other = tmp_path / "incoming", tmp_path / "other"
    (incoming / "deep").mkdir(parents=True)
    other.mkdir()
    settings(one=incoming, two=other)
    library = tmp_path / "library"
    assert came(library) == (0, [])
    (incoming / "a.txt").write_text(a_list(1, 2))
    (incoming / "deep" / "b.txt").write_text(a_list(3))
    (other / "LICENSE").write_text("A licence\n\nNobody meant this as a list of papers.")
    (other / "broken.gz").write_bytes(b"\x1f\x8b")
    os.mkfifo(other / "pipe")
    (other / "loop").symlink_to(other)
    assert came(library) == (3, [])
    assert came(library) == (0, [])
    (incoming / "a.txt").write_text(a_list(1, 2, 4))
    (incoming / "deep" / "b.txt").unlink()
    assert came(library) == (1, [])
    (library / "state.json").unlink()
    assert came(library) == (0, []), "to read it all again changes nothing"
    held = Library(library, fill=False)
    assert len(held.ids) == 4
    assert len({held.row(id).added for id in held.ids}) == 2
    held.close()


def test_a_folder_that_is_not_there_is_told_and_the_others_are_looked_through(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "list.txt").write_text(a_list(1))
    looked = folders.look(
        {"no": str(tmp_path / "no"), "nul": "\0", "home": "~nobody-of-this-name", "a": str(tmp_path / "a")},
        {},
    )
    assert looked.new == [str(tmp_path / "a" / "list.txt")]
    assert [line.split(": ")[1] for line in looked.problems] == ["folders.no", "folders.nul", "folders.home"]


def test_what_failed_is_told_once(tmp_path: Path) -> None:
    settings(one=tmp_path / "in")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "cut.gz").write_bytes(gzip.compress(a_list(*range(900)).encode())[:-9])
    new, said = came(tmp_path / "library")
    assert 0 < new <= 900
    assert [line.split(":")[0] for line in said] == ["cannot be unpacked"]
    assert came(tmp_path / "library") == (0, [])


@pytest.mark.parametrize("text", ["folders = 3", "[folders]\nx = 3"])
def test_folders_that_are_none_are_said(tmp_path: Path, text: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)
    library = Library(tmp_path / "library", fill=False)
    assert len(library.problems) == 1
    assert library.add_new_in_folders() == ([], [])
    library.close()
