"""What a query is said to be, leaf by leaf."""

from __future__ import annotations

from datetime import date

import pytest

from index.query import describe, explain, nothing_has, parse


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("moe", "moe"), ("moe*", "moe…"), ("moe~", "nearly moe"),
        ('"a moe"', '"a moe"'), ('"a m"*', '"a m…"'),
        ("title:moe", "moe in the title"), ("abs:moe", "moe in the abstract"),
        ("name:moe*", "moe… in the name"),
        ("au:li", "li among the authors"), ("venue:acl", "acl in the venue"),
        ("cat:cs", "cs among the categories"),
        ("id:10.1/x", "10.1/x as its identifier"), ("link:github", "github in a link"),
        ("has:link", "has a link"), ("has:code", "has a link to code"), ("has:title", "has a given title"),
        ("has:note", "has a note"), ("has:highlight", "has a highlight"),
        ("year:2024", "year 2024"), ("year:>=2020", "year 2020 or later"),
        ("year:<2020", "year 2019 or before"),
        ("year:2020..2024", "year 2020 to 2024"), ("year:..", "has a year"), ("year:none", "has no year"),
        ("rating:4", "rating 4"), ("rating:>=4", "rating 4 or more"), ("rating:<=2", "rating 2 or less"),
        ("rating:3..5", "rating 3 to 5"), ("rating:none", "has no rating"),
        ("due:7d", "due 2026-12-07 or before"), ("due:today", "due on 2026-11-30"),
        ("due:2026-12", "due from 2026-12-01 to 2026-12-31"), ("due:>=2026-12-01", "due 2026-12-01 or later"),
        ("due:..", "has a due date"), ("due:none", "has no due date"),
        ("added:7d", "added 2026-11-23 or later"), ("added:last", "added by the last import"),
        ("added:2026-11-30", "added on 2026-11-30"), ("added:none", "has no day of import"),
        ("date:2026-11-30", "dated 2026-11-30"), ("date:2026..", "dated 2026-01-01 or later"),
        ("date:2019..2020", "dated from 2019-01-01 to 2020-12-31"), ("date:none", "has no date"),
        ("tag:moe", "tag moe"), ("tag:moe*", "tag moe…"), ("status:later", "status later"),
        ("is:later", "status later"),
        ("is:starred", "starred"), ("is:tagged", "tagged"), ("is:due", "due today or before"),
        ("note:zebra", '"zebra" in the note'), ("note:z*", '"z…" in the note'),
        ("quote:z", '"z" in a highlight'),
        ("source:seeds", "in a list whose name holds seeds"),
        ("title:/a+/", "/a+/ in the title"), ("tag:/a+/", "/a+/ in a tag"), ("note:/a+/", "/a+/ in the note"),
    ],
)  # fmt: skip
def test_each_leaf_is_said_in_plain_words(text: str, words: str) -> None:
    understood = parse(text, today=date(2026, 11, 30))
    assert understood.whole
    assert describe(understood) == words
    assert explain(understood).split("\n")[-1].strip() in (words, words.replace("has no", "has a"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("xyz", 'no paper has "xyz"'), ("xyz*", 'no paper has "xyz…"'), ('"x y"', 'no paper has "x y"'),
        ("xyz~", 'no paper has "xyz" or a word that is nearly the same'),
        ("title:xyz", "no paper fits: xyz in the title"), ("tag:x -y", "no paper fits: tag x and not y"),
        ("x" * 90, f'no paper has "{"x" * 59}…"'),
    ],
)  # fmt: skip
def test_what_no_paper_has_is_said_in_one_short_line(text: str, line: str) -> None:
    assert nothing_has(parse(text).tree) == line
