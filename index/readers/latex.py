"""LaTeX in titles and names into Unicode. Formulas stay as they are, and so does what is not known."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from index.readers.mojibake import cleaned

_ACCENTS: Final = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
_SIGNS: Final = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø",
    "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "NG": "Ŋ",
    "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…", "textellipsis": "…", "S": "§", "P": "¶",
    "copyright": "©", "textcopyright": "©", "textregistered": "®", "texttrademark": "™", "pounds": "£",
    "euro": "€",
    "texteuro": "€", "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'", "textquotedbl": '"', "textasciitilde": "~", "textasciicircum": "^",
    "textbackslash": "\\",
    "textbar": "|", "textless": "<", "textgreater": ">", "textunderscore": "_", "textdegree": "°",
    "degree": "°",
    "textbraceleft": "{", "textbraceright": "}", "textperiodcentered": "·", "textbullet": "•",
    "guillemotleft": "«",
    "guillemotright": "»", "lq": "‘", "rq": "’", "quotedblbase": "„", "textdollar": "$", "textpm": "±",
    "textmu": "µ",
    "textexclamdown": "¡", "textquestiondown": "¿", "slash": "/", "space": " ", "quad": " ", "qquad": " ",
    "nobreakspace": " ", "nbsp": " ", "LaTeX": "LaTeX", "TeX": "TeX",
    "BibTeX": "BibTeX", "textcelsius": "°C", "textonehalf": "½", "texttimes": "×",
}  # fmt: skip
_NOTHING: Final = frozenset(
    [
        "emph",
        "textit",
        "textbf",
        "textsc",
        "texttt",
        "textrm",
        "textsf",
        "textup",
        "textnormal",
        "textmd",
        "textsl",
        "mbox",
        "text",
        "em",
        "it",
        "bf",
        "sc",
        "tt",
        "rm",
        "sl",
        "sf",
        "itshape",
        "bfseries",
        "scshape",
        "normalfont",
        "upshape",
        "small",
        "large",
        "Large",
        "uppercase",
        "lowercase",
        "NoCaseChange",
        "protect",
        "relax",
        "textsuperscript",
        "textsubscript",
        "bibstring",
        "mkbibemph",
        "mkbibbold",
        "hspace",
        "url",
        "ensuremath",
        "mathrm",
        "underline",
    ]
)
"""Commands whose argument says all."""
_LETTER: Final = r"\\[ij](?![A-Za-z])|[^\W\d_]"
_TOKEN: Final = re.compile(
    rf"""(?P<maths>\$[^$]*\$|\\\((?:[^\\]|\\(?!\)))*\\\))
    | \\(?P<accent>[`'^~"=.])\s*(?:\{{\s*(?P<a1>{_LETTER})?\s*\}}|(?P<a2>{_LETTER}))
    | \\(?P<letter_accent>[uvHckrdbt])(?:\s*\{{\s*(?P<b1>{_LETTER}|[^\W\d_]{{2}})\s*\}}|\s+(?P<b2>{_LETTER}))
    | \\(?P<command>[A-Za-z]+)\*?(?P<gap>\s*)
    | \\(?P<sign>.)
    | (?P<dash>---?) | (?P<opens>``) | (?P<closes>'') | (?P<tie>~) | [{{}}]
    """,
    re.VERBOSE | re.DOTALL,
)


def decoded(text: str) -> str:
    """The text as it reads, on one line; a raw `%` is a percent sign. Takes time as the text is long."""
    if not _TOKEN.search(text):
        return " ".join(cleaned(text).split())
    return " ".join(cleaned(_TOKEN.sub(_read, text)).split())


def _read(found: re.Match[str]) -> str:
    told = found.groupdict()
    if told["maths"]:
        return str(told["maths"])
    if accent := told["accent"] or told["letter_accent"]:
        base = told["a1"] or told["a2"] or told["b1"] or told["b2"] or ""
        base = base.lstrip("\\")
        return unicodedata.normalize("NFC", base[:1] + _ACCENTS[accent] + base[1:]) if base else str(accent)
    if command := told["command"]:
        return _command(command, told["gap"])
    if told["sign"]:
        sign = told["sign"]
        return "" if sign in "/-@!" else " " if sign in " ,;:\\\n" else sign
    if told["dash"]:
        return "—" if len(told["dash"]) == 3 else "–"
    return "“" if told["opens"] else "”" if told["closes"] else " " if told["tie"] else ""


def _command(name: str, gap: str) -> str:
    if name in _SIGNS:
        return _SIGNS[name]
    if name in _NOTHING:
        return ""
    letter = name.upper().replace("LAMBDA", "LAMDA")
    try:
        return (
            unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {letter}") + gap
        )
    except KeyError:
        return name + gap  # unknown: its name is better than nothing
