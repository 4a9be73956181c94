"""Trees to and from scikit-learn, and the trees of a fitted ensemble."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import Tree as SklearnTree
from sklearn.utils.validation import check_is_fitted

from counterpoint import _members
from counterpoint.trees.additive import additive_trees, is_additive
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.structure import LEAF, Tree, class_shares, require_columns

# scikit-learn's mark for the feature and the threshold of a leaf.
_UNDEFINED = -2
_ACCEPTED = (
    "a fitted random forest, extra trees, bagging, AdaBoost or voting classifier of trees, a "
    "gradient boosting classifier of scikit-learn, LightGBM or XGBoost, a booster of counterpoint "
    "with trees as members, one tree (DecisionTreeClassifier, HistTreeClassifier, "
    "PrunedTreeClassifier), a list of trees, or a TreeEnsemble"
)


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
    tree = estimator.tree_
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


def to_sklearn(tree: Tree, template: DecisionTreeClassifier) -> DecisionTreeClassifier:
    """Put a tree into a scikit-learn estimator.

    scikit-learn compares values rounded to float32 with the thresholds. The two trees agree on
    such values, on others unless the rounding passes a threshold.

    Parameters
    ----------
    tree : Tree
        For classes, with splits on columns only. A node without weight gets equal shares.
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
    >>> from counterpoint.trees.convert import to_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = HistTreeClassifier(max_depth=2).fit(X, y).tree_
    >>> print(to_sklearn(tree, DecisionTreeClassifier().fit(X, y)).get_n_leaves())
    3
    """
    check_is_fitted(template)
    require_columns([tree], "A scikit-learn tree")
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
            "values": np.ascontiguousarray(class_shares(tree.value).reshape(shape)),
        }
    )
    estimator = copy(template)
    estimator.tree_ = built
    return estimator


def as_sklearn(
    tree: Tree,
    classes: ArrayLike,
    n_features: int,
    feature_names: Sequence[str] | None = None,
) -> DecisionTreeClassifier:
    """Make a fitted scikit-learn tree, without one to start from.

    Parameters
    ----------
    tree : Tree
        For classes, with splits on columns only.
    classes : array-like of shape (n_classes,)
        Labels, sorted, as the columns of ``tree.value`` stand for them.
    n_features : int
        Number of columns.
    feature_names : sequence of str or None, default=None
        Their names, for frames.

    Returns
    -------
    DecisionTreeClassifier
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
    labels = np.asarray(classes)
    if labels.ndim != 1 or len(labels) != tree.value.shape[1]:
        raise ValueError(
            f"classes has shape {labels.shape}, but the tree has {tree.value.shape[1]} classes: "
            "give one label for each."
        )
    if not np.array_equal(np.unique(labels), labels):
        raise ValueError(f"classes are {labels.tolist()}: give each label once, sorted.")
    # Any fitted tree on these classes and columns will do; its nodes are replaced.
    rows = np.zeros((len(labels), n_features), dtype=np.float32)
    made = to_sklearn(tree, DecisionTreeClassifier().fit(rows, labels))
    if feature_names is not None:
        names = np.asarray(feature_names, dtype=object)
        if names.shape != (n_features,):
            raise ValueError(f"{len(names)} feature_names for {n_features} columns: give one each.")
        made.feature_names_in_ = names
    return made


def take_trees(
    ensemble: Any,
    *,
    classes: ArrayLike | None = None,
    n_features: int | None = None,
) -> TreeEnsemble:
    """Take the trees out of a fitted ensemble, and how they decide.

    Parameters
    ----------
    ensemble : estimator, list of trees, or TreeEnsemble
        Random forest or extra trees (the trees add class shares), bagging of trees (shares),
        AdaBoost and the boosters of this library (weighted votes, or shares where the booster
        sums probabilities), hard or soft voting, one tree, or a list of trees (one vote each).
        Gradient boosting classifiers of scikit-learn, LightGBM and XGBoost: the trees add scores.
        Trees are scikit-learn's classifiers, :class:`HistTreeClassifier`,
        :class:`PrunedTreeClassifier` or plain :class:`Tree`.
    classes : array-like of shape (n_classes,), default=None
        Labels, for plain :class:`Tree`; None numbers them from 0.
    n_features : int, default=None
        Number of columns, for plain :class:`Tree`; None: up to the last that is asked for.

    Returns
    -------
    TreeEnsemble
        All trees on all columns and all classes of the ensemble.

    Notes
    -----
    In a list of histogram trees, which take float64, and of others, which round to float32, all
    round to float32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import take_trees
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    >>> trees = take_trees(forest)
    >>> trees.n_trees, trees.kind
    (5, 'shares')
    >>> bool((trees.predict(X) == forest.predict(X)).all())
    True
    """
    if isinstance(ensemble, TreeEnsemble):
        return ensemble
    if isinstance(ensemble, Tree):
        return _from_trees([ensemble], classes, n_features)
    if isinstance(ensemble, list | tuple | dict):
        return _take_pool(ensemble, classes, n_features)
    before, ensemble = _members.strip(ensemble)
    if before:
        raise ValueError(
            f"A pipeline with {type(before[0]).__name__} was given: its trees are on the columns "
            "that come out of it. Pass the last step, and transform the data yourself."
        )
    if not hasattr(ensemble, "fit"):
        raise TypeError(f"A {type(ensemble).__name__} was given, expected {_ACCEPTED}.")
    if not _members.is_fitted(ensemble):
        raise NotFittedError(f"This {type(ensemble).__name__} is not fitted: call fit first.")
    if is_regressor(ensemble):
        raise TypeError(
            f"{type(ensemble).__name__} is a regressor: it has no classes to vote for. Expected "
            f"{_ACCEPTED}."
        )
    if _is_tree(ensemble):
        return _assemble(
            [_members.Member(ensemble)], ensemble.classes_, None, "shares", False, ensemble
        )
    return _take_ensemble(ensemble)


def _take_ensemble(ensemble):
    name = type(ensemble).__name__
    if is_additive(ensemble):
        trees, weights, offset, dtype = additive_trees(ensemble, from_sklearn)
        names: Any = getattr(ensemble, "feature_names_in_", None)
        return TreeEnsemble(
            trees=tuple(trees),
            weights=weights,
            classes=np.asarray(ensemble.classes_),
            n_features=int(ensemble.n_features_in_),
            kind="scores",
            feature_names=names if names is None else np.asarray(names),
            dtype=dtype,
            offset=offset,
        )
    if not hasattr(ensemble, "estimators_") or not hasattr(ensemble, "classes_"):
        raise TypeError(f"A {name} was given, expected {_ACCEPTED}.")
    members = _members.members_of(ensemble)
    for member in members:
        # The members of a booster of scores are regressors, one or a list of one a class.
        if isinstance(member.estimator, list) or is_regressor(member.estimator):
            raise TypeError(
                f"The members of this {name} are regressors, such as {member.name}, that add up to "
                f"a score; they cast no votes. Expected {_ACCEPTED}."
            )
        if not _is_tree(member.estimator):
            raise TypeError(
                f"{member.name} of this {name} is a {type(member.estimator).__name__}, not a tree. "
                f"Expected {_ACCEPTED}."
            )
    say = _members.member_weights(ensemble, len(members))
    if say is None:
        say = getattr(ensemble, "estimator_weights_", None)
    codes = _members._answer_in_codes(ensemble, members)
    return _assemble(members, ensemble.classes_, say, _kind_of(ensemble), codes, ensemble)


def _kind_of(ensemble):
    if isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier | BaggingClassifier):
        return "shares"
    if isinstance(ensemble, VotingClassifier):
        return "shares" if ensemble.voting == "soft" else "votes"
    if isinstance(ensemble, AdaBoostClassifier):
        return "votes"
    # Boosters of ours say whether they sum probabilities.
    sums_proba = getattr(ensemble, "_needs_proba", None)
    return "shares" if sums_proba is not None and sums_proba() else "votes"


def _take_pool(pool, classes, n_features):
    items = list(pool.values()) if isinstance(pool, dict) else list(pool)
    if not items:
        raise ValueError("The list of trees is empty: pass at least one.")
    items = [item[1] if isinstance(item, tuple) and len(item) == 2 else item for item in items]
    if all(isinstance(item, Tree) for item in items):
        return _from_trees(items, classes, n_features)
    for k, item in enumerate(items):
        if not _is_tree(item) or is_regressor(item):
            raise TypeError(
                f"Item {k} of the list is a {type(item).__name__}, expected trees for classes: "
                "DecisionTreeClassifier, HistTreeClassifier or PrunedTreeClassifier, or all Tree."
            )
        if not _members.is_fitted(item):
            raise NotFittedError(f"Item {k}, a {type(item).__name__}, is not fitted: fit it first.")
    members = [_members.Member(item, None, f"item {k}") for k, item in enumerate(items)]
    known = _members.pool_classes(members)
    return _assemble(members, known, None, "votes", False, items[0])


def _from_trees(trees, classes, n_features):
    widths = sorted({tree.value.shape[1] for tree in trees})
    if len(widths) > 1:
        raise ValueError(f"The trees have different numbers of classes, {widths}.")
    classes = np.arange(widths[0]) if classes is None else np.asarray(classes)
    if classes.shape != (widths[0],):
        raise ValueError(
            f"classes has shape {classes.shape}, but the trees have {widths[0]} classes: give one "
            "label for each."
        )
    asked = max(int(tree.feature.max()) + 1 for tree in trees)
    given = {tree.normals.shape[1] for tree in trees if tree.normals is not None}
    if n_features is None:
        n_features = max([asked, *given])
    if asked > n_features or given - {n_features}:
        raise ValueError(
            f"n_features={n_features}, but the trees are on {sorted(given) or asked} columns."
        )
    return TreeEnsemble(
        trees=tuple(trees), weights=np.ones(len(trees)), classes=classes, n_features=n_features
    )


def _assemble(members, classes, weights, kind, codes, owner):
    classes = np.asarray(classes)
    n_features, names = _columns_of(owner, members)
    trees = []
    for member in members:
        model = member.estimator
        tree = _arrays_of(model)
        at = _members._positions(model.classes_, classes, codes, member.name)
        value = np.zeros((tree.node_count, len(classes)))
        value[:, at] = tree.value
        feature = tree.feature
        if member.columns is not None:
            columns = np.asarray(member.columns)
            feature = np.where(feature >= 0, columns[feature], feature).astype(np.int32)
        trees.append(replace(tree, value=value, feature=feature))
    rounds = {np.float64 if _takes_doubles(m.estimator) else np.float32 for m in members}
    weights = np.ones(len(trees)) if weights is None else np.array(weights, dtype=float)
    return TreeEnsemble(
        trees=tuple(trees),
        weights=weights,
        classes=classes,
        n_features=n_features,
        kind=kind,
        feature_names=names,
        dtype=np.float64 if rounds == {np.float64} else np.float32,
    )


def _columns_of(owner, members):
    """Return the number of columns and their names, the same for all members."""
    whole = [m.estimator for m in members if m.columns is None]
    widths = {model.n_features_in_ for model in whole}
    n_features = getattr(owner, "n_features_in_", None)
    if len(widths) > 1 or (n_features is not None and widths - {n_features}):
        raise ValueError(
            f"The trees are on different columns: {sorted(widths)} of them. Pass trees fitted on "
            "the same data."
        )
    named = [np.asarray(m.feature_names_in_) for m in whole if hasattr(m, "feature_names_in_")]
    if hasattr(owner, "feature_names_in_"):
        named = [np.asarray(owner.feature_names_in_), *named]
    for names in named[1:]:
        if not np.array_equal(names, named[0]):
            raise ValueError(
                f"The trees are on different columns: {list(named[0])} and {list(names)}. Pass "
                "trees fitted on the same columns in the same order."
            )
    return int(n_features if n_features is not None else widths.pop()), named[0] if named else None


def _is_tree(model):
    return isinstance(model, DecisionTreeClassifier) or hasattr(type(model), "_with_tree")


def _arrays_of(model):
    return from_sklearn(model) if isinstance(model, DecisionTreeClassifier) else model.tree_


def _takes_doubles(model):
    return getattr(model, "_input_dtype", np.float32) != np.float32
