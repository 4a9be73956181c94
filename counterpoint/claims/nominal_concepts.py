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
from counterpoint.claims._shared import rows_and_labels, take_fold
from counterpoint.claims.comparison import TEN_FOLDS, Paired, paired
from counterpoint.claims.parts import Part, every, most, negated, share, within
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.diversity import trajectory
from counterpoint.plots.style import colour

SOURCE = sources.NOMINAL_CONCEPTS
MEASURES = ["q", "rho", "kappa"]
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 20, 25, 30, 35, 40, 45, 50)
N_FOLDS = 10
DRAWS, WEIGHTS = "resampling", "weights"


def run(
    *, seed: int, repeat: int, fold: int, data: str, n_members: int, training: str = WEIGHTS
) -> list[dict[str, Any]]:
    """Boost nominal concepts once; return error and diversity at each size on the way."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, N_FOLDS, seed)
    model = AdaBoostM2Classifier(
        # Members trained on draws have whole weights, and often as many rows of either class.
        NominalConceptClassifier(output="hard", ties="random" if training == DRAWS else "first"),
        n_estimators=n_members,
        resample=training == DRAWS,
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


def _trained_by(frame: pd.DataFrame, training: str) -> pd.DataFrame:
    """Return the rows of one way to train; cells that do not say were trained by weights."""
    if "training" not in frame:
        return frame if training == WEIGHTS else frame.iloc[:0]
    return frame[frame["training"].fillna(WEIGHTS) == training]


def _curves(frame: pd.DataFrame) -> pd.DataFrame:
    """Return means over repeats and folds, by data and size."""
    return frame.groupby(["data", "size"])[["test_error", *MEASURES, "q_training"]].mean()


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare how measures follow the error, and where Q is lowest; weights stand beside."""
    by_weights, frame = (_trained_by(frame, training) for training in (WEIGHTS, DRAWS))
    parts: dict[str, Part] = {}
    rows = []
    follows, lowest, place = {}, {}, {}
    for name, known in SOURCE.iterrows():
        data = str(name)
        here = frame[frame["data"] == data]
        by_repeat = {repeat: _curve(part) for repeat, part in here.groupby("repeat")}
        follows[data] = _q_leads(by_repeat)
        q_low = [curve["q"].min() for curve in by_repeat.values()]
        at = [float(str(curve["q"].idxmin())) for curve in by_repeat.values()]
        if not np.isnan(known["lowest_q_theirs"]):
            away = _against(q_low, known["lowest_q_theirs"])
            lowest[data] = every([_against(q_low, 0.0).below(), away.level(0.15)])
            place[data] = within(float(np.median(at)) if len(at) > 1 else np.nan, 10, 30)
        curve = _curve(here)
        rows.append(
            {"data": data, "repeats": len(by_repeat), "error_theirs": known["error_theirs"]}
            | {f"{m} with error": rank_correlation(curve["test_error"], curve[m]) for m in MEASURES}
            | {"lowest Q (ours)": curve["q"].min(), "lowest Q (theirs)": known["lowest_q_theirs"]}
            | {"lowest at (ours)": curve["q"].idxmin() if len(curve) else np.nan}
            | {"lowest at (theirs)": _between(known["first_lowest"], known["last_lowest"])}
            | _beside(_curve(by_weights[by_weights["data"] == data]))
        )
    parts["Q follows the error best on most sets"] = most(follows.values())
    parts["lowest Q negative and within 0.15 of theirs"] = every(lowest.values())
    parts["lowest Q at 10 to 30 members"] = every(place.values())
    parts["ionosphere gains a quarter by 20"] = _change(frame, "ionosphere", 20, 0.75).below()
    little = (_change(frame, "tic-tac-toe", max(SIZES), share_) for share_ in (0.9, 1.1))
    low, high = little
    parts["tic-tac-toe changes by less than a tenth"] = every([low.above(), high.below()])
    gain = _change(frame, "blood-transfusion", max(SIZES), 0.95)
    parts["transfusion gains less than a twentieth"] = negated(gain.below())
    table = pd.DataFrame(rows)
    means = table[[f"{m} with error" for m in MEASURES]].mean()
    why = (
        f"Q follows the error best on {share(follows)}; mean rank correlation with the error: Q "
        f"{means.iloc[0]:.2f}, rho {means.iloc[1]:.2f}, kappa {means.iloc[2]:.2f} (by weights: Q "
        f"{table['q with error, by weights'].mean():.2f}). Lowest Q as theirs on "
        f"{share(lowest)}, at as many members on {share(place)}."
    )
    return verdict(parts, table[table["repeats"] > 0], why)


def _beside(curve: pd.DataFrame) -> dict[str, float]:
    """Return what members trained by weights give, which is shown and not judged."""
    return {
        f"{m} with error, by weights": rank_correlation(curve["test_error"], curve[m])
        for m in MEASURES
    } | {"lowest Q, by weights": curve["q"].min()}


def _curve(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over folds by size, from two members on, where there are pairs."""
    curve = rows.groupby("size")[["test_error", *MEASURES]].mean()
    return curve[curve.index >= 2]


def _q_leads(by_repeat: dict[Any, pd.DataFrame]) -> Part:
    """Return whether Q's rank correlation with the error is above those of rho and kappa."""
    ranks = {
        m: [rank_correlation(curve["test_error"], curve[m]) for curve in by_repeat.values()]
        for m in MEASURES
    }
    rivals = [paired(ranks["q"], ranks[m], overlap=TEN_FOLDS) for m in MEASURES if m != "q"]
    return every(gap.above() for gap in rivals)


def _against(values: list[float], number: float) -> Paired:
    return paired(values, [number] * len(values), overlap=TEN_FOLDS)


def _change(frame: pd.DataFrame, data: str, size: int, times: float) -> Paired:
    """Compare the best error up to a size with so many times that of one member, by repeat."""
    here = frame[(frame["data"] == data) & (frame["size"] <= size)]
    wide = here.groupby(["repeat", "size"])["test_error"].mean().unstack()
    if wide.empty:
        return paired([], [])
    last = wide.min(axis=1) if size < max(SIZES) else wide[wide.columns.max()]
    return paired(last.to_numpy(), times * wide[1].to_numpy(), overlap=TEN_FOLDS)


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


def draw(frame: pd.DataFrame) -> Figure:
    """Draw figures 1 to 5: error and three measures against members, by weights dotted."""
    curves, beside = (_curves(_trained_by(frame, training)) for training in (DRAWS, WEIGHTS))
    data = [name for name in SOURCE.index if name in curves.index.get_level_values("data")]
    columns = [("test_error", "Error"), ("q", "Q"), ("rho", "rho"), ("kappa", "kappa")]
    figure, axes = panels(len(data) * 4, columns=4, size=(2.9, 2.2))
    for r, name in enumerate(data):
        curve = curves.loc[name]
        for k, (column, label) in enumerate(columns):
            ax = axes[4 * r + k]
            if name in beside.index.get_level_values("data"):
                dotted = beside.loc[name][column]
                ax.plot(dotted.index, dotted, color=colour(k), linestyle=":", linewidth=1)
            ax.plot(curve.index, curve[column], "o-", color=colour(k), markersize=3)
            ax.set(xlabel="Members" if r == len(data) - 1 else "")
            if r == 0:
                ax.set_title(label)
            if column == "q" and not np.isnan(SOURCE["lowest_q_theirs"][name]):
                ax.axhline(SOURCE["lowest_q_theirs"][name], **THEIRS_LINE)
                low, high = SOURCE["first_lowest"][name], SOURCE["last_lowest"][name]
                ax.axvspan(low - 0.5, high + 0.5, color="0.9", zorder=0)
        axes[4 * r].set_ylabel(name)
    figure.suptitle("Dashed: the source's lowest Q; grey: where it has it; dotted: by weights")
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
        "Six parts, members trained on rows drawn by weight, a repeat of the cross-validation "
        "being a unit, 95 % intervals over repeats. "
        "Over sizes from 2 to 50, the rank correlation (Spearman) of the error with Q is above "
        "those with rho and kappa on most sets. The lowest Q of German credit, diabetes and "
        "ionosphere is negative and within 0.15 of theirs; it is reached at 10 to 30 members "
        "(median over repeats). Ionosphere's error falls by a quarter or more by 20 members; that "
        "of tic-tac-toe changes by less than a tenth from the first member to the last; that of "
        "transfusion falls by less than a twentieth."
    ),
    setup=(
        "Ten times ten-fold by class, AdaBoost.M2, hard concepts of one attribute, up to 50 "
        "members (the paper does not say how many). Members are trained on rows drawn by weight "
        "and say one of tied classes by lot, as in the paper; the same with weights, ties to the "
        "first class, stands beside it on the same folds. It cut numeric columns before "
        "splitting; here they are cut on training rows only, which costs one to three points. "
        "Diversity is measured on test rows; the figures have no numbers, so its text is what "
        "ours are held against."
    ),
    run=run,
    smoke=grid(
        repeat=[0],
        fold=range(2),
        data=["pima", "ionosphere", "blood-transfusion"],
        n_members=[20],
        training=[DRAWS, WEIGHTS],
    ),
    # Cells by weights do not say so: they were there first, and keep their names.
    full=[
        row | more
        for more in ({"training": DRAWS}, {})
        for row in grid(repeat=range(10), fold=range(N_FOLDS), data=SOURCE.index, n_members=[50])
    ],
    unseeded=["fold", "training"],
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
    would_be_right=(
        "Q would have to be averaged otherwise than over all pairs of the members so far: over "
        "two or three members it is at its lowest while the error is at its highest. If the "
        "first few sizes are not drawn, as the figures may have it, Q follows best on two sets "
        "of five."
    ),
    rule_version=3,
    rule_changes=(
        "The first rule compared means over all repeats, without intervals. The rows had been "
        "seen. The second judged members trained by weights; the paper trains on draws and breaks "
        "ties by lot. Changed after all rows by weights had been seen, before any by draws."
    ),
)
