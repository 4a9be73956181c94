"""Whether a model from a file can be used: the arrays that compiled code walks lead nowhere else.

scikit-learn and our kernels follow numbers in arrays (children of nodes, rows, columns) without a
look at them. A file can hold any. So every part of a model is looked at once, when it is loaded.
Classes of ours say themselves what they need, in ``_check_sound``.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.ensemble import BaseEnsemble
from sklearn.ensemble._bagging import BaseBagging
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.metrics._dist_metrics import DistanceMetric64
from sklearn.neighbors import BallTree, KDTree
from sklearn.neighbors._base import NeighborsBase
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree as SklearnTree

WITHOUT_PARTS = frozenset((int, float, bool, str, bytes, type(None)))
"""Types of values that have no parts, which most values of a model are."""


def check_sound(model: Any) -> None:
    """Look at every part of a model once; raise ``ValueError`` at the first that is not sound.

    What objects of ours have computed for themselves and kept is dropped, to be computed anew.
    """
    seen: dict[int, Any] = {}
    kinds: dict[type, tuple[list[str], list[Callable[[Any], None]]]] = {}
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if type(part) in WITHOUT_PARTS or id(part) in seen:
            continue
        seen[id(part)] = part  # keeps it alive, hence its id its own
        if type(part) not in kinds:
            kinds[type(part)] = _of_kind(type(part))
        computed, checks = kinds[type(part)]
        for name in computed:
            vars(part).pop(name, None)
        waiting += parts_of(part)
        for check in checks:
            check(part)


def parts_of(value: Any) -> list[Any]:
    """Return what a value consists of: items of containers, attributes of objects."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype == object else []
    return list(getattr(value, "__dict__", {}).values()) if not isinstance(value, type) else []


def _of_kind(kind: type) -> tuple[list[str], list[Callable[[Any], None]]]:
    """Return what objects of a class compute for themselves, and what to check of them."""
    checks = [check for known, check in CHECKS.items() if issubclass(kind, known)]
    if hasattr(kind, "_check_sound"):
        checks.append(kind._check_sound)
    if not kind.__module__.startswith("counterpoint."):
        return [], checks
    names = {name for base in kind.__mro__ for name in vars(base)}
    return [n for n in names if isinstance(getattr(kind, n, None), cached_property)], checks


def _need(good: Any, what: str) -> None:
    if not good:
        raise ValueError(f"its {what}")


def check_inner_tree(tree: SklearnTree) -> None:
    """Check the tree inside a tree of scikit-learn."""
    from counterpoint.trees.convert import check_sklearn_tree  # late: many models have no tree

    check_sklearn_tree(tree, n_features=tree.n_features)


def check_decision_tree(model: BaseDecisionTree) -> None:
    """Check that an estimator and the tree inside it agree."""
    tree = getattr(model, "tree_", None)
    if tree is None:
        return
    _need(isinstance(tree, SklearnTree), "tree_ is no tree")
    # The tree itself is a part, and looked at as one.
    _need(tree.n_features == model.n_features_in_, "tree is on other columns than it should")
    _need(tree.n_outputs == model.n_outputs_, "tree has other outputs than it should")
    if is_classifier(model) and model.n_outputs_ == 1:
        told = (np.ndim(model.n_classes_) == 0, model.n_classes_, tree.value.shape[2])
        _need(told == (True, len(model.classes_), len(model.classes_)), "tree has other classes")


def check_bagging(model: BaseBagging) -> None:
    """Check that members are on columns there are."""
    for columns in getattr(model, "estimators_features_", []):
        places = np.asarray(columns)
        within = (places >= 0) & (places < model.n_features_in_)
        _need(places.dtype.kind in "iu" and within.all(), "members are on other columns")


def check_forest(model: BaseEnsemble) -> None:
    """Check that trees which are asked without another look are on the columns of their forest."""
    members = np.ravel(np.asarray(getattr(model, "estimators_", []), dtype=object))
    for member in members:
        _need(isinstance(member, BaseDecisionTree), "forest has members that are no trees")
        _need(member.tree_.n_features == model.n_features_in_, "trees are on other columns")
    if isinstance(model, BaseGradientBoosting) and len(members):
        n_each = model.n_trees_per_iteration_
        _need(model.estimators_.shape[1:] == (n_each,), "trees are not one for each class")
        _need(all(m.tree_.value.shape[1:] == (1, 1) for m in members), "trees hold many values")


def check_histogram_trees(model: BaseHistGradientBoosting) -> None:
    """Check the nodes of gradient boosting on histograms."""
    from counterpoint.trees.structure import check_children

    names = ("left", "right", "feature_idx", "num_threshold", "value", "is_leaf")
    for predictor in [p for row in getattr(model, "_predictors", []) for p in row]:
        nodes = predictor.nodes
        _need(isinstance(nodes, np.ndarray) and nodes.ndim == 1, "nodes are no list of nodes")
        _need(set(names) <= set(nodes.dtype.names or ()), "nodes are of another kind")
        leaf = nodes["is_leaf"].astype(bool)
        left, right = (
            np.where(leaf, -1, np.minimum(nodes[side], 2**31).astype(np.int64))
            for side in ("left", "right")
        )
        check_children(left, right, "A tree of gradient boosting")
        columns = nodes["feature_idx"][~leaf].astype(np.int64)
        known = (columns >= 0) & (columns < model.n_features_in_)
        _need(known.all(), "nodes ask for columns that are not there")
        _need(np.isfinite(nodes["value"]).all(), "nodes hold values that are not finite")
        _need(not np.isnan(nodes["num_threshold"][~leaf]).any(), "nodes have no thresholds")
        # Ours get their categories from the encoder, as columns of 0 and 1.
        _need(not nodes["is_categorical"].any(), "nodes split by categories")


def check_neighbour_tree(tree: KDTree | BallTree) -> None:
    """Check a tree of neighbours: rows once each, nodes in a heap, leaves at its bottom."""
    state = tree.__getstate__()
    (data, rows, nodes, bounds), (_, n_levels, n_nodes) = state[:4], state[4:7]
    n = len(data)
    _need(np.array_equal(np.sort(rows), np.arange(n)), "rows are not each there once")
    _need(len(nodes) == n_nodes == 2**n_levels - 1, "levels and nodes do not agree")
    _need(bounds.shape[1:] == (n_nodes, data.shape[1]), "bounds are of another shape")
    first, last = nodes["idx_start"], nodes["idx_end"]
    _need(((first >= 0) & (first <= last) & (last <= n)).all(), "nodes hold rows not there")
    bottom = np.arange(n_nodes) >= n_nodes // 2
    _need((nodes["is_leaf"][bottom] != 0).all(), "nodes have children that are not there")
    _need((first[0], last[0]) == (0, n), "root does not hold all rows")
    metric, weight = state[11:13]
    _need(isinstance(metric, DistanceMetric64), "tree of neighbours has no distance")
    _, scales, products = metric.__getstate__()
    d = data.shape[1]
    _need(scales.size in (1, d) and products.size in (1, d * d), "distance is on other columns")
    _need(weight is None or np.shape(weight) == (n,), "weights are not one for each row")


def check_neighbours(model: NeighborsBase) -> None:
    """Check that there is a label for each row."""
    rows, labels = getattr(model, "_fit_X", None), getattr(model, "_y", None)
    if rows is None:
        return
    _need(getattr(rows, "ndim", 0) == 2, "rows are no table")
    tree = getattr(model, "_tree", None)
    if tree is not None:
        _need(np.asarray(tree.data).shape == rows.shape, "rows are not those of its tree")
    if labels is not None:
        _need(len(labels) == rows.shape[0], "labels are not one for each row")
        if labels.ndim == 1 and hasattr(model, "classes_"):
            known = (labels >= 0) & (labels < len(model.classes_))
            _need(labels.dtype.kind in "iu" and known.all(), "labels are no classes")


def check_svm(model: BaseLibSVM) -> None:
    """Check that the arrays of a support vector machine agree."""
    if not hasattr(model, "support_vectors_"):
        return
    counts, n = model._n_support, len(model.support_)
    if model._impl not in ("c_svc", "nu_svc"):
        counts = counts[:1]  # one kind of support vectors; what else stands there is not read
    k = len(counts)
    pairs = k * (k - 1) // 2 if k > 2 else 1
    vectors = model.support_vectors_
    _need((counts >= 0).all() and counts.sum() == n, "numbers of support vectors do not agree")
    _need(vectors.shape[0] == n or vectors.size == 0, "support vectors are too few")
    if model.kernel != "precomputed":
        _need(vectors.shape == (n, model.n_features_in_), "support vectors are of another shape")
    within = (model.support_ >= 0) & (model.support_ < model.shape_fit_[0])
    _need(within.all(), "support vectors are rows that are not there")
    _need(model._dual_coef_.shape == (max(k - 1, 1), n), "coefficients are of another shape")
    _need(model._intercept_.shape == (pairs,), "intercepts are of another shape")
    for name in ("_probA", "_probB"):
        _need(getattr(model, name).shape in ((0,), (pairs,)), "probabilities are of another shape")


def check_sparse(matrix: sparse.spmatrix) -> None:
    """Check that the places of a sparse matrix are within it."""
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)
    else:
        _need(False, f"matrix is of format {matrix.format}")


def check_random_state(state: np.random.RandomState) -> None:
    """Check that a source of randomness is at a place that it has."""
    told = state.get_state(legacy=False)
    if "pos" in told["state"]:
        _need(0 <= told["state"]["pos"] <= len(told["state"]["key"]), "random state is nowhere")


CHECKS: dict[type, Callable[[Any], None]] = {
    SklearnTree: check_inner_tree,
    BaseDecisionTree: check_decision_tree,
    BaseBagging: check_bagging,
    BaseForest: check_forest,
    BaseGradientBoosting: check_forest,
    BaseHistGradientBoosting: check_histogram_trees,
    KDTree: check_neighbour_tree,
    BallTree: check_neighbour_tree,
    NeighborsBase: check_neighbours,
    BaseLibSVM: check_svm,
    sparse.spmatrix: check_sparse,
    sparse.sparray: check_sparse,
    np.random.RandomState: check_random_state,
}
"""What to check of parts that are not ours, by their types."""
