"""One tree out of many: error and leaves against single trees and bagging, and what merging costs.

``python -m benchmarks.single_tree`` runs ten times 10-fold cross-validation on eight data sets,
the same folds for every method, and prints a table; ``--quick`` runs it once on three of them.
``python -m benchmarks single_tree`` times merging against growing the same trees.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import PAUSE, Report
from counterpoint.datasets import TabularEncoder, load, make_cone_torus, make_ripley
from counterpoint.trees import (
    DistilledTreeClassifier,
    EnsembleTreeClassifier,
    MergedTreeClassifier,
    PrunedTreeClassifier,
    merge_trees,
)

DATA = {
    "cancer": lambda: load("wdbc", return_X_y=True),
    "liver": lambda: load("bupa", return_X_y=True),
    "diabetes": lambda: load("pima", return_X_y=True),
    "synthetic": lambda: make_ripley(250, random_state=0),
    "cone-torus": lambda: make_cone_torus(400, random_state=0),
    "german": lambda: load("german-credit", return_X_y=True),
    "ionosphere": lambda: load("ionosphere", return_X_y=True),
    "sonar": lambda: load("sonar", return_X_y=True),
}
QUICK = ("liver", "synthetic", "ionosphere")

# Eastwood 2010, table 5.3, five sets, 21 trees: error, and leaves from the numbers of nodes.
SOURCE = {
    "cancer": {
        "merged, error-based": (0.0539, 8.8),
        "merged, pessimistic": (0.0508, 15.6),
        "single, pruned": (0.0633, 16),
    },
    "liver": {
        "merged, error-based": (0.3366, 16.8),
        "merged, pessimistic": (0.3173, 41.6),
        "single, pruned": (0.338, 58),
    },
    "diabetes": {
        "merged, error-based": (0.2509, 4.2),
        "merged, pessimistic": (0.2462, 34.8),
        "single, pruned": (0.257, 68),
    },
    "cone-torus": {
        "merged, error-based": (0.1584, 16.4),
        "merged, pessimistic": (0.1695, 25.8),
        "single, pruned": (0.1628, 37),
    },
    "synthetic": {
        "merged, error-based": (0.148, 3.0),
        "merged, pessimistic": (0.17, 13.0),
        "single, pruned": (0.1524, 3),
    },
}

METHODS = {
    "CART, cross-validated": lambda seed: PrunedTreeClassifier(
        "cost-complexity", split_criterion="gini", min_samples_leaf=1, cv=10, random_state=seed
    ),
    "pruned, error-based": lambda seed: PrunedTreeClassifier(random_state=seed),
    "pruned, chen": lambda seed: PrunedTreeClassifier(limit="chen", random_state=seed),
    "pruned, pessimistic": lambda seed: PrunedTreeClassifier("pessimistic", random_state=seed),
    "merged": lambda seed: MergedTreeClassifier(random_state=seed),
    "merged, chen": lambda seed: MergedTreeClassifier(limit="chen", random_state=seed),
    "merged, pessimistic": lambda seed: MergedTreeClassifier(
        criterion="pessimistic", random_state=seed
    ),
    "bagging of 100": lambda seed: BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=100, random_state=seed
    ),
}
# Tried, to see what the correction, the criterion and the diversification do.
VARIANTS = {
    "merged, not corrected": lambda seed: MergedTreeClassifier(corrected=False, random_state=seed),
    "merged, pessimistic, not corrected": lambda seed: MergedTreeClassifier(
        criterion="pessimistic", corrected=False, random_state=seed
    ),
    "merged, minimum-error": lambda seed: MergedTreeClassifier(
        criterion="minimum-error", random_state=seed
    ),
    "merged, features": lambda seed: MergedTreeClassifier(diversify="features", random_state=seed),
    "merged, bases": lambda seed: MergedTreeClassifier(diversify="bases", random_state=seed),
    "merged, by volume": lambda seed: MergedTreeClassifier(order="volume", random_state=seed),
}


OTHERS = {
    "equivalent, sampled at 0.8, pruned": lambda seed: EnsembleTreeClassifier(
        method="sample", agreement=0.8, pruning="error-based", random_state=seed
    ),
    "distilled": lambda seed: DistilledTreeClassifier(random_state=seed),
}


def cross_validated(X, y, methods, repeats, n_jobs=1):
    """Return {method: (errors, leaves, seconds)}, each (repeats, 10), on the same folds."""
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
    X = TabularEncoder().fit_transform(X)
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    tasks = list(enumerate(folds.split(X, y)))
    rows = Parallel(n_jobs=n_jobs)(
        delayed(_fold)(X, y, train, test, seed, methods) for seed, (train, test) in tasks
    )
    table = np.array(rows).transpose(1, 2, 0).reshape(len(methods), 3, repeats, 10)
    return dict(zip(methods, table, strict=True))


def _fold(X, y, train, test, seed, methods):
    row = []
    for make in methods.values():
        start = time.perf_counter()
        model = make(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a sampled tree may say that it is not faithful
            model.fit(X[train], y[train])
        seconds = time.perf_counter() - start
        leaves = model.get_n_leaves() if hasattr(model, "get_n_leaves") else np.nan
        row.append(((model.predict(X[test]) != y[test]).mean(), leaves, seconds))
    return row


def show_table(results):
    """Print error in percent (standard error over repeats) / leaves, a row per method."""
    names = list(results)
    print("| method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for method in next(iter(results.values())):
        cells = []
        for name in names:
            errors, leaves, _ = results[name][method]
            by_repeat = 100 * errors.mean(axis=1)
            spread = by_repeat.std(ddof=1) / np.sqrt(len(by_repeat)) if len(by_repeat) > 1 else 0
            size = "" if np.isnan(leaves).all() else f" / {leaves.mean():.1f}"
            cells.append(f"{by_repeat.mean():.1f} ({spread:.1f}){size}")
        print(f"| {method} | " + " | ".join(cells) + " |", flush=True)
    if any(name in SOURCE for name in names):
        for method in SOURCE["cancer"]:
            found = [SOURCE.get(name, {}).get(method) for name in names]
            cells = ["" if f is None else f"{100 * f[0]:.1f} / {f[1]:g}" for f in found]
            print(f"| source: {method} | " + " | ".join(cells) + " |", flush=True)


def wins(results, ours, theirs):
    """Count sets where ours errs less, has no more leaves, and both."""
    less, small, both = 0, 0, 0
    for table in results.values():
        better = table[ours][0].mean() < table[theirs][0].mean()
        smaller = table[ours][1].mean() <= table[theirs][1].mean()
        less, small, both = less + better, small + smaller, both + (better and smaller)
    return less, small, both


def run() -> Report:
    """Time merging against growing the same trees."""
    report = Report("single_tree")
    X, y = load("pima", return_X_y=True)
    _against_growing(report, "diabetes, 768 x 8", X.to_numpy(float), y.to_numpy(), {}, 30)
    X, y = make_classification(100_000, 20, n_informative=10, flip_y=0.1, random_state=0)
    options = {"grower": "hist", "max_depth": 8}
    _against_growing(report, "100,000 x 20, depth 8", X, y, options, None, repeats=1)
    table = cross_validated(*DATA["diabetes"](), METHODS, 1)
    report.limit(
        "diabetes, one 10-fold, merged error less pruned",
        max(table["merged"][0].mean() / table["pruned, error-based"][0].mean(), 1e-9),
        1.0,
        "(ratio)",
        note="; ".join(f"{k}: {v[0].mean():.3f} / {v[1].mean():.0f}" for k, v in table.items()),
    )
    return report


def _against_growing(report, case, X, y, options, at_most, repeats=3):
    model = MergedTreeClassifier(random_state=0, **options)
    X = X.astype(np.float32)
    model.classes_, codes = np.unique(y, return_inverse=True)
    weight = np.ones(len(X))
    merge_trees(model._grow(X[:300], y[:300], codes[:300], weight[:300]), X[:300], y[:300])
    grow_times, merge_times = [], []
    for _ in range(repeats):
        time.sleep(PAUSE)
        start = time.perf_counter()
        trees = model._grow(X, y, codes, weight)
        middle = time.perf_counter()
        merged = merge_trees(trees, X, y)
        merge_times.append(time.perf_counter() - middle)
        grow_times.append(middle - start)
    report.add(
        f"{case}, merging 21 trees",
        merge_times,
        grow_times,
        "growing them",
        at_least=None if at_most is None else 1 / at_most,
        note=f"{merged.tree.n_leaves} leaves from {sum(t.n_leaves for t in trees)}, "
        f"{merged.n_grafts} grafts",
    )


def main() -> None:
    """Print the table, and keep all numbers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three sets, one repeat")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--data", nargs="*", default=None, choices=list(DATA))
    parser.add_argument("--variants", action="store_true", help="more kinds of merged trees")
    parser.add_argument("--only", nargs="*", default=None, help="methods, by name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None, help="write all numbers as JSON")
    asked = parser.parse_args()
    methods = METHODS | OTHERS | (VARIANTS if asked.variants else {})
    if asked.only:
        unknown = [name for name in asked.only if name not in methods]
        if unknown:
            parser.error(f"no method is called {unknown[0]!r}: there are {', '.join(methods)}")
        methods = {name: methods[name] for name in asked.only}
    names = asked.data or (QUICK if asked.quick else tuple(DATA))
    results = {}
    for name in names:
        start = time.perf_counter()
        X, y = DATA[name]()
        results[name] = cross_validated(
            X, y, methods, 1 if asked.quick else asked.repeats, asked.jobs
        )
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        show_table({name: results[name]})
        if asked.out is not None:
            raw = {n: {k: v.tolist() for k, v in t.items()} for n, t in results.items()}
            asked.out.write_text(json.dumps(raw) + "\n")
    show_table(results)
    for ours, theirs in (
        ("merged", "pruned, error-based"),
        ("merged, chen", "pruned, chen"),
        ("merged, pessimistic", "pruned, pessimistic"),
        ("merged", "CART, cross-validated"),
        ("merged, chen", "CART, cross-validated"),
    ):
        if ours not in methods or theirs not in methods:
            continue
        less, small, both = wins(results, ours, theirs)
        print(
            f"{ours} against {theirs}: less error on {less}, no more leaves on {small}, "
            f"both on {both} of {len(results)}"
        )


if __name__ == "__main__":
    main()
