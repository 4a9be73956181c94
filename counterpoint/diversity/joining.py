"""What each member brings when it joins the vote, and what an average takes off an error."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_number
from counterpoint.diversity.inputs import as_outputs
from counterpoint.diversity.limits import variance_factor

_LARGEST = 1e38  # as everywhere: squares of it are still numbers


def vote_gains(outputs: MemberOutputs | ArrayLike) -> pd.DataFrame:
    """Tell which samples each member wins and loses when it joins the vote, in their order.

    The accuracy of the vote of t members is that of t - 1, plus the share of the samples that the
    new member ``won``, less what it ``lost``: exactly, on every round. It wins where it is right
    and ``pivotal``: where one more right vote turns the vote. So ``won`` is its accuracy times the
    share of such samples, plus the ``covariance`` of the two: of two members as accurate, the one
    that is right where the others are not quite brings more.

    Parameters
    ----------
    outputs : MemberOutputs or array-like of shape (n_members, n_samples)
        Members in the order in which they join; an array is taken as right/wrong flags. All
        votes count alike.

    Returns
    -------
    DataFrame
        A row per number of members: ``accuracy`` of the vote, ``member_accuracy``, ``won``,
        ``lost``, ``pivotal``, ``covariance``, and ``vote_covariance``, that of the new member with
        the vote of those before; NaN in the first row.

    Notes
    -----
    The first member wins what it has right: before it, no vote is right. From flags alone a vote is
    right with more than half of the members, and a tie, which a second, fourth, ... member can
    make, is lost; with labels a tie goes to the first class.

    References
    ----------
    .. [1] Wang and Yao, "The Effectiveness of a New Negative Correlation Learning Algorithm for
       Classification Ensembles", ICDMW 2010, theorem 2. There the number of right votes that is
       needed stays as it is, so that nothing can be lost.

    Examples
    --------
    >>> from counterpoint.diversity import vote_gains
    >>> gains = vote_gains([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]])
    >>> gains[["accuracy", "won", "lost", "pivotal"]]
             accuracy  won  lost  pivotal
    members
    1            0.50  0.5  0.00      1.0
    2            0.25  0.0  0.25      0.0
    3            0.75  0.5  0.00      0.5
    """
    outputs = as_outputs(outputs)
    right, weight = outputs.correct, outputs.sample_weight
    wins = _wins_by_flags(right) if outputs.votes is None else _wins_by_votes(outputs)
    before, rows = np.zeros(outputs.n_samples, dtype=bool), []
    for t, (now, with_right) in enumerate(wins):
        pivotal = ~before & with_right
        rows.append(
            {
                "accuracy": _mean(now, weight),
                "member_accuracy": _mean(right[t], weight),
                "won": _mean(~before & now, weight),
                "lost": _mean(before & ~now, weight),
                "pivotal": _mean(pivotal, weight),
                "covariance": _covariance(right[t], pivotal, weight),
                "vote_covariance": _covariance(right[t], before, weight) if t else np.nan,
            }
        )
        before = now
    return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="members"))


def added_error(
    density: float,
    slope: float,
    variance: float,
    *,
    bias: float = 0.0,
    n_members: int = 1,
    correlation: float = 0.0,
) -> float:
    """Error beyond the least possible of an average of noisy probabilities, near a boundary.

    Errors in the probabilities of two classes move the boundary between them by
    ``b = (e_i - e_j) / slope``, and a boundary moved by b costs ``density * slope / 2 * b^2``. For
    members with errors of this variance and mean correlation the average of N of them costs

        density / (2 slope) * (2 variance (1 + correlation (N - 1)) / N + bias^2).

    Parameters
    ----------
    density : float
        Of the samples at the true boundary.
    slope : float
        Difference of the derivatives of the two classes' probabilities there, above 0.
    variance : float
        Of a member's error in the probability of one class; errors for the two are independent.
    bias : float, default=0.0
        Mean error of the difference of the two probabilities; averaging leaves it.
    n_members : int, default=1
        Members averaged.
    correlation : float, default=0.0
        Mean correlation of two members' errors.

    Returns
    -------
    float

    References
    ----------
    .. [1] K. Tumer and J. Ghosh, "Analysis of decision boundaries in linearly combined neural
       classifiers", Pattern Recognition 29, 1996.
    .. [2] M. Eastwood, "Building well-performing classifier ensembles", PhD thesis, Bournemouth
       University, 2010, equations 2.10 and 4.6.

    Examples
    --------
    >>> from counterpoint.diversity import added_error
    >>> added_error(0.5, 2.0, 0.04), added_error(0.5, 2.0, 0.04, n_members=4)
    (0.01, 0.0025)
    """
    check_number(density, "density", low=0, high=_LARGEST)
    check_number(slope, "slope", low=1 / _LARGEST)
    check_number(variance, "variance", low=0, high=_LARGEST)
    check_number(bias, "bias", low=-_LARGEST, high=_LARGEST)
    density, slope, variance, bias = (float(v) for v in (density, slope, variance, bias))
    spread = 2.0 * variance * variance_factor(correlation, n_members)
    return float(density / (2.0 * slope) * (spread + bias**2))


def _wins_by_flags(right):
    """Yield whether the vote of the first t is right, and whether it were with the t-th right."""
    count = np.zeros(right.shape[1], dtype=np.int64)
    for t, own in enumerate(right, start=1):
        with_right = 2 * (count + 1) > t
        count = count + own
        yield 2 * count > t, with_right


def _wins_by_votes(outputs):
    outputs.need_truth()
    rows, y = np.arange(outputs.n_samples), outputs.y
    tally = np.zeros((outputs.n_samples, outputs.n_classes), dtype=np.int64)
    for own in outputs.votes:
        tally[rows, y] += 1
        with_right = tally.argmax(axis=1) == y
        tally[rows, y] -= 1
        tally[rows, own] += 1
        yield tally.argmax(axis=1) == y, with_right


def _mean(values, weight):
    return float(np.average(values, weights=weight))


def _covariance(a, b, weight):
    return _mean(a & b, weight) - _mean(a, weight) * _mean(b, weight)
