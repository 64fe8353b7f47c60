"""A note as it reads: Markdown without its marks, and no text that acts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.helpers import HOSTILE
from tui.panes.note_view import LONGEST, MOST, inline, note_parts

HEADINGS = {"a123456789": "The paper"}


def read(note: str) -> list[tuple[str, str, str]]:
    return [(part.style, part.lead, part.text) for part in note_parts(note, HEADINGS, 10, "-")]


def test_the_blocks_of_a_note() -> None:
    note = """# One #
text
- item
  2) nested
* [x] done
> > quoted
> - item in it
***
```py
*code*
```
#tag"""
    assert read(note) == [
        ("title", "", "One"),
        ("text", "", "text"),
        ("text", "• ", "item"),
        ("text", "  2) ", "nested"),
        ("text", "• [x] ", "done"),
        ("text", "│ │ ", "quoted"),
        ("text", "│ • ", "item in it"),
        ("quiet", "", "-" * 10),
        ("code", "  ", "*code*"),
        ("text", "", "#tag"),
    ]


def test_lines_that_follow_in_an_item_stand_below_its_text() -> None:
    (part,) = note_parts("> 10. item", {}, 10, "-")
    assert (part.lead, part.hang) == ("│ 10. ", "│     ")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("*a* and **b _c_**", "<emphasis:a> and <strong:b <emphasis:c>>"),
        ("`*x*` ``a`b``", "<code:*x*> <code:a`b>"),
        ("~~old~~", "<struck:old>"),
        ("snake_case_name 2*3*4 * a * b", "snake_case_name 2*3*4 * a * b"),
        ("a_b_ c*d*", "a_b_ c*d*"),
        (r"\*no\* \[x\]", "*no* [x]"),
        (
            "[site](https://x.y) https://z.w <https://v.u>",
            "<link:site> <link:https://z.w> <link:https://v.u>",
        ),
        ("[[a123456789]] [[a123456789|it]]", "<link:The paper> <link:it>"),
        ("[[b123456789|lost]] [[b123456789]]", "<gone:lost> <gone:b123456789>"),
        ("**unclosed `too [x](", "**unclosed `too [x]("),
        ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
    ],
)
def test_marks_within_a_line(source: str, shown: str) -> None:
    text, spans = inline(source, HEADINGS)
    marked = ""
    for at, character in enumerate(f"{text}\0"):
        marked += ">" * sum(end == at for _, end, _ in spans)
        marked += "".join(f"<{name}:" for start, _, name in spans if start == at)
        marked += character
    assert marked == shown + "\0"


@given(st.text("a *_~`[]()|#>-1.\\\n") | st.sampled_from(HOSTILE))
def test_nothing_is_shown_that_was_not_written(note: str) -> None:
    for part in note_parts(note, {}, 10, "-"):
        assert set(part.text) <= set(note) | {"-"}
        assert all(0 <= start < end <= len(part.text) for start, end, _ in part.spans)


@pytest.mark.parametrize(
    "note",
    ["a *b* " * 20_000, "- item\n" * 20_000, "\n" * 100_000, "多" * 100_000],
    ids=["one line", "items", "empty lines", "one word"],
)
def test_of_a_very_long_note_the_beginning_is_shown_and_the_rest_is_told_of(note: str) -> None:
    *parts, last = note_parts(note, {}, 10, "-")
    assert len(parts) <= MOST
    assert sum(len(part.text) for part in parts) <= LONGEST
    shown = next(
        length for length in range(LONGEST + 1) if f"… {len(note) - length:,} more characters" in last.text
    )
    assert shown == LONGEST or note[:shown].count("\n") == MOST - 1
    assert not any("more characters" in part.text for part in note_parts(note[:shown], {}, 10, "-"))
