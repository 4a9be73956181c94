"""The vote itself: its error, its margins, its ambiguity, its good and bad diversity.

The vote is by the members' own weights (equal unless given), a tie goes to the first class.
From right/wrong flags alone, a vote is right when more than half of the members are.
"""

import numpy as np

from counterpoint.diversity.inputs import vote_summary

__all__ = [
    "ambiguity",
    "ambiguity_size",
    "bad_diversity",
    "good_diversity",
    "margin_mean",
    "margin_min",
    "margin_spread",
    "member_error",
    "vote_error",
    "vote_margins",
]


def member_error(outputs):
    """Mean error of the members, by their say in the vote.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> from counterpoint.diversity import member_error
    >>> member_error([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.375
    """
    summary = vote_summary(outputs)
    return summary.mean(1.0 - summary.right)


def vote_error(outputs):
    """Error of the members' vote.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> from counterpoint.diversity import vote_error
    >>> vote_error([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]])
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(~summary.wins)


def vote_margins(outputs):
    """Margin of the vote on each sample: votes for the truth less those for its best rival.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    ndarray of shape (n_samples,)
        From -1 (all for one wrong class) to 1 (all right).

    References
    ----------
    .. [1] Schapire, Freund, Bartlett and Lee, "Boosting the margin", Annals of Statistics 26,
       1998.

    Examples
    --------
    >>> from counterpoint.diversity import vote_margins
    >>> vote_margins([[1, 1, 0, 0], [1, 0, 1, 0]])
    array([ 1.,  0.,  0., -1.])
    """
    summary = vote_summary(outputs)
    return summary.right - summary.other


def margin_min(outputs):
    """Smallest margin of the vote.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> from counterpoint.diversity import margin_min
    >>> margin_min([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.0
    """
    summary = vote_summary(outputs)
    return float((summary.right - summary.other).min())


def margin_mean(outputs):
    """Mean margin of the vote: Breiman's strength of a forest.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> from counterpoint.diversity import margin_mean
    >>> margin_mean([[1, 1, 0, 0], [1, 0, 1, 1]])
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.right - summary.other)


def margin_spread(outputs):
    """Spread of the margin over samples: its standard deviation.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> from counterpoint.diversity import margin_spread
    >>> round(margin_spread([[1, 1, 0, 0], [1, 0, 1, 1]]), 4)
    0.433
    """
    summary = vote_summary(outputs)
    margin = summary.right - summary.other
    return float(np.sqrt(summary.mean((margin - summary.mean(margin)) ** 2)))


def ambiguity(outputs):
    """Mean ambiguity: how much more often the vote is right than its members.

    On a sample it is [H = y] minus the share of members that are right, so its mean is the
    mean member error less the error of the vote.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From -1 to 1; negative when voting hurts.

    References
    ----------
    .. [1] Wang and Yao, "The Effectiveness of a New Negative Correlation Learning Algorithm
       for Classification Ensembles", ICDMW 2010, equation 1.

    Examples
    --------
    >>> from counterpoint.diversity import ambiguity
    >>> round(ambiguity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.1667
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.wins - summary.right)


def ambiguity_size(outputs):
    """Mean size of the ambiguity: how far members stand from their vote, right or wrong.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From 0 to 1; 1 less the mean penalty p of AdaBoost.NC.

    References
    ----------
    .. [1] Wang and Yao, ICDMW 2010, equation 2.

    Examples
    --------
    >>> from counterpoint.diversity import ambiguity_size
    >>> round(ambiguity_size([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.3333
    """
    summary = vote_summary(outputs)
    return summary.mean(np.abs(summary.wins - summary.right))


def good_diversity(outputs):
    """Good diversity: wrong votes on samples that the vote has right all the same.

    ``vote_error = member_error - good_diversity + bad_diversity``, exactly, for any number of
    classes and any weights.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    .. [1] Brown and Kuncheva, "Good and Bad Diversity in Majority Vote Ensembles", MCS 2010.

    Examples
    --------
    >>> from counterpoint.diversity import good_diversity
    >>> round(good_diversity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.25
    """
    summary = vote_summary(outputs)
    return summary.mean(summary.wins * (1.0 - summary.right))


def bad_diversity(outputs):
    """Bad diversity: right votes wasted on samples that the vote has wrong.

    Parameters
    ----------
    outputs : MemberOutputs or right/wrong flags (n_members, n_samples)

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    .. [1] Brown and Kuncheva, MCS 2010.

    Examples
    --------
    >>> from counterpoint.diversity import bad_diversity
    >>> round(bad_diversity([[1, 1, 0, 0], [1, 0, 1, 1], [0, 1, 1, 0]]), 4)
    0.0833
    """
    summary = vote_summary(outputs)
    return summary.mean(~summary.wins * summary.right)
