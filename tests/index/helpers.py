"""What the tests of the library share: the shipped lists read on their own, abstracts, shelves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from index.annotations import Annotations, Step
from index.library import Library
from index.papers import Change, Record, Value, now
from index.paths import Layout
from index.shelf import Row, Shelf

SEEDS = sorted((Path(__file__).parents[2] / "seeds").glob("*.txt"))
SHARED = Path(__file__).parents[2].parent / "shared"
WHEN = "2026-11-30T08:00:00.000Z"
FIELDS = (
    "routing",
    "tokens",
    "vision",
    "speech",
    "agents",
    "graphs",
    "proteins",
    "memory",
    "planning",
    "video",
)


def paragraphs(path: Path) -> list[str]:
    """The abstracts of a list, read by nothing of postil's: what stands between blank lines, title off."""
    _title, *rest = re.split(r"\n{2,}", path.read_bytes().decode("utf-8").strip("\n"))
    return rest


def abstract(number: int) -> str:
    """An abstract of well over 200 letters, unlike that of any other number."""
    what, where = FIELDS[number % 10], FIELDS[number // 10 % 10]
    return (
        f"We study {what} for {where} in case {number}. Earlier work on {what} treats every input alike, "
        f"which wastes most of the effort spent on {where}. We introduce Method{number}, a scheme that "
        f"learns where {what} pays, and show on {number + 3} benchmarks that "
        f"it halves the cost at equal accuracy."
    )


def records(numbers: Iterable[int]) -> list[Record]:
    return [Record(place, abstract(number)) for place, number in enumerate(numbers, 1)]


def shelf_in(folder: Path) -> Shelf:
    folder.mkdir(exist_ok=True)
    return Shelf(Layout(folder))


def rows(shelf: Shelf) -> list[Row]:
    return [shelf.row(id) for id in shelf.ids]


def listed(shelf: Shelf) -> dict[str, tuple[str, frozenset[tuple[str, int]]]]:
    """Each paper's abstract and sources, whatever the order of import."""
    return {
        paper.id: (paper.abstract, frozenset((source.file, source.position) for source in paper.sources))
        for paper in shelf.papers()
    }


def list_file(path: Path, abstracts: Sequence[str]) -> Path:
    path.write_text("\n\n".join(("A list", *abstracts)) + "\n", "utf-8")
    return path


def do(library: Library, *edits: tuple[str, str, Value]) -> Step:
    """Commit a step of these edits: paper, field, new value."""
    step = library.step("a step", edits)
    assert step
    library.commit(step)
    return step


def full_disk(_path: Path, _data: object) -> None:
    """In the place of `files.append`."""
    raise OSError(28, "No space left on device")


def everything(library: Library, id: str) -> list[tuple[str, str, Value]]:
    mark = library.highlight(id, 3, 30, "method", "why")
    return [
        (id, "status", "reading"), (id, "starred", True), (id, "rating", 4), (id, "due", "2026-12-24"),
        (id, "tags/moe/routing", True), (id, "note", "A *note*"), (id, "title", "My title"),
        (id, f"highlights/{mark.id}", mark.to_json()),
    ]  # fmt: skip


def save_search(store: Annotations, name: str, query: str, sort: str | None = None) -> None:
    """Save a search, as a step of the library does."""
    store.apply([Change("s", "o", "", f"searches/{name}", None, {"query": query, "sort": sort}, now())])


def delete_search(store: Annotations, name: str) -> None:
    """Delete a saved search, as a step of the library does."""
    store.apply([Change("s", "o", "", f"searches/{name}", None, None, now())])
