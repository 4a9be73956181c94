"""Whether an ensemble is worth it.

All take ``MemberOutputs``, or plain right/wrong flags of shape (n_members, n_samples).

References
----------
Theisen, Kim, Yang, Hodgkinson and Mahoney, "When are ensembles really effective?", NeurIPS 2023.
"""

import warnings
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint.diversity.inputs import Outputs, as_outputs, vote_summary
from counterpoint.diversity.pairwise import q_statistic
from counterpoint.exceptions import RedundancyWarning

# Six tabular foundation models that gained next to nothing from each other had a mean Q of 0.96.
REDUNDANT_Q = 0.95


def disagreement_error_ratio(outputs: Outputs) -> float:
    """Disagreement of two members over their mean error: how much a vote could gain, from 0 to 2.

    Two members are drawn one after the other, with return, by their say in the vote. Above 1 a
    vote is sure to gain much, well below it little; NaN when no member is ever wrong. Theisen et
    al. (2023), definition 2.

    Examples
    --------
    >>> from counterpoint.diversity import disagreement_error_ratio
    >>> round(disagreement_error_ratio([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]), 4)
    1.3333
    """
    summary = vote_summary(outputs)
    error = summary.mean(1.0 - summary.right)
    return summary.mean(summary.disagree) / error if error > 0 else float("nan")


def improvement_rate(outputs: Outputs) -> float:
    """Share of the members' mean error that the vote takes away.

    1 when the vote is never wrong, negative when voting hurts; NaN when no member is ever wrong.
    Theisen et al. (2023), definition 1.

    Examples
    --------
    >>> from counterpoint.diversity import improvement_rate
    >>> improvement_rate([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    1.0
    """
    summary = vote_summary(outputs)
    error = summary.mean(1.0 - summary.right)
    return 1.0 - summary.mean(~summary.wins) / error if error > 0 else float("nan")


def is_competent(outputs: Outputs) -> bool:
    """Whether close votes are won at least as often as lost, at every closeness.

    The condition under which the disagreement-error ratio bounds the gain of a vote: with W the
    share of members that are wrong, P(t <= W < 1/2) >= P(1/2 <= W <= 1 - t) for every t from 0 to
    1/2. Theisen et al. (2023), assumption 1.

    Examples
    --------
    >>> from counterpoint.diversity import is_competent
    >>> is_competent([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    True
    """
    summary = vote_summary(outputs)
    wrong = np.round(1.0 - summary.right, 12)  # shares: 1 - 2/3 and 1/3 must be the same t
    weight = np.ones(len(wrong)) if summary.sample_weight is None else summary.sample_weight
    for t in np.unique(np.minimum(wrong, np.round(1.0 - wrong, 12))):
        won = weight[(wrong >= t) & (wrong < 0.5)].sum()
        lost = weight[(wrong >= 0.5) & (wrong <= np.round(1.0 - t, 12))].sum()
        if lost > won:
            return False
    return True


@dataclass(frozen=True)
class Worth:
    """What an ensemble adds to its members; made by :func:`worth`.

    Attributes
    ----------
    member_error, best_member_error, vote_error : float
        Mean and smallest error of a member, error of the vote or of the answers given.
    improvement_rate, disagreement_error_ratio : float
        What the vote gained, and how much there was to gain.
    gain_low, gain_high : float
        Limits the ratio sets to the improvement rate, for competent ensembles.
    competent : bool
        See :func:`is_competent`.
    mean_q : float
        Mean Q statistic.
    verdict : str
        The same in a sentence.
    """

    member_error: float
    best_member_error: float
    vote_error: float
    improvement_rate: float
    disagreement_error_ratio: float
    gain_low: float
    gain_high: float
    competent: bool
    mean_q: float
    verdict: str

    def table(self) -> dict[str, float]:
        """Return everything by name: for a data frame, the terminal, JSON."""
        return asdict(self)


def worth(
    outputs: MemberOutputs | OutputCounts | ArrayLike, answers: ArrayLike | None = None
) -> Worth:
    """Say whether the members' disagreement pays.

    Warns with ``RedundancyWarning`` when the members are so alike (mean Q above 0.95) that
    one of them would do. For competent ensembles of K classes, DER >= EIR >= 2 (K - 1) / K * DER -
    (3K - 4) / K: Theisen et al. (2023), theorem 1.

    Parameters
    ----------
    outputs : MemberOutputs, OutputCounts or array-like of shape (n_members, n_samples)
        Outputs on data the members were not trained on. An array is taken as right/wrong
        flags.
    answers : array-like of shape (n_samples,), default=None
        Labels that the ensemble itself gives; None: the vote of the members.

    Returns
    -------
    Worth

    Examples
    --------
    >>> from counterpoint.diversity import worth
    >>> print(worth([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]).verdict)
    The vote errs 0.0 %, its members 25.0 % on average: it takes away 100 % of their error. It
    beats its best member (25.0 %).
    """
    if not isinstance(outputs, OutputCounts):
        outputs = as_outputs(outputs)
    summary = vote_summary(outputs, answers)
    ratio, rate = disagreement_error_ratio(summary), improvement_rate(summary)
    members = summary.mean(1.0 - summary.right)
    vote, best = summary.mean(~summary.wins), float(outputs.errors.min())
    k = 2 if summary.n_classes is None else max(summary.n_classes, 2)
    mean_q = q_statistic(outputs)
    redundant = mean_q > REDUNDANT_Q
    if redundant:
        warnings.warn(
            f"The mean Q statistic of these {outputs.n_members} members is {mean_q:.3f}: they are "
            "right and wrong on the same samples, and one of them would do. Make them differ: "
            "other learners, other columns, other data.",
            RedundancyWarning,
            stacklevel=2,
        )
    return Worth(
        member_error=members,
        best_member_error=best,
        vote_error=vote,
        improvement_rate=rate,
        disagreement_error_ratio=ratio,
        gain_low=2.0 * (k - 1) / k * ratio - (3.0 * k - 4.0) / k,
        gain_high=ratio,
        competent=is_competent(summary),
        mean_q=mean_q,
        verdict=_verdict(members, best, vote, rate, redundant, voted=answers is None),
    )


def _verdict(members, best, vote, rate, redundant, *, voted):
    who, doing = ("vote", "voting") if voted else ("ensemble", "combining")
    if np.isnan(rate):
        return f"No member is ever wrong on these samples: there is nothing {doing} could improve."
    text = f"The {who} errs {vote:.1%}, its members {members:.1%} on average: ".replace("%", " %")
    if np.isclose(rate, 0.0, atol=1e-9):
        text += f"{doing} changes nothing. "
    elif f"{vote:.1%}" == f"{members:.1%}":
        text += f"{doing} changes next to nothing. "
    elif rate > 0:
        text += f"it takes away {rate:.0%} of their error. ".replace("%", " %")
    else:
        text += f"{doing} makes it worse. "
    # Both are shares of the same samples, but summed up in another order.
    equal = np.isclose(vote, best, rtol=0, atol=1e-9)
    than_best = "equals" if equal else "beats" if vote < best else "does not reach"
    text += f"It {than_best} its best member ({best:.1%}).".replace("%", " %")
    return text + (" The members are nearly copies of each other." if redundant else "")
