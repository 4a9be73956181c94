"""R13: one tree on sampled overlaps of a bagged ensemble (table 5.2, figures 5.5-5.9)."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.experiments._claims_common import THEIRS_MARK, error, panels
from counterpoint.experiments._th_common import (
    DATA_NOTE,
    REAL,
    THEIR_LABEL,
    THESIS,
    bagged_trees,
    compare,
    fold,
    numbers,
    shared_legend,
    thesis_data,
)
from counterpoint.experiments.protocol import Claim, Experiment, Size, Verdict, grid, verdict
from counterpoint.plots.style import colour
from counterpoint.trees.algebra import apply, relabel
from counterpoint.trees.equivalent.estimator import EnsembleTreeClassifier
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.pruning.prune import prune

THRESHOLDS = (0.0, 0.6, 0.7, 0.8, 0.9)
AT = 0.8
# Table 5.2: errors, then nodes. "BT" is the tree on overlaps, unpruned and by pessimistic pruning.
SOURCE = pd.DataFrame(
    [
        ("cancer", 0.0550, 0.0631, 0.0425, 0.0633, 2513, 61, 31),
        ("liver", 0.3077, 0.3315, 0.2851, 0.338, 1155, 38.6, 115),
        ("diabetes", 0.2495, 0.2452, 0.2441, 0.257, 2225, 35, 135),
        ("cone-torus", 0.1635, 0.1680, 0.1596, 0.1628, 142.6, 29.8, 73),
        ("synthetic", 0.1760, 0.1652, 0.1792, 0.1524, 75.8, 9, 5),
    ],
    columns=[
        "data",
        "unpruned",
        "pessimistic",
        "bagging",
        "single",
        "unpruned nodes",
        "pessimistic nodes",
        "single nodes",
    ],
).set_index("data")
METHODS = ("unpruned", "pessimistic", "error-based")
LITTLE = 0.02  # "little different": pruned against single


def run(
    *, seed: int, repeat: int, data: str, fold_: int, threshold: float, trees: int, overlaps: int
) -> list[dict[str, Any]]:
    """Grow and prune a tree on one fold; bagging and a single tree beside it."""
    X, y = thesis_data(data, seed)
    train, test = fold(y, fold_, seed)
    X, y, X_new, y_new = X[train], y[train], X[test], y[test]
    ensemble = bagged_trees(trees, seed + fold_).fit(X, y)
    rows = _on_overlaps(ensemble, X, y, X_new, y_new, threshold, overlaps, seed + fold_)
    rows.append({"method": "bagging", "error": error(ensemble, X_new, y_new)})
    single = PrunedTreeClassifier(min_samples_leaf=1, random_state=seed + fold_).fit(X, y)
    nodes = 2 * single.get_n_leaves() - 1
    rows.append({"method": "single", "error": error(single, X_new, y_new), "nodes": nodes})
    return rows


def _on_overlaps(
    ensemble: Any,
    X: np.ndarray,
    y: np.ndarray,
    X_new: np.ndarray,
    y_new: np.ndarray,
    threshold: float,
    overlaps: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Grow the tree and prune it; NaN where no overlap is agreed on to that degree."""
    try:
        model = EnsembleTreeClassifier(
            ensemble,
            prefit=True,
            method="sample",
            n_overlaps=overlaps,
            agreement=threshold,
            max_leaves=None,
            random_state=seed,
        ).fit(X, y)
    except ValueError as none_left:
        if "leaves no overlap" not in str(none_left):
            raise
        return [{"method": method, "error": math.nan, "nodes": math.nan} for method in METHODS]
    rows: list[dict[str, Any]] = [
        {
            "method": "unpruned",
            "error": error(model, X_new, y_new),
            "nodes": 2 * model.n_leaves_ - 1,
        }
    ]
    counted = relabel(model.tree_, X, y, empty="parent")
    for criterion in METHODS[1:]:
        tree = prune(counted, criterion)
        wrong = float(np.mean(tree.label[apply(tree, X_new)] != y_new))
        rows.append({"method": criterion, "error": wrong, "nodes": tree.node_count})
    return rows


def experiment(size: Size) -> Experiment:
    """Return the folds of each set; thresholds share ensemble and sample."""
    same = ["fold_", "threshold"]
    if size == "smoke":
        values = grid(
            repeat=[0], fold_=range(2), data=["cancer", "synthetic"], threshold=[0.0, AT], trees=[5]
        )
        small = [row | {"overlaps": 500} for row in values]
        return Experiment("R13-smoke", run, small, unseeded=same)
    values = grid(
        repeat=range(2), fold_=range(10), data=SOURCE.index, threshold=THRESHOLDS, trees=[100]
    )
    return Experiment("R13", run, [row | {"overlaps": 100_000} for row in values], unseeded=same)


def _at_folds(frame: pd.DataFrame) -> pd.DataFrame:
    frame = numbers(frame, "error", "nodes")
    frame["unit"] = frame["repeat"].astype(str) + "/" + frame["fold_"].astype(str)
    return frame


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare means at the threshold of table 5.2."""
    frame = _at_folds(frame)
    here = frame[frame["threshold"] == AT]
    mean = here.pivot_table(index="data", columns="method", values="error")
    nodes = here.pivot_table(index="data", columns="method", values="nodes")
    columns = ["unpruned", "pessimistic", "bagging", "single"]
    sets = [name for name in SOURCE.index if name in set(here["data"])]
    mean = mean.reindex(index=sets, columns=columns)
    nodes = nodes.reindex(index=sets, columns=columns)
    real = mean.loc[[name for name in REAL if name in sets]]
    smaller = (nodes["pessimistic"] < nodes["single"]).drop(
        ["cancer", "synthetic"], errors="ignore"
    )
    ratio = nodes["unpruned"] / SOURCE["unpruned nodes"].reindex(sets)
    parts = {
        "unpruned errs less than a single pruned tree on the three real sets": bool(
            len(real) and (real["unpruned"] < real["single"]).all()
        ),
        "unpruned errs more than bagging there": bool(
            len(real) and (real["unpruned"] > real["bagging"]).all()
        ),
        "unpruned is larger than the single tree on all sets": bool(
            (nodes["unpruned"] > nodes["single"]).all()
        ),
        "pruned is smaller than it on liver, diabetes and cone-torus": bool(
            len(smaller) and smaller.all()
        ),
        f"pruned errs within {LITTLE} of it on all sets": bool(
            ((mean["pessimistic"] - mean["single"]).abs() <= LITTLE).all()
        ),
        "unpruned sizes are within a factor of 2 of the source's": bool(
            ratio.between(0.5, 2).all()
        ),
    }
    table = pd.DataFrame({"data": sets})
    for name in columns:
        table[f"{name} (ours)"] = mean[name].to_numpy()
        table[f"{name} (theirs)"] = SOURCE[name].reindex(sets).to_numpy()
    for name in ("unpruned", "pessimistic", "single"):
        table[f"{name} nodes (ours)"] = nodes[name].to_numpy()
        table[f"{name} nodes (theirs)"] = SOURCE[f"{name} nodes"].reindex(sets).to_numpy()
    told = []
    for name in real.index:
        result = compare(
            here[here["data"] == name], "method", "unpruned", "single", "error", unit="unit"
        )
        told.append(f"{name} {result.difference:+.4f} (d = {result.effect:.2f})")
    why = (
        f"Unpruned less single, paired over folds: {', '.join(told)}. Our unpruned trees have "
        f"{ratio.min():.2g} to {ratio.max():.2g} times the source's nodes."
    )
    return verdict(parts, table, why)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw errors and sizes against the threshold, table 5.2 hollow at 0.8."""
    frame = _at_folds(frame)
    figure, axes = panels(10, columns=5, size=(3.0, 2.6))
    for k, (column, suffix) in enumerate((("error", ""), ("nodes", " nodes"))):
        for at, name in enumerate(SOURCE.index):
            ax = axes[5 * k + at]
            rows = frame[frame["data"] == name]
            for j, method in enumerate(METHODS):
                mean = rows[rows["method"] == method].groupby("threshold")[column].mean()
                ax.plot(mean.index, mean, color=colour(j), marker=".", label=method)
                if f"{method}{suffix}" in SOURCE:
                    look = THEIRS_MARK | {"markeredgecolor": colour(j), "label": THEIR_LABEL}
                    ax.plot([AT], [SOURCE.loc[name, f"{method}{suffix}"]], **look)
            for j, method in enumerate(("bagging", "single"), start=3):
                if f"{method}{suffix}" not in SOURCE:
                    continue
                ours = rows[rows["method"] == method][column].mean()
                ax.axhline(ours, color=colour(j), linewidth=1, label=method)
                theirs = float(SOURCE[f"{method}{suffix}"].to_dict()[name])
                ax.axhline(theirs, color=colour(j), linewidth=1, linestyle="--")
            if k == 0:
                ax.set_title(name)
            else:
                ax.set_xlabel("agreement above")
                ax.set_yscale("log")
        axes[5 * k].set_ylabel(column)
    shared_legend(figure, axes)
    return figure


R13 = Claim(
    id="R13",
    title="One tree equivalent to bagging, sampled",
    sentence=(
        "A tree grown on overlaps of 100 bagged trees that agree to more than 0.8 errs less than a "
        "single pruned tree and more than bagging on cancer (0.0550), liver (0.3077) and diabetes "
        "(0.2495), with thousands of nodes; pruned pessimistically it is little different from a "
        "single pruned tree in error and much smaller on most sets."
    ),
    source=f"{THESIS}, table 5.2 and figures 5.5-5.9",
    rule=(
        "Means over folds at threshold 0.8. On cancer, liver and diabetes the unpruned tree errs "
        "less than a single tree with error-based pruning, and more than bagging. It has more "
        "nodes than the single tree on all five sets. After pessimistic pruning it has fewer than "
        "the single tree on liver, diabetes and cone-torus (on cancer and synthetic the source's "
        f"own table has more), and its error is within {LITTLE} of the single tree's on all. "
        "Unpruned sizes are within a factor of 2 of the source's on all five. All six: reproduced; "
        "some: differs; none: not reproduced."
    ),
    setup=(
        f"{DATA_NOTE} Two times 10-fold cross-validation in place of ten, for time: 100 bagged "
        "trees, 100,000 overlaps drawn roughly evenly. Full trees by information gain; the single "
        "tree is pruned by C4.5's rule with exact limits at 0.25. How the source drew overlaps is "
        "not told beyond 'approximately uniformly'. The exact trees of figures 5.3-5.4 are not "
        "drawn again."
    ),
    experiment=experiment,
    judge=judge,
    draw=draw,
    findings=(
        "Sizes hang on how overlaps are drawn. With 30,000 overlaps on three folds, trees at 0.8 "
        "have 182 nodes on cancer if drawn evenly, 4362 if drawn around the data, 6264 by volume "
        "(source: 2513); on liver 275, 285 and 176 (1155), on diabetes 226, 554 and 602 (2225). No "
        "one of these ways gives all of the source's sizes. On cancer only 266 of the 30,000 even "
        "draws were agreed on by more than 80 of 100 trees (8,887 around the data)."
    ),
)
