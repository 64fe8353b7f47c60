"""Bytes into records: one file a format, and the registry that tells a format by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Final, TextIO

from index.papers import Problem, Record
from index.readers import (
    acl_xml,
    arxiv_json,
    atom,
    bibtex,
    csl_json,
    daily_text,
    hf_daily,
    markdown_list,
    nbib,
    postil_json,
    pubmed_xml,
    ris,
    rss,
    table,
)
from index.readers.broken import BrokenFileError as BrokenFileError
from index.readers.decoding import HEAD, opened


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, whether a file that begins so is one, and its reader."""

    name: str
    fits: Callable[[str], bool]
    read: Callable[[TextIO], Iterator[Record | Problem]]


FORMATS: Final = (
    Format("atom", atom.fits, atom.read),
    Format("rss", rss.fits, rss.read),
    Format("pubmed-xml", pubmed_xml.fits, pubmed_xml.read),
    Format("acl-xml", acl_xml.fits, acl_xml.read),
    Format("postil", postil_json.fits, postil_json.read),
    Format("hf-daily", hf_daily.fits, hf_daily.read),
    Format("arxiv-json", arxiv_json.fits, arxiv_json.read),
    Format("csl-json", csl_json.fits, csl_json.read),
    Format("bibtex", bibtex.fits, bibtex.read),
    Format("ris", ris.fits, ris.read),
    Format("nbib", nbib.fits, nbib.read),
    Format("table", table.fits, table.read),
    Format("markdown", markdown_list.fits, markdown_list.read),
    Format("daily-text", daily_text.fits, daily_text.read),
)
"""The formats that tell themselves apart by their first characters; the first that fits is taken."""


class UnknownFormatError(ValueError):
    """The content is in no format that can be read; the message says so in one line."""


def read(
    stream: BinaryIO, format: str | None = None, *, meant: bool = True
) -> tuple[str, Iterator[Record | Problem]]:
    """The format of `stream`, by its content unless `format` names it, and its records as they are read.

    Running text that nobody `meant` as a list, such as a licence beside it, must begin as a list does.
    Raises UnknownFormatError; whatever is wrong further in comes as a Problem among the records.
    """
    head = stream.read(HEAD)
    text = opened(stream, head)
    if format:
        chosen = next((known for known in FORMATS if known.name == format), None)
        if chosen is None:
            raise UnknownFormatError(
                f"unknown format {format!r}; known are: {', '.join(known.name for known in FORMATS)}"
            )
    else:
        start = opened(BytesIO(), head).read()
        chosen = next((known for known in FORMATS if known.fits(start)), None)
        if chosen is None:
            raise UnknownFormatError("empty" if not start.strip() else "not in a format that postil reads")
        if not meant and chosen.read is daily_text.read and not daily_text.says_so(start):
            raise UnknownFormatError("running text; name the file itself if it is a list")
    return chosen.name, chosen.read(text)
