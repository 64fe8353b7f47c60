"""A note as a file for another editor: what goes out comes back, and the comment never does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import note_files
from index.clean import clean
from index.drafts import Drafts
from tests.tui.test_drafts import GONE, leave

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
DASHES = st.text("->! \n", max_size=30)


@given(TEXT, DASHES, DASHES)
def test_a_note_comes_back_without_the_comment(note: str, heading: str, abstract: str) -> None:
    note = clean(note).strip()
    given_out = note_files.text(note, clean(heading), clean(abstract))
    assert given_out.count("-->") == 1 + note.count("-->")
    assert note_files.note_in(given_out.encode()) == note


def given_out() -> str:
    return note_files.text("a note", "Heading", "An abstract --> with an end.")


@pytest.mark.parametrize(
    "data",
    [
        given_out().replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + given_out().encode(),
        given_out().encode("utf-16"),
        given_out().replace("a note", "a\0 note\x1b").encode(),
        given_out().removesuffix("\n").encode(),
    ],
)
def test_what_editors_do_to_a_file_does_no_harm(data: bytes) -> None:
    assert note_files.note_in(data) == "a note"


def test_bad_bytes_are_taken_for_what_they_most_likely_are() -> None:
    assert note_files.note_in(b"caf\xe9 \xe2\x80\x94 \x93quoted\x94") == "café — “quoted”"


def test_what_is_written_below_the_comment_is_kept_and_a_broken_comment_too() -> None:
    assert note_files.note_in(f"{given_out()}more\n".encode()) == "a note\n\nmore"
    broken = given_out().replace("-->", "")
    assert note_files.note_in(broken.encode()) == clean(broken).strip()


def test_the_file_is_private_and_a_huge_one_is_not_read(tmp_path: Path) -> None:
    path = note_files.place(tmp_path, "a123456789")
    note_files.write(path, "n", "h", "a")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.name == f"draft.{os.getpid()}.a123456789.md"
    with path.open("ab") as file:
        file.truncate(note_files.MOST + 1)
    with pytest.raises(OSError, match="larger than 4 MB"):
        note_files.read(path)


def test_a_note_left_in_an_editor_is_taken_up_with_what_it_was_before(tmp_path: Path) -> None:
    paper = "a123456789"
    leave(tmp_path, {"paper": paper, "before": "old", "note": "old"})
    outside = tmp_path / f"draft.{GONE}.{paper}.md"
    note_files.write(outside, "new", "Heading", "Abstract")
    (tmp_path / f"draft.{GONE}.b123456789.md").write_bytes(b"alone")
    (tmp_path / "draft.none.c123456789.md").write_bytes(b"not ours")
    held = Drafts(tmp_path)
    told = [(draft.paper, draft.before, draft.note) for chain in held.take_up() for draft in chain]
    assert told == [(paper, "old", "old"), (paper, "old", "new"), ("b123456789", "", "alone")]
    assert [path.name for path in tmp_path.glob("draft.*.md")] == ["draft.none.c123456789.md"]
    assert held.path.exists()
