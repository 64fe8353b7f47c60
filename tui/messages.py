"""What rooms of the screen tell one another: intent goes up, answers come from the threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from index.finding import Found


class Answered(Message):
    """The search worker's answer to the request of this number."""

    def __init__(self, ticket: int, found: Found) -> None:
        super().__init__()
        self.ticket = ticket
        self.found = found


class Preparing(Message):
    """The search index is being built: so many papers of so many."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__()
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Preparing)


class Prepared(Message):
    """Search is ready, or `trouble` says in one line why it is not."""

    def __init__(self, trouble: str | None = None) -> None:
        super().__init__()
        self.trouble = trouble


class Saved(Message):
    """The steps of these ids are on disk."""

    def __init__(self, steps: list[str]) -> None:
        super().__init__()
        self.steps = steps


class Trouble(Message):
    """Something could not be done; one line says what, and what happens next."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line


class Told(Message):
    """Something was done in the background; one line says what."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line


class ChangedElsewhere(Message):
    """Another window or command changed what is written about these papers."""

    def __init__(self, papers: set[str]) -> None:
        super().__init__()
        self.papers = papers


class PapersCame(Message):
    """Another window or command brought so many papers in."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count


class ReadOnly(Message):
    """Nothing can be saved from now on, for the reason `why`; with None, it can be again."""

    def __init__(self, why: str | None) -> None:
        super().__init__()
        self.why = why
