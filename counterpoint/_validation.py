"""One function for each kind of check, one wording: what came, what was expected, what to do.

For options: numbers, choices, learners. Arrays are checked in ``_arrays.py``.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from counterpoint._spelling import did_you_mean

_LARGEST_COUNT = np.iinfo(np.int64).max  # what an index may be
# Products of options with each other and with data (up to 1e38), their squares, and what is divided
# by them, stay numbers within these.
_LARGEST_OPTION, _SMALLEST_OPTION = 1e50, 1e-50


def check_count(
    value: Any, name: str, *, low: int = 1, high: int | None = None, hint: str = ""
) -> int:
    """Return a whole number from ``low`` (to ``high``); ``hint`` names other ways, ", or None"."""
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if high is None and whole and value > _LARGEST_COUNT:
        high = _LARGEST_COUNT
    if not whole or value < low or (high is not None and value > high):
        span = f"from {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name}={value!r}: give a whole number {span}{hint}.")
    return int(value)


def check_number(
    value: Any,
    name: str,
    *,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
    hint: str = "",
) -> float:
    """Return a finite number from ``low`` (above it, if open) to ``high`` (below it, if open).

    Where no limit is named, numbers go from -1e50 to 1e50; above 0, they begin at 1e-50. Infinity
    for ``high`` leaves it to the caller to see what becomes of larger ones, and of smaller.
    """
    number = np.nan
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        try:
            number = float(value)
        except OverflowError:  # a whole number or a fraction that no float holds
            number = np.inf
    good = np.isfinite(number)
    if good and open_low and low == 0 and high != np.inf and 0 < number < _SMALLEST_OPTION:
        low, open_low = _SMALLEST_OPTION, False
    if good and high is None and number > _LARGEST_OPTION:
        high = _LARGEST_OPTION
    if good and low is None and number < -_LARGEST_OPTION:
        low = -_LARGEST_OPTION
    if good and low is not None:
        good = number > low if open_low else number >= low
    if good and high is not None:
        good = number < high if open_high else number <= high
    if not good:
        parts = []
        if low is not None:
            parts.append(f"{'above' if open_low else 'from'} {low:g}")
        if high is not None and high < np.inf:
            parts.append(f"{'below' if open_high else 'up to'} {high:g}")
        span = " " + " and ".join(parts) if parts else ""
        span = span.replace(" and up to ", " to ") if span.startswith(" from ") else span
        raise ValueError(
            f"{name}={value!r}: give a {'' if parts else 'finite '}number{span}{hint}."
        )
    return number


def check_share_or_count(value: Any, name: str, n: int, things: str) -> int:
    """Return how many of n things a share (float up to 1.0) or a number (int) asks for."""
    if isinstance(value, Integral):
        if not isinstance(value, bool) and 1 <= int(value) <= n:
            return int(value)
    elif isinstance(value, Real) and 0 < float(value) <= 1:
        return max(1, round(float(value) * n))
    raise ValueError(
        f"{name}={value!r}, but there are {n} {things}: give a whole number from 1 to {n}, or a "
        "share above 0 and up to 1.0."
    )


def check_flag(value: Any, name: str, *, hint: str = "") -> bool:
    """Return True or False; ``hint`` names other ways, ", or None"."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r}: give True or False{hint}.")
    return bool(value)


def check_list(values: Any, name: str, things: str) -> list:
    """Return several things as a list; text, numbers and what is none of its kind are refused."""
    if isinstance(values, (str, bytes, dict)) or not np.iterable(values):
        raise TypeError(f"{name}={values!r}: give a list of {things}.")
    return list(values)


def check_choice(value: Any, name: str, choices: Iterable[Any]) -> Any:
    """Return one of the choices; a word that is nearly one is told which."""
    choices = list(choices)
    if not any(value is choice or (type(value) is type(choice) and value == choice)
               for choice in choices):  # fmt: skip
        raise ValueError(
            f"{name}={value!r}: choose {', '.join(map(repr, choices))}."
            + did_you_mean(value, choices)
        )
    return value


def is_word(value: Any, *words: str) -> bool:
    """Whether an option is one of these words; an array, which has no truth, is none."""
    return isinstance(value, str) and value in words


def check_learner(estimator: Any, name: str = "estimator", *, owner: str, count: str = "") -> None:
    """Raise unless this is None or something with ``fit``; a number was meant for ``count``."""
    if estimator is None or (hasattr(estimator, "fit") and not isinstance(estimator, type)):
        return
    if isinstance(estimator, type):
        hint = f"pass an instance, {estimator.__name__}()."
    elif isinstance(estimator, Integral) and count:
        hint = f"for the number of members write {owner}({count}={estimator})."
    else:
        hint = "pass an object with fit, such as DecisionTreeClassifier(), or None."
    raise TypeError(f"{name}={estimator!r} of {owner} is no learner: {hint}")


def check_pool(pool: Any, *, owner: str) -> None:
    """Raise unless this is None, a collection of estimators, or one ensemble."""
    if pool is None or isinstance(pool, (list, tuple, dict)):
        return
    if isinstance(pool, type) or not any(hasattr(pool, a) for a in ("fit", "predict", "trees")):
        raise TypeError(
            f"pool={pool!r} of {owner} is no pool: pass a list or dict of estimators, or one "
            "ensemble, fitted or not."
        )
