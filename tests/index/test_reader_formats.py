"""Each format: what is read of small files, the same records from independent writers, damage of any kind."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from index.clean import clean
from index.papers import Problem, Record
from index.readers import FORMATS, BrokenFileError, UnknownFormatError, markup, read
from tests.index.helpers import SHARED

FILES = SHARED / "files"


def records(data: bytes | str, format: str | None = None) -> list[Record | Problem]:
    return list(read(BytesIO(data.encode() if isinstance(data, str) else data), format)[1])


def only(data: bytes | str) -> Record:
    (found,) = records(data)
    assert isinstance(found, Record), found
    return found


ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <title>ArXiv Query</title>
  <entry>
    <id>http://arxiv.org/abs/2405.00001v2</id><published>2024-05-01T17:59:59Z</published>
    <title>A title over\n  two lines &amp; more</title>
    <summary>  An abstract with $a &lt; b$.\nSecond line.\n</summary>
    <author><name>Ada Lovelace</name></author><author><name>Müller, Jürgen</name></author>
    <arxiv:comment>12 pages</arxiv:comment><arxiv:doi>10.1000/ABC</arxiv:doi>
    <arxiv:journal_ref>Nature 1, 2</arxiv:journal_ref><category term="cs.LG"/>
    <link href="http://arxiv.org/abs/2405.00001v2" rel="alternate"/>
  <link href="https://x.org/code" rel="alternate"/>
  </entry>
  <entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>incorrect id</summary></entry>
</feed>"""
RSS = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>cs.CL</title><item>
  <title>A title</title><link>https://arxiv.org/abs/2405.00001</link>
  <description>arXiv:2405.00001v1 Announce Type: new
Abstract: An abstract &amp;lt;x&amp;gt; of p&lt;0.05.</description>
  <dc:creator>Ada Lovelace, Jürgen Müller</dc:creator><pubDate>Wed, 01 May 2024 00:00:00 -0400</pubDate>
  <category>cs.CL</category></item>
  <item><title>Another</title><link>https://x.org/1</link>
  <description>&lt;p&gt;&lt;b&gt;Authors:&lt;/b&gt; A B, C D&lt;/p&gt;
&lt;p&gt;&lt;b&gt;Summary:&lt;/b&gt; Told.&lt;/p&gt;</description>
  </item></channel></rss>"""
PUBMED = """<?xml version="1.0"?><!DOCTYPE PubmedArticleSet PUBLIC "-//NLM" "https://x.org/y">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>123</PMID><Article>
  <Journal><ISSN>1234-5678</ISSN><JournalIssue><Volume>7</Volume><PubDate><Year>2020</Year><Month>Jun</Month>
  </PubDate></JournalIssue><Title>A Journal</Title></Journal>
  <ArticleTitle>On <i>E. coli</i> &amp; us.</ArticleTitle>
  <Abstract><AbstractText Label="AIM">To see.</AbstractText>
  <AbstractText Label="RESULT">H<sub>2</sub>O.</AbstractText>
  </Abstract><AuthorList><Author><LastName>Curie</LastName><ForeName>Marie</ForeName></Author>
  <Author><CollectiveName>The Group</CollectiveName></Author></AuthorList></Article>
  <KeywordList><Keyword>water</Keyword></KeywordList></MedlineCitation><PubmedData><ArticleIdList>
  <ArticleId IdType="doi">10.1000/X</ArticleId><ArticleId IdType="pmc">PMC9</ArticleId></ArticleIdList>
  </PubmedData>
</PubmedArticle></PubmedArticleSet>"""
ACL = """<?xml version='1.0' encoding='UTF-8'?><collection id="2020.x"><volume id="1"><meta>
  <booktitle>Proc. of X</booktitle>
  <month>July</month><year>2020</year><editor><first>E</first><last>D</last></editor></meta><frontmatter/>
  <paper id="1"><title><fixed-case>BERT</fixed-case> and <i>us</i></title>
  <author><first>Ada</first><last>Lovelace</last></author>
  <abstract>An <tex-math>x^2</tex-math> abstract.</abstract>
  <url>2020.x-1.1</url><doi>10.18653/v1/2020.x-1.1</doi><bibkey>lovelace-2020-bert</bibkey></paper></volume></collection>"""
HF = json.dumps([{
    "paper": {"id": "2405.00001", "authors": [{"name": "Ada Lovelace"}, {"name": "J. Müller"}],
              "publishedAt": "2024-05-01T00:00:00.000Z", "summary": "An abstract.\nIts end.", "upvotes": 3},
    "title": "A title", "publishedAt": "2024-05-02T00:00:00.000Z",
}])  # fmt: skip
ARXIV = json.dumps({
    "id": "hep-th/9901001", "title": "A\n  title", "abstract": "  An abstract.\n",
    "categories": "hep-th math.AG",
    "authors": "J. M\\\"uller and A. Lovelace", "authors_parsed": [["Müller", "J.", ""], ["Lovelace", "A.",
    "Jr"]],
    "doi": "10.1000/x", "journal-ref": "Nature 1", "versions": [{"created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
})  # fmt: skip
CSL = json.dumps([{
    "id": "m20", "type": "article-journal", "title": "A <i>title</i>", "abstract": "An abstract.",
    "DOI": "10.1000/X",
    "author": [{"family": "Müller", "given": "J.", "non-dropping-particle": "von"}, {"literal": "The Group"}],
    "issued": {"date-parts": [["2020", 5]]}, "container-title": "A Journal", "note": "arXiv: 2005.00001",
    "volume": 7,
}])  # fmt: skip
BIBTEX = r"""% a comment @article{no,}
@string{nat = "Nature"}
@comment{jabref-meta: @article{x, title={y}}}
@Article{m20,
  title = {An {\"U}ber-Title: {BERT} \& 50\% of $x^2$},
  author = "von M{\"u}ller, J. and {The Group} and Lovelace, Jr, Ada and others",
  journal = nat # " Physics", year = 2020, month = may,
  abstract = {Of 50% we say\nnothing \emph{new}.}, doi = {https://doi.org/10.1000/X\_y},
  keywords = {one, two}, eprint = {2005.00001v2}, archivePrefix = {arXiv}, volume = 7,
  file = {:home/x/a.pdf:PDF}, url = {https://x.org/a}
}
@inproceedings(c1, title = {Child}, crossref = {p1})
@proceedings{p1, title = {Proc. of X}, year = {2019}}
@article{broken, title = {never {closed}, year = 2000
@misc{last, title = "The \'{\i} last"}
"""
RIS = """TY  - JOUR
TI  - A title
AU  - Müller, J.
AU  - The Group
PY  - 2020/05/31/
AB  - An abstract that
goes on here.
JO  - Nature
KW  - one
KW  - two
DO  - 10.1000/X
UR  - https://arxiv.org/abs/2005.00001
SP  - 1
EP  - 9
ER  -

TY - CHAP
T1 - No end
TY  - JOUR
AB  - Only an abstract
"""
NBIB = """PMID- 123
TI  - A title that
      goes on.
AB  - An abstract.
FAU - Curie, Marie
AU  - Curie M
DP  - 2020 Jun 3
JT  - A Journal
LID - 10.1000/X [doi]
PMC - PMC9
MH  - Water/*chemistry

PMID- 124
TI  - Another.
"""
TABLE = """Key;Kind;Author;Title;Publication Title;DOI;Url;Abstract Note;Date;Manual Tags
K1;new;"Müller, J.; Lovelace, Ada";A title;Nature;10.1000/X;https://arxiv.org/abs/2005.00001;"An abstract;
a line";2020-05-31;one; two
K2;book;;;;;;;;
"""
MARKDOWN = """---
title: mine
---
# Papers
- [ ] [A title](https://arxiv.org/abs/2005.00001v2) - A. B., 2020
  > An abstract that
  > goes on.
- see [2006.00001](https://arxiv.org/pdf/2006.00001.pdf) and again [A title](https://arxiv.org/abs/2005.00001)
| paper | link |
| [In a table](http://arxiv.org/abs/hep-th/9901001) | [code](https://x.org) |
"""
SAMPLES = {
    "atom": ATOM, "rss": RSS, "pubmed-xml": PUBMED, "acl-xml": ACL, "hf-daily": HF, "arxiv-json": ARXIV,
    "csl-json": CSL, "bibtex": BIBTEX, "ris": RIS, "nbib": NBIB, "table": TABLE, "markdown": MARKDOWN,
    "postil": '{"title": "x", "papers": [{"heading": "h", "sources": [], "abstract": "An abstract."}]}',
    "daily-text": "A list\n\nAn abstract of some words, which is text.\n",
}  # fmt: skip


def test_there_is_a_sample_of_each_format_and_it_is_told_by_its_content() -> None:
    assert SAMPLES.keys() == {format.name for format in FORMATS}
    for name, sample in SAMPLES.items():
        assert read(BytesIO(sample.encode()))[0] == name


def test_atom() -> None:
    found = only(ATOM)
    assert found == Record(
        1, "An abstract with $a < b$.\nSecond line.", "A title over two lines & more",
        ("Ada Lovelace", "Jürgen Müller"), 2024, "2024-05-01", "Nature 1, 2",
        {"arxiv": ("2405.00001",), "doi": ("10.1000/abc",)}, (), ("https://x.org/code",),
        {"comment": "12 pages", "categories": ["cs.LG"]},
    )  # fmt: skip


def test_rss() -> None:
    one, two = records(RSS)
    assert one == Record(
        1, "An abstract <x> of p<0.05.", "A title", ("Ada Lovelace", "Jürgen Müller"), 2024, "2024-05-01",
        None,
        {"arxiv": ("2405.00001",)}, (), (), {"categories": ["cs.CL"]},
    )  # fmt: skip
    assert two == Record(2, "Told.", "Another", ("A B", "C D"), links=("https://x.org/1",))


def test_pubmed_xml() -> None:
    assert only(PUBMED) == Record(
        1, "AIM: To see.\nRESULT: H2O.", "On E. coli & us.", ("Marie Curie", "The Group"), 2020, "2020-06",
        "A Journal", {"pmid": ("123",), "doi": ("10.1000/x",), "pmcid": ("PMC9",), "issn": ("1234-5678",)},
        ("water",),
        (), {"volume": "7"},
    )  # fmt: skip


def test_acl_xml() -> None:
    assert only(ACL) == Record(
        1, "An x^2 abstract.", "BERT and us", ("Ada Lovelace",), 2020, "2020-07", "Proc. of X",
        {"doi": ("10.18653/v1/2020.x-1.1",), "acl": ("2020.x-1.1",)}, (), ("https://aclanthology.org/2020.x-1.1/",),
        {"editor": "E D", "key": "lovelace-2020-bert"},
    )  # fmt: skip


@pytest.mark.parametrize("shape", ["list", "lines", "object", "reprs", "envelope"])
def test_hugging_face(shape: str) -> None:
    (value,) = json.loads(HF)
    data = {
        "list": HF,
        "lines": json.dumps(value) + "\n",
        "object": json.dumps(value, indent=1),
        "reprs": json.dumps([repr(value)]),
        "envelope": json.dumps({"status": "ok", "count": 1, "data": [repr(value)]}),
    }[shape]
    assert only(data) == Record(
        1, "An abstract.\nIts end.", "A title", ("Ada Lovelace", "J. Müller"), 2024, "2024-05-01", None,
        {"arxiv": ("2405.00001",)}, (), (), {"upvotes": 3},
    )  # fmt: skip


def test_a_record_that_lists_what_it_cites_is_one_record() -> None:
    line = json.dumps(
        {"title": "A", "abstract": "B", "authors": [], "categories": "x", "references": ["C", "D"]}
    )
    assert [one.position for one in records(f"{line}\n{line}\n")] == [1, 2]


def test_arxiv_json() -> None:
    assert only(ARXIV) == Record(
        1, "An abstract.", "A title", ("J. Müller", "A. Lovelace, Jr"), 2007, "2007-04-02", "Nature 1",
        {"arxiv": ("hep-th/9901001",), "doi": ("10.1000/x",)}, (), (), {"categories": ["hep-th", "math.AG"]},
    )  # fmt: skip


def test_csl_json() -> None:
    found = only(CSL)
    assert found == Record(
        1, "An abstract.", "A title", ("J. von Müller", "The Group"), 2020, "2020-05", "A Journal",
        {"doi": ("10.1000/x",), "arxiv": ("2005.00001",)}, (), (),
        {"type": "article-journal", "note": "arXiv: 2005.00001", "volume": 7, "key": "m20"},
    )  # fmt: skip


def test_bibtex() -> None:
    found = sorted(records(BIBTEX), key=lambda one: one.position)
    assert found[0] == Record(
        1, "Of 50% we say\\nnothing \\emph{new}.", "An Über-Title: BERT & 50% of $x^2$",
        ("J. von Müller", "The Group", "Ada Lovelace, Jr"), 2020, "2020-05", "Nature Physics",
        {"doi": ("10.1000/x_y",), "arxiv": ("2005.00001",)}, ("one", "two"), ("https://x.org/a",),
        {"author": r'von M{\"u}ller, J. and {The Group} and Lovelace, Jr, Ada and others',
         "journal": "Nature Physics", "month": "may", "archiveprefix": "arXiv", "volume": "7",
         "type": "article",
         "key": "m20"},
    )  # fmt: skip
    child, parent, broken, last = found[1:]
    assert isinstance(child, Record)
    assert (child.title, child.year, child.venue) == ("Child", 2019, "Proc. of X")
    assert isinstance(parent, Record)
    assert isinstance(broken, Problem)
    assert "its braces do not match before line" in broken.reason
    assert isinstance(last, Record)
    assert last.title == "The í last"


def test_ris() -> None:
    one, two, three = records(RIS)
    assert one == Record(
        1, "An abstract that goes on here.", "A title", ("J. Müller", "The Group"), 2020, "2020-05-31",
        "Nature",
        {"doi": ("10.1000/x",), "arxiv": ("2005.00001",)}, ("one", "two"), (), {"pages": "1-9",
        "type": "JOUR"},
    )  # fmt: skip
    assert two == Record(2, "", "No end", extra={"type": "CHAP"})
    assert three == Record(3, "Only an abstract", extra={"type": "JOUR"})


def test_nbib() -> None:
    one, two = records(NBIB)
    assert one == Record(
        1, "An abstract.", "A title that goes on.", ("Marie Curie",), 2020, "2020-06-03", "A Journal",
        {"doi": ("10.1000/x",), "pmid": ("123",), "pmcid": ("PMC9",)}, ("Water/chemistry",),
    )  # fmt: skip
    assert isinstance(two, Record)


def test_table() -> None:
    one, two = records(TABLE)
    assert one == Record(
        1, "An abstract;\na line", "A title", ("J. Müller", "Ada Lovelace"), 2020, "2020-05-31",
        "Nature",
        {"doi": ("10.1000/x",), "arxiv": ("2005.00001",)}, ("one",), (), {"kind": "new",
        "key": "K1"},
    )  # fmt: skip
    assert two == Problem(2, "neither title nor abstract")


def test_markdown() -> None:
    one, two, three = records(MARKDOWN)
    assert one == Record(1, "An abstract that\ngoes on.", "A title", identifiers={"arxiv": ("2005.00001",)})
    assert two == Problem(2, "arXiv 2006.00001 has neither title nor abstract here")
    assert three == Record(3, "", "In a table", identifiers={"arxiv": ("hep-th/9901001",)})


# Against writers that are not ours

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="{}\\$<>&~@"),
    min_size=1,
    max_size=12,
)
LINE = (
    st.lists(WORDS, min_size=1, max_size=6)
    .map(" ".join)
    .map(clean)
    .filter(lambda text: any(map(str.isalnum, text)))
)
SUFFIXES = ("II", "III", "IV", "VI", "VII", "VIII", "JR", "SR", "MD", "PHD")
NAME = st.tuples(
    *[
        st.text(st.characters(categories=["Lu", "Ll"]), min_size=2, max_size=8)
        .map(clean)
        .filter(lambda part: part.upper() not in SUFFIXES)
    ]
    * 2
)
MADE = st.lists(
    st.tuples(LINE, LINE, st.lists(NAME, max_size=3), st.integers(1900, 2029)), min_size=1, max_size=4
)
Made = Sequence[tuple[str, str, list[tuple[str, str]], int]]


def as_ris(made: Made) -> str:
    return str(rispy.dumps([
        {"type_of_reference": "JOUR", "title": title, "abstract": abstract, "year": str(year),
         "authors": [f"{family}, {given}" for given, family in names]} for title, abstract, names,
         year in made
    ]))  # fmt: skip


def as_csv(made: Made) -> str:
    file = StringIO()
    table = csv.writer(file)
    table.writerow(["Title", "Author", "Abstract", "Year"])
    table.writerows(
        [title, "; ".join(f"{family}, {given}" for given, family in names), abstract, year]
        for title, abstract, names, year in made
    )
    return file.getvalue()


def as_csl(made: Made) -> str:
    return json.dumps([
        {"type": "book", "title": title, "abstract": abstract, "issued": {"date-parts": [[year]]},
         "author": [{"given": given, "family": family} for given, family in names]} for title, abstract,
         names, year in made
    ])  # fmt: skip


def as_atom(made: Made) -> str:
    feed = ElementTree.Element("feed")
    for title, abstract, names, year in made:
        entry = ElementTree.SubElement(feed, "entry")
        for tag, text in (("title", title), ("summary", abstract), ("published", f"{year}-01-02")):
            ElementTree.SubElement(entry, tag).text = text
        for first, family in names:
            ElementTree.SubElement(ElementTree.SubElement(entry, "author"), "name").text = f"{first} {family}"
    return ElementTree.tostring(feed, encoding="unicode")


def as_bibtex(made: Made) -> str:
    return "\n".join(
        f"@misc{{k{number}, title = {{{title}}}, abstract = {{{abstract}}}, year = {year},"
        f" author = {{{' and '.join(f'{family}, {given}' for given, family in names)}}}}}"
        for number, (title, abstract, names, year) in enumerate(made)
    )


@pytest.mark.parametrize("written", [as_ris, as_csv, as_csl, as_atom])
@given(MADE)
def test_what_others_write_is_read(written: Callable[[Made], str], made: Made) -> None:
    found = records(written(made))
    assert len(found) == len(made)
    for one, (title, abstract, names, year) in zip(found, made, strict=True):
        assert isinstance(one, Record)
        assert (one.title, one.abstract, one.year) == (title, abstract, year)
        assert one.authors == tuple(f"{given} {family}" for given, family in names)


# Damage

NEEDED = {format: sample.encode() for format, sample in SAMPLES.items()}
HURT = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=6) | st.sampled_from([b"{", b'"',
    b"<", b"\n", b"\0", b"@"])),
    min_size=1, max_size=4,
)  # fmt: skip


@pytest.mark.parametrize("format", SAMPLES)
@given(HURT)
def test_damage_never_raises(format: str, hurt: list[tuple[float, int, bytes]]) -> None:
    data = NEEDED[format]
    for where, gone, come in hurt:
        at = int(where * len(data))
        data = data[:at] + come + data[at + gone :]
    read_whatever(data, format)
    read_whatever(data, None)


@given(st.binary(max_size=400))
def test_no_bytes_raise_in_any_format(data: bytes) -> None:
    for format in SAMPLES:
        read_whatever(data, format)


def read_whatever(data: bytes, format: str | None) -> None:
    """Read all of it; nothing but what a reader may say comes of it."""
    try:
        for one in read(BytesIO(data), format)[1]:
            told: Any = (
                one.reason if isinstance(one, Problem) else f"{one.title} {one.abstract} {one.authors}"
            )
            assert clean(told) == told
            told.encode()
    except (BrokenFileError, UnknownFormatError) as error:
        assert "\n" not in str(error)


OUTSIDE = (
    '<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>'
)
BOMB = '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">{}]><feed><entry><title>&j;</title></entry></feed>'.format(
    "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (BOMB, "declares entities of its own"),
        (OUTSIDE, "declares entities of its own"),
        ("<feed>" + "<a>" * 300 + "</feed>", "elements more than 200 deep"),
        ("<feed>" + "x" * 8_100_000, "more than 8,000,000 bytes without a record"),
        ('<feed><entry><title>x</title></entry>\n<entry><title>y</ti', "no well-formed XML from line 2"),
        ('[{"paper": {"id": "1"}, "publishedAt": "", "title": "x"}', "ends in the middle of a list"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_in_one_line(data: str, why: str) -> None:
    with pytest.raises(BrokenFileError, match=why):
        records(data)


@pytest.mark.parametrize(
    "data",
    [
        '[{"type": "book", "title": "x", "volume": ' + "9" * 100_000 + "}]",
        '[{"type": "book", "title": "x", "note": ' + "[" * 100_000,
        '[{"paper": {"id": "1"}, "publishedAt": "", "title": "x", "a": ' + '{"a":' * 50_000,
        json.dumps(["{'paper': {'title': 'x'}, 'publishedAt': " + "[" * 10_000]).replace("[", "[", 1),
        "@article{a, title = " + "{" * 1_000_000,
        "TY  - JOUR\nAB  - " + "x" * 3_000_000 + "\nER  - \n",
    ],
    ids=["digits", "lists", "objects", "repr", "braces", "long"],
)
def test_what_is_endless_is_bounded(data: str) -> None:
    read_whatever(data.encode(), None)


# Real files, where they are at hand

EXPLAINED = {
    "rss/fp_georss_polygon_insufficient_coords.xml": 1,  # an Atom feed with one empty entry
    "rss/fp_georss_point_no_coords.xml": 1,
}
"""Files of which another count than the expected one is right."""


@pytest.mark.skipif(not FILES.exists(), reason="the real bibliography files are not at hand")
def test_real_files_hold_as_many_records_as_were_counted() -> None:
    wrong = []
    for row in map(json.loads, (FILES / "manifest.jsonl").read_text("utf-8").splitlines()):
        found = 0
        with Path(FILES, row["path"]).open("rb") as file:
            try:
                for one in read(file)[1]:
                    found += one.position > 0
            except (BrokenFileError, UnknownFormatError):
                pass
        if found != EXPLAINED.get(row["path"], row["expected_records"]):
            wrong.append((row["path"], found, row["expected_records"]))
    assert not wrong


# What people's files hold beside papers


def titles(data: str, format: str | None = None) -> list[str | None]:
    return [one.title for one in records(data, format) if isinstance(one, Record)]


def test_a_bracket_that_is_no_links_loses_nothing_of_a_markdown_list() -> None:
    item = "- [Paper {0}](https://arxiv.org/abs/2405.0000{0})\n  > {1}\n"
    text = "".join(
        item.format(n, told) for n, told in enumerate(["Told.", "On [0, 1).", "More [", "End."], 1)
    )
    found = [one for one in records(text) if isinstance(one, Record)]
    assert [one.title for one in found] == ["Paper 1", "Paper 2", "Paper 3", "Paper 4"]
    assert [one.abstract for one in found] == ["Told.", "On [0, 1).", "More [", "End."]
    assert titles("- [A title\n  over two lines](https://arxiv.org/abs/2405.00001)\n") == [
        "A title over two lines"
    ]


def test_how_a_markdown_list_is_to_be_cited_is_no_paper_of_it() -> None:
    text = (
        "# Papers\n- [A](https://arxiv.org/abs/2405.00001)\n- [B](https://arxiv.org/abs/2405.00002)\n\n"
        "```bibtex\n@misc{me, title={Papers}}\n```\n"
    )
    assert titles(text) == ["A", "B"]
    assert titles("A remark.\n@misc{me, title={Papers}}\n") == ["Papers"]


def test_a_quote_that_nothing_closes_swallows_no_rows() -> None:
    rows = ["title,year", "One,2001", '"Two, and more",2002', '"Three,2003', "Four,2004", "Five,2005"]
    found = [one for one in records("\n".join(rows) + "\n") if isinstance(one, Record)]
    assert [one.year for one in found] == [2001, 2002, 2003, 2004, 2005]
    assert [one.title for one in found] == ["One", "Two, and more", "Three", "Four", "Five"]


def test_what_looks_like_markup_and_is_none_stays() -> None:
    for text in ("Bounds for x<y and y>z in A<B> trees", "where a<b and c>d we show p <i and j> k", "p<0.05"):
        assert markup.plain(text) == text
    marked = (
        '<p>A <b>bold</b> <i class="x">x</i><sub>2</sub> <jats:italic>y</jats:italic></p><!-- no --><p>B</p>'
    )
    assert markup.plain(marked) == "A bold x2 y\nB"
    assert markup.plain("A &lt;i&gt;x&lt;/i&gt; &amp;lt; B") == "A x < B"


def test_lists_that_were_put_one_behind_the_other() -> None:
    found = records("Daily Papers\n\nFirst of all.\n\nThe second one.\nDaily Papers 2024-05-02\n\nA third.\n")
    assert [one.abstract for one in found if isinstance(one, Record)] == [
        "First of all.",
        "The second one.",
        "A third.",
    ]


def test_an_answer_of_crossref() -> None:
    work = {"type": "journal-article", "DOI": "10.1000/c", "title": ["A title"], "container-title": ["J"]}
    found = only(json.dumps({"status": "ok", "message": {"items": [work]}}))
    assert (found.title, found.venue, found.identifiers["doi"]) == ("A title", "J", ("10.1000/c",))


@pytest.mark.parametrize(
    "data",
    [
        "- [" + "\\_a" * 60 + "](https://x.org)\n- [A](https://arxiv.org/abs/2405.00001)\n",
        "TY  - JOUR\nTI  - A\nAB  - " + "<!--" * 200_000 + "\nER  - \n",
        "title,abstract\nA," + " " * 900_000 + "x\n",
        "@article{k, title={A}, author={" + "x" + " " * 900_000 + "y}}\n",
        "TY  - JOUR\nTI  - A\nAB  - " + ("<" + " " * 2000) * 200 + "\nER  - \n",
        '[{"type": "article", "title": "A"},\n'
        + '{"broken": x},\n' * 60_000
        + '{"type": "a", "title": "A"}]',
    ],
    ids=["escapes", "comments", "spaces", "names", "angles", "broken"],
)
def test_no_text_takes_time_that_grows_as_its_square(data: str) -> None:
    assert "A" in titles(data)
