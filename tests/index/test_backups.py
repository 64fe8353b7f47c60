"""backups/: what is copied, what counts, what is thinned out."""

from __future__ import annotations

import json
import os
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import files
from index.annotations.backups import DAILY, WEEKLY, all_of, back_up, is_sound, newest_sound

DAY = date(2026, 11, 30)  # a Monday
SOUND = b'{"annotations": {"1": {"note": "mine"}}}'
UNSOUND = {
    "nothing": b"",
    "NULs": b"\0" * 50,
    "cut off": SOUND[:-2],
    "a list": b"[]",
    "null": b"null",
    "no tables": b"{}",
    "a table that is a list": b'{"annotations": []}',
    "a document that is a text": b'{"annotations": {"1": "mine"}}',
    "git markers": b"<<<<<<< ours\n" + SOUND,
    "bad UTF-8": b'{"annotations": {"1": {"note": "\xff"}}}',
    "too deep": b'{"annotations": {"1": ' + b"[" * 5000,
}


def write(folder: Path, data: bytes = SOUND) -> Path:
    (folder / "annotations.json").write_bytes(data)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "backups").iterdir())


def test_a_backup_is_the_file_s_bytes_for_its_owner_alone(tmp_path: Path) -> None:
    (write(tmp_path) / "annotations.json").chmod(0o644)
    path = back_up(tmp_path, DAY)
    assert path == tmp_path / "backups" / "annotations-2026-11-30.json"
    assert path.read_bytes() == SOUND
    assert newest_sound(tmp_path) == path
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_one_a_day_and_one_for_each_reason(tmp_path: Path) -> None:
    write(tmp_path)
    assert back_up(tmp_path, DAY)
    write(tmp_path, SOUND.replace(b"mine", b"later"))
    assert back_up(tmp_path, DAY) is None
    assert (tmp_path / "backups" / "annotations-2026-11-30.json").read_bytes() == SOUND
    assert back_up(tmp_path, DAY, why="schema-1")
    assert back_up(tmp_path, DAY, why="schema-1") is None
    assert back_up(tmp_path, DAY + timedelta(1))
    assert len(names(tmp_path)) == 3


@pytest.mark.parametrize("why", ["../../x", "", "a/b", "A b", "x.json"])
def test_a_reason_is_no_path(tmp_path: Path, why: str) -> None:
    with pytest.raises(ValueError, match="name"):
        back_up(write(tmp_path), DAY, why=why)


def test_without_a_file_there_is_nothing_to_copy(tmp_path: Path) -> None:
    assert back_up(tmp_path, DAY) is None
    assert newest_sound(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", UNSOUND.values(), ids=UNSOUND)
def test_what_cannot_be_read_is_no_backup(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, data)
    assert back_up(tmp_path, DAY) is None
    assert not (tmp_path / "backups").exists()


@pytest.mark.parametrize("data", UNSOUND.values(), ids=UNSOUND)
def test_a_backup_that_was_damaged_is_passed_over(tmp_path: Path, data: bytes) -> None:
    write(tmp_path)
    old, new = back_up(tmp_path, DAY), back_up(tmp_path, DAY + timedelta(1))
    assert old
    assert new
    new.write_bytes(data)
    assert (is_sound(old), is_sound(new)) == (True, False)
    assert newest_sound(tmp_path) == old
    old.write_bytes(data)
    assert newest_sound(tmp_path) is None


def test_a_year_of_days_leaves_the_last_week_and_one_of_each_of_four_weeks_before(tmp_path: Path) -> None:
    write(tmp_path)
    for number in range(365):
        today = DAY + timedelta(number)
        assert back_up(tmp_path, today)
        kept = [backup.day for backup in all_of(tmp_path)]
        assert kept[:DAILY] == [today - timedelta(n) for n in range(min(DAILY, number + 1))]
        assert len(kept) <= DAILY + WEEKLY
    assert all(day.isoweekday() == 7 for day in kept[DAILY:])
    weeks = [day.isocalendar()[:2] for day in kept[DAILY:]]
    assert len(set(weeks)) == len(weeks) == WEEKLY
    assert (today - kept[-1]).days >= 7 * WEEKLY
    gaps = [(newer - older).days for newer, older in pairwise(kept)]
    assert max(gaps) <= 7


@given(st.lists(st.integers(0, 90), min_size=1, max_size=40))
@settings(deadline=None)
def test_whatever_the_days_the_newest_stay_and_nothing_goes_before_it_must(
    tmp_path_factory: pytest.TempPathFactory, gaps: list[int]
) -> None:
    folder, today = write(tmp_path_factory.mktemp("library")), DAY
    made = set()
    for gap in gaps:
        today += timedelta(gap)
        back_up(folder, today)
        made.add(today)
    kept = [backup.day for backup in all_of(folder)]
    assert kept[:DAILY] == sorted(made, reverse=True)[:DAILY]
    assert len(kept) >= min(len(made), DAILY)
    assert set(kept) <= made


def test_what_was_made_before_a_migration_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    write(tmp_path)
    back_up(tmp_path, DAY, why="schema-1")
    others = [
        "notes.txt",
        "annotations-2026-02-31.json",
        "annotations-2020-01-01.json.orig",
        "annotations.json",
    ]
    for name in others:
        (tmp_path / "backups" / name).write_bytes(b"mine")
    for number in range(60):
        back_up(tmp_path, DAY + timedelta(number))
    assert {"annotations-2026-11-30-schema-1.json", *others} <= set(names(tmp_path))
    assert newest_sound(tmp_path) == tmp_path / "backups" / "annotations-2027-01-28.json"


def test_a_clock_that_was_wrong_costs_no_backup(tmp_path: Path) -> None:
    write(tmp_path)
    for number in range(20):
        back_up(tmp_path, DAY + timedelta(4000 + number))
    ahead = names(tmp_path)
    for number in range(20):
        path = back_up(tmp_path, DAY + timedelta(number))
        assert path
        assert path.exists()
    assert set(ahead) <= set(names(tmp_path))


def test_a_copy_that_fails_leaves_the_older_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    for number in range(DAILY + WEEKLY):
        back_up(tmp_path, DAY + timedelta(number))
    before = names(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", full)
        with pytest.raises(OSError, match="space"):
            back_up(tmp_path, DAY + timedelta(100))
    assert names(tmp_path) == before
    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", lambda path, chunks: path.write_bytes(b"".join(chunks)[:-1]))
        with pytest.raises(OSError, match="not what was written"):
            back_up(tmp_path, DAY + timedelta(100))
    assert names(tmp_path) == before


def test_the_text_of_a_backup_is_read_by_any_json_parser(tmp_path: Path) -> None:
    path = back_up(write(tmp_path), DAY)
    assert path
    assert json.loads(path.read_text("utf-8")) == {"annotations": {"1": {"note": "mine"}}}
