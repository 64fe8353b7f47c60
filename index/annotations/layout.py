"""annotations.json read as postil lays it out: line by line, without a look into the annotations."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import re
from collections.abc import Iterator
from typing import Final

from index.annotations.documents import checked_document, document_id
from index.annotations.journal import Tables
from index.annotations.migration import SCHEMA
from index.annotations.packed import Packed, packed
from index.annotations.rescue import ANNOTATIONS, META, ONLY, found, meta_of


def sound(data: bytes, *, trusted: bool) -> Tables | None:
    """The tables of a sound file of this schema, else None.

    What is `trusted` was written by postil, as its hash in the journal says, and its documents were
    looked at then: they are not again, unless there may be characters in them that a terminal obeys.
    """
    tables = _by_lines(data) if trusted else None
    if tables is None:
        seen = found(data)
        if seen.fault or seen.newer or seen.meta.get("schema", SCHEMA) != SCHEMA:
            return None
        return {META: {ONLY: seen.meta}, **packed_tables(seen.versions[0])}
    if meta_of(tables).get("schema", SCHEMA) != SCHEMA:
        return None
    if not _is_safe(data):
        table = tables.get(ANNOTATIONS, {})
        unsafe = [key for key, document in table.items() if not _is_safe(document.json)]
        table.update({key: packed(checked_document(key, table[key])) for key in unsafe})
    return tables


_ROW: Final = re.compile(rb'"(\d+)": (\{.*\}),?\n')
_HEAD: Final = re.compile(rb'"([^"\\]+)": \{\n')


def _by_lines(data: bytes) -> Tables | None:
    """The tables of a sound file that is laid out as a snapshot is, without a look into the annotations.

    None where it is not; ValueError where it looks so and is not.
    """
    tables: Tables = {}
    table = None
    for line in io.BytesIO(data):
        if table is not None and (row := _ROW.fullmatch(line)):
            packs = table is tables.get(ANNOTATIONS)
            table[row[1].decode()] = Packed(row[2]) if packs else json.loads(row[2])
        elif table is None and (head := _HEAD.fullmatch(line)):
            table = tables[head[1].decode()] = {}
        elif line in (b"{\n", b"},\n", b"}\n"):
            table = None
        else:
            return None
    return tables


def goes_by_lines(data: bytes) -> bool:
    """Whether `_by_lines` can be trusted with this sound file, which another program may have written."""
    try:
        table = (_by_lines(data) or {}).get(ANNOTATIONS, {})
        return all(key == str(document_id(document["paper"])) for key, document in table.items())
    except (KeyError, ValueError):
        return False


_ASCII: Final = bytes(range(0x7F))
_ESCAPE: Final = re.compile(rb'\\[^n"\\/]')


def _is_safe(data: bytes) -> bool:
    """Quick, and true of nearly every file of postil's: no escapes but of LF and quotes, all printable."""
    return not _ESCAPE.search(data) and data.translate(None, _ASCII).decode().isprintable()


def packed_tables(tables: Tables) -> Tables:
    """`tables` as they are kept in memory."""
    annotations = {key: packed(document) for key, document in tables.get(ANNOTATIONS, {}).items()}
    return {**tables, ANNOTATIONS: annotations} if annotations else tables


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Pause the garbage collector: it takes half of the time of reading, and there is no garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
