"""Columns as small whole numbers: one coder per column, learned in training, used on any rows.

A coder has ``values``, what the codes stand for (None is missing, last), ``codes(column)``, with
-1 for what was not there in training, and ``describe(value)`` for people. An ``idle`` column has
but one code, which says nothing about a row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._tables import promoted
from counterpoint.boosting.discretize import TIE, entropies, interval_codes, interval_labels
from counterpoint.datasets.columns import categories, frame_columns, is_frame, is_nominal


@dataclass(frozen=True)
class CodedRows:
    """Training rows as codes: what fits by one weight after another share."""

    codes: np.ndarray  # (n_samples, n_features)
    y: np.ndarray  # class codes
    weight: np.ndarray  # where weights start
    is_random: bool = False  # whether models on them draw, so that each wants a seed


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
            is_known = np.append(self.known, np.nan)[at] == given
            return np.where(np.isnan(given), self.missing_code, np.where(is_known, at, -1))
        try:
            number, values = pd.factorize(column)
        except TypeError as error:
            raise TypeError(
                f"Column {self.name!r} is nominal, but {error}: each argument must be a string or "
                "a number."
            ) from error
        code = self.known.get_indexer(pd.Index(values, dtype=object))
        return np.append(code, self.missing_code)[number]  # missing is number -1: the last

    def describe(self, value):
        """Return the condition to have this value, for people to read."""
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

    def describe(self, value):
        """Return the condition to have this value, for people to read."""
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


def read_columns(X):
    """Return the columns of a frame or array as Series; those of an array are x0, x1, ..."""
    if not is_frame(X):
        X = promoted(np.asarray(X))
        columns = [pd.Series(X[:, j], name=f"x{j}") for j in range(X.shape[1])]
        # An array of objects is a frame of mixed columns that lost its types.
        return [c.infer_objects() for c in columns] if X.dtype == object else columns
    columns = frame_columns(X)
    if not isinstance(X, pd.DataFrame):  # polars integers came as floats
        for j, dtype in enumerate(X.dtypes):
            if dtype.is_integer():
                columns[j] = columns[j].astype("Int64")
    return columns


def class_table(codes, y, weight, n_values, n_classes):
    """Return the weight, or number, of rows by value and class (n_values, n_classes)."""
    cells = codes * np.intp(n_classes) + y
    size = n_values * n_classes
    return np.bincount(cells, weights=weight, minlength=size).reshape(n_values, n_classes)


def pertinence(table, measure):
    """Return the information gain of a column in bits, or its gain ratio (NaN for one value)."""
    by_value = table.sum(axis=1)
    seen = by_value > 0
    inner = (by_value[seen] * entropies(table[seen])).sum() / by_value.sum()
    gain = max(float(entropies(table.sum(axis=0)) - inner), 0.0)
    if measure == "gain":
        return gain
    return gain / entropies(by_value) if seen.sum() > 1 else np.nan


def highest(scores, k):
    """Return the positions of the k highest scores, best first, ties to the first; NaN is last."""
    left = np.where(np.isnan(scores), -1.0, scores)
    chosen = []
    for _ in range(k):
        chosen.append(int(np.flatnonzero(left >= left.max() - TIE)[0]))
        left[chosen[-1]] = -np.inf
    return chosen
