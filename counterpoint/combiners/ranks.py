"""Combining rankings: who comes first by several members' scores."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from counterpoint._arrays import check_member_weight, check_members_array

RANK_FUNCTIONS: dict[str, Callable[[NDArray], NDArray]] = {
    "inverse-square": lambda r: 1.0 / r**2,
    "inverse": lambda r: 1.0 / r,
    "borda": lambda r: -r,
}


def rank_scores(scores: ArrayLike) -> NDArray:
    """Rank samples by the scores of each member, 1 for the highest.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        Higher comes first.

    Returns
    -------
    ndarray of shape (n_members, n_samples), float64
        Equal scores share the mean of their ranks.

    Examples
    --------
    >>> from counterpoint.combiners import rank_scores
    >>> rank_scores([[0.1, 0.9, 0.5], [0.3, 0.3, 0.2]]).tolist()
    [[3.0, 1.0, 2.0], [1.5, 1.5, 3.0]]
    """
    scores = check_members_array(scores, name="scores")
    if np.isnan(scores).any():
        raise ValueError("scores hold NaN, which has no rank: leave out these samples or members.")
    return rankdata(-np.asarray(scores, dtype=float), axis=1)


def combine_ranks(
    scores: ArrayLike,
    *,
    function: str | Callable[[NDArray], NDArray] = "inverse-square",
    weights: ArrayLike | None = None,
) -> NDArray:
    """Combine several rankings into one score per sample: the sum of f(rank) over members.

    With the inverse square a sample that a single member puts first comes before one that all
    put third: what counts is to be near the top for somebody.

    Parameters
    ----------
    scores : array-like of shape (n_members, n_samples)
        Higher comes first. Only their order within a member counts.
    function : {"inverse-square", "inverse", "borda"} or callable, default="inverse-square"
        A decreasing function of the rank, which is 1 for the highest score. A callable gets an
        array of ranks.
    weights : array-like of shape (n_members,), default=None
        What each member counts.

    Returns
    -------
    ndarray of shape (n_samples,)
        Higher comes first.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", 2010, section 6.2.1: s = sum of 1 / r^2.

    Examples
    --------
    >>> from counterpoint.combiners import combine_ranks
    >>> combine_ranks([[0.9, 0.5, 0.1], [0.2, 0.8, 0.1]]).tolist()
    [1.25, 1.25, 0.2222222222222222]
    """
    ranks = rank_scores(scores)
    weights = check_member_weight(weights, len(ranks))
    if callable(function):
        mapped = np.asarray(function(ranks), dtype=float)
        if mapped.shape != ranks.shape or not np.isfinite(mapped).all():
            raise ValueError(
                f"function returned shape {mapped.shape} for ranks of shape {ranks.shape}: it must "
                "return a finite number for every rank."
            )
        order = np.argsort(ranks, axis=1)
        if (np.diff(np.take_along_axis(mapped, order, axis=1), axis=1) > 0).any():
            raise ValueError("function must not increase with the rank: 1 is the best rank.")
    elif function in RANK_FUNCTIONS:
        mapped = RANK_FUNCTIONS[function](ranks)
    else:
        raise ValueError(
            f"function={function!r}: choose {', '.join(RANK_FUNCTIONS)}, or pass a function of "
            "ranks."
        )
    return mapped.sum(axis=0) if weights is None else weights @ mapped
