"""What members are worth under a rule: how the error grows with them, and without each."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import (
    LOSSES,
    AdditiveCombiner,
    Combiner,
    as_shares,
    check_combiner,
    mean_loss,
    winner,
)
from counterpoint.combiners.ensembles import StagedCombiner
from counterpoint.combiners.fixed import VoteCombiner

# Below this a share of the truth counts as this in log-losses.
_LEAST = 1e-6


def member_contributions(
    outputs: MemberOutputs, combiner: Combiner | None = None, *, loss: str = "error"
) -> pd.DataFrame:
    """Tell what each member of an ensemble is worth, alone and to the others.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth, on data the members were not trained on.
    combiner : Combiner, default=None
        The fitted rule of the ensemble. None takes the one the outputs carry, or else their
        (weighted) vote.
    loss : {"error", "log-loss", "squared"}, default="error"
        In what "adds" is counted: share of wrong answers, mean -log of the share given to the
        truth, or mean squared distance to it.

    Returns
    -------
    DataFrame
        A row per member: "member", its name; "error", of its votes alone; "weight", its share in
        the rule; "adds", how much the loss of the ensemble rises when it falls silent (the other
        weights keep their proportions), NaN for one member alone and for members that build on
        each other; "disagrees", the share of samples on which it differs from the ensemble.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import member_contributions
    >>> outputs = MemberOutputs([[0, 1, 1], [0, 1, 0], [1, 1, 1]], [0, 1, 1])
    >>> member_contributions(outputs)["adds"].round(3).tolist()
    [0.333, 0.0, 0.333]
    """
    check_choice(loss, "loss", LOSSES)
    rule = _rule(outputs, combiner)
    support = rule.combine(outputs)
    answer = winner(support)
    adds = np.full(outputs.n_members, np.nan)
    if outputs.n_members > 1 and not isinstance(rule, StagedCombiner):
        whole = _loss(support, outputs, loss)
        for member in range(outputs.n_members):
            adds[member] = _loss(rule.silence(member, outputs, support), outputs, loss) - whole
    weight = outputs.sample_weight
    return pd.DataFrame(
        {
            "member": outputs.names,
            "error": outputs.errors,
            "weight": rule.shares(outputs),
            "adds": adds,
            "disagrees": [np.average(v != answer, weights=weight) for v in outputs.votes],
        }
    )


def growth(outputs: MemberOutputs, combiner: Combiner | None = None) -> NDArray:
    """Return the error of the first 1, 2, ... members together.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth.
    combiner : Combiner, default=None
        The fitted rule. None takes the one the outputs carry, or else their (weighted) vote.

    Returns
    -------
    ndarray of shape (n_members,)

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import growth
    >>> growth(MemberOutputs([[0, 0, 1], [0, 1, 0], [1, 1, 1]], [0, 1, 1])).round(3).tolist()
    [0.333, 0.667, 0.0]
    """
    rule = _rule(outputs, combiner)
    if isinstance(rule, StagedCombiner):
        return np.average(rule.stages_ != outputs.y, axis=1, weights=outputs.sample_weight)
    if isinstance(rule, AdditiveCombiner):
        total, errors = 0.0, []
        for member, share in enumerate(rule.shares(outputs)):
            total = total + share * rule.addend(member, outputs)
            errors.append(_loss(total, outputs, "error"))
        return np.array(errors)
    errors = []
    for k in range(1, outputs.n_members):
        first = np.arange(k)
        support = rule.keep(first, outputs).combine(outputs.take(first))
        errors.append(_loss(support, outputs, "error"))
    return np.array([*errors, _loss(rule.combine(outputs), outputs, "error")])


def _rule(outputs, combiner):
    outputs = as_outputs(outputs)
    outputs.need_votes("What members are worth")
    outputs.need_truth()
    rule = outputs.combiner if combiner is None else combiner
    return VoteCombiner() if rule is None else check_combiner(rule)


def _loss(support, outputs, loss):
    if loss == "error":
        return float(np.average(winner(support) != outputs.y, weights=outputs.sample_weight))
    return mean_loss(as_shares(support), outputs, loss, _LEAST)
