"""Means, spreads and whitened coordinates of columns."""

import numpy as np

# Directions whose spread is below this share of the largest are rounding, not data.
_RANK_TOLERANCE = 1e-10
# A row that weighs next to nothing may lie so far off, by the spread of the others, that the fourth
# power of its place is no number, or single precision does not hold it.
_FARTHEST = 1e15
# Learners in single precision hold numbers up to 3e38.
_HELD = 1e30


def centre_and_scale(X, weight=None):
    """Mean and standard deviation of the columns by weight; 1 where a column is constant.

    No row is farther from the mean than 1e15 times what is returned as the standard deviation.
    """
    if weight is None:
        weight = np.ones(len(X))
    share = weight / weight.sum()
    centre = share @ X
    variance = [share @ (column - mean) ** 2 for column, mean in zip(X.T, centre, strict=True)]
    scale = np.sqrt(variance)
    # Rounding leaves a constant column a spread of about its size times the precision.
    flat = scale <= 1e-12 * np.abs(centre)
    scale = np.where(flat | (scale == 0), 1.0, scale)
    reach = np.maximum(X.max(axis=0) - centre, centre - X.min(axis=0))
    return centre, np.maximum(scale, reach / _FARTHEST)


def whitening(X, weight=None):
    """Mean, principal directions times spread, and spreads: (d,), (d, rank), (rank,).

    ``(X - mean) @ directions / spread`` has covariance 1; columns are put on a common scale first.
    """
    if weight is None:
        weight = np.ones(len(X))
    centre, scale = centre_and_scale(X, weight)
    Z = (X - centre) / scale
    covariance = (Z * (weight / weight.sum())[:, None]).T @ Z
    variance, directions = np.linalg.eigh(covariance)
    variance, directions = variance[::-1], directions[:, ::-1]
    rank = int((variance > _RANK_TOLERANCE * max(variance[0], 1e-300)).sum())
    # The sign of a direction is arbitrary: its largest entry is made positive.
    top = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[top, np.arange(len(top))])
    return centre, directions[:, :rank] / scale[:, None], np.sqrt(variance[:rank])


def within_reach(directions, X):
    """Return directions, shorter where a row of X would be farther along them than 1e30.

    Directions that were found on other rows may have one of these anywhere.
    """
    reach = np.abs(X @ directions).max(axis=0)
    return directions / np.maximum(1.0, reach / _HELD)
