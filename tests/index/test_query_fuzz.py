"""Whatever is typed: an answer or one line that says why not, soon, from a library of the shipped lists."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from index.library import Library
from index.papers import STATUSES
from index.query import And, Everything, Node, Not, Or
from tests.index.helpers import SEEDS, SHARED, do, paragraphs

PATIENCE: Final = 3.0
"""Seconds of processor time after which a query counts as hung: ten times what one may take."""
LONGEST: Final = 0.3
"""Seconds that an answer may take; printed, not asserted."""
SEED: Final = 20_261_130
FIELDS: Final = [
    "title",
    "ti",
    "abstract",
    "abs",
    "author",
    "au",
    "a",
    "name",
    "year",
    "y",
    "venue",
    "cat",
    "id",
    "source",
    "link",
    "tag",
    "t",
    "label",
    "status",
    "is",
    "has",
    "note",
    "quote",
    "rating",
    "due",
    "added",
    "date",
    "foo",
    "http",
    "tags",
]
VALUES: Final = (
    "", " ", "model", "mod*", "model~", "modle~9", "moe", "rg/", "/", "#moe", ">=", ">=4", "2024..2020",
    "5..1",
    "..", "7d", "1w..2w", "-3", "0", "999999999999", "2026-13-45", "none", "last", "unread", "starred", "x",
    '"', '"of the"', "(", "(a OR b)", "/[/", "/^a.*b/", "/(a+)+$/", "/.*.*x/", "/\\", "10.1000/x", "http://",
    "*", "~",
)  # fmt: skip
SIGNS: Final = (
    "(", ")", "-", "-(", '"', "“", "”", "„", "/", "\\", "*", "~", "~9", ":", "..", " ", "OR", "AND", "NOT ",
    "ANDNOT ", "e*", "*a", "|", "||", "&&", "!", "%", "+", "#", "@", "{", "}", "[", "^", "$", "\u2026",
    "\u00ad", "\u0301", "'s", "''", "--", "\t", "\n", "\0",
)  # fmt: skip
ODD_SIGNS: Final = (
    "\u202e\u2066\u200f\u061c\u2069\ufeff\x00\x07\x1b[31m\x7f\x85\ud800\udfff\U000e0041\ufdd0\uffff\u200d"
    "\U0001f469\u200d\U0001f52c\U0001f917\u221e\u00b2\u00bd\ufb03\ufdfa\u0130\u0131\u1e9e\u0345\u0ad0\u0660"
)
PATTERNS: Final = (
    "(a+)+$", "(a|a)*b", "(.*)*x", ".*.*x", ".*.*x?x?x", "(a?){20}a{20}", "(a{1,9}){1,9}b", "[^x]*[^y]*z",
    r"(\w+\s?)*$", r"(?=(a+))\1", "a" * 200, "(" * 99, "[", "[[:alpha:]]", "(?i)a", "(?P<n>a)(?P=n)", "{2,}",
    "a{99999999}", "a{1,99999}b{1,99999}", "\\", "^", "$", "|", "||||", "()", r"\d+\.\d", r"\N{DIGIT ONE}",
    "\\x",
)  # fmt: skip


def _words(pick: random.Random, most: int) -> list[str]:
    return pick.choice(TEXTS).split()[: pick.randint(1, most)]


def _any_characters(pick: random.Random) -> str:
    planes = (0x7F, 0x2FF, 0xFFFF, 0x1FFFF, 0x10FFFF)
    return "".join(chr(pick.randint(0, pick.choice(planes))) for _ in range(pick.randint(0, 80)))


def _operators(pick: random.Random) -> str:
    signs = ("AND", "OR", "NOT", "ANDNOT", "(", ")", "-", "-(", "model", "a", '"', "the")
    return pick.choice(("", " ")).join(pick.choices(signs, k=pick.randint(1, 60)))


def _repeated(pick: random.Random) -> str:
    what = pick.choice(
        ("(", "NOT ", "-(", "(NOT ", '"', "OR ", "a OR ", "a-", "a ", "tag:(", "~", "*", "/", "/a/ ")
    )
    count = pick.choice((1, 10, 100, 1000, 3000))
    middle = pick.choice(("", "a", "model AND"))
    end = pick.choice(("", ")" * count, '"'))
    return what * count + middle + end


def _long(pick: random.Random) -> str:
    sign = pick.choice("aZ9é\u5b66\u0301-'.%\u00ad\ufdfa")
    return sign * pick.choice((100, 2000, 100_000)) + pick.choice(("", "*", "~", " b"))


def _many(pick: random.Random) -> str:
    ending = pick.choice(("", "*", "~", '"'))
    count = pick.choice((64, 300, 20_000))
    first = pick.choice(("", "-", "title:", '"', "zz", "NOT "))
    words = _words(pick, 60)
    return pick.choice((" ", " OR ")).join(f"{first}{words[at % len(words)]}{ending}" for at in range(count))


def _fielded(pick: random.Random) -> str:
    some = (f"{pick.choice(FIELDS)}:{pick.choice(VALUES)}" for _ in range(pick.randint(1, 5)))
    return pick.choice((" ", " OR ", "")).join(some)


def _patterned(pick: random.Random) -> str:
    some = (
        f"{pick.choice(('', 'title:', 'tag:', 'note:', '-note:', 'venue:'))}/{pick.choice(PATTERNS)}/"
        for _ in range(pick.choice((1, 2, 64)))
    )
    return pick.choice((" ", " OR ")).join(some)


def _odd_signs(pick: random.Random) -> str:
    return "".join(
        pick.choices((*ODD_SIGNS, *SIGNS, " ", "model", "שלום", "مرحبا", "深度学习"), k=pick.randint(1, 40))
    )


def _harmed(pick: random.Random) -> str:
    """Words of an abstract with signs put in and pieces taken out."""
    text = " ".join(_words(pick, 12))
    for _ in range(pick.randint(0, 6)):
        at = pick.randint(0, len(text))
        text = text[:at] + pick.choice(SIGNS) + text[at + pick.choice((0, 0, 1, 3)) :]
    return text


def _half_typed(pick: random.Random) -> str:
    query = pick.choice(GOLD)
    return query[: pick.randint(1, len(query))]


KINDS: Final[tuple[Callable[[random.Random], str], ...]] = (
    _many, _any_characters, _operators, _repeated, _long, _fielded, _patterned, _odd_signs, _harmed,
    _half_typed,
)  # fmt: skip
TURNS: Final = (*KINDS, *KINDS[1:])
"""Whose turn it is; the one that takes longest comes half as often."""
TEXTS: Final = [text for path in SEEDS for text in paragraphs(path)]
_GOLD_FILE: Final = SHARED / "gold" / "queries.jsonl"
GOLD: Final = (
    [json.loads(line)["query"] for line in _GOLD_FILE.read_text("utf-8").splitlines()]
    if _GOLD_FILE.exists()
    else ['"in the style of"', "fMRI OR EEG", "grokking NOT transformers", "name:GCNet", "has:link fMRI"]
)
"""Queries of people, to be typed letter by letter."""


def kind(number: int) -> Callable[[random.Random], str]:
    return TURNS[number % len(TURNS)]


def odd_text(number: int) -> str:
    """The odd input of this number, always the same."""
    return kind(number)(random.Random(SEED + number))


@pytest.fixture(scope="module")
def library(_filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The shipped lists, with something written about every twentieth paper."""
    folder = tmp_path_factory.mktemp("odd") / "library"
    shutil.copytree(_filled, folder)
    library = Library(folder)
    library.prepare()
    pick = random.Random(SEED)
    edits: list[tuple[str, str, Any]] = []
    for id in library.ids[::20]:
        mark = library.highlight(id, 10, 60, "method", " ".join(_words(pick, 5)))
        edits += [
            (id, "status", pick.choice(STATUSES)), (id, "rating", pick.randint(1, 5)),
            (id, "due", "2026-12-01"),
            (id, f"tags/{pick.choice(('moe', 'rg/deep', 'to read'))}", True),
            (id, "note", " ".join(_words(pick, 8)) + "\nsecond line"),
            (id, f"highlights/{mark.id}", mark.to_json()),
        ]  # fmt: skip
    do(library, *edits)
    yield library
    library.close()


@contextmanager
def hung_after(seconds: float, text: str) -> Iterator[None]:
    """Fails where the body takes so much processor time; the machine's other work does not count."""
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def fail(_signal: int, _frame: object) -> None:
        pytest.fail(f"after {seconds} s no answer to {text[:200]!r} ({len(text)} characters)")

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def size(node: Node) -> tuple[int, int]:
    """How many nodes a tree has, and how deep it is."""
    match node:
        case And(parts) | Or(parts):
            below = [size(part) for part in parts]
            return 1 + sum(count for count, _ in below), 1 + max(depth for _, depth in below)
        case Not(part):
            count, depth = size(part)
            return count + 1, depth + 1
    return 1, 1


def check(library: Library, text: str, *, typing: bool) -> None:
    """Ask, and look at whether the answer says something and is bounded."""
    with hung_after(PATIENCE, text):
        found = library.find(text, typing=typing)
    count, depth = size(found.query.tree)
    assert count <= 500 and depth <= 100
    assert len(found.query.text) <= 2000
    told = (*found.query.problems, found.did_you_mean or "")
    "\n".join(told).encode()
    assert all(len(line.splitlines()) <= 1 for line in told)
    assert len(set(found.ids)) == len(found.ids) and set(found.ids) <= set(library.ids)
    # Where nothing was left out in reading it, an empty list is due to what was asked for.
    asked = found.query.tree != Everything()
    assert found.ids or found.partial or found.hint or asked, f"nothing, and not a word why: {text[:200]!r}"


@pytest.mark.parametrize("of_kind", KINDS, ids=lambda of_kind: of_kind.__name__.strip("_"))
def test_odd_texts_are_answered(library: Library, of_kind: Callable[[random.Random], str]) -> None:
    for number in range(2000):
        if kind(number) is of_kind:
            check(library, odd_text(number), typing=number // len(TURNS) % 2 == 0)


@pytest.mark.parametrize("typing", [False, True])
def test_a_pasted_megabyte_is_answered(library: Library, typing: bool) -> None:
    words = " ".join(TEXTS)
    for text in (
        words * 2,
        words.replace(" ", "") * 2,
        words.replace(" ", "\n") * 2,
        '"' + words * 2,
        "\0" * 10**6,
    ):
        assert len(text) > 900_000
        check(library, text, typing=typing)


@pytest.mark.parametrize("typing", [False, True])
def test_what_people_ask_is_answered_at_every_letter(library: Library, typing: bool) -> None:
    for query in GOLD[:: 1 if typing else 4]:
        for end in range(1, len(query) + 1):
            check(library, query[:end], typing=typing)


@pytest.mark.slow
def test_many_more_odd_texts_are_answered_soon(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    """All 20,000, each as typed and as whole; prints the slowest."""
    slowest: list[tuple[float, float, str, bool, str]] = []
    for number in range(20_000):
        text = odd_text(number)
        for typing in (True, False):
            cpu, wall = time.thread_time(), time.perf_counter()
            check(library, text, typing=typing)
            cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
            slowest = sorted([*slowest, (cpu, wall, kind(number).__name__, typing, text[:60])], reverse=True)[
                :15
            ]
    with capsys.disabled():
        for cpu, wall, maker, typing, text in slowest:
            over = " OVER" if cpu > LONGEST else ""
            print(
                f"\n{cpu * 1000:7.1f} ms CPU {wall * 1000:7.1f} ms {maker} typing={typing} {text!r}{over}",
                end="",
            )
