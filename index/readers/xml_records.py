"""Elements of an XML file one after the other, each forgotten when the next is asked for.

Nothing that a file declares is ever expanded or fetched (defusedxml).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, TextIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from index.readers.broken import BrokenFileError

LONGEST: Final = 8_000_000
"""Bytes between two records; what is longer is no list of papers."""
DEEPEST: Final = 200
_ROOT: Final = re.compile(
    r"\A\ufeff?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\])?\s*>\s*)*<([\w:.-]+)", re.DOTALL
)


def root(head: str) -> str:
    """The name of the first element, without its prefix; empty for what is no XML."""
    found = _ROOT.match(head)
    return found[1].rpartition(":")[2] if found else ""


def elements(text: TextIO, wanted: frozenset[str]) -> Iterator[tuple[str, Element]]:
    """Each element of a wanted name that lies in no other such, with its name; names come without namespace.

    Raises BrokenFileError where the file is not well formed, or not safe to read.
    """
    source = _Bounded(text.buffer)
    path: list[Element] = []
    inside = 0
    try:
        for event, element in iterparse(source, ("start", "end"), forbid_dtd=False):  # type: ignore[arg-type]
            if event == "start":
                element.tag = local(element.tag)
                inside += element.tag in wanted
                path.append(element)
                if len(path) > DEEPEST:
                    raise BrokenFileError(f"elements more than {DEEPEST} deep")
                continue
            path.pop()
            if element.tag in wanted:
                inside -= 1
                if not inside:
                    yield element.tag, element
                    source.again()
            if not inside and path and element.tag in wanted:
                path[-1].remove(element)
    except ParseError as error:
        line = error.position[0]
        raise BrokenFileError(
            f"no well-formed XML from line {line} on: {str(error).partition(':')[0]}"
        ) from error
    except DefusedXmlException as error:
        raise BrokenFileError("it declares entities of its own, which are not read") from error
    except (ValueError, LookupError, RecursionError) as error:
        if isinstance(error, BrokenFileError):
            raise
        raise BrokenFileError(f"no XML that can be read: {error}") from error


class _Bounded:
    """A stream that gives only so many bytes between two records, and no white space before the first."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._given = 0
        self._begun = False

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if not self._begun:
            data = data.lstrip(b" \t\r\n") or self._stream.read(size)
            self._begun = True
        self._given += len(data)
        if self._given > LONGEST:
            raise BrokenFileError(f"more than {LONGEST:,} bytes without a record")
        return data

    def again(self) -> None:
        """Count anew: a record came."""
        self._given = 0


def local(tag: object) -> str:
    """A name without its namespace."""
    return str(tag).rpartition("}")[2]


def said(element: Element | None) -> str:
    """All text within an element, without markup; of mathematics what it shows."""
    return "".join(element.itertext()) if element is not None else ""


def child(element: Element | None, *path: str) -> str:
    """The text of the first element at a path."""
    found = element.find("/".join(path)) if element is not None else None
    return said(found)


def each(element: Element, *path: str) -> list[str]:
    """The texts of all elements at a path, without the empty ones."""
    return [told for found in element.findall("/".join(path)) if (told := said(found)).strip()]
