"""AdaBoost.NC and its kin with XGBoost's trees, from its external memory: a second engine.

With gradients -w y and second derivatives w, for y of +1 and -1 and no penalty, a leaf of XGBoost
has the value sum(w y) / sum(w) and a split the gain of Gini's index: the same tree as ours, up to
bins, ties and single precision. So each engine checks the other.
"""

import json
import tempfile
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from counterpoint.boosting.learners import Learner, MemberAnswer
from counterpoint.trees import Tree

_BINS = 256  # no fewer than a store has, so that every bin is one of XGBoost's


class XGBoostLearner(Learner):
    """Grow the trees of a booster for two classes on the rows of a store.

    Weights and votes are in memory, the columns are not.
    """

    is_random = False

    def __init__(self, estimator, store, folder):
        if len(store.classes) != 2:
            raise ValueError(
                f"engine='xgboost' is for two classes, and the store has {len(store.classes)}: use "
                "engine='own'."
            )
        self._check(estimator)
        self.template = clone(estimator)
        self.template.classes_ = store.classes
        self.template.n_features_in_ = store.n_features
        self.template.feature_names_in_ = np.array(store.feature_names, dtype=object)
        self.store, self.y = store, np.where(store.targets() == 1, 1.0, -1.0)
        self.matrix = matrix_of(store, folder)

    def _begin(self):
        import xgboost

        depth = self.template.max_depth or 0
        options = {
            "tree_method": "hist", "max_depth": depth, "eta": 1.0, "lambda": 0.0, "alpha": 0.0,
            "gamma": 0.0, "min_child_weight": 0.0, "base_score": 0.0, "max_bin": _BINS,
        }  # fmt: skip
        return xgboost.Booster(options, [self.matrix])

    @staticmethod
    def _check(estimator):
        plain = type(estimator)(max_depth=estimator.max_depth)
        differs = {
            name: value
            for name, value in estimator.get_params().items()
            if value != getattr(plain, name) and name != "max_bins"
        }
        if differs:
            raise ValueError(
                f"estimator with {differs}: engine='xgboost' knows max_depth only; leave the "
                "others out, or use engine='own'."
            )

    def fit(self, weight, target=None):
        """Train one member."""
        # In single precision: a scale of 1 keeps tiny weights from vanishing.
        scaled = weight / weight.max()
        booster = self._begin()
        booster.boost(self.matrix, 0, grad=-scaled * self.y, hess=scaled)
        model = copy(self.template)
        model.tree_ = _as_tree(booster, self.store)
        return MemberAnswer(model, votes=self._votes(booster))

    def _votes(self, booster):
        said = booster.predict(self.matrix, output_margin=True)
        return (said > 0).astype(np.uint8)

    def answer(self, model):
        """Refuse: a warm start would have to make XGBoost's tree again."""
        raise ValueError("warm_start=True is not for engine='xgboost': fit anew.")


def matrix_of(store: Any, folder: Any) -> Any:
    """Return the rows of a store as a matrix in XGBoost's external memory, kept in a folder.

    A row for each bin tells it all edges there are, which saves the pass that would look for them.
    """
    import xgboost

    n_bins = store.cuts["n_bins"]
    every = np.minimum(np.arange(n_bins.max())[:, None], n_bins - 1).astype(np.uint8)
    edges = xgboost.QuantileDMatrix(store.decode(every).astype(np.float32), max_bin=_BINS)
    return xgboost.ExtMemQuantileDMatrix(_rows(store, folder), max_bin=_BINS, ref=edges)


def _rows(store, folder):
    import xgboost

    class Iterator(xgboost.DataIter):
        def __init__(self):
            super().__init__(cache_prefix=f"{folder}/cache", release_data=True)
            self.at = 0

        def next(self, input_data):
            if self.at >= store.n_groups:
                return False
            stop = min(self.at + 16, store.n_groups)
            codes = store.codes(self.at, stop).transpose(0, 2, 1).reshape(-1, store.n_features)
            y = store.targets(self.at, stop)
            input_data(data=store.decode(codes[: len(y)]).astype(np.float32), label=y)
            self.at = stop
            return True

        def reset(self):
            self.at = 0

    return Iterator()


def _as_tree(booster, store):
    """Return XGBoost's tree as one of ours; a leaf's classes follow from its value and cover."""
    dumped = json.loads(booster.get_dump(dump_format="json", with_stats=True)[0])
    nodes: list[dict[str, Any]] = [{"depth": 0}]
    waiting = [(0, dumped)]
    for at, node in waiting:  # grows as it is gone through: children side by side
        if "leaf" in node:
            nodes[at] |= {"leaf": float(node["leaf"]), "cover": float(node["cover"])}
            continue
        children = {child["nodeid"]: child for child in node["children"]}
        nodes[at] |= {
            "feature": int(node["split"][1:]),
            "cut": float(node["split_condition"]),
            "missing_left": node["missing"] == node["yes"],
            "left": len(nodes),
            "right": len(nodes) + 1,
        }
        for child in (node["yes"], node["no"]):
            waiting.append((len(nodes), children[child]))
            nodes.append({"depth": nodes[at]["depth"] + 1})
    n = len(nodes)
    value = np.zeros((n, 2))
    for at in range(n - 1, -1, -1):  # children come after their parent
        node = nodes[at]
        if "leaf" in node:
            value[at] = node["cover"] * (1 + np.array([-1, 1]) * node["leaf"]) / 2
        else:
            value[at] = value[node["left"]] + value[node["right"]]
    total = value.sum(axis=1)
    shares = value / np.maximum(total, np.finfo(float).tiny)[:, None]
    inner = np.array(["leaf" not in node for node in nodes])
    # XGBoost goes left below a cut, our trees up to a threshold.
    cut = np.array([np.nextafter(np.float32(node.get("cut", 0)), -np.inf) for node in nodes])
    return Tree(
        children_left=np.array([node.get("left", -1) for node in nodes], dtype=np.int32),
        children_right=np.array([node.get("right", -1) for node in nodes], dtype=np.int32),
        feature=np.array([node.get("feature", -1) for node in nodes], dtype=np.int32),
        threshold=np.where(inner, cut.astype(float), np.nan),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.array([node.get("missing_left", False) for node in nodes]),
        value=np.maximum(value, 0.0),
        weighted_n_node_samples=total,
        n_node_samples=np.zeros(n, dtype=np.int64),
        impurity=1.0 - (shares**2).sum(axis=1),
        max_depth=max(node["depth"] for node in nodes),
        categories=None,
    )


def fit_by_xgboost(estimator, base, rule, store, watchers, factor):
    """Run a voting booster whose trees XGBoost grows."""
    weight = store.weights()
    weight = np.ones(store.n_rows) if weight is None else weight.copy()
    if factor is not None:
        weight *= factor[store.targets()]
    with tempfile.TemporaryDirectory(prefix=".fit-") as folder:
        learner = XGBoostLearner(base, store, folder)
        y = store.targets().astype(np.int32)
        estimator._run(rule, learner, y, weight / weight.sum(), watchers)
        del learner
