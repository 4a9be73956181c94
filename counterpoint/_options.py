"""Options that mean the same in many estimators, checked in one place."""

import inspect
from collections.abc import Iterable
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from counterpoint._validation import check_count, check_flag

_JOBS = 10_000  # more processes than that are a slip


def check_shared_options(estimator: Any) -> None:
    """Raise if an option that means the same in every estimator has no sense.

    These are ``n_jobs``, ``random_state``, ``progress``, ``cv``, ``class_weight``, and all that
    are True or False unless somebody says otherwise.
    """
    given = vars(estimator)
    kind: Any = type(estimator)
    for name in _flags(kind):
        check_flag(given.get(name, False), name)
    if given.get("progress") is not None:
        check_flag(given["progress"], "progress", hint=", or None: a bar on a terminal only")
    check_jobs(given.get("n_jobs"))
    check_folds(given.get("cv"))
    weights = given.get("class_weight")
    if not (
        weights is None
        or isinstance(weights, dict)
        or (isinstance(weights, str) and weights == "balanced")
    ):
        raise ValueError(
            f"class_weight={weights!r}: give 'balanced', a dict from label to weight, or None."
        )
    seed = given.get("random_state")
    try:
        check_random_state(seed)
    except ValueError:
        raise ValueError(
            f"random_state={seed!r}: give a whole number, 0 to 2**32 - 1, a RandomState, or None."
        ) from None


def check_jobs(n_jobs: Any) -> None:
    """Raise unless this is a number of jobs, or None."""
    if n_jobs is not None and (check_count(n_jobs, "n_jobs", low=-_JOBS, high=_JOBS) == 0):
        raise ValueError("n_jobs=0: give 1 or more, -1 for all processors, or None.")


@cache
def _flags(kind: Any) -> tuple[str, ...]:
    parameters = inspect.signature(kind).parameters.values()
    other = getattr(kind, "_wide_flags", ())  # those with more answers than yes and no
    return tuple(p.name for p in parameters if isinstance(p.default, bool) and p.name not in other)


def check_folds(cv: Any, name: str = "cv") -> None:
    """Raise unless this is None, a number of folds, a splitter, or pairs of (train, test)."""
    if isinstance(cv, (list, tuple)):
        good = bool(cv) and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in cv)
    elif isinstance(cv, Integral):
        good = not isinstance(cv, (bool, np.bool_)) and int(cv) >= 2
    else:
        plain = isinstance(cv, (type, str, bytes, dict, np.ndarray))
        good = cv is None or (not plain and (hasattr(cv, "split") or isinstance(cv, Iterable)))
    if not good:
        raise ValueError(
            f"{name}={cv!r}: give a number of folds from 2, a splitter such as KFold(5), or a list "
            "of (train, test) rows."
        )


def numbers_of(value: Any, name: str, what: str) -> NDArray:
    """Return an option that is a number or an array of them; ``what`` says what to give."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={value!r}: give {what}.") from None


def solver_steps(n_samples: int) -> int:
    """Return after how many steps, for each pair of classes, the solver of a machine gives up.

    With a huge C it may never end; where it can, some ten steps a sample are enough.
    """
    return max(10_000, min(300 * n_samples, 1_000_000), 100 * n_samples)
