"""A heading for a paper that was listed without its title, taken from the words of its abstract."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from index.names import Name, introduced
from index.sentences import sentences

WIDTH: Final = 72
"""Characters that a heading has at most."""
_LOOKED_AT: Final = 5_000
"""Characters of an abstract that are looked at; what a paper does stands near the beginning."""
_LEAST: Final = 52
"""A long heading is ended before `for`, `with`, … only where it is longer than this by then."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A heading of one line, and the name that the abstract introduces."""

    heading: str
    name: str | None


def derive(abstract: str) -> Derived:
    """The heading and the name for `abstract`; a text without a letter may give an empty heading.

    The heading has at most `WIDTH` characters and no line break, whatever the text holds.
    """
    text = _plain(abstract)
    parts = _parts(text)
    name = introduced(parts)
    heading = _titled(name, parts) if name else _fit(_capitalised(_statement(parts) or _first(parts)), WIDTH)
    return Derived(heading or _fit(text, WIDTH) or text[:WIDTH].rstrip(), name.text if name else None)


def name_of(abstract: str) -> str | None:
    """The name alone: of a paper that has a title, at half the cost of `derive`."""
    name = introduced(_parts(_plain(abstract)))
    return name.text if name else None


def _parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


_MARKUP: Final = (
    (re.compile(r"\\(?:text|math|emph|it|bf|sc|tt|rm|sl)\w*\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\{\\(?:bf|it|sc|tt|em|rm|sl)\s+([^{}]*)\}"), r"\1"),
    (re.compile(r"\*\*|[{}$]|\\(?=[%&_#A-Za-z])"), ""),
    (re.compile(r"``|''"), '"'),
)
_MARKED: Final = re.compile(r"[\\{}$*`']")
"""Where it is not found, no markup is."""


def _plain(abstract: str) -> str:
    """The beginning of `abstract` on one line and without the marks of TeX and Markdown."""
    text = abstract.lstrip()[:_LOOKED_AT]
    if _MARKED.search(text):
        for pattern, plain in _MARKUP:
            text = pattern.sub(plain, text)
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(filter(str.isprintable, text)).strip()


# --- the sentence that says what a paper does

_AUTHORS: Final = re.compile(
    r"\b(?:we|i|(?:this|our|the present) (?:[\w-]+ )?"
    r"(?:paper|work|study|article|survey|research|report|thesis|goal))"
    r"(?: (?:first|then|here|therefore|thus|instead|have|can|put|aims? to|seeks? to|attempts? to|propose to|"
    r"begin by|\w+ly))* ",
    re.IGNORECASE,
)
_MAKE: Final = (
    r"(?:introduc|propos|present|develop|describ|design|build|construct|devis|creat|contribut|formulat|"
    r"formaliz|defin|provid|offer|report)(?:es?|s|ed|ing)?(?: and \w+)?"
)
_STUDY: Final = (
    r"(?:(?:stud|investigat|explor|examin|analy[sz]|address|tackl|consider|revisit|question|characteri[sz]|"
    r"understand|evaluat|quantif|compar|prob|identif|uncover|measur|survey|review|assess|discuss|unif)"
    r"(?:es|e|s|y|ies|ied|ed|ing)?|focus(?:es)? on|center on|delves? into|ask|test)"
    r"(?: and \w+)?(?: in (?:detail|depth))?"
)
_FIND: Final = (
    r"(?:shows?|finds?|found|demonstrates?|argues?|hypothesi[sz]e|prove|observe|reveals?|discover|"
    r"suggests?|contend|verify|propose|report|conclude)(?:(?: [\w-]+){0,6}? that)?"
)
_DOES: Final = tuple(
    (cost, re.compile(rf"{verbs} (?P<what>.+)", re.IGNORECASE))
    for cost, verbs in ((0.0, _MAKE), (0.2, _STUDY), (1.0, _FIND), (2.3, r"\w+"))
)
"""How well what authors do tells what a paper is about: the less, the better."""
_PROPOSING: Final = re.compile(r"\b(?:introducing|proposing|presenting) (?P<what>.+)", re.IGNORECASE)
_GOAL: Final = re.compile(
    r"\b(?:goal|aim|objective|purpose)s?\b[^.]{0,30}? (?:is|was) to (?P<what>.+)", re.IGNORECASE
)
_PASSIVE: Final = re.compile(
    r"\A(?P<what>.+?) (?:is|are) (?:proposed|introduced|presented|investigated|studied)\b(?P<rest>.*)"
)
_OTHERWISE: Final = (
    (0.4, _PROPOSING, ("introducing ", "proposing ", "presenting ")),
    (1.0, _GOAL, ("goal", "aim", "objective", "purpose")),
    (1.2, _PASSIVE, (" proposed", " introduced", " presented", " investigated", " studied")),
)
"""Of each also what stands in every sentence that it fits: a search for that is twenty times as fast."""
_AUTHORS_WORDS: Final = (
    *("we ", "i ", "paper ", "work ", "study ", "article ", "survey ", "research ", "report ", "thesis "),
    "goal ",
)
_HERE: Final = re.compile(
    r"\b(?:(?:this|our|the present) (?:[\w-]+ )?(?:paper|work|study|article|survey)|here|to this end)\b",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:also|further|furthermore|finally|additionally|moreover|lastly)\b", re.IGNORECASE
)
_POINTS_BACK: Final = re.compile(
    r"(?:\S+ ){0,6}(?:they|it|this|these|those|such(?! as)|them|same|above|previous|proposed|our)\b",
    re.IGNORECASE,
)
_CONCESSION: Final = re.compile(
    r"\A(?:despite|while|although|though|recently|in recent years|with|as|since)\b[^,]{0,160}, (?=\S)",
    re.IGNORECASE,
)
_RELATIVE: Final = re.compile(r",? (?:that|which|where) ")
_SAYS_LITTLE: Final = re.compile(
    r"(?:[\w-]+ ){0,2}(?:evidence|results?|experiments?|questions?|answers?|problem|issues?|solution|"
    r"insights?|analys[ie]s|understanding|challenges?|gap|settings?|possibility|case|findings?|"
    r"contributions?|overview|study|studies|advantage|evaluation)\b",
    re.IGNORECASE,
)


_TOO_LITTLE: Final = 2.6
"""A statement that costs more is worse than the first sentence."""


def _statement(parts: Sequence[str]) -> str:
    """What the paper does, in the words of the sentence that says it best; empty if none says it well."""
    best = (_TOO_LITTLE, "")
    for number, part in enumerate(parts):
        if 0.12 * number - 1.2 >= best[0]:
            break
        doings = _doings(part)
        if not doings:
            continue
        penalty = 0.12 * number - 1.2 * bool(_HERE.search(part)) + bool(_LATER.search(part, 0, 40))
        for base, found in doings:
            if base + penalty >= best[0]:
                continue
            what = _lean(_AND_DOES.sub("", "".join(filter(None, found.groups()))))
            cost = base + penalty + bool(_SAYS_LITTLE.match(what)) + 1.4 * _points_back(what)
            cost += 2 * (len(what) < 24)
            if cost < best[0]:
                best = (cost, what)
    return _THIS.sub("", best[1])


def _first(parts: Sequence[str]) -> str:
    """The main clause of the first sentence."""
    return _lean(_CONCESSION.sub("", parts[0])) if parts else ""


_AND_DOES: Final = re.compile(r"\A(?:this|these|such|that) [\w-]+ (?:and|by) \w+ (?=\w)", re.IGNORECASE)
_THIS: Final = re.compile(r"\A(?:these|this|we can) (?=\w)", re.IGNORECASE)


def _points_back(what: str) -> bool:
    """Whether the words before the first relative clause need an earlier sentence."""
    return _POINTS_BACK.match(_RELATIVE.split(what, maxsplit=1)[0]) is not None


def _doings(part: str) -> list[tuple[float, re.Match[str]]]:
    """What each clause of a sentence says that the authors do, with how little that tells."""
    doings: list[tuple[float, re.Match[str]]] = []
    small = part.lower()
    if any(map(small.__contains__, _AUTHORS_WORDS)):
        for authors in _AUTHORS.finditer(part):
            for cost, pattern in _DOES:
                if found := pattern.match(part, authors.end()):
                    doings.append((cost, found))
                    break
    for cost, pattern, words in _OTHERWISE:
        if any(map(small.__contains__, words)) and (found := pattern.search(part)):
            doings.append((cost, found))
    return doings


# --- a heading for what has a name

_AFTER: Final = re.compile(
    r"[\"”’`')\s]*(?:\([^()]*\)\s*)?(?:and \S+?)?(?:(?!that|which|is|are|and)[\w-]+)??"
    r"\s*(?:[,:(]|--?|—|–)?\s*(?:for the first time, )?(?:(?:which |that )?(?:is|are) )?"
    r"(?P<what>(?:an?|the|our|one|its) .+|(?:for|to|using|with|on|of) (?!which).+|(?<=: )\w.+"
    r"|(?<=, )(?!which|that|and|we|where|while|but|or|can|in|with|\w+s )\w+ \w.+)"
)
_CLAUSE: Final = re.compile(
    r"[\"”’`')\s]*(?:\([^()]*\)\s*)?(?:\w+)?,? (?:with which we \w+|which|that) (?P<what>\w+ .+)"
)
_BROUGHT: Final = re.compile(
    r"(?:.*\b(?:introduc|propos|present|develop|build|construct|design|creat|curat|describ|devis)\w* "
    r"(?P<what>.+?)(?:,|:| --?| —)?(?: (?:called|named|namely|dubbed|termed|coined|i\.e\.),?)?"
    r"|(?:the|our) (?P<ours>[^,]+?)(?:,| is) (?:called|named|dubbed|termed|denoted)(?: as)?) ?[\"“'‘(]*$",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"(?:\w[\w ,]{0,30}, )?(?:the )?")
_BEFORE_SUBJECT: Final = 37
"""Characters that `_SUBJECT` has at most."""
_DOES_SO: Final = re.compile(r" (?P<what>[a-z]+(?<!\b[ia])s .+)")
_KIND_AFTER: Final = re.compile(r"[\"”)]*( (?:dataset|benchmark|challenge|task|corpus|loss|test))\b")
_JOINT: Final = re.compile(r"(?:for|to|using|with|on|of)\b")
_BARE_KIND: Final = re.compile(
    r"(?:[\w-]+ ){0,3}(?:method|framework|approach|model|technique|algorithm|mechanism|strategy) (?=for |to )"
)


def _titled(name: Name, parts: Sequence[str]) -> str:
    """`Name: what it is`, with its long form where the text spells one."""
    label = f"{name.text}: "
    if len(label) > WIDTH - 16:
        return _fit(name.text, WIDTH)
    return _fit(label + _described(name, parts), WIDTH, len(label))


def _described(name: Name, parts: Sequence[str]) -> str:
    """What the sentence says that the name is, else what the paper does."""
    part = parts[name.sentence]
    after = _AFTER.match(part, name.end)
    what = _lean(after["what"]) if after else ""
    if name.long:
        kind = _KIND_AFTER.match(part, name.end)
        long = name.long + (kind[1] if kind else "")
        what = _BARE_KIND.sub("", what)
        return f"{long} {what}" if _JOINT.match(what) else ", ".join(filter(None, (long, what)))
    brought = _BROUGHT.match(part[: name.start])
    kind_before = _lean(brought["what"] or brought["ours"]) if brought else ""
    if " " in kind_before and (not what or _JOINT.match(what)):
        return f"{kind_before} {what}".strip()
    first = ""
    for choice in _choices(name, parts, what):
        if len(choice) > 12 and name.text not in choice[:50]:
            if not _points_back(choice):
                return choice
            first = first or choice
    return first


def _choices(name: Name, parts: Sequence[str], what: str) -> Iterator[str]:
    """What may be said of a name, the best first; `what` stands behind it where it is introduced."""
    yield re.sub(r"^to (?:\w+ly )?", "", what)
    if clause := _CLAUSE.match(parts[name.sentence], name.end):
        yield _lean(clause["what"])
    for later in parts[name.sentence + 1 :]:
        at = later.rfind(name.text, 0, _BEFORE_SUBJECT + len(name.text))
        while at >= 0:
            if _SUBJECT.fullmatch(later, 0, at) and (does := _DOES_SO.match(later, at + len(name.text))):
                yield _lean(does["what"])
                break
            at = later.rfind(name.text, 0, at + len(name.text) - 1)
    yield _statement(parts)
    yield _statement([other for other in parts if name.text not in other])


# --- the words of a heading

_LEADING: Final = re.compile(
    r"\A(?:(?:an?|the|our|some|several|novel|new|first|simple|yet|but|effective|powerful|comprehensive|"
    r"extensive|and|resulting|conceptually|highly|very|truly|careful|thorough|what is|to our knowledge|"
    r"for the first time|(?:use|idea|concept|notion|task|problem|question) of|that|both|forward|ours,|"
    r"to study|to use|,) )+(?=\S)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\s*\((?:[^()]|\([^()]*\))*\)|\s*\[[\d, –-]+\]|,? ?\b(?:e\.g\.|i\.e\.),?[^,;:.]*"
    r"|,? (?:in this (?:work|paper))\b"
)
_KNOWN_AS: Final = re.compile(r"\bth(?:is|ese) \w+, (?:called|termed|known as|named) ")
_NEXT_CLAUSE: Final = re.compile(
    r",? and (?:demonstrat|show|present|propos|find|evaluat|adopt|introduc|construct|verif|use|then|"
    r"release|appl|provid|analy[sz]|meticulously)\w* "
)
_STRONG_END: Final = re.compile(
    r"[;:] |\. |,? but | (?:--?|—|–) |,? (?:which|where|wherein|while|whereas|whose|so that|thereby|aiming) "
    r"|, \w+ing "
)
_WEAK_END: Final = re.compile(
    r",? (?:that|for|in|by|using|via|through|to|with|from|across|on|when|under|based on|as|without|into) |, "
)
_DANGLING: Final = re.compile(
    r"\s(?:an?|the|of|and|or|for|in|on|by|to|with|from|as|at|that|which|is|are|its|their|our|into|via|using|"
    r"between|both|such|more|most|not|can|be|than|we|across|through|how|whether|over|under|when|where|"
    r"designed|specifically|capable|consisting|obtained|collected|trained|followed|based|but|"
    r"corresponding|coupled|compared|anchored|made|have|been|(?:that|which|who) \w+|depends?)$",
    re.IGNORECASE,
)


def _lean(phrase: str) -> str:
    """`phrase` without asides, without articles and praise at its head, without its full stop."""
    if "(" in phrase or "[" in phrase or "e.g." in phrase or "i.e." in phrase or "in this " in phrase:
        phrase = _ASIDE.sub("", phrase)
    phrase = _KNOWN_AS.sub("", phrase).strip()
    return _LEADING.sub("", phrase).rstrip(".,;: ")


def _capitalised(phrase: str) -> str:
    """`phrase` with a capital at its head, unless the first word has one of its own (`gCOG`)."""
    first = phrase.split(" ", 1)[0]
    return phrase if any(map(str.isupper, first)) else phrase[:1].upper() + phrase[1:]


def _fit(phrase: str, width: int, label: int = 0) -> str:
    """`phrase` within `width`: ended where a clause ends, else after a word and with an ellipsis.

    The first `label` characters are kept whole.
    """
    if following := _NEXT_CLAUSE.search(phrase, max(16, label + 12)):
        phrase = phrase[: following.start()]
    strong = _STRONG_END.search(phrase, max(34, label + 12))
    if strong and strong.start() <= width:
        phrase = phrase[: strong.start()]
    if len(phrase) <= width:
        return _tidy(phrase)
    ends = [weak.start() for weak in _WEAK_END.finditer(phrase, max(_LEAST, label + 12), width + 12)]
    if ends := [end for end in ends if end <= width]:
        return _tidy(phrase[: ends[-1]])
    cut = _cut(phrase, width, label)
    return cut[:-1] if _WEAK_END.match(phrase, len(cut) - 1) else cut


def _cut(phrase: str, width: int, label: int = 0) -> str:
    """`phrase`, if it is longer than `width`, ended after a word and with an ellipsis."""
    if len(phrase) <= width:
        return phrase
    cut = phrase[: width - 1]
    if phrase[width - 1] != " " and " " in cut[label:]:
        cut = cut[: cut.rindex(" ")]
    return _tidy(cut) + "…"


def _tidy(phrase: str) -> str:
    """`phrase` without small words, commas and half brackets at its end."""
    for opening, closing in ("()", "[]", "“”"):
        if phrase.count(opening) > phrase.count(closing):
            phrase = phrase[: phrase.rindex(opening)] or phrase.replace(opening, "")
    if phrase.count('"') % 2:
        phrase = phrase.replace('"', "")
    while (shorter := _DANGLING.sub("", phrase.rstrip(" ,;:.–—-"))) != phrase:
        phrase = shorter
    return phrase.lstrip()


# --- headings that are alone

_TELLING: Final = re.compile(r"\b[^\W\d_]{5,20}\b")


def distinct(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """For rows of (id, heading, abstract): a heading each, unlike every other when case is folded.

    One that is alone already stays as it is, unless it is too long. The others get words that few
    of their abstracts have, or a piece of the id. What a paper gets does not depend on the order
    of the rows.
    """
    headings = [_cut(row[1], WIDTH) for row in rows]
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(range(len(rows)), key=lambda number: rows[number]):
        groups[headings[number].casefold()].append(number)
    taken = {folded for folded, alike in groups.items() if len(alike) == 1}
    for _, alike in sorted(groups.items()):
        if len(alike) > 1:
            words = [_TELLING.findall(rows[number][2][:_LOOKED_AT].casefold()) for number in alike]
            spread = Counter(word for found in words for word in set(found))
            for number, found in zip(alike, words, strict=True):
                rare = sorted(dict.fromkeys(found), key=spread.__getitem__)
                headings[number] = _told_apart(headings[number], rare[:4], rows[number][0], taken)
                taken.add(headings[number].casefold())
    return headings


def _told_apart(heading: str, rare: Sequence[str], id: str, taken: set[str]) -> str:
    """`heading` with one word or two of `rare`, else with a piece of `id`, so that it is not `taken`."""
    choices = [" ".join(rare[:2]), *rare, *(id[:size] for size in range(4, 11))]
    numbered = (f"{id[:10]} {number}" for number in count(2))
    for words in chain(filter(None, choices), numbered):
        told = f" ({words})"
        candidate = (_cut(heading.removesuffix("…"), WIDTH - len(told)) + told).strip()
        if candidate.casefold() not in taken:
            break
    return candidate
