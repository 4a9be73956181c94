"""A tree merged from many as a scikit-learn estimator."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin

from counterpoint._typing import ClassWeight, Pool, Seed
from counterpoint._validation import check_choice, check_number
from counterpoint.base import MAX_SEED, read_labels, validate_data
from counterpoint.trees.growing.cases import count_drawn, hold_out
from counterpoint.trees.growing.growers import Grower, case_weights
from counterpoint.trees.merging.bases import on_columns, random_basis
from counterpoint.trees.merging.melting import MeltingMixin
from counterpoint.trees.merging.merge import MERGING, OPTIONS, ORDERS, merge_arrays
from counterpoint.trees.merging.readable import readable_thresholds
from counterpoint.trees.merging.soft import SoftLabels
from counterpoint.trees.merging.targets import ClassTargets
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.pruning.criteria import BITS, check_factor, check_m
from counterpoint.trees.pruning.local import check_prior
from counterpoint.trees.single import SingleTreeMixin
from counterpoint.trees.take import take_trees

_CHOICES: dict[str, tuple] = {
    "criterion": MERGING,
    "diversify": ("bootstrap", "features", "bases", None),
    "order": ORDERS,
    "split_criterion": ("entropy", "gini"),
    "grower": ("sklearn", "hist"),
}


class MergedTreeClassifier(
    MeltingMixin, PoolMixin, SingleTreeMixin, ClassifierMixin, BaseEstimator
):
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
        Most leaves. With a number or "auto" the tree is not merged but learned anew from what the
        ensemble says, of its own samples and of rows crossed from them, and there is a path of
        trees of all sizes (up to 32 for "auto", and no further than 32 or one leaf a sample).
        "auto" takes the size at which the ensemble's own trees err least out of bag. Needs
        ``diversify="bootstrap"`` or a pool, and merges nothing, so that criterion and order play
        no part. Take some 100 trees: the first 21 are as always, the others try a square root of
        the columns at each split, as in a forest, which together know more of a row. A pool that
        does not know what its trees were grown on, such as boosted trees, has no errors out of bag,
        and "auto" takes 32 leaves. None is the merged tree as it is.
    leaf_values : {"ensemble", "labels"}, default="ensemble"
        What leaves of a path put out: what the ensemble says of their samples, or the shares of
        the labels, which fit the training samples best (:func:`refine_leaves` of one tree).
    shrinkage : float, default=0.0
        With ``max_leaf_nodes``: draw what leaves put out towards the nodes above them, as if so
        many samples like those stood in each; 0 does not.
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
        Without ``max_leaf_nodes``: nodes that were cut or grafted, in order; its columns are those
        of :class:`MergedTree`.
    winner_ : int
        Without ``max_leaf_nodes``: the tree that was best at the root; -1 if a leaf was.
    estimated_error_ : float
        What the criterion expects, per case, with the margin of "pessimistic"; the error rate on
        the training samples for criteria that count no errors; ``cost`` of ``path_``. Chosen as the
        best of many, so it is too low.
    path_ : DataFrame
        With ``max_leaf_nodes``: a row for each number of leaves, with the ``cost`` per case by
        soft labels, which are errors expected and a tenth of the Gini index, and the ``oob_error``
        of the ensemble's own trees at that size. :meth:`at_size` gives the trees.
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

    _columns_of_judges = "sqrt"

    def __init__(
        self,
        n_estimators: int = 21,
        *,
        criterion: str = "error-based",
        corrected: bool = True,
        diversify: str | None = "bootstrap",
        order: str = "samples",
        pool: Pool = None,
        cf: float = 0.25,
        limit: str = "binomial",
        m: float | str = 2.0,
        prior: str | ArrayLike = "data",
        factor: float | None = None,
        validation_fraction: float = 0.3,
        max_leaf_nodes: int | str | None = None,
        leaf_values: str = "ensemble",
        shrinkage: float = 0.0,
        readable: bool = False,
        max_features: float | str = 0.5,
        split_criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_leaf: int = 2,
        grower: str = "sklearn",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
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
        self.leaf_values = leaf_values
        self.shrinkage = shrinkage
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
        if self.max_leaf_nodes is not None:
            self._learn_path(rows, y, codes, weight, rng, given)
            return
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
        used = weight > 0
        apart = held[used] if self.criterion == "reduced-error" else None
        targets = ClassTargets(codes[used], weight[used], len(self.classes_), apart)
        merging = merge_arrays(trees, rows[used], targets, classes=self.classes_, **options)
        self.tree_ = merging.tree
        self.history_, self.winner_ = merging.history, merging.winner
        self.n_leaves_ = merging.tree.n_leaves
        total, cost = weight[held].sum() if held.any() else weight.sum(), merging.cost
        if self.criterion in BITS:
            leaves = merging.tree.value[merging.tree.is_leaf]
            cost = float((leaves.sum(axis=1) - leaves.max(axis=1)).sum())
        self.estimated_error_ = cost / total
        self.unmerged_leaves_ = np.array([tree.n_leaves for tree in trees])
        if self.readable:
            self.tree_ = readable_thresholds(self.tree_, rows[used])

    def _learn_path(self, rows, y, codes, weight, rng, given):
        """Learn trees of all sizes from trees of our own, or from what a pool says."""
        used, ask, said = weight > 0, None, None
        if self.pool is None:
            trees, drawn = self._grow(rows, y, codes, weight, rng), self.__dict__.pop("_drawn")
        else:
            pool = self._fitted_pool(rows, y, rng, weight)
            given = take_trees(pool) if given is None else given
            rows = given.check_rows(rows)
            self._check_pool(y, given.classes, given.n_features)
            codes = given.positions(y)
            self.pool_, trees = given, list(given.trees)
            drawn = count_drawn(getattr(pool, "estimators_samples_", None), len(rows))
            # The mean of the trees that did not see a sample says more than all of them do.
            if drawn is None or given.kind != "shares" or np.ptp(given.weights) > 0:
                ask, said = given.shares, given.shares(rows[used])
        self._input_dtype = rows.dtype.type
        self.unmerged_leaves_ = np.array([tree.n_leaves for tree in trees])
        drawn = None if drawn is None else drawn[:, used]
        bags = np.ones((len(trees), int(used.sum()))) if drawn is None else drawn
        n_classes = len(self.classes_)
        soft = SoftLabels(trees, rows[used], codes[used], bags, n_classes, said=said)
        self._make_path(trees, soft, rows[used], weight[used], drawn, rng, ask=ask)

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
        if self.diversify == "bases":
            seeds = rng.randint(MAX_SEED, size=self.n_estimators)
            parallel = Parallel(
                n_jobs=self.n_jobs if self.grower == "sklearn" else 1, prefer="threads"
            )
            grow = self._on_a_basis
            return parallel(delayed(grow)(X, y, codes, weight, seed) for seed in seeds)
        return self._grow_apart(X, y, codes, weight, rng)

    def _on_a_basis(self, X, y, codes, weight, seed):
        rng = np.random.RandomState(seed)
        used = weight > 0
        basis = random_basis(X[used].astype(np.float64), codes[used], rng)
        turned = (X.astype(np.float64) @ basis.T).astype(np.float32)
        tree, _ = Grower(self, turned, y, codes, weight).grow(weight, rng)
        return on_columns(tree, basis)

    def _check(self):
        for name, choices in _CHOICES.items():
            check_choice(getattr(self, name), name, choices)
        check_m(self.m)
        check_factor(self.factor)
        share = self.validation_fraction
        check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        check_prior(self.prior)
        if self.max_leaf_nodes is not None and self.diversify != "bootstrap" and self.pool is None:
            raise ValueError(
                f"max_leaf_nodes={self.max_leaf_nodes!r} needs trees that were not grown on all "
                "samples: leave diversify='bootstrap', or give a pool."
            )
        self._check_sizes()
