"""Hyperboxes from the overlaps of bagged trees."""

import math
import textwrap
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import panels, shared_legend
from counterpoint.claims._shared import (
    DATA_NOTE,
    PLANE,
    REAL,
    bagged_trees,
    error,
    thesis_fold,
    with_own_sample,
)
from counterpoint.claims.comparison import TEN_FOLDS, Paired, by_set, compare, in_words
from counterpoint.claims.parts import at_least, every, lower, negated, share, within
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.hyperboxes import HyperboxClassifier, HyperboxEnsembleClassifier
from counterpoint.plots.style import colour

THRESHOLDS = (0.0, 0.6, 0.7, 0.8, 0.9)
SURE = (0.6, 0.7, 0.8)
SETS = (*REAL, *PLANE)
# Names as in the source's figures where it has some: number of trees, then options.
FROM_TREES: dict[str, tuple[int, dict[str, Any]]] = {
    "ds1000": (20, {"boxes": "largest", "agglomerate": False}),
    "merged, 20 trees": (20, {"boxes": "largest"}),
    "merged, 10 trees": (10, {"boxes": "largest"}),
    "dsdat": (20, {"boxes": "data", "agglomerate": False}),
    "softdat": (20, {"boxes": "data", "agglomerate": False, "weighting": "certainty"}),
}
METHODS = [*FROM_TREES, "basicgf", "bagging"]
# The same merging for boxes of trees as for boxes learned from the data.
MERGING: dict[str, Any] = {"theta": 0.3, "similarity": "mid-max", "min_similarity": 0.5}
LARGE, LEVEL = 0.02, 0.03
UNIT = ["repeat", "fold_"]


def run(
    *, seed: int, repeat: int, fold_: int, data: str, method: str, boxes: int, sample: str = ""
) -> list[dict[str, Any]]:
    """Fit one method on one fold, at all thresholds if it has one."""
    X, y, X_new, y_new = thesis_fold(data, fold_, seed, sample)
    start = seed + fold_
    if method == "bagging":
        wrong = error(bagged_trees(100, start).fit(X, y), X_new, y_new)
        return [{"threshold": math.nan, "error": wrong, "boxes_": math.nan}]
    if method == "basicgf":
        model = HyperboxClassifier(learning="agglomerative", **MERGING).fit(X, y)
        wrong = error(model, X_new, y_new)
        return [{"threshold": math.nan, "error": wrong, "boxes_": model.n_boxes_}]
    trees, options = FROM_TREES[method]
    ensemble = bagged_trees(trees, start).fit(X, y)
    rows = []
    for threshold in THRESHOLDS:
        made = HyperboxEnsembleClassifier(
            ensemble, n_boxes=boxes, threshold=threshold, random_state=start, **options, **MERGING
        )
        row = {"threshold": threshold, "error": math.nan, "boxes_": 0}
        try:
            made.fit(X, y)
            row |= {"error": error(made, X_new, y_new), "boxes_": made.n_boxes_}
        except ValueError as none_left:
            if "leaves none of" not in str(none_left):
                raise
        rows.append(row)
    return rows


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare boxes of trees with boxes of data and bagging, paired over folds."""
    sets = list(SETS)
    # A run cut short has not all of it: what is missing is NaN, and open.
    pairs = pd.MultiIndex.from_product([sets, METHODS], names=["data", "method"])
    errors, counts = (
        frame.pivot_table(index=["data", "method"], columns="threshold", values=value).reindex(
            index=pairs, columns=list(THRESHOLDS)
        )
        for value in ("error", "boxes_")
    )
    flat = frame.groupby(["data", "method"])["error"].mean().unstack()
    flat = flat.reindex(index=sets, columns=METHODS)
    sure = errors[list(SURE)].mean(axis=1).unstack().reindex(sets)
    ds, basic, bagging = sure["ds1000"], flat["basicgf"], flat["bagging"]
    known = frame[frame["threshold"].isin(SURE) | frame["method"].isin(["basicgf", "bagging"])]
    gain = by_set(known, sets, "ds1000", "basicgf")
    behind = by_set(known, ["diabetes"], "ds1000", "bagging")["diabetes"]
    careful = {name: _careful(frame, name).below() for name in sets}
    steady = {name: _steadier(frame, name).below() for name in sets}
    merged = counts.xs("merged, 20 trees", level="method")
    four = 0.8 * len(sets)
    parts = {
        "sampled boxes beat GFMM from data on liver": gain["liver"].below(),
        f"by {LARGE} or more on diabetes": gain["diabetes"].lower_by(LARGE),
        f"where they are within {LEVEL} of bagging": negated(behind.higher_by(LEVEL)),
        f"on sets in the plane they are within {LEVEL} of GFMM from data": every(
            gain[name].level(LEVEL) for name in PLANE
        ),
        "leaving out boxes in doubt lowers the error on four sets of five": at_least(
            four, careful.values()
        ),
        "certainty as weight lessens the effect of the threshold on four sets of five": at_least(
            four, steady.values()
        ),
        "merging makes fewer boxes at 0.8 than at 0 on sets in the plane": every(
            lower(merged[0.8][name], merged[0.0][name]) for name in PLANE
        ),
        "on real sets merging leaves at least half of the boxes": every(
            within(merged[0.0][name], low=500) for name in REAL
        ),
    }
    table = {
        "theirs": pd.Series({name: sources.SAMPLED_HYPERBOXES[name] for name in sets}),
        "boxes of trees (ds1000, 0.6-0.8) (ours)": ds,
        "GFMM from data (ours)": basic,
        "bagging (ours)": bagging,
        "boxes with data (dsdat) (ours)": sure["dsdat"],
        "weighted boxes (softdat) (ours)": sure["softdat"],
        "merged boxes (20 trees) (ours)": sure["merged, 20 trees"],
        "number of merged boxes at 0 (ours)": merged[0.0],
        "number of merged boxes at 0.8 (ours)": merged[0.8],
    }
    ours = pd.DataFrame(table, index=pd.Index(sets, name="data")).reset_index()
    why = (
        f"Error of sampled boxes less GFMM from data, paired over folds: {in_words(gain)}. "
        f"A threshold helps on {share(careful)}, weights steady on {share(steady)}."
    )
    return verdict(parts, ours, why)


def _careful(frame: pd.DataFrame, data: str) -> Paired:
    """Compare boxes that trees agree on with all boxes, by fold."""
    here = frame[(frame["data"] == data) & (frame["method"] == "ds1000")]
    kind = here["threshold"].map(lambda t: "all" if t == 0 else "sure" if t in SURE else "other")
    return compare(
        here.assign(kind=kind), "kind", "sure", "all", "error", unit=UNIT, overlap=TEN_FOLDS
    )


def _steadier(frame: pd.DataFrame, data: str) -> Paired:
    """Compare how far the error spans over the thresholds, weighted and not, by fold."""
    here = frame[(frame["data"] == data) & frame["method"].isin(["softdat", "dsdat"])]
    span = here.groupby([*UNIT, "method"])["error"].agg(lambda e: e.max() - e.min())
    rows = span.rename("span").reset_index()
    return compare(rows, "method", "softdat", "dsdat", "span", unit=UNIT, overlap=TEN_FOLDS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw error against threshold, and numbers of boxes after merging."""
    figure, axes = panels(6, columns=3, size=(3.8, 3.0))
    for ax, name in zip(axes, SETS, strict=False):
        rows = frame[frame["data"] == name]
        for j, method in enumerate(FROM_TREES):
            mean = rows[rows["method"] == method].groupby("threshold")["error"].mean()
            ax.plot(mean.index, mean, color=colour(j), marker=".", label=method)
        for method, grey in (("basicgf", "0.2"), ("bagging", "0.65")):
            ours = rows[rows["method"] == method]["error"].mean()
            ax.axhline(ours, color=grey, linewidth=1.2, label=method)
        words = textwrap.fill(f"source: {sources.SAMPLED_HYPERBOXES[name]}", 48)
        ax.set_title(f"{name}\n{words}", fontsize=8)
        ax.set_xlabel("agreement above")
        ax.set_ylabel("error")
    shared_legend(figure, axes[:-1])
    last = axes[-1]
    rows = frame[frame["method"] == "merged, 20 trees"]
    for j, name in enumerate(SETS):
        mean = rows[rows["data"] == name].groupby("threshold")["boxes_"].mean()
        last.plot(mean.index, mean, color=colour(j), marker=".", label=name)
    last.axhline(1000, color="black", linestyle="--", linewidth=1, label="source, real sets: ~1000")
    last.set(xlabel="agreement above", ylabel="boxes after merging", ylim=(0, None))
    last.legend(fontsize=7, frameon=False)
    return figure


CLAIM = Claim(
    topic="sampled-hyperboxes",
    stream=15,
    title="Hyperboxes sampled from bagged trees",
    sentence=(
        "GFMM models of 1000 boxes sampled from 20 bagged trees improve on GFMM from the data on "
        "liver, greatly on diabetes where they reach bagging, and are as good in the plane. Boxes "
        "the trees agree on are better than all boxes; weighting by certainty removes the "
        "dependence on the threshold. Merging leaves about 1000 boxes except in the plane, where "
        "a high threshold makes compact models."
    ),
    source=f"{sources.THESIS}, figures 5.26-5.36 (pictures without numbers) and section 5.3.2",
    rule=(
        "Eight parts, errors by 95 % intervals over folds that allow for shared training rows, "
        "numbers of boxes by means; sampled boxes at thresholds 0.6 to 0.8. They err less "
        f"than GFMM from data on liver; by at least {LARGE} on diabetes; there within {LEVEL} of "
        f"bagging or better; in the plane within {LEVEL} of GFMM from data. They err less than "
        "without threshold on four sets of five. Over the thresholds the error of weighted boxes "
        "with data spans less than that of unweighted ones on four of five. Merged boxes in the "
        "plane are fewer at 0.8 than at 0; on real sets at threshold 0 at least 500 of 1000 are "
        "left."
    ),
    setup=(
        f"{DATA_NOTE} Ten times 10-fold cross-validation. The 1000 largest of "
        "10,000 sampled overlaps (the source says of a much larger sample). Sizes and similarities "
        "for merging are not told: theta 0.3, mid-max at 0.5, for boxes of trees and of data. "
        "Bagging has 100 trees."
    ),
    run=run,
    smoke=grid(repeat=[0], fold_=range(2), data=["synthetic"], method=METHODS, boxes=[100]),
    full=with_own_sample(
        grid(repeat=range(10), fold_=range(10), data=SETS, method=METHODS, boxes=[1000])
    ),
    unseeded=["fold_", "method"],
    judge=judge,
    draw=draw,
    findings=(
        "On the folds that were run, the part that is missed is missed in favour of the claim: on "
        "cone-torus boxes of trees err about 0.04 less than GFMM from data, where the source sees "
        "no particular advantage. On cancer they err more, where the source calls them good "
        "without a number."
    ),
    rule_version=2,
    rule_changes=(
        "The first rule compared means over folds. Changed after 297 of 1750 cells had been seen."
    ),
)
