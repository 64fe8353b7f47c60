"""DOI, arXiv id and PubMed id out of a text or an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import unescape
from typing import Final
from urllib.parse import unquote

_DOI: Final = re.compile(
    r"10\.\d{4,9}/(?:[^\s\"<>{}|\\^`]|<\d+:[^\s<>\"]*>|<[^\s<>\"]*::[^\s<>\"]*>)+", re.IGNORECASE
)
"""Old ones hold a SICI with brackets of its own: `10.1002/(SICI)1097(1998)49:8<693::AID-A>3.0.CO;2-O`."""
_PAGE: Final = re.compile(r"/(?:full|fulltext|abstract|pdf|epdf|html|meta)(?:/.*)?$", re.IGNORECASE)
"""What an address of a publisher adds to a DOI."""
_DOI_END: Final = re.compile(r"[.,;:'!?]+$")
_ARXIV_NEW: Final = r"\d{4}\.\d{4,5}"
_ARXIV_OLD: Final = (
    r"(?:astro-ph|cond-mat|gr-qc|hep-(?:ex|lat|ph|th)|math-ph|nlin|nucl-(?:ex|th)|physics|quant-ph|math|cs|q-bio"
    r"|q-fin|stat|acc-phys|adap-org|alg-geom|ao-sci|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|dg-ga"
    r"|funct-an|mtrl-th|patt-sol|plasm-ph|q-alg|solv-int|supr-con)(?:\.[A-Za-z]{2})?/\d{7}"
)
_ARXIV: Final = re.compile(rf"({_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d+)?", re.IGNORECASE)
_ARXIV_NAMED: Final = re.compile(
    rf"(?:arxiv[.\s]*(?:preprint|e-print)?[:\s./]*(?:org/(?:abs|pdf|html|format)/)?|10\.48550/arxiv\.)"
    rf"({_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d+)?(?!\d)",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"(?<=[a-z])\.[A-Za-z]{2}(?=/)")
_NUMBER: Final = re.compile(r"(?<![\w-])\d[\d-]{6,15}[\dXx](?![\w-])")
_QUERY: Final = re.compile(r"&(?=\w+=)")
_PMID: Final = re.compile(r"(?:pmid[:\s]*|pubmed[:./\w]*/)0*([1-9]\d{0,8})\b", re.IGNORECASE)
_PMID_ALONE: Final = re.compile(r"0*([1-9]\d{0,8})")
_ARXIV_DOI: Final = re.compile(rf"10\.48550/arxiv\.({_ARXIV_NEW}|{_ARXIV_OLD})(?:v\d+)?", re.IGNORECASE)
_OF_ANOTHER: Final = re.compile(
    r"\b(?:comment|repl(?:y|ies)|respon[sd]|errat|corrige|correct|retract|review|rejoinder|discuss|addend)",
    re.IGNORECASE,
)
_BY_NAME: Final = frozenset(
    ("arxiv", "preprint", "eprint", "e", "print", "doi", "https", "http", "dx", "org", "abs", "pdf", "www",
     "available", "at", "as", "online", "id", "published", "final", "version", "also")
)  # fmt: skip
"""Words before an identifier that say nothing of whose it is."""


def doi(text: str) -> str | None:
    """The DOI that stands in `text`, in lower case and without its resolver; None where there is none."""
    if "%" in text:
        text = unquote(text)
    found = _DOI.search(unescape(text) if "&" in text else text)
    if found is None:
        return None
    value = _PAGE.sub("", _DOI_END.sub("", _QUERY.split(found[0])[0]))
    while value.endswith((")", "]")) and value.count("(") + value.count("[") < (
        value.count(")") + value.count("]")
    ):
        value = _DOI_END.sub("", value[:-1])
    return value.lower()


def arxiv(text: str) -> str | None:
    """The arXiv id that `text` is, or that it names as one, without version; None where there is none."""
    found = _ARXIV.fullmatch(text.strip()) or _ARXIV_NAMED.search(text)
    return _SUBJECT.sub("", found[1]).lower() if found else None


def pmid(text: str) -> str | None:
    """The PubMed id that `text` is, or that it names as one; None where there is none."""
    found = _PMID_ALONE.fullmatch(text.strip()) or _PMID.search(text)
    return found[1] if found else None


def own(remark: str, read: Callable[[str], str | None]) -> str | None:
    """The identifier that `read` finds in a remark, unless that speaks of another paper: `Comment on …`."""
    value = read(remark)
    at = remark.lower().find(value) if value else -1
    before = remark[: max(at, 0)]
    clause = re.split(r"[.;,|\n]\s", before)[-1].removesuffix("10.48550/")
    words = set(re.findall(r"[a-z]+", clause.lower()))
    return value if at >= 0 and words <= _BY_NAME and not _OF_ANOTHER.search(before) else None


def numbers(text: str) -> list[str]:
    """The ISSNs or ISBNs that stand in `text`."""
    return _NUMBER.findall(text)


def told(**found: Iterable[str | None] | str | None) -> dict[str, tuple[str, ...]]:
    """Identifiers by kind, each once, without those that are empty; an arXiv id also from its DOI."""
    kinds = {kind: (values,) if isinstance(values, str) else values or () for kind, values in found.items()}
    several = {kind: tuple(dict.fromkeys(filter(None, values))) for kind, values in kinds.items()}
    of_doi = [match[1].lower() for one in several.get("doi", ()) if (match := _ARXIV_DOI.fullmatch(one))]
    if of_doi:
        several["arxiv"] = tuple(dict.fromkeys((*several.get("arxiv", ()), *of_doi)))
    return {kind: values for kind, values in several.items() if values}


def links(addresses: Iterable[str | None], known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The addresses that say more than the identifiers `known` do, mended at their ends."""
    found = []
    for address in filter(None, addresses):
        for piece in address.split():
            piece = piece.strip("<>\"'").rstrip(".,;")
            if not re.match(r"https?://[^\s/]", piece, re.IGNORECASE):
                continue
            at = piece.lower()
            said = ("doi.org/" in at and doi(piece) in known.get("doi", ())) or (
                "arxiv.org/" in at and arxiv(piece) in known.get("arxiv", ())
            )
            if not said:
                found.append(piece)
    return tuple(dict.fromkeys(found))
