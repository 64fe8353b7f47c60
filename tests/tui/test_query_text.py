"""A query that is completed, and terms put into it and taken out, judged by what the parser makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import query as q
from tui.query_text import begin, completions, held, term, toggled

VALUES = {
    "tag": ["moe", "moe/routing", "to read", "vision"],
    "name": ["ZipIt!", "MoE-LLaVA", 'a "b"'],
    "status": ["unread", "later", "reading", "read", "skipped"],
}


def completed(before: str) -> list[str]:
    """The whole query after each completion."""
    start, words = completions(before, lambda field: VALUES.get(field, ()))
    return [before[:start] + word for word in words]


@pytest.mark.parametrize(
    ("before", "become"),
    [
        ("ti", ["title:"]),
        ("moe (TA", ["moe (tag:"]),
        ("-sta", ["-status:"]),
        ("a", ["abstract:", "author:", "added:"]),
        ("", []),
        ("moe ", []),
        ("zebra", []),
        ("tag:", ["tag:moe", "tag:moe/routing", 'tag:"to read"', "tag:vision"]),
        ("x t:mo", ["x t:moe", "x t:moe/routing"]),
        ("tag:moe", ["tag:moe/routing"]),
        ('tag:"to r', ['tag:"to read"']),
        ('"a phrase" -status:re', ['"a phrase" -status:reading', '"a phrase" -status:read']),
        ("name:moe", ["name:MoE-LLaVA"]),
        ("name:a", []),
        ('"sparse ta', []),
        ("http://ta", []),
        ("nofield:ta", []),
    ],
)
def test_what_a_word_may_become(before: str, become: list[str]) -> None:
    assert completed(before) == become


@given(st.sampled_from(["tag", "source", "name"]), st.text(st.characters(exclude_characters='"'), max_size=9))
def test_a_term_is_understood_as_one_leaf_whatever_its_value_holds(field: str, value: str) -> None:
    understood = q.parse(f"{term(field, value)} later")
    if understood.whole and isinstance(understood.tree, q.And):
        assert len(understood.tree.parts) == 2
        assert understood.tree.parts[1] == q.Word("later")


@pytest.mark.parametrize(
    ("text", "one", "becomes"),
    [
        ("", "tag:moe", "tag:moe"),
        ("  ", "tag:moe", "tag:moe"),
        ("sparse", "tag:moe", "sparse tag:moe"),
        ("sparse OR dense", "tag:moe", "(sparse OR dense) tag:moe"),
        ('"not closed', "tag:moe", '"not closed" tag:moe'),
        ("sparse tag:moe", "tag:moe", "sparse"),
        ("t:moe sparse", "tag:moe", "sparse"),
        ("tag:moe", "tag:moe", ""),
        ("x is:unread", "status:unread", "x"),
        ("x is:starred", "status:unread", "x is:starred status:unread"),
        ("x is:unread", "status:later", "x status:later"),
        ("status:unread", "status:later", "status:later"),
        ("sparse AND tag:moe AND dense", "tag:moe", "sparse dense"),
        ("tag:moe ANDNOT dense", "tag:moe", "NOT dense"),
        ("NOT tag:moe", "tag:moe", "NOT tag:moe tag:moe"),
        ("-tag:moe", "tag:moe", "-tag:moe tag:moe"),
        ('"with tag:moe in it"', "tag:moe", '"with tag:moe in it" tag:moe'),
        ("(sparse OR dense) tag:moe", "tag:moe", "(sparse OR dense)"),
        ('tag:"to read" x', 'tag:"to read"', "x"),
        ("moe is:unread", "(moe is:unread)", ""),
        ("x (moe is:unread)", "(moe is:unread)", "x"),
        ("is:unread x moe", "(moe is:unread)", "x"),
        ("x moe", "(moe is:unread)", "x moe (moe is:unread)"),
    ],
)
def test_a_term_goes_in_and_comes_out(text: str, one: str, becomes: str) -> None:
    assert toggled(text, one) == becomes


@given(
    st.lists(
        st.sampled_from(["sparse", "-dense", '"a phrase"', "(x OR y)", "tag:other", "NOT z", "AND w"]),
        max_size=5,
    )
)
def test_what_went_in_is_held_and_comes_out_again(parts: list[str]) -> None:
    text = " ".join(parts)
    wanted = held("tag:moe")
    with_it = toggled(text, "tag:moe")
    assert wanted <= held(with_it)
    assert held(with_it) - wanted == held(text)
    assert held(toggled(with_it, "tag:moe")) == held(text)


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("transfor", "transfor*"), ("a transfor", "a transfor*"), ('"a transfor', '"a transfor"*'),
        ("title:tra", "title:tra*"), ("transfor ", None), ("transfor*", None),
        ('"a transfor"', '"a transfor"*'), ("is:unread", None), ("year:2024", None), ("(", None), ("", None),
        ("moe (", None),
    ],
)  # fmt: skip
def test_a_query_whose_last_word_has_only_begun(text: str, becomes: str | None) -> None:
    assert begin(text) == becomes
