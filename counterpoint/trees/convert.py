"""Trees to and from scikit-learn."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils.validation import check_is_fitted

from counterpoint._validation import check_count
from counterpoint.trees.structure import (
    LEAF,
    MOST_COLUMNS,
    Tree,
    check_children,
    check_tree,
    class_shares,
    require_columns,
)

# scikit-learn's mark for the feature and the threshold of a leaf.
_UNDEFINED = -2


def from_sklearn(estimator: DecisionTreeClassifier | DecisionTreeRegressor) -> Tree:
    """Take the arrays of a fitted scikit-learn tree.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted, with one output.

    Returns
    -------
    Tree
        Without bins: ``bin_threshold`` is 0 throughout. ``value`` holds weights of classes, or
        the mean target of a regressor in one column.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn
    >>> from_sklearn(DecisionTreeClassifier().fit([[0], [1], [3]], [0, 1, 1])).value.tolist()
    [[1.0, 2.0], [1.0, 0.0], [0.0, 2.0]]
    """
    if not isinstance(estimator, DecisionTreeClassifier | DecisionTreeRegressor):
        raise TypeError(
            f"A {type(estimator).__name__} was given, expected a DecisionTreeClassifier or a "
            "DecisionTreeRegressor."
        )
    check_is_fitted(estimator)
    if estimator.n_outputs_ != 1:
        raise ValueError(
            f"The tree has {estimator.n_outputs_} outputs, expected one: fit a tree for each."
        )
    return first_output(estimator)


def first_output(estimator: DecisionTreeClassifier | DecisionTreeRegressor) -> Tree:
    """Return :func:`from_sklearn` of a tree that may have several outputs: values of the first."""
    tree = check_sklearn_tree(estimator.tree_, n_features=estimator.n_features_in_)
    is_leaf = tree.children_left == LEAF
    weight = np.array(tree.weighted_n_node_samples)
    value = np.array(tree.value[:, 0, :])
    if isinstance(estimator, DecisionTreeClassifier):
        value *= weight[:, None]
        # Shares times weight miss whole numbers by a rounding; from whole numbers the shares
        # come out as scikit-learn has them, and ties stay ties.
        whole = np.rint(value)
        value = np.where(np.abs(value - whole) <= 4 * np.spacing(value), whole, value)
    return Tree(
        children_left=tree.children_left.astype(np.int32),
        children_right=tree.children_right.astype(np.int32),
        feature=np.where(is_leaf, LEAF, tree.feature).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, tree.threshold),
        bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
        missing_go_to_left=tree.missing_go_to_left.astype(bool),
        value=value,
        weighted_n_node_samples=weight,
        n_node_samples=tree.n_node_samples.astype(np.int64),
        impurity=np.array(tree.impurity),
        max_depth=int(tree.max_depth),
    )


def check_sklearn_tree(tree: SklearnTree, *, n_features: int) -> SklearnTree:
    """Return the inner tree of a scikit-learn tree, or say what in its arrays is at fault.

    scikit-learn walks these arrays without a look at them: from a file that was tampered with
    they lead anywhere, or round and round.
    """
    name = "The tree of scikit-learn"
    depth = check_children(tree.children_left, tree.children_right, name)
    leaf = tree.children_left == LEAF
    if not 0 <= tree.max_depth < len(leaf) or tree.max_depth < depth:
        raise ValueError(f"{name} has max_depth {tree.max_depth}, but a path of {depth} splits.")
    strange = ~leaf & ((tree.feature < 0) | (tree.feature >= n_features))
    if tree.n_features != n_features or strange.any():
        feature = tree.feature[strange.argmax()] if strange.any() else tree.n_features - 1
        raise ValueError(f"{name} asks for column {feature}, but there are {n_features} columns.")
    # All values may go left: a threshold of inf is one.
    if np.isnan(tree.threshold[~leaf]).any() or not np.isfinite(tree.value).all():
        raise ValueError(f"{name} has thresholds or values that are no numbers.")
    return tree


def to_sklearn(
    tree: Tree, template: DecisionTreeClassifier | DecisionTreeRegressor
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Put a tree into a copy of a scikit-learn estimator fitted on the same classes and columns.

    The two agree on float32 values, on others unless scikit-learn's rounding passes a threshold.
    """
    check_is_fitted(template)
    require_columns([tree], "A scikit-learn tree")
    shape = (tree.node_count, 1, tree.value.shape[1])
    numbers = isinstance(template, DecisionTreeRegressor)
    classes = [None] if numbers else list(template.classes_)
    if template.n_outputs_ != 1 or shape[2] != len(classes):
        raise ValueError(
            f"The tree has {shape[2]} classes, but the template was fitted with "
            f"{template.n_outputs_} output(s) and classes {classes}."
        )
    values = np.asarray(tree.value, dtype=np.float64) if numbers else class_shares(tree.value)
    if tree.feature.max() >= template.n_features_in_:
        raise ValueError(
            f"The tree asks for column {tree.feature.max()}, but the template was fitted on "
            f"{template.n_features_in_} columns."
        )
    is_leaf = tree.is_leaf
    nodes = np.zeros(tree.node_count, dtype=template.tree_.__getstate__()["nodes"].dtype)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    nodes["feature"] = np.where(is_leaf, _UNDEFINED, tree.feature)
    nodes["threshold"] = np.where(is_leaf, _UNDEFINED, tree.threshold)
    nodes["impurity"] = tree.impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    # There is no constructor from arrays; the state for pickling is the way to make a tree.
    built = SklearnTree(
        template.n_features_in_, np.array([shape[2]], dtype=np.intp), template.n_outputs_
    )
    built.__setstate__(
        {
            "max_depth": tree.max_depth,
            "node_count": tree.node_count,
            "nodes": nodes,
            "values": np.ascontiguousarray(values.reshape(shape)),
        }
    )
    estimator = copy(template)
    estimator.tree_ = built
    return estimator


def as_sklearn(
    tree: Tree,
    classes: ArrayLike | None,
    n_features: int,
    feature_names: Sequence[str] | None = None,
) -> Any:
    """Make a fitted scikit-learn tree, without one to start from.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    classes : array-like of shape (n_classes,) or None
        Labels, sorted, as the columns of ``tree.value`` stand for them; None for a tree of numbers.
    n_features : int
        Number of columns.
    feature_names : sequence of str or None, default=None
        Their names, for frames.

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor
        With default parameters: what it would do if fitted again is not what it holds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier, export_text
    >>> from counterpoint.trees import as_sklearn, from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y))
    >>> made = as_sklearn(tree, ["setosa", "versicolor", "virginica"], 4)
    >>> made.predict(X[:1]).tolist()
    ['setosa']
    """
    check_tree(tree)
    check_count(n_features, "n_features", high=MOST_COLUMNS)
    labels = np.zeros(1) if classes is None else np.asarray(classes)
    if labels.ndim != 1 or len(labels) != tree.value.shape[1]:
        raise ValueError(
            f"classes has shape {labels.shape}, but the tree has {tree.value.shape[1]} classes: "
            "give one label for each."
        )
    if not np.array_equal(np.unique(labels), labels):
        raise ValueError(f"classes are {labels.tolist()}: give each label once, sorted.")
    # Any fitted tree on these classes and columns will do; its nodes are replaced.
    rows = np.zeros((len(labels), n_features), dtype=np.float32)
    template = DecisionTreeRegressor() if classes is None else DecisionTreeClassifier()
    made = to_sklearn(tree, template.fit(rows, labels))
    if feature_names is not None:
        names = np.asarray(feature_names, dtype=object)
        if names.shape != (n_features,):
            raise ValueError(
                f"feature_names has shape {names.shape}, expected ({n_features},): give one for "
                "each column."
            )
        made.feature_names_in_ = names
    return made
