"""The merge of two versions of what was written: its laws, and that nothing is dropped."""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Mapping
from functools import reduce
from itertools import count, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.annotations.documents import checked_document, document_id, from_document, to_document
from index.annotations.merge import merged, merged_document
from index.annotations.migration import Tables
from index.papers import APART, APART_IN_LINE, Annotation, Change, Highlight, Value, paper_id, parts

Doc = dict[str, Any]
Edit = tuple[str, Value]

P, Q = paper_id("doi:10.1/p"), paper_id("doi:10.1/q")
KEY = str(document_id(P))
QUOTE = "We ask which words of an abstract a reader marks, and why."


def at(moment: int) -> str:
    return f"2026-11-{moment:02}T08:00:00.000Z"


def mark(id: str, colour: str = "claim", comment: str = "") -> dict[str, Any]:
    place = int(id[1:])
    return Highlight(id, place, place + 9, QUOTE[place : place + 9], "", "", colour, comment, at(0)).to_json()


def wrote(*edits: tuple[int, str, Value], start: Doc | None = None) -> Doc:
    """The document after edits (moment, field, value), as postil writes it."""
    annotation = from_document(start) if start else Annotation(P)
    for moment, field, value in edits:
        annotation = annotation.after(Change("s", "o", P, field, annotation.value(field), value, at(moment)))
    return dict(to_document(annotation, start or {}, None))


def since(document: Doc, field: str) -> str:
    moment: str = document.get("times", {}).get(field, "")
    return moment


def met(base: Doc | None, ours: Doc, theirs: Doc) -> Doc:
    """The merge of the two, which is the same from either side, changes nothing given, and is sound."""
    before = copy.deepcopy((base, ours, theirs))
    out = merged_document(base, ours, theirs)
    assert (base, ours, theirs) == before
    assert json.dumps(out) == json.dumps(merged_document(base, theirs, ours)) or ours == theirs
    assert checked_document(KEY, out) == out
    return out


def never_saw_comment(side: Doc, mark: Mapping[str, Any]) -> bool:
    """Whether a part of the comment is unknown to a side that deleted the highlight."""
    keys = parts(mark["comment"], APART_IN_LINE)
    return any(f"comments/{mark['id']}/{key}" not in side.get("versions", {}) for key in keys)


def disputed(*sides: Doc) -> set[str]:
    """The highlights that one side deleted, and that another holds with a comment unknown there."""
    return {
        mark["id"]
        for side in sides
        for other in sides
        for mark in other["highlights"]
        if side["times"].keys() - {f"highlights/{one['id']}" for one in side["highlights"]}
        >= {f"highlights/{mark['id']}"}
        and never_saw_comment(side, mark)
    }


def plain(document: Doc, without: Collection[str] = ()) -> Doc:
    """The document but for what the order of three merges may change.

    That is the order of parts of a note that were written twice, and the comments of a highlight that
    one of three had deleted; all of a highlight if they did not agree on what they deleted: `without`.
    """
    pieces = sorted(document["note"].split(APART))
    marks = [{**one, "comment": ""} for one in document["highlights"] if one["id"] not in without]
    versions = {key: when for key, when in document.get("versions", {}).items() if key.startswith("note/")}
    left = {f"highlights/{id}" for id in without}
    times = {field: when for field, when in document["times"].items() if field not in left}
    return {**document, "note": pieces, "highlights": marks, "versions": versions, "times": times}


# Laws

EDITS: st.SearchStrategy[Edit] = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(("unread", "later", "read"))),
    st.tuples(st.just("starred"), st.booleans()),
    st.tuples(st.just("rating"), st.none() | st.integers(1, 3)),
    st.tuples(st.just("due"), st.none() | st.sampled_from(("2026-12-01", "2026-12-02"))),
    st.tuples(st.just("title"), st.none() | st.sampled_from(("A title", "B"))),
    st.tuples(st.just("note"), st.sampled_from(("", "one", "two", "three", f"one{APART}two"))),
    st.tuples(st.sampled_from(("tags/a", "tags/a/b", "tags/c")), st.booleans()),
    st.builds(
        lambda key, colour, comment: (f"highlights/{key}", mark(key, colour, comment)),
        st.sampled_from(("h1", "h2")), st.sampled_from(("claim", "doubt")), st.sampled_from(("", "x", "y")),
    ),
    st.tuples(st.sampled_from(("highlights/h1", "highlights/h2")), st.none()),
)  # fmt: skip
UNKNOWN = st.dictionaries(st.sampled_from(("mood", "weight")), st.sampled_from((1, "x", [2], {"a": 3})))


@st.composite
def edits(draw: st.DrawFn, first: int) -> list[tuple[int, str, Value]]:
    moments = sorted(draw(st.sets(st.integers(first, first + 9), max_size=6)))
    return [(moment, *draw(EDITS)) for moment in moments]


@st.composite
def alterations(draw: st.DrawFn, document: Doc) -> Doc:
    """The document as another hand may have left it: fields off, times off, unknown ones added."""
    gone = draw(st.sets(st.sampled_from(("status", "rating", "note", "tags", "versions", "times", "title"))))
    kept = {name: value for name, value in document.items() if name not in gone}
    keys = draw(st.lists(st.sampled_from(("doi:10.1/p", "text:00", "arxiv:1")), unique=True))
    return {**kept, **draw(UNKNOWN), "identities": keys}


@st.composite
def worlds(draw: st.DrawFn, *, altered: bool = True, sides: int = 2) -> list[Doc]:
    """A base, and as many documents as `sides` that came from it."""
    base = wrote(*draw(edits(1)))
    out = [base, *(wrote(*draw(edits(11)), start=base) for _ in range(sides))]
    return [draw(alterations(one)) for one in out] if altered else out


@settings(deadline=None)
@given(worlds(), st.booleans())
def test_the_same_from_either_side_and_once_is_enough(world: list[Doc], known: bool) -> None:
    base, ours, theirs = world
    root = base if known else None
    out = met(root, ours, theirs)
    assert met(root, ours, ours) == ours and met(root, out, out) == out
    assert met(root, out, theirs) == out
    assert met(root, ours, out) == out


@settings(deadline=None)
@given(worlds(sides=3, altered=False))
def test_in_whatever_order_three_meet(world: list[Doc]) -> None:
    results = [met(None, met(None, *order[:2]), order[2]) for order in permutations(world[1:])]
    left = disputed(*world[1:])
    assert all(plain(result, left) == plain(results[0], left) for result in results)


@settings(deadline=None)
@given(worlds(), st.booleans())
def test_nothing_is_dropped_but_by_a_newer_tombstone(world: list[Doc], known: bool) -> None:
    base, ours, theirs = world
    out = met(base if known else None, ours, theirs)

    for side, other in ((ours, theirs), (theirs, ours)):
        for tag in side.get("tags", ()):
            deleted = tag not in other.get("tags", ()) and since(other, f"tags/{tag}")
            assert (tag in out["tags"]) == (not deleted or deleted <= since(side, f"tags/{tag}"))
        held = {mark["id"] for mark in other["highlights"]}
        for mark in side["highlights"]:
            deleted = mark["id"] not in held and since(other, f"highlights/{mark['id']}")
            kept = mark["id"] in {one["id"] for one in out["highlights"]}
            older = deleted and deleted > since(side, f"highlights/{mark['id']}")
            assert kept == (not older or never_saw_comment(other, mark))
        assert out.keys() >= side.keys()
        assert set(out["identities"]) >= set(side["identities"])
        assert all(since(out, field) >= moment for field, moment in side.get("times", {}).items())
    for field in ("status", "starred", "rating", "due", "title"):
        holding = [side for side in (ours, theirs) if field in side]
        if since(ours, field) != since(theirs, field) and len(holding) == 2:
            assert out[field] == max(holding, key=lambda side: since(side, field))[field]
        elif holding:
            assert out[field] in [side[field] for side in holding]


@settings(deadline=None)
@given(worlds(altered=False))
def test_a_note_that_the_other_side_never_saw_is_kept(world: list[Doc]) -> None:
    for root in (world[0], None):
        _, ours, theirs = world
        out = met(root, ours, theirs)
        for side, other in ((ours, theirs), (theirs, ours)):
            known = other.get("versions", {}).keys()
            for key, part in parts(side["note"], APART).items():
                replaced = f"note/{key}" in known and part not in other["note"].split(APART)
                assert part in out["note"].split(APART) or replaced


# Three machines that write and meet as they like, against what ought to be left


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("edit"), st.integers(0, 2), EDITS),
            st.tuples(st.just("note"), st.integers(0, 2), st.none()),
            st.tuples(st.just("meet"), st.sampled_from(((0, 1), (0, 2), (1, 2))), st.none()),
        ),
        max_size=25,
    )
)
def test_machines_that_write_apart_agree_in_the_end(actions: list[Any]) -> None:
    clock = count(1)
    machines: list[Doc] = [wrote() for _ in range(3)]
    last: dict[str, Value] = {}
    superseded: set[str] = set()
    written: set[str] = set()
    left: set[str] = set()
    for action, who, edit in actions:
        moment = next(clock)
        if action == "meet":
            one, other = who
            machines[one] = machines[other] = met(None, machines[one], machines[other])
        elif action == "note" or edit[0] == "note":
            text = "" if edit == ("note", "") else f"text {moment}"
            superseded |= set(machines[who]["note"].split(APART))
            written |= {text} - {""}
            machines[who] = wrote((moment, "note", text), start=machines[who])
        else:
            machines[who] = wrote((moment, *edit), start=machines[who])
            last[edit[0]] = edit[1]
        left |= disputed(*machines)
    results = [reduce(lambda a, b: met(None, a, b), order) for order in permutations(machines)]
    assert all(plain(result, left) == plain(results[0], left) for result in results)
    annotation = from_document(results[0])
    assert set(filter(None, annotation.note.split(APART))) == written - superseded
    for field, value in last.items():
        if field.removeprefix("highlights/") in left:
            continue
        told = annotation.value(field)
        if isinstance(value, Mapping):
            assert isinstance(told, Mapping)
            assert {**told, "comment": ""} == {**value, "comment": ""}
            assert str(value["comment"]) in str(told["comment"])
        else:
            assert told == value


# Cases


def test_tags_are_a_set_and_only_a_tombstone_deletes() -> None:
    base = wrote((1, "tags/a", True), (1, "tags/b", True))
    ours = wrote((2, "tags/a", False), (3, "tags/c", True), start=base)
    theirs = wrote((2, "tags/d", True), start=base) | {"tags": ["a", "d"]}  # b is merely absent
    assert met(base, ours, theirs)["tags"] == ["b", "c", "d"]
    again = wrote((4, "tags/a", True), start=theirs)
    assert met(base, ours, again)["tags"] == ["a", "b", "c", "d"]


def test_two_notes_that_were_written_apart_are_both_kept() -> None:
    base = wrote((1, "note", "Old."))
    ours = wrote((5, "note", "Mine, later."), start=base)
    theirs = wrote((3, "note", "Yours, earlier."), start=base)
    out = met(base, ours, theirs)
    assert out["note"] == f"Yours, earlier.{APART}Mine, later."
    assert out["times"]["note"] == at(5)
    edited = wrote((6, "note", out["note"].replace("Mine", "Ours")), start=out)
    assert met(None, edited, theirs)["note"] == f"Yours, earlier.{APART}Ours, later."
    assert met(None, edited, ours)["note"] == edited["note"]
    cleared = wrote((7, "note", ""), start=edited)
    assert met(None, cleared, met(None, ours, theirs))["note"] == ""


@pytest.mark.parametrize("known", [True, False])
def test_a_note_that_grew_from_the_other_takes_its_place(known: bool) -> None:
    base = wrote((1, "note", "Old."))
    later = wrote((5, "note", "Old, and more."), (6, "note", "Quite new."), start=base)
    assert met(base if known else None, base, later)["note"] == "Quite new."
    back = wrote((8, "note", "Old."), start=later)
    assert met(base if known else None, back, later)["note"] == "Old.", "undone later than written"
    gone = wrote((8, "note", ""), start=later)
    assert met(base if known else None, gone, later)["note"] == ""
    assert met(base if known else None, gone, wrote((7, "note", "Kept."), start=later))["note"] == "Kept."


def test_a_base_that_the_other_machine_never_saw_costs_no_note() -> None:
    mine, yours = wrote((2, "note", "Mine.")), wrote((5, "note", "Yours."))
    assert met(mine, mine, yours)["note"] == f"Mine.{APART}Yours."
    both = met(mine, mine, yours)
    assert met(both, both, yours) == both


def test_of_one_highlight_the_newer_and_the_comments_of_both() -> None:
    base = wrote((1, "highlights/h1", mark("h1", comment="Why?")), (1, "highlights/h2", mark("h2")))
    ours = wrote((3, "highlights/h1", mark("h1", "doubt", "Because.")), start=base)
    theirs = wrote(
        (2, "highlights/h1", mark("h1", "result", "No idea.")), (4, "highlights/h2", None),
        (5, "highlights/h3", mark("h3")), start=base,
    )  # fmt: skip
    theirs["highlights"][0]["shape"] = "box"
    out = met(base, ours, theirs)
    assert [(m["id"], m["colour"], m["comment"]) for m in out["highlights"]] == [
        ("h1", "doubt", f"No idea.{APART_IN_LINE}Because."),
        ("h3", "claim", ""),
    ]
    assert out["highlights"][0]["shape"] == "box"
    assert met(base, ours, base)["highlights"] == ours["highlights"]


@pytest.mark.parametrize("known", [True, False])
def test_a_deletion_wins_only_over_the_comments_that_it_knew(known: bool) -> None:
    base = wrote((1, "highlights/h1", mark("h1", comment="Why?")), (1, "highlights/h2", mark("h2")))
    root = base if known else None
    deleted = wrote((5, "highlights/h1", None), (5, "highlights/h2", None), start=base)
    assert met(root, base, deleted)["highlights"] == []
    added = mark("h1", comment=f"Why?{APART_IN_LINE}Because.")
    commented = wrote((3, "highlights/h1", added), (3, "highlights/h2", mark("h2", "doubt")), start=base)
    out = met(root, deleted, commented)
    assert out["highlights"] == [added], "a colour alone goes"
    assert met(root, out, deleted) == met(root, commented, out) == out
    assert met(None, out, deleted) == met(None, commented, out) == out
    gone = wrote((6, "highlights/h1", None), start=out)
    assert met(root, gone, commented)["highlights"] == met(root, gone, out)["highlights"] == []
    by_another_hand = deleted | {"versions": {}}
    assert [one["id"] for one in met(root, by_another_hand, base)["highlights"]] == ["h1"]


BY_HAND: dict[str, Any] = {
    "status": "read", "starred": True, "rating": 2, "due": "2026-12-02", "title": None, "note": "By hand.",
}  # fmt: skip


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("field", BY_HAND)
def test_an_edit_by_hand_is_not_taken_back_by_an_older_file(field: str, timed: bool) -> None:
    base = wrote((1, "rating", 3), (1, "due", "2026-12-01"), (1, "note", "Old."), (1, "title", "T"))
    base = wrote((1, "status", "later"), (1, "starred", False), start=base)
    older = wrote((0, field, from_document(base).value(field)))
    base = base if timed else base | {"times": {}, "versions": {}}
    by_hand = base | {field: BY_HAND[field]}
    out = met(base, base, by_hand)
    assert out[field] == BY_HAND[field]
    assert field == "note" or since(out, field) > since(base, field)
    for root in (out, base, None):
        for stale in (base, older) if timed else (base,):
            assert met(root, out, stale)[field] == BY_HAND[field]
    both = met(base, by_hand, base | {"mood": "good"})
    assert since(both, field) == since(out, field), "whoever merges"
    assert met(base, wrote((2, field, base[field]), start=base), by_hand)["times"][field] == at(2)


def test_a_note_that_another_hand_cleared_or_put_back_stays_so() -> None:
    first = wrote((1, "note", "First."))
    base = wrote((2, "note", "Second."), start=first)
    for text in ("", "First.", "Third."):
        by_hand = base | {"note": text}
        out = met(base, base, by_hand)
        assert out["note"] == text
        assert met(out, out, base)["note"] == met(None, out, first)["note"] == text
    without = {name: value for name, value in base.items() if name != "note"}
    assert met(base, base, without)["note"] == "Second.", "what is absent was not deleted"


def test_tags_and_highlights_that_another_hand_set_stay_set() -> None:
    base = wrote((1, "tags/a", True), (1, "highlights/h1", mark("h1")), (1, "highlights/h2", mark("h2")))
    base = wrote((2, "tags/a", False), (2, "highlights/h2", None), start=base)
    by_hand = base | {"tags": ["a"], "highlights": [mark("h1", "doubt"), mark("h2")]}
    out = met(base, base, by_hand)
    for root in (out, base, None):
        again = met(root, out, base)
        assert (again["tags"], again["highlights"]) == (by_hand["tags"], by_hand["highlights"])
    assert since(out, "tags/a") > at(2) and since(out, "highlights/h1") > at(1)


def test_an_edit_by_hand_without_a_time_counts_against_the_base() -> None:
    base = wrote((1, "note", "Old."), (1, "status", "later"), (1, "highlights/h1", mark("h1", comment="c")))
    by_hand = copy.deepcopy(base) | {"note": "By hand.", "status": "read", "mood": "good"}
    by_hand["highlights"][0] |= {"colour": "doubt", "comment": "by hand"}
    out = met(base, base, by_hand)
    assert (out["note"], out["status"], out["mood"]) == ("By hand.", "read", "good")
    assert (out["highlights"][0]["colour"], out["highlights"][0]["comment"]) == ("doubt", "by hand")
    ours = wrote((2, "note", "Mine."), (2, "status", "skipped"), start=base)
    out = met(base, ours, by_hand)
    assert (out["note"], out["status"]) == (f"By hand.{APART}Mine.", "skipped")
    base = met(None, base, wrote((5, "note", "Apart.")))
    older = {"paper": P, "note": "Stale.", "times": {"note": at(3)}}
    texts = met(base, base, older)["note"].split(APART)
    assert texts == ["Old.", "Stale.", "Apart."], "it did not come from this base"


def test_papers_of_either_side_are_there_and_none_is_joined() -> None:
    one = wrote((1, "starred", True)) | {"identities": ["doi:10.1/p"]}
    other = {"paper": Q, "note": "x", "identities": ["doi:10.1/p", "text:0"]}
    ours: Tables = {"annotations": {KEY: one}, "stray": {"7": {"deep": [1]}}}
    theirs: Tables = {"annotations": {str(document_id(Q)): other}}
    both = merged(ours, ours, theirs)
    assert both == merged(ours, theirs, ours) == merged(None, ours, theirs)
    assert both["annotations"] == ours["annotations"] | theirs["annotations"]
    assert both["stray"] == ours["stray"]


def test_searches_are_matched_by_name_and_none_loses_its_place_to_another() -> None:
    base: Tables = {"searches": {"1": {"name": "moe", "query": "moe", "sort": None}}}
    ours: Tables = {"searches": base["searches"] | {"2": {"name": "robots", "query": "robots"}}}
    theirs: Tables = {
        "searches": {
            "1": {"name": "moe", "query": "moe OR experts", "sort": None},
            "2": {"name": "agents", "query": "agents"},
            "3": {"name": "robots", "query": "robots"},
            "4": {"query": "without a name"},
        }
    }
    both = merged(base, ours, theirs)
    assert both == merged(base, theirs, ours) == merged(base, both, theirs) == merged(base, ours, both)
    entries = both["searches"].values()
    assert sorted((e.get("name", ""), e["query"]) for e in entries) == [
        ("", "without a name"), ("agents", "agents"), ("moe", "moe OR experts"), ("robots", "robots"),
    ]  # fmt: skip
