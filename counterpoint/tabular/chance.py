"""A fitted classifier as a regressor: the probability it gives one of its classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from counterpoint._validation import did_you_mean


class ProbabilityRegressor(RegressorMixin, BaseEstimator):
    """What a fitted classifier says how probable a class is, as its answer.

    Where a class is rare a classifier may hardly ever say it: a tree of its labels has nothing to
    tell, one of this has.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    label : str
        The class, as it is written.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from counterpoint.tabular.chance import ProbabilityRegressor
    >>> X, y = load_iris(return_X_y=True)
    >>> ProbabilityRegressor(GaussianNB().fit(X, y), "0").predict(X[:1])
    array([1.])
    """

    def __init__(self, model: Any, label: str) -> None:
        self.model = model
        self.label = label

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def position(self) -> int:
        """Where the class stands among those of the model."""
        if not hasattr(self.model, "predict_proba"):
            raise ValueError(
                f"probability_of={self.label!r}: a {type(self.model).__name__} gives no "
                "probabilities. Leave it out, or take a model that does."
            )
        known = [str(label) for label in self.model.classes_]
        if str(self.label) not in known:
            hint = did_you_mean(str(self.label), known) or f" There are {', '.join(known[:12])}."
            raise ValueError(f"probability_of={self.label!r} is no class of the model.{hint}")
        return known.index(str(self.label))

    def predict(self, X: Any) -> NDArray:
        """Return the probability of the class, (n_samples,)."""
        return np.asarray(self.model.predict_proba(X))[:, self.position]

    def truth(self, labels: NDArray) -> NDArray:
        """Return 1.0 where a label is the class, else 0.0."""
        return (np.asarray(labels) == self.model.classes_[self.position]).astype(np.float64)
