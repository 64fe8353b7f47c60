"""The engine against a brute force over the shipped abstracts, for random trees and three kinds of index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.fulltext import Engine, occurs, spans
from index.fulltext.analysis import STOP, forms, stem
from index.papers import Paper, identities, paper_id
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Range, State, Word

SEEDS = Path(__file__).parents[2] / "seeds"


def seed_papers() -> list[Paper]:
    """The papers of the shipped lists: a title line, then paragraphs with blank lines between."""
    found: dict[str, Paper] = {}
    for path in sorted(SEEDS.glob("*.txt")):
        for text in re.split(r"\n\s*\n", path.read_text("utf-8"))[1:]:
            paper = Paper(id="", heading=text[:60], name=None, abstract=text.strip(), sources=())
            id = paper_id(identities(paper)[-1])
            found[id] = replace(paper, id=id, year=2000 + int(id[-1], 36) % 30)
    return list(found.values())


class Oracle:
    """Says what a tree matches by looking at every paper."""

    def __init__(self, papers: list[Paper]) -> None:
        self.papers = papers
        self.rows = {p.id: (forms(p.abstract), forms(p.heading)) for p in papers}
        self.stems = {id: {stem(form) for row in rows for form in row} for id, rows in self.rows.items()}

    def all(self, tree: Node) -> set[str]:
        return {paper.id for paper in self.papers if self.holds(paper, tree)}

    def holds(self, paper: Paper, tree: Node) -> bool:
        match tree:
            case And(parts):
                return self._every(paper, list(_flat(parts)))
            case Or(parts):
                return any(self.holds(paper, part) for part in parts)
            case Not(part):
                return not self.holds(paper, part)
            case Ids(ids):
                return paper.id in ids
            case Range("year", low, high):
                return int(low or 0) <= (paper.year or 0) <= int(high or 9999)
            case Everything():
                return True
        return self._says(paper, tree)

    def _says(self, paper: Paper, leaf: Node) -> bool:
        match leaf:
            case Word(text) | Phrase(text, None, False):
                return self._row(paper, list(forms(text)))
            case Phrase(text) | Prefix(text):
                return self._row(paper, list(forms(text)), begun=True)
            case Fuzzy(text):
                return any(_near(text, form) for row in self.rows[paper.id] for form in row)
        return False

    def _every(self, paper: Paper, parts: list[Node]) -> bool:
        pairs = [
            isinstance(a, Word)
            and isinstance(b, Word)
            and len(forms(a.text)) == len(forms(b.text)) == 1
            and stem(forms(a.text)[0] + forms(b.text)[0]) in self.stems[paper.id]
            for a, b in pairwise(parts)
        ]
        if not parts:
            return True
        joined = [before or after for before, after in zip([False, *pairs], [*pairs, False], strict=True)]
        return all(beside or self.holds(paper, part) for part, beside in zip(parts, joined, strict=True))

    def _row(self, paper: Paper, asked: list[str], *, begun: bool = False) -> bool:
        """Whether the letters asked for stand side by side, at most one border between words elsewhere."""
        if begun and len(asked) > 1 and len(asked[-1]) == 1 and asked[-1].isalpha():
            asked, begun = asked[:-1], False
        wanted = [stem(form) for form in asked]

        def last(i: int, form: str) -> bool:
            return begun and i == len(asked) - 1 and form.startswith(asked[i])

        first = {wanted[0], stem("".join(asked[:2]))}
        for row in self.rows[paper.id]:
            for at, begin in enumerate(row):
                if not (asked[0].startswith(begin) or begin.startswith(asked[0]) or stem(begin) in first):
                    continue
                here = row[at : at + len(asked)]
                if len(here) == len(asked) and all(
                    stem(form) == wanted[i] or last(i, form) for i, form in enumerate(here)
                ):
                    return True
                for i in range(len(asked)):
                    if self._recut(row, at, asked, i, begun=begun):
                        return True
        return False

    def _recut(self, row: tuple[str, ...], at: int, asked: list[str], i: int, *, begun: bool) -> bool:
        """Whether `asked` stands at `at` once its piece i is cut in two as there, or joined to the next."""
        options = []
        if at + i + 1 < len(row):
            a, b = row[at + i], asked[i][len(row[at + i]) :]
            if asked[i].startswith(a) and b and not {a, b} & STOP:
                if begun and i == len(asked) - 1:
                    enough = b.isdigit() or min(len(a), len(b)) >= 3
                else:
                    enough = len(b) > 1 or b.isdigit() or a.isdigit()
                if enough:
                    options.append([*asked[:i], "=" + a, b, *asked[i + 1 :]])
        if i + 1 < len(asked) and not {asked[i], asked[i + 1]} & STOP:
            options.append([*asked[:i], asked[i] + asked[i + 1], *asked[i + 2 :]])
        for option in options:
            here = row[at : at + len(option)]
            if len(here) == len(option) and all(
                want == "=" + form
                or stem(want) == stem(form)
                or (begun and n == len(option) - 1 and form.startswith(want))
                for n, (want, form) in enumerate(zip(option, here, strict=True))
            ):
                return True
        return False


def _flat(parts: tuple[Node, ...]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, And):
            yield from _flat(part.parts)
        elif not isinstance(part, Everything):
            yield part


def _near(word: str, form: str) -> bool:
    """One edit at most, by trying each of them."""
    if stem(word) == stem(form) or word == form:
        return True
    if abs(len(word) - len(form)) > 1:
        return False
    cuts = range(len(word) + 1)
    return any(
        word[:i] + word[i + 1 :] == form
        or word[:i] + form[i : i + 1] + word[i:] == form
        or word[:i] + form[i : i + 1] + word[i + 1 :] == form
        or word[:i] + word[i + 1 : i + 2] + word[i : i + 1] + word[i + 2 :] == form
        for i in cuts
    )


PAPERS = seed_papers()[::3]  # a third, so that looking at every paper stays quick
WORDS = sorted(
    {form for paper in PAPERS[::4] for form in forms(paper.abstract) if len(form) > 3 and form not in STOP}
)
ODD_WORDS = [
    "multitask", "multi-task", "pretraining", "Pre-training", "fine-tuned", "finetuning", "text-to-image",
    "LLMs", "generalisation", "behavioural", "VLM^2-Bench", "GPT4", "gpt-4", "T2I", "out-of-distribution",
    "90%", "modelling", "state-of-the-art", "zzzz", "real-world", "realworld", "chain-of-thought",
]  # fmt: skip
SENTENCES = [paper.abstract for paper in PAPERS[::3]]


@st.composite
def phrases(draw: st.DrawFn) -> str:
    words = draw(st.sampled_from(SENTENCES)).split()
    at = draw(st.integers(0, max(0, len(words) - 5)))
    return " ".join(words[at : at + draw(st.integers(1, 4))])


LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.sampled_from(WORDS + ODD_WORDS).map(Word),
    st.sampled_from(WORDS).map(Word),
    st.tuples(st.sampled_from(WORDS), st.integers(1, 8)).map(lambda x: Prefix(x[0][: x[1]])),
    phrases().filter(lambda text: bool(forms(text))).map(Phrase),
    st.tuples(phrases(), st.integers(0, 3))
    .map(lambda x: x[0][: max(1, len(x[0]) - x[1])])
    .filter(lambda text: bool(forms(text)))
    .map(lambda text: Phrase(text, open=True)),
    st.sampled_from(WORDS[::10]).map(Fuzzy),
    st.sets(st.sampled_from([paper.id for paper in PAPERS]), max_size=60).map(
        lambda ids: Ids(frozenset(ids))
    ),
    st.tuples(st.integers(2000, 2030), st.integers(2000, 2030)).map(lambda x: Range("year", *x)),
    st.sampled_from([Everything(), State("tag", "moe"), Range("year", None, 2010)]),
)
TREES: st.SearchStrategy[Node] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module", params=["one segment", "several segments", "updates and removals"])
def index(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Oracle]]:
    folder = tmp_path_factory.mktemp("index") / "fulltext"
    now = PAPERS
    if request.param == "one segment":
        Engine.build(folder, PAPERS, stamp={"n": 1})
        engine = Engine.open(folder)
    else:
        Engine.build(folder, PAPERS[:70], stamp={"n": 1})
        engine = Engine.open(folder)
        engine.update(PAPERS[70:110], stamp={"n": 2})
        engine.update(PAPERS[110:], stamp={"n": 3})
        if request.param == "updates and removals":
            gone = {paper.id for paper in PAPERS[::11]}
            changed = [replace(paper, abstract=other.abstract) for paper, other in pairwise(PAPERS[1::13])]
            engine.update(changed, stamp={"n": 4})
            engine.remove(gone, stamp={"n": 5})
            latest = {paper.id: paper for paper in (*PAPERS, *changed)}
            now = [paper for paper in latest.values() if paper.id not in gone]
    yield engine, Oracle(now)
    engine.close()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(tree=TREES)
def test_any_tree_finds_what_a_look_at_every_paper_finds(index: tuple[Engine, Oracle], tree: Node) -> None:
    engine, oracle = index
    hits = engine.search(tree)
    assert {hit.id for hit in hits} == oracle.all(tree)
    assert len({hit.id for hit in hits}) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(leaf=LEAVES.filter(lambda leaf: isinstance(leaf, Word | Prefix | Phrase | Fuzzy)))
def test_marks_and_notes_agree_with_the_index(index: tuple[Engine, Oracle], leaf: Any) -> None:
    engine, oracle = index
    found = {hit.id for hit in engine.search(leaf)}
    for paper in oracle.papers:
        marked = spans(paper.abstract, leaf) or spans(paper.heading, leaf)
        assert bool(marked) == (paper.id in found)
        assert (occurs(paper.abstract, leaf) or occurs(paper.heading, leaf)) == (paper.id in found)


def test_every_index_holds_each_paper_once(index: tuple[Engine, Oracle]) -> None:
    engine, oracle = index
    hits = engine.search(Everything())
    assert sorted(hit.id for hit in hits) == sorted(oracle.rows)
    assert {hit.score for hit in hits} == {0.0}
