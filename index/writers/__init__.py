"""Papers and annotations into text: one file a format, and the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from index.writers import (
    bibtex,
    csl_json,
    markdown,
    paper_json,
    postil_json,
    ris,
    table,
    web_annotation,
)
from index.writers.reading_list import ReadingList

FORMATS: Final[Mapping[str, Callable[[ReadingList], Iterator[str]]]] = {
    "markdown": markdown.write,
    "bibtex": bibtex.write,
    "ris": ris.write,
    "csl-json": csl_json.write,
    "web-annotation": web_annotation.write,
    "csv": table.write,
    "json": paper_json.write,
    "jsonl": paper_json.write_lines,
    "postil": postil_json.write,
}
"""A format's name to its writer, which gives the text in pieces."""

ENDINGS: Final[Mapping[str, str]] = {
    "markdown": ".md",
    "bibtex": ".bib",
    "ris": ".ris",
    "csl-json": ".csl.json",
    "web-annotation": ".jsonld",
    "csv": ".csv",
    "json": ".json",
    "jsonl": ".jsonl",
    "postil": ".postil.json",
}
"""How the name of a file in each format ends."""

LOST: Final[Mapping[str, str]] = {
    "ris": ris.LOST,
    "web-annotation": web_annotation.LOST,
    "csv": table.LOST,
}
"""What of a list a format has no place for."""

__all__ = ["ENDINGS", "FORMATS", "LOST", "ReadingList"]
