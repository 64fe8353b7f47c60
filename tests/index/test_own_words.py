"""The reader's own words in memory: the same matches as in any text, kept up with what is written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from index import fulltext
from index import query as q
from index.annotations import Annotations
from index.fulltext import Leaf
from index.own_words import BARE, KINDS, OwnWords, passage
from index.papers import Annotation, Change, Highlight, Value, now
from index.query import parse

TEXTS = (
    "multi-task learning", "multitask", "multi task", "VLM^2-Bench", "vlm 2 bench", "children's analyses",
    "généralisation of models", "generalized model", "the state of the art", "state-of-the-art", "email",
    "12.5% of 3,820", "github.com/x/GCNet", "GCNet", "moe", "MoEs", "mixture of experts", "e mail", "colour",
    "a", "the task is one of multi", "art of the state",
)  # fmt: skip
ASKED = (
    "multi-task", "multitask", "multi", "task*", "mult*", "vlm2bench", "VLM", "generalise", "modle~", "model",
    '"state of the art"', '"of the"', "12.5%", "3820", "child", "analysis", "gcnet", "x/gcnet", "moe",
    "moes~", "expert", "email", "e-mail", "color", "em*", "a", "of", "zebra", '"mixture of exp"*', "multi-t*",
)  # fmt: skip


class Written:
    """Annotations on disk, their words, and a scribe."""

    def __init__(self, folder: Path) -> None:
        self.notes = Annotations.open(folder)
        self.own = OwnWords(self.notes)

    def write(self, paper: str, field: str, value: Value) -> None:
        self.notes.apply([Change("s", "o", paper, field, None, value, now())])

    def brute(self, leaf: Leaf, kinds: tuple[str, ...]) -> dict[str, str]:
        found = {}
        for paper, told in self.notes.items():
            for kind in reversed(kinds):
                if any(fulltext.occurs(text, leaf) for text in KINDS[kind](told)):
                    found[paper] = kind
        return found


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path)


def leaf_of(text: str) -> Leaf:
    leaf = parse(text).tree
    assert isinstance(leaf, q.Word | q.Prefix | q.Fuzzy | q.Phrase)
    return leaf


def mark(number: int, comment: str, quote: str) -> dict[str, Value]:
    return Highlight.on(quote, 0, len(quote), id=f"h{number}", comment=comment).to_json()


def test_words_are_found_as_in_any_text_while_annotations_come_change_and_go(written: Written) -> None:
    pick = random.Random(5)
    found = 0
    for turn in range(120):
        paper, text = f"p{pick.randrange(8)}zzzzzzzz", pick.choice(TEXTS)
        match pick.choice(("title", "note", "note", "tag", "highlight")):
            case "tag":
                written.write(
                    paper, f"tags/{pick.choice(('moe/vlm', 'multi-task', 'colours'))}", turn % 3 > 0
                )
            case "highlight":
                value = mark(1, text, pick.choice(TEXTS)) if turn % 4 else None
                written.write(paper, "highlights/h1", value)
            case field:
                written.write(paper, field, text if turn % 4 else "" if field == "note" else None)
        leaf = leaf_of(pick.choice(ASKED))
        for kinds in (BARE, ("title",), ("note",), ("quote",)):
            expected = written.brute(leaf, kinds)
            assert written.own.holding(leaf, kinds) == expected, (leaf, kinds)
            found += len(expected)
    assert found > 100


@pytest.mark.parametrize("asked", ASKED)
def test_each_way_to_ask_finds_what_it_finds_in_any_text(written: Written, asked: str) -> None:
    for number, text in enumerate(TEXTS):
        written.write(f"p{number:09}", "note", text)
    leaf = leaf_of(asked)
    assert written.own.holding(leaf) == written.brute(leaf, BARE)
    assert bool(written.own.holding(leaf)) == (asked != "zebra")


def test_a_tag_alone_and_what_is_not_saved_yet_are_found(written: Written) -> None:
    moe = q.Word("moe")
    assert written.own.holding(moe) == {}
    written.write("pzzzzzzzzz", "tags/moe", True)
    assert written.own.holding(moe) == {"pzzzzzzzzz": "tag"}
    waiting = written.notes.pending([Change("s", "o", "qzzzzzzzzz", "note", "", "a moe", now())])
    assert written.own.holding(moe) == {"pzzzzzzzzz": "tag", "qzzzzzzzzz": "note"}
    written.write("pzzzzzzzzz", "tags/moe", False)
    assert written.own.holding(moe) == {"qzzzzzzzzz": "note"}
    written.notes.give_up(waiting)
    assert written.own.holding(moe) == {}


def test_the_passage_is_the_text_with_most_matches_on_one_line() -> None:
    told = Annotation(
        "p", note="One\nzebra here", tags=("zebra/crossing", "moe"), highlights=(),
    )  # fmt: skip
    assert passage(told, parse("zebra").tree, "note") == ("One zebra here", ((4, 9),))
    assert passage(told, parse("moe OR x").tree, "tag") == ("moe", ((0, 3),))
    assert passage(told, parse("note:zeb* moe").tree, "note") == ("One zebra here", ((4, 9),))
    assert passage(told, parse("zebra").tree, "comment") == ("", ())
