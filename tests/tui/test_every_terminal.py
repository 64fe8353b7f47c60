"""The reader in terminals of every kind: pastes, signs, colours, the cursor, the mouse, sizes, ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from index.library import Library
from tests.tui.helpers import until
from tests.tui.reader import Reader, opened
from tests.tui.terminal import Terminal, faultless, folder_env

ESCAPE, ENTER = "\x1b", "\r"
Open = Callable[..., Terminal]


def row_of(seen: str, *begins: str) -> int | None:
    """The first row that begins so, but for white space."""
    return next((row for row, line in enumerate(seen.splitlines()) if line.lstrip().startswith(begins)), None)


@pytest.fixture
def terminal(library_folder: Path) -> Iterator[Open]:
    """Opens the reader in a terminal; it is left at the end."""
    terminals: list[Terminal] = []

    def open_(columns: int = 80, rows: int = 24, **env: str) -> Terminal:
        terminals.append(Terminal(columns=columns, rows=rows, env={**folder_env(library_folder), **env}))
        terminals[-1].until("393 papers")
        terminals[-1].until("saved")
        terminals[-1].until(lambda seen: row_of(seen, "▌●", ">o") == 2)
        return terminals[-1]

    yield open_
    for one in terminals:
        if not one.ended:
            one.type("\x11")
            assert one.wait() == 0
        assert faultless(one.sent)


def annotated(folder: Path) -> dict[str, str]:
    """The papers about which something was changed."""
    library = Library(folder)
    try:
        return {id: library.annotation(id).status for id in library.ids if library.annotation(id).times}
    finally:
        library.close()


# Pastes


HOSTILE = [
    "dd 5*q",
    "attention\x1b[31mddd",
    "\x1b\x1bAd\x1b[A\rr\x11",
    "dd\x1b[201~ 5*q",
    "\x1b" + "d" * 40,
]


def test_what_is_pasted_into_list_or_text_is_no_key(terminal: Open, library_folder: Path) -> None:
    reader = terminal()
    for hint, opens in (("Enter open", ""), ("h back", ENTER)):
        reader.press(opens + "K", hint)
        for text in HOSTILE:
            reader.paste(text)
            reader.until("a paste is not taken as keys")
            reader.press("K", hint)
        reader.send(b"\x1b[200~caf\xe9 \xff dd\x1b[201~")  # Latin-1
        reader.paste("dd " * 100_000)
        reader.press("*", "no star on 1 paper" if opens else "star on 1 paper")
    reader.press("=3", "rating 3 on 1 paper")
    reader.type("\x11")
    assert reader.wait() == 0
    assert list(annotated(library_folder).values()) == ["unread"]


def test_what_is_pasted_into_the_bar_is_the_query(terminal: Open) -> None:
    reader = terminal()
    reader.type("/")
    reader.until("Enter keep")
    for part in ("\x1b", "[200", "~grok\x1b\rking\x1b[2", "01~"):
        reader.type(part)
        reader.read(0.03)
    reader.until("/ grok king")
    reader.type("\x15")
    reader.paste("grokking " * 50_000)
    reader.until("only the beginning of what was pasted")
    reader.type("\x15grokking")
    reader.until("7 of 393")


def test_what_is_pasted_into_a_note_is_text(terminal: Open, library_folder: Path) -> None:
    reader = terminal()
    reader.type("e")
    reader.until("Esc keep the note")
    reader.paste("first\x1b[A dd\r\x1bsecond\x1b[201")
    reader.until("second")
    reader.paste("word " * 100_000)
    reader.until("only the first 100,000 characters")
    reader.type(ESCAPE)
    reader.until("note on 1 paper")
    reader.type("\x11")
    assert reader.wait() == 0
    library = Library(library_folder)
    (note,) = filter(None, (library.annotation(id).note for id in library.ids))
    library.close()
    assert note.startswith("first[A dd\nsecond[201word word")
    assert len(note) == pytest.approx(100_000, abs=100)


# Esc and the next key sent as one


def test_esc_and_the_next_key_sent_as_one_are_both_had(terminal: Open) -> None:
    reader = terminal()
    reader.type("  ")
    reader.until(lambda seen: seen.count("✓") == 2)
    reader.type("\x1b*")
    reader.until("star on 1 paper")
    reader.until(lambda seen: "✓" not in seen)
    reader.type(" \x1b/")
    reader.until("Enter keep")
    reader.until(lambda seen: "✓" not in seen)
    reader.type("one two\x1bbX")  # what moves by words in a shell
    reader.until("/ one Xtwo")
    reader.type("\x1bA")
    reader.until("393 marked")


# Signs and colours


def test_a_terminal_of_ascii_only(terminal: Open) -> None:
    reader = terminal(POSTIL_ASCII="", LC_ALL="C")
    for keys, shown in (
        (ENTER, "h back"), ("v", "H highlight  w word"), (ESCAPE, "h back"), ("?", "+----"),
        (ESCAPE, "h back"), ("t", "Enter keeps : Tab completes"), (ESCAPE, "h back"),
        ("\x10", "Search for commands"), (ESCAPE, "h back"), ("3H", "highlight as claim"), ("e", "-note---"),
        ("é…“多”", 'e~"??"'), (ESCAPE + "q", ">o:"), ("b", " queues "), ("q*", "star on"),
    ):  # fmt: skip
        reader.type(keys)
        reader.until(shown)
    assert reader.sent.isascii()


def numbered(seen: str, number: str) -> int | None:
    """The row in which a highlight of that colour begins."""
    return row_of(seen, f"{number} ", f"▌{number} ")


@pytest.mark.parametrize(
    ("env", "used"),
    [
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, ""),
        ({"TERM": "xterm", "COLORTERM": ""}, r"[34]\d|9\d|10\d"),
        ({"TERM": "xterm-256color", "COLORTERM": ""}, r"[34]8;5;\d+"),
    ],
    ids=["none", "sixteen", "many"],
)
def test_all_is_told_apart(terminal: Open, env: dict[str, str], used: str) -> None:
    reader = terminal(**env)
    reader.type("/generalization" + ENTER)
    reader.until("191 of 393, best first")
    reader.until("Enter open")
    reader.until(lambda seen: row_of(seen, "▌●") == 2 and "…" in seen.splitlines()[5])
    plain = reader.looks(3, 6)
    assert reader.looks(3, 2) != plain  # the row under the cursor
    word = reader.screen.splitlines()[4].lower().index("generaliz")
    assert "underscore" in reader.looks(word, 4)
    assert "underscore" not in plain
    reader.type("j" * 4 + ENTER)
    reader.until("h back")
    for number in "12345":
        reader.type(f"{int(number) + 1}HC{number}")
        reader.until(lambda seen: numbered(seen, number) is not None)  # noqa: B023 (called at once)
    rows = [numbered(reader.screen, number) or 0 for number in "12345"]
    columns = [re.search(r"\d", reader.screen.splitlines()[row]) for row in rows]
    numbers = [reader.looks(at.start(), row) for at, row in zip(columns, rows, strict=True) if at]
    assert len(numbers) == 5
    assert all("underscore" in look for look in numbers), numbers
    if used:
        assert len(set(numbers)) == 5
    bar = row_of(reader.screen, "▌")
    assert bar
    word = reader.screen.splitlines()[bar].index("This")  # the first of the sentence
    assert "reverse" not in reader.looks(word, bar)
    reader.type("v")
    reader.until(lambda _: "reverse" in reader.looks(word, bar))
    reader.type("$H")
    reader.until("highlight as doubt")
    reader.type("}{n")
    reader.until(lambda seen: "H highlight  w" not in seen)
    assert all(re.fullmatch(used, one) for one in reader.colours)
    assert bool(reader.colours) == bool(used)


def test_a_theme_that_was_chosen_stays(terminal: Open) -> None:
    config = Path.home() / ".config" / "postil" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('theme = "nord"\nascii = true\n')
    reader = terminal(
        XDG_CONFIG_HOME=str(config.parents[1]), TERM="xterm", COLORTERM="truecolor", POSTIL_ASCII=""
    )
    assert "48;2;46;52;64" in reader.colours  # nord's background
    reader.type("\x10theme")
    reader.until('`theme = "~"` in config.toml')
    reader.type(ESCAPE)


# The terminal's own cursor


def test_the_cursor_stands_where_the_focus_is(terminal: Open) -> None:
    reader = terminal()

    def stands(column: int, row: int, seen: bool) -> None:
        reader.until(lambda _: reader.cursor == (column, row, seen))

    stands(0, 2, False)
    reader.type("jj")
    stands(0, 4, False)
    reader.type("/")
    stands(3, 1, True)
    reader.type("多ab\x1b[D")
    stands(6, 1, True)
    reader.type("\x15" + ESCAPE)
    stands(0, 4, False)
    reader.type(ENTER)
    reader.until("h back")
    reader.until(lambda seen: bool(row_of(seen, "▌")))
    row = row_of(reader.screen, "▌")
    assert row
    stands(reader.screen.splitlines()[row].index("▌") + 3, row, False)
    reader.type("e")
    reader.until("Esc keep the note")
    row = row_of(reader.screen, "─note")
    assert row
    stands(1, row + 1, True)
    reader.type("e\u0301多" + ENTER + "x")
    stands(2, row + 2, True)
    reader.type(ESCAPE)
    reader.until("note on 1 paper")
    reader.type("t")
    reader.until("Tab completes")
    row = next(row for row, line in enumerate(reader.screen.splitlines()) if "Tab completes" in line)
    stands(4, row - 1, True)
    reader.type(ESCAPE)


# The mouse


def test_what_the_mouse_does(terminal: Open) -> None:
    reader = terminal(120, 40)
    reader.click(10, 6)
    reader.until(lambda seen: seen.splitlines()[6].startswith("▌"))
    for _ in range(4):
        reader.mouse(65, 10, 20)
    reader.until("no. 15")  # four steps of three rows, and the two rows kept above the cursor
    reader.type("k")
    reader.until("no. 14")
    row = row_of(reader.screen, "▌●")
    assert row
    reader.click(10, row)
    reader.until("h back")
    reader.until(lambda seen: bool(re.search("[▏▕]▌ ", seen)))
    first = next(row for row, line in enumerate(reader.screen.splitlines()) if re.search("[▏▕]▌", line))
    left = reader.screen.splitlines()[first].rindex("▌") + 3
    words = reader.screen.splitlines()[first + 1][left + 2 :]
    reader.mouse(0, left + 2, first + 1)
    reader.mouse(32, left + 9, first + 1)
    reader.until(lambda _: "reverse" in reader.looks(left + 8, first + 1))
    for row in (38, 39):  # over other panes, which get none of it
        reader.mouse(32, left + 20, row)
    reader.until(lambda _: "reverse" in reader.looks(left + 10, first + 3))
    assert "reverse" not in reader.looks(left + 1, first + 1)
    reader.mouse(0, left + 20, 39, up=True)
    reader.until("H highlight  w word")
    reader.type("H")
    reader.until("── highlights")
    reader.until(f"claim: {words[:12]}")
    reader.type("u")
    reader.until("undone")
    reader.type("qb")
    row = row_of(reader.until(lambda seen: row_of(seen, "unread ") is not None), "unread ")
    reader.click(4, row or 0)
    reader.until("/ status:unread")


# Sizes


async def resized(reader: Reader, size: tuple[int, int]) -> None:
    await reader.pilot.resize_terminal(*size)
    await until(reader.pilot, lambda: reader.screen.size == size)
    await reader.pilot.pause()


async def test_another_size_keeps_the_paper_and_the_sentence(library_folder: Path) -> None:
    async with opened(library_folder, (120, 40)) as reader:
        await reader.press(*"j" * 10, "enter", *")" * 6)
        paper, pane, papers = reader.current, reader.screen.text, reader.screen.papers
        for size in ((80, 24), (40, 12), (20, 6), (99, 24), (100, 24), (120, 40), (40, 12)):
            await resized(reader, size)
            assert (reader.current, pane.sentence) == (paper, 6)
            assert pane.content_region.contains_point(pane.place_on_screen)
            line = pane.place_on_screen.y - pane.content_region.y
            assert "▌" in pane.render_line(line).text
        await reader.press("q")
        for size in ((80, 24), (40, 12), (120, 40)):
            await resized(reader, size)
            assert reader.current == paper
            assert papers.content_region.contains_point(papers.place_on_screen)


# Ends


LEFT = {
    "the cursor is seen": (rb"\x1b\[\?25[hl]", b"\x1b[?25h"),
    "the other screen is left": (rb"\x1b\[\?1049[hl]", b"\x1b[?1049l"),
    "pastes come as keys": (rb"\x1b\[\?2004[hl]", b"\x1b[?2004l"),
    "the mouse is let go": (rb"\x1b\[\?100[036][hl]", b"l"),
    "the focus is not told": (rb"\x1b\[\?1004[hl]", b"\x1b[?1004l"),
    "lines wrap": (rb"\x1b\[\?7[hl]", b"\x1b[?7h"),
}


def sound(reader: Terminal) -> None:
    """The terminal is as it was before."""
    for what, (pattern, last) in LEFT.items():
        assert re.findall(pattern, reader.sent)[-1].endswith(last), what
    before, after = reader.modes
    assert before == after


@pytest.mark.parametrize(
    ("keys", "shown", "end"),
    [
        ("", "Enter open", signal.SIGTERM),
        ("/abc", "/ abc", signal.SIGHUP),
        ("e", "─note", signal.SIGTERM),
        ("?", "╭──", None),
    ],
)
def test_however_it_ends_the_terminal_is_sound(
    terminal: Open, keys: str, shown: str, end: signal.Signals | None
) -> None:
    reader = terminal()
    reader.press(keys, shown)
    if end is None:
        reader.type(ESCAPE)
        reader.until("Enter open")
        reader.type("\x11")
    else:
        os.kill(reader.pid, end)
    assert reader.wait() == 0
    sound(reader)


def test_ctrl_c_ends_nothing(terminal: Open) -> None:
    reader = terminal()
    reader.type("/a\x03b")
    reader.until("/ ab")
    reader.type(ESCAPE)
    os.kill(reader.pid, signal.SIGINT)
    reader.wait()
    sound(reader)


def test_sleeping_and_waking(library_folder: Path) -> None:
    shell = Terminal(
        "--norc", "-i", command=("/bin/bash",), env={**folder_env(library_folder), "PS1": "shell> "}
    )
    shell.until("shell>")
    shell.type(f"{sys.executable} -m tui.cli" + ENTER)
    shell.until("393 papers")
    shell.until("saved")
    shell.type("/gro")
    shell.until("/ gro")
    shell.type(ESCAPE + "\x1a")
    shell.until("Stopped")
    for what, (pattern, last) in LEFT.items():
        if what != "pastes come as keys":  # the shell takes them too
            assert re.findall(pattern, shell.sent)[-1].endswith(last), what
    shell.type("echo a$((1+1))b" + ENTER)
    shell.until("a2b")
    shell.type("fg" + ENTER)
    shell.until("393 papers · 393 unread")
    shell.until(lambda _: not shell.cursor[2])
    shell.type("/")
    shell.until(lambda _: shell.cursor == (3, 1, True))
    shell.type(ESCAPE + "q")
    shell.until("shell>")
    shell.type("exit" + ENTER)
    assert shell.wait() == 0
