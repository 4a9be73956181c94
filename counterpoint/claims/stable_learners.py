"""Bagging of learners that hardly move, and of one that does."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import encode_rows, error, rows_and_labels, take_fold
from counterpoint.claims.comparison import TEN_FOLDS, Paired, compare, paired
from counterpoint.claims.parts import Part, at_least, every, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.plots.style import colour

SETS = ("sonar", "ionosphere", "glass", "vehicle", "wdbc", "pima", "bupa", "heart-statlog")
STABLE = ("5 neighbours", "naive Bayes", "linear discriminant", "logistic regression")
TREE = "tree"
UNIT = ["repeat", "fold"]
LITTLE = 0.01  # of the rows: less is no change to speak of


def learner(name: str, seed: int) -> Any:
    """Return a learner, unfitted; all but trees on standardised columns."""
    made: Any = {
        TREE: DecisionTreeClassifier(random_state=seed),
        "5 neighbours": KNeighborsClassifier(),
        "naive Bayes": GaussianNB(),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "logistic regression": LogisticRegression(max_iter=2000),
    }[name]
    return made if name == TREE else make_pipeline(StandardScaler(), made)


def run(*, seed: int, repeat: int, fold: int, data: str, n_members: int) -> list[dict[str, Any]]:
    """Train each learner alone and bagged on one fold."""
    X, y = rows_and_labels(data)
    train, test = take_fold(y, fold, 10, seed)
    A, B = encode_rows(X, train, test)
    made = []
    for name in (TREE, *STABLE):
        alone = learner(name, seed).fit(A, y[train])
        bag = BaggingClassifier(learner(name, seed), n_members, random_state=seed).fit(A, y[train])
        made.append(
            {
                "learner": name,
                "alone": error(alone, B, y[test]),
                "bagged": error(bag, B, y[test]),
            }
        )
    return made


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare bagged with alone, learner by learner, over sets and on each."""
    rows, over = [], {}
    worse: dict[str, Any] = {}
    on_set: dict[str, Paired] = {}
    for name in (TREE, *STABLE):
        gaps = {data: _gap(frame, name, data) for data in SETS}
        over[name] = _over_sets(gaps)
        for data, gap in gaps.items():
            rows.append(
                {"learner": name, "data": data, "bagged less alone (ours)": gap.difference}
                | {"low": gap.interval[0], "high": gap.interval[1]}
                | {"theirs": "helps" if name == TREE else "does not help, may degrade"}
            )
            if name in STABLE:
                on_set[f"{name} on {data}"] = gap
                worse[f"{name} on {data}"] = gap.above()
    parts = {
        "bagging lowers the error of trees over the sets": over[TREE].below(),
        "it changes that of no stable learner by a point or more": every(
            _little(over[name]) for name in STABLE
        ),
        "it raises that of a stable learner on some set": at_least(1, worse.values()),
    }
    table = pd.DataFrame(rows).dropna(subset=["bagged less alone (ours)"])
    words = "; ".join(f"{name} {over[name].words}" for name in over)
    why = f"Bagged less alone, a set being a unit: {words}. Raised on {share(worse)}."
    stable = {name: over[name] for name in STABLE}
    notes = what_is_open(stable, _little, "sets"), what_is_open(on_set, Paired.above, "folds")
    return verdict(parts, table, why, dict(zip(list(parts)[1:], notes, strict=True)))


def _little(gap: Paired) -> Part:
    return gap.level(LITTLE)


def _gap(frame: pd.DataFrame, name: str, data: str) -> Paired:
    here = frame[(frame["learner"] == name) & (frame["data"] == data)]
    long = here.melt(UNIT, ["alone", "bagged"], "how", "error")
    return compare(long, "how", "bagged", "alone", "error", unit=UNIT, overlap=TEN_FOLDS)


def _over_sets(gaps: dict[str, Paired]) -> Paired:
    """Return the change over sets; without all of them there is no interval."""
    changes = np.array([gap.difference for gap in gaps.values()])
    if np.isnan(changes).any():
        return paired([], [])
    return paired(changes, np.zeros(len(changes)))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the change by bagging, a column a learner, a dot a set."""
    figure, (ax,) = panels(1, size=(6.4, 3.8))
    for k, name in enumerate((TREE, *STABLE)):
        gaps = [100 * _gap(frame, name, data).difference for data in SETS]
        ax.plot(np.full(len(gaps), k), gaps, "o", color=colour(k), alpha=0.8)
    ax.axhline(0, color="0.6", linewidth=1, zorder=0)
    ax.set_xticks(range(len(STABLE) + 1), [TREE, *STABLE], rotation=15)
    ax.set(ylabel="bagged less alone, points of error")
    ax.set_title("Lecture: trees gain; stable learners do not, and may lose", fontsize="medium")
    return figure


CLAIM = Claim(
    topic="stable-learners",
    stream=20,
    title="Bagging of stable learners",
    sentence=(
        "Bagging helps unstable learners; of stable ones it may degrade the performance, because "
        "each training set holds about 37 % fewer different rows."
    ),
    source=f"{sources.LECTURE}, 'Bagging: from the view of errors'.",
    rule=(
        "Three parts. Over eight sets, a set being a unit, the 95 % interval of bagged less alone "
        "is below 0 for trees; within one point of 0 for each of four stable learners. On at least "
        "one set a stable learner errs more when bagged (95 % interval over folds that allows for "
        "shared training rows)."
    ),
    setup=(
        "The lecture has no experiment: three times 10-fold cross-validation, 50 members; "
        "stable are five nearest neighbours, naive Bayes, linear discriminants and logistic "
        "regression, on standardised columns. 'May degrade' is looked for in 32 places, so that "
        "one of them may show it by luck; the number is given."
    ),
    run=run,
    smoke=grid(repeat=[0], fold=range(3), data=["bupa", "glass"], n_members=[4]),
    full=grid(repeat=range(3), fold=range(10), data=SETS, n_members=[50]),
    unseeded=["fold"],
    judge=judge,
    draw=draw,
)
