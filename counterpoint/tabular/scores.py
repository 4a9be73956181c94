"""How a model did on rows it had not seen, alone and against another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import log_loss

from counterpoint._statistics import wilson_interval

__all__ = ["Score", "mcnemar", "score_answers", "score_on"]


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
    """Hold some answers against others, row by row.

    Parameters
    ----------
    answers, others, y : ndarray of shape (n_samples,)
        Both answers, and the truth.

    Returns
    -------
    only_these, only_others : int
        Rows that only these answers, or only the others, have wrong.
    p : float
        Chance of numbers so far apart if both were equally good: McNemar's test, exact and
        two-sided.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.zeros(6, dtype=int)
    >>> mcnemar(np.array([1, 1, 1, 1, 1, 0]), np.array([0, 0, 0, 0, 0, 1]), y)
    (5, 1, 0.21875)
    """
    wrong, wrong_others = answers != y, others != y
    here, there = int((wrong & ~wrong_others).sum()), int((wrong_others & ~wrong).sum())
    return here, there, float(binomtest(here, here + there).pvalue) if here + there else 1.0
