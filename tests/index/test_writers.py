"""RIS, CSL-JSON, CSV, JSON Lines and Web Annotation are read back by others, whatever the papers hold."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from index import readers, writers
from index.clean import clean, one_line
from index.papers import COLOURS, Annotation, Entry, Highlight, Paper, Record, Source, paper_id
from index.writers import ReadingList
from index.writers.paper_json import paper_json
from index.writers.people import parted

MEANINGS = {colour: colour for colour in COLOURS} | {"method": "how"}
HOSTILE = st.lists(
    st.sampled_from(
        [
            *"=+-@'\",;|*<>&{}[]\\%\n\t ",
            "TY  - ",
            "\nER  - ",
            "\r\n",
            "\u2028",
            "</p>",
            "é",
            "深",
            "a",
            "Z",
            "1",
            "\x1b[2J",
        ]
    ),
    max_size=30,
).map(lambda parts: clean("".join(parts)))
NAME = st.sampled_from(
    ["Ada Lovelace", "Jan van der Berg", "Plato", "The ATLAS Collaboration", "A *, B", "John Smith, Jr"]
)
DATES = st.sampled_from([None, "2024", "2024-05", "2024-05-01"])
# The keys of https://github.com/citation-style-language/schema, csl-data.json, that are written.
CSL = {
    "id", "type", "title", "author", "issued", "container-title", "volume", "issue", "page", "publisher",
    "DOI", "PMID", "ISBN", "ISSN", "URL", "keyword", "abstract", "note", "custom",
}  # fmt: skip


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    made = []
    for number in range(draw(st.integers(0, 4))):
        abstract, id = draw(HOSTILE), paper_id(str(number))
        date = draw(DATES)
        paper = Paper(
            id, f"Heading {one_line(draw(HOSTILE))}".strip(), None, abstract,
            (Source(draw(HOSTILE), number + 1, "2026-11-30T10:00:00.000Z"),),
            title=draw(st.none() | HOSTILE.map(lambda text: f"Title {one_line(text)}".strip())),
            authors=tuple(draw(st.lists(NAME, max_size=3))), year=2024 if date else None, date=date,
            venue=draw(st.none() | st.just("Nature")), keywords=tuple(draw(st.lists(HOSTILE, max_size=2))),
            identifiers=draw(st.sampled_from([{}, {"doi": ("10.1000/a_b",)}, {"arxiv": ("2401.00001",)}])),
            extra=draw(st.sampled_from([{}, {"type": "inproceedings", "pages": "1--9", "key": "k"}])),
        )  # fmt: skip
        marks = []
        for at in range(draw(st.integers(0, 3)) if abstract else 0):
            start = draw(st.integers(0, len(abstract) - 1))
            end = draw(st.integers(start + 1, len(abstract)))
            colour, comment = draw(st.sampled_from(COLOURS)), draw(HOSTILE)
            marks.append(Highlight.on(abstract, start, end, id=f"h{at}", colour=colour, comment=comment))
        told = Annotation(
            id, draw(st.sampled_from(["unread", "read"])), draw(st.booleans()),
            draw(st.sampled_from([None, 4])), draw(st.sampled_from([None, "2026-12-03"])),
            draw(st.sampled_from([(), ("a/b", "moe")])), draw(HOSTILE), tuple(marks),
            times={"status": "2026-11-30T10:00:00.000Z"},
        )  # fmt: skip
        made.append(Entry(paper, told))
    return made


def written(format: str, made: list[Entry]) -> str:
    found = [
        "".join(writers.FORMATS[format](ReadingList(tuple(made), "A list", "", MEANINGS))) for _ in range(2)
    ]
    assert found[0] == found[1]
    return found[0]


def read(text: str, format: str) -> list[Record]:
    found = list(readers.read(BytesIO(text.encode("utf-8", "replace")), format)[1])
    return [one for one in found if isinstance(one, Record)]


def heading(entry: Entry) -> str:
    return entry.annotation.title or entry.paper.title or entry.paper.heading


@given(entries())
def test_ris_is_read_by_rispy_and_by_our_reader(made: list[Entry]) -> None:
    text = written("ris", made)
    assert text.count("\r\n") == text.count("\n") == text.count("\r")
    found = rispy.loads(text) if made else []
    assert len(found) == len(made)
    for one, entry in zip(found, made, strict=True):
        assert one["title"] == heading(entry)
        assert one.get("abstract", "") == one_line(entry.paper.abstract).strip()
        assert len(one.get("authors", [])) == len(entry.paper.authors)
        notes = one["notes"]
        marks = entry.annotation.highlights
        assert len(notes) == 1 + (not entry.paper.title) + bool(
            one_line(entry.annotation.note).strip()
        ) + len(marks)
    for back, entry in zip(read(text, "ris") if made else [], made, strict=True):
        assert back.year == entry.paper.year
        for kind in ("doi", "arxiv"):
            assert back.identifiers.get(kind) == entry.paper.identifiers.get(kind)


def test_ris_of_a_person_and_of_a_body() -> None:
    paper = Paper(
        "aaaaaaaaaa",
        "H",
        None,
        "",
        (),
        "T",
        ("Jan van der Berg", "The ATLAS Collaboration", "John Smith, Jr"),
    )
    text = written("ris", [Entry(paper, Annotation(paper.id))])
    assert "AU  - van der Berg, Jan\r\n" in text
    assert "AU  - The ATLAS Collaboration\r\n" in text
    assert "AU  - Smith, John, Jr\r\n" in text


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Ada Lovelace", ("Lovelace", "Ada", "")),
        ("Jan van der Berg", ("van der Berg", "Jan", "")),
        ("John Smith, Jr", ("Smith", "John", "Jr")),
        ("Plato", None),
        ("DeepSeek Team", None),
        ("Ada and Co.", None),
    ],
)
def test_the_parts_of_a_name(name: str, parts: tuple[str, str, str] | None) -> None:
    assert parted(name) == parts


@given(entries())
def test_csl_json_holds_what_the_schema_knows_and_comes_back(made: list[Entry]) -> None:
    text = written("csl-json", made)
    items = json.loads(text)
    assert len(items) == len(made)
    for item, entry in zip(items, made, strict=True):
        assert item.keys() <= CSL
        assert item["title"] == heading(entry)
        assert item.get("note", "") == entry.annotation.note
        assert isinstance(item.get("keyword", ""), str)
        marks = item["custom"].get("highlights", [])
        assert [mark["quote"] for mark in marks] == [mark.quote for mark in entry.annotation.highlights]
    for back, entry in zip(read(text, "csl-json"), made, strict=True):
        assert (back.year, back.date) == (entry.paper.year, entry.paper.date)
        assert len(back.authors) == len(entry.paper.authors)
        for kind in ("doi", "arxiv"):
            assert back.identifiers.get(kind) == entry.paper.identifiers.get(kind)


@given(entries())
def test_no_cell_of_a_table_is_a_formula_and_all_come_back(made: list[Entry]) -> None:
    text = written("csv", made)
    rows = list(csv.DictReader(StringIO(text, newline="")))
    assert len(rows) == len(made)
    for row, entry in zip(rows, made, strict=True):
        assert None not in row
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())
        for name, value in (("abstract", entry.paper.abstract), ("note", entry.annotation.note)):
            assert row[name].removeprefix("'") == value.removeprefix("'")
        assert row["postil tags"] == "; ".join(entry.annotation.tags)
    for back, entry in zip(read(text, "table"), made, strict=True):
        assert back.year == entry.paper.year
        assert back.identifiers.get("doi") == entry.paper.identifiers.get("doi")


@given(entries())
def test_each_highlight_of_a_web_annotation_is_found_again_by_either_selector(made: list[Entry]) -> None:
    told = json.loads(written("web-annotation", made))
    assert told["@context"] == "http://www.w3.org/ns/anno.jsonld"
    items = {item["id"]: item for item in told["first"]["items"]}
    for entry in made:
        text = entry.paper.abstract
        for mark in entry.annotation.highlights:
            item = items[f"urn:postil:{entry.paper.id}:{mark.id}"]
            quote, place = item["target"]["selector"]
            whole = quote["prefix"] + quote["exact"] + quote["suffix"]
            assert text[place["start"] : place["end"]] == quote["exact"] == mark.quote
            assert text.count(whole) == 1
            assert text.index(whole) + len(quote["prefix"]) == place["start"]
            purposes = {body["purpose"]: body["value"] for body in item["body"]}
            assert purposes["tagging"] == MEANINGS[mark.colour]
            assert purposes.get("commenting", "") == mark.comment
    kinds = [item["motivation"] for item in items.values()]
    assert kinds.count("commenting") == sum(bool(entry.annotation.note) for entry in made)


def test_a_highlight_whose_words_have_gone_keeps_its_quote() -> None:
    paper = Paper("aaaaaaaaaa", "H", None, "Other words.", (), "T", links=("https://x.org",))
    mark = Highlight("h", 0, 4, "gone", "before ", " after")
    (item,) = json.loads(written("web-annotation", [Entry(paper, Annotation(paper.id, highlights=(mark,)))]))[
        "first"
    ]["items"]
    assert item["target"] == {
        "source": "https://x.org",
        "selector": [{"type": "TextQuoteSelector", "exact": "gone", "prefix": "before ", "suffix": " after"}],
    }


@given(entries())
def test_a_line_of_json_is_a_paper(made: list[Entry]) -> None:
    lines = written("jsonl", made).splitlines()
    assert [json.loads(line) for line in lines if line] == [
        json.loads(json.dumps(paper_json(one))) for one in made
    ]


def test_no_paper_is_no_record() -> None:
    assert written("ris", []) == written("csv", []) == written("jsonl", []) == ""
    assert json.loads(written("csl-json", [])) == []
