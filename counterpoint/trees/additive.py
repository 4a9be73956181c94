"""The trees of gradient boosting: scikit-learn, LightGBM, XGBoost; the last two not imported."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.structure import LEAF, Tree

# What a node says of itself: a leaf's value and weight, or a split's feature, threshold, whether
# missing values go left, weight, left and right.
_Reader = Callable[[Any], tuple]


def is_additive(model: Any) -> bool:
    """Say whether this is a gradient boosting classifier that :func:`additive_trees` knows."""
    return isinstance(model, GradientBoostingClassifier) or _name(model) in _READERS


def additive_trees(model: Any) -> tuple[list[Tree], NDArray, NDArray, type]:
    """Take the trees of a fitted gradient boosting classifier of scikit-learn, LightGBM or XGBoost.

    Returns the trees, with what a leaf adds to each class as ``value``, their weights, the offset
    (n_classes,) where the sum begins, and the type that samples are rounded to.
    """
    if isinstance(model, GradientBoostingClassifier):
        trees, weights, dtype = _from_gradient_boosting(model)
    else:
        trees, weights, dtype = _READERS[_name(model)](model)
    return trees, weights, _offset(model, trees, weights, dtype), dtype


def _name(model):
    return f"{type(model).__module__.split('.')[0]}.{type(model).__name__}"


def _offset(model, trees, weights, dtype):
    """Find where the sum begins from what the model says about one sample."""
    origin = np.zeros((1, model.n_features_in_), dtype=dtype)
    if isinstance(model, GradientBoostingClassifier):
        scores = model.decision_function(origin)
    elif _name(model) == "xgboost.XGBClassifier":
        scores = model.predict(origin, output_margin=True)
    else:
        return np.zeros(len(model.classes_))  # LightGBM has it in the first trees
    score = np.zeros(trees[0].value.shape[1])
    for tree, weight in zip(trees, weights, strict=True):
        node = 0
        while tree.children_left[node] != LEAF:
            left = tree.threshold[node] >= 0.0
            node = (tree.children_left if left else tree.children_right)[node]
        score += weight * tree.value[node]
    scores = np.asarray(scores, dtype=float).ravel()
    scores = np.array([0.0, scores[0]]) if len(scores) == 1 else scores
    return scores - score


def _in_column(values, k, n_columns):
    value = np.zeros((len(values), n_columns))
    value[:, k] = values
    return value


def _class_of(t, n_classes):
    return 1 if n_classes == 2 else t % n_classes


def _from_gradient_boosting(model):
    if model.init is not None and model.init != "zero":
        raise TypeError(
            f"This GradientBoostingClassifier starts from init={model.init!r}, which is no tree: "
            "leave init None, or 'zero'."
        )
    trees = []
    for t, regressor in enumerate(model.estimators_.ravel()):
        tree = from_sklearn(regressor)
        k = _class_of(t, len(model.classes_))
        value = _in_column(tree.value[:, 0], k, len(model.classes_))
        trees.append(Tree(**{**tree.__dict__, "value": value}))
    return trees, np.full(len(trees), float(model.learning_rate)), np.float32


# -- LightGBM ----------------------------------------------------------------------------------


def _read_lightgbm(node):
    if "leaf_value" in node:
        return node["leaf_value"], node.get("leaf_count", 0)
    cut = node["threshold"]
    if node["decision_type"] != "<=" or node["missing_type"] == "Zero":
        raise TypeError(
            f"The model has a split on column {node['split_feature']} by categories, or one that "
            "takes 0 for missing: only splits of numbers at thresholds can be taken."
        )
    # Where nothing was missing in training, LightGBM takes 0 for a missing value.
    left = node["default_left"] if node["missing_type"] == "NaN" else cut >= 0.0
    below = node["left_child"], node["right_child"]
    return node["split_feature"], cut, left, node["internal_count"], *below


def _from_lightgbm(model):
    dump = model.booster_.dump_model()
    roots = [tree["tree_structure"] for tree in dump["tree_info"]]
    if any("leaf_coeff" in json.dumps(root) for root in roots):
        raise TypeError("The model has linear trees: only trees with constant leaves can be taken.")
    n_classes = len(model.classes_)
    trees = [_build(root, _read_lightgbm, t, n_classes) for t, root in enumerate(roots)]
    return trees, np.ones(len(trees)), np.float64


# -- XGBoost -----------------------------------------------------------------------------------


def _from_xgboost(model):
    booster = model.get_booster()
    settings = json.loads(booster.save_config())["learner"]
    if settings["gradient_booster"]["name"] != "gbtree":
        raise TypeError(
            f"The model is a booster of kind {settings['gradient_booster']['name']}: only gbtree "
            "can be taken."
        )
    if (model.get_params().get("num_parallel_tree") or 1) > 1:
        raise TypeError("The model grows several trees a round: only one can be taken.")
    columns = {name: k for k, name in enumerate(booster.feature_names or [])}

    def read(node):
        if "leaf" in node:
            if isinstance(node["leaf"], list):
                raise TypeError("The model has leaves for several classes at once.")
            return node["leaf"], node["cover"]
        cut, name = node["split_condition"], node["split"]
        if isinstance(cut, list):
            raise TypeError(
                f"The model splits {name} by categories: only splits of numbers at thresholds can "
                "be taken."
            )
        below = {child["nodeid"]: child for child in node["children"]}
        # XGBoost goes left below the threshold, in float32; we go left up to it.
        cut = float(np.nextafter(np.float32(cut), np.float32(-np.inf)))
        feature = columns[name] if name in columns else int(name[1:])
        left = node["missing"] == node["yes"]
        return feature, cut, left, node["cover"], below[node["yes"]], below[node["no"]]

    dump = booster.get_dump(dump_format="json", with_stats=True)
    best = getattr(model, "best_iteration", None) if model.early_stopping_rounds else None
    n_classes = len(model.classes_)
    if best is not None:
        dump = dump[: (best + 1) * (1 if n_classes == 2 else n_classes)]
    trees = [_build(json.loads(text), read, t, n_classes) for t, text in enumerate(dump)]
    return trees, np.ones(len(trees)), np.float32


_READERS = {"lightgbm.LGBMClassifier": _from_lightgbm, "xgboost.XGBClassifier": _from_xgboost}


def _build(root: Any, read: _Reader, t: int, n_classes: int) -> Tree:
    """Make a tree of nested nodes, in preorder."""
    rows: list[list] = []
    stack: list[tuple[Any, int, int, int]] = [(root, -1, 0, 0)]
    deepest = 0
    while stack:
        node, above, side, depth = stack.pop()
        if above >= 0:
            rows[above][side] = len(rows)
        deepest = max(deepest, depth)
        facts = read(node)
        if len(facts) == 2:
            rows.append([LEAF, LEAF, LEAF, np.nan, False, *facts])
            continue
        feature, cut, missing_left, weight, left, right = facts
        stack += [(right, len(rows), 1, depth + 1), (left, len(rows), 0, depth + 1)]
        rows.append([LEAF, LEAF, feature, cut, missing_left, 0.0, weight])
    left, right, feature, cut, missing, value, weight = (
        np.array(c) for c in zip(*rows, strict=True)
    )
    return Tree(
        children_left=left.astype(np.int32),
        children_right=right.astype(np.int32),
        feature=feature.astype(np.int32),
        threshold=cut.astype(np.float64),
        bin_threshold=np.zeros(len(rows), dtype=np.uint8),
        missing_go_to_left=missing.astype(bool),
        value=_in_column(value.astype(np.float64), _class_of(t, n_classes), n_classes),
        weighted_n_node_samples=weight.astype(np.float64),
        n_node_samples=np.rint(weight).astype(np.int64),
        impurity=np.zeros(len(rows)),
        max_depth=deepest,
    )
