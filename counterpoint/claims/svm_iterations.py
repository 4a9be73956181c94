"""Training accuracy of NCAB-SVM against the number of iterations."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.boosting import NCABSVMClassifier
from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims.comparison import TEN_FOLDS, Paired, compare
from counterpoint.claims.parts import Part
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.svm_boosting import N_FOLDS, split
from counterpoint.plots.style import colour

SETS = ("ionosphere", "soybean-large")
STEPS = (8.0, 4.0, 2.0, 1.0, 0.5)  # of log2 of the width: 5, 10, 20, 40 and 80 iterations
SPAN = 40
ENOUGH, LITTLE = 20, 0.01
UNIT = ["repeat", "fold"]
ALWAYS, REJECTED = "always", "on-rejection"
READINGS = {ALWAYS: "always", REJECTED: "on rejection"}


def run(
    *, seed: int, repeat: int, fold: int, data: str, step: float, narrow: str = ALWAYS
) -> dict[str, Any]:
    """Boost once, as many iterations as widths; return the accuracy on the rows trained on."""
    A, B, y_train, y_test = split(data, fold, seed)
    model = NCABSVMClassifier(
        n_estimators=round(SPAN / step), log2_width_step=step, narrow=narrow, calibrate=False
    ).fit(A, y_train)
    return {
        "iterations": round(SPAN / step),
        "members": len(model.estimators_),
        "training_accuracy": float(np.mean(model.predict(A) == y_train)),
        "test_accuracy": float(np.mean(model.predict(B) == y_test)),
    }


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare few iterations with 20, and 20 with more, set by set and by both readings."""
    frame = _by_reading(frame)
    parts: dict[str, Part] = {}
    words = []
    for narrow, reading in READINGS.items():
        for data in SETS:
            here = frame[(frame["narrows"] == narrow) & (frame["data"] == data)]
            rises, more = _gap(here, ENOUGH, 5), _gap(here, 80, ENOUGH)
            parts[f"accuracy rises from 5 to 20 iterations on {data} ({reading})"] = rises.above()
            parts[f"and is stable from 20 on, on {data} ({reading})"] = more.level(LITTLE)
            words.append(
                f"{data}, narrowing {reading}: 20 less 5 iterations {rises.words}, 80 less 20 "
                f"{more.words}"
            )
    table = frame.groupby(["narrows", "data", "iterations"])[
        ["training_accuracy", "test_accuracy", "members"]
    ].mean()
    table = table.add_suffix(" (ours)").reset_index()
    table["theirs"] = np.where(table["iterations"] < ENOUGH, "rising", "stable")
    return verdict(parts, table, f"Training accuracy, {'; '.join(words)}.")


def _by_reading(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows that say when the kernel narrowed; in cells that do not say, it always did."""
    said = frame["narrow"] if "narrow" in frame else pd.Series(np.nan, frame.index, dtype=object)
    return frame.assign(narrows=said.fillna(ALWAYS))


def _gap(frame: pd.DataFrame, first: int, second: int) -> Paired:
    return compare(
        frame, "iterations", first, second, "training_accuracy", unit=UNIT, overlap=TEN_FOLDS
    )


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figure 1: training accuracy against iterations; test accuracy dotted."""
    frame = _by_reading(frame)
    shown = [
        (READINGS[str(narrow)], data, rows)
        for (narrow, data), rows in frame.groupby(["narrows", "data"], sort=False)
    ]
    figure, axes = panels(len(shown), columns=2, size=(4.2, 3.2))
    for ax, (reading, data, rows) in zip(axes, shown, strict=True):
        mean = rows.groupby("iterations").mean(numeric_only=True)
        ax.plot(mean.index, mean["training_accuracy"], "o-", color=colour(0), label="training rows")
        ax.plot(mean.index, mean["test_accuracy"], "o:", color=colour(1), label="test rows")
        ax.axvline(ENOUGH, color="black", linestyle="--", linewidth=1)
        ax.set(title=f"{data}, narrowing {reading}", xlabel="iterations", ylabel="accuracy")
        ax.legend(frameon=False, fontsize="small")
    figure.suptitle("Dashed: from here on the source finds it stable", fontsize="medium")
    return figure


CLAIM = Claim(
    topic="svm-iterations",
    stream=18,
    title="Training accuracy of NCAB-SVM against iterations",
    sentence=(
        "On ionosphere and soybean the training accuracy of NCAB-SVM rises with the number of "
        "iterations, which the step of the kernel's width decides, and is stable at 20."
    ),
    source=f"{sources.HONG}, section 3.1 and figure 1.",
    rule=(
        "Two parts a set for either reading of when the kernel narrows, by 95 % intervals over "
        "folds that allow for shared training rows: training accuracy is higher with 20 iterations "
        "than with 5; with 80 it is within a point of that with 20."
    ),
    setup=(
        "Ten-fold cross-validation, three times; steps of 8, 4, 2, 1 and 0.5 from 20 down to -20 "
        "make 5 to 80 iterations. Where the kernel always narrows, there is one for each width, as "
        "section 3.1 has it; where it narrows when a member is rejected, as step 7 has it, there "
        "are at most as many. C and coding as in svm-boosting."
    ),
    run=run,
    smoke=grid(
        repeat=[0],
        fold=range(2),
        data=["ionosphere"],
        step=[8.0, 4.0],
        narrow=[ALWAYS, REJECTED],
    ),
    # Cells that always narrow do not say so: they were there first, and keep their names.
    full=[
        row | more
        for more in ({}, {"narrow": REJECTED})
        for row in grid(repeat=range(3), fold=range(N_FOLDS), data=SETS, step=STEPS)
    ],
    unseeded=["fold", "step", "narrow"],
    judge=judge,
    draw=draw,
    findings=(
        "On four folds of ionosphere, narrowing on rejection: the first member has the widest "
        "kernel, 2^20; the next are rejected down to 2^4 to 2^5.5, and from there on nothing is "
        "rejected any more, so that all later members have this one width. With a step of 0.5, 77 "
        "to 79 of 80 members say one class only on three of the folds, and 40 on the fourth; with "
        "a step of 2, 9 or 10 of 20. Members that say nothing of the rows turn the vote about, "
        "which is why accuracy falls by 5 points from 20 to 80 iterations. Narrowing always, 3 to "
        "6 members of all widths are accepted, whatever their number: there is nothing that 80 "
        "widths could add to 20, and which few are accepted moves the accuracy on ionosphere from "
        "0.94 to 1."
    ),
    would_be_right=(
        "A member that says one class only would have to be rejected, or its width narrowed, so "
        "that later iterations find members of other widths; and more than a few of the widths "
        "would have to be accepted. On soybean, where members differ by more than one class, the "
        "source's picture is there by either reading, though the intervals are too wide for a "
        "point."
    ),
    rule_version=2,
    rule_changes=(
        "The first rule had one reading of when the kernel narrows, the source supports two. "
        "Changed after all rows of that reading had been seen, before any of the other."
    ),
)
