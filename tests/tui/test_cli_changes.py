"""The command line, called in this process: what it changes, takes back and hands on."""

from __future__ import annotations

import gzip
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import Postil, abstracts


def shown(postil: Postil, id: str) -> dict[str, Any]:
    """A paper as it is now."""
    paper: dict[str, Any] = postil("show", id, "--json").json
    return paper


# Adding


def test_add_tells_what_became_of_each_file(postil: Postil, tmp_path: Path) -> None:
    new, binary, empty = tmp_path / "new.txt", tmp_path / "binary", tmp_path / "empty"
    known = abstracts()[0]
    new.write_text(f"Daily Papers\n\n{known}\n\n{'A new abstract about owls. ' * 12}\n\n\x01\x02\n")
    binary.write_bytes(bytes(range(256)) * 20)
    empty.write_bytes(b"")
    (tmp_path / "folder").mkdir()
    said = postil(
        "add", str(new), str(tmp_path / "folder"), str(binary), str(empty), str(tmp_path / "none"), "--json"
    )
    assert said.status == 1
    good, *bad = json.loads(said.out)["files"]
    for file in (good, *bad):
        assert {"path", "format", "records", "new", "merged", "skipped", "error"} <= set(file)
    assert (good["records"], good["new"], good["merged"], good["error"]) == (3, 1, 1, None)
    (skipped,) = good["skipped"]
    assert (skipped["position"], bool(skipped["reason"])) == (3, True)
    assert all(file["error"] and file["records"] == 0 for file in bad)
    errors = [line for line in said.err.splitlines() if line.startswith("postil: ")]
    assert [Path(line.split(": ")[1]).name for line in errors] == [
        "folder", "binary", "empty", "none",
    ]  # fmt: skip
    assert postil("search", "owls", "--json").json["total"] == 1
    again = postil("add", str(new), "--json").json["files"][0]
    assert (again["new"], again["merged"]) == (0, 0)


def test_add_tells_of_several_files_in_a_table_and_passes_over_what_is_no_list(
    postil: Postil, tmp_path: Path
) -> None:
    folder = tmp_path / "lists\x1b[2J"
    folder.mkdir()
    text = f"Daily Papers\n\n{abstracts()[0]}\n\n{'A new abstract about owls. ' * 12}"
    (folder / "a.txt").write_text(text)
    (folder / "b.txt.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "README.md").write_text("# What lies here\n\nLists of papers.\n")
    said = postil("add", str(folder))
    assert said.status == 0
    head, *lines, last = said.out.splitlines()
    assert head.split() == ["file", "format", "records", "new", "merged", "already", "here", "skipped"]
    assert [line.split()[-6:] for line in lines] == [
        ["daily-text", "2", "1", "1", "0", "0"],
        ["daily-text", "2", "0", "2", "0", "0"],
    ]
    assert last.split() == ["all", "4", "1", "3", "0", "0"]
    assert len({line.index("daily-text") for line in lines}) == 1
    assert "passed over, being no lists of papers: 1 of 3 files" in said.err
    assert "\x1b" not in said.out + said.err


def test_add_reads_standard_input(postil: Postil) -> None:
    said = postil("add", "-", stdin=b"An abstract about owls, and about nothing else at all. " * 6)
    assert said.status == 0
    assert "1 new" in said.out
    assert postil("search", "owls", "--json").json["results"][0]["sources"][0]["file"] == "standard input"


# Marking and highlighting


def test_due_days_count_from_today(postil: Postil, paper: str) -> None:
    postil("mark", paper, "--due", "2w")
    due = postil("show", paper, "--json").json["due"]
    today = datetime.now().astimezone().date()
    assert date.fromisoformat(due) - timedelta(weeks=2) in (today, today - timedelta(days=1))


def test_each_option_of_mark_sets_its_field(postil: Postil, paper: str) -> None:
    for words, field, value in (
        (["--status", "reading"], "status", "reading"),
        (["--star"], "starred", True),
        (["--no-star"], "starred", False),
        (["--rating", "4"], "rating", 4),
        (["--rating", "0"], "rating", None),
        (["--due", "2026-12-24"], "due", "2026-12-24"),
        (["--due", "none"], "due", None),
        (["--note", "first\n\nnote"], "note", "first\n\nnote"),
        (["--append-note", "more"], "note", "first\n\nnote\n\nmore"),
        (["--note", ""], "note", ""),
        (["--append-note", "alone"], "note", "alone"),
        (["--append-note", ""], "note", "alone"),
        (["--tag", "b", "--tag", "a"], "tags", ["a", "b"]),
        (["--untag", "b", "--tag", "c", "--tag", "c"], "tags", ["a", "c"]),
    ):
        said = postil("mark", paper, *words)
        assert (said.status, said.out) == (0, "")
        assert shown(postil, paper)[field] == value, words


def test_a_note_comes_from_standard_input_whatever_its_bytes(postil: Postil, paper: str) -> None:
    postil("mark", paper, "--note", "-", stdin="naïve\r\nMoE".encode())
    assert shown(postil, paper)["note"] == "naïve\nMoE"
    postil("mark", paper, "--append-note", "-", stdin=b"\xff end")
    assert shown(postil, paper)["note"] == "naïve\nMoE\n\n\ufffd end"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("#MoE ", "moe"), ("# moe", "moe"), ("Vision / Video", "vision/video"), ("a//b/", "a/b"),
        ("two\n words", "two words"), ("c#", "c#"), ("e\u0301", "é"), ("\x1b[31mred", "[31mred"),
    ],
)  # fmt: skip
def test_tags_are_kept_in_one_way(postil: Postil, paper: str, typed: str, kept: str) -> None:
    said = postil("mark", paper, "--tag", typed)
    assert said.err.startswith(f"tag {kept} on 1 paper")
    assert postil("tags", "--json").json["tags"] == {kept: 1}
    assert postil("mark", paper, "--tag", typed).err == "nothing to change\n"
    postil("mark", paper, "--untag", typed)
    assert shown(postil, paper)["tags"] == []


def test_mark_takes_several_ids_as_one_step(postil: Postil) -> None:
    one, two, three = postil("search", "--limit", "3", "--json").ids
    assert "on 2 papers" in postil("mark", one, two, one, "--star", "--rating", "3").err
    assert [shown(postil, id)["starred"] for id in (one, two, three)] == [True, True, False]
    assert len(postil("history", "--json").json["steps"]) == 1
    postil("undo")
    assert [shown(postil, id)["rating"] for id in (one, two)] == [None, None]


def test_mark_takes_a_query_as_one_step(postil: Postil) -> None:
    ids = postil("search", "grokking", "--json").ids
    assert (
        "on 7 papers"
        in postil("mark", "--query", "grokking", "--tag", "Learning/Grok", "--status", "later").err
    )
    found = postil("search", "tag:learning", "--json").json
    assert sorted(paper["id"] for paper in found["results"]) == sorted(ids)
    assert {paper["status"] for paper in found["results"]} == {"later"}
    postil("undo")
    assert postil("search", "is:tagged", "--json").json["total"] == 0
    assert postil("mark", "--query", "tag:nosuch", "--star").err == "nothing to change\n"


def highlights(postil: Postil, id: str) -> list[dict[str, Any]]:
    marks: list[dict[str, Any]] = shown(postil, id)["highlights"]
    return marks


def test_a_highlight_stands_on_the_exact_words(postil: Postil, paper: str) -> None:
    abstract = shown(postil, paper)["abstract"]
    first = abstract.index("neural")
    assert (
        postil(
            "highlight", paper, "--quote", " neural  network ", "--colour", "doubt", "--comment", "why\nso"
        ).status
        == 0
    )
    (mark,) = highlights(postil, paper)
    assert (mark["start"], mark["end"]) == (first, first + len("neural network"))
    assert mark["quote"] == abstract[mark["start"] : mark["end"]] == "neural network"
    assert (mark["colour"], mark["comment"]) == ("doubt", "why\nso")
    assert abstract.startswith(mark["prefix"] + mark["quote"] + mark["suffix"], first - len(mark["prefix"]))


def test_words_that_are_highlighted_already_get_the_comment_and_the_colour(
    postil: Postil, paper: str
) -> None:
    first = ("highlight", paper, "--quote", "neural network")
    postil(*first, "--colour", "doubt")
    postil(*first, "--comment", "why")
    (mark,) = highlights(postil, paper)
    assert (mark["colour"], mark["comment"]) == ("doubt", "why")
    postil(*first, "--colour", "result")
    (mark,) = highlights(postil, paper)
    assert (mark["colour"], mark["comment"]) == ("result", "why")
    assert postil(*first).status == 0
    assert len(highlights(postil, paper)) == 1


def test_words_that_stand_several_times_are_asked_about(postil: Postil, paper: str) -> None:
    abstract = shown(postil, paper)["abstract"]
    count = abstract.count("generaliz")
    assert count > 2
    assert f"{count} times" in postil("highlight", paper, "--quote", "generaliz").refused()
    assert (
        f"{count} times"
        in postil("highlight", paper, "--quote", "generaliz", "--nth", str(count + 1)).refused()
    )
    postil("highlight", paper, "--quote", "generaliz", "--nth", "2")
    start = abstract.index("generaliz", abstract.index("generaliz") + 1)
    assert [mark["start"] for mark in highlights(postil, paper)] == [start]


def test_a_quote_reaches_across_a_line_break_and_other_white_space(postil: Postil, tmp_path: Path) -> None:
    (tmp_path / "owls.txt").write_text(
        f"Daily Papers\n\nOwls  see at\nnight\n and sleep (by day)*.\n{'They fly. ' * 30}\n"
    )
    postil("add", str(tmp_path / "owls.txt"))
    (id,) = postil("search", "owls", "--json").ids
    assert "\n" in shown(postil, id)["abstract"]
    for quote in ("Owls see", "see at night", "night and\nsleep", "sleep (by day)*."):
        assert postil("highlight", id, "--quote", quote).status == 0, quote
    quotes = [" ".join(mark["quote"].split()) for mark in highlights(postil, id)]
    assert quotes == ["Owls see", "see at night", "night and sleep", "sleep (by day)*."]


def test_a_highlight_is_taken_away_by_the_beginning_of_its_id(postil: Postil, paper: str) -> None:
    for word in ("surprising", "memorization"):
        postil("highlight", paper, "--quote", word, "--nth", "1")
    one, two = highlights(postil, paper)
    postil("highlight", paper, "--remove", one["id"])
    assert highlights(postil, paper) == [two]
    assert "0 highlights" in postil("highlight", paper, "--remove", one["id"]).refused()
    postil("undo")
    assert highlights(postil, paper) == [one, two]


# Tags, undo, history


def test_a_tag_is_renamed_and_deleted_with_those_in_it(postil: Postil) -> None:
    one, two = postil("search", "--limit", "2", "--json").ids
    postil("mark", one, "--tag", "ml/moe", "--tag", "mlx")
    postil("mark", two, "--tag", "ml", "--tag", "ai")
    assert postil("tags").out == "    1  ai\n    1  ml\n    1  ml/moe\n    1  mlx\n"
    assert "on 2 papers" in postil("tags", "--rename", "#ML", "AI").err
    assert postil("tags", "--json").json == {"tags": {"ai": 1, "ai/moe": 1, "mlx": 1}}
    assert postil("tags", "--rename", "ai", "ai").err == "nothing to change\n"
    postil("tags", "--delete", "ai")
    assert postil("tags", "--json").json == {"tags": {"mlx": 1}}
    postil("undo", "2")
    assert postil("tags", "--json").json == {"tags": {"ai": 1, "ml": 1, "ml/moe": 1, "mlx": 1}}


def test_undo_and_redo_go_back_and_forth_over_commands(postil: Postil, paper: str) -> None:
    for given in "123":
        postil("mark", paper, "--rating", given)
    for words, rating in ((["undo"], 2), (["undo", "2"], None), (["redo", "2"], 2), (["redo"], 3)):
        assert postil(*words).status == 0
        assert shown(postil, paper)["rating"] == rating
    assert postil("redo").err == "no further step\n"
    said = postil("undo", "99")
    assert said.status == 0
    assert said.err.splitlines()[-1] == "no further step"
    assert shown(postil, paper)["rating"] is None
    postil("mark", paper, "--star")
    assert postil("redo").err == "no further step\n"


def test_history_tells_the_latest_steps_first(postil: Postil, paper: str) -> None:
    postil("mark", paper, "--star")
    postil("mark", paper, "--tag", "moe")
    postil("undo")
    lines = postil("history").out.splitlines()
    assert [line[21:] for line in lines] == [
        "undo: tag moe on 1 paper",
        "tag moe on 1 paper",
        "star on 1 paper",
    ]
    assert all(datetime.fromisoformat(line[:19]) for line in lines)
    steps = postil("history", "--limit", "2", "--json").json["steps"]
    assert [bool(step["undoes"]) for step in steps] == [True, False]
    assert steps[0]["undoes"] == steps[1]["step"]
    assert steps[1]["changes"][0]["field"] == "tags/moe"


# Handing on


def test_export_of_a_query(postil: Postil, paper: str, tmp_path: Path) -> None:
    postil("mark", paper, "--note", "A *thought*.", "--rating", "4")
    said = postil("export", "grokking", "--title", "On\tgrokking")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("# On grokking\n\n7 papers")
    assert "A *thought*." in said.out
    exported = json.loads(postil("export", "grokking", "--format", "json", "--sort", "rating").out)
    assert (exported["query"], len(exported["papers"]), exported["papers"][0]["id"]) == ("grokking", 7, paper)
    file = tmp_path / "list.md"
    assert "7 papers written" in postil("export", "grokking", "--output", str(file)).err
    assert file.read_text("utf-8") == postil("export", "grokking").out
    postil("mark", paper, "--star")
    assert postil("export", "grokking", "--output", str(file)).status == 0  # as postil left it
    assert "starred" in file.read_text("utf-8")
    file.write_text("mine")
    assert "--replace" in postil("export", "grokking", "--output", str(file)).refused()
    assert postil("export", "grokking", "--output", str(file), "--replace").status == 0


def test_reindex_makes_what_is_derived_anew(postil: Postil, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    small = ["--library", str(folder)]
    postil(
        "add", "-", *small, stdin=b"An abstract about owls. " * 20 + b"\n\n" + b"One about grokking. " * 20
    )
    before = postil("search", "grokking", "--json", *small).json
    assert before["total"] == 1
    for file in (folder / "index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    assert "2 papers" in postil("reindex", *small).err
    assert postil("search", "grokking", "--json", *small).json == before


def test_papers_are_removed_by_id_by_query_and_by_list_and_brought_back(postil: Postil, paper: str) -> None:
    assert postil("remove", paper).err.startswith("remove 1 paper; `postil undo` takes it back")
    assert postil("show", paper).status == 1
    assert postil("search", "--json").json["total"] == 392
    said = postil("remove", "--query", "grokking")
    assert "remove 6 papers" in said.err, "one of the seven is gone already"
    assert postil("search", "grokking", "--json").json["total"] == 0
    lists = {source["file"] for source in postil("search", "--json", "--all").json["results"][0]["sources"]}
    name = min(lists)
    assert "remove" in postil("remove", "--source", name).err
    assert postil("undo", "3").status == 0
    assert postil("search", "--json").json["total"] == 393
    for wrong in ("", f"--source {name} {paper}", f"{paper} --query x"):
        assert postil("remove", *wrong.split()).status == 2
    for none in ("--query titel:x", "--source nothing", "zzzz"):
        said = postil("remove", *none.split())
        assert (said.status, len(said.err.splitlines())) == (1, 1)
    assert postil("search", "--json").json["total"] == 393


def test_edit_gives_a_title_and_identifiers_by_hand(postil: Postil, paper: str) -> None:
    assert postil("edit", paper, "--title", "Owls", "--doi", "10.1000/x").status == 0
    told = postil("show", "10.1000/x", "--json").json
    assert (told["id"], told["title"], told["identifiers"]) == (paper, "Owls", {"doi": ["10.1000/x"]})
    assert postil("undo").status == 0
    assert shown(postil, paper)["title"] is None
    assert postil("edit", paper).status == 2
    said = postil("edit", paper, "--arxiv", "x")
    assert (said.status, len(said.err.splitlines())) == (1, 1)


def test_papers_are_joined_by_id_and_taken_apart(postil: Postil, paper: str) -> None:
    other = postil("search", "--all", "--json").ids[7]
    postil("mark", other, "--tag", "kept")
    assert postil("join", other, paper).err.startswith("join 2 papers; `postil undo` takes it back")
    assert postil("search", "--json").json["total"] == 392
    first = postil("show", other, "--json").json
    assert first["id"] == postil("show", paper, "--json").json["id"]
    assert first["tags"] == ["kept"]
    assert len(first["sources"]) > 1
    assert "not one already" in postil("join", other, paper).err
    assert postil("undo").status == 0
    assert postil("search", "--json").json["total"] == 393
    for wrong in ((), (paper,), (paper, "zzzz")):
        said = postil("join", *wrong)
        assert (said.status, len(said.err.splitlines())) == (1, 1)
