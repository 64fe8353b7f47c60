"""Each way to a clipboard, with programs that stand in for the real ones, and a real tmux."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tui import clipboard

TEXT = "Ünïcode, \n two lines"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A terminal that knows OSC 52 and nothing else: no tmux, no SSH, no clipboard program."""
    for name in ("TMUX", "STY", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(clipboard, "_system", lambda data: False)
    return programs


def program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def copy(text: str, folder: Path) -> tuple[str, list[str]]:
    sent: list[str] = []
    return clipboard.copy(text, app_copy=sent.append, folder=folder), sent


def test_the_terminal_is_asked_and_not_believed(tmp_path: Path) -> None:
    said, sent = copy(TEXT, tmp_path)
    assert said == "sent to the terminal by OSC 52, which does not say whether it arrived"
    assert sent == [TEXT]


def test_lone_surrogates_do_not_stop_a_copy(tmp_path: Path) -> None:
    assert copy("a\ud800b", tmp_path)[1] == ["a?b"]


def test_tmux_gets_the_text(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare, "tmux", f'echo "$@" > {tmp_path}/args; cat > {tmp_path}/buffer; echo noise; echo noise >&2')
    monkeypatch.setenv("TMUX", "socket,1,0")
    said, sent = copy(TEXT, tmp_path)
    assert (said, sent) == ("copied (tmux)", [])
    assert (tmp_path / "buffer").read_text() == TEXT
    assert (tmp_path / "args").read_text() == "load-buffer -w -\n"


def test_a_tmux_that_does_not_know_the_option_still_gets_the_text(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare, "tmux", f'[ "$2" = -w ] && exit 1; cat > {tmp_path}/buffer')
    monkeypatch.setenv("TMUX", "socket,1,0")
    assert copy(TEXT, tmp_path)[0] == "copied (tmux)"
    assert (tmp_path / "buffer").read_text() == TEXT


def test_a_tmux_that_hangs_is_not_waited_for(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare, "tmux", "exec sleep 60")
    monkeypatch.setenv("TMUX", "socket,1,0")
    monkeypatch.setattr(clipboard, "PATIENCE", 0.05)
    said, sent = copy(TEXT, tmp_path)
    assert said == f"no clipboard here; written to {tmp_path / 'clipboard.txt'}"
    assert sent == [], "OSC 52 gets nowhere inside tmux"


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux here")
def test_a_real_tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = tmp_path / "socket"
    tmux = [str(shutil.which("tmux")), "-S", str(socket), "-f", os.devnull]
    subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", "sleep 30"], check=True)
    try:
        monkeypatch.setenv("TMUX", f"{socket},1,0")
        assert copy(TEXT, tmp_path)[0] == "copied (tmux)"
        shown = subprocess.run([*tmux, "show-buffer"], check=True, capture_output=True, text=True)
        assert shown.stdout == TEXT
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def test_the_system_clipboard_is_set_but_not_over_ssh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[bytes] = []

    def system(data: bytes) -> bool:
        got.append(data)
        return True

    monkeypatch.setattr(clipboard, "_system", system)
    assert copy(TEXT, tmp_path) == ("copied (system clipboard)", [])
    assert got == [TEXT.encode()]
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
    assert copy(TEXT, tmp_path)[1] == [TEXT]
    assert len(got) == 1


def test_tmux_and_the_system_clipboard_both_get_it(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare, "tmux", "cat > /dev/null")
    monkeypatch.setenv("TMUX", "socket,1,0")
    monkeypatch.setattr(clipboard, "_system", lambda data: True)
    assert copy(TEXT, tmp_path)[0] == "copied (tmux, system clipboard)"


@pytest.mark.skipif(sys.platform != "linux", reason="xclip is for X11")
@pytest.mark.parametrize(
    ("body", "done"),
    [
        ('case "$*" in *-o*) cat {0}/board;; *) cat > {0}/board;; esac', True),
        ('case "$*" in *-o*) exit 1;; *) cat > /dev/null; echo "no display" >&2; exit 1;; esac', False),
        ('case "$*" in *-o*) cat {0}/board;; *) sleep 4; cat > {0}/board;; esac', False),
    ],
    ids=["works", "fails without a word", "hangs"],
)
def test_pyperclip_is_believed_only_when_the_text_comes_back(
    body: str, done: bool, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.undo()
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("PATH", f"{bare}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(clipboard, "PATIENCE", 2.0 if done else 0.6)
    program(bare, "xclip", body.format(tmp_path))
    assert clipboard._system(TEXT.encode()) == done
    assert capfd.readouterr() == ("", ""), "nothing is written over the screen"


@pytest.mark.skipif(sys.platform != "linux", reason="xclip is for X11")
def test_a_program_that_never_ends_is_ended_with_its_children(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("PATH", f"{bare}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(clipboard, "PATIENCE", 2.0)
    program(bare, "xclip", f"sleep 60 & echo $$ $! > {tmp_path}/begun; wait")
    assert not clipboard._system(TEXT.encode())
    begun = (tmp_path / "begun").read_text().split()
    assert len(begun) == 2
    for _ in range(100):
        if not any(map(runs, begun)):
            return
        time.sleep(0.02)
    raise AssertionError("they go on")


def runs(pid: str) -> bool:
    """Whether a process goes on; one that has ended may not have been waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "environment", [{"TERM": "linux"}, {"TERM": "dumb"}, {"TERM": ""}, {"STY": "1.pts"}, {"TMUX": "gone,1,0"}]
)
def test_where_nothing_listens_the_text_is_in_a_file(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / clipboard.FILE
    path.write_text("older")
    path.chmod(0o644)
    said, sent = copy(TEXT, tmp_path)
    assert (said, sent) == (f"no clipboard here; written to {path}", [])
    assert path.read_text("utf-8") == TEXT
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_large_text_does_not_go_through_the_terminal(tmp_path: Path) -> None:
    largest = "x" * clipboard.LARGEST_OSC52
    assert copy(largest, tmp_path)[1] == [largest]
    said, sent = copy(largest + "x", tmp_path)
    assert said.startswith("no clipboard here; written to ")
    assert sent == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    said, _ = copy(TEXT, tmp_path / "none")
    assert said.startswith("not copied: ")
    assert str(tmp_path / "none" / "clipboard.txt") in said
