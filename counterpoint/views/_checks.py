"""Checks of options and of data that all view ensembles share."""

from numbers import Integral, Real

import numpy as np


def check_count(value, name, *, least=1, hint=""):
    """Return a whole number from ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}={value!r}: give a whole number from {least}{hint}.")
    return int(value)


def check_number(value, name, *, least=0.0, above=False):
    """Return a finite number from ``least``, or above it."""
    good = isinstance(value, Real) and not isinstance(value, bool)
    number = float(value) if good else np.nan
    if not np.isfinite(number) or number < least or (above and number == least):
        raise ValueError(f"{name}={value!r}: give a number {'above' if above else 'from'} {least}.")
    return number


def check_choice(value, name, choices):
    """Return one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r}: choose from {', '.join(map(repr, choices))}.")
    return value


def share_or_count(value, n, name, things):
    """Return how many of n things a share (float up to 1.0) or a number (int) asks for."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        if not 1 <= int(value) <= n:
            raise ValueError(
                f"{name}={value}, but there are {n} {things}: give from 1 to {n}, or a share such "
                "as 0.5."
            )
        return int(value)
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) <= 1:
        return max(1, round(float(value) * n))
    raise ValueError(
        f"{name}={value!r}: give a whole number of {things} from 1 to {n}, or a share above 0 and "
        "up to 1.0."
    )


def check_numeric_frame(X, name):
    """Raise an error naming the first column of a frame that holds no numbers."""
    if not hasattr(X, "columns"):
        return
    for position, column in enumerate(X.columns):
        values = X.iloc[:, position] if hasattr(X, "iloc") else X[column]
        values = np.asarray(values)
        try:
            if values.dtype.kind in "mM":
                raise TypeError("dates")
            values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"Column {column!r} holds {_kind(values)}, and {name} calculates with columns: it "
                "takes numbers only. Put counterpoint.datasets.TabularEncoder() before it in a "
                "pipeline, or drop the column."
            ) from None


def _kind(values):
    if values.dtype.kind in "mM":
        return "dates or times"
    return f"values such as {next((v for v in values.tolist() if isinstance(v, str)), values[0])!r}"
