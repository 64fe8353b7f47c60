"""Exports: text of a paper is never markup, what is written parses, no file of the user's is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from index import exporting
from index.clean import clean, one_line
from index.exporting import NotOursError
from index.papers import COLOURS, Annotation, Entry, Highlight, Paper, Source
from index.writers import ReadingList
from index.writers.paper_json import paper_json
from tests.index.helpers import WHEN, abstract

HOSTILE = [
    "# heading",
    "## [link](https://x.org)",
    "[ref]: https://x.org",
    "![image](x.png)",
    "<script>alert(1)</script>",
    "<https://x.org>",
    "</details> <b>bold</b> <!-- x",
    "*emphasis* **strong** _under_ __line__ ~~gone~~",
    "`code` ``more``",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "23) item",
    "> quote",
    "---",
    "===",
    "***",
    "| a | b |",
    "    indented code",
    "~~~ fence",
    "``` fence",
    "a\n# heading\n- item\n1. item\n---\n===\n> quote",
    "&lt;b&gt; &amp; &#35;",
    "$x^2$ \\(y\\)",
    "ends with a backslash \\",
    "\\*not escaped\\*",
    "  \n\n    code after lines",
    "[ ] task",
    "[x] task",
    "^[note] [^1]: x",
    "\\",
    "#",
    "a  \nb",
    "2024",
    "3.5 points",
    "&copy;",
    "~",
    "`",
    "|",
    "*",
    "_",
    "[",
    "<",
    ":::",
    "%%",
    "==mark==",
]
TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("#*_-+=[]()<>!`~|\\&$:.1 \nab\"'", max_size=30),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.lists(st.sampled_from(HOSTILE), max_size=3).map("\n".join),
).map(clean)


def entry(text: str = "x", **told: Any) -> Entry:
    paper = Paper(
        id="abcdefghij",
        heading=one_line(text).strip(),
        name=None,
        abstract=text,
        sources=(Source(text, 1, WHEN),),
        authors=(text, "A. Writer"),
        year=2020,
        venue=text,
        keywords=(text,),
        links=("https://x.org/a_b", text),
        identifiers={"doi": (text,)},
    )
    return Entry(paper, Annotation("abcdefghij", **told))


def mark(text: str, comment: str = "") -> Highlight:
    return Highlight("h", 0, len(text), text, colour="method", comment=comment)


def reading_list(entries: Iterable[Entry], title: str = "A list", query: str = "") -> ReadingList:
    return ReadingList(tuple(entries), title, query, {colour: colour for colour in COLOURS})


def parsed(text: str) -> list[Token]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [token for block in parser.parse(text) for token in (block, *(block.children or ()))]


def shape(tokens: list[Token]) -> list[str]:
    """The markup of a document, without its words, and with the HTML and links that it holds."""
    return [
        token.type + (token.content if "html" in token.type else str(token.attrs.get("href", "")))
        for token in tokens
        if token.type not in ("text", "inline", "text_special")
    ]


def shown(tokens: list[Token]) -> list[str]:
    """The words of each paragraph and heading, as a reader sees them."""
    return [
        "".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"
    ]


def markdown(*entries: Entry, **said: str) -> list[Token]:
    return parsed("".join(exporting.text(reading_list(entries, **said), "markdown")))


@given(TEXT.filter(lambda text: bool(text.strip())))
@example("2. a numbered start")
@example("    four spaces")
def test_text_of_a_paper_is_never_markup(text: str) -> None:
    def told(word: str) -> list[Token]:
        paper = entry(word, tags=(one_line(word).strip(),), highlights=(mark(word, word),), title=None)
        return markdown(replace(paper, paper=replace(paper.paper, links=("https://x.org/a_b",))), title=word)

    assert shape(told(text)) == shape(told("plain"))


@given(TEXT.filter(lambda text: bool(text.strip())))
@example("2. a numbered start")
@example("12) another")
def test_text_of_a_paper_is_shown_as_it_stands(text: str) -> None:
    paper = entry(text, highlights=(mark(text, text),))
    words = shown(markdown(paper, title=text))
    plain = one_line(text).strip()
    assert words[0].strip() == plain
    assert words[3].strip() == plain  # after the summary and the status: the heading
    assert words[-1].strip() == plain  # the abstract
    assert [word.strip() for word in words].count(plain) >= 5


def test_a_link_of_a_paper_is_a_link_only_when_it_is_an_address() -> None:
    def links(text: str) -> list[str]:
        paper = replace(entry().paper, links=(text,))
        tokens = markdown(Entry(paper, Annotation(paper.id)))
        return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]

    assert links("https://x.org/a_b*c") == ["https://x.org/a_b*c"]
    for text in (
        "javascript:alert(1)",
        "https://x.org> <b>",
        "file:///etc/passwd",
        "https://x.org\n# a",
        "x",
    ):
        assert links(text) == []


def test_markdown_holds_what_the_reader_wrote() -> None:
    first = entry(
        abstract(1),
        status="read",
        rating=4,
        starred=True,
        due="2026-12-01",
        tags=("moe/routing",),
        note="My *own* note\n\n- with a list",
        highlights=(mark("halves the cost", "is it so?"),),
        title="My title",
        times={"note": "2026-12-05T10:00:00.000Z"},
    )
    text = "".join(exporting.text(reading_list([entry(abstract(2)), first], query="moe `x`"), "markdown"))
    for line in (
        "2 papers (1 unread, 1 read), last changed 2026-12-05, found by `` moe `x` ``",
        "## Unread",
        "## Read",
        "### My title",
        "4/5 · starred · due 2026-12-01 · #moe/routing",
        "My *own* note\n\n- with a list\n",
        "> halves the cost\n>\n> — method\n>\n> is it so?\n",
    ):
        assert line in text, line
    assert text.index("## Unread") < text.index("## Read") < text.index("### My title")
    assert text.count("heading derived from the abstract") == 1


def test_a_day_that_is_no_day_is_no_markup_either() -> None:
    hostile = replace(entry("plain").paper, sources=(Source("f", 1, "z<b>[a](b)"),))
    kinds = shape(markdown(Entry(hostile, Annotation("abcdefghij"))))
    assert kinds == shape(
        markdown(Entry(replace(hostile, sources=(Source("f", 1, WHEN),)), Annotation("abcdefghij")))
    )


def test_an_empty_list_is_a_document_too() -> None:
    assert shown(markdown()) == ["A list", "0 papers"]
    assert json.loads("".join(exporting.text(reading_list([]), "json"))) == {
        "title": "A list",
        "query": "",
        "papers": [],
    }


@given(st.lists(TEXT, max_size=3), TEXT)
def test_json_parses_and_equals(texts: list[str], query: str) -> None:
    told: dict[str, Any] = {"status": "later", "rating": 3, "tags": ("a", "b/c")}
    papers = [
        entry(text, **told, note=text, highlights=(mark(text or "x", text),), title=text or None)
        for text in texts
    ]
    document = json.loads("".join(exporting.text(reading_list(papers, title=query, query=query), "json")))
    assert document["title"] == document["query"] == query
    assert len(document["papers"]) == len(texts)
    for one, text in zip(document["papers"], texts, strict=True):
        assert (one["abstract"], one["note"], one["authors"], one["title"]) == (
            text,
            text,
            [text, "A. Writer"],
            text or None,
        )
        assert (one["status"], one["rating"], one["tags"], one["due"], one["starred"]) == (
            "later",
            3,
            ["a", "b/c"],
            None,
            False,
        )
        assert one["sources"] == [{"file": text, "position": 1, "added": WHEN}]
        assert one["identifiers"] == {"doi": [text]}
        assert one["highlights"][0]["quote"] == (text or "x")
        assert one["highlights"][0]["comment"] == text
        assert one["heading"] == (text or one_line(text).strip())


def test_a_paper_in_json_has_the_fields_of_the_manual() -> None:
    assert list(paper_json(entry(), 1.5, "1 of 2 words")) == [
        "id",
        "title",
        "heading",
        "name",
        "abstract",
        "authors",
        "year",
        "date",
        "venue",
        "identifiers",
        "keywords",
        "links",
        "sources",
        "status",
        "starred",
        "rating",
        "due",
        "tags",
        "note",
        "highlights",
        "score",
        "partial",
    ]


def test_an_unknown_format_is_refused_with_those_known() -> None:
    with pytest.raises(ValueError, match="unknown format 'pdf'; known are: markdown, bibtex, ris"):
        exporting.text(reading_list([]), "pdf")


# To a file


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


@pytest.mark.parametrize("format", exporting.FORMATS)
def test_the_same_list_gives_the_same_bytes_and_replaces_itself(
    tmp_path: Path, memory: Path, format: str
) -> None:
    path = tmp_path / f"list{exporting.ENDINGS[format]}"
    papers = reading_list([entry(abstract(1)), entry("é ∞")])
    exporting.to_file(papers, format, path, memory)
    first = path.read_bytes()
    assert first.decode("utf-8") == "".join(exporting.text(papers, format))
    exporting.to_file(papers, format, path, memory)
    assert path.read_bytes() == first
    others = replace(reading_list([entry(abstract(2))]), title="Others")
    exporting.to_file(others, format, path, memory)
    assert path.read_bytes() != first


def test_a_file_of_the_users_is_left_as_it_is(tmp_path: Path, memory: Path) -> None:
    papers, path = reading_list([entry()]), tmp_path / "mine.md"
    path.write_bytes(b"my own words")
    with pytest.raises(NotOursError, match="is not as an export left it; choose another name"):
        exporting.to_file(papers, "markdown", path, memory)
    assert path.read_bytes() == b"my own words"
    exporting.to_file(papers, "markdown", path, memory, replace=True)
    written = path.read_bytes()
    path.write_bytes(written + b"my own words")
    with pytest.raises(NotOursError):
        exporting.to_file(papers, "markdown", path, memory)
    assert path.read_bytes() == written + b"my own words"
    path.write_bytes(written)
    memory.unlink()
    with pytest.raises(NotOursError):
        exporting.to_file(papers, "markdown", path, memory)


def test_what_is_no_plain_file_is_never_replaced(tmp_path: Path, memory: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, line in (
        (tmp_path, "is a folder; name a file in it"),
        (pipe, "is no plain file; name another"),
    ):
        for replaced in (False, True):
            with pytest.raises(NotOursError, match=line):
                exporting.to_file(reading_list([entry()]), "markdown", path, memory, replace=replaced)
    assert pipe.is_fifo()


def test_an_export_that_fails_leaves_the_old_one(
    tmp_path: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "list.md"
    exporting.to_file(reading_list([entry()]), "markdown", path, memory)
    before = path.read_bytes(), memory.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        exporting.to_file(reading_list([entry(abstract(2))]), "markdown", path, memory)
    assert (path.read_bytes(), memory.read_bytes()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.md", "state.json", "state.lock"]


def test_a_name_that_is_no_text_can_be_exported_to_again(tmp_path: Path, memory: Path) -> None:
    path = tmp_path / os.fsdecode(b"list-\xff.md")
    for _ in range(2):
        exporting.to_file(reading_list([entry()]), "markdown", path, memory)
    assert path.exists()
