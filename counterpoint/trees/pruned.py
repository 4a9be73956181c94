"""A pruned decision tree as a scikit-learn estimator, and trees to and from scikit-learn."""

from copy import copy
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from counterpoint.trees.binning import Binner
from counterpoint.trees.growing import GrowWorkspace, grow
from counterpoint.trees.pruning import prune_tree
from counterpoint.trees.structure import LEAF, Tree, predict_trees, stack_trees

_CHOICES = {
    "criterion": ("error-based",),
    "split_criterion": ("entropy", "gini"),
    "grower": ("sklearn", "hist"),
}
# scikit-learn's mark for the feature and the threshold of a leaf.
_UNDEFINED = -2
# A leaf may be so much lighter than the least weight: sums of weights are rounded.
_ROUNDING = 1e-6


class PrunedTreeClassifier(ClassifierMixin, BaseEstimator):
    """Decision tree, grown by entropy and pruned by the error-based criterion of C4.5.

    A stand-in for C4.5 on numeric columns: a node is made a leaf where the errors to be
    expected of it, at the upper limit of a binomial confidence interval, are not more than
    those of the subtree under it. See :func:`counterpoint.trees.pruning.prune_error_based`.
    What is not as in C4.5: splits are chosen by information gain rather than by gain ratio, no
    branch is raised into the place of its parent, and the limits are exact.

    The limits need numbers of cases. Sample weights that are all whole numbers count as copies
    of the sample. Others, such as the weights of a booster, say only which samples matter more
    than which, and are scaled to sum to the number of samples with a weight above zero.

    Parameters
    ----------
    criterion : {"error-based"}, default="error-based"
        How to prune.
    cf : float, default=0.25
        Confidence of the limits, above 0 and at most 1. Smaller prunes more, as a rule; 1 prunes
        nothing.
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
        Which of equally good splits scikit-learn's tree takes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    tree_estimator_ : DecisionTreeClassifier
        The pruned tree, for ``plot_tree``, ``export_text`` and all that takes such a tree.
    tree_ : sklearn.tree._tree.Tree
        Its arrays.
    unpruned_leaves_ : int
        Leaves before pruning.
    n_pruned_ : int
        Splits taken away.
    estimated_error_ : float
        The error rate that the pruning expects of the tree on new cases; for ``cf=1`` the
        error rate on the training samples.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.trees.pruned import PrunedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = PrunedTreeClassifier(random_state=0).fit(X, y)
    >>> tree.get_n_leaves() < tree.unpruned_leaves_
    True
    """

    def __init__(
        self,
        criterion="error-based",
        *,
        cf=0.25,
        split_criterion="entropy",
        max_depth=None,
        min_samples_leaf=2,
        max_features=None,
        grower="sklearn",
        class_weight=None,
        random_state=None,
    ):
        self.criterion = criterion
        self.cf = cf
        self.split_criterion = split_criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.grower = grower
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None) -> Self:
        """Grow the tree, then prune it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Whole numbers count as copies, others are scaled to sum to the number
            of samples.

        Returns
        -------
        PrunedTreeClassifier
        """
        self._check()
        # float32, as in scikit-learn's trees: both growers then give trees such a tree can hold.
        X, y = validate_data(self, X, y, dtype=np.float32, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        weight = self._case_weights(X, y, sample_weight)
        if self.grower == "hist":
            tree, template = self._grow_hist(X, y, weight)
        else:
            tree, template = self._grow_sklearn(X, y, weight)
        pruned, pruning = prune_tree(tree, self.cf, total=weight.sum())
        self._arrays, self._template = pruned, template
        self.unpruned_leaves_ = tree.n_leaves
        self.n_pruned_ = tree.n_leaves - pruned.n_leaves
        self.estimated_error_ = pruning.cost / weight.sum()
        return self

    def _case_weights(self, X, y, sample_weight):
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        n_held = np.count_nonzero(weight)
        if n_held == 0:
            raise ValueError("Weights are all zero: at least one sample must count.")
        if (weight == np.round(weight)).all():
            return weight
        return weight * (n_held / weight.sum())

    def _grow_sklearn(self, X, y, weight):
        total = weight.sum()
        # By weight, not by rows: a leaf of one sample with weight 2 holds two cases. The share
        # may be a half at most, and a tree too light for a split must not be split at all.
        least = self.min_samples_leaf * (1 - _ROUNDING) / total
        template = DecisionTreeClassifier(
            criterion=self.split_criterion,
            max_depth=self.max_depth,
            min_samples_split=2 if least <= 0.5 else len(X) + 1,
            min_weight_fraction_leaf=min(least, 0.5),
            max_features=self.max_features,
            random_state=self.random_state,
        ).fit(X, y, sample_weight=weight)
        return from_sklearn(template), template

    def _grow_hist(self, X, y, weight):
        held = weight > 0
        codes = np.searchsorted(self.classes_, y[held])
        workspace = GrowWorkspace(
            Binner().fit_transform(X[held]), codes, n_classes=len(self.classes_)
        )
        tree = grow(
            workspace,
            weight[held],
            criterion=self.split_criterion,
            max_depth=self.max_depth,
            min_weight_leaf=self.min_samples_leaf * (1 - _ROUNDING),
        )
        return tree, None

    def _check(self):
        for name, choices in _CHOICES.items():
            given = getattr(self, name)
            if given not in choices:
                raise ValueError(f"{name}={given!r}: choose {' or '.join(choices)}.")
        for name in ("max_depth", "min_samples_leaf"):
            given = getattr(self, name)
            if given is None and name == "max_depth":
                continue
            if not isinstance(given, Integral) or isinstance(given, bool) or given < 1:
                none = ", or None for no limit" if name == "max_depth" else ""
                raise ValueError(f"{name}={given!r}: give a whole number from 1{none}.")
        if self.grower == "hist" and self.max_features is not None:
            raise ValueError(
                f"max_features={self.max_features!r} with grower='hist', which always looks at all "
                "columns: leave it None, or choose grower='sklearn'."
            )

    @property
    def tree_estimator_(self):
        """The pruned tree as a ``DecisionTreeClassifier``, made when asked for."""
        check_is_fitted(self)
        made = to_sklearn(self._arrays, self._template or self._blank())
        if hasattr(self, "feature_names_in_"):
            made.feature_names_in_ = self.feature_names_in_
        return made

    # What a boosting loop needs to make members without fitting each anew.

    _input_dtype = np.float32

    def _with_tree(self, tree, classes):
        """Return a copy of this estimator that holds a tree grown elsewhere."""
        made = copy(self)
        made.classes_ = classes
        made._arrays, made._template = tree, None
        return made

    def _blank(self):
        # Any fitted tree on these classes and columns will do; its nodes are replaced.
        rows = np.zeros((len(self.classes_), self.n_features_in_), dtype=np.float32)
        return DecisionTreeClassifier(criterion=self.split_criterion, max_depth=self.max_depth).fit(
            rows, self.classes_
        )

    @property
    def tree_(self):
        """Arrays of the pruned tree, as scikit-learn has them."""
        check_is_fitted(self)
        return self.tree_estimator_.tree_

    @property
    def feature_importances_(self) -> NDArray:
        """Share of each column in the decrease of impurity that is left after pruning."""
        return self.tree_.compute_feature_importances()

    def apply(self, X) -> NDArray:
        """Return the leaf that each sample reaches, as a number of a node of ``tree_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float32, ensure_all_finite="allow-nan")
        return predict_trees(stack_trees([self._arrays]), X, kind="leaves")[0]

    def predict(self, X) -> NDArray:
        """Return the heaviest class of the leaf reached, the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        share = self.predict_proba(X)
        return self.classes_[share.argmax(axis=1)]

    def predict_proba(self, X) -> NDArray:
        """Return the shares of the classes in the weight of the leaf reached.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        leaf = self.apply(X)
        weight = self._arrays.value[leaf]
        return weight / weight.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X) -> NDArray:
        """Return the logarithm of :meth:`predict_proba`; -inf where it is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self._arrays.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self._arrays.n_leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def from_sklearn(estimator: DecisionTreeClassifier) -> Tree:
    """Take the arrays of a fitted scikit-learn tree.

    Parameters
    ----------
    estimator : DecisionTreeClassifier
        Fitted, with one output.

    Returns
    -------
    Tree
        Without bins: ``bin_threshold`` is 0 throughout.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.pruned import from_sklearn
    >>> from_sklearn(DecisionTreeClassifier().fit([[0], [1], [3]], [0, 1, 1])).value.tolist()
    [[1.0, 2.0], [1.0, 0.0], [0.0, 2.0]]
    """
    if not isinstance(estimator, DecisionTreeClassifier):
        raise TypeError(
            f"A {type(estimator).__name__} was given, expected a DecisionTreeClassifier: only "
            "trees for classes hold weights of classes."
        )
    check_is_fitted(estimator)
    if estimator.n_outputs_ != 1:
        raise ValueError(
            f"The tree has {estimator.n_outputs_} outputs, expected one: fit a tree for each."
        )
    tree = estimator.tree_
    is_leaf = tree.children_left == LEAF
    weight = np.array(tree.weighted_n_node_samples)
    return Tree(
        children_left=tree.children_left.astype(np.int32),
        children_right=tree.children_right.astype(np.int32),
        feature=np.where(is_leaf, LEAF, tree.feature).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, tree.threshold),
        bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
        missing_go_to_left=tree.missing_go_to_left.astype(bool),
        value=tree.value[:, 0, :] * weight[:, None],
        weighted_n_node_samples=weight,
        n_node_samples=tree.n_node_samples.astype(np.int64),
        impurity=np.array(tree.impurity),
        max_depth=int(tree.max_depth),
    )


def to_sklearn(tree: Tree, template: DecisionTreeClassifier) -> DecisionTreeClassifier:
    """Put a tree into a scikit-learn estimator.

    scikit-learn compares values rounded to float32 with the thresholds. The two trees agree on
    such values, on others unless the rounding passes a threshold.

    Parameters
    ----------
    tree : Tree
        For classes.
    template : DecisionTreeClassifier
        Fitted on the same classes and columns; it is copied, not changed.

    Returns
    -------
    DecisionTreeClassifier
        Like ``template``, but with this tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import HistTreeClassifier
    >>> from counterpoint.trees.pruned import to_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = HistTreeClassifier(max_depth=2).fit(X, y).tree_
    >>> print(to_sklearn(tree, DecisionTreeClassifier().fit(X, y)).get_n_leaves())
    3
    """
    check_is_fitted(template)
    shape = (tree.node_count, 1, tree.value.shape[1])
    if template.n_outputs_ != 1 or shape[2] != len(template.classes_):
        raise ValueError(
            f"The tree has {shape[2]} classes, but the template was fitted with "
            f"{template.n_outputs_} output(s) and classes {list(template.classes_)}."
        )
    if tree.feature.max() >= template.n_features_in_:
        raise ValueError(
            f"The tree asks for column {tree.feature.max()}, but the template was fitted on "
            f"{template.n_features_in_} columns."
        )
    is_leaf = tree.children_left == LEAF
    nodes = np.zeros(tree.node_count, dtype=template.tree_.__getstate__()["nodes"].dtype)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    nodes["feature"] = np.where(is_leaf, _UNDEFINED, tree.feature)
    nodes["threshold"] = np.where(is_leaf, _UNDEFINED, tree.threshold)
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    # There is no constructor from arrays; the state for pickling is the way to make a tree.
    built = SklearnTree(
        template.n_features_in_, np.array([shape[2]], dtype=np.intp), template.n_outputs_
    )
    built.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(share.reshape(shape)),
        }
    )
    estimator = copy(template)
    estimator.tree_ = built
    return estimator
