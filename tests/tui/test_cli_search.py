"""`postil search` beyond a query: partial matches, where a word was written, sorts, saved searches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from index.library import Library
from tests.tui.conftest import Postil, abstracts
from tui.cli import SORTS


def test_partial_matches_come_after_few_whole_ones_and_are_not_counted(postil: Postil) -> None:
    query = "hallucination attention heads"
    whole = [text for text in abstracts() if all(word in text.lower() for word in query.split())]
    found = postil("search", query, "--json").json
    partial = [paper["partial"] for paper in found["results"]]
    assert found["total"] == len(set(whole)) == partial.count(None) == 2
    assert partial == [None] * 2 + ["2 of 3 words"] * 8
    assert found["hint"] is found["did_you_mean"] is None
    text = postil("search", query)
    assert (text.out.count("(2 of 3 words)"), text.err) == (8, "2 papers\n")
    assert len(postil("search", query, "--json", "--limit", "1").ids) == 1


def test_partial_matches_beside_whole_ones_are_not_marked_or_exported(postil: Postil) -> None:
    query = "hallucination attention heads"
    assert "on 2 papers" in postil("mark", "--query", query, "--star").err
    assert len(json.loads(postil("export", query, "--format", "json").out)["papers"]) == 2


def test_a_paper_found_by_what_was_written_says_where(postil: Postil, paper: str) -> None:
    note = "A line.\n" + "filler words here " * 10 + "see the zyzzyva of mine " + "and more of it " * 10
    postil("mark", paper, "--note", note, "--tag", "qwyx/deep")
    postil("highlight", paper, "--quote", "grokking", "--nth", "1", "--comment", "why vxqz?")
    line = postil("search", "zyzzyva").out
    assert line.count("\n") == 1
    assert "(note: …" in line
    assert "see the zyzzyva of mine" in line
    assert len(line.split("(note: ")[1]) < 60
    assert "(tag: qwyx/deep)" in postil("search", "qwyx").out
    assert "(comment: why vxqz?)" in postil("search", "grokking vxqz").out
    assert "(note: " in postil("search", "note:zyzz*").out
    assert "(" not in postil("search", "grokking", "--limit", "1").out.split("]")[-1]


def test_each_sort_lists_every_paper_and_nothing_comes_last(
    postil: Postil, library_folder: Path, tmp_path: Path
) -> None:
    one, two, three = postil("search", "--limit", "3", "--json").ids
    postil("mark", two, "--rating", "2", "--due", "2026-12-24", "--status", "reading")
    postil("mark", three, "--rating", "5", "--due", "2027-01-06", "--status", "later")
    library = Library(library_folder)
    library.remember(opened={two: "2026-11-29T10:00:00.000Z", three: "2026-11-30T10:00:00.000Z"})
    library.close()
    record = {
        "id": "zzzzzzzzz1", "source": {"file": "x.bib", "position": 1, "added": "2026-11-30T00:00:00.000Z"},
        "title": "! comes first", "abstract": "Short.", "year": 2024,
    }  # fmt: skip
    with (library_folder / "papers.jsonl").open("a") as papers:
        papers.write(json.dumps(record) + "\n")
    listed = {sort: postil("search", "--all", "--sort", sort, "--json").ids for sort in SORTS}
    assert {len(ids) for ids in listed.values()} == {394}
    begins = {
        "relevance": [one, two, three], "added": [one, two, three], "title": ["zzzzzzzzz1"],
        "year": ["zzzzzzzzz1", one, two], "rating": [three, two, one], "due": [two, three, one],
        "opened": [three, two, one],
    }  # fmt: skip
    assert {sort: listed[sort][: len(ids)] for sort, ids in begins.items()} == begins
    assert listed["status"][-2:] == [three, two]
    assert listed["relevance"] == listed["added"]


# Saved searches


def test_a_saved_search_is_saved_run_narrowed_sorted_and_deleted(postil: Postil) -> None:
    said = postil("search", "--save", "mine", "grokking", "OR", "lottery", "--sort", "title")
    assert (said.status, said.out) == (0, "")
    assert said.err == "save the search mine; `postil undo` takes it back\n"
    assert postil("search", "--save", "mine", "grokking OR lottery", "--sort", "title").err.startswith("noth")
    run = postil("search", "--saved", "mine", "--all", "--json")
    assert set(run.ids) == set(postil("search", "grokking OR lottery", "--all", "--json").ids)
    assert run.ids == postil("search", "grokking OR lottery", "--all", "--json", "--sort", "title").ids
    by_import = postil("search", "--saved", "mine", "--all", "--json", "--sort", "added").ids
    assert by_import == postil("search", "grokking OR lottery", "--all", "--json", "--sort", "added").ids
    assert by_import != run.ids
    narrowed = postil("search", "--saved", "mine", "tickets OR xyzzy", "--all", "--json")
    assert narrowed.ids
    assert set(narrowed.ids) == set(run.ids) & set(postil("search", "tickets", "--all", "--json").ids)
    typed = postil("search", "--saved", "mine", "--typing", "ticke", "--json", "--all")
    assert set(typed.ids) == set(narrowed.ids)
    assert typed.json["hint"] is None
    assert "tickets" in postil("search", "--saved", "mine", "tickets", "--explain").out
    assert "a ) in the words closes nothing" in postil("search", "--saved", "mine", "x) OR (the").refused()
    assert "deleted" not in postil("search", "--delete", "mine").err
    assert "no saved search 'mine'; none is saved yet" in postil("search", "--saved", "mine").refused()
    postil("undo")
    assert postil("search", "--saved", "mine", "--all", "--json").ids == run.ids


def test_what_cannot_be_saved_or_is_not_saved_is_told_in_one_line(postil: Postil) -> None:
    postil("search", "--save", "a", "moe")
    postil("search", "--save", "b", "has:note")
    for words, status, says in (
        (["--save", "x", "(moe"], 1, "a ( is not closed"),
        (["--save", "x"], 1, "looks for nothing"),
        (["--save", " ", "moe"], 1, "a name"),
        (["--saved", "c"], 1, "there are: a, b"),
        (["--delete", "c"], 1, "there are: a, b"),
        (["--delete", "a", "word"], 2, "word"),
        (["--save", "x", "moe", "--json"], 2, "--json"),
        (["--save", "x", "--saved", "a"], 2, "--save"),
    ):
        assert says in postil("search", *words).refused(status)
    assert postil("search", "--saved", "a", "--json").status == 0


def test_a_saved_search_with_a_sort_that_nobody_knows_is_one_line(
    postil: Postil, library_folder: Path
) -> None:
    library = Library(library_folder)
    step = library.step("x", [("", "searches/odd", {"query": "moe", "sort": "taste"})])
    assert step
    library.commit(step)
    library.close()
    assert "unknown sort 'taste'" in postil("search", "--saved", "odd").refused()
    assert postil("search", "--saved", "odd", "--sort", "year").status == 0


def test_nothing_is_saved_where_nothing_can_be_kept(
    postil: Postil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("POSTIL_LIBRARY", str(tmp_path / "file" / "below"))
    refused = postil("search", "--save", "x", "moe")
    assert (refused.status, refused.out) == (1, "")
    assert "cannot be written" in refused.err


# What was meant


def test_each_of_several_misspelt_words_is_asked_about(postil: Postil) -> None:
    found = postil("search", "groking lotery transformers", "--json").json
    assert found["did_you_mean"] == "grokking lottery transformers"
    assert found["total"] == 0
    assert {paper["partial"] for paper in found["results"]} <= {"1 of 3 words", "2 of 3 words"}
    assert postil("search", "grok* lotery", "--json").json["did_you_mean"] == "grok* lottery"
    found = postil("search", "grok* lotery zyzzyva", "--json").json
    assert found["did_you_mean"] is None, "no paper has that either"


def test_explain_says_which_words_are_not_looked_for(postil: Postil) -> None:
    said = postil("search", "--explain", "state of the art -(moe of rl)").out
    assert said.startswith("all of:\n  state\n")
    assert "not looked for beside other words: of, the\n" in said
    assert "not looked for" not in postil("search", "--explain", "of").out
    assert "not looked for" not in postil("search", "--explain", '"of the" art OR to').out
