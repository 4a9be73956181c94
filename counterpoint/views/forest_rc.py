"""Forest-RC: bagged trees that split on random sums of a few columns."""

from copy import copy

import numpy as np
from joblib import Parallel, delayed

from counterpoint._typing import Seed
from counterpoint._validation import check_count
from counterpoint.base import MAX_SEED
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.combination_tree import CombinationTreeClassifier, columns_of
from counterpoint.views.scaling import centre_and_scale
from counterpoint.views.view import BootstrapView, WholeView


class ForestRCClassifier(BaseViewClassifier):
    """Forest-RC: bagged trees that split on random sums of a few columns.

    Where columns are few, a choice among them leaves trees alike; sums make many more to choose
    from, and let one split follow a slanted boundary. Each tree
    (:class:`CombinationTreeClassifier`) is grown, not pruned, on rows drawn with replacement.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_combinations, n_terms, max_depth, min_samples_split, min_samples_leaf
        As for :class:`CombinationTreeClassifier`. A row drawn twice counts once.
    bootstrap : bool, default=True
        Whether rows are drawn; otherwise each tree sees them all. Weights of samples are no
        weights of the draw: they count in the splits and leaves.
    n_jobs : int or None, default=None
        Trees grown at a time, in threads. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds rows and sums.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    estimators_ : list of CombinationTreeClassifier
        The trees.
    views_ : list of View
        How their rows were drawn.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 2001, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import ForestRCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestRCClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> round(forest.score(X, y), 1)
    1.0
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_combinations: int | None = None,
        n_terms: int | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_combinations = n_combinations
        self.n_terms = n_terms
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _template(self):
        return CombinationTreeClassifier(
            n_combinations=self.n_combinations,
            n_terms=self.n_terms,
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
        )

    def _make_views(self, X, y, sample_weight, rng):
        n = check_count(self.n_estimators, "n_estimators")
        return [BootstrapView(as_weights=True) if self.bootstrap else WholeView()] * n

    def _train(self, views, X, y, sample_weight, rng):
        # Scaled once for all trees, and without their checks, which take longer than small trees.
        template = self._template()
        template._check(X.shape[1])
        template.classes_, template.n_features_in_ = self.classes_, X.shape[1]
        centre, scale = centre_and_scale(X, sample_weight)
        columns = columns_of(X, centre, scale)
        codes = np.searchsorted(self.classes_, y).astype(np.int32)
        seeds = rng.randint(MAX_SEED, size=len(views))
        trees = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_grow_member)(
                template, view, columns, codes, sample_weight, centre, scale, seed
            )
            for view, seed in zip(views, seeds, strict=True)
        )
        return trees, views

    def _each(self, ask, X):
        scaled = self.estimators_[0].combination_tree_.scaled(X)  # all trees have the same scale
        return Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(ask)(tree, scaled) for tree in self.estimators_
        )

    def _each_labels(self, X):
        return self._each(_tree_labels, X)

    def _each_proba(self, X):
        return self._each(_tree_proba, X)


def _grow_member(template, view, columns, codes, sample_weight, centre, scale, seed):
    rng = np.random.RandomState(seed)
    tree = copy(template).set_params(random_state=seed)
    n = len(codes)
    # The view is shown the numbers of the rows: what it draws are weights of these.
    drawn = view.fit(np.arange(n)[:, None], codes, sample_weight, rng)
    weight = np.zeros(n)
    weight[drawn.X[:, 0]] = 1.0 if drawn.sample_weight is None else drawn.sample_weight
    tree.combination_tree_ = tree._grow(columns, codes, weight, centre, scale, rng)
    return tree


def _tree_proba(tree, scaled):
    return tree.combination_tree_.shares()[tree.combination_tree_.leaves(scaled)]


def _tree_labels(tree, scaled):
    leaves = tree.combination_tree_.leaves(scaled)
    return tree.classes_[tree.combination_tree_.value.argmax(axis=1)[leaves]]
