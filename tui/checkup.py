"""What `postil doctor` tells: the findings about the library, and those about where it is read."""

from __future__ import annotations

import locale
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from index import settings
from index.clean import drawable
from index.doctor import LOOK, WELL, WRONG, Finding
from index.library import LibraryError
from index.paths import config_file
from tui import clipboard
from tui.commands import with_keys
from tui.printing import WIDTH, print_json, say

PATIENCE: Final = 3.0
"""Seconds that tmux may take to answer."""
SLOW_ESC: Final = 50
"""Milliseconds that tmux may hold Esc back before it is felt."""
SMALLEST: Final = (40, 12)
INDENT: Final = " " * 21


def tell(findings: Sequence[Finding], *, as_json: bool) -> int:
    """Print the findings; the exit status is 1 when something is wrong and was not repaired."""
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            state = "repaired" if finding.repaired else finding.state
            first, *rest = textwrap.wrap(drawable(finding.say), WIDTH - len(INDENT)) or [""]
            print(f"{state:8} {finding.what:11} {first}", *(INDENT + line for line in rest), sep="\n")
            if finding.do:
                for line in textwrap.wrap(drawable(f"→ {finding.do}"), WIDTH - len(INDENT)):
                    print(INDENT + line)
    left = [finding.state for finding in findings if not finding.repaired]
    repaired = f", {len(findings) - len(left)} repaired" if len(left) < len(findings) else ""
    say(f"{left.count(WRONG)} wrong, {left.count(LOOK)} to look at, {left.count(WELL)} well{repaired}")
    return int(WRONG in left)


def unusable(error: LibraryError) -> Finding:
    """The finding about a library that could not be opened."""
    return Finding("library", WRONG, str(error), "see the README on where your data lies")


def surroundings() -> list[Finding]:
    """The findings about keys and theme, the clipboard, the terminal, tmux and the locale."""
    return [*_settings(), _clipboard(), _terminal(), *_tmux(), _locale()]


def _settings() -> Iterator[Finding]:
    """What config.toml says that the reader alone understands: names of commands, keys, a theme."""
    path = config_file()
    told = settings.load(path)
    _, problems = with_keys(told.keys)
    if told.theme:
        from textual.theme import BUILTIN_THEMES  # slow to load, and most have none

        if told.theme not in BUILTIN_THEMES:
            problems.append(f"no theme {told.theme!r}; known are: {', '.join(sorted(BUILTIN_THEMES))}")
    for problem in problems:
        yield Finding("settings", LOOK, f"{path.name}: {problem}", f"edit {path}")


def _clipboard() -> Finding:
    if ways := clipboard.ways():
        return Finding("clipboard", WELL, f"copying goes to: {', '.join(ways)}")
    return Finding(
        "clipboard", LOOK, f"no clipboard: copying writes {clipboard.FILE} into the library's folder",
        "install wl-clipboard, xclip or xsel, or use a terminal with OSC 52",
    )  # fmt: skip


def _terminal() -> Finding:
    name = os.environ.get("TERM", "")
    if name in ("", "dumb", "unknown"):
        told = f"TERM is {name!r}: the reader needs a terminal that can place its text"
        return Finding("terminal", LOOK, told, "start it in a terminal; the commands work everywhere")
    full = os.environ.get("COLORTERM", "") in ("truecolor", "24bit") or name.endswith("-direct")
    colours = "16 million" if full else "256" if "256color" in name else "at most 16"
    size = shutil.get_terminal_size()
    told = f"TERM is {name}, with {colours} colours" + (", inside screen" if os.environ.get("STY") else "")
    if sys.stdout.isatty() and (size.columns < SMALLEST[0] or size.lines < SMALLEST[1]):
        told = f"{told}, of {size.columns}×{size.lines} characters"
        return Finding("terminal", LOOK, told, f"make it at least {SMALLEST[0]}×{SMALLEST[1]}")
    if colours == "at most 16":
        return Finding("terminal", LOOK, told, "set TERM to one with 256color in its name, if yours has them")
    return Finding("terminal", WELL, told)


def _tmux() -> Iterator[Finding]:
    """The two options of tmux that are felt: how long it holds Esc back, and whether it hands text on."""
    if not os.environ.get("TMUX"):
        return
    wait, hand_on = _tmux_option("escape-time"), _tmux_option("set-clipboard")
    if wait is None or hand_on is None:
        yield Finding(
            "tmux", LOOK, "tmux did not tell its options", "see that `tmux show-options -s` answers"
        )
        return
    if wait.isdigit() and int(wait) > SLOW_ESC:
        told = f"tmux holds Esc back for {wait} ms"
        yield Finding("tmux", LOOK, told, "put `set -s escape-time 10` into ~/.tmux.conf")
    if hand_on == "off":
        told = "tmux keeps what is copied to itself"
        yield Finding("tmux", LOOK, told, "put `set -s set-clipboard on` into ~/.tmux.conf")
    yield Finding("tmux", WELL, f"inside tmux: escape-time {wait} ms, set-clipboard {hand_on}")


def _tmux_option(name: str) -> str | None:
    """The value of a server option; None when there is no answer in time."""
    if not (tmux := shutil.which("tmux")):
        return None
    try:
        done = subprocess.run(  # noqa: S603 (a fixed command)
            [tmux, "show-options", "-sv", name],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _locale() -> Finding:
    encoding = locale.getencoding()
    if re.fullmatch("utf-?8", encoding, re.IGNORECASE):
        return Finding("locale", WELL, f"text is {encoding}")
    told = f"the locale's encoding is {encoding}: what is not in it may be drawn wrongly"
    return Finding("locale", LOOK, told, "set LANG to one that ends in .UTF-8, such as C.UTF-8")
