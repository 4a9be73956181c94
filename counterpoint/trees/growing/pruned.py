"""A pruned decision tree as a scikit-learn estimator."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from counterpoint._typing import ClassWeight, Seed, Weights
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.cases import hold_out
from counterpoint.trees.growing.growers import Grower, case_weights
from counterpoint.trees.growing.prepared import GrownClassifierMixin, PreparedRows
from counterpoint.trees.pruning.bottom_up import cut
from counterpoint.trees.pruning.criteria import BITS, check_factor, check_m
from counterpoint.trees.pruning.local import check_prior
from counterpoint.trees.pruning.paths import NODE_COSTS
from counterpoint.trees.pruning.prune import CRITERIA, OPTIONS, find_pruning
from counterpoint.trees.pruning.raising import prune_and_raise
from counterpoint.trees.structure import LEAF

_CHOICES = {
    "criterion": CRITERIA,
    "split_criterion": ("entropy", "gini"),
    "grower": ("sklearn", "hist"),
}


class PrunedTreeClassifier(GrownClassifierMixin, ClassifierMixin, BaseEstimator):
    """Decision tree, grown by entropy and pruned, by default as C4.5 does.

    With ``criterion="error-based"`` a stand-in for C4.5 on numeric columns: a node is made a leaf
    where the errors to be expected of it, at the upper limit of a binomial confidence interval,
    are not more than those of the subtree under it. What is not as in C4.5: splits are chosen by
    information gain rather than by gain ratio, branches are raised into the place of their parents
    only with ``raising=True``, and the limits are exact. The other criteria are those of
    :func:`counterpoint.trees.prune`.

    Most criteria need numbers of cases. Sample weights that are all whole numbers count as copies
    of the sample, up to a million in all or a hundred a sample. Others, such as the weights of a
    booster, say only which samples matter more than which, and are scaled to sum to the number of
    samples with a weight above zero.

    Parameters
    ----------
    criterion : str, default="error-based"
        How to prune: "cost-complexity", "reduced-error", "pessimistic", "critical-value",
        "minimum-error", "error-based", "mdl", "mdl-exceptions", "kearns-mansour" or
        "multiple-comparisons".
    cf : float, default=0.25
        For error-based: confidence of the limits, above 0 and at most 1. Smaller prunes more, as a
        rule; 1 prunes nothing. The level of the test for multiple-comparisons, and of the bound
        for kearns-mansour.
    limit : {"binomial", "chen"}, default="binomial"
        For error-based: exact limits, or the explicit and wider ones of Chen, Zhou and Aravena.
    raising : bool, default=False
        For error-based: let the larger branch of a node take its place where that expects fewer
        errors, see :func:`counterpoint.trees.pruning.raising.prune_and_raise`.
    m : float or "laplace", default=2.0
        For minimum-error: how many cases the prior is worth.
    prior : {"data", "uniform"} or array-like of shape (n_classes,), default="data"
        For minimum-error: shares of the classes before any case is seen.
    factor : float or None, default=None
        For the last four: multiplies what size costs; None is 0.1 for kearns-mansour, else 1.
    ccp_alpha : float or None, default=None
        For cost-complexity: what a leaf must save. None chooses it by cross-validation.
    node_cost : {"impurity", "error"}, default="impurity"
        For cost-complexity: as in scikit-learn, or as in CART's book.
    critical_value : float or None, default=None
        For critical-value: the gain a split must have. None chooses it by cross-validation.
    one_se : bool, default=False
        When a number is chosen: take the smallest tree within one standard error of the best, as
        CART does. It tends to prune too much.
    cv : int, splitter or iterable, default=5
        Folds to choose a number by, as in scikit-learn; a number makes stratified ones.
    validation_fraction : float, default=0.3
        For reduced-error: share of the samples that the tree is pruned by, not grown on.
    split_criterion : {"entropy", "gini"}, default="entropy"
        Impurity that a split lowers.
    max_depth : int or None, default=None
        Most splits on a path, before pruning.
    min_samples_leaf : int, default=2
        Fewest cases in a leaf, counted by their weight as C4.5 does.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns looked at for a split, as in scikit-learn's tree. Only for ``grower="sklearn"``.
    grower : {"sklearn", "hist"}, default="sklearn"
        "hist" grows on columns cut into at most 255 bins, see :class:`HistTreeClassifier`:
        faster on many rows, and without randomness.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with ``sample_weight``.
    random_state : int, RandomState instance or None, default=None
        Which of equally good splits scikit-learn's tree takes, and which samples are held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    tree_ : Tree
        The pruned tree; :meth:`as_sklearn` gives it as a ``DecisionTreeClassifier``.
    rules_ : RuleList
        It as readable rules, with support and confidence.
    unpruned_leaves_ : int
        Leaves before pruning.
    n_pruned_ : int
        Splits taken away.
    estimated_error_ : float
        The error rate that the pruning expects of the tree on new cases: by the criterion, on
        the samples held out, or by cross-validation if a number was chosen so. For ``cf=1``, or
        when ``ccp_alpha`` or ``critical_value`` is given, and for criteria that count no errors,
        the error rate on the training samples.
    ccp_alpha_, critical_value_ : float
        The number given or chosen, for the criterion that has it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4.
    .. [2] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, "Classification and
       Regression Trees", 1984, chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.trees import PrunedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = PrunedTreeClassifier(random_state=0).fit(X, y)
    >>> tree.get_n_leaves() < tree.unpruned_leaves_
    True
    """

    def __init__(
        self,
        criterion: str = "error-based",
        *,
        cf: float = 0.25,
        limit: str = "binomial",
        raising: bool = False,
        m: float | str = 2.0,
        prior: str | ArrayLike = "data",
        factor: float | None = None,
        ccp_alpha: float | None = None,
        node_cost: str = "impurity",
        critical_value: float | None = None,
        one_se: bool = False,
        cv: Any = 5,
        validation_fraction: float = 0.3,
        split_criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_leaf: int = 2,
        max_features: float | str | None = None,
        grower: str = "sklearn",
        class_weight: ClassWeight = None,
        random_state: Seed = None,
    ) -> None:
        self.criterion = criterion
        self.cf = cf
        self.limit = limit
        self.raising = raising
        self.m = m
        self.prior = prior
        self.factor = factor
        self.ccp_alpha = ccp_alpha
        self.node_cost = node_cost
        self.critical_value = critical_value
        self.one_se = one_se
        self.cv = cv
        self.validation_fraction = validation_fraction
        self.split_criterion = split_criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.grower = grower
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def shares_work(self) -> bool:
        """Whether ``prepare`` saves work when many trees are grown on the same rows."""
        return self.grower == "hist"

    def _prepare(self, X, codes, sample_weight, class_factor):
        # float32, as in scikit-learn's trees: both growers then give trees such a tree can hold.
        labels = self.classes_[codes]
        weight = case_weights(X, labels, sample_weight, self.class_weight)
        grower = Grower(self, X, labels, codes, weight, max_features=self.max_features)
        is_random = self.grower == "sklearn" or self._splits_rows()
        return PreparedRows(X, grower, weight, class_factor, codes, is_random=is_random)

    def fit_prepared(self, data: Any, sample_weight: Weights = None) -> Self:
        """Grow the tree on what ``prepare`` made, then prune it.

        ``sample_weight`` (n_samples,) is scaled to as many cases as ``prepare`` has seen.
        """
        X, codes, weight = data.X, data.codes, data.weigh(sample_weight)
        if sample_weight is not None:
            # Which samples matter more, not how many cases there are.
            weight = weight * (data.weight.sum() / weight.sum())
        rng = self.random_state
        if self._splits_rows():
            rng = check_random_state(rng)
        grown_by, total = weight, weight.sum()
        held_out = judges = None
        if self.criterion == "reduced-error":
            held = hold_out(codes, weight, self.validation_fraction, rng)
            grown_by = np.where(held, 0.0, weight)
        tree, _ = data.grower.grow(grown_by, rng)
        if self.criterion == "reduced-error":
            leaf = predict_trees(stack_trees([tree]), X[held], kind="leaves")[0]
            held_out = leaf, codes[held], weight[held]
            total = weight[held].sum()
        elif self._splits_rows():
            judges = self._judges(data.grower, codes, weight, rng)
        if self.raising:
            pruned, cost = prune_and_raise(
                tree, X, codes, weight, cf=self.cf, limit=self.limit, impurity=self.split_criterion
            )
            return self._keep(data, tree, pruned, None, cost / total)
        options = {name: getattr(self, name) for name in OPTIONS}
        pruning, chosen = find_pruning(
            tree,
            self.criterion,
            held_out=held_out,
            judges=judges,
            n_features=X.shape[1],
            **options,
        )
        cost = pruning.cost
        if self.criterion in BITS:
            value = tree.value[pruning.kept[pruning.children_left == LEAF]]
            cost = float((value.sum(axis=1) - value.max(axis=1)).sum())
        if chosen is not None:
            name = "ccp_alpha_" if self.criterion == "cost-complexity" else "critical_value_"
            setattr(self, name, chosen)
        # Trees for folds are grown in the same place, and held-out rows were not grown on.
        leaf = None if self._splits_rows() else data.grower.leaf
        leaf = None if leaf is None else pruning.new_node[leaf]
        return self._keep(data, tree, cut(tree, pruning), leaf, cost / total)

    def _keep(self, data, tree, pruned, leaf, error):
        """Keep the pruned tree, and what pruning did to it."""
        self.tree_ = pruned
        self.unpruned_leaves_ = tree.n_leaves
        self.n_pruned_ = tree.n_leaves - pruned.n_leaves
        self.estimated_error_ = error
        data.remember(pruned, leaf)
        return self

    def _splits_rows(self):
        """Whether pruning sets samples aside."""
        return (
            self.criterion == "reduced-error"
            or (self.criterion == "cost-complexity" and self.ccp_alpha is None)
            or (self.criterion == "critical-value" and self.critical_value is None)
        )

    def _judges(self, grower, codes, weight, rng):
        """Grow a tree without each fold, for :func:`find_pruning`."""
        for held in self._folds(grower.X, codes, weight, rng):
            held = np.asarray(held, dtype=np.int64)
            grown_by = weight.copy()
            grown_by[held] = 0.0
            held = held[weight[held] > 0]
            if len(held) == 0 or not grown_by.any():
                continue  # nothing to grow on, or to judge by
            tree, _ = grower.grow(grown_by, rng)
            leaf = predict_trees(stack_trees([tree]), grower.X[held], kind="leaves")[0]
            yield tree, leaf, codes[held], weight[held]

    def _folds(self, X, codes, weight, rng):
        if not isinstance(self.cv, Integral):
            yield from (
                held for _, held in check_cv(self.cv, codes, classifier=True).split(X, codes)
            )
            return
        order = rng.permutation(np.flatnonzero(weight > 0))
        order = order[np.argsort(codes[order], kind="stable")]
        for k in range(min(int(self.cv), len(order))):
            yield order[k :: self.cv]  # every so many in order of class: stratified

    def _check(self):
        for name, choices in _CHOICES.items():
            check_choice(getattr(self, name), name, choices)
        check_m(self.m)
        check_factor(self.factor)
        check_prior(self.prior)
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth", hint=", or None for no limit")
        check_count(self.min_samples_leaf, "min_samples_leaf")
        check_choice(self.node_cost, "node_cost", NODE_COSTS)
        for name in ("ccp_alpha", "critical_value"):
            if getattr(self, name) is not None:
                check_number(getattr(self, name), name, low=0, hint=", or None to have it chosen")
        if isinstance(self.cv, Integral):
            check_count(self.cv, "cv", low=2)
        share = self.validation_fraction
        check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        if self.raising and self.criterion != "error-based":
            raise ValueError(
                f"raising={self.raising!r} with criterion={self.criterion!r}: only error-based "
                "pruning raises branches. Leave raising False."
            )
        if self.grower == "hist" and self.max_features is not None:
            raise ValueError(
                f"max_features={self.max_features!r} with grower='hist', which always looks at all "
                "columns: leave it None, or choose grower='sklearn'."
            )

    @property
    def feature_importances_(self) -> NDArray:
        """Share of each column in the decrease of impurity that is left after pruning."""
        return self.as_sklearn().feature_importances_
