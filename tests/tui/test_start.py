"""postil as real processes: what it loads, closed pipes and streams, encodings, a foreign package beside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.terminal import faultless

ROOT = Path(__file__).parents[2]
SCREEN = ("textual", "rich", "pyperclip")

Start = Callable[..., "subprocess.CompletedProcess[bytes]"]


def environment(library: Path) -> dict[str, str]:
    """Ours, but for how the streams of Python are set up here: buffered is what most have."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return ours | {"POSTIL_LIBRARY": str(library)}


@pytest.fixture
def start(library_folder: Path) -> Start:
    """Runs Python on some words, in the checkout, on a library of the shipped lists, without a terminal."""

    def run(*words: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=environment(library_folder) | env,
            capture_output=True,
            timeout=60,
            input=stdin,
        )

    return run


POSTIL = ("-m", "tui.cli")


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    """A line of sh in which `postil` stands for the real one."""
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("postil", f'"{sys.executable}" -m tui.cli')],
        cwd=ROOT,
        env=environment(folder),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


# What is loaded


@pytest.mark.parametrize(
    ("code", "unwanted", "wanted"),
    [
        ("from tui.cli import main; main(['search', 'x'])", SCREEN, "whoosh"),
        ("from tui.cli import main; main(['--version'])", (*SCREEN, "whoosh"), "tui.cli"),
        ("from tui.cli import main; main(['history'])", (*SCREEN, "whoosh"), "tinydb"),
        ("import tui.app", ("whoosh",), "textual"),
    ],
)
def test_a_command_loads_no_more_than_it_needs(
    start: Start, code: str, unwanted: tuple[str, ...], wanted: str
) -> None:
    done = start("-c", f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))")
    assert (done.returncode, faultless(done.stderr)) == (0, True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert wanted in loaded
    assert not {name.split(".")[0] for name in loaded} & set(unwanted)


@pytest.mark.parametrize("content", ["", "raise RuntimeError('not to be run')"])
def test_a_foreign_package_in_our_place_is_told(start: Start, tmp_path: Path, content: str) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "__init__.py").write_text(content)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from tui.cli import main; main(['search'])"
    done = start("-c", code)
    (line,) = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (1, b"")
    assert line.startswith("postil: ")
    assert str(tmp_path / "index") in line
    assert "pipx" in line


# Without a terminal


def test_the_reader_needs_a_terminal(start: Start) -> None:
    done = start(*POSTIL)
    (line,) = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout) == (1, b"")
    assert line.startswith("postil: ")
    assert "terminal" in line


@pytest.mark.skipif(os.name == "nt", reason="a shell and its streams")
def test_a_closed_pipe_is_quiet(library_folder: Path) -> None:
    done = shell(library_folder, "postil search --all --json | head -n 1")
    assert (done.stdout, done.stderr) == (b"{\n", b"")
    done = shell(library_folder, "{ postil search --all; echo $? >&2; } | head -n 1")
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr.splitlines()[-1] == b"0"
    assert faultless(done.stderr)
    assert b"Exception" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a shell and its streams")
@pytest.mark.parametrize(
    ("line", "status", "err"),
    [
        ("{ sleep 0.1; postil search grokking 2>&1; echo $? >&3; } 3>&2 | true", "0", ""),
        ("{ sleep 0.1; postil nosuch 2>&1; echo $? >&3; } 3>&2 | true", "2", ""),
        ("{ sleep 0.1; postil --help; echo $? >&2; } | true", "0", ""),
        ("postil tags >&-; echo $? >&2", "0", ""),
        ("postil search grokking --json 2>&-; echo $? >&2", "0", ""),
        ("postil <&-; echo $? >&2", "1", "terminal"),
    ],
)
def test_closed_streams_are_no_trouble(library_folder: Path, line: str, status: str, err: str) -> None:
    *before, last = shell(library_folder, line).stderr.decode().splitlines()
    assert last == status
    assert len(before) == bool(err)
    assert err in "".join(before)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_under_the_output_is_told(library_folder: Path) -> None:
    for words in ("search --all", "tags --json"):  # one that fails as it prints, one that does as it ends
        done = shell(library_folder, f"postil {words} >/dev/full; echo $? >&2")
        *_, line, status = done.stderr.decode().splitlines()
        assert line == "postil: No space left on device"
        assert status == "1"
        assert faultless(done.stderr)
        assert b"Exception" not in done.stderr


# Encodings, and one process after the other


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_printing_needs_no_locale(start: Start, library_folder: Path, env: dict[str, str]) -> None:
    note = "naïve ≤ 多模态 🧪"
    id = json.loads((library_folder / "papers.jsonl").read_text("utf-8").splitlines()[0])["id"]
    done = start(*POSTIL, "mark", id, "--note", "-", stdin=note.encode(), **env)
    assert (done.returncode, done.stderr) == (0, b"note on 1 paper; `postil undo` takes it back\n")
    shown = start(*POSTIL, "show", id, **env)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert note in shown.stdout.decode("utf-8")
    assert start(*POSTIL, "undo", **env).stderr == b"undone: note on 1 paper\n"
    assert note not in (library_folder / "annotations.json").read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="bytes as arguments")
def test_arguments_that_are_no_text_do_no_harm(library_folder: Path) -> None:
    for words in ("search --json $(printf 'gr\\377')", "add $(printf '/no\\377')"):
        done = shell(library_folder, f"postil {words}")
        assert faultless(done.stderr)
        (done.stdout + done.stderr).decode("utf-8")
        assert done.stdout + done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interruption_is_one_line(library_folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, *POSTIL, "add", "-"],
        cwd=ROOT,
        env=environment(library_folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin
        assert child.stderr
        child.stdin.write(b"x" * (1 << 17))  # more than a pipe holds: it is being read once this is through
        child.stdin.flush()
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 130
        assert child.stderr.read() == b"postil: interrupted; what was done so far is kept\n"
