"""What was written on another machine, taken in as one step: from its annotations.json, or an export."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tinydb import TinyDB

from index import files, library
from index.annotations import Annotations, Search
from index.annotations.migration import SCHEMA
from index.library import Library, LibraryError
from index.papers import APART, Change, Value, paper_id
from index.writers import postil_json
from tests.index.helpers import abstract, do, everything, full_disk, list_file, save_search

AWAY = paper_id("doi:10.1/away")


def opened(folder: Path) -> Library:
    library = Library(folder, fill=False)
    if not library.ids:
        library.add([str(list_file(folder.parent / "list.txt", [abstract(number) for number in range(6)]))])
    return library


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Library, Library]:
    return opened(tmp_path / "one"), opened(tmp_path / "two")


def file_of(library: Library) -> Path:
    """annotations.json with all that is written."""
    Annotations.open(library.layout.folder).publish()
    return library.layout.folder / "annotations.json"


def exported(library: Library, path: Path) -> Path:
    papers = library.reading_list(library.ids, "All", "")
    library.export_file(papers, "postil", path, replace=True)
    return path


def written(library: Library) -> dict[str, dict[str, Any]]:
    return {id: {**library.json(id), "sources": []} for id in library.ids}


@pytest.mark.parametrize("way", ["annotations.json", "an export"])
def test_all_that_another_machine_wrote_comes_over_in_one_step(
    tmp_path: Path, machines: tuple[Library, Library], way: str
) -> None:
    here, there = machines
    one, two, three, four, *_ = here.ids
    do(here, (one, "tags/here", True), (two, "note", "Mine."), (three, "status", "read"))
    before = written(here)
    do(there, *everything(there, one), (two, "note", "Yours."), (three, "status", "later"))
    for paper in (one, four):
        do(there, (paper, "tags/gone", True))
        do(there, (paper, "tags/gone", False))
    path = exported(there, tmp_path / "other.json") if way == "an export" else file_of(there)
    report = here.merge(path)
    assert report.papers == [one, two, three] and report.left == ()
    told, theirs = written(here)[one], written(there)[one]
    assert told.pop("tags") == ["here", "moe/routing"] and theirs.pop("tags") == ["moe/routing"]
    assert told == theirs
    assert here.annotation(two).note == f"Mine.{APART}Yours."
    assert here.annotation(three).status == "later"
    assert here.annotation(three).times["status"] == there.annotation(three).times["status"]
    assert here.annotation(one).times["tags/gone"] == there.annotation(one).times["tags/gone"]
    assert all(change.before != change.after for change in here.steps(1)[0].changes)
    after = written(here)
    assert here.merge(path).papers == [] and written(here) == after
    undone = here.undo()
    assert undone and undone.step.changes and undone.left == ()
    here.commit(undone.step)
    assert written(here) == before
    assert here.merge(path).papers == [] and written(here) == before, "what was taken back stays so"


def test_two_machines_that_merge_each_others_files_agree(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    one, two, *_ = here.ids
    do(here, *everything(here, one), (two, "note", "Mine."))
    do(there, *everything(there, one), (two, "note", "Yours."), (two, "rating", 2))
    here.merge(exported(there, tmp_path / "there.json"))
    there.merge(exported(here, tmp_path / "here.json"))
    assert written(here) == written(there)
    assert len(here.annotation(one).highlights) == 2
    do(there, (two, "note", "One for both."), (one, "status", "read"))
    here.merge(exported(there, tmp_path / "there.json"))
    assert written(here) == written(there)
    assert here.annotation(two).note == "One for both."


def test_a_tombstone_that_is_newer_deletes_and_an_older_one_does_not(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    one, *_ = here.ids
    do(here, (one, "tags/a", True), (one, "tags/b", True), (one, "note", "A note."))
    there.merge(exported(here, tmp_path / "here.json"))
    do(there, (one, "tags/a", False), (one, "tags/b", False), (one, "note", ""))
    do(here, (one, "tags/b", False))
    do(here, (one, "tags/b", True))
    here.merge(exported(there, tmp_path / "there.json"))
    assert (here.annotation(one).tags, here.annotation(one).note) == (("b",), "")


def test_papers_that_are_not_here_and_saved_searches_come_along(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    store = Annotations.open(there.layout.folder)
    store.apply(
        [Change("s", "o", AWAY, "note", "", "Away.", "2026-11-30T08:00:00.000Z")], {AWAY: ["doi:10.1/away"]}
    )
    save_search(store, "weekly", "added:7d", "rating")
    report = here.merge(file_of(there))
    assert (report.papers, report.searches) == ([AWAY], ["weekly"])
    assert here.merge(there.layout.folder / "annotations.json").searches == []
    again = Annotations.open(here.layout.folder)
    assert again.get(AWAY).note == "Away."
    assert again.searches() == [Search("weekly", "added:7d", "rating")]
    assert again.get(AWAY).times == {"note": "2026-11-30T08:00:00.000Z"}
    tables = json.loads(file_of(here).read_bytes())
    assert tables["annotations"][str(int(AWAY, 36))]["identities"] == ["doi:10.1/away"]


def test_an_export_is_read_by_stock_tinydb(tmp_path: Path, machines: tuple[Library, Library]) -> None:
    here, _ = machines
    one, *_ = here.ids
    do(here, *everything(here, one))
    with TinyDB(exported(here, tmp_path / "all.json"), access_mode="r") as tables:
        assert [document["paper"] for document in tables.table("annotations")] == [one]
        assert [document["id"] for document in tables.table("papers")] == list(here.ids)
        assert tables.table("_meta").all() == [{"schema": SCHEMA, "title": "All", "query": ""}]
    assert postil_json.SCHEMA == SCHEMA


def damage(tables: Any) -> None:
    documents = tables["annotations"]
    first = documents[min(documents)]
    first |= {"rating": 9}
    second = documents[max(documents)]
    second["highlights"] = [{"id": "a", "start": 1, "end": 3, "quote": "xy", "colour": "ultraviolet"}]
    second["times"] |= {"note": "the year 9999"}


def test_what_cannot_be_taken_in_is_left_and_the_rest_comes(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    first, second = sorted(there.ids[:2], key=lambda paper: int(paper, 36))
    do(there, (first, "note", "First."), (second, "note", "Second."))
    path = exported(there, tmp_path / "other.json")
    tables = json.loads(path.read_text())
    damage(tables)
    path.write_text(json.dumps(tables))
    report = here.merge(path)
    assert report.papers == [first, second] and here.annotation(second).note == "Second."
    assert (here.annotation(first).note, here.annotation(first).rating) == ("First.", None)
    assert any("a rating is from 1 to 5" in line for line in report.left)
    (mark,) = here.annotation(second).highlights
    assert mark.colour == "ultraviolet", "a newer postil may know it"
    assert here.annotation(second).times["note"].startswith("20"), "no time that is none"


def test_what_this_version_does_not_know_travels_too(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    one, two, *_ = here.ids
    do(here, *everything(here, one))
    path = exported(here, tmp_path / "here.json")
    tables = json.loads(path.read_text())
    document = tables["annotations"][str(int(one, 36))]
    document["mood"] = "good"
    document["highlights"][0]["shape"] = "wavy"
    path.write_text(json.dumps(tables))
    there.merge(path)
    do(there, (one, "rating", 1))
    tables = json.loads(exported(there, tmp_path / "there.json").read_text())
    again = tables["annotations"]
    assert again[str(int(one, 36))]["mood"] == "good"
    assert again[str(int(one, 36))]["highlights"][0]["shape"] == "wavy"
    assert str(int(two, 36)) not in again


def test_saved_searches_are_steps_and_stay_deleted(machines: tuple[Library, Library]) -> None:
    here, there = machines
    for name, query in (("weekly", "added:7d"), ("gone", "moe")):
        step = here.save_search(Search(name, query))
        assert step
        here.commit(step)
    assert here.save_search(Search("gone", "moe")) is None, "it is saved so"
    there.merge(file_of(here))
    assert [search.name for search in there.searches()] == ["weekly", "gone"]
    deletion = there.delete_search("gone")
    assert deletion
    there.commit(deletion)
    there.merge(file_of(here))
    assert [search.name for search in there.searches()] == ["weekly"], "it does not come back"
    here.merge(file_of(there))
    assert [search.name for search in here.searches()] == ["weekly"]
    undone = here.undo()
    assert undone
    here.commit(undone.step)
    assert [search.name for search in here.searches()] == ["weekly", "gone"], "a merge is one step"
    undone = there.undo()
    assert undone
    there.commit(undone.step)
    assert there.searches() == here.searches()


def test_an_export_of_the_whole_library_restores_it_and_one_of_a_part_has_no_searches(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    one, *_ = here.ids
    do(here, *everything(here, one))
    step = here.save_search(Search("weekly", "added:7d"))
    assert step
    here.commit(step)
    here.export_file(here.reading_list([one], "One", "id"), "postil", tmp_path / "one.json")
    there.merge(tmp_path / "one.json")
    assert written(there) == written(here) and there.searches() == []
    there.merge(exported(here, tmp_path / "all.json"))
    assert there.searches() == here.searches()


def test_what_cannot_be_saved_is_kept_elsewhere_though_the_library_has_gone(
    tmp_path: Path, machines: tuple[Library, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machines
    one, *_ = here.ids
    monkeypatch.setattr(library, "PATIENCE", 0.1)
    here.listen(lambda _steps: None, lambda _line: None)
    shutil.rmtree(here.layout.folder)
    step = here.step("write", [(one, "note", "Not on disk.")])
    assert step
    here.submit(step)
    for place in (tmp_path / ("long" * 100), tmp_path / "gone" / "file.json", tmp_path):
        with pytest.raises(LibraryError) as raised:
            here.keep_elsewhere(place)
        assert str(place) in str(raised.value) and "\n" not in str(raised.value)
    here.close()
    here.keep_elsewhere(tmp_path / "kept.json")
    there.merge(tmp_path / "kept.json")
    assert there.annotation(one).note == "Not on disk."


def test_an_edit_by_hand_is_as_late_as_the_file_was_written(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    """Though it has no time of its own: what another machine wrote before it does not take its place."""
    here, there = machines
    one, *_ = here.ids
    do(here, (one, "rating", 2), (one, "note", "Mine."))
    path = file_of(here)
    there.merge(path)
    do(there, (one, "rating", 3))
    time.sleep(0.01)
    path.write_text(path.read_text().replace('"rating": 2', '"rating": 5'))
    here.merge(file_of(there))
    assert here.annotation(one).rating == 5
    do(there, (one, "rating", 1))
    here.merge(file_of(there))
    assert here.annotation(one).rating == 1, "and what was written after it does"


def test_of_a_document_that_is_wrong_in_one_field_the_others_are_taken(
    machines: tuple[Library, Library],
) -> None:
    here, _ = machines
    one, *_ = here.ids
    do(here, (one, "rating", 2), (one, "note", "Mine."), (one, "tags/moe", True))
    path = file_of(here)
    path.write_text(path.read_text().replace('"rating": 2', '"rating": 17').replace("Mine.", "Mine by hand."))
    told = Library(here.layout.folder, fill=False).annotation(one)
    assert (told.rating, told.note, told.tags) == (2, "Mine by hand.", ("moe",))


def test_an_undo_that_could_not_be_made_again_is_not_made(
    machines: tuple[Library, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = machines
    one, *_ = here.ids
    do(here, (one, "note", "Long."))
    undone = here.undo()
    assert undone
    with monkeypatch.context() as patch:
        patch.setattr(files, "see_room", full_disk)
        with pytest.raises(LibraryError, match=r"nothing was changed in .*No space left"):
            here.commit(undone.step)
    assert here.annotation(one).note == "Long."
    here.commit(undone.step)
    assert here.annotation(one).note == ""


def test_a_change_made_here_is_newer_than_what_it_replaces_whatever_the_clocks_say(
    tmp_path: Path, machines: tuple[Library, Library]
) -> None:
    here, there = machines
    one, two, *_ = here.ids
    ahead = "2099-01-01T00:00:00.000Z"
    values: list[tuple[str, Value]] = [("status", "read"), ("note", "Ahead."), ("tags/moe", True)]
    changes = [Change("s", "o", one, field, None, value, ahead) for field, value in values]
    Annotations.open(there.layout.folder).apply(changes)
    old = file_of(there)
    here.merge(old)
    do(here, (one, "status", "later"), (one, "note", "Mine now."), (one, "tags/moe", False))
    do(here, (two, "rating", 2))
    assert here.merge(old).changes == ()
    there.refresh()
    there.merge(exported(here, tmp_path / "here.json"))
    told = there.annotation(one)
    assert (told.status, told.note, told.tags) == ("later", "Mine now.", ())
    assert all(when > ahead for when in told.times.values())
    assert there.annotation(two).times["rating"] < ahead
    step = here.steps(2)[1]
    assert {change.when for change in step.changes if change.paper == one} == set(told.times.values())


def test_what_could_not_be_saved_is_put_elsewhere_and_merged_back(
    tmp_path: Path, machines: tuple[Library, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machines
    one, two, three, *_ = here.ids
    do(here, (three, "note", "On disk."))
    do(here, (one, "tags/old", True))
    here.listen(lambda _steps: None, lambda _line: None)
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", full_disk)
        patch.setattr(library, "PATIENCE", 0.3)
        for edits in (everything(here, one), [(two, "note", "Not on disk.")]):
            step = here.step("write", edits)
            assert step
            here.submit(step)
        saved = here.save_search(Search("weekly", "added:7d"))
        assert saved
        here.submit(saved)
        assert [search.name for search in here.searches()] == ["weekly"]
        wanted = written(here)
        while here.trouble is None:
            time.sleep(0.01)
        here.keep_elsewhere(tmp_path / "unsaved.json")
        assert here.kept == tmp_path / "unsaved.json"
        with pytest.raises(LibraryError, match="exists already"):
            here.keep_elsewhere(tmp_path / "unsaved.json")
        assert here.close()
    again = opened(here.layout.folder)
    assert again.annotation(one).tags == ("old",)
    again.merge(tmp_path / "unsaved.json")
    assert written(again) == wanted
    assert again.searches() == [Search("weekly", "added:7d")]
    there.merge(tmp_path / "unsaved.json")
    assert there.annotation(two).note == "Not on disk." and there.annotation(three).note == ""


REFUSED: dict[str, Callable[[Path], object]] = {
    "no such file": lambda path: None,
    "a folder": lambda path: path.mkdir(),
    "nothing": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("A list\n\nof abstracts\n"),
    "a list": lambda path: path.write_text("[1, 2]"),
    "other JSON": lambda path: path.write_text('{"name": "x", "version": {"a": {}}}'),
    "other tables": lambda path: path.write_text('{"_default": {"1": {"a": 1}}}'),
    "a newer one": lambda path: path.write_text('{"_meta": {"1": {"schema": 99}}, "annotations": {}}'),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_another_file_is_refused_in_one_line_and_nothing_changes(
    tmp_path: Path, machines: tuple[Library, Library], make: Callable[[Path], object]
) -> None:
    here, _ = machines
    make(tmp_path / "file.json")
    with pytest.raises(LibraryError) as raised:
        here.merge(tmp_path / "file.json")
    assert str(tmp_path / "file.json") in str(raised.value) and "\n" not in str(raised.value)
    assert here.steps(9) == []
