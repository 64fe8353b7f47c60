"""What lies on the desk: the papers that are listed, the query, the marks; and every change to them.

It holds no widget: it turns what the library says into what the panes draw, and what a key means
into a step.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from index.anchors import anchored
from index.clean import clean, one_line, tag_name
from index.library import Library, LibraryError, Step
from index.note_links import linked
from index.papers import COLOURS, Annotation, Change, Highlight, Value, meeting, now
from tui.draw import Span
from tui.links import links
from tui.panes.abstract import PaperView
from tui.panes.rows import Row

if TYPE_CHECKING:
    from index.finding import Found

Written: TypeAlias = tuple[str, str, tuple[Span, ...]]
"""Where the reader wrote something, the text, and the matches in it."""


class _Passage(NamedTuple):
    """A piece of an abstract with the matches in it, as it was looked for to fill `width` cells."""

    text: str
    spans: tuple[Span, ...]
    width: int


_NO_PASSAGE: Final = _Passage("", (), -1)

WORDS_A_MINUTE = 230
"""Silent reading of English non-fiction by adults: Brysbaert, Journal of Memory and Language 109 (2019)."""

MOST_OPENED = 1000
"""Papers whose last opening is remembered."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a key does to any paper: a field to a value, each, and in a few words what that is."""

    what: str
    edits: tuple[tuple[str, Value], ...]


def tagging(add: Iterable[str], remove: Iterable[str]) -> Effect:
    """Tags to be added and tags to be taken away."""
    edits = {**dict.fromkeys(remove, False), **dict.fromkeys(add, True)}
    told = [("tag " if wanted else "untag ") + tag for tag, wanted in edits.items()]
    return Effect(", ".join(told), tuple((f"tags/{tag}", wanted) for tag, wanted in edits.items()))


class Desk:
    """The state of one reading session."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.found: Found | None = None
        """The answer that is listed; None lists all papers."""
        self.ids: Sequence[str] = library.ids
        self.partial: dict[str, str] = {}
        """Of the listed papers, those that have only most of the words: `3 of 4 words`."""
        self.shared: Mapping[str, Sequence[str]] = {}
        """While the papers related to one are listed: the terms that each shares with it."""
        self.marked: set[str] = set()
        self.left: frozenset[str] = frozenset()
        """Listed papers that a change took out of the query: they stay, dimmed, until it is run again."""
        self.colour = COLOURS[0]
        """Of the next highlight."""
        self.coming: tuple[frozenset[str], Effect] | None = None
        """Papers, and what is just being done to them: the list shows it already."""
        self._passages: dict[str, _Passage] = {}
        self._notes: dict[str, tuple[Annotation, Found, Written | None]] = {}
        self._passages_of: Found | None = None
        """The answer to which the passages belong."""

    # What is listed

    def take(self, found: Found | None) -> None:
        """List an answer, or, with None, all papers in the order of import."""
        self.found = found
        self.ids = self.library.ids if found is None else found.shown
        self.partial = {part.id: part.share for part in found.partial} if found else {}
        self.left = frozenset()

    @property
    def half_understood(self) -> str | None:
        """What of the query was not understood or not answered, or None: then what is listed is no whole."""
        return self.found.query.problems[0] if self.found and self.found.query.problems else None

    def list_nothing(self) -> None:
        """List no paper: an answer is still to come."""
        self.found, self.ids, self.partial, self.left = None, (), {}, frozenset()

    @property
    def whole(self) -> Sequence[str]:
        """What is listed, without the papers that have only most of the words."""
        return self.ids if self.found is None else self.found.ids

    def unlisted(self, ids: Collection[str]) -> int:
        """How many of some papers are not listed."""
        if not ids or self.ids is self.library.ids:
            return 0
        listed = set(self.ids)
        return sum(id not in listed for id in ids)

    def recheck(self, found: Found) -> set[str]:
        """Dim what the same query no longer finds; returns the papers whose look has changed by it."""
        before = self.left
        self.left = frozenset(self.whole) - set(found.ids) | self.partial.keys() - set(found.shown)
        return set(before ^ self.left)

    def opened(self, id: str) -> None:
        """Remember that a paper was opened now."""
        opened = {**self.library.state.get("opened", {}), id: now()}
        latest = sorted(opened, key=lambda one: str(opened[one]))[-MOST_OPENED:]
        self.library.state["opened"] = {one: opened[one] for one in latest}

    def targets(self, current: str | None, count: int | None = None) -> list[str]:
        """The papers that a command acts on: the marked ones, else the current and `count` - 1 after it."""
        if self.marked:
            return [id for id in self.library.ids if id in self.marked]
        if current is None:
            return []
        at = self.ids.index(current) if current in self.ids else 0
        return list(self.ids[at : at + (count or 1)]) if count else [current]

    def unread(self) -> int:
        """How many papers of the library are unread."""
        return self.library.count("unread")

    def row(self, id: str) -> Row:
        """A paper as the list draws it."""
        try:
            row = self.library.row(id)
        except KeyError:  # papers.jsonl was made anew without it
            return Row(id=id, heading="(no longer in the library)", dimmed=True)
        told = self._told(id)
        spans = self.library.matches(row.heading, self.found) if self.found else ()
        snippet, snippet_spans = self._snippet(id)
        return Row(
            id=id,
            heading=row.heading,
            derived=not row.titled,
            status=told.status,
            starred=told.starred,
            rating=told.rating,
            tags=told.tags,
            note=bool(told.note),
            highlights=len(told.highlights),
            marked=id in self.marked,
            dimmed=told.removed or self.library.root(id) != id or id in self.left or id in self.partial,
            spans=spans,
            share=self.partial.get(id),
            snippet=snippet,
            snippet_spans=snippet_spans,
        )

    def _told(self, id: str) -> Annotation:
        """What is written about a paper, with what is just being done to it."""
        told = self.library.annotation(id)
        if self.coming and id in self.coming[0]:
            for field, value in self.coming[1].edits:
                told = told.after(Change("", "", id, field, None, value, ""))
        return told

    def _snippet(self, id: str) -> tuple[str | None, tuple[Span, ...]]:
        """Why a paper is listed: what it shares, the words in their context, `note: …`."""
        text, spans, _ = (
            self._passages.get(id, _NO_PASSAGE) if self._passages_of is self.found else _NO_PASSAGE
        )
        if shared := self.shared.get(id):
            text, spans = f"shares {', '.join(shared)}", ()
        elif (written := self._written(id)) and written[0] != "title" and written[1]:
            where, passage, spans = written
            text, spans = f"{where}: {passage}", moved(spans, len(where) + 2)
        return text or None, spans

    def _written(self, id: str) -> Written | None:
        """Where the reader wrote what the paper's own text lacks, kept until that or the answer changes."""
        if self.found is None or id not in self.found.where:
            return None
        told = self.library.annotation(id)
        known = self._notes.get(id)
        if known is None or known[0] is not told or known[1] is not self.found:
            known = self._notes[id] = told, self.found, self.library.passage(id, self.found)
        return known[2]

    @property
    def in_context(self) -> bool:
        """Whether the rows have something to say of why they are listed."""
        found = self.found
        return bool(self.shared) or (
            found is not None and bool(found.partial or found.where or _worded(found))
        )

    def lacks_passage(self, id: str, width: int) -> bool:
        """Whether the row of a paper may show more in `width` cells once `find_passage` has looked."""
        if self.found is None or self.shared or id in self.found.where:
            return False
        return self._passages_of is not self.found or self._passages.get(id, _NO_PASSAGE).width != width

    def find_passage(self, id: str, width: int) -> bool:
        """Look where the abstract shows best, in `width` code points, what was asked for; False if nowhere.

        It costs some ten times what the row itself does.
        """
        if self.found is None:
            return False
        if self._passages_of is not self.found:
            self._passages, self._passages_of = {}, self.found
        try:
            text = self.library.entry(id).paper.abstract
        except (KeyError, LibraryError):  # papers.jsonl has gone, or was made anew without it
            text = ""
        spans = self.library.matches(text, self.found)
        start, end = self.library.snippet(text, spans, max(1, width - 2)) if spans else (0, 0)
        before, after = "…" if start else "", "…" if end < len(text) else ""
        inside = tuple((max(a, start), min(b, end)) for a, b in spans if a < end and start < b)
        shown = before + text[start:end] + after if spans else ""
        self._passages[id] = _Passage(shown, moved(inside, len(before) - start), width)
        return bool(spans)

    def view(self, id: str) -> PaperView:
        """A paper as the text pane draws it."""
        entry, row = self.library.entry(id), self.library.row(id)
        paper, told, found = entry.paper, entry.annotation, self.found
        text = len(paper.abstract)
        held, lost = anchored(told, paper.abstract)
        return PaperView(
            id=id,
            heading=row.heading,
            derived=not row.titled,
            abstract=paper.abstract,
            facts=tuple(self._facts(id)),
            highlights=tuple(held),
            lost=tuple(lost),
            matches=self.library.matches(paper.abstract, found) if found and text else (),
            heading_spans=self.library.matches(row.heading, found) if found else (),
            note=told.note,
            note_headings=self.headings(linked(told.note)),
            linked_from=tuple(self.headings(self.library.linked_from(id)).values()),
            links=links(paper),
            meanings=self.library.settings.meanings,
        )

    def headings(self, ids: Iterable[str]) -> dict[str, str]:
        """The headings of those of some papers that are here."""
        found = {}
        for id in ids:
            with contextlib.suppress(KeyError):
                found[id] = self.library.row(id).heading
        return found

    def _facts(self, id: str) -> Iterable[str]:
        entry, row = self.library.entry(id), self.library.row(id)
        paper, told = entry.paper, entry.annotation
        if paper.authors:
            yield ", ".join(paper.authors)
        if paper.venue or paper.year:
            yield ", ".join(str(part) for part in (paper.venue, paper.year) if part)
        minutes = max(1, round(row.words / WORDS_A_MINUTE))
        listed = "; ".join(
            f"list {list_name(source.file)}, no. {source.position}" for source in paper.sources
        )
        yield f"{told.status} · {minutes} min read · {listed}"
        marks = [
            "removed: undo brings it back" if told.removed else "",
            "★" if told.starred else "",
            f"{told.rating}/5" if told.rating else "",
            f"due {told.due}" if told.due else "",
            *(f"#{tag}" for tag in told.tags),
        ]
        if any(marks):
            yield " · ".join(filter(None, marks))

    # Steps

    def set(self, papers: Sequence[str], field: str, value: Value, what: str) -> Step | None:
        """One field of some papers; None when nothing would change."""
        return self.library.step(f"{what} on {_papers(papers)}", [(id, field, value) for id in papers])

    def step(self, effect: Effect, papers: Sequence[str]) -> Step | None:
        """The effect on some papers; None when nothing would change."""
        edits = [(id, field, value) for id in papers for field, value in effect.edits]
        return self.library.step(f"{effect.what} on {_papers(papers)}", edits)

    def all_are(self, status: str, papers: Sequence[str]) -> bool:
        """Whether all of these papers have a status, which is not `unread`."""
        return self.library.with_status(status).issuperset(papers)

    def all_starred(self, papers: Sequence[str]) -> bool:
        """Whether all of these papers have a star."""
        return all(self.library.annotation(id).starred for id in papers)

    def common_tags(self, papers: Sequence[str]) -> list[str]:
        """The tags that all of these papers have."""
        common: set[str] | None = None
        for id in papers:
            tags = self.library.annotation(id).tags
            common = set(tags) if common is None else common.intersection(tags)
            if not common:
                break
        return sorted(common or ())

    def all_tags(self, papers: Sequence[str]) -> list[str]:
        """The tags that any of these papers has."""
        return sorted({tag for id in papers for tag in self.library.annotation(id).tags})

    def highlighted(self, id: str, start: int, end: int) -> list[Highlight]:
        """The highlights that lie on just this stretch of the abstract."""
        held, _ = anchored(self.library.annotation(id), self.library.entry(id).paper.abstract)
        return [mark for mark in held if (mark.start, mark.end) == (start, end)]

    def unhighlight(self, id: str, start: int, end: int) -> Step | None:
        """Take away what lies on just this stretch; None when nothing does."""
        marks = self.highlighted(id, start, end)
        commented = " and its comment" if any(mark.comment for mark in marks) else ""
        what = "".join(f" “{short(mark.quote)}”" for mark in marks[:1])
        edits = [(id, f"highlights/{mark.id}", None) for mark in marks]
        return self.library.step(f"take away the highlight{what}{commented}", edits)

    def highlight(self, id: str, start: int, end: int) -> Step | None:
        """Highlight a stretch of the abstract; a highlight that lies just there gets the colour."""
        if here := self.highlighted(id, start, end):
            return self.recolour(id, here[0], self.colour)
        mark = self.library.highlight(id, start, end, self.colour)
        meaning = self.library.settings.meanings[self.colour]
        return self.library.step(f"highlight as {meaning}", [(id, f"highlights/{mark.id}", mark.to_json())])

    def recolour(self, id: str, mark: Highlight, colour: str) -> Step | None:
        """Another colour for a highlight."""
        return self._remark(id, mark, "colour", colour)

    def comment(self, id: str, mark: Highlight, text: str) -> Step | None:
        """Another comment on a highlight, as it was when the reader began to write.

        What another window did to it since stays too; one that it took away comes back with the comment.
        """
        return self._remark(id, mark, "comment", clean(text))

    def _remark(self, id: str, mark: Highlight, name: str, value: str) -> Step | None:
        if getattr(mark, name) == value:
            return None
        edit: dict[str, Any] = {name: value, "changed": now()}
        field = f"highlights/{mark.id}"
        held = self.library.annotation(id).value(field)
        change = Change("", "", id, field, mark.to_json(), replace(mark, **edit).to_json(), now())
        after = change.after if held in (change.before, None) else meeting(change, held).after
        return self.library.step(f"{name} of a highlight", [(id, field, after)])

    # What can be taken along

    def citation(self, id: str) -> str:
        """A line that names the paper, from what is known of it."""
        paper, heading = self.library.entry(id).paper, self.library.row(id).heading
        who = ", ".join(paper.authors) or "Unknown authors"
        derived = "" if self.library.row(id).titled else " [heading derived from the abstract]"
        where = "".join(f" {part}." for part in (paper.venue, *paper.links[:1]) if part)
        stop = "" if heading.endswith(("…", ".", "?", "!")) else "."
        return f"{who} ({paper.year or 'n.d.'}). {heading}{stop}{derived}{where}"

    def quotes(self, id: str) -> str:
        """The highlights of a paper, each with its comment."""
        marks = self.library.annotation(id).highlights
        return "\n\n".join(
            f"“{one_line(mark.quote)}”" + (f"\n— {mark.comment}" if mark.comment else "") for mark in marks
        )

    def exported(self, papers: Sequence[str], format: str) -> bytes:
        """Papers as an export shows them, in UTF-8. As one `str` they held up the screen for seconds."""
        pieces = self.library.export_text(self.library.reading_list(papers, "Reading list"), format)
        return b"".join([piece.encode("utf-8", "replace") for piece in pieces])


def moved(spans: Iterable[Span], by: int) -> tuple[Span, ...]:
    """The spans of a text that was put so many code points further on."""
    return tuple((start + by, end + by) for start, end in spans)


def _worded(found: Found) -> bool:
    """Whether the query asks for words that an abstract can show."""
    from index import query
    from index.finding import leaves

    words = (query.Word, query.Prefix, query.Fuzzy, query.Phrase)
    return any(
        isinstance(leaf, words) and leaf.field in (None, "title", "abstract", "name", "link")
        for leaf in leaves(found.query.tree, positive=True)
    )


def short(text: str) -> str:
    """The first words of a text, to name it by."""
    words = one_line(text).split()
    return " ".join(words[:4]) + ("…" if len(words) > 4 else "")


def split_tags(text: str) -> list[str]:
    """The tags in a line in which commas part them, as they are kept."""
    return list(dict.fromkeys(filter(None, map(tag_name, text.split(",")))))


def list_name(file: str) -> str:
    """A list's name without its ending and a hash at its end, short enough for a line."""
    return re.sub(r"(?:[-_][0-9a-f]{8,})?(?:\.\w{1,5})?$", "", one_line(file))[:24]


def _papers(ids: Sequence[str]) -> str:
    return f"{len(ids)} paper" + ("s" if len(ids) != 1 else "")
