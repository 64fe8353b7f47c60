"""Queries made up at random, each as it is typed and as the tree that it means."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from index.papers import STATUSES, Paper, identities, paper_id
from index.query import And, Fuzzy, Node, Not, Or, Phrase, Prefix, Range, Regex, State, Word
from tests.index.helpers import SEEDS, paragraphs
from tests.index.oracle import words

TODAY: Final = date.today()  # noqa: DTZ011 (the reader's own day)
ODD_WORDS: Final = (
    "multitask", "multi-task", "pretraining", "Pre-training", "fine-tuned", "finetuning", "text-to-image",
    "LLMs",
    "generalisation", "behavioural", "VLM^2-Bench", "vlm2bench", "GPT4", "gpt-4", "T2I",
    "out-of-distribution", "90%",
    "modelling", "state-of-the-art", "zzzz", "real-world", "realworld", "chain-of-thought", "ZipIt!", "the",
    "of",
    "a", "multi", "task", "text", "image", "fine", "tuning", "pre", "training", "zebra", "narwhal", "wombat",
    "1,000",
    "king", "nose", "NeurIPS",
)  # fmt: skip
LONG: Final = {
    "title": ("title", "ti"), "abstract": ("abstract", "abs"), "author": ("author", "au", "a"),
    "name": ("name",),
    "venue": ("venue",), "cat": ("cat",), "tag": ("tag", "t", "label", "TAG"), "year": ("year", "y"),
}  # fmt: skip
"""Fields with each way to write them."""


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


def seed_papers() -> list[Paper]:
    """The papers of the shipped lists, with no more than an abstract and a year made up."""
    found: dict[str, Paper] = {}
    for text in (text for path in SEEDS for text in paragraphs(path)):
        paper = Paper(id="", heading=text[:60], name=None, abstract=text.strip(), sources=())
        id = paper_id(identities(paper)[-1])
        found[id] = replace(paper, id=id, year=2000 + int(id[-1], 36) % 30)
    return list(found.values())


TEXTS: Final = [paper.abstract for paper in seed_papers()]
VOCABULARY: Final = sorted(
    {form for text in TEXTS[::4] for form in words(text) if len(form) > 2 and form.isalpha()}
)


# Queries, each as it is typed and as the tree that it means


Asked = tuple[str, Node]


def a_word(pick: random.Random) -> str:
    return pick.choice(VOCABULARY if pick.random() < 0.6 else ODD_WORDS)


def a_phrase(pick: random.Random) -> str:
    some = pick.choice(TEXTS).split()
    at = pick.randrange(max(1, len(some) - 5))
    text = " ".join(some[at : at + pick.randint(1, 5)])
    return re.sub(r'["“”„‟]', "", text) if re.search(r"\w", text) else "of the"


def a_slip(pick: random.Random) -> str:
    word = pick.choice([word for word in VOCABULARY[:: pick.randint(1, 9)] if len(word) > 3])
    at = pick.randrange(len(word) - 1)
    return pick.choice(
        (
            word,
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )


def a_recut(pick: random.Random) -> Asked:
    """A word of the corpus as two, or two as one."""
    word = pick.choice(
        [*VOCABULARY, "multitask", "realworld", "pretraining", "aspects", "information", "inverse"]
    )
    at = pick.randint(1, len(word) - 1)
    one, two = word[:at], word[at:]
    some = [form for form in words(pick.choice(TEXTS)) if form.isalpha()]
    start = pick.randrange(len(some) - 1)
    together = some[start] + some[start + 1]
    return pick.choice((
        (f"{one} {two}", And((Word(one), Word(two)))), (f'"{one} {two}"', Phrase(f"{one} {two}")),
        (f"{one}-{two}", Word(f"{one}-{two}")), (together, Word(together)),
        (f"{together}*", Prefix(together)),
    ))  # fmt: skip


def bare(pick: random.Random) -> Asked:
    match pick.randrange(10):
        case 8 | 9:
            return a_recut(pick)
        case 0 | 1 | 2:
            word = a_word(pick)
            return word, Word(word)
        case 3 | 4:
            text = a_phrase(pick)
            return f'"{text}"', Phrase(text)
        case 5:
            text = a_phrase(pick)
            text = text[: max(1, len(text) - pick.randrange(4))].rstrip()
            return (f'"{text}"*', Phrase(text, open=True)) if re.search(r"\w", text) else ("a*", Prefix("a"))
        case 6:
            word = a_word(pick)
            word = word[: pick.randint(1, len(word))].rstrip("!")
            return (word + "*", Prefix(word)) if word else ("e*", Prefix("e"))
        case _:
            word = a_slip(pick)
            return word + pick.choice(("~", "~1")), Fuzzy(word)


def within(pick: random.Random) -> Asked:
    """A word, phrase or beginning in one field."""
    field = pick.choice(("title", "abstract", "author", "name", "venue", "cat"))
    known = {"author": ("José", "king", "nose", "anna-lena", "oneil"),
        "venue": ("acl", "neurips", "2024", "the"),
             "cat": ("multitask", "cs.CL", "llm", "stat"),
             "title": ("attention", "zipit", "wombat", "gpt4", "report")}  # fmt: skip
    word = pick.choice(known[field]) if field in known and pick.random() < 0.7 else pick.choice(VOCABULARY)
    begun = word[: pick.randint(1, len(word))]
    text, node = pick.choice((
        (word, Word(word, field)), (begun + "*", Prefix(begun, field)),
        (word + "~", Fuzzy(word, field) if re.search("[a-z]", word) else Word(word + "~", field)),
        (f'"{word}"', Phrase(word, field)), (f'"{begun}"*', Phrase(begun, field, open=True)),
    ))  # fmt: skip
    return f"{pick.choice(LONG[field])}:{text}", node


STATES: Final[tuple[Asked, ...]] = (
    *((f"{field}:{status}", State(field, status)) for field in ("is", "status") for status in STATUSES),
    *((f"is:{what}", State("is", what)) for what in ("starred", "tagged", "due")),
    ("has:note", State("has", "note")), ("has:highlight", State("has", "highlight")),
    ("has:highlights", State("has", "highlight")),
    *((f"has:{what}", Word(what, "has")) for what in ("link", "code", "title")),
    *((f"tag:{tag}", State("tag", tag)) for tag in ("moe", "moe/routing", "rg", "ro", "rg/deep", "gone")),
    ("tag:m*", State("tag", "m*")), ("t:#MOE", State("tag", "moe")),
    ('label:"to read"', State("tag", "to read")),
    ("tag:ÜNÏCODE", State("tag", "ünïcode")), ("tag:rg/", State("tag", "rg")),
    ("note:multitask", State("note", "multitask")), ("note:zeb*", State("note", "zeb*")),
    ('note:"of the"', State("note", "of the")),
    ("note:12.5%", State("note", "12.5%")), ('note:"see gpt-4"', State("note", "see gpt-4")),
    ("quote:model", State("quote", "model")), ('quote:"of the"', State("quote", "of the")),
    ("quote:lear*", State("quote", "lear*")),
    ("source:LIST", State("source", "LIST")), ('source:"list 1"', State("source", "list 1")),
    ("source:none", State("source", "none")),
    ("added:last", State("added", "last")),
    *((f"rating:{text}", Range("rating", low, high)) for text, low, high in (
        ("4", 4, 4), (">=4", 4, None), ("<3", None, 2), ("2..3", 2, 3), ("3..2", 2, 3), ("..", None, None))),
    *((f"due:{text}", Range("due", low, high)) for text, low, high in (
        ("7d", None, day(7)), ("today", day(0), day(0)), (f"{day(2)}..{day(8)}", day(2), day(8)),
        (f">{day(2)}", day(3), None),
        ("1w..", day(7), None), ("..", None, None))),
    *((f"added:{text}", Range("added", low, high)) for text, low, high in (
        ("7d", day(-7), None), (day(-20), day(-20), day(-20)), (f"<{day(0)}", None, day(-1)))),
    *((f"date:{text}", Range("date", low, high)) for text, low, high in (
        ("2024", "2024-01-01", "2024-12-31"), ("2024-03", "2024-03-01", "2024-03-31"),
        (">=2024-03-18", "2024-03-18", None),
        ("2023..2024-03-16", "2023-01-01", "2024-03-16"), ("2w..", day(-14), None), ("..", None, None))),
    *((f"{field}:{text}", Range("year", low, high)) for field in ("year", "y") for text, low, high in (
        ("2022", 2022, 2022), (">2019", 2020, None), ("2020..2024", 2020, 2024), ("<=2022", None, 2022),
        ("2024..2019", 2019, 2024))),
    *((f"{field}:none", Not(Range(field, None, None))) for field in ("year", "rating", "due", "date",
        "added")),
    *((f"{field}:/{pattern}/", Regex(field, pattern)) for field, pattern in (
        ("title", "^slot"), ("title", r"\d{2}$"), ("title", "a.*n"), ("tag", "^r.*p$"), ("tag", "o"),
        ("note", r"\d\.\d"),
        ("note", "^see"))),
    ("/wombat|zebra/", Or(tuple(Regex(field, "wombat|zebra") for field in ("title", "tag", "note")))),
    ('"in formation"', Phrase("in formation")), ("in-formation", Word("in-formation")),
    ("id:10.1000/x3", Word("10.1000/x3", "id")), ("id:2101.00012", Word("2101.00012", "id")),
    ("id:arXiv:2101.00012v3", Word("arXiv:2101.00012v3", "id")),
    ("id:https://doi.org/10.1000/X9", Word("https://doi.org/10.1000/X9", "id")), ("id:a*", Prefix("a", "id")),
    ("link:github.com", Word("github.com", "link")), ("link:JiahuaDong/HFC", Word("JiahuaDong/HFC", "link")),
    ("link:hug*", Prefix("hug", "link")), ('link:"model-7b"', Phrase("model-7b", "link")),
    ("link:paper.html", Word("paper.html", "link")),
)  # fmt: skip


def leaf(pick: random.Random) -> Asked:
    match pick.randrange(10):
        case 0 | 1 | 2 | 3:
            return bare(pick)
        case 4 | 5:
            return within(pick)
        case _:
            return pick.choice(STATES)


def asked(pick: random.Random, depth: int = 3) -> Asked:
    """A query in one of the ways to write it, and its tree."""
    if depth == 0 or pick.random() < 0.25:
        return leaf(pick)
    parts = [asked(pick, depth - 1) for _ in range(pick.randint(2, 3))]
    texts, nodes = [f"({text})" for text, _ in parts], [node for _, node in parts]
    match pick.randrange(6):
        case 0 | 1:
            some = [leaf(pick) for _ in range(pick.randint(2, 4))]
            return pick.choice((" ", " AND ")).join(text for text, _ in some), And(
                tuple(node for _, node in some)
            )
        case 2:
            return " OR ".join(texts), Or(tuple(nodes))
        case 3:
            return pick.choice((" ", " AND ")).join(texts), And(tuple(nodes))
        case 4:
            no = pick.choice((" ANDNOT ", " AND NOT ", " NOT ", " -"))
            return f"{texts[0]}{no}{texts[1]}", And((nodes[0], Not(nodes[1])))
        case _:
            return pick.choice(("-", "NOT ")) + texts[0], Not(nodes[0])


A, B, C = Word("transformers"), State("status", "read"), Range("year", 2022, None)
WAYS: Final[tuple[Asked, ...]] = (
    ("A B", And((A, B))), ("A AND B", And((A, B))), ("A OR B", Or((A, B))), ("NOT A", Not(A)), ("-A", Not(A)),
    ("A NOT B", And((A, Not(B)))), ("A AND NOT B", And((A, Not(B)))), ("A ANDNOT B", And((A, Not(B)))),
    ("A -B", And((A, Not(B)))), ("-A -B", And((Not(A), Not(B)))), ("-(A B)", Not(And((A, B)))),
    ("NOT (A OR B)", Not(Or((A, B)))), ("A OR B C", Or((A, And((B, C))))), ("A B OR C", Or((And((A, B)), C))),
    ("(A OR B) C", And((Or((A, B)), C))), ("A OR B ANDNOT C", Or((A, And((B, Not(C)))))), ("NOT NOT A", A),
    ("A OR -B", Or((A, Not(B)))), ("A -(B OR C)", And((A, Not(Or((B, C)))))),
    ("A ANDNOT (B C)", And((A, Not(And((B, C)))))),
    ("A ANDNOT NOT B", And((A, B))), ("NOT A OR B", Or((Not(A), B))), ("-(-A)", A),
    ("((A) OR ((B))) -C", And((Or((A, B)), Not(C)))),
)  # fmt: skip
