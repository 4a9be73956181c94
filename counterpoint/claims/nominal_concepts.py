"""Diversity and error of boosted nominal concepts over the number of members."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostM2Classifier, NominalConceptClassifier
from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_LINE, panels
from counterpoint.claims._shared import marks, rows_and_labels, share, take_fold
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.diversity import trajectory
from counterpoint.plots.style import colour

SOURCE = sources.NOMINAL_CONCEPTS
MEASURES = ["q", "rho", "kappa"]
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 20, 25, 30, 35, 40, 45, 50)
N_FOLDS = 10


def run(*, seed: int, repeat: int, fold: int, data: str, n_members: int) -> list[dict[str, Any]]:
    """Boost nominal concepts once; return error and diversity at each size on the way."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, N_FOLDS, seed)
    model = AdaBoostM2Classifier(
        NominalConceptClassifier(output="hard"),
        n_estimators=n_members,
        on_failure="restart",
        calibrate=False,
        random_state=seed,
    ).fit(X.iloc[train], y[train])
    errors = [float(np.mean(labels != y[test])) for labels in model.staged_predict(X.iloc[test])]
    outputs = MemberOutputs.from_estimator(model, X.iloc[test], y[test])
    curves = trajectory(outputs, ["q", "correlation", "kappa"]).set_axis(MEASURES, axis=1)
    known = MemberOutputs.from_estimator(model, X.iloc[train], y[train])
    q_train = trajectory(known, "q")
    rows = []
    for size in SIZES:
        if size <= n_members:
            at = min(size, len(errors)) - 1  # training may end early; the rest changes nothing
            rows.append(
                {"size": size, "test_error": errors[at], "q_training": float(q_train[at])}
                | {name: float(curves[name].iloc[at]) for name in MEASURES}
            )
    return rows


def _curves(frame: pd.DataFrame) -> pd.DataFrame:
    """Return means over repeats and folds, by data and size."""
    return frame.groupby(["data", "size"])[["test_error", *MEASURES, "q_training"]].mean()


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare how measures follow the error, and where Q is lowest."""
    curves = _curves(frame)
    rows = []
    for data, known in SOURCE.iterrows():
        if data not in curves.index.get_level_values("data"):
            continue
        curve = curves.loc[str(data)]
        pairs = curve[curve.index >= 2]
        by_twenty = curve.loc[curve.index <= 20, "test_error"].min()
        follows = {name: rank_correlation(pairs["test_error"], pairs[name]) for name in MEASURES}
        rows.append(
            {"data": data, "error of one": curve["test_error"].iloc[0]}
            | {"change by 20": by_twenty / curve["test_error"].iloc[0] - 1}
            | {"change at the end": curve["test_error"].iloc[-1] / curve["test_error"].iloc[0] - 1}
            | {"error_theirs": known["error_theirs"]}
            | {f"{name} with error": value for name, value in follows.items()}
            | {"lowest Q (ours)": pairs["q"].min(), "lowest Q (theirs)": known["lowest_q_theirs"]}
            | {"lowest at (ours)": int(str(pairs["q"].idxmin()))}
            | {"lowest at (theirs)": _between(known["first_lowest"], known["last_lowest"])}
            | {"q_best": all(follows["q"] >= value for value in follows.values())}
        )
    table = pd.DataFrame(rows)
    return verdict(_parts(table), table.drop(columns="q_best"), _why(table))


def rank_correlation(first: pd.Series, second: pd.Series) -> float:
    """Return Spearman's rho; NaN, which is never the best, if one of them does not vary."""
    both = pd.concat([first, second], axis=1).dropna()
    if len(both) < 2 or (both.nunique() < 2).any():
        return float("nan")
    return float(stats.spearmanr(both.iloc[:, 0], both.iloc[:, 1]).statistic)


def _between(first: float, last: float) -> str:
    if np.isnan(first):
        return ""
    return f"{first:.0f} to {last:.0f}" if last > first else f"{first:.0f}"


def _parts(table: pd.DataFrame) -> dict[str, Any]:
    parts: dict[str, Any] = {"Q follows the error best on most sets": table["q_best"].mean() > 0.5}
    measured = table[table["lowest Q (theirs)"].notna()]
    if len(measured):
        lowest = measured["lowest Q (ours)"]
        near = (lowest - measured["lowest Q (theirs)"]).abs() <= 0.15
        parts["lowest Q negative and within 0.15 of theirs"] = ((lowest < 0) & near).all()
        parts["lowest Q at 10 to 30 members"] = measured["lowest at (ours)"].between(10, 30).all()
    at = table.set_index("data")
    if "ionosphere" in at.index:
        parts["ionosphere gains a quarter by 20"] = at["change by 20"]["ionosphere"] <= -0.25
    end = at["change at the end"]
    if "tic-tac-toe" in end:
        parts["tic-tac-toe gains little"] = abs(end["tic-tac-toe"]) < 0.1
    if "blood-transfusion" in end:
        parts["transfusion gains nothing"] = end["blood-transfusion"] > -0.05
    return parts


def _why(table: pd.DataFrame) -> str:
    best = marks(table["data"], table["q_best"])
    lowest = ", ".join(
        f"{row['lowest Q (ours)']:.2f} at {row['lowest at (ours)']} ({row['data']})"
        for _, row in table.iterrows()
    )
    mean = table[[f"{name} with error" for name in MEASURES]].mean()
    return (
        f"Q follows the error best on {share(best)}; mean rank correlation with the error: Q "
        f"{mean.iloc[0]:.2f}, rho {mean.iloc[1]:.2f}, kappa {mean.iloc[2]:.2f}. Lowest Q: {lowest}."
    )


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figures 1 to 5: error and three measures against members."""
    curves = _curves(frame)
    data = [name for name in SOURCE.index if name in curves.index.get_level_values("data")]
    columns = [("test_error", "Error"), ("q", "Q"), ("rho", "rho"), ("kappa", "kappa")]
    figure, axes = panels(len(data) * 4, columns=4, size=(2.9, 2.2))
    for r, name in enumerate(data):
        curve = curves.loc[name]
        for k, (column, label) in enumerate(columns):
            ax = axes[4 * r + k]
            ax.plot(curve.index, curve[column], "o-", color=colour(k), markersize=3)
            ax.set(xlabel="Members" if r == len(data) - 1 else "")
            if r == 0:
                ax.set_title(label)
            if column == "q" and not np.isnan(SOURCE["lowest_q_theirs"][name]):
                ax.axhline(SOURCE["lowest_q_theirs"][name], **THEIRS_LINE)
                low, high = SOURCE["first_lowest"][name], SOURCE["last_lowest"][name]
                ax.axvspan(low - 0.5, high + 0.5, color="0.9", zorder=0)
        axes[4 * r].set_ylabel(name)
    figure.suptitle("Dashed: the source's lowest Q; grey: where it has it")
    return figure


CLAIM = Claim(
    topic="nominal-concepts",
    stream=9,
    title="Diversity of boosted nominal concepts",
    sentence=(
        "Boosting nominal concepts on five two-class sets, the Q statistic follows the error over "
        "the number of members, rho and kappa do not. Members are negatively dependent: Q at most "
        "-0.02 on German credit (lowest at 10 to 20 members), -0.3 on diabetes (20), -0.15 on "
        "ionosphere (15 to 30), where the error falls by about 40 % before 20 members. Tic-tac-toe "
        "changes little after the first member, transfusion not at all."
    ),
    source=f"{sources.MEDDOURI}, figures 1 to 5.",
    rule=(
        "Reproduced if all hold: over sizes from 2 to 50, the rank correlation (Spearman) of the "
        "mean error with mean Q is the highest of the three measures on most sets; the lowest mean "
        "Q of German credit, diabetes and ionosphere is negative, within 0.15 of theirs, and "
        "reached at 10 to 30 members; ionosphere's error falls by a quarter or more by 20 members; "
        "that of tic-tac-toe changes by less than 10 % from the first member to the last; that of "
        "transfusion falls by less than 5 %. Differs if some hold, else not reproduced."
    ),
    setup=(
        "Ten times ten-fold by class, AdaBoost.M2, hard concepts of one attribute, up to 50 "
        "members (the paper does not say how many). It cut numeric columns before splitting; here "
        "they are cut on training rows only, which costs one to three points. Diversity is "
        "measured on test rows; the figures have no numbers, so its text is what ours are held "
        "against."
    ),
    run=run,
    smoke=grid(
        repeat=[0], fold=range(2), data=["pima", "ionosphere", "blood-transfusion"], n_members=[20]
    ),
    full=grid(repeat=range(10), fold=range(N_FOLDS), data=SOURCE.index, n_members=[50]),
    unseeded=["fold"],
    judge=judge,
    draw=draw,
    findings=(
        "How much boosting helps ionosphere and transfusion is as in the paper; that Q follows "
        "the error is not. Q is lowest at two or three members, where there are one or three "
        "pairs, the second member trained on what the first missed; then it settles near 0 while "
        "the error still falls. Looked into on the same rows: leaving out sizes below five, Q "
        "follows best on two sets of five, and its lowest is -0.04 at 6 (German credit), -0.11 at "
        "5 (diabetes), 0.00 at 15 (ionosphere), so that of German credit alone is near theirs; Q "
        "on training rows has a negative rank correlation with the error on all five sets. "
        "Tic-tac-toe goes on gaining to the 50th member (-42 %). Not tried: cuts before the "
        "split, other hard votes on ties."
    ),
)
