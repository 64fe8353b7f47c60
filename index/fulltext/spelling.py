"""One spelling for British and American words, and for a few forms that no stemmer joins.

What `american` gives need not be a word: it has only to be the same for every spelling of one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_RULES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    # -our, by name: hour, four, source, course and contour stay as they are
    (
        re.compile(
            "(ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|od|parl"
            "|ranc|rig|rum|sav|splend|tum|val|vap|vig)our"
        ),
        r"\1or",
    ),
    # -ise, -isation, but not advise, raise, noise, likewise, disguise, exercise, comprise, promise, expertise
    (
        re.compile(
            "(?<=[a-z]{3})(?<![aouvw])(?<!(?<!i)c)(?<!pr)(?<!pr[eo]m)(?<!expert)"
            "is(?=(?:e[drs]?|ers|ings?|ations?|ational|able|ability)$)"
        ),
        "iz",
    ),
    (re.compile("(?<=[a-z]l)ys(?=(?:e[drs]?|ers|ing)$)"), "yz"),
    # modelling, labelled; not calling or smaller, whose root has but one syllable
    (re.compile("(?<=[aeiou])([a-z]*[bcdfghjkmnpqrstvwxyz][aeio]l)l(?=(?:ed|ings?|ers?)$)"), r"\1"),
    (re.compile("logue(?=s?$)"), "log"),
    (re.compile("(cent|met|fib|theat|tit|lit|calib|spect|sab|lust|somb)re(?=s?$)"), r"\1er"),
    (re.compile("centr(?=(?:ed|ing)$)"), "center"),
    (re.compile("(?<=[klnrsvzdt])eable$"), "able"),
    (re.compile("parametri(?=[sz])"), "parameteri"),
    (re.compile("^(def|off|lic|pret)ence(?=s?$)"), r"\1ense"),
    (re.compile("(?<=dg)ement"), "ment"),
    (re.compile("(?<=[hnk])aem|(?<=isch)aem|(?<=glyc)aem"), "em"),
    (re.compile("(?<=p)aed(?=i)"), "ed"),
    (re.compile("anaesth"), "anesth"),
    (re.compile("^(o)(?=estr|edem|esoph)"), ""),
    (re.compile("foet"), "fet"),
    (re.compile("(?<=rrh)oe"), "e"),
    (re.compile("palaeo"), "paleo"),
    (re.compile("archaeo"), "archeo"),
    (re.compile("encyclopaed"), "encycloped"),
    (re.compile("manoeuvr(?:e(?=s?$))?"), "maneuver"),
)

_HINT: Final = re.compile(
    "our|is|ys|ll|ogue|re|ence|gement|eable|metri|ae|oe"
)  # what every rule needs: most words have none

WORDS: Final = {
    "aeroplane": "airplane", "ageing": "aging", "aluminium": "aluminum", "amongst": "among", "artefact":
    "artifact", "artefacts": "artifacts", "biassed": "biased", "burnt": "burned", "disc": "disk", "discs":
    "disks", "enquiry": "inquiry", "enquiries": "inquiries", "enrol": "enroll", "enrolment": "enrollment",
    "focussed": "focused", "focussing": "focusing", "fulfil": "fulfill", "grey": "gray", "greys": "grays",
    "greyscale": "grayscale", "instalment": "installment", "learnt": "learned", "maths": "math", "mould":
    "mold", "plough": "plow", "practise": "practice", "practised": "practiced", "practising": "practicing",
    "programme": "program", "programmes": "programs", "sceptic": "skeptic", "sceptical": "skeptical",
    "scepticism": "skepticism", "skilful": "skillful", "speciality": "specialty", "spelt": "spelled",
    "sulphur": "sulfur", "towards": "toward", "tyre": "tire", "tyres": "tires", "whilst": "while",
    "analysis": "analyze", "dying": "die", "lying": "lie", "tying": "tie", "appendices": "appendix",
    "children": "child", "corpora": "corpus", "criteria": "criterion", "formulae": "formula", "hypotheses":
    "hypothesis", "indices": "index", "matrices": "matrix", "mice": "mouse", "phenomena": "phenomenon",
    "syntheses": "synthesize", "vertices": "vertex", "synthesis": "synthesize", "diagnosis": "diagnose",
    "emphasis": "emphasize", "axes": "axis", "theses": "thesis", "crises": "crisis", "stimuli": "stimulus",
    "minima": "minimum", "maxima": "maximum", "optima": "optimum", "spectra": "spectrum", "automata":
    "automaton", "nuclei": "nucleus", "bacteria": "bacterium", "schemata": "schema", "foci": "focus",
    "loci": "locus", "radii": "radius", "ious": "iou", "frozen": "freeze", "froze": "freeze", "forgotten":
    "forget", "forgot": "forget", "chosen": "choose", "chose": "choose", "written": "write", "wrote":
    "write", "built": "build", "taught": "teach", "shown": "show", "understood": "understand", "women":
    "woman", "men": "man", "mediaeval": "medieval", "jewellery": "jewelry", "discovery": "discover",
    "discoveries": "discover", "recovery": "recover", "recoveries": "recover", "delivery": "deliver",
    "deliveries": "deliver", "fusion": "fuse", "fusions": "fuse", "creation": "create", "creations":
    "create", "plateaus": "plateau", "debias": "debiased", "unbias": "unbiased", "alias": "aliased",
    "consideration": "consider", "considerations": "consider", "found": "find", "percent": "%",
}  # fmt: skip
"""Whole words: British to American, irregular to regular."""


_LEAST: Final = 4
"""Letters from which on a beginning tells of what word."""
_ALIKE: Final = 3
"""Letters that two spellings of one word have in common."""


def may_differ(word: str) -> bool:
    """Whether `american` could give another word for a folded `word`."""
    return word in WORDS or _HINT.search(word) is not None


_ENDS: Final = (
    "", "d", "e", "g", "n", "r", "s", "t", "able", "ation", "ed", "er", "ers", "ing", "ion", "ment", "ng",
    "ns", "on", "rs", "sed", "sing", "tion", "ue", "ur", "urs",
)  # fmt: skip


@lru_cache(maxsize=1024)
def may_become(start: str) -> tuple[str, ...]:
    """Words that a folded `start` may be the beginning of and whose one form begins otherwise: colour."""
    if len(start) < _LEAST:
        return ()
    words = {start + end for end in _ENDS}
    for word, other in WORDS.items():
        # percent is %, and who looks for perception has come by its first letters too
        if word.startswith(start) and (len(word) - len(start) <= 1 or word[:_ALIKE] == other[:_ALIKE]):
            words.add(word)
    return tuple(sorted(word for word in words if not american(word).startswith(start)))


def american(word: str) -> str:
    """The one form of a folded `word` that all its spellings share."""
    known = WORDS.get(word)
    if known is not None or not _HINT.search(word):
        return known or word
    for pattern, put in _RULES:
        word = pattern.sub(put, word)
    return word
