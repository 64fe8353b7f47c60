"""HTML and JATS markup inside a text into plain text."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from index.readers.mojibake import cleaned

_ATTRIBUTES: Final = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))*\s*"""
_BLOCKS: Final = r"(?:jats:)?(?:p|br|div|li|ul|ol|sec|title|h[1-6]|tr|table|blockquote)"
_BLOCK: Final = re.compile(rf"<\s*(?:/\s*)?{_BLOCKS}{_ATTRIBUTES}/?\s*>", re.IGNORECASE)
_NAMES: Final = (
    r"(?:jats|mml|m):[a-z][a-z0-9-]*|[a-z]+(?:-[a-z]+)+"
    r"|em|strong|sub|sup|span|font|small|big|tt|code|pre|cite|abbr|mark|del|ins|img|hr|td|th|tbody|thead|dl|dt|dd"
    r"|html|body|section|article|header|figure|label|list|italic|bold|sc|monospace|underline|break|title|abstract"
    r"|abstracttext|math|semantics|annotation|m(?:row|i|n|o|sup|sub|subsup|frac|text|space|over|under|underover"
    r"|stack|style|table|tr|td|fenced|padded|root|sqrt|multiscripts|prescripts)|formula|inf|xref|ext|uri|email"
)
_TAG: Final = re.compile(rf"</?(?:{_NAMES}){_ATTRIBUTES}/?>", re.IGNORECASE)
_LETTER: Final = re.compile(rf"<(/?)([abiqsu]){_ATTRIBUTES}>", re.IGNORECASE)
"""A tag of one letter, which is one only where it is closed: `A<B>` is not."""
_DOUBLY: Final = re.compile(
    rf"&(?:[a-z]{{2,8}}|#\d{{1,6}}|#x[0-9a-f]{{1,5}});|</?(?:i|b|em|sub|sup|p|br|jats:\w+){_ATTRIBUTES}/?>",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """The text without tags, entities resolved; each paragraph on lines of its own.

    Only what looks like a tag by its name goes: `a < b` and `p<0.05` stay. Entities that were escaped twice,
    as feeds do, are resolved twice.
    """
    text = unescape(_untagged(text))
    if _DOUBLY.search(text):
        text = unescape(_untagged(text))
    lines = (line.strip(" \t") for line in cleaned(text).split("\n"))
    return "\n".join(filter(None, lines)).strip()


def _untagged(text: str) -> str:
    if "<" not in text:
        return text
    text = _TAG.sub("", _BLOCK.sub("\n", _uncommented(text)))
    closed = {found[2].lower() for found in _LETTER.finditer(text) if found[1]}
    return _LETTER.sub(lambda found: "" if found[2].lower() in closed else found[0], text)


def _uncommented(text: str) -> str:
    """The text without `<!-- … -->`; found by hand, since an expression looks for each end anew."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:]))
