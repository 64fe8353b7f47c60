"""annotations.json of an earlier schema, brought up to this one: one pure function a step.

A new step goes to the end of `STEPS`. It takes all tables but `_meta` and returns new ones; what it does
not know, fields and tables alike, it hands on as it is, and what it was given it leaves unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

Tables: TypeAlias = dict[str, dict[str, dict[str, Any]]]
Step: TypeAlias = Callable[[Tables], Tables]

STEPS: Final[Sequence[Step]] = ()
"""The first leads from schema 1 to 2, the next from 2 to 3, …"""
SCHEMA: Final = 1 + len(STEPS)
"""What this postil writes."""
_META: Final = "_meta"
_ONLY: Final = "1"


class NewerSchemaError(ValueError):
    """A newer postil wrote this: it may be read and not written."""

    def __init__(self, schema: int) -> None:
        super().__init__(f"it was written by a newer postil (schema {schema})")
        self.schema = schema


def migrated(tables: Tables, steps: Sequence[Step] = STEPS) -> tuple[Tables, bool]:
    """The tables in the schema that `steps` lead to, stamped with its number, and whether any step was made.

    Without a number, tables are of schema 1. Raises `NewerSchemaError`, and ValueError for a number that
    is none.
    """
    meta = tables.get(_META, {}).get(_ONLY, {})
    schema, last = meta.get("schema", 1), 1 + len(steps)
    if type(schema) is not int or schema < 1:
        raise ValueError(f"its schema is {schema!r}, which is no number from 1 on")
    if schema > last:
        raise NewerSchemaError(schema)
    if schema == last:
        return tables, False
    new = {name: table for name, table in tables.items() if name != _META}
    for step in steps[schema - 1 :]:
        new = step(new)
    stamped = {**tables.get(_META, {}), _ONLY: {**meta, "schema": last}}
    return {_META: stamped, **new}, True
