"""Methods tried on folds, and tables of what came of it, for classes and for numbers."""

import pickle
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from counterpoint._interrupts import whole
from counterpoint._statistics import resampled_interval, wilson_interval
from counterpoint.tabular.methods import make_method
from counterpoint.tabular.number_scores import NumberScore, score_numbers
from counterpoint.tabular.scores import Score, score_on
from counterpoint.tabular.targets import is_regression


@dataclass(frozen=True)
class Tried:
    """A method on one fold."""

    score: Any  # Score or NumberScore
    seconds: float
    answer_seconds: float
    size: int | None

    @property
    def error(self) -> float:
        """Share of wrong answers, or RMSE."""
        return self.score.rmse if isinstance(self.score, NumberScore) else self.score.error


def make_folds(
    X: pd.DataFrame, y: np.ndarray, n_splits: int, n_repeats: int, random_state: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return folds of cross-validation, drawn by class where there are classes."""
    options: dict[str, Any] = {
        "n_splits": n_splits, "n_repeats": n_repeats, "random_state": random_state
    }  # fmt: skip
    if is_regression(y):
        if len(y) < 2 * n_splits:
            raise ValueError(
                f"{len(y)} rows are too few for n_splits={n_splits} folds: choose fewer, at least "
                "2, or give more rows."
            )
        return list(RepeatedKFold(**options).split(X))
    counts = pd.Series(y).value_counts()
    if counts.iloc[-1] < n_splits:
        raise ValueError(
            f"Class {counts.index[-1]!r} has {counts.iloc[-1]} rows, too few for n_splits="
            f"{n_splits} folds: choose fewer, at least 2, or leave such rows out."
        )
    return list(RepeatedStratifiedKFold(**options).split(X, y))


def try_once(
    name: str, X: pd.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray, **options: Any
) -> Tried:
    """Fit a method on one part of the rows, and score it on another."""
    model = make_method(name, progress=False, **options)
    began = time.monotonic()
    with whole():
        model.fit(X.iloc[train], y[train])
    fitted = time.monotonic()
    answers = model.predict(X.iloc[test])
    answered = time.monotonic()
    try:
        size: int | None = len(pickle.dumps(model))
    except (pickle.PicklingError, AttributeError, TypeError):
        size = None
    score: Score | NumberScore
    if is_regression(y):
        score = score_numbers(answers, y[test])
    else:
        score = score_on(model, X.iloc[test], y[test])
    return Tried(score, fitted - began, answered - fitted, size)


def errors_of(done: dict[str, list[Tried]]) -> pd.DataFrame:
    """Return the error on each fold, a column per method."""
    return pd.DataFrame({name: [one.error for one in tried] for name, tried in done.items()})


def method_table(
    done: dict[str, list[Tried]], test_to_train: float, n_rows: int, *, numbers: bool
) -> pd.DataFrame:
    """Return a row per method, the best first."""
    rows = []
    for name, tried in done.items():
        errors = np.array([one.error for one in tried])
        low, high = resampled_interval(errors, test_to_train)

        def mean(measure: str, tried: list[Tried] = tried) -> float:
            return float(np.mean([getattr(one.score, measure) for one in tried]))

        told: dict[str, Any]
        if numbers:
            told = {
                "rmse": errors.mean(), "low": max(0.0, low), "high": high, "mae": mean("mae"),
                "r2": mean("r2"),
            }  # fmt: skip
        else:
            # Folds drawn by class can be more alike than new rows would be: the majority class
            # errs the same on all of them.
            pooled = wilson_interval(round(errors.mean() * n_rows), n_rows)
            told = {
                "error": errors.mean(),
                "low": max(0.0, min(low, pooled[0])),
                "high": min(1.0, max(high, pooled[1])),
                "log_loss": mean("log_loss"),
            }
        sizes = [one.size for one in tried if one.size is not None]
        rows.append(
            {
                "method": name,
                **told,
                "seconds": float(np.mean([one.seconds for one in tried])),
                "answer_seconds": float(np.mean([one.answer_seconds for one in tried])),
                "bytes": float(np.mean(sizes)) if sizes else np.nan,
                "folds": len(errors),
            }
        )
    order = ["rmse", "mae"] if numbers else ["error", "log_loss"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)


def pairs_of(errors: pd.DataFrame, order: list[str], test_to_train: float) -> pd.DataFrame:
    """Compare the first method with each other one, fold by fold."""
    rows = []
    for name in order[1:]:
        behind = (errors[name] - errors[order[0]]).to_numpy()
        low, high = resampled_interval(behind, test_to_train)
        rows.append([name, float(behind.mean()), low, high, bool(low > 0)])
    frame = pd.DataFrame(rows, columns=["method", "behind", "low", "high", "apart"])
    return frame.astype({"apart": bool})
