"""The shelf: the shipped lists, what is one paper, imports that break off, and company."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index import files, headings, list_rows
from index import shelf as shelves
from index.papers import Paper, Record, normalised
from index.paths import Layout
from index.readers import read
from index.shelf import Shelf
from tests.index.helpers import SEEDS, WHEN, abstract, listed, paragraphs, records, rows, shelf_in

LATER = "2026-12-01T08:00:00.000Z"


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return with_seeds(shelf_in(tmp_path_factory.mktemp("seeded")))


def with_seeds(shelf: Shelf, *, backwards: bool = False) -> Shelf:
    for path in reversed(SEEDS) if backwards else SEEDS:
        with path.open("rb") as stream:
            shelf.add(read(stream)[1], path.name, WHEN)
    return shelf


def again(shelf: Shelf) -> Shelf:
    return Shelf(shelf.layout)


# The shipped lists


def test_the_lists_hold_393_papers_36_of_them_in_both(seeded: Shelf) -> None:
    papers = list(seeded.papers())
    assert [len(paragraphs(path)) for path in SEEDS] == [212, 217]
    assert len(papers) == len(seeded) == 393
    assert sum(len(paper.sources) == 2 for paper in papers) == 36
    assert sum(len(paper.sources) for paper in papers) == 429


def test_each_abstract_is_its_paragraph_and_each_paragraph_has_its_paper(seeded: Shelf) -> None:
    at = {(source.file, source.position): paper for paper in seeded.papers() for source in paper.sources}
    first: dict[str, str] = {}
    for path in SEEDS:
        for position, text in enumerate(paragraphs(path), 1):
            first.setdefault(normalised(text), text)
            assert at.pop((path.name, position)).abstract == first[normalised(text)]
    assert not at
    assert [paper.abstract for paper in seeded.papers()] == list(first.values())


def test_headings_are_short_and_all_different(seeded: Shelf) -> None:
    headings = [row.heading for row in rows(seeded)]
    assert len({heading.casefold() for heading in headings}) == 393
    assert all(0 < len(heading) <= 72 and "\n" not in heading for heading in headings)
    assert headings == [paper.heading for paper in seeded.papers()]


def test_ids_are_the_same_on_every_machine(seeded: Shelf) -> None:
    assert all(re.fullmatch("[a-z][0-9a-z]{9}", id) for id in seeded.ids)
    assert (seeded.ids[0], seeded.ids[-1]) == ("wseevoq8ag", "zbb8oyakzk")


def test_the_order_of_import_changes_the_order_alone(seeded: Shelf, tmp_path: Path) -> None:
    backwards = with_seeds(shelf_in(tmp_path / "backwards"), backwards=True)
    assert backwards.ids != seeded.ids
    assert listed(backwards) == listed(seeded)
    assert {row.id: row.heading for row in rows(backwards)} == {row.id: row.heading for row in rows(seeded)}


def test_importing_again_changes_no_byte(seeded: Shelf) -> None:
    before = seeded.layout.papers.read_bytes(), rows(seeded)
    told = []
    for path in SEEDS:
        with path.open("rb") as stream:
            told.append(seeded.add(read(stream)[1], path.name, LATER))
    assert (seeded.layout.papers.read_bytes(), rows(seeded)) == before
    assert [(one.records, one.unchanged, one.new, one.merged) for one in told] == [
        (212, 212, 0, 0),
        (217, 217, 0, 0),
    ]


def test_a_row_knows_what_the_record_says(seeded: Shelf) -> None:
    for place, (row, paper) in enumerate(zip(rows(seeded), seeded.papers(), strict=True)):
        assert seeded.place(row.id) == place
        assert (row.words, row.name, row.year) == (len(paper.abstract.split()), paper.name, None)
        assert row.files == tuple(source.file for source in paper.sources)
        assert row.added == WHEN


# What is one paper


def test_a_later_record_adds_what_is_missing_and_a_source(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "bare", WHEN)
    id, other = shelf.ids
    bare = shelf.paper(id)
    full = Record(
        9, abstract(1).upper(), title="A title", authors=("A. One", "B. Two"), year=2025, date="2025-03-01",
        venue="Somewhere", identifiers={"doi": ("10.1/x",)}, keywords=("k",), links=("https://x.org",),
        extra={"pages": "1-2"},
    )  # fmt: skip
    told = shelf.add([full], "full", LATER)
    assert (told.new, told.merged, told.unchanged) == (0, 1, 0)
    paper = shelf.paper(id)
    assert paper == again(shelf).paper(id)
    assert (paper.title, paper.heading, paper.authors, paper.year) == (
        "A title",
        "A title",
        full.authors,
        2025,
    )
    assert (paper.venue, paper.date, paper.extra) == ("Somewhere", "2025-03-01", {"pages": "1-2"})
    assert (paper.identifiers, paper.keywords, paper.links) == (full.identifiers, full.keywords, full.links)
    assert paper.abstract == bare.abstract == abstract(1), "the text that highlights stand on stays"
    assert [(source.file, source.position, source.added) for source in paper.sources] == [
        ("bare", 1, WHEN), ("full", 9, LATER),
    ]  # fmt: skip
    assert len(shelf) == 2
    assert shelf.paper(other).title is None
    size = shelf.layout.papers.stat().st_size
    assert shelf.add([full], "full", LATER).unchanged == 1
    assert shelf.layout.papers.stat().st_size == size


def test_what_the_first_record_says_is_not_changed_by_the_next(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    first = Record(
        1, abstract(1), title="First", year=2020, identifiers={"doi": ("10.1/x",)}, keywords=("a",)
    )
    second = Record(
        1, abstract(2), title="Second", year=2021, identifiers={"doi": ("10.1/X",)}, keywords=("b", "a")
    )
    shelf.add([first], "one", WHEN)
    shelf.add([second], "two", LATER)
    paper = next(shelf.papers())
    assert (len(shelf), paper.title, paper.year, paper.abstract) == (1, "First", 2020, abstract(1))
    assert paper.keywords == ("a", "b")
    assert paper.heading == "First"
    assert shelf.add([Record(3, abstract(2))], "three", LATER).new == 0, "it is known by its other text now"


def test_an_abstract_that_comes_later_gives_the_heading(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add([Record(1, identifiers={"pmid": ("77",)})], "one", WHEN)
    assert rows(shelf)[0].heading == "(no title)"
    shelf.add([Record(1, abstract(1), identifiers={"pmid": ("77",)})], "two", LATER)
    assert rows(shelf)[0].heading.startswith("Method1: ")
    assert rows(shelf) == rows(again(shelf))


def test_a_short_text_is_one_paper_only_where_all_agrees(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    short = Record(1, "Not available")
    told = shelf.add(
        [short, replace(short, position=2, title="T"), replace(short, position=3, abstract="NOT AVAILABLE.")],
        "f", WHEN,
    )  # fmt: skip
    assert (told.new, told.merged) == (2, 1)
    assert [len(paper.sources) for paper in shelf.papers()] == [2, 1]


def test_two_papers_never_share_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "paper_id", lambda key: f"abcdefghi{key.count(chr(39))}")
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    shelf.add(records([1, 2, 3]), "g", WHEN)
    assert shelf.ids == ["abcdefghi0", "abcdefghi1", "abcdefghi2"]
    assert [paper.abstract for paper in again(shelf).papers()] == [abstract(1), abstract(2), abstract(3)]


def test_a_derived_heading_is_told_apart_from_a_title(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1]), "a", WHEN)
    title = rows(shelf)[0].heading
    shelf.add([Record(2, abstract(2), title=title), Record(3, abstract(3), title=title)], "b", WHEN)
    headings = [row.heading for row in rows(shelf)]
    assert headings[1:] == [title, title], "what was given stays as it was given"
    assert headings[0] != title


def test_a_heading_that_is_alone_again_is_its_own_again(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    twins = [
        Record(n, f"We introduce Wombat: a scheme for counting marsupials at night. {n}") for n in (1, 2)
    ]
    shelf.add([replace(twin, identifiers={"pmid": (str(twin.position),)}) for twin in twins], "a", WHEN)
    own = rows(shelf)[0].own
    assert own not in [row.heading for row in rows(shelf)]
    shelf.add([Record(1, title="Another", identifiers={"pmid": ("1",)})], "b", LATER)
    assert [row.heading for row in rows(shelf)] == ["Another", own]
    shelf.layout.list.unlink()
    assert [row.heading for row in rows(again(shelf))] == ["Another", own]


def test_a_title_spares_the_heading_and_not_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headings, "derive", None)
    shelf = shelf_in(tmp_path)
    shelf.add([replace(records([7])[0], title="Given")], "f", WHEN)
    assert (rows(shelf)[0].heading, rows(shelf)[0].name) == ("Given", "Method7")


def test_an_addition_writes_its_own_rows_and_reads_the_others_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf_in(tmp_path).add(records(range(300)), "a", WHEN)
    written: list[str] = []
    read: list[int] = []
    line_of, known = list_rows.line_of, list_rows.Known

    def writing(row: list_rows.Row) -> bytes:
        written.append(row.id)
        return line_of(row)

    def reading(lines: Sequence[bytes]) -> list_rows.Known:
        read.append(len(lines))
        return known(lines)

    monkeypatch.setattr(list_rows, "line_of", writing)
    monkeypatch.setattr(shelves, "Known", reading)
    shelf = Shelf(Layout(tmp_path))
    shelf.add(records([400, 5]), "b", LATER)
    shelf.add(records([401]), "c", LATER)
    assert [shelf.place(id) for id in written] == [300, 5, 301]
    assert read == [300]
    assert rows(again(shelf)) == rows(shelf)


def test_what_another_window_added_is_known_at_the_next_addition(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1]), "a", WHEN)
    other = again(shelf)
    other.add(records([2]), "b", WHEN)
    other.add([replace(records([1])[0], identifiers={"doi": ("10.1/x",)})], "c", WHEN)
    told = shelf.add([records([2])[0], Record(2, abstract(3), identifiers={"doi": ("10.1/x",)})], "d", LATER)
    assert (told.new, told.merged) == (0, 2)
    assert len(again(shelf)) == 2


def test_what_came_since_a_state(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "a", WHEN)
    before = shelf.stamp
    shelf.add(records([9, 3, 1]), "b", LATER)
    assert shelf.since(before) == [shelf.ids[1], shelf.ids[3], shelf.ids[5]]
    assert shelf.since(shelf.stamp) == []
    assert shelf.since({**before, "digest": "x"}) is None
    assert shelf.since({**before, "length": before["length"] - 1}) is None


def test_papers_are_found_by_id_prefix_and_identifier(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add([Record(1, abstract(1), identifiers={"doi": ("10.1/AbC",), "arxiv": ("2401.01234v3",)}),
               Record(2, abstract(2), identifiers={"pmid": ("12345",)})], "f", WHEN)  # fmt: skip
    one, two = shelf.ids
    for text in (
        "10.1/abc",
        "10.1/ABC",
        "https://doi.org/10.1/AbC",
        "doi:10.1/abc",
        "2401.01234",
        "arXiv:2401.01234v1",
        "https://arxiv.org/abs/2401.01234v3",
        one,
        one[:9],
        f" {one.upper()} ",
    ):
        assert shelf.resolve(text) == [one], text
    assert shelf.resolve("12345") == shelf.resolve("pmid:12345") == [two]
    assert shelf.resolve("") == shelf.resolve("10.1/") == shelf.resolve("nothing") == []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_permuted_imports_of_small_lists_give_the_same_papers(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    texts = [
        abstract(1),
        abstract(1).upper(),
        abstract(2),
        abstract(2).replace(" ", "\n"),
        "Not available",
        "N/A",
        "∞",
    ]
    lists = data.draw(st.lists(st.lists(st.sampled_from(texts), max_size=4), min_size=2, max_size=4))
    named = [(f"list {number}", found) for number, found in enumerate(lists)]
    results = []
    for order in (named, data.draw(st.permutations(named))):
        shelf = shelf_in(tmp_path_factory.mktemp("permuted"))
        for name, found in order:
            shelf.add([Record(place, text) for place, text in enumerate(found, 1)], name, WHEN)
        results.append({id: (normalised(text), sources) for id, (text, sources) in listed(shelf).items()})
    assert results[0] == results[1]


# Breaks and company


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("after", [0, 1, 17, 39])
def test_a_broken_import_leaves_what_came_before_and_the_next_completes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], after: int
) -> None:
    def broken() -> Iterator[Record]:
        yield from records(range(after))
        raise error

    monkeypatch.setattr(shelves, "BATCH", 4000)
    shelf = shelf_in(tmp_path)
    with pytest.raises(error):
        shelf.add(broken(), "f", WHEN)
    for opened in (shelf, again(shelf)):
        assert [paper.abstract for paper in opened.papers()] == [abstract(number) for number in range(after)]
    told = again(shelf).add(records(range(40)), "f", WHEN)
    assert (told.new, told.unchanged) == (40 - after, after)
    assert [paper.abstract for paper in again(shelf).papers()] == [abstract(number) for number in range(40)]


def test_a_full_disk_leaves_what_came_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    shelf = shelf_in(tmp_path)
    shelf.add(records([1]), "f", WHEN)
    before = shelf.layout.papers.read_bytes()
    monkeypatch.setattr(files, "append", full)
    with pytest.raises(OSError, match="No space"):
        shelf.add(records([1, 2]), "f", WHEN)
    monkeypatch.undo()
    assert shelf.layout.papers.read_bytes() == before
    assert len(shelf) == 1
    assert shelf.add(records([1, 2]), "f", WHEN).new == 1


def test_two_processes_import_at_once(tmp_path: Path, seeded: Shelf) -> None:
    program = (
        "import sys; from pathlib import Path; from index import importing; from index.paths import Layout;"
        "from index.shelf import Shelf; shelf = Shelf(Layout(Path(sys.argv[1])));"
        "[importing.add(shelf, [path]) for path in sys.argv[2:]]"
    )
    root = Path(__file__).parents[2]
    ways = [list(map(str, SEEDS)), list(map(str, reversed(SEEDS)))]
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), *way], cwd=root) for way in ways
    ]
    assert [child.wait(60) for child in children] == [0, 0]
    shelf = Shelf(Layout(tmp_path))
    assert listed(shelf) == listed(seeded)
    assert len(shelf.layout.papers.read_bytes().splitlines()) == 429
    assert not shelf.problems


def test_a_shelf_that_cannot_write_its_list_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    shelf.layout.list.unlink()
    monkeypatch.setattr(files, "make_folder", lambda _path: (_ for _ in ()).throw(PermissionError()))
    opened: list[Paper] = list(again(shelf).papers())
    assert [paper.abstract for paper in opened] == [abstract(1), abstract(2)]
    assert not shelf.layout.list.exists()
