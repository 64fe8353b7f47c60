"""Readers: the list in any encoding and shape gives the same abstracts, and no bytes raise."""

from __future__ import annotations

import json
import textwrap
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.clean import clean
from index.papers import Problem, Record, normalised
from index.readers import UnknownFormatError, daily_text, read
from tests.index.helpers import SEEDS, SHARED, abstract, paragraphs
from tests.index.test_clean import harmful


def texts(data: bytes) -> list[str]:
    format, found = read(BytesIO(data))
    assert format == "daily-text"
    records = list(found)
    assert all(isinstance(record, Record) for record in records), records
    assert [record.position for record in records] == [*range(1, len(records) + 1)]
    return [record.abstract for record in records if isinstance(record, Record)]


ACCENTED = ["Naïve – “quoted” café: 5 € … " + abstract(1), "Ünïcode throughout, § by §. " * 20 + abstract(2)]


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_each_abstract_of_a_list_is_its_paragraph(path: Path) -> None:
    expected = paragraphs(path)
    assert texts(path.read_bytes()) == expected
    assert len(expected) == {"000": 212, "002": 217}[path.name[:3]]


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_the_same_list_in_other_bytes(path: Path) -> None:
    text, expected = path.read_bytes().decode("utf-8"), paragraphs(path)
    shapes = {
        "CRLF": text.replace("\n", "\r\n").encode(),
        "CR": text.replace("\n", "\r").encode(),
        "BOM": text.encode("utf-8-sig"),
        "UTF-16 with BOM": text.encode("utf-16"),
        "UTF-16-LE": text.encode("utf-16-le"),
        "UTF-16-BE": text.encode("utf-16-be"),
        "UTF-32": text.encode("utf-32"),
        "NULs": b"\0".join(text.encode()[at : at + 997] for at in range(0, len(text.encode()), 997)),
        "no title": "\n\n".join(expected).encode(),
        "blank lines of spaces": text.replace("\n\n", "\n \t\n\n\n").encode(),
        "no final newline": text.rstrip().encode(),
    }
    for shape, data in shapes.items():
        assert texts(data) == expected, shape


@pytest.mark.parametrize("width", [40, 60, 72, 79, 100])
def test_wrapped_lists_hold_the_same_papers(width: int) -> None:
    for path in SEEDS:
        expected = paragraphs(path)
        wrapped = [
            textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False) for text in expected
        ]
        found = texts("\n\n".join(["Daily Papers", *wrapped]).encode())
        assert [normalised(text) for text in found] == [normalised(text) for text in expected]
        assert found == wrapped


@pytest.mark.parametrize(
    "encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_accents_and_typographic_signs_in_each_encoding(encoding: str) -> None:
    padding = [abstract(number) for number in range(3, 300)]  # so that some of it lies beyond the first look
    data = "\n\n".join(["Liste", *ACCENTED, *padding, *reversed(ACCENTED)]).encode(encoding)
    assert texts(data) == [*ACCENTED, *padding, *reversed(ACCENTED)]


def test_bytes_that_no_encoding_has_become_replacement_characters() -> None:
    assert texts(b"List\n\n" + abstract(1).encode() + b" \x81\x9d \xe9") == [abstract(1) + " \ufffd\ufffd é"]


@pytest.mark.parametrize(
    ("title", "is_title"),
    [
        ("Daily Papers", True),
        ("Vision, language, agents", True),
        ("Papers of 30 November 2026", True),
        ("A short abstract.", False),
    ],
)
def test_a_first_line_that_is_a_title_is_no_abstract(title: str, is_title: bool) -> None:
    found = texts(f"{title}\n\n{abstract(1)}\n".encode())
    assert found == ([] if is_title else [title]) + [abstract(1)]


def test_a_wrapped_line_may_begin_as_a_line_of_another_format_does() -> None:
    wrapped = abstract(1) + " We align regions with\nAU detectors, in\nPT form, for a\nTY variable."
    assert texts(f"A list\n\n{wrapped}\n".encode()) == [wrapped]


def test_what_is_too_long_or_empty_is_told_and_the_rest_read() -> None:
    long = "word " * (daily_text.LONGEST // 5 + 1)
    data = "\n\n".join(["List", abstract(1), long, "\u202e\u202c", abstract(2)]).encode()
    found = list(read(BytesIO(data))[1])
    assert [type(one) for one in found] == [Record, Problem, Problem, Record]
    assert [one.position for one in found] == [1, 2, 3, 4]
    assert [one.reason for one in found if isinstance(one, Problem)] == [
        "longer than 2,000,000 characters: no abstract",
        "nothing but control characters",
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\n ",
        b'[{"title": "x"}]',
        b'{"a": 1}\n{"a": 2}\n',
        b"<?xml version='1.0'?><a/>",
        b"%PDF-1.7\n",
        b"PK\x03\x04zip",
        b"\x00\x01\x02\x03" * 99,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    ],
)
def test_what_is_in_no_format_is_refused(data: bytes) -> None:
    with pytest.raises(UnknownFormatError, match=r"empty|not in a format that postil reads"):
        read(BytesIO(data))


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"@article{key,\n title={x}}\n", "bibtex"),
        (b"% comment\n@inproceedings{a, title={b}}\n", "bibtex"),
        (b"TY  - JOUR\nTI  - x\nER  - \n", "ris"),
        (b"FN ISI\nVR 1.0\nPT J\nAU A\n", "ris"),
        (b"PMID- 123\nTI  - x\n", "nbib"),
        (b'title,abstract\n"x","y"\n', "table"),
        (b'"text";"url";"tags"\n"a";"b";""\n', "table"),
        (b"Year;Title\n1;a\n", "table"),
        (b"Key,Title,Abstract\na,b,c\n", "table"),
        (b'\xef\xbb\xbf"Authors","Title","Chemicals/CAS"\n"a","b","c"\n', "table"),
        (b"# Papers\n\n- [x](https://x.org)\n", "markdown"),
        (b'<?xml version="1.0"?><!-- <rss> --><feed><entry/></feed>', "atom"),
        (b"\n <rss><channel/></rss>", "rss"),
        (b"<PubmedArticleSet></PubmedArticleSet>", "pubmed-xml"),
        (b'<collection id="x"><volume><paper/></volume></collection>', "acl-xml"),
        (b'[{"paper": {"id": "1"}, "publishedAt": ""}]', "hf-daily"),
        (b'{"id": "x", "title": "", "abstract": "", "authors": "", "categories": ""}', "arxiv-json"),
        (b'[{"type": "book", "title": "x"}]', "csl-json"),
        (b'{"title": "", "papers": [{"heading": "", "sources": [], "abstract": ""}]}', "postil"),
        (b"A list\n\nAn abstract, which is text.\n", "daily-text"),
    ],
)
def test_a_format_is_told_by_its_content(data: bytes, format: str) -> None:
    assert read(BytesIO(data))[0] == format


def test_an_unknown_format_is_named_with_those_known() -> None:
    with pytest.raises(
        UnknownFormatError, match=r"unknown format 'docx'; known are: atom, rss, .*daily-text"
    ):
        read(BytesIO(b"x"), "docx")


@given(
    st.one_of(
        st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
    )
)
def test_no_bytes_raise_and_what_comes_out_is_clean(data: bytes) -> None:
    for format in (None, "daily-text"):
        try:
            found = list(read(BytesIO(data), format)[1])
        except UnknownFormatError:
            assert format is None
            continue
        for record in found:
            if isinstance(record, Record):
                assert record.abstract == clean(record.abstract)
                assert not harmful(record.abstract)
                assert record.abstract.strip()


@pytest.mark.skipif(not (SHARED / "files").exists(), reason="needs the collection of files that people have")
def test_the_lists_of_the_collection_give_the_expected_number() -> None:
    manifest = map(json.loads, (SHARED / "files" / "manifest.jsonl").read_text("utf-8").splitlines())
    told = {one["path"]: one["expected_records"] for one in manifest if one["format"] == "daily-txt"}
    assert {path: len(texts((SHARED / "files" / path).read_bytes())) for path in told} == told
