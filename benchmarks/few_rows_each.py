"""Eight boosters on fewer rows for each tree: what they cost, and what they lose.

Eight boosters that are fitted alone, on all rows or on a half drawn for each tree, beside eight
grown together (docs/negative_correlation_boosting.md) on a half, a quarter and an eighth; made
tables of benchmarks/drawn_rows.py, 10,000 rows to test on, the same rounds, leaves and rate for
all, one thread. Error and log-loss, for numbers the RMSE, are those of the mean of the eight.
Rows go to the file of this name that ends in .csv; what is there is not done again::

    python -m benchmarks.few_rows_each
    python -m benchmarks.few_rows_each --rows 20000 --tables codes
    python -m benchmarks.few_rows_each --only-summary
"""

import argparse
import csv
import time
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman1

from benchmarks.drawn_rows import N_TEST
from benchmarks.drawn_rows import TABLES as CLASSES
from benchmarks.harness import Report
from counterpoint.boosting import (
    HistBoostClassifier,
    HistBoostRegressor,
    NegativeCorrelationBoostingClassifier,
    NegativeCorrelationBoostingRegressor,
)

ROWS = Path(__file__).with_suffix(".csv")
N = 8
TABLES = CLASSES | {"friedman1": lambda n, seed: make_friedman1(n, noise=1.0, random_state=seed)}
WAYS = {
    "alone, all": (False, 1.0),
    "alone, 1/2": (False, 0.5),
    "together, 1/2": (True, 0.5),
    "together, 1/4": (True, 0.25),
    "together, 1/8": (True, 0.125),
}
FIELDS = ("table", "rows", "seed", "way", "cpu", "error", "log_loss")


def options_for(rows):
    """Return the options that all have in common."""
    return {
        "learning_rate": 0.1,
        "max_leaf_nodes": 63 if rows >= 20_000 else 31,
        "min_weight_leaf": 1.0,
        "l2_regularization": 1.0,
        "max_features": 1.0,
        "early_stopping": False,
    }


def fitted(way, X, y, rounds):
    """Return eight boosters, and the CPU seconds that they took."""
    is_together, share = WAYS[way]
    numbers = y.dtype.kind == "f"
    options = options_for(len(y)) | {"subsample": share}
    start = time.process_time()
    if is_together:
        kind = NegativeCorrelationBoostingClassifier
        kind = NegativeCorrelationBoostingRegressor if numbers else kind
        found = kind(N, n_rounds=rounds, random_state=0, **options).fit(X, y).estimators_
    else:
        kind = HistBoostRegressor if numbers else HistBoostClassifier
        found = [kind(n_estimators=rounds, random_state=s, **options).fit(X, y) for s in range(N)]
    return found, time.process_time() - start


def judged(members, X, y):
    """Return error and log-loss of the mean, or its RMSE."""
    if y.dtype.kind == "f":
        mean = np.mean([member.predict(X) for member in members], axis=0)
        return {"error": float(np.sqrt(np.mean((mean - y) ** 2))), "log_loss": float("nan")}
    mean = np.mean([member.predict_proba(X) for member in members], axis=0)
    return {
        "error": float(np.mean(mean.argmax(axis=1) != y)),
        "log_loss": float(-np.log(mean[np.arange(len(y)), y]).mean()),
    }


def collect(tables, rows, seeds, first, rounds):
    """Fit what is missing; rows go to the file as they are finished."""
    numba.set_num_threads(1)
    there = set()
    if ROWS.exists():
        keys = ["table", "rows", "seed", "way"]
        there = set(pd.read_csv(ROWS)[keys].itertuples(index=False, name=None))
    for name in tables:
        for seed in range(first, first + seeds):
            missing = [way for way in WAYS if (name, rows, seed, way) not in there]
            if not missing:
                continue
            X, y = TABLES[name](rows + N_TEST, seed)
            for way in WAYS:  # what is compiled and read first is no part of it
                fitted(way, X[:500], y[:500], 2)
            for way in missing:
                members, cpu = fitted(way, X[:rows], y[:rows], rounds)
                cell = {"table": name, "rows": rows, "seed": seed, "way": way, "cpu": round(cpu, 3)}
                keep(cell | judged(members, X[rows:], y[rows:]))


def keep(row):
    """Add a row to the file, and print it."""
    new = not ROWS.exists()
    with ROWS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()})
    print(*row.values(), flush=True)


def summary(rows):
    """Return means over seeds: CPU seconds as a share of those of eight alone on all rows."""
    means = rows.groupby(["rows", "table", "way"], sort=False)[["cpu", "error", "log_loss"]].mean()
    frame = means.unstack("way")
    frame["cpu"] = frame["cpu"].div(frame["cpu"]["alone, all"], axis=0)
    return frame


def run() -> Report:
    """Report the cost of eight on an eighth of the rows each, beside eight on all rows."""
    report = Report("few_rows_each")
    numba.set_num_threads(1)
    X, y = TABLES["clusters"](50_000, 0)
    for way in WAYS:
        fitted(way, X[:500], y[:500], 2)
    costs = [
        [fitted(way, X, y, 20)[1] for _ in range(3)] for way in ("together, 1/8", "alone, all")
    ]
    report.add("50,000 x 20, 20 rounds of 63 leaves", *costs, "8 HistBoost on all rows")
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    some = ["clusters", "codes", "waves", "hastie", "friedman1"]
    parser.add_argument("--tables", nargs="+", choices=sorted(TABLES), default=some)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--only-summary", action="store_true")
    given = parser.parse_args()
    if not given.only_summary:
        collect(given.tables, given.rows, given.seeds, given.first, given.rounds)
    print(summary(pd.read_csv(ROWS)).round(4).to_string())
