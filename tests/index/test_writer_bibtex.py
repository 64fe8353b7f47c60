"""BibTeX is read back by a parser that is not ours, whatever the papers hold."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from bibtexparser.entrypoint import parse_string
from hypothesis import given
from hypothesis import strategies as st

from index import readers
from index.clean import clean
from index.papers import Annotation, Entry, Highlight, Paper, Record, paper_id
from index.writers import bibtex
from index.writers.reading_list import ReadingList

MEANINGS = {"claim": "claim", "method": "how"}
PAPER = Paper(paper_id("one"), "A heading of its own", None, "The abstract.", (), title=None)
HOSTILE = st.lists(
    st.sampled_from([*"{}\\%$#&_~^@,=\"'() \n", " and ", "é", "深", "a", "Z", "1"]), max_size=30
).map(lambda parts: clean("".join(parts)))


def written(*entries: Entry) -> str:
    return "".join(bibtex.write(ReadingList(entries, "A list", "", MEANINGS)))


def unescaped(text: str) -> str:
    return re.sub(r"\\([%&#])", r"\1", text).strip()


def read(source: str) -> list[dict[str, str]]:
    found = parse_string(source)
    assert not found.failed_blocks
    return [{"": one.key, **{field.key: field.value for field in one.fields}} for one in found.entries]


def test_what_is_known_stands_where_reference_managers_look_for_it() -> None:
    paper = replace(
        PAPER, title="Grokking & 50% of $x^2$", authors=("Ada Lovelace", "Ada and Co."), year=2024,
        venue="Nature", links=("https://x.org/a",),
        identifiers={"doi": ("10.1/a_b",), "arxiv": ("2401.00001",)},
        keywords=("deep learning",),
        extra={"key": "lovelace24", "volume": "7", "pages": "1--9", "file": ":a.pdf"},
    )  # fmt: skip
    mark = Highlight("h", 4, 12, "abstract", colour="method", comment="see #2")
    told = Annotation(
        paper.id, "read", rating=4, due="2026-12-03", tags=("moe",), note="A note", highlights=(mark,)
    )
    (entry,) = read(written(Entry(paper, told)))
    assert entry == {
        "": "lovelace24", "title": r"{Grokking \& 50\% of $x^2$}", "author": "Ada Lovelace and {Ada and Co.}",
        "year": "2024", "journal": "Nature", "doi": "10.1/a_b", "eprint": "2401.00001",
        "archiveprefix": "arXiv", "url": "https://x.org/a", "keywords": "deep learning, moe",
        "abstract": "The abstract.", "annote": "A note\n\nhow: ``abstract'' -- see \\#2\n\nDue 2026-12-03.",
        "readstatus": "read", "ranking": "rank4", "volume": "7", "pages": "1--9",
    }  # fmt: skip


def test_names_of_a_bibtex_record_go_out_as_they_came() -> None:
    raw = r"von M{\"u}ller, Jr, J. and {The Group} and others"
    source = f"@misc{{a, title = {{T & 5% \\& #}}, author = {{{raw}}}, note = {{A & B \\& C}}}}"
    (record,) = readers.read(BytesIO(source.encode()))[1]
    assert isinstance(record, Record)
    paper = replace(PAPER, title=record.title, authors=record.authors, extra=record.extra)
    (entry,) = read(written(Entry(paper, Annotation(PAPER.id))))
    assert (entry["author"], entry["note"]) == (raw, r"A \& B \& C")
    (again,) = readers.read(BytesIO(written(Entry(paper, Annotation(PAPER.id))).encode()))[1]
    assert isinstance(again, Record)
    assert (again.title, again.authors) == (record.title, record.authors)


def test_a_heading_that_was_derived_says_so_and_the_key_stays() -> None:
    (entry,) = read(written(Entry(PAPER, Annotation(PAPER.id))))
    assert entry == {
        "": PAPER.id, "title": "{A heading of its own}", "abstract": "The abstract.",
        "annote": "Title derived from the abstract.",
    }  # fmt: skip
    (entry,) = read(written(Entry(PAPER, Annotation(PAPER.id, title="Mine"))))
    assert (entry["title"], "annote" in entry) == ("{Mine}", False)


@pytest.mark.parametrize(
    ("extra", "kind", "venue"),
    [
        ({"type": "inproceedings"}, "inproceedings", "booktitle"), ({}, "article", "journal"),
        ({"type": "Article"}, "article", "journal"), ({"type": "journal article"}, "article", "journal"),
        ({"type": "JOUR"}, "article", "journal"), ({"type": "CHAP"}, "incollection", "booktitle"),
        ({"type": "paper-conference"}, "inproceedings", "booktitle"),
        ({"type": "Preprint"}, "article", "journal"),
    ],
)  # fmt: skip
def test_the_type_that_came_in_goes_out(extra: dict[str, Any], kind: str, venue: str) -> None:
    source = written(Entry(replace(PAPER, venue="X", extra=extra), Annotation(PAPER.id)))
    assert source.startswith(f"@{kind}{{")
    assert read(source)[0][venue] == "X"


@given(HOSTILE, HOSTILE, st.lists(HOSTILE.filter(str.strip), max_size=3), HOSTILE, HOSTILE)
def test_no_text_breaks_an_entry(title: str, abstract: str, names: list[str], note: str, key: str) -> None:
    paper = replace(
        PAPER, title=title.strip() or "T", abstract=abstract, authors=tuple(names), venue=note,
        keywords=(title,), links=(note,), identifiers={"doi": (key,)},
        extra={"key": key, "volume": abstract, "x{y": "z"},
    )  # fmt: skip
    told = Annotation(paper.id, note=note, tags=("a",))
    found = read(written(*[Entry(replace(paper, id=paper_id(str(n))), told) for n in range(3)]))
    assert len(found) == len({entry[""] for entry in found}) == 3
    for entry in found:
        assert {"title", "keywords"} <= entry.keys() <= {
            "", "title", "author", "journal", "doi", "url", "keywords", "abstract", "annote", "volume",
        }  # fmt: skip
        if abstract.strip() and abstract.count("{") == abstract.count("}") == 0:
            assert unescaped(entry["abstract"]) == unescaped(abstract)
