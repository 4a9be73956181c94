"""Columns of categories: which they are, and the numbers that stand for their values."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import _num_features, validate_data

from counterpoint._tables import check_names
from counterpoint.datasets.columns import (
    categories,
    chosen_columns,
    frame_columns,
    is_frame,
    is_nominal,
)
from counterpoint.trees.binning import MAX_BINS


class CategoriesMixin:
    """Reads the parameter ``categorical_features``, and keeps what the columns hold.

    Attributes
    ----------
    is_categorical_ : ndarray of shape (n_features,) or None
        Whether each column holds categories; None without ``categorical_features``.
    categories_ : list or None
        For each column of names its values, in the order of their numbers, else None. From the
        255th on they share a number: the rarest.
    """

    categorical_features: Any = None
    is_categorical_: Any = None
    categories_: Any = None

    def _learn_categories(self, X):
        """Note which columns hold categories, and of what names; return X as numbers."""
        for name in ("is_categorical_", "categories_"):
            vars(self).pop(name, None)  # of an earlier fit
        if self.categorical_features is None:
            return X
        if is_frame(X):
            columns = frame_columns(X)
        else:  # numbers, as reading them will show
            try:
                n_features = _num_features(X)
            except (TypeError, IndexError):  # whoever reads X says what is wrong with it
                return X
            columns = [pd.Series(name=f"x{f}", dtype=float) for f in range(n_features)]
        self.is_categorical_ = chosen_columns(self.categorical_features, columns)
        self.categories_ = [
            _values(column) if chosen and is_nominal(column) else None
            for column, chosen in zip(columns, self.is_categorical_, strict=True)
        ]
        return self._numbered(columns) if self._has_names else X

    @property
    def _has_names(self):
        return any(values is not None for values in self.categories_ or ())

    def _code_categories(self, X):
        """Return X with a number for each name of a category; NaN for those never seen."""
        if not self._has_names:
            return X
        if not is_frame(X):
            raise ValueError(
                f"{type(self).__name__} was fitted on columns of names in a frame, and X is a "
                f"{type(X).__name__}: give a frame with the same columns."
            )
        # Columns are told apart by their places, so those must be the ones of fit.
        check_names(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._numbered(frame_columns(X))

    def _numbered(self, columns):
        coded = [
            column if values is None else _codes(column, values)
            for column, values in zip(columns, self.categories_, strict=True)
        ]
        return pd.concat([part.reset_index(drop=True) for part in coded], axis=1)


def _values(column):
    """Return the values of a column, in the order of their numbers."""
    found = [value for value in categories(column, seen_only=True) if not pd.isna(value)]
    if len(found) <= MAX_BINS:
        return found
    count = column.value_counts()
    rank = {value: k for k, value in enumerate(sorted(found, key=lambda v: -int(count[v])))}
    return sorted(found, key=lambda value: max(rank[value], MAX_BINS - 2))


def _codes(column, values):
    """Return the number of each value: the place among ``values``, the last shared by the rest."""
    numbers = {value: min(k, MAX_BINS - 1) for k, value in enumerate(values)}
    try:
        place, seen = pd.factorize(column)  # -1 where it is missing
    except TypeError as error:
        raise TypeError(
            f"Column {column.name!r} holds categories, but {error}: give values as in fit."
        ) from error
    table = np.array([*(numbers.get(value, np.nan) for value in seen), np.nan])
    return pd.Series(table[place], name=column.name)
