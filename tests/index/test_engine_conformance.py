"""What every full-text engine has to do, told through its door alone.

A second engine is run through this by naming its module in `DOORS`: one with the names of `index.fulltext`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from index import fulltext
from index.papers import Paper
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Range, Regex, State, Word

DOORS: Final = (fulltext,)


def paper(id: str, text: str, **fields: Any) -> Paper:
    defaults: dict[str, Any] = {"heading": "", "name": None, "sources": ()}
    return Paper(id=id, abstract=text, **{**defaults, **fields})


PAPERS: Final = (
    paper("slot", "Slot attention groups pixels into objects; multi-task learning of the state of the art.",
          title="Slot Attention Revisited", heading="Slot Attention Revisited", name="SLOT",
          authors=("José Nosé",),
          venue="NeurIPS", year=2021, date="2021-06", identifiers={"doi": ("10.1000/XYZ",)},
          keywords=("vision",)),
    paper("grok", "Grokking is delayed generalization of transformers. Code: https://github.com/a/grok",
        year=2022),
    paper("trans", "Transformers, transformers and transformers are multitask learners of attention.",
        year=2023),
    paper("state", "The art of the state: objects without a colour.", heading="Colours", date="2024-01-05"),
    *(paper(f"more{n}", f"We study case {n} with so many lines, which pays.") for n in range(30)),
)  # fmt: skip
IDS: Final = [paper.id for paper in PAPERS]


@pytest.fixture(params=DOORS, ids=lambda door: door.__name__)
def door(request: Any) -> Any:
    return request.param


Made = Callable[..., Any]


@pytest.fixture
def made(door: Any, tmp_path: Path) -> Iterator[Made]:
    """Builds an index of papers, and opens it: a new one with each call."""
    opened: list[Any] = []

    def make(papers: Any = PAPERS, stamp: Any = None) -> Any:
        folder = tmp_path / f"index{len(opened)}"
        door.Engine.build(folder, papers, stamp=stamp or {})
        opened.append(door.Engine.open(folder))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(made: Made) -> Any:
    return made()


def found(engine: Any, tree: Node) -> set[str]:
    scores = engine.search(tree)
    assert engine.finds(tree) == bool(scores)
    return set(scores)


# What is found

FOUND: Final[tuple[tuple[Node, set[str]], ...]] = (
    (Word("grokking"), {"grok"}), (Word("grok"), {"grok"}), (Word("GENERALISATION"), {"grok"}),
    (Word("transformer"), {"grok", "trans"}), (Word("multitask"), {"slot", "trans"}),
    (Word("multi-task"), {"slot", "trans"}),
    (Word("color"), {"state"}), (Word("nose"), {"slot"}), (Word("neurips"), {"slot"}),
    (Word("github.com/a/grok"), {"grok"}),
    (Word("zzzz"), set()), (Word("!!!"), set()), (Word(""), set()),
    (Prefix("trans"), {"grok", "trans"}), (Prefix("generali"), {"grok"}), (Prefix("g"), {"grok", "slot"}),
    (Prefix("zzz"), set()),
    (Fuzzy("groking"), {"grok"}), (Fuzzy("atention"), {"slot", "trans"}),
    (Fuzzy("attetnion"), {"slot", "trans"}), (Fuzzy("atetnon"), set()),
    (Phrase("state of the art"), {"slot"}), (Phrase("art of the state"), {"state"}),
    (Phrase("of the"), {"slot", "state"}),
    (Phrase("attention slot"), set()), (Phrase("state of the a", open=True), {"slot"}),
    (Phrase("slot att", open=True), {"slot"}),
    (Word("attention", "title"), {"slot"}), (Word("attention", "abstract"), {"slot", "trans"}),
    (Prefix("jos", "author"), {"slot"}),
    (Word("slot", "name"), {"slot"}), (Word("vision", "cat"), {"slot"}), (Word("neurips", "venue"), {"slot"}),
    (Word("10.1000/xyz", "id"), {"slot"}), (Word("https://doi.org/10.1000/XYZ", "id"), {"slot"}),
    (Word("grok", "id"), {"grok"}),
    (Word("github.com", "link"), {"grok"}), (Word("code", "has"), {"grok"}), (Word("link", "has"), {"grok"}),
    (Word("title", "has"), {"slot"}),
    (Range("year", 2022, None), {"grok", "trans", "state"}), (Range("year", None, 2021), {"slot"}),
    (Range("year", 2022, 2022), {"grok"}),
    (Range("year", 2023, 2022), set()), (Range("year", None, None), {"slot", "grok", "trans", "state"}),
    (Range("date", "2021-06-10", "2021-06-11"), {"slot"}), (Range("date", "2024-01-05", None), {"state"}),
    (Range("date", None, None), {"slot", "state"}),
    (Everything(), set(IDS)), (Ids(frozenset({"grok", "gone"})), {"grok"}), (Ids(frozenset()), set()),
    (Not(Word("study")), {"slot", "grok", "trans", "state"}), (Not(Everything()), set()),
    (Not(Ids(frozenset())), set(IDS)),
    (And((Word("transformers"), Word("attention"))), {"trans"}),
    (And((Word("multi"), Word("task"))), {"slot", "trans"}),
    (And((Word("the"), Word("grokking"))), {"grok"}), (And((Word("grokking"), Word("!!!"))), {"grok"}),
    (And((Word("grokking"), Word("zzzz"))), set()),
    (And((Word("transformers"), Not(Word("grokking")))), {"trans"}),
    (And((Not(Word("study")), Not(Word("attention")))), {"grok", "state"}),
    (And((Word("transformers"), Ids(frozenset()))), set()),
    (And((Word("transformers"), Ids(frozenset({"grok", "slot"})))), {"grok"}),
    (Or((Word("grokking"), Ids(frozenset({"state"})))), {"grok", "state"}),
    (Or((Word("zzzz"), Not(Word("study")))), {"slot", "grok", "trans", "state"}),
    (Or((Ids(frozenset()), Ids(frozenset()))), set()), (And(()), set(IDS)), (Or(()), set()),
    (State("tag", "moe"), set()), (Regex("title", "."), set()),
)  # fmt: skip
SAYS_NOTHING: Final = (Word("!!!"), Word(""))
"""Alone it finds nothing, beside others it asks for nothing."""


@pytest.mark.parametrize(("tree", "ids"), FOUND, ids=[type(tree).__name__ for tree, _ in FOUND])
def test_a_tree_finds_these(made: Made, tree: Node, ids: set[str]) -> None:
    assert found(made(), tree) == ids


def test_trees_of_one_index(engine: Any) -> None:
    """The same again with one index, so that what is kept between two searches changes nothing."""
    for _ in range(2):
        for tree, ids in FOUND:
            assert found(engine, tree) == ids, tree
            assert found(engine, Not(tree)) == set(IDS) - ids, tree
            if tree not in SAYS_NOTHING:
                assert found(engine, And((tree, Not(tree)))) == set(), tree
            assert found(engine, Or((tree, Not(tree)))) == set(IDS), tree


def test_what_says_nothing_of_words_scores_nothing(engine: Any) -> None:
    for tree in (Everything(), Ids(frozenset(IDS)), Not(Word("zzzz")), Not(Ids(frozenset()))):
        assert engine.search(tree) == dict.fromkeys(IDS, 0.0)


def test_a_part_that_is_taken_away_or_known_by_id_changes_no_score(engine: Any) -> None:
    scores = engine.search(Word("attention"))
    known = Ids(frozenset({"slot", "state"}))
    assert engine.search(And((Word("attention"), known))) == {"slot": scores["slot"]}
    assert engine.search(And((Not(known), Word("attention")))) == {"trans": scores["trans"]}
    assert engine.search(And((Word("attention"), Not(Word("pixels"))))) == {"trans": scores["trans"]}
    assert engine.search(Word("attention")) == scores, "what is kept of a word is not changed by a query"


def first(engine: Any, tree: Node) -> str:
    scores = engine.search(tree)
    best, second, *_ = sorted(scores, key=scores.__getitem__, reverse=True)
    assert scores[best] > scores[second] > 0
    return str(best)


def test_the_better_match_comes_first(made: Made) -> None:
    """The title before the abstract, often before once, together before apart, the rare before the common."""
    engine = made()
    assert first(engine, Word("attention")) == "slot"
    assert first(engine, Word("transformers")) == "trans"
    apart = paper("apart", "Graph of one network and a neural one over words", heading="x")
    near = paper("near", "Words over one and a graph neural network of one", heading="x")
    assert first(made([apart, near]), And((Word("neural"), Word("network")))) == "near"
    assert first(engine, Or((Word("grokking"), Word("study")))) == "grok"


def test_scores_are_the_same_when_asked_again_and_after_opening(door: Any, tmp_path: Path) -> None:
    door.Engine.build(tmp_path / "i", PAPERS, stamp={})
    tree = Or((Word("attention"), Prefix("rou"), Phrase("of the")))
    answers = []
    for _ in range(2):
        engine = door.Engine.open(tmp_path / "i")
        answers += [engine.search(tree), engine.search(tree)]
        engine.close()
    assert all(answer == answers[0] for answer in answers)


# The best where nothing has all


def test_partial_matches_have_half_of_the_leaves_or_more_and_not_all(engine: Any) -> None:
    leaves = [Word("transformers"), Word("attention"), Word("grokking"), Word("zzzz")]
    hits = engine.partial(leaves, 50)
    has = {id: sum(id in found(engine, leaf) for leaf in leaves) for id in IDS}
    assert {hit.id: hit.found for hit in hits} == {id: count for id, count in has.items() if 2 <= count < 4}
    ranks = [(-hit.found, -hit.score) for hit in hits]
    assert ranks == sorted(ranks)
    assert engine.partial(leaves, 1) == hits[:1]
    assert engine.partial(leaves, 0) == engine.partial([], 5) == []
    assert not {hit.id for hit in engine.partial(leaves[:2], 50)} & {"trans"}


def test_did_you_mean(engine: Any) -> None:
    assert engine.suggest("grokkin") in (None, "grokking")
    assert engine.suggest("atention") == "attention"
    assert engine.suggest("attention") is None, "it is there"
    assert engine.suggest("qqqqqqqqq") is engine.suggest("") is engine.suggest("!!") is None


def test_related_papers_share_terms(engine: Any) -> None:
    near = engine.related("trans", 5)
    assert 0 < len(near) <= 5 and "trans" not in {one.id for one in near}
    assert len({one.id for one in near}) == len(near)
    assert all(0 < one.score <= 1 and one.terms for one in near)
    assert all(a.score >= b.score for a, b in pairwise(near))
    assert {"grok", "slot"} & {one.id for one in near[:2]}
    assert engine.related("gone", 5) == [] and engine.related("trans", 0) == []


# What changes


def test_an_update_is_seen_at_once_and_after_opening(door: Any, tmp_path: Path) -> None:
    folder = tmp_path / "i"
    door.Engine.build(folder, PAPERS, stamp={"n": 1})
    engine = door.Engine.open(folder)
    engine.update(
        [paper("grok", "Quokkas instead"), paper("new", "A quokka"), paper("new", "One quokka")],
        stamp={"n": 2},
    )
    for _ in range(2):
        assert engine.stamp == {"n": 2}
        assert found(engine, Word("quokka")) == {"grok", "new"}
        assert found(engine, Prefix("grokk")) == found(engine, Phrase("delayed generalization")) == set()
        assert found(engine, Fuzzy("groking")) == found(engine, Word("code", "has")) == set()
        assert found(engine, Everything()) == {*IDS, "new"}
        assert engine.suggest("grokking") is None and engine.suggest("qokka") in ("quokka", "quokkas")
        engine.close()
        engine = door.Engine.open(folder)
    engine.close()


def test_what_is_removed_is_gone_from_every_answer(door: Any, tmp_path: Path) -> None:
    folder = tmp_path / "i"
    door.Engine.build(folder, PAPERS, stamp={})
    engine = door.Engine.open(folder)
    engine.remove(["grok", "gone"], stamp={"n": 2})
    for _ in range(2):
        for tree, ids in FOUND:
            assert found(engine, tree) == ids - {"grok"}, tree
        assert engine.related("grok", 5) == []
        assert "grok" not in {one.id for one in engine.related("trans", 30)}
        assert "grok" not in {hit.id for hit in engine.partial([Word("transformers"), Word("zzzz")], 50)}
        assert engine.stamp == {"n": 2}
        engine.close()
        engine = door.Engine.open(folder)
    engine.remove(IDS, stamp={"n": 3})
    assert found(engine, Everything()) == found(engine, Not(Word("a"))) == set()
    engine.update(PAPERS, stamp={"n": 4})
    assert found(engine, Everything()) == set(IDS)
    engine.close()


def test_many_small_updates_are_one_build(made: Made) -> None:
    one, grown = made(), made(PAPERS[:1])
    for some in (
        PAPERS[1:3],
        PAPERS[3:4],
        [replace(PAPERS[4], abstract="for now")],
        PAPERS[4:20],
        PAPERS[20:],
    ):
        grown.update(some, stamp={})
    for tree, _ in FOUND:
        assert found(grown, tree) == found(one, tree), tree
        assert grown.search(tree) == pytest.approx(one.search(tree)), tree


def test_an_update_of_nothing_keeps_all_and_sets_the_stamp(made: Made) -> None:
    engine = made(stamp={"n": 1})
    engine.update([], stamp={"n": 2, "digest": "é"})
    engine.remove([], stamp={"n": 3, "digest": "é"})
    assert engine.stamp == {"n": 3, "digest": "é"}
    assert found(engine, Everything()) == set(IDS)


def test_an_index_of_nothing_answers(made: Made) -> None:
    engine = made([])
    for tree, _ in FOUND:
        assert engine.search(tree) == {}, tree
        assert not engine.finds(tree)
    assert engine.partial([Word("a"), Word("b")], 5) == engine.related("a", 5) == []
    assert engine.suggest("attention") is None
    engine.update(PAPERS, stamp={})
    assert found(engine, Word("grokking")) == {"grok"}


def test_a_build_tells_each_paper_and_replaces_what_stood(door: Any, tmp_path: Path) -> None:
    told: list[int] = []
    door.Engine.build(tmp_path / "a" / "i", PAPERS[:3], stamp={"n": 1}, progress=told.append)
    assert told == [1, 2, 3]
    door.Engine.build(tmp_path / "a" / "i", PAPERS[3:5], stamp={"n": 2})
    engine = door.Engine.open(tmp_path / "a" / "i")
    assert engine.stamp == {"n": 2} and found(engine, Everything()) == {"state", "more0"}
    engine.close()


def test_a_build_that_breaks_leaves_what_stood(door: Any, tmp_path: Path) -> None:
    def broken() -> Iterator[Paper]:
        yield PAPERS[3]
        raise KeyboardInterrupt

    door.Engine.build(tmp_path / "i", PAPERS[:3], stamp={"n": 1})
    with pytest.raises(KeyboardInterrupt):
        door.Engine.build(tmp_path / "i", broken(), stamp={"n": 2})
    engine = door.Engine.open(tmp_path / "i")
    assert engine.stamp == {"n": 1} and found(engine, Everything()) == set(IDS[:3])
    engine.close()


def test_a_papers_text_is_never_a_tree_or_a_path(made: Made) -> None:
    texts = [
        "AND OR NOT",
        "../../etc",
        "a\0b",
        "\ud800",
        "e*",
        "title:x",
        "日本語",
        "x" * 100_000,
        "-" * 5000,
        "",
    ]
    engine = made([paper(f"p{n}", text) for n, text in enumerate(texts)])
    assert len(found(engine, Everything())) == len(texts)
    for text in texts:
        for leaf in (
            Word(text),
            Prefix(text),
            Fuzzy(text),
            Phrase(text),
            Word(text, "id"),
            Word(text, "link"),
        ):
            engine.search(leaf)
        engine.suggest(text)
    assert found(engine, Word("etc")) == {"p1"} and found(engine, Word("日本")) == {"p6"}


# Damage


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [_cut, _changed, _emptied, Path.unlink])
def test_a_damaged_file_makes_an_index_unusable(
    door: Any, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    door.Engine.build(tmp_path / "whole", PAPERS, stamp={})
    files = [
        path for path in sorted((tmp_path / "whole").rglob("*")) if path.is_file() and path.stat().st_size
    ]
    for number, _ in enumerate(files):
        folder = tmp_path / str(number)
        door.Engine.build(folder, PAPERS, stamp={})
        harm([path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size][number])
        with pytest.raises(door.UnusableError) as caught:
            door.Engine.open(folder)
        assert len(str(caught.value).splitlines()) == 1
        door.Engine.build(folder, PAPERS, stamp={"n": 2})
        again = door.Engine.open(folder)
        assert found(again, Word("grokking")) == {"grok"}
        again.close()


@pytest.mark.parametrize("what", ["nothing", "a file", "an empty folder", "another folder"])
def test_what_is_no_index_is_unusable(door: Any, tmp_path: Path, what: str) -> None:
    path = tmp_path / "x"
    if what == "a file":
        path.write_text("x")
    elif what != "nothing":
        path.mkdir()
        if what == "another folder":
            (path / "notes.txt").write_text("x")
    with pytest.raises(door.UnusableError):
        door.Engine.open(path)


# Several at once


def test_closing_twice_is_closing_once(made: Made) -> None:
    engine = made()
    assert engine.search(Word("grokking"))
    engine.close()
    engine.close()


def test_a_reader_goes_on_with_what_it_opened_while_another_writes(door: Any, tmp_path: Path) -> None:
    folder = tmp_path / "i"
    door.Engine.build(folder, PAPERS, stamp={"n": 1})
    reader, writer = door.Engine.open(folder), door.Engine.open(folder)
    assert found(reader, Word("grokking")) == {"grok"}
    writer.update([paper("grok", "Quokka")], stamp={"n": 2})
    writer.remove(IDS[10:], stamp={"n": 3})
    door.Engine.build(folder, PAPERS[:1], stamp={"n": 4})
    for tree, ids in FOUND:  # most of them asked for the first time
        assert found(reader, tree) == ids, tree
    assert reader.related("trans", 5) and reader.stamp == {"n": 1}
    reader.close()
    writer.close()


def test_several_threads_ask_at_once(made: Made) -> None:
    alone, shared = made(), made()
    trees = [tree for tree, _ in FOUND] * 5
    expected = [alone.search(tree) for tree in trees]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(shared.search, trees)) == expected
    finally:
        sys.setswitchinterval(interval)


def test_threads_ask_while_one_updates(made: Made) -> None:
    engine = made()
    trees = [Word("grokking"), Prefix("trans"), Everything(), Not(Word("study"))] * 20
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(engine.search, tree) for tree in trees]
        for n in range(5):
            engine.update([paper(f"late{n}", "grokking transformers")], stamp={"n": n})
        told = [set(answer.result()) for answer in answers]
    late = {f"late{n}" for n in range(5)}
    for tree, ids in zip(trees, told, strict=True):
        assert ids - late == dict(FOUND)[tree] if tree in dict(FOUND) else True
    assert found(engine, Word("grokking")) == {"grok"} | late


# On any text, without an index


def test_spans_and_occurs_are_what_search_finds(door: Any, engine: Any) -> None:
    words = [
        tree for tree, _ in FOUND if isinstance(tree, Word | Prefix | Fuzzy | Phrase) and tree.field is None
    ]
    for leaf in words:
        for one in PAPERS[1:3]:  # with an abstract and nothing else
            spans = door.spans(one.abstract, leaf)
            assert bool(spans) == door.occurs(one.abstract, leaf) == (one.id in found(engine, leaf)), leaf
            assert all(0 <= a < b <= len(one.abstract) for a, b in spans)
            assert all(a[1] <= b[0] for a, b in pairwise(spans)), "in order, apart"


def test_spans_mark_what_a_query_shows(door: Any) -> None:
    text = "Slot attention for the multi-task learners of the state"
    tree = And((Word("the"), Word("multitask"), Not(Word("slot")), Or((Phrase("of the"), Word("zzzz")))))
    assert [text[a:b] for a, b in door.spans(text, tree)] == ["multi-task", "of the"]
    assert (
        door.spans(text, Everything())
        == door.spans("", Word("a"))
        == door.spans(text, Ids(frozenset("a")))
        == []
    )
    assert door.spans(text, Word("slot", "author")) == []


@pytest.mark.parametrize("width", [1, 10, 40, 1000])
def test_a_snippet_fits_and_shows_a_match(door: Any, width: int) -> None:
    for text in (*(one.abstract for one in PAPERS[:6]), "", "x" * 500, "attention " * 60, "attention-" * 60):
        spans = door.spans(text, Or((Word("attention"), Word("objects"), Word("pays"))))
        start, end = door.snippet(text, spans, width)
        assert 0 <= start <= end <= len(text)
        assert end - start <= width
        if spans and width >= 40:
            assert any(start <= a and b <= end for a, b in spans)
        if len(text) <= width:
            assert (start, end) == (0, len(text))
