"""The links of a paper: found in what its records and its abstract say, mended, and opened in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from index.papers import Paper

PATIENCE: Final = 10.0
"""Seconds that starting a browser may take."""
WORDS: Final = 10
"""Words of an abstract that name it to a search engine."""
_LINK: Final = re.compile(
    r"(?:https?://|(?<![\w.@/])(?:www\.|(?:github|gitlab)\.com/|huggingface\.co/|arxiv\.org/))"
    r"[^\s<>\[\]\"{}|\\^`\u2018-\u201d\u3000-\u303f\uff00-\uff0f]+",
    re.IGNORECASE,
)
_OPEN: Final = """
import os.path, sys, webbrowser
browser = webbrowser.get()
text = os.path.basename(getattr(browser, "name", "")) in ("www-browser", "links", "elinks", "lynx", "w3m")
sys.exit(text or not browser.open(sys.argv[1]))
"""
"""A browser that draws in the terminal would draw over the reader: there is none to open then."""


def links(paper: Paper) -> tuple[str, ...]:
    """The web addresses of a paper, `http` and `https` only: as its records, abstract and identifiers say."""
    found = [one for text in (*paper.links, paper.abstract) for one in _found(text)]
    found += [
        f"https://doi.org/{doi}" for doi in paper.identifiers.get("doi", ()) if re.fullmatch(r"\S+", doi)
    ]
    found += [
        f"https://arxiv.org/abs/{number}"
        for number in paper.identifiers.get("arxiv", ())
        if re.fullmatch(r"[\w./-]+", number)
    ]
    return tuple(dict.fromkeys(found))


def _found(text: str) -> Iterator[str]:
    for match in _LINK.finditer(text):
        link = _mended(match[0])
        if not re.match("https?://", link, re.IGNORECASE):
            link = f"https://{link}"
        if re.match(r"https?://\w", link, re.IGNORECASE):
            yield link


def _mended(link: str) -> str:
    """Without the punctuation of the sentence in which the link stands."""
    while link:
        unpaired = link[-1] == ")" and link.count(")") > link.count("(")
        if not unpaired and link[-1] not in ".,;:!?'*":
            break
        link = link[:-1]
    return link


def first_words(abstract: str) -> str:
    """The first words of an abstract in quotes, as a search engine takes a phrase."""
    words = abstract.replace('"', "").split()[:WORDS]
    return f'"{" ".join(words)}"' if words else ""


def browse(link: str) -> bool:
    """Whether a browser on this screen was asked to open `link`. Not for a thread that draws.

    In a process of its own, without the terminal: whatever a browser says does not reach the screen.
    """
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    command = [sys.executable, "-P", "-c", _OPEN, link]
    try:
        done = subprocess.run(  # noqa: S603 (our own interpreter; the link is one argument)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
