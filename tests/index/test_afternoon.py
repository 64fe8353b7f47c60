"""An afternoon of use by script ends with exactly what a model in memory predicts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tinydb import TinyDB

from index.annotations import Annotations
from index.annotations.storage import LEAST_JOURNAL
from index.library import Library
from tests.index.afternoon import Afternoon
from tests.index.helpers import abstract, list_file
from tests.index.reader_model import PLAIN, Model, written
from tests.index.window import Window, run_command

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")


def library_in(folder: Path) -> dict[str, str]:
    """A library of six papers with its index in `folder`; their abstracts by id."""
    library = Library(folder / "library", fill=False)
    library.add([str(list_file(folder / "list.txt", [abstract(number) for number in range(6)]))])
    library.prepare()
    abstracts = {id: library.entry(id).paper.abstract for id in library.ids}
    library.close()
    return abstracts


@pytest.mark.parametrize(
    ("changes", "seed", "least_journal"),
    [
        (300, 1, LEAST_JOURNAL),
        (300, 3, 4096),
        pytest.param(3000, 2, LEAST_JOURNAL, marks=pytest.mark.slow),
        pytest.param(3000, 4, 4096, marks=pytest.mark.slow),
    ],
    ids=["300", "300-publishing", "3000", "3000-publishing"],
)
def test_an_afternoon_ends_as_the_model_says(
    tmp_path: Path, changes: int, seed: int, least_journal: int
) -> None:
    abstracts = library_in(tmp_path)
    folder = tmp_path / "library"
    afternoon = Afternoon(folder, abstracts, seed, least_journal)
    try:
        afternoon.run(changes)
        afternoon.end()
    finally:
        for window in afternoon.windows:
            window.kill()
    print(afternoon.tally)
    assert len(afternoon.model.steps) >= changes
    assert all(afternoon.tally[what] > changes / 100 for what in ("changed", "undone", "redone", "killed"))
    assert all(afternoon.tally[what] for what in ("reopened", "with a command", "not recorded", "left alone"))
    assert (afternoon.tally["published midway"] > changes / 100) == (least_journal < LEAST_JOURNAL)
    check(folder, afternoon.model, list(abstracts))


def check(folder: Path, model: Model, papers: list[str]) -> None:
    """All that can be asked holds what the model does: a command, the store, and TinyDB itself."""
    told = json.loads(run_command(folder, ["search", "--all", "--json"]))["results"]
    assert {paper["id"]: written(paper) for paper in told} == {id: model.paper(id) for id in papers}
    store = Annotations.open(folder)
    assert {(id, name): store.get(id).value(name) for id, name in model.values} == model.values
    counts: dict[str, int] = {}
    for tag in sorted(tag for paper in papers for tag in model.tags(paper)):
        counts[tag] = counts.get(tag, 0) + 1
    assert store.tags() == json.loads(run_command(folder, ["tags", "--json"]))["tags"] == counts
    with TinyDB(folder / "annotations.json") as stock:
        documents = {document["paper"]: document for document in stock.table("annotations").all()}
    for paper in {paper for paper, _ in model.values}:
        held = documents[paper]
        assert {name: held[name] for name in PLAIN} == {name: model.value(paper, name) for name in PLAIN}
        assert (sorted(held["tags"]), held["highlights"]) == (model.tags(paper), model.marks(paper))
    for left in folder.glob(".annotations.*"):
        os.utime(left, (0, 0))  # of the killed, and old enough that nobody is writing them
    window = Window(folder)
    window.send({"edit": [(papers[0], "tags/the last of the afternoon", True)]})
    window.settle()
    window.quit()
    assert [path.name for path in folder.glob(".annotations.*")] == []
