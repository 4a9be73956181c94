"""Columns as small whole numbers: one coder per column, learned in training, used on any rows.

A coder has ``values``, what the codes stand for (None is missing, last), ``codes(column)``, with
-1 for what was not there in training, and ``says(code)`` for people. An ``idle`` column has but
one code, which says nothing about a row.
"""

from typing import Any

import numpy as np
import pandas as pd

from counterpoint.boosting.discretize import interval_codes, interval_labels
from counterpoint.datasets.columns import categories, is_nominal


class ValueCoder:
    """Codes of a column of nominal values, in sorted order."""

    idle = False  # even a constant: the value of a new row may be another

    def __init__(self, column):
        self.name = str(column.name)
        self.numeric = not is_nominal(column)
        self.known: Any  # an array, or an index that finds objects by their hash
        missing = bool(column.isna().any())
        if self.numeric:
            self.known = np.unique(numbers(column[column.notna()]))
            values = [int(v) if v.is_integer() else v for v in self.known.tolist()]
        else:
            values = [v for v in categories(column, seen_only=True) if not pd.isna(v)]
            self.known = pd.Index(values, dtype=object)
        self.values = [*values, None] if missing else values
        self.missing_code = len(values) if missing else -1

    def codes(self, column):
        """Return the codes of a column, -1 for values not seen in training."""
        if self.numeric:
            given = numbers(column)
            at = np.searchsorted(self.known, given)
            found = np.append(self.known, np.nan)[at] == given
            return np.where(np.isnan(given), self.missing_code, np.where(found, at, -1))
        try:
            number, values = pd.factorize(column)
        except TypeError as error:
            raise TypeError(
                f"Column {self.name!r} is nominal, but {error}: each argument must be a string or "
                "a number."
            ) from error
        code = self.known.get_indexer(pd.Index(values, dtype=object))
        return np.append(code, self.missing_code)[number]  # missing is number -1: the last

    def says(self, code):
        """Return a condition that people can read."""
        value = self.values[code]
        return f"{self.name} is missing" if value is None else f"{self.name}={value}"


class CutCoder:
    """Codes of a numeric column cut into intervals."""

    def __init__(self, column, edges):
        self.name, self.edges = str(column.name), edges
        self.missing = bool(column.isna().any())
        self.values = [*interval_labels(edges), *([None] if self.missing else [])]
        self.idle = len(self.values) == 1

    def codes(self, column):
        """Return the codes of a column, -1 for missing if none was in training."""
        codes = interval_codes(numbers(column), self.edges)
        return np.where(codes < 0, len(self.edges) + 1, codes) if self.missing else codes

    def says(self, code):
        """Return a condition that people can read."""
        value = self.values[code]
        return f"{self.name} is missing" if value is None else f"{self.name} in {value}"


def numbers(column):
    """Return a numeric column as finite floats, missing as NaN."""
    try:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"Column {column.name!r} was numeric in training, but {error}: pass the kind of values "
            "that `fit` was given."
        ) from error
    if np.isinf(values).any():
        raise ValueError(f"Input X contains infinity in column {column.name!r}.")
    return values
