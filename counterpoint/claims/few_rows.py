"""DECORATE with few rows and with many; averaged weights against averaged decisions."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.boosting import AdaBoostClassifier, DecorateClassifier
from counterpoint.claims import sources
from counterpoint.claims._pictures import panels
from counterpoint.claims._shared import encode_rows, error, random_split, rows_and_labels
from counterpoint.claims.comparison import Paired, compare, paired
from counterpoint.claims.parts import Part, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.networks import AveragedNetworkClassifier, NegativeCorrelationClassifier
from counterpoint.plots.style import colour
from counterpoint.trees import PrunedTreeClassifier

SETS = ("heart-statlog", "vehicle", "breast-w", "segment", "soybean-large", "ionosphere", "vowel")
SHARES = (0.02, 0.05, 0.1, 0.3, 1.0)  # of the training rows
FEW, ALL = (0.02, 0.05, 0.1), 1.0
DECORATE, BOOSTING = "DECORATE", "AdaBoost"
WEIGHTS, DECISIONS = "averaged weights", "averaged decisions"
METHODS = (DECORATE, BOOSTING, "one tree", WEIGHTS, DECISIONS)


def model_of(method: str, n_members: int, seed: int) -> Any:
    """Return one of the methods, unfitted: C4.5-like trees, or networks of ten units."""
    tree = PrunedTreeClassifier(random_state=seed)
    networks: dict[str, Any] = {"hidden_layer_sizes": (10,), "random_state": seed}
    return {
        DECORATE: lambda: DecorateClassifier(tree, n_estimators=n_members, random_state=seed),
        BOOSTING: lambda: AdaBoostClassifier(
            tree, n_estimators=n_members, calibrate=False, random_state=seed
        ),
        "one tree": lambda: tree,
        WEIGHTS: lambda: AveragedNetworkClassifier(**networks),
        DECISIONS: lambda: NegativeCorrelationClassifier(5, strength=0.0, **networks),
    }[method]()


def run(*, seed: int, repeat: int, data: str, part: float, n_members: int) -> list[dict[str, Any]]:
    """Train all methods on a part of the training rows."""
    X, y = rows_and_labels(data)
    train, test = random_split(y, 0.3, seed)
    rng = np.random.default_rng(seed)
    size = max(int(part * len(train)), 2 * len(np.unique(y)))
    rows = _with_all_classes(y[train], size, rng)
    A, B = encode_rows(X, train[rows], test)
    return [
        {
            "method": method,
            "error": error(model_of(method, n_members, seed).fit(A, y[train][rows]), B, y[test]),
        }
        for method in METHODS
    ]


def _with_all_classes(y: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows, two of each class first, so that every method knows all classes."""
    order = rng.permutation(len(y))
    first = [row for k in np.unique(y) for row in order[y[order] == k][:2]]
    rest = [row for row in order if row not in set(first)]
    return np.array((first + rest)[:size])


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare the methods over the sets, with few rows and with all."""
    few = frame[frame["part"].isin(FEW)]
    whole = frame[frame["part"] == ALL]
    early, late = _over_sets(few, DECORATE, BOOSTING), _over_sets(whole, DECORATE, BOOSTING)
    averaged = _over_sets(frame, WEIGHTS, DECISIONS)
    parts: dict[str, Part] = {
        "few rows: DECORATE errs less than boosting": early.below(),
        "all rows: boosting errs less than DECORATE": late.above(),
        "averaged weights are within two points of averaged decisions": _near(averaged),
    }
    table = frame.groupby(["part", "method"], sort=False)["error"].mean().unstack()
    table = table.add_suffix(" (ours)").assign(theirs="DECORATE, then boosting").reset_index()
    by_set = {
        data: compare(few[few["data"] == data], "method", DECORATE, BOOSTING, "error").below()
        for data in SETS
    }
    why = (
        f"DECORATE less boosting, a set being a unit: {early.words} with few rows (lower on "
        f"{share(by_set)}), {late.words} with all. Averaged weights less decisions: "
        f"{averaged.words}."
    )
    asked = ((early, Paired.below), (late, Paired.above), (averaged, _near))
    notes = (what_is_open({"over the sets": gap}, ask, "sets") for gap, ask in asked)
    return verdict(parts, table, why, dict(zip(parts, notes, strict=True)))


def _near(gap: Paired) -> Part:
    return gap.level(0.02)


def _over_sets(rows: pd.DataFrame, first: str, second: str) -> Paired:
    means = rows.groupby(["data", "method"])["error"].mean().unstack().reindex(SETS)
    if first not in means or means[[first, second]].isna().any(axis=None):
        return paired([], [])
    return paired(means[first].to_numpy(), means[second].to_numpy())


def draw(frame: pd.DataFrame) -> Figure:
    """Draw mean error against the share of rows trained on."""
    figure, (ax,) = panels(1, size=(6.0, 4.0))
    mean = frame.groupby(["part", "method"])["error"].mean().unstack()
    for k, method in enumerate(METHODS):
        ax.plot(100 * mean.index, mean[method], "o-", color=colour(k), label=method)
    ax.set(xscale="log", xlabel="training rows in %", ylabel="error, mean over sets")
    ax.legend(frameon=False, fontsize="small")
    return figure


CLAIM = Claim(
    topic="few-rows",
    stream=26,
    title="DECORATE with few rows, boosting with many",
    sentence=(
        "DECORATE is very effective when there is little training data, ahead of boosting; with "
        "more it is slightly behind. Averaging the weights of networks is said to come near to "
        "averaging their decisions."
    ),
    source=(
        f"{sources.THESIS}, sections 2.3.1 and 2.5.2, after Melville and Mooney, IJCAI 2003, and "
        "Utans, AAAI workshops 1996"
    ),
    rule=(
        "Three parts, by 95 % intervals over seven sets, a set being a unit. With 2, 5 and 10 % of "
        "the training rows DECORATE errs less than AdaBoost; with all of them more. Networks with "
        "averaged weights err within two points of those with averaged decisions."
    ),
    setup=(
        "Ten random splits, 30 % to test, parts of the training rows with two rows of each class "
        "at least; 15 C4.5-like trees, as Melville and Mooney have it; five networks of ten units."
    ),
    run=run,
    smoke=grid(repeat=range(2), data=["heart-statlog"], part=[0.1, 1.0], n_members=[3]),
    full=grid(repeat=range(10), data=SETS, part=SHARES, n_members=[15]),
    unseeded=["part"],
    judge=judge,
    draw=draw,
)
