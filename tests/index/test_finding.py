"""Finding: each kind of predicate against brute force, what the reader wrote, sorts, hints."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from index import indexing, query
from index.annotations import Annotations, new_step
from index.finding import FEW, Finder, Found, Partial, leaves
from index.kept import Kept
from index.papers import STATUSES, Annotation, Change, Highlight, Paper, Record, Value, now
from index.sorting import SORTS, Sorting
from tests.index.helpers import SEEDS, abstract, paragraphs, records, shelf_in

TODAY = date.today()  # noqa: DTZ011 (the reader's own day)
TAGS = ("moe", "moe/routing", "rg", "rg/dugong/deep", "to read", "ünïcode")
NOTES = (
    "",
    "Compare with the zebra paper.",
    "A quokka\n\nzebra crossing: see 12.5%",
    "quokkas  everywhere",
    "Über-Zebra",
)
COMMENTS = ("", "the narwhal claim", "why?")


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).isoformat()


class Desk:
    """A library's finder with what is needed to check it."""

    def __init__(self, folder: Path, found: Sequence[Sequence[Record]]) -> None:
        self.shelf = shelf_in(folder)
        for number, some in enumerate(found):
            self.shelf.add(
                some, f"List {number}.txt", day(-20 * (len(found) - 1 - number)) + "T12:00:00.000Z"
            )
        self.notes = Annotations.open(folder)
        self.engine, _ = indexing.bring_up(self.shelf, lambda _done, _all: None)
        self.finder = Finder(Kept(self.shelf, self.notes), self.notes, self.engine)
        self.papers = {paper.id: paper for paper in self.shelf.papers()}

    def write(self, edits: Sequence[tuple[str, str, Value]]) -> None:
        step = new_step()
        self.notes.apply([Change(step, "o", id, field, None, value, now()) for id, field, value in edits])

    def find(self, text: str, sort: str | None = None, opened: dict[str, str] | None = None) -> Found:
        return self.finder.find(query.parse(text, today=TODAY), sort, opened)

    def brute(self, holds: Callable[[Paper, Annotation], Any]) -> list[str]:
        return [id for id, paper in self.papers.items() if holds(paper, self.notes.get(id))]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Papers of the shipped lists, some with fields of a record, under annotations drawn at random."""
    pick = random.Random(7)
    lists: list[list[Record]] = []
    for path in SEEDS:
        lists.append([])
        for place, text in enumerate(paragraphs(path)[:60], 1):
            year, title = pick.choice((None, None, 2019, 2022, 2025)), pick.choice((None, f"A title {place}"))
            lists[-1].append(Record(place, text, year=year, title=title))
    desk = Desk(tmp_path_factory.mktemp("desk"), lists)
    edits: list[tuple[str, str, Value]] = []
    for id, paper in desk.papers.items():
        if pick.random() < 0.3:
            continue
        edits += [(id, "status", pick.choice(STATUSES)), (id, "starred", pick.random() < 0.3)]
        edits += [(id, "rating", pick.choice((None, 1, 2, 3, 4, 5)))]
        edits += [(id, "due", pick.choice((None, day(-3), day(0), day(2), day(7), day(8), day(40))))]
        edits += [(id, f"tags/{tag}", True) for tag in TAGS if pick.random() < 0.2]
        edits += [
            (id, "note", pick.choice(NOTES)),
            (id, "title", pick.choice((None, None, "Wombat, my own title"))),
        ]
        for number in range(pick.choice((0, 0, 1, 2))):
            start = pick.randrange(len(paper.abstract) - 80)
            mark = Highlight.on(
                paper.abstract, start, start + 60, id=f"h{number}", comment=pick.choice(COMMENTS)
            )
            edits.append((id, f"highlights/h{number}", mark.to_json()))
    desk.write(edits)
    yield desk
    desk.engine.close()


def says(text: str, *words: str) -> bool:
    """Whether these words stand together in `text`: an independent and simpler reading than the engine's."""
    return re.search(r"(?<!\w)" + r"\W+".join(words) + r"s?(?!\w)", text, re.IGNORECASE) is not None


def mine(told: Annotation) -> str:
    return "\n\n".join([told.note, told.title or "", *told.tags, *(mark.comment for mark in told.highlights)])


PREDICATES: dict[str, Callable[[Paper, Annotation], Any]] = {
    "tag:moe": lambda _, told: any(tag == "moe" or tag.startswith("moe/") for tag in told.tags),
    "t:moe/routing": lambda _, told: "moe/routing" in told.tags,
    "tag:rg/dugong": lambda _, told: "rg/dugong/deep" in told.tags,
    "label:ro": lambda _, told: False,
    "tag:r*": lambda _, told: any(tag.startswith("r") for tag in told.tags),
    'tag:"to read"': lambda _, told: "to read" in told.tags,
    "tag:ÜNÏCODE": lambda _, told: "ünïcode" in told.tags,
    "is:tagged": lambda _, told: told.tags,
    "is:starred": lambda _, told: told.starred,
    "is:due": lambda _, told: told.due and told.due <= day(0),
    "has:note": lambda _, told: told.note,
    "has:highlight": lambda _, told: told.highlights,
    "has:title": lambda paper, told: paper.title,
    "rating:4": lambda _, told: told.rating == 4,
    "rating:>=4": lambda _, told: (told.rating or 0) >= 4,
    "rating:2..3": lambda _, told: told.rating in (2, 3),
    "rating:none": lambda _, told: told.rating is None,
    "due:7d": lambda _, told: told.due and told.due <= day(7),
    "due:today": lambda _, told: told.due == day(0),
    "due:none": lambda _, told: told.due is None,
    f"due:{day(2)}..{day(8)}": lambda _, told: told.due and day(2) <= told.due <= day(8),
    "note:zebra": lambda _, told: says(told.note, "zebra"),
    'note:"zebra crossing"': lambda _, told: says(told.note, "zebra", "crossing"),
    "note:quok*": lambda _, told: "quok" in told.note.lower(),
    "quote:model": lambda _, told: any(says(mark.quote, "model") for mark in told.highlights),
    "source:LIST": lambda _paper, _told: True,
    'source:"list 1"': lambda paper, _: any(source.file == "List 1.txt" for source in paper.sources),
    "source:none.txt": lambda _paper, _told: False,
    "added:last": lambda paper, _: paper.sources[0].added[:10] == day(0),
    "added:7d": lambda paper, _: paper.sources[0].added[:10] >= day(-7),
    f"added:{day(-20)}": lambda paper, _: paper.sources[0].added[:10] == day(-20),
    "added:none": lambda _paper, _told: False,
    "year:2022": lambda paper, _: paper.year == 2022,
    "year:>2019": lambda paper, _: (paper.year or 0) > 2019,
    "tag:/^r.*k/": lambda _, told: any(re.search("^r.*k", tag) for tag in told.tags),
    r"note:/\d+\.\d/": lambda _, told: re.search(r"\d+\.\d", told.note),
    "note:/^zebra/": lambda _, told: any(line.startswith("zebra") for line in told.note.split("\n")),
    "title:/^a title 1/": lambda paper, told: (told.title or paper.heading).lower().startswith("a title 1"),
    "title:/wombat/": lambda _, told: told.title,
    "title:wombat": lambda _, told: told.title,
    "wombat": lambda _, told: told.title,
    "zebra": lambda paper, told: says(f"{paper.abstract} {mine(told)}", "zebra"),
    "narwhal": lambda paper, told: says(f"{paper.abstract} {mine(told)}", "narwhal"),
    "dugong": lambda paper, told: says(f"{paper.abstract} {mine(told)}", "dugong"),
    '"zebra crossing"': lambda paper, told: says(f"{paper.abstract} {mine(told)}", "zebra", "crossing"),
    "narwhal OR tag:rg -is:starred": lambda paper, told: (
        says(mine(told), "narwhal") or (any(tag.startswith("rg") for tag in told.tags) and not told.starred)
    ),
    "-(is:unread OR has:note) rating:>=2": lambda _, told: (
        told.status != "unread" and not told.note and (told.rating or 0) >= 2
    ),
    "": lambda _paper, _told: True,
}  # fmt: skip


@pytest.mark.parametrize("text", PREDICATES, ids=lambda text: text or "everything")
def test_a_predicate_finds_what_brute_force_finds(desk: Desk, text: str) -> None:
    found = desk.find(text)
    assert found.query.whole, found.query.problems
    assert sorted(found.ids) == sorted(desk.brute(PREDICATES[text]))


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("field", ["is", "status"])
def test_each_status(desk: Desk, field: str, status: str) -> None:
    expected = desk.brute(lambda _, told: told.status == status)
    assert expected
    assert desk.find(f"{field}:{status}").ids == tuple(expected)


def test_the_predicates_tell_papers_apart(desk: Desk) -> None:
    told = [len(desk.brute(holds)) for holds in PREDICATES.values()]
    assert sum(0 < count < len(desk.papers) for count in told) >= 38


def test_random_trees_of_predicates(desk: Desk) -> None:
    pick = random.Random(3)
    names = [name for name in PREDICATES if name and " OR " not in name]
    for _ in range(25):
        one, two, three = pick.sample(names, 3)
        sets = {name: set(desk.brute(PREDICATES[name])) for name in (one, two, three)}
        everything = set(desk.papers)
        for text, expected in (
            (f"({one}) ({two}) OR ({three})", sets[one] & sets[two] | sets[three]),
            (f"({one}) AND NOT (({two}) OR ({three}))", sets[one] - (sets[two] | sets[three])),
            (f"-({one}) -({two})", everything - sets[one] - sets[two]),
        ):
            assert set(desk.find(text).ids) == expected, text


# Sorts


def nothing_last(value: Any, *, down: bool = False) -> tuple[bool, Any]:
    return (value is None, -value if down and value is not None else value or "")


SORTED: dict[str, Callable[[Paper, Annotation], Any]] = {
    "title": lambda paper, told: (told.title or paper.heading).casefold(),
    "year": lambda paper, _: nothing_last(paper.year, down=True) if paper.year else (True, 0),
    "status": lambda _, told: STATUSES.index(told.status),
    "rating": lambda _, told: nothing_last(told.rating, down=True) if told.rating else (True, 0),
    "due": lambda _, told: nothing_last(told.due),
    "added": lambda _paper, _told: 0,
}


@pytest.mark.parametrize("sort", SORTED)
@pytest.mark.parametrize("text", ["", "has:note", "model"])
def test_sorts_put_nothing_last_and_keep_the_order_of_import(desk: Desk, sort: str, text: str) -> None:
    found = desk.find(text, sort)
    by_import = [id for id in desk.shelf.ids if id in set(found.ids)]
    assert found.ids == tuple(
        sorted(by_import, key=lambda one: SORTED[sort](desk.papers[one], desk.notes.get(one)))
    )
    assert found.sort == sort


def test_the_latest_opened_comes_first_and_those_never_opened_last(desk: Desk) -> None:
    a, b, c, *_ = desk.shelf.ids
    found = desk.find(
        "",
        "opened",
        {c: "2026-11-30T10:00:00.000Z", a: "2026-11-29T10:00:00.000Z", b: "2026-11-30T09:59:59.999Z"},
    )
    assert found.ids == (c, b, a, *(id for id in desk.shelf.ids if id not in (a, b, c)))


def test_words_sort_by_relevance_and_states_by_import(desk: Desk) -> None:
    found = desk.find("model language")
    scores = [found.scores[id] for id in found.ids]
    assert found.sort == "relevance"
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1
    assert desk.find("is:unread").sort == desk.find("").sort == "added"
    ties = desk.find("zebra", "relevance")
    assert ties.ids == tuple(sorted(ties.ids, key=lambda one: (-ties.scores[one], desk.shelf.place(one))))


def test_a_paper_without_a_title_sorts_last(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        [
            [
                Record(1, identifiers={"doi": ("10.1/x",)}),
                Record(2, abstract(1), title="Zulu"),
                Record(3, abstract(2), title="alpha"),
            ]
        ],
    )
    assert [desk.papers[id].heading for id in desk.find("", "title").ids] == ["alpha", "Zulu", "(no title)"]
    desk.engine.close()


def test_a_damaged_list_loses_no_paper_of_an_order(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    shelf.add([Record(place, abstract(place)) for place in range(4)], "List.txt", day(0) + "T12:00:00.000Z")
    data = shelf.layout.list.read_bytes()
    shelf.layout.list.write_bytes(data[:-2] + b"#" + data[-1:])
    damaged = shelf_in(tmp_path)
    notes = Annotations.open(tmp_path)
    sorting = Sorting(Kept(damaged, notes), notes)
    ids = sorting.sorted(dict.fromkeys(shelf.ids, 0.0), "title", {})
    assert sorted(ids) == sorted(shelf.ids)


def test_an_unknown_sort_is_refused_with_those_known(desk: Desk) -> None:
    with pytest.raises(ValueError, match=f"unknown sort 'size'; known are: {', '.join(SORTS)}"):
        desk.find("", "size")


# Where nothing has all the words


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    texts = ["apples pears plums", "apples pears", "apples figs", "cherries", "expertise in experts"]
    desk = Desk(
        tmp_path_factory.mktemp("small"),
        [[Record(n, text, title=f"Paper {n}") for n, text in enumerate(texts, 1)]],
    )
    desk.write([(desk.shelf.ids[2], "note", "with plums"), (desk.shelf.ids[2], "starred", True)])
    desk.write([(desk.shelf.ids[3], "tags/fruit", True)])
    yield desk
    desk.engine.close()


def test_partial_matches_are_shown_where_no_paper_has_all(small: Desk) -> None:
    one, two, *_ = small.shelf.ids
    found = small.find("apples plums pears melons")
    assert (found.ids, found.partial) == ((), (Partial(one, 3, 4),))
    assert found.hint == "no paper has all the words; these have 3 of 4"
    assert small.find("apples pears").partial == ()
    assert small.find("apples plums pears").ids == (one,)
    assert {part.id for part in small.find("apples pears melons").partial} == {one, two}
    assert small.find("melons").partial == small.find("apples OR melons").partial == ()


def test_partial_matches_hold_to_the_rest_of_the_query_and_know_the_notes(small: Desk) -> None:
    three = small.shelf.ids[2]
    found = small.find("apples plums melons is:starred")
    assert found.partial == (Partial(three, 2, 3),)
    assert small.find("apples pears melons is:read").partial == ()


def test_did_you_mean_changes_the_wrong_word_and_nothing_else(small: Desk) -> None:
    assert small.find("aples pears").did_you_mean == "apples pears"
    assert small.find("aples is:unread").did_you_mean == "apples is:unread"
    assert small.find("aples OR grandaples").did_you_mean == "apples OR grandaples"
    assert small.find("pears").did_you_mean is None
    assert small.find("expertis expertise").did_you_mean in (None, "expertise expertise", "experts expertise")


@pytest.mark.parametrize(
    "text", ["aples grandaples", "aples -apples", "aples figs plums zzzz", "aples rating:5"]
)
def test_did_you_mean_offers_nothing_that_no_paper_has(small: Desk, text: str) -> None:
    assert not small.find(text).ids
    assert small.find(text).did_you_mean is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("titel:apples", "title:apples"), ("apples is:unred", "apples is:unread"), ("has:notse", "has:note"),
        ("titel:apples Status:raed", "title:apples Status:read"), ("-is:unred", "-is:unread"),
        ("is:zzzz apples", None), ("foo:apples", None), ('"titel:apples"', None), ("tag:fru", "tag:fruit"),
        ("tag:fru zzzz", None), ("tag:fruit", None), ("titel:apples (", "title:apples ("),
    ],
)  # fmt: skip
def test_a_field_value_or_tag_that_is_not_known_is_put_right(
    small: Desk, text: str, meant: str | None
) -> None:
    assert small.find(text).did_you_mean == meant


def test_a_problem_of_the_query_is_the_hint(small: Desk) -> None:
    found = small.find("apples rating:9")
    assert found.hint
    assert found.hint == found.query.problems[0]
    assert found.ids, "what was understood is still looked for"
    assert small.find("apples").hint is None


@pytest.mark.parametrize(
    "text",
    [
        "((((",
        "note:/(a+)+$/",
        "title:/[/",
        "-",
        "OR OR",
        '"',
        "tag:",
        "added:x",
        "\ud800",
        "*",
        "~",
        "a" * 3000,
    ],
)
def test_senseless_queries_never_raise(small: Desk, text: str) -> None:
    for typing in (False, True):
        small.finder.find(query.parse(text, typing=typing))


def test_a_pattern_sees_the_whole_of_a_long_line(small: Desk) -> None:
    id = small.shelf.ids[3]
    small.write([(id, "note", "start " + "filler " * 80 + "end 42\n" + "y " * 120 + "fin 7")])
    assert small.find("note:/^start/").ids == (id,)
    assert small.find(r"note:/end \d+$/").ids == small.find(r"note:/fin \d$/").ids == (id,)
    assert small.find("note:/^filler/").ids == small.find("note:/^iller/").ids == ()
    assert small.find(r"note:/\biller/").ids == small.find(r"note:/(filler |fill|er )$/").ids == ()
    assert small.find(r"note:/(filler ){25}/").ids == (id,)


def test_the_day_of_an_import_is_the_readers_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XXX+8")  # eight hours behind
    time.tzset()
    try:
        shelf = shelf_in(tmp_path)
        shelf.add(records([1]), "f", "2026-12-01T03:00:00.000Z")
        shelf.add(records([2]), "g", "no time at all")
        engine, _ = indexing.bring_up(shelf, lambda _done, _all: None)
        notes = Annotations.open(tmp_path)
        finder = Finder(Kept(shelf, notes), notes, engine)
        assert finder.find(query.parse("added:2026-11-30")).ids == (shelf.ids[0],)
        assert finder.find(query.parse("added:2026-12-01")).ids == ()
        engine.close()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_leaves_that_a_not_takes_away_are_not_positive() -> None:
    tree = query.parse("a -b (c OR -d)").tree
    assert list(leaves(tree, positive=True)) == [query.Word("a"), query.Word("c")]
    assert len(list(leaves(tree))) == 4


# Where whole matches are few


@pytest.fixture(scope="module")
def fruit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    texts = [
        "apples with pears of plums", "apples pears", "pears plums", "apples plums figs", "figs of the tree",
        *("quinces medlars sloes" for _ in range(FEW)), "quinces medlars", "sloes medlars",
        "a multitask plan for grapes", "plan grapes", "plan for multi grapes",
    ]  # fmt: skip
    found = [Record(n, f"{text} {n}", title=f"Paper {n}") for n, text in enumerate(texts, 1)]
    desk = Desk(tmp_path_factory.mktemp("fruit"), [found])
    yield desk
    desk.engine.close()


def test_partial_matches_follow_the_whole_ones_where_these_are_few(fruit: Desk) -> None:
    one, two, three, four, *_ = fruit.shelf.ids
    found = fruit.find("apples pears plums")
    assert found.ids == (one,)
    assert {part.id for part in found.partial} == {two, three, four}
    assert {(part.found, part.of, part.share) for part in found.partial} == {(2, 3, "2 of 3 words")}
    assert found.shown == (one, *(part.id for part in found.partial))
    assert found.hint is found.did_you_mean is None
    assert set(found.scores) == {one}


def test_partial_matches_fill_the_list_up_and_no_more(fruit: Desk) -> None:
    first, *_ = many = fruit.shelf.ids[5 : 5 + FEW]
    less = fruit.shelf.ids[5 + FEW : 7 + FEW]
    assert fruit.find("quinces medlars sloes").partial == ()
    fruit.write([(first, "starred", True)])
    assert fruit.find("quinces medlars sloes is:starred").partial == ()
    found = fruit.find("quinces medlars sloes -is:starred")
    assert set(found.ids) == set(many) - {first}
    (one,) = found.partial
    assert one in {Partial(id, 2, 3) for id in less}
    fruit.write([(many[1], "starred", True)])
    assert {part.id for part in fruit.find("quinces medlars sloes -is:starred").partial} == set(less)


def test_a_whole_match_is_no_partial_one_and_half_of_the_words_will_do(fruit: Desk) -> None:
    joined, half, three = fruit.shelf.ids[-3:]
    found = fruit.find("multi task plan grapes")
    assert found.ids == (joined,)
    assert found.partial == (Partial(three, 3, 4), Partial(half, 2, 4))


def test_two_words_and_words_that_say_nothing_bring_no_partial_matches(fruit: Desk) -> None:
    one, *_ = fruit.shelf.ids
    assert fruit.find("apples pears").partial == ()
    assert set(fruit.find("apples of pears").ids) == {one, fruit.shelf.ids[1]}
    assert fruit.find("apples of pears").partial == ()
    assert {part.of for part in fruit.find("apples of pears melons").partial} == {3}
    assert fruit.find("of the").ids


def test_what_a_paper_is_does_not_count_as_a_word(fruit: Desk) -> None:
    id = fruit.shelf.ids[0]
    found = fruit.find(f"apples pears plums melons id:{id}")
    assert found.partial == (Partial(id, 3, 4),)
    assert fruit.find("apples pears plums melons has:code").partial == ()
    assert {fruit.find(text).sort for text in (f"id:{id}", "has:title", "-apples")} == {"added"}
    assert fruit.find("is:unread", "relevance").sort == "added"


def test_did_you_mean_leaves_what_is_found_somewhere(fruit: Desk) -> None:
    assert fruit.find("plms aplles").did_you_mean == "plums apples"
    assert fruit.find('"quinces medlasr"').did_you_mean == '"quinces medlars"'
    assert fruit.find("pea* aplles").did_you_mean == "pea* apples"
    fruit.write([(fruit.shelf.ids[4], "note", "plumz")])
    assert fruit.find("plumz grapes").did_you_mean is None
    assert fruit.find("plumx pears").did_you_mean == "plums pears"
    assert fruit.find("-aplles figs").did_you_mean is None
    fruit.write([(fruit.shelf.ids[4], "note", "")])


# Where the reader wrote it


def test_a_word_only_in_what_was_written_says_where(small: Desk) -> None:
    one, two, three, four, five = small.shelf.ids
    mark = Highlight.on("cherries", 0, 8, id="h9", comment="the narwhal claim").to_json()
    small.write([(four, "highlights/h9", mark), (four, "tags/narwhal", True), (two, "title", "Wombat pears")])
    assert small.find("plums").where == {three: "note"}
    assert small.find("narwhal").where == {four: "tag"}
    assert small.find("claim cherries").where == {four: "comment"}
    assert small.find("wombat").where == small.find("title:wombat").where == {two: "title"}
    assert small.find("pears").where == {}
    assert small.find("note:plums").where == {three: "note"}
    assert small.find("figs -plums").where == small.find("is:starred").where == {}
    assert one in small.find("plums OR experts").ids
    assert small.find("plums OR experts").where == {three: "note"}
    assert five in small.find("plums OR experts").ids


@pytest.mark.parametrize("text", ["multitask", "multi-task", "multi task", "is:starred multi task"])
def test_a_word_of_a_note_is_found_joined_and_split(small: Desk, text: str) -> None:
    one, two, *_ = small.shelf.ids
    small.write([(one, "note", "A multitask thing."), (one, "starred", True), (two, "note", "one multi")])
    try:
        assert small.find(text).ids == (one,)
    finally:
        small.write([(one, "note", ""), (one, "starred", False), (two, "note", "")])
