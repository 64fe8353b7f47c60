"""Whether a regular expression is one to run on every paper, and running it in bounded time."""

from __future__ import annotations

import re
from time import thread_time
from typing import Final

LONGEST: Final = 200
MOST_WAYS: Final = 18
"""Powers of two of the ways to match at one place of a line of about 300 characters."""
ENDLESS_WAYS: Final = 8
"""What one `*`, `+` or long `{m,n}` counts for; a `?` counts for 1, a group of four choices for 2."""
LENGTH: Final = 300
"""Characters given to a pattern at a time: its time is bounded for so much."""
OVERLAP: Final = 100
"""Characters that two pieces of a long line share."""

_PIECE: Final = re.compile(
    r"(?P<odd>\(\?(?!:|=|!|<=|<!)|\\[1-9])|(?P<open>\((?:\?(?::|<?[=!]))?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<span>\{(?P<least>[0-9]*),(?P<most>[0-9]*)\}[?+]?)|(?P<exact>\{[0-9]+\}[?+]?)"
    r"|(?P<endless>[*+][?+]?)|(?P<maybe>\?[?+]?)|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<atom>\\.|.)",
    re.DOTALL,
)
_SIGNS: Final = {"open": "(", "close": ")", "bar": "|", "endless": "*", "maybe": "?", "exact": "="}
_ODD_SET: Final = re.compile(r"\[|--|&&|~~|\|\|")
_GROUP: Final = re.compile(r"\(([^()]*)\)")
_NO_WIDTH: Final = ("^", "$", r"\b", r"\B", r"\A", r"\Z")
_REPEATED: Final = re.compile(r"R[*=]")


def fault(pattern: str) -> str | None:
    """Why `pattern` is refused, or None when it compiles and does not run away on a line of text.

    Refused are backreferences, flags, a repeat of a group that holds a repeat or a choice (the time
    can be exponential in the length of the text), two repeats that can share out the same letters in
    many ways (`.*.*`), and more repeats and choices than `MOST_WAYS`. Strict: some harmless patterns
    are refused too.
    """
    if len(pattern) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    pieces = list(_PIECE.finditer(pattern))
    reason = _odd(pieces)
    if reason:
        return reason
    try:
        re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return _runs_away(pieces) or _shares_out(pieces)


def _odd(pieces: list[re.Match[str]]) -> str | None:
    """What is not allowed at all, and what Python would warn of."""
    for piece in pieces:
        if piece.lastgroup == "odd":
            return f'"{piece[0]}" is not allowed in it'
        if piece[0] == "[":
            return "a [ in it is not closed"
        if piece.lastgroup == "set" and _ODD_SET.search(piece[0], 1):
            return "within brackets write \\[ and no sign twice"
    return None


def _runs_away(pieces: list[re.Match[str]]) -> str | None:
    ways = 0
    bones = ""  # the pattern with one sign for each piece
    for piece in pieces:
        kind = piece.lastgroup or "atom"
        if kind == "span":
            short = piece["most"] and int(piece["most"]) <= 10
            ways += (int(piece["most"]) - int(piece["least"] or 0)).bit_length() if short else ENDLESS_WAYS
            kind = "exact"
        bones += _SIGNS.get(kind, "a")
    ways += ENDLESS_WAYS * bones.count("*") + bones.count("?")
    for _ in range(bones.count("(")):  # the innermost groups first, R for one that matches in many ways
        ways += sum(group.count("|").bit_length() for group in _GROUP.findall(bones))
        bones = _GROUP.sub(lambda group: "R" if re.search(r"[R*?=|]", group[1]) else "a", bones)
        if _REPEATED.search(bones):
            return "a group that holds a repeat or a choice is repeated"
    return "it has too many repeats and choices; use fewer of * + ? |" if ways > MOST_WAYS else None


def _shares_out(pieces: list[re.Match[str]]) -> str | None:
    """Whether two repeats that can each take the whole line have nothing between that must be there."""
    wide = False  # whether such a repeat stands before, and nothing since that must be there
    sign = ""
    for at, piece in enumerate(pieces):
        follows = pieces[at + 1].lastgroup if at + 1 < len(pieces) else None
        if piece.lastgroup in ("atom", "set"):
            sign = piece[0]
            optional = follows in ("maybe", "endless", "span", "close") or sign in _NO_WIDTH
            wide = wide and optional
        elif piece.lastgroup == "endless" and all(re.fullmatch(sign, char) for char in "a "):
            if wide:
                return "nothing between two repeats that each take any sign; write one"
            wide = True
    return None


class Patience:
    """How long the patterns of one query may go on, from the first text on."""

    def __init__(self, seconds: float) -> None:
        """Seconds of CPU of this thread."""
        self._seconds = seconds
        self._until: float | None = None
        self._unseen = 0  # characters searched since the last look at the clock, which takes 0.7 µs
        self.ended = False
        """Whether the time is over, so that not all was looked at."""

    def holds(self, pattern: re.Pattern[str], text: str) -> bool:
        """Whether a line of `text` holds `pattern`, as far as the time goes.

        A long line is searched in overlapping pieces.
        """
        step = LENGTH - OVERLAP
        for line in text.split("\n"):
            for start in range(0, max(1, len(line) - OVERLAP), step):
                self._unseen += min(len(line), LENGTH)
                if self._unseen >= LENGTH and self._late():
                    return False
                end = start + LENGTH
                found = pattern.search(line, start, end)
                # What begins in the overlap is left to the next piece, which sees what comes after it.
                if found and (end >= len(line) or found.start() < start + step):
                    return True
        return False

    def _late(self) -> bool:
        """A look at the clock: whether the time is over."""
        now = thread_time()
        if self._until is None:
            self._until = now + self._seconds
        self.ended = now > self._until
        if not self.ended:
            self._unseen = 0
        return self.ended
