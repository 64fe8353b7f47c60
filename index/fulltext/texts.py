"""Short texts kept in memory by word: which of them match a leaf, as a paper with such a text would."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

from index.fulltext.analysis import forms
from index.fulltext.slots import Known, Leaf, readings, slots
from index.fulltext.snippets import occurs

_SPARE: Final = 1000  # numbers out of use before all is put in anew, or as many as are in use

Key = TypeVar("Key", bound=Hashable)


class Texts(Generic[Key]):
    """Texts under keys, several under one where they belong together. For one thread."""

    def __init__(self, read: Callable[[Key], Iterable[str]]) -> None:
        """`read` gives the texts of a key, which are not kept here."""
        self._read = read
        self._clear()

    def _clear(self) -> None:
        self._keys: list[Key | None] = []  # by number; None: taken out
        self._numbers: dict[Key, int] = {}
        self._holders: dict[str, list[int]] = {}
        self._known = Known()

    def put(self, key: Key) -> None:
        """Take in what `read` gives for `key` now, in the place of what it gave before."""
        self.drop(key)
        held = {form for text in self._read(key) for form in forms(text)}
        if held:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
            for form in held:
                if form not in self._holders:
                    self._holders[form] = []
                    self._known.add(form)
                self._holders[form].append(number)

    def drop(self, key: Key) -> None:
        """Take out what `key` has."""
        number = self._numbers.pop(key, None)
        if number is not None:
            self._keys[number] = None
        if len(self._keys) > 2 * len(self._numbers) + _SPARE:
            left = list(self._numbers)
            self._clear()
            for one in left:
                self.put(one)

    def matching(self, leaf: Leaf) -> set[Key]:
        """The keys of which a text matches `leaf`."""
        row = slots(leaf)
        found: set[int] = set()
        for reading in readings(row, lambda slot: bool(self._known.accepted(slot))) if row else ():
            first, *others = (
                {number for form in self._known.accepted(slot) for number in self._holders[form]}
                for slot in reading
            )
            held = first.intersection(*others)
            found |= {one for one in held - found if self._occurs(one, leaf)} if others else held
        return {key for key in map(self._keys.__getitem__, found) if key is not None}

    def _occurs(self, number: int, leaf: Leaf) -> bool:
        key = self._keys[number]
        return key is not None and any(occurs(text, leaf) for text in self._read(key))
