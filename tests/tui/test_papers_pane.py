"""The list of papers on a small host: cursor, looks, cost, hostile text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.helpers import HOSTILE, SIZES, anomalies, drawn, unsafe, until
from tui.panes.papers import PaperList
from tui.panes.rows import Row

IDS = [f"p{number}" for number in range(500)]


class Host(App[None]):
    """The list alone, with a field below it that can take the focus."""

    def __init__(self, row: Callable[[str], Row]) -> None:
        super().__init__()
        self.papers = PaperList(row, empty="No paper [here].\nTry another query.")
        self.moved: list[str | None] = []
        self.opened: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.papers
        yield Input()

    def on_paper_list_moved(self, event: PaperList.Moved) -> None:
        self.moved.append(event.id)

    def on_paper_list_opened(self, event: PaperList.Opened) -> None:
        self.opened.append(event.id)


def plain(id: str) -> Row:
    return Row(id, f"Heading of {id}")


@asynccontextmanager
async def host(
    row: Callable[[str], Row] = plain, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Host, PaperList, Pilot[None]]]:
    app = Host(row)
    async with app.run_test(size=size) as pilot:
        app.papers.focus()
        await until(pilot, lambda: app.papers.has_focus and app.papers.size.height > 0)
        yield app, app.papers, pilot


def lines(papers: PaperList) -> list[str]:
    return [papers.render_line(y).text for y in range(papers.size.height)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_cursor_moves_and_stays_in_view(size: tuple[int, int]) -> None:
    async with host(size=size) as (app, papers, pilot):
        papers.show(IDS)
        steps: list[tuple[Callable[[], None], int]] = [
            (lambda: papers.move(5), 5),
            (lambda: papers.move(-99), 0),
            (lambda: papers.bottom(), 499),
            (lambda: papers.move(1), 499),
            (lambda: papers.move_to(250), 250),
            (lambda: papers.page(1), 250 + papers.size.height),
            (lambda: papers.page(-1), 250),
            (lambda: papers.half_page(1), 250 + papers.size.height // 2),
            (lambda: papers.top(), 0),
        ]
        for step, place in steps:
            step()
            assert papers.cursor == place
            assert papers.current == IDS[place]
            assert f"Heading of {IDS[place]} " in drawn(
                papers.render_line(y) for y in range(papers.size.height)
            )
        await until(pilot, lambda: app.moved[-1:] == ["p0"])
        assert app.moved == ["p0", "p5", "p0", "p499", *[IDS[place] for _, place in steps[4:]]]


async def test_the_cursor_stays_in_view_when_the_pane_shrinks() -> None:
    async with host(size=(80, 40)) as (_, papers, pilot):
        papers.show(IDS)
        papers.move_to(30)
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: papers.size.height < 12)
        assert any("Heading of p30 " in line for line in lines(papers))


async def test_what_is_shown_before_the_first_layout_is_in_view_after_it() -> None:
    class Early(Host):
        def compose(self) -> ComposeResult:
            self.papers.show(IDS, keep="p300")
            return super().compose()

    app = Early(plain)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: app.papers.size.height > 0 and app.papers.scroll_y > 0)
        assert any("Heading of p300 " in line for line in lines(app.papers))


async def test_new_contents_keep_the_paper_and_its_line_where_they_can() -> None:
    async with host() as (app, papers, pilot):
        papers.show(IDS)
        papers.move_to(100)
        line = next(y for y, text in enumerate(lines(papers)) if "p100 " in text)
        papers.show(IDS[50:])
        assert papers.current == "p100"
        assert "p100 " in papers.render_line(line).text
        papers.show(IDS[:90])
        assert papers.current == "p50", "the cursor stays at its place when its paper is gone"
        papers.show(IDS, keep="p7")
        assert papers.current == "p7"
        papers.show([])
        assert not papers.current
        papers.move(1)
        papers.page(-1)
        await until(pilot, lambda: app.moved == ["p0", "p100", "p50", "p7", None])


async def test_an_empty_list_says_what_it_was_given_and_takes_it_for_no_markup() -> None:
    async with host() as (_, papers, _pilot):
        papers.show([])
        assert lines(papers)[0].rstrip() == " No paper [here]."
        assert lines(papers)[1].rstrip() == " Try another query."
        papers.show([], empty="Nothing")
        assert lines(papers)[0].rstrip() == " Nothing"


async def test_a_move_asks_for_two_rows_at_any_length() -> None:
    asked: list[str] = []

    def row(id: str) -> Row:
        asked.append(id)
        return plain(id)

    async with host(row) as (_, papers, pilot):
        ids = [f"p{number}" for number in range(100_000)]
        papers.show(ids)
        await until(pilot, lambda: len(set(asked)) >= papers.size.height)
        assert len(asked) <= 2 * papers.size.height
        papers.move_to(5)
        await until(pilot, lambda: "p5" in asked)
        await pilot.pause()
        asked.clear()
        papers.move(1)
        await until(pilot, lambda: "p6" in asked)
        await pilot.pause()
        assert len(asked) <= 2
        assert set(asked) <= {"p5", "p6"}
        papers.move_to(papers.size.height - 3)
        await pilot.pause()
        asked.clear()
        papers.move(1)
        await until(pilot, lambda: papers.scroll_y == 1 and len(asked) >= 2)
        await pilot.pause()
        assert len(asked) == 2, "the row that came into view and the one with the cursor"
        papers.top()
        await pilot.pause()
        asked.clear()
        papers.refresh_row("p3")
        papers.refresh_row("p90000")
        await until(pilot, lambda: "p3" in asked)
        assert asked == ["p3"]
        asked.clear()
        papers.move_to(70_000)
        await until(pilot, lambda: "p70000" in asked)
        await pilot.pause()
        assert len(asked) <= papers.size.height + 2


async def test_a_row_is_repainted_with_its_new_looks() -> None:
    looks = {id: plain(id) for id in IDS}
    async with host(looks.__getitem__) as (_, papers, _pilot):
        papers.show(IDS)
        assert papers.render_line(1).text.startswith(" ● Heading of p1 ")
        looks["p1"] = replace(looks["p1"], status="read")
        papers.refresh_row("p1")
        assert papers.render_line(1).text.startswith(" ○ Heading of p1 ")


ROW = Row(
    "p0", "A heading", derived=True, status="later", starred=True, rating=4, tags=("moe", "vision/video"),
    note=True, highlights=3, snippet="the words that were found here", snippet_spans=((4, 9),),
)  # fmt: skip


async def test_what_a_row_shows_in_one_line() -> None:
    async with host(lambda _: ROW, (60, 12)) as (app, papers, pilot):
        papers.show(["p0"])
        assert lines(papers)[0] == "▌◆·A heading  #moe #vision/vid…  the words that… ★ 4/5 ¶ ≡3"
        app.query_one(Input).focus()
        await until(pilot, lambda: not papers.has_focus)
        assert lines(papers)[0].startswith("▌◆·A heading"), "the cursor shows without the focus"


async def test_what_a_row_shows_in_two_lines() -> None:
    async with host(lambda paper: replace(ROW, id=paper), (40, 12)) as (_, papers, _pilot):
        papers.show(["p0", "p1"], two_lines=True)
        assert [line.rstrip() for line in lines(papers)[:4]] == [
            "▌◆·A heading                 ★ 4/5 ¶ ≡3",
            "   #moe #vision/video  the words that …",
            " ◆·A heading                 ★ 4/5 ¶ ≡3",
            "   #moe #vision/video  the words that …",
        ]
        papers.move(1)
        assert lines(papers)[2].startswith("▌◆·")
        assert papers.virtual_size.height == 4


async def test_of_a_partial_match_its_share_is_seen_however_far_on_the_words_stand() -> None:
    text = "much that was not asked for, and then the words that were"
    row = Row("p0", "A heading", share="2 of 3 words", snippet=text, snippet_spans=((38, 47),))
    both: list[tuple[str, ...]] = [(), ("moe",)]
    for tags in both:
        looks = {"p0": replace(row, tags=tags)}
        async with host(looks.__getitem__, (40, 12)) as (_, papers, _pilot):
            papers.show(["p0"], two_lines=True)
            line = lines(papers)[1]
            assert line.startswith("   2 of 3 words · " + ("#moe  " if tags else ""))
            assert "the word" in line


async def test_looks_that_need_no_colour() -> None:
    rows = {
        "match": Row("match", "some words", spans=((5, 10),)),
        "marked": Row("marked", "x", marked=True),
        "dimmed": Row("dimmed", "x", dimmed=True),
    }
    async with host(rows.__getitem__) as (app, papers, _pilot):
        app.no_color = True
        papers.show(list(rows))
        papers.bottom()
        found = {
            segment.text: segment.style for segment in papers.render_line(0) if segment.style is not None
        }
        assert found["words"].bold
        assert found["words"].underline
        assert not found["some "].bold
        assert papers.render_line(1).text.startswith("✓")
        papers.top()
        assert any(s.style and s.style.dim for s in papers.render_line(2))


async def test_the_cursor_is_reversed_where_there_is_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with host() as (_, papers, _pilot):
        papers.show(IDS)
        assert all(s.style and s.style.reverse for s in papers.render_line(0))
        assert not any(s.style and s.style.reverse for s in papers.render_line(1))


async def test_a_click_moves_the_cursor_and_a_second_opens() -> None:
    async with host() as (app, papers, pilot):
        papers.show(IDS)
        await until(pilot, lambda: papers.max_scroll_y > 0)
        await pilot.click(papers, offset=(5, 3))
        await until(pilot, lambda: papers.current == "p3")
        assert app.opened == []
        await pilot.click(papers, offset=(5, 3))
        await until(pilot, lambda: app.opened == ["p3"])
        papers.show(IDS[:2])
        await pilot.click(papers, offset=(5, 9))
        await pilot.pause()
        assert papers.current == "p1"


async def test_the_pane_binds_no_key() -> None:
    async with host() as (_, papers, pilot):
        papers.show(IDS)
        await pilot.press("down", "pagedown", "end", "j", "ctrl+d")
        assert papers.cursor == 0
        assert papers.scroll_y == 0
        assert not list(papers._bindings.key_to_bindings)


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_text_is_shown_and_harmless(size: tuple[int, int]) -> None:
    texts = HOSTILE + anomalies()

    def row(id: str) -> Row:
        text = texts[int(id)]
        return Row(id, text, tags=(text,), snippet=text, spans=((0, 9),), snippet_spans=((3, 5),))

    async with host(row, size) as (_, papers, _pilot):
        papers.show([str(number) for number in range(len(texts))], two_lines=True)
        for number, text in enumerate(texts):
            papers.move_to(number)
            for y in range(papers.size.height):
                strip = papers.render_line(y)
                assert not unsafe(strip.text)
                assert strip.cell_length == papers.size.width - papers.scrollbar_gutter.width
            if text.startswith("["):
                assert text[:30] in drawn(papers.render_line(y) for y in range(papers.size.height))


@pytest.mark.parametrize("two_lines", [False, True])
async def test_the_wheel_keeps_the_cursor_in_view(two_lines: bool) -> None:
    async with host(size=(40, 12)) as (_, papers, pilot):
        papers.show([f"p{number}" for number in range(100)], two_lines=two_lines)
        await until(pilot, lambda: papers.max_scroll_y > 50)
        for step in range(1, 50):
            await pilot._post_mouse_events([MouseScrollDown], papers, button=0)
            assert papers.scroll_y == min(papers.max_scroll_y, 3 * step * (1 + two_lines))
            assert papers.content_region.contains_point(papers.place_on_screen)
        before = papers.cursor
        papers.move(-1)
        assert papers.cursor == before - 1
        for _ in range(50):
            await pilot._post_mouse_events([MouseScrollUp], papers, button=0)
            assert papers.content_region.contains_point(papers.place_on_screen)
        assert papers.scroll_y == 0
