"""Links in notes: written so that they are read back, found among all headings, and known from both ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.clean import clean
from index.library import Library
from index.note_links import LONGEST, Headings, link, linked
from tests.tui.helpers import HOSTILE

ID = "a123456789"


@given(st.text())
def test_a_link_is_read_back_whatever_the_heading(heading: str) -> None:
    written = link(ID, clean(heading))
    assert linked(f"see {written}, [[free text]]") == (ID,)
    assert "\n" not in written
    assert len(written) <= LONGEST + len(ID) + 5


@pytest.mark.parametrize("heading", HOSTILE)
def test_no_heading_ends_its_link_early(heading: str) -> None:
    assert linked(f"{link(ID, clean(heading))} {link('b123456789', 'x')}") == (ID, "b123456789")


def test_links_are_told_once_and_in_order() -> None:
    assert linked("[[b123456789]] [[a123456789|x]] [[b123456789|y]]") == ("b123456789", ID)
    assert linked("[[A123456789]] [[a12345678]] [a123456789] [[a123456789|x]") == ()


def test_a_long_heading_is_cut_between_words() -> None:
    assert link(ID, "word " * 40) == f"[[{ID}|{'word ' * 14}word…]]"


@given(st.lists(st.text("abAé -\n", max_size=8), max_size=12), st.text("abAé -", max_size=5))
def test_headings_are_found_by_all_their_words(headings: list[str], typed: str) -> None:
    papers = [(f"p{number}", heading) for number, heading in enumerate(headings)]
    words = typed.casefold().split()
    folded = {id: heading.casefold().replace("\n", " ") for id, heading in papers}
    assert set(Headings(papers).holding(typed, 99)) == {
        id for id, heading in folded.items() if all(word in heading for word in words)
    }


def test_headings_in_which_a_word_begins_so_come_first() -> None:
    headings = Headings([("a", "Ungrokked"), ("b", "Late Grokking"), ("c", "grok"), ("d", "other")])
    assert headings.holding("grok", 9) == ["b", "c", "a"]
    assert headings.holding("grok", 2) == ["b", "c"]


def test_what_links_to_a_paper_follows_every_change(
    library_folder: Path, open_library: Callable[[], Library]
) -> None:
    here, there = open_library(), open_library()
    one, two, three = here.ids[:3]

    def write(library: Library, paper: str, note: str) -> None:
        step = library.step("note", [(paper, "note", note)])
        assert step
        library.commit(step)

    assert here.linked_from(one) == []
    write(here, three, f"see [[{one}|it]]")
    write(there, two, f"[[{one}]] and [[{three}]]")
    assert here.refresh() == {two}
    assert here.linked_from(one) == [two, three]
    assert here.linked_from(three) == [two]
    undone = there.undo()
    assert undone
    there.commit(undone.step)
    here.refresh()
    assert here.linked_from(one) == [three]
    here.close()
    there.close()
    fresh = open_library()
    assert fresh.linked_from(one) == [three]
    fresh.close()
