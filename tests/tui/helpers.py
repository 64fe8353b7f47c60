"""What the tests of the panes share: hostile text, and waiting on a condition."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from textual.pilot import Pilot
from textual.strip import Strip

ANOMALIES = Path(__file__).parents[2].parent / "shared" / "files" / "anomalies.jsonl"
SIZES = [(120, 40), (80, 24), (40, 12)]

HOSTILE = [
    "[@click=app.quit]quit[/]",
    "[/]",
    "[bold red]x[/bold red] in [0, 1] and [head]",
    "a\x1b[31mred\x1b[0m b",
    "a\x1b]52;c;ZXZpbA==\x07 b",
    "a\x1b]0;title\x1b\\ b",
    "a\x9b31m b \x90 c",
    "nul \x00 bell \x07 tab \t return \r feed \x0c delete \x7f",
    "bidi \u202egnp.exe\u202c \u2066isolate\u2069 \u200fmark",
    "lone \ud800 surrogate \udfff",
    "separators \u2028 \u2029 \x85 end",
    "zero\u200bwidth jo\u200dined \ufe0f selector so\u00adft",
    "\u0301starts with a mark",
    "多模态大语言模型（MLLM）评测。",
    "e\u0301 a\u0308\u0323 हिन्दी 한국어 👩‍🔬 🇩🇪 ❤️",
]


def anomalies() -> list[str]:
    """Texts that broke other readers; none where the collection is not at hand."""
    if not ANOMALIES.exists():
        return []
    records = (json.loads(line) for line in ANOMALIES.read_text("utf-8").splitlines())
    return [record["text"] for record in records if record["text"]]


def unsafe(text: str) -> set[str]:
    """What must never reach a terminal: controls, direction marks, lone surrogates, separators."""
    return {
        character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }


def drawn(strips: Iterable[Strip]) -> str:
    return "\n".join(strip.text for strip in strips)


async def until(pilot: Pilot[None], condition: Callable[[], bool], turns: int = 200) -> None:
    """Let the app work until the condition holds; fail after so many turns."""
    for _ in range(turns):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("the condition did not come about")
