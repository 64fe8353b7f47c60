"""Steps: undone, made again, refused, submitted; tags renamed everywhere; highlights; counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index import files
from index import library as door
from index.library import Library, LibraryError
from index.papers import Value
from tests.index.helpers import abstract, do, everything, list_file

NUMBERS = range(12)


def opened(folder: Path) -> Library:
    return Library(folder, fill=False)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = opened(tmp_path / "library")
    library.add([str(list_file(tmp_path / "list.txt", [abstract(number) for number in NUMBERS]))])
    yield library
    library.close()


def held(library: Library) -> dict[str, dict[str, Any]]:
    """All that the reader wrote, as JSON shows it."""
    return {id: library.json(id) for id in library.ids}


def test_a_step_over_all_fields_can_be_undone_and_made_again(library: Library) -> None:
    one, two, *_ = library.ids
    before = held(library)
    do(library, *everything(library, one), *everything(library, two))
    after = held(library)
    told = after[one]
    assert (told["status"], told["starred"], told["rating"], told["due"]) == (
        "reading",
        True,
        4,
        "2026-12-24",
    )
    assert (told["tags"], told["note"], told["title"], told["heading"]) == (
        ["moe/routing"],
        "A *note*",
        "My title",
        "My title",
    )
    assert library.row(one).heading == "My title"
    for _ in range(2):
        undone = library.undo()
        assert undone
        assert undone.left == ()
        library.commit(undone.step)
        assert held(library) == before
        redone = library.redo()
        assert redone
        library.commit(redone.step)
        assert held(library) == after
    again = opened(library.layout.folder)
    assert held(again) == after
    assert again.undo() is not None, "another window can take back the library's latest step"
    again.close()


def test_steps_are_taken_back_one_by_one_and_no_further(library: Library) -> None:
    id = library.ids[0]
    for tag in "abc":
        do(library, (id, f"tags/{tag}", True))
    seen = []
    while undone := library.undo():
        library.commit(undone.step)
        seen.append(library.annotation(id).tags)
    assert seen == [("a", "b"), ("a",), ()]
    while redone := library.redo():
        library.commit(redone.step)
    assert library.annotation(id).tags == ("a", "b", "c")
    assert len(library.steps(100)) == 9


def test_what_has_changed_since_is_left_alone_and_named(library: Library) -> None:
    one, two, *_ = library.ids
    do(library, (one, "status", "read"), (two, "status", "read"))
    other = opened(library.layout.folder)
    do(other, (two, "status", "skipped"))
    other.close()
    library.refresh()
    undone = library.undo()
    assert undone
    library.commit(undone.step)
    assert [(change.paper, change.field) for change in undone.left] == [(two, "status")]
    assert (library.annotation(one).status, library.annotation(two).status) == ("unread", "skipped")


def test_a_step_that_changes_nothing_is_none(library: Library) -> None:
    id = library.ids[0]
    assert library.step("x", [(id, "status", "unread"), (id, "tags/a", False), (id, "note", "")]) is None
    step = library.step("x", [(id, "status", "read"), (id, "starred", False)])
    assert step
    assert [change.field for change in step.changes] == ["status"]


@pytest.mark.parametrize("edit", [("status", "lost"), ("rating", 9), ("due", "soon"), ("tags/", True)])
def test_a_bad_edit_is_refused_and_nothing_changes(library: Library, edit: tuple[str, Value]) -> None:
    id = library.ids[0]
    before = held(library)
    step = library.step("x", [(id, "note", "also here"), (id, *edit)])
    assert step
    with pytest.raises(LibraryError, match=edit[0].rstrip("/")):
        library.commit(step)
    assert held(library) == before
    assert library.steps(9) == []


def test_a_full_disk_refuses_a_step_in_one_line(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _data: object) -> None:
        raise OSError(28, "No space left on device")

    step = library.step("x", [(library.ids[0], "note", "words")])
    assert step
    before = held(library)
    monkeypatch.setattr(files, "append", full)
    with pytest.raises(LibraryError, match=r"nothing was saved in .*No space left on device"):
        library.commit(step)
    assert held(library) == before


def test_what_is_submitted_shows_at_once_and_closing_loses_nothing(library: Library) -> None:
    saved: list[str] = []
    troubles: list[str] = []
    library.listen(saved.extend, troubles.append)
    steps = []
    for id in library.ids:
        step = library.step("x", [(id, "tags/seen", True), (id, "note", id)])
        assert step
        library.submit(step)
        assert library.annotation(id).note == id
        steps.append(step.step)
    assert library.close() == []
    assert (saved, troubles, library.waiting) == (steps, [], 0)
    again = opened(library.layout.folder)
    assert [again.annotation(id).note for id in again.ids] == list(again.ids)
    assert again.tags() == {"seen": len(NUMBERS)}
    again.close()


def test_closing_names_what_could_not_be_written(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _data: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "append", full)
    monkeypatch.setattr(door, "PATIENCE", 0.3)
    troubles: list[str] = []
    library.listen(lambda _saved: None, troubles.append)
    step = library.step("x", [(library.ids[0], "note", "words that matter")])
    assert step
    library.submit(step)
    assert [change.after for change in library.close()] == ["words that matter"]
    assert "No space left" in troubles[0]


def test_annotations_outlive_the_papers_file(library: Library) -> None:
    id, papers = library.ids[3], library.layout.papers.read_bytes()
    do(library, *everything(library, id))
    told = library.annotation(id)
    library.layout.papers.unlink()
    opened(library.layout.folder).close()
    library.layout.papers.write_bytes(papers)
    again = opened(library.layout.folder)
    assert again.annotation(id) == told
    again.close()


def test_a_later_import_never_touches_an_annotation(library: Library, tmp_path: Path) -> None:
    do(library, *everything(library, library.ids[0]))
    before = (library.layout.folder / "annotations.journal").read_bytes()
    library.add([str(list_file(tmp_path / "more.txt", [abstract(0), abstract(99)]))])
    assert (library.layout.folder / "annotations.journal").read_bytes() == before
    assert len(library.json(library.ids[0])["sources"]) == 2


# Tags, counts, highlights


def retagged(library: Library, old: str, new: str | None) -> tuple[dict[str, int], int]:
    edits, papers = library.retag(old, new)
    do(library, *edits)
    return dict(library.tags()), papers


@pytest.fixture
def tagged(library: Library) -> Library:
    a, b, c, *_ = library.ids
    do(
        library,
        (a, "tags/moe", True),
        (b, "tags/moe/routing", True),
        (c, "tags/moe", True),
        (c, "tags/rg", True),
        (a, "tags/moeglich", True),
    )
    return library


def test_renaming_a_tag_takes_its_children_along(tagged: Library) -> None:
    assert retagged(tagged, "moe", "experts") == (
        {"experts": 2, "experts/routing": 1, "moeglich": 1, "rg": 1},
        3,
    )
    undone = tagged.undo()
    assert undone
    tagged.commit(undone.step)
    assert dict(tagged.tags()) == {"moe": 2, "moe/routing": 1, "moeglich": 1, "rg": 1}


def test_renaming_onto_a_tag_that_exists_makes_them_one(tagged: Library) -> None:
    assert retagged(tagged, "moe", "rg") == ({"rg": 2, "rg/routing": 1, "moeglich": 1}, 3)


def test_renaming_onto_a_child_of_its_own(tagged: Library) -> None:
    do(tagged, (tagged.ids[1], "tags/moe", True))
    tags, papers = retagged(tagged, "moe", "moe/routing")
    assert tags == {"moe/routing": 3, "moe/routing/routing": 1, "moeglich": 1, "rg": 1}
    assert papers == 3
    assert tagged.annotation(tagged.ids[1]).tags == ("moe/routing", "moe/routing/routing")


def test_renaming_a_child_onto_its_parent(tagged: Library) -> None:
    assert retagged(tagged, "moe/routing", "moe") == ({"moe": 3, "moeglich": 1, "rg": 1}, 1)


def test_deleting_a_tag_takes_its_children_along(tagged: Library) -> None:
    assert retagged(tagged, "moe", None) == ({"moeglich": 1, "rg": 1}, 3)


def test_a_tag_that_no_paper_has_gives_no_edits(tagged: Library) -> None:
    assert tagged.retag("mo", "x") == ([], 0)
    assert tagged.retag("rg", "rg") == ([], 1)


def test_counts_by_status(library: Library) -> None:
    a, b, c, *_ = library.ids
    do(
        library,
        (a, "status", "read"),
        (b, "status", "read"),
        (c, "status", "later"),
        ("zzzzzzzzzz", "status", "read"),
    )
    do(library, (c, "status", "unread"))
    assert [library.count(status) for status in ("unread", "later", "reading", "read", "skipped")] == [
        10,
        0,
        0,
        2,
        0,
    ]
    assert len(library.find("is:unread").ids) == 10


def test_a_highlight_agrees_with_the_text_and_survives_reopening(library: Library) -> None:
    id = library.ids[5]
    text = library.entry(id).paper.abstract
    places = [(0, 20), (10, 40), (len(text) - 9, len(text))]
    marks = [library.highlight(id, *place, "claim", "c") for place in places]
    do(library, *((id, f"highlights/{mark.id}", mark.to_json()) for mark in reversed(marks)))
    again = opened(library.layout.folder)
    found = again.annotation(id).highlights
    assert found == tuple(marks)
    assert len({mark.id for mark in found}) == 3
    for mark, (start, end) in zip(found, places, strict=True):
        assert (mark.start, mark.end, mark.quote) == (start, end, text[start:end])
        assert mark.prefix + mark.quote + mark.suffix == text[max(0, start - 32) : end + 32]
    again.close()
    do(library, (id, f"highlights/{marks[0].id}", None))
    assert library.annotation(id).highlights == tuple(marks[1:])
