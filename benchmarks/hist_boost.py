"""Boosted histogram trees as they come, beside LightGBM as it comes (docs/hist_boost.md).

One thread, CPU seconds, error and log-loss; means over splits, a third of the rows to test on, of
made tables 10,000 rows::

    python -m benchmarks.hist_boost
    python -m benchmarks.hist_boost --tables pima made-1000 --splits 5 --first 100
    python -m benchmarks.hist_boost --rounds 1000000    # CPU seconds a round, where LightGBM is
    python -m benchmarks.hist_boost --splits 10 --paired  # with intervals over splits
    python -m benchmarks.hist_boost --keep     # rows to hist_boost.csv, which the page is made of

With ``--keep`` what is in the file is not done again. ``python -m benchmarks hist_boost`` looks at
a few of the tables.
"""

import argparse
import time
from importlib.util import find_spec
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks.curve import REQUIREMENTS, shipped
from benchmarks.harness import Report, peer_python, run_peer
from counterpoint._statistics import resampled_interval
from counterpoint.boosting import HistBoostClassifier

SHIPPED = (
    "glass",
    "ionosphere",
    "wdbc",
    "balance-scale",
    "pima",
    "vehicle",
    "vowel",
    "german-credit",
    "contraceptive",
    "car",
    "segment",
    "hypothyroid",
    "splice",
    "spambase",
    "churn",
    "satimage",
)
MADE = (1000, 2000, 3000, 5000, 10_000, 30_000, 100_000)
FIGURES = ("seconds", "error", "log_loss")
ROWS = Path(__file__).with_suffix(".csv")


def data(name, split):
    """Return the rows to train and to test on."""
    if not name.startswith("made-"):
        return shipped(name, split)
    n = int(name.removeprefix("made-"))
    X, y = make_classification(
        n + 10_000, 20, n_informative=10, n_redundant=4, n_clusters_per_class=8, flip_y=0.05,
        class_sep=0.8, random_state=split,
    )  # fmt: skip
    return X[:n], y[:n], X[n:], y[n:]


def ours(X, y, X_test, y_test):
    """Return figures of the default of ours."""
    numba.set_num_threads(1)
    model = HistBoostClassifier(random_state=0)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    log_proba = model.predict_log_proba(X_test)[np.arange(len(y_test)), y_test]
    error = np.mean(model.predict(X_test) != y_test)
    return {"seconds": seconds, "error": error, "log_loss": -np.maximum(log_proba, -34.5).mean()}


def theirs(python, parts):
    """Return figures of LightGBM as it comes: in this process if it is here (python None)."""
    if python is not None:
        return run_peer(python, "lightgbm_default.py", parts)
    from benchmarks.peers.lightgbm_default import figures

    return figures(**parts)


def compare(names, splits, first, python, *, keep=False):
    """Return rows of both, for every split of every table; ``keep`` those that are new."""
    ours(*data("made-1000", 0))  # compile first
    there = done() if keep else {}
    rows = []
    for name in names:
        for split in range(first, first + splits):
            row = there.get((name, split))
            if row is None:
                parts = dict(zip(("X", "y", "X_test", "y_test"), data(name, split), strict=True))
                row = {"table": name, "rows": len(parts["y"]), "split": split}
                row |= {f"{k}, ours": v for k, v in ours(**parts).items()}
                row |= {f"{k}, LightGBM": v for k, v in theirs(python, parts).items()}
                if keep:
                    pd.DataFrame([row]).to_csv(
                        ROWS, mode="a", header=not ROWS.exists(), index=False, float_format="%.6g"
                    )
            rows.append(row)
        print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def done():
    """Return the rows that are kept, by table and split."""
    kept = pd.read_csv(ROWS).to_dict("records") if ROWS.exists() else []
    return {(row["table"], row["split"]): row for row in kept}


def by_table(rows):
    """Return means over splits, how much longer ours takes, and how many points it errs more."""
    table = rows.drop(columns="split").groupby("table").mean().sort_values("rows")
    table["times"] = table["seconds, ours"] / table["seconds, LightGBM"]
    table["points"] = 100 * (table["error, ours"] - table["error, LightGBM"])
    return table


def paired(rows):
    """Return, for each table, points of error and log-loss that ours has more, with intervals.

    Splits of one table share rows: the intervals are those of the corrected resampled t test
    (Nadeau and Bengio 2003), where half as many rows are tested on as are trained on. Made tables
    are drawn anew.
    """
    found = []
    for name, part in rows.groupby("table", sort=False):
        row = {"table": name, "rows": part["rows"].iloc[0]}
        shared = 0.0 if name.startswith("made-") else 0.5
        for figure, unit in (("error", 100), ("log_loss", 1)):
            more = unit * (part[f"{figure}, ours"] - part[f"{figure}, LightGBM"])
            low, high = resampled_interval(more, shared)
            row |= {figure: more.mean(), f"{figure}, from": low, f"{figure}, to": high}
        found.append(row)
    return pd.DataFrame(found).set_index("table").sort_values("rows")


def told(table):
    """Print what ``paired`` found."""
    print(table.round(3).to_string())
    mean, low, high = (table[f"error{part}"] for part in ("", ", from", ", to"))
    print(
        f"{len(table)} tables: {mean.mean():+.2f} points of error and "
        f"{table['log_loss'].mean():+.3f} of log-loss on average. Worse by more than a point: "
        f"{(mean > 1).sum()} by the mean, {(low > 1).sum()} beyond the interval; not worse by a "
        f"point, by the interval: {(high < 1).sum()}. Beyond it {(high < 0).sum()} are better and "
        f"{(low > 0).sum()} worse, in log-loss {(table['log_loss, to'] < 0).sum()} and "
        f"{(table['log_loss, from'] > 0).sum()}."
    )


def rounds(n, repeats=5, more=4):
    """Print milliseconds a round on n rows, depth 8 and 255 leaves of drawn rows, in turns."""
    import lightgbm

    X, y = make_classification(n, 20, n_informative=10, random_state=0)
    numba.set_num_threads(1)
    shared = {"max_bin": 255, "num_threads": 1, "verbose": -1, "feature_pre_filter": False}
    table = lightgbm.Dataset(X, y, params=shared).construct()
    cases = {
        "depth 8, all rows": (
            {"max_depth": 8, "max_leaf_nodes": None, "subsample": 1.0, "max_features": 1.0},
            {"max_depth": 8, "num_leaves": 256, "min_data_in_leaf": 1},
        ),
        "255 leaves, 0.8 of rows and columns": (
            {"max_leaf_nodes": 255, "subsample": 0.8, "max_features": 0.8},
            {
                "num_leaves": 255,
                "bagging_fraction": 0.8,
                "bagging_freq": 1,
                "feature_fraction": 0.8,
            },
        ),
    }
    for case, (own, other) in cases.items():

        def train(count, own=own):
            options = {"learning_rate": 0.1, "early_stopping": False, "random_state": 0}
            HistBoostClassifier(n_estimators=count, **options, **own).fit(X, y)

        def peer(count, other=other):
            lightgbm.train(shared | {"objective": "binary"} | other, table, num_boost_round=count)

        train(1), peer(1)
        times = np.array([[_a_round(f, more) for f in (train, peer)] for _ in range(repeats)])
        ratio = times[:, 1] / times[:, 0]
        print(
            f"{n:,} rows, {case}: {1e3 * np.median(times[:, 0]):.0f} ms, LightGBM "
            f"{1e3 * np.median(times[:, 1]):.0f} ms; {np.median(ratio):.2f} times as fast "
            f"({ratio.min():.2f} to {ratio.max():.2f})"
        )


def _a_round(train, more):
    start = time.process_time()
    train(1)
    middle = time.process_time()
    train(1 + more)
    return (time.process_time() - 2 * middle + start) / more


def run() -> Report:
    """Report the table on which the default is furthest behind."""
    report = Report("hist_boost")
    python = peer_python("boosters", REQUIREMENTS)
    if python is None:
        return report
    table = by_table(compare(("pima", "vehicle", "made-1000", "made-3000"), 3, 0, python))
    for figure, limit, unit in (("points", 1.0, "points"), ("times", 4.0, "x")):
        worst = table[figure].idxmax()
        report.limit(
            f"default against default, {figure}: worst is {worst}",
            max(table[figure].max(), 0.0),
            limit,
            unit,
        )
    return report


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = [*SHIPPED, *(f"made-{n}" for n in MADE)]
    parser.add_argument("--tables", nargs="+", default=every)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rounds", type=int, help="rows to time a round on, and nothing else")
    parser.add_argument("--paired", action="store_true", help="intervals over the splits")
    parser.add_argument("--keep", action="store_true", help="keep rows, and go on where they end")
    given = parser.parse_args()
    if given.rounds:
        rounds(given.rounds)
        return
    python = None if find_spec("lightgbm") else peer_python("boosters", REQUIREMENTS)
    rows = compare(given.tables, given.splits, given.first, python, keep=given.keep)
    print(by_table(rows).round(3).to_string())
    if given.paired:
        told(paired(rows))


if __name__ == "__main__":
    main()
