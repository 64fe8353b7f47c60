"""Saved searches as documents of a table beside the annotations: one name, one search.

A search that was deleted stays as `deleted`, with the time, so that another machine learns of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tinydb.table import Document

from index.clean import clean, one_line
from index.papers import Change, Value

_FIELDS: Final = ("query", "sort", "deleted")


@dataclass(frozen=True, slots=True)
class Search:
    """A saved search. `sort` is None for the usual order."""

    name: str
    query: str
    sort: str | None = None


@dataclass(frozen=True, slots=True)
class Searches:
    """All that are saved or were, as a change finds them: `searches/NAME` is a field of no paper."""

    documents: Mapping[str, Document] = field(default_factory=dict)
    """By their names."""
    unused: int = 1
    """The id of the next one."""

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Searches:
        """Those of a table that anyone may have written; what is no search is passed over."""
        found: dict[str, Document] = {}
        unused = 1
        for document in documents:
            unused = max(unused, document.doc_id + 1)
            name, query, sort = (document.get(key) for key in ("name", "query", "sort"))
            if isinstance(name, str) and isinstance(query, str) and isinstance(sort, str | None):
                found.setdefault(tidy(name), document)
        return cls(found, unused)

    def saved(self) -> list[Search]:
        """Those that are not deleted, the oldest first, their text made safe."""
        documents = sorted(self.documents.items(), key=lambda item: item[1].doc_id)
        return [
            Search(name, tidy(document["query"]), document.get("sort") and tidy(document["sort"]))
            for name, document in documents
            if not document.get("deleted")
        ]

    def value(self, name: str) -> Value:
        """The value of a field as a Change names it: `query` and `sort`, or None where there is no such."""
        document = self.documents.get(name.partition("/")[2])
        if document is None or document.get("deleted"):
            return None
        return {"query": document["query"], "sort": document.get("sort")}

    def when(self, name: str) -> str:
        """When a field last changed, "" where nobody knows."""
        document = self.documents.get(name.partition("/")[2], Document({}, 0))
        return max((str(when) for when in document.get("times", {}).values()), default="")

    def after(self, change: Change) -> Searches:
        """The searches with `change` made."""
        name = change.field.partition("/")[2]
        old = self.documents.get(name, Document({"name": name, "query": "", "sort": None}, self.unused))
        value = change.after if isinstance(change.after, Mapping) else {}
        told: dict[str, Any] = {**old, **value, "deleted": change.after is None}
        told["times"] = {**old.get("times", {}), **dict.fromkeys(_FIELDS, change.when)}
        documents = {**self.documents, name: Document(told, old.doc_id)}
        return Searches(documents, max(self.unused, old.doc_id + 1))


def checked_search(change: Change) -> Change:
    """`change` as a saved search can hold it. Raises ValueError for what none can hold."""
    kind, _, name = change.field.partition("/")
    name, value = tidy(name), change.after
    if kind != "searches" or not name:
        raise ValueError(f"{change.field!r} is no saved search")
    if value is None:
        return replace(change, field=f"searches/{name}")
    match value:
        case {"query": str(query), "sort": str() | None as sort}:
            told = {"query": tidy(query), "sort": sort and tidy(sort)}
            return replace(change, field=f"searches/{name}", after=told)
    raise ValueError(f"{change.field!r} cannot be {value!r}")


def tidy(text: str) -> str:
    """Text for one line, safe to draw."""
    return one_line(clean(text)).strip()
