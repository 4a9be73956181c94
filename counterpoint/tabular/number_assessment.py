"""How good a fitted regressor is on rows it has not seen, and what its members add.

The one place where the numbers of such a model are computed, as ``assessment`` is for classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint import _members
from counterpoint.base import draw_seed
from counterpoint.exceptions import MemberError
from counterpoint.tabular.assessed import Assessed
from counterpoint.tabular.baselines import compare_numbers_with_baselines
from counterpoint.tabular.column import Column
from counterpoint.tabular.describing import model_title
from counterpoint.tabular.inputs import (
    UNKNOWN_RULE,
    check_limits,
    check_shapes,
    describe_rows,
    draw_rows,
    name_columns,
)
from counterpoint.tabular.intervals import describe_intervals, interval_of, too_narrow
from counterpoint.tabular.number_members import (
    ask_number_members,
    describe_combination,
    describe_number_members,
    find_weights,
)
from counterpoint.tabular.number_scores import draw_counts, score_numbers
from counterpoint.tabular.words import figure, percent

_MOST_POINTS = 1500
_MOST_BINS = 24


@dataclass(frozen=True, kw_only=True)
class NumberAssessment(Assessed):
    """What is known of a fitted regressor; made by :func:`counterpoint.tabular.assess`.

    Besides what :class:`~counterpoint.tabular.assessed.Assessed` holds:

    Attributes
    ----------
    score : NumberScore
    baselines : dict of str to NumberScore
        The mean, the median, a single tree, a linear model.
    against : dict of str to (float, float, float)
        How far the RMSE of each simple model is above this one's, with 95 % limits.
    outputs : MemberPredictions or None
    ends : (ndarray, ndarray) or None
        Intervals for these rows, where the model gives some.
    weights : ndarray or None
        Weights of the members in its answer, where that is a mean of theirs.
    """

    ends: tuple[NDArray, NDArray] | None
    weights: NDArray | None

    task = "regression"
    _compared = ("above", "above_low", "above_high")

    def summary(self, *, tree: bool = True) -> dict[str, Any]:
        """Return all of it as plain data: what the terminal, the page and JSON show.

        Parameters
        ----------
        tree : bool, default=True
            Whether to make a tree that stands for the model, which may take a while.

        Returns
        -------
        dict
            As :meth:`Assessment.summary`, with ``task`` "regression", ``score`` (RMSE, mean
            absolute error and R squared with limits), ``residuals`` and ``intervals``.
        """
        return self._summary(tree=tree)

    def _describe_members(self, outputs: Any, **options: Any) -> dict[str, Any]:
        return describe_number_members(outputs, self.weights, self.X, self.answers, **options)

    def _combination(self) -> tuple[str | None, str | None]:
        return (None, None) if self.outputs is None else describe_combination(self.weights)

    def _describe_data(self) -> dict[str, Any]:
        return {"target": _describe_target(self.y)}

    def _own_parts(self) -> dict[str, Any]:
        return {
            "residuals": describe_residuals(self.answers, self.y),
            "intervals": describe_intervals(self.ends, self.y),
        }

    def warnings(self) -> list[str]:
        """Say, loudly, if a simple model is as good on these rows, or intervals are too narrow."""
        return [*self._not_better(), *too_narrow(describe_intervals(self.ends, self.y))]

    def _not_better(self) -> list[str]:
        best = self._as_good()
        if best is None:
            return []
        return [
            f"NOT BETTER THAN {best.upper()} on the test rows: its RMSE is "
            f"{figure(self.score.rmse)}, that of the simple model "
            f"{figure(self.baselines[best].rmse)}."
        ]

    def _headline(self) -> str:
        own = self.score
        text = (
            f"Its answers are {figure(own.rmse)} off (root of the mean squared error) on {own.n} "
            f"rows, {figure(own.low)} to {figure(own.high)} (95 % confidence)"
        )
        if "mean" in self.baselines:
            text += f"; always saying the mean would be {figure(self.baselines['mean'].rmse)} off"
        text += "."
        if np.isfinite(own.r2):
            share = percent(own.r2) if own.r2 > 0 else "nothing"
            text += f" It explains {share} of the variance."
        if not self.baselines:
            return text
        best, same_kind = self._best_simple()
        rmse = figure(self.baselines[best].rmse)
        if same_kind:
            return (
                f"{text} It is of the same kind as the best simple model, {best}, which is {rmse} "
                "off."
            )
        _, low, high = self.against[best]
        text += f" The best simple model, {best}, is {rmse} off"
        if low <= 0 <= high:
            return text + ", a difference that may be chance."
        return text + (", clearly more." if low > 0 else ", clearly less.")


def assess_numbers(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    X_train: Any = None,
    y_train: Any = None,
    names: list[str] | None = None,
    feature_names: list[str] | None = None,
    random_state: Any = 0,
    max_members: int = 100,
    max_rows: int | None = 10_000,
    baselines: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    residuals: NDArray | None = None,
    columns: Sequence[Column] | None = None,
) -> NumberAssessment:
    """Try a fitted regressor on rows it has not seen; as :func:`counterpoint.tabular.assess`.

    ``residuals`` are distances to the truth on rows not fitted on, from ``unseen_residuals``.
    """
    truth = _check_rows(model, X, y, X_train, y_train)
    check_limits(max_members, max_rows)
    rng = check_random_state(random_state)
    n_given = len(truth)
    X, truth = draw_rows(X, truth, max_rows, rng, lambda row: len(_members.values_of(model, row)))
    answers = np.asarray(model.predict(X), dtype=float).reshape(len(truth))
    outputs = weights = None
    no_members = ""
    try:
        outputs = ask_number_members(model, X, truth, names)
        weights = find_weights(model, outputs, answers)
    except MemberError as error:
        no_members = str(error)
    seed = draw_seed(rng)
    # Rows in their own order: the limits must not depend on how a file lists them.
    counts = draw_counts(len(truth))[:, np.argsort(np.lexsort((answers, truth)))]
    scores, above, how = compare_numbers_with_baselines(
        answers, X, truth, counts, X_train=X_train, y_train=y_train, fitted=baselines,
        random_state=random_state if isinstance(random_state, int) else seed,
    )  # fmt: skip
    return NumberAssessment(
        model=model,
        X=X,
        y=truth,
        answers=answers,
        score=score_numbers(answers, truth, counts),
        baselines=scores,
        against=above,
        learnt_from=how,
        ends=interval_of(model, X, residuals),
        outputs=outputs,
        weights=weights,
        no_members=no_members,
        notes=describe_rows(answers, truth, n_given)
        + [UNKNOWN_RULE] * (outputs is not None and weights is None),
        n_given=n_given,
        X_train=X_train,
        y_train=y_train,
        feature_names=name_columns(X, model, feature_names),
        max_members=max_members,
        seed=seed,
        title=title or model_title(model, outputs),
        facts=dict(facts or {}),
        columns=columns,
    )


def _check_rows(model: Any, X: Any, y: Any, X_train: Any, y_train: Any) -> NDArray:
    check_is_fitted(model)
    try:
        truth = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f"{type(model).__name__} is a regressor, but y holds words: give numbers, or a "
            "classifier."
        ) from None
    check_shapes(X, truth, X_train, y_train, "number")
    if not np.isfinite(truth).all():
        raise ValueError("y has a number that is missing or infinite: leave such rows out.")
    return truth


def _describe_target(y: NDArray) -> dict[str, float]:
    return {
        "mean": float(y.mean()), "sd": float(y.std()), "median": float(np.median(y)),
        "min": float(y.min()), "max": float(y.max()),
    }  # fmt: skip


def describe_residuals(answers: NDArray, y: NDArray) -> dict[str, Any]:
    """Return points to draw (answer against truth) and a histogram of answer less truth."""
    gap = answers - y
    kept = np.unique(np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).round().astype(int))
    bins = 2 * int(np.clip(np.sqrt(len(y)) / 1.5, 4, _MOST_BINS // 2))
    far = float(np.quantile(np.abs(gap), 0.99)) or 1.0
    # The few beyond the last edge are counted in the outermost bars.
    counts, edges = np.histogram(np.clip(gap, -far, far), bins=bins, range=(-far, far))
    return {
        "answers": answers[kept],
        "truth": y[kept],
        "n_points": len(y),
        "counts": counts,
        "edges": edges,
        "median_size": float(np.median(np.abs(gap))),
        "p90_size": float(np.quantile(np.abs(gap), 0.9)),
        "worst": float(np.abs(gap).max()),
        "too_high": float((gap > 0).mean()),
    }
