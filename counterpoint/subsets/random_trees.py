"""The kernel of an endless forest of purely random trees."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline, RectBivariateSpline
from scipy.stats import poisson
from sklearn.metrics.pairwise import check_pairwise_arrays

from counterpoint._tables import need_numbers
from counterpoint._validation import check_number

_KNOTS = 257
# Gaps below this share of the range are as good as none.
_LEAST = 1e-7


def random_tree_kernel(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    *,
    n_leaves: float = 100.0,
    bounds: tuple[ArrayLike, ArrayLike] | None = None,
) -> NDArray:
    """Return how likely two points share a leaf of a purely random tree.

    Such a tree is grown without data: again and again a random leaf is split, at a random column
    and a random place in its range there. The kernel is that of endlessly many trees. Around a
    point it falls off like a pyramid on its corner, with curved walls.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
    Y : array-like of shape (n_samples_Y, n_features), default=None
        None means X.
    n_leaves : float, default=100.0
        Leaves of a tree, on average; from 1.
    bounds : (low, high) or None, default=None
        The space: numbers, or one for each column. None is the range of both sets of points.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Notes
    -----
    A random leaf comes next if each leaf is split after a time of its own with the same
    exponential law; at time log(n_leaves) there are so many on average. The cell of a point is
    then cut a Poisson number of times, in each of m columns log(n_leaves) / m times on average and
    independently, so the kernel is a product over columns. In one column, with a and b beside a
    gap of 1, the chance h_k(a, b) that k cuts spare the gap has h_0 = 1 and
    ``(1 + a + b) h_k(a, b) = int_0^a h_{k-1}(s, b) ds + int_0^b h_{k-1}(a, s) ds``; it is taken
    from a table, to about six digits.

    References
    ----------
    .. [1] L. Breiman, "Some infinite theory for predictor ensembles", Technical Report 577,
       Statistics Department, UC Berkeley, 2000; by M. Eastwood, "Building Well-Performing
       Classifier Ensembles", PhD thesis, 2010, sections 3.3 and 3.4.

    Examples
    --------
    >>> from counterpoint.subsets import random_tree_kernel
    >>> random_tree_kernel([[0.5]], [[0.5], [0.6], [0.9]], n_leaves=8, bounds=(0, 1)).round(3)
    array([[1.   , 0.746, 0.381]])
    """
    check_number(n_leaves, "n_leaves", low=1, high=1e30)
    for part in (X, Y):
        need_numbers(part, "a kernel of points")
    points, others = check_pairwise_arrays(X, Y, dtype=np.float64)
    low, half = _space(points, others, bounds)
    # Halves: a range may be larger than any float.
    points, others = ((part / 2.0 - low / 2.0) / half for part in (points, others))
    m = points.shape[1]
    spared = _table(np.log(float(n_leaves)) / m)
    kernel = np.ones((len(points), len(others)))
    for k in range(m):
        left = np.minimum(points[:, k, None], others[None, :, k])
        right = np.maximum(points[:, k, None], others[None, :, k])
        gap = right - left
        unit = np.maximum(gap, _LEAST)
        one = spared.ev(np.log1p(left / unit), np.log1p((1.0 - right) / unit))
        kernel *= np.where(gap > 0, np.clip(one, 0.0, 1.0), 1.0)
    return kernel


def _space(points, others, bounds):
    """Return the lower end of the space and half its range, by column."""
    if bounds is None:
        both = np.concatenate([points, others])
        low, high = both.min(axis=0), both.max(axis=0)
        half = high / 2.0 - low / 2.0
        return low, np.where(half > 0, half, 1.0)
    try:
        low, high = (np.broadcast_to(np.asarray(b, float), points.shape[1]) for b in bounds)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"bounds={bounds!r}: give (low, high), each a number or one for each column."
        ) from error
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise ValueError(f"bounds={bounds!r}: give finite numbers, each low below its high.")
    for part, name in ((points, "X"), (others, "Y")):
        if (part < low).any() or (part > high).any():
            raise ValueError(f"{name} has points outside bounds={bounds!r}: give wider ones.")
    return low, high / 2.0 - low / 2.0


def _table(cuts):
    """Chance to spare a gap of 1 by the logarithms of 1 + a and 1 + b, for so many cuts."""
    u = np.linspace(0.0, np.log1p(1.0 / _LEAST), _KNOTS)
    width = np.exp(u)[:, None] + np.exp(u)[None, :] - 1.0
    h, mean = np.ones((_KNOTS, _KNOTS)), np.full((_KNOTS, _KNOTS), np.exp(-cuts))
    for k in range(1, int(cuts + 12.0 * np.sqrt(cuts + 1.0)) + 12):
        # By symmetry the other integral is this one with a and b exchanged.
        one = CubicSpline(u, h * np.exp(u)[:, None]).antiderivative()(u)
        h = (one + one.T) / width
        mean += poisson.pmf(k, cuts) * h
    return RectBivariateSpline(u, u, mean)
