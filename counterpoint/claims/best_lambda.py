"""AdaBoost.NC at its best lambda against AdaBoost."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.metrics import balanced_accuracy_score

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_LINE, panels
from counterpoint.claims._shared import (
    NOT_SHIPPED,
    RESAMPLED,
    make_adaboost_nc,
    nc_overlap,
    nc_split,
    without_what_is_missing,
)
from counterpoint.claims.comparison import Paired, paired, unpaired
from counterpoint.claims.parts import Part, every, negated, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.plots.style import colour

SOURCE = sources.ADABOOST_NC.loc[without_what_is_missing(sources.ADABOOST_NC.index)]
LEARNERS = ("tree", "network")


def run(
    *, seed: int, repeat: int, data: str, learner: str, n_members: int, largest: int
) -> list[dict[str, float]]:
    """Boost at lambda 0, 1, ... on one split; return the test errors."""
    A, B, y_train, y_test = nc_split(data, seed)
    rows = []
    for lam in range(largest + 1):
        labels = make_adaboost_nc(lam, n_members, seed, learner).fit(A, y_train).predict(B)
        rows.append(
            {
                "lam": lam,
                "test_error": float(np.mean(labels != y_test)),
                "balanced_error": 1 - balanced_accuracy_score(y_test, labels),
            }
        )
    return rows


def cross_fitted(wide: pd.DataFrame) -> pd.Series:
    """Return the error at the best lambda, chosen on the other half of the repeats.

    The best of a dozen is better than any of them by luck alone; a lambda chosen where it is not
    judged has no such luck. ``wide`` has a row per repeat and a column per lambda.
    """
    half = np.arange(len(wide)) % 2
    rivals = wide.drop(columns=0)
    chosen = pd.Series(np.nan, index=wide.index)
    for k in (0, 1):
        if (half != k).any():
            best = rivals[half != k].mean().idxmin()
            chosen[half == k] = rivals.loc[half == k, best]
    return chosen


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare the best lambda, chosen on other repeats, with AdaBoost."""
    table = pd.DataFrame(
        [_row(frame, learner, data) for learner in LEARNERS for data in SOURCE.index]
    )
    larger = table["data"].isin(SOURCE.index[SOURCE["larger"]])
    gaps = table.pop("gap")
    parts: dict[str, Part] = {}
    notes: dict[str, str] = {}
    words = []
    for learner in LEARNERS:
        of_learner = table[table["learner"] == learner]
        over_sets = _over_sets(of_learner["change"])
        better = dict(zip(of_learner["data"], of_learner["lower"], strict=True))
        lower, higher = (
            f"lower error over the sets with {learner}s",
            f"no set with a higher error with {learner}s",
        )
        parts[lower] = over_sets.below()
        parts[higher] = every(negated(part) for part in of_learner["higher"])
        by_set = dict(zip(of_learner["data"], gaps[of_learner.index], strict=True))
        notes[lower] = what_is_open({"over the sets": over_sets}, Paired.below, "sets")
        notes[higher] = what_is_open(by_set, Paired.above, "repeats")
        words.append(f"{learner}s: {over_sets.words} of the error; lower on {share(better)}")
    big, small = table.loc[larger, "change"], table.loc[~larger, "change"]
    more = unpaired(big.to_numpy(), small.to_numpy())
    parts["more on the larger sets"] = None if table["change"].isna().any() else more.below()
    words.append(f"larger sets {100 * big.mean():+.1f} %, smaller {100 * small.mean():+.1f} %")
    return verdict(parts, table[table["repeats"] > 0], f"{'; '.join(words)}.", notes)


def _row(frame: pd.DataFrame, learner: str, data: str) -> dict[str, Any]:
    """Return what the repeats on a set say of the best lambda against 0; NaN if there are none."""
    part = frame[(frame["learner"] == learner) & (frame["data"] == data)]
    wide = part.pivot_table(index="repeat", columns="lam", values="test_error")
    row: dict[str, Any] = {"learner": learner, "data": data, "repeats": len(wide)}
    if len(wide) < 2:  # the best lambda is chosen on other repeats than it is judged by
        return row | {"change": np.nan, "lower": None, "higher": None, "gap": paired([], [])}
    balanced = part.pivot_table(index="repeat", columns="lam", values="balanced_error").mean()
    chosen, base = cross_fitted(wide), wide[0].mean()
    gap = paired(chosen.to_numpy(), wide[0].to_numpy(), overlap=nc_overlap(data))
    best = int(str(wide.drop(columns=0).mean().idxmin()))
    return row | {
        "gap": gap,
        "adaboost": base,
        "nc": chosen.mean(),
        "change": gap.difference / base if base > 0 else np.nan,
        "p": gap.p,
        "lower": gap.below(),
        "higher": gap.above(),
        "best_lam_ours": best,
        "best_lam_theirs": SOURCE.loc[data, f"{learner}_best_lam"],
        "change_in_hindsight": wide[best].mean() / base - 1 if base > 0 else np.nan,
        "balanced_change_in_hindsight": balanced[best] / balanced[0] - 1,
    }


def _over_sets(changes: pd.Series) -> Paired:
    """Compare relative changes with none, a set being a unit; nothing is said if one is missing."""
    if changes.isna().any():
        return paired([], [])
    return paired(changes.to_numpy(), np.zeros(len(changes)))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figure 3: rows missed against lambda, the best one dashed."""
    data = [name for name in SOURCE.index if name in set(frame["data"])]
    figure, axes = panels(len(data), columns=3)
    for ax, name in zip(axes, data, strict=True):
        here = frame[frame["data"] == name]
        for k, learner in enumerate(LEARNERS):
            mean = (
                SOURCE.loc[name, "n_test"]
                * here[here["learner"] == learner].groupby("lam")["test_error"].mean()
            )
            if len(mean):
                ax.plot(mean.index, mean, "o-", color=colour(k), markersize=3, label=learner)
                ax.axhline(mean.iloc[0], color=colour(k), linewidth=0.6, linestyle=":")
            theirs = SOURCE.loc[name, f"{learner}_best_lam"]
            if pd.notna(theirs):
                look = THEIRS_LINE | {"color": colour(k)}
                ax.axvline(theirs + 0.08 * k, **look, label=f"their best, {learner}")
        ax.set(title=name, xlabel="lambda", ylabel="Test rows missed")
        ax.legend(frameon=False, fontsize="x-small")
    return figure


CLAIM = Claim(
    topic="best-lambda",
    stream=5,
    title="The best lambda beats AdaBoost",
    sentence=(
        "With nine members and a proper lambda out of 0 to 12, AdaBoost.NC errs less than "
        "AdaBoost, with C4.5 trees and with networks, above all on the six larger of ten data "
        "sets. The best lambda depends on data and learner: about 4 on crx; on german 2 with "
        "trees, 9 with networks."
    ),
    source=f"{sources.WANG_AND_YAO}, table II and figure 3.",
    rule=(
        "The best lambda is chosen on one half of the repeats and judged on the other, both ways, "
        "so that the best of twelve has no luck. Five parts. With trees, and with networks: the "
        "mean relative change of the error is below 0, by a 95 % interval over the sets; no set "
        "has a higher error, by intervals over repeats that allow for shared training rows. The "
        "six larger sets gain more than the others (Welch's interval over sets)."
    ),
    setup=(
        f"{NOT_SHIPPED}Test sizes of the paper's table II, 30 random splits by class. "
        f"{RESAMPLED}The paper says nothing of its networks: 10 tanh units, 100 epochs of Adam, "
        "weight decay 0.01. Balanced errors stand beside errors, as a large lambda can win by "
        "drifting to the majority class."
    ),
    run=run,
    smoke=grid(
        repeat=range(2), data=["sonar", "pima"], learner=LEARNERS, n_members=[5], largest=[2]
    ),
    full=grid(repeat=range(30), data=SOURCE.index, learner=LEARNERS, n_members=[9], largest=[12]),
    unseeded=["learner"],
    judge=judge,
    draw=draw,
    rule_version=2,
    rule_changes=(
        "The first rule asked for a mean change below 0 and for two thirds of the sets, without "
        "intervals: 52 of 540 cells were enough for it to hold. Changed after these had been "
        "seen."
    ),
)
