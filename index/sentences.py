"""The sentences of an abstract, as spans: rules for scientific English, one pass from left to right."""

from __future__ import annotations

import re
from typing import Final

_CLOSERS: Final = r"""["'”’»)\]}*]*"""
_STOP: Final = re.compile(  # what it begins with comes first, so that `re` looks for that alone
    rf"[.!?…。！？｡।؟۔\n](?:(?P<stop>(?<=[.!?…])[.!?…]*{_CLOSERS})"
    r"|(?<=[。！？｡।؟۔])[。！？｡।؟۔]*[」』）”’]*|(?<=\n)\s*\n)"
)
_PART: Final = re.compile(r"[\s(\[{\"'“‘«/~—]")
"""Words stand between these."""
_JOINT: Final = re.compile("['’-]")
_NEXT: Final = re.compile(r"""(\s*)(["'“‘«(\[{*_]*)(\$|[ivx]+\)|\\?[^\W_][\w'’+-]*)?""")
_LONGEST_WORD: Final = 40
"""Characters looked at before a full stop; no abbreviation is longer."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST: Final = _words(
    "e.g eg i.e ie cf vs viz resp approx appr ca cp fig figs eq eqs eqn sec secs dr mr mrs prof"
)
"""Words whose full stop never ends a sentence."""
_SELDOM_LAST: Final = _words("al inc ltd co corp dept univ jr st mt ph.d")
"""Words whose full stop ends a sentence only where a new one clearly begins."""
_BEFORE_NUMBER: Final = _words(
    "no nos vol ch chap tab ref refs p pp app alg thm def prop lem cor art ver supp ex"
)
"""Words whose full stop does not end a sentence when a number follows."""
_DOTTED: Final = re.compile(r"[a-z]|(?:[a-z]{1,2}\.)+[a-z]{1,2}", re.IGNORECASE)
"""An initial, or letters with a dot between them: `J`, `U.S`, `i.i.d`, `w.r.t`."""
_OPENERS: Final = _words(
    """
    a additionally after all along also although among an and another as at based because besides both but by
    code compared consequently contrary conversely crucially currently data dataset despite due during each
    empirically even existing experimental experiments extensive finally first firstly for from furthermore
    further given hence here how however if importantly in indeed inspired instead interestingly it its later
    leveraging many meanwhile models more moreover most motivated namely nevertheless next no nonetheless
    notably now of on once one only other our overall over particularly previous prior project recent recently
    remarkably results second secondly several similarly since so some specifically still subsequently such
    surprisingly that the their then there thereby therefore these they third this those though through thus
    to together towards two typically ultimately under unfortunately unlike until using via we what when
    where whereas whether which while who why with within without yet you
    """
)
"""Words that clearly begin a sentence when they are capitalised."""
_SMALL_OPENERS: Final = _words("we our this these the however code source bullet http https www")
"""Words that begin a sentence in small letters too."""


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences of `text` as (start, end) in code points, in order.

    Outside the spans stands nothing but white space. A single line feed is a space, a blank line
    ends a sentence. Time grows with the length of the text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        if match["stop"] is None or _ends(text, start, match):
            _add(spans, text, start, match.end())
            start = match.end()
    _add(spans, text, start, len(text))
    return tuple(spans)


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add `text[start:end]` without the white space around it, unless nothing is left."""
    piece = text[start:end]
    if body := piece.strip():
        start += len(piece) - len(piece.lstrip())
        spans.append((start, start + len(body)))


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the stop that `match` found ends the sentence that began at `start`."""
    stop = match[0]
    word = _PART.split(text[max(start, match.start() - _LONGEST_WORD) : match.start()])[-1]
    after = _NEXT.match(text, match.end())
    space, opening, following = after.groups("") if after else ("", "", "")
    opens = following[:1].isupper() and _JOINT.split(following, 1)[0].casefold() in _OPENERS
    if not space:
        return opens and len(word) > 3 and ((word.islower() and word.isalpha()) or word[-1] in ")%")
    if not _can_begin(opening, following):
        return False
    first = match.start() - start <= len(word) + 1
    if word.isdigit() and (first or stop == ".)"):
        return False
    if stop[0] != ".":
        return opens or first or not (stop == "!" and word[:1].isupper())
    key = word if word.isupper() else word.casefold()
    if key in _NEVER_LAST:
        return False
    if key in _BEFORE_NUMBER:
        return not following[:1].isdigit()
    if key == "etc":
        return opens or (stop == "." and following.istitle())
    if key in _SELDOM_LAST or _DOTTED.fullmatch(word):
        return opens
    return True


def _can_begin(opening: str, following: str) -> bool:
    """Whether a sentence can begin so: a capital, a digit, `$`, `gCOG`, `(ii)`, a link, a small `we`."""
    if not following:
        return False
    if not following[0].islower() or following in _SMALL_OPENERS:
        return True
    return opening[-1:] == "(" if following[-1] == ")" else not following.islower()
