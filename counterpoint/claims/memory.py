"""What the cells of a repeat have in common is made once, if they run one after the other."""

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec

import numpy as np

_P = ParamSpec("_P")
_made: list[Callable[[], None]] = []


def remembered(
    function: Callable[_P, tuple[np.ndarray, ...]],
) -> Callable[_P, tuple[np.ndarray, ...]]:
    """Keep the arrays that a function gave last; nobody may write to them.

    Examples
    --------
    >>> @remembered
    ... def numbers(n):
    ...     print("made")
    ...     return (np.arange(n),)
    >>> numbers(2)[0] is numbers(2)[0]
    made
    True
    """

    @lru_cache(maxsize=1)
    def kept(*args: _P.args, **kwargs: _P.kwargs) -> tuple[np.ndarray, ...]:
        arrays = function(*args, **kwargs)
        for array in arrays:
            array.flags.writeable = False
        return arrays

    _made.append(kept.cache_clear)
    return kept  # type: ignore[return-value]


def forget() -> None:
    """Forget what is remembered, so that all runs again that a cell needs."""
    for clear in _made:
        clear()
