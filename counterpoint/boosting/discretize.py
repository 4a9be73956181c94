"""Entropy cuts of numeric columns, stopped by description length (Fayyad and Irani 1993)."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from counterpoint._arrays import check_sample_weight
from counterpoint._tables import check_names
from counterpoint._typing import DataLike, Target, Weights
from counterpoint._validation import check_choice, check_list
from counterpoint.base import read_labels
from counterpoint.datasets.columns import floats, frame_columns, is_frame, is_nominal, named_columns

# Equal entropies differ by rounding; of equals the first is taken, whatever the order of sums.
TIE = 1e-12


class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric columns where their values tell the classes apart.

    A column is cut where the entropy of the classes falls most, then each part again, as long as
    a cut saves more bits than it takes to write down [1]_. A column that no cut pays for becomes
    one interval. Learn the cuts from training rows only: cuts learned from all rows have seen
    the answers of the test rows.

    Parameters
    ----------
    encode : {"ordinal", "interval"}, default="ordinal"
        ``"ordinal"``: whole numbers 0, 1, ... in the order of the intervals, -1 for missing.
        ``"interval"``: text such as ``"(0.5, 1.2]"``, NaN for missing.
    columns : "numeric" or list of names or positions, default="numeric"
        Which columns to cut; the others pass through as they are. ``"numeric"``: all columns of an
        array, and the numeric ones of a frame (whole numbers too, booleans not).

    Attributes
    ----------
    edges_ : list of ndarray or None
        The cuts of each column, rising; empty if none was worth it, None if the column passes
        through. An interval has its upper edge in it, not its lower one.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Notes
    -----
    Only cuts between different classes can be best, so only these are tried. A cut is half way
    between its neighbours; of equally good cuts the first is taken.

    Weights count as repeats. Where they add up to less than the number of rows, as in boosting,
    they are first scaled up to add up to it: the price of a cut falls with the number of rows, and
    a total weight of 1 would buy none.

    References
    ----------
    .. [1] U. Fayyad and K. Irani, "Multi-interval discretization of continuous-valued attributes
       for classification learning", IJCAI 1993, pp. 1022-1027.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import MDLDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> cutter = MDLDiscretizer().fit(X, y)
    >>> [float(edge) for edge in cutter.edges_[2].round(2)]
    [2.45, 4.75]
    >>> cutter.transform(X)[[0, 60, 149]].tolist()
    [[0, 2, 0, 0], [0, 0, 1, 1], [1, 1, 2, 2]]
    """

    def __init__(self, *, encode: str = "ordinal", columns: Any = "numeric") -> None:
        self.encode = encode
        self.columns = columns

    def fit(self, X: DataLike, y: Target, sample_weight: Weights = None) -> Self:
        """Learn the cuts.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_samples, n_features)
            NaN is missing: such rows have no say in the cuts of that column.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Rows of weight 0 are left out.

        Returns
        -------
        self : MDLDiscretizer
        """
        check_choice(self.encode, "encode", ("ordinal", "interval"))
        columns, _ = self._columns(X, y, reset=True)
        classes, y = np.unique(check_classes(self, y, columns[0]), return_inverse=True)
        cut = self._which_cut(columns)
        weight = check_sample_weight(sample_weight, len(y))
        rows = slice(None) if weight is None else weight > 0
        weight = None if weight is None else as_counts(weight[rows])
        self.edges_ = [
            mdl_cuts(floats(column)[rows], y[rows], weight, len(classes)) if cut[j] else None
            for j, column in enumerate(columns)
        ]
        return self

    def transform(self, X: DataLike) -> NDArray | pd.DataFrame:
        """Replace numbers by the intervals they are in.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_samples, n_features)
            Rows with the columns seen in `fit`.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_features)
            A frame for a frame, else an array, unless `set_output` asked for something else.
        """
        check_is_fitted(self)
        columns, names = self._columns(X, reset=False)
        out = [
            column if edges is None else self._encoded(floats(column), edges)
            for column, edges in zip(columns, self.edges_, strict=True)
        ]
        if isinstance(X, pd.DataFrame):
            frame = pd.concat([pd.Series(values, index=X.index) for values in out], axis=1)
            return frame.set_axis(X.columns, axis=1)
        if names is not None:  # polars, of which the class of X is all that is needed
            kept = [X[:, j] if edges is None else out[j] for j, edges in enumerate(self.edges_)]
            return type(X)(dict(zip(names, kept, strict=True)))
        whole = all(np.asarray(values).dtype.kind in "iufb" for values in out)
        return np.column_stack(out if whole else [np.asarray(v, dtype=object) for v in out])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _columns(self, X, y="no_validation", *, reset):
        """Check X; return its columns as Series, and the names if it is a frame."""
        if is_frame(X):
            check_names(X)
            validate_data(self, X, y, reset=reset, skip_check_array=True)
            return frame_columns(X), list(X.columns)
        numeric = isinstance(self.columns, str)
        X = validate_data(
            self, X, reset=reset, dtype="numeric" if numeric else None, ensure_all_finite=False
        )
        return [pd.Series(X[:, j], name=f"x{j}") for j in range(X.shape[1])], None

    def _which_cut(self, columns):
        """Return a list of flags, one per column."""
        chosen = self.columns
        if isinstance(chosen, str):
            if chosen != "numeric":
                raise ValueError(
                    f"columns={chosen!r}: give 'numeric', or a list of names or positions."
                )
            return [not is_nominal(column) for column in columns]
        chosen = check_list(chosen, "columns", "names or positions")
        return named_columns(chosen, columns, "columns").tolist()

    def _encoded(self, values, edges):
        codes = interval_codes(values, edges)
        if self.encode == "ordinal":
            return codes
        labels = np.array([*interval_labels(edges), np.nan], dtype=object)
        return labels[codes]  # -1, missing, is the last


def check_classes(estimator: Any, y: Any, X: Any) -> np.ndarray:
    """Return the classes as an array, as many as X has rows."""
    y = read_labels(estimator, y)
    check_consistent_length(X, y)
    return y


def as_counts(weight: np.ndarray) -> np.ndarray:
    """Scale positive weights that add up to less than their number, so that they add up to it."""
    return weight * max(1.0, len(weight) / weight.sum())


def interval_codes(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the number of the interval of each value, -1 for NaN."""
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))


def interval_labels(edges: np.ndarray) -> list[str]:
    """Return the intervals between edges as text, with as few digits as keep them apart."""
    shown: list[str] = []
    for digits in (6, 9, 12, 17):
        shown = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(shown)) == len(shown):
            break
    ends = ["-inf", *shown, "inf"]
    last = len(ends) - 2
    return [f"({ends[i]}, {ends[i + 1]}{')' if i == last else ']'}" for i in range(last + 1)]


def entropies(weights: np.ndarray) -> np.ndarray:
    """Return the entropy in bits of each row of class weights (..., n_classes); NaN for no weight.

    The rows need not add up to one.
    """
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return (xlogy(total, total) - xlogy(weights, weights).sum(axis=-1)) / (total * np.log(2))


def mdl_cuts(values, y, weight, n_classes) -> np.ndarray:
    """Return the cuts of one column by the rule of Fayyad and Irani.

    values (n,) float, NaN left out; y (n,) class numbers; weight (n,) positive or None for ones.
    """
    first, last, sums, counts = _blocks(values, y, weight, n_classes)
    if len(first) < 2:
        return np.empty(0)
    # Sums up to each border. Rows are counted apart from weights: how many classes a part has
    # must not hang on the rounding of a difference.
    sums = np.concatenate([np.zeros((1, n_classes)), np.cumsum(sums, axis=0)])
    counts = np.concatenate([np.zeros((1, n_classes), dtype=int), np.cumsum(counts, axis=0)])
    borders, open_parts = [], [(0, len(first))]
    while open_parts:
        start, stop = open_parts.pop()
        border = _best_border(sums, counts, start, stop)
        if border is not None:
            borders.append(border)
            open_parts += [(start, border), (border, stop)]
    borders.sort()
    below, above = last[np.array(borders, dtype=int) - 1], first[borders]
    middle = below / 2 + above / 2
    # Between neighbouring floats the middle may round up to the value above, which is not in it.
    return np.where((below <= middle) & (middle < above), middle, below)


def _blocks(values, y, weight, n_classes):
    """Group sorted values into blocks between which a cut can be best.

    Equal values stay together; neighbours of one and the same class are one block. Returns
    the first and last value of each block, and its sums of weights and rows by class.
    """
    known = ~np.isnan(values)
    values, y = values[known], y[known]
    order = np.argsort(values, kind="stable")
    values, y = values[order], y[order]
    weight = None if weight is None else weight[known][order]
    if len(values) == 0:
        empty = np.empty((0, n_classes))
        return values, values, empty, empty.astype(int)
    starts = np.flatnonzero(np.r_[True, values[1:] > values[:-1]])
    lowest, highest = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    pure = lowest == highest
    joined = pure[1:] & pure[:-1] & (lowest[1:] == lowest[:-1])
    starts = starts[np.r_[True, ~joined]]
    block = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(values)]))
    cell, shape = block * n_classes + y, (len(starts), n_classes)
    counts = np.bincount(cell, minlength=shape[0] * n_classes).reshape(shape)
    sums = counts.astype(float)
    if weight is not None:
        sums = np.bincount(cell, weights=weight, minlength=shape[0] * n_classes).reshape(shape)
    return values[starts], values[np.r_[starts[1:], len(values)] - 1], sums, counts


def _best_border(sums, counts, start, stop):
    """Return the border of blocks start .. stop that is worth a cut, or None."""
    if stop - start < 2:
        return None
    inner = slice(start + 1, stop)
    whole = sums[stop] - sums[start]
    left = np.maximum(sums[inner] - sums[start], 0)
    right = np.maximum(sums[stop] - sums[inner], 0)
    n, n_left, n_right = whole.sum(), left.sum(axis=1), right.sum(axis=1)
    if n <= 0:  # weights so small beside others that the sums lost them
        return None
    ent, ent_left, ent_right = (np.nan_to_num(entropies(part)) for part in (whole, left, right))
    split = (n_left * ent_left + n_right * ent_right) / n
    at = int(np.flatnonzero(split <= split.min() + TIE)[0])
    border = start + 1 + at
    k = np.count_nonzero(counts[stop] - counts[start])
    k_left = np.count_nonzero(counts[border] - counts[start])
    k_right = np.count_nonzero(counts[stop] - counts[border])
    # log2(3^k - 2), without the overflow
    delta = k * np.log2(3) + np.log2(1 - 2 * 3.0**-k)
    delta -= k * ent - k_left * ent_left[at] - k_right * ent_right[at]
    # A part lighter than two rows (small weights) pays nothing for naming its cut, not less.
    price = (np.log2(max(n - 1, 1)) + delta) / n
    return border if ent - split[at] > price + TIE else None
