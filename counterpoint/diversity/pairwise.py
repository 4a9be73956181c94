"""How two members agree, averaged over all pairs.

Pairs for which a measure is 0/0 are left out of the average; with no pair left (or one member
only) the value is NaN. N11, N10, N01, N00 count the samples that both, only the first, only the
second and neither of two members have right. The body of a measure gives the matrix of all pairs;
``mean_over_pairs`` makes the mean of it.

All take ``MemberOutputs``; those of being right also ``PairCounts``, or plain right/wrong flags of
shape (n_members, n_samples).

References
----------
Kuncheva and Whitaker, "Measures of diversity in classifier ensembles", Machine Learning 51, 2003.
Meddouri, Khoufi and Maddouri, "Diversity analysis on boosting nominal concepts", PAKDD 2012.
Wang and Yao, "The effectiveness of a new negative correlation learning algorithm for classification
ensembles", ICDM Workshops 2010. Margineantu and Dietterich, "Pruning adaptive boosting", ICML 1997.
Hong, Wang, Liu and Liu, "SVM ensembles algorithm using negative correlation learning", Journal of
Huaqiao University 39(6), 2018.
"""

from collections.abc import Callable
from functools import wraps
from math import fsum
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._ballot import exact_weights
from counterpoint._counts import PairCounts, pack_equal
from counterpoint._kernels import pairs as _pairs
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint.diversity.inputs import AnyOutputs, as_counts, as_outputs, growing_summaries


class PairMeasure(Protocol):
    """A mean over pairs of members, with the matrix that it is the mean of."""

    matrix: Callable[..., NDArray]

    def __call__(self, outputs: Any) -> float:
        """Return the mean over all pairs of members."""


def mean_over_pairs(matrix: Callable[..., NDArray]) -> PairMeasure:
    """Make a measure of a function that gives the value of every pair.

    The measure is the mean over the pairs i < j for which the matrix is defined, NaN when there
    is none. The function itself stays at hand as ``measure.matrix``.

    Parameters
    ----------
    matrix : callable
        Takes member outputs, returns an ndarray of shape (n_members, n_members).

    Returns
    -------
    callable
        Takes member outputs, returns a float; with the name and docstring of ``matrix``.

    Examples
    --------
    >>> from counterpoint.diversity import disagreement, mean_over_pairs
    >>> agreement = mean_over_pairs(lambda outputs: 1.0 - disagreement.matrix(outputs))
    >>> agreement([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]])
    0.6
    """

    @wraps(matrix)
    def measure(outputs):
        values = matrix(outputs)
        values = values[np.triu_indices(len(values), k=1)]
        values = values[~np.isnan(values)]
        # Summed up as if exactly: no order of the members changes the last digit.
        return fsum(values) / len(values) if len(values) else float("nan")

    made = cast(PairMeasure, measure)
    made.matrix = matrix
    return made


def growing_pair_means(matrix):
    """Mean over the pairs of the first 1, 2, ..., T members, each pair looked at once."""
    above = np.triu(matrix, k=1)
    defined = np.triu(~np.isnan(matrix), k=1)
    total = np.cumsum(np.where(defined, above, 0.0).sum(axis=0))
    return _divide(total, np.cumsum(defined.sum(axis=0)).astype(float))


def _divide(numerator, denominator):
    out = np.full(np.shape(numerator), np.nan)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)


def _right_matrix(kind, outputs):
    """Formulas of right and wrong stand in the kernel."""
    counts = as_counts(outputs)
    with threads_for(10 * counts.both.size):
        return _pairs.measure_pairs(kind, counts.both, float(counts.total))


def _agreement(outputs):
    """Share of samples on which two members say the same, and how often each says what."""
    if isinstance(outputs, OutputCounts):
        return outputs.agreement
    outputs = as_outputs(outputs)
    outputs.need_votes("Agreement of labels")
    weight = None if outputs.sample_weight is None else exact_weights(outputs.sample_weight)
    total = outputs.n_samples if weight is None else weight.sum()
    shape = n, _ = outputs.votes.shape
    same = np.zeros((n, n))
    says = np.zeros((n, outputs.n_classes))
    for k in range(outputs.n_classes):
        if weight is None:
            label = np.full(outputs.n_samples, k, dtype=outputs.votes.dtype)
            both = PairCounts.from_words(pack_equal(outputs.votes, label), *shape).both
        else:
            chosen = (outputs.votes == k).astype(float)
            both = (chosen * weight) @ chosen.T
        same += both
        says[:, k] = np.diagonal(both)
    return same / total, says / total


@mean_over_pairs
def q_statistic(outputs: AnyOutputs) -> NDArray:
    """Yule's Q, averaged over pairs: association of being right, from -1 to 1.

    The mean of (N11 N00 - N10 N01) / (N11 N00 + N10 N01): zero for independent members, negative
    when they fail on different samples. NaN where no pair has both an agreement and a difference
    to compare. Meddouri, Khoufi and Maddouri (2012), equation 11.

    Examples
    --------
    >>> from counterpoint.diversity import q_statistic
    >>> q_statistic([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]])
    0.3333333333333333
    """
    return _right_matrix(_pairs.Q, outputs)


@mean_over_pairs
def correlation(outputs: AnyOutputs) -> NDArray:
    """Correlation of being right, averaged over pairs, from -1 to 1.

    NaN where every pair has a member that is always right or always wrong. Meddouri, Khoufi and
    Maddouri (2012), equation 12.

    Examples
    --------
    >>> from counterpoint.diversity import correlation
    >>> round(correlation([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]]), 4)
    0.1667
    """
    return _right_matrix(_pairs.CORRELATION, outputs)


@mean_over_pairs
def disagreement(outputs: AnyOutputs) -> NDArray:
    """Share of samples that just one of two members has right, averaged over pairs.

    From 0 (same failures) to 1; NaN for one member. Kuncheva and Whitaker (2003), section 2.1.3.

    Examples
    --------
    >>> from counterpoint.diversity import disagreement
    >>> disagreement([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]])
    0.4
    """
    return _right_matrix(_pairs.DISAGREEMENT, outputs)


@mean_over_pairs
def double_fault(outputs: AnyOutputs) -> NDArray:
    """Share of samples that two members both have wrong, averaged over pairs.

    From 0 (never wrong together) to 1; NaN for one member. Kuncheva and Whitaker (2003), section
    2.1.4.

    Examples
    --------
    >>> from counterpoint.diversity import double_fault
    >>> double_fault([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]])
    0.2
    """
    return _right_matrix(_pairs.DOUBLE_FAULT, outputs)


@mean_over_pairs
def kappa(outputs: AnyOutputs) -> NDArray:
    """Cohen's kappa on being right, averaged over pairs: agreement beyond chance, from -1 to 1.

    It is 2 (N11 N00 - N10 N01) divided by (N11 + N10)(N10 + N00) + (N11 + N01)(N01 + N00); NaN
    where both members of every pair are always right or always wrong. Meddouri, Khoufi and
    Maddouri (2012), equation 13, which lost a plus sign.

    Examples
    --------
    >>> from counterpoint.diversity import kappa
    >>> round(kappa([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]]), 4)
    0.1667
    """
    return _right_matrix(_pairs.KAPPA, outputs)


@mean_over_pairs
def covariance(outputs: AnyOutputs) -> NDArray:
    """Covariance of being right, averaged over pairs.

    From -1/4 to 1/4; NaN for one member. Wang and Yao (2010), equation 4.

    Examples
    --------
    >>> from counterpoint.diversity import covariance
    >>> round(covariance([[1, 1, 0, 0, 1], [1, 0, 1, 0, 1]]), 4)
    0.04
    """
    return _right_matrix(_pairs.COVARIANCE, outputs)


@mean_over_pairs
def label_kappa(outputs: MemberOutputs) -> NDArray:
    """Cohen's kappa on the labels themselves, averaged over pairs, from -1 to 1.

    Unlike :func:`kappa` it tells two members that fail in different ways from two that fail in
    the same way, and needs no truth. NaN where both members of every pair always say the same
    one class. Margineantu and Dietterich (1997), section 3.2.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.diversity import label_kappa
    >>> label_kappa(MemberOutputs([["a", "b", "c", "a"], ["a", "c", "b", "a"]]))
    0.2
    """
    same, says = _agreement(outputs)
    chance = says @ says.T
    # Two members that always say the same one class: agreement and chance are both 1.
    certain = np.isclose(chance, 1.0, rtol=0, atol=1e-12)
    return np.clip(_divide(same - chance, np.where(certain, 0.0, 1.0 - chance)), -1.0, 1.0)


@mean_over_pairs
def label_disagreement(outputs: MemberOutputs) -> NDArray:
    """Share of samples on which two members say different things, averaged over pairs.

    From 0 to 1; NaN for one member. Needs no truth.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.diversity import label_disagreement
    >>> label_disagreement(MemberOutputs([["a", "b", "c", "a"], ["a", "c", "b", "a"]]))
    0.5
    """
    return np.maximum(1.0 - _agreement(outputs)[0], 0.0)


@mean_over_pairs
def kappa_error(outputs: MemberOutputs) -> NDArray:
    """One number for a kappa-error diagram: label kappa times mean error, averaged over pairs.

    From -1 to 1, small when pairs are accurate, disagree, or both; NaN where
    :func:`label_kappa` is. Hong, Wang, Liu and Liu (2018), section 3.3 and figure 2.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.diversity import kappa_error
    >>> votes = [["a", "b", "c", "a"], ["a", "c", "b", "a"]]
    >>> kappa_error(MemberOutputs(votes, ["a", "b", "c", "a"]))
    0.05
    """
    if not isinstance(outputs, OutputCounts):
        outputs = as_outputs(outputs)
    errors = outputs.errors
    return label_kappa.matrix(outputs) * (errors[:, None] + errors[None, :]) / 2.0


def covariance_with_vote(outputs: MemberOutputs | ArrayLike) -> NDArray:
    """Covariance of each member with the vote of those before it, along training.

    Wang and Yao (2010), equation 4 and figure 1.

    Parameters
    ----------
    outputs : MemberOutputs or array-like of shape (n_members, n_samples)
        Members in the order they were trained; an array is taken as right/wrong flags.

    Returns
    -------
    ndarray of shape (n_members,)
        Entry t is cov(h_t, H^(t-1)), H^(t-1) the vote of the members before; NaN for the
        first, which has none before it.

    Examples
    --------
    >>> from counterpoint.diversity import covariance_with_vote
    >>> covariance_with_vote([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]])
    array([ nan,  0.  , -0.125])
    """
    outputs = as_outputs(outputs)
    correct, weight = outputs.correct, outputs.sample_weight
    covariances = np.full(outputs.n_members, np.nan)
    for t, summary in enumerate(growing_summaries(outputs), start=1):
        if t == outputs.n_members:
            break
        member, before = correct[t].astype(float), summary.wins.astype(float)
        covariances[t] = np.average(member * before, weights=weight) - np.average(
            member, weights=weight
        ) * np.average(before, weights=weight)
    return covariances
