"""From subsets to a discriminant, and how their coverage evens out."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import as_labels, check_axes, check_correct


def chi(subsets: ArrayLike, captured: ArrayLike, captured_rest: ArrayLike) -> NDArray:
    """Turn subsets (n_subsets, n_samples) into votes with mean +1 over a class and -1 elsewhere.

    2 (I - r(M, rest)) / (r(M, class) - r(M, rest)) - 1, where ``captured`` r(M, class) and
    ``captured_rest`` r(M, rest), (n_subsets,), are the shares of the training samples inside
    each subset; 0 where both are the same. Equations 3.4 and 3.5 of M. Eastwood's thesis (see
    :func:`coverage_path`), after Kleinberg.
    """
    inside = check_correct(subsets, name="subsets")
    own = np.asarray(captured, dtype=float)
    rest = np.asarray(captured_rest, dtype=float)
    for name, shares in (("captured", own), ("captured_rest", rest)):
        if shares.shape != (len(inside),):
            raise ValueError(
                f"{name} has shape {shares.shape}, expected ({len(inside)},): one share a subset."
            )
    gain = (own - rest)[:, None]
    enriched = gain != 0
    values = 2.0 * (inside - rest[:, None]) / np.where(enriched, gain, 1.0) - 1.0
    return np.where(enriched, values, 0.0)


def coverage_path(
    subsets: ArrayLike, y: ArrayLike, *, counts: ArrayLike | None = None
) -> pd.DataFrame:
    """Follow how evenly the samples of each class are covered as subsets are added.

    Subsets count for a class if they capture more of it than of the rest, as in
    :func:`counterpoint.diversity.coverage_spread`, whose value is the last of the path.

    Parameters
    ----------
    subsets : array-like of shape (n_subsets, n_samples)
        Whether each subset holds each sample, in the order in which they were made.
    y : array-like of shape (n_samples,)
        Class of each sample.
    counts : array-like of int, default=None
        After how many subsets of a class to look; None: up to 50 places, evenly on a log scale.

    Returns
    -------
    DataFrame
        ``label``, ``n_subsets``, and over the samples of the class the ``mean``, the standard
        deviation (``spread``), ``low`` and ``high`` (the 5 % and 95 % points) of the share of
        the subsets so far that hold a sample. Classes that no subset favours have no rows.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010,
       definition 2 and section 3.2.

    Examples
    --------
    >>> from counterpoint.subsets import coverage_path
    >>> subsets = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]]
    >>> coverage_path(subsets, ["a", "a", "b", "b"])[["label", "n_subsets", "spread"]]
      label  n_subsets  spread
    0     a          1     0.5
    1     a          2     0.0
    2     b          1     0.0
    """
    labels = as_labels(y, "y")
    check_axes(labels, "y", ("n_samples",))
    inside = check_correct(subsets, name="subsets", n_samples=len(labels))
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes.tolist()}: nothing to tell apart.")
    rows = []
    for label in classes:
        own = labels == label
        favours = inside[:, own].mean(axis=1) > inside[:, ~own].mean(axis=1)
        covered = np.cumsum(inside[favours][:, own], axis=0)
        for n in _places(counts, len(covered)):
            share = covered[n - 1] / n
            low, high = np.quantile(share, [0.05, 0.95])
            rows.append((label, n, share.mean(), share.std(), low, high))
    names = ["label", "n_subsets", "mean", "spread", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def _places(counts, n):
    if n == 0:
        return []
    if counts is None:
        return np.unique(np.geomspace(1, n, 50).round().astype(int)).tolist()
    counts = np.unique(np.asarray(counts))
    if not np.issubdtype(counts.dtype, np.integer) or (counts < 1).any():
        raise ValueError(f"counts={counts.tolist()}: give whole numbers from 1.")
    return [int(c) for c in counts if c <= n]
