"""One tree on sampled overlaps of a bagged ensemble."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import draw_error_and_nodes
from counterpoint.claims._shared import (
    DATA_NOTE,
    REAL,
    bagged_trees,
    error,
    means_by_set,
    thesis_fold,
    with_own_sample,
)
from counterpoint.claims.comparison import by_set, in_words
from counterpoint.claims.parts import every, within
from counterpoint.claims.protocol import Claim, Scalar, Verdict, grid, verdict
from counterpoint.plots.style import colour
from counterpoint.trees import EnsembleTreeClassifier, PrunedTreeClassifier, apply, prune, relabel

AT = 0.8
OTHERS = (0.0, 0.6, 0.7, 0.9)  # drawn, not judged
METHODS = ("unpruned", "pessimistic", "error-based")
LARGER = ("cancer", "synthetic")  # where the source's own pruned tree is the larger one
LITTLE = 0.02  # "little different": pruned against single


def run(
    *,
    seed: int,
    repeat: int,
    data: str,
    fold_: int,
    threshold: float,
    trees: int,
    overlaps: int,
    sample: str = "",
) -> list[dict[str, Any]]:
    """Grow and prune a tree on one fold; bagging and a single tree beside it."""
    X, y, X_new, y_new = thesis_fold(data, fold_, seed, sample)
    ensemble = bagged_trees(trees, seed + fold_).fit(X, y)
    rows = _on_overlaps(ensemble, X, y, X_new, y_new, threshold, overlaps, seed + fold_)
    bagging = bagged_trees(5 * trees, seed + fold_).fit(X, y)
    rows.append({"method": "bagging", "error": error(bagging, X_new, y_new)})
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


def grid_of(repeats: range, thresholds: tuple[float, ...]) -> list[dict[str, Scalar]]:
    """Return the folds of some repeats; all thresholds share them, and the starts."""
    return grid(
        repeat=repeats,
        fold_=range(10),
        data=sources.TREES.index,
        threshold=thresholds,
        trees=[20],
        overlaps=[100_000],
    )


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare errors and sizes at the threshold of table 5.2, paired over folds."""
    here = frame[frame["threshold"] == AT]
    columns = ["unpruned", "pessimistic", "bagging", "single"]
    sets = list(sources.TREES.index)
    known = sources.TREES.loc[sets]
    mean, nodes = means_by_set(here, sets, columns)
    better = by_set(here, REAL, "unpruned", "single")
    behind = by_set(here, REAL, "unpruned", "bagging")
    sizes = by_set(here, sets, "unpruned", "single", "nodes")
    pruned = by_set(here, [n for n in sets if n not in LARGER], "pessimistic", "single", "nodes")
    even = by_set(here, sets, "pessimistic", "single")
    ratio = nodes["unpruned"] / known["unpruned nodes"]
    parts = {
        "unpruned errs less than a single pruned tree on the three real sets": every(
            gap.below() for gap in better.values()
        ),
        "unpruned errs more than bagging there": every(gap.above() for gap in behind.values()),
        "unpruned is larger than the single tree on all sets": every(
            gap.above() for gap in sizes.values()
        ),
        "pruned is smaller than it on liver, diabetes and cone-torus": every(
            gap.below() for gap in pruned.values()
        ),
        f"pruned errs within {LITTLE} of it on all sets": every(
            gap.level(LITTLE) for gap in even.values()
        ),
        "unpruned sizes are within a factor of 2 of the source's": every(
            within(value, 0.5, 2) for value in ratio
        ),
    }
    table: dict[str, pd.Series] = {}
    for name in columns:
        table |= {f"{name} (ours)": mean[name], f"{name} (theirs)": known[name]}
    for name in ("unpruned", "pessimistic", "single"):
        table[f"{name} nodes (ours)"] = nodes[name]
        table[f"{name} nodes (theirs)"] = known[f"{name} nodes"]
    why = (
        f"Unpruned less single, paired over folds: {in_words(better)}. Our unpruned trees have "
        f"{ratio.min():.2g} to {ratio.max():.2g} times the source's nodes."
    )
    return verdict(parts, pd.DataFrame(table).reset_index(), why)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw errors and sizes against the threshold, table 5.2 hollow at 0.8."""
    return draw_error_and_nodes(
        frame,
        sources.TREES,
        against="threshold",
        label="agreement above",
        methods=METHODS,
        levels={"bagging": ("bagging", colour(3)), "single": ("single", colour(4))},
        columns={"unpruned": "unpruned", "pessimistic": "pessimistic"},
        at=AT,
        size=(3.0, 2.6),
        log_nodes=True,
    )


CLAIM = Claim(
    topic="equivalent-tree",
    stream=13,
    title="One tree equivalent to bagging, sampled",
    sentence=(
        "A tree grown on overlaps of bagged trees that agree to more than 0.8 errs less than a "
        "single pruned tree and more than bagging on cancer (0.0550), liver (0.3077) and diabetes "
        "(0.2495), with thousands of nodes; pruned pessimistically it is little different from a "
        "single pruned tree in error and much smaller on most sets."
    ),
    source=f"{sources.THESIS}, table 5.2 and figures 5.5-5.9",
    rule=(
        "Six parts at threshold 0.8, by 95 % intervals over folds that allow for shared training "
        "rows. On cancer, liver and diabetes the unpruned tree errs "
        "less than a single tree with error-based pruning, and more than bagging. It has more "
        "nodes than the single tree on all five sets. After pessimistic pruning it has fewer than "
        "the single tree on liver, diabetes and cone-torus (on cancer and synthetic the source's "
        f"own table has more), and its error is within {LITTLE} of the single tree's on all. "
        "Mean unpruned sizes are within a factor of 2 of the source's on all five."
    ),
    setup=(
        f"{DATA_NOTE} Ten times 10-fold cross-validation at threshold {AT}, which the rule is "
        "about; once at the others, which are drawn. The tree is made of 20 trees, as section "
        "5.3.2 and figure 5.2 have it; bagging, which it is compared with, has 100. 100,000 "
        "overlaps drawn roughly evenly. Full trees by information gain; the single "
        "tree is pruned by C4.5's rule with exact limits at 0.25. How the source drew overlaps is "
        "not told beyond 'approximately uniformly'. The exact trees of figures 5.3-5.4 are "
        "drawn in docs/source_figures.md."
    ),
    run=run,
    smoke=grid(
        repeat=[0],
        fold_=range(2),
        data=["cancer", "synthetic"],
        threshold=[0.0, AT],
        trees=[5],
        overlaps=[500],
    ),
    full=with_own_sample(grid_of(range(10), (AT,)) + grid_of(range(1), OTHERS)),
    unseeded=["fold_", "threshold"],
    drawn_only={"threshold": OTHERS},
    judge=judge,
    draw=draw,
    findings=(
        "Sizes hang on how overlaps are drawn. With 30,000 overlaps on three folds, trees at 0.8 "
        "have 182 nodes on cancer if drawn evenly, 4362 if drawn around the data, 6264 by volume "
        "(source: 2513); on liver 275, 285 and 176 (1155), on diabetes 226, 554 and 602 (2225). No "
        "one of these ways gives all of the source's sizes. On cancer only 266 of the 30,000 even "
        "draws were agreed on by more than 80 of 100 trees (8,887 around the data)."
    ),
    would_be_right=(
        "'Approximately uniformly' would have to mean a draw that makes trees larger than drawing "
        "every leaf alike does, and on liver and diabetes larger than drawing by volume or around "
        "the data does: what is drawn decides how many nodes a tree has."
    ),
    rule_version=2,
    rule_changes=(
        "The first rule compared means over folds, also of sets that had not been run. It was "
        "tried on 5 of 500 cells, with 100 trees where the source has 20."
    ),
)
