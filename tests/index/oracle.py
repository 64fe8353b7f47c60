"""Brute force: what a query tree finds, by looking at every paper, from the design alone.

It cuts texts into words and finds acronyms by itself, and shares with `index.fulltext` only two tables: which
inflections and spellings are one word (`stem`), and which words carry no meaning alone (`STOP`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import combinations
from typing import Final, NamedTuple

from index.fulltext.analysis import STOP, stem
from index.fulltext.spelling import may_become
from index.papers import STATUSES, Annotation, Paper
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Range, Regex, State, Word

Rows = list[list[str]]
"""Texts of one field, each a row of words."""

SPELLED: Final = (None, "abstract", "title")
"""Fields in which an acronym is looked for by what it stands for."""
MOST_TELLING: Final = 6
"""Words of a query that an acronym stands for."""
BARE: Final = ("title", "name", "abstract", "author", "venue", "cat", "own")
"""Where a bare word is looked for; `own` is what the reader wrote."""
_ODD_LETTERS: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_LATEX: Final = (
    (r"\{?\\['\"`^~=.]\s?\{?\\?([A-Za-z])\}?\}?|\\[cvHukrbd]\{([A-Za-z])\}", r"\1\2"),  # accents
    (r"(?:\\[A-Za-z]+)?\{([A-Za-z])\}(?=[A-Za-z])", r"\1"),  # {B}ayes
    (r"\\[A-Za-z]+\*?(?=\s*\{)|\\(?:em|bf|it|tt|sc|rm|small|large)(?=\s)", " "),
)


def words(text: str) -> list[str]:
    """The words of a text: lower case, no accents, LaTeX, possessives or hyphens; `%`, `++`, `#` are some."""
    for pattern, put in _LATEX:
        text = re.sub(pattern, put, text)
    text = re.sub(r"(?<=\w)['\u2019]s(?!\w)", " ", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<=\d)\xd7", "x", text)
    text = unicodedata.normalize("NFKD", text.casefold()).translate(_ODD_LETTERS)
    text = "".join(sign for sign in text if not unicodedata.combining(sign) and sign != "\u00ad")
    found = [""]
    for at, sign in enumerate(text):
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if _ideograph(sign) or sign == "%":
            found += [sign, ""]
        elif sign.isalnum() or (sign == "." and before.isdigit() and after.isdigit()):
            found[-1] += sign
        elif sign in "+#" and found[-1] and (before.isalnum() or before == sign == "+"):
            tail = re.match(r"\++(?!\w)|#(?!\w)", text[at:])
            found += [tail[0], ""] if tail and before != "+" else [""]
        else:
            found.append("")
    return [piece[:100] for word in found if word for piece in map(_spelled_out, _unglued(word))]


def _spelled_out(word: str) -> str:
    """β as beta, and LaTeX's name for ℓ as the letter."""
    name = unicodedata.name(word, "") if len(word) == 1 else ""
    if name.startswith("GREEK SMALL LETTER ") and name.count(" ") == 3:
        return name.split()[-1].lower().replace("lamda", "lambda")
    return "l" if word == "ell" else word


def _ideograph(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA", "HANGUL SYLLABLE"))


def _unglued(word: str) -> Iterable[str]:
    glued = re.fullmatch(r"(geq|leq|sim|approx|times|pm|neq)([\d.]+)|([\d.]+)(times|pm)", word)
    return filter(None, glued.groups()) if glued else (word,)


def spelled_out(text: str) -> set[tuple[str, str]]:
    """Each acronym in parentheses, as `t2i`, with the fewest words before it that it abbreviates.

    Its letters are their initials, or else stand in them in order, from the first one's first on.
    """
    found = set()
    for aside in re.finditer(r"\(([A-Za-z][\w-]{1,9})\)", text):
        pieces = text[max(0, aside.start() - 120) : aside.start()].split("-")
        row = [(word, at > 0 and n == 0 and piece[:1].isalnum())
               for at, piece in enumerate(pieces) for n, word in enumerate(words(piece))]  # fmt: skip
        short = words(aside[1])
        if len(short) != 1 or len(re.findall("[A-Z]", aside[1])) < 2:
            continue
        letters = stem(short[0]).replace("2", "t").replace("4", "f")
        starts = range(len(row) - 1, -1, -1)
        ends = [[word for word, _ in row[start:]] for start in starts]
        long = next((end for end in ends if _initials(letters, end)), None)
        long = long or next((end for end in ends if _within(letters, end)), [])
        start = len(row) - len(long)
        while long and row[start][1]:  # no half of a hyphenated word
            start -= 1
        said = [word for word, _ in row[start:]]
        telling = sum(word not in STOP for word in said)
        begins = not long or long[0] not in STOP or _initials(letters, long)
        if begins and 2 <= telling <= MOST_TELLING and short[0] not in said:
            found.add((stem(short[0]), " ".join(said)))
    return found


def _initials(letters: str, row: list[str]) -> bool:
    """Whether each letter begins a word of the row, in order; only words that tell nothing may be passed."""
    if not row or not letters:
        return not row and not letters
    return (row[0][0] == letters[0] and _initials(letters[1:], row[1:])) or (
        row[0] in STOP and _initials(letters, row[1:])
    )


def _within(letters: str, row: list[str]) -> bool:
    """Whether the letters stand in the words in order, the first as the first of all."""
    rest = iter("".join(row))
    return bool(letters) and next(rest) == letters[0] and all(letter in rest for letter in letters[1:])


class Want(NamedTuple):
    """One word that is asked for; `how`: word, exact, begun or near."""

    form: str
    how: str = "word"

    def takes(self, form: str) -> bool:
        if form == self.form or (self.how == "begun" and form.startswith(self.form)):
            return True
        if self.how == "begun" and any(stem(form) == stem(word) for word in may_become(self.form)):
            return True
        return (self.how != "exact" and stem(form) == stem(self.form)) or (
            self.how == "near" and one_edit(self.form, form)
        )


def one_edit(word: str, other: str) -> bool:
    """Whether one letter put in, taken out, changed or swapped with the next makes `other` of `word`."""
    if abs(len(word) - len(other)) > 1:
        return False
    return any(
        other in (word[:i] + word[i + 1 :], word[:i] + word[i + 1 : i + 2] + word[i : i + 1] + word[i + 2 :])
        or other in (word[:i] + other[i : i + 1] + word[i:], word[:i] + other[i : i + 1] + word[i + 1 :])
        for i in range(len(word) + 1)
    )


def wanted(leaf: Word | Prefix | Fuzzy | Phrase) -> list[Want]:
    found = words(leaf.text)[:100]
    if isinstance(leaf, Fuzzy):
        return [Want(form, "near" if len(form) > 2 else "word") for form in found]
    begun = isinstance(leaf, Prefix) or (isinstance(leaf, Phrase) and leaf.open)
    return [
        Want(form, "begun" if begun and at == len(found) - 1 else "word") for at, form in enumerate(found)
    ]


def ways(row: list[Want]) -> Iterator[list[Want]]:
    """The row as it is, and with one border between words elsewhere: hyphenated, joined and split are one."""
    yield row
    if len(row) > 16:
        return
    for at in range(len(row) - 1):
        one, two = row[at : at + 2]
        if "near" not in (one.how, two.how) and not {one.form, two.form} & STOP:
            yield [*row[:at], Want(one.form + two.form, two.how), *row[at + 2 :]]
    for at, (form, how) in enumerate(row):
        if how == "near":
            continue
        for cut in range(1, len(form)):
            left, right = form[:cut], form[cut:]
            if {left, right} & STOP:
                continue
            if how == "begun":
                fits = right.isdigit() or min(len(left), len(right)) > 2
            else:
                fits = len(right) > 1 or right.isdigit() or left.isdigit()
            if fits:
                yield [*row[:at], Want(left, "exact"), Want(right, how), *row[at + 1 :]]
        runs = re.findall(r"\d+|\D+", form)
        if len(runs) > 2:
            yield [*row[:at], *(Want(run, "exact") for run in runs[:-1]), Want(runs[-1], how), *row[at + 1 :]]


def stands_in(text: str, leaf: Word | Prefix | Fuzzy | Phrase) -> bool:
    """Whether the words of `leaf` stand side by side in a text."""
    row, asked = words(text), wanted(leaf)
    return bool(asked) and any(
        _in_row(row, [{form for form in row if want.takes(form)} for want in way]) for way in ways(asked)
    )


def _in_row(row: Sequence[str], taken: Sequence[Collection[str]]) -> bool:
    """Whether words that `taken` holds, place by place, stand side by side in the row."""
    return any(
        all(row[at + n] in some for n, some in enumerate(taken)) for at in range(len(row) - len(taken) + 1)
    )


class Oracle:
    """What papers, with what the reader wrote about them, say to a tree."""

    def __init__(self, papers: Iterable[Paper], told: Callable[[str], Annotation] = Annotation) -> None:
        self.papers = {paper.id: paper for paper in papers}
        self.told = {id: told(id) for id in self.papers}
        self._rows = {id: self._texts(paper, self.told[id]) for id, paper in self.papers.items()}
        self._leaves: dict[Node, frozenset[str]] = {}
        rows = [row for texts in self._rows.values() for some in texts.values() for row in some]
        self._vocabulary = {form for row in rows for form in row}
        self._stems: dict[str, set[str]] = {}
        for form in self._vocabulary:
            self._stems.setdefault(stem(form), set()).add(form)
        self._taken: dict[Want, Collection[str]] = {}
        self._spelled = Counter(
            pair for paper in self.papers.values() for pair in spelled_out(paper.abstract)
        )
        self._meanings: dict[str, list[str]] = {}

    def _takes(self, want: Want) -> Collection[str]:
        """The words of all the papers that `want` takes."""
        if want not in self._taken:
            known = self._vocabulary
            if want.how == "word":
                known = self._stems.get(stem(want.form), set())
            elif want.how == "exact":
                known = known & {want.form}
            self._taken[want] = {form for form in known if want.takes(form)}
        return self._taken[want]

    def _texts(self, paper: Paper, told: Annotation) -> Mapping[str, Rows]:
        own = (told.title or "", told.note, *told.tags, *(mark.comment for mark in told.highlights))
        categories = paper.extra.get("categories", ())
        links = (*paper.links, *addresses(paper.abstract))
        texts: dict[str, Iterable[str]] = {
            "title": (paper.title or "", paper.heading, told.title or ""),
            "name": (paper.name or "", *map(project, links)), "abstract": (paper.abstract,),
            "author": paper.authors,
            "venue": (paper.venue or "",), "cat": (*paper.keywords, *categories), "own": own,
            "link": links,
        }  # fmt: skip
        return {name: [words(text) for text in some] for name, some in texts.items()}

    def ids(self, tree: Node) -> frozenset[str]:
        """All papers that `tree` matches."""
        match tree:
            case And(parts):
                return self._all(list(_flat(parts)))
            case Or(parts):
                return frozenset().union(*map(self.ids, parts))
            case Not(part):
                return frozenset(self.papers.keys() - self.ids(part))
            case Ids(ids):
                return frozenset(self.papers.keys() & ids)
            case Everything():
                return frozenset(self.papers)
        if tree not in self._leaves:
            if isinstance(tree, TEXT) and tree.field not in ("id", "has"):
                asked = wanted(tree)
                self._leaves[tree] = self._standing(list(ways(asked)) if asked else [], tree.field)
                if isinstance(tree, Word) and tree.field in SPELLED:
                    self._leaves[tree] |= self._in_other_words([want.form for want in asked], tree.field)
            else:
                self._leaves[tree] = frozenset(id for id in self.papers if self._holds(id, tree))
        return self._leaves[tree]

    def _all(self, parts: list[Node]) -> frozenset[str]:
        """Every part; stop words and signs beside others ask for nothing, and `multi task` is `multitask`."""
        parts = [part for part in parts if not isinstance(part, Everything)]
        if not parts:
            return frozenset(self.papers)
        says = [part for part in parts if not (isinstance(part, TEXT) and not wanted(part))]
        parts = [part for part in says if not _stop(part)] or says or parts[:1]
        found = []
        for at, part in enumerate(parts):
            ids = self.ids(part)
            for one, two in ((at - 1, at), (at, at + 1)):
                if one >= 0 and two < len(parts) and (joined := _joined(parts[one], parts[two])):
                    ids |= self._standing([[joined[0]]], joined[1])
            found.append(ids)
        for first, last in combinations(range(len(parts)), 2):
            run = [
                part for part in parts[first : last + 1] if isinstance(part, Word) and part.field in SPELLED
            ]
            if len(run) == last + 1 - first <= MOST_TELLING:
                said = [want.form for part in run for want in wanted(part)]
                for at, part in enumerate(run, first):
                    found[at] |= self._in_other_words(said, part.field)
        return frozenset(self.papers).intersection(*found)

    def _in_other_words(self, said: list[str], field: str | None) -> frozenset[str]:
        """The papers with what an acronym stands for, or with the acronym of these words."""
        if len(said) == 1:
            short = stem(said[0])
            if short not in self._meanings:
                self._meanings[short] = self._meant(short)
            long = self._meanings[short]
            return self._standing(list(ways([Want(form) for form in long])) if long else [], field, own=False)
        plain = _plain(said)
        some = {short for short, long in self._spelled if _plain(long.split()) == plain}
        shorts = {short for short in some if _plain(self._meant(short)) == plain}
        return self._standing([[Want(short)] for short in shorts if said], field, own=False)

    def _meant(self, short: str) -> list[str]:
        """What an acronym stands for in half or more of the papers that spell it out, unless it is a word."""
        told = Counter({long: n for (one, long), n in self._spelled.items() if one == short})
        kinds: Counter[str] = Counter()
        for long, n in sorted(told.items()):
            kinds[_plain(long.split())] += n
        if not kinds:
            return []
        best, most = max(kinds.items(), key=lambda one: one[1])
        texts = [text for one in self.papers.values() for text in ((one.abstract,), (one.title, one.heading))]
        as_word = sum(any(short in words(part or "") for part in text) for text in texts)
        if 2 * most < kinds.total() or 20 * most < as_word:
            return []
        return min(long for long in told if _plain(long.split()) == best).split()

    def _standing(self, readings: list[list[Want]], field: str | None, *, own: bool = True) -> frozenset[str]:
        """Where the words of any of `readings` stand side by side; in a link, as they were typed."""
        if field == "link":
            readings = [[Want(f, "exact" if how == "word" else how) for f, how in one] for one in readings]
        taken = [some for one in readings if all(some := [self._takes(want) for want in one])]
        names = [name for name in BARE if own or name != "own"] if field is None else [field]
        return frozenset(
            id
            for id, rows in self._rows.items()
            if any(
                _in_row(row, some)
                for name in names
                for row in rows[name]
                for some in taken
                if not any(map(frozenset(row).isdisjoint, some))
            )
        )

    def _holds(self, id: str, leaf: Node) -> bool:
        match leaf:
            case Word(text, "id") | Prefix(text, "id") | Fuzzy(text, "id") | Phrase(text, "id"):
                return _names(self.papers[id], text)
            case Word(text, "has"):
                return self._has(self.papers[id], text)
            case Range(field, low, high):
                return self._within(id, field, low, high)
            case Regex(field, pattern):
                told = self.told[id]
                texts = {
                    "title": (told.title or self.papers[id].heading,),
                    "tag": told.tags,
                    "note": (told.note,),
                }
                lines = (line for text in texts[field] for line in text.split("\n"))
                return any(re.search(pattern, line, re.IGNORECASE) for line in lines)
            case State(field, value):
                return self._state(id, field, value)
        raise AssertionError(leaf)

    def _has(self, paper: Paper, what: str) -> bool:
        links = [*paper.links, *addresses(paper.abstract)]
        hosts = ("github.", "gitlab.", "huggingface.co", "bitbucket.org", "colab.research", "codeberg.org")
        code = any(host in link.lower() for link in links for host in hosts)
        return bool({"title": paper.title, "link": links, "code": code}[what])

    def _within(self, id: str, field: str, low: int | str | None, high: int | str | None) -> bool:
        paper, told = self.papers[id], self.told[id]
        if field == "date":
            begins, ends = paper.date or "", (paper.date or "") + "-99"  # a month alone is each of its days
            return bool(begins) and begins <= str(high or "9") and ends >= str(low or "")
        year = paper.year or (int(paper.date[:4]) if paper.date else None)
        days = (
            [datetime.fromisoformat(paper.sources[0].added).astimezone().date().isoformat()]
            if paper.sources
            else []
        )
        value = {"year": year, "rating": told.rating, "due": told.due, "added": days[0] if days else None}[
            field
        ]
        if value is None:
            return False
        least, most = (0, 9999) if isinstance(value, int) else ("", "9")
        return (least if low is None else low) <= value <= (most if high is None else high)  # type: ignore[operator]

    def _state(self, id: str, field: str, value: str) -> bool:
        paper, told, begun = self.papers[id], self.told[id], value.endswith("*")
        match field, value:
            case "tag", _:
                name = value.rstrip("*").lower()
                return any(
                    tag.startswith(name) if begun else f"{tag}/".startswith(f"{name}/") for tag in told.tags
                )
            case ("is", "starred") | ("is", "tagged"):
                return bool(told.starred if value == "starred" else told.tags)
            case "is", "due":
                return bool(told.due) and str(told.due) <= date.today().isoformat()  # noqa: DTZ011
            case (("is" | "status"), _):
                assert value in STATUSES
                return told.status == value
            case "has", _:
                return bool(told.note if value == "note" else told.highlights)
            case (("note" | "quote"), _):
                texts = [told.note] if field == "note" else [mark.quote for mark in told.highlights]
                leaf = Phrase(value.rstrip("*"), open=begun)
                return any(stands_in(text, leaf) for text in texts)
            case "source", _:
                return any(value.casefold() in source.file.casefold() for source in paper.sources)
            case "added", "last":
                latest = max(other.sources[0].added for other in self.papers.values())
                return paper.sources[0].added == latest
        return False


TEXT: Final = (Word, Prefix, Fuzzy, Phrase)


def _flat(parts: Iterable[Node]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, And):
            yield from _flat(part.parts)
        else:
            yield part


def _stop(part: Node) -> bool:
    return isinstance(part, Word) and part.field is None and {want.form for want in wanted(part)} <= STOP


def _plain(said: Iterable[str]) -> str:
    return "".join(stem(word) for word in said if word not in STOP)


def _joined(one: Node, two: Node) -> tuple[Want, str | None] | None:
    """The word that two words of a query make together, and the field where they are looked for."""
    if isinstance(one, Word) and isinstance(two, Word) and one.field == two.field:
        a, b = words(one.text), words(two.text)
        if len(a) == len(b) == 1:
            return Want(a[0] + b[0]), one.field
    return None


def _names(paper: Paper, text: str) -> bool:
    """Whether an id or identifier of the paper begins so."""

    def bare(text: str) -> str:
        text = re.sub(r"^(https?://[^/]+/(abs/|pdf/)?|(doi|arxiv|pmid):)", "", text.strip().lower())
        return re.sub(r"^(\d{4}\.\d{4,5})v\d+$", r"\1", text)

    known = [paper.id, *(bare(one) for some in paper.identifiers.values() for one in some)]
    return bool(bare(text)) and any(name.startswith(bare(text)) for name in known)


def project(address: str) -> str:
    """The repository or the project page at an address; empty for any other."""
    host, _, path = re.sub(r"^https?://(?:www\.)?", "", address).partition("/")
    steps = [re.split("[?#]", step)[0] for step in path.split("/")]
    name, _, site = host.lower().rpartition(".")
    if name.endswith((".github", ".gitlab", ".gitee")) and site == "io":
        return steps[0] or host.split(".")[0]
    if name.split(".")[-1] not in ("github", "gitlab", "gitee", "bitbucket", "codeberg", "huggingface"):
        return ""
    if steps[0] in ("datasets", "spaces") and len(steps) > 2:
        steps = steps[1:]
    return steps[1].removesuffix(".git") if len(steps) > 1 and steps[0] else ""


def addresses(text: str) -> list[str]:
    """The web addresses in a text, with or without a scheme."""
    found = []
    for piece in re.split(r"[\s<>\"'{}|\\^`\u2019\u201d(),;]+", text):
        host = r"(?:[\w-]+\.)+(?:com|org|io|net|edu|ai|co|dev|me|app|site|xyz|[a-z]{2})"
        kinds = (
            r"https?://.+",
            r"www\..+",
            rf"{host}/[\w./~%+?=&#-]+",
            r"[\w-]+\.(?:github|gitlab|gitee)\.io",
        )
        if match := re.search("|".join(kinds), piece, re.IGNORECASE):
            found.append(match[0].rstrip(".!?:"))
    return found
