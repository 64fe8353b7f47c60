"""What the search reads of an index, beside what was written; words near to one, beside a look at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.fulltext import Engine
from index.fulltext.analysis import forms, may_share, stem
from index.fulltext.codec import Codec, decoded, places
from index.fulltext.postings import PAPER, Snapshot
from index.fulltext.schema import BARE
from index.fulltext.slots import edits, near_by
from index.fulltext.spelling import WORDS
from tests.index.test_fulltext_oracle import seed_papers

PAPERS = seed_papers()[::4]
FORMS = sorted({form for paper in PAPERS for form in forms(paper.abstract)})


@pytest.fixture(scope="module", params=["one segment", "several segments, and removals"])
def index(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Snapshot, dict[str, tuple[str, ...]]]]:
    """A snapshot, and the pieces of each abstract that is in it by id."""
    folder = tmp_path_factory.mktemp("index") / "fulltext"
    texts = {paper.id: forms(paper.abstract) for paper in PAPERS}
    Engine.build(folder, PAPERS[: 40 if request.param != "one segment" else None], stamp={})
    engine = Engine.open(folder)
    if request.param != "one segment":
        engine.update(PAPERS[40:], stamp={})
        engine.update([replace(PAPERS[3], abstract=PAPERS[4].abstract)], stamp={})
        texts[PAPERS[3].id] = texts[PAPERS[4].id]
        engine.remove([PAPERS[7].id, PAPERS[50].id], stamp={})
        del texts[PAPERS[7].id], texts[PAPERS[50].id]
    yield engine._snapshot, texts
    engine.close()


def test_postings_say_who_holds_a_form_how_often_and_where(
    index: tuple[Snapshot, dict[str, tuple[str, ...]]],
) -> None:
    snapshot, texts = index
    for form in FORMS[::7]:
        found = snapshot.postings("abstract", form)
        told = {snapshot.keys[doc]: count for doc, count in zip(found.docs, found.counts, strict=True)}
        assert told == {id: row.count(form) for id, row in texts.items() if form in row}
        everywhere = {
            (snapshot.numbers[id] << PAPER) + place
            for id, row in texts.items()
            for place, one in enumerate(row)
            if one == form
        }
        assert sorted(found.spots(None)) == sorted(everywhere)
        few = set(found.docs[:1]) | {10_000}
        within = {spot for spot in everywhere if spot >> PAPER in few}
        assert within <= {*found.spots(few)} <= everywhere


def test_the_holders_of_a_prefix_are_those_of_its_forms(
    index: tuple[Snapshot, dict[str, tuple[str, ...]]],
) -> None:
    snapshot, texts = index
    for start in ("con", "mo", "z", "2", "zzz", ""):
        told: dict[str, set[str]] = {}
        for form, docs, _ in snapshot.holders("abstract", start):
            told.setdefault(form, set()).update(snapshot.keys[doc] for doc in docs)
        expected: dict[str, set[str]] = {}
        for id, row in texts.items():
            for form in row:
                if form.startswith(start):
                    expected.setdefault(form, set()).add(id)
        assert {form: ids for form, ids in told.items() if ids} == expected


def test_the_words_are_all_forms_each_once(index: tuple[Snapshot, dict[str, tuple[str, ...]]]) -> None:
    snapshot, texts = index
    first, *words, last = snapshot.words().split("\n")
    assert first == last == ""
    assert len(set(words)) == len(words)
    assert {form for row in texts.values() for form in row} <= set(words)
    assert set(words) == {form for name in BARE for form in snapshot.begun("", [name])}
    assert snapshot.has("model") and not snapshot.has("mode1s")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.dictionaries(
        st.integers(0, 2**32 - 1), st.lists(st.integers(0, 2**32 - 1), min_size=1), min_size=1, max_size=80
    )
)
def test_the_codec_gives_back_what_it_was_given(postings: dict[int, list[int]]) -> None:
    file = BytesIO(b"before")
    file.seek(6)
    extent: list[int] = []
    writer = Codec().postings_writer(file)
    writer.start_postings(None, SimpleNamespace(set_extent=lambda *told: extent.extend(told)))
    for doc, at in sorted(postings.items()):
        writer.add_posting(doc, float(len(at)), b"".join(n.to_bytes(4, sys.byteorder) for n in at))
    writer.finish_postings()
    docs, counts, coded = decoded(file.getvalue()[extent[0] : sum(extent)])
    assert list(docs) == sorted(postings)
    assert list(counts) == [len(postings[doc]) for doc in docs]
    assert list(places(coded)) == [place for doc in docs for place in postings[doc]]


EDIT = st.tuples(st.sampled_from(["cut", "put", "change", "swap"]), st.integers(0, 8), st.sampled_from("ab"))


def edited(word: str, edit: tuple[str, int, str]) -> str:
    how, at, letter = edit
    left, one, right = word[:at], word[at : at + 1], word[at + 1 :]
    if how == "swap":
        return left + right[:1] + one + right[1:]
    return {"cut": left, "put": left + letter + one, "change": left + letter}[how] + right


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text("abcdefgh", min_size=7, max_size=10), st.lists(st.tuples(EDIT, EDIT), max_size=20))
def test_near_by_misses_no_word(form: str, changes: list[tuple[tuple[str, int, str], ...]]) -> None:
    once = {edited(form, first) for first, _ in changes}
    words = {form[::-1], *once, *(edited(edited(form, first), second) for first, second in changes)}
    for most in (1, 2):
        expected = {word: distance for word in words if (distance := edits(form, word, most)) <= most}
        assert near_by(form, "\n".join(("", *sorted(words), "")), most) == expected


def test_a_word_that_is_spared_the_stemmer_has_another_stem() -> None:
    british = (*WORDS, "behaviour", "centre", "judgement", "manoeuvre", "paediatric", "modelling", "skies")
    for form in (*FORMS, *british, "capability", "adding", "reusing", "tries", "caging"):
        assert may_share(form, stem(form))
    assert not may_share("transformer", stem("trained"))
