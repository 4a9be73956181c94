"""Input decimation: a member per class on the columns most correlated with the class."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from counterpoint._arrays import SQUARABLE, check_sample_weight
from counterpoint._asking import said
from counterpoint._interrupts import whole
from counterpoint._reading import check_labels, check_rows
from counterpoint._typing import DataLike, Estimator, Seed, Target, Weights
from counterpoint._validation import check_count, check_share_or_count
from counterpoint.base import draw_seed, fit_member, set_random_states
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.scaling import centre_and_scale
from counterpoint.views.view import ColumnsView


def class_correlations(X: DataLike, y: Target, sample_weight: Weights = None) -> NDArray:
    """Return the correlation of every column with being of every class or not.

    The source is named at :class:`InputDecimationClassifier`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    y : array-like of shape (n_samples,)
        Labels.
    sample_weight : array-like of shape (n_samples,), default=None
        Not negative.

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        Pearson's correlations, classes in sorted order. NaN for a column that is constant, and
        for a class that is alone.

    Examples
    --------
    >>> from counterpoint.views import class_correlations
    >>> class_correlations([[1.0, 2.0], [0.0, 2.0]], ["a", "b"]).round(2).tolist()
    [[1.0, nan], [-1.0, nan]]
    """
    X = check_rows(X, owner="class_correlations", most=SQUARABLE)
    y = check_labels(y, len(X))
    weight = check_sample_weight(sample_weight, len(X))
    weight = np.ones(len(X)) if weight is None else weight
    share = weight / weight.sum()
    centre, scale = centre_and_scale(X, weight)
    Z = (X - centre) / scale
    with np.errstate(over="ignore"):  # a row with next to no weight, far away
        Z[:, share @ Z**2 < 0.5] = np.nan  # constant: no scale was found
    is_class = (y[:, None] == np.unique(y)).astype(float)
    prior = share @ is_class
    with np.errstate(divide="ignore", invalid="ignore"):
        standard = (is_class - prior) / np.sqrt(prior * (1 - prior))
        # A class with next to no weight has no scale either.
        return np.clip((standard * share[:, None]).T @ Z, -1.0, 1.0)


class InputDecimationClassifier(BaseViewClassifier):
    """Train a member per class on the columns most correlated with that class.

    Every member learns to tell all classes apart, but sees only the columns that say most about
    its favourite class (by the size of their correlation with being of the class or not, the
    first of equals). Good for many columns, some of them useless, and several classes. With two
    classes both members see the same columns.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``. An ensemble makes a
        sub-ensemble per class.
    n_features : int, float or "validate", default=0.5
        Columns per member: a number, a share of all, or the best of 1, 2, 4, ... and all by
        cross-validated accuracy.
    n_per_class : int, default=1
        Members per class, which differ by their seeds.
    gate : classifier or None, default=None
        Fitted on all columns; how probable it finds a class weighs the members with that
        favourite. None weighs all the same.
    cv : int, default=3
        Folds for ``n_features="validate"``.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds learners, folds and gate.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    correlations_ : ndarray of shape (n_classes, n_features)
        See :func:`class_correlations`.
    columns_ : ndarray of shape (n_classes, n_columns)
        Columns chosen for each class, the most correlated first.
    favourites_ : ndarray of shape (n_members,)
        The favourite class of each member.
    scores_ : dict
        For "validate": accuracy by number of columns.
    gate_ : classifier or None
        Fitted.
    estimators_ : list of classifiers
        The members.
    views_ : list of ColumnsView
        Their columns.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] K. Tumer and N. Oza, "Input decimated ensembles", Pattern Analysis and Applications 6,
       2003.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.3.1, "Input Decimation"; the gate is proposed there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import InputDecimationClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> InputDecimationClassifier(n_features=2).fit(X, y).columns_.tolist()
    [[2, 3], [1, 2], [3, 2]]
    """

    _count = "n_per_class"

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_features: float | str = 0.5,
        n_per_class: int = 1,
        gate: Estimator = None,
        cv: Any = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.n_per_class = n_per_class
        self.gate = gate
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learners(self):
        gate = {} if self.gate is None else {"gate": self.gate}
        return super()._learners() | gate

    def _make_views(self, X, y, sample_weight, rng):
        n_per_class = check_count(self.n_per_class, "n_per_class")
        self.correlations_ = class_correlations(X, y, sample_weight)
        n_columns = self._number_of_columns(X, y, sample_weight, rng)
        self.columns_ = _strongest(self.correlations_, n_columns)
        self.favourites_ = np.repeat(self.classes_, n_per_class)
        self._fit_gate(X, y, sample_weight, rng)
        return [ColumnsView(columns) for columns in self.columns_ for _ in range(n_per_class)]

    def _number_of_columns(self, X, y, sample_weight, rng):
        varying = int((~np.isnan(self.correlations_[0])).sum())
        if varying == 0:
            raise ValueError(
                "All columns of X are constant: there is nothing to correlate with the classes."
            )
        if isinstance(self.n_features, str) and self.n_features == "validate":
            return self._best_number(X, y, sample_weight, varying, rng)
        chosen = check_share_or_count(self.n_features, "n_features", X.shape[1], "columns")
        if chosen > varying:
            if isinstance(self.n_features, Integral):
                raise ValueError(
                    f"n_features={self.n_features}, but only {varying} of {X.shape[1]} columns "
                    "vary: constant columns correlate with nothing. Ask for fewer."
                )
            return varying
        return chosen

    def _best_number(self, X, y, sample_weight, varying, rng):
        folds = check_count(self.cv, "cv", low=2)
        labels, counts = np.unique(y, return_counts=True)
        if counts.min() < folds:
            raise ValueError(
                f"Class {labels.tolist()[counts.argmin()]!r} has {counts.min()} rows, too few for "
                f"cv={folds} folds: lower cv, or give n_features as a number."
            )
        candidates = sorted({2**k for k in range(varying.bit_length())} | {varying})
        splits = StratifiedKFold(folds, shuffle=True, random_state=draw_seed(rng))
        splits = list(splits.split(X, y))
        self.scores_ = {}
        for n in candidates:
            trial = clone(self).set_params(n_features=n, gate=None, random_state=draw_seed(rng))
            self.scores_[n] = float(
                np.mean([_score(trial, X, y, sample_weight, s) for s in splits])
            )
        return max(candidates, key=lambda n: (self.scores_[n], -n))

    def _fit_gate(self, X, y, sample_weight, rng):
        self.gate_ = None
        if self.gate is None:
            return
        if not hasattr(self.gate, "predict_proba"):
            raise ValueError(
                f"gate is a {type(self.gate).__name__}, which has no predict_proba: its "
                "probabilities weigh the members. Pass another, or wrap it in "
                "CalibratedClassifierCV."
            )
        gate = set_random_states(clone(self.gate), rng)
        self.gate_ = fit_member(gate, X, y, **self._fit_params(sample_weight)["gate"])

    def _combine(self, shares, X):
        if self.gate_ is None:
            return super()._combine(shares, X)
        support = said(self.gate_, X)[:, np.searchsorted(self.classes_, self.favourites_)]
        total = sum(one * w[:, None] for one, w in zip(shares, support.T, strict=True))
        return total / support.sum(axis=1, keepdims=True)


def _strongest(correlations, n):
    size = np.nan_to_num(np.abs(correlations), nan=-1.0)
    return np.argsort(-size, axis=1, kind="stable")[:, :n]


def _score(trial, X, y, sample_weight, split):
    train, test = split
    weight = None if sample_weight is None else sample_weight[train]
    try:
        with whole():
            fitted = clone(trial).fit(X[train], y[train], weight)
    except ValueError as error:
        if "columns vary" not in str(error):
            raise
        return -np.inf  # a column that varies in all rows need not vary in a fold
    weight = None if sample_weight is None else sample_weight[test]
    return fitted.score(X[test], y[test], weight)
