"""PubMed's XML, as efetch gives it: articles and book chapters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TextIO
from xml.etree.ElementTree import Element

from index.papers import Problem, Record
from index.readers import identifiers, xml_records
from index.readers.dates import dated
from index.readers.texts import joined, line, text_of
from index.readers.xml_records import child, each, said

_RECORDS: Final = frozenset(["PubmedArticle", "PubmedBookArticle"])
_ROOTS: Final = frozenset(["PubmedArticleSet", "PubmedArticle", "PubmedBookArticle", "PubmedBookArticleSet"])


def fits(head: str) -> bool:
    return xml_records.root(head) in _ROOTS


def read(text: TextIO) -> Iterator[Record | Problem]:
    """One record an article. Raises BrokenFileError."""
    for position, (_, article) in enumerate(xml_records.elements(text, _RECORDS), 1):
        yield _record(position, article)


def _record(position: int, article: Element) -> Record | Problem:
    citation = _first(article, "MedlineCitation", "BookDocument")
    inner = citation.find("Article") if citation is not None else None
    inner = inner if inner is not None else citation
    if citation is None or inner is None:
        return Problem(position, "no citation in it")
    title = line(child(inner, "ArticleTitle") or child(inner, "VernacularTitle"))
    abstract = _abstract(inner)
    if not title and not abstract:
        return Problem(position, "neither title nor abstract")
    ids = {kind: told for one in article.iterfind("./*/ArticleIdList/ArticleId")
           if (kind := one.get("IdType")) and (told := said(one))}  # fmt: skip
    ids |= {
        kind: told
        for one in inner.findall("ELocationID")
        if (kind := one.get("EIdType")) and (told := said(one))
    }
    known = identifiers.told(
        pmid=identifiers.pmid(child(citation, "PMID")), doi=identifiers.doi(ids.get("doi", "")),
        pmcid=line(ids.get("pmc", "")), issn=map(line, each(inner, "Journal", "ISSN")),
    )  # fmt: skip
    year, date = _published(inner)
    words = each(citation, "KeywordList", "Keyword") + each(
        citation, "MeshHeadingList", "MeshHeading", "DescriptorName"
    )
    issue = "Journal/JournalIssue"
    extra: dict[str, Any] = {
        name: told
        for name, path in (("volume", f"{issue}/Volume"), ("number", f"{issue}/Issue"), ("pages",
        "Pagination/MedlinePgn"),
                           ("language", "Language"))
        if (told := line(child(inner, path)))
    }  # fmt: skip
    if kinds := [line(one) for one in each(inner, "PublicationTypeList", "PublicationType")]:
        extra["type"] = kinds if len(kinds) > 1 else kinds[0]
    return Record(
        position, abstract, title or None, _authors(inner), year, date,
        line(child(inner, "Journal", "Title") or child(inner, "Book", "BookTitle")) or None,
        known, tuple(dict.fromkeys(map(line, words))), (), extra,
    )  # fmt: skip


def _abstract(inner: Element) -> str:
    """The abstract; each part of a structured one on its own lines, after its label."""
    parts = []
    for part in inner.iterfind("Abstract/AbstractText"):
        label, told = part.get("Label", ""), said(part).strip()
        if told:
            parts.append(f"{label}: {told}" if label and label != "UNLABELLED" else told)
    return text_of("\n".join(parts))


def _authors(inner: Element) -> tuple[str, ...]:
    names = []
    for one in inner.iterfind("AuthorList/Author"):
        collective = line(child(one, "CollectiveName"))
        given = child(one, "ForeName") or child(one, "Initials")
        names.append(collective or joined(given, child(one, "LastName"), child(one, "Suffix")))
    return tuple(filter(None, names))


def _published(inner: Element) -> tuple[int | None, str | None]:
    """When the issue came out, else the article by itself."""
    for path in ("Journal/JournalIssue/PubDate", "ArticleDate", "Book/PubDate"):
        day = inner.find(path)
        told = " ".join(child(day, part) for part in ("Year", "Month", "Day", "MedlineDate"))
        month = child(day, "Month")
        if month.isdigit():
            told = "-".join(filter(None, (child(day, "Year"), month, child(day, "Day"))))
        if (found := dated(told))[0]:
            return found
    return None, None


def _first(element: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := element.find(name)) is not None), None)
