"""RIS as Zotero, EndNote, Scopus, Embase, Ovid and ProQuest write it, and Web of Science's plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers, tagged_lines
from index.readers.dates import dated
from index.readers.markup import plain
from index.readers.tagged_lines import Fields, every, first
from index.readers.texts import each, line, text_of

_TAG: Final = re.compile(r"\ufeff?\s{0,3}([A-Za-z][A-Za-z0-9]) {1,3}-[ \t]?(.*)", re.DOTALL)
_RIS: Final = re.compile(r"^\ufeff?\s{0,3}TY {0,3}- ?\s*\w", re.MULTILINE | re.IGNORECASE)
_WOS_TAG: Final = re.compile(r"([A-Z][A-Z0-9])(?:(?= )|$) ?(.*)", re.DOTALL)
_WOS: Final = re.compile(
    r"\A\ufeff?\s*(?:FN .*\n)?(?:VR .*\n)?\s*PT [A-Z]\b.*\n(?:[A-Z][A-Z0-9] |   )", re.MULTILINE
)
_PMID_HERE: Final = re.compile(r"(?:PMID:?\s*)?\d{5,9}", re.IGNORECASE)
"""What a field of many uses says where it is a PubMed id: no year, and no count of pages."""
_USED: Final = frozenset(
    ("TI", "T1", "CT", "AB", "N2", "AU", "A1", "AF", "PY", "Y1", "DA", "JO", "JF", "JA", "J2", "T2", "BT",
    "SO",
     "DO", "DI", "UR", "LK", "KW", "DE", "ID", "SN", "PM", "TY", "ER", "M3", "N1", "C1", "CR", "L1", "L2",
     "L3", "L4",
     "SP", "EP", "BP")
)  # fmt: skip
_NAMED: Final = {
    "VL": "volume", "IS": "number", "A2": "editor", "ED": "editor", "PB": "publisher", "LA": "language",
    "M3": "kind", "TY": "type", "AN": "accession", "ET": "edition", "CY": "place", "DB": "database",
    "CN": "callnumber",
    "PU": "publisher", "DT": "type", "UT": "accession",
}  # fmt: skip


def fits(head: str) -> bool:
    return bool(_RIS.search(head) or _WOS.search(head))


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record from `TY` to `ER`, or from `PT` to `ER`."""
    lines = _Lines(text)
    if lines.of_wos:
        return tagged_lines.read(lines, _WOS_TAG, "PT", "ER", _of_wos, "\n")
    return tagged_lines.read(lines, _TAG, "TY", "ER", _record)


class _Lines:
    """The lines of a text of which the first were looked at to tell the dialect."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._seen: list[str] = []
        while len(self._seen) < 20 and (one := text.readline(1000)):
            self._seen.append(one)
        self.of_wos = bool(_WOS.search("".join(self._seen)))
        self._seen.reverse()

    def readline(self, size: int) -> str:
        return self._seen.pop() if self._seen else self._text.readline(size)


def _record(position: int, fields: Fields) -> Record | Problem:
    title, abstract = line(plain(first(fields, "TI", "T1", "CT"))), text_of(plain(first(fields, "AB", "N2")))
    if not title and not abstract:
        title = line(plain(first(fields, "T2", "BT")))
    year, date = next(
        (found for told in every(fields, "DA", "PY", "Y1") if (found := _dated(told))[0]), (None, None)
    )
    addresses = [
        part for told in every(fields, "UR", "LK", "L2") for part in re.split(r"[\s;]+(?=https?:)", told)
    ]
    return _made(
        position, fields, title, abstract, each(map(line, every(fields, "AU", "A1"))),
        (year, date), first(fields, "JF", "T2", "JO", "BT", "JA", "J2"), every(fields, "KW"), addresses,
    )  # fmt: skip


def _of_wos(position: int, fields: Fields) -> Record | Problem:
    title, abstract = line(first(fields, "TI")), text_of(first(fields, "AB"))
    names = [name for told in every(fields, "AF") or every(fields, "AU") for name in told.split("\n")]
    words = [word for told in every(fields, "DE", "ID") for word in told.split(";")]
    when = _dated(f"{first(fields, 'PY')} {first(fields, 'PD')}")
    return _made(position, fields, title, abstract, each(names), when, first(fields, "SO"), words, [])


def _made(
    position: int, fields: Fields, title: str, abstract: str, authors: tuple[str, ...],
    when: tuple[int | None, str | None], venue: str, words: list[str], addresses: list[str],
) -> Record | Problem:  # fmt: skip
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    remarks = [identifiers.own(told, identifiers.doi) for told in every(fields, "M3", "N1")]
    everything = [*every(fields, "DO", "DI", "L3"), *filter(None, remarks), *addresses]
    told = identifiers.told(
        doi=next(filter(None, map(identifiers.doi, everything)), None),
        arxiv=filter(None, map(identifiers.arxiv, [*addresses, *every(fields, "AN", "C7")])),
        pmid=_pmid(fields),
        issn=[number for told in every(fields, "SN") for number in identifiers.numbers(told)],
    )
    extra: dict[str, Any] = {}
    for tag, values in fields.items():
        kept = [line(value) for value in values if value.strip()]
        if kept and tag not in _USED:
            extra[_NAMED.get(tag, tag.lower())] = kept[0] if len(kept) == 1 else kept
    if pages := "-".join(
        line(first(fields, *tags)) for tags in (("SP", "BP"), ("EP",)) if first(fields, *tags)
    ):
        extra["pages"] = pages
    if kind := first(fields, "TY", "DT"):
        extra["type"] = line(kind)
    keywords = tuple(
        dict.fromkeys(
            filter(
                None, (line(word).lstrip("*") for word in chain.from_iterable(w.split("\n") for w in words))
            )
        )
    )
    year, date = when
    return Record(
        position, abstract, title or None, authors, year, date, line(plain(venue)) or None,
        told, keywords, identifiers.links(addresses, told), extra,
    )  # fmt: skip


def _pmid(fields: Fields) -> str | None:
    if found := identifiers.pmid(first(fields, "PM")):
        return found
    if _PMID_HERE.fullmatch(custom := first(fields, "C2").strip()):
        return identifiers.pmid(custom)
    number = first(fields, "AN")
    database = first(fields, "DB", "DP").lower()
    return identifiers.pmid(number) if "pubmed" in database or "medline" in database else None


def _dated(told: str) -> tuple[int | None, str | None]:
    """The year and the date of `2014/05/31/Spring`, of which each part may be missing."""
    return dated(re.sub(r"/+(?=$|\s)", "", re.sub(r"/[^/\d][^/]*$", "", told)))
