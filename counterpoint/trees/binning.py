"""Columns of numbers as at most 255 bins: done once, used by every tree of an ensemble."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._kernels import binning as kernels
from counterpoint._soundness import check_shape
from counterpoint._validation import check_count

MAX_BINS = 255
MISSING = kernels.MISSING
# Edges of quantile bins are taken from this many rows, evenly spread.
_SAMPLE = 200_000
# Some of the rows of a table are copied so many at a time.
_PIECE = 1 << 16


@dataclass(frozen=True, kw_only=True)
class BinnedData:
    """Samples as bins, and what the bins mean; made by :class:`Binner`."""

    codes: NDArray  # (n_samples, n_features), uint8; MISSING (255) stands for NaN
    # Bin b of column f holds values above edges[f, b - 1] and up to edges[f, b]; padded with inf.
    edges: NDArray
    values: NDArray  # like edges: the value of a bin that is a single one, else NaN
    exact: NDArray  # columns where each distinct value has its own bin
    n_bins: NDArray  # bins in use, the one for missing values not counted
    has_missing: NDArray  # columns with missing values among these samples
    categorical: NDArray  # columns whose bins are categories, in no order

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.codes.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.codes.shape[1]

    def take(self, rows: NDArray) -> "BinnedData":
        """Return some rows, in the same bins."""
        return replace(self, codes=self.codes[rows])


class Binner:
    """Cut numeric columns into ``max_bins`` bins, from 2 to 255, and one more for missing values.

    A column with no more than ``max_bins`` distinct values gets a bin for each, with edges halfway
    between neighbours; others get bins of nearly equal numbers of rows. Weights play no part.
    ``categorical`` (n_features,) says which columns hold categories, whole numbers from 0 to 254:
    each is its own bin, whatever ``max_bins``.
    """

    def __init__(self, max_bins: int = MAX_BINS, categorical: ArrayLike | None = None):
        self.max_bins = max_bins
        self.categorical = categorical

    def _check_sound(self):
        if hasattr(self, "edges_"):
            check_shape(self.edges_, "edges_", (len(self.n_bins_), MAX_BINS + 1))

    def fit(self, X: ArrayLike, rows: NDArray | None = None) -> "Binner":
        """Find the edges of the bins of every column of X (n_samples, n_features).

        ``rows`` are the positions of those that count, None for all.
        """
        # Bins are stored in a byte, and one value stands for missing.
        check_count(self.max_bins, "max_bins", low=2, high=MAX_BINS)
        matrix = _check_matrix(X)
        d = matrix.shape[1]
        self._begin(d)
        sample = _spread(len(matrix) if rows is None else len(rows))
        for f in range(d):
            column = matrix[:, f] if rows is None else matrix[rows, f]
            if self.categorical_[f]:
                self._number(f, _most_category(column, f) + 1)
                continue
            values, counts = _distinct(column if sample is None else column[sample])
            if sample is not None and len(values) <= self.max_bins:
                values, counts = _distinct(column)  # rare values count too
            self._cut(f, values, counts)
        return self

    def fit_counts(self, columns: Sequence[tuple[NDArray, NDArray] | int]) -> "Binner":
        """Find the edges from what is known of each column: distinct values and their counts.

        A column of categories is the number of them.
        """
        check_count(self.max_bins, "max_bins", low=2, high=MAX_BINS)
        self._begin(len(columns))
        for f, known in enumerate(columns):
            if isinstance(known, tuple):
                self._cut(f, *known)
            else:
                self._number(f, known)
        return self

    def _begin(self, d):
        self.edges_ = np.full((d, MAX_BINS + 1), np.inf)
        self.values_ = np.full((d, MAX_BINS + 1), np.nan)
        self.exact_ = np.ones(d, dtype=bool)
        self.n_bins_ = np.ones(d, dtype=np.int64)
        self.categorical_ = np.zeros(d, dtype=bool)
        if self.categorical is not None:
            self.categorical_ |= np.asarray(self.categorical, dtype=bool)

    def _number(self, f, n_categories):
        self.n_bins_[f] = n_categories
        self.edges_[f, :MAX_BINS] = np.arange(MAX_BINS) + 0.5
        self.values_[f, :MAX_BINS] = np.arange(MAX_BINS)

    def _cut(self, f, values, counts):
        if len(values) <= self.max_bins:
            edges = kernels.cut_points(values, np.ones_like(counts), max(len(values), 2))
            self.values_[f, : len(values)] = values
        else:
            edges = kernels.cut_points(values, counts, self.max_bins)
            self.exact_[f] = False
        self.edges_[f, : len(edges)] = edges
        self.n_bins_[f] = len(edges) + 1

    def transform(self, X: ArrayLike, rows: NDArray | None = None) -> BinnedData:
        """Return the bins of X, or of some ``rows`` of it, by their positions.

        Values outside the range seen go to the outer bins. What is no category, or one above those
        seen, becomes missing.
        """
        codes = self.encode(X, rows)
        return BinnedData(
            codes=codes,
            edges=self.edges_,
            values=self.values_,
            exact=self.exact_,
            n_bins=self.n_bins_,
            has_missing=(codes == MISSING).any(axis=0),
            categorical=self.categorical_,
        )

    def encode(self, X: ArrayLike, rows: NDArray | None = None) -> NDArray:
        """Return the bins alone, (n_samples, n_features); as ``transform`` says."""
        matrix = _check_matrix(X)
        if matrix.shape[1] != len(self.n_bins_):
            raise ValueError(
                f"X has {matrix.shape[1]} columns, but the bins were made for {len(self.n_bins_)}: "
                "pass the columns of fit, in the same order."
            )
        if rows is None:
            return self._codes(matrix)
        codes = np.empty((len(rows), matrix.shape[1]), dtype=np.uint8)
        for start in range(0, len(rows), _PIECE):
            part = slice(start, start + _PIECE)
            codes[part] = self._codes(matrix[rows[part]])
        return codes

    def _codes(self, matrix):
        codes = kernels.encode(matrix, self.edges_)
        for f in np.flatnonzero(self.categorical_):
            # Unequal where a number is negative or no whole one, and where it is NaN.
            known = (codes[:, f] == matrix[:, f]) & (codes[:, f] < self.n_bins_[f])
            codes[~known, f] = MISSING
        return codes

    def fit_transform(self, X: ArrayLike, rows: NDArray | None = None) -> BinnedData:
        """Fit to X, or to some ``rows`` of it, and return their bins."""
        matrix = _check_matrix(X)
        return self.fit(matrix, rows).transform(matrix, rows)


def _check_matrix(X):
    X = np.asarray(X)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(
            f"X has shape {X.shape}, expected (n_samples, n_features) with at least one of each."
        )
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return np.ascontiguousarray(X)


def _distinct(column):
    column = column[~np.isnan(column)].astype(np.float64)
    values, counts = np.unique(column, return_counts=True)
    if len(values) and not np.isfinite(values[[0, -1]]).all():
        raise ValueError("X holds infinite values: replace them by NaN or by large numbers.")
    return values, counts


def _most_category(column, place):
    """Return the highest category of a column, 0 where all are missing."""
    given = column[~np.isnan(column)]
    wrong = (given < 0) | (given > MAX_BINS - 1) | (given != np.floor(given))
    if wrong.any():
        raise ValueError(
            f"Column {place} of X is one of categories and holds {given[wrong][0]:g}: give whole "
            f"numbers from 0 to {MAX_BINS - 1}, NaN for missing, or names of categories in a frame."
        )
    return int(given.max()) if len(given) else 0


def _spread(n):
    # One row from each of as many equal stretches, at a place that follows no period.
    if n <= _SAMPLE:
        return None
    places = np.arange(_SAMPLE) + np.random.RandomState(0).uniform(size=_SAMPLE)
    return (places * (n / _SAMPLE)).astype(np.int64)
