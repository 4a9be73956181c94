"""Boosting that stops when Q stops falling: what it costs, what it saves."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.boosting import AdaBoostM2Classifier, DiversityStopping, NominalConceptClassifier
from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import rows_and_labels, take_fold
from counterpoint.claims.comparison import TEN_FOLDS, Paired, compare
from counterpoint.claims.parts import Part, most, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.plots.style import colour

SETS = tuple(sources.NOMINAL_CONCEPTS.index)
UNIT = ["repeat", "fold"]
LITTLE = 0.01
HOW = ("all members", "stopped by Q", "stopped at random")


def run(*, seed: int, repeat: int, fold: int, data: str, n_members: int) -> list[dict[str, Any]]:
    """Boost nominal concepts with and without the rule, and to as many members drawn by lot."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, 10, seed)

    def boost(n: int, stopping: Any = None) -> AdaBoostM2Classifier:
        return AdaBoostM2Classifier(
            NominalConceptClassifier(output="hard"),
            n_estimators=n,
            on_failure="restart",
            stopping=stopping,
            calibrate=False,
            random_state=seed,
        ).fit(X.iloc[train], y[train])

    whole, stopped = boost(n_members), boost(n_members, DiversityStopping("q"))
    by_lot = boost(int(np.random.default_rng(seed + fold).integers(1, n_members + 1)))
    return [
        {
            "how": how,
            "error": float(np.mean(model.predict(X.iloc[test]) != y[test])),
            "members": len(model.estimators_),
        }
        for how, model in zip(HOW, (whole, stopped, by_lot), strict=True)
    ]


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare stopping by Q with going on, and with stopping anywhere."""
    rows = []
    cost, saved, against = {}, {}, {}
    gaps: dict[str, dict[str, Paired]] = {"cost": {}, "lot": {}}
    for data in SETS:
        here = frame[frame["data"] == data]
        costs = _gap(here, "stopped by Q", "all members", "error")
        cost[data] = _little(costs)
        saves = _gap(here, "stopped by Q", "all members", "members")
        saved[data] = saves.below()
        lot = _gap(here, "stopped by Q", "stopped at random", "error")
        against[data] = _errs_less(lot)
        gaps["cost"][data], gaps["lot"][data] = costs, lot
        members = here.groupby("how")["members"].mean().reindex(HOW)
        rows.append(
            {"data": data, "theirs": "Q tells how many are enough", "folds": costs.n}
            | {"error, stopped less all (ours)": costs.difference}
            | {"error, stopped less by lot (ours)": lot.difference}
            | {"members when stopped (ours)": members["stopped by Q"]}
            | {"members of all (ours)": members["all members"]}
        )
    parts = {
        "it costs less than a point of error on most sets": most(cost.values()),
        "it saves members on most sets": most(saved.values()),
        "it errs less than stopping at random on most sets": most(against.values()),
    }
    table = pd.DataFrame(rows)
    why = (
        f"Within a point of all members on {share(cost)}, with "
        f"{table['members when stopped (ours)'].mean():.0f} members of "
        f"{table['members of all (ours)'].mean():.0f}; better than a number drawn by lot on "
        f"{share(against)}."
    )
    first, _, last = parts
    notes = {
        first: what_is_open(gaps["cost"], _little, "folds"),
        last: what_is_open(gaps["lot"], _errs_less, "folds"),
    }
    return verdict(parts, table[table["folds"] > 0].drop(columns="folds"), why, notes)


def _little(gap: Paired) -> Part:
    return gap.level(LITTLE)


def _errs_less(gap: Paired) -> Part:
    return gap.below(least=LITTLE)


def _gap(rows: pd.DataFrame, first: str, second: str, value: str) -> Paired:
    return compare(rows, "how", first, second, value, unit=UNIT, overlap=TEN_FOLDS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw error against members, a point a set and way of stopping."""
    figure, (ax,) = panels(1, size=(6.0, 4.0))
    means = frame.groupby(["data", "how"], sort=False)[["members", "error"]].mean()
    for k, how in enumerate(HOW):
        at = means.xs(how, level="how")
        ax.plot(at["members"], at["error"], "o", color=colour(k), label=how)
    for data in dict.fromkeys(frame["data"]):
        line = means.loc[data].reindex(["stopped by Q", "all members"])
        ax.plot(line["members"], line["error"], color="0.7", linewidth=0.8, zorder=0)
        end = line.iloc[-1]
        ax.annotate(
            data, (end["members"], end["error"]), fontsize="x-small", ha="right", va="bottom"
        )
    ax.set(xlabel="Members", ylabel="Error")
    ax.legend(frameon=False)
    return figure


CLAIM = Claim(
    topic="stopping-by-q",
    stream=23,
    title="Stopping when Q stops falling",
    sentence=(
        "The Q statistic, watched while concepts are boosted, tells when enough members have been "
        "generated."
    ),
    source=f"{sources.MEDDOURI}, sections 4 and 5.",
    rule=(
        "Three parts, each on more than half of five sets, by 95 % intervals over folds that "
        "allow for shared training rows. Stopping when Q on training rows has not fallen for "
        "five rounds: the error is within a point of that of all members; there are fewer "
        "members; the error is below that of a number of members drawn by lot (it does not hold "
        "where a lead of a point can be excluded)."
    ),
    setup=(
        "The paper proposes the rule and does not try it. Five times 10-fold cross-validation, "
        "AdaBoost.M2 on hard concepts, at most 50 members, Q from three members on. A number drawn "
        "by lot, evenly from 1 to 50, says what stopping anywhere would give."
    ),
    run=run,
    smoke=grid(repeat=[0], fold=range(2), data=["pima", "blood-transfusion"], n_members=[12]),
    full=grid(repeat=range(5), fold=range(10), data=SETS, n_members=[50]),
    unseeded=["fold"],
    judge=judge,
    draw=draw,
)
