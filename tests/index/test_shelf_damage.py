"""The shelf's two files: damaged, cut off, swapped underneath; the list beside is never believed."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest

from index import files, list_rows
from index.papers import Record, identities
from index.shelf import Shelf
from tests.index.helpers import WHEN, abstract, listed, records, rows, shelf_in

LATER = "2026-12-01T08:00:00.000Z"


def again(shelf: Shelf) -> Shelf:
    return Shelf(shelf.layout)


# Damage


SOURCE = b'"source": {"file": "f", "position": 1, "added": ""}'
DAMAGE = {
    "no JSON": b"this is no JSON",
    "a git marker": b"<<<<<<< HEAD",
    "another git marker": b"=======",
    "a list": b"[1, 2]",
    "a text": b'"text"',
    "no fields": b"{}",
    "an id that is a number": b'{"id": 7, ' + SOURCE + b"}",
    "an id that is a path": b'{"id": "../../../x", ' + SOURCE + b"}",
    "a source that is a text": b'{"id": "abcdefghij", "source": "f"}',
    "a position that is a text": b'{"id": "abcdefghij", ' + SOURCE.replace(b"1", b'"1"') + b"}",
    "invalid UTF-8": b'{"id": "abcdefghij", "abstract": "\xff\xfe", ' + SOURCE + b"}",
    "deep nesting": b'{"id": ' + b"[" * 3000 + b"]" * 3000 + b"}",
    "deep nesting, open": b'{"a":' * 3000,
    "a number without end": b"1" * 9000,
    "NULs": b"\0" * 40,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_line_is_told_and_kept_and_the_rest_works(tmp_path: Path, damage: bytes) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    first, second = shelf.layout.papers.read_bytes().splitlines(keepends=True)
    shelf.layout.papers.write_bytes(first + damage + b"\n" + second)
    for opened in (shelf, again(shelf), again(shelf)):  # followed, read anew, and from the list
        opened.refresh()
        assert [paper.abstract for paper in opened.papers()] == [abstract(1), abstract(2)]
        assert opened.problems == [f"papers.jsonl: the line at byte {len(first)} is damaged and passed over"]
    assert again(shelf).add(records([1, 2, 3]), "f", WHEN).new == 1
    assert shelf.layout.papers.read_bytes().startswith(first + damage + b"\n" + second)
    assert len(again(shelf)) == 3


def test_noise_in_place_of_papers_is_told_once_with_a_count(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    noise = random.Random(3).randbytes(500).replace(b"\n", b"") + b"\n\n"
    shelf.layout.papers.write_bytes(noise + b"x\n\r\n" + noise)
    for opened in (again(shelf), again(shelf)):
        (told,) = opened.problems
        assert "3 lines" in told
        assert "at byte 0" in told
    assert shelf_in(tmp_path).layout.papers.read_bytes() == noise + b"x\n\r\n" + noise


@pytest.mark.parametrize(("kind", "make"), [("a folder", Path.mkdir), ("a named pipe", os.mkfifo)])
def test_what_is_no_file_in_place_of_papers_is_not_waited_for(
    tmp_path: Path, kind: str, make: Callable[[Path], None]
) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    path = shelf.layout.papers
    path.unlink()
    make(path)
    for use in (lambda: again(shelf), shelf.refresh, lambda: shelf.paper(shelf.ids[0])):
        with pytest.raises(OSError, match=f"papers.jsonl is {kind}: move it away") as raised:
            use()
        assert not isinstance(raised.value, FileNotFoundError)
    path.rmdir() if path.is_dir() else path.unlink()
    path.touch()
    assert len(again(shelf)) == 0


def test_fields_of_a_wrong_kind_are_left_out_and_text_is_cleaned(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    wrong = {
        "id": "abcdefghij", "source": {"file": "a\x1b[31m\nb", "position": 1, "added": WHEN},
        "abstract": "red \x1b[31m \u202e " + abstract(1), "title": 7, "year": "2020", "venue": None,
        "authors": "A. One",
        "keywords": ["k", 1, None], "links": {"a": 1}, "identifiers": {"doi": "10.1/x", "pmid": [1, "2"]},
        "extra": [], "keys": [["a"], {"b": 1}, None, "text:1"],
    }  # fmt: skip
    shelf.layout.papers.write_text(
        json.dumps(wrong) + "\n" + json.dumps({**wrong, "id": "bbbbbbbbbb", "year": 10**400}) + "\n"
    )
    for opened in (again(shelf), again(shelf)):
        paper = opened.paper("abcdefghij")
        assert paper.abstract == "red [31m  " + abstract(1)
        assert (paper.title, paper.year, paper.venue, paper.authors, paper.keywords) == (
            None,
            None,
            None,
            (),
            ("k",),
        )
        assert (paper.links, paper.identifiers, paper.extra) == ((), {"doi": (), "pmid": ("2",)}, {})
        assert paper.sources[0].file == "a[31m\nb"
        assert opened.row("abcdefghij").keys == ("text:1",)
        assert not opened.problems


def test_every_truncation_of_papers_leaves_the_whole_lines_and_the_next_import_mends(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path / "whole")
    shelf.add(records([1, 2, 3]), "f", WHEN)
    whole = shelf.layout.papers.read_bytes()
    expected = listed(shelf)
    for end in [*range(0, len(whole), 131), len(whole) - 1]:
        cut = shelf_in(tmp_path / str(end))
        cut.layout.papers.write_bytes(whole[:end])
        cut.refresh()
        lines = whole[:end].count(b"\n")
        assert len(cut) in (lines, lines + (end == len(whole) - 1))
        cut.add(records([1, 2, 3]), "f", WHEN)
        assert listed(cut) == listed(again(cut)) == expected, end
        assert cut.layout.papers.read_bytes().startswith(whole[:end])
        assert rows(cut) == rows(again(cut))
        cut.layout.list.unlink()
        assert listed(again(cut)) == expected, "nothing was glued onto the torn line"


def test_lines_that_a_union_merge_doubled_are_one_source_each(tmp_path: Path) -> None:
    one, two = shelf_in(tmp_path / "one"), shelf_in(tmp_path / "two")
    one.add(records([1, 2]), "f", WHEN)
    two.add(records([2, 1]), "f", LATER)
    one.layout.papers.write_bytes(
        one.layout.papers.read_bytes() + two.layout.papers.read_bytes() + one.layout.papers.read_bytes()
    )
    one.refresh()
    assert [[(s.position, s.added) for s in paper.sources] for paper in one.papers()] == [
        [(1, WHEN), (2, LATER)], [(2, WHEN), (1, LATER)],
    ]  # fmt: skip


def test_of_two_machines_the_earlier_line_says_the_title(tmp_path: Path) -> None:
    one, two = shelf_in(tmp_path / "one"), shelf_in(tmp_path / "two")
    one.add([Record(1, abstract(1), title="One", year=2020)], "f", WHEN)
    two.add([Record(1, abstract(1), title="Two", venue="There")], "g", LATER)
    one.layout.papers.write_bytes(one.layout.papers.read_bytes() + two.layout.papers.read_bytes())
    one.refresh()
    (paper,) = one.papers()
    assert (paper.title, paper.heading, paper.year, paper.venue) == ("One", "One", 2020, "There")


# The list beside it


def test_the_list_is_enough_to_begin_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records(range(5)), "f", WHEN)
    monkeypatch.setattr(Shelf, "_follow", None)
    opened = again(shelf)
    assert rows(opened) == rows(shelf)
    assert opened.stamp == shelf.stamp


@pytest.mark.parametrize("way", ["truncated", "flipped", "deleted", "emptied", "of another schema"])
def test_a_list_that_is_not_as_it_was_written_is_made_again(tmp_path: Path, way: str) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    shelf.layout.papers.write_bytes(shelf.layout.papers.read_bytes() + b"damaged\n")
    shelf.refresh()
    path, expected = shelf.layout.list, (rows(shelf), shelf.stamp, shelf.problems)
    sound = path.read_bytes()
    pick = random.Random(1)
    damaged: dict[str, list[bytes | None]] = {
        "truncated": [sound[:end] for end in {*range(0, len(sound), 19), len(sound) - 1}],
        "flipped": [flipped(sound, at, 1 << pick.randrange(8)) for at in range(0, len(sound), 17)],
        "deleted": [None],
        "emptied": [b"", b"\n", b"\n\n\n"],
        "of another schema": [
            summed(sound.replace(b'"schema": 3', b'"schema": 1').replace(b'"length": ', b'"length":1')),
            summed(sound.replace(b"little", b"bigger").replace(b'"length": ', b'"length":1')),
        ],
    }
    for data in damaged[way]:
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)
        opened = again(shelf)
        assert (rows(opened), opened.stamp, opened.problems) == expected
        assert rows(again(shelf)) == expected[0]


def test_a_list_of_the_schema_before_has_the_keys_of_today_and_its_headings(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    short = Record(1, "Short.", title="Introduction to C++", extra={"volume": "7"})
    shelf.add([short, *records([2])], "f", WHEN)
    ids, path, expected = list(shelf.ids), shelf.layout.list, rows(shelf)
    (new,) = (key for key in identities(short) if key.startswith("all:"))
    held = [shelf.row(id) for id in ids]
    old = [replace(row, keys=("all:" + "0" * 32,)) if new in row.keys else row for row in held]
    head = {**list_rows.read(path)[0], "schema": 2}
    list_rows.write(path, head, ids, [list_rows.line_of(row) for row in old])
    opened = again(shelf)
    assert rows(opened) == expected
    assert list_rows.read(path)[0]["schema"] == 3
    assert opened.add([short], "f", WHEN).unchanged == 1
    list_rows.write(path, head, ids, [list_rows.line_of(row) for row in old])
    data = shelf.layout.papers.read_bytes()
    shelf.layout.papers.write_bytes(data[1:] + b" ")
    assert again(shelf).problems, "the list is made anew"


def summed(data: bytes) -> bytes:
    """The list `data` with the sum that what is read to begin has now."""
    first, _, rest = data.partition(b"\n")
    length = int(first.split()[1])
    return b"%08x %d\n" % (crc32(rest[:length]), length) + rest


def flipped(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


@pytest.mark.parametrize("way", ["in place", "with the old time", "by a rename"])
def test_papers_of_the_same_length_swapped_underneath_are_seen(tmp_path: Path, way: str) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    path, before, stamp = shelf.layout.papers, shelf.layout.papers.stat(), shelf.stamp
    other = path.read_bytes().replace(b"case 1", b"case 7")
    time.sleep(0.02)  # the clock of a file system goes in steps
    if way == "by a rename":
        files.replace(path, [other])
    else:
        path.write_bytes(other)
    if way == "with the old time":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    new = Record(1, abstract(1).replace("case 1", "case 7"))
    for opened in (again(shelf), shelf):
        assert opened.refresh() is (opened is shelf)
        assert opened.stamp != stamp
        assert rows(opened)[0].keys == identities(new)
        assert opened.paper(opened.ids[0]).abstract == new.abstract


def test_a_line_that_was_made_longer_or_shorter_is_read_anew(tmp_path: Path) -> None:
    for name, old, new in (("longer", b"case 1.", b"case 1 and more."), ("shorter", b"We study ", b"")):
        shelf = shelf_in(tmp_path / name)
        shelf.add(records([1, 2, 3]), "f", WHEN)
        changed = shelf.layout.papers.read_bytes().replace(old, new, 1)
        shelf.layout.papers.write_bytes(changed)
        assert shelf.refresh()
        assert rows(shelf) == rows(again(shelf))
        assert [row.words for row in rows(shelf)] == [len(paper.abstract.split()) for paper in shelf.papers()]
        shelf.layout.list.unlink()
        assert rows(shelf) == rows(again(shelf))


def test_another_window_follows_what_is_added_and_what_is_gone(tmp_path: Path) -> None:
    shelf, window = shelf_in(tmp_path), shelf_in(tmp_path)
    assert not window.refresh()
    shelf.add(records([1, 2]), "f", WHEN)
    assert window.refresh()
    assert not window.refresh()
    assert rows(window) == rows(shelf)
    window.add(records([3]), "g", WHEN)
    assert shelf.add(records([3]), "g", WHEN).unchanged == 1
    shelf.layout.papers.unlink()
    assert window.refresh()
    assert len(window) == len(again(shelf)) == 0


def test_what_was_added_since_a_stamp(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    stamp = json.loads(json.dumps(shelf.stamp))
    assert shelf.since(stamp) == []
    shelf.add([*records([3]), Record(7, abstract(1), title="T")], "g", WHEN)
    assert shelf.since(stamp) == [shelf.ids[0], shelf.ids[2]]
    for wrong in ({}, {"length": "1"}, {**stamp, "digest": "x"}, {**stamp, "length": stamp["length"] + 1},
                  {"length": 0, "digest": ""}, {**stamp, "length": 10**9}):  # fmt: skip
        assert shelf.since(wrong) is None


def test_a_paper_whose_line_has_moved_is_read_where_it_is(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add(records([1, 2]), "f", WHEN)
    first, second = shelf.layout.papers.read_bytes().splitlines(keepends=True)
    shelf.layout.papers.write_bytes(second + first)
    assert shelf.paper(shelf.ids[0]).abstract == abstract(1)
