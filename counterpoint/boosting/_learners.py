"""Who trains the members: any scikit-learn estimator, or one that can share work between rounds.

Those that share work are in ``_shared.py``.
"""

import warnings
from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from counterpoint._members import select_rows
from counterpoint.boosting._engine import Said

_MAX_SEED = np.iinfo(np.int32).max
_MAX_DRAWS = 100


def seed(model, rng):
    """Give every random_state in a model a seed of its own, as scikit-learn's ensembles do."""
    chosen = {
        name: rng.randint(_MAX_SEED)
        for name in sorted(model.get_params(deep=True))
        if name == "random_state" or name.endswith("__random_state")
    }
    if chosen:
        model.set_params(**chosen)
    return model


class Learner(ABC):
    """What the loop needs of whoever trains members."""

    is_random = False

    @abstractmethod
    def fit(self, weight, target=None):
        """Train one member on these sample weights, and say what it says about the samples."""

    @abstractmethod
    def ask(self, model):
        """Say what a member trained before says about the samples."""

    def failed(self, failure):
        """Change something after a failure: True if done, False if at an end, None if no way."""
        return


class EstimatorLearner(Learner):
    """Train clones of any scikit-learn estimator, by weights or on rows drawn by weight.

    Parameters
    ----------
    estimator : estimator
    X : array-like or frame
    y : ndarray of shape (n_samples,)
        Labels, as given to the members.
    classes : ndarray or None
        Sorted labels; None for regression.
    resample : bool
        Draw rows by weight instead of passing weights.
    proba : bool
        Ask for probabilities as well.
    """

    def __init__(self, estimator, X, y, classes, *, resample, proba, rng):
        self.estimator, self.X, self.y, self.classes = estimator, X, y, classes
        self.proba, self.rng = proba, rng
        if proba and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} has no predict_proba, which confidence=True needs: "
                "wrap it in CalibratedClassifierCV, or set confidence=False."
            )
        if not resample and not has_fit_parameter(estimator, "sample_weight"):
            warnings.warn(
                f"{type(estimator).__name__} takes no sample_weight: its members are trained on "
                "rows drawn by weight instead. Pass resample=True to say so yourself.",
                UserWarning,
                stacklevel=4,
            )
            resample = True
        self.resample = resample
        self.is_random = resample or any(
            name.endswith("random_state") for name in estimator.get_params(deep=True)
        )

    def fit(self, weight, target=None):
        """Train one member."""
        model = seed(clone(self.estimator), self.rng)
        y = self.y if target is None else target
        if self.resample:
            rows = self._draw(weight, y)
            model.fit(select_rows(self.X, rows), y[rows])
        else:
            model.fit(self.X, y, sample_weight=weight)
        return self.ask(model)

    def ask(self, model):
        """Say what a member says about the training samples."""
        if self.classes is None:
            return Said(model, values=np.asarray(model.predict(self.X), dtype=float))
        proba = member_proba(model, self.X, self.classes) if self.proba else None
        return Said(model, votes=member_votes(model, self.X, self.classes), proba=proba)

    def _draw(self, weight, y):
        # A draw without some class would train a member that cannot know it; with very rare
        # classes that may happen every time, and then it has to do.
        p = weight / weight.sum()
        wanted = len(np.unique(y[p > 0])) if self.classes is not None else 0
        for _ in range(_MAX_DRAWS):
            rows = self.rng.choice(len(p), size=len(p), p=p)
            if self.classes is None or len(np.unique(y[rows])) == wanted:
                break
        return rows


def member_votes(model, X, classes):
    """Class codes that a member says, (n_samples,)."""
    return np.searchsorted(classes, np.asarray(model.predict(X)))


def member_proba(model, X, classes):
    """Probabilities of a member, with a column for every class, (n_samples, n_classes)."""
    proba = np.asarray(model.predict_proba(X), dtype=float)
    if proba.shape[1] == len(classes):
        return proba
    wide = np.zeros((len(proba), len(classes)))
    wide[:, np.searchsorted(classes, model.classes_)] = proba
    return wide
