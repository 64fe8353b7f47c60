"""Papers that are joined are one in every list, count and query; nothing of either is lost."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import joining
from index.annotations import Annotations
from index.library import Library, LibraryError
from index.papers import APART_IN_LINE, Annotation, Change, Value
from tests.index.helpers import abstract

WHEN = "2026-11-30T10:00:00.000Z"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    held = Library(tmp_path / "library", fill=False)
    path = tmp_path / "list.txt"
    path.write_text("Daily Papers\n\n" + "\n\n".join(f"{abstract(n)} Word{n}here." for n in range(6)))
    held.add([str(path)])
    entries = [
        {
            "type": "article",
            "id": f"k{n}",
            "title": f"Title {n}",
            "DOI": f"10.1000/{n}",
            "abstract": f"Of owl{n}.",
        }
        for n in range(3)
    ]
    (tmp_path / "more.json").write_text(json.dumps(entries))
    held.add([str(tmp_path / "more.json")])
    held.prepare()
    yield held
    held.close()


def made(library: Library, step: Any) -> None:
    assert step
    library.commit(step)


def write(library: Library, *edits: tuple[str, str, Value]) -> None:
    made(library, library.step("write", edits))


def undo(library: Library) -> None:
    undone = library.undo()
    assert undone
    library.commit(undone.step)


def whole(library: Library) -> dict[str, Any]:
    """All that can be seen of a library."""
    return {
        "papers": [library.json(id) for id in library.ids],
        "found": {text: library.find(text).ids for text in ("word1here", "owl1", "is:read", "tag:a")},
        "facets": library.facets(),
        "tags": dict(library.tags()),
        "unread": library.count("unread"),
        "headings": library.headings().holding("title", 10),
        "sorted": library.find("", sort="title").ids,
    }


def test_two_papers_are_one_everywhere_and_two_again_after_an_undo(library: Library) -> None:
    first, later = library.ids[1], library.ids[7]
    write(library, (first, "status", "read"), (later, "tags/a", True), (later, "note", f"See [[{first}]]"))
    write(library, (library.ids[0], "note", f"Of [[{later}]] and more"))
    before = whole(library)
    made(library, library.join([later, first]))
    paper = library.json(first)
    assert later not in library.ids
    assert len(library.ids) == 8
    assert (paper["title"], paper["heading"]) == ("Title 1", "Title 1")
    assert paper["abstract"].endswith("Word1here.")
    assert [source["file"] for source in paper["sources"]] == ["list.txt", "more.json"]
    assert paper["identifiers"]["doi"] == ["10.1000/1"]
    assert (paper["status"], paper["tags"], paper["note"]) == ("read", ["a"], f"See [[{first}]]")
    for name in (later, first, "10.1000/1", later[:8]):
        assert library.resolve(name) == first
    assert library.row(later) == library.row(first)
    assert library.entry(later) == library.entry(first)
    assert library.find("word1here title:title").ids == (first,)
    assert library.find("word1here -title").ids == ()
    assert library.find("id:10.1000/1").ids == (first,)
    assert set(library.linked_from(first)) == {library.ids[0], first}
    assert library.facets().sources == {"list.txt": 6, "more.json": 3}
    assert library.facets().tags == {"a": 1}
    assert library.find("tag:a").ids == (first,)
    assert library.find("", sort="title").ids.index(first) < 3 + 6
    undo(library)
    assert whole(library) == before


def test_what_is_written_about_a_name_of_it_is_written_about_the_paper(library: Library) -> None:
    first, later = library.ids[1], library.ids[7]
    made(library, library.join([first, later]))
    write(library, (later, "tags/b", True))
    assert library.annotation(first).tags == library.annotation(later).tags == ("b",)
    assert library.tags() == {"b": 1}


def test_it_stays_so_after_a_start_in_another_window_and_when_its_list_comes_again(
    library: Library, tmp_path: Path
) -> None:
    first, later = library.ids[1], library.ids[7]
    other = Library(library.layout.folder)
    other.prepare()
    made(library, library.join([first, later]))
    other.refresh()
    assert other.ids == library.ids
    assert other.find("word1here owl1").ids == ()
    assert other.find("word1here title").ids == (first,)
    other.close()
    reports = library.add([str(tmp_path / "more.json"), str(tmp_path / "list.txt")])
    assert [report.unchanged for report in reports] == [3, 6]
    again = Library(library.layout.folder)
    assert again.find("word1here title").ids == (first,)
    again.reindex(lambda _done, _all: None)
    assert again.find("word1here title").ids == (first,)
    made(again, again.join([again.ids[0], later]))
    assert again.resolve(later) == again.resolve(first) == again.ids[0], "a chain of joins has one end"
    assert again.find("word0here title word1here").ids == ()
    again.close()


def test_two_machines_that_join_in_opposite_ways_agree(library: Library, tmp_path: Path) -> None:
    first, later = library.ids[1], library.ids[7]
    write(library, (first, "joined", later))
    write(library, (later, "joined", first))
    assert len(library.ids) == 8
    assert library.resolve(later) == library.resolve(first) == first
    del tmp_path


@pytest.mark.parametrize("named", [[], [0], [0, 0]])
def test_fewer_than_two_are_not_joined(library: Library, named: list[int]) -> None:
    with pytest.raises(LibraryError, match="two papers or more"):
        library.join([library.ids[at] for at in named])


@pytest.mark.parametrize("value", ["", "x", 7, True])
def test_joined_is_another_paper(library: Library, value: Any) -> None:
    for wrong in (value, library.ids[0]):
        with pytest.raises((LibraryError, ValueError), match="joined"):
            made(library, library.step("join", [(library.ids[0], "joined", wrong)]))


def test_a_record_that_names_two_papers_joins_them_as_one_step(library: Library, tmp_path: Path) -> None:
    entries = [
        {"type": "article", "title": "A", "DOI": "10.1000/1", "abstract": f"{abstract(1)} Word1here."},
        {"type": "article", "title": "B", "DOI": "10.1000/2", "PMID": "1234567"},
        {"type": "article", "title": "C", "DOI": "10.1000/0", "PMID": "1234567"},
    ]
    ids, before = list(library.ids), len(library.ids)
    write(library, (ids[8], "note", "of two"), (ids[6], "note", "of nought"))
    (tmp_path / "both.json").write_text(json.dumps(entries))
    (report,) = library.add([str(tmp_path / "both.json")])
    assert (report.new, report.merged, report.one) == (0, 3, 2)
    assert len(library.ids) == before - 2
    assert library.resolve(ids[7]) == ids[1]
    assert library.resolve(ids[8]) == ids[6]
    assert sorted(library.annotation(ids[6]).note.split()) == ["nought", "of", "of", "two"]
    undo(library)
    assert list(library.ids) == ids
    (again,) = library.add([str(tmp_path / "both.json")])
    assert (again.unchanged, again.one) == (3, 0)
    assert list(library.ids) == ids, "what was taken apart stays so"


def test_the_order_of_imports_changes_ids_and_order_and_nothing_else(tmp_path: Path) -> None:
    text, doi, arxiv = f"{abstract(1)} And more.", "10.1000/one", "2405.00001"
    files = {
        "a.txt": f"Daily Papers\n\n{text}\n\n{abstract(2)}\n",
        "b.bib": f"@article{{k, title={{The title}}, doi={{{doi}}}, year=2024}}",
        "c.ris": f"TY  - JOUR\nTI  - The title\nUR  - https://arxiv.org/abs/{arxiv}\nER  - \n",
        "d.json": json.dumps([{"type": "article", "title": "The title", "DOI": doi, "abstract": text}]),
        "e.csv": f"title,doi,arxiv\nThe title,{doi},{arxiv}\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_text(data)
    seen = []
    for number, order in enumerate(itertools.permutations(files)):
        library = Library(tmp_path / f"library{number}", fill=False)
        library.add(str(tmp_path / name) for name in order)
        papers = [library.json(id) for id in library.ids]
        seen.append(sorted(map(alike, papers)))
        library.close()
    assert len(seen[0]) == 2
    assert all(one == seen[0] for one in seen)


def alike(paper: Mapping[str, Any]) -> str:
    names = ("title", "abstract", "authors", "year", "identifiers", "heading")
    files = sorted(source["file"] for source in paper["sources"])
    return json.dumps([files, [paper[name] for name in names]], sort_keys=True)


VALUES: st.SearchStrategy[tuple[str, Value]] = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(["unread", "later", "read", "skipped"])),
    st.tuples(st.just("rating"), st.sampled_from([None, 1, 5])),
    st.tuples(st.just("starred"), st.booleans()),
    st.tuples(st.sampled_from(["tags/a", "tags/b"]), st.booleans()),
    st.tuples(st.just("note"), st.sampled_from(["", "one line", "one line\n\nmore of it", "another thing"])),
)


@given(st.lists(VALUES, max_size=6), st.lists(VALUES, max_size=6))
def test_nothing_of_either_is_lost(first: list[tuple[str, Value]], other: list[tuple[str, Value]]) -> None:
    one, two = (
        told(Annotation(paper), edits) for paper, edits in (("aaaaaaaaaa", first), ("bbbbbbbbbb", other))
    )
    both = told(one, list(joining.edits(one, two)))
    assert set(both.tags) == {*one.tags, *two.tags}
    assert both.starred == (one.starred or two.starred)
    assert both.rating in (one.rating, two.rating)
    assert (both.rating is None) == (one.rating is two.rating is None)
    assert (both.status == "unread") == (one.status == two.status == "unread")
    for note in (one.note, two.note):
        assert all(line in both.note for line in note.split("\n"))


def told(annotation: Annotation, edits: list[tuple[str, Value]]) -> Annotation:
    for number, (field, value) in enumerate(edits):
        annotation = annotation.after(Change("", "", annotation.paper, field, None, value, f"{WHEN}{number}"))
    return annotation


def test_highlights_of_both_stay_and_one_on_the_same_words_takes_the_other_comment(library: Library) -> None:
    first, later = library.ids[1], library.ids[2]
    marks = [library.highlight(id, 0, 8, "claim", f"of {n}") for n, id in enumerate((first, later))]
    same = library.highlight(later, 12, 20, "result")
    write(
        library,
        *(
            (id, f"highlights/{mark.id}", mark.to_json())
            for id, mark in zip((first, later), marks, strict=True)
        ),
    )
    write(library, (later, f"highlights/{same.id}", same.to_json()))
    made(library, library.join([first, later]))
    held = library.annotation(first).highlights
    alike_text = marks[0].quote == marks[1].quote and marks[0].suffix == marks[1].suffix
    assert len(held) == (2 if alike_text else 3)
    comments = {mark.comment for mark in held}
    assert comments == ({f"of 0{APART_IN_LINE}of 1", ""} if alike_text else {"of 0", "of 1", ""})


def test_what_is_joined_reaches_another_machine(library: Library, tmp_path: Path) -> None:
    first, later = library.ids[1], library.ids[7]
    write(library, (later, "note", "kept"))
    made(library, library.join([first, later]))
    data = tmp_path / "all.json"
    library.export_file(library.reading_list(library.ids, "All"), "postil", data)
    other = Library(tmp_path / "other", fill=False)
    other.add([str(tmp_path / "list.txt"), str(tmp_path / "more.json")])
    other.merge(data)
    assert other.resolve(later) == first
    assert other.annotation(later).note == "kept"
    other.close()
    assert Annotations.open(library.layout.folder).joined() == {later}
