"""Finding against brute force: random trees, typed out as queries, over the shipped abstracts.

On an index of one segment, of several, and after updates and removals. `oracle.py` says what is right.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import query
from index.annotations import Annotations, new_step
from index.finding import Finder
from index.fulltext import Engine, occurs, spans
from index.fulltext.acronyms import spelled
from index.fulltext.analysis import STOP
from index.kept import Kept
from index.papers import STATUSES, Change, Highlight, Paper, Record, Value, now
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Range, Word
from tests.index.asked import (
    ODD_WORDS,
    STATES,
    TEXTS,
    TODAY,
    VOCABULARY,
    WAYS,
    Asked,
    asked,
    bare,
    day,
    within,
)
from tests.index.asked import seed_papers as seed_papers
from tests.index.helpers import SEEDS, paragraphs, shelf_in
from tests.index.oracle import Oracle, spelled_out, words

TITLES: Final = (
    None,
    None,
    "Attention is not all",
    "Slot Attention revisited",
    "ZipIt! Multi-task merging",
    "The 2nd GPT-4 report",
)
AUTHORS: Final = ("José Nosé", "Ada King", "Li Wei", "O'Neil, Bob", "Müller, Anna-Lena")
VENUES: Final = (None, "NeurIPS 2024", "Proc. of the ACL", "ICML")
DATES: Final = (None, "2023", "2024-03", "2024-03-17", "2025-11-02", "2019-12-31")
KEYWORDS: Final = ("multi-task", "LLMs", "computer vision", "cs.CL", "graph neural networks")
LINKS: Final = (
    "https://github.com/JiahuaDong/HFC",
    "https://huggingface.co/org/model-7b",
    "https://example.org/paper.html",
)
TAGS: Final = ("moe", "moe/routing", "rg/deep", "to read", "ünïcode")
NOTES: Final = (
    "",
    "Compare the multi-task learning of it",
    "Zebra crossing\nsee 12.5% of models",
    "of the art",
    "see GPT4",
)
COMMENTS: Final = ("", "narwhal claim", "why the model?")


# A library with something in every field


def made_up(pick: random.Random, place: int, abstract: str) -> Record:
    def some(values: Sequence[str], most: int) -> tuple[str, ...]:
        return tuple(pick.sample(values, pick.randint(0, most)))

    identifiers = {"doi": (f"10.1000/X{place}",)} if place % 3 == 0 else {}
    if place % 4 == 0:
        identifiers["arxiv"] = (f"2101.{place:05}v2",)
    return Record(
        place, abstract, title=pick.choice(TITLES) and f"{pick.choice(TITLES[2:])} {place}",
        authors=some(AUTHORS, 2),
        year=pick.choice((None, 2019, 2022, 2024)), date=pick.choice(DATES), venue=pick.choice(VENUES),
        identifiers=identifiers, keywords=some(KEYWORDS, 2), links=some(LINKS, 1),
        extra={"categories": ["stat.ML", "cs.CL"]} if place % 5 == 0 else {},
    )  # fmt: skip


def written(pick: random.Random, paper: Paper) -> Iterator[tuple[str, str, Value]]:
    """What the reader wrote about one paper, or nothing."""
    if pick.random() < 0.4:
        return
    yield paper.id, "status", pick.choice(STATUSES)
    yield paper.id, "starred", pick.random() < 0.3
    yield paper.id, "rating", pick.choice((None, 1, 2, 3, 4, 5))
    yield paper.id, "due", pick.choice((None, day(-3), day(0), day(2), day(7), day(8), day(40)))
    yield paper.id, "note", pick.choice(NOTES)
    yield paper.id, "title", pick.choice((None, None, None, "Wombat, a title of my own"))
    for tag in TAGS:
        if pick.random() < 0.2:
            yield paper.id, f"tags/{tag}", True
    if pick.random() < 0.4:
        start = pick.randrange(len(paper.abstract) - 80)
        mark = Highlight.on(paper.abstract, start, start + 60, id="h1", comment=pick.choice(COMMENTS))
        yield paper.id, "highlights/h1", mark.to_json()


@dataclass
class Desk:
    """A finder and its oracle."""

    finder: Finder
    oracle: Oracle

    def ids(self, text: str, *, typing: bool = False) -> list[str]:
        asked = query.parse(text, typing=typing, today=TODAY)
        assert asked.whole, asked.problems
        found = self.finder.find(asked)
        assert len(set(found.ids)) == len(found.ids)
        if found.sort == "relevance" and not typing:
            ranks = [(-found.scores[id], self.finder.shelf.shelf.place(id)) for id in found.ids]
            assert ranks == sorted(ranks)
        return sorted(found.ids)


def index_of(kind: str, folder: Path, papers: list[Paper]) -> tuple[Engine, list[Paper]]:
    """An engine with `papers`, made in one of three ways, and those that are left in it."""
    if kind == "one segment":
        Engine.build(folder, papers, stamp={})
        return Engine.open(folder), papers
    third = len(papers) // 3
    changed = kind == "updates and removals"
    first = [replace(a, abstract=b.abstract, year=1990) for a, b in pairwise(papers)] if changed else papers
    Engine.build(folder, first[:third], stamp={})
    engine = Engine.open(folder)
    for some in (first[third : 2 * third], papers[2 * third :], papers if changed else ()):
        engine.update(some, stamp={})
    if not changed:
        return engine, papers
    engine.update(papers[::7], stamp={})
    engine.remove([paper.id for paper in papers[::11]], stamp={})
    return engine, [paper for place, paper in enumerate(papers) if place % 11]


@pytest.fixture(scope="module", params=["one segment", "several segments", "updates and removals"])
def desk(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    pick = random.Random(4)
    folder = tmp_path_factory.mktemp("desk")
    shelf = shelf_in(folder)
    for number, path in enumerate(SEEDS):
        records = [made_up(pick, place, text) for place, text in enumerate(paragraphs(path), 1)]
        shelf.add(records, f"List {number}.txt", day(-20 * (len(SEEDS) - 1 - number)) + "T12:00:00.000Z")
    papers = list(shelf.papers())
    notes, step = Annotations.open(folder), new_step()
    edits = [edit for paper in papers for edit in written(pick, paper)]
    notes.apply([Change(step, "o", id, field, None, value, now()) for id, field, value in edits])
    engine, left = index_of(request.param, folder / "fulltext", papers)
    engine.update([paper for paper in papers if paper not in left], stamp={})  # the shelf has them still
    yield Desk(Finder(Kept(shelf, notes), notes, engine), Oracle(papers, notes.get))
    engine.close()


def compare(desk: Desk, text: str, tree: Node) -> None:
    assert desk.ids(text) == sorted(desk.oracle.ids(tree)), (text, tree)


def test_each_predicate(desk: Desk) -> None:
    for text, tree in STATES:
        compare(desk, text, tree)


def test_the_predicates_tell_papers_apart(desk: Desk) -> None:
    counts = [len(desk.oracle.ids(tree)) for _, tree in STATES]
    assert sum(0 < count < len(desk.oracle.papers) for count in counts) >= 70


def test_each_operator(desk: Desk) -> None:
    for text, tree in WAYS:
        for name, leaf in (("A", "transformers"), ("B", "is:read"), ("C", "year:>=2022")):
            text = re.sub(rf"\b{name}\b", leaf, text)
        compare(desk, text, tree)


@pytest.mark.parametrize("count", [25, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [bare, within, asked])
def test_any_query_finds_what_a_look_at_every_paper_finds(
    desk: Desk, make: Callable[[random.Random], Asked], count: int
) -> None:
    for seed in range(count):
        compare(desk, *make(random.Random(seed)))


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_while_typing_the_last_word_is_a_beginning(desk: Desk, count: int) -> None:
    for seed in range(count):
        pick = random.Random(seed)
        before, last = pick.choice(VOCABULARY), pick.choice(VOCABULARY)
        last = last[: pick.randint(1, len(last))]
        entered = desk.oracle.ids(And((Word(before), Word(last))))
        begun = desk.oracle.ids(And((Word(before), Prefix(last))))
        for text, expected in ((f"{before} {last}", begun | entered), (f"{before} {last} ", entered)):
            assert desk.ids(text, typing=True) == sorted(expected), text


# The engine alone, with trees that no text says


PAPERS: Final = seed_papers()[::3]
SEARCHED: Final = sorted(
    {form for paper in PAPERS[::4] for form in words(paper.abstract) if len(form) > 3} - STOP
)


@st.composite
def phrases(draw: st.DrawFn) -> str:
    some = draw(st.sampled_from([paper.abstract for paper in PAPERS[::3]])).split()
    at = draw(st.integers(0, max(0, len(some) - 5)))
    return " ".join(some[at : at + draw(st.integers(1, 4))])


WORDED: Final = st.sampled_from([*SEARCHED, *ODD_WORDS])
LEAVES: st.SearchStrategy[Node] = st.one_of(
    WORDED.map(Word),
    st.tuples(WORDED, st.integers(1, 8)).map(lambda x: Prefix(x[0][: x[1]])),
    phrases().map(Phrase),
    st.tuples(phrases(), st.integers(0, 3)).map(
        lambda x: Phrase(x[0][: max(1, len(x[0]) - x[1])], open=True)
    ),
    st.sampled_from(SEARCHED[::10]).map(Fuzzy),
    st.sets(st.sampled_from([paper.id for paper in PAPERS]), max_size=60).map(
        lambda ids: Ids(frozenset(ids))
    ),
    st.tuples(st.integers(2000, 2030), st.integers(2000, 2030)).map(lambda x: Range("year", *x)),
    st.sampled_from([Everything(), Ids(frozenset()), Ids(frozenset({"gone"})), Range("year", None, 2010)]),
)
TREES: st.SearchStrategy[Node] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, max_size=3).map(lambda parts: Or(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)  # fmt: skip


@pytest.fixture(scope="module", params=["one segment", "several segments", "updates and removals"])
def index(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Oracle]]:
    engine, left = index_of(request.param, tmp_path_factory.mktemp("index") / "fulltext", PAPERS)
    yield engine, Oracle(left)
    engine.close()


def agree(index: tuple[Engine, Oracle], tree: Node) -> None:
    engine, oracle = index
    assert engine.search(tree).keys() == set(oracle.ids(tree))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tree=TREES)
def test_any_tree_finds_what_a_look_at_every_paper_finds(index: tuple[Engine, Oracle], tree: Node) -> None:
    agree(index, tree)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(tree=TREES)
def test_any_of_many_trees(index: tuple[Engine, Oracle], tree: Node) -> None:
    agree(index, tree)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(leaf=LEAVES.filter(lambda leaf: isinstance(leaf, Word | Prefix | Phrase | Fuzzy)))
def test_marks_and_notes_agree_with_what_is_found(index: tuple[Engine, Oracle], leaf: Any) -> None:
    engine, oracle = index
    found, wide = oracle.ids(leaf), engine.widened(leaf)
    for id, paper in oracle.papers.items():
        marked = spans(paper.abstract, wide) or spans(paper.heading, wide)
        assert bool(marked) == (id in found)
        said = occurs(paper.abstract, leaf) or occurs(paper.heading, leaf)
        assert said <= (id in found), "a note is found by what it says, not by what an acronym stands for"
        if wide == leaf:
            assert said == (id in found)


def test_both_find_the_same_acronyms() -> None:
    some = [text for text in TEXTS if "(" in text]
    found = {text: spelled_out(text) for text in some}
    assert sum(map(len, found.values())) > 200
    for text, pairs in found.items():
        assert set(spelled(text)) == pairs


def test_every_index_holds_each_paper_once(index: tuple[Engine, Oracle]) -> None:
    engine, oracle = index
    assert engine.search(Everything()) == dict.fromkeys(oracle.papers, 0.0)
    assert len(engine) == len(oracle.papers)
