"""Error against lambda, and what happens beyond lambda*."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_MARK, panels
from counterpoint.claims._shared import network_row, with_own_sample
from counterpoint.claims.comparison import compare, paired
from counterpoint.claims.parts import Part, at_least, every, in_share, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.plots.style import colour

SOURCE = sources.LAMBDA_STAR
STAR = 7  # lambda runs over 0/7 .. 7/7 of lambda*, and 8/7
BEYOND = 8
# Nodes, epochs, rate.
SETTINGS = {
    "synthetic": (5, 2500, 0.05),
    "cancer": (10, 7000, 0.00004),
    "liver": (5, 5000, 0.0005),
}
CLOSE = 0.03  # how near our error rates must be
LEAST = 0.005  # a smaller fall of the MSE would not show in the source's figures
# A half is trained on, a half tested; the plane's samples are drawn anew.
OVERLAP = {"synthetic": 0.0, "cancer": 1.0, "liver": 1.0}
RUN = [
    (data, nets) for data in SETTINGS for nets in range(2, 7) if nets == 3 or data == "synthetic"
]


def run(
    *, seed: int, repeat: int, data: str, nets: int, step: int, faster: int, sample: str = ""
) -> dict[str, Any]:
    """Train at one lambda; errors on both halves, or none if training ran away."""
    nodes, epochs, rate = SETTINGS[data]
    return network_row(data, seed, nets, nodes, step / STAR, (epochs // faster, rate), sample)


def judge(frame: pd.DataFrame) -> Verdict:
    """Read trends and explosion off the ensembles of three, and of two to six on synthetic."""
    frame = frame.assign(diverged=frame["diverged"].astype(bool))
    three = frame[frame["nets"] == 3]
    parts: dict[str, Part] = {}
    notes = []
    blown = {
        (data, nets): exploded(frame[(frame["data"] == data) & (frame["nets"] == nets)])
        for data, nets in RUN
    }
    parts["error explodes one step beyond lambda*"] = every(
        in_share(flags, 0.75) for flags in blown.values()
    )
    train, test = {}, {}
    for name in SETTINGS:
        rows = three[three["data"] == name]
        train[name], test[name] = (
            compare(rows, "step", STAR, 0, value, overlap=OVERLAP[name])
            for value in ("train_mse", "test_mse")
        )
        notes.append(f"{name} training {train[name].words}, test {test[name].words}")
    parts["training error falls from 0 to lambda*"] = every(gap.below() for gap in train.values())
    parts["test MSE falls on synthetic"] = test["synthetic"].below(least=LEAST)
    parts["test MSE falls on cancer"] = test["cancer"].below(least=LEAST)
    means = three[three["step"] <= STAR].groupby(["data", "step"])[["test_mse", "test_mcr"]].mean()
    liver = three[three["data"] == "liver"]
    earlier = [
        compare(liver, "step", step, STAR, "test_mse", overlap=OVERLAP["liver"])
        for step in range(STAR)
    ]
    # Seven looks: each by an interval of 95 %, one is enough.
    parts["test MSE on liver is lower before lambda* than at it"] = at_least(
        1, (gap.below() for gap in earlier)
    )
    ours = means.reindex(SOURCE.index)
    spread = three.groupby(["data", "step"])[["test_mse", "test_mcr"]].var().reindex(SOURCE.index)
    near = {}
    for name, step, known in SOURCE["mcr"].reset_index().itertuples(index=False):
        rates = three.loc[(three["data"] == name) & (three["step"] == step), "test_mcr"].to_numpy()
        gap = paired(rates, np.full(len(rates), known), overlap=OVERLAP[name])
        near[f"{name} at {step / STAR:g} lambda*"] = gap.level(CLOSE)
    parts[f"error rates within {CLOSE} of table 4.1"] = every(near.values())
    table = pd.DataFrame(
        {
            "MSE (ours)": ours["test_mse"],
            "MSE (theirs)": SOURCE["mse"],
            "its variance (ours)": spread["test_mse"],
            "its variance (theirs)": SOURCE["mse_variance"],
            "error (ours)": ours["test_mcr"],
            "error (theirs)": SOURCE["mcr"],
            "error's variance (ours)": spread["test_mcr"],
            "error's variance (theirs)": SOURCE["mcr_variance"],
        }
    ).reset_index()
    table.insert(1, "lambda / lambda*", table.pop("step") / STAR)
    why = (
        f"MSE at lambda* less that at 0: {'; '.join(notes)}. Exploded beyond lambda* in "
        f"{sum(map(sum, blown.values()))} of {sum(map(len, blown.values()))} runs; "
        f"error rates near in {share(near)}."
    )
    return verdict(parts, table, why)


def exploded(rows: pd.DataFrame) -> np.ndarray:
    """Return of each repeat whether its training error doubles from lambda* to one step beyond."""
    at = rows.set_index(["repeat", "step"])
    mse, away = at["train_mse"].unstack(), at["diverged"].unstack()
    if BEYOND not in mse or STAR not in mse:
        return np.zeros(0, dtype=bool)
    done = away[BEYOND].notna() & mse[STAR].notna()
    twice = away[BEYOND].eq(True) | (mse[BEYOND] >= 2 * mse[STAR])
    return twice[done].to_numpy(dtype=bool)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figures 4.5 to 4.7: MSE above, error below; table 4.1 hollow."""
    frame = frame[frame["nets"] == 3]
    figure, axes = panels(6, columns=3, size=(3.8, 2.9), sharex=True)
    for k, (measure, words) in enumerate((("mse", "MSE"), ("mcr", "error"))):
        for at, name in enumerate(SETTINGS):
            ax = axes[3 * k + at]
            rows = frame[frame["data"] == name]
            top = 0.0
            for j, part in enumerate(("train", "test")):
                column = rows.groupby("step")[f"{part}_{measure}"]
                mean = column.mean()
                half: pd.Series = 1.96 * column.std() / np.sqrt(column.count())
                x = mean.index / STAR
                ax.plot(x, mean, color=colour(j), marker=".", label=f"{part} (ours)")
                ax.fill_between(
                    x, mean - half, mean + half, color=colour(j), alpha=0.2, linewidth=0
                )
                top = max(top, mean[mean.index <= STAR].max())
            theirs = SOURCE[measure].xs(name)
            ax.plot(theirs.index / STAR, theirs, **THEIRS_MARK, label="source, test")
            ax.axvline(1, color="0.7", linewidth=0.8, zorder=0)
            last = rows[rows["step"] == BEYOND]["diverged"].astype(bool)
            if last.any():
                ax.text(
                    BEYOND / STAR,
                    0.5,
                    f"{last.mean():.0%} of runs diverged",
                    rotation=90,
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=colour(1),
                    transform=ax.get_xaxis_transform(),
                )
            ax.set_xlim(-0.05, 1.22)
            ax.set_ylim(0, 1.25 * max(top, theirs.max()))
            ax.set_ylabel(words)
            if k == 0:
                ax.set_title(name)
            else:
                ax.set_xlabel(r"$\lambda / \lambda^*$")
    axes[0].legend(fontsize=8, frameon=False)
    return figure


CLAIM = Claim(
    topic="lambda-star",
    stream=11,
    title="Error against lambda",
    sentence=(
        "From lambda = 0 to lambda* the training error of three networks falls on the synthetic, "
        "cancer and liver sets; test MSE falls too on synthetic (0.091 to 0.082) and cancer (0.136 "
        "to 0.082), while liver has its lowest before lambda* and ends at 0.211. One step beyond "
        "lambda* the error is huge."
    ),
    source=f"{sources.THESIS}, figures 4.5-4.7 and table 4.1",
    rule=(
        "Six parts, by 95 % intervals over repeats that allow for shared rows. One step (1/7) "
        "beyond lambda*, training ends in a divergence or its MSE is twice that at lambda*, in "
        "more than three repeats of four (Wilson's interval), for every set and 2 to 6 networks. "
        "Training MSE is lower at lambda* than at 0 on all three sets. Test MSE likewise on "
        f"synthetic and cancer; it does not hold if a fall of {LEAST} can be excluded. Test MSE "
        "on liver is lower at some lambda before lambda* than at it. All six test error rates are "
        f"within {CLOSE} of table 4.1."
    ),
    setup=(
        "25 repeats, each a new half of the rows (new samples of 250 and 1000 for the synthetic "
        "set, from Ripley's densities) and a new start; table 4.1 does not say how many. Columns "
        "as they are, weights drawn by Nguyen and Widrow's rule with the range of every column, "
        "gradients a mean over samples: this reading was fixed before it was run. Thousands of "
        "epochs on columns as they are amplify rounding. All cells were run anew with kernels that "
        "add up in another order: of the last 1008, 136 differed, 126 of them on cancer, where one "
        "run that had been stuck at an error of 0.40 came out at 0.07."
    ),
    run=run,
    smoke=grid(repeat=range(2), data=SETTINGS, nets=[3], step=[0, 4, 7, 8], faster=[10]),
    full=with_own_sample(
        [
            row
            for row in grid(
                repeat=range(25),
                data=SETTINGS,
                nets=range(2, 7),
                step=range(BEYOND + 1),
                faster=[1],
            )
            if row["nets"] == 3 or row["data"] == "synthetic"
        ]
    ),
    unseeded=["step"],
    judge=judge,
    draw=draw,
    findings=(
        "With inputs as they are, all six errors and MSEs come near the printed ones: the errors "
        "by 0.015 or less, the MSEs by 0.025. An earlier reading had standardised columns and, "
        "for liver and cancer, rates per sample: networks of 10 units then reach 0.03 on cancer, "
        "as any fair method does, where the thesis has 0.098 to 0.126. What does not come back "
        "with this reading is the explosion one step beyond lambda* on liver and cancer: with "
        "gradients as a mean over samples these rates are too small for it in the epochs given; "
        "on the synthetic set it is there in every run. Halves of one table share so many rows "
        "that intervals on liver and cancer are wide: most parts stay open at the source's own "
        "size."
    ),
    would_be_right=(
        "Steps on liver and cancer would have to be many times longer than told. By equation 4.19 "
        "the distance of members from their mean grows, one step beyond lambda*, to 57 million "
        "times what it was on the synthetic set in the epochs given, but to 1.4 times on liver and "
        "to 1.04 times on cancer. Gradients summed over samples would do, but training with such "
        "steps gives errors below lambda* that are not the printed ones (0.03 on cancer)."
    ),
    run_version=2,
    rule_version=2,
    rule_changes=(
        "In the first rule two parts were means without an interval, and no interval allowed "
        "for shared rows. The rows had been seen."
    ),
)
