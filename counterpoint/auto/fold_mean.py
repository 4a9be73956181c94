"""The models of a member's folds as one: what stands in where there is no time to fit again."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class FoldMeanClassifier(ClassifierMixin, BaseEstimator):
    """The mean of classifiers that learnt from different folds; made, not fitted.

    Parameters
    ----------
    estimators : list of classifiers
        Fitted, their classes codes.
    classes_ : ndarray of int
        All codes.
    """

    def __init__(self, estimators, classes):
        self.estimators = estimators
        self.classes = classes
        self.classes_ = np.asarray(classes)

    def predict_proba(self, X):
        """Return the mean of their probabilities; 0 for a class that one never saw."""
        total = np.zeros((len(X), len(self.classes_)))
        for model in self.estimators:
            total[:, model.classes_] += model.predict_proba(X)
        return total / len(self.estimators)

    def predict(self, X):
        """Return the code with the largest mean."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class FoldMeanRegressor(RegressorMixin, BaseEstimator):
    """The mean of regressors that learnt from different folds; made, not fitted.

    Parameters
    ----------
    estimators : list of regressors
        Fitted.
    """

    def __init__(self, estimators):
        self.estimators = estimators
        self.n_features_in_ = getattr(estimators[0], "n_features_in_", None)

    def predict(self, X):
        """Return the mean of their numbers."""
        return np.mean([model.predict(X) for model in self.estimators], axis=0)
