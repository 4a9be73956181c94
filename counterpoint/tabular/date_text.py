"""Dates and times as people write them, also in several forms within one column."""

import re
from collections.abc import Iterable
from datetime import datetime

import numpy as np
import pandas as pd

_NAMES = """\
jan january januar janv janvier enero ene
feb february februar févr février febrero
mar march märz mär mrz mars marzo
apr april avr avril abril abr
may mai mayo
jun june juni juin junio
jul july juli juil juillet julio
aug august août aout agosto ago
sep sept september septembre septiembre
oct october okt oktober octobre octubre
nov november novembre noviembre
dec december dez dezember déc décembre dic diciembre"""
_MONTHS = {
    name: month for month, names in enumerate(_NAMES.split("\n"), 1) for name in names.split()
}
_TIME = (
    r"(?:(?:T|,?\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?"
)
_YEAR = r"(?P<year>\d{4}|\d{2})"
_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_DAY_OF_WEEK = r"(?:[^\W\d_]{2,10}\.?,?\s+)?"
_FORMS = [
    re.compile(pattern + _TIME)
    for pattern in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}",
        rf"(?P<first>\d{{1,2}})(?P<mark>[/-])(?P<then>\d{{1,2}})(?P=mark){_YEAR}",
        rf"{_DAY_OF_WEEK}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?[ -]{_NAME},?[ -]{_YEAR}",
        rf"{_DAY_OF_WEEK}{_NAME} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}",
    )
]
_PACKED = re.compile(r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})" + _TIME)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([AaPp]\.?[Mm]\.?)?")
DAY_FIRST, MONTH_FIRST = "day first", "month first"


def read_dates(
    cells: pd.Series, order: str = "", *, packed: bool = False
) -> tuple[pd.Series, str, bool]:
    """Read cells of text as dates; what is none is missing.

    Offsets from universal time are not added: the clock on the wall says more about people.

    Parameters
    ----------
    cells : Series of str
        No gaps.
    order : {"", "day first", "month first"}, default=""
        What 3/4/2021 means. Empty: what the cells themselves say; if they do not, the month first
        with slashes, the day first with dashes.
    packed : bool, default=False
        Whether eight digits, 20210403, are a date.

    Returns
    -------
    dates : Series of datetime64
    order : str
        As found out; empty if it does not matter.
    certain : bool
        Whether a cell proves it.

    Examples
    --------
    >>> cells = pd.Series(["2021-04-03", "3.4.2021 18:30", "3 Apr 2021", "April 3, 2021", "soon"])
    >>> dates, _, _ = read_dates(cells)
    >>> dates.astype(str).tolist()[:2], int(dates.isna().sum())
    (['2021-04-03 00:00:00', '2021-04-03 18:30:00'], 1)
    >>> read_dates(pd.Series(["3/4/2021", "3/25/2021"]))[1:]
    ('month first', True)
    """
    texts = [str(text) for text in pd.unique(cells)]
    found = {text: _match(text.strip(), packed) for text in texts}
    guessed, certain = _order(found.values())
    order = order or guessed
    moments = {
        text: np.datetime64("NaT") if parts is None else _moment(parts, order)
        for text, parts in found.items()
    }
    return cells.map(moments).astype("datetime64[us]"), order, certain


def read_clock(cells: pd.Series) -> pd.Series:
    """Read times of the day as hours; what is none is NaN.

    Examples
    --------
    >>> read_clock(pd.Series(["14:30", "2:30 pm", "soon"])).tolist()
    [14.5, 14.5, nan]
    """
    return cells.map({text: _hours(str(text).strip()) for text in pd.unique(cells)}).astype(float)


def _match(text: str, packed: bool) -> dict[str, str | None] | None:
    if not 6 <= len(text) <= 45 or not any(map(str.isdigit, text)):
        return None
    for form in [*_FORMS, _PACKED] if packed else _FORMS:
        found = form.fullmatch(text)
        if found and ("name" not in form.groupindex or found["name"].lower() in _MONTHS):
            return found.groupdict()
    return None


def _order(found: Iterable[dict[str, str | None] | None]) -> tuple[str, bool]:
    """Return whether days or months come first where numbers alone do not say it, and if proven."""
    pairs = [parts for parts in found if parts and parts.get("first")]
    if not pairs:
        return "", True
    days = sum(int(str(parts["first"])) > 12 for parts in pairs)
    months = sum(int(str(parts["then"])) > 12 for parts in pairs)
    if days != months:
        return (DAY_FIRST if days > months else MONTH_FIRST), not (days and months)
    return (MONTH_FIRST if pairs[0]["mark"] == "/" else DAY_FIRST), False


def _moment(parts: dict[str, str | None], order: str) -> np.datetime64:
    if parts.get("first"):
        numbers = int(str(parts["first"])), int(str(parts["then"]))
        day, month = numbers if order == DAY_FIRST else numbers[::-1]
        if month > 12:  # the other way round, then: it cannot be meant otherwise
            day, month = month, day
    else:
        day = int(str(parts["day"]))
        name = parts.get("name")
        month = int(str(parts["month"])) if name is None else _MONTHS[name.lower()]
    year = str(parts["year"])
    # As POSIX has it: 69 to 99 are of the last century.
    full = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 69 else 2000)
    hour = _hour(parts.get("hour") or "0", parts.get("half"))
    micro = int(f"{parts.get('part') or '0':0<6}"[:6])
    try:
        moment = datetime(
            full, month, day, hour, int(parts.get("minute") or 0), int(parts.get("second") or 0),
            micro,
        )  # fmt: skip
    except ValueError:  # the 31st of February
        return np.datetime64("NaT")
    return np.datetime64(moment, "us")


def _hours(text: str) -> float:
    found = _CLOCK.fullmatch(text)
    if found is None:
        return np.nan
    hour, minute, second = _hour(found[1], found[4]), int(found[2]), int(found[3] or 0)
    good = hour <= 24 and minute < 60 and second < 60
    return hour + minute / 60 + second / 3600 if good else np.nan


def _hour(text: str, half: str | None) -> int:
    hour = int(text)
    if half is None or not 1 <= hour <= 12:
        return hour
    return hour % 12 + (12 if half[0] in "pP" else 0)
