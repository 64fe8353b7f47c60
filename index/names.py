"""The name that an abstract introduces: of a system, method, dataset, benchmark or idea.

Rules about how English scientific prose brings in a new name, the most trusted first; none knows
a particular paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = r"\w(?:[\w'’^+.!@&/-]*[\w!+])?"
_CAPITAL: Final = rf"(?=[\w'’^+.!@&/-]*[A-Z])(?!(?:We|I|In|The|This|Our|For|And|It)\b){_WORD}"
_JOIN: Final = r"(?: (?:of|and|for|on|in|with|to|via|the|by|from|as|&)){0,2}"
_NAME: Final = rf"(?:THE )?{_CAPITAL}(?:{_JOIN} {_CAPITAL}){{0,9}}(?: v?\d[\d.]*\w?(?=[ ,.]|$))?"
"""Capitalised or camel-case words in a row, small words between them, perhaps a version."""
_QUOTED: Final = r"[\"“'‘`](?P<quoted>[^\"“”]{2,48}?)[,.]?(?:[\"”’]|'(?!\w))"
_BEFORE_NAME: Final = (
    r"(?:(?:the|our|its|a|an|this|two|three|both)\s+)?"
    r"(?:(?:novel|new|first|simple|general|unified|effective|efficient|powerful|comprehensive|large-scale|"
    r"idea of|concept of|notion of|task of|phenomenon of)\s+)*"
)
_KIND: Final = (
    r"(?:method|methodology|model|framework|approach|architecture|algorithm|system|benchmark|dataset|corpus|"
    r"technique|mechanism|strategy|module|network|task|tool|toolkit|library|suite|agent|solution|paradigm|"
    r"metric|measure|loss|pipeline|platform|scheme|resource|challenge|attention|conjecture|layer)(?:e?s)?"
)
_FOLLOWS: Final = re.compile(
    rf"\s*(?:[,:;.(—–-]|$|(?:a|an|that|which|to|for|with|as|and|is|in|by|on|using|from|{_KIND})\b)"
)
_SUBJECT: Final = r"(?:we|i|paper|work|study|article|report|research|here|to|by|authors|thesis|proposal)"
_BRING: Final = (
    r"(?:introduc|propos|present|develop|build|construct|design|creat|curat|collect|releas|describ|devis|"
    r"contribut|provid|offer|establish|defin|formulat|formaliz|discover|unveil|coin|open-sourc|identif)"
)
_BRINGS_IN: Final = re.compile(
    rf"(?:\b{_SUBJECT}\b[^.;()]{{0,60}}?\b(?-i:{_BRING})(?:e|es|s|y|ies|ing)?"
    rf"|\bwe(?: \w+)?(?: {_BRING}ed| built)"
    r"|\b(?:introduc|propos|present)ing|\bintroduction of"
    r"|\band (?:introduc|propos|present|build)(?:es?|s|ing)?"
    r"|\baddress \w+ \w+ with)\b(?! by\b| in\b(?! this))(?: in this \w+| project)?\s*",
    re.IGNORECASE,
)
_PROPOSED: Final = re.compile(
    rf"(?:(?:In|Here|To|For)[^,.]{{0,60}}, )?(?:[Aa]n? |[Tt]he )?(?:(?:novel|new|[\w-]+) )?({_NAME})"
    r"(?=[ ,(].{0,200}? (?:is|are|was) (?:proposed|introduced|presented|developed)\b)"
)
_THING: Final = (
    rf"(?:{_KIND}|(?:phenomen(?:on|a)|capability|property|effect|problem|setting|process|representation|head|"
    r"feature|concept|idea|issue|bias|behaviou?r|ability|neuron|hypothesis|procedure)s?)"
)
_CALL: Final = re.compile(
    r"\b[Ww]e (?:call|term|dub|name|coin|denote|refer to)\b"
    rf"(?: (?:this|these|it|them|our|such)\b(?: a)?(?: {_THING})?\b)?"
    r"(?:[^.,;:()]{0,60}? as\b|(?: [a-z]+){1,5}(?= [\"“`'‘A-Z]))?\s*(?:the )?"
)
_CALLED: Final = re.compile(
    r"\b(?:called|named|namely|dubbed|termed|coined|titled|denoted(?: as| by)?|referred to as|"
    r"known as)\b,?\s*"
)
_THING_CALLED: Final = re.compile(rf"\b{_THING} (?:called|named|dubbed|termed) ")
_OURS: Final = re.compile(
    rf"\bour (?:\w+ )?{_KIND}\s*,?\s*(?:--|—|–|:|\()?\s*(?:called|named|namely|dubbed|termed)?,?\s*"
    rf"|\bour (?=[\"“][^\"“”]+[\"”] {_KIND})",
    re.IGNORECASE,
)
_KIND_HERE: Final = re.compile(rf"(?:[\w-]+ ){{1,6}}?{_KIND}(?:,|:| --?| —)? ")
_APPOSED: Final = re.compile(
    rf"(?:, (?:namely |the |a |an )?|--? |— |\b{_KIND},? )({_NAME})"
    r"(?=,(?! [A-Z]\S*,)|\.| \(| for | that | which | to | with |:| --|$)"
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:existing|popular|standard|\w+-established|well-known|state-of-the-art|recent|previous|prior)\b[^,]*$"
)
_SMALL: Final = re.compile(rf"({_WORD}(?: {_WORD}){{0,2}}?)(?=[.,:;]|$| (?:and|that|which)\b)")
_SMALL_APPOSED: Final = re.compile(rf"({_WORD}), (?:an?|the) ")
_USED: Final = re.compile(
    rf"(?:[A-Z][\w ,-]{{0,40}}, )?({_CAPITAL}) (?:\w+ly )?(?:outperform|surpass|achiev|improv|exceed|enabl|"
    r"leverag|reach|attain|yield|consist|combin|exhibit|learn|us)(?:s|es)\b"
)
_CLAUSE_END: Final = re.compile(r"[;]|,? (?:that|which|where|while|whose|so that|in which|achiev\w+)\b|\.$")
_PREPOSITION: Final = _words(
    "of for in on with to via by from using between within across through into under over against and or as "
    "like"
)
_ADJECTIVE: Final = re.compile(
    r".*-(?:based|guided|like|aware|driven|style|free|oriented|enhanced|centric|specific|level|agnostic|"
    r"inspired|trained|shot|of-the-art|scale|modal|wise|task|time)",
    re.IGNORECASE,
)
_COMMON: Final = _words(
    """
    3dgs ai api apis bayesian bert clip cnn cnns cot ct cv dl dnn dnns dpo drl eeg ekf fmri gan gans gaussian
    github gmm gnn gnns gp gps gpt grpo hmm icl imagenet imu kf kg kgs lidar llm llms lm lms lora lvlm lvlms
    mcts mdp method ml mllm mllms mlp mlps moe mpc mri mtl nas nerf nlp ood ours pca pde pomdp ppo qa resnet
    rl rlhf rnn rnns sam sds sft slam sota svm t2i transformer transformers uav vit vits vlm vlms vqa
    """
)
"""What everybody's abstract names."""
_QUOTED_HERE: Final = re.compile(_BEFORE_NAME + _QUOTED)
_NAME_HERE: Final = re.compile(rf"({_BEFORE_NAME})({_NAME})")
_ASIDE: Final = re.compile(
    r" \((?:named|called|dubbed|termed|a\.k\.a\.|or|i\.e\.,?)? ?[\"“]?([^()\"”]+)[\"”]?\)"
)
_ASIDE_SOON: Final = re.compile(rf"(?: \w+){{0,2}}{_ASIDE.pattern}")
_MIXED: Final = re.compile(r"(?=.*[a-z].*[A-Z]|.*[A-Z].*[A-Z].*[a-z])[^\s,]{3,20}")
_ONE_OF_TWO: Final = re.compile(r"(\S*[A-Z\d]\S*[A-Z\d]\S*) and \S*[A-Z\d]\S*[A-Z\d]\S*")
_LONGEST_FORM: Final = 160
"""Characters looked at before a short form for what it stands for."""
_INITIAL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Name:
    """A name, its long form if the text spells one, and where both stand in which sentence."""

    text: str
    long: str | None
    sentence: int
    start: int
    end: int


def introduced(sentences: Sequence[str]) -> Name | None:
    """The name that these sentences of one abstract introduce, or None."""
    small = [sentence.lower() for sentence in sentences]
    for rule, needs in _RULES:
        before = ""
        for number, sentence in enumerate(sentences):
            some = not needs or any(map(small[number].__contains__, needs))
            for start, end, long in rule(sentence) if some else ():
                text = _ONE_OF_TWO.sub(r"\1", sentence[start:end].strip(" '\"“”‘’`.,;:*-"))
                if _is_name(text, before):
                    return Name(text, long, number, start, end)
            before += sentence + " "
    return None


_Found: TypeAlias = Iterator[tuple[int, int, str | None]]


def _brought_in(sentence: str) -> _Found:
    """`We introduce X`, `propose a framework called X`."""
    for verb in _BRINGS_IN.finditer(sentence):
        yield from _named_here(sentence, verb.end())
        kind = _KIND_HERE.match(sentence, verb.end())
        if kind and not _OF_OTHERS.search(kind[0].rstrip(" ,")):
            yield from _named_here(sentence, kind.end())
        if small := _SMALL_APPOSED.match(sentence, verb.end()):
            yield *small.span(1), None
        for called in _CALLED.finditer(sentence, verb.end()):
            yield from _named_here(sentence, called.end())


def _brought_in_aside(sentence: str) -> _Found:
    """`Present a long form (LF)`, `propose a framework, X, for`, `a phenomenon called x`."""
    for verb in _BRINGS_IN.finditer(sentence):
        stop = _CLAUSE_END.search(sentence, verb.end())
        end = stop.start() if stop else len(sentence)
        yield from _short_form(sentence, verb.end(), end)
        aside = sentence.find(" (", verb.end(), end)
        for apposed in _APPOSED.finditer(sentence, verb.end()):
            others = _OF_OTHERS.search(sentence[verb.end() : apposed.start(1)].rstrip(" ,"))
            if not others and apposed.start() < (end if aside < 0 else aside):
                yield from _long_or_short(sentence, *apposed.span(1))
        for called in _THING_CALLED.finditer(sentence, verb.end(), end):
            if small := _SMALL.match(sentence, called.end()):
                yield *small.span(1), None


def _ours(sentence: str) -> _Found:
    """`Our method, called X`, `our "X" model`."""
    for ours in _OURS.finditer(sentence):
        yield from _named_here(sentence, ours.end())


def _we_call(sentence: str) -> _Found:
    """`which we call X`, `we refer to these as X`: a name in small letters too."""
    for call in _CALL.finditer(sentence):
        yield from _named_here(sentence, call.end())
        if small := _SMALL.match(sentence, call.end()):
            yield *small.span(1), None


def _called(sentence: str) -> _Found:
    """`The solver, dubbed X, is available`."""
    for called in _CALLED.finditer(sentence):
        yield from _named_here(sentence, called.end())


def _proposed(sentence: str) -> _Found:
    """`X, a system for this, is proposed`."""
    proposed = _PROPOSED.match(sentence)
    if proposed and re.search(r"[a-z][A-Z]|[A-Z]{2}", proposed[1]):
        yield from _long_or_short(sentence, *proposed.span(1))


def _used(sentence: str) -> _Found:
    """`X outperforms`, where X is written as no word is."""
    used = _USED.match(sentence)
    if used and re.search(r"[a-z][A-Z]|[A-Z]{2}.*[a-z]", used[1]):
        yield *used.span(1), None


def _named_here(sentence: str, at: int) -> _Found:
    """A name that begins at `at`, after an article and adjectives or in quotation marks."""
    if quoted := _QUOTED_HERE.match(sentence, at):
        yield *quoted.span("quoted"), None
    plain = _NAME_HERE.match(sentence, at)
    if not plain:
        return
    if aside := _ASIDE_SOON.match(sentence, plain.end()):
        yield from _short_form(sentence, plain.start(2), aside.end())
    definite = not re.match(r"an? ", plain[1]) or sentence.startswith(" (", plain.end())
    if definite and _FOLLOWS.match(sentence, plain.end()):
        yield from _long_or_short(sentence, *plain.span(2))


def _long_or_short(sentence: str, start: int, end: int) -> _Found:
    """The name there, or the short form in parentheses behind it; `X (long form of X)` too."""
    name = sentence[start:end]
    behind = _ASIDE.match(sentence, end)
    inside = behind[1] if behind else ""
    if behind and len(inside) < len(name) and (_spells(inside, name) or _MIXED.fullmatch(inside)):
        yield *behind.span(1), name
    else:
        yield start, end, inside if _spells(name, inside) else None


def _short_form(sentence: str, at: int, end: int) -> _Found:
    """`a long form in small letters (LF)` between `at` and `end`, no object of a preposition."""
    for aside in _ASIDE.finditer(sentence, at, end):
        short = aside[1]
        if not re.search(r"[A-Z]", short) or len(short.split()) > 3 or len(short) > 30:
            continue
        first = max(at, aside.start() - _LONGEST_FORM)
        words = list(re.finditer(r"\S+", sentence[first : aside.start()]))
        for index in range(len(words) - 1, -1, -1):
            long = sentence[first + words[index].start() : aside.start()]
            if _spells(short, long):
                before = words[index - 1][0] if index else ""
                if before.casefold() not in _PREPOSITION and not before.istitle():
                    yield *aside.span(1), long
                break
        else:
            shorter = len(short) < aside.start() - first
            if first == at and shorter and _PREPOSITION.isdisjoint(word[0].casefold() for word in words):
                yield *aside.span(1), None


_BRINGING: Final = (
    "introduc", "propos", "present", "develop", "build", "built", "construct", "design", "creat", "curat",
    "collect", "releas", "describ", "devis", "contribut", "provid", "offer", "establish", "defin",
    "formulat", "formaliz", "discover", "unveil", "coin", "open-sourc", "identif", "address",
)  # fmt: skip
_CALLING: Final = ("called", "named", "namely", "dubbed", "termed", "coined", "titled", "denoted")
_RULES: Final = (
    (_brought_in, _BRINGING),
    (_ours, ("our ",)),
    (_we_call, ("we call", "we term", "we dub", "we name", "we coin", "we denote", "we refer")),
    (_brought_in_aside, _BRINGING),
    (_called, (*_CALLING, "referred to as", "known as")),
    (_proposed, (" proposed", " introduced", " presented", " developed")),
    (_used, ()),
)
"""The rules, the most trusted first, and what stands in small letters in every sentence that one fits:
a search for that is twenty times as fast."""


def _spells(short: str, long: str) -> bool:
    """Whether `short` abbreviates `long`: its capitals are initials there, in order, from the first."""
    initials = [part[0].casefold() for word in long.split() for part in _INITIAL.findall(word)]
    letters = [letter.casefold() for letter in short if letter.isupper()] or list(short.casefold())
    if not initials or len(letters) < 2 or short[0].casefold() != initials[0]:
        return False
    rest = iter(initials)
    if all(letter in rest for letter in letters):
        return True
    every = iter(long.casefold())
    return sum(map(str.isupper, long)) > 2 and all(c in every for c in short.casefold() if c.isalpha())


def _is_name(text: str, before: str) -> bool:
    """Whether `text` can be a new name: not common, no adjective, not spoken of `before`."""
    if not 2 <= len(text) <= 72 or not any(map(str.isalpha, text)) or re.match(r"\d+[BMKk%]\b", text):
        return False
    if text.casefold() in _COMMON or (" " not in text and _ADJECTIVE.fullmatch(text)):
        return False
    return text not in before or re.search(rf"(?<!\w){re.escape(text)}(?!\w)", before) is None
