"""config.toml: what the user set. Read, checked, never written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from index.papers import COLOURS

_SECTIONS = ("keys", "colours", "folders", "theme", "ascii")


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings, and one line for each that could not be taken."""

    keys: Mapping[str, str] = field(default_factory=dict)
    """A command's name to its keys, such as `star = "*"`."""
    meanings: Mapping[str, str] = field(default_factory=lambda: {colour: colour for colour in COLOURS})
    """What the reader calls each highlight colour."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """Folders of lists by a name: what is new in them comes in when the reader opens."""
    theme: str | None = None
    ascii: bool | None = None
    """Whether to show ASCII only; None where the terminal decides."""
    problems: tuple[str, ...] = ()


def load(path: Path) -> Settings:
    """Read `path`. A file that is not there gives the defaults; whatever is wrong is said and passed over."""
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError, RecursionError) as error:
        return Settings(problems=(f"{path.name} could not be read and is not used: {error}",))
    problems = [f"{path.name}: unknown section {name!r}" for name in data if name not in _SECTIONS]
    keys = _strings(data, "keys", path.name, problems)
    named = _strings(data, "colours", path.name, problems)
    problems += [
        f"{path.name}: unknown colour {name!r} (they are {', '.join(COLOURS)})"
        for name in named
        if name not in COLOURS
    ]
    theme = data.get("theme")
    if not isinstance(theme, str | None):
        problems.append(f"{path.name}: theme is not a text")
        theme = None
    ascii_only = data.get("ascii")
    if not isinstance(ascii_only, bool | None):
        problems.append(f"{path.name}: ascii is neither true nor false")
        ascii_only = None
    return Settings(
        keys=keys,
        meanings={colour: named.get(colour, colour) for colour in COLOURS},
        folders=_strings(data, "folders", path.name, problems),
        theme=theme,
        ascii=ascii_only,
        problems=tuple(problems),
    )


def _strings(data: Mapping[str, object], name: str, where: str, problems: list[str]) -> dict[str, str]:
    section = data.get(name, {})
    if not isinstance(section, dict):
        problems.append(f"{where}: [{name}] is not a section")
        return {}
    problems += [
        f"{where}: {name}.{key} is not a text" for key, value in section.items() if not isinstance(value, str)
    ]
    return {key: value for key, value in section.items() if isinstance(value, str)}
