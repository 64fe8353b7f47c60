"""Tags, highlights, notes, copies and exports by keys, judged by what the library then holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.geometry import Region
from textual.widgets import Input

from index.library import Library
from index.writers import FORMATS
from tests.tui.helpers import until
from tests.tui.reader import opened, statuses
from tui.panes.note_editor import NoteEditor


async def test_all_of_a_search_is_tagged_and_untagged_after_a_restart(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        seven = set(reader.screen.desk.ids)
        await reader.press("A", "t")
        await reader.type("rg/grok")
        await reader.press("enter")
        await reader.saved()
        assert reader.library.tags() == {"rg/grok": 7}
        await reader.press("ctrl+q")
    async with opened(library_folder) as reader:
        assert {id for id in reader.library.ids if reader.library.annotation(id).tags} == seven
        await reader.press("u")
        assert reader.library.tags() == {}
        await reader.press("ctrl+r")
        assert reader.library.tags() == {"rg/grok": 7}


async def test_the_tag_editor_completes_adds_and_takes_away(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("t")
        await reader.type("MoE, scaling/laws")
        await reader.press("enter")
        assert reader.library.annotation(first).tags == ("moe", "scaling/laws")
        await reader.press("j", "+")
        await reader.type("sca")
        await reader.press("tab", "enter")
        assert reader.library.annotation(reader.current).tags == ("scaling/laws",)
        await reader.press("k", "t")
        await reader.press(*["backspace"] * len("scaling/laws, "), "enter")
        assert reader.library.annotation(first).tags == ("moe",)
        await reader.press("-")
        await reader.type("moe")
        await reader.press("enter")
        assert reader.library.annotation(first).tags == ()


@pytest.mark.parametrize(
    ("word", "number", "begins", "ends"),
    [
        ("colosseum", 3, "We present THE COLOSSEUM", "perturbations."),
        ("gcog", 4, "We found that across model architectures (e.g., RNNs", "fared better."),
    ],
)
async def test_a_numbered_sentence_is_highlighted_whole(
    library_folder: Path, word: str, number: int, begins: str, ends: str
) -> None:
    async with opened(library_folder) as reader:
        await reader.search(word, 1)
        await reader.press("enter", str(number), "H")
        await reader.saved()
        (mark,) = reader.library.annotation(reader.current).highlights
        abstract = reader.library.entry(reader.current).paper.abstract
        assert mark.quote.startswith(begins)
        assert mark.quote.endswith(ends)
        assert abstract[mark.start : mark.end] == mark.quote
        assert abstract[: mark.start].endswith(mark.prefix)
        assert abstract[mark.end :].startswith(mark.suffix)
        assert reader.library.annotation(reader.current).rating is None


async def test_highlight_toggle_colour_comment_and_selection(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("enter", ")", "H")
        (mark,) = reader.library.annotation(id).highlights
        assert mark.quote.startswith("To assess the generality")
        await reader.press("C", "3", "c")
        await reader.type("worth it")
        await reader.press("enter")
        (mark,) = reader.library.annotation(id).highlights
        assert (mark.colour, mark.comment) == ("result", "worth it")
        await reader.press("H")
        assert reader.library.annotation(id).highlights == ()
        await reader.press("v", "w", "w", "H")
        (mark,) = reader.library.annotation(id).highlights
        assert mark.quote.startswith("To assess")
        assert mark.colour == "result"
        assert reader.screen.text.selection() is None


async def test_a_highlight_of_chosen_words_is_taken_away_where_the_cursor_stands_at_it(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        chosen = ("v", "w", "w", "w", "w", "H")
        await reader.press("enter", *chosen)
        (mark,) = reader.library.annotation(id).highlights
        assert mark.quote == "The advent of the Transformer"
        await reader.press("H")
        assert reader.library.annotation(id).highlights == (), "the cursor stands at what was just made"
        for keys in (("}", "H"), (")", "{", "H"), ("g", "g", *chosen)):
            await reader.press("g", "g", *chosen)
            assert [mark.quote for mark in reader.library.annotation(id).highlights] == [mark.quote]
            await reader.press("g", "g", *keys)
            assert reader.library.annotation(id).highlights == (), keys
        await reader.press("g", "g", *chosen, "g", "g", "H")
        assert len(reader.library.annotation(id).highlights) == 2, "at the sentence it is the sentence"


async def test_the_same_words_are_never_highlighted_twice_but_get_the_other_colour(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        chosen = ("g", "g", "v", "w", "w", "H")
        await reader.press("enter", *chosen, "g", "g", "v", "C", "3", "w", "w", "H")
        (mark,) = reader.library.annotation(id).highlights
        assert mark.colour == "result"
        await reader.press("u")
        assert [mark.colour for mark in reader.library.annotation(id).highlights] == ["claim"]


async def test_what_follows_a_numbered_highlight_is_about_that_one(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id = reader.current
        await reader.press("enter", "3", "H", "c", *"why", "enter", "C", "3")
        (mark,) = reader.library.annotation(id).highlights
        assert (mark.comment, mark.colour) == ("why", "result")
        assert reader.screen.text.sentence == 2
        await reader.press("H")
        assert reader.library.annotation(id).highlights == ()
        await reader.press("g", "g", "v", "w", "H", "v", "escape", ")", "v", "w", "H", "c", *"b", "enter")
        assert [mark.comment for mark in reader.library.annotation(id).highlights] == ["", "b"]


async def test_the_footer_tells_of_what_a_selection_may_be_done_with(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter", "v")
        told = reader.line("bottom")
        for hint in ("H highlight", "w word", "o other end", "y copy", "Esc select nothing"):
            assert hint in told
        await reader.press("escape")
        assert "h back" in reader.line("bottom")


async def test_where_no_paper_is_listed_it_is_said(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("space")
        marked = reader.current if not reader.screen.desk.marked else next(iter(reader.screen.desk.marked))
        await reader.search("xyzzyqux", 0)
        await reader.press("r")
        assert reader.library.annotation(marked).status == "read", "marked papers are there all the same"
        reader.screen.desk.marked.clear()
        for key in (*"temoE*arw+-", "y y", "g f", "enter", "tab", "space", "V", "T", "|", "."):
            await reader.press("ctrl+l", *key.split())
            assert "no paper here" in reader.line("bottom"), key
            assert reader.app.screen is reader.screen
            assert reader.screen.place == "list"
        await reader.press("u")
        assert "undone" in reader.line("bottom")


async def test_a_note_is_kept_on_leaving_and_on_quitting(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e")
        await reader.type("two *words*")
        await reader.press("enter")
        await reader.type("q j 5")
        await reader.press("escape")
        assert reader.library.annotation(first).note == "two *words*\nq j 5"
        await reader.press("q", "j", "e")
        second = reader.current
        await reader.type("unfinished")
        await reader.press("ctrl+q")
    library = Library(library_folder)
    assert library.annotation(first).note == "two *words*\nq j 5"
    assert library.annotation(second).note == "unfinished"
    library.close()


async def test_two_windows_see_one_another(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        other = Library(library_folder)
        step = other.step("star", [(reader.current, "starred", True)])
        assert step
        other.commit(step)
        other.close()
        await until(reader.pilot, lambda: reader.library.annotation(reader.current).starred)
        assert reader.screen.desk.row(reader.current).starred


async def test_papers_that_another_command_brings_in_are_listed_and_found(
    library_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new.txt"
    path.write_text("Daily Papers\n\n" + "We introduce Zyzzyva, a beetle of the tropics. " * 8, "utf-8")
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        other = Library(library_folder)
        other.add([str(path)])
        other.close()
        await until(reader.pilot, lambda: "394 papers" in reader.line("top"))
        assert "1 new in the library" in reader.line("bottom")
        assert len(reader.screen.desk.ids) == 7
        await reader.press("escape")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 394)
        await reader.search("zyzzyva", 1)


async def test_export_dialog_writes_what_is_listed_and_refuses_a_foreign_file(
    library_folder: Path, tmp_path: Path
) -> None:
    foreign = tmp_path / "mine.md"
    foreign.write_text("my own words")
    async with opened(library_folder) as reader:
        await reader.search("grokking", 7)
        await reader.press("x")
        line = reader.app.screen.query_one(Input)
        line.value = str(foreign)
        await reader.press("enter")
        assert foreign.read_text() == "my own words"
        line.value = str(tmp_path / "list.md")
        await reader.press(*["tab"] * list(FORMATS).index("json"), "enter")
        assert reader.app.screen is reader.screen
    papers = json.loads((tmp_path / "list.json").read_text("utf-8"))["papers"]
    assert len(papers) == 7


async def test_pasted_text_is_never_keys(library_folder: Path) -> None:
    from textual import events

    async with opened(library_folder) as reader:
        reader.screen.papers.post_message(events.Paste("dd 5*q"))
        await reader.pilot.pause()
        await reader.press("e")
        editor = reader.screen.query_one(NoteEditor)
        editor.post_message(events.Paste("a\x1b]52;c;ZXZpbA==\x07b"))
        await reader.pilot.pause()
        assert editor.text == "a]52;c;ZXZpbA==b"
        await reader.press("escape")
        assert reader.app.is_running
    assert set(statuses(library_folder).values()) == {"unread"}


async def test_copies_say_which_way_they_went(library_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def copy(text: str | bytes, **_: object) -> str:
        copied.append(text if isinstance(text, str) else text.decode())
        return "copied (nowhere)"

    monkeypatch.setattr("tui.clipboard.copy", copy)
    async with opened(library_folder) as reader:
        heading = reader.library.row(reader.current).heading
        for keys, begins in (
            ("yt", heading),
            ("ya", "The advent of"),
            ("ym", "# Reading list"),
            ("yy", "Unknown"),
        ):
            count = len(copied)
            await reader.press(*keys)
            await until(reader.pilot, lambda count=count: len(copied) > count)  # type: ignore[misc]
            await until(reader.pilot, lambda: "copied (nowhere)" in reader.line("bottom"))
            assert copied[-1].startswith(begins)
        assert copied[-1] == (f"Unknown authors (n.d.). {heading} [heading derived from the abstract]")
        await reader.press("y", "h")
        await until(reader.pilot, lambda: "no highlights to copy" in reader.line("bottom"))


async def test_a_file_that_another_program_has_emptied_is_put_right_while_the_reader_is_open(
    library_folder: Path,
) -> None:
    step = (seen := Library(library_folder)).step("star", [(seen.ids[0], "starred", True)])
    assert step
    seen.commit(step)
    seen.close()
    async with opened(library_folder) as reader:
        first = reader.library.ids[0]
        await reader.press("e", *"words")
        (library_folder / "annotations.json").write_bytes(b"")
        await until(reader.pilot, lambda: "annotations.json" in reader.line("bottom"))
        await reader.press("escape")
        await reader.saved()
        assert reader.library.annotation(first).starred
    library = Library(library_folder)
    told = library.annotation(first)
    assert (told.starred, told.note) == (True, "words")
    library.close()


@pytest.mark.parametrize("seen", [False, True])
async def test_a_note_that_was_changed_elsewhere_meanwhile_keeps_both(
    library_folder: Path, seen: bool
) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", *"mine")
        other = Library(library_folder)
        step = other.step("note", [(reader.current, "note", "theirs")])
        assert step
        other.commit(step)
        other.close()
        if seen:
            await until(reader.pilot, lambda: reader.library.annotation(reader.current).note == "theirs")
        await reader.press("escape")
        await reader.saved()
        assert reader.library.annotation(reader.current).note == "theirs\n\nmine"


async def test_a_click_elsewhere_keeps_the_note_with_its_paper(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("e", *"for paper one")
        await reader.pilot.click("#list", offset=(20, 5))
        await until(reader.pilot, lambda: not reader.screen.query(NoteEditor))
        assert reader.current != first
        assert reader.library.annotation(first).note == "for paper one"


async def test_escape_and_a_key_sent_as_one_leave_a_note_the_bar_and_a_dialog(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e", "alt+j")
        assert not reader.screen.query(NoteEditor)
        assert reader.library.annotation(reader.current).note == ""
        await reader.press("q", "/", "a", "alt+j")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 393)
        assert reader.screen.bar.value == ""
        cursor = reader.screen.papers.cursor
        await reader.press("?", "alt+j")
        assert reader.app.screen is reader.screen
        assert reader.screen.papers.cursor == cursor + 1


async def test_an_editor_that_is_drawn_before_it_has_styles_is_blank(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("e")
        editor = reader.screen.query_one(NoteEditor)
        styles = dict(editor._component_styles)
        editor._component_styles.clear()
        editor._rich_style_cache.clear()
        strips = editor.render_lines(Region(0, 0, 20, 3))
        editor._component_styles.update(styles)
        assert [strip.text for strip in strips] == [" " * 20] * 3


async def test_what_another_window_wrote_in_a_note_is_shown_and_said(library_folder: Path) -> None:
    async with opened(library_folder) as mine, opened(library_folder) as other:
        for reader, text in ((mine, "first "), (mine, "")):
            await reader.press("e")
            await reader.type(text)
            await reader.press("escape")
            await reader.saved()
        id = mine.current
        await until(other.pilot, lambda: other.library.annotation(id).note == "first ")
        await other.press("e", "enter")
        await other.type("other")
        await mine.press("e", *"mine", "escape")
        await mine.saved()
        await other.press("escape")
        await other.saved()
        kept = other.library.annotation(id).note
        assert "mine" in kept
        assert "other" in kept
        assert other.screen.text.view.note == kept
        assert "another window wrote in this note too" in other.line("bottom")


@pytest.mark.parametrize(
    ("keys", "asked"), [("3t", "Tags of 3 papers"), ("3+", "Add tags of 3 papers"), ("3w", "Due of 3 papers")]
)
async def test_a_count_before_a_dialog_says_of_how_many_papers(
    library_folder: Path, keys: str, asked: str
) -> None:
    async with opened(library_folder) as reader:
        await reader.press(*keys)
        await until(reader.pilot, lambda: reader.app.screen is not reader.screen)
        assert asked in str(reader.app.screen.query(".title").first().render())
        await reader.type("2d" if "w" in keys else "moe")
        await reader.press("enter")
        if "w" not in keys:
            await reader.press("enter")
        await reader.saved()
        changed = [id for id in reader.library.ids if reader.library.annotation(id).times]
        assert changed == list(reader.library.ids[:3])


async def test_undo_goes_back_to_the_paper_that_it_is_about(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        first = reader.current
        await reader.press("enter", "d")
        assert reader.current != first
        await reader.press("u")
        await until(reader.pilot, lambda: reader.current == first)
        await reader.press("q", "G", "ctrl+r")
        await until(reader.pilot, lambda: reader.current == first)


async def test_a_change_of_a_paper_that_is_not_shown_says_which(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        id, heading = reader.library.ids[5], reader.library.row(reader.library.ids[5]).heading
        step = reader.library.step("note on 1 paper", [(id, "note", "words")])
        assert step
        reader.screen.make(step)
        assert f"note on 1 paper: {heading[:20]}" in reader.line("bottom")


async def test_taking_a_highlight_away_says_which_and_what_goes_with_it(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter", *"v3wc")
        await until(reader.pilot, lambda: reader.app.screen is not reader.screen)
        words = reader.library.annotation(reader.current).highlights[0].quote
        assert words.split()[0] in str(reader.app.screen.query(".title").first().render())
        await reader.type("well said")
        await reader.press("enter")
        await reader.saved()
        (mark,) = reader.library.annotation(reader.current).highlights
        assert mark.comment == "well said"
        await reader.press("H")
        line = reader.line("bottom")
        assert f"take away the highlight “{' '.join(words.split()[:4])}" in line
        assert "and its comment" in line
        await reader.press("u")
        assert reader.library.annotation(reader.current).highlights == (mark,)


async def test_a_comment_on_selected_words_that_are_highlighted_keeps_the_highlight(
    library_folder: Path,
) -> None:
    async with opened(library_folder) as reader:
        await reader.press("enter", *"v3wH", *")(", *"v3wc")
        await until(reader.pilot, lambda: reader.app.screen is not reader.screen)
        await reader.type("still here")
        await reader.press("enter")
        (mark,) = reader.library.annotation(reader.current).highlights
        assert mark.comment == "still here"


async def test_a_key_that_works_elsewhere_says_where(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        for keys, said in (
            ("H", "H works in the text"),
            ("v", "v works in the text"),
            ("\r", ""),
            ("V", "V works in the list"),
            ("v", ""),
            ("m", "m means nothing while words are selected"),
        ):
            await reader.press("enter" if keys == "\r" else keys)
            assert said in reader.line("bottom")
        assert reader.library.annotation(reader.current).highlights == ()


async def test_the_old_name_of_a_tag_gives_way_to_what_is_typed(library_folder: Path) -> None:
    async with opened(library_folder) as reader:
        await reader.press("+", *"old", "enter", "enter")
        await reader.press("g", "t")
        await until(reader.pilot, lambda: reader.app.screen is not reader.screen)
        await reader.press("enter")
        await until(reader.pilot, lambda: bool(reader.app.screen.query(Input)))
        await reader.pilot.pause()
        await reader.type("new")
        await reader.press("enter")
        await until(reader.pilot, lambda: list(reader.library.tags()) == ["new"])


async def test_a_notice_goes_with_a_key_once_it_was_seen(
    library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(library_folder) as reader:
        reader.app.notify("read me", timeout=15)
        await reader.pilot.pause()
        await reader.press("j")
        assert len(reader.app._notifications) == 1, "too soon"
        monkeypatch.setattr("tui.app.SEEN", 0.0)
        await reader.press("j")
        assert len(reader.app._notifications) == 0
