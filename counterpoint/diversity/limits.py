"""What a vote can reach, from a few numbers about its members."""

from math import fsum

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from counterpoint._arrays import as_floats, check_member_weight
from counterpoint._ballot import exact_weights
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_count, check_number
from counterpoint.diversity.inputs import Outputs, as_counts, as_outputs


def independent_vote_error(error: float | ArrayLike, n_members: int | None = None) -> float:
    """Error of a majority vote of independent members on a two-class problem.

    Parameters
    ----------
    error : float or array-like of shape (n_members,)
        Error of every member, or one error for each.
    n_members : int, default=None
        Number of members, when ``error`` is one number.

    Returns
    -------
    float
        Chance that more than half of the members are wrong. A tie of an even number of
        members is taken as right.

    References
    ----------
    .. [1] Hansen and Salamon, "Neural network ensembles", IEEE PAMI 12, 1990: sum from
       floor(T/2) + 1 to T of binom(T, i) e^i (1 - e)^(T - i).

    Examples
    --------
    >>> from counterpoint.diversity import independent_vote_error
    >>> round(independent_vote_error(0.2, 5), 6)
    0.05792
    """
    errors = as_floats(error, "error", ("n_members",))
    _check_shares(errors, "error")
    if errors.ndim == 0:
        count = check_count(n_members, "n_members")
        return float(binom.sf(count // 2, count, errors))
    if n_members is not None and check_count(n_members, "n_members") != len(errors):
        raise ValueError(f"{len(errors)} errors given, but n_members={n_members}: leave it out.")
    wrong = np.array([1.0])  # wrong[k]: chance that k of the members so far are wrong
    for e in errors:
        wrong = np.append(wrong, 0.0) * (1.0 - e) + np.append(0.0, wrong) * e
    return float(wrong[len(errors) // 2 + 1 :].sum())


def vote_error_limits(errors: ArrayLike, *, margin: int = 0) -> tuple[float, float]:
    """Best and worst error of a majority vote whose members have these errors.

    Reached when wrong answers are spread in the best way (pattern of success: right by one
    vote, wrong by all) or the worst (pattern of failure). These hang by one vote; patterns that
    are stable win and lose by more.

    Parameters
    ----------
    errors : array-like of shape (n_members,)
        Error of each member, an odd number of them.
    margin : int, default=0
        Members that may change their mind without changing the vote: the best error if a sample
        counts as right only with so many right votes to spare, the worst if it counts as
        wrong only with so many wrong ones to spare.

    Returns
    -------
    best, worst : float

    References
    ----------
    .. [1] Matan, "On Voting Ensembles of Classifiers", AAAI-96 workshop, 1996.
    .. [2] Kuncheva, Whitaker, Shipp and Duin, "Limits on the Majority Vote Accuracy in
       Classifier Fusion", Pattern Analysis and Applications 6, 2003.
    .. [3] Ruta and Gabrys, "A Theoretical Analysis of the Limits of Majority Voting Errors for
       Multiple Classifier Systems", Pattern Analysis and Applications 5, 2002 (stable patterns).

    Examples
    --------
    Three members that are right 60 % of the time may vote 90 % right, or 40 %:

    >>> from counterpoint.diversity import vote_error_limits
    >>> best, worst = vote_error_limits([0.4, 0.4, 0.4])
    >>> round(best, 3), round(worst, 3)
    (0.1, 0.6)
    """
    errors = as_floats(errors, "errors", ("n_members",))
    if errors.ndim != 1 or len(errors) % 2 == 0:
        raise ValueError(
            f"errors has shape {errors.shape}: expected (n_members,) with an odd number of "
            "members, so that there are no ties."
        )
    _check_shares(errors, "errors")
    n = len(errors)
    check_count(margin, "margin", low=0, high=n // 2)
    need = (n + 1) // 2 + margin
    return float(1.0 - _at_least(1.0 - errors, need)), float(_at_least(errors, need))


def _at_least(shares, need):
    """Return the largest share of samples on which ``need`` of these events can happen together."""
    shares = np.sort(shares)
    spare = len(shares) - need
    return min(1.0, *(shares[: spare + m].sum() / m for m in range(1, need + 1)))


def variance_factor(correlation: float, n_members: int) -> float:
    """Variance of a mean of correlated members, as a share of one member's variance.

    Parameters
    ----------
    correlation : float
        Mean correlation delta between two members' predictions.
    n_members : int

    Returns
    -------
    float
        (1 + delta (N - 1)) / N: 1/N for independent members, 1 for copies.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles", PhD thesis, Bournemouth
       University, 2010, equation 2.9 (after Tumer and Ghosh).

    Examples
    --------
    >>> from counterpoint.diversity import variance_factor
    >>> variance_factor(0.0, 10), variance_factor(1.0, 10)
    (0.1, 1.0)
    """
    check_count(n_members, "n_members")
    check_number(correlation, "correlation")
    if n_members > 1 and not -1.0 / (n_members - 1) - 1e-12 <= correlation <= 1.0:
        raise ValueError(
            f"correlation={correlation}: {n_members} members cannot correlate less than "
            f"{-1.0 / (n_members - 1):.4g} nor more than 1 on average."
        )
    return (1.0 + correlation * (n_members - 1)) / n_members


def strength_and_correlation(outputs: MemberOutputs | ArrayLike) -> tuple[float, float]:
    """Breiman's strength s and correlation rho of an ensemble.

    Parameters
    ----------
    outputs : MemberOutputs or array-like of shape (n_members, n_samples)
        Votes on data the members did not train on. An array is taken as right/wrong flags.

    Returns
    -------
    strength : float
        Mean margin of the vote.
    correlation : float
        Variance of the margin over the squared mean standard deviation of one member's
        margin; NaN when no member's margin varies.

    References
    ----------
    .. [1] Breiman, "Random Forests", Machine Learning 45, 2001, section 2.2 and appendix II.

    Examples
    --------
    >>> from counterpoint.diversity import strength_and_correlation
    >>> s, rho = strength_and_correlation([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    >>> round(s, 4), round(rho, 4)
    (0.5, 0.1111)
    """
    outputs = as_outputs(outputs)
    weight = outputs.sample_weight
    right = outputs.correct
    if outputs.votes is None:
        rival = ~right
    else:
        others = outputs.tally.copy()
        others[np.arange(outputs.n_samples), outputs.y] = -1.0
        rival = outputs.votes == others.argmax(axis=1)
    say = outputs.say
    margin = say @ (right.astype(float) - rival) / say.sum()
    strength = np.clip(np.average(margin, weights=weight), -1.0, 1.0)  # but for rounding
    p_right = np.average(right, axis=1, weights=weight)
    p_rival = np.average(rival, axis=1, weights=weight)
    spreads = np.sqrt(np.maximum(p_right + p_rival - (p_right - p_rival) ** 2, 0.0))
    spread = fsum(say * spreads) / say.sum()
    if spread == 0:
        return float(strength), float("nan")
    varies = np.average((margin - strength) ** 2, weights=weight)
    return float(strength), float(varies / spread**2)


def forest_bound(
    outputs: MemberOutputs | ArrayLike | None = None,
    *,
    strength: float | None = None,
    correlation: float | None = None,
) -> float:
    """Breiman's bound on the error of a forest, rho (1 - s^2) / s^2.

    Breiman (2001), see :func:`strength_and_correlation`, theorem 2.3.

    Parameters
    ----------
    outputs : MemberOutputs or array-like of shape (n_members, n_samples), default=None
        Where to take strength and correlation from.
    strength, correlation : float, default=None
        The two numbers themselves, when there are no outputs.

    Returns
    -------
    float
        Often above 1, then it says nothing; NaN when the strength is not positive, where
        the bound does not exist.

    Examples
    --------
    >>> from counterpoint.diversity import forest_bound
    >>> round(forest_bound(strength=0.6, correlation=0.2), 4)
    0.3556
    """
    if outputs is not None:
        strength, correlation = strength_and_correlation(outputs)
    elif strength is None or correlation is None:
        raise ValueError("Pass outputs, or both strength and correlation.")
    else:
        strength = check_number(strength, "strength", low=-1, high=1)
        correlation = check_number(correlation, "correlation")
    if strength <= 0:
        return float("nan")
    if correlation == 0:
        return 0.0
    with np.errstate(over="ignore", divide="ignore"):  # hardly any strength: no bound
        return float(correlation * (1.0 - strength**2) / np.float64(strength**2))


def first_order_bound(outputs: Outputs, *, weights: ArrayLike | None = None) -> float:
    """Bound on the vote's error by twice the members' mean error.

    Parameters
    ----------
    outputs, weights
        As for :func:`tandem_bound`.

    Returns
    -------
    float
        2 E[L(h)]: blind to disagreement, unlike :func:`tandem_bound`.

    Examples
    --------
    >>> from counterpoint.diversity import first_order_bound
    >>> first_order_bound([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    0.5
    """
    wrong, weights = _wrong_together(outputs, weights)
    return 2.0 * fsum(weights * np.diagonal(wrong))


def tandem_bound(
    outputs: Outputs,
    *,
    weights: ArrayLike | None = None,
    delta: float | None = None,
    prior: ArrayLike | None = None,
) -> float:
    """Second-order bound on the vote's error: four times the mean tandem loss.

    The tandem loss of two members is how often both are wrong, so the bound falls when
    members fail apart. It needs only the double-fault matrix.

    Parameters
    ----------
    outputs : MemberOutputs, PairCounts or right/wrong flags (n_members, n_samples)
    weights : array-like of shape (n_members,), default=None
        Say of each member; None: that of the outputs, else equal.
    delta : float, default=None
        None bounds the error on these very samples (certain). A chance in (0, 1) bounds the
        error on new data with confidence 1 - delta, if the members never saw these samples.
    prior : array-like of shape (n_members,), default=None
        Say of each member before seeing the samples, for ``delta``; None: equal.

    Returns
    -------
    float
        May be above 1, then it says nothing.

    References
    ----------
    .. [1] Masegosa, Lorenzen, Igel and Seldin, "Second Order PAC-Bayesian Bounds for the
       Weighted Majority Vote", NeurIPS 2020, theorems 6 and 8.

    Examples
    --------
    Three members, each wrong a quarter of the time, never together:

    >>> from counterpoint.diversity import tandem_bound
    >>> round(tandem_bound([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]), 4)
    0.3333
    """
    wrong, weights = _wrong_together(outputs, weights)
    loss = _tandem(wrong, weights)
    if delta is None:
        return 4.0 * loss
    check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    n = float(as_counts(outputs).total)
    prior = check_member_weight(prior, len(weights))
    prior = np.ones(len(weights)) if prior is None else prior
    prior = prior / prior.sum()
    if (weights[prior == 0] > 0).any():
        raise ValueError("prior is zero for a member that has a say: the bound is then infinite.")
    used = weights > 0
    divergence = fsum(weights[used] * np.log(weights[used] / prior[used]))
    cost = 2.0 * divergence + np.log(2.0 * np.sqrt(n)) - np.log(delta)
    lam = 2.0 / (np.sqrt(2.0 * n * loss / cost + 1.0) + 1.0)
    return float(4.0 * (loss / (1.0 - lam / 2.0) + cost / (lam * (1.0 - lam / 2.0) * n)))


def c_bound(outputs: Outputs, *, weights: ArrayLike | None = None) -> float:
    """C-bound on the error of a two-class vote, from mean error and mean disagreement.

    Parameters
    ----------
    outputs, weights
        As for :func:`tandem_bound`.

    Returns
    -------
    float
        1 - (1 - 2 E[L])^2 / (1 - 2 E[D]); NaN when the mean error is one half or more,
        where it does not hold.

    References
    ----------
    .. [1] Germain, Lacasse, Laviolette, Marchand and Roy, "Risk Bounds for the Majority
       Vote", JMLR 16, 2015, theorem 2.

    Examples
    --------
    >>> from counterpoint.diversity import c_bound
    >>> round(c_bound([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]), 4)
    0.25
    """
    wrong, weights = _wrong_together(outputs, weights)
    error = fsum(weights * np.diagonal(wrong))
    disagree = 2.0 * (error - _tandem(wrong, weights))
    if error >= 0.5:
        return float("nan")
    return float(1.0 - (1.0 - 2.0 * error) ** 2 / (1.0 - 2.0 * disagree))


def _wrong_together(outputs, weights):
    counts = as_counts(outputs)
    if weights is None:
        weights = getattr(outputs, "weights", None)
    weights = check_member_weight(weights, counts.n_members)
    weights = np.ones(counts.n_members) if weights is None else exact_weights(weights)
    return counts.n00 / counts.total, weights / weights.sum()


def _tandem(wrong, weights):
    """Return the mean loss of two members; summed as if exactly, in any order of the members."""
    return fsum((weights * wrong * weights[:, None]).ravel())


def _check_shares(values, name):
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{name} must lie between 0 and 1; got {values}.")
