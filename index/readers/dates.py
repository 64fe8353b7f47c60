"""A year and a day out of the many ways in which a record gives its date."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_SEASONS: Final = frozenset(("winter", "spring", "summer", "autumn", "fall"))
_YEAR: Final = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_ISO: Final = re.compile(r"(?<!\d)([12]\d{3})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_DAY_FIRST: Final = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.]([12]\d{3})(?!\d)")
_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_DAY: Final = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)")
_LONGEST: Final = 100


def dated(text: str) -> tuple[int | None, str | None]:
    """The year and the date, `2024`, `2024-05` or `2024-05-31`, as far as `text` tells; else None.

    Of a range, the beginning. Where day and month could each be the other, neither is taken.
    """
    text = text[:_LONGEST]
    if found := _ISO.search(text):
        return whole(int(found[1]), int(found[2]), int(found[3]) if found[3] else None)
    if found := _DAY_FIRST.search(text):
        one, two, year = int(found[1]), int(found[2]), int(found[3])
        if one > 12 >= two:
            return whole(year, two, one)
        return whole(year, one, two) if two > 12 >= one or one == two else whole(year)
    year_found = _YEAR.search(text)
    if year_found is None:
        return None, None
    rest = text[: year_found.start()] + " " + text[year_found.end() :]
    months = [_MONTHS[word[:3].lower()] for word in _WORD.findall(rest) if word[:3].lower() in _MONTHS]
    if not months or any(word.lower() in _SEASONS for word in _WORD.findall(rest)):
        return whole(int(year_found[1]))
    day = _DAY.search(rest)
    return whole(int(year_found[1]), months[0], int(day[1]) if day else None)


def whole(year: int, month: int | None = None, day: int | None = None) -> tuple[int | None, str | None]:
    """A year and what of the date is a date; None and None for no year."""
    if not 1000 <= year <= 2999:
        return None, None
    if month is None or not 1 <= month <= 12:
        return year, f"{year}"
    try:
        return year, date(year, month, day or 0).isoformat()
    except ValueError:
        return year, f"{year}-{month:02}"
