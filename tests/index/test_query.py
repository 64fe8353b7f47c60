"""The query language: text to tree, its bounds, and what it says of itself."""

from __future__ import annotations

import itertools
import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.query import (
    And,
    Everything,
    Fuzzy,
    Ids,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Range,
    Regex,
    State,
    Word,
    describe,
    explain,
    parse,
)
from index.query.patterns import fault

TODAY = date(2026, 11, 30)
A, B, C = Word("a"), Word("b"), Word("c")


def understood(text: str, *, typing: bool = False) -> Node:
    query = parse(text, typing=typing, today=TODAY)
    assert query.problems == ()
    return query.tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", Everything()),
        ("  - * ~ () \"\" a", A),
        ("a b", And((A, B))),
        ("a OR b c", Or((A, And((B, C))))),
        ("(a OR b) c", And((Or((A, B)), C))),
        ("a AND b OR c", Or((And((A, B)), C))),
        ("a (b (c))", And((A, B, C))),
        ("a NOT b", And((A, Not(B)))),
        ("a ANDNOT b", And((A, Not(B)))),
        ("a AND NOT b", And((A, Not(B)))),
        ("-a", Not(A)),
        ("-36.9% a", And((Word("-36.9%"), A))),
        ("-3.5", Word("-3.5")),
        ("-3", Not(Word("3"))),
        ("NOT NOT a", A),
        ("NOT(a)OR(b)", Or((Not(A), B))),
        ("-(a OR -b) c", And((Not(Or((A, Not(B)))), C))),
        ("-(-a)", A),
        ('-"a b"', Not(Phrase("a b"))),
        ("-() a", A),
        ("a or not b", And((A, Word("or"), Word("not"), B))),
        ('"OR"', Phrase("OR")),
        ("“a  b”", Phrase("a b")),
        ('"a b"*', Phrase("a b", open=True)),
        ('"of the"', Phrase("of the")),
        ("mix*", Prefix("mix")),
        ("e*", Prefix("e")),
        ("moe~ moe~1", And((Fuzzy("moe"), Fuzzy("moe")))),
        ("title:a TI:b", And((Word("a", "title"), Word("b", "title")))),
        ("abs:a a:b author:c*", And((Word("a", "abstract"), Word("b", "author"), Prefix("c", "author")))),
        ('au:"Le Cun"', Phrase("Le Cun", "author")),
        ("title:(a OR name:b)", Or((Word("a", "title"), Word("b", "name")))),
        ("title:(a (b -c))", And((Word("a", "title"), Word("b", "title"), Not(Word("c", "title"))))),
        ("-title:a", Not(Word("a", "title"))),
        ("link:https://x.org/a_(b)", Word("https://x.org/a_(b)", "link")),
        ("tag:#MoE/ t:a/b", And((State("tag", "moe"), State("tag", "a/b")))),
        ("tag:mo* label:(a OR b)", And((State("tag", "mo*"), Or((State("tag", "a"), State("tag", "b")))))),
        ("status:read IS:Unread", And((State("status", "read"), State("is", "unread")))),
        ("has:code has:notes", And((Word("code", "has"), State("has", "note")))),
        ('note:"a b" quote:x*', And((State("note", "a b"), State("quote", "x*")))),
        ("source:000.json", State("source", "000.json")),
        ("year:2020..2024", Range("year", 2020, 2024)),
        ("year:2024..2020", Range("year", 2020, 2024)),
        ("y:>=2020 y:>2020 y:<=2020", And((Range("year", 2020, None), Range("year", 2021, None),
                                           Range("year", None, 2020)))),
        ("y:<2020 y:2020.. y:=2020", And((Range("year", None, 2019), Range("year", 2020, None),
                                          Range("year", 2020, 2020)))),
        ("rating:>=4 rating:3..5 rating:none", And((Range("rating", 4, None), Range("rating", 3, 5),
                                                    Not(Range("rating", None, None))))),
        ("due:7d", Range("due", None, "2026-12-07")),
        ("due:1w..1m due:tomorrow", And((Range("due", "2026-12-07", "2026-12-30"),
                                         Range("due", "2026-12-01", "2026-12-01")))),
        ("due:none is:due", And((Not(Range("due", None, None)), State("is", "due")))),
        ("added:7d added:last", And((Range("added", "2026-11-23", None), State("added", "last")))),
        ("date:2w.. date:..1y", And((Range("date", "2026-11-16", None), Range("date", None, "2025-11-30")))),
        ("date:9m", Range("date", "2026-02-28", None)),
        ("date:2026-11-05", Range("date", "2026-11-05", "2026-11-05")),
        ("date:2024-02", Range("date", "2024-02-01", "2024-02-29")),
        ("date:2026 date:>2025", And((Range("date", "2026-01-01", "2026-12-31"),
                                      Range("date", "2026-01-01", None)))),
        ("title:/a b+/", Regex("title", "a b+")),
        (r"/a\/b/ c", And((Or((Regex("title", r"a\/b"), Regex("tag", r"a\/b"), Regex("note", r"a\/b"))), C))),
        ("/usr/lib and/or", And((Word("/usr/lib"), Word("and/or")))),
        ("moe/experts", And((Word("moe"), Word("experts")))), ("b -abs:moe/exp*", And((B, Not(And((
            Word("moe", "abstract"), Prefix("exp", "abstract"))))))),
        ("a/b 24/7 tag:moe/experts", And((Word("a/b"), Word("24/7"), State("tag", "moe/experts")))),
        ("id:cs/moe author:moe/experts", And((Word("cs/moe", "id"), Word("moe/experts", "author")))),
        ("f(x) (y z)", And((Word("f(x)"), Word("y"), Word("z")))),
        ("((O(n)))", Word("O(n)")),
        ("f(b c)", And((Word("f"), B, C))),
        ("(a)-b", And((A, Word("-b")))),
    ],
)  # fmt: skip
def test_a_text_is_the_tree_it_says(text: str, tree: Node) -> None:
    assert understood(text) == tree


@pytest.mark.parametrize(
    "word",
    ["ZipIt!", "Yo'LLaVA", "Yo’LLaVA", "VLM^2-Bench", "SAM2.1++", "text-to-image", "92.5%", "1,000", "O(n)",
     "C++", "C++:", "https://github.com/x", "10:30", "foo:bar", "--flag", "10~20", '12"',
     "注意力", "∞", "hash:ab", "rate:5", "time:3", "state:x", "notes://x"],
)  # fmt: skip
def test_a_word_stays_as_typed(word: str) -> None:
    assert understood(word) == Word(word)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a mo", And((A, Prefix("mo")))), ("a mo ", And((A, Word("mo")))),
        ("(a OR mo", Or((A, Prefix("mo")))), ("(mo)", Word("mo")), ("mo~", Fuzzy("mo")),
        ('"a moe', Phrase("a moe", open=True)), ('"a moe ', Phrase("a moe")), ('"a moe"', Phrase("a moe")),
        ('"a mo', Phrase("a")), ('"a mo ', Phrase("a mo")), ('"mo', Phrase("mo", open=True)),
        ('"a 3d', Phrase("a 3d", open=True)), ('"a mo"*', Phrase("a mo", open=True)),
        ("multi-t", Word("multi")), ("multi-ta", Prefix("multi-ta")), ("multi-t*", Prefix("multi-t")),
        ("title:mo", Prefix("mo", "title")),
        ("title:(a mo", And((Word("a", "title"), Prefix("mo", "title")))), ("tag:mo", State("tag", "mo*")),
        ("tag:a/", State("tag", "a/*")), ('tag:"a mo', State("tag", "a mo*")),
        ("tag:mo ", State("tag", "mo")), ("note:mo", State("note", "mo*")),
        ("source:00", State("source", "00")), ("status:read", State("status", "read")),
        ("status:un", State("status", "unread")), ("has:co", Word("code", "has")),
        ("year:202", Range("year", 2020, 2029)), ("year:2020..202", Range("year", 2020, 2029)),
        ("added:la", State("added", "last")),
    ],
)  # fmt: skip
def test_while_typing_the_last_word_has_only_begun(text: str, tree: Node) -> None:
    assert understood(text, typing=True) == tree


@pytest.mark.parametrize(
    "begun", ["OR", "AND", "NOT", "-", "tag:", '"', "(", "status:re", "status:zz", "title:/b", "rating:"]
)
def test_while_typing_an_operator_that_has_only_begun_is_left_out(begun: str) -> None:
    query = parse(f"a {begun}", typing=True, today=TODAY)
    assert query.tree == A
    assert len(query.problems) == 1


@pytest.mark.parametrize(
    ("text", "tree", "problem"),
    [
        ("a OR", A, "nothing after OR"), ("OR a", A, "nothing before OR"),
        ("a AND AND b", And((A, B)), "nothing between AND and AND"),
        ("a OR AND b", Or((A, B)), "nothing between OR and AND"), ("a NOT", A, "nothing after NOT"),
        ("(a OR) b", And((A, B)), "nothing after OR"), ("(a b", And((A, B)), "not closed"),
        ("a) b", And((A, B)), "closes nothing"), ('a "b c', And((A, Phrase("b c"))), "quote is not closed"),
        ("titel:a", Word("titel:a"), "title: is one"),
        ("tags:a", Word("tags:a"), "tag: is one"), ("tag: a", A, "tag: has nothing after it"),
        ("tag:() a", A, "after tag:"), ("*a", A, "only at the end of a word"),
        ("b*d a", And((Word("b*d"), A)), "only at the end of a word"),
        ('"b c*" a', And((Phrase("b c*"), A)), "mean nothing between quotes"),
        ("%", Everything(), "nothing to look for"), ('""', Everything(), "nothing to look for"),
        ("()", Everything(), "nothing to look for"), ("* ~ ???", Everything(), "nothing to look for"),

        ("a | b", And((A, B)), "write OR"), ("a~2/9", Fuzzy("a"), "one edit"),
        ('"a b"~3', Phrase("a b"), '"~3"'), ("tag:ab~", State("tag", "ab"), "words of the paper"),
        ("status:rea a", A, "takes unread, later"), ("year:99999999999999 a", A, "write 2024"),
        ("year:abc a", A, "write 2024"), ("NOT year:abc a", A, "write 2024"),
        ("a AND year:abc OR b", Or((A, B)), "write 2024"),
        ("year:²⁰²⁰ a", A, "write 2024"), ("rating:6 a", A, "from 1 to 5"),
        ("due:9999999d a", A, "due:9999999d"), ("due:9999y a", A, "due:9999y"),
        ("date:>9999-12-31 a", A, "not understood"), ("date:2026-02-30 a", A, "not understood"),
        ("added:<7d a", A, "not understood"), ("title:/b a", A, "slash at its end"),
        ("venue:/b/ a", A, "works in title, tag, note"), ("title:/(b+)+/ a", A, "is repeated"),
        ("title:/(b/ a", A, "not a pattern"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said_and_the_rest_stands(text: str, tree: Node, problem: str) -> None:
    query = parse(text, today=TODAY)
    assert query.tree == tree
    assert not query.whole
    assert len(query.problems) == 1
    assert problem in query.problems[0]


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|b)*", "((a?)b)*", "(a|b){3}", r"(a)\1", "(?P<x>a)(?P=x)", "(?i)a", ".*a.*b.*c", "a?" * 19,
     "(a|a)" * 19, ".*.*x", "[^x]*[^y]*z", "(?:.*)(?:a+)?.*?b", r".*\b.*x", "a{0,9}" * 8, "a{99999999999}",
     "x" * 201, "[[a]", "[a--b]", "[a", "[[a", "(", "*", "\\"],
)  # fmt: skip
def test_a_pattern_that_fails_or_could_run_away_is_refused(pattern: str) -> None:
    assert fault(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"\w+ing$", "mix.*of.*exp", r"\d+(\.\d+)?%?", "a|b|c|d|e|f|g|h", "(?:foo|bar)?s", r"[\]a-z]{2,3}",
     "(?<!a)b", r"\(a\+\)\+", r"^\w+ .*", r"\d+\s*%", r"gpt-?\d+.*b", ".*a.*"],
)  # fmt: skip
def test_a_usual_pattern_is_taken(pattern: str) -> None:
    assert fault(pattern) is None


def leaves(node: Node, depth: int = 0) -> tuple[int, int]:
    """How many leaves a tree has, and how deep it is; fails where it could be simpler."""
    match node:
        case And(parts) | Or(parts):
            assert len(parts) > 1
            assert not any(isinstance(part, type(node) | Everything) for part in parts)
            counts = [leaves(part, depth + 1) for part in parts]
            return sum(count for count, _ in counts), max(deep for _, deep in counts)
        case Not(part):
            assert not isinstance(part, Not | Everything)
            return leaves(part, depth + 1)
        case Regex(_, pattern):
            re.compile(pattern)
    return 1, depth


PIECES = [
    "(", ")", "-", '"', "“", "/", "\\", "*", "~", "a", "bc ", "title:", "tag:", "year:", "due:", "status:",
    "is:", "2020", "..", ">=", "7d", "[", "+", "{2,}", "|", "é", " ", "OR ", "NOT ", "AND ", "ANDNOT ",
    "\ud800", "\0", "\u0301", "\u202e", "\n",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map("".join)), st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_query_that_can_be_shown(text: str, typing: bool) -> None:
    query = parse(text, typing=typing, today=TODAY)
    count, depth = leaves(query.tree)
    assert count <= 3 * 64
    assert depth <= 100
    lines = [*query.problems, describe(query), *explain(query).split("\n")]
    assert all(line.strip() and len(line.splitlines()) == 1 for line in lines)
    assert all(len(problem) < 300 for problem in query.problems)
    "".join(lines).encode()  # no lone surrogate


@pytest.mark.parametrize(
    "text",
    ["(" * 3000, "(" * 3000 + "a" + ")" * 3000, "NOT " * 1000, "x" * 100_000, "a-b " * 20_000, "tag:(" * 1000,
     "year:x " * 20_000, "/a/ " * 1000, "OR " * 5000, "a " * 500_000, '"' * 5000, "-(" * 1000 + "a"],
)  # fmt: skip
def test_too_much_is_cut_and_said(text: str) -> None:
    query = parse(text, today=TODAY)
    count, depth = leaves(query.tree)
    assert count <= 3 * 64
    assert depth <= 100
    assert len(query.text) <= 2000
    assert not query.whole
    assert len(query.problems) < 80


@pytest.mark.parametrize(
    ("text", "pattern"),
    [(".*a.*b", "a.*b"), (".*?a|b", "a|b"), (".*", ".*"), (".*+a", ".*+a"), (r"\.*a", r"\.*a")],
)
def test_anything_before_a_pattern_is_left_out(text: str, pattern: str) -> None:
    assert understood(f"note:/{text}/") == Regex("note", pattern)
    for line in ("", "a", "xxaxxb", ".a", "b", "aab"):
        assert bool(re.search(text, line)) == bool(re.search(pattern, line))


def test_what_is_cut_is_the_end() -> None:
    query = parse(" ".join(f"w{number}" for number in range(80)))
    assert query.tree == And(tuple(Word(f"w{number}") for number in range(64)))
    assert query.problems == ("only the first 64 words were read",)
    patterns = parse("/a/ tag:/b/ note:/c/ title:/d/ NOT note:/e/ f")
    assert isinstance(patterns.tree, And)
    assert patterns.tree.parts[1:] == (Regex("tag", "b"), Regex("note", "c"), Regex("title", "d"), Word("f"))
    assert patterns.problems == ("only the first 4 patterns were read",)
    deep = parse("(" * 40 + "a" + ")" * 40 + " b")
    assert deep.tree == And((A, B))
    assert deep.problems == ("parentheses more than 32 deep were left out",)


WORDS = st.one_of(
    st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.sampled_from(["ZipIt!", "92.5%", "f(x)", "C++", "10:30"])
)
FIELD = st.sampled_from([None, "title", "abstract", "author", "name", "venue", "cat", "id", "link"])
PLAIN = st.from_regex(r"[a-z]{1,6}( [a-z]{1,6}){0,2}", fullmatch=True)
YEARS = st.none() | st.integers(1000, 1999)
LATER_YEARS = st.none() | st.integers(2000, 9999)
DAYS = st.none() | st.dates(max_value=TODAY).map(str)
LATER_DAYS = st.none() | st.dates(min_value=TODAY).map(str)
LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.builds(Word, WORDS, FIELD),
    st.builds(Prefix, WORDS, FIELD),
    st.builds(Fuzzy, st.from_regex(r"[a-z]{1,6}", fullmatch=True), FIELD),
    st.builds(Phrase, PLAIN, FIELD, st.booleans()),
    st.builds(Regex, st.sampled_from(["title", "tag", "note"]), st.sampled_from(["a.b", "^x y$", r"\d+\/"])),
    st.builds(Range, st.just("year"), YEARS, LATER_YEARS),
    st.builds(Range, st.sampled_from(["due", "added", "date"]), DAYS, LATER_DAYS),
    st.builds(State, st.sampled_from(["tag", "note", "quote"]), PLAIN | PLAIN.map(lambda text: text + "*")),
    st.builds(State, st.just("is"), st.sampled_from(["unread", "starred", "tagged", "due"])),
    st.just(State("added", "last")),
)  # fmt: skip


def joined(kind: type[And | Or], parts: list[Node]) -> Node:
    flat = [each for part in parts for each in (part.parts if isinstance(part, kind) else (part,))]
    return kind(tuple(flat))


TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined(And, parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: joined(Or, parts)),
        inner.map(lambda part: part.part if isinstance(part, Not) else Not(part)),
    ),
    max_leaves=12,
)


def unparse(node: Node) -> str:
    match node:
        case And(parts):
            return "(" + " ".join(map(unparse, parts)) + ")"
        case Or(parts):
            return "(" + " OR ".join(map(unparse, parts)) + ")"
        case Not(part):
            return "-" + unparse(part)
        case Word() | Prefix() | Fuzzy():
            sign = {Word: "", Prefix: "*", Fuzzy: "~"}[type(node)]
            return (f"{node.field}:" if node.field else "") + node.text + sign
        case Phrase(text, field, begun):
            return (f"{field}:" if field else "") + f'"{text}"' + "*" * begun
        case Regex(field, pattern):
            return f"{field}:/{pattern}/"
        case Range(field, low, high):
            return f"{field}:{'' if low is None else low}..{'' if high is None else high}"
        case State(field, value):
            return f'{field}:"{value.rstrip("*")}"' + "*" * value.endswith("*")
    raise AssertionError(node)


@given(TREES)
@settings(deadline=None)
def test_a_tree_printed_and_read_again_is_the_same(tree: Node) -> None:
    assert understood(unparse(tree)) == tree
    assert understood(unparse(tree) + " ", typing=True) == tree


def truth(node: Node, true: frozenset[str]) -> bool:
    match node:
        case Word(text):
            return text in true
        case And(parts):
            return all(truth(part, true) for part in parts)
        case Or(parts):
            return any(truth(part, true) for part in parts)
        case Not(part):
            return not truth(part, true)
    raise AssertionError(node)


BETWEEN = st.sampled_from([" ", " AND ", " OR ", " ANDNOT ", " NOT ", " -"])
EXPRESSIONS = st.recursive(
    st.sampled_from("abcd"),
    lambda inner: st.one_of(
        st.tuples(inner, BETWEEN, inner).map("".join),
        inner.map("({})".format),
        inner.map("NOT {}".format),
        inner.map("-({})".format),
    ),
    max_leaves=12,
).map(lambda text: text.replace("--", "-"))  # two minus signs are part of a word


@given(EXPRESSIONS)
@settings(deadline=None)
def test_precedence_is_that_of_not_and_or(text: str) -> None:
    python = re.sub(r"-", " NOT ", text).replace("ANDNOT", "AND NOT")
    python = re.sub(r"(?<=[a-d)])\s+(?=[a-d(]|NOT)", " AND ", python).lower()
    tree = understood(text)
    for values in itertools.product([False, True], repeat=4):
        names = dict(zip("abcd", values, strict=True))
        true = frozenset(name for name, value in names.items() if value)
        assert truth(tree, true) == eval(python, {}, names)


def test_describe_says_it_in_plain_words() -> None:
    def said(text: str) -> str:
        return describe(parse(text, today=TODAY))

    assert said("") == "every paper"
    assert said("moe status:unread") == "moe and status unread"
    assert said('a OR "b c" -title:d*') == 'a or ("b c" and not d… in the title)'
    assert said("-(a b~)") == "not (a and nearly b)"
    assert said("-due:.. -is:starred") == "has no due date and not starred"
    assert describe(Query("", Not(Ids(frozenset("ab"))))) == "not one of 2 papers"


def test_explain_is_the_tree_and_the_problems() -> None:
    assert explain(parse("a -(b OR title:/c/) year:x")) == (
        "all of:\n  a\n  not:\n    any of:\n      b\n      /c/ in the title\n"
        "not understood: year:x is not understood; after year: write 2024, 2020..2024, >=2020 or none"
    )


def test_a_minus_at_the_end_takes_nothing_away_and_is_reported() -> None:
    assert parse("moe -").problems == ("the - at the end has nothing after it; take it out",)
    assert not parse("moe - a title").problems, "a dash between words is one"
