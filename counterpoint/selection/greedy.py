"""Greedy selection with replacement, bagged, and the weighted mean it comes to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint._predictions import MemberPredictions
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.combiners import WeightedMeanCombiner
from counterpoint.selection.judge import join_one_by_one, make_judge

# Better by less than this is not better.
_TOLERANCE = 1e-6


def bagged_weights(
    outputs: MemberOutputs,
    criterion: Any = None,
    *,
    n_members: int = 40,
    n_bags: int = 20,
    share: float = 0.5,
    bags: str = "members",
    random_state: Seed = None,
) -> NDArray:
    """Weigh members by how often greedy selection takes them, over bags of members or rows.

    In each bag a random part of the members takes part, or all are judged on a random part of the
    rows; in the first one all members on all rows. Members join, repeats allowed, and the step with
    the best value counts. Bags are averaged: a member that is taken by luck is taken in few of
    them. Bags of members are section 2.3 of [1]_, whose pools hold hundreds; of few members half
    may be the weak ones.

    Parameters
    ----------
    outputs : MemberOutputs or MemberPredictions
        With the truth, on data the members were not trained on.
    criterion : str, Criterion or Combiner, default=None
        See :func:`as_criterion`. None is the log-loss of the mean, for numbers its squared error.
    n_members : int, default=40
        Steps in each bag.
    n_bags : int, default=20
        Number of bags.
    share : float, default=0.5
        Share of the members, or rows, in a bag; at least two take part.
    bags : {"members", "rows"}, default="members"
        What a bag is a part of.
    random_state : int, RandomState instance or None, default=None
        Draws the bags.

    Returns
    -------
    ndarray of shape (n_members,)
        They add up to 1.

    References
    ----------
    .. [1] R. Caruana et al., "Ensemble selection from libraries of models", ICML 2004.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import bagged_weights
    >>> good, bad = [[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.5, 0.5]]
    >>> bagged_weights(MemberOutputs(proba=[good, bad], y=[1, 0]), random_state=0).tolist()
    [1.0, 0.0]
    """
    outputs = as_outputs(outputs, numbers=True)
    numbers = isinstance(outputs, MemberPredictions)
    if not numbers:
        outputs.need_votes("Selection")
    if criterion is None:
        criterion = "squared" if numbers else "log-loss"
    check_count(n_bags, "n_bags")
    check_number(share, "share", low=0, high=1, open_low=True)
    check_count(n_members, "n_members")
    check_choice(bags, "bags", ("members", "rows"))
    rng = check_random_state(random_state)
    # Of all rows one for all bags: what members say of the truth is read once; no trace is kept.
    judge = make_judge(outputs, criterion)
    n, counting = outputs.n_members, np.arange(outputs.n_samples)
    if outputs.sample_weight is not None:
        counting = np.flatnonzero(outputs.sample_weight)
    weights = np.zeros(n)
    for bag in range(n_bags):
        members = list(range(n))
        if bag and bags == "rows":
            size = max(2, round(share * len(counting)))
            rows = np.sort(rng.permutation(counting)[:size])
            judge = make_judge(outputs.take_rows(rows), criterion)
        elif bags == "members":
            size = n if bag == 0 else max(2, round(share * n))
            members = np.sort(rng.permutation(n)[:size]).tolist()
        steps, _, best = join_one_by_one(judge, members, n_members, replace=True, tol=_TOLERANCE)
        weights += np.bincount(steps[best], minlength=n) / len(steps[best])
    return weights / weights.sum()


class GreedyMeanCombiner(WeightedMeanCombiner):
    """Average probabilities, or numbers, with weights by bagged greedy selection.

    See :func:`bagged_weights`.

    Parameters
    ----------
    criterion, n_members, n_bags, share, bags, random_state
        As for :func:`bagged_weights`.

    Attributes
    ----------
    estimator_weights_ : ndarray of shape (n_members,)
        Not negative; they add up to 1.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import GreedyMeanCombiner
    >>> good, bad = [[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.5, 0.5]]
    >>> outputs = MemberOutputs(proba=[good, bad], y=[1, 0])
    >>> GreedyMeanCombiner(random_state=0).fit(outputs).estimator_weights_.tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        criterion: Any = None,
        *,
        n_members: int = 40,
        n_bags: int = 20,
        share: float = 0.5,
        bags: str = "members",
        random_state: Seed = None,
    ) -> None:
        self.criterion = criterion
        self.n_members = n_members
        self.n_bags = n_bags
        self.share = share
        self.bags = bags
        self.random_state = random_state

    def _weigh(self, outputs):
        return bagged_weights(
            outputs, self.criterion, n_members=self.n_members, n_bags=self.n_bags, share=self.share,
            bags=self.bags, random_state=self.random_state,
        )  # fmt: skip
