"""The command line, called in this process: what it answers, what it changes, what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from index.library import Library
from tests.tui.conftest import Postil, abstracts
from tests.tui.helpers import HOSTILE
from tui.cli import COMMANDS

PAPER = {
    "id", "title", "heading", "name", "abstract", "authors", "year", "date", "venue", "identifiers",
    "keywords", "links", "sources", "status", "starred", "rating", "due", "tags", "note", "highlights",
    "score", "partial",
}  # fmt: skip
HIGHLIGHT = {"id", "start", "end", "quote", "prefix", "suffix", "colour", "comment"}


def acts(text: str) -> set[str]:
    """What in `text` could act on a terminal: controls but LF, what turns the direction, no text at all."""
    turns = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    return {
        char
        for char in text
        if (unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char != "\n")
        or unicodedata.bidirectional(char) in turns
        or char in "\u061c\u200e\u200f"
    }


# Searching and showing


def test_search_finds_exactly_the_abstracts_that_hold_the_word(postil: Postil) -> None:
    holding = {text for text in abstracts() if re.search(r"\bgrokking\b", text, re.IGNORECASE)}
    found = postil("search", "grokking", "--json").json
    assert len(holding) == found["total"] == len(found["results"]) == 7
    assert {" ".join(paper["abstract"].split()) for paper in found["results"]} == holding


def test_search_without_a_query_shows_every_paper_in_the_order_of_import(postil: Postil) -> None:
    listed = abstracts()
    found = postil("search", "--all", "--json").json
    assert (len(listed), found["total"], len(found["results"])) == (429, 393, 393)
    assert [" ".join(paper["abstract"].split()) for paper in found["results"]] == [*dict.fromkeys(listed)]
    assert sum(len(paper["sources"]) for paper in found["results"]) == 429


def test_search_as_json_has_the_shape_that_is_promised(postil: Postil) -> None:
    said = postil("search", "grokking", "--json")
    found = said.json
    assert {"query", "total", "did_you_mean", "hint", "results"} <= set(found)
    assert (found["query"], found["did_you_mean"], found["hint"]) == ("grokking", None, None)
    scores = []
    for paper in found["results"]:
        assert set(paper) >= PAPER
        assert all({"file", "position", "added"} <= set(source) for source in paper["sources"])
        scores.append(paper["score"])
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert said.err == ""


def test_a_word_that_is_misspelt_is_asked_about(postil: Postil) -> None:
    assert postil("search", "grokkking", "--json").json["did_you_mean"] == "grokking"
    said = postil("search", "grokkking")
    assert (said.status, said.out) == (0, "")
    assert "did you mean: grokking" in said.err


def test_partial_matches_are_shown_but_not_counted(postil: Postil) -> None:
    found = postil("search", "grokking lottery zyzzyva", "--json").json
    assert found["total"] == 0
    assert "2 of 3" in found["hint"]
    assert {paper["partial"] for paper in found["results"]} == {"2 of 3 words"}
    assert "(2 of 3 words)" in postil("search", "grokking lottery zyzzyva").out


def test_the_last_word_is_a_prefix_while_typing_until_a_space_follows(postil: Postil) -> None:
    assert postil("search", "grokki", "--json").json["total"] == 0
    assert postil("search", "--typing", "grokki", "--json").json["total"] >= 7
    assert postil("search", "--typing", "grokki ", "--json").json["total"] == 0


def test_explain_prints_the_tree_and_nothing_else(postil: Postil) -> None:
    tree = postil("search", "--explain", "grokking OR NOT tag:moe")
    assert (tree.status, tree.err) == (0, "")
    assert tree.out == "any of:\n  grokking\n  not:\n    tag moe\n"
    assert "json" in postil("search", "--explain", "--json", "x").refused(2)


def test_limit_and_sort(postil: Postil) -> None:
    assert len(postil("search", "--json").json["results"]) == 20
    short = postil("search", "--limit", "3")
    assert len(short.out.splitlines()) == 3
    assert "393 papers" in short.err
    assert "390" in short.err
    found = postil("search", "--all", "--sort", "title", "--json").json["results"]
    headings = [paper["heading"].casefold() for paper in found]
    assert headings == sorted(headings)
    assert len(headings) == 393


def test_sorting_by_what_was_written_puts_nothing_last(postil: Postil) -> None:
    one, two, three = postil("search", "--limit", "3", "--json").ids
    postil("mark", two, "--rating", "2", "--due", "2026-12-24", "--status", "read")
    postil("mark", three, "--rating", "5", "--due", "2027-01-06")
    for sort, order in (("rating", [three, two]), ("due", [two, three])):
        assert postil("search", "--sort", sort, "--json").ids[:3] == [*order, one]
    assert postil("search", "--sort", "status", "--all", "--json").ids[-1] == two


def test_a_query_may_begin_with_a_minus_after_two_of_them(postil: Postil) -> None:
    assert postil("search", "--json", "--", "-grokking").json["total"] == 393 - 7
    assert (
        postil("search", "algorithmic", "--json", "--", "-grokking").json["query"] == "algorithmic -grokking"
    )
    assert "-grokking" in postil("search", "-grokking").refused(2)


def test_options_stand_anywhere_among_the_words(postil: Postil) -> None:
    apart = postil("search", "--json", "grokking", "--limit", "2", "tickets").json
    assert apart == postil("search", "grokking", "tickets", "--json", "--limit", "2").json
    assert apart["query"] == "grokking tickets"
    assert apart["total"] == 1


def test_show_for_people_and_as_json(postil: Postil, paper: str) -> None:
    postil("mark", paper, "--note", "a thought", "--tag", "moe", "--due", "2026-12-24", "--star")
    postil("highlight", paper, "--quote", "grokking", "--nth", "1", "--comment", "why?")
    shown = postil("show", paper, "--json").json
    assert set(shown) >= PAPER
    assert shown["id"] == paper
    assert (shown["score"], shown["partial"], shown["title"]) == (None, None, None)
    assert set(shown["highlights"][0]) >= HIGHLIGHT
    text = postil("show", paper).out
    assert all(part in text for part in ("starred", "due 2026-12-24", "#moe", "a thought", "why?"))
    assert " ".join(shown["abstract"].split()) in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_a_paper_is_named_by_prefix_doi_or_arxiv_id(postil: Postil, paper: str, library_folder: Path) -> None:
    line = {
        "id": "zzzzzzzzz1",
        "source": {"file": "x.bib", "position": 1, "added": "2026-11-30T00:00:00.000Z"},
        "title": "A title", "abstract": "Short.", "authors": ["Ada L."], "year": 2024,
        "identifiers": {"doi": ["10.1000/xyz"], "arxiv": ["2401.00001"], "pmid": ["123456"]},
    }  # fmt: skip
    with (library_folder / "papers.jsonl").open("a") as papers:
        papers.write(json.dumps(line) + "\n")
    for name in ("zzzz", "10.1000/XYZ", "https://doi.org/10.1000/xyz", "arXiv:2401.00001", "123456"):
        shown = postil("show", name, "--json").json
        assert shown["id"] == "zzzzzzzzz1"
    assert (shown["title"], shown["authors"], shown["year"]) == ("A title", ["Ada L."], 2024)
    assert shown["identifiers"]["doi"] == ["10.1000/xyz"]
    assert postil("show", paper[:6], "--json").json["id"] == paper


def test_related_papers_and_the_terms_they_share(postil: Postil, paper: str) -> None:
    near = postil("related", paper, "--limit", "5", "--json").json
    assert near["id"] == paper
    assert len(near["results"]) == 5
    for other in near["results"]:
        assert set(other) >= PAPER
        assert other["id"] != paper
        assert other["terms"]
        assert other["score"] > 0
    assert "shares: " in postil("related", paper).out


# What is refused


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["frobnicate"], "frobnicate"),
        ([""], "search"),
        (["--", "search"], "search"),
        (["--frob"], "--frob"),
        (["--library"], "--library"),
        (["--library", "", "search"], "--library"),
        (["search", "--frob"], "--frob"),
        (["search", "--js"], "--js"),
        (["search", "--lib", "x"], "--lib"),
        (["search", "--limit", "0"], "0"),
        (["search", "--limit", "many"], "many"),
        (["search", "--sort", "taste"], "taste"),
        (["show"], "one paper"),
        (["show", "a", "b"], "one paper"),
        (["add"], "--seeds"),
        (["mark", "a"], "--status"),
        (["mark", "--star"], "--query"),
        (["mark", "a", "--query", "b", "--star"], "--query"),
        (["mark", "--query", " ", "--star"], "--query"),
        (["mark", "a", "--rating", "6"], "6"),
        (["mark", "a", "--rating", "-1"], "-1"),
        (["mark", "a", "--status", "burnt"], "burnt"),
        (["mark", "a", "--due", "2026-02-30"], "2026-02-30"),
        (["mark", "a", "--due", "soon"], "tomorrow"),
        (["mark", "a", "--tag", " #/ "], "tag"),
        (["mark", "a", "--tag", "moe", "--untag", "#MoE"], "moe"),
        (["mark", "a", "--note", "x", "--append-note", "y"], "--append-note"),
        (["highlight", "a"], "--quote"),
        (["highlight", "a", "--remove", ""], "--remove"),
        (["highlight", "a", "--quote", "x", "--remove", "y"], "--remove"),
        (["highlight", "a", "--quote", "x", "--colour", "pink"], "pink"),
        (["highlight", "a", "--quote", "x", "--nth", "0"], "0"),
        (["tags", "word"], "word"),
        (["tags", "--delete", ""], "tag"),
        (["tags", "--rename", "a", "#"], "tag"),
        (["tags", "--rename", "a", "b", "--delete", "c"], "--delete"),
        (["undo", "0"], "number"),
        (["undo", "²"], "number"),
        (["undo", "-1"], "number"),
        (["undo", "9" * 5000], "number"),
        (["redo", "1", "2"], "number"),
        (["history", "word"], "word"),
        (["reindex", "word"], "word"),
    ],
)  # fmt: skip
def test_wrong_usage_is_told_in_one_line(postil: Postil, words: list[str], says: str) -> None:
    line = postil(*words).refused(2)
    assert says in line
    assert "_count" not in line


def test_what_cannot_be_done_is_told_in_one_line(postil: Postil, paper: str, tmp_path: Path) -> None:
    first = {id[0] for id in postil("search", "--all", "--json").ids}
    assert len(first) < 393  # so that a letter is no unique prefix
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.md").write_text("mine")
    for words, says in (
        (["show", "nosuchid"], "nosuchid"),
        (["show", paper[0]], "write more"),
        (["mark", paper, "nosuchid", "--star"], "nosuchid"),
        (["highlight", paper, "--quote", "no such words"], "no such words"),
        (["highlight", paper, "--quote", " "], "does not hold"),
        (["highlight", paper, "--remove", "nosuch"], "nosuch"),
        (["tags", "--delete", "nosuch"], "nosuch"),
        (["tags", "--rename", "nosuch", "nosuch"], "nosuch"),
        (["export", "--format", "docx"], "markdown"),
        (["export", "grokking", "--output", str(tmp_path / "folder")], "folder"),
        (["export", "grokking", "--output", str(tmp_path / "file.md")], "--replace"),
        (["export", "grokking", "--output", str(tmp_path / "no" / "file.md")], "No such file"),
        (["export", "grokking", "--output", "~nosuchuser/file.md"], "home"),
        (["--library", "~nosuchuser/x", "search"], "home"),
    ):
        assert says in postil(*words).refused()
    assert (tmp_path / "file.md").read_text() == "mine"
    assert postil("show", paper, "--json").json["starred"] is False


@pytest.mark.parametrize("query", ["(moe", "moe OR", "rating:>=x", "year:soon", "!!!", '""', "()", "tag:"])
def test_a_query_not_wholly_understood_changes_and_exports_nothing(postil: Postil, query: str) -> None:
    for words in (["mark", "--query", query, "--star"], ["export", query]):
        assert "the query" in postil(*words).refused()
    assert postil("search", query).status == 0
    assert postil("search", "is:starred", "--json").json["total"] == 0


def test_two_words_are_no_query_that_marks_most_of_its_words(postil: Postil) -> None:
    said = postil("mark", "--query", "grokking lottery zyzzyva", "--star")
    assert (said.status, said.err) == (0, "nothing to change\n")


@pytest.mark.parametrize("content", [b"", b"null", b'{"annotations": {"1": {"pap', b"[]", b"\xff\xfe"])
def test_an_unreadable_annotations_file_is_left_as_it_is(
    postil: Postil, paper: str, library_folder: Path, content: bytes
) -> None:
    file = library_folder / "annotations.json"
    file.write_bytes(content)
    for words in (["search", "x"], ["mark", paper, "--star"], ["undo"], ["add", "--seeds"]):
        assert "annotations.json" in postil(*words).refused()
    assert file.read_bytes() == content


def test_a_library_that_is_a_file_is_refused(postil: Postil, paper: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    assert "is not a folder" in postil("show", paper, "--json", "--library", str(file)).refused()
    assert "is not a folder" in postil("--library", str(file), "mark", paper, "--star").refused()
    assert file.read_text() == "mine"


def test_notes_added_at_the_same_time_are_all_kept(library_folder: Path, paper: str) -> None:
    lines = [f"line {number}" for number in range(6)]
    command = [sys.executable, "-m", "tui.cli", "--library", str(library_folder), "mark", paper]
    running = [
        subprocess.Popen([*command, "--append-note", line], stderr=subprocess.DEVNULL) for line in lines
    ]
    assert [process.wait() for process in running] == [0] * len(lines)
    library = Library(library_folder)
    assert sorted(library.annotation(paper).note.split("\n\n")) == lines
    library.close()


def test_a_step_that_the_history_cannot_take_is_said_to_be_saved(
    postil: Postil, paper: str, library_folder: Path
) -> None:
    (library_folder / "history.jsonl").mkdir()
    assert "it was saved, but undo" in postil("mark", paper, "--tag", "q").refused()
    assert postil("show", paper, "--json").json["tags"] == ["q"]


def test_an_export_never_goes_into_the_library_itself(
    postil: Postil, paper: str, library_folder: Path
) -> None:
    postil("mark", paper, "--star")
    before = (library_folder / "annotations.json").read_bytes()
    for name in ("annotations.json", "new.md"):
        path = str(library_folder / name)
        assert "own folder" in postil("export", "--output", path, "--replace").refused()
    assert (library_folder / "annotations.json").read_bytes() == before


def test_the_format_of_an_export_goes_by_the_files_ending(postil: Postil, tmp_path: Path) -> None:
    postil("export", "grokking", "--output", str(tmp_path / "list.json"))
    assert len(json.loads((tmp_path / "list.json").read_text())["papers"]) == 7
    assert postil("export", "grokking", "--output", "-").out.startswith("# Reading list")
    assert "names no file" in postil("export", "--output", "").refused(2)


def test_commas_part_tags(postil: Postil, paper: str) -> None:
    postil("mark", paper, "--tag", "a, b/c")
    assert postil("show", paper, "--json").json["tags"] == ["a", "b/c"]
    assert "is no tag" in postil("mark", paper, "--tag", ",,").refused(2)


def test_which_library(postil: Postil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = str(tmp_path / "other")
    for words in (
        ["--library", other, "search", "--json"],
        [f"--library={other}", "search", "--json"],
        ["search", "--json", "--library", other],
        ["search", f"--library={other}", "grokking", "--json"],
    ):
        assert postil(*words).json["total"] == 0  # one that was named starts empty
    assert postil("search", "grokking", "--json").json["total"] == 7
    assert postil("add", "-", "--library", other, stdin=b"An abstract about owls. " * 20).status == 0
    monkeypatch.setenv("POSTIL_LIBRARY", other)
    assert postil("search", "--json").json["total"] == 1


# What it prints


def test_text_from_outside_never_reaches_the_terminal_raw(
    postil: Postil, tmp_path: Path, library_folder: Path
) -> None:
    evil = "\x1b[31m\x1b]52;c;ZXZpbA==\x07\x9b31m\u202egnp\u2066x\x85\u2028"
    file = tmp_path / f"evil{evil}.txt"
    plain = "The rest of it is an abstract like any other, so that the file is one of running text. " * 20
    texts = [f"{text} zyzzyva{n} {evil} {plain} {n}" for n, text in enumerate(HOSTILE)]
    file.write_text("\n\n".join(texts), "utf-8", errors="surrogatepass")
    answers = [postil("add", str(file)), postil("add", str(file), "--json"), postil("add", str(file) + "x")]
    ids = postil("search", "zyzzyva*", "--all", "--json").ids
    assert len(ids) == len(HOSTILE)
    edits = ["--note", f"note{evil}\n{evil}", "--tag", f"tag{evil}"]
    answers += [
        postil("mark", *ids, *edits),
        postil("highlight", ids[0], "--quote", "zyzzyva", "--comment", evil),
    ]
    with (library_folder / "history.jsonl").open("a") as history:  # as another machine may have written it
        step = {"step": evil, "origin": evil, "when": evil, "what": evil, "undoes": None, "redoes": None}
        history.write(json.dumps({**step, "changes": []}) + "\n")
    for words in (
        ["search", "zyzzyva*", "--all"], ["search", f"zyzzyva0{evil}"], ["search", evil, "--explain"],
        ["show", ids[0]], ["related", ids[0]], ["tags"], ["history"], ["export", "zyzzyva*", "--title", evil],
        ["export", "zyzzyva*", "--format", "json", "--title", evil], ["show", evil], ["add", evil],
        ["search", f"--{evil}"], [evil], ["--library", f"{tmp_path}/file{evil}", "show", "x"],
        ["tags", "--delete", evil], ["tags", evil], ["undo", evil], ["search", "--limit", evil],
        ["highlight", ids[0], "--quote", evil + "x"], ["mark", ids[0], "--due", evil],
        ["export", "zyzzyva*", "--output", f"{tmp_path}/{evil}"],
        *([name, ids[0], "--json"] for name in ("show", "related")),
        *([name, "--json"] for name in ("tags", "history")), ["search", f"zyzzyva0{evil}", "--json"],
    ):  # fmt: skip
        answers.append(postil(*words))
    for said in answers:
        assert not acts(said.out + said.err), said
        assert said.out + said.err


# Every command


def test_every_command_has_a_help(postil: Postil) -> None:
    for name in COMMANDS:
        said = postil(name, "--help")
        assert (said.status, said.err) == (0, "")
        assert f"postil {name}" in said.out
        assert "--library" in said.out
    assert all(name in postil("--help").out for name in COMMANDS)


def test_a_fault_of_the_system_is_one_line(postil: Postil, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "history.jsonl")

    monkeypatch.setattr(Library, "steps", fails)
    assert "history.jsonl: Permission denied" in postil("history").refused()
