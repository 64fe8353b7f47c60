"""What the index keeps of a paper: rows of pieces by field, and a few columns."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from whoosh import columns, fields, formats

from index.fulltext import acronyms
from index.fulltext.analysis import STOP, forms
from index.papers import Paper

VERSION: Final = 4
"""Raised whenever the analysis, the schema or the meaning of a field changes: older indexes are rebuilt."""

BARE: Final = {"name": 4.0, "title": 3.0, "abstract": 1.0, "author": 2.0, "venue": 1.0, "cat": 2.0}
"""The fields that a bare word searches, and what one occurrence there weighs."""

BEGINS: Final = 2
"""Letters of a prefix that a field of its own answers: thousands of forms begin with one or two."""

_URL: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'{}|\\^`\u2019\u201d]+"
    r"|\b(?:[\w-]+\.)+(?:com|org|io|net|edu|ai|co|dev|me|app|site|xyz|[a-z]{2})/[\w./~%+?=&#-]+"
    r"|\b[\w-]+\.(?:github|gitlab|gitee)\.io\b",
    re.ASCII | re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"github\.|gitlab\.|bitbucket\.org|codeberg\.org|huggingface\.co|gitee\.com|sourceforge\.net|colab\.research",
    re.IGNORECASE,
)
_PROJECT: Final = re.compile(
    r"(?:github|gitlab|gitee|bitbucket|codeberg|huggingface)\.\w+/(?:datasets/|spaces/)?[^/]+/([^/?#]+)"
    r"|([\w-]+)\.(?:github|gitlab|gitee)\.io/?$|\.(?:github|gitlab|gitee)\.io/([^/?#]+)",
    re.IGNORECASE,
)


class Row(fields.FieldType):  # type: ignore[misc]
    """A field whose value is a row of pieces; None is a gap that no phrase bridges.

    The places are written as `codec` reads them.
    """

    format = formats.Positions()

    def __init__(self) -> None:
        """Everything is set by the class."""

    def index(self, value: list[str | None], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        places: dict[str, list[int]] = defaultdict(list)
        for place, form in enumerate(value):
            if form is not None:
                places[form].append(place)
        for form, at in places.items():
            yield form.encode(), len(at), float(len(at)), array("I", at).tobytes()


class Flags(fields.FieldType):  # type: ignore[misc]
    """A field whose value is a set of words: who holds one, and no more."""

    format = formats.Existence()

    def __init__(self) -> None:
        """Everything is set by the class."""

    def index(self, value: Iterable[str], **_: Any) -> Iterator[tuple[bytes, int, float, bytes]]:
        return ((form.encode(), 1, 1.0, b"") for form in value)


def schema() -> Any:
    """The Whoosh schema; `key` is the id, `begins` how words begin, `short` which acronyms are spelled out,
    `bag` what `related` compares.
    """
    return fields.Schema(
        key=fields.ID(unique=True, sortable=True),
        abstract=Row(), title=Row(), name=Row(), author=Row(), venue=Row(), cat=Row(),
        id=Flags(), link=Row(), has=Flags(), begins=Flags(), short=Flags(),
        bag=fields.STORED(),
        length=fields.COLUMN(columns.NumericColumn("H")),
        year=fields.COLUMN(columns.NumericColumn("i")),
        date=fields.COLUMN(columns.VarBytesColumn()),
    )  # fmt: skip


def document(paper: Paper) -> dict[str, Any]:
    """The fields of `paper` as `schema` takes them; an empty one is left out."""
    abstract = forms(paper.abstract)
    titles = dict.fromkeys(filter(None, (paper.title, paper.heading)))
    title = _row(titles)
    links = list(dict.fromkeys((*paper.links, *urls(paper.abstract))))
    has = ["title"] * bool(paper.title) + ["link"] * bool(links) + ["code"] * any(map(_CODE.search, links))
    date = paper.date or ""
    year = paper.year or (int(date[:4]) if date[:4].isdecimal() else 0)
    found: dict[str, Any] = {
        "abstract": abstract,
        "title": title,
        "name": _row(dict.fromkeys((paper.name or "", *projects(links)))),
        "author": _row(paper.authors),
        "venue": _row([paper.venue or ""]),
        "cat": _row((*paper.keywords, *_categories(paper))),
        "link": _row(links),
        "has": has,
        "short": acronyms.entries(paper.abstract),
        "id": {paper.id, *(identifier(one) for kind in paper.identifiers.values() for one in kind)},
    }
    words = set().union(*(found[name] for name in BARE)) - {None}
    starts = {form[:BEGINS] for form in words}
    found["begins"] = {start[:n] for start in starts for n in range(1, BEGINS + 1)}
    return {name: row for name, row in found.items() if row} | {
        "key": paper.id,
        "bag": " ".join("." if form is None or form in STOP else form for form in (*title, None, *abstract)),
        "length": min(len(abstract) + len(title), 65535),
        "year": year if 0 < year < 10_000 else 0,
        "date": date.encode(),
    }


def identifier(text: str) -> str:
    """An identifier as it is compared: lower case, without address or kind before it, or arXiv's version."""
    text = text.encode("utf-8", "ignore").decode().strip().lower()
    text = re.sub(r"^(?:https?://[^/]+/(?:abs/|pdf/)?|(?:doi|arxiv|pmid):)", "", text)
    return re.sub(r"^(\d{4}\.\d{4,5})v\d+$", r"\1", text)


def urls(text: str) -> list[str]:
    """The addresses that stand in `text`, with a scheme or without."""
    return [found.group().rstrip(".,;:!?)]") for found in _URL.finditer(text)]


def projects(links: Iterable[str]) -> Iterator[str]:
    """What `links` to code and to project pages call the work: `GCNet` of `github.com/xvjiarui/GCNet`."""
    for link in links:
        found = _PROJECT.search(link)
        if found:
            yield (found[1] or found[2] or found[3]).removesuffix(".git")


def _categories(paper: Paper) -> Iterable[str]:
    found = paper.extra.get("categories", ())
    return (
        [found]
        if isinstance(found, str)
        else [str(one) for one in found]
        if isinstance(found, Iterable)
        else []
    )


def _row(texts: Iterable[str]) -> list[str | None]:
    row: list[str | None] = []
    for text in texts:
        found = forms(text)
        if found:
            row += [None, *found] if row else found
    return row
