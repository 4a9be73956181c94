"""One model in place of a pool, learned from artificial samples that the pool labels."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from counterpoint import _members
from counterpoint._asking import said
from counterpoint._typing import DataLike, Estimator, Pool, Seed
from counterpoint._validation import check_choice, check_count, check_learner, check_number
from counterpoint.base import fit_member, set_random_states, validate_data
from counterpoint.trees.distilling.artificial import SAMPLINGS, Sampler, choose_sampling
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.growing.cases import bootstrap_cases, fit_cases
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.single import SingleTreeMixin
from counterpoint.trees.structure import Tree
from counterpoint.trees.take import take_trees

_N_DEFAULT_TREES = 25  # as in Domingos' experiments
_ORIGINALS = ("labels", "pool", "drop")


def _has_proba(self):
    learner = getattr(self, "estimator_", self.estimator)
    return learner is None or hasattr(learner, "predict_proba")


class DistilledTreeClassifier(PoolMixin, SingleTreeMixin, ClassifierMixin, BaseEstimator):
    """One tree that imitates an ensemble: combining multiple models (CMM), Domingos 1998.

    The ensemble labels artificial samples, and a single learner, a tree by default, learns them
    together with the training data. With a tree as a learner the result can be read; any other
    classifier will do as well. More samples make it more faithful and larger. X must have no
    missing values; an artificial sample weighs 1.

    Parameters
    ----------
    pool : classifier, list of trees, TreeEnsemble or None, default=None
        Whom to imitate. One that is not fitted, as after ``clone`` or in a grid search, is
        fitted first. None is the vote of 25 trees on bootstrap samples.
    estimator : classifier or None, default=None
        Who learns. None is ``PrunedTreeClassifier()``, which stands in for C4.5.
    n_samples : int, default=1000
        Artificial samples.
    sampling : {"auto", "leaves", "data", "uniform"}, default="auto"
        Where they come from. "leaves": as in CMM, a leaf of a tree of the pool, by the
        number of training rows in it, and a point anywhere in the leaf within the bounds of the
        data. "data": a row and normal noise. "uniform": anywhere within the bounds of the data.
        "auto": "leaves" if the pool consists of trees with splits on columns, else "data".
    noise : float, default=0.2
        For "data": standard deviation of the noise, in those of the columns.
    originals : {"labels", "pool", "drop"}, default="labels"
        The training rows: learned with their own labels, as in CMM; with the labels the pool
        gives them, for a more faithful tree; or not at all.
    random_state : int, RandomState instance or None, default=None
        Seeds the pool, the samples and the learner.

    Attributes
    ----------
    pool_ : classifier or TreeEnsemble
        The fitted pool.
    estimator_ : classifier
        The fitted learner, which does the predicting.
    fidelity_ : float
        Share of ``max(n_samples, 1000)`` further artificial samples on which learner and pool
        agree.
    sampling_ : str
        Where the samples came from.
    tree_ : Tree
        The learner's tree, if it is one.
    rules_ : RuleList
        It as rules. Support counts artificial samples too.
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
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 2.5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import DistilledTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X, y)
    >>> single = DistilledTreeClassifier(forest, random_state=0).fit(X, y)
    >>> single.fidelity_ > 0.85, single.tree_.n_leaves < 100
    (True, True)
    """

    _takes_missing = False

    def __init__(
        self,
        pool: Pool = None,
        *,
        estimator: Estimator = None,
        n_samples: int = 1000,
        sampling: str = "auto",
        noise: float = 0.2,
        originals: str = "labels",
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.estimator = estimator
        self.n_samples = n_samples
        self.sampling = sampling
        self.noise = noise
        self.originals = originals
        self.random_state = random_state

    def _make(self, X, y, sample_weight, rng):
        columns = getattr(X, "columns", None)
        X, y, codes, weight = self._read_cases(X, y, sample_weight)
        names = None if columns is None else getattr(self, "feature_names_in_", None)
        self._names = None
        self.pool_ = self._take_pool(X, y, codes, weight, rng, names)
        self.sampling_, trees = choose_sampling(self.sampling, self.pool_)
        sampler = Sampler(self.sampling_, trees, X, weight, self.noise)
        made = sampler.draw(self.n_samples, rng)
        if self.originals == "drop":
            rows, labels, both = made, self._ask(made), np.ones(len(made))
        else:
            own = self._ask(X) if self.originals == "pool" else y
            rows = np.concatenate([X, made])
            labels = np.concatenate([own, self._ask(made)])
            both = np.concatenate([weight, np.ones(len(made))])
        learner = PrunedTreeClassifier() if self.estimator is None else clone(self.estimator)
        set_random_states(learner, rng, only_missing=True)
        self.estimator_ = fit_member(learner, rows, labels, None if (both == 1).all() else both)
        self._input_dtype = getattr(self.estimator_, "_input_dtype", np.float32)
        fresh = sampler.draw(max(self.n_samples, 1000), rng)
        self.fidelity_ = float(np.mean(self.estimator_.predict(fresh) == self._ask(fresh)))

    def _check(self):
        check_count(self.n_samples, "n_samples")
        check_number(self.noise, "noise", low=0)
        check_choice(self.sampling, "sampling", SAMPLINGS)
        check_choice(self.originals, "originals", _ORIGINALS)
        check_learner(self.estimator, owner=type(self).__name__)
        if self.estimator is not None and not is_classifier(self.estimator):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}: pass a classifier that is not "
                "fitted, or None for a pruned tree."
            )

    def _take_pool(self, X, y, codes, weight, rng, names):
        if self.pool is None:
            bags = bootstrap_cases(X, codes, weight, _N_DEFAULT_TREES, rng)
            tree = DecisionTreeClassifier()
            return take_trees([fit_cases(tree, X, y, bag, rng) for bag in bags])
        if isinstance(self.pool, TreeEnsemble) or _members.is_pool(self.pool):
            trees = take_trees(self.pool)
            self._check_pool(y, trees.classes, trees.n_features)
            return trees
        if not is_classifier(_members.strip(self.pool)[1]):
            raise TypeError(
                f"pool is a {type(self.pool).__name__}: pass a classifier, fitted or not, or a "
                "list of trees."
            )
        # Frames of the caller have become an array: all are asked about arrays from here.
        pool = self._fitted_pool(X, y, rng, weight)
        if pool is self.pool:
            self._check_pool(y, pool.classes_, getattr(pool, "n_features_in_", None))
            self._names = getattr(pool, "feature_names_in_", None)
            if names is not None and self._names is not None and list(names) != list(self._names):
                raise ValueError(
                    f"X has the columns {list(names)}, but the pool was fitted on "
                    f"{list(self._names)}: pass the same, in that order."
                )
        return pool

    def _ask(self, X):
        if self._names is None:
            return self.pool_.predict(X)
        # A pool fitted on a frame wants its names again.
        return self.pool_.predict(pd.DataFrame(X, columns=self._names))

    def _rows(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])

    def predict(self, X: DataLike) -> NDArray:
        """Return what the learner says, (n_samples,)."""
        X = self._rows(X)  # first: complains if not fitted
        return self.estimator_.predict(X)

    @available_if(_has_proba)
    def predict_proba(self, X: DataLike) -> NDArray:
        """Return the probabilities of the learner, with a column for each of ``classes_``."""
        X = self._rows(X)
        return self._widened(said(self.estimator_, X), self.estimator_.classes_)

    predict_log_proba = available_if(_has_proba)(SingleTreeMixin.predict_log_proba)

    def _widened(self, table, classes):
        """Give a table a column for each class, those too that the pool never said."""
        if len(classes) == len(self.classes_):
            return table
        wide = np.zeros((len(table), len(self.classes_)))
        wide[:, np.searchsorted(self.classes_, classes)] = table
        return wide

    @property
    def tree_(self) -> Tree:  # type: ignore[override]
        """The learner's tree; there is none where the learner is something else."""
        check_is_fitted(self)
        try:
            trees = take_trees(self.estimator_)
        except (TypeError, ValueError):
            trees = None
        if trees is None or trees.n_trees > 1:
            raise AttributeError(
                f"The learner is a {type(self.estimator_).__name__}, not one tree: only "
                "DecisionTreeClassifier, HistTreeClassifier and PrunedTreeClassifier can be "
                "handed back as one."
            )
        tree = trees.trees[0]
        return replace(tree, value=self._widened(tree.value, trees.classes))
