"""Names in the parts that other programs sort by."""

from __future__ import annotations

import re
from typing import Final

_BODY: Final = re.compile(
    r"\b(?:and|the|of|for|collaborations?|consortium|team|group|project|initiative|network|committee|council"
    r"|university|institute|laborator(?:y|ies)|labs?|research|foundation|organi[sz]ation|association|society"
    r"|agency|ministry|department|inc|ltd|llc|gmbh|corp|company|community|working|investigators|authors)\b",
    re.IGNORECASE,
)
"""What a body of people is called."""


def parted(name: str) -> tuple[str, str, str] | None:
    """The family name, the given one and what follows, such as `Jr`; None for a body, or a single name.

    A family name is the last word, with the words in small letters before it: `van der Berg`.
    """
    bare, _, suffix = name.partition(",")
    words = bare.split()
    if len(words) < 2 or _BODY.search(name):
        return None
    first = len(words) - 1
    while first > 1 and words[first - 1].islower():
        first -= 1
    return " ".join(words[first:]), " ".join(words[:first]), suffix.strip()
