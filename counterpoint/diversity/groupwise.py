"""Measures of all members at once, from how many of them are right on each sample.

All are functions of one histogram: the weight of the samples that 0, 1, ..., T members have right.
So they can be taken from ``PairCounts`` merged over chunks, as well as from ``MemberOutputs`` or
plain right/wrong flags of shape (n_members, n_samples). They need at least two members; for one
they are NaN, save for the difficulty.

References
----------
Kuncheva and Whitaker, "Measures of diversity in classifier ensembles", Machine Learning 51, 2003.
"""

import numpy as np

from counterpoint.diversity.inputs import AnyOutputs, right_votes

NAN = float("nan")


def entropy(outputs: AnyOutputs) -> float:
    """Entropy measure E: how evenly members split into right and wrong.

    From 0 to 1, where on every sample half of the members are right; NaN for one member. Kuncheva
    and Whitaker (2003), equation 8.

    Examples
    --------
    >>> from counterpoint.diversity import entropy
    >>> entropy([[1, 1, 0], [1, 0, 1], [1, 1, 1]])
    0.6666666666666666
    """
    share, right, n = right_votes(outputs)
    if n < 2:
        return NAN
    return float(share @ np.minimum(right, n - right) / (n - -(-n // 2)))


def kohavi_wolpert_variance(outputs: AnyOutputs) -> float:
    """Kohavi-Wolpert variance: mean of l (T - l) / T^2, with l members right out of T.

    From 0 to 1/4, and equal to the mean pairwise disagreement times (T - 1) / (2T); NaN for one
    member. Kuncheva and Whitaker (2003), equations 12 and 17. It is about the members of one
    ensemble; :func:`counterpoint.decomposition.kohavi_wolpert` is about many trainings.

    Examples
    --------
    >>> from counterpoint.diversity import kohavi_wolpert_variance
    >>> round(kohavi_wolpert_variance([[1, 1, 0], [1, 0, 1], [1, 1, 1]]), 4)
    0.1481
    """
    share, right, n = right_votes(outputs)
    return NAN if n < 2 else float(share @ (right * (n - right)) / n**2)


def interrater_kappa(outputs: AnyOutputs) -> float:
    """Agreement of all members at once beyond chance (Fleiss's kappa of being right).

    1 for members that fail together; NaN for one member, or when all are always right or always
    wrong. Kuncheva and Whitaker (2003), equation 13.

    Examples
    --------
    >>> from counterpoint.diversity import interrater_kappa
    >>> round(interrater_kappa([[1, 1, 0], [1, 0, 1], [1, 1, 1]]), 4)
    -0.2857
    """
    share, right, n = right_votes(outputs)
    mean = share @ right / n
    # Compared as a variance: rounding must not turn 'always right' into 1/1e-17.
    if n < 2 or mean * (1 - mean) < 1e-15:
        return NAN
    return float(1.0 - share @ (right * (n - right)) / (n * (n - 1) * mean * (1 - mean)))


def coincidences(outputs: AnyOutputs) -> np.ndarray:
    """Share of the samples that 1, 2, ..., T members have wrong together, over all such groups.

    Entry r - 1 is the mean, over groups of r members, of the share of samples that all of them
    have wrong: the mean error of a member, the double fault of two, and so on. Coincidences of any
    order, where pairwise measures stop at the second: Ruta and Gabrys, "Set analysis of coincident
    errors and its applications for combining classifiers", 2003.

    Examples
    --------
    >>> from counterpoint.diversity import coincidences
    >>> coincidences([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]]).round(4)
    array([0.5   , 0.3333, 0.25  ])
    """
    share, right, n = right_votes(outputs)
    wrong = n - right
    together = np.ones(len(wrong))
    levels = np.empty(n)
    for r in range(n):
        # One more of those that are wrong, out of those that are left.
        together = together * np.maximum(wrong - r, 0) / (n - r)
        levels[r] = share @ together
    return levels


def difficulty(outputs: AnyOutputs) -> float:
    """Difficulty theta: variance over samples of the share of members that are right.

    From 0 to 1/4, small when no sample is hard for all. Kuncheva and Whitaker (2003), section
    2.2.4.

    Examples
    --------
    >>> from counterpoint.diversity import difficulty
    >>> round(difficulty([[1, 1, 0], [1, 0, 1], [1, 1, 1]]), 4)
    0.0247
    """
    share, right, n = right_votes(outputs)
    rate = right / n
    return float(share @ (rate - share @ rate) ** 2)


def generalized_diversity(outputs: AnyOutputs) -> float:
    """Generalized diversity: 1 - p(2) / p(1), failures of two against failures of one.

    1 when a failure never comes in pairs, 0 when always; NaN for one member or when nobody ever
    fails. Kuncheva and Whitaker (2003), section 2.2.5.

    Examples
    --------
    >>> from counterpoint.diversity import generalized_diversity
    >>> generalized_diversity([[1, 1, 0], [1, 0, 1], [1, 1, 1]])
    1.0
    """
    share, right, n = right_votes(outputs)
    wrong = n - right
    one = share @ wrong / n
    if n < 2 or one == 0:
        return NAN
    two = share @ (wrong * (wrong - 1)) / (n * (n - 1))
    return float(1.0 - two / one)


def coincident_failure_diversity(outputs: AnyOutputs) -> float:
    """Coincident failure diversity: 1 when failures are always of one member alone.

    From 0 to 1; 0 when nobody ever fails, as its authors define it; NaN for one member. Kuncheva
    and Whitaker (2003), section 2.2.6.

    Examples
    --------
    >>> from counterpoint.diversity import coincident_failure_diversity
    >>> coincident_failure_diversity([[1, 1, 0], [1, 0, 0], [1, 1, 1]])
    0.75
    """
    share, right, n = right_votes(outputs)
    if n < 2:
        return NAN
    some_wrong = share[:-1].sum()
    if some_wrong == 0:
        return 0.0  # as its authors define it: never wrong, never diverse
    return float(share[:-1] @ right[:-1] / ((n - 1) * some_wrong))
