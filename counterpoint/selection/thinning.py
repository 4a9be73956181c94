"""Thinning: members leave that help the vote least where it needs help."""

from typing import Any

import numpy as np

from counterpoint._outputs import MemberOutputs
from counterpoint.selection.judge import leave_one_by_one, make_judge
from counterpoint.selection.trace import Trace

# What a member earns on a sample: right where the vote is wrong, with it, and wrong with it.
_SAVES, _AGREES, _DRAGS = 2.0, 1.0, -2.0


def select_thinning(
    outputs: MemberOutputs, criterion: Any = "error", *, n_members: int | None = None
) -> Trace:
    """Let members leave one at a time, each the one that concurs least with what is needed.

    A member earns 2 on samples it has right and the vote wrong, 1 where both are right, and loses
    2 where both are wrong; the one with the least leaves, and the vote is taken again.
    Concurrency thinning of [1]_.

    Parameters
    ----------
    outputs, n_members
        As for :func:`select_backward`.
    criterion : str, Criterion or Combiner, default="error"
        Chooses among the steps; who leaves does not depend on it. See :func:`as_criterion`.

    Returns
    -------
    Trace
        The full pool first; the best step is chosen.

    References
    ----------
    .. [1] R. E. Banfield, L. O. Hall, K. W. Bowyer and W. P. Kegelmeyer, "Ensemble diversity
       measures and their application to thinning", Information Fusion 6, 2005.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_thinning
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [1, 0, 0]], [0, 1, 1])
    >>> [step.tolist() for step in select_thinning(outputs).steps]
    [[0, 1, 2], [0, 1], [1]]
    """
    judge = make_judge(outputs, criterion)

    def worst(chosen):
        wrong = judge.tally(chosen).argmax(axis=1) != outputs.y
        right = outputs.correct[chosen]
        earned = right @ (judge.weight * np.where(wrong, _SAVES, _AGREES))
        earned += ~right @ (judge.weight * np.where(wrong, _DRAGS, 0.0))
        # Weights that add up to 1 round: of equals the last in the pool leaves.
        return int(np.flatnonzero(earned <= earned.min() + 1e-12)[-1])

    return leave_one_by_one(judge, n_members, "thinning", worst)
