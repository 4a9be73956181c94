"""What a penalty on members that agree does to them: one ensemble for every strength of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from counterpoint._outputs import MemberOutputs
from counterpoint._progress import tell
from counterpoint._statistics import wilson_interval
from counterpoint._validation import check_choice
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.diversity import label_kappa, mean_over_pairs
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.tabular.encoder import with_encoder
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


PATHS: dict[str, tuple[tuple[float, ...], Callable[[float, int], BaseEstimator], bool]] = {
    "lam": (LAMS, _booster, False),
    "strength": (STRENGTHS, _networks, True),
}
"""By name: the values, what is fitted at each, and whether numbers are scaled first."""


def penalty_path(model: TableModel, kind: str = "lam") -> dict[str, Any]:
    """Train members at a growing penalty for agreeing, on the rows of a model.

    Parameters
    ----------
    model : TableModel
        Whose training rows to learn from, and whose test rows to judge by; its own members play no
        part.
    kind : {"lam", "strength"}, default="lam"
        "lam": trees boosted by :class:`~counterpoint.boosting.AdaBoostNCClassifier`, from plain
        AdaBoost on. "strength": networks by
        :class:`~counterpoint.networks.NegativeCorrelationClassifier`, from networks trained alone
        to networks trained as one.

    Returns
    -------
    dict
        "kind" and "steps"; a step has the "value", "error" with limits on the test rows,
        "member_error", "kappa" (mean over pairs) and "pairs" (kappa and mean error of each). For
        networks "epochs" and "outputs", the mean output of each member for the last class, over
        training rows of that class, epoch by epoch.

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
    values, make, scaled = PATHS[check_choice(kind, "kind", PATHS)]
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
    y = np.asarray(model.y_test)
    outputs = MemberOutputs.from_estimator(one, model.X_test, y)
    wrong = int(np.sum(one.predict(model.X_test) != y))
    low, high = wilson_interval(wrong, len(y))
    i, j = np.triu_indices(outputs.n_members, k=1)
    kappa = label_kappa.matrix(outputs)
    step: dict[str, Any] = {
        "error": wrong / len(y),
        "low": low,
        "high": high,
        "member_error": float(outputs.errors.mean()),
        "kappa": mean_over_pairs(lambda _: kappa)(None) if len(i) else None,
        "pairs": [
            np.round(kappa[i, j], 4),
            np.round((outputs.errors[i] + outputs.errors[j]) / 2, 5),
        ],
        "n_members": outputs.n_members,
    }
    told = getattr(one[-1], "dynamics_", None)
    if told is not None:
        at = np.unique(np.linspace(0, len(told.epochs) - 1, _RECORDED).round().astype(int))
        step["epochs"] = told.epochs[at]
        step["outputs"] = np.round(told["train"].mean_output[at, :, -1, -1].T, 4)
    return step
