"""Texts in memory that come, change and go: what is found in them is what a look at each finds."""

from __future__ import annotations

import random

from index import fulltext, query
from index.fulltext import Texts
from index.fulltext import texts as room

SAID = (
    "multi-task learning", "multitask", "a model of models", "VLM2Bench", "state of the art",
    "the art of a state", "",
)  # fmt: skip
LEAVES: list[fulltext.Leaf] = [
    *(query.Word(text) for text in ("multitask", "multi-task", "model", "vlm2bench", "art", "zebra")),
    *(query.Prefix("mod"), query.Prefix("models"), query.Fuzzy("modle"), query.Phrase("state of the")),
]


def test_texts_are_found_while_they_come_change_and_go() -> None:
    pick = random.Random(1)
    held: dict[int, list[str]] = {}
    kept: Texts[int] = Texts(lambda key: held.get(key, ()))
    found = 0
    for turn in range(400):
        key = pick.randrange(6)
        if turn % 5:
            held[key] = pick.choices(SAID, k=2)
            kept.put(key)
        else:
            held.pop(key, None)
            pick.choice((kept.put, kept.drop))(key)
        leaf = pick.choice(LEAVES)
        expected = {key for key, texts in held.items() if any(fulltext.occurs(one, leaf) for one in texts)}
        assert kept.matching(leaf) == expected, (turn, leaf)
        found += len(expected)
    assert found > 300


def test_what_was_taken_out_does_not_pile_up() -> None:
    said = "one"
    kept: Texts[str] = Texts(lambda _: (said,))
    for turn in range(2 * room._SPARE + 10):
        said = f"word{turn}"
        kept.put("key")
    assert kept.matching(query.Word(said)) == {"key"}
    assert kept.matching(query.Word("word3")) == set()
    assert len(kept._keys) <= room._SPARE + 5
    assert len(kept._holders) <= room._SPARE + 5
