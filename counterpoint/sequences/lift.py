"""How much better than chance a ranking finds rare cases, and how far down it to act."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from counterpoint._arrays import SQUARABLE, as_array, as_floats, check_sample_weight
from counterpoint._validation import check_choice, check_number

METRICS = ("g", "precision", "sensitivity", "specificity")


def lift_g(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Compare the precision of predictions with that of chance: the g value.

    The share of the predicted positives that are positive, over the share of positives among
    all. 5 means that predictions hit five times as often as picking at random.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels.
    pos_label : label, default=1
        The rare class.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    float
        NaN when nothing is positive, or nothing is predicted to be.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, eq. 6.2;
       the other rates are those of eq. 6.11, cut-offs those of section 6.2.1.

    Examples
    --------
    >>> from counterpoint.sequences import lift_g
    >>> lift_g([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    2.5
    """
    return _rates(*_counts(y_true, y_pred, pos_label, sample_weight))["g"]


def lift_rates(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Return g, precision, sensitivity and specificity of predictions of a rare class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels.
    pos_label : label, default=1
        The rare class.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    dict
        "g", "precision", "sensitivity", "specificity"; NaN where there is nothing to divide by.

    Examples
    --------
    >>> from counterpoint.sequences import lift_rates
    >>> lift_rates([1, 1, 0, 0], [1, 0, 0, 0])
    {'g': 2.0, 'precision': 1.0, 'sensitivity': 0.5, 'specificity': 1.0}
    """
    return _rates(*_counts(y_true, y_pred, pos_label, sample_weight))


def lift_at(
    y_true: ArrayLike,
    scores: ArrayLike,
    share: float,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Return g, precision, sensitivity and specificity when a share of the samples is taken.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    scores : array-like of shape (n_samples,)
        Higher is taken first; of equals the first row.
    share : float
        Part of the samples to take, above 0 and at most 1; at least one is taken.
    pos_label : label, default=1
        The rare class.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    dict
        As in :func:`lift_rates`.

    Examples
    --------
    >>> from counterpoint.sequences import lift_at
    >>> lift_at([0, 1, 0, 1], [0.1, 0.9, 0.8, 0.3], 0.5)["precision"]
    0.5
    """
    y, score = _checked(y_true, scores, pos_label)
    _check_share(share)
    taken = np.zeros(len(y), dtype=bool)
    taken[np.argsort(-score, kind="stable")[: max(1, round(share * len(y)))]] = True
    return _rates(*_counts(y, taken, True, sample_weight))


def lift_curve(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: Any = 1,
    gain: float = 5.0,
    cost: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:
    """Follow a ranking from the top: what taking the first 1, 2, 3, ... samples brings.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    scores : array-like of shape (n_samples,)
        Higher is taken first; of equals the first row.
    pos_label : label, default=1
        The rare class.
    gain : float, default=5.0
        What a positive that is taken saves.
    cost : float, default=1.0
        What taking a sample costs, positive or not.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    DataFrame
        A row per number taken: "n", "share", "score" of the last one taken, "g", "precision",
        "sensitivity", "specificity" and "profit", gains less costs.

    Examples
    --------
    >>> from counterpoint.sequences import lift_curve
    >>> lift_curve([0, 1, 0, 1], [0.1, 0.9, 0.8, 0.3])["profit"].tolist()
    [4.0, 3.0, 7.0, 6.0]
    """
    check_number(gain, "gain", low=-SQUARABLE, high=SQUARABLE)
    check_number(cost, "cost", low=-SQUARABLE, high=SQUARABLE)
    y, score = _checked(y_true, scores, pos_label)
    weight = _weights(sample_weight, len(y))
    order = np.argsort(-score, kind="stable")
    hit, mass = np.cumsum((weight * y)[order]), np.cumsum(weight[order])
    total, positive = weight.sum(), (weight * y).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        frame = pd.DataFrame(
            {
                "n": np.arange(1, len(y) + 1),
                "share": mass / total,
                "score": score[order],
                "g": (hit / mass) / (positive / total),
                "precision": hit / mass,
                "sensitivity": hit / positive,
                "specificity": 1 - (mass - hit) / (total - positive),
                "profit": gain * hit - cost * mass,
            }
        )
    return frame.replace([np.inf, -np.inf], np.nan)


def lift_scorer(
    share: float | None = None, *, metric: str = "g", pos_label: Any = 1
) -> Callable[..., float]:
    """Make a scorer for cross-validation and searches from a metric of rare classes.

    Parameters
    ----------
    share : float, default=None
        Part of the samples that is taken, those with the highest scores. None takes those that
        the estimator predicts to be positive.
    metric : {"g", "precision", "sensitivity", "specificity"}, default="g"
        As in :func:`lift_rates`.
    pos_label : label, default=1
        The rare class.

    Returns
    -------
    callable
        A scikit-learn scorer: ``scorer(estimator, X, y)``. NaN where the metric is undefined, for
        example when nothing is predicted to be positive.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from counterpoint.sequences import lift_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(max_iter=10_000).fit(X, y)
    >>> lift_scorer(0.1, metric="precision")(model, X, y)
    1.0
    """
    check_choice(metric, "metric", METRICS)
    if share is None:
        return make_scorer(_predicted_rate, metric=metric, pos_label=pos_label)
    _check_share(share)
    return make_scorer(
        _rate_at,
        response_method=("decision_function", "predict_proba"),
        share=share,
        metric=metric,
        pos_label=pos_label,
    )


# Functions of a module, not closures: a scorer is pickled when a search runs in processes.
def _predicted_rate(y_true, y_pred, *, metric, pos_label, sample_weight=None):
    return lift_rates(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)[metric]


def _rate_at(y_true, scores, *, share, metric, pos_label, sample_weight=None):
    rates = lift_at(y_true, scores, share, pos_label=pos_label, sample_weight=sample_weight)
    return rates[metric]


@dataclass(frozen=True, kw_only=True)
class Cutoff:
    """How far down a ranking to act.

    Attributes
    ----------
    n : int
        How many to take; 0 when acting never pays.
    share : float
        The same as a part of all.
    threshold : float
        The score of the last one taken; NaN when none is.
    profit : float
        Gains less costs to be expected.
    precision : float
        Part of those taken that are positive, to be expected; NaN when none is taken.
    """

    n: int
    share: float
    threshold: float
    profit: float
    precision: float


def choose_cutoff(
    scores: ArrayLike,
    y_true: ArrayLike | None = None,
    *,
    gain: float = 5.0,
    cost: float = 1.0,
    capacity: int | float | None = None,
    pos_label: Any = 1,
) -> Cutoff:
    """Choose how far down a ranking to act, from what acting costs and saves.

    With labels, of data the scores were not learnt from, it is where gains less costs are
    highest. Without labels scores are taken for probabilities, and all with ``p * gain > cost``
    are taken: five times the cost means from 0.2 on.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Higher is taken first.
    y_true : array-like of shape (n_samples,), default=None
        Labels.
    gain : float, default=5.0
        What a positive that is taken saves.
    cost : float, default=1.0
        What taking a sample costs, positive or not.
    capacity : int or float, default=None
        Most that can be taken: a number, or a share below 1.
    pos_label : label, default=1
        The rare class.

    Returns
    -------
    Cutoff

    Examples
    --------
    >>> from counterpoint.sequences import choose_cutoff
    >>> choose_cutoff([0.9, 0.3, 0.1, 0.05]).n
    2
    """
    check_number(gain, "gain", low=0, high=SQUARABLE, open_low=True)
    check_number(cost, "cost", low=0, high=SQUARABLE, open_low=True)
    if y_true is None:
        p = as_floats(scores, "scores", ("n_samples",))
        if p.ndim != 1 or len(p) == 0 or not ((p >= 0) & (p <= 1)).all():
            raise ValueError(
                "Without y_true the scores are taken for probabilities, from 0 to 1 and none "
                "missing: pass the labels of held-out data too, or probabilities."
            )
    else:
        y, p = _checked(y_true, scores, pos_label)
    order = np.argsort(-p, kind="stable")
    chance = p[order] if y_true is None else y[order].astype(float)
    limit = len(p)
    if capacity is not None:
        check_capacity(capacity)
        limit = min(limit, int(capacity * len(p)) if capacity < 1 else int(capacity))
    profit = np.cumsum(gain * chance - cost)[:limit]
    if len(profit) == 0 or profit.max() <= 0:
        return Cutoff(n=0, share=0.0, threshold=np.nan, profit=0.0, precision=np.nan)
    n = int(profit.argmax()) + 1
    return Cutoff(
        n=n,
        share=n / len(p),
        threshold=float(p[order[n - 1]]),
        profit=float(profit[n - 1]),
        precision=float(chance[:n].mean()),
    )


def check_capacity(capacity) -> None:
    """Raise unless this is how many can be acted on: a number, or a share below 1."""
    check_number(capacity, "capacity", low=0, open_low=True, hint=": from 1, or a share below 1")


def _check_share(share):
    check_number(share, "share", low=0, high=1, open_low=True, hint=", such as 0.01")


def _checked(y_true, scores, pos_label):
    y, scores = _same_shape(y_true, as_floats(scores, "scores", ("n_samples",)), "scores")
    if np.isnan(scores).any():
        raise ValueError("scores hold NaN: leave out samples without a score.")
    return _positive(y, pos_label), scores


def _positive(labels, pos_label):
    if np.ndim(pos_label) != 0:
        raise ValueError(f"pos_label={pos_label!r}: give one label.")
    with np.errstate(over="ignore"):  # a label that this type of numbers cannot hold is no label
        return labels == pos_label


def _same_shape(y_true, other, name):
    y, other = as_array(y_true, "y_true"), as_array(other, name)
    if y.ndim != 1 or y.shape != other.shape or len(y) == 0:
        raise ValueError(
            f"y_true has shape {y.shape} and {name} {other.shape}, expected the same "
            "(n_samples,) with at least one sample."
        )
    return y, other


def _weights(sample_weight, n):
    weight = check_sample_weight(sample_weight, n)
    return np.ones(n) if weight is None else weight


def _counts(y_true, y_pred, pos_label, sample_weight):
    y, taken = (_positive(a, pos_label) for a in _same_shape(y_true, y_pred, "y_pred"))
    weight = _weights(sample_weight, len(y))
    return tuple(
        float(weight[a & b].sum()) for a, b in ((taken, y), (taken, ~y), (~taken, y), (~taken, ~y))
    )


def _rates(hit, false, missed, passed):
    total = hit + false + missed + passed
    precision = _ratio(hit, hit + false)
    return {
        "g": _ratio(precision, (hit + missed) / total),
        "precision": precision,
        "sensitivity": _ratio(hit, hit + missed),
        "specificity": _ratio(passed, passed + false),
    }


def _ratio(a, b):
    return a / b if b else float("nan")
