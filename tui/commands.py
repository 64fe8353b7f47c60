"""The one table of commands: keys, help, footer, palette, `:` and the manual's table are made from it.

Plain data; nothing here knows a widget.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from index.clean import drawable

Place = Literal["list", "text", "side", "select", "typing"]
"""Where the focus is: `side` is the sidebar, `select` the text while words are being selected, `typing`
the bar or a note."""

LIST: Final[frozenset[Place]] = frozenset({"list"})
TEXT: Final[frozenset[Place]] = frozenset({"text"})
SIDE: Final[frozenset[Place]] = frozenset({"side"})
SELECT: Final[frozenset[Place]] = frozenset({"select"})
READ: Final[frozenset[Place]] = LIST | TEXT
PANES: Final[frozenset[Place]] = READ | SIDE
CHOOSE: Final[frozenset[Place]] = TEXT | SELECT
ALL: Final[frozenset[Place]] = PANES | SELECT


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a key does.

    `keys` are sequences of keys, `g g` one after the other; `hint` is the word in the footer, for the
    few that stand there; with `counts` a number before the key is passed on.
    """

    name: str
    keys: tuple[str, ...]
    about: str
    group: str
    places: frozenset[Place] = READ
    counts: bool = False
    hint: str = ""


def _group(title: str, *commands: tuple[str, str, str, frozenset[Place], str]) -> list[Command]:
    """Commands of one group; a trailing `#` on the name says that it takes a count."""
    return [
        Command(name.rstrip("#"), tuple(keys.split("  ")), about, title, places, name.endswith("#"), hint)
        for name, keys, about, places, hint in commands
    ]


COMMANDS: Final[tuple[Command, ...]] = (
    *_group(
        "Moving",
        ("down#", "j  down", "down", PANES, ""),
        ("up#", "k  up", "up", PANES, ""),
        ("half_page_down#", "ctrl+d", "half a page down", PANES, ""),
        ("half_page_up#", "ctrl+u", "half a page up", PANES, ""),
        ("page_down#", "ctrl+f  pagedown", "a page down", PANES, ""),
        ("page_up#", "ctrl+b  pageup", "a page up", PANES, ""),
        ("top#", "g g  home", "to the top, or to the row of that number", PANES, ""),
        ("bottom#", "G  end", "to the bottom, or to the row of that number", PANES, ""),
        ("next_paper#", "J", "the next paper, without leaving the text", READ, ""),
        ("previous_paper#", "K", "the paper before, without leaving the text", READ, ""),
        ("next_unread#", "n", "the next unread paper", LIST, ""),
        ("previous_unread#", "N", "the unread paper before", LIST, ""),
        ("next_match#", "n", "the next match, from the end on to the first", TEXT, ""),
        ("previous_match#", "N", "the match before, from the first on to the last", TEXT, ""),
        ("next_sentence#", ")", "a sentence forward", TEXT, ""),
        ("previous_sentence#", "(", "a sentence back", TEXT, ""),
        ("next_highlight#", "}", "the next highlight", TEXT, ""),
        ("previous_highlight#", "{", "the highlight before", TEXT, ""),
        ("page_on", "space", "a page on, and at the end the next paper", TEXT, ""),
        ("open", "enter  l  right", "open the paper", LIST, "open"),
        ("choose", "enter  l  right  space", "put it into the query, or take it out", SIDE, "choose"),
        ("back", "h  left  q  escape", "back to the list", TEXT | SIDE, "back"),
        ("clear", "escape", "forget the marks, the related papers, the query", LIST, ""),
        ("focus_next", "tab", "the next pane", PANES, ""),
        ("focus_previous", "shift+tab", "the pane before", PANES, ""),
    ),
    *_group(
        "Finding",
        ("search", "/", "search as you type; Enter keeps it, Esc takes it back", PANES, "search"),
        ("take_meant", "Y", "take the query that was meant", PANES, ""),
        ("sidebar", "b", "the sidebar: saved searches, tags, lists", PANES, ""),
        ("saved_searches", "f", "saved searches: run one, or delete it", PANES, ""),
        ("save_search", "F", "save the query", PANES, ""),
        ("follow_link", "g f", "follow a link of the note, or one that leads here", READ, ""),
        ("related", "m", "the papers nearest to this one", READ, ""),
        ("stood#", "backspace", "back to where I was; from related papers, to the list before", READ, ""),
        ("sort_relevance", "S r", "sort: best first", READ, ""),
        ("sort_added", "S a", "sort: order of import", READ, ""),
        ("sort_title", "S t", "sort: by heading", READ, ""),
        ("sort_year", "S y", "sort: by year", READ, ""),
        ("sort_status", "S s", "sort: by status", READ, ""),
        ("sort_rating", "S *", "sort: by rating", READ, ""),
        ("sort_due", "S d", "sort: by due date", READ, ""),
        ("sort_opened", "S o", "sort: last opened first", READ, ""),
    ),
    *_group(
        "Judging",
        ("read#", "r", "read, or unread again", READ, "read"),
        ("status_unread#", "s u", "status: unread", READ, ""),
        ("status_later#", "s l", "status: later", READ, ""),
        ("status_reading#", "s i", "status: reading", READ, ""),
        ("status_read#", "s r", "status: read", READ, ""),
        ("status_skipped#", "s x", "status: skipped", READ, ""),
        ("later#", "a", "later, and on to the next", READ, ""),
        ("skip#", "d", "skipped, and on to the next", READ, ""),
        ("star#", "*", "star, or no star", READ, ""),
        ("rating_0#", "= 0", "no rating", READ, ""),
        ("rating_1#", "= 1", "rating 1", READ, ""),
        ("rating_2#", "= 2", "rating 2", READ, ""),
        ("rating_3#", "= 3", "rating 3", READ, ""),
        ("rating_4#", "= 4", "rating 4", READ, ""),
        ("rating_5#", "= 5", "rating 5", READ, ""),
        ("due#", "w", "when it is due", READ, ""),
        ("tags#", "t", "edit the tags", READ, "tag"),
        ("add_tag#", "+", "add a tag", READ, ""),
        ("remove_tag#", "-", "remove a tag", READ, ""),
        ("mark#", "space", "mark, and down: what follows acts on all marked papers", LIST, ""),
        (
            "mark_range#",
            "V",
            "a range: from here to where the cursor goes, 5V of five; V marks it, Esc drops it",
            LIST,
            "",
        ),
        ("mark_all", "A", "mark all that are listed", LIST, ""),
        ("rename_tag", "g t", "rename a tag, or merge it into another", READ, ""),
        (
            "remove#",
            "g x",
            "take it out of the library, undo brings it back",
            READ,
            "",
        ),
        ("again#", ".", "do the last change again, to these papers", READ, ""),
        ("triage", "T", "triage: one unread abstract at a time, from here on", READ, ""),
        ("undo#", "u", "undo", PANES, ""),
        ("redo#", "ctrl+r", "redo", PANES, ""),
    ),
    *_group(
        "Writing",
        ("note", "e", "write a note; Esc keeps it, C-_ undoes typing, C-y redoes", READ, "note"),
        ("note_outside", "E", "write the note in $EDITOR", READ, ""),
        (
            "highlight#",
            "H",
            "highlight the sentence, or take it away; 3H the third",
            CHOOSE,
            "highlight",
        ),
        ("select", "v", "select by words, then H", TEXT, ""),
        ("colour_claim", "C 1", "colour: claim", CHOOSE, ""),
        ("colour_method", "C 2", "colour: method", CHOOSE, ""),
        ("colour_result", "C 3", "colour: result", CHOOSE, ""),
        ("colour_question", "C 4", "colour: question", CHOOSE, ""),
        ("colour_doubt", "C 5", "colour: doubt", CHOOSE, ""),
        ("comment", "c", "comment on the highlight, or on what is selected", CHOOSE, ""),
        ("word_on#", "w  e", "a word further", SELECT, "word"),
        ("word_back#", "b", "a word back", SELECT, ""),
        ("character_on#", "l  right", "a character further", SELECT, ""),
        ("character_back#", "h  left", "a character back", SELECT, ""),
        ("sentence_on#", ")  j  down", "a sentence further", SELECT, ""),
        ("sentence_back#", "(  k  up", "a sentence back", SELECT, ""),
        ("line_start", "0", "to the start of the line", SELECT, ""),
        ("line_end", "$", "to the end of the line", SELECT, ""),
        ("other_end", "o", "to the other end", SELECT, "other end"),
        ("select_end", "escape  q  v", "select nothing", SELECT, "select nothing"),
    ),
    *_group(
        "Taking away",
        ("copy_citation", "y y", "copy: the citation", READ, ""),
        ("copy_title", "y t", "copy: the heading", READ, ""),
        ("copy_abstract", "y a", "copy: the abstract", READ, ""),
        ("copy_highlights", "y h", "copy: the highlights", READ, ""),
        ("copy_bibtex", "y b", "copy: BibTeX", READ, ""),
        ("copy_link", "y u", "copy: the link", READ, ""),
        ("copy_markdown", "y m", "copy: Markdown, with all that is written about it", READ, ""),
        ("copy_selection", "y", "copy what is selected", SELECT, "copy"),
        ("open_link", "o", "open the link; without one, copy the first words", READ, ""),
        ("pipe", "|", "pipe it to a command", READ, ""),
        ("export", "x", "export what is listed, or marked", READ, "export"),
        ("export_again", "X", "export again as last time", READ, ""),
        ("bring_in", "i", "import a file", READ, ""),
    ),
    *_group(
        "Around",
        ("help", "?  f1", "all keys", ALL, "help"),
        ("palette", "ctrl+p", "find a command by its name", PANES, ""),
        ("command_line", ":", "a command by its name; tag moe, due 7d, 12: row 12", PANES, ""),
        ("zoom", "Z", "one pane, or two", PANES, ""),
        ("narrower#", "<", "the list narrower", READ, ""),
        ("wider#", ">", "the list wider", READ, ""),
        ("redraw", "ctrl+l", "draw the screen anew", ALL, ""),
        ("suspend", "ctrl+z", "put postil to sleep, from anywhere; `fg` wakes it", ALL, ""),
        ("quit", "q", "quit", LIST, ""),
        ("quit_now", "ctrl+q", "quit from anywhere", ALL, ""),
    ),
)

BY_NAME: Final[Mapping[str, Command]] = {command.name: command for command in COMMANDS}

WRITING: Final = (
    ("Esc", "keep the note"), ("C-_", "undo"), ("C-y", "redo"), ("[[", "link"), ("F2", "preview"),
    ("C-↑↓", "scroll"),
)  # fmt: skip
"""What the footer says while a note is written, where keys are the editor's own."""
TYPING: Final = (
    ("Enter", "keep"), ("Esc", "as before"), ("Tab", "complete"), ("↑↓", "move the list"),
    ("C-r", "former queries"),
)  # fmt: skip
"""And while a query is typed."""

_SHOWN: Final[Mapping[str, str]] = {
    "space": "Space", "enter": "Enter", "escape": "Esc", "tab": "Tab", "shift+tab": "S-Tab",
    "backspace": "Backspace",
    "up": "Up", "down": "Down", "left": "Left", "right": "Right", "pageup": "PgUp", "pagedown": "PgDn",
    "home": "Home", "end": "End", "f1": "F1",
}  # fmt: skip


def shown(keys: str) -> str:
    """A sequence of keys as people read it: `C-d`, `gg`, `Space`."""
    told = [_SHOWN.get(key, key.replace("ctrl+", "C-")) for key in keys.split()]
    return ("" if all(len(key) == 1 for key in told) else " ").join(told)


_NAMED: Final = (
    *("space", "enter", "escape", "tab", "backspace", "delete", "insert", "home", "end"),
    *("pageup", "pagedown", "up", "down", "left", "right"),
)


def _key(text: str) -> str | None:
    """A key as the table names it, from how people write it (`C-d`, `Esc`, `Space`); None for no key."""
    if len(text) == 1:
        return text
    told = text.lower().replace("c-", "ctrl+").replace("s-", "shift+").replace("m-", "alt+")
    *held, key = told.split("+")
    key = {"esc": "escape", "pgup": "pageup", "pgdn": "pagedown", "return": "enter"}.get(key, key)
    known = len(key) == 1 or key in _NAMED or re.fullmatch(r"f([1-9]|1\d|2[0-4])", key)
    return "+".join([*held, key]) if known and set(held) <= {"ctrl", "shift", "alt"} else None


def _sequence(text: str) -> str:
    """Keys one after the other as the table has them; what is no key stays, to be told of."""
    return " ".join(_key(key) or (" ".join(key) if len(key) == 2 else key) for key in text.split())


def with_keys(changed: Mapping[str, str]) -> tuple[tuple[Command, ...], list[str]]:
    """The commands with the keys that `config.toml` gives, and one line for each that cannot be.

    A name that is not known, or keys that another command has in the same place, leave things as
    they are; of two changes that clash the later yields. Several keys for one command are parted by a
    comma.
    """
    problems = [
        f"keys.{name}: no such command; `?` shows them all" for name in changed if name not in BY_NAME
    ]
    wanted = {
        name: replace(BY_NAME[name], keys=tuple(map(_sequence, keys.split(","))))
        for name, keys in changed.items()
        if name in BY_NAME
    }
    table = {**BY_NAME, **wanted}
    standing = list(reversed(wanted))
    while clash := next(
        ((name, why) for name in standing if (why := _clash(table[name], table.values()))), None
    ):
        name, why = clash
        problems.append(f"keys.{name}: {why}")
        table[name] = BY_NAME[name]
        standing.remove(name)
    return tuple(table.values()), problems


def with_meanings(commands: Iterable[Command], meanings: Mapping[str, str]) -> tuple[Command, ...]:
    """The commands, told of by what the reader calls each colour."""
    called = {f"colour_{colour}": drawable(meaning) for colour, meaning in meanings.items()}
    return tuple(
        replace(command, about=f"colour: {called[command.name]}") if command.name in called else command
        for command in commands
    )


def _clash(wanted: Command, others: Iterable[Command]) -> str | None:
    """Why `wanted` cannot have its keys: another has them, or they begin or go on from another's."""
    for one in wanted.keys:
        if not one:
            return "an empty key"
        if odd := next((key for key in one.split() if _key(key) is None), None):
            return f"{odd!r} is no key; write j, C-d, Space, Esc, F2, g g"
        if one.split()[0] in tuple("123456789"):
            return f"{one.split()[0]} begins a count"
    for other in others:
        if other.name == wanted.name or not other.places & wanted.places:
            continue
        for one in wanted.keys:
            for two in other.keys:
                short, long = sorted((one.split(), two.split()), key=len)
                if short and long[: len(short)] == short:
                    return f"{shown(one)} is taken by {other.name} ({shown(two)})"
    return None


def keys_table() -> str:
    """The keys as the README's table shows them, in Markdown; printed by `python -m tui.commands`."""
    names: dict[Place, str] = {"list": "list", "text": "text", "side": "sidebar", "select": "selecting"}
    lines = ["| key | what it does | where | name |", "|---|---|---|---|"]
    for command in COMMANDS:
        keys = " ".join(f"`{shown(key)}`".replace("|", "\\|") for key in command.keys)
        places = ", ".join(names[place] for place in names if place in command.places)
        lines.append(f"| {keys} | {command.about} | {places} | `{command.name}` |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(keys_table())
