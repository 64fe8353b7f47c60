"""Records a second and peak memory of each reader, beside the library that reads the format alone.

Run by hand: `.venv/bin/python -m tests.bench.formats [--mb 10] [FORMAT…]`. A file of so many megabytes is
written in each format from real abstracts, and read in a process of its own, once by the reader, to the last
`Record`, and once by the library that is recommended for it, into whatever that gives. Seconds are of CPU;
memory is what the peak of the process grew by in reading, in MB.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from index import readers
from index.papers import Record
from tests.bench.start import corpus

NAMES: Final = ("Ada Lovelace", "Jürgen Müller", "Marie Curie")
MEGABYTE: Final = 1_000_000


class Paper(NamedTuple):
    """What a record of a file says."""

    number: int
    title: str
    abstract: str


class Kind(NamedTuple):
    """How a file of a format is made, and what else reads it."""

    head: str
    record: Callable[[Paper], str]
    between: str
    tail: str
    library: str
    alone: Callable[[Path], int]


def _json(path: Path) -> int:
    found = json.loads(path.read_bytes())
    return len(found["papers"] if isinstance(found, dict) else found)


def _json_lines(path: Path) -> int:
    with path.open("rb") as lines:
        return sum(1 for line in lines if json.loads(line))


def _xml(tag: str) -> Callable[[Path], int]:
    def alone(path: Path) -> int:
        from defusedxml.ElementTree import iterparse

        count = 0
        for _, element in iterparse(path, forbid_dtd=False):
            if element.tag.rpartition("}")[2] == tag:
                count += 1
                element.clear()
        return count

    return alone


def _bibtex(path: Path) -> int:
    from bibtexparser.entrypoint import parse_string

    return len(parse_string(path.read_text("utf-8")).entries)


def _rispy(path: Path) -> int:
    import rispy

    with path.open(encoding="utf-8") as lines:
        return len(rispy.load(lines))


def _csv(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as lines:
        return sum(1 for _ in csv.DictReader(lines))


def _split(path: Path) -> int:
    return len(path.read_text("utf-8").split("\n\n")) - 1


def _people(before: str, after: str) -> str:
    return "".join(f"{before}{name}{after}" for name in NAMES)


def _row(*values: str) -> str:
    told = io.StringIO()
    csv.writer(told).writerow(values)
    return told.getvalue()


def _atom(paper: Paper) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/2405.{paper.number:05}v1</id><published>2024-05-01T00:00:00Z</published>"
        f"<title>{escape(paper.title)}</title><summary>{escape(paper.abstract)}</summary>"
        f"{_people('<author><name>', '</name></author>')}</entry>\n"
    )


def _rss(paper: Paper) -> str:
    return (
        f"<item><title>{escape(paper.title)}</title><link>https://arxiv.org/abs/2405.{paper.number:05}</link>"
        f"<description>{escape(escape(paper.abstract))}</description>"
        f"<dc:creator>{', '.join(NAMES)}</dc:creator></item>\n"
    )


def _pubmed(paper: Paper) -> str:
    people = "".join(
        "<Author><LastName>{1}</LastName><ForeName>{0}</ForeName></Author>".format(*name.split())
        for name in NAMES
    )
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{paper.number + 1}</PMID><Article>"
        f"<ArticleTitle>{escape(paper.title)}</ArticleTitle>"
        f"<Abstract><AbstractText>{escape(paper.abstract)}</AbstractText></Abstract>"
        f"<AuthorList>{people}</AuthorList></Article></MedlineCitation></PubmedArticle>\n"
    )


def _acl(paper: Paper) -> str:
    people = "".join(
        "<author><first>{}</first><last>{}</last></author>".format(*name.split()) for name in NAMES
    )
    return (
        f'<paper id="{paper.number}"><title>{escape(paper.title)}</title>{people}'
        f"<abstract>{escape(paper.abstract)}</abstract><doi>10.18653/v1/{paper.number}</doi></paper>\n"
    )


def _hf(paper: Paper) -> str:
    people = [{"name": name} for name in NAMES]
    told = {"id": f"2405.{paper.number:05}", "summary": paper.abstract, "authors": people}
    return json.dumps({"paper": told, "title": paper.title, "publishedAt": "2024-05-01T00:00:00.000Z"})


def _arxiv(paper: Paper) -> str:
    told = {"id": f"2405.{paper.number:05}", "title": paper.title, "abstract": paper.abstract}
    return json.dumps({**told, "authors": " and ".join(NAMES), "categories": "cs.LG"}) + "\n"


def _csl(paper: Paper) -> str:
    people = [{"given": given, "family": family} for given, family in map(str.split, NAMES)]
    told = {"id": f"p{paper.number}", "type": "article", "title": paper.title, "abstract": paper.abstract}
    return json.dumps({**told, "author": people, "DOI": f"10.1/{paper.number}"})


def _postil(paper: Paper) -> str:
    told = {"title": paper.title, "heading": paper.title, "abstract": paper.abstract, "authors": NAMES}
    return json.dumps({**told, "sources": [], "identifiers": {"doi": [f"10.1/{paper.number}"]}})


def _bib(paper: Paper) -> str:
    people, plain = " and ".join(NAMES), paper.abstract.replace("{", "").replace("}", "").replace("@", "")
    return (
        f"@article{{p{paper.number},\n  title = {{{paper.title.replace('{', '').replace('}', '')}}},\n"
        f"  author = {{{people}}},\n  year = {{2024}},\n  doi = {{10.1/{paper.number}}},\n"
        f"  abstract = {{{plain}}}\n}}\n"
    )


def _ris(paper: Paper) -> str:
    people = "".join("AU  - {1}, {0}\n".format(*name.split()) for name in NAMES)
    told = f"TY  - JOUR\nTI  - {paper.title}\n{people}PY  - 2024\nAB  - {paper.abstract}\n"
    return f"{told}DO  - 10.1/{paper.number}\nER  - \n\n"


def _nbib(paper: Paper) -> str:
    people = "".join("FAU - {1}, {0}\n".format(*name.split()) for name in NAMES)
    return (
        f"PMID- {paper.number + 1}\nTI  - {paper.title}\nAB  - {paper.abstract}\n{people}DP  - 2024 May\n\n"
    )


KINDS: Final = {
    "atom": Kind(
        '<feed xmlns="http://www.w3.org/2005/Atom">', _atom, "", "</feed>", "defusedxml", _xml("entry")
    ),
    "rss": Kind(
        '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>x</title>',
        _rss, "", "</channel></rss>", "defusedxml", _xml("item"),
    ),
    "pubmed-xml": Kind(
        "<PubmedArticleSet>", _pubmed, "", "</PubmedArticleSet>", "defusedxml", _xml("PubmedArticle")
    ),
    "acl-xml": Kind(
        '<collection id="2020.x"><volume id="1"><meta><booktitle>X</booktitle><year>2020</year></meta>',
        _acl, "", "</volume></collection>", "defusedxml", _xml("paper"),
    ),
    "hf-daily": Kind("[", _hf, ",\n", "]", "json", _json),
    "arxiv-json": Kind("", _arxiv, "", "", "json, line by line", _json_lines),
    "csl-json": Kind("[", _csl, ",\n", "]", "json", _json),
    "postil": Kind('{"title": "x", "papers": [', _postil, ",\n", "]}", "json", _json),
    "bibtex": Kind("", _bib, "\n", "", "bibtexparser", _bibtex),
    "ris": Kind("", _ris, "", "", "rispy", _rispy),
    "nbib": Kind("", _nbib, "", "", "none", lambda _path: 0),
    "table": Kind(
        "Title,Author,Abstract Note,DOI\r\n",
        lambda paper: _row(paper.title, "; ".join(NAMES), paper.abstract, f"10.1/{paper.number}"),
        "", "", "csv", _csv,
    ),
    "daily-text": Kind("Daily Papers\n\n", lambda paper: paper.abstract, "\n\n", "\n", "str.split", _split),
}  # fmt: skip


def write(name: str, path: Path, size: int) -> int:
    """Write a file of about `size` bytes; how many records it has."""
    kind, count = KINDS[name], 0
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(kind.head)
        for count, text in enumerate(itertools.cycle(corpus(10_000)), 1):
            # a second round is told apart, as are abstracts that begin alike
            paper = Paper(count, " ".join(text.split()[:9]), f"{text} ({count})")
            out.write((kind.between if count > 1 else "") + kind.record(paper))
            if out.tell() >= size:
                break
        out.write(kind.tail)
    return count


def _peak() -> float:
    """The most memory that this process has had, in MB; Linux tells it (ru_maxrss is the parent's too)."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _measured(way: str, name: str, path: Path) -> None:
    """In a process of its own: read, and print what was counted, the seconds and the megabytes."""

    def count(file: Path) -> int:
        if way != "postil":
            return KINDS[name].alone(file)
        with file.open("rb") as stream:
            return sum(isinstance(one, Record) for one in readers.read(stream)[1])

    count(path.with_name("small"))  # loads what it needs
    began, before = time.process_time(), _peak()
    found = count(path)
    print(json.dumps([found, time.process_time() - began, _peak() - before]))


def read(way: str, name: str, path: Path) -> tuple[int, float, float]:
    """Records, seconds and megabytes."""
    command = [sys.executable, "-m", "tests.bench.formats", "--read", way, str(path), name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found, seconds, grown = json.loads(done.stdout)
    return found, seconds, grown


def lines(names: Sequence[str], megabytes: int) -> Iterator[str]:
    """The table, line by line."""
    yield "| format | records | a second, postil | MB | library | a second, it alone | MB | postil / it |"
    yield "|---" * 8 + "|"
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch, "file")
            write(name, path.with_name("small"), 10_000)
            count = write(name, path, megabytes * MEGABYTE)
            found, seconds, grown = read("postil", name, path)
            assert found == count, f"{name}: {found} of {count}"
            line = f"| {name} | {count:,} | {count / seconds:,.0f} | {grown:.0f} | {KINDS[name].library} |"
            other, alone, its = read("alone", name, path)
            told = f" {other / alone:,.0f} | {its:.0f} | {seconds / alone:.1f} |" if other else " | | |"
            yield line + told + ("" if other in (0, count) else f" (it read {other:,})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=10)
    parser.add_argument("--read", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("formats", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    if options.read:
        _measured(options.read[0], options.formats[0], Path(options.read[1]))
        return
    print(f"load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}, files of {options.mb} MB\n")
    for line in lines(options.formats, options.mb):
        print(line, flush=True)


if __name__ == "__main__":
    main()
