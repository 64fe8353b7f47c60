"""Finding and sorting."""

from __future__ import annotations

from tui.actions import Actions


class Finding(Actions):
    """The search bar and the order of the list."""

    def search(self, _count: int | None) -> None:
        self.reading.begin_search()

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
