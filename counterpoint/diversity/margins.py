"""The vote itself: its error, its margins, its ambiguity, its good and bad diversity.

The vote is by the members' own weights (equal unless given), a tie goes to the first class.
From right/wrong flags alone, of shape (n_members, n_samples), a vote is right when more than half
of the members are.

References
----------
Schapire, Freund, Bartlett and Lee, "Boosting the margin", Annals of Statistics 26, 1998. Wang and
Yao, "The effectiveness of a new negative correlation learning algorithm for classification
ensembles", ICDM Workshops 2010. Brown and Kuncheva, "Good and bad diversity in majority vote
ensembles", MCS 2010.
"""

import numpy as np
from numpy.typing import NDArray

from counterpoint.diversity.inputs import Outputs, vote_summary


def member_error(outputs: Outputs) -> float:
    """Mean error of the members, by their say in the vote.

    Examples
    --------
    >>> from counterpoint.diversity import member_error
    >>> member_error([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.375
    """
    summary = vote_summary(outputs)
    return summary.mean(1.0 - summary.right)


def vote_error(outputs: Outputs) -> float:
    """Error of the members' vote.

    Examples
    --------
    >>> from counterpoint.diversity import vote_error
    >>> vote_error([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]])
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(~summary.wins)


def vote_margins(outputs: Outputs) -> NDArray:
    """Margin of the vote on each sample: votes for the truth less those for its best rival.

    Schapire, Freund, Bartlett and Lee (1998).

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    ndarray of shape (n_samples,)
        From -1 (all for one wrong class) to 1 (all right).

    Examples
    --------
    >>> from counterpoint.diversity import vote_margins
    >>> vote_margins([[1, 1, 0, 0], [1, 0, 1, 0]])
    array([ 1.,  0.,  0., -1.])
    """
    summary = vote_summary(outputs)
    return summary.right - summary.other


def margin_min(outputs: Outputs) -> float:
    """Smallest margin of the vote, from -1 to 1.

    Examples
    --------
    >>> from counterpoint.diversity import margin_min
    >>> margin_min([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.0
    """
    return float(vote_margins(outputs).min())


def margin_mean(outputs: Outputs) -> float:
    """Mean margin of the vote, from -1 to 1: Breiman's strength of a forest.

    Examples
    --------
    >>> from counterpoint.diversity import margin_mean
    >>> margin_mean([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.right - summary.other)


def margin_spread(outputs: Outputs) -> float:
    """Spread of the margin over samples: its standard deviation, from 0 to 1.

    Examples
    --------
    >>> from counterpoint.diversity import margin_spread
    >>> round(margin_spread([[1, 1, 0, 0], [1, 0, 1, 1]]), 4)
    0.433
    """
    summary = vote_summary(outputs)
    margin = summary.right - summary.other
    return float(np.sqrt(summary.mean((margin - summary.mean(margin)) ** 2)))


def ambiguity(outputs: Outputs) -> float:
    """Mean ambiguity: how much more often the vote is right than its members, from -1 to 1.

    On a sample it is [H = y] minus the share of members that are right, so its mean is the mean
    member error less the error of the vote: negative when voting hurts. Wang and Yao (2010),
    equation 1. For squared and other losses there is
    :func:`counterpoint.decomposition.ambiguity_decomposition`.

    Examples
    --------
    >>> from counterpoint.diversity import ambiguity
    >>> round(ambiguity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.1667
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.wins - summary.right)


def ambiguity_size(outputs: Outputs) -> float:
    """Mean size of the ambiguity: how far members stand from their vote, right or wrong.

    From 0 to 1; 1 less the mean penalty p of AdaBoost.NC. Wang and Yao (2010), equation 2.

    Examples
    --------
    >>> from counterpoint.diversity import ambiguity_size
    >>> round(ambiguity_size([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.3333
    """
    summary = vote_summary(outputs)
    return summary.mean(np.abs(summary.wins - summary.right))


def good_diversity(outputs: Outputs) -> float:
    """Good diversity: wrong votes on samples that the vote has right all the same, from 0 to 1.

    ``vote_error = member_error - good_diversity + bad_diversity``, exactly, for any number of
    classes and any weights. Brown and Kuncheva (2010).

    Examples
    --------
    >>> from counterpoint.diversity import good_diversity
    >>> round(good_diversity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.wins * (1.0 - summary.right))


def bad_diversity(outputs: Outputs) -> float:
    """Bad diversity: right votes wasted on samples that the vote has wrong, from 0 to 1.

    See :func:`good_diversity`. Brown and Kuncheva (2010).

    Examples
    --------
    >>> from counterpoint.diversity import bad_diversity
    >>> round(bad_diversity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.0833
    """
    summary = vote_summary(outputs)
    return summary.mean(~summary.wins * summary.right)
