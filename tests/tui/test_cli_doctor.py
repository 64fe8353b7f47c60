"""`postil doctor`: what it prints, its exit status, and its look at clipboard, terminal, tmux and locale."""

from __future__ import annotations

import json
import locale
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from index.doctor import Finding
from index.paths import config_file
from tests.tui.conftest import Postil
from tests.tui.helpers import HOSTILE
from tests.tui.test_cli import acts
from tui import checkup, clipboard
from tui.checkup import surroundings
from tui.cli import main

SHAPE = {"what", "state", "say", "do", "repaired"}


@pytest.fixture(autouse=True)
def _a_plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("COLORTERM", "STY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(locale, "getencoding", lambda: "UTF-8")


def about(what: str) -> list[Finding]:
    return [one for one in surroundings() if one.what == what]


def test_a_library_that_is_well_ends_with_0_and_one_document(postil: Postil) -> None:
    said = postil("doctor", "--json")
    assert said.status == 0
    assert set(said.json) == {"findings"}
    for finding in said.json["findings"]:
        assert set(finding) == SHAPE
        assert finding["state"] == "well"
    names = [finding["what"] for finding in said.json["findings"]]
    assert {"papers", "annotations", "journal", "index", "backups", "clipboard", "terminal", "locale"} <= {
        *names
    }
    said = postil("doctor")
    assert said.status == 0
    assert [line.split()[:2] for line in said.out.splitlines() if line[0] != " "] == [
        ["well", n] for n in names
    ]
    assert said.err.splitlines()[-1] == f"0 wrong, 0 to look at, {len(names)} well"


def test_what_is_wrong_ends_with_1_until_it_is_repaired(postil: Postil, library_folder: Path) -> None:
    path = library_folder / "papers.jsonl"
    path.write_bytes(path.read_bytes() + b"torn")
    said = postil("doctor")
    assert said.status == 1
    assert "wrong    papers" in said.out
    assert "→ `postil doctor --repair`" in said.out
    assert postil("doctor", "--json").status == 1
    said = postil("doctor", "--repair", "--json")
    states = [(one["state"], one["repaired"]) for one in said.json["findings"] if one["what"] == "papers"]
    assert states == [("wrong", True), ("well", False)]
    assert postil("doctor").status == 0


def test_it_says_each_thing_once(postil: Postil, library_folder: Path) -> None:
    path = library_folder / "papers.jsonl"
    path.write_bytes(path.read_bytes() + b"torn")
    said = postil("doctor")
    assert (said.out + said.err).count("is damaged") == 1


def test_a_library_that_cannot_be_opened_is_a_finding(postil: Postil, library_folder: Path) -> None:
    path = library_folder / "papers.jsonl"
    path.unlink()
    path.mkdir()
    assert postil("search", "x").status == 1
    said = postil("doctor", "--json")
    assert said.status == 1
    first, *others = json.loads(said.out)["findings"]
    assert (first["what"], first["state"]) == ("library", "wrong")
    assert str(library_folder) in first["say"]
    assert {"clipboard", "terminal", "locale"} <= {one["what"] for one in others}


def test_a_folder_that_cannot_be_written_is_a_finding(
    postil: Postil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("POSTIL_LIBRARY", str(tmp_path / "file" / "library"))
    said = postil("doctor", "--repair")
    assert said.status == 1
    assert "wrong    library" in said.out


def test_it_fills_no_library(postil: Postil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTIL_LIBRARY", str(tmp_path / "new"))
    said = postil("doctor")
    assert said.status == 0
    assert "no papers yet" in said.out
    assert not (tmp_path / "new" / "papers.jsonl").exists()


def test_a_word_too_many_is_wrong_usage(postil: Postil) -> None:
    assert "one word too many" in postil("doctor", "papers").refused(2)


def test_no_text_of_a_library_can_act_on_the_terminal(
    postil: Postil, library_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = library_folder / "damaged"
    folder.mkdir()
    for text in HOSTILE:
        name = text.replace("/", "").replace("\0", "").encode("utf-8", "replace")
        (folder / os.fsdecode(name[:80])).write_bytes(b"")
    said = postil("doctor")
    assert not acts(said.out + said.err)
    checkup.tell([Finding("x", "look", text, text) for text in HOSTILE], as_json=False)
    assert not acts(capsys.readouterr().out)
    checkup.tell([Finding("x", "look", text, text) for text in HOSTILE], as_json=True)
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert not acts(shown)
    assert [one["say"] for one in json.loads(shown)["findings"]] == HOSTILE


def test_a_repaired_wrong_is_no_failure_and_a_look_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, mended = Finding("x", "wrong", "bad"), Finding("x", "wrong", "bad", repaired=True)
    assert checkup.tell([mended, Finding("y", "look", "hm")], as_json=False) == 0
    told = capsys.readouterr()
    assert told.out.startswith("repaired x")
    assert told.err == "0 wrong, 1 to look at, 0 well, 1 repaired\n"
    assert checkup.tell([mended, wrong], as_json=False) == 1


# Where it is read


@pytest.mark.parametrize(
    ("name", "colorterm", "state", "told"),
    [
        ("", "", "look", "TERM is ''"),
        ("dumb", "truecolor", "look", "dumb"),
        ("linux", "", "look", "at most 16"),
        ("xterm-256color", "", "well", "256"),
        ("tmux-256color", "truecolor", "well", "16 million"),
        ("xterm-direct", "", "well", "16 million"),
    ],
)
def test_the_terminal(
    monkeypatch: pytest.MonkeyPatch, name: str, colorterm: str, state: str, told: str
) -> None:
    monkeypatch.setenv("TERM", name)
    monkeypatch.setenv("COLORTERM", colorterm)
    (one,) = about("terminal")
    assert one.state == state
    assert told in one.say


def test_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, state in (
        ("UTF-8", "well"),
        ("utf8", "well"),
        ("ANSI_X3.4-1968", "look"),
        ("cp1252", "look"),
    ):
        monkeypatch.setattr(locale, "getencoding", lambda encoding=encoding: encoding)
        (one,) = about("locale")
        assert (one.state, encoding in one.say) == (state, True)


def test_what_the_reader_does_not_understand_of_the_settings() -> None:
    assert about("settings") == []
    path = config_file()
    path.parent.mkdir(parents=True)
    path.write_text('theme = "nosuch"\n[keys]\nstar = "*"\nfly = "x"\nexport = "q"\nquit_now = "Nokey"\n')
    found = about("settings")
    assert [one.state for one in found] == ["look"] * 4
    for one, told in zip(
        found, ("keys.fly", "keys.quit_now", "keys.export: q is taken", "nosuch"), strict=True
    ):
        assert told in one.say
        assert one.do == f"edit {path}"
    path.write_text('theme = "nord"\n[keys]\nstar = "*"\n')
    assert about("settings") == []


def test_a_pipe_in_place_of_papers_is_told_in_one_line(postil: Postil, library_folder: Path) -> None:
    path, written = library_folder / "papers.jsonl", library_folder / "annotations.json"
    written.write_bytes(b'{"annotations": {}, "_meta": {"1": {"schema": 1}}}')
    path.unlink()
    os.mkfifo(path)
    told = postil("search", "x").refused(1)
    assert "papers.jsonl is a named pipe: move it away" in told
    said = postil("doctor")
    assert said.status == 1
    assert "wrong    library" in said.out
    assert written.read_bytes() == b'{"annotations": {}, "_meta": {"1": {"schema": 1}}}'


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (folder / name).chmod(0o755)


def test_the_clipboard_that_would_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert clipboard.ways() == ["OSC 52 through the terminal"]
    monkeypatch.setenv("TERM", "linux")
    assert clipboard.ways() == []
    (one,) = about("clipboard")
    assert one.state == "look"
    assert clipboard.FILE in one.say
    program(tmp_path / "bin", "xclip", "exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":99")
    assert clipboard.ways() == ["system clipboard by xclip"]
    monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")
    assert clipboard.ways() == []


def test_tmux_that_holds_esc_back_or_keeps_what_is_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert about("tmux") == []
    monkeypatch.setenv("TMUX", "socket,1,0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for wait, hand_on, states in (
        (10, "external", ["well"]),
        (500, "on", ["look", "well"]),
        (500, "off", ["look", "look", "well"]),
    ):
        program(
            tmp_path / "bin", "tmux", f'case "$*" in *escape-time) echo {wait};; *) echo {hand_on};; esac'
        )
        found = about("tmux")
        assert [one.state for one in found] == states
        assert str(wait) in found[0].say
        assert hand_on in found[-1].say
    assert found[0].do
    assert "escape-time" in found[0].do


@pytest.mark.parametrize("script", ["exec sleep 30", "exit 1", "printf '\\377'; exit 1"])
def test_a_tmux_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str
) -> None:
    program(tmp_path / "bin", "tmux", script)
    monkeypatch.setenv("TMUX", "socket,1,0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(checkup, "PATIENCE", 0.1)
    (one,) = about("tmux")
    assert one.state == "look"
    assert "did not tell" in one.say


@pytest.mark.skipif(not shutil.which("tmux"), reason="there is no tmux")
def test_a_real_tmux_tells_its_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmux = shutil.which("tmux")
    assert tmux
    call = [tmux, "-S", str(tmp_path / "s"), "-f", "/dev/null"]
    subprocess.run([*call, "new-session", "-d", "sleep 60"], check=True, timeout=10)
    try:
        subprocess.run([*call, "set-option", "-s", "escape-time", "321"], check=True, timeout=10)
        subprocess.run([*call, "set-option", "-s", "set-clipboard", "off"], check=True, timeout=10)
        monkeypatch.setenv("TMUX", f"{tmp_path / 's'},1,0")
        found = about("tmux")
    finally:
        subprocess.run([*call, "kill-server"], check=True, timeout=10)
    assert [one.state for one in found] == ["look", "look", "well"]
    assert "321" in found[0].say


def test_the_options_of_the_command_are_told_by_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--help"]) == 0
    told = capsys.readouterr().out
    assert "--repair" in told
    assert "--json" in told
