"""The flagship under a time limit, beside AutoGluon and boosters as they come.

Full shipped sets and generated tables, a quarter of the rows (of generated ones 20,000) to test on,
one thread: error (of numbers the RMSE), log-loss, the time and the most memory that the process has
had. With ``--cpu`` limits and times count the processor's seconds, which others at work on the same
machine do not change. Rows go to ``limits.csv`` beside
this file as they are finished; what is there is not done again, unless asked for::

    python -m benchmarks.limits --limits 10 30 60
    python -m benchmarks.limits --tables letter satimage --again
    python -m benchmarks.limits --autogluon --tables made-6e4 --limits 10 20 40
    python -m benchmarks.limits --cpu --tables made-1e6 --limits 10 60
    python -m benchmarks.limits --cpu --splits 5 --tables segment spambase
    python -m benchmarks.limits --picture               # docs/images/anytime.png
"""

import argparse
import csv
import resource
import time
import warnings
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks import study
from benchmarks.harness import ROOT, run_peer
from counterpoint.auto import OverproduceSelectClassifier, OverproduceSelectRegressor
from counterpoint.datasets import TabularEncoder, load, make_waveform

SHIPPED = ("segment", "hypothyroid", "spambase", "churn", "satimage", "letter")
MADE = {"made-1e4": 10_000, "made-6e4": 60_000, "made-1e5": 100_000, "made-1e6": 1_000_000}
# Rows, columns and classes of tables that are wide, or have many classes.
SHAPES = {
    "wide-5e3": (5_000, 300, 2), "wide-2e4": (20_000, 100, 2), "narrow-1e5": (100_000, 20, 2),
    "classes-100": (6_000, 30, 100),
}  # fmt: skip
MESSY = 3_000
WORDS = ("good", "fast", "late", "broken", "blue", "small", "again", "never")
WAVEFORM = 5_000
NUMBERS = {"friedman-1e4": 10_000, "friedman-1e5": 100_000, "linear-1e4": 10_000}
ROWS = Path(__file__).with_suffix(".csv")
PICTURE = ROOT / "docs" / "images" / "anytime.png"
FIELDS = (
    "table", "split", "method", "limit", "error", "log_loss", "seconds", "note", "clock",
    "gigabytes",
)  # fmt: skip
OURS, AUTOGLUON = "overproduce-select", "AutoGluon best"


def data(name, split=0):
    """Return the rows to train and to test on; tables are made anew for every split."""
    if name in NUMBERS:
        n = NUMBERS[name] + 20_000
        make = make_friedman1 if name.startswith("friedman") else make_regression
        extra = {} if name.startswith("friedman") else {"n_features": 20}
        X, y = make(n, noise=1.0, random_state=split, **extra)
        return train_test_split(X, y, test_size=20_000, random_state=split)
    if name in SHAPES:
        n, n_features, n_classes = SHAPES[name]
        many = n_classes > 2
        X, y = make_classification(
            n + 10_000, n_features, n_informative=min(20, n_features * 2 // 3), n_redundant=5,
            n_classes=n_classes, n_clusters_per_class=1 if many else 4, flip_y=0.02,
            class_sep=2.0 if many else 1.0, random_state=split,
        )  # fmt: skip
        return train_test_split(X, y, test_size=10_000, random_state=split)
    if name == "messy":
        return messy(split)
    if name == "waveform":
        X, y = make_waveform(WAVEFORM + 20_000, random_state=split)
        return train_test_split(X, y, test_size=20_000, random_state=split)
    if name in MADE:
        X, y = make_classification(
            MADE[name] + 20_000, 30, n_informative=10, n_redundant=4, n_clusters_per_class=8,
            flip_y=0.05, class_sep=0.8, random_state=split,
        )  # fmt: skip
        return train_test_split(X, y, test_size=20_000, random_state=split)
    X, y = load(name, return_X_y=True)
    y = np.unique(y.astype(str), return_inverse=True)[1]
    A, B, a, b = train_test_split(X, y, random_state=split, stratify=y)
    encoder = TabularEncoder().fit(A)
    return encoder.transform(A), encoder.transform(B), a, b


def messy(split):
    """Return numbers made of a table with text, categories and gaps; the text tells something."""
    n = MESSY + 10_000
    rng = np.random.default_rng(split)
    X, y = make_classification(n, 12, n_informative=8, flip_y=0.05, random_state=split)
    words = np.array(list(WORDS), dtype=object)
    draws = rng.integers(len(words), size=(n, 5))
    told = rng.random(n) < 0.3
    draws[told, 0] = 2 + y[told]  # "late" or "broken"
    frame = pd.DataFrame(X).add_prefix("x")
    text = [" ".join(row) for row in words[draws]]
    frame[list(words)] = CountVectorizer(binary=True, vocabulary=words).transform(text).toarray()
    frame["city"] = pd.Categorical(rng.choice([f"city {k}" for k in range(40)], size=n))
    frame["kind"] = np.where(X[:, 0] + rng.normal(size=n) > 0, "a", "b")
    gaps = rng.random(frame.shape) < 0.1
    frame = frame.mask(gaps)
    A, B, a, b = train_test_split(frame, y, test_size=10_000, random_state=split)
    encoder = TabularEncoder().fit(A)
    return encoder.transform(A), encoder.transform(B), a, b


def peers(numbers):
    """Return boosters as they come."""
    kind = "Regressor" if numbers else "Classifier"
    ours = HistGradientBoostingRegressor if numbers else HistGradientBoostingClassifier
    made = {"histogram boosting": lambda: ours(random_state=0)}
    try:
        import lightgbm
    except ImportError:
        return made
    made["LightGBM"] = lambda: getattr(lightgbm, f"LGBM{kind}")(n_jobs=1, verbose=-1)
    return made


def run(table, split, method, make, limit, cpu):
    """Return a row."""
    A, B, a, b = data(table, split)
    clock = study.cpu_clock() if cpu else nullcontext()
    with warnings.catch_warnings(record=True) as said, threadpool_limits(1), clock:
        warnings.simplefilter("always")
        began = time.monotonic()
        model = make().fit(A, a)
        seconds = time.monotonic() - began
    note = "; ".join(str(w.message) for w in said if "In the time" in str(w.message))
    if table in NUMBERS:
        losses = np.sqrt(np.mean((model.predict(B) - b) ** 2)), ""
    else:
        proba = model.predict_proba(B)
        losses = np.mean(proba.argmax(axis=1) != b), log_loss(b, proba)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return table, split, method, limit, *losses, seconds, note, "cpu" if cpu else "wall", most


def run_autogluon(table, split, limit, python, cpu):
    """Return a row of AutoGluon's, given the same time."""
    A, B, a, b = data(table, split)
    given = {"A": A, "a": a, "B": B, "limit": float(limit), "methods": ["best"]}
    given |= {"task": "classes", "cpu": cpu}
    began = time.monotonic()
    told = run_peer(python, "autogluon_accuracy.py", given)["best"]
    proba = np.asarray(told["said"])
    wrong = np.mean(proba.argmax(axis=1) != b)
    # By the clock on the wall its start and the test rows are in the time, as little as they are.
    seconds = told["seconds"] if cpu else time.monotonic() - began
    clock = "cpu" if cpu else "wall"
    return table, split, AUTOGLUON, limit, wrong, log_loss(b, proba), seconds, "", clock, ""


def picture(rows):
    """Draw error against the processor's seconds, a panel for each table that AutoGluon knows."""
    from matplotlib import pyplot as plt

    rows = pd.DataFrame(rows)
    rows = rows[(rows["clock"] == "cpu") & (rows["split"] == 0)]
    count = rows[rows["method"] == AUTOGLUON]["table"].value_counts(sort=False)
    tables = list(count.index[count > 1])
    figure, axes = plt.subplots(
        1, len(tables), figsize=(3.4 * len(tables), 2.9), squeeze=False, layout="constrained"
    )
    for ax, table in zip(axes[0], tables, strict=True):
        here = rows[rows["table"] == table]
        for method, name, color in (
            (OURS, "counterpoint", "#1f77b4"), (AUTOGLUON, "AutoGluon best", "#d62728")
        ):  # fmt: skip
            line = here[here["method"] == method].astype({"limit": float}).sort_values("limit")
            ax.plot(line["limit"], 100 * line["error"], "o-", label=name, color=color)
        for _, row in here[here["method"] == "LightGBM"].iterrows():
            ax.axhline(100 * row["error"], color="0.5", ls=":", label="LightGBM as it comes")
        ax.set(title=table, xlabel="seconds of the processor", xscale="log")
        marks = sorted(here[here["method"] == AUTOGLUON]["limit"].astype(float))
        ax.set_xticks(marks, [f"{m:g}" for m in marks])
        ax.minorticks_off()
    axes[0][0].set_ylabel("error, %")
    axes[0][-1].legend(frameon=False, fontsize="small")
    figure.savefig(PICTURE, dpi=120)


def against_lightgbm(rows):
    """Return by table and limit the mean difference to LightGBM over splits, and its error.

    In points of error; splits share training rows, so the error of the mean is Nadeau and Bengio's,
    with a third as many test rows as training rows.
    """
    rows = pd.DataFrame(rows)
    rows = rows[rows["clock"] == "cpu"]
    found = []
    base = rows[rows["method"] == "LightGBM"].set_index(["table", "split"])
    for (table, limit), ours in rows[rows["method"] == OURS].groupby(["table", "limit"]):
        both = ours.set_index(["table", "split"]).join(base, rsuffix="_lightgbm", how="inner")
        for what in ("error", "log_loss"):
            gap = both[what].astype(float) - both[f"{what}_lightgbm"].astype(float)
            n = len(gap)
            spread = np.sqrt((1 / n + 1 / 3) * gap.var(ddof=1)) if n > 1 else np.nan
            found.append((table, limit, what, n, gap.mean(), spread))
    return pd.DataFrame(found, columns=["table", "limit", "loss", "splits", "difference", "error"])


def main():
    """Run what is missing, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--tables",
        nargs="+",
        default=[*SHIPPED, "waveform", *list(MADE)[:3], *SHAPES, "messy", *NUMBERS],
    )
    parser.add_argument("--limits", nargs="+", type=float, default=[10, 30, 60])
    parser.add_argument("--splits", type=int, default=1, help="cuts of each table")
    parser.add_argument("--again", action="store_true", help="forget our rows of these tables")
    parser.add_argument("--autogluon", action="store_true", help="run it beside ours")
    parser.add_argument("--cpu", action="store_true", help="count the processor's seconds")
    parser.add_argument("--picture", action="store_true", help="only draw what is there")
    given = parser.parse_args()
    numba.set_num_threads(1)
    python = study.AUTOGLUON.python("autogluon") if given.autogluon else None
    kept = pd.read_csv(ROWS).to_dict("records") if ROWS.exists() else []
    if given.picture:
        picture(kept)
        return
    clock = "cpu" if given.cpu else "wall"
    if given.again:
        old = [r["method"] == OURS and r["clock"] == clock for r in kept]
        kept = [
            r for r, o in zip(kept, old, strict=True) if not o or r["table"] not in given.tables
        ]
    done = {
        (r["table"], r["split"], r["method"], str(r["limit"]).replace("nan", ""))
        for r in kept
        if r["clock"] == clock
    }
    ROWS.parent.mkdir(exist_ok=True)
    for split, table in product(range(given.splits), given.tables):
        numbers = table in NUMBERS
        ours = OverproduceSelectRegressor if numbers else OverproduceSelectClassifier
        jobs = [(name, "", make) for name, make in peers(numbers).items()]
        jobs += [
            (
                OURS,
                str(t),
                lambda t=t, ours=ours: ours(time_limit=t, random_state=0, progress=False),
            )
            for t in given.limits
        ]
        if python is not None and not numbers:
            jobs += [(AUTOGLUON, str(t), None) for t in given.limits]
        for method, limit, make in jobs:
            if (table, split, method, limit) in done:
                continue
            if make is None:
                row = run_autogluon(table, split, limit, python, given.cpu)
            else:
                row = run(table, split, method, make, limit, given.cpu)
            kept.append(dict(zip(FIELDS, row, strict=True)))
            print(*(f"{v:.4g}" if isinstance(v, float) else v for v in row), sep="  ", flush=True)
            with ROWS.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, FIELDS)
                writer.writeheader()
                writer.writerows(kept)
    print(pd.DataFrame(kept).drop(columns="note").to_string(index=False))
    if given.splits > 1:
        print(against_lightgbm(kept).round(5).to_string(index=False))


if __name__ == "__main__":
    main()
