"""Parts of a query that need no index, and patterns that are run for a while only."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.query import Ids, Node, Not, known, patterns

SETS = st.frozensets(st.sampled_from("abcde"))
KNOWN = st.builds(Ids, SETS) | st.builds(lambda ids: Not(Ids(ids)), SETS)


def members(node: Node) -> set[str]:
    return set(node.ids) if isinstance(node, Ids) else set("abcdef") - members(node.part)  # type: ignore[union-attr]


@given(st.lists(KNOWN, max_size=4))
def test_known_parts_are_joined_as_sets(parts: list[Node]) -> None:
    sets = [members(part) for part in parts]
    for joined, expected in (
        (known.both(parts), set("abcdef").intersection(*sets)),
        (known.either(parts), set().union(*sets)),
        *((known.negated(part), set("abcdef") - ids) for part, ids in zip(parts, sets, strict=True)),
    ):
        assert known.is_known(joined)
        assert members(joined) == expected


# Patterns on texts


def test_a_pattern_is_given_up_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr(patterns, "thread_time", lambda: next(clock))

    def looked(*texts: str) -> tuple[list[bool], bool, int]:
        """What holds the pattern, whether the time was over, and how often the clock was looked at."""
        patience, start = patterns.Patience(5), next(clock)
        held = [patience.holds(re.compile("zebra"), text) for text in texts]
        return held, patience.ended, next(clock) - start - 1

    assert looked("no " * 200 + "\nzebra") == ([True], False, 3)
    assert looked("no " * 4000 + "zebra", "zebra") == ([False, False], True, 8)
    assert looked("zebra") == ([True], False, 0)
    held, ended, looks = looked(*["horse"] * 99, "zebra")
    assert (held[-1], ended) == (True, False) and looks < 5, "short texts cost few looks at the clock"
