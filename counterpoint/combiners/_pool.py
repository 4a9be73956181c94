"""A pool of members inside an estimator: fitted or to be fitted, each with its own columns."""

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from counterpoint._members import is_fitted, is_pool, named_pool, select_columns
from counterpoint._outputs import MemberOutputs


class BasePoolClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """What classifiers around a pool share.

    Subclasses have the parameters ``pool``, ``columns``, ``cv`` and ``n_jobs``.
    """

    def _fit_pool(self, X, y):
        """Fit the members that are not; return X and y, checked."""
        X, y = self._read(X, y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]}: give at least two.")
        pool = self._pool()
        if not is_pool(pool):
            self.pool_ = pool if is_fitted(pool) else clone(pool).fit(X, y)
            # A fitted pool may know a class that these samples have none of.
            self.classes_ = np.asarray(getattr(self.pool_, "classes_", self.classes_))
            return X, y
        members = named_pool(pool, self.columns)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(m.estimator, select_columns(X, m.columns), y) for m in members
        )
        self.pool_ = [(m.name, estimator) for m, estimator in zip(members, fitted, strict=True)]
        self.classes_ = self._common_classes()
        return X, y

    def _common_classes(self):
        """Return all classes, of y and of members; raise where they speak of different things."""
        known = {n: np.asarray(m.classes_) for n, m in self.pool_ if hasattr(m, "classes_")}
        for name, own in known.items():
            # Members may know a class that y has none of, but not miss all that y has.
            alike = (own.dtype.kind in "OSU") == (self.classes_.dtype.kind in "OSU")
            if not alike or not np.isin(own, self.classes_).any():
                raise ValueError(
                    f"{name} was fitted on the classes {own.tolist()}, but y holds "
                    f"{self.classes_.tolist()}: all members must speak of the same classes."
                )
        return np.unique(np.concatenate([self.classes_, *known.values()]))

    def _pool(self):
        return _default_pool() if self.pool is None else self.pool

    def _read(self, X, y):
        # Frames go to the members as they are: they may want names, or strings.
        X = X if hasattr(X, "shape") else np.asarray(X)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        if self.pool is None:
            X, y = validate_data(self, X, y)
        else:
            validate_data(self, X, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        return X, y

    def _outputs_unseen(self, X, y):
        """Return what members say about rows they were not trained on, by cross-fitting."""
        pool = self._pool()
        return MemberOutputs.from_estimator(
            pool, X, y, columns=self.columns if is_pool(pool) else None, cv=self.cv,
            n_jobs=self.n_jobs,
        )  # fmt: skip

    def _checked(self, X):
        """Return X as the members want it."""
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X)
        if self.pool is None:
            return validate_data(self, X, reset=False)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _without_proba(self):
        if not isinstance(self.pool_, list):
            return []
        return [name for name, member in self.pool_ if not hasattr(member, "predict_proba")]

    def _need_proba(self, what):
        without = self._without_proba()
        if without:
            one = len(without) == 1
            raise ValueError(
                f"{what} needs probabilities, but {', '.join(without)} "
                f"{'has' if one else 'have'} no predict_proba: calibrate {'it' if one else 'them'} "
                f"(CalibratedClassifierCV), leave {'it' if one else 'them'} out, or combine votes."
            )

    def outputs(self, X, y=None) -> MemberOutputs:
        """Return what the members say about samples.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            The truth, if known.

        Returns
        -------
        MemberOutputs
        """
        X = self._checked(X)
        columns = self.columns if isinstance(self.pool_, list) else None
        return MemberOutputs.from_estimator(self.pool_, X, y, columns=columns, n_jobs=self.n_jobs)

    def member_predict(self, X) -> NDArray:
        """Return the labels of the members, (n_members, n_samples)."""
        return self.classes_[self.outputs(X).votes]


class CombiningPoolClassifier(BasePoolClassifier):
    """A pool whose answers ``combiner_`` makes one of."""

    def _asked(self, X) -> MemberOutputs:
        """Return what is to be combined."""
        return self.outputs(X)

    def predict_proba(self, X) -> NDArray:
        """Return the support of the rule for each class, as shares.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.combiner_.predict_proba(self._asked(X))

    def predict(self, X) -> NDArray:
        """Return the label with most support, the first of equals.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.combiner_.combine(self._asked(X)).argmax(axis=1)]


def _default_pool():
    return [
        ("logistic regression", LogisticRegression(max_iter=1000)),
        ("naive Bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=6, random_state=0)),
    ]


def _fit(estimator, X, y):
    return estimator if is_fitted(estimator) else clone(estimator).fit(X, y)
