"""Two windows on one folder against a plain dictionary: whatever they do, the same things are held."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from index.annotations import Annotations, History, Step, inverse, new_step
from index.papers import Change, Highlight, Value, now, paper_id

PAPERS = tuple(paper_id(f"doi:10.1/{number}") for number in range(3))
TEXT = "We ask which words of an abstract a reader marks, and why."
UNTOUCHED: dict[str, Value] = {"status": "unread", "starred": False, "rating": None, "due": None, "note": ""}
MARKS = tuple(
    Highlight(f"h{number}", number, number + 5, TEXT[number : number + 5], comment="c" * number).to_json()
    for number in range(3)
)
EDITS = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(("unread", "later", "read"))),
    st.tuples(st.just("starred"), st.booleans()),
    st.tuples(st.just("rating"), st.none() | st.integers(1, 5)),
    st.tuples(st.just("due"), st.none() | st.sampled_from(("2026-01-31", "2026-02-01"))),
    st.tuples(st.just("note"), st.text(st.sampled_from("ab\n"), max_size=3)),
    st.tuples(st.sampled_from(("tags/rg", "tags/rg/a", "tags/rgb")), st.booleans()),
    st.sampled_from([(f"highlights/{mark['id']}", mark) for mark in MARKS]),
    st.tuples(st.sampled_from([f"highlights/{mark['id']}" for mark in MARKS]), st.none()),
)
OTHER_EDITS = EDITS.filter(lambda edit: edit[0] != "note")
"""What two machines can write apart without both being kept."""
STEPS = st.lists(st.tuples(st.sampled_from(PAPERS), EDITS), min_size=1, max_size=4)
WINDOWS = st.sampled_from((0, 1))


def untouched(field: str) -> Value:
    return UNTOUCHED.get(field, False if field.startswith("tags/") else None)


class TwoWindows(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        # Nothing is killed here, and most of the time would be spent on waiting for the disk.
        self.no_fsync = mock.patch.object(os, "fsync")
        self.no_fsync.start()
        self.windows = [Annotations.open(self.folder), Annotations.open(self.folder)]
        self.history = History(self.folder)
        self.model: dict[tuple[str, str], Value] = {}
        self.waiting: list[list[Change]] = [[], []]

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.no_fsync.stop()
            shutil.rmtree(self.folder)

    def held(self, paper: str, field: str) -> Value:
        return self.model.get((paper, field), untouched(field))

    def write(self, window: int, step: Step) -> None:
        def record(made: list[Change]) -> None:
            assert [c.before for c in made] == befores
            self.history.record(replace(step, changes=tuple(made)))

        befores = []
        for change in step.changes:
            befores.append(self.held(change.paper, change.field))
            self.model[change.paper, change.field] = change.after
        self.windows[window].apply(step.changes, record=record)

    def step(self, window: int, edits: list[tuple[str, tuple[str, Value]]]) -> Step:
        id, when = new_step(), now()
        made = [Change(id, str(window), paper, field, None, after, when) for paper, (field, after) in edits]
        return Step(id, str(window), "a step", when, tuple(made))

    @rule(window=WINDOWS, edits=STEPS)
    def apply(self, window: int, edits: list[tuple[str, tuple[str, Value]]]) -> None:
        self.write(window, self.step(window, edits))

    @rule(window=WINDOWS, edits=STEPS)
    def wait(self, window: int, edits: list[tuple[str, tuple[str, Value]]]) -> None:
        self.waiting[window] += self.windows[window].pending(self.step(window, edits).changes)

    @rule(window=WINDOWS)
    def give_up(self, window: int) -> None:
        self.windows[window].give_up(self.waiting[window])
        self.waiting[window] = []

    @rule(window=WINDOWS)
    def write_what_waits(self, window: int) -> None:
        id, when = new_step(), now()
        waiting, self.waiting[window] = self.waiting[window], []
        self.write(window, Step(id, str(window), "what waited", when, tuple(waiting)))

    @rule(window=WINDOWS)
    def reopen(self, window: int) -> None:
        self.windows[window], self.waiting[window] = Annotations.open(self.folder), []
        self.history = History(self.folder)

    @rule(window=WINDOWS)
    def refresh(self, window: int) -> None:
        store = self.windows[window]
        before = {paper: store.get(paper) for paper in PAPERS}
        news = store.refresh()
        assert news >= {paper for paper in PAPERS if store.get(paper) != before[paper]}
        assert store.refresh() == set()
        self.compare(store, self.model | {(c.paper, c.field): c.after for c in self.waiting[window]})

    @rule(window=WINDOWS, redo=st.booleans())
    def go_back(self, window: int, redo: bool) -> None:
        self.give_up(window)
        self.windows[window].refresh()
        history = self.history
        step = history.redoable(str(window)) if redo else history.undoable(str(window))
        if step is None:
            return
        first: dict[tuple[str, str], Value] = {}
        last: dict[tuple[str, str], Value] = {}
        for change in step.changes:
            place = change.paper, change.field
            first.setdefault(place, change.before)
            last[place] = change.after
        wanted = {place: first[place] for place in first if self.held(*place) == last[place]}
        back, left = inverse(step, self.windows[window].value, str(window))
        assert {(c.paper, c.field): c.after for c in back.changes} == wanted
        assert {(c.paper, c.field) for c in left} == first.keys() - wanted.keys()
        self.write(window, back)

    @rule(window=WINDOWS)
    def publish(self, window: int) -> None:
        self.windows[window].publish()
        time.sleep(0.002)  # so that no later change has a time that the snapshot has

    @rule(half=st.binary(min_size=1, max_size=20).filter(lambda half: b"\n" not in half), window=WINDOWS)
    def be_killed_while_writing(self, half: bytes, window: int) -> None:
        journal = self.folder / "annotations.journal"
        if journal.exists():
            with journal.open("ab") as file:
                file.write(half)
            self.look_first(window)

    @rule(window=WINDOWS, paper=st.sampled_from(PAPERS), edit=OTHER_EDITS)
    def swap(self, window: int, paper: str, edit: tuple[str, Value]) -> None:
        """Another machine made a change on the snapshot as it was last published, and git brought it."""
        here = self.folder / "annotations.json"
        if not here.exists():
            return
        time.sleep(0.002)
        with tempfile.TemporaryDirectory() as there:
            shutil.copy(here, there)
            other = Annotations.open(Path(there))
            known = other.document(paper) or {}
            other.apply(self.step(2, [(paper, edit)]).changes)
            other.publish()
            shutil.copy(Path(there) / "annotations.json", here)
        if not self.never_seen(paper, edit, known):
            self.model[paper, edit[0]] = edit[1]
        time.sleep(0.002)
        self.look_first(window)

    def never_seen(self, paper: str, edit: tuple[str, Value], known: Mapping[str, Any]) -> bool:
        """Whether a highlight was deleted by one that did not know of its comment, so that it stays."""
        field, after = edit
        held = self.held(paper, field)
        if after is not None or not isinstance(held, dict) or not held["comment"]:
            return False
        begin = f"comments/{held['id']}/"
        return not any(name.startswith(begin) for name in known.get("versions", {}))

    def look_first(self, window: int) -> None:
        """The window, before anyone else, sees what happened to the files."""
        self.windows[window].refresh()
        self.compare(
            self.windows[window], self.model | {(c.paper, c.field): c.after for c in self.waiting[window]}
        )

    @invariant()
    def a_fresh_look_holds_the_model(self) -> None:
        if hasattr(self, "model"):
            self.compare(Annotations.open(self.folder), self.model)

    def compare(self, store: Annotations, model: dict[tuple[str, str], Value]) -> None:
        for paper in PAPERS:
            fields = {field: value for (of, field), value in model.items() if of == paper}
            annotation = store.get(paper)
            assert {field: annotation.value(field) for field in fields} == fields
            assert len(annotation.tags) == sum(v is True for f, v in fields.items() if f.startswith("tags/"))
            assert len(annotation.highlights) == sum(
                v is not None for f, v in fields.items() if f.startswith("highlights/")
            )
        notes = dict(store.items())
        assert notes.keys() == {paper for paper, _ in model}
        for status in ("unread", "later", "read"):
            assert store.with_status(status) == {p for p, a in notes.items() if a.status == status}
        assert store.starred() == {p for p, a in notes.items() if a.starred}
        assert store.with_note() == {p for p, a in notes.items() if a.note}
        assert store.with_highlight() == {p for p, a in notes.items() if a.highlights}
        assert store.rated(2, 4) == {p for p, a in notes.items() if a.rating and 2 <= a.rating <= 4}
        assert store.due(None, "2026-01-31") == {p for p, a in notes.items() if a.due == "2026-01-31"}
        assert store.tagged("rg") == {p for p, a in notes.items() if {"rg", "rg/a"} & {*a.tags}}
        assert store.tags() == {
            tag: sum(tag in a.tags for a in notes.values()) for a in notes.values() for tag in a.tags
        }


TwoWindows.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestTwoWindows = TwoWindows.TestCase
