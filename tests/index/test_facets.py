"""Facets against counting one paper at a time, and saved searches: saved, counted, run, refused."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from index.facets import Facets
from index.library import Library, LibraryError, Search
from index.library.written import LONGEST_NAME
from index.papers import STATUSES, Value
from tests.index.helpers import abstract, do, list_file


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "library", fill=False)
    for name, numbers in (("b.txt", range(14)), ("a.txt", range(10, 20))):
        library.add([str(list_file(tmp_path / name, [abstract(number) for number in numbers]))])
    yield library
    library.close()


def brute(library: Library, ids: Iterable[str], searches: dict[str, set[str]]) -> Facets:
    chosen = set(ids)
    told = {id: library.annotation(id) for id in library.ids}
    names = sorted({"/".join(tag.split("/")[:n]) for a in told.values() for tag in a.tags for n in (1, 2, 3)})

    def has(id: str, name: str) -> bool:
        return any(tag == name or tag.startswith(name + "/") for tag in told[id].tags)

    return Facets(
        {status: sum(told[id].status == status for id in chosen) for status in STATUSES},
        {name: sum(has(id, name) for id in chosen) for name in names},
        {file: sum(file in library.row(id).files for id in chosen) for file in ("b.txt", "a.txt")},
        {name: len(chosen & found) for name, found in searches.items()},
    )


def test_facets_count_as_one_paper_at_a_time_would_after_each_change(library: Library) -> None:
    pick = random.Random(11)
    save(library, "worn", "is:read OR tag:rg")
    tags = ("moe", "moe/routing", "moe/routing/top", "moebius", "rg/dugong")
    for _ in range(25):
        id = pick.choice(library.ids)
        edits: list[tuple[str, str, Value]] = [
            (id, "status", pick.choice(STATUSES)), (id, f"tags/{pick.choice(tags)}", pick.random() < 0.7),
        ]  # fmt: skip
        if step := library.step("a step", edits):
            library.commit(step)
        library.count_saved()
        searches = {"worn": set(library.find("is:read OR tag:rg").ids)}
        some = pick.sample(library.ids, 7)
        assert library.facets(some) == brute(library, some, searches)
        assert library.facets() == brute(library, library.ids, searches)
        assert list(library.facets().sources) == ["b.txt", "a.txt"]


def test_a_new_list_and_no_paper_at_all_are_counted(library: Library, tmp_path: Path) -> None:
    assert library.facets([]) == brute(library, [], {})
    assert library.facets().sources == {"b.txt": 14, "a.txt": 10}
    library.add([str(list_file(tmp_path / "c.txt", [abstract(30)]))])
    assert library.facets().sources == {"b.txt": 14, "a.txt": 10, "c.txt": 1}
    assert library.facets().statuses["unread"] == 21


# Saved searches


def save(library: Library, name: str, query: str, sort: str | None = None) -> None:
    step = library.save_search(Search(name, query, sort))
    assert step
    library.commit(step)


def test_saved_searches_are_counted_live(library: Library) -> None:
    save(library, "starred", "is:starred")
    save(library, "vision", "title:vision OR vision", "title")
    assert library.count_saved() == {"starred": 0, "vision": len(library.find("vision").ids)}
    assert library.facets().searches["starred"] == 0
    do(library, (library.ids[3], "starred", True))
    assert library.facets().searches["starred"] == 0, "as they were last counted"
    assert library.count_saved()["starred"] == 1
    assert library.facets().searches["starred"] == 1
    deletion = library.delete_search("starred")
    assert deletion
    library.commit(deletion)
    assert list(library.count_saved()) == list(library.facets().searches) == ["vision"]


def test_counting_stops_between_two_searches_and_keeps_the_last_counts(library: Library) -> None:
    save(library, "one", "is:starred")
    save(library, "two", "is:unread")
    assert library.count_saved() == {"one": 0, "two": 20}
    save(library, "three", "is:read")
    do(library, (library.ids[0], "status", "read"), (library.ids[0], "starred", True))
    asked = iter((False, True, True))
    assert library.count_saved(lambda: next(asked)) == {"one": 1, "two": 20}
    assert library.count_saved() == {"one": 1, "two": 19, "three": 1}


@pytest.mark.parametrize(
    ("name", "query", "says"),
    [
        ("x", "(moe", "a ( is not closed"),
        ("x", "rating:9", "rating:9"),
        ("x", "", "looks for nothing"),
        ("x", "  ", "looks for nothing"),
        (" ", "moe", "a name"),
    ],
)
def test_a_search_that_is_not_wholly_understood_is_not_saved(
    library: Library, name: str, query: str, says: str
) -> None:
    with pytest.raises(LibraryError, match=r".") as refused:
        library.save_search(Search(name, query))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_saved_search_is_told_with_those_that_there_are(library: Library) -> None:
    with pytest.raises(LibraryError, match="none is saved yet"):
        library.saved("weekly")
    save(library, "weekly", "added:7d", "rating")
    save(library, "moe", "moe")
    assert library.saved(" weekly ") == Search("weekly", "added:7d", "rating")
    with pytest.raises(LibraryError, match="no saved search 'weakly'; there are: weekly, moe"):
        library.saved("weakly")


# Where the reader wrote it


def test_the_passage_of_a_paper_that_was_found_by_what_was_written(library: Library) -> None:
    one, two, *_ = library.ids
    do(library, (one, "note", "First line.\nSee the zebra paper"), (two, "tags/zebra/crossing", True))
    found = library.find("zebra")
    assert library.passage(one, found) == ("note", "First line. See the zebra paper", ((20, 25),))
    assert library.passage(two, found) == ("tag", "zebra/crossing", ((0, 5),))
    assert library.passage(two, library.find("routing")) is None


def test_the_name_of_a_saved_search_fits_in_a_line(tmp_path: Path) -> None:
    library = Library(tmp_path / "library", fill=False)
    assert library.save_search(Search("n" * LONGEST_NAME, "moe", None))
    for name, why in (("n" * (LONGEST_NAME + 1), "at most 80"), ("  ", "needs a name")):
        with pytest.raises(LibraryError, match=why):
            library.save_search(Search(name, "moe", None))
    library.close()
