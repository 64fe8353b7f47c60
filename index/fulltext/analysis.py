"""What a word is: text into pieces, a piece into its stem.

A text is a row of pieces: runs of letters and digits. Hyphens, slashes, apostrophes and other signs
only part them, so that `multi-task`, `multi task` and the joined `multitask` differ by nothing but
where the borders fall, which `slots.readings` undoes. A decimal point stays inside a
number, a comma between thousands is dropped, `%` is a piece, and LaTeX commands do not hide a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from whoosh.lang.snowball.english import EnglishStemmer

from index.fulltext.spelling import WORDS, american, may_differ

LONGEST: Final = 100
"""Characters of a piece that count; the rest of a longer one is ignored."""

STOP: Final = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "may", "more", "most", "no", "nor", "not", "of", "on", "or", "our", "she", "so", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
})  # fmt: skip
"""Words that carry no meaning alone: they count inside a phrase, not beside other words."""

_ACCENT: Final = r"""\{?\\['"`^~=.]\s?\{?\\?[A-Za-z]\}?\}?|\\[cvHukrbd]\{[A-Za-z]\}"""
_CAPITAL: Final = r"(?:\\[A-Za-z]+)?\{[A-Za-z]\}(?=[A-Za-z])"  # {B}ayes, \textsc{r}etrieval
_SIGN: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # scripts that set no spaces
_PIECE: Final = re.compile(
    rf"(?P<skip>(?<=\w)['\u2019]s(?!\w)"
    rf"|\\[A-Za-z]+\*?(?=\s*\{{)(?!\{{[A-Za-z]\}}[A-Za-z])(?!\\[cvHukrbd]\{{)"
    rf"|\\(?:em|bf|it|tt|sc|rm|small|large)(?=\s))"
    rf"|(?P<cjk>[{_SIGN}])"
    rf"|(?P<word>(?:[^\W_{_SIGN}]|[\u0300-\u036f\u00ad]|(?<=\d)\u00d7|(?<=\d)\.(?=\d)|(?<=\d),(?=\d{{3}}(?!\d))"
    rf"|{_ACCENT}|{_CAPITAL})+)"
    r"|(?P<mark>%|(?<=\w)\++(?!\w)|(?<=\w)\#(?!\w))"
)
_GLUED: Final = re.compile(r"(geq|leq|sim|approx|times|pm|neq)(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)(times|pm)")
_LATEX: Final = re.compile(r"\\['\"`^~=.]\s?|\\[A-Za-z]+(?=\{)|[{}\\]")
_PLAIN: Final = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "\u00ad": "",
        "\u00d7": "x",  # 224×224
    }
)

_LETTERS: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "ο": "omicron", "ell": "l",
}  # fmt: skip
"""A letter that is a word of its own, by its name as in LaTeX; `\\ell` is an l, and so is ℓ."""


class Piece(NamedTuple):
    """One piece of a text: its folded form and where it stands, in code points."""

    form: str
    start: int
    end: int


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of `text` in order."""
    for found in _PIECE.finditer(text):
        kind = found.lastgroup
        if kind == "skip":
            continue
        start, end = found.span()
        held = _held(found.group(), kind == "word")
        for form in held[:-1]:
            yield Piece(form, start, start + len(form))
            start += len(form)
        if held:
            yield Piece(held[-1], start, end)


def forms(text: str) -> tuple[str, ...]:
    """The folded pieces of `text` alone, in a third of the time."""
    found: list[str] = []
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind != "skip":
            found += _held(piece.group(), kind == "word")
    return tuple(found)


def _held(raw: str, word: bool) -> tuple[str, ...]:
    """The forms of one piece of a text: one, or none, or two that are glued together."""
    return _known(raw, word) if len(raw) <= LONGEST else _split(raw, word)


def _split(raw: str, word: bool) -> tuple[str, ...]:
    form = fold(raw) if word else raw
    glued = None if form.isalpha() else _GLUED.fullmatch(form)
    if glued:  # \geq75% of which the backslash was lost
        cut = len(glued[1] or glued[3])
        return form[:cut], form[cut:]
    return (form[:LONGEST],) if form else ()


_known: Final = lru_cache(maxsize=1 << 16)(_split)
"""A text has few words that no other has; beyond `LONGEST` characters nothing is kept."""


def fold(raw: str) -> str:
    """`raw` without case, accents, LaTeX and the commas between thousands."""
    if raw.isascii() and raw.isalnum():
        return _LETTERS.get(raw, raw.lower())
    if "\\" in raw or "{" in raw:
        raw = _LATEX.sub("", raw)
    raw = unicodedata.normalize("NFKD", raw.replace(",", "").casefold()).translate(_PLAIN)
    form = "".join(sign for sign in raw if sign.isalnum() or sign == ".")
    return _LETTERS.get(form, form)


# Beginnings of words that the stemmer would join to others although they mean something else.
_APART: Final = re.compile(
    "activat|activit|adapter(?=s?$)|additional|additiv|affinit|animal|authorit|business|collectiv|competen|composite"
    "|conformal|conformation|considerab|consisten|continual|conversation|critical|customer|differentia[bl]"
    "|digital|direction|effectiv|engineer|exceptional|experienc|experiment|expressiv|extension|extensiv|fabricat"
    "|embed|federal|figurativ|identical|impedanc|informal|informativ|initiat|integral|integrit|intensi[tv]|internal"
    "|international|majorit|mechanic|medicat|minorit|modulat|negativ|lens(?=es$|$)|numerous|objection|objectiv|occupan"
    "|occupation|organism|paste|personalit|physician|police|politic|position|positiv|precision|probably"
    "|productiv|prospectiv|publication|relativ|(?:mis|under)?represent(?!ativ)|representativ|respectiv|responsib|selectiv|subjectiv|subsequenc|successiv"
    "|terminal|testbed|transformer(?=s?$)|transition|transitiv|underl|unite|universal|universit|useful|variational"
    "|(?:gps|logistics|news|quite|several)$"
)
_IFY: Final = re.compile("(.{2,}if)(?:y|ies|ied|ying|iers?|iable|iability|ications?)")
_IZE: Final = re.compile("(.{3,}iz)(?:e[drs]?|ers|ings?|ations?|ational|able|ability|abilities)")
_INITIALS: Final = re.compile("(?!this|thus|plus)[^aeiouy]{2,}[aeiou]?(?<!s)s")
_AGENT: Final = re.compile("((?:.*[aeiouy]){2}(?<!fa)(?<!ve)(?<!ffe)ct)ors?")  # detector; no factor or vector
_CE: Final = re.compile("((?:[ai]|[ae]n)c)(?:ed|ing)")  # referencing is reference, not refer
_INFLECTED: Final = re.compile("(?:[a-z]?(?:ed|ings?))?|e?s|e|d|i|ng|ly")
"""What follows a root of two or three letters in an inflection of it; `wit` is not all of `witness`."""
_ENDING: Final = re.compile("(?:ed|ing|(?<=s)es|(?<!s)s)$")
_FIELD: Final = re.compile(
    "(?:adem|ateg|atr|chron|egor|etr|gog|graph|histor|nom|omal|rarch|scop|soph|trop)i$"
)  # geometry, geometric
_SHORT: Final = 3  # letters of a root that stands for plain inflections alone
_stemmer: Final = EnglishStemmer()


@lru_cache(maxsize=1 << 16)
def stem(form: str) -> str:
    """What the inflections and spellings of a folded word share (Snowball's English stemmer, Porter 2).

    Left alone are words with digits and signs; -ize and -ify keep their families, so that `generalization`
    is not `general` while `classification` is what classifies; the s of `llms` and `gpus` goes, and
    `geometry` is `geometric`.
    """
    if len(form) < 3 or not form.isascii() or not form.isalpha():
        return form
    form = american(form)
    apart = _APART.match(form)
    if apart:
        return apart[0]
    ize = _IZE.fullmatch(form)
    if ize:
        return ize[1]
    ify = _IFY.fullmatch(form)
    if ify:
        return ify[1] + "y"
    if _INITIALS.fullmatch(form):
        return form[:-1]
    agent = _AGENT.fullmatch(form)
    if agent:
        form = agent[1]
    elif form.endswith(("ced", "cing")):
        form = _CE.sub(r"\1e", form)
    found: str = _stemmer.stem(form)
    if len(found) <= _SHORT:
        return _short(found, form)
    # grokking, which the stemmer leaves at grokk
    return found[:-1] if found.endswith("kk") or _FIELD.search(found) else found


def _short(root: str, form: str) -> str:
    """The stem of a word for which the stemmer has few letters: add of adding, harness and no harm."""
    if not _INFLECTED.fullmatch(form, len(root)):
        return _ENDING.sub("", form)
    return form[:3] if len(root) == 2 and form[1:2] == form[2:3] else root


def may_share(form: str, root: str) -> bool:
    """Whether the stem of `form` could be `root`: no, where the two part early and none of the rules on
    spelling has a say. Spares most words the stemmer, which takes some 40 µs.
    """
    if len(root) <= _SHORT and form not in WORDS and not _INFLECTED.fullmatch(form, len(root)):
        return False
    same = len(root) - (root[-1] in "eily")  # using, use; ability, abl; try, tri; skies, sky
    return form[:same] == root[:same] or may_differ(form)


ODD: Final = {stem(word): tuple(odd for odd in WORDS if stem(odd) == stem(word)) for word in WORDS}
"""The words of `spelling.WORDS` by their stem, which may begin with other letters."""
