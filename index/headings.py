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
_LEAST: Final = 42
"""A heading shorter than this is filled up to the width rather than ended where a clause ends."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A heading of one line, and the name that the abstract introduces."""

    heading: str
    name: str | None


def derive(abstract: str) -> Derived:
    """The heading and the name for `abstract`; an empty text gives an empty heading.

    The heading has at most `WIDTH` characters and no line break, whatever the text holds.
    """
    text = _plain(abstract[:_LOOKED_AT])
    parts = [text[start:end] for start, end in sentences(text)]
    name = introduced(parts)
    if name is None:
        return Derived(_fit(_capitalised(_statement(parts) or _lean(" ".join(parts[:1]))), WIDTH), None)
    return Derived(_titled(name, parts), name.text)


_MARKUP: Final = (
    (re.compile(r"\\(?:text|math|emph|it|bf|sc|tt|rm|sl)\w*\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\{\\(?:bf|it|sc|tt|em|rm|sl)\s+([^{}]*)\}"), r"\1"),
    (re.compile(r"\*\*|[{}$]|\\(?=[%&_#A-Za-z])"), ""),
    (re.compile(r"``|''"), '"'),
    (re.compile(r"\s+"), " "),
)


def _plain(text: str) -> str:
    """`text` on one line and without the marks of TeX and Markdown."""
    for pattern, plain in _MARKUP:
        text = pattern.sub(plain, text)
    return (text if text.isprintable() else "".join(filter(str.isprintable, text))).strip()


# --- the sentence that says what a paper does

_AUTHORS: Final = re.compile(
    r"\b(?:we|i|(?:this|our|the present) (?:[\w-]+ )?(?:paper|work|study|article|survey|research|report|thesis|goal))"
    r"(?: (?:first|then|here|therefore|thus|instead|have|can|put|aims? to|seeks? to|attempts? to|propose to|begin by|"
    r"\w+ly))* ",
    re.IGNORECASE,
)
_DOES: Final = tuple(
    (cost, re.compile(verbs + " (?P<what>.+)", re.IGNORECASE))
    for cost, verbs in (
        (
            0.0,
            "(?:introduc|propos|present|develop|describ|design|build|construct|devis|creat|contribut|formulat|"
            "formaliz|provid|offer|report)(?:es?|s|ed|ing)?(?: and \\w+)?",
        ),
        (
            0.2,
            "(?:(?:stud|investigat|explor|examin|analy[sz]|address|tackl|consider|revisit|question|characteri[sz]|"
            "understand|evaluat|quantif|compar|prob|identif|uncover|measur|survey|review|assess|discuss|unif)"
            "(?:es|e|s|y|ies|ied|ed|ing)?|focus(?:es)? on|center on|delves? into|ask|test)"
            "(?: and \\w+)?(?: in (?:detail|depth))?",
        ),
        (
            1.0,
            "(?:shows?|finds?|found|demonstrates?|argues?|hypothesi[sz]e|prove|observe|reveals?|discover|suggests?|"
            "contend|verify|propose|report|conclude)(?:(?: [\\w-]+){0,6}? that)?",
        ),
        (2.0, r"\w+"),
    )
)
"""How well what authors do tells what a paper is about: the less, the better."""
_OTHERWISE: Final = (
    (0.4, re.compile(r"\b(?:introducing|proposing|presenting) (?P<what>.+)", re.IGNORECASE)),
    (
        1.0,
        re.compile(
            r"\b(?:goal|aim|objective|purpose)s?\b[^.]{0,30}? (?:is|was) to (?P<what>.+)", re.IGNORECASE
        ),
    ),
    (
        1.2,
        re.compile(
            r"\A(?P<what>.+?) (?:is|are) (?:proposed|introduced|presented|investigated|studied)\b(?P<rest>.*)"
        ),
    ),
)
_HERE: Final = re.compile(
    r"\b(?:(?:in )?(?:this|our|the present) (?:[\w-]+ )?(?:paper|work|study|article|survey)|here|to this end)\b",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:also|further|furthermore|finally|additionally|moreover|lastly)\b", re.IGNORECASE
)
_POINTS_BACK: Final = re.compile(
    r"(?:\S+ ){0,7}(?:they|it|this|these|those|such|their|them|same|above|previous|proposed|our)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE: Final = re.compile(
    r"(?:[\w-]+ ){0,2}(?:evidence|results?|experiments?|questions?|answers?|problem|issues?|solution|insights?|"
    r"analys[ie]s|understanding|challenges?|gap|settings?|possibility|case|findings?|contributions?|overview|"
    r"study|studies|advantage|evaluation)\b",
    re.IGNORECASE,
)


def _statement(parts: Sequence[str]) -> str:
    """What the paper does, in the words of the sentence that says it best; empty if none does."""
    best = (99.0, "")
    for number, part in enumerate(parts):
        penalty = 0.12 * number - 1.2 * bool(_HERE.search(part)) + bool(_LATER.search(part, 0, 40))
        for base, found in _doings(part):
            what = _lean("".join(filter(None, found.groups())))
            cost = base + penalty + bool(_SAYS_LITTLE.match(what)) + 2 * (len(what) < 24)
            best = min(best, (cost + 1.5 * bool(_POINTS_BACK.match(what)), what))
    return _HEAD_POINTS_BACK.sub("", best[1])


_HEAD_POINTS_BACK: Final = re.compile(
    r"\A(?:(?:this|these|such|that) \w+ (?:and|by) \w+|these|this|we can) (?=\w)", re.IGNORECASE
)


def _doings(part: str) -> Iterator[tuple[float, re.Match[str]]]:
    """What each clause of a sentence says that the authors do, with how little that tells."""
    for authors in _AUTHORS.finditer(part):
        for cost, pattern in _DOES:
            if found := pattern.match(part, authors.end()):
                yield cost, found
                break
    for cost, pattern in _OTHERWISE:
        if found := pattern.search(part):
            yield cost, found


# --- a heading for what has a name

_AFTER: Final = re.compile(
    r"[\"”’`')\s]*(?:\([^()]*\)\s*)?(?:and \S+?)?(?:(?!that|which|is|are|and)[\w-]+)??\s*(?:[,:(]|--?|—|–)?\s*(?:for the first time, )?"
    r"(?:(?:which |that )?(?:is|are) )?"
    r"(?P<what>(?:an?|the|our|one|its) .+|(?:for|to|using|with|on|of) (?!which).+|(?<=: )\w.+"
    r"|(?<=, )(?!which|that|and|we|where|while|but|or|can|in|with|\w+s )\w+ \w.+)"
)
_CLAUSE: Final = re.compile(
    r"[\"”’`')\s]*(?:\([^()]*\)\s*)?(?:\w+)?,? (?:with which we \w+|which|that) (?P<what>\w+ .+)"
)
_BROUGHT: Final = re.compile(
    r"(?:.*\b(?:introduc|propos|present|develop|build|construct|design|creat|curat|describ|devis)\w* (?P<what>.+?)"
    r"(?:,|:| --?| —)?(?: (?:called|named|namely|dubbed|termed|coined|i\.e\.),?)?"
    r"|(?:the|our) (?P<ours>[^,]+?)(?:,| is) (?:called|named|dubbed|termed|denoted)(?: as)?) ?[\"“'‘(]*$",
    re.IGNORECASE,
)
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
        what = _BARE_KIND.sub("", what)
        return (
            name.long + (kind[1] if kind else "") + (" " if _JOINT.match(what) else ", ") * bool(what) + what
        )
    brought = _BROUGHT.match(part[: name.start])
    kind_before = _lean(brought["what"] or brought["ours"]) if brought else ""
    if " " in kind_before and (not what or _JOINT.match(what)):
        return f"{kind_before} {what}".strip()
    clause = _CLAUSE.match(part, name.end)
    choices = [re.sub(r"^to (?:\w+ly )?", "", what), _lean(clause["what"]) if clause else ""]
    spoken = re.compile(
        rf"(?:\w[\w ,]{{0,30}}, )?(?:the )?{re.escape(name.text)} (?P<what>[a-z]+(?<!\b[ia])s .+)"
    )
    choices += [
        _lean(found["what"]) for later in parts[name.sentence + 1 :] if (found := spoken.match(later))
    ]
    choices += [_statement(parts), _statement([part[: name.start]])]
    said = [choice for choice in choices if len(choice) > 12 and name.text not in choice[:50]]
    return next((choice for choice in said if not _POINTS_BACK.match(choice)), said[0] if said else "")


# --- the words of a heading

_LEADING: Final = re.compile(
    r"(?:(?:an?|the|our|some|several|novel|new|first|simple|yet|but|effective|powerful|comprehensive|extensive|and|"
    r"conceptually|highly|very|truly|careful|thorough|what is|to our knowledge|(?:use|idea|concept|notion|task|"
    r"problem|question) of(?= \w)|for the first time|that|both|forward|ours,|to study|to use|,) )+(?=\S)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"\s*\((?:[^()]|\([^()]*\))*\)|\s*\[[\d, –-]+\]|,? ?\b(?:e\.g\.|i\.e\.),?[^,;:.]*|,? (?:in this (?:work|paper))\b"
)
_KNOWN_AS: Final = re.compile(r"\bth(?:is|ese) \w+, (?:called|termed|known as|named) ")
_STRONG_END: Final = re.compile(
    r"[;:] |\. |,? but | (?:--?|—|–) |,? (?:which|where|wherein|while|whereas|whose|so that|thereby|aiming) |, \w+ing "
    r"|,? and (?:demonstrat|show|present|propos|find|evaluat|adopt|introduc|construct|verif|use|then|release|"
    r"appl|provide)\w* "
)
_WEAK_END: Final = re.compile(
    r",? (?:that|for|in|by|using|via|through|to|with|from|across|on|when|under|based on|as|without|into|because) |, "
)
_DANGLING: Final = re.compile(
    r"\s(?:an?|the|of|and|or|for|in|on|by|to|with|from|as|at|that|which|is|are|its|their|our|into|via|using|"
    r"between|both|such|more|most|not|can|be|than|we|across|through|how|whether|over|under|when|where|designed|"
    r"specifically|capable|consisting|obtained|collected|trained|followed|based|but|corresponding|coupled|compared|anchored|made|"
    r"have|been|(?:that|which|who) \w+|depends?)$",
    re.IGNORECASE,
)


def _lean(phrase: str) -> str:
    """`phrase` without asides, without articles and praise at its head, without its full stop."""
    phrase = _KNOWN_AS.sub("", _ASIDE.sub("", phrase)).strip()
    return (
        _LEADING.sub("", phrase, count=1).strip().rstrip(".,;: ")
        if _LEADING.match(phrase)
        else phrase.rstrip(".,;: ")
    )


def _capitalised(phrase: str) -> str:
    """`phrase` with a capital at its head, unless the first word has one of its own (`gCOG`)."""
    first = phrase.split(" ", 1)[0]
    return phrase if any(map(str.isupper, first)) else phrase[:1].upper() + phrase[1:]


def _fit(phrase: str, width: int, label: int = 0) -> str:
    """`phrase` within `width`: ended where a clause ends, else after a word and with an ellipsis.

    The first `label` characters are kept whole.
    """
    if (strong := _STRONG_END.search(phrase, max(24, label + 12))) and strong.start() <= width:
        phrase = phrase[: strong.start()]
    if len(phrase) <= width:
        return _tidy(phrase)
    if ends := [
        end.start() for end in _WEAK_END.finditer(phrase, max(_LEAST, label + 12)) if end.start() <= width
    ]:
        return _tidy(phrase[: ends[-1]])
    cut = phrase[: width - 1]
    if phrase[width - 1] != " " and " " in cut[label:]:
        cut = cut[: cut.rindex(" ")]
    return _tidy(cut) + "…"


def _tidy(phrase: str) -> str:
    """`phrase` without small words, commas and half brackets at its end."""
    for opening, closing in ("()", "[]", "“”"):
        if phrase.count(opening) > phrase.count(closing):
            phrase = phrase[: phrase.rindex(opening)]
    if phrase.count('"') % 2:
        phrase = phrase.replace('"', "")
    while (shorter := _DANGLING.sub("", phrase.rstrip(" ,;:.–—-"))) != phrase:
        phrase = shorter
    return phrase


# --- headings that are alone -------------------------------------------------------------------------


def distinct(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    """For rows of (id, heading, abstract): a heading each, unlike every other when case is folded.

    One that is alone already stays as it is. The others get words that few of their abstracts
    have, or a piece of the id. What a paper gets does not depend on the order of the rows.
    """
    headings = [_fit(_plain(heading), WIDTH) if len(heading) > WIDTH else heading for _, heading, _ in rows]
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for number, heading in enumerate(headings):
        alike[heading.casefold()].append(number)
    taken = {folded for folded, numbers in alike.items() if len(numbers) == 1}
    for numbers in sorted(
        (group for group in alike.values() if len(group) > 1), key=lambda g: min(rows[n] for n in g)
    ):
        words = {
            number: list(dict.fromkeys(_TELLING.findall(rows[number][2][:_LOOKED_AT]))) for number in numbers
        }
        spread = Counter(
            word.casefold() for found in words.values() for word in {w.casefold() for w in found}
        )
        for number in sorted(numbers, key=lambda n: rows[n]):
            rare = sorted(words[number], key=lambda word: spread[word.casefold()])[:4]
            headings[number] = _alone(headings[number], rare, rows[number][0], taken)
            taken.add(headings[number].casefold())
    return headings


_TELLING: Final = re.compile(r"\b[^\W\d_]{5,20}\b")


def _alone(heading: str, rare: Sequence[str], id: str, taken: set[str]) -> str:
    """`heading` with one word or two of `rare`, else with a piece of `id`, so that it is not `taken`."""
    choices = [" ".join(rare[:2]), *rare, *(id[:size] for size in range(4, len(id) + 1))]
    numbered = (f"{id[:12]} {number}" for number in count(2))
    for words in chain(filter(None, choices), numbered):
        told = f" ({words[:40]})"
        candidate = (_fit(heading.removesuffix("…"), WIDTH - len(told)) + told).strip()
        if candidate.casefold() not in taken:
            return candidate
    raise AssertionError("the numbers never end")
