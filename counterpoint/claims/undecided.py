"""What is still open: how wide its intervals are, and how much more would have to be run.

Said of a part of a rule that rests on one interval or on several, one a data set. If the difference
and its spread stay as they are, an interval over more repeats is narrower; where repeats share
training rows it does not go to zero, and some questions stay open at any number of them.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from scipy.special import stdtrit

from counterpoint._statistics import wilson_interval
from counterpoint.claims.comparison import Paired
from counterpoint.claims.confidence import FINISHED
from counterpoint.claims.parts import Part, as_part, in_share

Ask = Callable[[Paired], Part]
_MANY = 1_000_000
_SHOWN = 6  # of a part that rests on many comparisons


def what_is_open(gaps: Mapping[str, Paired], ask: Ask, unit: str) -> str:
    """Say which of several comparisons are open, how wide their intervals are, what would decide.

    Parameters
    ----------
    gaps : dict of str to Paired
        By data set, or whatever they are of.
    ask : callable
        What the rule asks of each: ``Paired.below``, say. Open is None.
    unit : str
        What pairs are: ``"folds"``, ``"repeats"``, ``"sets"``.

    Examples
    --------
    >>> from counterpoint.claims.comparison import paired
    >>> gap = paired([0.1, 0.2, 0.3, 0.2], [0.1, 0.1, 0.4, 0.1])
    >>> what_is_open({"pima": gap}, Paired.below, "repeats")
    'pima +0.025 ± 0.15, 59 repeats would decide'
    """
    waiting = {name: gap for name, gap in gaps.items() if ask(gap) is None}
    known = {name: gap for name, gap in waiting.items() if not math.isnan(gap.interval[0])}
    counts = {name: needed(gap, ask) for name, gap in known.items()}
    said = []
    for name in sorted(known, key=counts.__getitem__)[:_SHOWN]:  # first what is decided soonest
        if not math.isinf(counts[name]):
            said.append(f"{_width(name, known[name])}, {_words(counts[name], unit)}")
    never = [_width(name, gap) for name, gap in known.items() if math.isinf(counts[name])]
    if never:
        more = [f"{len(never) - _SHOWN} more"] * (len(never) > _SHOWN)
        said.append(f"{_words(math.inf, unit)} on {', '.join(never[:_SHOWN] + more)}")
    said += [f"{name}: no interval yet" for name in waiting if name not in known]
    return "; ".join(said)


def _width(name: str, gap: Paired) -> str:
    half = (gap.interval[1] - gap.interval[0]) / 2
    return f"{name} {round(gap.difference, 9) + 0.0:+.2g} ± {half:.2g}"


def needed(gap: Paired, ask: Ask) -> float:
    """Return how many pairs would decide if difference and spread stay; inf if no number would."""

    def decides(n: int) -> bool:
        quantile = float(stdtrit(n - 1, (1 + FINISHED) / 2))
        half = quantile * gap.spread * math.sqrt(1 / n + gap.overlap)
        limits = (gap.difference - half, gap.difference + half)
        return ask(replace(gap, interval=limits)) is not None

    return _first(decides, gap.n)


def share_is_open(flags: Iterable[Any], wanted: float, unit: str) -> str:
    """Say how wide the interval of a share is, and how many repeats of that share would decide.

    Examples
    --------
    >>> share_is_open([True] * 12 + [False] * 8, 0.5, "repeats")
    '12 of 20, so 39 to 78 %, 97 repeats would decide'
    """
    seen = [part for part in map(as_part, flags) if part is not None]
    if not seen or in_share(seen, wanted) is not None:
        return ""
    n, held = len(seen), sum(seen)
    low, high = wilson_interval(held, n)

    def decides(many: int) -> bool:
        ends = wilson_interval(held * many / n, many)
        return bool(ends[0] > wanted or ends[1] < wanted)

    words = _words(_first(decides, n), unit)
    return f"{held} of {n}, so {100 * low:.0f} to {100 * high:.0f} %, {words}"


def _first(decides: Callable[[int], bool], n: int) -> float:
    """Return the least number beyond ``n`` that decides; what decides goes on to decide."""
    low, high = n, max(n + 1, 2)
    while not decides(high):
        low, high = high, 2 * high
        if high > _MANY:
            return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def _words(n: float, unit: str) -> str:
    if math.isinf(n):
        return f"no number of {unit} would decide"
    # Two digits: the spread is not known better.
    rounded = round(n, 1 - math.floor(math.log10(n)))
    return f"{int(rounded)} {unit} would decide"
