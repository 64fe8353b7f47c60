"""What is taken along and brought in, by keys: links, pipes, exports again, imports; and `:`."""

from __future__ import annotations

import json
import shlex
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from index.papers import Paper
from index.paths import config_file
from tests.index.helpers import abstract
from tests.tui.helpers import HOSTILE, unsafe, until
from tests.tui.reader import Reader, opened
from tui import links, piping
from tui.screens.output import Output
from tui.screens.picker import Picker


def paper(abstract: str, **fields: object) -> Paper:
    return Paper("p", "", None, abstract, (), **fields)  # type: ignore[arg-type]


async def said(reader: Reader, text: str) -> None:
    await until(reader.pilot, lambda: text in reader.line("bottom"), turns=1000)


# Links


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Code: https://github.com/mlvlab/RPO.", ["https://github.com/mlvlab/RPO"]),
        ("(see https://a.org/b_(c)), and https://a.org/d).", ["https://a.org/b_(c)", "https://a.org/d"]),
        ("at https://a.org/x/. Then http://b.org?q=1;", ["https://a.org/x/", "http://b.org?q=1"]),
        ("github.com/a/b, www.c.org and arXiv.org/abs/1", [
            "https://github.com/a/b", "https://www.c.org", "https://arXiv.org/abs/1",
        ]),
        ("[https://a.org](https://a.org)", ["https://a.org"]),
        ("ftp://a.org javascript:alert(1) file:///etc/passwd https:// http://.", []),
        ("见https://a.org/x。后", ["https://a.org/x"]),
    ],
)  # fmt: skip
def test_links_are_found_and_mended(text: str, found: list[str]) -> None:
    assert list(links.links(paper(text))) == found


def test_links_of_the_record_come_first_and_identifiers_last() -> None:
    one = paper(
        "see https://b.org.", links=("https://a.org/", "javascript:x"),
        identifiers={"doi": ("10.1/x",), "arxiv": ("2101.00001",)},
    )  # fmt: skip
    assert links.links(one) == (
        "https://a.org/", "https://b.org", "https://doi.org/10.1/x", "https://arxiv.org/abs/2101.00001",
    )  # fmt: skip


@given(st.text() | st.sampled_from(HOSTILE), st.text(alphabet="ab./()[]:,;!?'\x1b\u202e https"))
def test_a_link_is_http_and_one_word_whatever_it_was_in(one: str, two: str) -> None:
    for link in links.links(paper(f"{one} https://{two} {one}")):
        assert link.lower().startswith(("http://", "https://"))
        assert link.split() == [link]


def browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A browser that writes down what it was asked to open; returns where."""
    log, program = folder / "opened.txt", folder / "browser"
    program.write_text(
        f'#!/bin/sh\necho "$1" >> {shlex.quote(str(log))}\necho noise; echo noise >&2\n', "utf-8"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    return log


async def test_the_link_is_opened_or_copied_where_there_is_no_browser(
    library_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = browser(tmp_path, monkeypatch)
    async with opened(library_folder) as reader:
        await reader.search("colosseum", 1)
        await reader.press("o")
        await said(reader, "asked the browser for https://robot-colosseum.github.io/")
        assert log.read_text("utf-8") == "https://robot-colosseum.github.io/\n"
        await reader.press("enter", "G")
        shown = "\n".join(reader.screen.text.render_line(y).text for y in range(40))
        assert "1 https://robot-colosseum.github.io/" in shown
        monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
        await reader.press("o")
        await said(reader, "no browser here: https://robot-colosseum.github.io/")
        for text_browser in ("w3m", "lynx %s"):
            monkeypatch.delenv("SSH_TTY", raising=False)
            monkeypatch.setenv("BROWSER", text_browser)
            assert not links.browse("https://a.org")
        await reader.press("y", "u")
        await said(reader, "link: ")


async def test_several_links_are_picked_from_and_none_gives_the_first_words(
    library_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = browser(tmp_path, monkeypatch)
    two = tmp_path / "two.txt"
    words = 'Zebras say "no" to one two three four five six seven eight nine ten eleven twelve. '
    two.write_text(
        f"Daily Papers\n\n{words * 3} https://a.org/1 and https://a.org/2.\n\n{words * 5}\n", "utf-8"
    )
    copied: list[str] = []
    async with opened(library_folder) as reader:
        monkeypatch.setattr(reader.screen, "copy", lambda what, text: copied.append(text))
        await reader.press("i", *str(two), "enter")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 395, turns=2000)
        await reader.press("G", "k", "o")
        assert isinstance(reader.app.screen, Picker)
        await reader.press("down", "enter")
        await said(reader, "asked the browser for https://a.org/2")
        assert log.read_text("utf-8") == "https://a.org/2\n"
        await reader.press("j", "o", "y", "u")
        await said(reader, "no link to copy")
        assert copied == ['"Zebras say no to one two three four five six"']


# Commands on the text


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
async def test_papers_are_piped_to_a_command_and_what_it_says_is_shown(
    library_folder: Path, size: tuple[int, int]
) -> None:
    async with opened(library_folder, size) as reader:
        await reader.search("colosseum", 1)
        lines = reader.screen.desk.exported([reader.current], "markdown").decode().splitlines()
        count = sum("colosseum" in line.lower() for line in lines)
        for line, answer in [
            ("grep -ci colosseum", f"grep: {count}"),
            ("nosuchprogram --x", "nosuchprogram: no such program"),
            ("sh -c 'exit 3'", "sh: ended with 3"),
            ("true", "true: done"),
        ]:
            await reader.press("|")
            await reader.type(line)
            await reader.press("enter")
            await said(reader, answer)
        await reader.press("|")
        await reader.type("cat 'unclosed")
        await reader.press("enter")
        assert reader.app.screen is not reader.screen
        await reader.press("escape", "|")
        await reader.type("cat $HOME; echo *")
        await reader.press("enter")
        await until(reader.pilot, lambda: isinstance(reader.app.screen, Output))
        output = reader.app.screen
        assert isinstance(output, Output)
        assert "$HOME" in "\n".join(output._lines), "no shell came between"
        await reader.press("q", "j")
        assert reader.app.screen is reader.screen


def run(code: str, text: str = "") -> piping.Piped:
    return piping.Pipe([sys.executable, "-c", code]).run(text.encode("utf-8", "replace"))


def test_what_a_command_says_is_cleaned_bounded_and_bounded_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    told = run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", "\n".join(HOSTILE))
    assert told.trouble == ""
    assert not unsafe(told.said.replace("\n", "")) - set("\u200b\u200d\ufe0f\u00ad\u2066")
    assert "red" in told.said
    assert "[31m" not in told.said
    assert "kB of output" in run("while True: print('x' * 1000)").trouble
    monkeypatch.setattr(piping, "PATIENCE", 0.3)
    assert run("import time; print('begun', flush=True); time.sleep(60)") == piping.Piped(
        "ended after 0 s", "begun"
    )
    assert run("print('did not read')", "x" * 1_000_000) == piping.Piped("", "did not read")


# Exports and imports


async def test_an_export_is_made_again_of_what_the_query_now_finds(
    library_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "list.json"
    async with opened(library_folder) as reader:
        await reader.press("X")
        assert "nothing was exported yet" in reader.line("bottom")
        await reader.search("grokking is:unread", 7)
        await reader.press("x", "ctrl+u", *str(path), "enter")
        await said(reader, "7 papers written to")
        await reader.press("r", "q")
    async with opened(library_folder) as reader:
        await reader.search("phenomenon", 22)
        await reader.press("X")
        await said(reader, "6 papers written to")
        query = json.loads(path.read_text("utf-8"))
        assert "grokking" in json.dumps(query)
        path.write_text("mine now", "utf-8")
        await reader.press("X")
        await said(reader, "not as an export left it")
        assert path.read_text("utf-8") == "mine now"


async def test_a_refused_export_is_asked_for_again_and_marks_are_exported_alone(
    library_folder: Path, tmp_path: Path
) -> None:
    async with opened(library_folder) as reader:
        await reader.press("space", "space", "x", "ctrl+u", *str(tmp_path), "enter")
        await until(reader.pilot, lambda: reader.app.screen.focused is not None)
        assert reader.app.screen is not reader.screen
        await reader.press(*"/two.md", "enter")
        await said(reader, "2 papers written to")
        await reader.press("escape", ":", *"export", "space", *str(tmp_path / "all.postil.json"), "enter")
        await said(reader, "393 papers written to")
        assert json.loads((tmp_path / "all.postil.json").read_text("utf-8"))
        await reader.press("X")
        await said(reader, "393 papers written to")


async def test_a_file_is_imported_and_the_list_follows(
    library_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    new = tmp_path / "new papers.txt"
    new.write_text(f"Daily Papers\n\n{'An abstract about zebras and their stripes. ' * 5}\n", "utf-8")
    async with opened(library_folder) as reader:
        await reader.press("i", *"~/nope", "enter")
        assert "no file" in str(reader.app.screen.query_one("#about").render())
        await reader.press("ctrl+u", *"~/ne")
        line = reader.app.screen.query_one(Input)
        await until(reader.pilot, lambda: line._suggestion == "~/new papers.txt")
        await reader.press("tab", "enter")
        await said(reader, "new papers.txt: 1 new")
        assert len(reader.screen.desk.ids) == 394
        await reader.press("i", "~", "/", *"new", "space", *"papers.txt", "enter")
        await said(reader, "new papers.txt: 1 unchanged")


# The command line


async def test_the_command_line_takes_what_follows_a_name(library_folder: Path) -> None:
    async with opened(library_folder) as reader:

        async def say(text: str) -> None:
            await reader.press(":")
            await reader.type(text)
            await reader.press("enter")

        await say("12")
        assert reader.screen.papers.cursor == 11
        id = reader.current
        await say("tag MoE, scaling/laws")
        await say("untag moe")
        await say("due 2030-01-02")
        await say("rating 4")
        await say("status later")
        told = reader.library.annotation(id)
        assert (told.tags, told.due, told.rating, told.status) == (
            ("scaling/laws",),
            "2030-01-02",
            4,
            "later",
        )
        await say("down 3")
        assert reader.screen.papers.cursor == 14
        await say("search grokking")
        await until(reader.pilot, lambda: len(reader.screen.desk.ids) == 7)
        await say("sort year")
        await until(reader.pilot, lambda: "by year" in reader.line("found"))
        for wrong, why in [
            ("tag", "wants something after it"),
            ("due someday", "'someday' is no day"),
            ("rating 9", "'9' is no rating"),
            ("status gone", "no status 'gone'"),
            ("edit due today", "write title, doi or arxiv"),
            ("sort colour", "no order 'colour'"),
            ("star wars", "star takes no 'wars'"),
            ("import /no/such/file", "no file"),
            ("rename-tag one", "the old name and the new one"),
            ("rename-tag one two", "no paper has the tag one"),
            ("pipe", "no shell"),
            ("nonsense", "no command 'nonsense' here"),
        ]:
            await say(wrong)
            assert why in str(reader.app.screen.query_one("#about").render()), wrong
            await reader.press("escape")


async def test_what_is_new_in_the_readers_folders_comes_in_and_is_told(
    library_folder: Path, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    (incoming / "a.txt").write_text(f"Daily Papers\n\n{abstract(1)}\n\n{abstract(2)}\n")
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(f'[folders]\nin = "{incoming}"\nnone = "{tmp_path}/none"\n')
    async with opened(library_folder) as reader:
        await said(reader, "2 new in your folders; added:last shows what came; config.toml: folders.none: ")
        await until(reader.pilot, lambda: len(reader.library.ids) == 395)
        await reader.search("added:last", 2)
    (incoming / "a.txt").touch()
    config_file().write_text(f'[folders]\nin = "{incoming}"\n')
    async with opened(library_folder) as reader:
        await reader.search("added:last", 2)
        assert "new in your folders" not in reader.line("bottom")
