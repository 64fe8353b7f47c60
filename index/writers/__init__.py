"""Papers and annotations into text: one file a format, and the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from index.writers import bibtex, markdown, paper_json, postil_json
from index.writers.reading_list import ReadingList

FORMATS: Final[Mapping[str, Callable[[ReadingList], Iterator[str]]]] = {
    "markdown": markdown.write,
    "bibtex": bibtex.write,
    "json": paper_json.write,
    "postil": postil_json.write,
}
"""A format's name to its writer, which gives the text in pieces."""

ENDINGS: Final[Mapping[str, str]] = {
    "markdown": ".md",
    "bibtex": ".bib",
    "json": ".json",
    "postil": ".postil.json",
}
"""How the name of a file in each format ends."""

__all__ = ["ENDINGS", "FORMATS", "ReadingList"]
