"""What a reader wrote, held in memory by plain rules: what the store is measured against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from index.papers import Highlight, Value

Place: TypeAlias = tuple[str, str]
"""A paper and a field of its annotation, as a Change names it."""
Edit: TypeAlias = tuple[str, str, Value]

PLAIN: Final[Mapping[str, Value]] = {
    "status": "unread", "starred": False, "rating": None, "due": None, "note": "", "title": None,
}  # fmt: skip


def written(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The part of PAPER that the reader wrote, as `Model.paper` tells it."""
    marks = [{name: mark[name] for name in Highlight.__slots__} for mark in shown["highlights"]]
    return {**{name: shown[name] for name in PLAIN}, "tags": shown["tags"], "highlights": marks}


@dataclass(frozen=True, eq=False)
class Made:
    """A step that was made: what each place held before and after it."""

    origin: str
    changes: Mapping[Place, tuple[Value, Value]]
    undoes: Made | None = None
    redoes: Made | None = None


@dataclass
class Model:
    """What the reader wrote, and how it came about."""

    values: dict[Place, Value] = field(default_factory=dict)
    steps: list[Made] = field(default_factory=list)

    def copy(self) -> Model:
        return Model(dict(self.values), list(self.steps))

    def value(self, paper: str, name: str) -> Value:
        return self.values.get((paper, name), PLAIN.get(name, False if name.startswith("tags/") else None))

    def make(self, made: Made) -> None:
        self.steps.append(made)
        self.values.update({place: after for place, (_, after) in made.changes.items()})

    def edit(self, origin: str, edits: Iterable[Edit]) -> Made | None:
        """The step of these edits; None when they change nothing."""
        changes = {
            (paper, name): (before, after)
            for paper, name, after in edits
            if (before := self.value(paper, name)) != after
        }
        return Made(origin, changes) if changes else None

    def undo(self, origin: str) -> Made | None:
        """What takes back the latest own step that is done, else the library's latest."""
        undone = {made.undoes for made in self.steps}
        done = [made for made in self.steps if not made.undoes and made not in undone]
        own = [made for made in done if made.origin == origin]
        return self._back((own or done)[-1], origin) if done else None

    def redo(self, origin: str) -> Made | None:
        """What makes again what was undone last since the latest new change: own, else the library's."""
        own = [made for made in self.steps if made.origin == origin or made.redoes]
        for steps in (own, self.steps):
            new = [number for number, made in enumerate(steps) if not made.undoes and not made.redoes]
            redone = {made.redoes for made in steps}
            undoing = [m for m in steps[new[-1] + 1 if new else 0 :] if m.undoes and m not in redone]
            if undoing:
                return self._back(undoing[-1], origin)
        return None

    def _back(self, made: Made, origin: str) -> Made:
        changes = {
            place: (after, before)
            for place, (before, after) in made.changes.items()
            if self.value(*place) == after
        }
        return Made(origin, changes, None if made.undoes else made, made if made.undoes else None)

    def tags(self, paper: str) -> list[str]:
        return sorted(
            name[len("tags/") :]
            for (of, name), value in self.values.items()
            if of == paper and value and name.startswith("tags/")
        )

    def marks(self, paper: str) -> list[dict[str, Any]]:
        marks = [
            dict(value)
            for (of, name), value in self.values.items()
            if of == paper and isinstance(value, Mapping) and name.startswith("highlights/")
        ]
        return sorted(marks, key=lambda mark: (mark["start"], mark["end"], mark["id"]))

    def retag(self, papers: Iterable[str], old: str, new: str | None) -> list[Edit]:
        """The edits that rename a tag and those nested in it, or with None delete them."""
        edits: dict[Place, Value] = {}
        for paper in papers:
            for tag in self.tags(paper):
                if f"{tag}/".startswith(f"{old}/"):
                    edits.setdefault((paper, f"tags/{tag}"), False)
                    if new:
                        edits[paper, f"tags/{new}{tag[len(old) :]}"] = True
        return [(*place, value) for place, value in edits.items()]

    def paper(self, paper: str) -> dict[str, Any]:
        """What PAPER says of what the reader wrote."""
        plain = {name: self.value(paper, name) for name in PLAIN}
        return {**plain, "tags": self.tags(paper), "highlights": self.marks(paper)}
