"""Highlights on a text that has changed since: where the desk shows them, and what a key does to them."""

from __future__ import annotations

import json
from pathlib import Path

from index.library import Library
from index.papers import APART_IN_LINE
from tui.desk import Desk


def test_a_highlight_moves_with_its_words_and_can_be_taken_away_there(library_folder: Path) -> None:
    library = Library(library_folder)
    id = library.ids[5]
    text = library.entry(id).paper.abstract
    moved, lost = library.highlight(id, 60, 90, "claim"), library.highlight(id, 10, 30, "doubt")
    step = library.step("two", [(id, f"highlights/{mark.id}", mark.to_json()) for mark in (moved, lost)])
    assert step
    library.commit(step)
    library.close()
    path = library_folder / "papers.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        if line["id"] == id:
            line["abstract"] = text[:15] + "another" + text[20:]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    library = Library(library_folder)
    desk = Desk(library)
    view = desk.view(id)
    assert [mark.id for mark in view.lost] == [lost.id]
    (shown,) = view.highlights
    assert (shown.start, shown.end) == (62, 92)
    assert view.abstract[62:92] == moved.quote
    step = desk.unhighlight(id, 62, 92)
    assert step
    assert [(change.field, change.after) for change in step.changes] == [(f"highlights/{moved.id}", None)]
    library.close()


def test_a_comment_meets_what_another_window_did_to_the_highlight_meanwhile(library_folder: Path) -> None:
    library, other = Library(library_folder), Library(library_folder)
    id = library.ids[5]
    mark = library.highlight(id, 60, 90, "claim")
    field = f"highlights/{mark.id}"

    def elsewhere(**edit: str) -> None:
        step = other.step("another window", [(id, field, {**mark.to_json(), **edit} if edit else None)])
        assert step
        other.commit(step)
        library.refresh()

    made = library.step("a highlight", [(id, field, mark.to_json())])
    assert made
    library.commit(made)
    other.refresh()
    desk = Desk(library)
    (shown,) = desk.view(id).highlights
    elsewhere(comment="Second.", colour="doubt")
    step = desk.comment(id, shown, "First.")
    assert step
    library.commit(step)
    (both,) = library.annotation(id).highlights
    assert (both.comment, both.colour) == (f"Second.{APART_IN_LINE}First.", "doubt")
    other.refresh()
    elsewhere()
    assert library.annotation(id).highlights == ()
    step = desk.comment(id, both, "Still a thought.")
    assert step
    library.commit(step)
    (back,) = library.annotation(id).highlights
    assert (back.comment, back.quote) == ("Still a thought.", mark.quote), (
        "words are not lost with a highlight"
    )
    assert desk.comment(id, back, "Still a thought.") is None
