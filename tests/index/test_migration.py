"""Tables of an earlier schema: step by step to this one, and nothing left behind."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from index.annotations.migration import SCHEMA, NewerSchemaError, Tables, migrated


def stars(tables: Tables) -> Tables:
    """A step that an imagined schema 2 would need: stars instead of a rating."""
    table = tables["annotations"]
    new: dict[str, dict[str, Any]] = {
        key: {**{name: value for name, value in entry.items() if name != "rating"}, "stars": entry["rating"]}
        for key, entry in table.items()
    }
    return {**tables, "annotations": new}


def doubled(tables: Tables) -> Tables:
    """A step that an imagined schema 3 would need: ten stars instead of five."""
    table = tables["annotations"]
    return {
        **tables,
        "annotations": {k: {**entry, "stars": 2 * entry["stars"]} for k, entry in table.items()},
    }


def tables(schema: object) -> Tables:
    return {
        "_meta": {"1": {"schema": schema, "seq": 7, "parent": "abc"}, "2": {"kept": True}},
        "annotations": {"36": {"paper": "x", "rating": 4, "mood": ["unknown"]}},
        "moods": {"1": {"unknown": True}},
    }


def test_every_step_from_the_file_s_schema_on_is_made_once_and_in_order() -> None:
    new, changed = migrated(tables(1), (stars, doubled))
    assert changed
    assert new["annotations"] == {"36": {"paper": "x", "stars": 8, "mood": ["unknown"]}}
    begun = {**tables(2), "annotations": {"36": {"paper": "x", "stars": 3}}}
    assert migrated(begun, (stars, doubled))[0]["annotations"] == {"36": {"paper": "x", "stars": 6}}


def test_what_is_unknown_is_kept_and_the_number_is_set() -> None:
    new, _ = migrated(tables(1), (stars,))
    assert new["moods"] == {"1": {"unknown": True}}
    assert new["_meta"] == {"1": {"schema": 2, "seq": 7, "parent": "abc"}, "2": {"kept": True}}


def test_what_is_given_stays_as_it_is() -> None:
    given = tables(1)
    before = copy.deepcopy(given)
    migrated(given, (stars, doubled))
    assert given == before


def test_tables_of_this_schema_are_handed_back_untouched() -> None:
    for schema in ({"schema": SCHEMA}, {}):
        given: Tables = {"_meta": {"1": schema}, "annotations": {}}
        new, changed = migrated(given)
        assert new is given
        assert not changed
    assert migrated({}) == ({}, False)


def test_tables_without_a_number_are_of_the_first_schema() -> None:
    new, changed = migrated({"annotations": {"36": {"paper": "x", "rating": 1}}}, (stars,))
    assert (new["annotations"]["36"]["stars"], new["_meta"]["1"]["schema"], changed) == (1, 2, True)


def test_a_newer_schema_is_refused_with_its_number() -> None:
    with pytest.raises(NewerSchemaError, match=str(SCHEMA + 1)) as raised:
        migrated(tables(SCHEMA + 1))
    assert raised.value.schema == SCHEMA + 1
    with pytest.raises(NewerSchemaError):
        migrated(tables(3), (stars,))


@pytest.mark.parametrize("schema", ["1", 0, -1, None, True, 1.0, [1]], ids=json.dumps)
def test_a_number_that_is_none_is_an_error_and_not_a_newer_schema(schema: object) -> None:
    with pytest.raises(ValueError, match="no number") as raised:
        migrated(tables(schema), (stars,))
    assert not isinstance(raised.value, NewerSchemaError)
