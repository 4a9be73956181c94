"""Abstaining: answer only where members agree enough, with the error of the answers guaranteed.

Geifman and El-Yaniv (2017): of rows sorted by how sure the ensemble is, the largest part is
answered whose error, by an exact binomial limit, stays below the risk asked for.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from counterpoint._arrays import check_vector
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice, check_number
from counterpoint.trust.inputs import (
    check_same,
    disagreement,
    ensemble_proba,
    need_outputs,
    row_weight,
    votes_against,
)

#: How unsure an ensemble is about each sample, by name: more is less sure.
DOUBTS = {
    "against": votes_against,
    "disagreement": disagreement,
    "confidence": lambda outputs: 1.0 - ensemble_proba(outputs).max(axis=1),
    "margin": lambda outputs: -np.diff(np.sort(ensemble_proba(outputs), axis=1)[:, -2:])[:, 0],
}


def doubt_of(outputs: MemberOutputs, doubt: "str | ArrayLike") -> NDArray:
    """Return how unsure the ensemble is, by name or as given, (n_samples,)."""
    if isinstance(doubt, str):
        return DOUBTS[check_choice(doubt, "doubt", DOUBTS)](outputs)
    return check_vector(doubt, "doubt", outputs.n_samples, "sample")


def selective_curve(
    outputs: MemberOutputs, *, doubt: "str | ArrayLike" = "confidence"
) -> pd.DataFrame:
    """Return the error among the samples the ensemble is surest of, for every share of them.

    Parameters
    ----------
    outputs : MemberOutputs
        With ``y``.
    doubt : {"confidence", "margin", "against", "disagreement"} or array-like of shape \
(n_samples,), default="confidence"
        One minus the largest probability, less the gap to the second; the share of votes against
        the answer; the chance that two members differ; or numbers of your own, more for less sure.

    Returns
    -------
    DataFrame
        A row per distinct doubt: "doubt", the "coverage" (share of samples up to it) and the
        "error" among these. ``attrs["area"]`` is the area under error over coverage, in which a
        sample counts for the mean error of its equals.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import selective_curve
    >>> outputs = MemberOutputs([[0, 1, 1], [0, 1, 0], [0, 1, 0]], [0, 1, 1])
    >>> selective_curve(outputs, doubt="against").round(2)
       doubt  coverage  error
    0   0.00      0.67   0.00
    1   0.33      1.00   0.33
    """
    need_outputs(outputs, "outputs", truth=True)
    value = doubt_of(outputs, doubt)
    wrong = ensemble_proba(outputs).argmax(axis=1) != outputs.y
    weight = row_weight(outputs)
    levels, at = np.unique(value, return_inverse=True)
    mass = np.bincount(at, weights=weight, minlength=len(levels))
    lost = np.bincount(at, weights=weight * wrong, minlength=len(levels))
    reached = mass.cumsum()
    with np.errstate(invalid="ignore"):
        error = np.where(reached > 0, lost.cumsum() / reached, np.nan)
    coverage = reached / mass.sum()
    frame = pd.DataFrame({"doubt": levels, "coverage": coverage, "error": error})
    frame.attrs["area"] = float(np.nansum(error * np.diff(coverage, prepend=0.0)))
    return frame


@dataclass(frozen=True, kw_only=True, eq=False)
class AbstentionRule:
    """Answer where doubt is at most ``threshold``; made by :func:`guarantee_risk`.

    Attributes
    ----------
    threshold : float
        NaN if the risk cannot be guaranteed for any part of the samples.
    risk, confidence : float
        What was asked for.
    bound : float
        The error of answered samples is below this with that confidence.
    coverage, error : float
        Share of the reference that is answered, and the error there.
    n_answered : int
    """

    threshold: float
    risk: float
    confidence: float
    bound: float
    coverage: float
    error: float
    n_answered: int
    doubt: "str | ArrayLike"
    reference: MemberOutputs

    def accept(self, new: MemberOutputs, doubt: ArrayLike | None = None) -> NDArray:
        """Return which samples to answer, (n_samples,), bool."""
        need_outputs(new, "new")
        check_same(self.reference, new)
        if doubt is None and not isinstance(self.doubt, str):
            raise ValueError("The rule was made of numbers of your own: pass doubt= of these, too.")
        given = self.doubt if doubt is None else doubt
        return doubt_of(new, given) <= self.threshold


def guarantee_risk(
    reference: MemberOutputs,
    *,
    risk: float = 0.05,
    confidence: float = 0.95,
    doubt: "str | ArrayLike" = "confidence",
) -> AbstentionRule:
    """Find how unsure the ensemble may be and still keep the error of its answers below ``risk``.

    The part of the samples that is answered is searched for in ``ceil(log2 n)`` steps; each uses
    its share of ``1 - confidence`` for an exact limit of Clopper and Pearson, so that all hold
    together ([1]_, algorithm 2).

    Parameters
    ----------
    reference : MemberOutputs
        With ``y``, on samples that the members were not trained on, unweighted.
    risk : float, default=0.05
        The error among answered samples must stay below this.
    confidence : float, default=0.95
        Chance that it does, over draws of the reference, if new samples come from where it came
        from.
    doubt : str or array-like, default="confidence"
        As for :func:`selective_curve`.

    Returns
    -------
    AbstentionRule

    References
    ----------
    .. [1] Y. Geifman and R. El-Yaniv, "Selective classification for deep neural networks", NIPS
       2017.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import guarantee_risk
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=1000)
    >>> votes = np.where(rng.random((9, 1000)) < 0.7, y, 1 - y)
    >>> rule = guarantee_risk(MemberOutputs(votes, y), risk=0.05, doubt="against")
    >>> rule.bound <= 0.05, 0.3 < rule.coverage < 0.9
    (True, True)
    """
    need_outputs(reference, "reference", truth=True)
    check_number(risk, "risk", low=0, high=1, open_low=True, open_high=True)
    check_number(confidence, "confidence", low=0, high=1, open_low=True, open_high=True)
    if reference.sample_weight is not None:
        raise ValueError(
            "A guarantee counts samples, each once: build reference= without sample_weight."
        )
    value = doubt_of(reference, doubt)
    wrong = ensemble_proba(reference).argmax(axis=1) != reference.y
    n = reference.n_samples
    order = np.sort(value)
    steps = max(int(np.ceil(np.log2(n))), 1) if n > 1 else 1
    each = (1 - confidence) / steps
    best = None
    low, high = 0, n - 1
    for _ in range(steps):
        middle = (low + high + 1) // 2
        threshold = order[middle]
        answered = value <= threshold
        m, k = int(answered.sum()), int(wrong[answered].sum())
        bound = upper_limit(k, m, each)
        if bound <= risk:
            best = (float(threshold), bound, m, k)
            low = middle
        else:
            high = max(middle - 1, 0)
    threshold, bound, m, k = best if best is not None else (np.nan, np.nan, 0, 0)
    return AbstentionRule(
        threshold=threshold, risk=risk, confidence=confidence, bound=bound, coverage=m / n,
        error=k / m if m else np.nan, n_answered=m, doubt=doubt, reference=reference,
    )  # fmt: skip


def upper_limit(k: int, n: int, level: float) -> float:
    """Return the upper limit of Clopper and Pearson (1934) of a rate: k of n, missed by level."""
    return 1.0 if k >= n else float(betaincinv(k + 1, n - k, 1 - level))
