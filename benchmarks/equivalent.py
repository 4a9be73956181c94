"""One tree out of many: seconds, leaves, and how both grow with trees, depth and columns.

Times include the certificate. BA-Trees (C++, Vidal and Schiffer 2020) gets its forests from text
files; where ``BA_TREES_FORESTS`` names the folder of those that come with it, the same forests are
melted here, and the smallest trees are held against its seconds. Rebuilt elsewhere it took, for
its first breast cancer forest, 0.25 s (801 leaves, by heuristics), 12.3 s (least depth) and 46.2 s
(fewest leaves, 671).
"""

import os
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import Report
from counterpoint.datasets import load, make_cone_torus, make_ripley
from counterpoint.trees import Tree, TreeEnsemble, equivalent_tree


def run() -> Report:
    report = Report("equivalent")
    _melt(report, "warm up", _forest(*_table("pima"), 2, 1), None)
    report.results.clear()
    for name, (X, y) in {
        "ripley": make_ripley(250, random_state=0),
        "cone-torus": make_cone_torus(400, random_state=0),
    }.items():
        bagging = BaggingClassifier(DecisionTreeClassifier(), 20, random_state=0).fit(X, y)
        _melt(report, f"{name}, 20 bagged trees, full depth", bagging, X, seconds=3)
    for name in ("breast-w", "pima"):
        X, y = _table(name)
        for seed in range(3):
            forest = _forest(X, y, 10, 3, seed)
            case = f"{name}, 10 trees, depth 3, seed {seed}"
            _melt(report, f"{case}, votes", forest.estimators_, X, seconds=1)
            _melt(report, f"{case}, shares", forest, X, seconds=1)
    X, y = load_breast_cancer(return_X_y=True)
    _melt(report, "30 columns, 3 trees, depth 3", _forest(X, y, 3, 3), X, seconds=1)
    _melt(report, "30 columns, 10 trees, depth 3, at most 20,000 leaves", _forest(X, y, 10, 3), X,
          max_leaves=20_000)  # fmt: skip
    _growth(report)
    _born_again(report)
    return report


def _growth(report):
    """Trees, depth, columns: one is varied, the others stay."""
    for n_columns, n_trees, depth in [
        *((8, n, 3) for n in (3, 5, 10, 15)),
        *((8, 5, d) for d in (2, 4, 5)),
        *((d, 5, 3) for d in (2, 4, 16, 32)),
    ]:
        X, y = make_classification(
            500, n_columns, n_informative=n_columns, n_redundant=0, n_clusters_per_class=1,
            random_state=0,
        )  # fmt: skip
        case = f"{n_columns} columns, {n_trees} trees, depth {depth}, votes"
        _melt(report, case, _forest(X, y, n_trees, depth).estimators_, X)


# Seconds of BA-Trees for the least depth and the fewest leaves.
_THEIRS = {
    "Breast-Cancer-Wisconsin": (12.3, 46.2),
    "Pima-Diabetes": (1.2, 18.1),
    "Seeds": (0.59, 4.4),
}


def _born_again(report):
    folder = os.environ.get("BA_TREES_FORESTS")
    if not folder:
        print("BA_TREES_FORESTS names no folder: forests of BA-Trees left out")
        return
    for name in ("Breast-Cancer-Wisconsin", "Pima-Diabetes", "Seeds", "FICO", "HTRU2"):
        forest = _read(Path(folder) / name / f"{name}.RF1.txt")
        _melt(report, f"{name} RF1", forest, None, seconds=1)
        theirs = _THEIRS.get(name, (None, None))
        for minimize, seconds in zip(("depth", "leaves"), theirs, strict=True):
            _melt(report, f"{name} RF1, least {minimize}", forest, None, seconds,
                  minimize=minimize, time_limit=60)  # fmt: skip


def _melt(report, case, ensemble, X, seconds=None, **options):
    began = time.perf_counter()
    one = equivalent_tree(ensemble, X, **options)
    melted = time.perf_counter()
    certificate = one.verify() if one.exact else None
    done = time.perf_counter()
    note = f"{one.n_leaves} leaves, depth {one.tree.max_depth}"
    if certificate is None:
        note += f", not exact: {one.faithfulness}"
    else:
        note += f", certificate {certificate.equal} in {done - melted:.3f} s"
    if "minimize" in options:
        note += f", smallest: {one.smallest}"
    report.limit(case, done - began, float("nan") if seconds is None else seconds, "s", note)
    if seconds is None:
        report.results[-1].met, report.results[-1].target = None, ""


def _table(name):
    X, y = load(name, return_X_y=True)
    whole = X.notna().all(axis=1)
    return X[whole].to_numpy(float), y[whole].to_numpy()


def _forest(X, y, n_trees, depth, seed=0):
    return RandomForestClassifier(n_trees, max_depth=depth, random_state=seed).fit(X, y)


def _read(path):
    """Read a forest that BA-Trees was run on: each tree one vote."""
    trees, n_features, n_classes = [], 0, 0
    for line in path.read_text().splitlines():
        words = line.split()
        if line.startswith("NB_FEATURES"):
            n_features = int(words[1])
        elif line.startswith("NB_CLASSES"):
            n_classes = int(words[1])
        elif line.startswith("[TREE"):
            trees.append([])
        elif len(words) == 8 and trees:
            trees[-1].append(words)
    return TreeEnsemble(
        trees=tuple(_tree(rows, n_classes) for rows in trees),
        weights=np.ones(len(trees)),
        classes=np.arange(n_classes),
        n_features=n_features,
    )


def _tree(rows, n_classes):
    leaf = np.array([words[1] == "LN" for words in rows])
    left, right, feature, label = (
        np.array([int(words[i]) for words in rows], dtype=np.int32) for i in (2, 3, 4, 7)
    )
    n = len(rows)
    return Tree(
        children_left=left,
        children_right=right,
        feature=np.where(leaf, -1, feature).astype(np.int32),
        threshold=np.where(leaf, np.nan, [float(words[5]) for words in rows]),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.zeros(n, dtype=bool),
        value=np.where(leaf[:, None], np.arange(n_classes) == label[:, None], 0.0),
        weighted_n_node_samples=np.ones(n),
        n_node_samples=np.ones(n, dtype=np.int64),
        impurity=np.zeros(n),
        max_depth=max(int(words[6]) for words in rows),
    )
