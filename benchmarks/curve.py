"""Error and log-loss against CPU seconds: our boosters beside those that people use.

Every booster gets as many rounds as fit into 1, 4 and, on large tables, 20 CPU seconds, in a
process of its own (``peers/boosters.py``). Rows go to ``curve.csv`` beside this file as they are
finished, and what is there is not done again::

    python -m benchmarks.curve                          # all tables but the largest, one thread
    python -m benchmarks.curve --tables made-1e6
    python -m benchmarks.curve --only-summary           # the table of docs/hist_boost.md
    python -m benchmarks.curve --picture                # docs/images/curve.png

The summary gives, at each budget, the figures of the most rounds that fit into it: nothing is
chosen by the test rows. Others run all their rounds, as they do by default; ours does so too, and
once more as it comes, with rows held out that say when to stop: those rounds are most rounds.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1, make_regression
from sklearn.model_selection import train_test_split

from benchmarks.harness import ROOT, Report, peer_python
from counterpoint.datasets import load

BUDGETS = (1.0, 4.0, 20.0)
# Threads that wait for each other sleep. By default they spin, and on a machine that others use
# as well a thread may wait long: 20 rounds of LightGBM on satimage took 15 CPU seconds, not 0.2.
WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}
SLACK = 1.02  # clocks are no better than that
OURS = ("counterpoint", "counterpoint_63", "counterpoint_stopped")
OTHERS = ("lightgbm", "lightgbm_default", "xgboost", "catboost", "scikit_learn", "perpetual")
# What the picture calls them, and their colours.
DRAWN = {
    "counterpoint": ("ours, leaves by the rows", "#1f77b4"),
    "counterpoint_63": ("ours, 63 leaves", "#17becf"),
    "counterpoint_stopped": ("ours, stopped in time", "#0b3d66"),
    "lightgbm": ("LightGBM, 63 leaves", "#d62728"),
    "lightgbm_default": ("LightGBM, 31 leaves", "#ff9896"),
    "xgboost": ("XGBoost", "#2ca02c"),
    "catboost": ("CatBoost", "#9467bd"),
    "scikit_learn": ("scikit-learn", "#ff7f0e"),
    "perpetual": ("Perpetual", "#7f7f7f"),
}
REQUIREMENTS = [
    "lightgbm>=4.6",
    "xgboost-cpu>=3.0",
    "catboost>=1.2",
    "perpetual>=1.0",
    "scikit-learn",
]
SHIPPED = ("letter", "satimage", "spambase", "churn", "segment")
LARGE = ("made-1e5", "made-1e6", "friedman1")
FIELDS = (
    "table",
    "booster",
    "threads",
    "budget",
    "rounds",
    "cpu",
    "wall",
    "error",
    "log_loss",
)
ROWS = Path(__file__).with_suffix(".csv")
PICTURE = ROOT / "docs" / "images" / "curve.png"
SCRIPT = ROOT / "benchmarks" / "peers" / "boosters.py"


def made(n):
    """Return the table on which a single tree is weak: eight clusters a class, 5 % flipped."""
    X, y = make_classification(
        n + 20_000,
        20,
        n_informative=10,
        n_redundant=4,
        n_clusters_per_class=8,
        flip_y=0.05,
        class_sep=0.8,
        random_state=0,
    )
    return X[:n], y[:n], X[n:], y[n:]


def shipped(name, split=0):
    """Return a shipped set as numbers, a third of it to test on."""
    data = load(name)
    X = data.X.apply(lambda c: c if c.dtype.kind in "biuf" else c.astype("category").cat.codes)
    y = pd.factorize(data.y)[0]
    X, X_test, y, y_test = train_test_split(
        X.to_numpy(float), y, test_size=1 / 3, stratify=y, random_state=split
    )
    return X, y, X_test, y_test


def numbers(X, y):
    """Return a table of numbers, a third of it to test on."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0)
    return X, y, X_test, y_test


TABLES = {
    "made-1e4": lambda: made(10_000),
    "made-1e5": lambda: made(100_000),
    "made-1e6": lambda: made(1_000_000),
    **{name: (lambda name=name: shipped(name)) for name in SHIPPED},
    "friedman1": lambda: numbers(*make_friedman1(150_000, 10, noise=1.0, random_state=0)),
    "linear": lambda: numbers(
        *make_regression(30_000, 20, n_informative=12, noise=20.0, random_state=0)
    ),
}


def budgets_of(table):
    """Return the CPU seconds that are worth while for a table."""
    return BUDGETS if table in LARGE else BUDGETS[:-1]


def done():
    """Return the rows that are there, as a frame."""
    return pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=FIELDS)


def run_table(name, boosters, threads, python):
    """Run the boosters that are missing of a table."""
    there = done()
    there = set(there["booster"][(there["table"] == name) & (there["threads"] == threads)])
    missing = [booster for booster in boosters if booster not in there]
    if not missing:
        return
    with tempfile.TemporaryDirectory() as folder:
        for part, array in zip(("X", "y", "X_test", "y_test"), TABLES[name](), strict=True):
            np.save(Path(folder) / f"{part}.npy", array)
        for booster in missing:
            cell = {"table": name, "booster": booster, "threads": threads}
            rows = [cell | row for row in within_budgets(folder, name, booster, threads, python)]
            keep(rows)
            for row in rows:
                print(*row.values(), flush=True)


def within_budgets(folder, table, booster, threads, python):
    """Return the rows of one booster, trained in a process of its own."""
    ours = booster in OURS
    environment = os.environ | {
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "PYTHONPATH": str(ROOT) if ours else "",
    }
    if threads > 1:
        environment |= WAITING
    command = [sys.executable if ours else python, SCRIPT, folder, booster, threads]
    command += budgets_of(table)
    result = subprocess.run(
        [str(word) for word in command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        print(result.stderr[-500:], file=sys.stderr)
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def keep(rows):
    """Add rows to the file."""
    new = not ROWS.exists()
    with ROWS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def summary(rows):
    """Return error and log-loss of every booster at every budget: the most rounds that fit in."""
    found = []
    for (table, threads, booster), part in rows.groupby(["table", "threads", "booster"]):
        for budget in budgets_of(table):
            inside = part[part["cpu"] <= SLACK * budget]
            if len(inside):
                best = inside.loc[inside["rounds"].idxmax()]
                found.append((table, threads, budget, booster, best["error"], best["log_loss"]))
    columns = ["table", "threads", "budget", "booster", "error", "log_loss"]
    frame = pd.DataFrame(found, columns=columns)
    return frame.pivot_table(
        index=["table", "threads", "budget"], columns="booster", values=["error", "log_loss"]
    )


def picture(rows):
    """Draw log-loss, of numbers the RMSE, against CPU seconds: a panel a table, one thread."""
    from matplotlib import pyplot as plt
    from matplotlib.ticker import NullFormatter

    rows = rows[rows["threads"] == 1]
    tables = [name for name in TABLES if (rows["table"] == name).any()]
    wide = min(4, len(tables))
    high = -(-len(tables) // wide)
    figure, axes = plt.subplots(
        high, wide, figsize=(3.2 * wide, 2.6 * high), squeeze=False, layout="constrained"
    )
    for ax in axes.flat[len(tables) :]:
        ax.set_axis_off()
    for ax, table in zip(axes.flat, tables, strict=False):
        here = rows[rows["table"] == table]
        figure_of = "error" if here["log_loss"].isna().all() else "log_loss"
        for booster, (name, color) in DRAWN.items():
            line = here[here["booster"] == booster].sort_values("cpu")
            style = {"lw": 2.2, "marker": "o"} if booster in OURS else {"lw": 1.0, "marker": "."}
            ax.plot(line["cpu"], line[figure_of], label=name, color=color, ms=4, **style)
        drawn = here[here["cpu"] > 0.5][figure_of]
        if len(drawn):
            ax.set_ylim(0.98 * drawn.min(), 1.02 * drawn.quantile(0.9))
        ax.set(title=table, xscale="log", ylabel="RMSE" if figure_of == "error" else "log-loss")
        ax.xaxis.set_minor_formatter(NullFormatter())
    for ax in axes[-1]:
        ax.set_xlabel("CPU seconds")
    last = axes.flat[-1]  # beside the panels, where there is room
    last.legend(*axes.flat[0].get_legend_handles_labels(), frameon=False, fontsize="small")
    figure.savefig(PICTURE, dpi=110)


def run(tables=("made-1e4", "segment"), threads=(1,), boosters=(*OURS, *OTHERS)) -> Report:
    """Run the small tables, as a part of all benchmarks."""
    python = peer_python("boosters", REQUIREMENTS)
    for name in tables:
        for n in threads:
            run_table(name, [b for b in boosters if b in OURS or python], n, python)
    print(summary(done()).round(4).to_string())
    return Report("curve")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = [name for name in TABLES if name != "made-1e6"]
    parser.add_argument("--tables", nargs="+", choices=sorted(TABLES), default=default)
    parser.add_argument("--boosters", nargs="+", choices=(*OURS, *OTHERS), default=[*OURS, *OTHERS])
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--only-summary", action="store_true")
    parser.add_argument("--picture", action="store_true", help="only draw what is there")
    given = parser.parse_args()
    if given.only_summary:
        print(summary(done()).round(4).to_string())
    elif given.picture:
        picture(done())
    else:
        run(given.tables, given.threads, given.boosters)
