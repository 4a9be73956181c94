"""Searching subsets by selection, crossing and mutation; fronts of two aims."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._interrupts import keep_partial
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_list, check_number
from counterpoint.selection.criteria import Criterion, WeightedSum, as_criterion
from counterpoint.selection.judge import make_judge, make_trace
from counterpoint.selection.search import select_forward
from counterpoint.selection.trace import Trace


def select_genetic(
    outputs: MemberOutputs,
    criterion: Any = "error",
    *,
    population: int = 40,
    n_generations: int = 40,
    mutation: float | None = None,
    progress: bool | None = None,
    random_state: Seed = None,
) -> Trace:
    """Evolve subsets of members: one bit per member says whether it is in.

    Parents win tournaments of two; children take each bit from either; bits flip now and then;
    the best two survive as they are. Ctrl-C ends the search and keeps the best so far.

    Parameters
    ----------
    outputs, criterion
        As for :func:`select_exhaustive`.
    population : int, default=40
        Subsets alive at a time, at least 4.
    n_generations : int, default=40
        Generations.
    mutation : float, default=None
        Chance that a bit flips. None is 1 over the number of members.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds the search.

    Returns
    -------
    Trace
        The best subset of each generation.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import select_genetic
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> float(select_genetic(outputs, random_state=0).errors.min())
    0.0
    """
    check_count(population, "population", low=4)
    check_count(n_generations, "n_generations")
    judge = make_judge(outputs, criterion)
    rng = check_random_state(random_state)
    n = outputs.n_members
    rate = 1.0 / n
    if mutation is not None:
        rate = check_number(mutation, "mutation", low=0, high=1, hint=", or None")
    known: dict[bytes, float] = {}

    def value(bits):
        if bits.tobytes() not in known:
            known[bits.tobytes()] = judge.value(np.flatnonzero(bits).tolist())
        return known[bits.tobytes()]

    alive = _not_empty(rng.random_sample((population, n)) < 0.5, rng)
    alive[0] = True  # the full pool is one to beat
    steps = []
    try:
        for _ in track(range(n_generations), description="Evolving", show=progress):
            values = np.array([value(bits) for bits in alive])
            # Of equals the smaller subset.
            order = np.lexsort((alive.sum(axis=1), values))
            alive, values = alive[order], values[order]
            steps.append(np.flatnonzero(alive[0]))
            pairs = rng.randint(population, size=(2, population - 2, 2)).min(axis=2)
            mask = rng.random_sample((population - 2, n)) < 0.5
            children = np.where(mask, alive[pairs[0]], alive[pairs[1]])
            children ^= rng.random_sample(children.shape) < rate
            alive = np.concatenate([alive[:2], _not_empty(children, rng)])
    except KeyboardInterrupt:
        if not steps:
            raise
        keep_partial(f"the search ended after {len(steps)} of {n_generations} generations.")
    return make_trace(judge, steps, "genetic")


def _not_empty(bits, rng):
    for row in np.flatnonzero(~bits.any(axis=1)):
        bits[row, rng.randint(bits.shape[1])] = True
    return bits


def pareto_front(
    outputs: MemberOutputs,
    criteria: Sequence = ("error", "disagreement"),
    *,
    n_weights: int = 11,
    n_members: int | None = None,
) -> pd.DataFrame:
    """Find subsets that no other found is better than in both of two aims.

    Forward searches are run on weighted sums of the two, from one aim alone to the other alone;
    of all subsets on their way the ones that are not beaten are kept.

    Parameters
    ----------
    outputs
        As for :func:`select_exhaustive`.
    criteria : pair of str, Criterion or Combiner, default=("error", "disagreement")
        "size" is the number of members.
    n_weights : int, default=11
        Weighted sums to search.
    n_members : int, default=None
        Largest size. None is the full pool.

    Returns
    -------
    DataFrame
        A row per subset: "first", "second" (lower is better in both), "size", "members"; by the
        first aim.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import pareto_front
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> pareto_front(outputs, ("error", "size"))["size"].tolist()
    [3, 1]
    """
    criteria = check_list(criteria, "criteria", "two criteria, such as ('error', 'size')")
    if len(criteria) != 2:
        raise ValueError(f"{len(criteria)} criteria were given: a front is of two.")
    check_count(n_weights, "n_weights")
    aims = [_Size() if isinstance(c, str) and c == "size" else as_criterion(c) for c in criteria]
    values: dict[tuple[int, ...], tuple[float, float]] = {}
    for share in np.linspace(0.0, 1.0, n_weights):
        both = WeightedSum(aims, [1.0 - share, share])
        for step in select_forward(outputs, both, n_members=n_members).steps:
            key = tuple(sorted(step.tolist()))
            if key not in values:
                part = outputs.take(np.array(key))
                values[key] = (aims[0].value(part), aims[1].value(part))
    rows = [(a, b, key) for key, (a, b) in values.items() if np.isfinite([a, b]).all()]
    kept = [
        (a, b, key)
        for a, b, key in rows
        if not any((c <= a and d <= b) and (c < a or d < b) for c, d, _ in rows)
    ]
    kept.sort(key=lambda row: -len(row[2]))  # of equals the last one put in stays: the smallest
    kept = sorted({(a, b): (a, b, key) for a, b, key in kept}.values())
    front = [(a, b, len(key), list(key)) for a, b, key in kept]
    return pd.DataFrame(front, columns=["first", "second", "size", "members"])


class _Size(Criterion):
    def value(self, outputs):
        return float(outputs.n_members)
