"""The best single tree of 4, 8, 16 and 32 leaves: ours beside CART, C4.5 and other people's.

``python -m benchmarks.tree_sizes`` cross-validates every method on shipped sets below 5,000 rows,
the same folds for all, and prints error and log-loss, mean ranks, and how stable the trees are: the
share of test rows that trees grown on two halves of the training rows decide alike, on every fold
of the first repeat. Rows are kept in ``tree_sizes.csv`` beside this file as they come, and cells
that are there are not run again. A repeat is run on all sets, the smallest first, before the next.
Rows of five folds are of before: stability is from their first fold alone, and leaves were not
kept. ``--table`` prints what there is for so many folds, ``--fresh`` without the development sets,
``--most-rows`` and ``--data`` of some sets alone.
The peers of :mod:`benchmarks.tree_peers` are run where they can be imported: call it with the
Python of an environment that has one. HSTreeCV shrinks the leaves of CART; FIGS is a sum of trees
with as many splits, no single tree, and breaks ties by NumPy's own generator, so that its rows are
not the same again; a forest, an EBM and RuleCOSI+ have no budget.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks import tree_peers
from counterpoint.datasets import TabularEncoder, list_datasets, load
from counterpoint.trees import DistilledTreeClassifier, MergedTreeClassifier, PrunedTreeClassifier

SIZES = (4, 8, 16, 32)
MOST_ROWS = 5_000
KEY = ["data", "folds", "repeat", "fold", "method"]
# ``alike`` and ``half_leaves`` (their mean) are of trees grown on two halves of the training rows.
COLUMNS = [*KEY, "size", "error", "loss", "alike", "leaves", "half_leaves", "cpu", "failed"]
# Sets that were looked at while the method was made.
DEVELOPMENT = (
    *("pima", "bupa", "heart-statlog", "ionosphere", "vehicle", "glass", "sonar", "ecoli"),
    *("wdbc", "breast-w"),
)
HALVED = ("merged", "forest", "CART", "C4.5", "distilled", "HSTreeCV", "FIGS", "STreeD")
_LEAST = 1e-3  # of the probability of a class, for the log-loss


def cart(size, seed):
    """Return CART of so many leaves at most, its pruning chosen by cross-validation."""
    return _Largest(
        PrunedTreeClassifier(
            "cost-complexity", split_criterion="gini", min_samples_leaf=1, random_state=seed
        ),
        DecisionTreeClassifier(max_leaf_nodes=size, random_state=seed),
        size,
    )


class _Largest:
    """A tree pruned by cross-validation, or a greedy one where that has too many leaves."""

    def __init__(self, first, second, size):
        self.first, self.second, self.size = first, second, size

    def fit(self, X, y):
        self.model = self.first.fit(X, y)
        if self.model.get_n_leaves() > self.size:
            self.model = self.second.fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model.predict_proba(X)

    def get_n_leaves(self):
        return self.model.get_n_leaves()


class _Size:
    """One tree of the path of a merged model."""

    def __init__(self, model, size):
        self.model, self.size = model, size

    def predict_proba(self, X):
        return self.model.at_size(self.size).predict_proba(X)

    def get_n_leaves(self):
        return self.model.at_size(self.size).n_leaves_


def merged(seed):
    """Return ours, for all sizes at once."""
    return MergedTreeClassifier(100, max_leaf_nodes=max(SIZES), random_state=seed)


def c45(size, seed):
    """Return error-based pruning, or a greedy tree by entropy where that has too many leaves."""
    return _Largest(
        PrunedTreeClassifier(random_state=seed),
        DecisionTreeClassifier(
            max_leaf_nodes=size, criterion="entropy", min_samples_leaf=2, random_state=seed
        ),
        size,
    )


def distilled(size, seed):
    """Return a tree that learns from samples labelled by 25 bagged trees (CMM)."""
    tree = DecisionTreeClassifier(max_leaf_nodes=size, random_state=seed)
    return DistilledTreeClassifier(estimator=tree, random_state=seed)


METHODS = {"CART": cart, "C4.5": c45, "distilled": distilled, **tree_peers.OF_SIZE}
ALL = ("merged", "forest", *METHODS, *tree_peers.OF_SIZES, *tree_peers.OF_NO_SIZE)


def sets():
    """Yield names and data of all shipped sets that are small enough, the smallest first."""
    table = list_datasets().sort_values("rows", kind="stable")
    for name in table.index[(table["available"] == "shipped") & (table["rows"] < MOST_ROWS)]:
        X, y = load(name, return_X_y=True)
        X = np.asarray(TabularEncoder().fit_transform(X), dtype=np.float32)
        yield name, X, np.unique(np.asarray(y), return_inverse=True)[1]


def judged(proba, y):
    """Return error and log-loss."""
    truth = np.clip(proba[np.arange(len(y)), y], _LEAST, 1.0)
    return float(np.mean(proba.argmax(axis=1) != y)), float(-np.log(truth).mean())


def fitted(method, X, y, seed):
    """Return {size: model with predict_proba}; the forest has no size."""
    sizes = SIZES[:2] if method in tree_peers.SMALL_ONLY else SIZES
    if method == "merged":
        model = merged(seed).fit(X, y)
        return {size: _Size(model, size) for size in SIZES}
    if method == "forest":
        return {0: RandomForestClassifier(200, random_state=seed).fit(X, y)}
    if method in tree_peers.OF_NO_SIZE:
        return {0: tree_peers.OF_NO_SIZE[method](seed).fit(X, y)}
    if method in tree_peers.OF_SIZES:
        return tree_peers.OF_SIZES[method](sizes, seed).fit(X, y)
    return {size: METHODS[method](size, seed).fit(X, y) for size in sizes}


def cell(method, X, y, train, test, seed, halves):
    """Return rows of size, error, log-loss and stability of one method on one fold."""
    start = time.process_time()
    models = fitted(method, X[train], y[train], seed)
    seconds = time.process_time() - start
    others = []
    if halves:
        order = np.random.RandomState(seed).permutation(train)
        others = [
            fitted(method, X[part], y[part], seed)
            for part in (order[: len(order) // 2], order[len(order) // 2 :])
            if len(np.unique(y[part])) == len(np.unique(y[train]))
        ]
    rows = []
    for size, model in models.items():
        error, loss = judged(_proba(model, X[test], y), y[test])
        row = {"size": size, "error": error, "loss": loss, "leaves": _leaves(model)}
        if len(others) == 2:
            halved = [other[size] for other in others]
            says = [_proba(half, X[test], y).argmax(axis=1) for half in halved]
            row["alike"] = float(np.mean(says[0] == says[1]))
            row["half_leaves"] = np.mean([_leaves(half) for half in halved])
        rows.append(row | {"cpu": seconds})
    return rows


def _leaves(model):
    """Return how many leaves a tree has; NaN for what is no single tree."""
    if hasattr(model, "get_n_leaves"):
        return model.get_n_leaves()
    if hasattr(model, "n_leaves_"):
        return model.n_leaves_
    return np.nan


def _proba(model, X, y):
    """Return probabilities of all classes; labels as 0 and 1 from those that give no more."""
    n_classes = int(y.max()) + 1
    if not hasattr(model, "predict_proba"):
        return np.eye(n_classes)[np.asarray(model.predict(X)).astype(int)]
    proba = np.asarray(model.predict_proba(X))
    if proba.shape[1] < n_classes:  # a class was not in training
        proba = np.pad(proba, ((0, 0), (0, n_classes - proba.shape[1])))
    return proba


def main():
    """Run what is not there yet, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--data", nargs="*", default=None)
    parser.add_argument("--methods", nargs="*", default=list(ALL))
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".csv"))
    parser.add_argument("--most-folds", type=int, default=None, help="of each repeat, run so many")
    parser.add_argument("--most-rows", type=int, default=MOST_ROWS, help="of a set")
    parser.add_argument("--table", action="store_true", help="print what there is")
    parser.add_argument("--fresh", action="store_true", help="without the development sets")
    asked = parser.parse_args()
    done = set(kept(asked.out)[KEY].itertuples(index=False, name=None))
    tables = [] if asked.table else list(sets())
    for repeat in range(asked.repeats):
        folds = StratifiedKFold(asked.folds, shuffle=True, random_state=repeat)
        for name, X, y in tables:
            if (asked.data and name not in asked.data) or len(X) > asked.most_rows:
                continue
            for fold, (train, test) in enumerate(list(folds.split(X, y))[: asked.most_folds]):
                for method in asked.methods:
                    key = (name, asked.folds, repeat, fold, method)
                    if key not in done:
                        keep(asked.out, key, run(method, X, y, train, test, fold, repeat == 0))
            print(repeat, name, flush=True)
    frame = kept(asked.out)
    if asked.fresh:
        frame = frame[~frame["data"].isin(DEVELOPMENT)]
    if asked.data:
        frame = frame[frame["data"].isin(asked.data)]
    rows = list_datasets()["rows"]
    frame = frame[frame["data"].map(rows) <= asked.most_rows]
    show(frame[frame["folds"] == asked.folds], asked.methods)


def run(method, X, y, train, test, fold, halves):
    """Return the rows of one cell: one that says why where there are none, none without a peer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cell(method, X, y, train, test, fold, halves and method in HALVED)
    except ImportError as missing:
        print(f"{method}: {missing}")
        return []
    except Exception as error:  # a peer that fails on a table is a result
        return [{"failed": f"{type(error).__name__}: {error}".splitlines()[0][:80]}]


def kept(path):
    """Return the rows there are."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=COLUMNS)


def keep(path, key, rows):
    """Add rows of one cell to the file."""
    frame = pd.DataFrame([dict(zip(KEY, key, strict=True)) | row for row in rows], columns=COLUMNS)
    frame.round(4).to_csv(path, mode="a", header=not path.exists(), index=False)


def show(frame, methods):
    """Print means, ranks, differences and stability over the sets that all these have done."""
    frame = frame[frame["method"].isin(methods) & frame["failed"].isna()]
    frame = frame.assign(error=100 * frame["error"])
    repeats = frame.groupby("data")["repeat"].nunique()
    print(f"{len(repeats)} sets, repeats of each: {repeats.min()} to {repeats.max()}")
    for figure in ("error", "loss"):
        for size, part in frame[frame["size"] > 0].groupby("size"):
            _show_size(figure, int(size), part)
    apart = _cells(frame[frame["size"].isin([0, 32])], "error")
    if {("merged", 32), ("forest", 0)} <= set(apart):
        apart = (apart["merged", 32] - apart["forest", 0]).dropna()
        mean, half = _limits(apart)
        print(
            f"32 leaves within a point of the forest: {(mean <= 1).mean():.0%} of {len(mean)} sets;"
            f" clearly {(mean + half <= 1).mean():.0%}, clearly not {(mean - half > 1).mean():.0%}"
        )
    _show_alike(frame)


def _cells(frame, figure):
    """Return a row for each cell of the cross-validation, a column for each method and size."""
    return frame.pivot_table(
        index=["data", "folds", "repeat", "fold"], columns=["method", "size"], values=figure
    )


def _limits(cells):
    """Return means by set, and what is to be added on either side for limits of 95 %.

    Training rows of the folds overlap: the variance is that of Nadeau and Bengio (2003).
    """
    groups = cells.groupby("data")
    n, folds = groups.size(), cells.reset_index().groupby("data")["folds"].first()
    spread = np.sqrt(groups.var() * (1 / n + 1 / (folds - 1)))
    return groups.mean(), spread * stats.t.ppf(0.975, np.maximum(n - 1, 1))


def _show_size(figure, size, frame):
    cells = _cells(frame, figure).droplevel("size", axis=1)
    table = cells.groupby("data").mean().dropna()
    ranks = table.rank(axis=1).mean().sort_values()
    line = ", ".join(f"{m} {table[m].mean():.3g} ({r:.2f})" for m, r in ranks.items())
    print(f"{figure}, {size} leaves, {len(table)} sets, mean (mean rank): {line}")
    for other in ranks.index.drop("merged") if "merged" in table else []:
        mean, half = _limits((cells[other] - cells["merged"]).dropna())
        error = mean.std() / np.sqrt(len(mean))
        print(
            f"  {other} - merged: {mean.mean():+.3f} (standard error over {len(mean)} sets "
            f"{error:.3f}); ours lower on {(mean > 0).sum()}, equal {(mean == 0).sum()}, "
            f"higher {(mean < 0).sum()}; clearly lower {(mean - half > 0).sum()}, "
            f"clearly higher {(mean + half < 0).sum()}"
        )


def _show_alike(frame):
    frame = frame.dropna(subset=["alike"])
    alike = frame.pivot_table(index=["data", "size"], columns="method", values="alike")
    if not {"merged", "CART"} <= set(alike):
        return
    print("stability by size:")
    print(alike.groupby("size").mean().round(3).to_string())
    mean, half = _limits_alike(frame)
    leaves = frame.pivot_table(
        index=["data", "size"], columns="method", values="half_leaves", dropna=False
    )
    as_large = (leaves["CART"] >= leaves["merged"] - 0.5).reindex(mean.index)
    for name, part in (("", mean.notna()), (", CART as large to half a leaf", as_large)):
        found = pd.DataFrame(
            {
                "sets": part.groupby("size").sum(),
                "above": (mean > 0)[part].groupby("size").mean(),
                "below": (mean < 0)[part].groupby("size").mean(),
                "clearly above": (mean - half > 0)[part].groupby("size").mean(),
                "clearly below": (mean + half < 0)[part].groupby("size").mean(),
            }
        )
        print(f"stability beside CART's, shares of sets by size{name}:")
        print(found.round(2).to_string())


def _limits_alike(frame):
    both = {}
    for size, part in frame[frame["size"] > 0].groupby("size"):
        cells = _cells(part, "alike").droplevel("size", axis=1)
        both[size] = _limits((cells["merged"] - cells["CART"]).dropna())
    return (
        pd.concat({size: found[k] for size, found in both.items()}, names=["size"])
        .swaplevel()
        .sort_index()
        for k in (0, 1)
    )


if __name__ == "__main__":
    main()
