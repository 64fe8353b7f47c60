"""What a writer gets: the papers with what the reader wrote, and what the list says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from index.papers import Entry


@dataclass(frozen=True, slots=True)
class ReadingList:
    """A list to be set down, in its order."""

    entries: tuple[Entry, ...]
    title: str
    query: str
    meanings: Mapping[str, str]
    """What the reader calls each highlight colour."""
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Each annotation as it is stored, by paper, with all that this version does not know."""
    searches: tuple[Mapping[str, Any], ...] = ()
    """Saved searches as they are stored, where they are to be set down too."""

    @property
    def changed(self) -> str:
        """The day of the last change in it: the same list, the same bytes, on whatever day."""
        times = [entry.annotation.changed or "" for entry in self.entries]
        times += [source.added for entry in self.entries for source in entry.paper.sources]
        return max(times, default="")[:10]
