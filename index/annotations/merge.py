"""Three-way merge of annotations, per field: symmetric, idempotent, and what somebody wrote stays.

A field, a tag and a highlight are the newer of two by `times`; what is absent was deleted only if `times`
names it, and a highlight only with comments that `versions` name there. So the base is needed only where no
time tells: for fields that postil does not know, and for edits by another hand, which leave the time as it
was. Such an edit becomes as new as the moment after that, so that no older version comes back later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from index.annotations.migration import Tables
from index.annotations.texts import Text, joined
from index.papers import APART, APART_IN_LINE, STATUSES, later, parts

Document: TypeAlias = Mapping[str, Any]

_ANNOTATIONS: Final = "annotations"
_PLAIN: Final = ("status", "starred", "rating", "due", "title", "doi", "arxiv", "removed", "joined")
_NEVER: Final = "1970-01-01T00:00:00.000Z"
"""Stands for the time of a field that has none, where another hand set it."""
_UNTOUCHED: Final = (None, "", False, STATUSES[0])
_STRONGEST_FIRST: Final = ("doi", "arxiv", "pmid", "text", "all")
_ORDER: Final = (
    "paper", "identities", "status", "starred", "rating", "due", "tags", "note", "highlights", "title",
    "doi", "arxiv", "removed", "joined", "times", "versions",
)  # fmt: skip


class _Value(NamedTuple):
    """What a field holds, and since when; "" where nobody knows."""

    when: str
    value: Any


def merged(base: Tables | None, ours: Tables, theirs: Tables, edited: str = "") -> Tables:
    """The tables that hold what `ours` and `theirs` hold; `base` is what both once were, if that is known.

    `edited` is when the file that `theirs` comes from was written: what in it was changed by hand, which has
    no time of its own, counts as changed then.

    Annotations are matched by their id, what is in another table by its name where it has one. They are
    sound documents. Nothing that is given is changed; the result shares parts of it.
    """
    out: Tables = {}
    for name in sorted({*ours, *theirs}, key=lambda name: (name != _ANNOTATIONS, name)):
        before, one, other = (base or {}).get(name, {}), ours.get(name, {}), theirs.get(name, {})
        if name == _ANNOTATIONS:
            ids = sorted({*one, *other}, key=_by_number)
            out[name] = {
                id: merged_document(before.get(id), one.get(id), other.get(id), edited) for id in ids
            }
        else:
            out[name] = _by_name(before, one, other)
    return out


def merged_document(
    base: Document | None, ours: Document | None, theirs: Document | None, edited: str = ""
) -> dict[str, Any]:
    """The document that holds what both hold; where one is None, the other. `edited` is as in `merged`."""
    if ours is None or theirs is None or ours == theirs:
        return dict((theirs if ours is None else ours) or {})
    base = base or {}
    out: dict[str, Any] = {}
    times = _latest(ours.get("times", {}), theirs.get("times", {}))
    versions = _latest(ours.get("versions", {}), theirs.get("versions", {}))
    for name in {*ours, *theirs} - {"times", "versions"}:
        match name:
            case "identities":
                out[name] = _identities({*ours.get(name, []), *theirs.get(name, [])})
            case "tags":
                tags = {*ours.get(name, []), *theirs.get(name, [])}
                out[name] = sorted(tag for tag in tags if not _tag_is_gone(ours, theirs, tag))
            case "note":
                sides = [(side, side.get(name), _when(side, name)) for side in (base, ours, theirs)]
                out[name] = _joined(APART, name, sides, versions)
            case "highlights":
                out[name] = _highlights(base, ours, theirs, times, versions)
            case _:
                out[name] = _newer(*(_value(side, name) for side in (base, ours, theirs))).value
    times |= _by_hand(base, {**out, "times": times}, edited)
    for name, told in (("times", times), ("versions", versions)):
        if told or name in ours or name in theirs:
            out[name] = dict(sorted(told.items()))
    places = {name: place for place, name in enumerate(_ORDER)}
    return {name: out[name] for name in sorted(out, key=lambda name: (places.get(name, len(places)), name))}


def _by_hand(base: Document, merged: Document, edited: str) -> dict[str, str]:
    """New times for what differs from the base and is of the same time: it is not to count as older.

    Of comments, and of notes that have a time, `versions` tell that; to join them is nobody's edit.
    """
    changed = [
        (name, _when(merged, name) or _NEVER)
        for name in (*_PLAIN, *([] if _when(merged, "note") else ["note"]))
        if name in base and name in merged and base[name] != merged[name]
    ]
    before, held = ({mark["id"]: _bare(mark) for mark in one.get("highlights", ())} for one in (base, merged))
    names = [f"highlights/{id}" for id in held if held[id] != before.get(id)]
    names += [f"tags/{tag}" for tag in merged.get("tags", ()) if tag not in base.get("tags", ())]
    changed += [(name, when) for name in names if (when := _when(merged, name))]
    unchanged = [(name, when) for name, when in changed if when == (_when(base, name) or _NEVER)]
    return {name: max(later(when, when), edited) for name, when in unchanged}


def _when(document: Document, field: str, otherwise: str = "") -> str:
    when: str = document.get("times", {}).get(field, otherwise)
    return when


def _latest(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    return {name: max(ours.get(name, ""), theirs.get(name, "")) for name in sorted({*ours, *theirs})}


def _identities(keys: set[str]) -> list[str]:
    places = {kind: place for place, kind in enumerate(_STRONGEST_FIRST)}
    return sorted(keys, key=lambda key: (places.get(key.partition(":")[0], len(places)), key))


# Fields


def _value(document: Document, name: str) -> _Value | None:
    return _Value(_when(document, name), document[name]) if name in document else None


def _newer(base: _Value | None, ours: _Value | None, theirs: _Value | None) -> _Value:
    """The newer one. Of one time: the one that differs from the base, else the same whoever merges."""
    if ours is None or theirs is None:
        found = theirs if ours is None else ours
        assert found, "a field of either side"
        return found
    if base and ours.when == theirs.when:
        for one, other in ((ours, theirs), (theirs, ours)):
            if one.value == base.value:
                return other
    return max(ours, theirs, key=_weight)


def _weight(side: _Value) -> tuple[str, bool, str]:
    """Of one time something outweighs nothing; beyond that any order will do."""
    return side.when, side.value not in _UNTOUCHED, json.dumps(side.value, sort_keys=True)


# Tags and highlights


def _tag_is_gone(ours: Document, theirs: Document, tag: str) -> bool:
    return any(
        tag not in side.get("tags", ()) and _deleted(side, f"tags/{tag}", _when(holder, f"tags/{tag}"))
        for side, holder in ((ours, theirs), (theirs, ours))
    )


def _deleted(side: Document, field: str, since: str) -> bool:
    """Whether `side`, which does not hold `field`, deleted it after the time `since`."""
    return _when(side, field) > since


def _highlights(
    base: Document, ours: Document, theirs: Document, times: dict[str, str], versions: dict[str, str]
) -> list[dict[str, Any]]:
    """The highlights of both, by their ids; when they and their comments came goes into the last two."""
    sides = (base, ours, theirs)
    before, one, other = ({mark["id"]: mark for mark in side.get("highlights", ())} for side in sides)
    out = []
    for id in {*one, *other}:
        field, marks = f"highlights/{id}", [held.get(id) for held in (before, one, other)]
        whens = [
            _when(side, field, (mark or {}).get("changed", ""))
            for side, mark in zip(sides, marks, strict=True)
        ]
        if id in one and id in other:
            values = [mark and _Value(when, _bare(mark)) for when, mark in zip(whens, marks, strict=True)]
            told = [
                (side, mark and mark.get("comment"), when)
                for side, mark, when in zip(sides, marks, whens, strict=True)
            ]
            comment = _joined(APART_IN_LINE, f"comments/{id}", told, versions)
            out.append({**one[id], **other[id], **_newer(*values).value, "comment": comment})
            continue
        mark, when, without = (one[id], whens[1], theirs) if id in one else (other[id], whens[2], ours)
        if not _deleted(without, field, when):
            out.append(mark)
        elif _has_unknown(mark, without):
            out.append(mark)
            times[field] = later(when, times[field])
    return sorted(out, key=lambda mark: (mark["start"], mark["end"], mark["id"]))


def _has_unknown(mark: Document, side: Document) -> bool:
    """Whether `side`, which deleted the highlight, never saw a part of its comment."""
    known, keys = side.get("versions", {}), parts(mark.get("comment", ""), APART_IN_LINE)
    return any(f"comments/{mark['id']}/{key}" not in known for key in keys)


def _joined(
    between: str, name: str, sides: Sequence[tuple[Document, str | None, str]], versions: dict[str, str]
) -> str:
    """What the texts `name` of the base and both sides make; when its parts came goes into `versions`.

    A side that has no such field says nothing, so that the base tells nothing of it either.
    """
    if any(text is None for _, text, _ in sides[1:]):
        sides = [({}, "", ""), *sides[1:]]
    text, told = joined(between, *(Text.of(side, name, text or "", when) for side, text, when in sides))
    versions |= {f"{name}/{key}": when for key, when in told.items()}
    return text


def _bare(mark: Document) -> dict[str, Any]:
    return {name: value for name, value in mark.items() if name != "comment"}


# Other tables


def _by_name(base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """The documents of both, matched by their names: each machine counts its ids for itself.

    Two that claim one id: the first by name keeps it, the other gets a new one.
    """
    before, one, other = map(_named, (base, ours, theirs))
    out: dict[str, Any] = {}
    unused = max((int(id) for id in {**ours, **theirs} if id.isdecimal()), default=0) + 1
    for name in sorted({*one, *other}):
        held = [side.get(name, (None, None)) for side in (before, one, other)]
        (_, was), (_, ours_now), (_, theirs_now) = held
        document = merged_document(was, ours_now, theirs_now)
        ids = sorted({id for id, _ in held[1:] if id is not None}, key=_by_number)
        free = next((id for id in ids if id not in out), None)
        if free is None:
            free, unused = str(unused), unused + 1
        out[free] = document
    return {id: out[id] for id in sorted(out, key=_by_number)}


def _named(table: Mapping[str, Any]) -> dict[tuple[str, str], tuple[str, Any]]:
    """Each document with its id, by its name; by its id, if it has no name or one that is taken."""
    out: dict[tuple[str, str], tuple[str, Any]] = {}
    for id in sorted(table, key=_by_number):
        name = table[id].get("name")
        key = (name, "") if isinstance(name, str) and (name, "") not in out else ("", id)
        out[key] = id, table[id]
    return out


def _by_number(id: str) -> tuple[int, str]:
    return len(id), id
