"""Links from note to note: completed while they are typed, and followed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from textual import work
from textual.message import Message

from index.library import Library
from index.note_links import Headings, linked
from tui.screens.narrowing import Narrowing

MOST: Final = 50
"""Papers that are listed while a link is typed."""


class Gathered(Message):
    """All headings, of the papers that `of` names."""

    def __init__(self, headings: Headings, of: tuple[int, int]) -> None:
        super().__init__()
        self.headings = headings
        self.of = of


class Linking(Narrowing):
    """The part of the reading screen that knows where links lead."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._headings: Headings | None = None
        """To be searched for a link; None until they are gathered."""
        self._headings_of: tuple[int, int] | None = None
        """Of which papers those are."""

    def gather_headings(self) -> None:
        """See that headings can be searched soon."""
        ids = self.desk.library.ids
        of = id(ids), len(ids)
        if of != self._headings_of:
            self._headings_of = of
            self._gather_headings(of)

    @work(thread=True, group="headings")
    def _gather_headings(self, of: tuple[int, int]) -> None:
        self.post_message(Gathered(self.desk.library.headings(), of))

    def on_gathered(self, event: Gathered) -> None:
        if event.of == self._headings_of:
            self._headings = event.headings
            self.complete_link()

    @abstractmethod
    def complete_link(self) -> None:
        """List what the link that is being typed may lead to."""

    def link_choices(self, typed: str) -> Sequence[tuple[str, str]] | None:
        """Papers for what is typed of a link, each by id and heading, the last opened before anything is."""
        if self._headings is None:
            return None
        opened: Mapping[str, str] = self.desk.library.state.get("opened", {}) if not typed.strip() else {}
        lately = sorted(opened, key=lambda one: str(opened[one]), reverse=True)
        found = self.desk.headings([*lately[:MOST], *self._headings.holding(typed, MOST)])
        found.pop(self.papers.current or "", None)
        return list(islice(found.items(), MOST))

    def follow_link(self) -> None:
        """Go to the paper that the note links to, or to one that links here; of several, one is picked."""
        library, current = self.desk.library, self.papers.current
        if current is None:
            return
        ids = linked(library.annotation(current).note)
        ahead, behind = self.desk.headings(ids), self.desk.headings(library.linked_from(current))
        about = {id: f"{heading}  (links here)" for id, heading in behind.items()} | ahead
        if len(about) > 1:
            self._pick_link({id: about[id] for id in (*ahead, *(behind.keys() - ahead.keys()))})
        elif about:
            self.go_to(*about)
        else:
            gone = "what it links to is no longer in the library"
            self.say(gone if ids else "no link in the note; [[ makes one")

    def _pick_link(self, papers: Mapping[str, str]) -> None:
        from tui.screens.picker import Pick, Picker

        names: dict[str, str] = {}
        for id, name in papers.items():
            names[f"{name} ({id})" if name in names else name] = id
        picks: Iterable[Pick] = map(Pick, names)
        self.open_dialog(Picker("Follow a link", list(picks)), lambda name: self.go_to(names[name]))
