"""While a word is being typed: nothing that Enter finds is missing, and nothing else of the query changes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from index import indexing, query
from index.annotations import Annotations, new_step
from index.finding import Finder
from index.kept import Kept
from index.papers import Change, Record, now
from index.query import And, Node, Not, Or, Phrase, Prefix, State, Word
from tests.index.asked import ODD_WORDS, TEXTS
from tests.index.helpers import SEEDS, paragraphs, shelf_in


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finder]:
    """The shipped lists, with a few notes."""
    folder = tmp_path_factory.mktemp("half-typed")
    shelf = shelf_in(folder)
    for number, path in enumerate(SEEDS):
        found = [Record(place, text) for place, text in enumerate(paragraphs(path), 1)]
        shelf.add(found, f"List {number}.txt", f"2026-01-0{number + 1}T12:00:00.000Z")
    notes, step = Annotations.open(folder), new_step()
    said = ("a multitask idea", "read with T2I", "a wa lrus", "of embeddings")
    notes.apply([
        Change(step, "o", id, "note", None, text, now())
        for id, text in zip(list(shelf.ids)[::9], said, strict=False)
    ])  # fmt: skip
    engine, _ = indexing.bring_up(shelf, lambda _done, _all: None)
    yield Finder(Kept(shelf, notes), notes, engine)
    engine.close()


def moved(finder: Finder, text: str) -> bool:
    """Whether what Enter lists did not stand first, in its order, before."""
    entered, half = finder.find(query.parse(text)), finder.find(query.parse(text, typing=True))
    if half.sort == "added":  # no words, and so none is better than another
        return not set(entered.ids) <= set(half.ids)
    return half.ids[: len(entered.ids)] != entered.ids


@pytest.mark.parametrize(
    "text",
    [
        "T2I", "moe", "RL", "embeddings", "colour", "multi-task", "studies", "multi task", "text to image",
        "mixture of experts", "reinforcement learning", "transformers of", "models in", "moe OR T2I",
        "(vision T2I", '"T2I', '"text to image', "image -T2I", "image -mult", "-embed", "NOT T2I", "abs:T2I",
        "abstract:(text to image", "multi-t", "2-d", "bi-lstm", "walrus", "note:multi-task", "-note:multi",
        "-tag:a", "the", "is:unread T2I", "T2I -is:read t2i",
        "moe/experts", "vision/language/act",
    ],
)  # fmt: skip
def test_enter_leaves_what_it_lists_where_it_was(finder: Finder, text: str) -> None:
    assert not moved(finder, text)


@pytest.mark.parametrize("count", [120, pytest.param(4000, marks=pytest.mark.slow)])
def test_enter_leaves_what_it_lists_where_it_was_whatever_the_words(finder: Finder, count: int) -> None:
    pick = random.Random(count)
    for _ in range(count):
        some = [*pick.choice(TEXTS).split(), *ODD_WORDS]
        at = pick.randrange(len(some))
        text = " ".join(some[at : at + pick.randint(1, 3)])
        text = pick.choice(("", "", "", "-", '"', "abs:", "model OR ")) + text.replace('"', "")
        if not query.parse(text + '"' * ('"' in text)).problems:
            assert not moved(finder, text), text


@pytest.mark.parametrize(
    ("word", "letters"),
    [("optimisation", 7), ("tokenisation", 9), ("colour", 5), ("behaviour", 8), ("artefact", 5),
     ("modelling", 7), ("analysing", 6), ("percent", 6), ("neighbour", 8)],
)  # fmt: skip
def test_a_british_word_is_found_from_the_letter_on_that_is_not_american(
    finder: Finder, word: str, letters: int
) -> None:
    whole = set(finder.find(query.parse(word)).ids)
    for end in range(letters, len(word) + 1):
        assert set(finder.find(query.parse(word[:end], typing=True)).ids) >= whole
    assert whole


def test_an_acronym_is_read_while_it_is_typed(finder: Finder) -> None:
    half = finder.find(query.parse("T2I", typing=True))
    assert set(half.ids) == set(finder.find(query.parse("T2I")).ids)
    assert set(half.ids) > finder.engine.search(Prefix("T2I")).keys()
    assert half.marked == Or((Prefix("T2I"), Or((Word("T2I"), Phrase("text to image")))))


@pytest.mark.parametrize(
    ("text", "entered"),
    [
        ("a T2I", And((Word("a"), Word("T2I")))), ('"a T2', Phrase("a T2")),
        ("a -b", And((Word("a"), Not(Word("b"))))), ("(a OR b", Or((Word("a"), Word("b")))),
        ("mo* mo", And((Prefix("mo"), Word("mo")))),
        ("tag:mo/", State("tag", "mo")), ("note:mo", State("note", "mo")), ("mo*", None), ("mo ", None),
        ('"mo"', None), ("mo~", None), ("year:202", None), ("status:un", None), ("mo* is:", None), ("", None),
    ],
)  # fmt: skip
def test_what_enter_would_make_of_it(text: str, entered: Node | None) -> None:
    assert query.parse(text, typing=True).entered == entered
    assert query.parse(text).entered is None


def test_it_is_said_which_acronyms_were_spelled_out(finder: Finder) -> None:
    for typing in (False, True):
        assert finder.told(query.parse("large T2I", typing=typing)) == [
            '"T2I" is also looked for as "text to image"'
        ]
    assert finder.told(query.parse("-(text to image)")) == ['"text to image" is also looked for as "t2i"']
    assert finder.told(query.parse("author:T2I models")) == []


def test_a_note_says_where_though_its_word_is_cut(finder: Finder) -> None:
    half = finder.find(query.parse("walrus", typing=True))
    assert list(half.where.values()) == ["note"]


def test_patterns_are_run_once(finder: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    run = finder._matching

    def counted(name: str, pattern: re.Pattern[str]) -> Iterator[str]:
        ran.append(name)
        return run(name, pattern)

    monkeypatch.setattr(finder, "_matching", counted)
    finder.find(query.parse("title:/a/ mod", typing=True))
    assert len(ran) == 1
