"""One tree that decides as an ensemble of trees does, as a scikit-learn estimator."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._typing import DataLike, Pool, Seed, Target, Weights
from counterpoint._validation import (
    check_choice,
    check_count,
    check_number,
    check_pool,
    is_word,
)
from counterpoint.base import check_weights, fit_member, read_labels, validate_data
from counterpoint.trees.algebra import apply, relabel
from counterpoint.trees.boxes import data_bounds
from counterpoint.trees.cells import SAMPLINGS
from counterpoint.trees.equivalent.certificate import Certificate, certify
from counterpoint.trees.equivalent.melt import (
    CRITERIA,
    MINIMIZE,
    Faithfulness,
    check_limits,
    equivalent_tree,
)
from counterpoint.trees.equivalent.sample import grow_on_sample
from counterpoint.trees.growing.growers import case_weights
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.pruning.prune import OPTIONS, prune
from counterpoint.trees.pruning.volume import prune_by_volume
from counterpoint.trees.single import SingleTreeMixin
from counterpoint.trees.take import take_trees

# What a dict for pruning may hold; "volume", which is not a criterion of prune, has one of its own.
_PRUNING = ("criterion", *OPTIONS, "X_val", "y_val", "sample_weight_val", "total")
_BY_VOLUME = ("criterion", "least")
_CHOICES = {
    "method": ("exact", "sample"),
    "criterion": CRITERIA,
    "minimize": MINIMIZE,
    "sampling": SAMPLINGS,
    "weight": ("volume", "data", "both"),
}


class EnsembleTreeClassifier(PoolMixin, SingleTreeMixin, ClassifierMixin, BaseEstimator):
    """Fit an ensemble of trees, then melt it into one tree.

    ``method="exact"`` gives a tree with the decisions of the ensemble at every point of the
    space; :meth:`verify` proves it. Such a tree is large if the ensemble is: in many columns, take
    few trees that are not deep. ``method="sample"`` grows a tree on a sample of the
    overlaps of the ensemble's leaves: an approximation, for any ensemble, that can be kept small
    by leaving out overlaps the trees do not agree on, and by pruning. Both follow [1]_, section
    5.1.

    Parameters
    ----------
    pool : classifier, list of trees, TreeEnsemble or None, default=None
        An ensemble of trees, see :func:`counterpoint.trees.take_trees`. One that is not fitted,
        as after ``clone`` or in a grid search, is fitted first. None: 10 bagged trees of depth 3.
    method : {"exact", "sample"}, default="exact"
        A tree that decides exactly as the ensemble, or one grown on a sample of its overlaps.
    criterion : {"cells", "volume"}, default="cells"
        For "exact": what a split should tell apart, see
        :func:`counterpoint.trees.equivalent_tree`.
    minimize : {None, "leaves", "depth"}, default=None
        For "exact": search for the smallest tree.
    max_leaves : int or None, default=100_000
        Most leaves.
    time_limit : float or None, default=None
        For "exact": most seconds for splitting, once the ensemble is fitted.
    n_overlaps : int, default=10_000
        For "sample": overlaps to draw; doubles are dropped. [1]_ draws 100 000.
    sampling : {"uniform", "data", "volume", "walk"}, default="uniform"
        For "sample": draw roughly evenly from all overlaps, around rows of X, by volume, or on
        walks of a hundred steps that begin at rows of X.
    agreement : float, default=0.0
        For "sample": keep overlaps where the share of the score for the winner is above this.
    keep : float, default=1.0
        For "sample": then keep this share of the overlaps, those with most agreement.
    weight : {"volume", "data", "both"}, default="volume"
        For "sample": what an overlap weighs: its volume, its rows, or the mean of both shares.
        "data" leaves out overlaps without rows.
    pruning : str, dict or None, default=None
        Criterion of :func:`counterpoint.trees.prune` for pruning the tree by the training
        rows, or a dict of its options with "criterion". The leaves then have the labels of the
        rows that reach them. ``{"criterion": "volume", "least": 0.01}`` makes leaves of the nodes
        that cover less than this share of the box around the rows, as in figures 5.3 and 5.4 of
        [1]_; these leaves decide as most of their volume does.
    random_state : int, RandomState instance or None, default=None
        Seeds the default pool, those without seeds of their own, and the sample.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    tree_ : Tree
        The one tree. Weights of classes in a leaf are mean scores of the ensemble, so
        ``predict_proba`` is near that of the ensemble.
    pool_ : classifier
        The fitted pool.
    exact_ : bool
        Whether the tree is known to decide as the ensemble does everywhere.
    smallest_ : bool
        Whether it is proven that there is no smaller one.
    faithfulness_ : Faithfulness
        Where it is proven to, and how many of the rows it decides alike. A sample proves nothing.
    n_leaves_ : int
        Number of leaves.
    n_overlaps_ : int
        For "sample": overlaps the tree was grown on.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    Notes
    -----
    X must have no missing values. An ensemble that was fitted on such is taken as it is for
    samples without.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 5.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import EnsembleTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> one = EnsembleTreeClassifier(random_state=0).fit(X, y)
    >>> one.exact_, one.verify().equal
    (True, True)
    """

    _takes_missing = False

    def __init__(
        self,
        pool: Pool = None,
        *,
        method: str = "exact",
        criterion: str = "cells",
        minimize: str | None = None,
        max_leaves: int | None = 100_000,
        time_limit: float | None = None,
        n_overlaps: int = 10_000,
        sampling: str = "uniform",
        agreement: float = 0.0,
        keep: float = 1.0,
        weight: str = "volume",
        pruning: str | dict | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.method = method
        self.criterion = criterion
        self.minimize = minimize
        self.max_leaves = max_leaves
        self.time_limit = time_limit
        self.n_overlaps = n_overlaps
        self.sampling = sampling
        self.agreement = agreement
        self.keep = keep
        self.weight = weight
        self.pruning = pruning
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target, sample_weight: Weights = None, **fit_params: Any) -> Self:
        """Fit the pool unless it is fitted, and melt it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts when the pool is fitted, and when the tree is pruned:
            there whole numbers count as copies, others are scaled to the number of samples.
        **fit_params
            Passed on to the ``fit`` of the pool.

        Returns
        -------
        self
        """
        check_pool(self.pool, owner=type(self).__name__)
        self._check()
        # A frame goes on as it is: a pool may choose columns by name.
        frame = X if hasattr(X, "columns") else None
        X, y = validate_data(self, X, y)
        y = read_labels(self, y)
        weight = check_weights(sample_weight, X)
        rng = check_random_state(self.random_state)
        data = X if frame is None else frame
        if self.pool is None:
            tree = DecisionTreeClassifier(max_depth=3)
            if get_config()["enable_metadata_routing"]:
                tree.set_fit_request(sample_weight=True)
            made = BaggingClassifier(tree, 10, random_state=rng)
            self.pool_ = fit_member(made, data, y, weight, **fit_params)
        else:
            self._refuse_unused(weight, fit_params)
            self.pool_ = self._fitted_pool(data, y, rng, weight, **fit_params)
        trees = take_trees(self.pool_)
        self._check_pool(y, trees.classes, trees.n_features)
        self._input_dtype = trees.dtype
        self._trees = trees
        rows = trees.check_rows(X)
        if self.method == "exact":
            self._melt(trees, rows)
        else:
            self.tree_, self.n_overlaps_ = grow_on_sample(self, trees, rows, rng)
            self.exact_ = self.smallest_ = False
            self._measure(rows)
        if self.pruning is not None:
            cases = case_weights(X, y, sample_weight, None)
            self._prune(rows, np.searchsorted(self.classes_, y), cases)
        self.n_leaves_ = self.tree_.n_leaves
        return self

    def _refuse_unused(self, weight, fit_params):
        given = list(fit_params)
        if weight is not None and self.pruning is None:
            given.append("sample_weight")
        if given and self._is_prefit():
            raise ValueError(
                f"{', '.join(given)} was given, but the pool is fitted and is not fitted again. "
                "Leave it out, or pass a pool that is not fitted."
            )

    def _melt(self, trees, rows):
        made = equivalent_tree(
            trees,
            rows,
            criterion=self.criterion,
            minimize=self.minimize,
            max_leaves=self.max_leaves,
            time_limit=self.time_limit,
        )
        if not made.exact:
            warnings.warn(
                f"The tree is not exact: {made.stopped_by} stopped it, after which "
                f"{made.faithfulness.volume:.1%} of the volume and {made.faithfulness.rows:.1%} of "
                "the rows are in regions that were proven. Raise max_leaves or time_limit, take "
                "fewer or smaller trees, or use method='sample'.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.tree_, self.exact_, self.smallest_ = made.tree, made.exact, made.smallest
        self.faithfulness_ = made.faithfulness

    def _prune(self, rows, codes, weight):
        options = self.pruning if isinstance(self.pruning, dict) else {"criterion": self.pruning}
        if is_word(options.get("criterion"), "volume"):
            self._cut_small(rows, **options)
            return
        counted = relabel(self.tree_, rows, codes, weight, empty="parent")
        pruned = prune(counted, **options)
        if pruned.n_leaves < self.tree_.n_leaves or self.method == "sample":
            self.exact_ = self.smallest_ = False
        same = np.array_equal(pruned.label, self.tree_.label)
        self.exact_ = self.exact_ and same
        self.tree_ = pruned
        if not self.exact_:
            self._measure(rows)

    def _cut_small(self, rows, criterion, least=0.01):
        pruned = prune_by_volume(self.tree_, data_bounds(rows), least)
        if pruned.n_leaves < self.tree_.n_leaves:
            self.exact_ = self.smallest_ = False
            self.tree_ = pruned
            self._measure(rows)

    def _measure(self, rows):
        """Count the rows that tree and ensemble decide alike; nothing is proven."""
        alike = self.tree_.label[apply(self.tree_, rows)] == self._trees.score(rows).argmax(1)
        self.faithfulness_ = Faithfulness(volume=0.0, rows=0.0, agreement=float(alike.mean()))

    def _check(self):
        for name, choices in _CHOICES.items():
            check_choice(getattr(self, name), name, choices)
        check_limits(self.max_leaves, self.time_limit)
        check_count(self.n_overlaps, "n_overlaps")
        check_number(self.agreement, "agreement", low=0, high=1, open_high=True)
        check_number(self.keep, "keep", low=0, open_low=True, high=1)
        if not isinstance(self.pruning, str | dict | None):
            raise ValueError(
                f"pruning={self.pruning!r}: give the name of a criterion, a dict of options of "
                "counterpoint.trees.prune, or None."
            )
        if isinstance(self.pruning, dict):
            by_volume = is_word(self.pruning.get("criterion"), "volume")
            known = _BY_VOLUME if by_volume else _PRUNING
            for name in self.pruning:
                check_choice(name, "an option in pruning", known)

    def verify(self, *, limit: int | None = None) -> Certificate:
        """Prove region by region that the tree decides as the pool, as :func:`certify` does."""
        check_is_fitted(self)
        return certify(self.tree_, self._trees, limit=limit)
