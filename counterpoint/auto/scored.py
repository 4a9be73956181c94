"""Kernel machines as members: their scores, made shares, without a second fit."""

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from counterpoint._crossfit import fit_member


class ScoredClassifier(ClassifierMixin, BaseEstimator):
    """Shares by the softmax of scores.

    They are no probabilities yet: one power for all of them, which
    :class:`~counterpoint.combiners.TemperedCombiner` learns from rows the member was not trained
    on, makes them so. Calibrating the machine itself would take it several fits.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function``.
    """

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier."""
        self.estimator_ = fit_member(clone(self.estimator), X, y, sample_weight)
        self.classes_ = self.estimator_.classes_
        return self

    def decision_function(self, X):
        """Return its scores."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def predict_proba(self, X):
        """Return the softmax of its scores, (n_samples, n_classes)."""
        score = self.decision_function(X)
        if score.ndim == 1:
            score = np.stack([np.zeros_like(score), score], axis=1)
        return softmax(score, axis=1)

    def predict(self, X):
        """Return the label with the highest score."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
