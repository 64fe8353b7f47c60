"""The doctor: what it finds in a library, what it repairs, and that nothing that was written goes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from index import fulltext, paths
from index.annotations import Annotations
from index.annotations.backups import back_up
from index.doctor import Finding, versions
from index.library import Library
from index.papers import Record
from index.paths import Layout
from index.shelf import Shelf
from tests.index.helpers import WHEN, abstract, do, records

Open = Callable[[], Library]
TODAY = date.today()  # noqa: DTZ011


@pytest.fixture
def library_folder(tmp_path: Path) -> Path:
    """A library of six papers, with its index."""
    library = Library(tmp_path / "library", fill=False)
    Shelf(library.layout).add(records(range(6)), "f", WHEN)
    library.close()
    library = Library(tmp_path / "library")
    library.prepare()
    library.close()
    return tmp_path / "library"


def of(findings: list[Finding], what: str, state: str | None = None) -> list[Finding]:
    return [one for one in findings if one.what == what and state in (None, one.state)]


def examined(library: Library, repair: bool = False) -> list[Finding]:
    """All findings, each in its shape; the library is closed."""
    findings = library.doctor(repair)
    library.close()
    for finding in findings:
        assert finding.what
        assert finding.state in ("well", "look", "wrong")
        assert finding.say.strip()
        assert "\n" not in finding.say
        assert finding.do is None or finding.do.strip()
        assert not (finding.repaired and not repair)
    return findings


def files_of(folder: Path) -> dict[str, bytes]:
    """What lies in a library, but for locks and what is derived."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "index" not in path.parts[len(folder.parts) :] and path.suffix != ".lock"
    }


def note(open_library: Open) -> None:
    """Write a note on the first paper, which is then in annotations.json."""
    library = open_library()
    do(library, (library.ids[0], "note", "mine"))
    library.close()
    Annotations.open(library.layout.folder).publish()


def test_a_new_library_is_well_and_stays_as_it_is(open_library: Open, library_folder: Path) -> None:
    open_library().close()
    before = files_of(library_folder)
    findings = examined(open_library())
    assert [one for one in findings if one.state != "well"] == []
    assert {"papers", "annotations", "journal", "history", "backups", "highlights", "index", "settings"} <= {
        one.what for one in findings
    }
    assert "6 papers" in of(findings, "papers")[0].say
    assert files_of(library_folder) == before


def test_damaged_lines_of_papers_are_wrong_until_they_are_moved_away(
    open_library: Open, library_folder: Path
) -> None:
    path = library_folder / "papers.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    damaged = [b"<<<<<<< HEAD\n", b'{"id": "cut of\n', b"\0\0\r\xff\n"]
    path.write_bytes(first + b"".join(damaged[:2]) + b"".join(rest) + damaged[2].rstrip(b"\n"))
    (found,) = of(examined(open_library()), "papers", "wrong")
    assert "3 lines" in found.say
    assert str(len(first)) in found.say
    assert found.do
    assert "--repair" in found.do

    (found,) = of(examined(open_library(), repair=True), "papers", "wrong")
    assert found.repaired
    assert path.read_bytes() == first + b"".join(rest)
    (kept,) = (library_folder / "damaged").iterdir()
    assert kept.read_bytes() == b"".join(damaged)
    again = examined(open_library())
    assert of(again, "papers", "wrong") == []
    assert of(again, "index", "look") == []
    assert "6 papers" in of(again, "papers")[0].say


def test_the_index_that_is_gone_or_behind_is_made_anew(open_library: Open, library_folder: Path) -> None:
    shutil.rmtree(library_folder / "index")
    assert of(examined(open_library()), "index", "look")
    assert of(examined(open_library(), repair=True), "index")[0].repaired
    assert of(examined(open_library()), "index", "well")
    Shelf(Layout(library_folder)).add([Record(1, abstract(77))], "f", WHEN)
    assert of(examined(open_library()), "index", "look")
    library = open_library()
    assert of(library.doctor(repair=True), "index")[0].repaired
    assert library.find("Method77").ids
    library.close()


@pytest.mark.parametrize("age", [None, 8])
def test_a_backup_is_made_where_there_is_none_or_an_old_one(
    open_library: Open, library_folder: Path, age: int | None
) -> None:
    note(open_library)
    folder = library_folder / "backups"
    day = TODAY - timedelta(age or 0)

    def only_that() -> None:  # closing a library makes today's
        shutil.rmtree(folder, ignore_errors=True)
        if age:
            back_up(library_folder, day)

    only_that()
    (one,) = of(examined(open_library()), "backups")
    assert one.state == "look"
    assert (str(day) if age else "no backup") in one.say

    only_that()
    assert of(examined(open_library(), repair=True), "backups")[0].repaired
    assert "mine" in (folder / f"annotations-{TODAY}.json").read_text("utf-8")
    (one,) = of(examined(open_library()), "backups")
    assert one.state == "well"
    assert str(TODAY) in one.say


def test_a_backup_that_cannot_be_read_is_moved_away_and_not_counted(
    open_library: Open, library_folder: Path
) -> None:
    note(open_library)
    folder = library_folder / "backups"
    folder.mkdir(exist_ok=True)
    bad = folder / f"annotations-{TODAY - timedelta(1)}.json"
    bad.write_bytes(b'{"annotations": ')
    found = of(examined(open_library()), "backups", "look")
    assert bad.name in found[0].say
    found = of(examined(open_library(), repair=True), "backups", "look")
    assert all(one.repaired for one in found)
    assert not bad.exists()
    assert (library_folder / "damaged" / bad.name).read_bytes() == b'{"annotations": '
    assert of(examined(open_library()), "backups", "look") == []


def test_what_lies_in_conflicts_and_damaged_is_named_and_left_there(
    open_library: Open, library_folder: Path
) -> None:
    for name in ("conflicts", "damaged"):
        (library_folder / name).mkdir()
        for number in range(5):
            (library_folder / name / f"annotations-{number}.json").write_bytes(b"words of mine")
    found = examined(open_library(), repair=True)
    for name in ("conflicts", "damaged"):
        (one,) = of(found, name)
        assert one.state == "look"
        assert "5 files" in one.say
        assert "annotations-0.json" in one.say
        assert str(library_folder / name) in one.say
        assert len(list((library_folder / name).iterdir())) == 5


def test_a_highlight_that_is_no_longer_in_the_text_is_named_with_its_quote(
    open_library: Open, library_folder: Path
) -> None:
    library = open_library()
    id = library.ids[3]
    text = library.entry(id).paper.abstract
    at = text.index(" ", 80)
    marks = [library.highlight(id, 10, 40, "claim"), library.highlight(id, at, at + 30, "method")]
    do(library, *((id, f"highlights/{mark.id}", mark.to_json()) for mark in marks))
    library.close()
    assert "2 highlights" in of(examined(open_library()), "highlights", "well")[0].say

    path = library_folder / "papers.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        if line["id"] == id:  # as another program might correct the text
            line["abstract"] = "Now: " + text.replace(marks[0].quote, "something else entirely")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    findings = examined(open_library(), repair=True)
    (lost,) = of(findings, "highlights", "look")
    assert id in lost.say
    assert marks[0].quote in lost.say
    assert lost.do
    assert marks[0].id in lost.do
    assert not lost.repaired
    assert "1 highlight " in of(findings, "highlights", "well")[0].say
    library = open_library()
    assert {mark.id for mark in library.annotation(id).highlights} == {mark.id for mark in marks}
    offsets = {
        mark["id"]: (mark["lost"], mark["start"], mark["end"]) for mark in library.json(id)["highlights"]
    }
    moved = library.entry(id).paper.abstract.index(marks[1].quote)
    assert offsets[marks[1].id] == (False, moved, moved + 30)
    assert offsets[marks[0].id] == (True, 10, 40)
    library.close()


def test_papers_of_one_title_and_year_are_a_suggestion(tmp_path: Path) -> None:
    library = Library(tmp_path / "library", fill=False)
    records = [
        Record(1, abstract(1), title="The Same Title", year=2024),
        Record(2, abstract(2), title="The same title.", year=2024),
        Record(3, abstract(3), title="The same title", year=2025),
        Record(4, abstract(4), title="Another", year=2024),
        Record(5, identifiers={"doi": ("10.1/a",)}),  # both are shown as without a title
        Record(6, identifiers={"doi": ("10.1/b",)}),
    ]
    Shelf(library.layout).add(records, "f", WHEN)
    library.close()
    library = Library(tmp_path / "library", fill=False)
    (one,) = of(library.doctor(repair=True), "alike")
    assert one.state == "look"
    assert one.do
    assert all(id in one.do for id in library.ids[:2])
    assert library.ids[2] not in one.do
    assert len(library.ids) == 6
    library.close()


def test_damaged_lines_of_the_history_are_told_and_stay(open_library: Open, library_folder: Path) -> None:
    note(open_library)
    path = library_folder / "history.jsonl"
    path.write_bytes(path.read_bytes() + b"torn of\n")
    before = path.read_bytes()
    findings = examined(open_library(), repair=True)
    assert "1 line " in of(findings, "history", "look")[0].say
    assert "1 step " in of(findings, "history", "well")[0].say
    assert path.read_bytes() == before


@pytest.mark.parametrize("emptied", [True, False])
def test_a_history_that_has_gone_is_told(open_library: Open, library_folder: Path, emptied: bool) -> None:
    note(open_library)
    assert of(examined(open_library()), "history", "look") == []
    path = library_folder / "history.jsonl"
    path.unlink()
    if emptied:
        path.touch()
    (found,) = of(examined(open_library()), "history")
    assert found.state == "look"
    assert "nothing can be undone" in found.say


def test_a_damaged_base_is_told_until_it_is_made_anew(open_library: Open, library_folder: Path) -> None:
    note(open_library)
    path = library_folder / "annotations.base"
    assert of(examined(open_library()), "annotations", "look") == []
    path.write_bytes(path.read_bytes()[:-6])
    (found,) = of(examined(open_library()), "annotations", "look")
    assert "annotations.base" in found.say
    library = open_library()
    do(library, (library.ids[0], "note", "changed"))
    library.close()
    assert of(examined(open_library()), "annotations", "look") == []


def test_drafts_that_a_crash_left_are_told_and_stay(open_library: Open, library_folder: Path) -> None:
    (library := open_library()).close()
    drafts = [{"paper": paper, "before": "", "note": "mine"} for paper in (library.ids[2], "zzzzzzzzzz")]
    left, damaged = (library_folder / f"draft.{2**22 + number}.json" for number in (1, 2))
    left.write_text(json.dumps({"drafts": drafts}))
    damaged.write_text(json.dumps({"drafts": drafts[:1]})[:-6])
    (library_folder / f"draft.{2**22 + 3}.json").mkdir()
    before = files_of(library_folder)
    found = of(examined(open_library(), repair=True), "drafts")
    assert [one.state for one in found] == ["look"] * 5
    assert library.row(library.ids[2]).heading in found[0].say
    assert "not here" in found[1].say
    assert f"{damaged.name} is damaged" in found[2].say
    assert "cannot be read" in found[4].say
    assert {name: data for name, data in files_of(library_folder).items() if name in before} == before


def test_a_library_that_cannot_be_written_is_wrong(
    open_library: Open, library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(open_library)
    (found,) = of(examined(open_library()), "library")
    assert found.state == "well"
    allowed = os.access
    for name in ("", "papers.jsonl", "history.jsonl", "annotations.json", "annotations.lock"):
        closed = library_folder / name

        def access(path: Path, mode: int, closed: Path = closed) -> bool:
            return (Path(path) != closed or mode != os.W_OK) and allowed(path, mode)

        with monkeypatch.context() as patch:  # root may write everywhere
            patch.setattr(os, "access", access)
            (found,) = of(open_library().doctor(repair=True), "library")
        assert found.state == "wrong"
        assert not found.repaired
        assert "cannot be written" in found.say
        assert (name or str(library_folder)) in found.say
        assert found.do
        assert str(library_folder) in found.do


def test_annotations_of_a_newer_postil_are_wrong_and_left_alone(
    open_library: Open, library_folder: Path
) -> None:
    note(open_library)
    path = library_folder / "annotations.json"
    tables = json.loads(path.read_bytes())
    tables["_meta"]["1"]["schema"] = 99
    path.write_text(json.dumps(tables), "utf-8")
    before = path.read_bytes()
    (one,) = of(examined(open_library(), repair=True), "annotations", "wrong")
    assert "newer postil" in one.say
    assert not one.repaired
    assert path.read_bytes() == before


def test_what_was_written_about_papers_that_are_gone_is_told(
    open_library: Open, library_folder: Path
) -> None:
    library = open_library()
    do(library, *((id, "note", "mine") for id in library.ids[:2]))
    library.close()
    path = library_folder / "papers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if json.loads(line)["id"] != library.ids[0]))
    findings = examined(open_library())
    assert "1 paper " in of(findings, "annotations", "look")[0].say
    assert "2 papers " in of(findings, "annotations", "well")[0].say


def test_a_journal_with_damage_is_told_and_published(open_library: Open, library_folder: Path) -> None:
    library = open_library()
    do(library, (library.ids[0], "note", "mine"))
    path = library_folder / "annotations.journal"
    with path.open("ab") as journal:
        journal.write(b"0badc0de not what was written\ntorn")
    (found,) = of(library.doctor(repair=False), "journal")
    assert found.state == "look"
    assert "2 lines" in found.say
    assert of(library.doctor(repair=True), "journal")[0].repaired
    assert of(library.doctor(repair=False), "journal", "well")
    assert library.annotation(library.ids[0]).note == "mine"
    library.close()
    assert "mine" in (library_folder / "annotations.json").read_text("utf-8")


def test_settings_that_could_not_be_taken_are_told(open_library: Open) -> None:
    path = paths.config_file()
    path.parent.mkdir(parents=True)
    path.write_text('[colours]\npurple = "x"\n[nonsense]\n', "utf-8")
    found = of(examined(open_library()), "settings", "look")
    assert len(found) == 2
    assert "purple" in found[1].say
    path.write_text("", "utf-8")
    assert str(path) in of(examined(open_library()), "settings", "well")[0].say


def test_a_disk_that_fills_is_told(open_library: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    note(open_library)
    for free, state in ((10**12, "well"), (10**7, "look"), (0, "wrong")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, free=free: SimpleNamespace(free=free))
        (one,) = of(examined(open_library()), "space")
        assert one.state == state


def test_versions_that_postil_does_not_ask_for_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [one.state for one in versions()] == ["well"] * 3
    requires = ["textual==8.2.8", "tinydb<5,>=4.9", "whoosh3==3.54.0", "whoosh3[x]>=9; extra == 'y'"]
    monkeypatch.setattr(metadata, "requires", lambda _name: requires)
    monkeypatch.setattr(
        metadata, "packages_distributions", lambda: {"tinydb": ["tinydb"], "whoosh": ["whoosh3"]}
    )
    for whoosh, tinydb, wrong in (
        ("3.54.0", "4.9.0", []),
        ("2.7.4", "4.10.1", ["Whoosh"]),
        ("3.54.0", "5.0.0", ["TinyDB"]),
        ("3.54.1", "4.8.2", ["Whoosh", "TinyDB"]),
    ):
        monkeypatch.setattr(fulltext, "whoosh_version", lambda whoosh=whoosh: whoosh)
        monkeypatch.setattr(metadata, "version", lambda _name, tinydb=tinydb: tinydb)
        assert [one.what for one in versions() if one.state == "wrong"] == wrong
    monkeypatch.undo()
    over = {"tinydb": ["tinydb", "tinydb-safe"], "whoosh": ["Whoosh", "whoosh3"]}
    monkeypatch.setattr(metadata, "packages_distributions", lambda: over)
    assert [one.state for one in versions()] == ["well", "wrong", "wrong"]


def test_a_repair_that_fails_says_why_and_loses_nothing(
    open_library: Open, library_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = library_folder / "papers.jsonl"
    path.write_bytes(path.read_bytes() + b"torn")
    before = path.read_bytes()
    library = open_library()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("index.files.replace", full)
        (one,) = of(library.doctor(repair=True), "papers", "wrong")
    library.close()
    assert not one.repaired
    assert one.do
    assert "No space left on device" in one.do
    assert path.read_bytes() == before
