"""Texts woven by their lines, notes that meet, a field that two windows changed: what was written stays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.annotations.texts import Text, joined
from index.papers import APART, APART_IN_LINE, Change, Highlight, Value, both_notes, meeting, parts
from index.weaving import woven
from tests.index.helpers import WHEN
from tests.index.test_merge import Doc, met, wrote

QUOTE = "We ask which words of an abstract a reader marks, and why."
LINES = st.lists(st.sampled_from(("a", "b", "c", "d", "- e", "---", "", "")), max_size=14)


def written(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def within(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(line in rest for line in few)


@settings(deadline=None)
@given(LINES, LINES)
def test_a_line_stands_as_often_as_in_the_text_that_holds_it_more_often(
    one: list[str], other: list[str]
) -> None:
    first, second = "\n".join(one), "\n".join(other)
    out = woven(first, second)
    assert Counter(written(out)) == Counter(written(first)) | Counter(written(second))
    assert within(written(first), written(out)) or out == second
    assert woven(out, first) in (out, first) and woven(first, out) == woven(second, out) == out


@st.composite
def edited(draw: st.DrawFn, base: list[str], name: str) -> list[str]:
    """The lines of `base`, some of them gone, and own ones anywhere between."""
    out = []
    for place in range(len(base) + 1):
        out += [f"{name} {place}.{number}" for number in range(draw(st.integers(0, 2)))]
        out += [line for line in base[place : place + 1] if draw(st.booleans())]
    return out


@settings(deadline=None)
@given(st.data(), st.integers(1, 12))
def test_what_one_deleted_goes_and_all_else_stays_in_order(data: st.DataObject, length: int) -> None:
    base = [f"base {number}" for number in range(length)]
    one, other = data.draw(edited(base, "one")), data.draw(edited(base, "other"))
    deleted = set(base) - (set(one) & set(other))
    out = woven("\n".join(one), "\n".join(other), "\n".join(base)).split("\n")
    for side in (one, other):
        assert within([line for line in side if line not in deleted], out)
    assert Counter(filter(None, out)) == Counter((set(one) | set(other)) - deleted)


def test_lines_that_repeat_stay_under_their_own_heading() -> None:
    first = "## One\n- good\n- weak\n## Two\n- good"
    assert woven(first, "## New\n- good\n" + first) == "## New\n- good\n" + first
    second = first.replace("- weak", "- weak\n- good")
    assert woven(first + "\n- new", second) == second + "\n- new"


def test_a_paragraph_that_one_side_moved_stands_once() -> None:
    first, second = "one\n\ntwo\n\nthree\n\nnew", "three\n\none\n\ntwo\n\nother"
    assert Counter(written(woven(first, second))) == Counter(["one", "two", "three", "new", "other"])
    moved = woven("one\n\ntwo\n\nthree\n\nnew", "three\n\none\n\ntwo", "one\n\ntwo\n\nthree")
    assert moved == "three\n\none\n\ntwo\n\nnew"


def test_empty_lines_stand_as_they_did_and_do_not_pile_up() -> None:
    assert woven("t\n\na", "t\n\nb") == "t\n\na\n\nb"
    assert woven("t\n\nz", "t\n\ny\n\nz\n\nx") == "t\n\ny\n\nz\n\nx"
    assert woven("t\n\na\n\nb\n\nc", "t\n\nb\n\nd", "t\n\na\n\nb") == "t\n\nb\n\nc\n\nd"
    assert woven("t\n\na\n\nz", "t\n\nb\n\nz") == "t\n\na\n\nb\n\nz"
    assert woven("t\na\n", "t\nb\n") == "t\na\nb"


def test_a_block_of_code_is_kept_whole() -> None:
    block, other = "```python\nx = 1\ny = 2\n```", "```python\nx = 1\ny = 3\n```"
    assert woven(f"t\n{block}\na", f"t\n{block}\nb") == f"t\n{block}\na\nb"
    assert woven(f"t\n{block}", f"t\n{other}") == f"t\n{block}\n{other}"
    assert woven(f"t\n{block}\nz", f"t\n{other}\nz", f"t\n{block}\nz") == f"t\n{other}\nz"
    assert woven(f"t\n{block}\nz", "t\nz\ny", f"t\n{block}\nz") == "t\nz\ny"


def test_long_notes_are_woven_too() -> None:
    base = [f"line {number}" for number in range(6000)]
    one = [f"{line}!" if place % 3 == 0 else line for place, line in enumerate(base)]
    other = [line for place, line in enumerate(base) if place % 3 != 1] + ["the same"] * 3000
    out = woven("\n".join(one), "\n".join(other), "\n".join(base)).split("\n")
    assert out == [line for place, line in enumerate(one) if place % 3 != 1] + ["the same"] * 3000


def test_no_text_is_woven_of_too_many_parts() -> None:
    sides = [
        Text(APART.join(f"shared\n{name} {number}" for number in range(30)), "", {}) for name in ("a", "b")
    ]
    text, _ = joined(APART, Text("", "", {}), *sides)
    assert len(text.split(APART)) == 60


def test_a_woven_text_that_was_once_replaced_is_held_again() -> None:
    whole, mine, yours = (next(iter(parts(text, APART))) for text in ("a\nb\nc", "a\nb", "b\nc"))
    base, ours = Text("", "", {}), Text("a\nb", "1", {mine: "1"})
    theirs = Text("b\nc", "2", {yours: "2", whole: "9"})
    text, versions = joined(APART, base, ours, theirs)
    assert text == "a\nb\nc"
    for side in (ours, theirs):
        assert joined(APART, base, Text(text, "2", versions), side) == (text, versions)


def test_a_part_that_ends_in_what_stands_between_parts_is_the_same_when_put_together() -> None:
    text = APART.join((f"a{APART}".rstrip(), "b"))
    assert list(parts(text, APART).values()) == ["a", "b"]
    assert list(parts(APART_IN_LINE.join(("a / also:", "b")), APART_IN_LINE).values()) == ["a", "b"]


# Notes that share lines

NOTE_LINES = st.sampled_from(("alpha", "beta", "gamma", "delta", "", "---", "```", APART.strip()))
NOTES = st.lists(NOTE_LINES, max_size=6).map("\n".join) | st.lists(NOTE_LINES, max_size=3).map(APART.join)


@st.composite
def noted(draw: st.DrawFn) -> list[Doc]:
    """A base and two that came from it, whose notes share lines."""
    base = wrote((1, "note", draw(NOTES)))
    moments = st.lists(st.integers(2, 9), max_size=2, unique=True).map(sorted)
    out = [base]
    for _ in range(2):
        out.append(wrote(*((moment, "note", draw(NOTES)) for moment in draw(moments)), start=base))
    for one in out:
        for name in draw(st.sets(st.sampled_from(("versions", "times")))):
            one.pop(name, None)
    return out


@settings(deadline=None)
@given(noted(), st.booleans())
def test_notes_that_share_lines_meet_once_and_the_same_from_either_side(
    world: list[Doc], known: bool
) -> None:
    base, ours, theirs = world
    root = base if known else None
    out = met(root, ours, theirs)
    assert met(root, out, theirs) == met(root, ours, out) == out
    assert met(root, met(root, out, ours), theirs) == out


@settings(deadline=None)
@given(noted(), st.booleans())
def test_no_line_is_dropped_that_nobody_deleted(world: list[Doc], known: bool) -> None:
    base, ours, theirs = world
    out = written(met(base if known else None, ours, theirs)["note"])
    for side, other in ((ours, theirs), (theirs, ours)):
        replaced = other.get("versions", {}).keys() - {f"note/{key}" for key in parts(other["note"], APART)}
        if known and "versions" not in other:  # by another hand, which knew the base
            replaced |= {f"note/{key}" for key in parts(base["note"], APART)}
        for key, part in parts(side["note"], APART).items():
            deleted = set(written(base["note"])) - set(written(other["note"])) if known else set()
            if f"note/{key}" not in replaced:
                assert set(written(part)) - deleted <= set(out)


def appended(document: Doc, moment: int, line: str) -> Doc:
    return wrote((moment, "note", f"{document['note']}\n{line}"), start=document)


def test_rounds_of_merges_with_a_line_added_on_each_side_between_do_not_grow() -> None:
    here = there = wrote((1, "note", "alpha\nbeta"))
    for number in range(6):
        here = appended(here, 2 * number + 2, f"here {number}")
        there = appended(there, 2 * number + 3, f"there {number}")
        here, there = met(None, here, there), met(None, there, met(None, here, there))
        assert here["note"] == there["note"]
    told = [f"{where} {number}" for number in range(6) for where in ("here", "there")]
    assert here["note"].split("\n") == ["alpha", "beta", *told]


PAIRS = [(0, 1), (0, 2), (1, 2)]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 2), st.integers(0, 2)), max_size=20
    ),
    st.permutations(PAIRS),
    st.permutations([*PAIRS, *((b, a) for a, b in PAIRS)]),
)
def test_three_machines_end_at_one_note_with_each_line_once(
    actions: list[tuple[int, int, int, int]], meetings: list[tuple[int, int]], pulls: list[tuple[int, int]]
) -> None:
    """Each action writes a line somewhere in one machine's note, and lets one take in another's.

    In the end they meet in pairs, or each takes in both others a few times.
    """
    start = ["top", "", "middle", "", "end"]
    machines = [wrote((1, "note", "\n".join(start)))] * 3
    told = Counter(written("\n".join(start)))
    for moment, (who, place, one, other) in enumerate(actions, 2):
        note = machines[who]["note"].split("\n")
        note.insert(place, f"line {moment}")
        told[f"line {moment}"] = 1
        machines[who] = wrote((moment, "note", "\n".join(note)), start=machines[who])
        machines[one] = met(None, machines[one], machines[other])
    around, alone = list(machines), list(machines)
    for one, other in meetings:
        around[one] = around[other] = met(None, around[one], around[other])
    for one, other in pulls * 3:
        alone[one] = met(None, alone[one], alone[other])
    for ended in (around, alone):
        assert len({document["note"] for document in ended}) == 1
        assert Counter(written(ended[0]["note"])) == told


@pytest.mark.parametrize("known", [True, False])
def test_two_notes_that_grew_from_one_are_woven(known: bool) -> None:
    base = wrote((1, "note", "alpha\nbeta\ngamma\ndelta"))
    ours = wrote((2, "note", "alpha\nBETA\ngamma\ndelta\nours"), start=base)
    theirs = wrote((3, "note", "top\nalpha\nbeta!\ngamma\ntheirs"), start=base)
    out = met(base if known else None, ours, theirs)
    rest = ["ours", "theirs"] if known else ["delta", "ours", "theirs"]
    assert out["note"].split("\n") == ["top", "alpha", "BETA", "beta!", "gamma", *rest]
    edited = wrote((4, "note", "alpha\nnothing else"), start=out)
    for stale in (base, ours, theirs):
        assert met(base if known else None, edited, stale)["note"] == "alpha\nnothing else"


def test_a_base_that_the_other_machine_never_saw_costs_no_line() -> None:
    base = wrote((1, "note", "alpha\nbeta"))
    ours = wrote((2, "note", "alpha\nbeta\nours"), start=base)
    assert met(base, ours, wrote((3, "note", "alpha\ntheirs")))["note"] == "alpha\nbeta\nours\ntheirs"


def test_what_is_written_apart_stays_apart_and_what_shares_lines_is_woven_beside_it() -> None:
    base = wrote((1, "note", f"alpha\nbeta{APART}Another."))
    ours = wrote((2, "note", f"alpha\nbeta\nours{APART}Another."), start=base)
    theirs = wrote((3, "note", f"alpha\nbeta\ntheirs{APART}Another.{APART}New."), start=base)
    out = met(None, ours, theirs)
    assert set(out["note"].split(APART)) == {"alpha\nbeta\nours\ntheirs", "Another.", "New."}
    ours = wrote((4, "note", f"{base['note']}{APART}Another.\nApart."), start=base)
    theirs = wrote((5, "note", f"{base['note']}{APART}Third."), start=base)
    texts = met(None, ours, theirs)["note"].split(APART)
    assert set(texts) == {"alpha\nbeta", "Another.", "Another.\nApart.", "Third."}, "both sides held it apart"


# One field in two windows


@pytest.mark.parametrize(
    ("before", "held", "after", "both"),
    [
        ("", "theirs", "mine", "theirs\n\nmine"),
        ("t", "t\ntheirs", "t\nmine", "t\ntheirs\nmine"),
        ("t\nold", "t\nold\ntheirs", "t", "t\ntheirs"),
        ("t\nhalf a", "t\nhalf a thought", "t\nhalf a thought, and more", "t\nhalf a thought, and more"),
        ("half a", "half a thought", "half a\nmore", "half a thought\n\nmore"),
        ("a\nb\nc", "a\nB\nc", "a\nb!\nc", "a\nB\nb!\nc"),
        ("old", "", "new", "new"),
        ("old", "theirs", "mine", "mine\n\n*Written meanwhile:*\n\ntheirs"),
    ],
)
def test_a_note_that_two_windows_changed(before: str, held: str, after: str, both: str) -> None:
    assert both_notes(before, held, after) == both
    change = Change("s", "o", "p", "note", before, after, WHEN)
    assert meeting(change, held).after == both


def mark(**fields: Any) -> dict[str, Any]:
    return (
        Highlight.on(QUOTE, 3, 9, id="h", comment="Why?").to_json()
        | {"created": WHEN, "changed": WHEN}
        | fields
    )


PLACE = {name: getattr(Highlight.on(QUOTE, 7, 22, id="h"), name) for name in Highlight.__slots__[1:6]}
OTHER = {name: getattr(Highlight.on(QUOTE, 0, 9, id="h"), name) for name in Highlight.__slots__[1:6]}
SOON, LATER = WHEN.replace("08:00", "08:30"), WHEN.replace("08:00", "09:00")


@pytest.mark.parametrize(
    ("held", "after", "both"),
    [
        ({"comment": "theirs"}, {"colour": "doubt"}, {"comment": "theirs", "colour": "doubt"}),
        ({"colour": "doubt"}, {"comment": "mine"}, {"comment": "mine", "colour": "doubt"}),
        ({"comment": "theirs"}, {"comment": "mine"}, {"comment": f"theirs{APART_IN_LINE}mine"}),
        ({"comment": "Why? So."}, {"comment": "Why? So. And so."}, {"comment": "Why? So. And so."}),
        ({"comment": "Why? So. And so."}, {"comment": "Why? So."}, {"comment": "Why? So. And so."}),
        ({"comment": "theirs"}, {"comment": ""}, {"comment": "theirs"}),
        ({"comment": ""}, {"comment": "mine"}, {"comment": "mine"}),
        ({"comment": ""}, {"colour": "doubt"}, {"comment": "", "colour": "doubt"}),
        ({"colour": "result"}, {"colour": "doubt"}, {"colour": "doubt"}),
        (OTHER, PLACE, PLACE),
        (PLACE, OTHER, OTHER),
        (OTHER, {"colour": "doubt"}, {**OTHER, "colour": "doubt"}),
        ({"colour": "result"}, PLACE, {**PLACE, "colour": "result"}),
        ({"changed": LATER}, {"colour": "doubt"}, {"colour": "doubt", "changed": LATER}),
        ({"changed": LATER}, {"colour": "doubt", "changed": SOON}, {"colour": "doubt", "changed": LATER}),
    ],
)
def test_a_highlight_that_two_windows_changed(
    held: dict[str, Any], after: dict[str, Any], both: dict[str, Any]
) -> None:
    change = Change("s", "o", "p", "highlights/h", mark(), mark(**after), WHEN)
    assert meeting(change, mark(**held)).after == mark(**both)
    assert change.after == mark(**after)


@pytest.mark.parametrize(
    ("before", "held", "after", "told"),
    [
        (mark(), None, mark(comment="mine"), mark(comment="mine")),
        (mark(), mark(comment="theirs"), None, mark(comment="theirs")),
        (mark(), mark(colour="doubt"), None, None),
        (mark(), mark(comment=""), None, None),
        (None, mark(comment="theirs"), mark(comment="mine"), mark(comment=f"theirs{APART_IN_LINE}mine")),
        (None, mark(comment="theirs"), mark(comment=""), mark(comment="theirs")),
    ],
)
def test_a_highlight_that_one_window_deleted_or_both_made(
    before: Value, held: Value, after: Value, told: Value
) -> None:
    assert meeting(Change("s", "o", "p", "highlights/h", before, after, WHEN), held).after == told


@pytest.mark.parametrize(("field", "held", "after"), [("status", "read", "later"), ("tags/a", True, False)])
def test_of_any_other_field_the_change_wins(field: str, held: Value, after: Value) -> None:
    change = Change("s", "o", "p", field, None, after, WHEN)
    assert meeting(change, held) == change
