"""What a penalty on members that agree does to them: one ensemble for every strength of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions, member_predictions
from counterpoint._progress import tell
from counterpoint._statistics import wilson_interval
from counterpoint._validation import check_choice
from counterpoint.boosting import AdaBoostNCClassifier, NegativeCorrelationBoostingRegressor
from counterpoint.diversity import label_kappa, mean_over_pairs
from counterpoint.networks import NegativeCorrelationClassifier, NegativeCorrelationRegressor
from counterpoint.tabular.encoder import with_encoder
from counterpoint.tabular.number_members import error_correlations
from counterpoint.tabular.number_scores import score_numbers
from counterpoint.tabular.plain import plain
from counterpoint.tabular.table_model import TableModel
from counterpoint.trees import HistTreeClassifier

LAMS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
_N_TREES, _N_NETWORKS = 30, 8
_RECORDED = 40  # epochs of which outputs are kept


def _booster(lam: float, seed: int) -> BaseEstimator:
    weak = HistTreeClassifier(max_depth=5, min_samples_leaf=3)
    return AdaBoostNCClassifier(weak, n_estimators=_N_TREES, lam=lam, random_state=seed)


def _networks(strength: float, seed: int) -> BaseEstimator:
    return NegativeCorrelationClassifier(
        _N_NETWORKS, strength=strength, record=True, progress=False, random_state=seed
    )


def _number_boosters(strength: float, seed: int) -> BaseEstimator:
    return NegativeCorrelationBoostingRegressor(
        _N_NETWORKS, n_rounds=60, strength=strength, max_leaf_nodes=8, progress=False,
        random_state=seed,
    )  # fmt: skip


def _number_networks(strength: float, seed: int) -> BaseEstimator:
    return NegativeCorrelationRegressor(
        _N_NETWORKS, strength=strength, record=True, progress=False, random_state=seed
    )


Path = tuple[tuple[float, ...], Callable[[float, int], BaseEstimator], bool]

PATHS: dict[str, dict[str, Path]] = {
    "classification": {"lam": (LAMS, _booster, False), "strength": (STRENGTHS, _networks, True)},
    "regression": {
        "boosters": (STRENGTHS, _number_boosters, False),
        "strength": (STRENGTHS, _number_networks, True),
    },
}
"""By task and name: the values, what is fitted at each, and whether numbers are scaled first."""


def penalty_path(model: TableModel, kind: str | None = None) -> dict[str, Any]:
    """Train members at a growing penalty for agreeing, on the rows of a model.

    Parameters
    ----------
    model : TableModel
        Whose training rows to learn from, and whose test rows to judge by; its own members play no
        part.
    kind : {"lam", "boosters", "strength"} or None, default=None
        "lam", for classes: trees boosted by
        :class:`~counterpoint.boosting.AdaBoostNCClassifier`, from plain AdaBoost on. "boosters",
        for numbers: :class:`~counterpoint.boosting.NegativeCorrelationBoostingRegressor`.
        "strength": networks by :class:`~counterpoint.networks.NegativeCorrelationClassifier`, for
        numbers by ``NegativeCorrelationRegressor``, from networks trained alone to networks
        trained as one. None: the first that there is.

    Returns
    -------
    dict
        "kind" and "steps"; a step has the "value", "error" with limits on the test rows,
        "member_error", "alike" (mean over pairs) and "pairs" (how far alike, and mean error of
        each). Errors of numbers are roots of mean squared errors; alike are classes by kappa,
        numbers by the correlation of errors. For networks "epochs" and "outputs", epoch by epoch
        the mean output of each member for the last class, over training rows of that class; for
        numbers its mean distance from the mean of all.

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular.penalty_path import penalty_path
    >>> data = load("iris")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "bagging")
    >>> [step["value"] for step in penalty_path(fitted)["steps"]]
    [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    """
    paths = PATHS[model.task]
    kind = next(iter(paths)) if kind is None else check_choice(kind, "kind", paths)
    values, make, scaled = paths[kind]
    if model.X_train is None or model.X_test is None:
        raise ValueError("The model keeps no rows to learn from: fit it again.")
    steps: list[dict[str, Any]] = []
    for value in values:
        made = make(value, model.random_state)
        one = with_encoder(made, scale="standard" if scaled else False)
        one.fit(model.X_train, model.y_train)
        steps.append({"value": value, **_step(one, model)})
        tell(lambda: {"step": "path", "n_done": len(steps), "n_steps": len(values)})
    return plain({"kind": kind, "steps": steps})


def _step(one: Pipeline, model: TableModel) -> dict[str, Any]:
    told, alone, alike = (_numbers if model.task == "regression" else _classes)(one, model)
    i, j = np.triu_indices(len(alone), k=1)
    step: dict[str, Any] = {
        **told,
        "member_error": float(alone.mean()),
        "alike": mean_over_pairs(lambda _: alike)(None) if len(i) else None,
        "pairs": [np.round(alike[i, j], 4), (alone[i] + alone[j]) / 2],
        "n_members": len(alone),
    }
    seen = getattr(one[-1], "dynamics_", None)
    if seen is not None:
        at = np.unique(np.linspace(0, len(seen.epochs) - 1, _RECORDED).round().astype(int))
        step["epochs"] = seen.epochs[at]
        trace = seen["train"]
        told = trace.spread if model.task == "regression" else trace.mean_output[:, :, -1, -1]
        step["outputs"] = np.round(told[at].T, 4)
    return step


def _classes(one: Pipeline, model: TableModel) -> tuple[dict[str, float], NDArray, NDArray]:
    """Return the error of an ensemble with its limits, those of its members, and their kappas."""
    y = np.asarray(model.y_test)
    outputs = MemberOutputs.from_estimator(one, model.X_test, y)
    wrong = int(np.sum(one.predict(model.X_test) != y))
    low, high = wilson_interval(wrong, len(y))
    told = {"error": wrong / len(y), "low": low, "high": high}
    return told, outputs.errors, label_kappa.matrix(outputs)


def _numbers(one: Pipeline, model: TableModel) -> tuple[dict[str, float], NDArray, NDArray]:
    """Return the same for numbers, and how far their errors go together."""
    y = np.asarray(model.y_test, dtype=float)
    outputs = MemberPredictions(member_predictions(one, model.X_test), y)
    score = score_numbers(np.asarray(one.predict(model.X_test)), y)
    told = {"error": score.rmse, "low": score.low, "high": score.high}
    return told, np.sqrt(outputs.errors), error_correlations(outputs)
