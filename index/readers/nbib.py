"""PubMed's own format, nbib, also called MEDLINE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers, tagged_lines
from index.readers.dates import dated
from index.readers.tagged_lines import Fields, every, first
from index.readers.texts import each, line, text_of

_TAG: Final = re.compile(r"\ufeff?([A-Z]{2,4}) {0,3}- ?(.*)", re.DOTALL)
_BEGINS: Final = re.compile(r"^\ufeff?PMID ?- ?\d+", re.MULTILINE)
_KEPT: Final = {
    "VI": "volume", "IP": "number", "PG": "pages", "PT": "type", "LA": "language", "GR": "grants",
    "AD": "affiliations",
    "CI": "copyright", "STAT": "status", "PL": "place", "TA": "journal_abbreviation",
}  # fmt: skip


def fits(head: str) -> bool:
    return bool(_BEGINS.search(head))


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record from `PMID` to the next."""
    return tagged_lines.read(text, _TAG, "PMID", "", _record)


def _record(position: int, fields: Fields) -> Record | Problem:
    title, abstract = line(first(fields, "TI", "BTI", "TT")), text_of(first(fields, "AB"))
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    ids = every(fields, "LID", "AID")
    told = identifiers.told(
        doi=next(filter(None, (identifiers.doi(one) for one in ids if "[doi]" in one)), None),
        pmid=identifiers.pmid(first(fields, "PMID")), pmcid=line(first(fields, "PMC")),
        issn=(one.split(" ")[0] for one in every(fields, "IS")),
    )  # fmt: skip
    year, date = dated(first(fields, "DP", "DEP"))
    extra: dict[str, Any] = {}
    for tag, name in _KEPT.items():
        kept = [line(one) for one in every(fields, tag)]
        if kept:
            extra[name] = kept[0] if len(kept) == 1 else kept
    words = (line(one.replace("*", "")) for one in every(fields, "OT", "MH"))
    return Record(
        position, abstract, title or None, each([*(every(fields, "FAU") or every(fields, "AU")),
        *every(fields, "CN")]),
        year, date, line(first(fields, "JT", "TA")) or None, told, tuple(dict.fromkeys(words)), (), extra,
    )  # fmt: skip
