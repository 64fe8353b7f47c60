"""The plain values that everything else speaks of: papers, annotations, changes.

Frozen; the standard library and `index.weaving` only. Times are ISO 8601 in UTC, to the millisecond; a date
is `2026-11-30`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final, TypeAlias

from index.weaving import worded, woven

Value: TypeAlias = str | int | bool | Mapping[str, Any] | None
"""What a field of an annotation can hold; a highlight is a mapping."""

STATUSES: Final = ("unread", "later", "reading", "read", "skipped")
COLOURS: Final = ("claim", "method", "result", "question", "doubt")
ANCHOR: Final = 32
"""Characters of context kept on each side of a highlight's quote."""
LEAST_TEXT: Final = 200
"""A normalised abstract shorter than this does not identify a paper by itself."""
APART: Final = "\n\n*(written apart; both are kept)*\n\n"
"""Stands between the parts of a note of which two versions met, each unknown to the other."""
APART_IN_LINE: Final = " / also: "
"""The same in a comment."""
_PLACE: Final = frozenset({"start", "end", "quote", "prefix", "suffix"})
_GONE: Final = 20
"""How many former parts of one text are remembered."""
_PLACE_IN_VENUE: Final = ("volume", "number", "issue", "pages")
_SAYING: Final = frozenset("+#")
_ARXIV_VERSION: Final = re.compile(r"v\d+$")


def now() -> str:
    """The present moment, as every time in a library is written."""
    return _written(datetime.now(UTC))


def moment(seconds: float) -> str:
    """A moment as every time in a library is written, from seconds since 1970; "" for one that is none."""
    try:
        return _written(datetime.fromtimestamp(seconds, UTC))
    except (OSError, OverflowError, ValueError):
        return ""


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def later(when: str, than: str) -> str:
    """`when`, or where it is no later than `than`, the moment after that: a clock may be behind another."""
    if when > than:
        return when
    try:
        moment = datetime.fromisoformat(than) + timedelta(milliseconds=1)
        after = _written(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (OverflowError, ValueError):  # by another hand, or at the end of time
        after = ""
    return after if after > than else f"{than}+"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a paper was listed: the file's name, the position counted from 1, when it came in."""

    file: str
    position: int
    added: str


@dataclass(frozen=True, slots=True)
class Record:
    """One record as a reader found it, its text already cleaned."""

    position: int
    abstract: str = ""
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    date: str | None = None
    venue: str | None = None
    identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keywords: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that could not be read; at position 0, a part of a file that is not even one."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper of the library: what its records say together, and what was derived from them."""

    id: str
    heading: str
    name: str | None
    abstract: str
    sources: tuple[Source, ...]
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    date: str | None = None
    venue: str | None = None
    identifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keywords: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Highlight:
    """Words of an abstract that the reader marked.

    `start` and `end` count code points of the stored abstract; quote, prefix and suffix find the
    place again when the text has moved.
    """

    id: str
    start: int
    end: int
    quote: str
    prefix: str = ""
    suffix: str = ""
    colour: str = COLOURS[0]
    comment: str = ""
    created: str = ""
    changed: str = ""

    @classmethod
    def on(
        cls, text: str, start: int, end: int, *, id: str, colour: str = COLOURS[0], comment: str = ""
    ) -> Highlight:
        """A highlight on `text[start:end]`, with its context."""
        when = now()
        return cls(
            id=id, start=start, end=end, quote=text[start:end],
            prefix=text[max(0, start - ANCHOR) : start], suffix=text[end : end + ANCHOR],
            colour=colour, comment=comment, created=when, changed=when,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Highlight:
        """From `to_json`; fields that this version does not know are left out."""
        return cls(**{name: data[name] for name in cls.__slots__ if name in data})


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one annotation, before and after: `tags/moe`, `highlights/7f3a`, `status`, …

    A tag is True or False, a highlight a mapping or None. A saved search is a mapping or None too, as the
    field `searches/NAME` of the paper "". `step` joins what one key did,
    `origin` says which window or command did it.
    """

    step: str
    origin: str
    paper: str
    field: str
    before: Value
    after: Value
    when: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """What the reader thinks of one paper.

    `times` holds when each field last changed; a tag or highlight that is named there and is not
    in the annotation was deleted then (a tombstone, for merging). `versions` holds when each version of
    a note (`note/` and `part_key`) or a comment (`comments/7f3a/…`) came, or when it went if it is not
    there any more: it tells a text that grew from another from one that was written apart.
    """

    paper: str
    status: str = STATUSES[0]
    starred: bool = False
    rating: int | None = None
    due: str | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    highlights: tuple[Highlight, ...] = ()
    title: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    """Identifiers that the reader gave, as `identities` compares them."""
    removed: bool = False
    """Whether the paper was taken out of the library; what is written about it is kept."""
    joined: str | None = None
    """The paper that this one is: an earlier one, which has all that is written about both."""
    times: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> str | None:
        """When anything here last changed."""
        return max(self.times.values(), default=None)

    def value(self, name: str) -> Value:
        """The value of a field as a Change names it."""
        kind, _, key = name.partition("/")
        if kind == "tags":
            return key in self.tags
        if kind == "highlights":
            return next((mark.to_json() for mark in self.highlights if mark.id == key), None)
        value: Value = getattr(self, name)
        return value

    def when(self, name: str) -> str:
        """When a field last changed, "" where it never did."""
        return self.times.get(name, "")

    def after(self, change: Change) -> Annotation:
        """The annotation with `change` made."""
        kind, _, key = change.field.partition("/")
        times = {**self.times, change.field: change.when}
        if kind == "tags":
            tags = set(self.tags) - {key} | ({key} if change.after else set())
            return replace(self, tags=tuple(sorted(tags)), times=times)
        if kind == "highlights":
            marks = {mark.id: mark for mark in self.highlights}
            old, new = marks.pop(key, None), None
            if isinstance(change.after, Mapping):
                new = marks[key] = Highlight.from_json(change.after)
            was, is_now = (mark.comment if mark else "" for mark in (old, new))
            versions = _versions(self.versions, f"comments/{key}", APART_IN_LINE, was, is_now, change.when)
            kept = sorted(marks.values(), key=lambda mark: (mark.start, mark.end, mark.id))
            return replace(self, highlights=tuple(kept), times=times, versions=versions)
        edit: dict[str, Any] = {change.field: change.after, "times": times}
        if change.field == "note":
            edit["versions"] = _versions(
                self.versions, "note", APART, self.note, str(change.after), change.when
            )
        return replace(self, **edit)


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper with what the reader wrote about it: what a writer sets down."""

    paper: Paper
    annotation: Annotation


def with_given(paper: Paper, told: Annotation) -> Paper:
    """A paper with the identifiers that the reader gave it too."""
    given = {"doi": told.doi, "arxiv": told.arxiv}
    new = {kind: value for kind, value in given.items() if value}
    if not new:
        return paper
    known = {kind: (*paper.identifiers.get(kind, ()), value) for kind, value in new.items()}
    unique = {kind: tuple(dict.fromkeys(values)) for kind, values in known.items()}
    return replace(paper, identifiers={**paper.identifiers, **unique})


def parts(text: str, between: str) -> dict[str, str]:
    """The parts of a text that were written apart, by their keys in `Annotation.versions`.

    None of them ends or begins with what `between` does, so that they are the same when put together again.
    """
    found = (part.strip(between[0]) for part in text.split(between.strip()))
    return {_digest(part)[:12]: part for part in found if part}


def _versions(
    known: Mapping[str, str], name: str, between: str, old: str, new: str, when: str
) -> Mapping[str, str]:
    """`known` after the text `name` was changed from `old` to `new`."""
    before, after = parts(old, between).keys(), parts(new, between).keys()
    if before == after:
        return known
    told = {**known, **{f"{name}/{key}": when for key in before ^ after}}
    gone = [key for key in told if key.startswith(f"{name}/") and key[len(name) + 1 :] not in after]
    for key in sorted(gone, key=told.__getitem__)[:-_GONE]:
        del told[key]
    return told


def both_notes(before: str, held: str, after: str) -> str:
    """A note that was `before` and was to become `after`, but meanwhile is `held`: nothing is lost.

    Two that share lines are woven into one. Else what one of them only added comes at the end of the other,
    or one stands below the other.
    """
    sides = ((after, held), (held, after))
    for grown, other in sides:
        if before in other and other in grown:
            return grown
    if worded(held) & worded(after):
        return woven(held, after, before)
    for grown, other in sides:
        if other in grown:
            return grown
        if grown.startswith(before):
            added = grown[len(before) :].strip("\n")
            return f"{other.rstrip()}\n\n{added}" if other else added
    return f"{after.rstrip()}\n\n*Written meanwhile:*\n\n{held}"


def meeting(change: Change, held: Value) -> Change:
    """`change` where another window has changed the field since, to `held`: nothing written is lost.

    Of two notes both stay. Of two highlights each takes what only one of them changed, both comments, and
    else what `change` says; one that was deleted stays if a comment was written meanwhile, or is now.
    """
    kind, _, _ = change.field.partition("/")
    match kind, change.before, held, change.after:
        case "note", str(before), str(now), str(after):
            return replace(change, after=both_notes(before, now, after))
        case "highlights", before, Mapping() as now, after:
            known = before if isinstance(before, Mapping) else {}
            if isinstance(after, Mapping):
                return replace(change, after=_both_marks(known, now, after))
            if now.get("comment", "") not in ("", known.get("comment")):
                return replace(change, after=now)
    return change


def _both_marks(
    before: Mapping[str, Any], held: Mapping[str, Any], after: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The highlight that was `before`, and of which two made `held` and `after`. Its place is one value."""
    told = dict(held)
    for names in (_PLACE, *({name} for name in after.keys() - _PLACE - {"comment"})):
        new = {name: after[name] for name in names if name in after}
        if any(value != before.get(name) for name, value in new.items()):
            told |= new
    told["changed"] = max(mark.get("changed", "") for mark in (held, after))
    was, now, then = (mark.get("comment", "") for mark in (before, held, after))
    if was in (now, then):
        told["comment"] = now if then == was else then
    else:
        told["comment"] = next(
            (one for one, other in ((then, now), (now, then)) if other in one), f"{now}{APART_IN_LINE}{then}"
        )
    return told


def normalised(text: str) -> str:
    """Letters and digits alone, case and compatibility forms folded: what makes two texts one."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(filter(str.isalnum, folded))


def identities(record: Record | Paper) -> tuple[str, ...]:
    """The keys by which two records are one paper, the strongest first."""
    keys = [
        f"{kind}:{_ARXIV_VERSION.sub('', value.lower()) if kind == 'arxiv' else value.lower()}"
        for kind in ("doi", "arxiv", "pmid")
        for value in record.identifiers.get(kind, ())
    ]
    text = normalised(record.abstract)
    if len(text) >= LEAST_TEXT:
        keys.append("text:" + _digest(text))
    elif not keys:
        fields = [
            record.title or "",
            record.abstract,
            *record.authors,
            str(record.year or ""),
            record.venue or "",
            *(str(record.extra.get(name, "")) for name in _PLACE_IN_VENUE),
        ]
        keys.append("all:" + _digest("\n".join(map(_told, fields))))
    return tuple(keys)


def _told(text: str) -> str:
    """A field by which records that say little are compared: `C++` is not `C`."""
    return normalised(text) + "".join(filter(_SAYING.__contains__, text)) or text


def paper_id(identity: str) -> str:
    """Ten characters of base 36, the first a letter, from a key of `identities`."""
    number = int.from_bytes(blake2b(identity.encode(), digest_size=16).digest())
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    number, rest = divmod(number, 26)
    out = digits[10 + rest]
    for _ in range(9):
        number, rest = divmod(number, 36)
        out += digits[rest]
    return out


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
