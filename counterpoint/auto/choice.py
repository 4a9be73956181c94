"""Choosing how to combine, by cross-validation on cross-fitted outputs."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from counterpoint._outputs import MemberOutputs
from counterpoint.combiners import (
    BlendCombiner,
    Combiner,
    StackingCombiner,
    TemperedCombiner,
    WeightedMeanCombiner,
)
from counterpoint.combiners.combiner import losses, mean_loss
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.selection import GreedyMeanCombiner

# Below this a share of the truth counts as this in log-losses.
LEAST = 1e-6


def make_rules(random_state: Any = None) -> dict[str, Combiner]:
    """Return the ways to combine that are tried; the first, unless another is clearly better."""
    parts: dict[str, Combiner] = {
        "best third": WeightedMeanCombiner("best-third"),
        "greedy": GreedyMeanCombiner(random_state=random_state),
        # Strongly held back: members say much the same.
        "stacking": StackingCombiner(LogisticRegression(C=0.02, max_iter=1000), use="log-odds"),
    }
    return {
        "blend": BlendCombiner(list(parts.values())),
        "best alone": WeightedMeanCombiner("best"),
        **parts,
    }


def choose_rule(
    outputs: MemberOutputs, random_state: Any = None
) -> tuple[str, TemperedCombiner, pd.DataFrame, NDArray]:
    """Choose how to combine by cross-validation on cross-fitted outputs.

    The first rule is taken unless another has a lower log-loss by more than one standard error
    of their difference. Returned are its name, the rule fitted on all rows, the losses of all
    rules on rows they did not learn from, and what the whole procedure, choice included, says
    about rows it did not see, (n_samples, n_classes).
    """
    rng = check_random_state(random_state)
    folds = list(_folds(outputs.y, rng))
    names = list(make_rules())
    shares = {name: np.empty((outputs.n_samples, outputs.n_classes)) for name in names}
    for train, test in folds:
        seen, unseen = outputs.take_rows(train), outputs.take_rows(test)
        powers = tempers(seen)
        seen, unseen = temper(seen, powers), temper(unseen, powers)
        # Bags go on in one stream of random numbers; the blend's parts are among the others, and
        # nothing is to be learnt twice.
        rules = make_rules(rng)
        for name in names[1:]:
            shares[name][test] = rules[name].fit(seen).combine(unseen)
    parts = [shares[name] for name in ("best third", "greedy", "stacking")]
    shares["blend"] = np.mean(parts, axis=0)
    each = {name: losses(share, outputs, "log-loss", LEAST) for name, share in shares.items()}
    weight = outputs.sample_weight
    # The rule for a fold is chosen by the other folds, as it will be for new data.
    honest = np.empty((outputs.n_samples, outputs.n_classes))
    for train, test in folds:
        honest[test] = shares[_clear_best(each, train, weight)][test]
    table = pd.DataFrame(
        {
            "combiner": names,
            "log_loss": [np.average(each[name], weights=weight) for name in names],
            "error": [mean_loss(shares[name], outputs) for name in names],
        }
    )
    chosen = _clear_best(each, np.arange(outputs.n_samples), weight)
    return chosen, TemperedCombiner(make_rules(rng)[chosen]).fit(outputs), table, honest


def _clear_best(each, rows, weight):
    """Return the rule with the least loss if it is clearly less than that of the first."""
    weight = None if weight is None else weight[rows]
    first = next(iter(each))
    best = min(each, key=lambda name: np.average(each[name][rows], weights=weight))
    gain = each[first][rows] - each[best][rows]
    mean = np.average(gain, weights=weight)
    spread = np.sqrt(np.average((gain - mean) ** 2, weights=weight))
    return best if mean > spread / np.sqrt(len(rows)) else first


def _folds(y, rng):
    n_folds = max(2, min(5, int(np.bincount(y).min())))
    try:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
        yield from splitter.split(np.zeros(len(y)), y)
    except ValueError:  # a class with one row: plain folds
        order = rng.permutation(len(y))
        for part in np.array_split(order, n_folds):
            yield np.setdiff1d(order, part), part
