"""`postil merge`: what another machine wrote, by the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tui.conftest import Postil
from tui.cli import main


def test_merge_takes_in_an_export_once_and_undo_takes_it_back(
    postil: Postil, paper: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "there.json")
    postil("mark", paper, "--tag", "moe", "--note", "There.")
    assert postil("export", "has:note", "--format", "postil", "--output", path).status == 0
    postil("undo")
    postil("mark", paper, "--tag", "here", "--note", "Here.")
    tables = json.loads(Path(path).read_text("utf-8"))
    (document,) = tables["annotations"].values()
    document["times"] |= dict.fromkeys(("tags/moe", "note"), "2999-01-01T00:00:00.000Z")
    document["versions"] = {}
    Path(path).write_text(json.dumps(tables))
    said = postil("merge", path)
    assert (said.status, said.out) == (0, "")
    assert "there.json merged into 1 paper; `postil undo` takes it back" in said.err
    shown = postil("show", paper, "--json").json
    assert shown["tags"] == ["here", "moe"]
    assert "Here." in shown["note"] and "There." in shown["note"]
    assert "nothing to change" in postil("merge", path).err
    assert "merge there.json into 1 paper" in postil("history").out
    assert "undone: merge there.json into 1 paper" in postil("undo").err
    shown = postil("show", paper, "--json").json
    assert (shown["tags"], shown["note"]) == (["here"], "Here.")


def test_merge_names_papers_that_are_not_here(postil: Postil, paper: str, tmp_path: Path) -> None:
    postil("mark", paper, "--star")
    path = tmp_path / "away.json"
    path.write_text(postil("export", "is:starred", "--format", "postil").out)
    other = tmp_path / "elsewhere"
    said = postil("merge", str(path), "--library", str(other))
    assert said.status == 0
    assert "1 paper of" in said.err and "not in this library; what is written there is kept" in said.err
    assert "nothing to change" in postil("merge", str(path), "--library", str(other)).err


def test_merge_refuses_what_is_no_such_file(postil: Postil, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("A list\n\nof abstracts\n")
    assert "neither an annotations.json nor" in postil("merge", str(tmp_path / "list.txt")).refused()
    assert "No such file" in postil("merge", str(tmp_path / "none")).refused()
    assert "home" in postil("merge", "~nosuchuser/x.json").refused()
    assert "name one file" in postil("merge").refused(2)
    assert "name one file" in postil("merge", "a", "b").refused(2)
    assert main(["merge", "--help"]) == 0
