"""A note as it reads: Markdown into stretches of text. Line breaks stay as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from index.note_links import LINK

Styled: TypeAlias = tuple[int, int, str]
"""A span of the text in which it stands, and the name of a style."""


class Part(NamedTuple):
    """A stretch of text in one style, spans of it in others, and where it leads.

    Its first line has a sign, or a colour's number, in the gutter. `lead` stands before its first line,
    `hang` before those that follow.
    """

    style: str
    text: str
    sign: str = " "
    colour: str = ""
    link: str = ""
    lead: str = ""
    hang: str = ""
    spans: tuple[Styled, ...] = ()


NOTE_STYLES: Final = ("section", "title", "strong", "emphasis", "struck", "code", "link", "gone")
LONGEST: Final = 20_000
"""Characters of a note that are shown: it is laid out anew while it is written, 100,000 in 18 ms and more."""
MOST: Final = 2000
"""Lines of a note that are shown."""
WIDEST: Final = 12
"""Cells of the widest indent."""
DEEPEST: Final = 4
"""Marks within marks that are looked for."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?= |$)")
_ITEM: Final = re.compile(r"( *)([-*+]|\d{1,9}[.)]) +(\[[ xX]\] +)?")
_QUOTE: Final = re.compile(r" {0,3}((?:> ?){1,6})")
_RULE: Final = re.compile(r" {0,3}([-*_])(?: *\1){2,} *")
_INLINE: Final = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`{1,9})(?P<code>[^`].{0,500}?)(?<!`)(?P=ticks)(?!`)"
    rf"|(?P<link>{LINK.pattern})"
    r"|!?\[(?P<shown>[^\[\]]{1,300})\]\([^()\s]{0,1000}(?: \"[^\"]{0,300}\")?\)"
    r"|<(?P<closed>https?://[^<>\s]{1,1000})>"
    r"|(?P<address>https?://[^\s<>\[\]]{1,1000})"
    r"|(?P<two>\*\*|__|~~)(?=[^\s*_~])(?P<strong>.{1,500}?)(?<=\S)(?P=two)(?![*_~])"
    r"|(?<!\w)(?P<one>[*_])(?=[^\s*_])(?P<emphasis>.{1,500}?)(?<=\S)(?P=one)(?!\w)"
)


def note_parts(note: str, headings: Mapping[str, str], width: int, rule: str) -> Iterator[Part]:
    """The note in parts. `headings` are those of the papers that it links to, as far as they are here."""
    shown = "\n".join(note[:LONGEST].split("\n", MOST)[:MOST])
    fence = ""
    for line in shown.split("\n"):
        mark = _FENCE.match(line)
        if fence and mark and mark[1].startswith(fence):
            fence = ""
        elif fence:
            yield Part("code", line, lead="  ", hang="  ")
        elif mark:
            fence = mark[1]
        elif _RULE.fullmatch(line):
            yield Part("quiet", rule * width)
        else:
            yield _line(line, headings)
    if more := len(note) - len(shown):
        yield Part("quiet", f"… {more:,} more characters; e and E show them all")


def _line(line: str, headings: Mapping[str, str]) -> Part:
    style, lead, hang = "text", "", ""
    if quote := _QUOTE.match(line):
        line = line[quote.end() :]
        lead = hang = "│ " * quote[1].count(">")
    if heading := _HEADING.match(line):
        style, line = "title", line[heading.end() :].strip().rstrip("#").rstrip()
    elif item := _ITEM.match(line):
        line = line[item.end() :]
        sign = item[2] if item[2][0].isdigit() else "•"
        sign += f" {item[3].strip()} " if item[3] else " "
        lead += item[1][:WIDEST] + sign
        hang += " " * (len(lead) - len(hang))
    text, spans = inline(line, headings)
    return Part(style, text, lead=lead, hang=hang, spans=tuple(spans))


def inline(source: str, headings: Mapping[str, str], depth: int = 0) -> tuple[str, list[Styled]]:
    """A line without its marks, and what they mean: strong, emphasis, struck, code, link, gone."""
    text, spans, at = "", [], 0
    for found in _INLINE.finditer(source) if depth < DEEPEST else ():
        text += source[at : found.start()]
        at = found.end()
        shown, style = _shown(found, headings)
        inside: list[Styled] = []
        if style in ("strong", "struck", "emphasis"):
            shown, inside = inline(shown, headings, depth + 1)
        if style:
            spans.append((len(text), len(text) + len(shown), style))
        spans += [(start + len(text), end + len(text), name) for start, end, name in inside]
        text += shown
    return text + source[at:], spans


def _shown(found: re.Match[str], headings: Mapping[str, str]) -> tuple[str, str]:
    """What is shown of a mark, and in which style."""
    if found["link"] and (link := LINK.fullmatch(found["link"])):
        heading = headings.get(link[1])
        return link[2] or heading or link[1], "gone" if heading is None else "link"
    for name in ("code", "emphasis"):
        if found[name]:
            return found[name], name
    if found["strong"]:
        return found["strong"], "struck" if found["two"] == "~~" else "strong"
    if found["escaped"]:
        return found["escaped"], ""
    return found["shown"] or found["closed"] or found["address"], "link"
