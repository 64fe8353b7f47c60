"""The table of commands, the keys that a user gives, and how keys become commands."""

from __future__ import annotations

from itertools import permutations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.commands import BY_NAME, COMMANDS, Command, Place, shown, with_keys
from tui.keys import LARGEST_COUNT, Keys, Run, Wait

PLACES: tuple[Place, ...] = get_args(Place)

# What the design says of the keys that there are, by the place with the focus.
BOTH = {
    "j": "down", "down": "down", "k": "up", "up": "up", "ctrl+d": "half_page_down", "ctrl+u": "half_page_up",
    "ctrl+f": "page_down", "pagedown": "page_down", "ctrl+b": "page_up", "pageup": "page_up",
    "g g": "top", "G": "bottom", "J": "next_paper", "K": "previous_paper",
    "tab": "focus_next", "shift+tab": "focus_previous", "/": "search",
    "s u": "status_unread", "s l": "status_later", "s i": "status_reading", "s r": "status_read",
    "s x": "status_skipped", "r": "read", "*": "star", "w": "due", "a": "later", "d": "skip",
    "= 0": "rating_0", "= 1": "rating_1", "= 2": "rating_2", "= 3": "rating_3", "= 4": "rating_4",
    "= 5": "rating_5", "t": "tags", "+": "add_tag", "-": "remove_tag", "e": "note",
    "y y": "copy_citation", "y t": "copy_title", "y a": "copy_abstract", "y h": "copy_highlights",
    "y m": "copy_markdown", "u": "undo", "ctrl+r": "redo", "x": "export",
    "?": "help", "ctrl+p": "palette", ":": "command_line", "Z": "zoom", "ctrl+l": "redraw",
    "ctrl+z": "suspend", "ctrl+q": "quit_now", "m": "related", "f": "saved_searches", "F": "save_search",
    "b": "sidebar", "Y": "take_meant", "backspace": "stood", ".": "again", "T": "triage", "o": "open_link",
    "y u": "copy_link", "y b": "copy_bibtex", "X": "export_again", "i": "bring_in",
    "|": "pipe", "<": "narrower", ">": "wider",
}  # fmt: skip
IN_LIST = {
    "enter": "open",
    "l": "open",
    "q": "quit",
    "n": "next_unread",
    "N": "previous_unread",
    "space": "mark",
    "A": "mark_all",
    "V": "mark_range",
}
IN_SIDEBAR = {
    "j": "down", "G": "bottom", "enter": "choose", "space": "choose", "escape": "back", "h": "back",
    "b": "sidebar", "tab": "focus_next", "/": "search", "f": "saved_searches", "u": "undo", "?": "help",
}  # fmt: skip
IN_TEXT = {
    "h": "back", "q": "back", "escape": "back", "n": "next_match", "N": "previous_match",
    ")": "next_sentence", "(": "previous_sentence", "}": "next_highlight", "{": "previous_highlight",
    "H": "highlight", "v": "select", "C 1": "colour_claim", "C 2": "colour_method", "C 3": "colour_result",
    "C 4": "colour_question", "C 5": "colour_doubt", "c": "comment", "space": "page_on",
}  # fmt: skip
DESIGN: list[tuple[Place, str, str]] = [
    *(("list", keys, name) for keys, name in (BOTH | IN_LIST).items()),
    *(("text", keys, name) for keys, name in (BOTH | IN_TEXT).items()),
    *(("side", keys, name) for keys, name in IN_SIDEBAR.items()),
    ("select", "H", "highlight"),
]
NEVER = ("ctrl+s", "ctrl+j", "ctrl+o", "ctrl+a")


def sequences(commands: tuple[Command, ...], place: Place) -> list[list[str]]:
    return [keys.split() for command in commands if place in command.places for keys in command.keys]


def clashes(commands: tuple[Command, ...]) -> list[list[str]]:
    """Sequences that another one of the same place is, or begins with."""
    return [
        one
        for place in PLACES
        for one, two in permutations(sequences(commands, place), 2)
        if two[: len(one)] == one
    ]


def pressed(keys: Keys, place: Place, *sequence: str) -> Run | Wait | None:
    """What the last key of a sequence does."""
    result: Run | Wait | None = None
    for key in sequence:
        result = keys.press(key, place)
    return result


# The table


def test_names_are_unique_and_every_command_is_told() -> None:
    names = [command.name for command in COMMANDS]
    assert len(names) == len(set(names)) == len(BY_NAME)
    for command in COMMANDS:
        assert command.name.isidentifier()
        assert command.about
        assert command.group
        assert command.places <= set(PLACES)
        assert command.places
        assert all(keys == " ".join(keys.split()) != "" for keys in command.keys)


def test_no_keys_clash_in_any_place() -> None:
    assert clashes(COMMANDS) == []


@pytest.mark.parametrize("place", PLACES)
def test_what_terminals_and_multiplexers_take_is_unbound(place: Place) -> None:
    assert not {key for sequence in sequences(COMMANDS, place) for key in sequence} & set(NEVER)


@pytest.mark.parametrize("place", PLACES)
def test_a_command_does_not_begin_with_what_begins_a_count(place: Place) -> None:
    assert not {sequence[0] for sequence in sequences(COMMANDS, place)} & set("123456789")


@pytest.mark.parametrize(("place", "keys", "name"), DESIGN)
def test_keys_are_bound_as_the_design_says(place: Place, keys: str, name: str) -> None:
    assert pressed(Keys(COMMANDS), place, *keys.split()) == Run(BY_NAME[name], None)


def test_nothing_is_bound_while_text_is_being_typed() -> None:
    assert all(keys[0].startswith(("ctrl+", "f")) for keys in sequences(COMMANDS, "typing"))


def test_keys_are_shown_as_people_read_them() -> None:
    assert [shown(keys) for keys in ("g g", "ctrl+d", "space", "shift+tab", "s u", "pageup")] == [
        "gg", "C-d", "Space", "S-Tab", "su", "PgUp",
    ]  # fmt: skip


# Keys of the user's own


def test_a_command_is_given_other_keys() -> None:
    table, problems = with_keys({"star": "ctrl+x  s,  M"})
    assert problems == []
    keys = Keys(table)
    assert pressed(keys, "list", "ctrl+x", "s") == pressed(keys, "text", "M")
    assert isinstance(run := keys.press("M", "list"), Run)
    assert run.command.name == "star"
    assert keys.press("*", "list") is None
    assert len(table) == len(COMMANDS)


def test_two_commands_change_their_keys_about() -> None:
    for changed in ({"star": "r", "read": "*"}, {"read": "*", "star": "r"}):
        table, problems = with_keys(changed)
        assert problems == []
        assert clashes(table) == []
        assert isinstance(run := Keys(table).press("r", "list"), Run)
        assert run.command.name == "star"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"stra": "M"}, "stra"),
        ({"star": "j"}, "down"),
        ({"star": "g"}, "gg"),
        ({"star": "j x"}, "down"),
        ({"star": ""}, "empty"),
        ({"star": "X,"}, "empty"),
        ({"star": " , X"}, "empty"),
        ({"star": "3"}, "count"),
        ({"star": "M", "read": "M"}, "read"),
    ],
)
def test_what_cannot_be_is_told_and_the_rest_goes_on(wrong: dict[str, str], says: str) -> None:
    table, problems = with_keys({**wrong, "undo": "U"})
    (line,) = problems
    assert says in line
    assert "\n" not in line
    assert clashes(table) == []
    names = {command.name: command.keys for command in table}
    assert names["undo"] == ("U",)
    told = line.removeprefix("keys.").split(":")[0]
    assert names.get(told) == (BY_NAME[told].keys if told in BY_NAME else None)


_WANTED = ["j", "g", "g g", "s", "s x y", "r", "*", "", ",", "7", "M", "M x", "escape", "ctrl+s"]


@given(
    st.dictionaries(
        st.sampled_from(sorted(BY_NAME)) | st.text(max_size=5),
        st.sampled_from(_WANTED) | st.text(max_size=5),
    )
)
def test_no_settings_make_keys_clash_or_raise(changed: dict[str, str]) -> None:
    table, problems = with_keys(changed)
    assert [command.name for command in table] == [command.name for command in COMMANDS]
    assert len(problems) <= len(changed)
    for command in table:  # a command's own keys may begin one another
        others = tuple(other for other in table if other.name != command.name)
        for place in command.places:
            for keys in map(str.split, command.keys):
                for other in sequences(others, place):
                    assert other[: len(keys)] != keys


# From keys to commands


def test_a_number_before_a_key_is_its_count() -> None:
    keys = Keys(COMMANDS)
    assert pressed(keys, "list", "5", "j") == Run(BY_NAME["down"], 5)
    assert pressed(keys, "list", "1", "0", "j") == Run(BY_NAME["down"], 10)
    assert pressed(keys, "list", "j") == Run(BY_NAME["down"], None)
    assert pressed(keys, "list", "3", "s", "r") == Run(BY_NAME["status_read"], 3)
    assert pressed(keys, "text", "3", "H") == Run(BY_NAME["highlight"], 3)


def test_a_command_that_takes_no_count_is_given_none() -> None:
    assert pressed(Keys(COMMANDS), "list", "4", "Z") == Run(BY_NAME["zoom"], None)
    assert pressed(Keys(COMMANDS), "list", "4", "g", "g") == Run(BY_NAME["top"], 4)


def test_keys_may_be_written_as_people_read_them() -> None:
    commands, problems = with_keys(
        {"star": "F2, C-x", "zoom": "Space z", "quit": "gz", "undo": "ctrl+banana"}
    )
    table = {command.name: command for command in commands}
    assert table["star"].keys == ("f2", "ctrl+x")
    assert table["quit"].keys == ("g z",)
    assert table["undo"] == BY_NAME["undo"]
    assert len(problems) == 2
    assert any("is taken by page_on" in problem for problem in problems)
    assert any("'ctrl+banana' is no key" in problem for problem in problems)


def test_0_is_no_count_by_itself() -> None:
    assert Keys(COMMANDS).press("0", "list") is None
    assert Keys(COMMANDS).press("0", "select") == Run(BY_NAME["line_start"], None)
    assert pressed(Keys(COMMANDS), "select", "2", "0") == Wait("20")


def test_a_digit_within_a_sequence_is_a_key_of_it() -> None:
    keys = Keys(COMMANDS)
    assert pressed(keys, "list", "=", "3") == Run(BY_NAME["rating_3"], None)
    assert pressed(keys, "text", "2", "C", "1") == Run(BY_NAME["colour_claim"], None)


def test_a_huge_count_is_cut() -> None:
    assert pressed(Keys(COMMANDS), "list", *"9" * 5000, "j") == Run(BY_NAME["down"], LARGEST_COUNT)


def test_what_may_follow_is_told() -> None:
    wait = pressed(Keys(COMMANDS), "list", "2", "s")
    assert isinstance(wait, Wait)
    assert wait.typed == "2s"
    assert dict(wait.follow).keys() == {"u", "l", "i", "r", "x"}
    assert dict(wait.follow)["x"] == BY_NAME["status_skipped"].about


@pytest.mark.parametrize("begun", [["g"], ["5"], ["5", "g"], ["s"], ["="]])
@pytest.mark.parametrize("end", ["escape", "f9", "!"])
def test_esc_and_unknown_keys_end_a_sequence_and_do_nothing_else(begun: list[str], end: str) -> None:
    keys = Keys(COMMANDS)
    assert pressed(keys, "list", *begun, end) == Wait("")
    assert keys.press("j", "list") == Run(BY_NAME["down"], None)


def test_a_key_that_means_nothing_is_left_to_others() -> None:
    keys = Keys(COMMANDS)
    assert keys.press("f9", "list") is None
    assert all(keys.press(key, "typing") is None for key in ("j", "q", "escape", "enter", "space"))


_KEYS = sorted({key for place in PLACES for sequence in sequences(COMMANDS, place) for key in sequence})


@given(
    st.sampled_from(("list", "text", "select", "typing")),
    st.lists(st.sampled_from([*_KEYS, *"0123456789"]) | st.text(max_size=3), max_size=12),
)
def test_no_key_ever_raises_and_what_is_over_is_forgotten(place: Place, typed: list[str]) -> None:
    keys = Keys(COMMANDS)
    longest = max(map(len, sequences(COMMANDS, place)), default=0)
    waits = 0
    for key in typed:
        result = keys.press(key, place)
        if isinstance(result, Wait) and result.typed:
            waits += bool(result.follow)
            assert waits < max(longest, 1)
            assert result.follow or (result.typed.isdecimal() and int(result.typed) <= LARGEST_COUNT)
            continue
        waits = 0
        assert vars(keys) == vars(Keys(COMMANDS))
        if isinstance(result, Run):
            assert place in result.command.places
            assert result.count is None or (result.command.counts and 0 < result.count <= LARGEST_COUNT)
