"""Input as terminals send it: pastes that hold anything, and sequences cut on their way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END as END
from textual._xterm_parser import BRACKETED_PASTE_START as START
from textual.message import Message

from index.clean import clean
from tui import terminal_input
from tui.terminal_input import LONGEST, PATIENCE, TerminalInput


class Clock:
    """The time, which stands until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(terminal_input, "monotonic", lambda: self.now)
        monkeypatch.setattr("textual._parser.get_time", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def told(found: Sequence[Message]) -> list[str]:
    """Keys by their names, pastes by their text in quotes, all else by its kind."""
    return [
        one.key
        if isinstance(one, events.Key)
        else repr(one.text)
        if isinstance(one, events.Paste)
        else type(one).__name__
        for one in found
    ]


def typed(*reads: str, clock: Clock | None = None, pause: float = 0.0) -> list[str]:
    """What comes of these reads, with so many seconds after each in which nothing comes."""
    terminal = TerminalInput()
    found: list[Message] = []
    for read in reads:
        found += terminal.feed(read)
        end = clock.now + pause if clock else 0.0
        while clock and clock.now < end:
            clock.now += terminal.pause
            found += terminal.tick()
    return told(found)


def cut(text: str, places: Sequence[int]) -> list[str]:
    bounds = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


PLACES = st.lists(st.integers(0, 200), max_size=8)
PIECES = st.lists(
    st.sampled_from(["dd", "5*q", "\x1b", "\x1b[A", "\x1b[31m", "[201~", "\r", "\t", "é", "多"])
)


@given(PIECES.map("".join).filter(lambda text: END not in text), PLACES)
def test_a_paste_is_one_event_whatever_it_holds_and_however_it_comes(text: str, places: list[int]) -> None:
    reads = cut(f"j{START}{text}{END}k", places)
    if not any(read[-1] == "\x1b" for read in reads):  # else ESC is held for a moment, as a key may be
        assert typed(*reads) == ["j", repr(clean(text)), "k"]
    assert [one for one in typed(*reads, "") if len(one) > 1] == [repr(clean(text))]


def test_the_end_that_a_hostile_text_brings_along_does_not_end_it() -> None:
    assert typed(f"{START}abc{END}dd 5*q{END}j") == [repr(clean(f"abc{END}dd 5*q")), "j"]


def test_pastes_one_after_the_other_and_keys_between_them() -> None:
    assert typed(f"{START}a{END}j", f"{START}b{END}", "k") == ["'a'", "j", "'b'", "k"]
    assert typed(f"{START}{END}") == ["''"]


def test_an_esc_right_before_a_paste_comes_before_it(clock: Clock) -> None:
    assert typed(f"\x1b{START}a{END}") == ["escape", "'a'"]
    assert typed("\x1b", f"{START}a{END}") == ["escape", "'a'"]


def test_of_megabytes_the_beginning_is_kept() -> None:
    terminal = TerminalInput()
    text = f"{START}{'abc ' * LONGEST}{END}j"
    found = [one for at in range(0, len(text), 4096) for one in terminal.feed(text[at : at + 4096])]
    paste, key = found
    assert isinstance(paste, events.Paste)
    assert len(paste.text) == LONGEST
    assert isinstance(key, events.Key)


@pytest.mark.parametrize("pause", [0.05, 0.3])
@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("\x1b[A", "up"),
        ("\x1b[5~", "pageup"),
        ("\x1b[1;5C", "ctrl+right"),
        ("\x1b[<0;5;7M", "MouseDown"),
        ("\x1b[I", "AppFocus"),
        (f"{START}ab{END}", "'ab'"),
    ],
)
def test_over_a_slow_line_no_part_of_a_sequence_is_a_letter(
    clock: Clock, sent: str, meant: str, pause: float
) -> None:
    for at in range(1, len(sent)):
        assert [one for one in typed(sent[:at], sent[at:], clock=clock, pause=pause) if one != "escape"] == [
            meant
        ]
    assert [one for one in typed(*sent, clock=clock, pause=pause) if one != "escape"] == [meant]


def test_esc_is_a_key_when_nothing_follows_soon(clock: Clock) -> None:
    assert typed("\x1b", clock=clock, pause=0.05) == []
    assert typed("\x1b", clock=clock, pause=0.2) == ["escape"]
    assert typed("\x1b", "j", clock=clock, pause=0.3) == ["escape", "j"]
    assert typed("\x1b", "j", clock=clock, pause=0.05) == ["alt+j"]
    assert typed("\x1b\x1b", clock=clock, pause=0.2) == ["escape", "escape"]


def test_what_is_typed_long_after_an_esc_is_no_rest_of_it(clock: Clock) -> None:
    assert typed("\x1b", "[A", clock=clock, pause=PATIENCE + 0.2) == ["escape", "left_square_bracket", "A"]
    assert typed("\x1b[A", "[A", clock=clock, pause=0.3) == ["up", "left_square_bracket", "A"]


def test_a_sequence_without_an_end_is_given_up(clock: Clock) -> None:
    assert typed("\x1b[", clock=clock, pause=PATIENCE / 2) == []
    assert typed("\x1b[", "j", clock=clock, pause=PATIENCE + 0.3) == ["alt+[", "j"]
    assert typed("\x1b[20", "j", clock=clock, pause=PATIENCE + 0.3) == ["j"]


@pytest.mark.parametrize("key", "jA3/=-+é多fb")
def test_esc_and_the_next_key_sent_as_one(key: str) -> None:
    """KeyOrder parts them, where `alt` and the key mean nothing else."""
    assert typed(f"\x1b{key}") == [f"alt+{key}"]
    assert typed(f"k\x1b{key}\x1b[A") == ["k", f"alt+{key}", "up"]
    assert typed(f"\x1b\x1b{key}") == ["escape", f"alt+{key}"]


def test_esc_and_a_key_without_a_letter_sent_as_one() -> None:
    assert typed("\x1b\r") == ["escape", "enter"]
    assert typed("\x1b ") == ["alt+space"]
    assert typed("\x1b\x1b[A") == ["escape", "up"]


@pytest.mark.parametrize("sent", ["dd 5*q", "dd\x1b[A", "dd 5*q\x1b[20", ""])
def test_after_a_silence_a_paste_without_an_end_is_one_and_keys_work(clock: Clock, sent: str) -> None:
    found = typed(f"{START}{sent}", "j", "\x1b[A", clock=clock, pause=PATIENCE + 0.3)
    assert found == [repr(clean(sent)), "j", "up"]
    assert typed(f"{START}{sent}", "j", clock=clock, pause=PATIENCE / 2) == []


@pytest.mark.parametrize("rest", [["q"], ["dd 5*q " * 10], ["dd 5*q " * 10, "q"]])
def test_a_paste_that_stood_still_goes_on_as_one(clock: Clock, rest: list[str]) -> None:
    terminal = TerminalInput()
    found = list(terminal.feed(f"{START}abc"))
    clock.now += PATIENCE
    found += terminal.tick()
    for read in (*rest[:-1], f"{rest[-1]}{END}", "k"):
        found += terminal.feed(read)
    assert told(found) == ["'abc'", repr(clean("".join(rest))), "k"]


def test_a_paste_behind_one_that_never_ended_is_its_own(clock: Clock) -> None:
    long = "d" * 100
    found = typed(f"{START}abc", f"j{START}{long}{END}k", clock=clock, pause=PATIENCE + 0.3)
    assert found == ["'abc'", "j", repr(long), "k"]
    assert typed(f"{START}abc", "\x1b[A" * 20, clock=clock, pause=PATIENCE + 0.3) == ["'abc'", *["up"] * 20]
