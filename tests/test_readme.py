"""What the README says is what the program does."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from index import query
from tui.cli import COMMANDS
from tui.commands import keys_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_keys_is_the_one_of_the_program() -> None:
    assert keys_table() in README, "put in what `python -m tui.commands` prints"


def test_every_picture_and_every_room_that_is_named_is_there() -> None:
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / unquote(picture)).is_file() for picture in pictures)
    house = README[README.index("## The house") :]
    rooms = set(re.findall(r"`((?:index|tui)/[\w./]*)`", house))
    for line in house.splitlines():
        folder = re.search(r"`(index|tui)/", line)
        if folder:
            rooms |= {f"{folder[1]}/{name}" for name in re.findall(r"`(\w+\.py)`", line)}
    assert all((ROOT / room).exists() for room in rooms), rooms
    files = {f"{p}/{f.name}" for p in ("index", "tui") for f in (ROOT / p).glob("*.py")}
    missing = {f for f in files if f not in rooms} - {"index/__init__.py", "tui/__init__.py", "tui/usage.py"}
    assert missing == set()


def test_every_command_is_named_and_every_named_command_is_there() -> None:
    block = README[README.index("## The command line") :].split("```")[1]
    named = set(re.findall(r"^postil (\w+)", block, re.MULTILINE)) | {"redo", "history"}
    assert named == set(COMMANDS)


def test_every_query_of_the_manual_is_wholly_understood() -> None:
    table = README[README.index("| write | to find |") : README.index("Spelling, hyphens")]
    cells = [line.split("|")[1] for line in table.splitlines()[2:] if line.strip()]
    queries = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    whole = [
        text for text in queries if not text.endswith(":") and "(" not in text and text not in ("AND", "NOT")
    ]
    assert len(whole) > 20
    for text in whole:
        assert query.parse(text).problems == (), text
