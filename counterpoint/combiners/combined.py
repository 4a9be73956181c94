"""A pool of members and a rule, as one scikit-learn classifier."""

from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from counterpoint._members import is_fitted, is_pool, named_pool, select_columns
from counterpoint._outputs import MemberOutputs
from counterpoint.combiners._base import Combiner
from counterpoint.combiners.fixed import MeanCombiner, VoteCombiner


class CombinedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Combine the members of a pool by any rule.

    Members that are fitted already are taken as they are; the others are fitted. Rules that
    learn are fitted on what the members say about samples they were not trained on, by
    cross-fitting; members are then fitted once more, on all samples. About prefitted members
    nothing is known: give ``fit`` data they were not trained on.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Estimators, (name, estimator) pairs, a dict of estimators, or one ensemble, fitted or
        not. None is logistic regression, naive Bayes and a tree.
    combiner : Combiner, default=None
        The rule. None averages probabilities, or counts votes where a member has none.
    columns : list, default=None
        For a list or dict: the columns each member sees, by name, number or slice; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit for rules that learn.
    n_jobs : int, default=None
        Members fitted or asked at a time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    pool_ : list of (name, estimator) pairs, or ensemble
        All fitted.
    combiner_ : Combiner
        Fitted.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    sklearn.ensemble.VotingClassifier : Vote and weighted mean of unfitted members.
    sklearn.ensemble.StackingClassifier : A classifier on the members' outputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.combiners import ChoquetCombiner, CombinedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CombinedClassifier(combiner=ChoquetCombiner()).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(self, pool=None, *, combiner=None, columns=None, cv=5, n_jobs=None):
        self.pool = pool
        self.combiner = combiner
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X, y) -> Self:
        """Fit the members that are not, and the rule.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        CombinedClassifier
        """
        X, y = self._read(X, y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]!r}: give at least two.")
        pool = _default_pool() if self.pool is None else self.pool
        combiner = self.combiner
        if combiner is not None and not isinstance(combiner, Combiner):
            raise TypeError(
                f"combiner is a {type(combiner).__name__}, expected a Combiner such as "
                "MeanCombiner() or StackingCombiner(SVC(probability=True))."
            )
        self.pool_ = self._fitted(pool, X, y)
        if combiner is None:
            combiner = VoteCombiner() if self._without_proba() else MeanCombiner()
        if combiner.needs_proba:
            self._need_proba(combiner)
        combiner = clone(combiner)
        if combiner.needs_truth:
            outputs = MemberOutputs.from_estimator(
                pool, X, y, columns=self.columns if is_pool(pool) else None, cv=self.cv,
                n_jobs=self.n_jobs,
            )  # fmt: skip
            self.combiner_ = combiner.fit(outputs)
        else:
            self.combiner_ = combiner
        return self

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
        check_classification_targets(y)
        return X, y

    def _fitted(self, pool, X, y):
        if not is_pool(pool):
            return pool if is_fitted(pool) else clone(pool).fit(X, y)
        members = named_pool(pool, self.columns)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(m.estimator, select_columns(X, m.columns), y) for m in members
        )
        return [(m.name, estimator) for m, estimator in zip(members, fitted, strict=True)]

    def _without_proba(self):
        if not isinstance(self.pool_, list):
            return []
        return [name for name, member in self.pool_ if not hasattr(member, "predict_proba")]

    def _need_proba(self, combiner):
        without = self._without_proba()
        if without:
            raise ValueError(
                f"{type(combiner).__name__} combines probabilities, but {', '.join(without)} "
                f"{'has' if len(without) == 1 else 'have'} no predict_proba: calibrate "
                f"{'it' if len(without) == 1 else 'them'} (CalibratedClassifierCV), leave "
                f"{'it' if len(without) == 1 else 'them'} out, or combine votes."
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
        check_is_fitted(self)
        X = X if hasattr(X, "shape") else np.asarray(X)
        if self.pool is None:
            X = validate_data(self, X, reset=False)
        else:
            validate_data(self, X, reset=False, skip_check_array=True)
        columns = self.columns if isinstance(self.pool_, list) else None
        return MemberOutputs.from_estimator(self.pool_, X, y, columns=columns, n_jobs=self.n_jobs)

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
        return self.combiner_.predict_proba(self.outputs(X))

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
        return self.classes_[self.combiner_.combine(self.outputs(X)).argmax(axis=1)]

    def member_predict(self, X) -> NDArray:
        """Return the labels of the members, (n_members, n_samples)."""
        return self.classes_[self.outputs(X).votes]


def _default_pool():
    return [
        ("logistic regression", LogisticRegression(max_iter=1000)),
        ("naive Bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=6, random_state=0)),
    ]


def _fit(estimator, X, y):
    return estimator if is_fitted(estimator) else clone(estimator).fit(X, y)
