"""Artificial rows that look like the data, with labels that contradict an ensemble."""

import numpy as np
import pandas as pd

# A class probability below this counts as this. So small that classes of probability zero take
# all the mass of the inverse, in equal shares, as in WEKA.
_LEAST = 1e-12


class _Numbers:
    """A normal distribution with mean and deviation of a column; missing values left out."""

    def __init__(self, values, weight):
        known = ~np.isnan(values)
        values, weight = values[known], weight[known]
        total = weight.sum()
        self.mean = values @ weight / total if total > 0 else np.nan
        spare = weight @ (values - self.mean) ** 2
        self.deviation = np.sqrt(spare / (total - 1.0)) if total > 1 else 0.0

    @staticmethod
    def noise(size, rng):
        return rng.standard_normal(size)

    def values(self, noise):
        return self.mean + self.deviation * noise


class _Names:
    """Names by frequency, each counted once more than it occurs; missing ones left out."""

    def __init__(self, column, weight):
        categorical = pd.Categorical(column)
        self.dtype, self.names = getattr(column, "dtype", None), categorical.categories
        known = categorical.codes >= 0
        counts = 1.0 + np.bincount(
            categorical.codes[known], weights=weight[known], minlength=len(self.names)
        )
        self.cumulated = np.cumsum(counts) / counts.sum()

    @staticmethod
    def noise(size, rng):
        return rng.random_sample(size)

    def values(self, noise):
        codes = drawn(self.cumulated[None], noise)
        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Categorical.from_codes(codes, dtype=self.dtype)
        return pd.array(self.names.to_numpy()[codes], dtype=self.dtype)


class ArtificialRows:
    """What artificial rows are drawn from: the columns of the training data, one by one.

    ``weight`` (n_samples,) says how many cases each row stands for. Columns of names are those of
    a frame that are no numbers, or booleans, and those of an array of objects that are no numbers.
    """

    def __init__(self, X, weight):
        self.X = X
        if isinstance(X, pd.DataFrame):
            columns = [X.iloc[:, k] for k in range(X.shape[1])]
        else:
            columns = list(X.T)
        self.columns = [_model(column, weight) for column in columns]

    def draw(self, size, rng):
        """Draw rows: for each column in turn all its values."""
        return self.from_noise([column.noise(size, rng) for column in self.columns])

    def from_noise(self, noise):
        """Rows from one array per column: standard normal for numbers, uniform for names."""
        drawn = [column.values(n) for column, n in zip(self.columns, noise, strict=True)]
        if not isinstance(self.X, pd.DataFrame):
            dtype = self.X.dtype if self.X.dtype.kind in "fO" else np.float64
            return np.stack([np.asarray(values, dtype=dtype) for values in drawn], axis=1)
        frame = pd.concat([pd.Series(values) for values in drawn], axis=1)
        frame.columns = self.X.columns
        return frame

    def join(self, rows):
        """Return the training data with more rows below."""
        if isinstance(self.X, pd.DataFrame):
            return pd.concat([self.X, rows], ignore_index=True)
        return np.concatenate([self.X, rows])


def _model(column, weight):
    if isinstance(column, pd.Series):
        if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
            return _Names(column, weight)
        return _Numbers(column.to_numpy(dtype=float, na_value=np.nan), weight)
    try:
        return _Numbers(np.asarray(column, dtype=float), weight)
    except (TypeError, ValueError):
        return _Names(column, weight)


def drawn(cumulated, noise):
    """Draw a class for each row by its cumulated probabilities and a number from 0 to 1."""
    # The last class takes what rounding leaves over.
    return (noise[:, None] > cumulated[:, :-1]).sum(axis=1)


def opposed(proba):
    """Probabilities of labels that contradict: inverse to those given (Eastwood 2010, eq. 2.25)."""
    inverse = 1.0 / np.maximum(proba, _LEAST)
    return inverse / inverse.sum(axis=1, keepdims=True)
