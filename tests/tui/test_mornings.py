"""Whole mornings in real terminals, by keys alone: what is seen at each step, and what is on disk then."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from index.library import Library
from tests.tui.terminal import Terminal, faultless, folder_env

ENTER, ESCAPE, CLEAR = "\r", "\x1b", "\x15"
"""The last empties a line."""
POSTIL = (sys.executable, "-m", "tui.cli")
Start = Callable[..., Terminal]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the reader in a terminal, on the library in a folder; none goes on after the test."""
    terminals: list[Terminal] = []

    def start_(folder: Path, size: tuple[int, int] = (120, 40), **more: Any) -> Terminal:
        # As over SSH, so that nothing is put on the clipboard of whoever runs the tests.
        env = {**folder_env(folder), "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", **more.pop("env", {})}
        terminals.append(Terminal(columns=size[0], rows=size[1], env=env, **more))
        terminals[-1].until(lambda seen: "393 papers" in seen.splitlines()[1] and "▌●" in seen)
        return terminals[-1]

    yield start_
    for one in terminals:
        assert faultless(one.sent)
        if not one.ended:
            one.kill()


def quit_(reader: Terminal) -> None:
    """Leave the reader by its keys."""
    reader.type("\x11")
    assert reader.wait() == 0


def written(folder: Path) -> dict[str, dict[str, Any]]:
    """What `annotations.json` holds of each paper, by the paper's id."""
    file = folder / "annotations.json"
    data = json.loads(file.read_text("utf-8")) if file.exists() else {"annotations": {}}
    return {one["paper"]: one for one in data["annotations"].values()}


SIGNS = ("●", "◆", "◐", "○", "×")


def rows(seen: str) -> list[str]:
    """The rows of the list: for each paper the sign of its status, and its heading."""
    return [line[1:] for line in listed(seen) if line[1:2] in SIGNS]


def listed(seen: str) -> list[str]:
    """The lines of the list, without what stands beside it and the newcomer's line below it."""
    panes = (line for line in seen.splitlines()[2:-1] if not line.rstrip().endswith(" keys"))
    return [re.split("[▏▕]", line)[0].rstrip() for line in panes]


def in_context(seen: str) -> bool:
    """Whether each paper of the list has its words in their context in the line below it."""
    lines = listed(seen)
    begin = [at for at, line in enumerate(lines) if line[1:2] in SIGNS]
    return begin == [2 * at for at in range(len(begin))] and all(lines[at + 1].strip() for at in begin)


def bottom(seen: str) -> str:
    """The line of messages and keys: the last one but for tmux's own."""
    return [line for line in seen.splitlines() if not re.match(r"\[\d\] 0:", line)][-1]


def said(seen: str, message: str) -> bool:
    """Whether a message begins so: in the last line, or where it is longer in those above that."""
    return any(line.startswith(f" {message}"[:30].rstrip()) for line in seen.splitlines()[-5:])


def signs(seen: str) -> str:
    return "".join(row[0] for row in rows(seen))


def painted(reader: Terminal, left: int) -> str:
    """The words of the text, from a column on, that are drawn as the highlight is whose `1` stands before."""
    lines = reader.screen.splitlines()
    first = next(row for row, line in enumerate(lines) if re.match("[ ▌]1 ", line[left:]))
    last = next(row for row, line in enumerate(lines) if "── highlights" in line)
    ground = reader.looks(left + 1, first).split()[-1]
    cells = (
        (lines[row].ljust(reader.columns)[column], reader.looks(column, row).split()[-1:])
        for row in range(first, last)
        for column in range(left + 3, reader.columns)
    )
    return " ".join("".join(sign if look == [ground] else " " for sign, look in cells).split())


def told(message: str, unread: int = 393) -> Callable[[str], bool]:
    """Whether a message stands at the bottom, is saved, and so many papers are unread."""
    return lambda seen: (
        said(seen, message) and bottom(seen).endswith("saved") and f"{unread} unread" in seen.splitlines()[0]
    )


def finds(query: str, count: str) -> tuple[str, Callable[[str], bool]]:
    """The keys of a search, and that so many are listed and the keys are the list's again."""
    return (
        f"/{CLEAR}{query}{ENTER}",
        lambda seen: (
            count in seen.splitlines()[1]
            and query[-10:] in seen.splitlines()[1]
            and bottom(seen).startswith(" Enter open")
        ),
    )


# By keys alone, on a new library


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ("/colosseum\r\r3H", "list 000, no. 2", "We present THE COLOSSEUM … perturbations."),
        (
            "/gcog\r\r4H",
            "list 000, no. 1;",
            "We found that … (e.g., … Perceivers, etc.), … fared better.",
        ),
    ],
)
def test_a_sentence_is_highlighted_by_its_number_and_whole(
    start: Start, library_folder: Path, keys: str, place: str, words: str
) -> None:
    reader = start(library_folder)
    reader.press(keys, "highlight as claim")
    reader.until(lambda seen: "saved" in seen and "≡1" in rows(seen)[0])
    seen = reader.screen
    assert "1 of 393" in seen.splitlines()[1]
    assert f"unread · 1 min read · {place}" in seen, "no rating among the facts"
    assert "/5" not in seen
    rule = re.search("[▏▕]", seen.splitlines()[4])
    assert rule
    drawn = painted(reader, left=rule.end())
    begin, *middle, end = words.split(" … ")
    assert drawn.startswith(begin)
    assert drawn.endswith(end)
    assert all(part in drawn for part in middle)
    quit_(reader)
    (one,) = written(library_folder).values()
    (mark,) = one["highlights"]
    assert " ".join(mark["quote"].split()) == drawn
    assert (one["status"], one["rating"], mark["colour"]) == ("unread", None, "claim")


def test_all_of_a_search_are_tagged_and_untagged_after_a_new_start(
    start: Start, library_folder: Path
) -> None:
    reader = start(library_folder)
    reader.press(*finds("grokking", "7 of 393"))
    seven = {row[2:20] for row in rows(reader.screen)}
    assert len(seven) == 7
    reader.press("A", "7 marked")
    assert reader.screen.count("✓") == 7
    reader.press("t", "Tab completes")
    reader.press("rg/grok" + ENTER, "tag rg/grok on 7 papers")
    reader.until(lambda seen: seen.count("#rg/grok") >= 7 and seen.endswith("saved"))
    quit_(reader)
    assert [one["tags"] for one in written(library_folder).values()] == [["rg/grok"]] * 7

    reader = start(library_folder)
    reader.press(*finds("tag:rg", "7 of 393"))
    reader.until(lambda seen: {row[2:20] for row in rows(seen)} == seven and "#rg/grok" in seen)
    reader.press("u", "undone: tag rg/grok on 7 papers")
    reader.until(lambda seen: "#rg/grok" not in seen)
    reader.press(*finds("is:tagged", "0 of 393"))
    reader.press("\x12", "made again: tag rg/grok on 7 papers")
    reader.press(*finds("tag:rg/grok", "7 of 393"))
    reader.until(lambda seen: {row[2:20] for row in rows(seen)} == seven and "#rg/grok" in seen[200:])
    quit_(reader)
    assert [one["tags"] for one in written(library_folder).values()] == [["rg/grok"]] * 7


def test_rjr_marks_exactly_the_first_two_rows(start: Start, library_folder: Path) -> None:
    reader = start(library_folder)
    reader.press(*finds("grokking is:unread", "7 of 393"))
    before = rows(reader.screen)
    assert signs(reader.screen) == "●●●●●●●"
    reader.press("rjr", lambda seen: "391 unread" in seen and signs(seen) == "○○●●●●●")
    reader.until(lambda seen: seen.endswith("saved"))
    assert [row[1:] for row in rows(reader.screen)] == [row[1:] for row in before], "the rows stay, dimmed"
    assert "read on 1 paper" in reader.screen
    quit_(reader)
    assert [one["status"] for one in written(library_folder).values()] == ["read", "read"]


def test_the_same_keys_all_at_once_mark_the_same_two(start: Start, library_folder: Path) -> None:
    reader = start(library_folder)
    reader.press("/grokking is:unread" + ENTER + "rjr", lambda seen: signs(seen) == "○○●●●●●")
    assert "7 of 393" in reader.screen
    assert "391 unread" in reader.screen
    quit_(reader)
    assert [one["status"] for one in written(library_folder).values()] == ["read", "read"]


def test_what_is_pasted_in_the_list_changes_nothing(start: Start, library_folder: Path) -> None:
    reader = start(library_folder)
    reader.press("jj", lambda seen: seen.splitlines()[4].startswith("▌●") and "no. 3" in seen)
    before = reader.screen.splitlines()
    reader.paste("dd 5*q")
    reader.until("a paste is not taken as keys")
    assert reader.screen.splitlines()[:-1] == before[:-1]
    reader.press("k", lambda seen: seen.splitlines()[3].startswith("▌●"))  # and no count is left over
    assert "393 unread" in reader.screen
    quit_(reader)
    assert written(library_folder) == {}


# A morning


def morning(reader: Terminal, export: Path) -> None:
    """Search, triage, highlight, comment, tag, rate, put off, note, copy, export; 7 papers are judged.

    At each step what a reader sees, in a window of whatever size.
    """
    # Seven papers are found, and gone through one by one.
    reader.press(*finds("grokking", "7 of 393"))
    reader.until(in_context)  # tmux may pass on the line of the count before all of the list
    headings = [row[2:18] for row in rows(reader.screen)]
    reader.press("T", lambda seen: "1 of 7" in seen and "a later" in seen)
    for keys, place, message, unread in (
        ("a", 2, "later on 1 paper", 392),
        ("d", 3, "skipped on 1 paper", 391),
        ("r", 4, "read on 1 paper", 390),
        ("u", 3, "undone: read on 1 paper", 391),
        ("r", 4, "read on 1 paper", 390),
        ("a", 5, "later on 1 paper", 389),
        ("a", 6, "later on 1 paper", 388),
        ("*", 6, "star on 1 paper", 388),
        ("r", 7, "read on 1 paper", 387),
    ):
        reader.press(keys, told(message, unread))
        reader.until(lambda seen: f"{place} of 7" in seen.splitlines()[1])  # noqa: B023 (called at once)
    while "Triage:" not in reader.screen:
        before = reader.screen
        reader.press(" ", lambda seen: seen != before)  # noqa: B023 (called at once)
    reader.until("Triage: 2 read, 3 later, 1 skipped")
    reader.press(ENTER, lambda seen: "Triage:" not in seen and "7 of 393" in seen)
    reader.press("gg", lambda seen: bool(rows(seen)) and rows(seen)[0][2:18] == headings[0])
    fitting = len(rows(reader.screen))
    assert signs(reader.screen) == "◆×○◆◆○●"[:fitting]
    assert [row[2:18] for row in rows(reader.screen)][: len(headings)] == headings[:fitting]

    # One paper is marked up.
    reader.press(*finds("colosseum", "1 of 393"))
    reader.press(ENTER, lambda seen: "h back" in seen and "unread · 1 min" in seen)
    reader.press("C3", told("the next highlight: result", 387))
    reader.press("3H", told("highlight as result", 387))
    reader.press("}", lambda seen: "▌3 " in seen)
    reader.press("c", lambda seen: "Comment" in seen)
    reader.press("14 axes, says Fig. 2" + ENTER, told("comment of a highlight", 387))
    reader.press("t", lambda seen: "Tab completes" in seen)
    reader.press("rg/robots, Benchmarks" + ENTER, told("tag rg/robots, tag benchmarks on", 387))
    reader.press("=4", told("rating 4 on 1 paper", 387))
    reader.press("w", lambda seen: "Due" in seen)
    reader.press("7d" + ENTER, told(f"due {in_a_week()} on 1 paper", 387))
    reader.press("sl", told("later on 1 paper", 386))
    reader.press("e", lambda seen: "─note" in seen)
    reader.press("Compare with *RLBench*:\r- 20 tasks q dd 5", lambda seen: "- 20 tasks q dd 5" in seen)
    assert "h back" not in reader.screen
    reader.press(ESCAPE, told("note on 1 paper", 386))
    reader.press("yy", lambda seen: said(seen, "citation: "))
    reader.press("h", lambda seen: bool(rows(seen)) and "Enter open" in seen)
    (row,) = rows(reader.screen)
    assert row.startswith("◆·THE COLOSSEUM")
    assert row.endswith(" 4/5 ¶ ≡1")

    # What was judged is exported.
    reader.press(*finds("-is:unread", "7 of 393"))
    reader.press("x", lambda seen: "Export 7 papers" in seen and "markdown" in seen)
    reader.press(f"{CLEAR}{export}{ENTER}", told("7 papers written to ", 386))


def in_a_week() -> str:
    return (date.today() + timedelta(days=7)).isoformat()  # noqa: DTZ011 (the reader's own day)


def on_disk(folder: Path, export: Path) -> None:
    """What the morning left: every judgement published, nothing waiting, and the list in Markdown."""
    papers = written(folder)
    assert sorted(one["status"] for one in papers.values()) == ["later"] * 4 + ["read"] * 2 + ["skipped"]
    assert [one["status"] for one in papers.values() if one["starred"]] == ["read"]
    (one,) = (one for one in papers.values() if one["note"])
    assert one["note"] == "Compare with *RLBench*:\n- 20 tasks q dd 5"
    assert (one["tags"], one["rating"], one["due"]) == (["benchmarks", "rg/robots"], 4, in_a_week())
    (mark,) = one["highlights"]
    assert (mark["colour"], mark["comment"]) == ("result", "14 axes, says Fig. 2")
    assert mark["quote"].startswith("We present THE COLOSSEUM")
    assert mark["quote"].endswith("perturbations.")
    assert len((folder / "annotations.journal").read_text("utf-8").splitlines()) == 1, "only its first line"
    assert list(folder.glob("draft*")) == []
    assert {path.stat().st_mode & 0o77 for path in (folder, *folder.iterdir())} == {0}

    library = Library(folder)
    assert library.entry(one["paper"]).paper.abstract[mark["start"] : mark["end"]] == mark["quote"]
    undone = library.undo()  # the note was the last step, and one
    assert undone
    library.commit(undone.step)
    assert library.annotation(one["paper"]).note == ""
    assert library.annotation(one["paper"]).highlights
    library.close()

    text = export.read_text("utf-8")
    assert text.count("\n### ") == 7
    found = [text.index(f"\n## {title}\n") for title in ("Later", "Read", "Skipped")]
    assert found == sorted(found)
    told = text[text.index("### THE COLOSSEUM") :].split("<details>")[0]
    for part in (
        f"4/5 · due {in_a_week()}", "#benchmarks", "#rg/robots", "Compare with *RLBench*:\n- 20 tasks q dd 5",
        "> We present THE COLOSSEUM", "result", "14 axes, says Fig. 2",
    ):  # fmt: skip
        assert part in told.replace("\\", "")


@pytest.mark.parametrize(
    ("size", "env"),
    [((120, 40), {}), ((40, 12), {}), ((80, 24), {"NO_COLOR": "1", "COLORTERM": "truecolor"})],
    ids=["wide", "small", "no colour"],
)
def test_a_morning(start: Start, tmp_path: Path, size: tuple[int, int], env: dict[str, str]) -> None:
    folder, export = tmp_path / "library", tmp_path / "list.md"
    reader = start(folder, size, env=env)
    morning(reader, export)
    quit_(reader)
    on_disk(folder, export)
    assert bool(reader.colours) == ("NO_COLOR" not in env)
    sent = reader.sent.split(b"\x1b]52;c;")[1].split(b"\a")[0]
    assert "THE COLOSSEUM" in base64.b64decode(sent).decode()


@pytest.mark.skipif(not shutil.which("tmux"), reason="there is no tmux")
def test_a_morning_in_tmux_as_it_comes(start: Start, tmp_path: Path) -> None:
    folder, export = tmp_path / "library", tmp_path / "list.md"
    tmux = (str(shutil.which("tmux")), "-L", f"postil-test-{os.getpid()}", "-f", os.devnull)
    try:
        reader = start(folder, (80, 24), command=(*tmux, "new-session", *POSTIL), env={"LC_ALL": "C.UTF-8"})
        morning(reader, export)
        copied = subprocess.run([*tmux, "show-buffer"], check=True, capture_output=True, text=True).stdout
        quit_(reader)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
    assert "THE COLOSSEUM" in copied
    on_disk(folder, export)
