"""Links in notes: `[[a1b2c3d4e5|Heading]]` leads to the paper of that id, whatever its heading becomes.

The form is that of a wiki link with another text, which Obsidian and others read too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

LINK: Final = re.compile(r"\[\[([a-z][0-9a-z]{9})(?:\|([^\[\]\n]{0,300}))?\]\]")
"""A link: the id, and perhaps the text that stands for it."""
BEGUN: Final = re.compile(r"\[\[([^\[\]|\n]{0,100})\Z")
"""A link that is being typed, before its text is chosen."""
LONGEST: Final = 80
"""Characters of a heading in a link."""
SAMPLE: Final = 500_000
"""Characters of headings that tell which word is rare."""
_MARKS: Final = str.maketrans("[]|\n", "()/ ")


def link(id: str, heading: str) -> str:
    """The link to a paper, as it stands in a note."""
    text = heading.translate(_MARKS).strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 1].rsplit(' ', 1)[0]}…"
    return f"[[{id}|{text}]]" if text else f"[[{id}]]"


def linked(note: str) -> tuple[str, ...]:
    """The ids of the papers that a note links to, each once, in order."""
    return tuple(dict.fromkeys(found[1] for found in LINK.finditer(note))) if "[[" in note else ()


class Headings:
    """All headings as one text, in which a scan for some letters takes milliseconds at 100,000 papers."""

    def __init__(self, papers: Iterable[tuple[str, str]]) -> None:
        """Of pairs of id and heading."""
        found = list(papers)
        lines = [f" {_folded(heading)}\n" for _, heading in found]
        self._ids = [id for id, _ in found]
        self._text = "".join(lines)
        self._starts = list(accumulate(map(len, lines), initial=0))

    def holding(self, typed: str, most: int) -> list[str]:
        """The ids of at most so many headings that hold all words of `typed`; first where words begin so."""
        words = _folded(typed).split()
        rarest = min(words, key=lambda word: self._text.count(word, 0, SAMPLE), default="")
        found: dict[str, None] = {}
        for begun in (f" {rarest}", rarest):
            at = self._text.find(begun)
            while 0 <= at < len(self._text) and len(found) < most:
                number = bisect_right(self._starts, at) - 1
                start, end = self._starts[number : number + 2]
                if all(self._text.find(word, start, end) >= 0 for word in words):
                    found[self._ids[number]] = None
                at = self._text.find(begun, end)
        return list(found)


def _folded(text: str) -> str:
    return text.casefold().replace("\n", " ")
