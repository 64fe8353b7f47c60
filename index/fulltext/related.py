"""Which papers are near to one, by the words and pairs of words that single it out.

The cosine of TF-IDF vectors over stems and pairs of neighbouring stems: (1 + ln tf) · ln((N + 1) / df).
Pairs find what single words miss ("slot attention"). The nearest few then speak for the paper too
(Rocchio's feedback), which brings in those that say the same in other words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from index.fulltext.analysis import stem
from index.fulltext.matching import Matching
from index.fulltext.postings import Snapshot
from index.query import Or, Word

_COMPARED: Final = 400  # papers that are compared whole; in a larger library those that share rare words
_RARE: Final = 30  # the words of the paper by which these are found
_SPEAKERS: Final = 3  # of the nearest, that speak for the paper too
_SPEECH: Final = 0.5  # what they weigh together, the paper itself weighing 1
_SHOWN: Final = 8  # shared terms that are given back

_ANY_FIELD: Final = frozenset(map(stem, (
    "ability", "able", "achieve", "across", "address", "advance", "aim", "all", "allow", "also", "although",
    "analysis", "analyze", "any", "approach", "around", "aspect", "available", "based", "become", "before",
    "being", "better", "between", "beyond", "both", "capable", "case", "challenge", "common", "comparable",
    "compare", "competitive", "comprehensive", "conduct", "consider", "consistent", "contribute",
    "contribution", "crucial", "current", "demonstrate", "despite", "develop", "different", "difficult",
    "due", "during", "each", "effect", "effective", "efficient", "either", "emerge", "empirical", "enable",
    "encounter", "enhance", "ensure", "especially", "etc", "evaluate", "even", "exhibit", "existing",
    "experiment", "experimental", "explore", "extensive", "facilitate", "few", "finally", "find",
    "findings", "first", "focus", "four", "framework", "full", "fundamental", "further", "furthermore",
    "given", "good", "great", "hence", "high", "however", "identify", "impact", "important", "improve",
    "improvement", "include", "including", "increase", "indeed", "insight", "instead", "interesting",
    "introduce", "investigate", "issue", "just", "key", "know", "lack", "large", "lead", "less", "leverage",
    "like", "limit", "limitation", "low", "main", "make", "many", "mean", "meanwhile", "method", "moreover",
    "much", "multi", "namely", "necessary", "need", "new", "notable", "novel", "number", "observe",
    "obtain", "off", "offer", "often", "one", "only", "other", "out", "outperform", "over", "overall",
    "paper", "particular", "particularly", "per", "perform", "performance", "possible", "potential",
    "powerful", "practical", "present", "previous", "prior", "problem", "promising", "propose", "prove",
    "provide", "question", "range", "recent", "recently", "reduce", "remain", "remarkable", "require",
    "result", "results", "reveal", "rigorous", "same", "several", "show", "significant", "significantly",
    "similar", "simple", "simply", "since", "single", "some", "specific", "specifically", "state", "strong",
    "study", "substantial", "success", "successful", "suffer", "suggest", "superior", "surprising", "take",
    "term", "therefore", "though", "three", "through", "thus", "together", "too", "toward", "towards",
    "trade", "two", "typical", "typically", "under", "understand", "unlike", "until", "up", "upon", "use",
    "used", "useful", "using", "various", "vast", "very", "via", "want", "way", "well", "whereas",
    "whether", "whole", "wide", "widely", "within", "without", "work", "yet",
)))  # fmt: skip
"""Stems that stand in the abstracts of any field: alone they do not tell why two papers are near."""

_Vector = dict[str, float]


@dataclass(frozen=True, slots=True)
class Related:
    """A paper near to another: a score up to 1, and the terms they share, the most telling first."""

    id: str
    score: float
    terms: tuple[str, ...]


def nearest(id: str, limit: int, index: Snapshot, matching: Matching) -> list[Related]:
    """The `limit` papers nearest to the paper `id`, without those that share nothing."""
    this = index.numbers.get(id)
    if this is None:
        return []
    said = index.bag(this).split()
    counts = {doc: _terms(index.bag(doc).split()) for doc in _candidates(this, said, index, matching)}
    # How many papers hold a term is counted among those compared: in a small library that is all.
    holders = Counter(term for terms in counts.values() for term in terms)
    rarity = {term: math.log((len(counts) + 1) / n) for term, n in holders.items()}
    vectors = {doc: _vector(terms, rarity) for doc, terms in counts.items()}
    own = vectors.pop(this)
    first = [doc for score, doc in _ranked(own, vectors)[:_SPEAKERS] if score > 0]
    heard = _joined([(1.0, own), *((_SPEECH / _SPEAKERS, vectors[doc]) for doc in first)])
    shown = _shown(said)
    found = []
    for score, doc in _ranked(heard, vectors)[:limit]:
        if shared := _shared(own, vectors[doc]):
            found.append(Related(index.keys[doc], score, tuple(shown[term] for term in shared)))
    return found


def _candidates(this: int, said: Iterable[str], index: Snapshot, matching: Matching) -> set[int]:
    if len(index.alive) <= _COMPARED:
        return set(index.alive)
    words = sorted({form for form in said if form != "." and not form.isdigit()}, key=index.frequency)
    shared = [form for form in words if index.frequency(form) > 1][:_RARE]
    scores = matching.matches(Or(tuple(map(Word, shared))))
    return {this, *sorted(scores, key=scores.__getitem__, reverse=True)[:_COMPARED]}


def _terms(said: Iterable[str]) -> Counter[str]:
    stems = [form if form == "." else stem(form) for form in said]
    terms = Counter(one for one in stems if one != ".")
    terms.update(f"{a} {b}" for a, b in pairwise(stems) if a != "." and b != ".")
    return terms


def _vector(terms: Counter[str], rarity: _Vector) -> _Vector:
    return _joined([(1.0, {term: (1 + math.log(n)) * rarity[term] for term, n in terms.items()})])


def _joined(weighed: Iterable[tuple[float, _Vector]]) -> _Vector:
    """The weighted sum of vectors, of length one."""
    vector: _Vector = {}
    for weight, other in weighed:
        for term, x in other.items():
            vector[term] = vector.get(term, 0.0) + weight * x
    length = math.sqrt(sum(x * x for x in vector.values())) or 1.0
    return {term: x / length for term, x in vector.items()}


def _ranked(own: _Vector, vectors: dict[int, _Vector]) -> list[tuple[float, int]]:
    scored = ((_dot(own, other), doc) for doc, other in vectors.items())
    return sorted(scored, key=lambda one: (-one[0], one[1]))


def _dot(a: _Vector, b: _Vector) -> float:
    return sum(x * b[term] for term, x in a.items() if term in b)


def _shared(a: _Vector, b: _Vector) -> list[str]:
    """The telling terms that make up the cosine, the largest first; a word goes where a pair holds it.
    Where none is telling, the largest.
    """
    weighed = sorted(
        (term for term in a if term in b and a[term] > 0),
        key=lambda term: (-a[term] * b[term], " " not in term),
    )
    kept: list[str] = []
    for term in filter(_telling, weighed):
        if not any({*term.split()} & {*other.split()} for other in kept):
            kept.append(term)
    return kept[:_SHOWN] or weighed[:1]


def _telling(term: str) -> bool:
    """Whether a term says what a paper is about: one of its words does, and none is a single letter."""
    words = term.split()
    return not any(len(word) == 1 and word.isalpha() for word in words) and any(
        word not in _ANY_FIELD and any(map(str.isalpha, word)) for word in words
    )


def _shown(said: Iterable[str]) -> dict[str, str]:
    """Each term of a paper as the paper first spells it, folded."""
    shown: dict[str, str] = {}
    said = list(said)
    for form in said:
        shown.setdefault(stem(form), form)
    for a, b in pairwise(said):
        shown.setdefault(f"{stem(a)} {stem(b)}", f"{a} {b}")
    return shown
