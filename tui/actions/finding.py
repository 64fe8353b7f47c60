"""Finding, narrowing and sorting."""

from __future__ import annotations

from tui.actions import Actions
from tui.screens.going import MOST_PLACES


class Finding(Actions):
    """The search bar, the sidebar, saved searches, related papers, and the order of the list."""

    def search(self, _count: int | None) -> None:
        self.reading.begin_search()

    def take_meant(self, _count: int | None) -> None:
        if not self.reading.take_meant():
            self.reading.say("there is no better spelling to take")

    def sidebar(self, _count: int | None) -> None:
        self.reading.toggle_side()

    def saved_searches(self, _count: int | None) -> None:
        self.reading.pick_search()

    def save_search(self, _count: int | None) -> None:
        self.reading.ask_for_name()

    def follow_link(self, _count: int | None) -> None:
        self.reading.follow_link()

    def related(self, _count: int | None) -> None:
        self.reading.list_related()

    def stood(self, count: int | None) -> None:
        for _ in range(min(count or 1, MOST_PLACES)):
            self.reading.go_back()

    def sort_relevance(self, _count: int | None) -> None:
        self.reading.sort("relevance")

    def sort_added(self, _count: int | None) -> None:
        self.reading.sort("added")

    def sort_title(self, _count: int | None) -> None:
        self.reading.sort("title")

    def sort_year(self, _count: int | None) -> None:
        self.reading.sort("year")

    def sort_status(self, _count: int | None) -> None:
        self.reading.sort("status")

    def sort_rating(self, _count: int | None) -> None:
        self.reading.sort("rating")

    def sort_due(self, _count: int | None) -> None:
        self.reading.sort("due")

    def sort_opened(self, _count: int | None) -> None:
        self.reading.sort("opened")

    def _say_sort(self, text: str) -> None:
        from index.sorting import SORTS

        if text not in SORTS:
            raise ValueError(f"no order {text!r}; there are: {', '.join(SORTS)}")
        self.reading.sort(text)

    def _say_search(self, text: str) -> None:
        self.reading.bar.set(text)
        self.reading.remember(text)
        self.reading.find(text, typing=False)
