"""Boosters grown together: what they cost, and where coupling them pays.

``python -m benchmarks negative_correlation_boosting`` times N = 8 boosters that share one binning
against eight of ours and eight of LightGBM's, in turns, on one thread. ``python -m
benchmarks.negative_correlation_boosting`` fits every strength in every regime (deep and shallow
trees, small and large rates, few and many rounds, few rows, noise), adds what is missing to the
file of the same name that ends in .csv, and prints the tables of
docs/negative_correlation_boosting.md. From nothing that takes half an hour on one core.
"""

import argparse
import itertools
import os
import time
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from scipy.stats import t as student
from sklearn.datasets import (
    load_diabetes,
    make_classification,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)
from sklearn.model_selection import train_test_split

from benchmarks.harness import Report
from counterpoint.boosting import (
    HistBoostClassifier,
    HistBoostRegressor,
    NegativeCorrelationBoostingClassifier,
    NegativeCorrelationBoostingRegressor,
)
from counterpoint.datasets import TabularEncoder, load

ROWS = Path(__file__).with_suffix(".csv")
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
SEEDS = 10
MEMBERS = 5
LEAVES = {"shallow": 4, "middling": 16, "deep": None}
RATES = (0.1, 0.3, 1.0)
ROUNDS = (10, 30)
FEW = 60
COLUMNS = ["task", "leaves", "rate", "seed", "rounds", "measured", *map(str, STRENGTHS), "one"]
KINDS = {
    False: (NegativeCorrelationBoostingRegressor, HistBoostRegressor),
    True: (NegativeCorrelationBoostingClassifier, HistBoostClassifier),
}


# -- where it pays ---------------------------------------------------------------------------------


def _set(name):
    X, y = load(name, return_X_y=True)
    return np.asarray(TabularEncoder().fit_transform(X), dtype=float), np.asarray(y)


NUMBERS = {
    "diabetes": lambda seed: load_diabetes(return_X_y=True),
    "friedman1": lambda seed: make_friedman1(400, noise=1.0, random_state=seed),
    "friedman2": lambda seed: make_friedman2(400, noise=125.0, random_state=seed),
    "friedman3": lambda seed: make_friedman3(400, noise=0.1, random_state=seed),
    "friedman1, noise": lambda seed: make_friedman1(400, noise=5.0, random_state=seed),
    "friedman1, few rows": lambda seed: make_friedman1(400, noise=1.0, random_state=seed),
}
CLASSES = {
    name: lambda seed, name=name: _set(name.split(",")[0])
    for name in (
        "sonar",
        "ionosphere",
        "pima",
        "heart-statlog",
        "bupa",
        "german-credit",
        "wine",
        "ionosphere, noise",
        "pima, few rows",
    )
}
TASKS = NUMBERS | CLASSES


def parts(task, seed):
    """Return training and test data; labels of a fifth are wrong where there is noise."""
    X, y = TASKS[task](seed)
    labels = y if task in CLASSES else None
    n_train = FEW if task.endswith("few rows") else 0.5
    X, new, y, truth = train_test_split(
        X, y, train_size=n_train, stratify=labels, random_state=seed
    )
    if task in CLASSES and task.endswith("noise"):
        wrong = np.random.RandomState(seed).rand(len(y)) < 0.2
        y = np.where(wrong, np.random.RandomState(seed + 1).permutation(y), y)
    return X, new, y, truth


def measure(task, leaves, rate, seed):
    """Yield a row for each number of rounds: by strength, losses and errors on the test part.

    The loss is the mean squared error as a share of the variance, or the log-loss. "best" is the
    round that is best for the test part, for each strength its own. "one" is a single booster
    of as many trees; only at the small rate, where it belongs.
    """
    X, new, y, truth = parts(task, seed)
    options = {
        "learning_rate": rate,
        "max_leaf_nodes": LEAVES[leaves],
        "subsample": 0.5,
        "max_features": 1.0,
        "early_stopping": False,
        "random_state": seed,
    }
    together, alone = KINDS[task in CLASSES]
    seen = {}
    for s in STRENGTHS:
        model = together(MEMBERS, n_rounds=max(ROUNDS), strength=s, **options)
        history = model.fit(X, y, eval_set=(new, truth)).history_
        names = {"eval_ensemble_loss": "loss", "eval_ensemble_error": "error"}
        seen[str(s)] = history.rename(columns=names)
    if rate == min(RATES):
        model = alone(n_estimators=MEMBERS * max(ROUNDS), **options).fit(
            X, y, eval_set=(new, truth)
        )
        history = model.history_.iloc[MEMBERS - 1 :: MEMBERS].reset_index(drop=True)
        history.index += 1
        names = {"eval_log_loss": "loss", "eval_error": "error"}
        seen["one"] = history.rename(columns=names if task in CLASSES else {"eval_error": "loss"})
    unit = 1.0 if task in CLASSES else np.var(truth)
    for rounds in (*ROUNDS, "best"):
        for measured in ("loss", "error") if task in CLASSES else ("loss",):
            at = {k: h.loss.idxmin() if rounds == "best" else rounds for k, h in seen.items()}
            found = {k: h.loc[at[k], measured] / unit for k, h in seen.items()}
            row = {"task": task, "leaves": leaves, "rate": rate, "seed": seed}
            yield row | {"rounds": rounds, "measured": measured} | found


def collect(limit):
    """Measure what is not in the file, for at most so many CPU seconds; return all rows."""
    rows = pd.read_csv(ROWS, dtype={"rounds": str}) if ROWS.exists() else pd.DataFrame()
    keys = ["task", "leaves", "rate", "seed"]
    done = set() if rows.empty else set(rows[keys].itertuples(index=False, name=None))
    start = time.process_time()
    for seed, leaves, rate, task in itertools.product(range(SEEDS), LEAVES, RATES, TASKS):
        if (task, leaves, rate, seed) in done:
            continue
        if time.process_time() - start > limit:
            break
        more = pd.DataFrame(measure(task, leaves, rate, seed), columns=COLUMNS).round(5)
        more.to_csv(ROWS, mode="a", header=not ROWS.exists(), index=False)
    return pd.read_csv(ROWS, dtype={"rounds": str})


def changes(rows, by):
    """Return the change from strength 0, in per cent or points, and half its 95 % interval.

    Pairs are fits to the same rows by the same seed. The interval is over seeds for one task, and
    over tasks, each the mean of its seeds, for several.
    """
    values = rows[[str(s) for s in STRENGTHS[1:]] + ["one"]]
    alone = rows[str(STRENGTHS[0])]
    unit = alone.where(rows.measured == "loss", 1.0)  # of errors some are 0
    change = 100.0 * values.sub(alone, axis=0).div(unit, axis=0)
    over = "seed" if "task" in by else "task"
    mean = change.groupby([rows[name] for name in [*by, over]]).mean()
    grouped = mean.groupby(level=by)
    n = grouped.count()
    return grouped.mean(), grouped.std() / np.sqrt(n) * student.ppf(0.975, n - 1)


def table(rows, by):
    """Return ``changes`` as a Markdown table, a row a regime."""
    mean, half = changes(rows, by)
    text = mean.map("{:+.1f}".format) + " ± " + half.map("{:.1f}".format)
    text = text.where(mean.notna(), "").reset_index()
    lines = [[str(name) for name in text.columns], ["---"] * len(text.columns)]
    lines += [[str(cell) for cell in row] for row in text.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# -- what it costs ---------------------------------------------------------------------------------


def run() -> Report:
    """Time N = 8 boosters grown together against eight boosters, by CPU time on one thread."""
    report = Report("negative_correlation_boosting")
    numba.set_num_threads(1)
    for n, rounds, leaves in ((5_000, 50, 31), (100_000, 20, 63)):
        X, y = make_classification(n, 20, n_informative=10, n_redundant=4, random_state=0)
        for share in (1.0, 0.5):
            _against(report, X, y, rounds, leaves, share)
    return report


def _against(report, X, y, rounds, leaves, share):
    options = {"max_leaf_nodes": leaves, "subsample": share, "max_features": 1.0}
    options["early_stopping"] = False

    def together():
        NegativeCorrelationBoostingClassifier(
            8, n_rounds=rounds, strength=0.5, random_state=0, **options
        ).fit(X, y)

    def alone():
        for seed in range(8):
            HistBoostClassifier(n_estimators=rounds, random_state=seed, **options).fit(X, y)

    peers = {"8 HistBoost": alone}
    try:
        peers["8 LightGBM"] = _lightgbm(X, y, rounds, leaves, share)
    except ImportError:
        print("LightGBM is not installed: left out")
    runs = {"ours": together, **peers}
    for fit in runs.values():
        fit()
    times = {name: [] for name in runs}
    for _ in range(3):
        for name, fit in runs.items():
            start = time.process_time()
            fit()
            times[name].append(time.process_time() - start)
    case = f"n={len(X):,}, {rounds} rounds of {leaves} leaves, subsample {share:g}"
    for name in peers:
        report.add(case, times["ours"], times[name], name, note="CPU time, one thread")


def _lightgbm(X, y, rounds, leaves, share):
    import lightgbm

    def fit():
        for seed in range(8):
            options = {
                "objective": "binary",
                "num_leaves": leaves,
                "min_data_in_leaf": 1,
                "bagging_fraction": share,
                "bagging_freq": int(share < 1),
                "num_threads": 1,
                "verbose": -1,
                "seed": seed,
            }
            lightgbm.train(options, lightgbm.Dataset(X, y), num_boost_round=rounds)

    return fit


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800.0, help="CPU seconds at most")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    numba.set_num_threads(1)
    found = collect(parser.parse_args().seconds)
    for kinds, measured in ((NUMBERS, "loss"), (CLASSES, "loss"), (CLASSES, "error")):
        chosen = found[found.task.isin(list(kinds)) & (found.measured == measured)]
        print(f"\n{measured}, {', '.join(kinds)}\n")
        print(table(chosen, ["rate", "leaves", "rounds"]), "\n")
        print(table(chosen[chosen.rounds == "best"], ["rate", "task"]))
