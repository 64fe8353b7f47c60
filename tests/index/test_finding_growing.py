"""Finding while the index grows, patterns that take too long, and what is said where nothing is found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from index import finding, fulltext, query
from index.annotations import Annotations
from index.finding import Finder, Partial
from index.kept import Kept
from index.papers import Change, Highlight, Record, Value, now
from tests.index.helpers import shelf_in

TEXTS = (
    "apples pears plums",
    "apples pears",
    "apples figs",
    "cherries of the field",
    "quinces",
    "apples and medlars",
)


class Unasked:
    """In the place of an engine that must not be asked."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the index was asked: {name}")


class Grown:
    """A library of six papers of which the index holds the first three."""

    def __init__(self, folder: Path) -> None:
        self.shelf = shelf_in(folder)
        for number, texts in enumerate((TEXTS[:4], TEXTS[4:])):
            records = [Record(n, text, title=f"Paper {n}") for n, text in enumerate(texts, 1)]
            self.shelf.add(records, f"List {number}.txt", f"2026-11-0{number + 1}T12:00:00.000Z")
        self.notes = Annotations.open(folder)
        papers = list(self.shelf.papers())
        fulltext.Engine.build(folder / "index", papers[:3], stamp={})
        self.engine = fulltext.Engine.open(folder / "index")
        self.finder = Finder(Kept(self.shelf, self.notes), self.notes, self.engine)

    def write(self, place: int, field: str, value: Value) -> None:
        self.notes.apply([Change("s", "o", self.shelf.ids[place], field, None, value, now())])

    def find(self, text: str) -> finding.Found:
        return self.finder.find(query.parse(text))

    def places(self, text: str) -> list[int]:
        return [self.shelf.place(id) for id in self.find(text).ids]


@pytest.fixture
def grown(tmp_path: Path) -> Iterator[Grown]:
    grown = Grown(tmp_path)
    yield grown
    grown.engine.close()


STATES = {
    "": {0, 1, 2, 3, 4, 5},
    "is:unread": {0, 2, 3, 5},
    "status:unread": {0, 2, 3, 5},
    "is:read": {4},
    "is:later": {1},
    "is:starred": {4, 5},
    "tag:moe": {0, 5},
    "source:list": {0, 1, 2, 3, 4, 5},
    "source:0": {0, 1, 2, 3},
    "added:last": {4, 5},
    "added:<2026-11-02": {0, 1, 2, 3},
    "title:/paper [12]/": {0, 1, 4, 5},
    "rating:>2": {3},
    "source:none": set(),
}


def test_what_needs_no_text_is_answered_for_all_papers_without_the_index(grown: Grown) -> None:
    for place, field, value in (
        (1, "status", "later"), (4, "status", "read"), (4, "starred", True), (5, "starred", True),
        (0, "tags/moe", True), (5, "tags/moe", True), (3, "rating", 4),
    ):  # fmt: skip
        grown.write(place, field, value)
    grown.notes.apply([Change("s", "o", "gzzzzzzzzz", "starred", None, True, now())])
    grown.finder = Finder(Kept(grown.shelf, grown.notes), grown.notes, Unasked())  # type: ignore[arg-type]
    everything, pick = set(range(6)), random.Random(2)
    for text, places in STATES.items():
        assert set(grown.places(text)) == places, text
        if text:
            assert set(grown.places(f"-{text}")) == everything - places, text
        assert grown.finder.ids(query.parse(text)) == set(grown.find(text).ids)
    for _ in range(60):
        (a, x), (b, y), (c, z) = pick.sample([one for one in STATES.items() if one[0]], 3)
        for text, places in (
            (f"{a} {b} OR {c}", x & y | z),
            (f"-{a} -{b}", everything - x - y),
            (f"{a} -({b} OR -{c})", x - (y | (everything - z))),
            (f"-({a} {b} -{c})", everything - ((x & y) - z)),
        ):
            assert grown.places(text) == sorted(places), text


def test_what_needs_text_is_answered_from_what_is_indexed(grown: Grown) -> None:
    grown.write(5, "starred", True)
    grown.write(0, "starred", True)
    assert set(grown.places("apples")) == {0, 1, 2}
    assert grown.places("apples is:starred") == [0]
    assert set(grown.places("apples -is:starred")) == {1, 2}
    assert grown.places("apples source:none") == []


def test_what_is_no_longer_on_the_shelf_is_not_found(grown: Grown) -> None:
    gone = replace(grown.shelf.paper(grown.shelf.ids[0]), id="gzzzzzzzzz")
    grown.engine.update([gone], stamp={})
    found = grown.find("apples")
    assert set(found.ids) == found.scores.keys() == set(grown.shelf.ids[:3])
    assert "gzzzzzzzzz" not in grown.finder.ids(query.parse("apples OR is:unread"))


# Patterns


def test_a_pattern_that_takes_too_long_is_said_and_its_query_is_not_whole(
    grown: Grown, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in range(6):
        grown.write(place, "note", "no zebra here\n" * 60)
    found = grown.find("note:/zebra/")
    assert found.query.whole and len(found.ids) == 6 and found.hint is None
    monkeypatch.setattr(finding, "PATIENCE", 0)
    monkeypatch.setattr(finding, "PATIENCE_A_PAPER", 0)
    found = grown.find("note:/(zebra).*(horse|crossing)/")
    assert not found.query.whole
    assert found.hint == finding.SLOW
    assert found.query.text == "note:/(zebra).*(horse|crossing)/"
    monkeypatch.undo()
    assert grown.find("note:/zebra/").query.whole


# Where nothing is found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("zebra", 'no paper has "zebra"'),
        ("zebra*", 'no paper has "zebra…"'),
        ("zebras~", 'no paper has "zebras" or a word that is nearly the same'),
        ('"pears apples"', 'no paper has "pears apples"'),
        ("title:zebra", "no paper fits: zebra in the title"),
        ("apples is:read", "no paper fits: status read"),
        ("apples is:unread tag:moe", "no paper fits: tag moe"),
        ("figs id:zebra", "no paper fits: zebra as its identifier"),
        ("plums -pears", "no paper fits: plums and not pears"),
        ("is:starred", "no paper fits: starred"),
        ("-source:list", "no paper fits: not in a list whose name holds list"),
        ("zebra OR horse", "no paper fits: zebra or horse"),
        ("year:1990", "no paper fits: year 1990"),
    ],
)
def test_one_line_says_what_no_paper_has(grown: Grown, text: str, line: str) -> None:
    found = grown.find(text)
    assert found.shown == ()
    assert found.hint == line


def test_where_something_is_found_nothing_is_missing(grown: Grown) -> None:
    for text in ("", "apples", "apples pears", "is:unread", "-zebra"):
        assert grown.find(text).hint is None, text
    assert grown.find("apples zebra pears").hint == "no paper has all the words; these have 2 of 3"
    assert grown.find("apples rating:9 zebra").hint == grown.find("rating:9").query.problems[0]


# Where the reader wrote it


def test_a_partial_match_says_where_the_reader_wrote_a_word_of_it(grown: Grown) -> None:
    one, two, three, *_ = grown.shelf.ids
    grown.write(2, "note", "like a zebra")
    mark = Highlight.on("apples pears", 0, 6, id="h1", comment="the narwhal claim").to_json()
    grown.write(1, "highlights/h1", mark)
    found = grown.find("figs zebra horse")
    assert found.partial == (Partial(three, 2, 3),)
    assert found.where == {three: "note"}
    assert grown.find("narwhal pears horse").where == {two: "comment"}
    assert grown.find("pears plums horse").where == {}
    found = grown.find("apples pears plums")
    assert (found.ids, {part.id for part in found.partial}) == ((one,), {two})
    assert found.where == {}


@pytest.mark.parametrize("text", ["multi task", "multi of the task", "the multi task", "multitask"])
def test_stop_words_do_not_part_what_a_note_joins_nor_are_they_joined(grown: Grown, text: str) -> None:
    grown.write(0, "note", "multitask")
    grown.write(1, "note", "its ofthe")
    assert grown.places(text) == [0]
    assert grown.places("it s") == grown.places("s of") == []
    assert grown.places("of the") == [1]
