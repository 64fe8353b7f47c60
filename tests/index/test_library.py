"""The one door: opening and closing, a folder that cannot be written, finding and exporting through it."""

from __future__ import annotations

import gc
import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index import files, paths, seed_lists
from index.drafts import Draft, Drafts
from index.library import Library, LibraryError
from index.papers import Annotation
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


# Opening and closing


def test_an_empty_library_is_filled_once(tmp_path: Path) -> None:
    library = Library(tmp_path / "library")
    assert (len(library.ids), library.count("unread"), library.notice) == (393, 393, None)
    assert library.close() == []
    library.layout.papers.write_bytes(b"")
    again = Library(tmp_path / "library")
    assert len(again.ids) == 0, "it holds a papers.jsonl, so it is as its owner wants it"
    again.close()


def test_a_named_library_starts_empty_and_takes_the_lists_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = list_file(tmp_path / "shipped.txt", [abstract(number) for number in range(3)])
    monkeypatch.setattr(seed_lists, "seed_lists", lambda: [shipped])
    more = list_file(tmp_path / "more.txt", [abstract(9)])
    library = opened(tmp_path / "library")
    assert list(library.ids) == []
    assert [(report.path, report.new) for report in library.add([str(more)], seeds=True)] == [
        (str(shipped), 3), (str(more), 1),
    ]  # fmt: skip
    assert len(library.ids) == 4
    library.close()


def test_a_folder_fit_for_git_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "library"
    opened(folder).close()
    assert "index/" in (folder / ".gitignore").read_text().splitlines()
    assert (folder / ".gitattributes").read_text() == "*.jsonl merge=union\n"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in (".gitignore", ".gitattributes"):
        (folder / name).write_text("mine\n")
    opened(folder).close()
    assert [(folder / name).read_text() for name in (".gitignore", ".gitattributes")] == ["mine\n", "mine\n"]


def test_every_file_of_a_library_is_its_owners_alone(library: Library) -> None:
    do(library, (library.ids[0], "note", "x"))
    library.prepare()
    library.remember(paper="x")
    library.close()
    own = [path for path in library.layout.folder.iterdir() if path.is_file()]
    assert {path.name for path in own} >= {"papers.jsonl", "annotations.json", "history.jsonl", "state.json"}
    assert {
        path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in own if path.stat().st_mode & 0o077
    } == {}


@pytest.fixture
def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which nothing can be written, for whomever the tests run as, once it is asked for."""
    folder = tmp_path / "unwritable"

    def refusing(name: str) -> Any:
        real = getattr(files, name)

        def call(path: Path, *rest: Any, **named: Any) -> Any:
            if path.is_relative_to(folder) and (name != "make_folder" or not path.exists()):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path, *rest, **named)

        return call

    for name in ("make_folder", "replace", "append", "locked"):
        monkeypatch.setattr(files, name, refusing(name))
    return folder


@pytest.mark.parametrize("made_before", [False, True])
def test_a_folder_that_cannot_be_written_shows_the_lists_from_memory(
    unwritable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_before: bool
) -> None:
    shipped = list_file(tmp_path / "shipped.txt", [abstract(number) for number in range(3)])
    monkeypatch.setattr(seed_lists, "seed_lists", lambda: [shipped])
    if made_before:
        unwritable.mkdir()
        for name in (".gitignore", ".gitattributes"):
            (unwritable / name).touch()
    library = Library(unwritable)
    assert (
        library.notice
        == f"{unwritable} cannot be written (Permission denied): nothing you write here is kept"
    )
    assert len(library.ids) == 3
    do(library, (library.ids[0], "starred", True))
    assert library.find("is:starred").ids == (library.ids[0],)
    memory = library.layout.folder
    assert (library.waiting, library.trouble) == (1, library.notice)
    assert [change.field for change in library.close()] == ["starred"], "it is not on disk"
    monkeypatch.undo()
    library.keep_elsewhere(tmp_path / "kept.json")
    again = Library(tmp_path / "again", fill=False)
    assert again.merge(tmp_path / "kept.json").papers == [library.ids[0]]
    del library
    gc.collect()
    assert not memory.exists()
    assert not (unwritable / "papers.jsonl").exists()


def test_a_library_that_can_only_be_read_is_read(library: Library, unwritable: Path) -> None:
    id = library.ids[0]
    do(library, (id, "note", "words"))
    library.prepare()
    shutil.copytree(library.layout.folder, unwritable)
    (unwritable / "index" / "list").unlink()
    again = Library(unwritable)
    assert (again.notice, len(again.ids), again.annotation(id).note) == (None, len(NUMBERS), "words")
    assert again.find("words").ids == (id,)
    again.remember(paper=id)
    step = again.step("x", [(id, "note", "more")])
    assert step
    with pytest.raises(LibraryError, match="Permission denied"):
        again.commit(step)
    again.close()


def test_a_library_that_cannot_be_read_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").mkdir()
    with pytest.raises(LibraryError, match="cannot be used"):
        opened(tmp_path)


def test_annotations_that_cannot_be_used_stop_the_library_and_are_left(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text("{")
    with pytest.raises(LibraryError, match="is not JSON"):
        opened(tmp_path)
    assert (tmp_path / "annotations.json").read_text() == "{"


def test_opening_and_reading_load_no_whoosh(library: Library) -> None:
    program = (
        "import sys; from pathlib import Path; from index.library import Library;"
        "library = Library(Path(sys.argv[1]), fill=False); library.json(library.ids[0]); library.tags();"
        "sys.exit('whoosh' in sys.modules or 'textual' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert (
        subprocess.run([sys.executable, "-c", program, str(library.layout.folder)], cwd=root).returncode == 0
    )


def test_problems_of_the_papers_and_the_settings_are_told(library: Library) -> None:
    paths.config_file().parent.mkdir(parents=True)
    paths.config_file().write_text("[nonsense]\n")
    library.layout.papers.write_bytes(library.layout.papers.read_bytes() + b"<<<<<<< HEAD\n")
    again = opened(library.layout.folder)
    assert len(again.problems) == 2
    assert len(again.ids) == len(NUMBERS)
    again.close()


# Finding and exporting through the door


def test_a_paper_is_named_by_a_piece_of_its_id(library: Library) -> None:
    id = library.ids[0]
    assert library.resolve(id) == library.resolve(id[:6]) == id
    with pytest.raises(LibraryError, match="no paper 'zzzzzz'"):
        library.resolve("zzzzzz")
    first = {one[0] for one in library.ids}
    several = next(letter for letter in first if sum(one[0] == letter for one in library.ids) > 1)
    with pytest.raises(LibraryError, match=f"'{several}' begins .* ids; write more of it"):
        library.resolve(several)


def test_searches_follow_an_import_and_a_reindex(library: Library, tmp_path: Path) -> None:
    assert library.find("method55").ids == ()
    library.add([str(list_file(tmp_path / "more.txt", [abstract(55)]))])
    assert library.find("method55").ids == (library.ids[-1],)
    assert library.find("added:last").ids == (library.ids[-1],)
    told: list[tuple[int, int]] = []
    library.reindex(lambda *done: told.append(done))
    assert told[-1] == (13, 13)
    assert library.find("method55").ids == (library.ids[-1],)
    library.prepare_in_child(lambda *_done: pytest.fail("it stands already"))
    assert library.related(library.ids[0])


def test_matches_and_snippets(library: Library) -> None:
    found = library.find("wastes")
    text = library.entry(found.ids[0]).paper.abstract
    spans = library.matches(text, found)
    assert [text[start:end] for start, end in spans] == ["wastes"]
    start, end = library.snippet(text, spans, 40)
    assert "wastes" in text[start:end]
    assert end - start <= 40


def test_an_index_that_cannot_be_built_is_an_error_in_one_line(library: Library) -> None:
    library.layout.index_lock.mkdir()
    for call in (
        library.prepare,
        lambda: library.find("x"),
        lambda: library.prepare_in_child(lambda *_done: None),
    ):
        with pytest.raises(LibraryError, match="the search index cannot be built"):
            call()


def test_an_export_through_the_door(library: Library, tmp_path: Path) -> None:
    do(library, *everything(library, library.ids[0]))
    papers = library.reading_list(library.ids[:3], "Mine", "x")
    text = "".join(library.export_text(papers, "json"))
    assert [one["id"] for one in json.loads(text)["papers"]] == library.ids[:3]
    path = tmp_path / "out.json"
    library.export_file(papers, "json", path)
    assert path.read_text("utf-8") == text
    library.remember(paper="x")
    library.export_file(papers, "json", path)
    path.write_text("edited")
    for bad_path, format, line in (
        (path, "json", "not as an export left it"),
        (tmp_path, "json", "is a folder"),
        (tmp_path / "o", "pdf", "unknown format"),
        (tmp_path / "no" / "o", "json", "cannot be written"),
        (Path("~nobody-of-this-name/o"), "json", "home"),
    ):
        with pytest.raises(LibraryError, match=line):
            library.export_file(papers, format, bad_path)
    assert path.read_text() == "edited"
    with pytest.raises(LibraryError, match="unknown format"):
        library.export_text(papers, "pdf")


def test_papers_taken_away_under_an_open_library_are_an_error_in_one_line(library: Library) -> None:
    id = library.ids[0]
    library.layout.papers.unlink()
    for call in (
        lambda: library.entry(id),
        lambda: library.json(id),
        lambda: library.reading_list([id], "x"),
    ):
        with pytest.raises(LibraryError, match=r"papers.jsonl cannot be read"):
            call()


def test_papers_changed_under_an_open_library_are_read_where_they_are(library: Library) -> None:
    lines = library.layout.papers.read_bytes().splitlines(keepends=True)
    library.layout.papers.write_bytes(b"".join(reversed(lines)))
    expected = [abstract(number) for number in NUMBERS]
    papers = library.reading_list(list(library.ids), "x").entries
    assert sorted(entry.paper.abstract for entry in papers) == sorted(expected)
    library.layout.papers.write_bytes(b"".join(lines[:-1]))
    ids = [*library.ids]
    library.layout.papers.write_bytes(b"".join(lines[1:]))
    left = library.reading_list(ids, "x").entries
    assert len(left) == len(NUMBERS) - 1


def test_an_import_that_cannot_be_written_is_an_error_in_one_line(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "append", full)
    path = list_file(tmp_path / "more.txt", [abstract(77)])
    with pytest.raises(LibraryError, match="cannot be written: No space left"):
        library.add([str(path)])


def test_an_untouched_paper_has_an_untouched_annotation(library: Library) -> None:
    assert library.annotation(library.ids[0]) == Annotation(library.ids[0])
    assert paths.Layout(library.layout.folder) == library.layout


def test_a_first_filling_that_is_broken_off_leaves_nothing_and_the_next_start_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("index.shelf.Shelf._tell_apart", broken)
        with pytest.raises(KeyboardInterrupt):
            Library(tmp_path / "library")
    assert not (tmp_path / "library" / "papers.jsonl").exists()
    library = Library(tmp_path / "library")
    assert len(library.ids) == 393
    library.close()
    assert not list((tmp_path / "library").glob(".filling-*"))


def test_nothing_is_written_to_a_library_that_came_in_the_place_of_the_open_one(
    library: Library, tmp_path: Path
) -> None:
    do(library, (library.ids[0], "starred", True))
    folder = library.layout.folder
    other = Library(tmp_path / "other", fill=False)
    other.add([str(list_file(tmp_path / "other.txt", [abstract(9)]))])
    do(other, (other.ids[0], "starred", True))
    other.close()
    drafts = Drafts(folder, lambda: library.displaced)
    places = [library.displaced]
    folder.rename(tmp_path / "first")
    (tmp_path / "other").rename(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    places.append(library.displaced)
    library.remember(paper="here")
    drafts.keep(Draft(library.ids[0], "", "half a thought"))
    drafts.write()
    assert drafts.trouble == "this note is not on disk: another folder has come in the library's place"
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    folder.rename(tmp_path / "other")
    (tmp_path / "first").rename(folder)
    places.append(library.displaced)
    assert places == [False, True, False]
    drafts.write()
    assert "half a thought" in drafts.path.read_text()


def test_a_file_in_the_place_of_the_index_is_moved_aside(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    library = Library(folder, fill=False)
    library.add([str(list_file(tmp_path / "l.txt", [abstract(number) for number in range(3)]))])
    library.close()
    shutil.rmtree(folder / "index")
    (folder / "index").write_text("mine", "utf-8")
    library = Library(folder, fill=False)
    assert len(library.find("case").ids) == 3
    library.close()
    assert (folder / "damaged" / "index").read_text("utf-8") == "mine"
