"""L6: one model in place of an ensemble, learned from artificial samples that it labels.

The samples come from ``artificial.py``. To choose a member instead: ``similar.py``.
"""

from numbers import Integral
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from counterpoint import _members
from counterpoint.trees.convert import as_sklearn, take_trees
from counterpoint.trees.distilling.artificial import (
    SAMPLINGS,
    Sampler,
    check_noise,
    choose_sampling,
)
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.growing.cases import bootstrap_cases
from counterpoint.trees.growing.growers import case_weights
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.rules.rule import RuleList, tree_rules

__all__ = ["DistilledTreeClassifier"]

_N_DEFAULT_TREES = 25  # as in CMM
_ORIGINALS = ("labels", "ensemble", "drop")


def _student_has_proba(self):
    student = getattr(self, "student_", self.student)
    return student is None or hasattr(student, "predict_proba")


class DistilledTreeClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """One tree that imitates an ensemble: CMM, combining multiple models.

    The ensemble labels artificial samples, and a single learner, a tree by default, learns them
    together with the training data. With a tree as a learner the result can be read; any other
    classifier will do as well. More samples make it more faithful and larger.

    Parameters
    ----------
    ensemble : classifier, list of trees, TreeEnsemble or None, default=None
        Whom to imitate. One that is not fitted, as after ``clone`` or in a grid search, is
        fitted first. None is the vote of 25 trees on bootstrap samples.
    student : classifier or None, default=None
        Who learns. None is ``PrunedTreeClassifier()``, which stands in for C4.5.
    n_samples : int, default=1000
        Artificial samples.
    sampling : {"auto", "leaves", "data", "uniform"}, default="auto"
        Where they come from. "leaves": as in CMM, a leaf of a tree of the ensemble, by the
        number of training rows in it, and a point anywhere in the leaf within the bounds of the
        data. "data": a row and normal noise. "uniform": anywhere within the bounds of the data.
        "auto": "leaves" if the ensemble consists of trees with splits on columns, else "data".
    noise : float, default=0.2
        For "data": standard deviation of the noise, in those of the columns.
    originals : {"labels", "ensemble", "drop"}, default="labels"
        The training rows: learned with their own labels, as in CMM; with the labels the ensemble
        gives them, for a more faithful student; or not at all.
    random_state : int, RandomState instance or None, default=None
        Seeds the default ensemble, the samples and the student.

    Attributes
    ----------
    ensemble_ : classifier or TreeEnsemble
        The fitted ensemble.
    student_ : classifier
        The fitted student, which does the predicting.
    fidelity_ : float
        Share of ``max(n_samples, 1000)`` further artificial samples on which student and
        ensemble agree.
    sampling_ : str
        Where the samples came from.
    rules_ : RuleList
        The student as rules, if it is a tree. Support counts artificial samples too.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    See Also
    --------
    MergedTreeClassifier : One tree grafted together from the ensemble's own.
    most_similar_member : Choose a member instead of learning.

    References
    ----------
    .. [1] P. Domingos, "Knowledge Discovery Via Multiple Models", Intelligent Data Analysis 2,
       1998.
    .. [2] Eastwood's thesis, section 2.5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import DistilledTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> single = DistilledTreeClassifier(forest, random_state=0).fit(X, y)
    >>> single.fidelity_ > 0.85
    True
    >>> print(single.as_sklearn().get_n_leaves() < 100)
    True
    """

    def __init__(
        self,
        ensemble=None,
        *,
        student=None,
        n_samples=1000,
        sampling="auto",
        noise=0.2,
        originals="labels",
        random_state=None,
    ):
        self.ensemble = ensemble
        self.student = student
        self.n_samples = n_samples
        self.sampling = sampling
        self.noise = noise
        self.originals = originals
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None) -> Self:
        """Fit the ensemble unless it is fitted, and the student on what it says.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Whole numbers count as copies, others are scaled to sum to the number
            of samples. An artificial sample weighs 1.

        Returns
        -------
        DistilledTreeClassifier
        """
        self._check()
        columns = getattr(X, "columns", None)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        weight = case_weights(X, y, sample_weight, None)
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = check_random_state(self.random_state)
        self._names = None
        names = None if columns is None else getattr(self, "feature_names_in_", None)
        self.ensemble_ = self._fitted_ensemble(X, y, codes, weight, rng, names)
        self.sampling_, trees = choose_sampling(self.sampling, self.ensemble_)
        rows, labels, both = X, y, weight
        sampler = Sampler(self.sampling_, trees, X, weight, self.noise)
        made = sampler.draw(self.n_samples, rng)
        if self.originals == "drop":
            rows, labels, both = made, self._ask(made), np.ones(len(made))
        else:
            own = self._ask(X) if self.originals == "ensemble" else y
            rows = np.concatenate([X, made])
            labels = np.concatenate([own, self._ask(made)])
            both = np.concatenate([weight, np.ones(len(made))])
        student = PrunedTreeClassifier() if self.student is None else clone(self.student)
        self.student_ = seeded(student, rng)
        self._fit_student(rows, labels, both)
        fresh = sampler.draw(max(self.n_samples, 1000), rng)
        self.fidelity_ = float(np.mean(self.student_.predict(fresh) == self._ask(fresh)))
        return self

    def _check(self):
        if isinstance(self.n_samples, bool) or not isinstance(self.n_samples, Integral):
            raise TypeError(f"n_samples={self.n_samples!r}: give a whole number from 1.")
        if self.n_samples < 1:
            raise ValueError(f"n_samples={self.n_samples}: give a whole number from 1.")
        check_noise(self.noise)
        if self.sampling not in SAMPLINGS:
            raise ValueError(f"sampling={self.sampling!r}: choose {', '.join(SAMPLINGS)}.")
        if self.originals not in _ORIGINALS:
            raise ValueError(f"originals={self.originals!r}: choose {', '.join(_ORIGINALS)}.")
        if self.student is not None and not is_classifier(self.student):
            raise TypeError(
                f"student is a {type(self.student).__name__}: pass a classifier that is not "
                "fitted, or None for a pruned tree."
            )

    def _fitted_ensemble(self, X, y, codes, weight, rng, names):
        if self.ensemble is None:
            return vote_of_trees(X, y, codes, weight, DecisionTreeClassifier(), rng)
        given = self.ensemble
        if isinstance(given, TreeEnsemble) or _members.is_pool(given):
            given = take_trees(given)
        elif not is_classifier(_members.strip(given)[1]):
            raise TypeError(
                f"ensemble is a {type(given).__name__}: pass a classifier, fitted or not, or a "
                "list of trees."
            )
        elif not _members.is_fitted(given):
            given = seeded(clone(given), rng)
            plain = (weight == 1.0).all()
            if not plain and not has_fit_parameter(given, "sample_weight"):
                raise ValueError(
                    f"{type(given).__name__} takes no sample_weight: pass it fitted, or leave the "
                    "weights out."
                )
            # Frames of the caller have become an array: all are asked about arrays from here.
            return given.fit(X, y) if plain else given.fit(X, y, sample_weight=weight)
        self._check_fitted(given, names)
        return given

    def _check_fitted(self, given, names):
        known = given.classes if isinstance(given, TreeEnsemble) else given.classes_
        strange = np.setdiff1d(self.classes_, known)
        if len(strange):
            raise ValueError(
                f"y holds {strange.tolist()[0]!r}, which the fitted ensemble does not know; its "
                f"classes are {np.asarray(known).tolist()}. Fit it on all classes."
            )
        self.classes_ = np.asarray(known)
        width = getattr(given, "n_features_in_", getattr(given, "n_features", None))
        if width is not None and width != self.n_features_in_:
            raise ValueError(
                f"X has {self.n_features_in_} columns, but the ensemble was fitted on {width}: "
                "pass the columns it was fitted on."
            )
        self._names = getattr(given, "feature_names_in_", None)
        if names is not None and self._names is not None and list(names) != list(self._names):
            raise ValueError(
                f"X has the columns {list(names)}, but the ensemble was fitted on "
                f"{list(self._names)}: pass the same, in that order."
            )

    def _ask(self, X):
        names = self._names
        if names is None or isinstance(self.ensemble_, TreeEnsemble):
            return self.ensemble_.predict(X)
        # An ensemble fitted on a frame wants its names again.
        return self.ensemble_.predict(pd.DataFrame(X, columns=names))

    def _fit_student(self, X, labels, weight):
        if (weight == 1.0).all():
            self.student_.fit(X, labels)
        elif has_fit_parameter(self.student_, "sample_weight"):
            self.student_.fit(X, labels, sample_weight=weight)
        else:
            raise ValueError(
                f"{type(self.student_).__name__} takes no sample_weight: leave the weights out, "
                "or pass another student."
            )

    def predict(self, X) -> NDArray:
        """Return what the student says.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._look(X)  # first: complains if not fitted
        return self.student_.predict(X)

    @available_if(_student_has_proba)
    def predict_proba(self, X) -> NDArray:
        """Return the probabilities of the student, with a column for each of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._look(X)
        proba = self.student_.predict_proba(X)
        if len(self.student_.classes_) == len(self.classes_):
            return proba
        wide = np.zeros((len(proba), len(self.classes_)))  # a class the ensemble never said
        wide[:, np.searchsorted(self.classes_, self.student_.classes_)] = proba
        return wide

    def _look(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])

    def as_sklearn(self) -> DecisionTreeClassifier:
        """Return the student as a scikit-learn tree, for ``plot_tree`` and ``export_text``.

        Returns
        -------
        DecisionTreeClassifier

        Raises
        ------
        TypeError
            If the student is no single tree.
        """
        check_is_fitted(self)
        trees = self._one_tree()
        names = getattr(self, "feature_names_in_", None)
        return as_sklearn(trees.trees[0], trees.classes, self.n_features_in_, names)

    @property
    def rules_(self) -> RuleList:
        """The student as rules; support counts training rows and artificial samples."""
        check_is_fitted(self)
        trees = self._one_tree()
        names = getattr(self, "feature_names_in_", None)
        return tree_rules(trees.trees[0], trees.classes, names)

    def _one_tree(self):
        try:
            trees = take_trees(self.student_)
        except (TypeError, ValueError):
            trees = None
        if trees is None or trees.n_trees > 1:
            raise TypeError(
                f"The student is a {type(self.student_).__name__}, not one tree: only "
                "DecisionTreeClassifier, HistTreeClassifier and PrunedTreeClassifier can be "
                "handed back as one."
            )
        return trees


def vote_of_trees(X, y, codes, weight, tree, rng, n_trees=_N_DEFAULT_TREES):
    """Grow trees on bootstrap samples, and let them vote."""
    bags = bootstrap_cases(X, codes, weight, n_trees, rng)
    return take_trees([grown(tree, X, y, bag, rng) for bag in bags])


def grown(tree, X, y, weight, rng):
    """Fit a tree on the rows with a weight."""
    held = weight > 0
    return seeded(clone(tree), rng).fit(X[held], y[held], sample_weight=weight[held])


def seeded(model, rng):
    """Give a seed to every random_state of a model that has none."""
    own = model.get_params(deep=True)
    chosen = {
        name: rng.randint(np.iinfo(np.int32).max)
        for name in sorted(own)
        if (name == "random_state" or name.endswith("__random_state")) and own[name] is None
    }
    return model.set_params(**chosen) if chosen else model
