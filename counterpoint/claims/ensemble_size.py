"""AdaBoost.NC and AdaBoost over the number of members."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import (
    NOT_SHIPPED,
    RESAMPLED,
    make_adaboost_nc,
    nc_overlap,
    nc_split,
    without_what_is_missing,
)
from counterpoint.claims.comparison import Paired, compare
from counterpoint.claims.parts import Part, every, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import Ask, what_is_open
from counterpoint.plots.style import colour

SOURCE = sources.ADABOOST_NC.loc[without_what_is_missing(sources.ADABOOST_NC.index)]
SIZES = (5, 9, 15, 21, 31, 41, 51, 71, 101, 151, 201)
FEW, MANY = 21, 51
STABLE = 0.1  # of the error: less is "a similar level", and no change to speak of


def run(*, seed: int, repeat: int, data: str, lam: int, largest: int) -> list[dict[str, Any]]:
    """Boost once to the largest size; return the test error of each size on the way."""
    A, B, y_train, y_test = nc_split(data, seed)
    model = make_adaboost_nc(lam, largest, seed).fit(A, y_train)
    errors = [float(np.mean(labels != y_test)) for labels in model.staged_predict(B)]
    # Training may end early; what it had then is what it would keep.
    return [
        {"size": size, "test_error": errors[min(size, len(errors)) - 1]}
        for size in SIZES
        if size <= largest
    ]


def _at_best_lambda(frame: pd.DataFrame) -> pd.DataFrame:
    """Return errors of AdaBoost and AdaBoost.NC by data, repeat and size, lambda chosen at 9.

    Lambda is chosen on the other half of the repeats; those of a run cut short are whole ones.
    """
    rows = []
    for data, part in frame.groupby("data", sort=False):
        at_nine = part[part["size"] == 9].pivot_table(
            index="repeat", columns="lam", values="test_error"
        )
        at_nine = at_nine.dropna()
        half = np.arange(len(at_nine)) % 2
        rivals = at_nine.drop(columns=0, errors="ignore")
        if rivals.empty or 0 not in at_nine:
            continue
        for k in (0, 1):
            chosen_on = half != k if (half != k).any() else half == k
            best = rivals[chosen_on].mean().idxmin()
            judged = part[part["repeat"].isin(at_nine.index[half == k])]
            for lam, method in ((0, "adaboost"), (best, "nc")):
                here = judged.loc[judged["lam"] == lam, ["repeat", "size", "test_error"]]
                rows.append(here.assign(data=data, method=method))
    columns = ["repeat", "size", "test_error", "data", "method"]
    return pd.concat(rows) if rows else pd.DataFrame(columns=columns)


def _over_sizes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors of AdaBoost and AdaBoost.NC by data and size."""
    wide = _at_best_lambda(frame).pivot_table(
        index=["data", "size"], columns="method", values="test_error", sort=False
    )
    return wide.reset_index().sort_values(["data", "size"], ignore_index=True)


def judge(frame: pd.DataFrame) -> Verdict:
    """Read the four sentences of the paper off the repeats, set by set."""
    errors = _at_best_lambda(frame)
    parts: dict[str, Part] = {}
    notes: dict[str, str] = {}
    settled: dict[str, Part] = {}
    drift: dict[str, Paired] = {}
    rows = []
    for data in SOURCE.index:
        here = errors[errors["data"] == data]
        overlap = nc_overlap(data)
        early = _lead(here[here["size"] <= FEW], overlap)
        late = _lead(here[here["size"] >= MANY], overlap)
        for method, name in (("adaboost", "AdaBoost"), ("nc", "AdaBoost.NC")):
            of_method = here[here["method"] == method]
            base = of_method["test_error"].mean()
            grown = compare(of_method, "size", max(SIZES), MANY, "test_error", overlap=overlap)
            # In shares of the error, so that one limit is right for all.
            drift[f"{name} on {data}"] = grown.times(1 / base if base > 0 else math.nan)
            settled[f"{name} on {data}"] = _stable(drift[f"{name} on {data}"])
        base = here.loc[here["method"] == "adaboost", "test_error"].mean()
        theirs = SOURCE["over_size"][data]
        asked: list[tuple[str, Paired, Ask]] = []
        if "up to 21" in theirs or "throughout" in theirs:
            asked.append((f"ahead up to {FEW} on {data}", early, Paired.below))
        if "throughout" in theirs:
            asked.append((f"ahead from {MANY} on, on {data}", late, Paired.below))
        if "level" in theirs:
            share_of = late.times(1 / base if base > 0 else math.nan)
            asked.append((f"level from {MANY} on, on {data}", share_of, _stable))
        for name, gap, ask in asked:
            parts[name] = ask(gap)
            notes[name] = what_is_open({data: gap}, ask, "repeats")
        rows.append(
            {"data": data, "theirs": theirs, "repeats": here["repeat"].nunique(), "error": base}
            | {
                f"AdaBoost.NC less AdaBoost, up to {FEW} (ours)": early.difference,
                "p early": early.p,
            }
            | {f"AdaBoost.NC less AdaBoost, from {MANY} (ours)": late.difference, "p late": late.p}
        )
    last = f"neither changes from {MANY} to {max(SIZES)}"
    parts[last] = every(settled.values())
    notes[last] = what_is_open(drift, _stable, "repeats")
    table = pd.DataFrame(rows)
    why = (
        f"Parts of the paper's sentences: {share(parts)}. Changes from {MANY} to {max(SIZES)} "
        f"members within {STABLE:.0%} of the error: {share(settled)}."
    )
    return verdict(parts, table[table["repeats"] > 0], why, notes)


def _stable(gap: Paired) -> Part:
    """Return whether a change, in shares of the error, is none to speak of."""
    return gap.level(STABLE)


def _lead(rows: pd.DataFrame, overlap: float) -> Paired:
    """Compare AdaBoost.NC with AdaBoost over the sizes given, paired over repeats."""
    return compare(rows, "method", "nc", "adaboost", "test_error", overlap=overlap)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figure 4: rows missed against the number of members."""
    curves = _over_sizes(frame)
    data = [name for name in SOURCE.index if name in set(curves["data"])]
    figure, axes = panels(len(data), columns=3)
    for ax, name in zip(axes, data, strict=True):
        here = curves[curves["data"] == name]
        for k, (method, label) in enumerate((("adaboost", "AdaBoost"), ("nc", "AdaBoost.NC"))):
            missed = SOURCE.loc[name, "n_test"] * here[method]
            ax.plot(here["size"], missed, "o-", color=colour(k), markersize=3, label=label)
        ax.axvspan(41, 51, color="0.9", zorder=0)
        ax.axvline(21, color="black", linestyle="--", linewidth=1)
        theirs = SOURCE.loc[name, "over_size"]
        ax.set(title=name, xlabel="Members", ylabel="Test rows missed")
        ax.annotate(
            f"Source: {theirs}" if theirs else "",
            (0.98, 0.98),
            xycoords="axes fraction",
            ha="right",
            va="top",
            fontsize="x-small",
        )
    axes[0].legend(frameon=False, fontsize="x-small")
    return figure


CLAIM = Claim(
    topic="ensemble-size",
    stream=6,
    title="AdaBoost.NC's lead over the number of members",
    sentence=(
        "From 5 to 201 trees, neither AdaBoost nor AdaBoost.NC overfits; both are stable from "
        "41 to 51 on. AdaBoost.NC's lead is largest up to 21 members (sonar, ionosphere, breast-w, "
        "german); on pima and hypothyroid it stays."
    ),
    source=f"{sources.WANG_AND_YAO}, figure 4.",
    rule=(
        "The paper's own sentences, set by set, each by the 95 % interval over repeats that allows "
        "for shared training rows. AdaBoost.NC errs less than AdaBoost over the sizes up to 21 on "
        "sonar, ionosphere, breast-w, German credit, pima and hypothyroid; over those from 51 on "
        "it still does on pima and hypothyroid, and is level (within a tenth of the error) on crx, "
        "breast-w and German credit. On no set does either method change by more than a tenth of "
        "its error from 51 to 201 members."
    ),
    setup=(
        f"{NOT_SHIPPED}The paper takes the best lambda of its figure 3; here it is the best of 2, "
        "4 and 9 at nine members, chosen on one half of the repeats and judged on the other. One "
        f"run to 201 members gives all sizes. {RESAMPLED}The grey band is 41 to 51, the dashed "
        "line 21."
    ),
    run=run,
    smoke=grid(repeat=range(2), data=["sonar"], lam=[0, 2], largest=[71]),
    full=grid(repeat=range(30), data=SOURCE.index, lam=[0, 2, 4, 9], largest=[201]),
    unseeded=["lam"],
    judge=judge,
    draw=draw,
    rule_version=2,
    rule_changes=(
        "The first rule asked for a lead up to 21 on average and on two thirds of the sets, and "
        "for means without an interval; a lead that turned into a loss of several per cent later "
        "was counted as reproduced. Changed after 316 of 1080 cells had been seen."
    ),
)
