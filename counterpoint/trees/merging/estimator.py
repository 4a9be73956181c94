"""A tree merged from many as a scikit-learn estimator."""

from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from counterpoint._options import numbers_of
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import MAX_SEED, read_labels, validate_data
from counterpoint.trees.growing.cases import bootstrap_cases, hold_out
from counterpoint.trees.growing.growers import Grower, case_weights
from counterpoint.trees.merging.bases import on_columns, random_basis
from counterpoint.trees.merging.merge import MERGING, OPTIONS, ORDERS, merge_arrays
from counterpoint.trees.merging.readable import readable_thresholds
from counterpoint.trees.merging.sizes import (
    MOST_MERGED,
    SoftLabels,
    out_of_bag_errors,
    sized_trees,
)
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.pruning.criteria import BITS, check_factor, check_m
from counterpoint.trees.single import SingleTreeMixin
from counterpoint.trees.take import take_trees

_CHOICES: dict[str, tuple] = {
    "criterion": MERGING,
    "diversify": ("bootstrap", "features", "bases", None),
    "order": ORDERS,
    "split_criterion": ("entropy", "gini"),
    "grower": ("sklearn", "hist"),
}


class MergedTreeClassifier(PoolMixin, SingleTreeMixin, ClassifierMixin, BaseEstimator):
    """One decision tree, grafted together from the best parts of many.

    Trees are grown on bootstrap samples, on some of the columns, or on random bases, and pruned
    together by :func:`counterpoint.trees.merge_trees`: where another tree's subtree does
    better on the samples of a node, it is grafted in. The result is one tree, about as large as a
    single pruned tree or smaller. X may have missing values, except with ``diversify="bases"``.

    Parameters
    ----------
    n_estimators : int, default=21
        Trees to grow. Not used with ``pool``.
    criterion : {"error-based", "pessimistic", "minimum-error", "mdl", "mdl-exceptions", \
            "kearns-mansour", "multiple-comparisons", "reduced-error"}, default="error-based"
        What subtrees and leaves cost, see :func:`counterpoint.trees.prune`. "reduced-error" holds
        ``validation_fraction`` of the samples out of growing, and merges by the errors on them.
    corrected : bool, default=True
        Let the mean of the subtrees decide against a leaf, not the best of them. Not with
        "multiple-comparisons", which corrects for the number of trees itself.
    diversify : {"bootstrap", "features", "bases"} or None, default="bootstrap"
        How the trees come to differ: each on a bootstrap sample; on ``max_features`` of the
        columns; or on an orthogonal basis of discriminants of small local samples, which gives
        oblique splits. None grows equal trees, which is for one.
    order : {"samples", "volume"}, default="samples"
        Visit nodes from the fewest samples up, or from the smallest volume up.
    pool : estimator, list of trees, or None, default=None
        Take the trees of this ensemble instead of growing some. One that is not fitted, as after
        ``clone`` or in a grid search, is fitted first.
    cf : float, default=0.25
        For error-based: confidence of the limits, above 0 and below 1. The level of the test for
        multiple-comparisons, and of the bound for kearns-mansour.
    limit : {"binomial", "chen"}, default="binomial"
        For error-based: exact limits; or the wider ones of Chen, Zhou and Aravena, for much
        smaller trees.
    m : float or "laplace", default=2.0
        For minimum-error: how many cases the prior is worth.
    prior : {"data", "uniform"} or array-like of shape (n_classes,), default="data"
        For minimum-error.
    factor : float or None, default=None
        For criteria that charge for size: multiplies that; None is 0.1 for kearns-mansour, else 1.
    validation_fraction : float, default=0.3
        For reduced-error: share of the samples that the trees are merged by, not grown on.
    max_leaf_nodes : int, "auto" or None, default=None
        Most leaves. With a number or "auto" there is a path of trees of all sizes (up to 32 for
        "auto"), and leaves put out what the ensemble says of their samples, each tree of those it
        was not grown on, which makes better probabilities; "auto" takes the size at which the
        ensemble's own trees err least out of bag. Needs ``diversify="bootstrap"`` and no pool;
        take some 100 trees, of which 21 are merged. None is the merged tree as it is.
    readable : bool, default=False
        Round thresholds to the fewest digits that say the same of all training samples.
    max_features : int, float, "sqrt" or "log2", default=0.5
        For ``diversify="features"``: columns for each tree, or their share.
    split_criterion : {"entropy", "gini"}, default="entropy"
        Impurity that a split lowers.
    max_depth : int or None, default=None
        Most splits on a path while growing.
    min_samples_leaf : int, default=2
        Fewest cases in a leaf while growing, counted by their weight.
    grower : {"sklearn", "hist"}, default="sklearn"
        "hist" grows on bins: faster on many rows.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with ``sample_weight``.
    n_jobs : int or None, default=None
        Threads to grow trees with, for ``grower="sklearn"``.
    random_state : int, RandomState instance or None, default=None
        Seeds bootstrap samples, columns, bases and growing, or a pool that has no seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    tree_ : Tree
        The merged tree, with weights of classes among all training samples.
    pool_ : TreeEnsemble
        The trees of ``pool``, if one was given.
    n_leaves_ : int
        Its leaves.
    rules_ : RuleList
        It as readable rules, with support and confidence.
    history_ : DataFrame
        Nodes that were cut or grafted, in order; its columns are those of :class:`MergedTree`.
    winner_ : int
        The tree that was best at the root; -1 if a leaf was.
    estimated_error_ : float
        What the criterion expects, per case; with the margin of "pessimistic"; the error rate on
        the training samples for criteria that count no errors. Chosen as the best of many, so it
        is too low.
    path_ : DataFrame
        With ``max_leaf_nodes``: a row for each number of leaves, with the errors per case that are
        expected by soft labels (``cost``), the ``oob_error`` of the ensemble's own trees at that
        size, and the ``source``: "merged", or who was better beyond doubt. :meth:`at_size` gives
        the trees.
    unmerged_leaves_ : ndarray of shape (n_trees,)
        Leaves of the trees before merging.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    See Also
    --------
    PrunedTreeClassifier : The same with one tree.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.trees import MergedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MergedTreeClassifier(random_state=0).fit(X, y)
    >>> bool(model.n_leaves_ < model.unmerged_leaves_.min())
    True
    """

    def __init__(
        self,
        n_estimators=21,
        *,
        criterion="error-based",
        corrected=True,
        diversify="bootstrap",
        order="samples",
        pool=None,
        cf=0.25,
        limit="binomial",
        m=2.0,
        prior="data",
        factor=None,
        validation_fraction=0.3,
        max_leaf_nodes=None,
        readable=False,
        max_features=0.5,
        split_criterion="entropy",
        max_depth=None,
        min_samples_leaf=2,
        grower="sklearn",
        class_weight=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.corrected = corrected
        self.diversify = diversify
        self.order = order
        self.pool = pool
        self.cf = cf
        self.limit = limit
        self.m = m
        self.prior = prior
        self.factor = factor
        self.validation_fraction = validation_fraction
        self.max_leaf_nodes = max_leaf_nodes
        self.readable = readable
        self.max_features = max_features
        self.split_criterion = split_criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.grower = grower
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make(self, X, y, sample_weight, rng):
        given = None if self.pool is None or not self._is_prefit() else take_trees(self.pool)
        dtype: Any = np.float32 if given is None else given.dtype
        rows, y = validate_data(self, X, y, dtype=dtype, ensure_all_finite="allow-nan")
        y = read_labels(self, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        weight = case_weights(rows, y, sample_weight, self.class_weight)
        held = np.zeros(len(rows), dtype=bool)
        if self.criterion == "reduced-error":
            held = hold_out(codes, weight, self.validation_fraction, rng)
        if self.pool is None:
            trees = self._grow(rows, y, codes, np.where(held, 0.0, weight), rng)
        else:
            if given is None:
                own = np.where(held, 0.0, weight) if held.any() else weight
                given = take_trees(self._fitted_pool(rows, y, rng, own))
            self.pool_, trees = given, list(given.trees)
            rows = given.check_rows(rows)
        self._input_dtype = rows.dtype.type
        options = {name: getattr(self, name) for name in OPTIONS}
        few = trees if self.max_leaf_nodes is None else trees[:MOST_MERGED]
        merging = merge_arrays(few, rows, self.classes_, codes, weight, held=held, **options)
        self.tree_ = merging.tree
        self.history_, self.winner_ = merging.history, merging.winner
        self.n_leaves_ = merging.tree.n_leaves
        total, cost = weight[held].sum() if held.any() else weight.sum(), merging.cost
        if self.criterion in BITS:
            leaves = merging.tree.value[merging.tree.is_leaf]
            cost = float((leaves.sum(axis=1) - leaves.max(axis=1)).sum())
        self.estimated_error_ = cost / total
        self.unmerged_leaves_ = np.array([tree.n_leaves for tree in trees])
        used = weight > 0
        if self.max_leaf_nodes is not None:
            self._make_path(trees, rows[used], codes[used], weight[used], used, rng)
        elif self.readable:
            self.tree_ = readable_thresholds(self.tree_, rows[used])

    def _make_path(self, trees, rows, codes, weight, used, rng):
        """Find the best tree of every size, and keep the one asked for."""
        most = 32 if self.max_leaf_nodes == "auto" else int(self.max_leaf_nodes)
        drawn = self._drawn[:, used]
        del self._drawn
        soft = SoftLabels(trees, rows, codes, drawn, len(self.classes_))
        sized = sized_trees(self.tree_, trees, soft, rows, codes, weight, most, rng)
        if self.readable:
            done = {id(one): readable_thresholds(one.tree, rows) for one in sized}
            sized = [replace(one, tree=done[id(one)]) for one in sized]
        errors = out_of_bag_errors(trees, soft, codes, weight, drawn, most)
        self.path_ = pd.DataFrame(
            {
                "leaves": [one.tree.n_leaves for one in sized],
                "cost": [one.cost / weight.sum() for one in sized],
                "oob_error": errors,
                "source": [one.source for one in sized],
            },
            index=pd.RangeIndex(1, most + 1, name="max_leaf_nodes"),
        )
        self._path_trees = [one.tree for one in sized]
        at = most
        if self.max_leaf_nodes == "auto" and not np.isnan(errors).all():
            at = int(np.nanargmin(errors)) + 1
        self.tree_ = self._path_trees[at - 1]
        self.n_leaves_ = self.tree_.n_leaves
        self.estimated_error_ = float(self.path_["cost"].iloc[at - 1])

    def at_size(self, max_leaf_nodes) -> Self:
        """Return the model with the tree of another size on its path.

        Parameters
        ----------
        max_leaf_nodes : int
            From 1 to the most that ``path_`` has.

        Returns
        -------
        MergedTreeClassifier
            A copy, fitted; this one stays as it is.
        """
        check_is_fitted(self)
        if not hasattr(self, "_path_trees"):
            raise ValueError(
                "There is no path of sizes: fit with max_leaf_nodes='auto' or the most leaves "
                "wanted."
            )
        check_count(max_leaf_nodes, "max_leaf_nodes", high=len(self._path_trees))
        other = copy(self)
        other.tree_ = self._path_trees[max_leaf_nodes - 1]
        other.n_leaves_ = other.tree_.n_leaves
        other.estimated_error_ = float(self.path_["cost"].iloc[max_leaf_nodes - 1])
        return other

    def _grow(self, X, y, codes, weight, rng):
        if self.diversify == "bases" and np.isnan(X).any():
            raise ValueError(
                "X has missing values (NaN), and diversify='bases' needs all numbers: fill them "
                "in, or choose diversify='bootstrap' or 'features'."
            )
        if self.diversify is None:
            # The very tree that PrunedTreeClassifier grows, so that one of them is pruned alike.
            grower = Grower(self, X, y, codes, weight)
            return [grower.grow(weight, self.random_state)[0]] * self.n_estimators
        seeds = rng.randint(MAX_SEED, size=self.n_estimators)
        # The other grower has threads of its own, and one workspace.
        n_jobs = self.n_jobs if self.grower == "sklearn" else 1
        parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        if self.diversify == "bootstrap":
            used = weight > 0
            drawn = np.zeros((self.n_estimators, len(X)))
            drawn[:, used] = bootstrap_cases(
                X[used], codes[used], weight[used], self.n_estimators, rng
            )
            if self.max_leaf_nodes is not None:
                self._drawn = drawn
            grower = Grower(self, X, y, codes, weight)
            grown = parallel(
                delayed(grower.grow)(counts, seed)
                for counts, seed in zip(drawn, seeds, strict=True)
            )
            return [tree for tree, _ in grown]
        grow = self._on_some_columns if self.diversify == "features" else self._on_a_basis
        return parallel(delayed(grow)(X, y, codes, weight, seed) for seed in seeds)

    def _on_some_columns(self, X, y, codes, weight, seed):
        rng = np.random.RandomState(seed)
        columns = np.sort(rng.choice(X.shape[1], self._n_columns(X.shape[1]), replace=False))
        tree, _ = Grower(self, X[:, columns], y, codes, weight).grow(weight, rng)
        feature = np.where(tree.feature >= 0, columns[tree.feature], tree.feature)
        return replace(tree, feature=feature.astype(np.int32))

    def _on_a_basis(self, X, y, codes, weight, seed):
        rng = np.random.RandomState(seed)
        used = weight > 0
        basis = random_basis(X[used].astype(np.float64), codes[used], rng)
        turned = (X.astype(np.float64) @ basis.T).astype(np.float32)
        tree, _ = Grower(self, turned, y, codes, weight).grow(weight, rng)
        return on_columns(tree, basis)

    def _n_columns(self, n):
        wanted = self.max_features
        if wanted == "sqrt":
            return max(1, int(np.sqrt(n)))
        if wanted == "log2":
            return max(1, int(np.log2(n)))
        return max(1, min(int(wanted) if isinstance(wanted, Integral) else round(wanted * n), n))

    def _check(self):
        for name, choices in _CHOICES.items():
            check_choice(getattr(self, name), name, choices)
        check_m(self.m)
        check_factor(self.factor)
        share = self.validation_fraction
        check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        if not isinstance(self.prior, str):
            numbers_of(self.prior, "prior", "'data', 'uniform', or shares, one per class")
        check_count(self.n_estimators, "n_estimators")
        if self.max_leaf_nodes is not None:
            if self.max_leaf_nodes != "auto":
                check_count(self.max_leaf_nodes, "max_leaf_nodes", hint=", 'auto' or None")
            if self.diversify != "bootstrap" or self.pool is not None:
                raise ValueError(
                    f"max_leaf_nodes={self.max_leaf_nodes!r} needs trees that were not grown on "
                    "all samples: leave diversify='bootstrap' and pool=None."
                )
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth", hint=", or None for no limit")
        if isinstance(self.max_features, str) and self.max_features in ("sqrt", "log2"):
            return
        if isinstance(self.max_features, Integral):
            check_count(self.max_features, "max_features")
        else:
            hint = ", a whole number from 1, 'sqrt' or 'log2'"
            check_number(self.max_features, "max_features", low=0, open_low=True, high=1, hint=hint)
