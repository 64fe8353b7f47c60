"""A library that answers queries: its index is brought up, one thread at a time asks it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from index.library.opened import LibraryError, Opened

if TYPE_CHECKING:
    from index.facets import Counting, Facets
    from index.finding import Finder, Found
    from index.fulltext import Related


class Searched(Opened):
    """Finds papers, counts them, and explains."""

    def __init__(self, folder: Path, *, fill: bool = True) -> None:
        """As `Opened`."""
        super().__init__(folder, fill=fill)
        self._finding = threading.Lock()
        self._finder: Finder | None = None
        self._closed = False
        self._growing = False
        """Whether a child adds to the index, and what is there is searched meanwhile."""
        self._counting: Counting | None = None
        self._saved: dict[str, frozenset[str]] = {}
        """The papers of each saved search, as last counted."""

    def prepare(self, progress: Callable[[int, int], None] = lambda _done, _all: None) -> None:
        """Bring the full-text index up in this process, unless it stands. Raises LibraryError."""
        from index import finding, indexing

        with self._finding:
            self._see_open()
            if self._finder and (self._growing or self._finder.engine.stamp == self._kept.stamp):
                return
            try:
                engine, self._shelf = indexing.bring_up(self._shelf, progress, joined=self._kept.joined)
            except OSError as error:
                raise LibraryError(f"the search index cannot be built: {error.strerror or error}") from error
            self._close_finder()
            self._finder = finding.Finder(self._kept, self._annotations, engine)

    @property
    def searchable(self) -> bool:
        """Whether the full-text index is open and holds all papers that are known here."""
        with self._finding:
            return self._finder is not None and self._finder.engine.stamp == self._kept.stamp

    def prepare_in_child(
        self, progress: Callable[[int, int], None], grown: Callable[[], None] = lambda: None
    ) -> bool:
        """Bring the full-text index up in a process of its own, so that the screen goes on.

        Blocks its thread; False when the index stood already. From the first call of `grown` on, `find`
        answers in another thread from what is there; each further call says that there is more. Raises
        LibraryError.
        """
        from index import finding, indexing

        def take() -> None:
            engine = indexing.so_far(self._shelf)
            if engine:
                with contextlib.ExitStack() as undo, self._finding:
                    undo.callback(engine.close)
                    self._see_open()
                    self._close_finder()
                    self._finder = finding.Finder(self._kept, self._annotations, engine)
                    self._growing = True
                    undo.pop_all()
                grown()

        if self.searchable:
            return False
        if not indexing.stands(self._shelf):
            take()
            trouble = indexing.build_in_child(self.layout.folder, progress, take)
            with self._finding:
                self._growing = False
            if trouble:
                raise LibraryError(f"the search index cannot be built: {trouble}")
        self.prepare()
        return True

    def _see_open(self) -> None:
        """Raises LibraryError once the library is closed: nobody would close the index again."""
        if self._closed:
            raise LibraryError("the library is closed")

    @contextlib.contextmanager
    def _ready(self) -> Iterator[Finder]:
        """The finder, with the index brought up; one thread at a time has it. Raises LibraryError."""
        self.prepare()
        with self._finding:
            self._see_open()
            assert self._finder
            yield self._finder

    def _close_finder(self) -> None:
        """Let go of the index. The caller holds `_finding`."""
        if self._finder:
            self._finder.engine.close()
            self._finder = None

    def find(self, text: str, *, typing: bool = False, sort: str | None = None) -> Found:
        """The papers that `text` asks for; `typing` takes its last word as begun. May run in a worker.

        Raises LibraryError, and ValueError for an unknown sort; never for what `text` holds.
        """
        from index import query

        with self._ready() as finder:
            return finder.find(query.parse(text, typing=typing), sort, self.state.get("opened", {}))

    def explain(self, text: str, *, typing: bool = False) -> str:
        """How a query is understood: its tree, what is not looked for, what was not understood; lines."""
        from index import finding, query

        understood = query.parse(text, typing=typing)
        words = finding.left_out(understood.tree)
        told = [f"not looked for beside other words: {', '.join(words)}"] if words else []
        with self._ready() as finder:
            told += finder.told(understood)
        return "\n".join([query.explain(understood), *told])

    def matches(self, text: str, found: Found) -> tuple[tuple[int, int], ...]:
        """Where `text` holds what a query asked for: spans in code points, in order, apart."""
        from index import fulltext

        return tuple(fulltext.spans(text, found.marked or found.query.tree))

    def snippet(self, text: str, spans: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
        """The stretch of `text` of at most `width` code points that shows its matches best."""
        from index import fulltext

        return fulltext.snippet(text, spans, width)

    def passage(self, id: str, found: Found) -> tuple[str, str, tuple[tuple[int, int], ...]] | None:
        """Where the reader wrote a word that the paper's own text lacks, the text, and the matches in it.

        The first is one of `Found.where`; None for a paper that is not among them.
        """
        from index import own_words

        where = found.where.get(id)
        if where is None:
            return None
        return where, *own_words.passage(self._annotations.get(id), found.query.tree, where)

    def facets(self, ids: Iterable[str] | None = None) -> Facets:
        """How many of these papers, or of all, have each status, tag, list and saved search.

        From sets in memory; the saved searches are those of the last `count_saved`. For one thread.
        """
        from index.facets import Counting

        if self._counting is None or self._counting.shelf is not self._kept:
            self._counting = Counting(self._kept, self._annotations)
        return self._counting.facets(ids, self._saved)

    def count_saved(self, stop: Callable[[], bool] = lambda: False) -> dict[str, int]:
        """How many papers each saved search finds, the oldest first. For the search worker.

        `stop` is asked before each: when it says so, those that are left keep their last count, if they
        have one. Raises LibraryError.
        """
        from index import query

        saved: dict[str, frozenset[str]] = {}
        for search in self.searches():
            if not stop():
                with self._ready() as finder:
                    saved[search.name] = finder.ids(query.parse(search.query))
            elif search.name in self._saved:
                saved[search.name] = self._saved[search.name]
        self._saved = saved
        return {name: len(ids) for name, ids in saved.items()}

    def ids_of(self, text: str) -> frozenset[str]:
        """The papers that `text` asks for, in no order. For the search worker. Raises LibraryError."""
        from index import query

        with self._ready() as finder:
            return finder.ids(query.parse(text))

    def related(self, id: str, limit: int = 8) -> list[Related]:
        """The papers nearest to one, each with the terms that they share, the most telling first."""
        with self._ready() as finder:
            hidden = self._kept.hidden
            near = finder.engine.related(id, limit + len(hidden))
            return [other for other in near if other.id not in hidden][:limit]
