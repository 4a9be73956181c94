"""What rows drawn by lot would have promised, where groups or a splitter say which are held out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Of the seconds of all members tried, and of what is left of a limit, what this may take.
_SHARE, _OF_LEFT = 0.25, 0.1


@dataclass(frozen=True)
class ByLot:
    """The least loss of some members on rows held out as they were, and on rows drawn by lot.

    Attributes
    ----------
    members : tuple of str
        Who was asked, both times.
    here, by_lot : float
        Share of wrong answers of the best one; of numbers the root of the mean squared error.
    """

    members: tuple[str, ...]
    here: float
    by_lot: float


def promised_by_lot(trying: Any) -> ByLot | None:
    """Ask the quickest of the members tried about rows drawn by lot.

    None where rows are held out by lot anyway, or where there is no time. Both times the parts are
    of the same sizes, so what differs is which rows they hold. Of several members the best one
    counts each time: one that remembers rows is best on those drawn by lot, and would be taken.
    """
    plan, done = trying.plan, trying.done
    if plan.blocks is None:
        return None
    quick = sorted((k for k in done if trying.can_learn(k)), key=lambda k: done[k].seconds)
    most = _SHARE * sum(trial.seconds for trial in done.values())
    together = np.cumsum([done[k].seconds for k in quick])
    # Not by the stream of seeds: what is looked at must not change what is found.
    lot = np.random.RandomState(0).permutation(len(trying.y))
    found: list[tuple[str, float, float]] = []
    for k, seconds in zip(quick, together, strict=True):
        late = not trying.budget.affords(done[k].seconds, share=_OF_LEFT)
        if late or (found and seconds > most):
            break
        splits = [(lot[train], lot[test]) for train, test in plan.splits(done[k].n_rows)]
        answers = trying.answers_on(k, splits)
        if answers is not None:
            rows = np.concatenate([test for _, test in splits])
            here = _loss(trying, done[k].answers, plan.asked)
            found.append((trying.members[k].name, here, _loss(trying, answers, rows)))
    if not found:
        return None
    members, here, by_lot = zip(*found, strict=True)
    return ByLot(members, min(here), min(by_lot))


def _loss(trying: Any, answers: NDArray, rows: NDArray) -> float:
    y, weight = trying.y[rows], trying.sample_weight
    weight = None if weight is None else weight[rows]
    if answers.ndim == 2:
        return float(np.average(answers.argmax(axis=1) != y, weights=weight))
    return float(np.sqrt(np.average((answers - y) ** 2, weights=weight)))
