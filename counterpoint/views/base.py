"""The one meta-estimator behind all view ensembles: a view a member, trained side by side."""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from counterpoint.views._checks import check_numeric_frame
from counterpoint.views._members import fit_members, member_labels, member_proba
from counterpoint.views.view import View


def _members_have_proba(ensemble):
    return ensemble._has_proba()


class BaseViewClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Give each member its own view of the data, train them in parallel, average their answers.

    A subclass says which views there are (:meth:`_make_views`), and may change who learns
    (:meth:`_make_templates`) and how answers are put together (:meth:`_combine`).
    """

    # Views that calculate with columns need finite numbers; the others pass frames on as they are.
    _numeric = True
    estimator: Any
    n_jobs: int | None
    random_state: Any

    # -- what subclasses fill in ---------------------------------------------------------------

    def _make_views(self, X, y, sample_weight, rng) -> list[View]:
        raise NotImplementedError

    def _make_templates(self, n_members) -> list:
        return [self._template()] * n_members

    def _template(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _combine(self, proba, X):
        """Put the probabilities of the members, an iterator, together."""
        total, n = 0.0, 0
        for one in proba:
            total, n = total + one, n + 1
        return total / n

    # -- training ------------------------------------------------------------------------------

    def fit(self, X, y) -> Self:
        """Make the views and train a member on each.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        return self._fit(X, y)

    def _fit(self, X, y, sample_weight=None):
        X, y = self._read(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        self.classes_ = np.unique(y)
        rng = check_random_state(self.random_state)
        views = self._make_views(X, y, sample_weight, rng)
        self.estimators_, self.views_ = self._train(views, X, y, sample_weight, rng)
        return self

    def _train(self, views, X, y, sample_weight, rng):
        templates = self._make_templates(len(views))
        return fit_members(templates, views, X, y, sample_weight, rng, n_jobs=self.n_jobs)

    def _read(self, X, y):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        if self._passes_frames(X):
            validate_data(self, X, skip_check_array=True)
            y = column_or_1d(y, warn=True)
        else:
            check_numeric_frame(X, type(self).__name__)
            X, y = validate_data(self, X, y, **self._how_to_check(), ensure_min_samples=2)
        if len(y) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} samples and y {len(y)}: give a label for each.")
        check_classification_targets(y)
        if len(np.unique(y)) < 2:
            raise ValueError(
                f"y holds one class only, {y[0]!r}: classifiers need at least two classes."
            )
        return X, y

    def _passes_frames(self, X):
        return not self._numeric and self._takes_frames() and hasattr(X, "columns")

    def _takes_frames(self):
        return self.estimator is not None

    def _how_to_check(self):
        if self._numeric:
            return {"dtype": np.float64}
        return {"ensure_all_finite": not self._allows_nan(), "dtype": "numeric"}

    def _allows_nan(self):
        return not self._numeric and get_tags(self._template()).input_tags.allow_nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    # -- answers -------------------------------------------------------------------------------

    def _check_new(self, X):
        check_is_fitted(self)
        if self._passes_frames(X):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        check_numeric_frame(X, type(self).__name__)
        return validate_data(self, X, reset=False, **self._how_to_check())

    def _has_proba(self):
        models = getattr(self, "estimators_", None) or [self._template()]
        return all(hasattr(model, "predict_proba") for model in models)

    def _ask(self, how, X):
        """Ask the members, and give their answers in their order, one after the other."""
        return Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(how)(model, view, X, self.classes_)
            for model, view in zip(self.estimators_, self.views_, strict=True)
        )

    def member_predict(self, X) -> NDArray:
        """Return the label that each member says.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """
        return np.stack(list(self._ask(member_labels, self._check_new(X))))

    @available_if(_members_have_proba)
    def member_predict_proba(self, X) -> NDArray:
        """Return the probabilities that each member gives.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_classes)
        """
        return np.stack(list(self._ask(member_proba, self._check_new(X))))

    @available_if(_members_have_proba)
    def predict_proba(self, X) -> NDArray:
        """Return the mean of the members' probabilities.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._check_new(X)
        return self._combine(self._ask(member_proba, X), X)

    def predict(self, X) -> NDArray:
        """Return the most probable label; by votes where a member has no probabilities.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Of equals the first label.
        """
        X = self._check_new(X)
        if self._has_proba():
            return self.classes_[self._combine(self._ask(member_proba, X), X).argmax(axis=1)]
        return self.classes_[self._combine(self._ask(_votes, X), X).argmax(axis=1)]


def _votes(model, view, X, classes):
    """Return a member's labels as probabilities 0 and 1."""
    return (member_labels(model, view, X, classes)[:, None] == classes).astype(float)
