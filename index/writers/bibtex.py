"""BibTeX: one entry a paper, its annotation where reference managers look for one.

What the reader wrote is in `annote`, never in `note`, which is bibliographic; `keywords`, `readstatus` and
`ranking` as JabRef reads them. Fields of a BibTeX record that came in go out again. The key is the record's
own, else the paper's id: neither changes from one export to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from index.clean import one_line
from index.papers import Entry
from index.writers.reading_list import ReadingList

_TEXT: Final = str.maketrans({
    "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
"""What means something to LaTeX."""
_BRACES: Final = {"{": r"\textbraceleft ", "}": r"\textbraceright "}
_MATHS: Final = re.compile(r"(\$[^$]+\$)")
_ESCAPED: Final = {r"\{": r"\lbrace ", r"\}": r"\rbrace "}
"""Some parsers count a brace behind a backslash, and some do not."""
_ESCAPED_BRACE: Final = re.compile(r"\\[{}]")
_BARE: Final = re.compile(r"(?<!\\)[%&#]")
_KEY: Final = re.compile(r"[^\s,{}()\"'#%\\=~]+")
_TYPES: Final[Mapping[str, str]] = {
    **{kind: kind for kind in (
        "article", "book", "mvbook", "inbook", "bookinbook", "booklet", "collection", "incollection",
        "manual", "misc", "online", "patent", "proceedings", "inproceedings", "conference", "report",
        "thesis", "phdthesis", "mastersthesis", "techreport", "unpublished", "electronic", "dataset",
        "software",
    )},
    "jour": "article", "jfull": "article", "mgzn": "article", "news": "article",
    "article-journal": "article", "journal article": "article", "conf": "inproceedings",
    "cpaper": "inproceedings", "paper-conference": "inproceedings", "chap": "incollection",
    "chapter": "incollection", "thes": "phdthesis", "rprt": "techreport", "unpb": "unpublished",
}  # fmt: skip
"""The types of BibTeX and BibLaTeX, and those of RIS, CSL and PubMed that are one of them."""
_WITHIN: Final = {"inproceedings": "booktitle", "incollection": "booktitle", "inbook": "booktitle"}
"""Where the venue of a type stands, if it is no journal."""
_OWN: Final = frozenset({"key", "type", "file", "annote", "annotation", "readstatus", "ranking"})
_STATUS: Final = {"read": "read", "reading": "skimmed"}


def write(papers: ReadingList) -> Iterator[str]:
    """The entries, in the order of the list, an empty line between two."""
    taken: set[str] = set()
    for number, entry in enumerate(papers.entries):
        key = _key(entry)
        while key.lower() in taken:  # two records may bear one key
            key = f"{key}-{entry.paper.id}"
        taken.add(key.lower())
        yield "\n" * bool(number)
        yield from _entry(entry, key, papers.meanings)


def _entry(entry: Entry, key: str, meanings: Mapping[str, str]) -> Iterator[str]:
    told = str(entry.paper.extra.get("type", "")).lower()
    kind = _TYPES.get(told) or ("article" if entry.paper.venue else "misc")
    yield f"@{kind}{{{key},\n"
    for name, value in _fields(entry, kind, meanings):
        if value:
            yield f"  {name} = {{{value}}},\n"
    yield "}\n"


def _fields(entry: Entry, kind: str, meanings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names and values, escaped; each name once."""
    paper, told, ids = entry.paper, entry.annotation, entry.paper.identifiers
    yield "title", f"{{{text(told.title or paper.title or paper.heading)}}}"
    raw = paper.extra.get("author")  # as another BibTeX file had it: no name is taken apart anew
    yield "author", _latex(raw) if isinstance(raw, str) else " and ".join(map(_author, paper.authors))
    yield "year", str(paper.year or "")
    yield _WITHIN.get(kind, "journal"), text(paper.venue or "")
    known = {"title", "author", "year", _WITHIN.get(kind, "journal")}
    arxiv = next(iter(ids.get("arxiv", ())), "")
    derived = not (told.title or paper.title)
    for name, value in (
        ("doi", _plain(next(iter(ids.get("doi", ())), ""))),
        ("eprint", _plain(arxiv)),
        ("archiveprefix", "arXiv" if arxiv else ""),
        ("pmid", _plain(next(iter(ids.get("pmid", ())), ""))),
        ("url", _plain(next(iter(paper.links), ""))),
        ("keywords", ", ".join(text(word.replace(",", " ")) for word in (*paper.keywords, *told.tags))),
        ("abstract", _latex(paper.abstract)),
        ("annote", _annote(entry, meanings, derived=derived)),
        ("readstatus", _STATUS.get(told.status, "")),
        ("ranking", f"rank{told.rating}" if told.rating else ""),
    ):
        known.add(name)
        yield name, value
    for name, value in paper.extra.items():
        if (
            isinstance(value, str | int)
            and re.fullmatch("[a-z][a-z0-9_-]*", name)
            and name not in known | _OWN
        ):
            yield name, _latex(str(value))


def _annote(entry: Entry, meanings: Mapping[str, str], *, derived: bool) -> str:
    """The note and the highlights, and whether the title is a heading that was made up."""
    told = entry.annotation
    parts = ["Title derived from the abstract."] if derived else []
    parts += [told.note] if told.note else []
    for mark in told.highlights:
        comment = f" -- {mark.comment}" if mark.comment else ""
        parts.append(f"{meanings.get(mark.colour, mark.colour)}: ``{one_line(mark.quote)}''{comment}")
    parts += [f"Due {told.due}."] if told.due else []
    return "\n\n".join(map(text, parts))


def _key(entry: Entry) -> str:
    key = str(entry.paper.extra.get("key", ""))
    return key if _KEY.fullmatch(key) else entry.paper.id


def _author(name: str) -> str:
    """A name as BibTeX takes it for one: a comma or an `and` in it parts nothing."""
    name = text(name)
    return f"{{{name}}}" if "," in name or re.search(r"\band\b", name, re.IGNORECASE) else name


def text(plain: str) -> str:
    """Plain text for LaTeX; formulas between dollars stay, where their braces are whole."""
    parts = _MATHS.split(plain)
    return "".join(
        _latex(part) if at % 2 and _balanced(part) else part.translate(_TEXT) for at, part in enumerate(parts)
    )


def _latex(text: str) -> str:
    """Text that may hold LaTeX, as it stands but for what would break the entry."""
    text = _ESCAPED_BRACE.sub(lambda found: _ESCAPED[found[0]], _BARE.sub(r"\\\g<0>", text))
    text = text if _balanced(text) else "".join(_BRACES.get(char, char) for char in text)
    return text + " " if text.endswith("\\") else text


def _plain(text: str) -> str:
    """An identifier or an address, as it stands but for what no such thing holds."""
    return re.sub(r"[\s{}\\]", "", text)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0
