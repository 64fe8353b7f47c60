"""Papers that the reader removes are found, listed and counted nowhere, and nothing of them is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from index.library import Library, LibraryError
from tests.index.helpers import abstract


def a_list(path: Path, *numbers: int) -> str:
    path.write_text("Daily Papers\n\n" + "\n\n".join(map(abstract, numbers)))
    return str(path)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    held = Library(tmp_path / "library", fill=False)
    held.add([a_list(tmp_path / "one.txt", *range(20)), a_list(tmp_path / "two.txt", *range(15, 30))])
    held.prepare()
    yield held
    held.close()


def write(library: Library, *edits: tuple[str, str, object]) -> None:
    step = library.step("write", edits)  # type: ignore[arg-type]
    assert step
    library.commit(step)


def remove(library: Library, *ids: str) -> None:
    step = library.remove(ids)
    assert step
    library.commit(step)


def told(library: Library) -> dict[str, object]:
    """All that a library says of how many papers there are."""
    facets = library.facets()
    return {
        "ids": list(library.ids),
        "unread": library.count("unread"),
        "later": library.count("later"),
        "found": set(library.find("case").ids),
        "all": set(library.find("").ids),
        "not": set(library.find("-nothing").ids),
        "tagged": set(library.find("tag:x").ids),
        "noted": set(library.find("owl").ids),
        "tags": dict(library.tags()),
        "facets": (facets.statuses, facets.tags, facets.sources),
        "related": {one.id for one in library.related(library.ids[3], 40)},
        "linked": library.linked_from(library.ids[3]),
        "last": set(library.find("added:last", sort="title").ids),
        "headings": set(dict(library._kept.headings())),
    }


def test_what_is_removed_is_nowhere_and_an_undo_brings_all_of_it_back(library: Library) -> None:
    gone = library.ids[7]
    link = f"an owl, as in [[{library.ids[3]}]]"
    write(library, (gone, "status", "later"), (gone, "tags/x", True), (gone, "note", link))
    before = told(library)
    remove(library, gone)
    after = told(library)
    assert gone not in json.dumps(after, default=list)
    assert after["ids"] == [id for id in before["ids"] if id != gone]  # type: ignore[attr-defined]
    assert (after["unread"], after["later"], after["tags"]) == (29, 0, {})
    assert len(after["found"]) == 29  # type: ignore[arg-type]
    with pytest.raises(LibraryError, match="no paper"):
        library.resolve(gone)
    undone = library.undo()
    assert undone
    library.commit(undone.step)
    assert told(library) == before
    assert library.annotation(gone).note == link


def test_it_stays_removed_in_other_windows_after_a_start_and_when_its_list_comes_again(
    library: Library, tmp_path: Path
) -> None:
    window = Library(library.layout.folder, fill=False)
    window.prepare()
    gone = library.ids[:3]
    remove(library, *gone)
    window.refresh()
    for other in (window, Library(library.layout.folder, fill=False)):
        assert len(other.ids) == 27
        assert not set(gone) & set(other.find("case").ids)
        other.close()
    (report,) = library.add([str(tmp_path / "one.txt")])
    assert (report.new, report.merged, len(library.ids)) == (0, 0, 27)


def test_two_machines_agree_on_what_was_removed(library: Library, tmp_path: Path) -> None:
    other = Library(tmp_path / "other", fill=False)
    other.add([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")])
    write(other, (other.ids[2], "note", "an owl"))
    remove(library, library.ids[2], library.ids[5])
    library.close()
    other.merge(library.layout.folder / "annotations.json")
    assert len(other.ids) == 28
    assert not other.find("owl").ids
    other.close()


def test_a_list_is_removed_with_what_no_other_list_holds(library: Library) -> None:
    assert library.only_in("ONE.txt") == list(library.ids[:15])
    remove(library, *library.only_in("one.txt"))
    assert len(library.ids) == 15
    assert library.only_in("one.txt") == []
    assert library.remove(()) is None
    with pytest.raises(LibraryError, match="no list 'three'"):
        library.only_in("three")


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_removed_is_true_or_false(library: Library, value: object) -> None:
    step = library.step("remove", [(library.ids[0], "removed", value)])  # type: ignore[list-item]
    assert step
    with pytest.raises(LibraryError, match="removed"):
        library.commit(step)
