"""Choosing how to combine, by cross-validation on cross-fitted outputs."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state

from counterpoint._predictions import MemberPredictions
from counterpoint.auto.metric import LEAST, Metric
from counterpoint.combiners import (
    BlendCombiner,
    Combiner,
    StackingCombiner,
    TemperedCombiner,
    WeightedMeanCombiner,
)
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.selection import DiverseLoss, GreedyMeanCombiner

SIMPLE = "best simple one"
N_FOLDS = 5
# Steps of the quick search that tells which members carry the ensemble so far.
QUICK_STEPS = 15
# Of more classes, stacking has too many coefficients to learn, and takes longer than all the rest.
MOST_STACKED = 40
# From so many rows on, a rare class does not make the folds fewer, and weights that are learnt need
# no steadying by the mean of the best third.
_MANY_ROWS = 300


class BestOfCombiner(WeightedMeanCombiner):
    """The one with the least loss alone, of some of the members.

    Parameters
    ----------
    members : array-like of int
        Positions of those it may be.
    metric : Metric or None, default=None
        What numbers are judged by, each member's with a shift of its own. None: as
        :class:`WeightedMeanCombiner` has it.
    """

    def __init__(self, members, metric=None):
        self.members = members
        self.metric = metric

    by = "best"

    def _raw_weights(self, outputs):
        if self.metric is None or not isinstance(outputs, MemberPredictions):
            return super()._raw_weights(outputs)
        y, weight = outputs.y, outputs.sample_weight
        shifts = [self.metric.decide(values, y, weight) for values in outputs.values]
        both = zip(outputs.values, shifts, strict=True)
        return self._best([self.metric.loss(values, y, weight, shift) for values, shift in both])

    def _best(self, loss):
        allowed = np.full(len(loss), np.inf)
        allowed[np.asarray(self.members)] = np.asarray(loss)[np.asarray(self.members)]
        return super()._best(allowed)


@dataclass
class Choice:
    """The way to combine that was chosen, and how it was.

    Attributes
    ----------
    name : str
    rule : Combiner
        Fitted on all rows.
    table : DataFrame
        A row per rule: "combiner" and its losses on rows it did not learn from.
    honest : ndarray
        What the whole procedure, choice included, says about rows it did not see.
    decision : ndarray or float
        What makes labels, or one number, of the rule's answers: see ``metric.py``.
    """

    name: str
    rule: Combiner
    table: pd.DataFrame
    honest: NDArray
    decision: Any


def part_names(n_classes: int | None, n_rows: int) -> list[str]:
    """Return the names of the rules that are blended; without ``n_classes``, for numbers."""
    if n_classes is None:
        return ["best third", "greedy", "least squares"]
    if n_classes > MOST_STACKED:
        return ["best third", "greedy"]
    return ["greedy", "stacking"] if n_rows >= _MANY_ROWS else ["best third", "greedy", "stacking"]


def make_rules(
    random_state: Any = None,
    *,
    n_classes: int | None = None,
    n_rows: int = 0,
    diversity: float = 0.0,
) -> dict[str, Combiner]:
    """Return the ways to combine that are tried; the first, unless another is clearly better.

    Without ``n_classes`` they are for numbers. ``n_rows`` are those that they are learnt from.
    """
    loss = "squared" if n_classes is None else "log-loss"
    # Of no weight, it is the loss of the mean, which is soon worked out.
    criterion = DiverseLoss(diversity, loss) if diversity else loss
    # Of few members half may be the weak ones: of rows, then; squared errors do not mind.
    bags = "members" if n_classes is None else "rows"
    greedy = GreedyMeanCombiner(criterion, bags=bags, random_state=random_state)
    rules: dict[str, Combiner] = {
        "best third": WeightedMeanCombiner("best-third"),
        "greedy": greedy,
    }
    if n_classes is None:
        rules["least squares"] = WeightedMeanCombiner("least-squares")
    elif n_classes <= MOST_STACKED:
        # Strongly held back: members say much the same.
        model = LogisticRegression(C=0.02, max_iter=1000)
        rules["stacking"] = StackingCombiner(model, use="log-odds")
    return {
        "blend": BlendCombiner([rules[name] for name in part_names(n_classes, n_rows)]),
        "best alone": WeightedMeanCombiner("best"),
        "greedy, one bag": GreedyMeanCombiner(criterion, n_bags=1, random_state=0),
        **rules,
    }


def choose_rule(
    outputs: Any,
    metric: Metric,
    *,
    simple: Any = (),
    diversity: float = 0.0,
    parts: Any = None,
    random_state: Any = None,
) -> Choice:
    """Choose how to combine by cross-validation on cross-fitted outputs.

    The first rule is taken unless another has a lower loss by more than one standard error of
    their difference. If the whole procedure is no better than the best of the ``simple`` members,
    on rows that neither saw, that member alone is taken. ``outputs`` are MemberOutputs or
    MemberPredictions, with the truth; ``diversity`` is the weight of :class:`DiverseLoss` in
    greedy selection. ``parts`` has the fold of each row where rows must not be folded by lot: what
    is learnt about members on some rows of a group would be judged on others of the same.
    """
    rng = check_random_state(random_state)
    numbers = isinstance(outputs, MemberPredictions)
    y, weight = outputs.y, outputs.sample_weight
    folds = list(_folds(y, rng, numbers) if parts is None else _given_folds(parts))
    n_classes = None if numbers else outputs.n_classes
    n_rows = outputs.n_samples
    make = partial(make_rules, n_classes=n_classes, n_rows=n_rows, diversity=diversity)
    names, blended = list(make()), part_names(n_classes, n_rows)
    shape = (outputs.n_samples,) if numbers else (outputs.n_samples, outputs.n_classes)
    said = {name: np.empty(shape) for name in [*names, SIMPLE]}
    for train, test in folds:
        seen, unseen = outputs.take_rows(train), outputs.take_rows(test)
        if not numbers:
            powers = tempers(seen)
            seen, unseen = temper(seen, powers), temper(unseen, powers)
        # Bags go on in one stream of random numbers; the blend's parts are among the others, and
        # nothing is to be learnt twice.
        rules = make(rng)
        if len(simple):
            rules[SIMPLE] = BestOfCombiner(simple, metric)
        for name in list(rules)[1:]:
            said[name][test] = rules[name].fit(seen).combine(unseen)
    said["blend"] = np.mean([said[name] for name in blended], axis=0)
    losses = {name: _Losses(metric, said[name], y, weight, folds) for name in names}
    # The rule for a fold is chosen by the other folds, as it will be for new data.
    honest = np.empty(shape)
    for fold, (_, test) in enumerate(folds):
        others = [k for k in range(len(folds)) if k != fold]
        honest[test] = said[_clear_best(losses, others)][test]
    chosen = _clear_best(losses, list(range(len(folds))))
    if len(simple):
        losses[SIMPLE] = _Losses(metric, said[SIMPLE], y, weight, folds)
        if losses[SIMPLE].total <= _Losses(metric, honest, y, weight, folds).total:
            chosen, honest = SIMPLE, said[SIMPLE]
    table = pd.DataFrame(
        [{"combiner": name, "loss": own.total, **own.others} for name, own in losses.items()]
    )
    rules = make(rng)
    rule = BestOfCombiner(simple, metric) if chosen == SIMPLE else rules[chosen]
    rule = (rule if numbers else TemperedCombiner(rule)).fit(outputs)
    decision = metric.decide(honest, y, weight)
    return Choice(chosen, rule, table, honest, decision)


class _Losses:
    """Losses of one rule, by row or by fold, whichever the metric has."""

    def __init__(self, metric, answer, y, weight, folds):
        decision = metric.decide(answer, y, weight)
        self.total = metric.loss(answer, y, weight, decision)
        each = metric.each(answer, y, decision)
        parts = [test for _, test in folds]
        if each is None:
            # A loss of a set of rows is compared set by set.
            own = [None if weight is None else weight[rows] for rows in parts]
            self.parts = [
                np.array([metric.loss(answer[rows], y[rows], w, decision)])
                for rows, w in zip(parts, own, strict=True)
            ]
            # Where a class is missing, some have no value.
            self.weights = [np.isfinite(loss).astype(float) for loss in self.parts]
            self.parts = [np.nan_to_num(loss) for loss in self.parts]
        else:
            weight = np.ones(len(y)) if weight is None else weight
            self.parts = [each[rows] for rows in parts]
            self.weights = [weight[rows] for rows in parts]
        self.others = {}
        if answer.ndim == 2:
            wrong = answer.argmax(axis=1) != y
            truth = np.clip(answer[np.arange(len(y)), y], LEAST, 1.0)
            self.others = {
                "log_loss": float(np.average(-np.log(truth), weights=weight)),
                "error": float(np.average(wrong, weights=weight)),
            }

    def of(self, folds):
        return np.concatenate([self.parts[k] for k in folds])

    def weights_of(self, folds):
        return np.concatenate([self.weights[k] for k in folds])


def _clear_best(losses, folds):
    """Return the rule with the least loss if it is clearly less than that of the first."""
    first = next(iter(losses))
    weight = losses[first].weights_of(folds)
    if not weight.any():
        return first
    best = min(losses, key=lambda name: np.average(losses[name].of(folds), weights=weight))
    gain = losses[first].of(folds) - losses[best].of(folds)
    mean = np.average(gain, weights=weight)
    spread = np.sqrt(np.average((gain - mean) ** 2, weights=weight))
    return best if mean > spread / np.sqrt(len(gain)) else first


def _given_folds(parts):
    for part in np.unique(parts):
        yield np.flatnonzero(parts != part), np.flatnonzero(parts == part)


def _folds(y, rng, numbers):
    if numbers:
        splitter = KFold(min(N_FOLDS, len(y)), shuffle=True, random_state=rng)
        yield from splitter.split(np.zeros(len(y)))
        return
    # Classes with fewer rows than folds are missing from some: the others are still worth five.
    count = np.sort(np.bincount(y))[::-1]
    n_folds = int(max(2, min(N_FOLDS, count[count > 0][-1] if len(y) < _MANY_ROWS else N_FOLDS)))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            folds = list(splitter.split(np.zeros(len(y)), y))
    except ValueError:  # no class has two rows: plain folds
        order = rng.permutation(len(y))
        folds = [(np.setdiff1d(order, part), part) for part in np.array_split(order, n_folds)]
    yield from folds
