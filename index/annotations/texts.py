"""A note or a comment of which two versions met: the parts that somebody replaced go, all others stay.

A text is a set of parts, and `versions` says when each of them came, or went if it is not held any more.
So a version that grew from the other one takes its place, and two that were written apart are both kept:
a set whose elements carry the time of their last change (Shapiro et al. 2011, LWW-element-set).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from index.papers import parts


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
    held = {**parts(ours.text, between), **parts(theirs.text, between)}
    first, second = (_states(base, side, between) for side in (ours, theirs))
    unknown = ("", False)
    states = {key: max(first.get(key, unknown), second.get(key, unknown)) for key in {**first, **second}}
    versions = {key: when for key, (when, _) in states.items()}
    kept = {key for key, (_, stays) in states.items() if stays}
    whole = [side for side in (ours, theirs) if parts(side.text, between).keys() == kept]
    if whole:
        return max(whole, key=lambda side: (side.when, side.text)).text, versions
    return between.join(
        held[key] for key in sorted(kept, key=lambda key: (versions[key], held[key]))
    ), versions


def _states(base: Text, side: Text, between: str) -> dict[str, tuple[str, bool]]:
    """For each part that a side knows of: since when it is held there, or is not."""
    held = parts(side.text, between).keys()
    states = {key: (when, key in held) for key, when in side.versions.items()}
    states = {**dict.fromkeys(held, (side.when, True)), **states}
    if (not side.versions or held - side.versions.keys()) and base.when <= side.when:
        # Written by another hand, which is taken to have known the base, and to have come just after.
        gone = parts(base.text, between).keys() - held
        states |= dict.fromkeys(gone, (f"{side.when}+", False))
    return states
