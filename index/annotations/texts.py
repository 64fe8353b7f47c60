"""A note or a comment of which two versions met: the parts that somebody replaced go, all others stay.

A text is a set of parts, and `versions` says when each of them came, or went if it is not held any more.
So a version that grew from the other one takes its place, and two that were written apart are both kept:
a set whose elements carry the time of their last change (Shapiro et al. 2011, LWW-element-set). Two that
share lines are woven into one part, which replaces both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from index.papers import parts
from index.weaving import worded, woven

States: TypeAlias = Mapping[str, tuple[str, bool]]
"""For each part that is known of: since when it is held, or is not."""

_MOST: Final = 20
"""More parts than these that one side alone holds are not woven: it would take too long."""


class Text(NamedTuple):
    """A text, when it last changed ("" where nobody knows), and its versions by their keys."""

    text: str
    when: str
    versions: Mapping[str, str]

    @classmethod
    def of(cls, document: Mapping[str, Any], name: str, text: str, when: str) -> Text:
        """The text `name` (`note`, `comments/7f3a`) of an annotation's document."""
        begin, told = f"{name}/", document.get("versions", {})
        return cls(text, when, {key[len(begin) :]: told[key] for key in told if key.startswith(begin)})


def joined(between: str, base: Text, ours: Text, theirs: Text) -> tuple[str, dict[str, str]]:
    """The text that both make, and its versions; `between` stands between two parts."""
    if ours.text == theirs.text:
        return ours.text, {}
    sides = [parts(side.text, between) for side in (ours, theirs)]
    held = {**sides[0], **sides[1]}
    first, second = (_states(base, side, between) for side in (ours, theirs))
    unknown = ("", False)
    states = {key: max(first.get(key, unknown), second.get(key, unknown)) for key in {**first, **second}}
    before = [
        text
        for key, text in parts(base.text, between).items()
        if not (first.get(key, ("", True))[1] or second.get(key, ("", True))[1])
    ]
    for group in _sharing(*({key: side[key] for key in side if states[key][1]} for side in sides)):
        made, came = _one_part(group, before, states, between)
        held, states = {**held, **made}, {**states, **came}
    versions = {key: when for key, (when, _) in states.items()}
    kept = {key for key, (_, stays) in states.items() if stays}
    whole = [side for side in (ours, theirs) if parts(side.text, between).keys() == kept]
    if whole:
        return max(whole, key=lambda side: (side.when, side.text)).text, versions
    return between.join(
        held[key] for key in sorted(kept, key=lambda key: (versions[key], held[key]))
    ), versions


def _states(base: Text, side: Text, between: str) -> dict[str, tuple[str, bool]]:
    """The states that a side knows."""
    held = parts(side.text, between).keys()
    states = {key: (when, key in held) for key, when in side.versions.items()}
    states = {**dict.fromkeys(held, (side.when, True)), **states}
    if (not side.versions or held - side.versions.keys()) and base.when <= side.when:
        # Written by another hand, which is taken to have known the base, and to have come just after.
        gone = parts(base.text, between).keys() - held
        states |= dict.fromkeys(gone, (f"{side.when}+", False))
    was = parts(base.text, between).keys()
    for key, (when, stays) in states.items():
        if base.versions.get(key) == when and stays != (key in was):  # by another hand too
            states[key] = f"{when}+", stays
    return states


def _sharing(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[dict[str, str]]:
    """The parts that only one side holds, in groups that share lines with parts of the other side."""
    one, other = ({key: a[key] for key in a.keys() - b.keys()} for a, b in ((ours, theirs), (theirs, ours)))
    if max(len(one), len(other)) > _MOST:
        return []
    lines = {key: worded(text) for key, text in {**one, **other}.items()}
    groups: list[dict[str, str]] = []
    for key, text in one.items():
        group = {key: text, **{its: other[its] for its in other if not lines[key].isdisjoint(lines[its])}}
        for known in [known for known in groups if known.keys() & group.keys()]:
            groups.remove(known)
            group |= known
        groups.append(group)
    return [group for group in groups if len(group) > 1]


def _one_part(
    group: Mapping[str, str], before: list[str], states: States, between: str
) -> tuple[dict[str, str], dict[str, tuple[str, bool]]]:
    """The part that a group makes, by its key, and the states that it brings.

    It is as old as the newest of those it replaces, and they go just after that: so the same wherever they
    meet, and older than whatever is written next. `before` are the parts that both sides replaced.
    """
    first, *others = sorted(group, key=lambda key: (states[key][0], group[key]))
    text = group[first]
    roots = [root for root in before if all(worded(root) & worded(part) for part in group.values())]
    base = roots[0] if len(group) == 2 and len(roots) == 1 else ""
    for key in others:
        text = woven(text, group[key], base)
    made = parts(text, between)
    newest = max(states[key][0] for key in group)
    came = {key: (max(newest, states.get(key, ("", False))[0]), True) for key in made}
    return made, {**dict.fromkeys(group, (f"{newest}+", False)), **came}
