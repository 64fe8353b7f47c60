"""Daily Papers text: a title line, then one abstract a paragraph, with blank lines between them.

Also without the title line, and with paragraphs wrapped over several lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TextIO

from index.papers import Problem, Record
from index.readers.mojibake import cleaned

LONGEST: Final = 2_000_000
"""Characters of one abstract; what is longer is no abstract."""
_LONGEST_TITLE: Final = 100
_HEADER: Final = re.compile(r"daily papers(?:[\s:#.,-]*\d[\d\s:./-]{0,40})?", re.IGNORECASE)
"""The title line, also of another list that was put behind the first."""
_ANOTHER_START: Final = re.compile(
    r"""\s*(?: \[\s*[\[{"'\]] | \{\s*["'}] | <[?!a-zA-Z] | %PDF | PK\x03\x04   # JSON, XML, PDF, zip
      | "[^\n"]{1,40}"[,;\t]"                                                    # the header of a table
      | (?:"?[^\n,;\t"]{0,40}"?[,;\t])* "?(?:title|abstract|authors?|doi|item\ type)"?[,;\t]
      | (?:"?[^\n,;\t"]{0,40}"?[,;\t])+ "?(?:title|abstract|authors?|doi|item\ type)"?\s*\n )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ANOTHER_LINE: Final = re.compile(  # of BibTeX, RIS, PubMed, Markdown
    r"^(?: [ \t]*@\w+\s*[{(] | (?:TY|T1|AU|PMID)\ {0,3}-\ | PT\ [A-Z]$ | [#]+\ | [-*]\ +\[ | \| )",
    re.MULTILINE | re.VERBOSE,
)


def fits(head: str) -> bool:
    """Whether a file that begins with `head` is running text rather than another format."""
    controls = sum(1 for char in head if char < " " and char not in "\n\t\f")
    return (
        bool(head.strip())
        and controls * 100 < len(head)
        and not _ANOTHER_START.match(head)
        and not _ANOTHER_LINE.search(head)
    )


def says_so(head: str) -> bool:
    """Whether a file that begins with `head` is such a list by its own words."""
    return head.lstrip().casefold().startswith("daily papers")


def read(text: TextIO) -> Iterator[Record | Problem]:
    """The abstracts of the list, counted from 1; the title line is not one of them."""
    position = 0
    for number, paragraph in enumerate(_paragraphs(text)):
        if _HEADER.fullmatch(paragraph) or (number == 0 and _is_title(paragraph)):
            continue
        position += 1
        if len(paragraph) > LONGEST:
            yield Problem(position, f"longer than {LONGEST:,} characters: no abstract")
        elif abstract := cleaned(paragraph).strip():
            yield Record(position, abstract)
        else:
            yield Problem(position, "nothing but control characters")


def _paragraphs(text: TextIO) -> Iterator[str]:
    """Runs of lines that are not blank; of one that is too long only so much that it shows."""
    lines: list[str] = []
    size = 0
    while line := text.readline(LONGEST + 2):
        if not line.strip() or _HEADER.fullmatch(line.strip()):
            if lines:
                yield "".join(lines).strip()
            lines, size = [], 0
            if line.strip():
                yield line.strip()
        elif size <= LONGEST:
            lines.append(line)
            size += len(line)
    if lines:
        yield "".join(lines).strip()


def _is_title(paragraph: str) -> bool:
    return (
        len(paragraph) <= _LONGEST_TITLE and "\n" not in paragraph and not paragraph.endswith((".", "!", "?"))
    )
