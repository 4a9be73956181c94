"""Who trains the members: any scikit-learn estimator, or one that can share work between rounds.

Those that share work are in ``_shared.py``.
"""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from counterpoint._members import select_rows

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


@dataclass
class MemberAnswer:
    """What a member predicts for the training samples.

    Attributes
    ----------
    model : object
        The member.
    votes : ndarray of shape (n_samples,) or None
        Class codes.
    proba : ndarray of shape (n_samples, n_classes) or None
        Class probabilities, where the rule wants them.
    values : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None
        Numbers, from a regressor.
    """

    model: Any
    votes: np.ndarray | None = None
    proba: np.ndarray | None = None
    values: np.ndarray | None = None


class Learner(ABC):
    """Who trains the members: holds the training data, takes weights, gives members.

    Attributes
    ----------
    is_random : bool
        Whether the same weights may give another member: then it pays to try again.
    """

    is_random = False

    @abstractmethod
    def fit(self, weight, target=None):
        """Train one member.

        Parameters
        ----------
        weight : ndarray of shape (n_samples,)
            Weights of the samples, which add up to 1.
        target : ndarray of shape (n_samples,) or (n_samples, n_outputs), default=None
            What to fit; None for y itself.

        Returns
        -------
        MemberAnswer
        """

    @abstractmethod
    def answer(self, model):
        """Return the MemberAnswer of a member trained before."""

    def recover(self, failure):
        """Change something after a failure, where a learner has a way out of its own.

        Parameters
        ----------
        failure : str
            As in ``Verdict``.

        Returns
        -------
        bool or None
            True: try again; False: nothing is left to try; None: leave it to the loop.
        """
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
        return self.answer(model)

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        if self.classes is None:
            return MemberAnswer(model, values=np.asarray(model.predict(self.X), dtype=float))
        proba = member_proba(model, self.X, self.classes) if self.proba else None
        return MemberAnswer(model, votes=member_votes(model, self.X, self.classes), proba=proba)

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
