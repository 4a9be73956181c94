"""Which labels are wrong? Confident learning with all members, on rows they were not trained on.

Northcutt, Jiang and Chuang (2021): a row counts as truly of class j where its probability of j is
above the mean probability that rows labelled j get. The counts of (given, true) pairs estimate how
many labels of each class are wrong; that many, the least believed, are named. Here every member
has thresholds of its own, and a row counts as truly of a class where most members are sure of it.

What cannot be learnt looks like wrong labels too. Where all members agree, and are surest, it does
not: the share of labels against them there is the expected share of wrong labels, as far as labels
are wrong whatever the row (anchor points, Liu and Tao 2016).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._ballot import member_mean
from counterpoint._outputs import MemberOutputs
from counterpoint._statistics import wilson_interval
from counterpoint.trust.inputs import need_outputs, row_weight

# Of the rows that all members agree on the surest, and how many at least: see docs/trust_labels.md.
_SUREST = 0.3
_LEAST_SURE = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelErrors:
    """Labels that are probably wrong; made by :func:`find_label_errors`.

    Attributes
    ----------
    wrong : ndarray of shape (n_samples,), bool
        Labels to look at.
    belief : ndarray of shape (n_samples,)
        How far the label is believed: its mean probability, less the largest other, from -1 to 1.
    against : ndarray of shape (n_samples,)
        Share of the members, by their weights, that say something else.
    suggested : ndarray of shape (n_samples,)
        The likeliest class.
    given : ndarray of shape (n_samples,)
    joint : ndarray of shape (n_classes, n_classes)
        Estimated share of rows by given label and true class; adds up to 1. What is off its
        diagonal is wrong or cannot be learnt.
    expected_share : float
        Expected share of wrong labels: those against the members where all agree and are surest.
    share_limits : tuple of float
        95 % limits of it, as far as labels are wrong whatever the row.
    """

    wrong: NDArray
    belief: NDArray
    against: NDArray
    suggested: NDArray
    given: NDArray
    joint: NDArray
    expected_share: float
    share_limits: tuple[float, float]

    def table(self) -> pd.DataFrame:
        """Return the labels to look at, the least believed first."""
        at = np.flatnonzero(self.wrong)
        at = at[np.argsort(self.belief[at], kind="stable")]
        return pd.DataFrame(
            {
                "row": at,
                "given": self.given[at],
                "suggested": self.suggested[at],
                "belief": self.belief[at],
                "against": self.against[at],
            }
        )


def find_label_errors(outputs: MemberOutputs) -> LabelErrors:
    """Find labels that members, asked about rows they were not trained on, do not believe.

    Parameters
    ----------
    outputs : MemberOutputs
        With probabilities and ``y``, the given labels. ``MemberOutputs.from_estimator(pool, X, y,
        cv=5)`` asks each member about rows it was not fitted on.

    Returns
    -------
    LabelErrors

    Notes
    -----
    With one member this is cleanlab's ``prune_by_noise_rate``. With several, thresholds are each
    member's own, so that one badly calibrated member does not move the others'; a row is counted
    as of class j where more than half of the members, by their weights, are sure of j; rows are
    ranked by the mean of probabilities, and named only where more than half of the members say
    something else than the label. Adding up the counts of all members instead finds more errors
    where members are weak that are none. And no more are named than the upper one of
    ``share_limits`` allows, the least believed. These limits are of the rows that all members
    agree on, and of these the three tenths with the largest mean probability, at least 30; of all
    rows where the members agree on fewer. Rows that lie in an order are to be shuffled before they
    are cut into folds (``cv=StratifiedKFold(5, shuffle=True)``).

    References
    ----------
    .. [1] C. G. Northcutt, L. Jiang and I. L. Chuang, "Confident learning: estimating uncertainty
       in dataset labels", Journal of Artificial Intelligence Research 70, 2021, sections 3.1, 3.2.
    .. [2] T. Liu and D. Tao, "Classification with noisy labels by importance reweighting", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 38, 2016, section 4: the noise is
       read off where a class is certain.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import find_label_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 10, 140]] = [2, 1, 0]
    >>> pool = [("bayes", GaussianNB()), ("linear", LogisticRegression(max_iter=1000))]
    >>> found = find_label_errors(MemberOutputs.from_estimator(pool, X, y, cv=5))
    >>> bool(found.wrong[[3, 10, 140]].all()), found.suggested[[3, 10, 140]].tolist()
    (True, [0, 0, 2])
    """
    need_outputs(outputs, "outputs", truth=True)
    if outputs.proba is None:
        raise ValueError(
            "outputs= has votes only: label errors need the members' probabilities, proba=."
        )
    y, weight = outputs.y, row_weight(outputs)
    n_classes = outputs.n_classes
    share = outputs.say / outputs.say.sum()
    sure = np.zeros((outputs.n_samples, n_classes))
    for own, say in zip(outputs.proba, share, strict=True):
        found = confident_class(np.asarray(own, dtype=float), y, weight)
        sure[np.flatnonzero(found >= 0), found[found >= 0]] += say
    counts = _count_pairs(np.where(sure.max(axis=1) > 0.5, sure.argmax(axis=1), -1), y, weight,
                          n_classes)  # fmt: skip
    joint = _calibrated_joint(counts, y, weight, n_classes)
    mean = member_mean(np.asarray(outputs.proba, dtype=float), outputs.weights)
    wrong = _prune(mean, y, joint, len(y))
    own = mean[np.arange(len(y)), y]
    others = mean.copy()
    others[np.arange(len(y)), y] = -1.0
    suggested = mean.argmax(axis=1)
    against = share @ (outputs.votes != y)
    wrong &= (suggested != y) & (against > 0.5)
    belief = own - others.max(axis=1)
    expected, limits = _share_where_sure(outputs.votes, mean, y, weight)
    if outputs.n_members > 1:
        wrong &= _least(belief, weight, limits[1])
    return LabelErrors(
        wrong=wrong, belief=belief, against=against, suggested=outputs.classes[suggested],
        given=outputs.classes[y], joint=joint, expected_share=expected, share_limits=limits,
    )  # fmt: skip


def _share_where_sure(votes, mean, y, weight):
    """Return the share of labels against the members where all agree and are surest; limits."""
    agreed = np.flatnonzero((votes == votes[0]).all(axis=0) & (weight > 0))
    if len(agreed) < _LEAST_SURE:
        agreed = np.flatnonzero(weight > 0)
    n_sure = max(_LEAST_SURE, int(_SUREST * len(agreed)))
    sure = agreed[np.argsort(-mean[agreed].max(axis=1), kind="stable")[:n_sure]]
    n = weight[sure].sum() ** 2 / (weight[sure] ** 2).sum()  # rows that count as much (Kish 1965)
    share = float(np.average(mean[sure].argmax(axis=1) != y[sure], weights=weight[sure]))
    return share, wilson_interval(share * n, n)


def _least(belief, weight, share):
    """Tell the least believed rows, up to this share of all."""
    order = np.argsort(belief, kind="stable")
    before = np.cumsum(weight[order]) - weight[order]
    least = np.zeros(len(belief), dtype=bool)
    least[order[before < share * weight.sum()]] = True
    return least


def confident_class(proba: NDArray, y: NDArray, weight: NDArray) -> NDArray:
    """Return the class each row is confidently of, -1 where of none: equation 1 of the paper."""
    n_classes = proba.shape[1]
    limits = np.full(n_classes, np.inf)
    for k in range(n_classes):
        rows = y == k
        if weight[rows].sum() > 0:
            limits[k] = weight[rows] @ proba[rows, k] / weight[rows].sum()
    # A hair below: a row whose probability is the mean itself is meant to pass.
    above = proba >= limits - 1e-6
    return np.where(above.any(axis=1), np.where(above, proba, -1.0).argmax(axis=1), -1)


def _count_pairs(best, y, weight, n_classes):
    """Return how often rows given i are confidently j, (n_classes, n_classes)."""
    counts = np.zeros((n_classes, n_classes))
    sure = best >= 0
    np.add.at(counts, (y[sure], best[sure]), weight[sure])
    # A class of which no row is sure: its rows are believed.
    for k in np.flatnonzero(counts.sum(axis=1) == 0):
        counts[k, k] = max(weight[y == k].sum(), 1e-300)
    return counts


def _calibrated_joint(counts, y, weight, n_classes):
    """Return shares whose rows add up to the shares of the given labels: equation 3."""
    given = np.bincount(y, weights=weight, minlength=n_classes)
    rows = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    return rows * (given / given.sum())[:, None]


def _prune(proba, y, joint, n):
    """Name, for each pair of classes, as many rows as the joint expects: largest margin first."""
    n_classes = joint.shape[0]
    wrong = np.zeros(n, dtype=bool)
    counts = _whole(joint * n)
    for i in range(n_classes):
        rows = np.flatnonzero(y == i)
        for j in range(n_classes):
            k = counts[i, j]
            if i == j or k == 0:
                continue
            margin = proba[rows, j] - proba[rows, i]
            worst = rows[np.argsort(-margin, kind="stable")[:k]]
            wrong[worst] = True
    return wrong


def _whole(table):
    """Round each row to whole numbers that keep its sum: the largest remainders go up."""
    down = np.floor(table + 1e-9).astype(int)
    for i, row in enumerate(table):
        missing = round(row.sum()) - down[i].sum()
        order = np.argsort(-(row - down[i]), kind="stable")
        down[i, order[: max(int(missing), 0)]] += 1
    return down
