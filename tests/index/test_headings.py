"""Headings and names derived from bare abstracts."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import headings as room
from index.headings import WIDTH, derive, distinct, name_of

SHARED = Path(__file__).parents[2].parent / "shared"
SEEDS = Path(__file__).parents[2] / "seeds"
GOLD = SHARED / "gold" / "headings.jsonl"


@pytest.mark.parametrize(
    ("abstract", "name"),
    [
        ("We present FooNet, a network for bars.", "FooNet"),
        ("In this work, we introduce THE FORUM, a benchmark for toys.", "THE FORUM"),
        ("To this end, we propose Plain Word Tuning (PWT), which is fast.", "PWT"),
        ("We propose careful word-level tuning (CWT), which is fast.", "CWT"),
        ("We introduce BARK (Bad Abbreviations Really Kill), a data set.", "BARK"),
        ("We present SoupRABBA (Soup Review ABBA), the first soup reviews.", "SoupRABBA"),
        ("We propose a method called Deep Stew that cooks.", "Deep Stew"),
        ("We develop a simple framework, namely StewGen, for cooking.", "StewGen"),
        ('Thus we introduce "GlueIt!", a method for glue.', "GlueIt!"),
        ("We propose **SOUP** (**S**low **O**ven **U**se **P**lan) here.", "SOUP"),
        (r"We present \textsc{Stew Maker} (StewM), a tool.", "StewM"),
        ("Our method, called Soup Sort (SoSo), is fast.", "SoSo"),
        ('Models cook many soups at once, which we call "soup superposition".', "soup superposition"),
        ("We refer to these layers as soup layers.", "soup layers"),
        ("We propose stewmax, a new function.", "stewmax"),
        ("The resulting solver, dubbed SoupT5, is available.", "SoupT5"),
        ("We propose SoupNet v2, which is better.", "SoupNet v2"),
        ("In this paper, SoupSLAM, a full system, is proposed for kitchens.", "SoupSLAM"),
        ("We study soup. We find that CookBERT is bad at soup.", None),
        ("We propose a method for large language models (LLMs).", None),
        ("We propose a way with soup cooking kettles (SCKs) and spoons.", None),
        ("We present CLIP to soups.", None),
        ("We present a CLIP-based framework for soup.", None),
        ("StewNet is known. We evaluate it and propose StewNet for soups.", None),
        ("We introduce a benchmark of soups.", None),
        ("It must see soups defined by Operational Design Kitchens (ODKs), which are sparse.", None),
        ("We collected soups to fine-tune two well-established approaches, OpenSoup and others.", None),
        ("", None),
    ],
)
def test_name(abstract: str, name: str | None) -> None:
    assert derive(abstract).name == name


@pytest.mark.parametrize(
    ("abstract", "heading"),
    [
        ("Soup is old. We present FooNet, a novel network for soups.", "FooNet: network for soups"),
        (
            "We propose a new approach, Read-only Soup Sorting (RSS).",
            "RSS: Read-only Soup Sorting",
        ),
        (
            "We propose a training-free method, SoupCut, for cutting soups.",
            "SoupCut: training-free method for cutting soups",
        ),
        (
            "Soup is old. In this work, we study the length generalization of soup. We find it long.",
            "Length generalization of soup",
        ),
        ("This paper investigates whether soups sleep.", "Whether soups sleep"),
        (
            "While cold, soups are liked. We show in many experiments that soups can be eaten with spoons.",
            "Soups can be eaten with spoons",
        ),
        ("Although old, soups (e.g., broth) are liked by most people.", "Soups are liked by most people"),
        (
            "A new prior is proposed for learning representations of soups.",
            "Prior for learning representations of soups",
        ),
        ("We present a tool that handles every soup known to cooks, which is a lot for anyone to eat.",
         "Tool that handles every soup known to cooks"),
        ("汤", "汤"),
        ("Not available", "Not available"),
        (" \n ", ""),
    ],
)  # fmt: skip
def test_heading(abstract: str, heading: str) -> None:
    assert derive(abstract).heading == heading


def test_a_long_heading_is_cut_between_words() -> None:
    heading = derive("We present " + "abcdefgh " * 20).heading
    assert heading == "Abcdefgh" + " abcdefgh" * 7 + "…"
    assert len(derive("x" * 200).heading) == WIDTH


SCRAPS = (
    "We we propose present introduce a the novel method (AB) FooNet , . : ; -- that which for ( ) [ ] \" '"
    " `` '' \\textbf{ } $ ** call called dubbed is proposed e.g. \n 汤 \U0001f600 \u202e \x1b[31m"
)
TEX = st.lists(st.sampled_from(SCRAPS.split(" ")), max_size=60).map(" ".join)


@given(st.text() | TEX)
def test_any_text(abstract: str) -> None:
    found = derive(abstract)
    for line in (found.heading, found.name or ""):
        assert len(line) <= WIDTH
        assert line.isprintable()
        assert line == line.strip()
    if any(map(str.isalnum, re.sub(r"\\\w+|[{}]", "", abstract))):
        assert found.heading


@pytest.mark.parametrize(
    "piece", ["We propose a (AB) ", "x", "a, b ", "((", "We call ", '"A ', "A-a ", "x is proposed "]
)
def test_a_long_text_is_quick(piece: str) -> None:
    # Work that grew with the square of the length would take minutes here.
    assert len(derive(piece * (1_000_000 // len(piece))).heading) <= WIDTH


ROWS = [
    ("a111111111", "Soup", "alpha learns quickly from soups"),
    ("b111111111", "soup", "alpha learns slowly from soups"),
    ("c111111111", "Stew", "alpha"),
    ("d111111111", "", ""),
    ("e111111111", "", ""),
    ("f111111111", "Very long " * 10, "gamma"),
    ("g111111111", "A title that the list gave itself: it is not ended at the colon here", "delta"),
    ("h111111111", "A title that the list gave itself: it is not ended at the colon here", "omega"),
]


def test_distinct_tells_apart_by_words_then_by_id() -> None:
    first, second, *others = distinct(ROWS)
    assert (first, second) == ("Soup (quickly alpha)", "soup (slowly alpha)")
    assert others[:3] == ["Stew", "(d111)", "(e111)"]
    assert others[3] == "Very long " * 6 + "Very long…"
    assert others[4] == "A title that the list gave itself: it is not ended at the colon… (delta)"


words = st.sampled_from(["Soup", "soup", "Soup (alpha)", "Stew", "ß", "SS", "", "x" * 80, "Soup…"])


@given(
    st.lists(
        st.tuples(
            st.text("ab1", min_size=1, max_size=10), words, st.sampled_from(["", "alpha", "gamma delta"])
        ),
        unique_by=lambda row: row[0],
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_distinct(rows: list[tuple[str, str, str]], shuffle: random.Random) -> None:
    headings = distinct(rows)
    folded = [heading.casefold() for heading in headings]
    assert len(set(folded)) == len(rows)
    assert all(len(heading) <= WIDTH for heading in headings)
    given_folded = [row[1].casefold() for row in rows]
    for row, heading in zip(rows, headings, strict=True):
        if given_folded.count(row[1].casefold()) == 1 and len(row[1]) <= WIDTH:
            assert heading == row[1]
    other = list(rows)
    shuffle.shuffle(other)
    assert dict(zip(map(str, other), distinct(other), strict=True)) == dict(
        zip(map(str, rows), headings, strict=True)
    )


def _abstracts() -> list[str]:
    texts = [path.read_text("utf-8").split("\n\n")[1:] for path in sorted(SEEDS.glob("*.txt"))]
    return list(dict.fromkeys(" ".join(text.split()) for texts in texts for text in texts if text.strip()))


def test_a_name_alone_is_that_of_the_heading_too() -> None:
    derived = list(map(derive, _abstracts()))
    assert list(map(name_of, _abstracts())) == [one.name for one in derived]
    assert sum(one.name is not None for one in derived) > 150


def test_no_short_cut_changes_a_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    abstracts = [
        *_abstracts(),
        "A \\emph{goal} of ours is to Find {soup}.",
        "Soup IS our AIM. We Then Cook it all.",
    ]
    told = list(map(derive, abstracts))
    monkeypatch.setattr(room, "_AUTHORS_WORDS", ("",))
    monkeypatch.setattr(room, "_OTHERWISE", tuple((cost, found, ("",)) for cost, found, _ in room._OTHERWISE))
    monkeypatch.setattr(room, "_MARKED", re.compile(""))
    assert list(map(derive, abstracts)) == told


@pytest.mark.skipif(not GOLD.exists(), reason="the gold set is not here")
def test_names_of_the_gold_set() -> None:
    rows: list[dict[str, Any]] = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    abstracts = _abstracts()
    right = said = meant = 0
    for row in rows:
        (abstract,) = (text for text in abstracts if text.startswith(" ".join(row["key"].split())))
        name = derive(abstract).name
        accepted = {row["name"], row["url_name"], *row["aliases"], *row["also"]} - {None}
        said += name is not None
        meant += row["name"] is not None
        right += name is not None and name.casefold() in {other.casefold() for other in accepted}
    assert 2 * right / (said + meant) >= 0.9


def test_headings_of_the_lists() -> None:
    abstracts = _abstracts()
    headings = distinct([(f"p{n:09}", derive(text).heading, text) for n, text in enumerate(abstracts)])
    assert len(headings) == len({heading.casefold() for heading in headings}) > 300
    for heading in headings:
        assert 3 < len(heading) <= WIDTH
        assert not re.search(r"(?:[,;:(\[–-]| (?:of|the|a|an|and|for|with))…?$|\.\.|  ", heading), heading
