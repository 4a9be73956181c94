"""Draw the pictures of docs/source_figures.md: python docs/figures_sources.py [NAME ...]."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import make_cone_torus, make_ripley
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.plots import MemberBoundariesDisplay, plot_decision_boundary
from counterpoint.plots.style import colour
from counterpoint.sequences import make_churn_events
from counterpoint.trees import (
    EnsembleTreeClassifier,
    MergedTreeClassifier,
    PrunedTreeClassifier,
    apply,
    prune,
    relabel,
)

IMAGES = Path(__file__).parent / "images"
PLANE = {"synthetic": (make_ripley, 250), "cone-torus": (make_cone_torus, 400)}


def save(figure, name):
    path = IMAGES / name
    figure.savefig(path, dpi=90)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def draw_negative_correlation():
    """Figures 4.1 to 4.3 of Eastwood (2010): example classifications in the plane."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for ax, (name, (make, size)) in zip(axes, PLANE.items(), strict=True):
        X, y = make(size, random_state=0)
        model = NegativeCorrelationClassifier(
            5, hidden_layer_sizes=10, strength=1.0, max_epochs=300, random_state=0
        ).fit(X, y)
        MemberBoundariesDisplay.from_estimator(model, X, y, ax=ax)
        ax.set_title(f"{name}: five networks at $\\lambda^*$", fontsize=10)
    save(figure, "source_ncl_regions.png")


def draw_exact_trees(repeats=5):
    """Figures 5.3 and 5.4: a bagging-equivalent tree as its small nodes are cut."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharex=True)
    cuts = np.concatenate([[0.0], np.geomspace(1e-5, 0.1, 13)])
    for column, (name, (make, size)) in enumerate(PLANE.items()):
        rows, levels = [], []
        for repeat in range(repeats):
            X, y = make(size, random_state=repeat)
            X_new, y_new = make(5000, random_state=1000 + repeat)
            bag = BaggingClassifier(
                DecisionTreeClassifier(criterion="entropy"), 20, random_state=repeat
            ).fit(X, y)
            levels.append(_levels(bag, X, y, X_new, y_new, repeat))
            full = None
            for least in cuts:
                one = EnsembleTreeClassifier(
                    bag, max_leaves=None, pruning={"criterion": "volume", "least": least}
                ).fit(X, y)
                full = full or one.n_leaves_
                wrong = np.mean(one.predict(X_new) != y_new)
                rows.append((repeat, least, one.n_leaves_ / full, one.tree_.node_count, wrong))
        _draw_cuts(axes[:, column], np.array(rows), levels, name)
    axes[0, 0].set_ylabel("test error")
    axes[1, 0].set_ylabel("nodes")
    axes[0, 1].legend(fontsize=8, frameon=False)
    save(figure, "source_exact_trees.png")


def _levels(bag, X, y, X_new, y_new, repeat):
    """Error and nodes of bagging, a single pruned tree, and the exact tree pruned by the data."""
    single = PrunedTreeClassifier(min_samples_leaf=1, random_state=repeat).fit(X, y)
    exact = EnsembleTreeClassifier(bag, max_leaves=None).fit(X, y)
    cut = prune(relabel(exact.tree_, X, y, empty="parent"), "pessimistic")
    return {
        "bagging": (np.mean(bag.predict(X_new) != y_new), np.nan),
        "single, error-based": (
            np.mean(single.predict(X_new) != y_new),
            2 * single.get_n_leaves() - 1,
        ),
        "exact, pessimistic": (
            np.mean(cut.label[apply(cut, X_new.astype(np.float32))] != y_new),
            cut.node_count,
        ),
    }


def _draw_cuts(axes, rows, levels, name):
    by_cut = [rows[rows[:, 1] == least] for least in np.unique(rows[:, 1])]
    share, nodes, wrong = (np.array([part[:, k].mean() for part in by_cut]) for k in (2, 3, 4))
    for at, (ax, value) in enumerate(zip(axes, (wrong, nodes), strict=True)):
        ax.plot(share, value, "o-", color=colour(0), label="exact, small nodes cut")
        for k, level in enumerate(levels[0]):
            known = np.mean([one[level][at] for one in levels])
            if np.isfinite(known):
                ax.axhline(known, color=colour(k + 1), linestyle="--", label=level)
        ax.set(xscale="log")
    axes[0].set_title(name)
    axes[1].set(yscale="log", xlabel="share of the leaves that are left")


def draw_merging():
    """Figures 5.10 to 5.12: trees of an ensemble, and the tree they are merged into."""
    X, y = make_cone_torus(400, random_state=0)
    bag = BaggingClassifier(
        DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=8), 3, random_state=0
    ).fit(X, y)
    merged = MergedTreeClassifier(pool=bag).fit(X, y)
    figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained", sharey=True)
    shown = {f"Tree {k + 1}": tree for k, tree in enumerate(bag.estimators_)}
    for ax, (name, model) in zip(axes, (shown | {"Merged": merged}).items(), strict=True):
        plot_decision_boundary(model, X, y, ax=ax, scatter_kwargs={"s": 8})
        leaves = merged.n_leaves_ if model is merged else model.get_n_leaves()
        wrong = np.mean(model.predict(X) != y)
        ax.set_title(f"{name}: {leaves} leaves, {wrong:.1%} wrong", fontsize=9)
        if ax.get_legend() is not None and ax is not axes[-1]:
            ax.get_legend().remove()
    save(figure, "source_merging.png")


def draw_two_complaints():
    """Figure 6.4: histories that end in two complaints, those followed by churn as crosses."""
    events = make_churn_events(20_000, random_state=0).events
    by_customer = events.groupby("customer")
    before = by_customer[["event", "duration"]].shift(1)
    after = by_customer["event"].shift(-1)
    chosen = events["event"].eq("complaint") & before["event"].eq("complaint") & after.notna()
    churn = after[chosen].eq("churn").to_numpy()
    first, last = before.loc[chosen, "duration"].to_numpy(), events.loc[chosen, "duration"]
    others = np.random.default_rng(0).choice(np.flatnonzero(~churn), 400, replace=False)
    figure, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
    last = last.to_numpy()
    ax.plot(first[others], last[others], "*", color="0.6", label="went on (400 of them)")
    ax.plot(first[churn], last[churn], "+", color=colour(1), label=f"churn ({churn.sum()})")
    ax.set(xlabel="days the complaint before took", ylabel="days the last complaint took")
    ax.legend(frameon=False)
    save(figure, "source_two_complaints.png")


def draw_stumps():
    """Draw AdaBoost of stumps, as the lecture does after Russell and Norvig, figure 18.34."""
    X, y = make_ripley(250, random_state=0)
    X_new, y_new = make_ripley(5000, random_state=1)
    model = AdaBoostClassifier(n_estimators=400, random_state=0).fit(X, y)
    figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
    for k, (name, A, b) in enumerate((("training rows", X, y), ("new rows", X_new, y_new))):
        share = list(model.staged_score(A, b))
        ax.plot(np.arange(1, len(share) + 1), share, color=colour(k), label=name)
    ax.set(xlabel="stumps", ylabel="share right", xscale="log")
    ax.legend(frameon=False)
    save(figure, "source_stumps.png")


PICTURES = {
    "networks": draw_negative_correlation,
    "exact": draw_exact_trees,
    "merging": draw_merging,
    "complaints": draw_two_complaints,
    "stumps": draw_stumps,
}


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
