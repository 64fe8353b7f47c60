"""Marks and snippets: on any text, without an index."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from index.fulltext import occurs, snippet, spans
from index.fulltext.analysis import pieces
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Word


@pytest.mark.parametrize(
    ("tree", "text", "marked"),
    [
        (Word("model"), "Models, and the model's own", ["Models", "model"]),
        (
            Word("multitask"),
            "a multi-task and multi task, multitask",
            ["multi-task", "multi task", "multitask"],
        ),
        (Phrase("state of the art"), "the state-of-the-art, of art", ["state-of-the-art"]),
        (Prefix("gener"), "generic Generalization", ["generic", "Generalization"]),
        (Prefix("models"), "a model, modelsim, modest", ["model", "modelsim"]),
        (Fuzzy("gaze"), "gauze gate maze graze", ["gauze", "gate", "maze", "graze"]),
        (And((Word("the"), Word("slot"), Not(Word("gaze")))), "the slot of the gaze", ["slot"]),
        (And((Word("multi"), Word("task"))), "multitask", ["multitask"]),
        (Or((Word("a"), Ids(frozenset({"x"})))), "a b", ["a"]),
        (Or((Word("slot attention"), Word("slot"))), "slot attention", ["slot attention"]),
        (Word("90%"), "90\\% of 90 and 90%", ["90\\%", "90%"]),
        (Word("nosé"), "the Nos\\'e thermostat", ["Nos\\'e"]),
        (Everything(), "anything", []),
        (Word("!"), "!", []),
    ],
)
def test_what_matches_is_marked(tree: Node, text: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in spans(text, tree)] == marked


def test_a_leaf_for_another_field_is_not_marked() -> None:
    tree = And((Word("slot", "title"), Word("gaze")))
    assert spans("slot gaze", tree, "abstract") == [(5, 9)]
    assert spans("slot gaze", tree, "title") == [(0, 4), (5, 9)]
    assert spans("slot gaze", tree) == [(0, 4), (5, 9)]
    assert spans("the code of King", And((Word("code", "has"), Word("king", "author")))) == []
    assert spans("King, Ada", Word("king", "author"), "author") == [(0, 4)]


def test_a_text_holds_a_leaf() -> None:
    assert occurs("to read: grokking!", Word("grok"))
    assert not occurs("to read", Word("grok"))
    assert not occurs("", Prefix("g"))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from("ab -\\{}'%é\u0301.,1"), max_size=60), st.data()
)
def test_pieces_and_spans_lie_in_the_text(text: str, data: st.DataObject) -> None:
    row = list(pieces(text))
    assert all(0 <= one.start < one.end <= len(text) and one.form for one in row)
    assert all(a.end <= b.start for a, b in pairwise(row))
    if row:
        word = data.draw(st.sampled_from(row))
        alone = text[word.start : word.end]
        assume([one.form for one in pieces(alone)] == [word.form])  # a sign may count beside a word only
        found = spans(text, Word(alone))
        assert any(start <= word.start and word.end <= end for start, end in found)
        assert all(a[1] <= b[0] for a, b in pairwise(found))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text("abc  \n", max_size=50).map(lambda text: text * 4), st.integers(1, 60), st.data())
def test_a_snippet_is_a_stretch_of_whole_words(text: str, width: int, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    marks = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=False) if a < b]
    start, end = snippet(text, marks, width)
    assert 0 <= start <= end <= len(text) and end - start <= width
    if all(len(word) < width // 2 for word in text.split()):
        assert start == 0 or text[start - 1].isspace() or text[start].isspace()
        assert end == len(text) or text[end].isspace() or text[end - 1].isspace()


def test_a_snippet_shows_the_matches() -> None:
    text = "lorem ipsum " * 30 + "slot attention works " + "dolor sit " * 30
    start, end = snippet(text, spans(text, And((Word("slot"), Word("attention")))), 60)
    assert "slot attention" in text[start:end]
    assert snippet("short text", [], 60) == (0, 10)
    assert snippet(text, [], 60)[0] == 0


def test_a_snippet_begins_and_ends_with_whole_words() -> None:
    text = "unbroken " * 60
    for at in range(200, 218):
        start, end = snippet(text, [(at, at + 3)], 50)
        assert start <= at and at + 3 <= end
        assert set(text[start:end].split()) == {"unbroken"}
