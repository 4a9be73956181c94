"""Errors of boosted support vector machines kept apart, and of their rivals."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.ensemble import BaggingClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint.boosting import AdaBoostSVMClassifier, NCABSVMClassifier
from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_MARK, panels
from counterpoint.claims._shared import (
    NOT_SHIPPED,
    encode_rows,
    error,
    rows_and_labels,
    take_fold,
    without_what_is_missing,
)
from counterpoint.claims.comparison import TEN_FOLDS, compare, paired
from counterpoint.claims.memory import remembered
from counterpoint.claims.parts import Part, every, most, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.networks import NCCDClassifier, NegativeCorrelationRegressor
from counterpoint.plots.style import colour

SOURCE = (
    sources.SVM_BOOSTING.set_index("data")
    .pipe(lambda table: table.loc[without_what_is_missing(table.index)])
    .reset_index()
)
SPREADS = sources.SVM_SPREADS
ADA, NCAB = "AdaBoost-SVM", "NCAB-SVM"
METHODS = ["SVM", ADA, "Bagging", "NCCD", NCAB]
N_FOLDS = 10
# The text supports two readings of when the kernel narrows. The names of methods by reading.
ALWAYS = ", narrowing always"
READINGS = {"on rejection": "", "always": ALWAYS}
UNIT = ["repeat", "fold"]


def make_model(method: str, n_members: int, seed: int) -> Any:
    """Return one of the five methods, unfitted; both readings of two of them."""
    narrow = "always" if method.endswith(ALWAYS) else "on-rejection"
    method = method.removesuffix(ALWAYS)
    if method == "SVM":
        return SVC()
    if method == ADA:
        return AdaBoostSVMClassifier(n_estimators=n_members, narrow=narrow, calibrate=False)
    if method == NCAB:
        return NCABSVMClassifier(n_estimators=n_members, narrow=narrow, calibrate=False)
    if method == "Bagging":
        return BaggingClassifier(SVC(), n_estimators=n_members, random_state=seed)
    network = NegativeCorrelationRegressor(1, hidden_layer_sizes=(5,), max_epochs=50)
    return NCCDClassifier(network, n_rounds=20, random_state=seed)


@remembered
def split(data: str, fold: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return training and test rows, standardised, then their labels."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, N_FOLDS, seed)
    A, B = encode_rows(X, train, test)
    scaler = StandardScaler().fit(A)
    return scaler.transform(A), scaler.transform(B), y[train], y[test]


def run(
    *, seed: int, repeat: int, fold: int, data: str, method: str, n_members: int
) -> dict[str, float]:
    """Train one method on nine tenths of a data set, test it on the tenth."""
    A, B, y_train, y_test = split(data, fold, seed)
    model = make_model(method, n_members, seed).fit(A, y_train)
    return {"test_error": error(model, B, y_test), "n_test": len(y_test)}


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare the five methods, and NCAB-SVM with table 1, by both readings."""
    parts: dict[str, Part] = {}
    words, rows = [], []
    for reading, suffix in READINGS.items():
        found, table = _judge_reading(frame, suffix)
        lowest, below, close = found
        parts[f"lowest of all methods on most sets ({reading})"] = most(lowest.values())
        parts[f"below AdaBoost-SVM on most sets ({reading})"] = most(below.values())
        parts[f"near the source's errors on most sets ({reading})"] = most(close.values())
        words.append(
            f"narrowing {reading}: the lowest on {share(lowest)}, below AdaBoost-SVM on "
            f"{share(below)}, near the source's error on {share(close)}"
        )
        rows.append(table.assign(narrows=reading))
    every_row = pd.concat(rows, ignore_index=True)
    every_row.insert(1, "narrows", every_row.pop("narrows"))
    return verdict(
        parts, every_row[every_row["folds"] > 0].reset_index(drop=True), f"{'; '.join(words)}."
    )


def _judge_reading(
    frame: pd.DataFrame, suffix: str
) -> tuple[tuple[dict[str, Part], ...], pd.DataFrame]:
    """Compare by one reading; folds count that all five methods had."""
    names = {method: method + suffix if method in (ADA, NCAB) else method for method in METHODS}
    frame = frame[frame["method"].isin(names.values())]
    whole = frame.groupby(["repeat", "fold", "data"])["method"].transform("nunique")
    frame = frame[whole == len(METHODS)]
    theirs = SOURCE.set_index("data")
    lowest: dict[str, Part] = {}
    below: dict[str, Part] = {}
    close: dict[str, Part] = {}
    rows = []
    for data in theirs.index:
        here = frame[frame["data"] == data]
        gaps = {
            rival: compare(
                here,
                "method",
                names[NCAB],
                names[rival],
                "test_error",
                unit=UNIT,
                overlap=TEN_FOLDS,
            )
            for rival in METHODS
            if rival != NCAB
        }
        lowest[data] = every(gap.below() for gap in gaps.values())
        below[data] = gaps[ADA].below()
        of_ncab = here.loc[here["method"] == names[NCAB], "test_error"].to_numpy()
        known = np.full(len(of_ncab), theirs.loc[data, NCAB] / 100)
        near_by = max(2 * SPREADS.loc[data, NCAB], 1.0) / 100
        close[data] = paired(of_ncab, known, overlap=TEN_FOLDS).level(near_by)
        # A fold counts by its rows, so that a repeat's error is that over all rows.
        missed = here.assign(missed=100 * here["test_error"] * here["n_test"])
        sums = missed.groupby("method")[["missed", "n_test"]].sum()
        ours = (sums["missed"] / sums["n_test"]).reindex(names.values())
        rows.append({"data": data, "folds": len(of_ncab)})
        for method in METHODS:
            rows[-1][f"{method} (ours)"] = ours[names[method]]
            rows[-1][f"{method} (theirs)"] = theirs.loc[data, method]
    return (lowest, below, close), pd.DataFrame(rows)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the errors of table 1, ours as bars."""
    table = judge(frame).table
    figure, axes = panels(len(table), columns=3, size=(3.6, 2.4))
    at = np.arange(len(METHODS))
    for ax, (_, row) in zip(axes, table.iterrows(), strict=True):
        ax.bar(at, [row[f"{m} (ours)"] for m in METHODS], color=[colour(k) for k in range(len(at))])
        known = [row[f"{m} (theirs)"] for m in METHODS]
        spread = [SPREADS.loc[row["data"], m] for m in METHODS]
        ax.errorbar(at, known, spread, ecolor="black", elinewidth=1, **THEIRS_MARK)
        ax.set_xticks(at, METHODS, rotation=30, ha="right", fontsize="x-small")
        ax.set(title=f"{row['data']}, {row['narrows']}", ylabel="Error in %")
    figure.suptitle("Bars: ours; hollow, with their spread: Hong and others, table 1")
    return figure


CLAIM = Claim(
    topic="svm-boosting",
    stream=7,
    title="Errors of NCAB-SVM and its rivals",
    sentence=(
        "In ten-fold cross-validation on ten data sets NCAB-SVM has the lowest error of SVM, "
        "AdaBoost-SVM, bagging, NCCD and itself on most (seven), for example 4.0 % on ionosphere "
        "and 11.0 % on sonar; bagging hardly improves on the SVM."
    ),
    source=f"{sources.HONG}, table 1.",
    rule=(
        "Three parts for either reading of when the kernel narrows (when a member is rejected, "
        "or after every member), each on more than half of the sets and by 95 % intervals over "
        "folds that allow for shared training rows: NCAB-SVM errs less than each of the other "
        "four; less than AdaBoost-SVM; within two of the source's spreads (at least one point) "
        "of its error."
    ),
    setup=(
        f"{NOT_SHIPPED}Ten times ten-fold by "
        "class. The source gives neither C nor coding nor the SVM's width: C = 1, columns "
        "standardised, nominal ones one-hot, scikit-learn's default width. Where the kernel "
        "narrows on rejection, at most 50 rounds; where it always does, 20, one for each width. "
        "Bagging is of SVMs. NCCD has 20 rounds as in the source, ten members, networks of five "
        "units trained for 50 epochs (the source names none). In the source the SVM and bagging "
        "cells of hypothyroid repeat pima's, every entry of hypothyroid is worse than saying "
        "'negative' always (4.8 %), and 21 % for an SVM on breast-w is seven times what any SVM "
        "reaches: these numbers cannot be met."
    ),
    run=run,
    smoke=grid(
        repeat=[0], fold=range(2), data=["sonar", "ionosphere"], method=METHODS, n_members=[8]
    ),
    full=grid(
        repeat=range(10),
        fold=range(N_FOLDS),
        data=SOURCE["data"],
        method=[*METHODS, ADA + ALWAYS, NCAB + ALWAYS],
        n_members=[50],
    ),
    unseeded=["fold", "method"],
    judge=judge,
    draw=draw,
    findings=(
        "NCAB-SVM's errors are not the source's, in either direction: ours are far lower where its "
        "numbers cannot be right (hypothyroid, breast-w) or its coding must have been another "
        "(promoters: all five of its errors are two to four times that of a one-hot SVM), and "
        "higher on sonar, ionosphere and soybean. Looked into while it was built: steps 4 to 11 "
        "have a plain twin in the tests, and both agree; how the offset of a machine is set whose "
        "classes weigh the same changes AdaBoost-SVM a lot, by up to 12 points; lambda cancels "
        "but for the smoothing, so it cannot matter much. NCAB-SVM may get stuck with members that "
        "take turns at one wide kernel: on four folds of ionosphere about half of its members "
        "say one class only. The source supports two readings: its step 7 narrows the kernel "
        "where a member is rejected, its section 3.1 makes 20 iterations of a step of 2 from 20 to "
        "-20, one for each width. The first comes nearer to table 1: over the nine sets NCAB-SVM's "
        "errors are 5.7 points from the printed ones on average (6.7 by the second), those of "
        "AdaBoost-SVM 5.6 (18.9: on six sets it does no better than saying the larger class)."
    ),
    would_be_right=(
        "Columns would have to be coded, and widths and C chosen, so that a plain SVM errs 21 % "
        "on breast-w and 30 % on hypothyroid, where ours errs 3 % and 2 %, and so that boosting "
        "then takes back a part of what was lost. With the width ours has, NCAB-SVM errs less than "
        "a plain SVM on none of the nine sets."
    ),
    rule_version=2,
    rule_changes=(
        "The first rule compared means, also of sets of which one fold had been run. Changed "
        "after 37 of 2250 cells of the first reading had been seen."
    ),
)
