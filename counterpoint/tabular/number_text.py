"""Numbers as people write them: ``12%``, ``$1,234.50``, ``1.234,50 EUR``, ``1 234,5``, ``8 kg``."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

_SIGNS = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB",
    "₩": "KRW", "₺": "TRY", "₪": "ILS", "zł": "PLN", "kr": "SEK", "Fr.": "CHF", "R$": "BRL",
}  # fmt: skip
_CODES = (
    "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "RUB", "KRW", "TRY", "ILS", "PLN", "CZK",
    "HUF", "SEK", "NOK", "DKK", "CAD", "AUD", "NZD", "BRL", "MXN", "ZAR", "SGD", "HKD", "THB",
    "RON", "BGN", "UAH",
)  # fmt: skip
_MONEY = "|".join([*map(re.escape, sorted(_SIGNS, key=len, reverse=True)), *_CODES])
# Any other measure: a word, as in "80 kg", "90 km/h", "21 °C"; what is left of a sign that a file
# has lost, "12 ?", too.
_MEASURE = r"[^\W\d_]{1,12}(?:/[^\W\d_]{1,4})?|°\s?[CFK]?|\?"
_CELL = re.compile(
    rf"(?P<open>\()?(?P<sign>[+\-\u2212])?\s*(?P<before>{_MONEY})?\s*(?P<inner>[+\-\u2212])?\s*"
    rf"(?P<body>\d(?:[\d.,'\u2019 \u00a0\u202f]*\d)?|[.,]\d+)\s*(?P<after>%|{_MONEY}|{_MEASURE})?"
    rf"(?P<shut>\))?"
)
_KNOWN = {"%", *_SIGNS.values(), *_CODES}
_FEW = 0.2  # of the cells may be mistakes
_MANY = 20  # different numbers are measured, and no names of classes
_BLANKS = str.maketrans("", "", "'\u2019 \u00a0\u202f")
_GROUPS = re.compile(r"[1-9]\d{0,2}(?:['\u2019 \u00a0\u202f]\d{3})+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Amount:
    """One cell taken apart: its size as it stands there, whether it is below 0, its unit."""

    body: str
    negative: bool
    unit: str


@dataclass(frozen=True)
class NumberForm:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : {".", ","}
        What stands before the fraction.
    unit : str
        "%", a currency by its code, a measure as it is written, or empty.
    grouped : bool
        Whether thousands are set apart.
    """

    decimal: str = "."
    unit: str = ""
    grouped: bool = False


def take_apart(cell: str) -> Amount | None:
    """Return the parts of a cell that may be a number, or None.

    Examples
    --------
    >>> take_apart("-$1,234.50")
    Amount(body='1,234.50', negative=True, unit='USD')
    >>> take_apart("12 %").unit, take_apart("12 kg").unit, take_apart("twelve")
    ('%', 'kg', None)
    """
    found = _CELL.fullmatch(cell.strip())
    if found is None or (found["open"] is None) != (found["shut"] is None):
        return None
    signs = [mark for mark in (found["sign"], found["inner"], found["open"]) if mark]
    units = [_SIGNS.get(unit, unit) for unit in (found["before"], found["after"]) if unit]
    if len(signs) > 1 or len(set(units)) > 1:
        return None
    body = found["body"]
    if any(mark in body for mark in "'\u2019 \u00a0\u202f"):
        if not _GROUPS.fullmatch(body):
            return None
        body = body.translate(_BLANKS)
    return Amount(body, bool(signs) and signs[0] != "+", units[0] if units else "")


def decimal_marks(bodies: Iterable[str]) -> Counter[str]:
    """Count which marks certainly stand before fractions; "1,234" alone is no proof of either.

    Examples
    --------
    >>> decimal_marks(["1.234,50", "7"]), decimal_marks(["1,234"]), decimal_marks(["1,234,567"])
    (Counter({',': 1}), Counter(), Counter({'.': 1}))
    """
    certain: Counter[str] = Counter()
    for body in bodies:
        points, commas = body.count("."), body.count(",")
        if points and commas:
            certain.update("." if body.rindex(".") > body.rindex(",") else ",")
        elif points > 1 or commas > 1:
            certain.update("," if points else ".")
        elif points or commas:
            mark = "." if points else ","
            whole, fraction = body.split(mark)
            if len(fraction) != 3 or len(whole) not in (1, 2, 3) or whole.startswith("0"):
                certain.update(mark)
    return certain


def read_numbers(cells: pd.Series, hint: str = ".") -> tuple[pd.Series, NumberForm] | None:
    """Read cells of text as numbers; what is none is NaN. None if cells contradict each other.

    Where a few cells of many contradict the others, it is these that are none. A word after the
    number is a unit only if all cells have the same: of "3 rooms" and "4 beds" none are numbers.
    Where more than 20 numbers differ, cells without any number may be among them.

    Parameters
    ----------
    cells : Series of str
        No gaps.
    hint : {".", ","}, default="."
        What stands before fractions if the cells do not say it.

    Returns
    -------
    numbers : Series of float
    form : NumberForm

    Examples
    --------
    >>> numbers, form = read_numbers(pd.Series(["1.234,50 EUR", "7 EUR", "unknown"]))
    >>> numbers.tolist(), form
    ([1234.5, 7.0, nan], NumberForm(decimal=',', unit='EUR', grouped=True))
    """
    texts = pd.unique(cells)
    plain = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=float)
    amounts = {text: take_apart(text) for text in texts}
    found = [amount for amount in amounts.values() if amount is not None]
    units = Counter(amount.unit for amount in found if amount.unit)
    certain = decimal_marks(amount.body for amount in found)
    if not all(map(_agree, (units, certain))):
        return None
    decimal = max(certain, key=certain.__getitem__, default=hint)
    unit = max(units, key=units.__getitem__, default="")
    # Of "3 rooms" and "studio" both are categories; of a thousand ways and "unknown" one is odd.
    needed = len(found) if len(found) > _MANY else len(texts)
    if unit not in ("", *_KNOWN) and units[unit] < needed:
        return None
    grouped = False
    value_of: dict[str, float] = {}
    for text, value in zip(texts, plain.tolist(), strict=True):
        amount = amounts[text]
        if amount is not None and amount.unit not in ("", unit):
            value = np.nan
        elif amount is not None:
            value, apart = _value(amount, decimal)
            grouped |= apart
        value_of[text] = value
    numbers = cells.map(value_of).astype(float)
    if not any(mark in amount.body for amount in found for mark in ".,"):
        decimal = "."  # no cell has any: nothing to remember
    return numbers, NumberForm(decimal, unit, grouped)


def read_known(cells: pd.Series, form: str, hint: str = ".") -> pd.Series:
    """Read cells of a column whose form is known, ``,EUR`` say; what is none is NaN.

    That is all of them if their unit is another: pounds where a model learnt from kilograms.

    Examples
    --------
    >>> read_known(pd.Series(["7,5 kg", "8 kg"]), ",kg").tolist()
    [7.5, 8.0]
    >>> read_known(pd.Series(["7,5 lb"]), ",kg").tolist()
    [nan]
    """
    read = read_numbers(cells, "," if form.startswith(",") else hint)
    unit = form.lstrip(",")
    if read is None or (unit and read[1].unit not in ("", unit)):
        return cells.map(lambda _: np.nan)
    return read[0]


def _agree(counts: Counter[str]) -> bool:
    """Whether all but a few are the same."""
    return not counts or max(counts.values()) >= (1 - _FEW) * counts.total()


def _value(amount: Amount, decimal: str) -> tuple[float, bool]:
    """Return the number, NaN if thousands are not set apart as they should be; whether they are."""
    group = "." if decimal == "," else ","
    whole, _, fraction = amount.body.partition(decimal)
    parts = whole.split(group)
    apart = len(parts) > 1
    if group in fraction or decimal in fraction:
        return np.nan, False
    if apart and not (1 <= len(parts[0]) <= 3 and parts[0] != "0" and _grouped(parts[1:])):
        return np.nan, False
    size = float(f"{''.join(parts) or '0'}.{fraction or '0'}")
    return -size if amount.negative else size, apart


def _grouped(parts: list[str]) -> bool:
    # In India groups of two digits stand before the last one.
    return len(parts[-1]) == 3 and all(len(part) in (2, 3) for part in parts[:-1])
