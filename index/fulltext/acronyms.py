"""Acronyms that a text itself spells out, `text-to-image (T2I)`: the short form and the long one.

Its letters are the initials of the words before it or, where they are not, stand in these in their order, the
first as a word's first (A. Schwartz and M. Hearst, PSB 2003).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from index.fulltext.analysis import STOP, forms, pieces, stem
from index.fulltext.slots import slots
from index.query import And, Node, Not, Or, Phrase, Word

if TYPE_CHECKING:
    from index.fulltext.postings import Snapshot

MOST: Final = 6
"""Telling words of a long form; a longer one is a sentence."""
FIELDS: Final = (None, "abstract", "title")
"""Where an acronym is looked for by what it stands for, and the other way round."""
_TOLD: Final = 20  # papers that have an acronym as a word, for each that spells it out
_ASIDE: Final = re.compile(r"\(([A-Za-z][\w-]{1,9})\)")
_BEFORE: Final = 120  # characters before a short form, in which the long one stands
_SAID: Final = str.maketrans("24", "tf")  # to, for


def spelled(text: str) -> Iterator[tuple[str, str]]:
    """Each acronym that `text` spells out, as `t2i` and `text to image`."""
    for aside in _ASIDE.finditer(text):
        one = forms(aside[1])
        if len(one) != 1 or sum(map(str.isupper, aside[1])) < 2:
            continue
        before = text[max(0, aside.start() - _BEFORE) : aside.start()]
        row = list(pieces(before))
        at = _long(stem(one[0]).translate(_SAID), [piece.form for piece in row])
        while 0 < at < len(row) and before[row[at].start - 1] == "-":
            at -= 1
        long = [piece.form for piece in row[at:]]
        if 2 <= sum(form not in STOP for form in long) <= MOST and one[0] not in long:
            yield stem(one[0]), " ".join(long)


def key(words: Iterable[str]) -> str:
    """What all spellings of a long form share: inflected, hyphenated, joined or not, whatever stop words."""
    return "".join(stem(word) for word in words if word not in STOP)


def _long(letters: str, before: Sequence[str]) -> int:
    """Where the long form begins that `letters` stand for, at the end of `before`; behind it if nowhere."""
    left, at = len(letters), len(before)
    while left and at and (before[at - 1][0] == letters[left - 1] or before[at - 1] in STOP):
        at -= 1
        left -= before[at][0] == letters[left - 1]
    if not left:
        return at
    left, at = len(letters), len(before)
    while left and at:
        at -= 1
        end = len(before[at])
        while left > 1 and (place := before[at].rfind(letters[left - 1], 0, end)) >= 0:
            left, end = left - 1, place
        left -= left == 1 and end > 0 and before[at][0] == letters[0]
    return at if not left and before[at] not in STOP else len(before)


def entries(text: str) -> set[str]:
    """What the index keeps of the acronyms that `text` spells out, to be found from either side."""
    found = set(spelled(text))
    return {f">{short}={long}" for short, long in found} | {
        f"<{key(long.split())}={short}" for short, long in found
    }


class Acronyms:
    """The acronyms that the papers of one snapshot spell out, each kept once it was asked for."""

    def __init__(self, index: Snapshot) -> None:
        self._index = index
        self._longs: dict[str, tuple[str, ...]] = {}

    def instead(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Rows of words to look for instead: what an acronym stands for, or the acronyms of a long form."""
        if len(words) > 1:
            return [(short,) for short in self._shorts(words)]
        long = self._long(stem(words[0])) if words else ()
        return [long] if long else []

    def over(self, parts: Sequence[Node]) -> list[list[Word]]:
        """For each part of an And, the acronyms of the words in a row to which it belongs."""
        found: list[list[Word]] = [[] for _ in parts]
        for start in range(len(parts) - 1):
            words: list[str] = []
            for end in range(start, min(start + MOST, len(parts))):
                part = parts[end]
                if not isinstance(part, Word) or part.field not in FIELDS:
                    break
                words += [slot.form for slot in slots(part)]
                for short in self._shorts(words) if end > start else ():
                    for one in found[start : end + 1]:
                        one.append(Word(short, part.field))
        return found

    def widened(self, tree: Node) -> Node:
        """`tree` with what each acronym in it is also found by, for a text in which that is to be marked."""
        match tree:
            case And(parts):
                shorts = self.over(parts)
                return And(tuple(map(_or, map(self.widened, parts), shorts)))
            case Or(parts):
                return Or(tuple(map(self.widened, parts)))
            case Not(part):
                return Not(self.widened(part))
            case Word(field=None | "abstract" | "title"):
                rows = self.instead([slot.form for slot in slots(tree)])
                return _or(tree, [Phrase(" ".join(row), tree.field) for row in rows])
        return tree

    def told(self, tree: Node) -> Iterator[tuple[str, str]]:
        """Words of `tree` with what else they are looked for as: an acronym, or what one stands for."""
        if isinstance(tree, And):
            shorts = self.over(tree.parts)
            for one in dict.fromkeys(word for some in shorts for word in some):
                words = [part.text for part, some in zip(tree.parts, shorts, strict=True)
                         if isinstance(part, Word) and one in some]  # fmt: skip
                yield " ".join(words), one.text
        if isinstance(tree, And | Or):
            for part in tree.parts:
                yield from self.told(part)
        elif isinstance(tree, Not):
            yield from self.told(tree.part)
        elif isinstance(tree, Word) and tree.field in FIELDS:
            for row in self.instead([slot.form for slot in slots(tree)]):
                yield tree.text, " ".join(row)

    def _long(self, short: str) -> tuple[str, ...]:
        """What an acronym stands for in most of the papers that spell it out; nothing where these are few
        beside those that have it as a word.
        """
        kept = self._longs.get(short)
        if kept is None:
            longs: dict[str, tuple[str, ...]] = {}
            counts: Counter[str] = Counter()
            for entry in sorted(self._index.begun(f">{short}=", ("short",))):
                count = len(self._index.postings("short", entry).docs)
                long = tuple(entry.partition("=")[2].split())
                if count:
                    longs.setdefault(key(long), long)
                    counts[key(long)] += count
            best, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
            told = most and 2 * most >= counts.total() and _TOLD * most >= self._index.frequency(short)
            kept = self._longs[short] = longs[best] if told else ()
        return kept

    def _shorts(self, words: Sequence[str]) -> list[str]:
        whole = key(words)
        entries = sorted(self._index.begun(f"<{whole}=", ("short",))) if whole else ()
        shorts = (entry.rpartition("=")[2] for entry in entries)
        return [short for short in shorts if key(self._long(short)) == whole]


def _or(node: Node, others: Sequence[Node]) -> Node:
    return Or((node, *others)) if others else node
