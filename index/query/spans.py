"""Years, ratings and days of a query into a `Range`."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date
from typing import Final

from index.query.tree import Node, Not, Range, State

SPANS: Final = {
    "year": "2024, 2020..2024, >=2020 or none",
    "rating": "4, 3..5, >=4 or none (from 1 to 5)",
    "due": "7d, 2w, 3m, 1y, today, 2026-11-30, 2026-11, 1w..2w or none",
    "added": "7d, 2w.., today, 2026-11-30, 2026-11, >=2026-11 or last",
    "date": "7d, 2w.., today, 2026-11-30, 2026-11, 2026, >=2026-11 or none",
}
"""The fields that take a span, and what may be written after each."""

_COMPARED: Final = re.compile(r"(>=|<=|>|<|=)(.+)")
_DAY: Final = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_AWAY: Final = re.compile(r"([0-9]{1,4})([dwmy])")
_NAMED_DAYS: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}


def span(field: str, value: str, half: bool, today: date, problems: list[str]) -> Node | None:
    """The `Range` that `value`, in lower case, stands for; None and a line in `problems` when none.

    `due:7d` is due within seven days or overdue; `added:7d` and `date:7d` are the last seven days.
    Beside `..` or a sign `7d` is one day, seven from now for `due`, seven ago for the others.
    `none`: the paper has no such value. `half`: a year may have only begun.
    """
    if value == "none":
        return Not(Range(field, None, None))
    if field == "added" and (value == "last" or (half and "last".startswith(value))):
        return State("added", "last")
    try:
        if field in ("year", "rating"):
            return Range(
                field, *_ends(value, _rating if field == "rating" else _begun_year if half else _year)
            )
        sign = 1 if field == "due" else -1
        if _AWAY.fullmatch(value):
            day = _iso(_days(value, today, sign)[0])
            return Range(field, None, day) if field == "due" else Range(field, day, None)
        if sign < 0 and (compared := _COMPARED.match(value)) and _AWAY.fullmatch(compared[2]):
            raise ValueError  # "<7d" may mean newer or older
        low, high = _ends(value, lambda text: _days(text, today, sign))
        return Range(field, _iso(low), _iso(high))
    except (ValueError, OverflowError):
        problems.append(f"{field}:{value[:30]} is not understood; after {field}: write {SPANS[field]}")
        return None


def _ends(value: str, read: Callable[[str], tuple[int, int]]) -> tuple[int | None, int | None]:
    """The first and the last number of `2020..2024`, `>=2020` or `2020`; `read` gives those of one piece."""
    if ".." in value:
        low, high = (read(text) if text else None for text in value.split("..", 1))
        if low and high and low > high:
            low, high = high, low
        return low[0] if low else None, high[1] if high else None
    compared = _COMPARED.fullmatch(value)
    first, last = read(compared[2] if compared else value)
    match compared and compared[1]:
        case ">=":
            return first, None
        case ">":
            return last + 1, None
        case "<=":
            return None, last
        case "<":
            return None, first - 1
        case _:
            return first, last


def _year(text: str) -> tuple[int, int]:
    if not re.fullmatch("[0-9]{4}", text):
        raise ValueError(text)
    return int(text), int(text)


def _begun_year(text: str) -> tuple[int, int]:
    return _year(text.ljust(4, "0"))[0], _year(text.ljust(4, "9"))[0]


def _rating(text: str) -> tuple[int, int]:
    if text not in ("1", "2", "3", "4", "5"):
        raise ValueError(text)
    return int(text), int(text)


def _days(text: str, today: date, sign: int) -> tuple[int, int]:
    """The first and the last day, as ordinals, of a day, month or year, or of a day `7d` away."""
    if text in _NAMED_DAYS:
        day = today.toordinal() + _NAMED_DAYS[text]
        return day, day
    if away := _AWAY.fullmatch(text):
        day = _moved(today, sign * int(away[1]), away[2])
        return day, day
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day_of_month = (int(part) if part else None for part in found.groups())
    year = year or 0
    first = date(year, 1 if month is None else month, 1 if day_of_month is None else day_of_month)
    last = first
    if day_of_month is None:
        last = date(year, month or 12, calendar.monthrange(year, month or 12)[1])
    return first.toordinal(), last.toordinal()


def _moved(today: date, count: int, unit: str) -> int:
    """The day `count` days, weeks, months or years from today; the month's last day where it is shorter."""
    if unit in "dw":
        return today.toordinal() + count * (7 if unit == "w" else 1)
    year, month = divmod(today.year * 12 + today.month - 1 + count * (12 if unit == "y" else 1), 12)
    month += 1
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1])).toordinal()


def _iso(day: int | None) -> str | None:
    return None if day is None else date.fromordinal(day).isoformat()
