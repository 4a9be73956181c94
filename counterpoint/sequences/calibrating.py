"""Scores of a ranking as probabilities, and what acting by them gains."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedGroupKFold

from counterpoint.sequences.histories import Histories

_PSEUDO = 4.0  # cases of the base rate that every step begins with
_FOLDS = 3


@dataclass(frozen=True)
class Calibrator:
    """Steps from scores to probabilities, never falling; made by :func:`fit_calibrator`."""

    scores: NDArray  # where a step begins
    shares: NDArray

    def __call__(self, scores: NDArray) -> NDArray:
        """Return probabilities, (n_samples,)."""
        place = np.searchsorted(self.scores, scores, side="right") - 1
        return self.shares[np.maximum(place, 0)]


def fit_calibrator(scores: NDArray, y: NDArray) -> Calibrator:
    """Learn the probability that goes with a score, by isotonic regression.

    A step has the share of cases that came, drawn towards the share of all as if by four cases
    more: the first few of a list are too few to believe.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        As :func:`open_scores` gives them, of rows the model was not fitted on.
    y : ndarray of shape (n_samples,)
        1 for what came, else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.sequences.calibrating import fit_calibrator
    >>> fitted = fit_calibrator(np.arange(100.0), (np.arange(100) >= 90).astype(int))
    >>> fitted(np.array([5.0, 95.0])).round(2).tolist()
    [0.0, 0.75]
    """
    y = np.asarray(y, dtype=float)
    base = (y.sum() + 1.0) / (len(y) + 2.0)
    level = IsotonicRegression().fit(scores, y).predict(scores)
    levels, step = np.unique(level, return_inverse=True)
    n = np.bincount(step)
    share = (np.bincount(step, weights=y) + _PSEUDO * base) / (n + _PSEUDO)
    begins = np.full(len(levels), np.inf)
    np.minimum.at(begins, step, scores)
    return Calibrator(begins, np.maximum.accumulate(share))


def open_scores(model, X) -> NDArray:
    """Return scores of a fitted model that mean the same for other rows, higher for likelier.

    Log odds of probabilities; of a ranking, minus the logarithm of the place as a share.
    """
    if hasattr(model, "rank"):
        place = np.asarray(model.rank(X), dtype=float)
        return -np.log((place + 0.5) / (len(place) + 1.0))
    if hasattr(model, "predict_proba"):
        p = np.clip(model.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
        return np.log(p / (1.0 - p))
    return np.asarray(model.decision_function(X), dtype=float)


def cross_scores(model, data: Histories, *, random_state=0) -> NDArray:
    """Return scores of histories by models that never saw their entities.

    Three folds by entity; as few as there are entities with and without the target.
    """
    n_entities = min(len(np.unique(data.entity[data.y == label])) for label in (0, 1))
    folds = max(2, min(_FOLDS, n_entities))
    scores = np.empty(len(data))
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=random_state)
    for learn, judge in splitter.split(np.zeros(len(data)), data.y, data.entity):
        fitted = clone(model).fit(data.take(learn), data.y[learn])
        scores[judge] = open_scores(fitted, data.take(judge))
    return scores


def acted_on(probability: NDArray, gain: float, cost: float) -> NDArray:
    """Say where acting pays: what it saves on average is more than it costs."""
    return probability * gain > cost
