"""BibTeX and BibLaTeX: titles and names decoded, abstracts and all other fields as they came.

What an entry takes from another by `crossref` it gets where that one stands in the file, before or after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TextIO

from index.papers import Problem, Record
from index.readers import identifiers
from index.readers.bibtex_entries import Entry, entries
from index.readers.dates import dated
from index.readers.latex import decoded
from index.readers.texts import joined, line, text_of

_BEGIN: Final = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]\w*\s*[{(]", re.MULTILINE)
_DONE: Final = frozenset(
    [
        "title",
        "abstract",
        "year",
        "date",
        "doi",
        "url",
        "keywords",
        "keyword",
        "eprint",
        "pmid",
        "pmcid",
        "isbn",
        "issn",
        "file",
        "localfile",
        "bdsk-file-1",
    ]
)
"""Fields that are wholly in others of the record, or lead to files of another machine."""
_VENUES: Final = ("journaltitle", "journal", "booktitle", "maintitle", "eventtitle")
_PARENTS: Final = frozenset(
    [
        "proceedings",
        "book",
        "collection",
        "mvbook",
        "mvproceedings",
        "mvcollection",
        "periodical",
        "reference",
    ]
)
_INHERITED: Final = (
    "booktitle",
    "year",
    "date",
    "month",
    "publisher",
    "editor",
    "volume",
    "series",
    "isbn",
    "issn",
    "journal",
)
_MOST_HELD: Final = 10_000
"""Entries that wait for the one they refer to, and entries remembered to be referred to."""
_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)
_SIGNS: Final = {"textasciitilde": "~", "textless": "<", "textgreater": ">"}
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)|\]\(https?:", re.MULTILINE)
"""What a Markdown list has before the entry that says how to cite it."""
_URL: Final = re.compile(r"https?://[^\s{}]+")


def fits(head: str) -> bool:
    begin = _BEGIN.search(head)
    if begin is None or head.lstrip("\ufeff \n\t")[:1] in ("<", "[", "{"):
        return False
    return not _FENCE.search(head, 0, begin.start())


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record an entry; those that refer to another come when that one has come."""
    parents: dict[str, dict[str, str]] = {}
    waiting: dict[str, list[tuple[int, Entry]]] = {}
    held = 0
    for position, entry in enumerate(entries(text), 1):
        if entry.fault:
            yield Problem(0 if entry.cut else position, f"@{entry.type}: {entry.fault}")
            continue
        key = entry.key.lower()
        if key in waiting or (entry.type in _PARENTS and len(parents) < _MOST_HELD):
            parents[key] = _given(entry)
            for at, child in waiting.pop(key, ()):
                held -= 1
                yield _record(at, child, parents[key])
        parent = entry.fields.get("crossref", entry.fields.get("xdata", "")).lower()
        if parent and parent not in parents and held < _MOST_HELD:
            waiting.setdefault(parent, []).append((position, entry))
            held += 1
        else:
            yield _record(position, entry, parents.get(parent, {}))
    for some in waiting.values():
        for at, child in some:
            yield _record(at, child, {})


def _given(entry: Entry) -> dict[str, str]:
    """What entries that refer to this one take from it."""
    told = {str(name): entry.fields[name] for name in _INHERITED if name in entry.fields}
    return {"booktitle": entry.fields.get("title", ""), **told}


def _record(position: int, entry: Entry, parent: dict[str, str]) -> Record | Problem:
    told = {**parent, **{name: value for name, value in entry.fields.items() if value.strip()}}

    def text(*names: str) -> str:
        return next((told[name] for name in names if name in told), "")

    title = decoded(text("title", "maintitle", "booktitle" if entry.type in _PARENTS else "title"))
    if subtitle := decoded(text("subtitle")):
        title = f"{title}: {subtitle}"
    abstract = text_of(_bare(text("abstract")))
    if not title and not abstract:
        return Problem(position, f"@{entry.type} {line(entry.key)[:40]}: neither title nor abstract")
    ids = _identifiers(told)
    year, date = _dated(told)
    extra: dict[str, Any] = {
        name: line(value) for name, value in told.items() if name not in _DONE and "file" not in name
    }
    extra |= {"type": entry.type, **({"key": line(entry.key)} if entry.key else {})}
    addresses = [
        found
        for name in ("url", "link", "howpublished")
        for found in _URL.findall(_slashes(told.get(name, "")))
    ]
    return Record(
        position, abstract, title or None, authors(text("author", "authors")), year, date,
        decoded(text(*_VENUES)) or None, ids,
        tuple(dict.fromkeys(filter(None, map(decoded, _words(text("keywords", "keyword")))))),
        identifiers.links(addresses, ids), extra,
    )  # fmt: skip


def authors(told: str) -> tuple[str, ...]:
    """The names of an author field, as they are shown; `others` is nobody."""
    names = (_name(part) for part in _split(" ".join(told.split()), _AND))
    return tuple(name for name in names if name and name.lower() not in ("others", "et al", "et al."))


def _name(told: str) -> str:
    told = told.strip()
    if "family=" in told.replace(" ", ""):
        parts = dict(part.split("=", 1) for part in _split(told, re.compile(r"\s*,\s*")) if "=" in part)
        named = {key.strip().lower(): decoded(value.strip('"')) for key, value in parts.items()}
        family = " ".join(filter(None, (named.get("prefix", ""), named.get("family", ""))))
        return joined(named.get("given", ""), family, named.get("suffix", ""))
    parts_ = [decoded(part) for part in _split(told, re.compile(r"\s*,\s*"))]
    if len(parts_) == 1:
        return parts_[0]
    if len(parts_) == 2:
        return joined(parts_[1], parts_[0])
    return joined(parts_[2], parts_[0], parts_[1])


def _split(told: str, between: re.Pattern[str]) -> list[str]:
    """The parts of a value between matches outside of braces."""
    parts, start, depth, at = [], 0, 0, 0
    while at < len(told):
        if told[at] == "\\":
            at += 2
            continue
        depth += (told[at] == "{") - (told[at] == "}")
        found = between.match(told, at) if depth <= 0 else None
        if found and found.end() > at:
            parts.append(told[start:at])
            start = at = found.end()
            continue
        at += 1
    return [*parts, told[start:]]


def _identifiers(told: dict[str, str]) -> dict[str, tuple[str, ...]]:
    def text(name: str) -> str:
        return _slashes(told.get(name, ""))

    kind = (text("archiveprefix") or text("eprinttype")).strip("{} ").lower()
    arxiv = identifiers.arxiv(text("eprint").strip("{} ")) if kind in ("", "arxiv") else None
    if not arxiv and text("journal").strip("{} ").lower() == "corr":
        arxiv = identifiers.arxiv(text("volume").strip("{} ").removeprefix("abs/"))
    for name in (
        "arxivid",
        "journal",
        "journaltitle",
        "note",
        "url",
        "howpublished",
        "doi",
        "number",
        "eprint",
    ):
        arxiv = arxiv or identifiers.own(text(name), identifiers.arxiv)
    pmid = text("pmid") or (text("eprint") if kind == "pubmed" else "")
    return identifiers.told(
        doi=identifiers.doi(text("doi")) or identifiers.doi(text("url")), arxiv=arxiv,
        pmid=identifiers.pmid(pmid.strip("{} ")), pmcid=line(text("pmcid")),
        isbn=identifiers.numbers(text("isbn")), issn=identifiers.numbers(text("issn")),
    )  # fmt: skip


def _dated(told: dict[str, str]) -> tuple[int | None, str | None]:
    if (found := dated(decoded(told.get("date", ""))))[0]:
        return found
    year, month, day = (decoded(told.get(name, "")) for name in ("year", "month", "day"))
    if month.isdigit():
        return dated("-".join(filter(None, (year, month, day))))
    return dated(f"{day} {month} {year}")


def _words(told: str) -> list[str]:
    """Keywords between commas or semicolons; where there are none, each on its line."""
    return re.split(r"[,;]" if "," in told or ";" in told else r"\n", told)


def _bare(value: str) -> str:
    """A value without the braces around all of it."""
    stripped = value.strip()
    if stripped.startswith("{") and stripped.endswith("}"):
        depth = 0
        for at, char in enumerate(stripped):
            depth += (char == "{") - (char == "}")
            if depth == 0:
                return stripped[1:-1] if at == len(stripped) - 1 else value
    return value


def _slashes(value: str) -> str:
    r"""An address or identifier without LaTeX's escapes: `10.1/a\_b`, `\url{…}`."""
    return re.sub(
        r"\\([_&%#~$])|\{?\\(textasciitilde|textless|textgreater)\b ?(?:\{\})?\}?|\\url",
        lambda found: found[1] or _SIGNS.get(found[2] or "", ""),
        value,
    )
