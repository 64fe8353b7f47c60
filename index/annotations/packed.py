"""A document as its JSON: a third of the memory of dicts and lists, parsed when it is asked for something."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


class Packed(Mapping[str, Any]):
    """A document that nobody changes. What it gives out is shared, and not to be changed either."""

    __slots__ = ("json",)

    def __init__(self, json: bytes) -> None:
        self.json = json

    def __getitem__(self, key: str) -> Any:
        return _parsed(self.json)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_parsed(self.json))

    def __len__(self) -> int:
        return len(_parsed(self.json))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Packed):
            return self.json == other.json or _parsed(self.json) == _parsed(other.json)
        return _parsed(self.json) == other if isinstance(other, Mapping) else NotImplemented


def packed(document: Mapping[str, Any]) -> Packed:
    """`document` as its JSON."""
    return document if isinstance(document, Packed) else Packed(encoded(document))


def encoded(value: Mapping[str, Any] | str) -> bytes:
    """The JSON of a document or a name, on one line. A lone surrogate is written as its JSON escape."""
    if isinstance(value, Packed):
        return value.json
    return _encode(value).encode("utf-8", "backslashreplace")


@lru_cache(maxsize=64)
def _parsed(json_: bytes) -> dict[str, Any]:
    """The last few are kept: whoever asks for one field asks for the next."""
    document: dict[str, Any] = json.loads(json_.decode())
    return document
