"""Decision trees on binned columns, as scikit-learn estimators."""

from copy import copy
from numbers import Integral, Real
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from counterpoint.trees.binning import MAX_BINS, Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import MAX_CLASSES, GrowWorkspace, grow


class _HistTree(BaseEstimator):
    """What the two trees share: checks, binning, growing, walking down."""

    def _grow(self, X, y, sample_weight, *, n_classes=None):
        """Bin X and grow; y are class codes, or targets if ``n_classes`` is None."""
        self._check()
        if sample_weight is not None and (sample_weight == 0).any():
            # No weight, no say: neither in the bins nor in the numbers of samples.
            held = sample_weight > 0
            X, y, sample_weight = X[held], y[held], sample_weight[held]
        total = len(X) if sample_weight is None else sample_weight.sum()
        binned = Binner(self.max_bins).fit_transform(X)
        codes = None if n_classes is None else y
        workspace = GrowWorkspace(binned, codes, n_classes=n_classes)
        self.tree_ = grow(
            workspace,
            sample_weight,
            target=y if n_classes is None else None,
            criterion=self.criterion,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_leaf=self.min_weight_fraction_leaf * total,
            min_impurity_decrease=self.min_impurity_decrease,
        )
        return self

    @property
    def _stacked(self):
        return stack_trees([self.tree_])

    # What a boosting loop needs to make members without fitting each anew.

    _input_dtype = [np.float64, np.float32]  # noqa: RUF012

    def _with_tree(self, tree, classes=None):
        """Return a copy of this estimator that holds a tree grown elsewhere."""
        made = copy(self)
        made.tree_ = tree
        if classes is not None:
            made.classes_ = classes
        return made

    def _check(self):
        names = self._criteria
        if self.criterion not in names:
            raise ValueError(f"criterion={self.criterion!r}: choose {' or '.join(names)}.")
        least = {"max_depth": 1, "max_leaf_nodes": 2, "min_samples_split": 2, "min_samples_leaf": 1}
        for name, low in least.items():
            value = getattr(self, name)
            if value is None and name.startswith("max"):
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < low:
                none = ", or None for no limit" if name.startswith("max") else ""
                raise ValueError(f"{name}={value!r}: give a whole number from {low}{none}.")
        value = self.min_impurity_decrease
        if not isinstance(value, Real) or not float(value) >= 0:
            raise ValueError(f"min_impurity_decrease={value!r}: give a number from 0.")
        value = self.min_weight_fraction_leaf
        if not isinstance(value, Real) or not 0 <= float(value) <= 0.5:
            raise ValueError(f"min_weight_fraction_leaf={value!r}: give a number from 0 to 0.5.")

    def _check_input(self, X):
        check_is_fitted(self)
        return validate_data(
            self, X, reset=False, dtype=self._input_dtype, ensure_all_finite="allow-nan"
        )

    def apply(self, X):
        """Return the leaf that each sample reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Numbers of nodes of ``tree_``.
        """
        X = self._check_input(X)
        return predict_trees(self._stacked, X, kind="leaves")[0]

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class HistTreeClassifier(ClassifierMixin, _HistTree):
    """Decision tree on columns cut into at most 255 bins.

    Built for ensembles that grow many trees on the same rows with other weights: see
    :class:`GrowWorkspace` for growing without this class. On columns with at most
    ``max_bins`` distinct values it makes the splits that scikit-learn's tree makes; the first
    of equally good splits is taken, by column and then by threshold, so that nothing is
    random. Missing values (NaN) go to the side that is better for each split; where a split saw
    none, to the side with more samples.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default="gini"
        Impurity that a split lowers.
    max_depth : int or None, default=None
        Most splits on a path.
    max_leaf_nodes : int or None, default=None
        Most leaves; the best splits are then made first.
    min_samples_split : int, default=2
        A node with fewer samples is a leaf.
    min_samples_leaf : int, default=1
        Fewest samples in a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Least share of all weight in a leaf, from 0 to 0.5.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity by a split, times the node's share of all weight.
    max_bins : int, default=255
        Most bins of a column, from 2 to 255, missing values not counted.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with ``sample_weight``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. At most 256.
    tree_ : Tree
        The tree as arrays: ``children_left``, ``children_right``, ``feature``, ``threshold``,
        ``missing_go_to_left``, ``value``, ``n_node_samples`` and others.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree",
       NIPS 2017: histograms and the difference of siblings.
    .. [2] L. Breiman et al., "Classification and Regression Trees", 1984.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = HistTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.get_n_leaves(), round(tree.score(X, y), 2)
    (3, 0.96)
    """

    _criteria = ("gini", "entropy")

    def __init__(
        self,
        *,
        criterion="gini",
        max_depth=None,
        max_leaf_nodes=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        max_bins=MAX_BINS,
        class_weight=None,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Samples of weight 0 are left out.

        Returns
        -------
        HistTreeClassifier
        """
        X, y = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > MAX_CLASSES:
            raise ValueError(
                f"y holds {len(self.classes_)} classes, and a tree on bins takes {MAX_CLASSES}: if "
                "y is a number to be predicted, use HistTreeRegressor."
            )
        sample_weight = _weights(sample_weight, X)
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            sample_weight = by_class if sample_weight is None else sample_weight * by_class
        return self._grow(X, codes, sample_weight, n_classes=len(self.classes_))

    def predict(self, X):
        """Return the heaviest class of the leaf reached, the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._check_input(X)
        return self.classes_[predict_trees(self._stacked, X)[0]]

    def predict_proba(self, X):
        """Return the shares of the classes in the weight of the leaf reached.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        leaves = self.apply(X)
        weight = self.tree_.value[leaves]
        return weight / weight.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Return the logarithm of :meth:`predict_proba`; -inf where it is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class HistTreeRegressor(RegressorMixin, _HistTree):
    """Regression tree on columns cut into at most 255 bins; squared error.

    See :class:`HistTreeClassifier` for what bins, missing values and ties mean.

    Parameters
    ----------
    criterion : {"squared_error"}, default="squared_error"
        Impurity that a split lowers.
    max_depth : int or None, default=None
        Most splits on a path.
    max_leaf_nodes : int or None, default=None
        Most leaves; the best splits are then made first.
    min_samples_split : int, default=2
        A node with fewer samples is a leaf.
    min_samples_leaf : int, default=1
        Fewest samples in a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Least share of all weight in a leaf, from 0 to 0.5.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity by a split, times the node's share of all weight.
    max_bins : int, default=255
        Most bins of a column, from 2 to 255, missing values not counted.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays, see :class:`HistTreeClassifier`.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] L. Breiman et al., "Classification and Regression Trees", 1984.

    Examples
    --------
    >>> from counterpoint.trees import HistTreeRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]
    >>> HistTreeRegressor(max_depth=1).fit(X, y).predict([[0.4], [2.2]]).tolist()
    [1.0, 6.0]
    """

    _criteria = ("squared_error",)

    def __init__(
        self,
        *,
        criterion="squared_error",
        max_depth=None,
        max_leaf_nodes=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
        max_bins=MAX_BINS,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins

    def fit(self, X, y, sample_weight=None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Samples of weight 0 are left out.

        Returns
        -------
        HistTreeRegressor
        """
        X, y = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            y_numeric=True,
        )
        return self._grow(X, np.asarray(y, dtype=np.float64), _weights(sample_weight, X))

    def predict(self, X):
        """Return the mean target of the leaf reached.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._check_input(X)
        return predict_trees(self._stacked, X, kind="values")[0]


def _weights(sample_weight, X):
    if sample_weight is None:
        return None
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
