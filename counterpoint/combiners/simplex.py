"""Weights and probabilities on the simplex: not negative, adding up to 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls


def project_to_simplex(values: ArrayLike) -> NDArray:
    """Return the distributions nearest to some values in squared distance.

    The same is taken from every entry and what falls below 0 is cut off, so that 1 is left;
    sorting tells how many entries stay above 0. Shape (..., n_classes) and type stay.
    """
    values = np.asarray(values)
    falling = -np.sort(-values, axis=-1)
    excess = (np.cumsum(falling, axis=-1) - 1.0) / np.arange(1, values.shape[-1] + 1)
    n_positive = (falling > excess).sum(axis=-1, keepdims=True)
    shift = np.take_along_axis(excess, n_positive - 1, axis=-1)
    return np.maximum(values - shift.astype(values.dtype), 0.0)


def least_quadratic(matrix: NDArray) -> NDArray:
    """Return the weights on the simplex with the least w' M w, M positive semi-definite."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    # The sum-to-one constraint as one more, very heavy, equation of non-negative least squares.
    heavy = 1e4 * max(float(np.abs(root).max()), 1e-12)
    n = len(matrix)
    system = np.vstack([root, np.full((1, n), heavy)])
    weights, _ = nnls(system, np.r_[np.zeros(n), heavy], maxiter=50 * n)
    return weights / weights.sum()
