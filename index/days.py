"""A day as people write it: `2026-12-01`, `today`, `tomorrow`, `7d`, `2w`."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_day(text: str, today: date) -> str | None:
    """The day that `text` names, as `2026-12-01`; None for `none`. Raises ValueError with one line."""
    text = text.strip().lower()
    match text:
        case "none" | "never" | "":
            return None
        case "today":
            return today.isoformat()
        case "tomorrow":
            return (today + timedelta(days=1)).isoformat()
    try:
        if ahead := re.fullmatch(r"\+?(\d{1,4})([dwmy])", text):
            return (today + timedelta(days=int(ahead[1]) * _DAYS[ahead[2]])).isoformat()
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text).isoformat()
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{text!r} is no day; write 2026-12-01, today, tomorrow, 7d, 2w or none")
