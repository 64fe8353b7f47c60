"""The desk under an answer: what is listed, what is only shown, what a row says of why it is listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index.library import Library
from index.papers import Value
from tests.tui.helpers import until
from tests.tui.reader import opened
from tui.desk import Desk
from tui.panes.lines import FoundLine

QUERY = "hallucination attention heads"


@pytest.fixture
def desk(library_folder: Path) -> Iterator[Desk]:
    library = Library(library_folder)
    yield Desk(library)
    library.close()


def write(desk: Desk, *edits: tuple[str, str, Value]) -> None:
    step = desk.library.step("a step", edits)
    assert step
    desk.library.commit(step)


def test_partial_matches_are_listed_last_dimmed_and_marked(desk: Desk) -> None:
    desk.take(None)
    assert desk.whole == desk.ids == desk.library.ids
    found = desk.library.find(QUERY)
    desk.take(found)
    assert list(desk.ids) == [*found.ids, *(part.id for part in found.partial)]
    assert desk.whole == found.ids
    rows = [desk.row(id) for id in desk.ids]
    assert [row.dimmed for row in rows] == [False] * 2 + [True] * 8
    assert [row.share for row in rows] == [None] * 2 + ["2 of 3 words"] * 8


def test_a_row_says_where_it_was_found_when_it_does_not_show_that(desk: Desk) -> None:
    one, two, three, *_ = desk.library.ids
    write(
        desk, (one, "note", "A line.\nThe zyzzyva"), (two, "tags/zyzzyva", True), (three, "title", "Zyzzyva")
    )
    desk.take(desk.library.find("zyzzyva"))
    rows = {id: desk.row(id) for id in desk.ids}
    assert set(rows) == {one, two, three}
    assert (rows[one].snippet, rows[one].snippet_spans) == ("note: A line. The zyzzyva", ((18, 25),))
    assert (rows[two].snippet, rows[two].snippet_spans) == ("tag: zyzzyva", ((5, 12),))
    assert (rows[three].snippet, rows[three].spans) == (None, ((0, 7),))


def test_what_a_change_takes_out_is_dimmed_also_when_it_still_has_most_words(desk: Desk) -> None:
    one = desk.library.find(QUERY).partial[0].id
    write(desk, (one, "note", QUERY))
    desk.take(desk.library.find(QUERY))
    assert one in desk.whole
    write(desk, (one, "note", ""))
    again = desk.library.find(QUERY)
    assert one in again.shown
    assert desk.recheck(again) == {one}
    assert desk.row(one).dimmed
    write(desk, (one, "note", QUERY))
    assert desk.recheck(desk.library.find(QUERY)) == {one}
    assert not desk.row(one).dimmed


def test_a_row_shows_the_words_in_their_context_once_they_were_looked_for(desk: Desk) -> None:
    desk.take(desk.library.find("grokking network"))
    id = desk.whole[0]
    assert desk.in_context
    assert (desk.row(id).snippet, desk.lacks_passage(id, 40)) == (None, True)
    assert desk.find_passage(id, 40)
    row = desk.row(id)
    assert row.snippet
    assert len(row.snippet) <= 40
    assert row.snippet.strip("…") in desk.library.entry(id).paper.abstract
    found = {row.snippet[start:end].lower() for start, end in row.snippet_spans}
    assert found & {"grokking", "network", "networks"}
    assert (desk.lacks_passage(id, 40), desk.lacks_passage(id, 60)) == (False, True)
    desk.take(desk.library.find("grokking"))
    assert (desk.row(id).snippet, desk.lacks_passage(id, 40)) == (None, True)


def test_a_partial_match_is_shown_in_its_context_too(desk: Desk) -> None:
    desk.take(desk.library.find(QUERY))
    id = desk.ids[-1]
    assert desk.find_passage(id, 60)
    row = desk.row(id)
    assert row.snippet
    assert row.share == "2 of 3 words"
    assert {row.snippet[start:end].lower()[:5] for start, end in row.snippet_spans} & {
        "hallu",
        "atten",
        "heads",
    }


@pytest.mark.parametrize("text", ["is:unread", "author:smith", "year:2024", ""])
def test_a_query_of_no_words_has_nothing_to_show_in_context(desk: Desk, text: str) -> None:
    desk.take(desk.library.find(text))
    assert not desk.in_context


async def test_rows_in_view_fill_up_with_what_was_found_and_with_no_other(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        screen = reader.screen
        await reader.search("model", len(reader.library.find("model").shown))
        await until(reader.pilot, lambda: not screen._lacking)
        lines = [screen.papers.render_line(y).text for y in range(screen.papers.size.height)]
        assert all("model" in second.lower() for second in lines[1::2])
        looked_at = len(screen.desk._passages)
        assert looked_at <= len(lines) // 2 + 3
        await reader.press("G")
        await until(reader.pilot, lambda: not screen._lacking and len(screen.desk._passages) > looked_at)
        assert screen.desk.ids[-1] in screen.desk._passages


async def test_marking_all_takes_whole_matches_and_the_line_tells_them_apart(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        desk, line = reader.screen.desk, reader.screen.query_one(FoundLine)
        await reader.search(QUERY, 10)
        assert "2 of 393, best first; 8 with 2 of 3 words" in "  ".join(
            reader.screen.query_one(FoundLine).text
        )
        await reader.press("A")
        assert desk.marked == set(desk.whole)
        assert len(desk.marked) == 2
        await reader.press("escape")
        await reader.search("grokking modular arithmetic", 1)
        assert "none whole; 1 with 2 of 3 words" in line.text[1]
        await reader.press("A")
        assert not desk.marked
