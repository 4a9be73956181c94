"""Merged trees: error and size against the number of trees."""

import math
from collections.abc import Sequence
from typing import Any

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
from counterpoint.claims.comparison import Paired, by_set, in_words
from counterpoint.claims.parts import at_least, every, most, negated, share, within
from counterpoint.claims.protocol import Claim, Scalar, Verdict, grid, verdict
from counterpoint.trees import MergedTreeClassifier, PrunedTreeClassifier

Gaps = dict[str, Paired]
SIZES = (3, 5, 7, 10, 15, 21)
MOST = 21
# How trees are made different, by which criterion they are merged. "N" corrects by the mean of the
# subtrees; the source's error-based limit is that of Chen, Zhou and Aravena.
MERGED: dict[str, dict[str, Any]] = {
    "bootstrap, pess": {"criterion": "pessimistic", "corrected": False},
    "bootstrap, pessN": {"criterion": "pessimistic"},
    "bases, pess": {"criterion": "pessimistic", "corrected": False, "diversify": "bases"},
    "bases, pessN": {"criterion": "pessimistic", "diversify": "bases"},
    "bootstrap, errb": {"limit": "chen"},
    "bases, errb": {"limit": "chen", "diversify": "bases"},
    "bootstrap, errb exact": {},
    "features, pessN": {"criterion": "pessimistic", "diversify": "features"},
}
SINGLE: dict[str, dict[str, Any]] = {
    "single, pess": {"criterion": "pessimistic"},
    "single, errb": {"limit": "chen"},
    "single, errb exact": {},
}
# Which of our methods stands beside which column of it.
OURS = {"errb": "bootstrap, errb", "pessN": "bootstrap, pessN", "single": "single, errb"}


def run(
    *, seed: int, repeat: int, fold_: int, data: str, method: str, trees: int, sample: str = ""
) -> dict[str, Any]:
    """Fit one method on one fold."""
    X, y, X_new, y_new = thesis_fold(data, fold_, seed, sample)
    start = seed + fold_
    if method == "bagging":
        model = bagged_trees(trees, start).fit(X, y)
        return {"error": error(model, X_new, y_new), "nodes": math.nan}
    grown: dict[str, Any] = {"min_samples_leaf": 1, "random_state": start}
    if method in SINGLE:
        single = PrunedTreeClassifier(**SINGLE[method], **grown).fit(X, y)
        return {"error": error(single, X_new, y_new), "nodes": 2 * single.get_n_leaves() - 1}
    merged = MergedTreeClassifier(trees, **MERGED[method], **grown).fit(X, y)
    return {"error": error(merged, X_new, y_new), "nodes": 2 * merged.n_leaves_ - 1}


def grid_of(
    repeats: range, folds: range, sets: list[str], sizes: tuple[int, ...]
) -> list[dict[str, Scalar]]:
    """Return the folds; all methods share them, and the starts."""
    made: list[dict[str, Scalar]] = []
    for row in grid(repeat=repeats, fold_=folds, data=sets):
        alone: list[dict[str, Scalar]] = [{"method": method, "trees": 1} for method in SINGLE]
        merged: list[dict[str, Scalar]] = [
            {"method": method, "trees": n}
            for method in MERGED
            for n in sizes
            # Subsets of the columns only where there are many, as in the source.
            if not method.startswith("features") or row["data"] == "cancer"
        ]
        bagging: dict[str, Scalar] = {"method": "bagging", "trees": 100}
        made += [row | one for one in [*merged, *alone, bagging]]
    return made


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare merged trees of 21 with single ones and bagging, paired over folds."""
    here = frame[~frame["method"].isin(MERGED) | (frame["trees"] == MOST)]
    sets = list(sources.TREES.index)
    known = sources.TREES.loc[sets]
    mean, nodes = means_by_set(here, sets, [*MERGED, *SINGLE, "bagging"])

    def each(first: str, second: str, value: str = "error", on: Sequence[str] = sets) -> Gaps:
        return by_set(here, on, first, second, value)

    good = each("bootstrap, errb", "single, errb")
    errs_less = {name: gap.below() for name, gap in good.items()}
    small = each("bootstrap, errb", "single, errb", "nodes")
    no_larger = {name: negated(gap.above()) for name, gap in small.items()}
    corrected = each("bootstrap, pessN", "bootstrap, pess")
    leaner = each("bootstrap, pessN", "bootstrap, pess", "nodes")
    wider = each("bases, pessN", "bootstrap, pessN", "nodes")
    thin = each("bootstrap, pessN", "single, pess", "nodes")
    gained = each("bootstrap, pessN", "single, pess", on=REAL)
    behind = each("bootstrap, pessN", "bagging", on=REAL)
    ratio = nodes["bootstrap, errb"] / known["errb nodes"]
    four = 0.8 * len(sets)
    parts = {
        "error-based merging errs less than the single tree on every set": every(
            errs_less.values()
        ),
        "and is no larger on every set": every(no_larger.values()),
        "the correction lowers the error of pessimistic merging on four sets of five": at_least(
            four, (gap.below() for gap in corrected.values())
        ),
        "and the size on all": every(gap.below() for gap in leaner.values()),
        "pessimistic merging errs less than the single tree on the real sets": every(
            gap.below() for gap in gained.values()
        ),
        "and is no larger than it on most sets": most(
            negated(gap.above()) for gap in thin.values()
        ),
        "and errs more than bagging on the real sets": every(
            gap.above() for gap in behind.values()
        ),
        "random bases make larger trees than bootstrap on four sets of five": at_least(
            four, (gap.above() for gap in wider.values())
        ),
        "error-based sizes are within a factor of 2 on four sets of five": at_least(
            four, (within(value, 0.5, 2) for value in ratio)
        ),
    }
    table = {}
    for theirs, ours in OURS.items():
        table[f"{theirs} (ours)"] = mean[ours]
        table[f"{theirs} (theirs)"] = known[theirs]
        table[f"{theirs} nodes (ours)"] = nodes[ours]
        table[f"{theirs} nodes (theirs)"] = known[f"{theirs} nodes"]
    table |= {"bagging (ours)": mean["bagging"], "bagging (theirs)": known["bagging"]}
    for name in ("bootstrap, errb exact", "single, errb exact"):
        table |= {f"{name} (ours)": mean[name], f"{name} nodes (ours)": nodes[name]}
    why = (
        f"Error-based merging less the single tree, paired over folds: {in_words(good)}. It errs "
        f"less on {share(errs_less)}, is no larger on {share(no_larger)}."
    )
    return verdict(parts, pd.DataFrame(table).reset_index(), why)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw error and nodes against trees merged; table 5.3 hollow at 21."""
    return draw_error_and_nodes(
        frame,
        sources.TREES,
        against="trees",
        label="trees merged",
        methods=[name for name in MERGED if not name.endswith("exact")],
        levels={"single, errb": ("single", "0.2"), "bagging": ("bagging", "0.65")},
        columns={ours: theirs for theirs, ours in OURS.items()},
        at=MOST,
        size=(3.2, 2.7),
    )


CLAIM = Claim(
    topic="merged-trees",
    stream=14,
    title="Merged trees",
    sentence=(
        "21 bootstrap trees merged by the corrected error-based criterion into one tree err less "
        "than a single tree pruned alike, with fewer nodes, on all five sets (diabetes: 0.2509 "
        "with 7.4 nodes against 0.257 with 135). Pessimistic merging needs the correction, beats "
        "single trees on the real sets at no greater size, and stays behind bagging; random bases "
        "make larger trees."
    ),
    source=f"{sources.THESIS}, table 5.3 and figures 5.13-5.23",
    rule=(
        "Nine parts with 21 trees, by 95 % intervals over folds that allow for shared training "
        "rows. Error-based merging errs less than the "
        "single tree pruned by the same criterion on every set; is no larger on every set. "
        "Pessimistic merging of bootstrap trees: the correction lowers its error on four sets of "
        "five, and its size on all; on cancer, liver and diabetes it errs less than a single tree "
        "pruned pessimistically, and more than bagging; it is no larger than that tree on most "
        "sets. Random bases make larger trees than bootstrap on four sets of five (pessimistic, "
        "corrected). Mean error-based sizes are within a factor of 2 of the source's on four of "
        "five. 'No larger' does not hold where the interval is above 0."
    ),
    setup=(
        f"{DATA_NOTE} Ten times 10-fold cross-validation. Full trees by "
        "information gain. What the thesis leaves open in merging is settled in "
        "docs/merged_tree.md; the error-based limit is that of Chen, Zhou and Aravena (delta "
        "0.25), which the source cites, for merged and single trees alike; exact limits are in "
        "the table too. Column subsets on cancer only, not judged."
    ),
    run=run,
    smoke=grid_of(range(1), range(2), ["synthetic"], (3, MOST)),
    full=with_own_sample(grid_of(range(10), range(10), list(sources.TREES.index), SIZES)),
    unseeded=["fold_", "method", "trees"],
    judge=judge,
    draw=draw,
    findings=(
        "The benchmark single_tree ran ten times 10-fold cross-validation on the same five sets. "
        "Chen's limit: merged trees err 6.0, 35.0, 25.6, 11.0 and 16.1 % (cancer, liver, diabetes, "
        "synthetic, cone-torus), single ones 6.7, 33.2, 25.8, 11.0 and 16.3 %, with fewer leaves "
        "on all: better but for liver, and by little. Exact limits: 6.0, 32.7, 24.7, 10.9 and "
        "14.3 % against 6.7, 33.3, 27.5, 11.0 and 15.8 %, fewer leaves on all. So the claim's "
        "direction holds, best with exact limits; pessimistic merging errs less on four of five "
        "but its trees are larger than single ones on all, where most of the source's are smaller."
    ),
    would_be_right=(
        "On liver the error-based limits would have to be less strict than Chen's at 0.25: the "
        "source's merged trees have 33 nodes there, ours with that limit about half of that, and "
        "they err more than single ones; with exact limits they have more nodes and err less, on "
        "all five sets."
    ),
    rule_version=2,
    rule_changes=(
        "The first rule compared means over folds. Changed after 724 of 9440 cells had been seen."
    ),
)
