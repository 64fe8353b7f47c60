"""A file that postil did not write, or that is damaged: what can be read of it, and where it is kept."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from index import files
from index.annotations.documents import checked_document, document_id
from index.annotations.journal import Entry, Journal, Tables, played
from index.annotations.migration import NewerSchemaError, migrated

DAMAGED: Final = "damaged"
CONFLICTS: Final = "conflicts"
META: Final = "_meta"
ONLY: Final = "1"
"""The id of the one document in `_meta`."""
ANNOTATIONS: Final = "annotations"
SEARCHES: Final = "searches"

_HUNK: Final = re.compile(
    r"^<{7}(?: .*)?\n((?:.*\n)*?)(?:\|{7}(?: .*)?\n(?:.*\n)*?)?={7}\n((?:.*\n)*?)>{7}(?: .*)?(?:\n|\Z)",
    re.MULTILINE,
)
_KEY: Final = re.compile(r'"(\d{1,25}|annotations|searches|exports|_meta)"\s*:\s*(?=\{)')
_NOT_WRITTEN: Final = frozenset({"paper", "identities", "times", "versions"})
_UNREADABLE: Final = re.compile("[\udc80-\udcff]")
_NO_ANNOTATION: Final = (AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Found:
    """What could be read: `versions` are to be merged, documents of `worn` taken where there is no other.

    `fault` says in a few words what is wrong, None of a sound file. `newer` is the schema of a newer postil.
    """

    versions: tuple[Tables, ...] = ()
    worn: tuple[Tables, ...] = ()
    fault: str | None = None
    in_conflict: bool = False
    newer: int | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether no document of any table was found."""
        return not any(table for tables in (*self.versions, *self.worn) for table in tables.values())


def found(data: bytes, entries: Sequence[Entry] = ()) -> Found:
    """What there is in an annotations.json that anyone may have written. Never raises.

    On a sound one `entries` are played, those that it does not hold already: they go on from it.
    """
    if not data.strip(b"\0 \r\n\t"):
        return Found(fault="is empty (0 bytes)" if not data else "holds nothing but zeros or blanks")
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except ValueError:
        return _scanned(data.decode("utf-8", "surrogateescape"), "is not UTF-8 throughout")
    if sides := _sides(text):
        parts = [found(side.encode("utf-8", "surrogatepass")) for side in sides]
        return replace(
            parts[0],
            versions=tuple(version for part in parts for version in part.versions),
            worn=tuple(tables for part in parts for tables in part.worn),
            fault="holds git's conflict markers",
            in_conflict=True,
            newer=max(part.newer or 0 for part in parts) or None,
        )
    try:
        tables = _strictly(text)
    except (ValueError, RecursionError) as error:
        return _scanned(text, str(error))
    held = meta_of(tables).get("seq", 0)
    return _checked([played(tables, [entry for entry in entries if entry.seq > held])], [], None)


def found_in_journal(journal: Journal) -> Found:
    """The documents of a journal that goes on from a snapshot not to be had, each as it was last."""
    tables = played({META: {ONLY: {"schema": journal.schema}}}, journal.entries)
    return _checked([tables], [], None)


def is_sound(entry: Entry) -> bool:
    """Whether a line of the journal holds what its table can hold."""
    return entry.table != ANNOTATIONS or not entry.document or _wrong(entry.id, entry.document) is None


def meta_of(tables: Tables) -> dict[str, Any]:
    """The one document of `_meta`."""
    meta: dict[str, Any] = tables.get(META, {}).get(ONLY, {})
    return meta


def set_aside(folder: Path, name: str, data: bytes) -> Path:
    """Keep `data` in `folder` under `name`, the moment and its hash; the same data is kept once.

    Nothing is ever overwritten there. Raises OSError.
    """
    stem, _, ending = name.partition(".")
    digest = sha256(data).hexdigest()[:8]
    files.make_folder(folder)
    for path in folder.glob(f"{stem}-*-{digest}.{ending}"):
        if path.read_bytes() == data:
            return path
    path = folder / f"{stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{digest}.{ending}"
    files.replace(path, [data])
    return path


def _sides(text: str) -> list[str]:
    """Both files that git could not merge, where `text` holds its markers; else nothing."""
    text = text.replace("\r\n", "\n")
    return [_HUNK.sub(rf"\g<{side}>", text) for side in (1, 2)] if _HUNK.search(text) else []


def _strictly(text: str) -> Tables:
    """The tables of a sound file. Raises ValueError that says what is wrong, and RecursionError."""
    doubled = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            doubled.append(next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1))
        return made

    try:
        tables = json.loads(text, object_pairs_hook=mapping)
    except ValueError as error:
        raise ValueError(f"is not JSON ({error})") from error
    if doubled:
        raise ValueError(f"has the key {doubled[0]!r} twice")
    if not isinstance(tables, dict):
        raise ValueError("holds no tables")
    for name, table in tables.items():
        if not isinstance(table, dict) or not all(isinstance(entry, dict) for entry in table.values()):
            raise ValueError(f"has a table {name!r} that does not map ids to documents")
    for key, document in tables.get(ANNOTATIONS, {}).items():
        if wrong := _wrong(key, document):
            raise ValueError(f"has a document {key!r} that is no annotation ({wrong})")
    if type(meta_of(tables).get("seq", 0)) is not int:
        raise ValueError("has a _meta whose seq is no number")
    return tables


def _wrong(key: str, document: Mapping[str, Any]) -> str | None:
    """Why a document is not one of the table `annotations`."""
    try:
        checked_document(key, document)
    except _NO_ANNOTATION as error:
        return str(error) or type(error).__name__
    return None


def _scanned(text: str, fault: str) -> Found:
    """Every document that stands whole; of two for one place, the second in a version more."""
    versions: list[Tables] = []
    worn: list[Tables] = []
    decoder, table, place = json.JSONDecoder(), ANNOTATIONS, 0
    while key := _KEY.search(text, place):
        place = key.end()
        if not key[1].isdigit():
            table = key[1]
            continue
        with contextlib.suppress(ValueError, RecursionError):
            document, end = decoder.raw_decode(text, place)
            of, into = ANNOTATIONS if "paper" in document else table, versions
            if _UNREADABLE.search(text, place, end):
                raw = text[place:end].encode("utf-8", "surrogateescape")
                document, into = json.loads(raw.decode("utf-8", "replace")), worn
            place = end
            _put(into, of, key[1], document)
    return _checked(versions, worn, fault)


def _put(versions: list[Tables], table: str, key: str, document: dict[str, Any]) -> None:
    with contextlib.suppress(*_NO_ANNOTATION):
        if table == ANNOTATIONS:
            key = str(document_id(document["paper"]))
        version = next((tables for tables in versions if key not in tables.get(table, {})), None)
        if version is None:
            versions.append(version := {})
        version.setdefault(table, {})[key] = document


def _readable(key: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document, without the fields that make it no annotation: a merge takes them from elsewhere.

    One of which nothing would be left that the reader wrote is given back as it is.
    """
    if _wrong(key, document) is None:
        return document
    paper = {"paper": document["paper"]}
    sound = {name: document[name] for name in document if not _wrong(key, {**paper, name: document[name]})}
    return {**paper, **sound} if sound.keys() - _NOT_WRITTEN else document


def _checked(versions: list[Tables], worn: list[Tables], fault: str | None) -> Found:
    """Brought up to this schema and without what is no annotation; of a newer schema, what can be shown."""
    newer = None
    schemas = []
    for tables in (*versions, *worn):
        try:
            tables, _ = migrated(tables)
        except NewerSchemaError as error:
            newer = error.schema
        except ValueError as error:
            fault = fault or f"has a _meta that makes no sense ({error})"
        schemas.append({name: dict(table) for name, table in tables.items() if name != META})
    for tables in schemas:
        documents = tables.get(ANNOTATIONS, {})
        for key in list(documents):
            try:
                documents[key] = checked_document(key, _readable(key, documents[key]))
            except _NO_ANNOTATION:
                del documents[key]
    meta = dict(meta_of(versions[0])) if versions else {}
    for name in ("seq", "schema"):
        if type(meta.get(name)) is not int:
            meta.pop(name, None)
    whole, part = tuple(schemas[: len(versions)]), tuple(schemas[len(versions) :])
    return Found(whole, part, fault, newer=newer, meta=meta)
