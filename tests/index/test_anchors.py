"""Highlights in texts that have changed: on their own words, exactly, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.anchors import anchored, found
from index.papers import Annotation, Highlight
from tests.index.helpers import SEEDS, paragraphs

TEXT = (
    "Routing pays. We show that the router learns where tokens go, and that the router is cheap. "
    "Without the router, accuracy drops by 3.5% on all of the nine benchmarks that we looked at."
)


ABSTRACTS = [text for file in SEEDS for text in paragraphs(file)]


def mark(text: str, quote: str, nth: int = 1, id: str = "m") -> Highlight:
    """A highlight on the nth place where `quote` stands in `text`."""
    start = -1
    for _ in range(nth):
        start = text.index(quote, start + 1)
    return Highlight.on(text, start, start + len(quote), id=id)


def held(text: str, made: Highlight) -> str | None:
    """What `text` holds where the highlight is found, with three characters on each side."""
    place = found(text, made)
    return place and text[place[0] - 3 : place[1] + 3]


def test_an_unchanged_text_holds_every_stretch_where_it_was() -> None:
    for start in range(0, len(TEXT), 3):
        for end in range(start + 1, min(start + 40, len(TEXT)), 5):
            assert found(TEXT, Highlight.on(TEXT, start, end, id="m")) == (start, end)


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_words_that_stand_three_times_are_found_again_each_in_its_place(nth: int) -> None:
    made = mark(TEXT, "the router", nth)
    for before in ("", "A sentence more. ", "x" * 47):  # 47 puts the second to where the first was
        text = before + TEXT
        assert found(text, made) == (made.start + len(before), made.end + len(before))


def test_another_place_is_not_taken_though_it_now_stands_at_the_old_offsets() -> None:
    first, second = (mark(TEXT, "the router", nth) for nth in (1, 2))
    moved = TEXT[second.start - first.start :]
    assert moved[first.start : first.end] == "the router"
    assert found(moved, first) is None
    assert found(moved, second) == (first.start, first.end)


def test_what_stands_before_decides_too() -> None:
    same = "the quote, and after it more than thirty characters that are the same. "
    text = "one: " + same + "two: " + same
    made = mark(text, "the quote", 2)
    half = len(text) // 2
    assert found("x" * half + text, made) == (made.start + half, made.end + half)


def test_of_places_that_are_all_alike_the_old_one_is_taken() -> None:
    text = "word " * 40
    made = mark(text, "word", 20)
    assert found(text.replace(" ", "\n"), made) == (95, 99)
    assert found("w" + text, made) is None


def test_a_context_that_changed_on_one_side_is_enough() -> None:
    made = mark(TEXT, "the router", 2)
    assert held(TEXT.replace("go, and that", "go;"), made) == "o; the router is"
    assert held(TEXT.replace("is cheap. Without", "costs much. Without"), made) == "at the router co"


def test_a_context_that_changed_on_both_sides_leaves_words_that_stand_once() -> None:
    made = mark(TEXT, "nine benchmarks")
    text = TEXT.replace("of the nine benchmarks that", "nine benchmarks, which")
    assert held(text, made) == "ll nine benchmarks, w"
    assert found(text + " Our nine benchmarks are public.", made) is None


def test_words_that_were_changed_are_not_found_where_they_stand_elsewhere() -> None:
    made = mark(TEXT, "accuracy")
    assert found(TEXT.replace("accuracy", "quality") + " We report accuracy.", made) is None
    first = mark(TEXT, "Routing pays.")
    assert found(TEXT.replace("Routing pays.", "Routing costs.") + " Routing pays. Or so.", first) is None


@pytest.mark.parametrize("text", ["", "the", "The router", "the  route r", "the-router"])
def test_a_near_match_is_none(text: str) -> None:
    assert found(text, mark(TEXT, "the router", 2)) is None


def test_white_space_is_alike_in_the_words_and_around_them() -> None:
    made = mark(TEXT, "the router is cheap", 1)
    wrapped = TEXT.replace(" ", "\n").replace("router", "router ")
    place = found(wrapped, made)
    assert place
    assert wrapped[slice(*place)] == "the\nrouter \nis\ncheap"


def test_without_any_context_the_offsets_decide_and_else_words_that_stand_once() -> None:
    assert found("ab ab ab", Highlight("m", 3, 5, "ab")) == (3, 5)
    assert found("ab ab ab", Highlight("m", 4, 6, "ab")) is None
    assert found("xx ab", Highlight("m", 0, 2, "ab")) == (3, 5)
    assert found("xx ab", Highlight("m", -2, 0, "ab")) == (3, 5)
    assert found("xx ab", Highlight("m", 3, 3, "")) is None


def test_what_looks_like_a_pattern_is_taken_as_it_stands() -> None:
    text = "Given (a|b)* and [c], \\d+ is $x^2$. Then (a|b)* again."
    made = mark(text, "(a|b)*", 2)
    assert found("More. " + text, made) == (made.start + 6, made.end + 6)


def test_the_highlights_of_a_paper_in_the_order_of_the_text_and_those_that_it_lost() -> None:
    marks = (mark(TEXT, "Routing", id="a"), mark(TEXT, "cheap", id="b"), mark(TEXT, "accuracy", id="c"))
    text = TEXT[TEXT.index("Without") :] + " " + TEXT[: TEXT.index("Without")].replace("Routing", "Sending")
    here, lost = anchored(Annotation("p", highlights=marks), text)
    assert [(one.id, text[one.start : one.end]) for one in here] == [("c", "accuracy"), ("b", "cheap")]
    assert lost == [marks[0]]
    assert anchored(Annotation("p", highlights=marks), TEXT) == ([*marks], [])


# Random edits. The words are unlike one another, but for the quote, which may stand in several places.

Edit = tuple[float, int, str]
WORDS = st.lists(
    st.sampled_from([f"w{number}" for number in range(60)]), min_size=12, max_size=50, unique=True
)
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 9), st.text("xyz ,\n", max_size=9)), min_size=1, max_size=6
)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, Highlight]:
    words = draw(WORDS)
    for place in draw(st.lists(st.integers(0, len(words)), min_size=1, max_size=4, unique=True)):
        words.insert(place, "the very quote")
    text = " ".join(words)
    return text, mark(text, "the very quote", draw(st.integers(1, text.count("the very quote"))))


def edited(text: str, made: Highlight, edits: list[Edit]) -> tuple[str, int]:
    """The text after edits that leave the highlight's words alone, and where they now begin."""
    start, length = made.start, len(made.quote)
    for where, cut, put in edits:
        if where < 0.5:  # before it
            at = int(where * 2 * start)
            cut = min(cut, start - at)
            start += len(put) - cut
        else:
            at = start + length + int((where - 0.5) * 2 * (len(text) - start - length))
        text = text[:at] + put + text[at + cut :]
    return text, start


@given(marked(), EDITS)
def test_after_edits_elsewhere_a_highlight_is_on_its_own_words_or_lost(
    given: tuple[str, Highlight], edits: list[Edit]
) -> None:
    text, made = given
    text, start = edited(text, made, edits)
    place = found(text, made)
    if text.count(made.quote) == 1 or (
        text[:start].endswith(made.prefix) and text[start:].startswith(made.quote + made.suffix)
    ):
        assert place == (start, start + len(made.quote))
    else:
        assert place in (None, (start, start + len(made.quote)))


@given(marked(), st.integers(1, 12), st.sampled_from(["", "-", "some other words "]))
def test_after_an_edit_inside_it_a_highlight_is_lost_wherever_else_its_words_stand(
    given: tuple[str, Highlight], at: int, put: str
) -> None:
    text, made = given
    assert found(text[: made.start + at] + put + text[made.start + at + 1 :], made) is None


@given(st.integers(0, 10**6), st.integers(1, 80), st.integers(0, 10**6))
def test_a_real_abstract_with_a_sentence_before_it_keeps_its_highlights(
    begin: int, length: int, which: int
) -> None:
    text, other = (ABSTRACTS[number % len(ABSTRACTS)] for number in (which, which + 1))
    start = begin % (len(text) - 1)
    made = Highlight.on(text, start, min(start + length, len(text)), id="m")
    moved = other.partition(". ")[0] + ". " + text
    shift = len(moved) - len(text)
    assert found(moved, made) in ((made.start + shift, made.end + shift), None)
    if made.quote.strip() and moved.count(made.prefix + made.quote + made.suffix) == 1:
        assert found(moved, made)
