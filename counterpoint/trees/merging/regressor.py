"""A regression tree merged from many as a scikit-learn estimator."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from counterpoint._reading import read_numbers
from counterpoint._typing import DataLike, Pool, Seed
from counterpoint._validation import check_choice
from counterpoint.base import validate_data
from counterpoint.trees.convert import as_sklearn
from counterpoint.trees.growing.growers import Grower, case_weights
from counterpoint.trees.merging.melting import MeltingMixin
from counterpoint.trees.merging.merge import ORDERS, merge_arrays
from counterpoint.trees.merging.readable import readable_thresholds
from counterpoint.trees.merging.soft import SoftNumbers
from counterpoint.trees.merging.targets import NumberTargets
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.pruning.criteria import check_cf, check_m
from counterpoint.trees.pruning.numbers import NUMBER
from counterpoint.trees.rules.rule import RuleList, tree_rules
from counterpoint.trees.single import TreeMixin
from counterpoint.trees.take_numbers import take_number_trees

_OPTIONS = ("criterion", "corrected", "order", "cf", "m")


class MergedTreeRegressor(MeltingMixin, PoolMixin, TreeMixin, RegressorMixin, BaseEstimator):
    """One regression tree, grafted together from the best parts of many.

    The same as :class:`MergedTreeClassifier` for numbers. Trees are pruned together, where another
    tree's subtree promises less squared error on the samples of a node it is grafted in, and one
    fit gives the best tree of every size. X may have missing values.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees to grow, to be merged or to say what is to be expected of rows. Not used with
        ``pool``.
    criterion : {"error-based", "pessimistic", "minimum-error"}, default="error-based"
        What a leaf costs: the upper confidence limit of its variance; its squared deviations by
        Akaike's final prediction error; or by an m-estimate of the variance.
    corrected : bool, default=True
        Let the mean of the subtrees decide against a leaf, not the best of them.
    diversify : {"bootstrap", "features"} or None, default="bootstrap"
        How the trees come to differ: each on a bootstrap sample, or on ``max_features`` of the
        columns. None grows equal trees, which is for one.
    order : {"samples", "volume"}, default="samples"
        Visit nodes from the fewest samples up, or from the smallest volume up.
    pool : regressor, list of trees, or None, default=None
        Take the trees of this ensemble instead of growing some: a random forest, extra trees,
        bagging, AdaBoost, voting or gradient boosting of trees. One that is not fitted is fitted
        first.
    cf : float, default=0.25
        For error-based: confidence of the limits, above 0 and below 1.
    m : float, default=2.0
        For minimum-error: how many cases of the root each leaf is thought to have.
    max_leaf_nodes : int, "auto" or None, default="auto"
        Most leaves of the tree. With a number or "auto" it is not merged but learned anew from
        what the ensemble says, of its own samples and of rows crossed from them, so that criterion
        and order play no part. "auto" takes the size, up to 32, at which the ensemble's own trees
        err least out of bag; a pool that does not say what its trees were grown on, as boosting
        does not, gets 32. None is the merged tree as it is, however large.
    leaf_values : {"ensemble", "labels"}, default="ensemble"
        What leaves put out: the mean of what the ensemble says of their samples, or the mean of
        their targets.
    shrinkage : float, default=0.0
        With ``max_leaf_nodes``: draw what leaves put out towards the nodes above them, as if so
        many samples like those stood in each; 0 does not.
    readable : bool, default=False
        Round thresholds to the fewest digits that say the same of all training samples.
    max_features : int, float, "sqrt" or "log2", default=0.5
        For ``diversify="features"``: columns for each tree, or their share.
    max_depth : int or None, default=None
        Most splits on a path while growing.
    min_samples_leaf : int, default=5
        Fewest cases in a leaf while growing, counted by their weight.
    n_jobs : int or None, default=None
        Threads to grow trees with.
    random_state : int, RandomState instance or None, default=None
        Seeds bootstrap samples, columns and growing, or a pool that has no seed.

    Attributes
    ----------
    tree_ : Tree
        The merged tree.
    n_leaves_ : int
        Its leaves.
    rules_ : RuleList
        It as readable rules, with support.
    history_ : DataFrame
        Without ``max_leaf_nodes``: nodes that were cut or grafted, in order; its columns are those
        of :class:`MergedTree`, costs in squares of the spread of y.
    winner_ : int
        Without ``max_leaf_nodes``: the tree that was best at the root; -1 if a leaf was.
    estimated_error_ : float
        The mean squared error that is expected: by the criterion, or by ``cost`` of ``path_``.
        Chosen as the best of many, so it is too low.
    path_ : DataFrame
        With ``max_leaf_nodes``: a row for each number of leaves, with the mean squared error that
        is expected by soft targets (``cost``), a third target and two what the ensemble says, and
        the ``oob_error`` of the ensemble's own trees at that size. :meth:`at_size` gives the trees.
    unmerged_leaves_ : ndarray of shape (n_trees,)
        Leaves of the trees before merging.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    See Also
    --------
    MergedTreeClassifier : The same for classes.

    References
    ----------
    .. [1] L. Torgo, "Inductive Learning of Tree-based Regression Models", PhD thesis, Porto, 1999,
       section 4.3 (limits of the variance, m-estimates).
    .. [2] A. Karalic and B. Cestnik, "The Bayesian approach to tree-structured regression",
       ITI-91, 1991.
    .. [3] J. R. Quinlan, "Learning with continuous classes", AI'92, 1992 (the model trees of M5).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.trees import MergedTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MergedTreeRegressor(20, random_state=0).fit(X, y)
    >>> model.n_leaves_ <= 32, model.at_size(4).get_n_leaves()
    (True, 4)
    """

    # The other grower, and what trees are grown by, are the classifier's to choose.
    grower = "sklearn"
    split_criterion = "squared_error"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "error-based",
        corrected: bool = True,
        diversify: str | None = "bootstrap",
        order: str = "samples",
        pool: Pool = None,
        cf: float = 0.25,
        m: float = 2.0,
        max_leaf_nodes: int | str | None = "auto",
        leaf_values: str = "ensemble",
        shrinkage: float = 0.0,
        readable: bool = False,
        max_features: float | str = 0.5,
        max_depth: int | None = None,
        min_samples_leaf: int = 5,
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
        self.m = m
        self.max_leaf_nodes = max_leaf_nodes
        self.leaf_values = leaf_values
        self.shrinkage = shrinkage
        self.readable = readable
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make(self, X, y, sample_weight, rng):
        given = None if self.pool is None or not self._is_prefit() else take_number_trees(self.pool)
        dtype: Any = np.float32 if given is None else given.dtype
        options = {"dtype": dtype, "ensure_all_finite": "allow-nan", "y_numeric": True}
        rows, y = validate_data(self, X, read_numbers(y), **options)
        y = np.asarray(y, dtype=np.float64)
        weight = case_weights(rows, y, sample_weight, None)
        used = weight > 0
        if self.pool is None:
            trees, drawn = self._grow(rows, y, weight, rng), self.__dict__.pop("_drawn", None)
        else:
            if given is None:
                given = take_number_trees(self._fitted_pool(rows, y, rng, weight))
            trees, rows = list(given.trees), given.check_rows(rows)
            drawn = given.drawn(len(rows))
        self._input_dtype = rows.dtype.type
        self.unmerged_leaves_ = np.array([tree.n_leaves for tree in trees])
        if self.max_leaf_nodes is not None:
            ask = said = None
            if given is not None and given.predict is not None:
                ask = given.answers
                said = ask(rows[used])
            drawn = None if drawn is None else drawn[:, used]
            bags = np.ones((len(trees), int(used.sum()))) if drawn is None else drawn
            soft = SoftNumbers(trees, rows[used], y[used], weight[used], bags, said=said)
            given_to = trees, soft, rows[used], weight[used], drawn, rng
            self._make_path(*given_to, scale=soft.scale**2, ask=ask)
            return
        targets = NumberTargets(y[used], weight[used])
        own = {name: getattr(self, name) for name in _OPTIONS}
        merging = merge_arrays(trees, rows[used], targets, classes=None, **own)
        self.tree_ = merging.tree
        self.history_, self.winner_ = merging.history, merging.winner
        self.n_leaves_ = merging.tree.n_leaves
        self.estimated_error_ = targets.scale**2 * merging.cost / weight.sum()
        if self.readable:
            self.tree_ = readable_thresholds(self.tree_, rows[used])

    def _grow(self, X, y, weight, rng):
        if self.diversify is None:
            grower = Grower(self, X, y, y, weight)
            return [grower.grow(weight, self.random_state)[0]] * self.n_estimators
        return self._grow_apart(X, y, y, weight, rng)

    def _check(self):
        check_choice(self.criterion, "criterion", NUMBER)
        check_choice(self.diversify, "diversify", ("bootstrap", "features", None))
        check_choice(self.order, "order", ORDERS)
        check_cf(self.cf, below_one=True)
        check_m(self.m)
        self._check_sizes()

    def predict(self, X: DataLike) -> NDArray:
        """Return what the leaf reached puts out, (n_samples,)."""
        return self._walk(X, "values")

    @property
    def rules_(self) -> RuleList:
        """The tree as rules, the one with most support first."""
        check_is_fitted(self)
        return tree_rules(self.tree_, None, getattr(self, "feature_names_in_", None), numbers=True)

    def as_sklearn(self) -> DecisionTreeRegressor:
        """Return a ``DecisionTreeRegressor``, for ``plot_tree`` and so on."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return as_sklearn(self.tree_, None, self.n_features_in_, names)
