"""Parts of a claim: each holds, does not hold, or is open.

A part is True, False or None. None is *open*: it was not run, the repeats are too few, or the
interval holds both answers. Nothing that is open ever counts as failed. Parts that compare plain
numbers have no interval, so they are open at a look at an unfinished run.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from counterpoint._statistics import wilson_interval
from counterpoint.claims.confidence import confidence, looking

Part = bool | None
STATES = {True: "holds", False: "does not hold", None: "open"}


def as_part(value: Any) -> Part:
    """Return a truth value as a part; None and NaN are open.

    Examples
    --------
    >>> as_part(np.bool_(True)), as_part(float("nan"))
    (True, None)
    """
    if value is None or (isinstance(value, float | np.floating) and math.isnan(value)):
        return None
    return bool(value)


def within(value: float, low: float = -math.inf, high: float = math.inf) -> Part:
    """Return whether a number is in a range, ends included; open if there is no number.

    Examples
    --------
    >>> within(0.3, high=0.5), within(float("nan"), high=0.5)
    (True, None)
    """
    if value is None or math.isnan(value) or looking():
        return None
    return bool(low <= value <= high)


def near(value: float, target: float, by: float) -> Part:
    """Return whether two numbers are no farther apart than ``by``; open if one is missing.

    Examples
    --------
    >>> near(0.12, 0.13, by=0.02), near(0.12, float("nan"), by=0.02)
    (True, None)
    """
    return None if math.isnan(target) else within(value, target - by, target + by)


def lower(first: float, second: float) -> Part:
    """Return whether one number is below another; open if one is missing.

    Examples
    --------
    >>> lower(0.1, 0.2), lower(0.1, float("nan"))
    (True, None)
    """
    if math.isnan(first) or math.isnan(second) or looking():
        return None
    return bool(first < second)


def negated(part: Part) -> Part:
    """Return the opposite; open stays open.

    Examples
    --------
    >>> negated(True), negated(None)
    (False, None)
    """
    return None if part is None else not part


def every(parts: Iterable[Part]) -> Part:
    """Return whether all hold: one that does not decides, one that is open leaves it open.

    Examples
    --------
    >>> every([True, None, False]), every([True, None]), every([])
    (False, None, None)
    """
    seen = list(parts)
    if False in seen:
        return False
    return None if None in seen or not seen else True


def at_least(needed: float, parts: Iterable[Part]) -> Part:
    """Return whether so many hold, decided as soon as the open ones cannot change it.

    Examples
    --------
    >>> at_least(2, [True, True, None]), at_least(2, [True, None]), at_least(2, [False, None])
    (True, None, False)
    """
    seen = list(parts)
    held, open_ = seen.count(True), seen.count(None)
    if held >= needed and held > 0:
        return True
    return False if held + open_ < needed else None


def most(parts: Iterable[Part]) -> Part:
    """Return whether more than half hold.

    Examples
    --------
    >>> most([True, True, None]), most([True, False])
    (True, False)
    """
    seen = list(parts)
    return at_least(len(seen) // 2 + 1, seen) if seen else None


def in_share(flags: Iterable[Any], needed: float) -> Part:
    """Return whether it is so in more than a share of the repeats, by Wilson's 95 % interval.

    Open if the interval holds that share. None and NaN among the flags are left out.

    Examples
    --------
    >>> in_share([True] * 20, 0.75), in_share([True] * 4, 0.75), in_share([False] * 20, 0.75)
    (True, None, False)
    """
    seen = [part for part in map(as_part, flags) if part is not None]
    low, high = wilson_interval(sum(seen), len(seen), confidence())
    if low > needed:
        return True
    return False if high < needed else None


def share(parts: Mapping[str, Part]) -> str:
    """Return how many of several things hold, and which do not or are open, in words.

    Examples
    --------
    >>> share({"pima": True, "glass": False, "sonar": None})
    '1 of 3 (not glass; open: sonar)'
    """
    failed = [name for name, part in parts.items() if part is False]
    open_ = [name for name, part in parts.items() if part is None]
    rest = [f"not {', '.join(failed)}"] * bool(failed) + [f"open: {', '.join(open_)}"] * bool(open_)
    tail = f" ({'; '.join(rest)})" if rest else ""
    return f"{len(parts) - len(failed) - len(open_)} of {len(parts)}{tail}"
