"""Who trains the members: any scikit-learn estimator, or one that does once what all rounds need.

An estimator shares work between rounds if it has ``prepare``, ``fit_prepared`` and
``predict_prepared``, as ``HistTreeClassifier`` and ``NominalConceptClassifier`` do. Its own ``fit``
is made of the first two, so that a member is what ``fit`` would give on the same weights, whatever
the options.
"""

import warnings
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from counterpoint._asking import said
from counterpoint._tables import select_rows
from counterpoint.base import set_random_states
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor, Tree
from counterpoint.trees.ensemble import leaves_of, stack_grown, stack_trees
from counterpoint.trees.growing.prepared import PreparedRows

_MAX_DRAWS = 100


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
    votes: Any = None
    proba: np.ndarray | None = None
    values: np.ndarray | None = None


class Learner(ABC):
    """Who trains the members: holds the training data, takes weights, gives members.

    Attributes
    ----------
    is_random : bool
        Whether the same weights may give another member: then it pays to try again.
    is_small : bool
        Whether threads that share the work of a round would cost more than they bring.
    """

    is_random = False
    is_small = False

    @abstractmethod
    def fit(self, weight: NDArray, target: NDArray | None = None) -> MemberAnswer:
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
    def answer(self, model: Any) -> MemberAnswer:
        """Return the MemberAnswer of a member trained before."""

    def begin_round(self) -> None:
        """Draw what all models of a round share, where there is such a thing."""
        return

    def some(self, rows: NDArray, rng: np.random.RandomState) -> Any:
        """Return a learner on some of the rows that need not be prepared again, or None.

        Parameters
        ----------
        rows : ndarray of int
            Their positions.
        rng : RandomState
            What it draws from.
        """
        return

    def bins(self, rows: NDArray) -> Any:
        """Return some of the rows as bins that members of ``some`` are asked by, or None.

        Parameters
        ----------
        rows : ndarray of int
            Their positions.
        """
        return

    def recover(self, failure: str) -> bool | None:
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
        return None


def shares_work(estimator):
    """Return whether members can be trained on data that are prepared once.

    A subclass that has a ``fit`` of its own does more than the class that prepares, and is fitted.
    """
    if not getattr(estimator, "shares_work", False):
        return False
    owners = type(estimator).__mro__
    fit, prepare = (
        next(place for place, owner in enumerate(owners) if name in vars(owner))
        for name in ("fit", "prepare")
    )
    return prepare <= fit


def takes_rows(estimator):
    """Return whether it trains on some rows of a table without a copy of them."""
    return shares_work(estimator) and getattr(estimator, "takes_rows", False)


def make_learner(
    estimator, X, codes=None, classes=None, *, resample, cases, rng, proba=False, weighted=True,
    among=None,
):  # fmt: skip
    """Return a learner that shares work between rounds where the estimator can, else any.

    ``codes`` are those of the labels in the sorted ``classes``; both are None for regression, where
    the rule gives targets. ``proba`` asks for probabilities as well. ``cases`` are the weights that
    the samples start from, as numbers of cases, all above 0. ``weighted`` says whether the weights
    ever differ; if not, they are not passed, and learners without ``sample_weight`` do as well.
    ``among`` are the rows of X to train on where the estimator takes them from there.
    """
    if shares_work(estimator) and not resample:
        return PreparedLearner(
            estimator, X, codes, classes, proba=proba, cases=cases, rng=rng, among=among
        )
    y = None if classes is None else classes[codes]
    return EstimatorLearner(
        estimator, X, y, classes, resample=resample, proba=proba, rng=rng, weighted=weighted
    )


class PreparedLearner(Learner):
    """Train members of an estimator that prepares the data once.

    Its ``class_weight`` multiplies the weights of every round anew; it is no part of the samples'
    own weights.
    """

    def __init__(self, estimator, X, codes, classes, *, proba, cases, rng, among=None):
        self.classes, self.proba, self.rng = classes, proba, rng
        self.template = clone(estimator)  # reads the data: its copies know the columns
        rows = {} if among is None else {"among": among}
        if classes is None:
            self.data = self.template.prepare(X, **rows)
        else:
            self.data = self.template.prepare(X, codes, cases, classes=classes, **rows)
        self.is_random = self.data.is_random
        self.is_small = getattr(getattr(self.data, "grower", None), "is_small", False)

    def fit(self, weight, target=None):
        """Train one member."""
        given = {} if target is None else {"target": target}
        return self.answer(self._copy().fit_prepared(self.data, weight, **given))

    def some(self, rows, rng):
        """Return a learner on some of the rows, in the same bins."""
        data = self.data.some(rows) if isinstance(self.data, PreparedRows) else None
        if data is None:
            return None
        made = copy(self)
        made.data, made.rng = data, rng
        made.is_small = data.grower.is_small
        return made

    def bins(self, rows):
        """Return some of the rows as bins."""
        known = isinstance(self.data, PreparedRows) and self.data.has_bins
        return self.data.grower.binned.take(rows) if known else None

    def _copy(self):
        model = twin(self.template)
        return set_random_states(model, self.rng) if self.data.is_random else model

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        if self.classes is None:
            return MemberAnswer(model, values=model.predict_prepared(self.data))
        votes, proba = model.predict_prepared(self.data, proba=self.proba)
        return MemberAnswer(model, votes=votes, proba=proba)


class EstimatorLearner(Learner):
    """Train clones of any scikit-learn estimator, by weights or on rows drawn by weight."""

    def __init__(self, estimator, X, y, classes, *, resample, proba, rng, weighted=True):
        self.estimator, self.X, self.y, self.classes = estimator, X, y, classes
        self.proba, self.rng, self.weighted = proba, rng, weighted
        if proba and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"{type(estimator).__name__} has no predict_proba, which confidence=True needs: "
                "wrap it in CalibratedClassifierCV, or set confidence=False."
            )
        if weighted and not resample and not has_fit_parameter(estimator, "sample_weight"):
            warnings.warn(
                f"{type(estimator).__name__} takes no sample_weight: its members are trained on "
                "rows drawn by weight instead. Pass resample=True to say so yourself.",
                UserWarning,
                stacklevel=5,
            )
            resample = True
        self.resample = resample
        self.is_random = resample or any(
            name.endswith("random_state") for name in estimator.get_params(deep=True)
        )

    def fit(self, weight, target=None):
        """Train one member."""
        model = set_random_states(clone(self.estimator), self.rng)
        y = self.y if target is None else target
        if self.resample:
            rows = self._draw(weight, y)
            model.fit(select_rows(self.X, rows), y[rows])
        elif self.weighted:
            model.fit(self.X, y, sample_weight=weight)
        else:
            model.fit(self.X, y)
        return self.answer(model)

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        if self.classes is None:
            values = np.asarray(model.predict(self.X), dtype=float).ravel()
            return MemberAnswer(model, values=values)
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


def twin(model):
    """Return an estimator that shares all it has with another.

    ``copy.copy`` goes by way of what is pickled, and takes as long as to grow a small tree.
    """
    made = object.__new__(type(model))
    vars(made).update(vars(model))
    return made


def member_votes(model, X, classes):
    """Class codes that a member predicts, (n_samples,)."""
    return np.searchsorted(classes, np.asarray(model.predict(X)))


def member_proba(model, X, classes):
    """Probabilities of a member, with a column for every class, (n_samples, n_classes)."""
    proba = said(model, X)
    if proba.shape[1] == len(classes):
        return proba
    wide = np.zeros((len(proba), len(classes)))
    wide[:, np.searchsorted(classes, model.classes_)] = proba
    return wide


def tree_proba(model, bins, classes):
    """Probabilities of a tree that was just grown, by the bins of samples."""
    weight = model.tree_.value[leaves_of(model.tree_, bins)]
    return weight / weight.sum(axis=1, keepdims=True)


def stacked_members(models):
    """Return the trees of all members laid end to end, or None if they cannot be asked as one.

    Some may be no trees of ours, or trained on rows of their own, with other numbers for names.
    """
    trees = [getattr(model, "tree_", None) for model in models]
    names = [getattr(model, "categories_", None) for model in models]
    if any(own is not names[0] and own != names[0] for own in names):
        return None
    if not all(isinstance(tree, Tree) for tree in trees):
        return None
    ours = all(type(model) in (HistTreeClassifier, HistTreeRegressor) for model in models)
    return (stack_grown if ours else stack_trees)(trees)
