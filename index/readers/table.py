"""CSV and TSV by their header: Zotero, Scopus, Embase, PubMed, and what people make themselves."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers
from index.readers.dates import dated
from index.readers.markup import plain
from index.readers.texts import each, line, text_of

LONGEST: Final = 2_000_000
"""Characters of one row."""
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("title", "article title", "document title", "primary_title", "paper title", "text"),
    "abstract": ("abstract", "abstract note", "summary", "notes_abstract", "original abstract"),
    "authors": ("author full names", "author full name", "authors", "author", "author names", "author(s)",
    "first_authors"),
    "year": ("date", "publication date", "publication year", "year", "publication_year", "pub year",
    "published"),
    "venue": ("publication title", "source title", "journal", "journal/book", "journal_name", "venue",
    "source",
              "publication", "secondary_title", "book title"),
    "doi": ("doi", "digital object identifier"),
    "arxiv": ("arxiv", "arxiv id", "arxiv_id"),
    "pmid": ("pmid", "pubmed id", "pubmed_id", "medline pmid"),
    "pmcid": ("pmcid",),
    "issn": ("issn",), "isbn": ("isbn",),
    "keywords": ("manual tags", "author keywords", "keywords", "keyword", "tags"),
    "links": ("url", "link", "urls", "doi link", "article url", "open url link"),
    "key": ("key", "citation key", "id"),
}  # fmt: skip
"""What a column is called, the better names first."""
_FIELD_OF: Final = {name: field for field, names in _NAMES.items() for name in names}
_CITED: Final = re.compile(r"(.+?) \((\d{4})\)(?: \S|$)")
_DELIMITERS: Final = ",;\t|"
_LEAST: Final = 2
"""Columns whose names are known, one of them title or abstract, in a header."""
_KNOWN_MARKS: Final = frozenset(
    ("item type", "publication year", "type_of_reference", "eid", "document type")
)


def fits(head: str) -> bool:
    names, _ = _header(head)
    known = {_FIELD_OF[name] for name in names if name in _FIELD_OF}
    return (
        len(names) > 1
        and bool(known & {"title", "abstract"})
        and (len(known) >= _LEAST or not _KNOWN_MARKS.isdisjoint(names))
    )


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record a row; rows may be shorter or longer than the header."""
    beginning = ""
    while not beginning.strip():
        beginning = text.readline(LONGEST)
        if not beginning:
            return
    names, delimiter = _header(beginning)
    csv.field_size_limit(LONGEST)
    position = 0
    for row in _rows(_Lines(text), delimiter):
        if isinstance(row, csv.Error):
            position += 1
            yield Problem(position, f"no row of a table: {row}")
        elif any(cell.strip() for cell in row):
            position += 1
            yield _record(position, names, row)


def _rows(lines: _Lines, delimiter: str) -> Iterator[list[str] | csv.Error]:
    """The rows, and what is wrong where there is none. A quote that nothing closes is a letter."""
    while True:
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for row in rows:
                if len(lines.taken) > 1 and lines.ended and "".join(lines.taken).count('"') % 2:
                    break
                lines.taken.clear()
                yield row
            else:
                return
        except csv.Error as error:
            if len(lines.taken) == 1:
                lines.taken.clear()
                yield error
                continue
        first = lines.give_back()
        yield next(csv.reader([first.replace('"', "")], delimiter=delimiter, skipinitialspace=True), [])


class _Lines:
    """The lines of a text, of which those of one row can be given back."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._again: list[str] = []
        self.taken: list[str] = []
        self.ended = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        one = self._again.pop() if self._again else self._text.readline(LONGEST).replace("\0", "")
        if not one:
            self.ended = True
            raise StopIteration
        self.taken.append(one)
        return one

    def give_back(self) -> str:
        """Have all but the first line of the row come again; that one."""
        first, *others = self.taken
        self._again += reversed(others)
        self.taken, self.ended = [], False
        return first


def _header(head: str) -> tuple[list[str], str]:
    """The names of the columns, in lower case, and what parts them."""
    beginning = head.lstrip("\ufeff \r\n").split("\n", 1)[0]
    bare = re.sub(r'"[^"]*"', "", beginning)
    delimiter = max(_DELIMITERS, key=lambda sign: (bare.count(sign), -_DELIMITERS.index(sign)))
    try:
        row = next(csv.reader([beginning], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return [], delimiter
    return [" ".join(name.lower().split()) for name in row], delimiter


def _record(position: int, names: list[str], row: list[str]) -> Record | Problem:
    cells: dict[str, str] = {}
    for name, cell in zip(names, row, strict=False):
        if cell.strip() and name not in cells:
            cells[name] = cell.strip()
    told = {
        field: next((cells[name] for name in known if name in cells), "") for field, known in _NAMES.items()
    }
    title, abstract = line(plain(told["title"])), text_of(plain(told["abstract"]))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    addresses = _several(told["links"], r"[\s;]+(?=https?:)")
    ids = identifiers.told(
        doi=identifiers.doi(told["doi"] or told["links"]),
        arxiv=next(
            filter(None, map(identifiers.arxiv, (told["arxiv"], *addresses, told["key"]))), None
        ),
        pmid=identifiers.pmid(told["pmid"]), pmcid=line(told["pmcid"]),
        issn=identifiers.numbers(told["issn"]), isbn=identifiers.numbers(told["isbn"]),
    )  # fmt: skip
    year, date = next(
        (found for name in _NAMES["year"] if (found := dated(cells.get(name, "")))[0]), (None, None)
    )
    venue = line(plain(told["venue"]))
    if cited := _CITED.match(venue):  # as Embase says where it stood
        venue = cited[1]
        year, date = (year, date) if year else dated(cited[2])
    extra: dict[str, Any] = {
        name: line(cell)
        for name, cell in cells.items()
        if name and name not in _FIELD_OF and name != "file attachments"
    }
    extra |= {"key": line(told["key"])} if told["key"] else {}
    return Record(
        position, abstract, title or None, _authors(told["authors"]), year, date, venue or None,
        ids, tuple(dict.fromkeys(map(line, _several(told["keywords"],
        "[;,]" if ";" not in told["keywords"] else ";")))),
        identifiers.links(addresses, ids), extra,
    )  # fmt: skip


def _authors(told: str) -> tuple[str, ...]:
    """Names between semicolons, or commas where each part is a name by itself; Scopus' numbers taken off."""
    told = re.sub(r"\s*\(\d{6,}\)", "", told)
    if told.startswith("[") or ";" in told or " and " in told:
        return each(_several(told, r";|\band\b"))
    parts = [part.strip() for part in told.split(",")]
    if len(parts) == 2 and " " not in parts[0]:
        return each([told])
    return each(parts)


def _several(told: str, between: str) -> list[str]:
    """The parts of a cell; of one that holds Python's `repr` of a list, its items."""
    if told.startswith("['") and told.endswith("]"):
        try:
            found = ast.literal_eval(told)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            found = None
        if isinstance(found, list):
            return [one for one in found if isinstance(one, str)]
    return [part for part in map(str.strip, re.split(between, told)) if part]
