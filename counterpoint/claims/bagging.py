"""Fifty bagged trees against one."""

import warnings

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import sources
from counterpoint.claims._pictures import THEIRS_MARK, panels
from counterpoint.claims._shared import (
    encode_rows,
    error,
    pruned_cart,
    rows_and_labels,
)
from counterpoint.claims.comparison import Paired, paired
from counterpoint.claims.parts import Part, at_least, every, share
from counterpoint.claims.protocol import Claim, Verdict, grid, verdict
from counterpoint.claims.undecided import what_is_open
from counterpoint.datasets import load, make_waveform
from counterpoint.plots.style import colour

SOURCE = sources.BAGGING
SETS = [*SOURCE["data"], "diabetes, each row once"]
# Not the source's data: shown, but not counted.
STAND_INS = ("heart", "diabetes, each row once")
# Decreases in per cent that the rule asks for; "near" depends on the set.
LIMITS = {"lower": (0.0, 100.0), "20 to 47 %": (19.5, 47.5), "near": (0.0, 0.0)}
# Training rows of a trial: what trials share of these makes their intervals wider.
ROWS = {
    "waveform": np.inf,  # drawn anew
    "heart": 249,
    "breast cancer": 599,
    "ionosphere": 326,
    "diabetes": 786,
    "glass": 194,
    "soybean": 282,
    "diabetes, each row once": 518,
}


def run(*, seed: int, repeat: int, data: str, n_trees: int) -> dict[str, float]:
    """Compare one tree with a vote of bagged trees on a random split."""
    rng = np.random.default_rng(seed)
    n_test = int(SOURCE.set_index("data")["n_test"][data.split(",")[0]])
    X, y = rows_of(data, rng)
    order = rng.permutation(len(y))
    train, test = order[n_test:], order[:n_test]
    A, B = encode_rows(X, train, test)
    with warnings.catch_warnings():
        # Classes with fewer rows than folds: glass, soybean.
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        tree = pruned_cart(seed).fit(A, y[train])
        tally = np.zeros((n_test, y.max() + 1))
        for _ in range(n_trees):
            rows = rng.integers(len(train), size=len(train))
            member = pruned_cart(int(rng.integers(2**31))).fit(A[rows], y[train][rows])
            tally[np.arange(n_test), member.predict(B)] += 1
    return {
        "tree_error": error(tree, B, y[test]),
        "bagging_error": float(np.mean(tally.argmax(axis=1) != y[test])),
    }


def rows_of(data: str, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and class codes of a set by the lecture's name."""
    if data == "waveform":
        made, y = make_waveform(1800, fixed_sizes=False, random_state=int(rng.integers(2**31)))
        return pd.DataFrame(made), y
    if data == "soybean":
        table = load("soybean-large")
        first = (table.split == "train").to_numpy()
        X, labels = table.X[first], table.y[first].astype(str).to_numpy(dtype=str)
    else:
        names = {"heart": "heart-cleveland", "breast cancer": "breast-w"}
        name = "pima" if data.startswith("diabetes") else names.get(data, data)
        X, labels = rows_and_labels(name)
    y = np.unique(labels, return_inverse=True)[1]
    if data == "diabetes":  # 500 + 2 * 268 = 1036, the source's size
        rows = np.concatenate([np.arange(len(y)), np.flatnonzero(y == np.bincount(y).argmin())])
        return X.iloc[rows], y[rows]
    return X, y


def judge(frame: pd.DataFrame) -> Verdict:
    """Compare decreases of the error, those of stand-ins not counted."""
    known = SOURCE.set_index("data")
    rows = []
    ends: dict[str, dict[str, tuple[Paired, Paired]]] = {name: {} for name in LIMITS}
    for data in SETS:
        part = frame[frame["data"] == data]
        tree, bagged = part["tree_error"].to_numpy(), part["bagging_error"].to_numpy()
        overlap = known["n_test"][data.split(",")[0]] / ROWS[data]
        theirs = known["decrease_theirs"].get(data, np.nan)
        limits = LIMITS | {"near": (theirs - 10, theirs + 10)}
        for name, (low, high) in limits.items():
            ends[name][data] = decreased(tree, bagged, low, high, overlap)
        one, many = 100 * part["tree_error"].mean(), 100 * part["bagging_error"].mean()
        rows.append(
            {
                "data": data,
                "trials": len(part),
                "tree_ours": one,
                "bagging_ours": many,
                "decrease_ours": 100 * (1 - many / one) if one > 0 else np.nan,
                "p": paired(bagged, tree, overlap=overlap).p,
            }
            | {name: _between(*ends[name][data]) for name in LIMITS}
        )
    table = pd.DataFrame(rows).merge(SOURCE.drop(columns="n_test"), on="data", how="left")
    counted = table[~table["data"].isin(STAND_INS)].set_index("data")
    lower, within, near = (
        {str(name): part for name, part in counted[column].items()}
        for column in ("lower", "20 to 47 %", "near")
    )
    enough = 2 / 3 * len(counted)
    parts = {
        "lower error on every set": every(lower.values()),
        "20 to 47 % lower on two thirds": at_least(enough, within.values()),
        "within 10 points of the lecture's decrease on two thirds": at_least(enough, near.values()),
    }
    ours, theirs = counted["decrease_ours"], counted["decrease_theirs"]
    why = (
        f"Bagging is lower on {share(lower)}, by 20 to 47 % on {share(within)}, within 10 points "
        f"of the lecture's decrease on {share(near)}; mean decrease {ours.mean():.0f} %, "
        f"the lecture's {theirs.mean():.0f} %."
    )
    notes = {
        part: _open({data: ends[name][data] for data in counted.index})
        for part, name in zip(parts, LIMITS, strict=True)
    }
    return verdict(parts, table[table["trials"] > 0], why, notes)


def decreased(
    tree: np.ndarray, bagged: np.ndarray, low: float, high: float, overlap: float
) -> tuple[Paired, Paired]:
    """Return what decides whether the error fell by so many per cent: by the least and the most.

    A decrease of at least q per cent is a mean of ``bagged - (1 - q / 100) tree`` below 0.
    """
    least, most = ((1 - end / 100) * tree for end in (low, high))
    return paired(bagged, least, overlap=overlap), paired(bagged, most, overlap=overlap)


def _between(least: Paired, most: Paired) -> Part:
    return every([least.below(), most.above()])


def _open(ends: dict[str, tuple[Paired, Paired]]) -> str:
    """Say how open the ends are on sets where neither has failed yet."""
    waiting = {data: both for data, both in ends.items() if _between(*both) is None}
    low, high = (
        {f"{data} {words}": both[k] for data, both in waiting.items()}
        for k, words in enumerate(("(as much)", "(no more)"))
    )
    said = what_is_open(low, Paired.below, "trials"), what_is_open(high, Paired.above, "trials")
    return "; ".join(filter(None, said))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw both errors of each set, the lecture's hollow."""
    table = judge(frame).table
    figure, (ax,) = panels(1, size=(7.2, 4.0))
    at = np.arange(len(table))
    for k, (column, label) in enumerate([("tree", "one tree"), ("bagging", "bagged trees")]):
        x = at + 0.2 * (2 * k - 1)
        ax.bar(x, table[f"{column}_ours"], width=0.38, color=colour(1 - k), label=label)
        ax.plot(x, table[f"{column}_theirs"], label="lecture" if k else None, **THEIRS_MARK)
    names = [f"{name}*" if name in STAND_INS else name for name in table["data"]]
    ax.set_xticks(at, [name.replace(", ", ",\n") for name in names], rotation=30, ha="right")
    ax.set(ylabel="Test error in %", xlabel="* not the source's data")
    ax.legend(frameon=False)
    return figure


CLAIM = Claim(
    topic="bagging",
    stream=3,
    title="Bagging fifty trees",
    sentence=(
        "A vote of 50 bagged classification trees errs 20 to 47 % less than one tree on waveform, "
        "heart, breast cancer, ionosphere, diabetes, glass and soybean, over 100 random splits."
    ),
    source=(
        f"{sources.LECTURE}, 'Bagging: a classification example', after Breiman, Machine Learning "
        "24, 1996."
    ),
    rule=(
        "Three parts, on the six sets that are the source's (not heart), each decided by 95 % "
        "intervals over trials that allow for shared training rows: bagging's error is lower on "
        "every one; the decrease is 20 to 47 % on two thirds of them; it is within 10 points of "
        "the lecture's on two thirds."
    ),
    setup=(
        "Trees as the lecture says: Gini, pruned by ten-fold cross-validated cost-complexity, "
        "single and bagged alike. The lecture's heart (1395 rows, 16 columns) is not public: "
        "Cleveland's 303 rows stand in, with the same share to test. Diabetes has 1036 rows in "
        "the lecture, which is pima with the smaller class twice (500 + 2 x 268): so it is here, "
        "and, beside it, with each row once, since copies end up on both sides of a split. "
        "Soybean is the 307 rows of its training part, nominal columns one-hot, missing values as "
        "a value of their own."
    ),
    run=run,
    smoke=grid(repeat=range(2), data=["breast cancer", "glass"], n_trees=[5]),
    full=grid(repeat=range(100), data=SETS, n_trees=[50]),
    judge=judge,
    draw=draw,
    rule_version=2,
    rule_changes=(
        "Decreases are judged by intervals over trials that allow for shared training rows; in "
        "the first rule two of the three parts were means. Changed after 543 of 800 cells had "
        "been seen."
    ),
)
