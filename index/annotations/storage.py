"""annotations.json as a TinyDB storage: read whole, replaced whole, never written over unread."""

from __future__ import annotations

import contextlib
import gc
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from tinydb.storages import Storage
from tinydb.table import Document, Table

from index import files
from index.annotations.documents import checked_document
from index.clean import drawable

Tables: TypeAlias = dict[str, dict[str, Any]]

SCHEMA: Final = 1
ANNOTATIONS: Final = "annotations"
SEARCHES: Final = "searches"
_META: Final = "_meta"
_ONLY: Final = "1"
"""The id of the one document in `_meta`."""


class AnnotationsError(Exception):
    """annotations.json cannot be used as it is; one line says where, what is wrong and what to do."""


class Snapshot(Storage):
    """The tables of one file. Whoever writes holds the lock and calls `reload` first.

    A file of a newer schema is read, and `read_only` says why it is not written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only: str | None = None
        self._tables: Tables = {}
        self._seen: tuple[int, int, int] | None = None

    def reload(self) -> Mapping[str, Mapping[str, Any]] | None:
        """The documents of all annotations by paper, if the file is not the one last read or written.

        None when it is, and when it has gone: memory keeps what it held, and the next write brings it
        back. Raises `AnnotationsError`, and then nothing in memory has changed.
        """
        seen = self._stat()
        if seen is None or seen == self._seen:
            return None
        with _no_collection():
            tables = self._parse()
            documents = self._by_paper(tables.get(ANNOTATIONS, {}))
        self.read_only = self._refusal(tables)
        self._tables, self._seen = tables, seen
        return documents

    def read(self) -> Tables:
        """The tables in memory. TinyDB puts tables into the mapping it is given, so that is a copy."""
        return dict(self._tables)

    def write(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Put `data` on disk, then in memory. Raises OSError or `AnnotationsError`: neither has changed."""
        if self.read_only:
            raise AnnotationsError(self.read_only)
        if self._stat() not in (None, self._seen):
            raise self._error("was changed by another program just now", "try again")
        meta = self._meta(self._tables)
        meta = {**meta, "schema": SCHEMA, "seq": meta.get("seq", 0) + 1}
        tables: Tables = {_META: {_ONLY: meta}, **{name: dict(data[name]) for name in data if name != _META}}
        self._sweep()
        files.replace(self.path, _lines(tables))
        self._tables, self._seen = tables, self._stat()

    def _sweep(self) -> None:
        """Remove what a process left that was killed as it wrote: the lock is held, so nobody writes now."""
        path = self.path.resolve()
        for other in path.parent.iterdir():
            if other.name.startswith(f".{path.name}."):
                other.unlink(missing_ok=True)

    def _stat(self) -> tuple[int, int, int] | None:
        """What tells one state of the file from another, None when there is no file."""
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._error(f"cannot be read ({error.strerror})", "see who may read it") from error
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _parse(self) -> Tables:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise self._error(f"cannot be read ({error.strerror})", "see who may read it") from error
        if not data:
            raise self._error("is empty (0 bytes)")
        try:
            tables = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._error(f"is not JSON ({error})") from error
        if not isinstance(tables, dict):
            raise self._error("holds no tables")
        for name, table in tables.items():
            if not isinstance(table, dict) or not all(isinstance(entry, dict) for entry in table.values()):
                raise self._error(f"has a table {name!r} that does not map ids to documents")
        return tables

    def _by_paper(self, table: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
        documents = {}
        for key, document in table.items():
            try:
                documents[document["paper"]] = checked_document(key, document)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise self._error(f"has a document {key!r} that is no annotation ({error})") from error
        return documents

    def _meta(self, tables: Tables) -> dict[str, Any]:
        meta: dict[str, Any] = tables.get(_META, {}).get(_ONLY, {})
        return meta

    def _refusal(self, tables: Tables) -> str | None:
        """Why these tables may be read but not written. Raises when `_meta` makes no sense."""
        meta = self._meta(tables)
        schema = meta.get("schema", SCHEMA)
        if type(schema) is not int or type(meta.get("seq", 0)) is not int:
            raise self._error("has a _meta whose schema or seq is no number")
        if schema <= SCHEMA:
            return None
        return str(
            self._error(f"was written by a newer postil (schema {schema})", "update postil to change it")
        )

    def _error(self, wrong: str, do: str = "restore it from a copy, or move it away") -> AnnotationsError:
        return AnnotationsError(drawable(f"{self.path} {wrong}: it was left as it is; {do}"))


class Documents(Table):
    """A table whose documents are set by id, many in one write."""

    def put(self, documents: Iterable[Document]) -> None:
        """Set these documents; what `Snapshot.write` raises leaves the table as it was.

        TinyDB's own `upsert` writes once a document, and changes documents in memory before the write.
        """
        tables = self.storage.read() or {}
        new = {str(document.doc_id): dict(document) for document in documents}
        self.storage.write({**tables, self.name: {**tables.get(self.name, {}), **new}})
        self.clear_cache()


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector: it takes half of the time of reading, and there is no garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _lines(tables: Tables) -> Iterator[bytes]:
    """The tables as JSON, one document a line. A lone surrogate is written as its JSON escape."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    between = "{\n"
    for name, table in tables.items():
        yield f"{between}{encode(name)}: {{".encode("utf-8", "backslashreplace")
        line_end = "\n"
        for key, document in table.items():
            yield f"{line_end}{encode(key)}: {encode(document)}".encode("utf-8", "backslashreplace")
            line_end = ",\n"
        yield b"\n}"
        between = ",\n"
    yield b"\n}\n"
