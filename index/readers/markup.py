"""HTML and JATS markup inside a text into plain text."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from index.readers.mojibake import cleaned

_BLOCK: Final = re.compile(
    r"<\s*/?\s*(?:jats:)?(?:p|br|div|li|ul|ol|sec|title|h[1-6]|tr|table|blockquote)\b[^<>]*>", re.IGNORECASE
)
_TAG: Final = re.compile(r"</?(?:jats:|mml:)?[A-Za-z][A-Za-z0-9:-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
_GAPS: Final = re.compile(r"[ \t]*\n[ \t]*(?:\n[ \t]*)*")


def plain(text: str) -> str:
    """The text without tags, entities resolved; each paragraph on lines of its own.

    Only what looks like a tag by its name goes: `a < b` and `p<0.05` stay. Entities that were escaped twice,
    as feeds do, are resolved twice.
    """
    text = unescape(_TAG.sub("", _BLOCK.sub("\n", text)))
    if re.search(
        r"&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});|</?(?:i|b|em|sub|sup|p|br|jats:\w+)\b[^<>]*>",
        text,
        re.IGNORECASE,
    ):
        text = unescape(_TAG.sub("", _BLOCK.sub("\n", text)))
    return _GAPS.sub("\n", cleaned(text)).strip()
