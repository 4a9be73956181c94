"""How a model did on rows it had not seen, alone and against another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import log_loss

from counterpoint._statistics import wilson_interval


@dataclass(frozen=True)
class Score:
    """How a model did on rows it had not seen.

    Attributes
    ----------
    error : float
        Share of wrong answers.
    low, high : float
        95 % interval of it, by Wilson's score.
    log_loss : float
        Mean -log of the probability given to the truth; NaN without probabilities.
    n : int
        Rows it was tried on.
    """

    error: float
    low: float
    high: float
    log_loss: float
    n: int


def score_answers(
    answers: NDArray, y: NDArray, proba: NDArray | None = None, classes: Any = None
) -> Score:
    """Score labels (n_samples,) against the truth, and probabilities in the order of classes."""
    wrong = int(np.sum(answers != y))
    loss = float("nan") if proba is None else float(log_loss(y, proba, labels=classes))
    return Score(wrong / len(y), *wilson_interval(wrong, len(y)), loss, len(y))


def score_on(model: Any, X: Any, y: NDArray) -> Score:
    """Try a fitted model on rows it has not seen."""
    proba = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return score_answers(model.predict(X), y, proba, getattr(model, "classes_", None))


def mcnemar(answers: NDArray, others: NDArray, y: NDArray) -> tuple[int, int, float]:
    """Count rows that only these answers have wrong, and only the others; return both, and p.

    It is the chance of numbers so far apart if both were equally good: McNemar's test, exact and
    two-sided.
    """
    wrong, wrong_others = answers != y, others != y
    here, there = int((wrong & ~wrong_others).sum()), int((wrong_others & ~wrong).sum())
    return here, there, float(binomtest(here, here + there).pvalue) if here + there else 1.0
