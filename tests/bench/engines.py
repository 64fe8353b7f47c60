"""The engines that `search.py` sets side by side: postil, plain Whoosh, SQLite FTS5, tantivy.

Each holds the title and the abstract of the same papers and answers the same texts with the ids of the
best `TOP`; postil gives all of them. Whoosh is as its own documentation sets it up: stemming analyser,
stock parser and searcher.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from index import query
from index.fulltext import Engine, snippet, spans
from index.papers import Paper

TOP: Final = 50
SHOWN: Final = 40
"""Hits for which a snippet is drawn."""
WIDTH: Final = 72


class Contestant(Protocol):
    """An index that stands open."""

    def ask(self, kind: str, text: str, ids: Sequence[str]) -> Sequence[Any] | None:
        """Ids, or hits, of what matches; None where there is no such query. `ids` is what a filter leaves."""

    def show(self, text: str) -> object:
        """A snippet of each of the first hits."""


class Postil:
    @staticmethod
    def build(folder: Path, papers: Iterable[Paper]) -> None:
        Engine.build(folder, papers, stamp={})

    def __init__(self, folder: Path) -> None:
        self.engine = Engine.open(folder)
        self.abstracts: dict[str, str] = {}

    def ask(self, kind: str, text: str, ids: Sequence[str]) -> Sequence[Any] | None:
        tree = query.parse(_marked(kind, text)).tree
        if kind == "filter":
            tree = query.And((tree, query.Ids(frozenset(ids))))
        return self.best(tree)

    def show(self, text: str) -> object:
        tree = query.parse(text).tree
        shown = [self.abstracts[id] for id in self.best(tree)[:SHOWN]]
        return [snippet(abstract, spans(abstract, tree), WIDTH) for abstract in shown]

    def best(self, tree: query.Node) -> list[str]:
        scores = self.engine.search(tree)
        return sorted(scores, key=scores.__getitem__, reverse=True)


class Whoosh:
    @staticmethod
    def build(folder: Path, papers: Iterable[Paper]) -> None:
        from whoosh import analysis, fields, index

        folder.mkdir()
        text = analysis.StemmingAnalyzer()
        schema = fields.Schema(
            key=fields.ID(stored=True),
            title=fields.TEXT(text, stored=True),
            abstract=fields.TEXT(text, stored=True),
        )
        with index.create_in(str(folder), schema).writer(limitmb=512) as writer:
            for paper in papers:
                writer.add_document(key=paper.id, title=paper.title or "", abstract=paper.abstract)

    def __init__(self, folder: Path) -> None:
        from whoosh import index, qparser

        self.searcher = index.open_dir(str(folder)).searcher()
        self.parser = qparser.MultifieldParser(["title", "abstract"], self.searcher.schema)
        self.parser.add_plugin(qparser.FuzzyTermPlugin())
        self.numbers = {fields["key"]: doc for doc, fields in self.searcher.reader().iter_docs()}

    def ask(self, kind: str, text: str, ids: Sequence[str]) -> Sequence[Any] | None:
        parsed = self.parser.parse(_marked(kind, text))
        within = {self.numbers[id] for id in ids} if kind == "filter" else None
        return list(self.searcher.search(parsed, limit=TOP, filter=within))

    def show(self, text: str) -> object:
        hits = self.searcher.search(self.parser.parse(text), limit=TOP)
        return [hit.highlights("abstract", top=1) for hit in hits[:SHOWN]]


class Fts5:
    @staticmethod
    def build(folder: Path, papers: Iterable[Paper]) -> None:
        folder.mkdir()
        with sqlite3.connect(folder / "fts5.db") as db:
            db.execute(
                "CREATE VIRTUAL TABLE paper USING fts5(key UNINDEXED, title, abstract, tokenize=porter)"
            )
            rows = ((paper.id, paper.title or "", paper.abstract) for paper in papers)
            db.executemany("INSERT INTO paper VALUES (?, ?, ?)", rows)
        db.close()

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / "fts5.db")
        self.db.execute("CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY)")
        self.chosen: Sequence[str] = ()

    def ask(self, kind: str, text: str, ids: Sequence[str]) -> Sequence[Any] | None:
        if kind == "edit":
            return None
        more = ""
        if kind == "filter":
            self.choose(ids)
            more = "AND +rowid IN chosen"  # without +, SQLite asks the index anew for each chosen row: 6 s
        asked = " ".join(word if word.endswith("*") else f'"{word}"' for word in text.split())
        asked = {"phrase": f'"{text}"', "field": f"title : {text}"}.get(kind, asked)
        return self.rows("key", asked, more, TOP)

    def rows(self, what: str, asked: str, more: str, limit: int) -> list[Any]:
        select = f"SELECT {what} FROM paper WHERE paper MATCH ? {more} ORDER BY rank LIMIT {limit}"
        return self.db.execute(select, (asked,)).fetchall()

    def choose(self, ids: Sequence[str]) -> None:
        """Fill the table of what a filter leaves; the cost is not the query's, and is paid once."""
        if self.chosen is not ids:
            self.chosen = ids
            places = {key: row for row, key in self.db.execute("SELECT rowid, key FROM paper")}
            self.db.executemany("INSERT INTO chosen VALUES (?)", ((places[id],) for id in ids))

    def show(self, text: str) -> object:
        return self.rows("snippet(paper, 2, '[', ']', '', 12)", text, "", SHOWN)


class Tantivy:
    FIELDS: Final = ("title", "abstract")

    @classmethod
    def schema(cls) -> Any:
        tantivy: Any = import_module("tantivy")
        builder = tantivy.SchemaBuilder().add_text_field("key", stored=True, tokenizer_name="raw")
        for name in cls.FIELDS:
            builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
        return builder.build()

    @classmethod
    def build(cls, folder: Path, papers: Iterable[Paper]) -> None:
        tantivy: Any = import_module("tantivy")
        folder.mkdir()
        writer = tantivy.Index(cls.schema(), path=str(folder)).writer(heap_size=256 << 20, num_threads=1)
        for paper in papers:
            writer.add_document(
                tantivy.Document(key=paper.id, title=paper.title or "", abstract=paper.abstract)
            )
        writer.commit()
        writer.wait_merging_threads()

    def __init__(self, folder: Path) -> None:
        tantivy: Any = import_module("tantivy")
        self.made = tantivy
        self.index = tantivy.Index(self.schema(), path=str(folder))
        self.searcher = self.index.searcher()

    def ask(self, kind: str, text: str, ids: Sequence[str]) -> Sequence[Any] | None:
        asked = self.asked(kind, text, ids)
        hits = self.searcher.search(asked, TOP, count=False).hits
        return [self.searcher.doc(address)["key"] for _, address in hits]

    def asked(self, kind: str, text: str, ids: Sequence[str]) -> Any:
        make, schema, names = self.made.Query, self.index.schema, list(self.FIELDS)
        if kind == "edit":
            return self.any(make.fuzzy_term_query(schema, name, text) for name in names)
        if kind == "filter":
            must = self.made.Occur.Must
            words = self.index.parse_query(text, names)
            return make.boolean_query([(must, words), (must, make.term_set_query(schema, "key", list(ids)))])
        if text.endswith("*"):
            *words, start = text.removesuffix("*").split()
            begun = self.any(make.regex_query(schema, name, f"{start}.*") for name in names)
            parts = [self.index.parse_query(word, names) for word in words]
            return make.boolean_query([(self.made.Occur.Must, part) for part in (*parts, begun)])
        marked = {"phrase": f'"{text}"', "field": f"title:{text}"}.get(kind, text)
        return self.index.parse_query(marked, names, conjunction_by_default=True)

    def any(self, queries: Iterable[Any]) -> Any:
        return self.made.Query.boolean_query([(self.made.Occur.Should, one) for one in queries])

    def show(self, text: str) -> object:
        asked = self.index.parse_query(text, list(self.FIELDS))
        maker = self.made.SnippetGenerator.create(self.searcher, asked, self.index.schema, "abstract")
        maker.set_max_num_chars(WIDTH)
        hits = self.searcher.search(asked, SHOWN, count=False).hits
        return [maker.snippet_from_doc(self.searcher.doc(address)).to_html() for _, address in hits]


def _marked(kind: str, text: str) -> str:
    """`text` as postil and Whoosh are asked it."""
    return {"phrase": f'"{text}"', "field": f"title:{text}", "edit": f"{text}~"}.get(kind, text)


ALL: Final[dict[str, Any]] = {"postil": Postil, "Whoosh": Whoosh, "FTS5": Fts5, "tantivy": Tantivy}


def there(name: str) -> bool:
    """Whether the engine is installed."""
    return name != "tantivy" or find_spec("tantivy") is not None
