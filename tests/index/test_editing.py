"""What the reader knows better of a paper: a title, a DOI, an arXiv id; a later record then meets it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from index.library import Library, LibraryError
from tests.index.helpers import abstract


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    held = Library(tmp_path / "library", fill=False)
    path = tmp_path / "list.txt"
    path.write_text("Daily Papers\n\n" + "\n\n".join(map(abstract, range(5))))
    held.add([str(path)])
    held.prepare()
    yield held
    held.close()


def edit(library: Library, id: str, **what: str) -> None:
    step = library.edit(id, **what)
    assert step
    library.commit(step)


def undo(library: Library) -> None:
    undone = library.undo()
    assert undone
    library.commit(undone.step)


def test_a_bare_abstract_meets_its_later_record_by_the_identifier_that_was_given(
    library: Library, tmp_path: Path
) -> None:
    paper = library.ids[2]
    edit(library, paper, doi="https://doi.org/10.1000/ABC", arxiv="arXiv:2405.00001v2")
    assert library.json(paper)["identifiers"] == {"doi": ["10.1000/abc"], "arxiv": ["2405.00001"]}
    for name in ("10.1000/abc", "https://doi.org/10.1000/ABC", "2405.00001", "arxiv:2405.00001"):
        assert library.resolve(name) == paper
        assert library.find(f"id:{name.removeprefix('https://doi.org/')}").ids == (paper,)
    records = [
        {"title": "Its title", "DOI": "10.1000/abc", "abstract": "Said in other words.", "type": "article"},
        {"title": "Another", "DOI": "10.1000/abd", "abstract": "Of something else.", "type": "article"},
    ]
    (tmp_path / "later.json").write_text(json.dumps(records))
    (report,) = library.add([str(tmp_path / "later.json")])
    assert (report.records, report.new, report.merged) == (2, 1, 1)
    held = library.json(paper)
    assert (held["title"], held["abstract"]) == ("Its title", abstract(2))
    assert [source["file"] for source in held["sources"]] == ["list.txt", "later.json"]
    (again,) = library.add([str(tmp_path / "later.json")])
    assert (again.new, again.merged, again.unchanged) == (0, 0, 2)


def test_a_title_that_was_given_is_shown_found_and_taken_back(library: Library) -> None:
    paper, before = library.ids[1], library.row(library.ids[1]).heading
    edit(library, paper, title="  Owls\n at night ")
    assert (library.row(paper).heading, library.row(paper).titled) == ("Owls at night", True)
    assert library.find("title:owls").ids == (paper,)
    edit(library, paper, title="aa")
    assert library.find("", sort="title").ids[0] == paper
    edit(library, paper, title="zz")
    assert library.find("", sort="title").ids[-1] == paper
    edit(library, paper, title="Owls at night")
    edit(library, paper, title="")
    assert library.row(paper).heading == before
    undo(library)
    assert library.row(paper).heading == "Owls at night"


def test_what_is_no_identifier_or_another_papers_is_refused(library: Library) -> None:
    one, two = library.ids[:2]
    edit(library, one, doi="10.1000/x")
    for wrong, said in (({"doi": "10.1000/X"}, f"`postil show {one}`"), ({"doi": "x"}, "is no DOI")):
        with pytest.raises(LibraryError, match=said):
            library.edit(two, **wrong)
    with pytest.raises(LibraryError, match="is no arXiv id"):
        library.edit(two, arxiv="10.1000/x")
    assert library.edit(one, doi="doi:10.1000/x") is None
    edit(library, one, doi="")
    edit(library, two, doi="10.1000/x")
    assert library.resolve("10.1000/x") == two


def test_identifiers_go_along_to_another_machine_and_come_back_by_an_undo(
    library: Library, tmp_path: Path
) -> None:
    paper = library.ids[0]
    edit(library, paper, arxiv="hep-th/9901001")
    other = Library(tmp_path / "other", fill=False)
    other.add([str(tmp_path / "list.txt")])
    library._annotations.publish()
    other.merge(library.layout.folder / "annotations.json")
    assert other.resolve("hep-th/9901001") == paper
    other.close()
    undo(library)
    assert library.json(paper)["identifiers"] == {}
    assert "arxiv" not in library.json(paper)["identifiers"]
