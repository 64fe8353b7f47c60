"""Settings, state, days and paths: whatever is in the files, the reader opens and says what was wrong."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import paths, settings, state
from index.days import parse_day
from index.papers import COLOURS

TODAY = date(2026, 11, 30)


def config(folder: Path, text: str | bytes) -> settings.Settings:
    path = folder / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return settings.load(path)


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    told = settings.load(tmp_path / "none" / "config.toml")
    assert told == settings.Settings()
    assert told.meanings == {colour: colour for colour in COLOURS}


def test_what_is_set_is_taken(tmp_path: Path) -> None:
    told = config(tmp_path, 'theme = "nord"\n[keys]\nstar = "asterisk"\n[colours]\nclaim = "key idea"\n')
    assert (told.theme, told.keys, told.problems) == ("nord", {"star": "asterisk"}, ())
    assert told.meanings["claim"] == "key idea"
    assert told.meanings["doubt"] == "doubt"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = [", "could not be read and is not used"),
        (b"\xff\xfe", "could not be read and is not used"),
        ("x = " + "[" * 3000, "could not be read and is not used"),
        ("[kezs]\n", "unknown section 'kezs'"),
        ("keys = 3\n", "[keys] is not a section"),
        ("[keys]\nstar = 3\n", "keys.star is not a text"),
        ('[colours]\npurple = "x"\n', "unknown colour 'purple' (they are claim,"),
        ("theme = 7\n", "theme is not a text"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_what_is_wrong_is_said_in_one_line_and_passed_over(
    tmp_path: Path, text: str | bytes, problem: str
) -> None:
    told = config(tmp_path, text)
    assert len(told.problems) == 1
    assert problem in told.problems[0]
    assert told.problems[0].startswith("config.toml")
    assert "\n" not in told.problems[0]
    assert (told.keys, told.theme, told.meanings) == ({}, None, settings.Settings().meanings)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert config(tmp_path, b'\xef\xbb\xbf[keys]\nstar = "x"\n').keys == {"star": "x"}


def test_a_folder_in_its_place_is_a_problem_and_no_more(tmp_path: Path) -> None:
    assert "could not be read" in settings.load(tmp_path).problems[0]


def test_state_keeps_what_is_not_set_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state.save(path, paper="a", query="lone \ud800 é")
    state.save(path, paper="b")
    assert state.load(path) == {"paper": "b", "query": "lone \ud800 é"}


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 5000, b'{"a": 1} {'])
def test_a_damaged_state_is_no_state(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(data)
    assert state.load(path) == {}
    state.save(path, paper="a")
    assert state.load(path) == {"paper": "a"}


def test_parts_of_the_state_that_are_not_what_they_should_be_are_lost(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"opened": [1], "exports": {"a": 1, "b": "x"}, "paper": "a"}))
    assert state.load(path) == {"opened": {}, "exports": {"b": "x"}, "paper": "a"}


def test_a_state_that_cannot_be_written_is_let_go(tmp_path: Path) -> None:
    state.save(tmp_path / "no" / "folder" / "state.json", paper="a")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-12-01", "2026-12-01"),
        ("today", "2026-11-30"),
        (" Tomorrow ", "2026-12-01"),
        ("7d", "2026-12-07"),
        ("+2w", "2026-12-14"),
        ("1m", "2026-12-30"),
        ("1y", "2027-11-30"),
        ("0d", "2026-11-30"),
        ("none", None),
        ("", None),
        ("never", None),
    ],
)
def test_days_as_people_write_them(text: str, day: str | None) -> None:
    assert parse_day(text, TODAY) == day


@pytest.mark.parametrize(
    "text", ["2026-02-30", "9999y", "-7d", "7", "soon", "2026-1-1", "20261201", "٢٠٢٦-١٢-٠١", "1e3d"]
)
def test_what_is_no_day_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="is no day; write 2026-12-01"):
        parse_day(text, TODAY)


@given(st.text(max_size=12))
def test_no_text_breaks_a_day(text: str) -> None:
    try:
        day = parse_day(text, TODAY)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert day is None or date.fromisoformat(day).isoformat() == day


def test_which_library_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("POSTIL_LIBRARY", "~/mine")
    assert paths.library_folder("/named") == Path("/named")
    assert paths.library_folder() == paths.library_folder("") == tmp_path / "mine"
    monkeypatch.chdir(tmp_path)
    assert paths.library_folder("here") == tmp_path / "here"
    monkeypatch.delenv("POSTIL_LIBRARY")
    assert paths.library_folder().name == "postil"
    assert paths.library_folder().is_absolute()


def test_the_files_of_a_library_lie_in_its_folder(tmp_path: Path) -> None:
    layout = paths.Layout(tmp_path)
    inside = [
        layout.papers,
        layout.lock,
        layout.index_lock,
        layout.state,
        layout.index,
        layout.list,
        layout.fulltext,
    ]
    assert len(set(inside)) == 7
    assert all(path.is_relative_to(tmp_path) for path in inside)
    assert paths.config_file().name == "config.toml"
