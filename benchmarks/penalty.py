"""When does the penalty of AdaBoost.NC pay? Repeats the tables of docs/adaboost_nc.md.

``python -m benchmarks.penalty`` prints what a fixed lambda does to the error as members get weaker,
ensembles larger and classes more; ``--auto`` compares ``lam="auto"`` with lambda 0 on shipped and
made data, split by split, ``--splits`` of them from ``--first`` on; ``--ambiguity`` compares the
absolute, signed and weighted ambiguity at lambda 2. Each takes some minutes. ``--price`` tells what
``lam="auto"`` and calibration cost, in CPU time of a bare fit, by trees, members and table.
``python -m benchmarks penalty`` looks at the price of ``lam="auto"`` and a few of the sets.
"""

import argparse
import time

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks.harness import Report
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import TabularEncoder, load
from counterpoint.trees import HistTreeClassifier

LAMS = (0.0, 0.1, 0.5, 1.0, 2.0, 6.0)
DEPTHS = (1, 2, 4, 8)
CLASSES = (2, 5)
SIZES = (11, 51)
SHIPPED = (
    "glass",
    "ionosphere",
    "sonar",
    "heart-statlog",
    "pima",
    "bupa",
    "vehicle",
    "breast-w",
    "german-credit",
    "wdbc",
    "segment",
    "ecoli",
)
PRICED = ("pima", "glass", "sonar", "vehicle", "german-credit", "segment")
# Share of labels that are flipped and distance of the classes, from easy to hard.
HARDER = ((0.0, 1.5), (0.05, 1.0), (0.1, 0.8), (0.2, 0.6), (0.3, 0.4))


def safe_lam(error, n_classes):
    """Return the largest lambda under which a row that splits the members evenly still gains."""
    odds = (1.0 - error) * (n_classes - 1.0) / error
    gain = -np.log(odds) / n_classes - np.log(error * n_classes / (n_classes - 1.0))
    return gain / np.log(n_classes)


def made(n, n_classes, flip, sep, seed):
    """Return a made task."""
    return make_classification(
        n, 20, n_informative=8, n_classes=n_classes, flip_y=flip, class_sep=sep, random_state=seed
    )


def by_lam(seeds):
    """Return the change of the test error from lambda 0, in points, by task and lambda."""
    rows = []
    for n_classes in CLASSES:
        for depth in DEPTHS:
            errors = {(s, lam): [] for s in SIZES for lam in (*LAMS, "strength 0.5")}
            weighted = []
            for seed in range(seeds):
                X, y = made(3000, n_classes, 0.1, 0.8, seed)
                X, X_test, y, y_test = X[:1000], X[1000:], y[:1000], y[1000:]
                for lam in (*LAMS, "strength 0.5"):
                    given = {"strength": 0.5} if isinstance(lam, str) else {"lam": lam}
                    model = AdaBoostNCClassifier(
                        HistTreeClassifier(max_depth=depth),
                        n_estimators=max(SIZES),
                        calibrate=False,
                        **given,
                    ).fit(X, y)
                    if lam == 0.0:
                        weighted.append(model.history_["error"].median())
                    staged = [np.mean(said != y_test) for said in model.staged_predict(X_test)]
                    for size in SIZES:
                        errors[size, lam].append(staged[min(size, len(staged)) - 1])
            error = float(np.mean(weighted))
            for size in SIZES:
                own = np.array(errors[size, 0.0])
                row = {
                    "classes": n_classes,
                    "depth": depth,
                    "member": error,
                    "safe": safe_lam(error, n_classes),
                    "members": size,
                    "lambda 0": 100 * own.mean(),
                }
                for lam in (*LAMS[1:], "strength 0.5"):
                    row[str(lam)] = 100 * float((np.array(errors[size, lam]) - own).mean())
                rows.append(row)
    return pd.DataFrame(rows)


def tasks():
    """Yield names and data: shipped ones, and made ones of rising difficulty."""
    for name in SHIPPED:
        X, y = load(name, return_X_y=True)
        X = np.asarray(TabularEncoder().fit_transform(X), dtype=float)
        yield name, X, np.unique(np.asarray(y), return_inverse=True)[1]
    for place, (flip, sep) in enumerate(HARDER, start=1):
        for n_classes in CLASSES:
            yield f"made {place}, {n_classes} classes", *made(1200, n_classes, flip, sep, 7)


def learners():
    """Return the members that are looked at: the default, and trees of few leaves."""
    return {"pruned": None, "depth 2": HistTreeClassifier(max_depth=2)}


def auto_against_none(splits, first=0, *, names=None, members=learners):
    """Return rows of error and log-loss with lambda 0 and "auto", for every split of every task."""
    rows = []
    for name, X, y in tasks():
        if names is not None and name not in names:
            continue
        for kind, member in members().items():
            for split in range(first, first + splits):
                parts = train_test_split(X, y, test_size=0.4, stratify=y, random_state=split)
                row = {"task": name, "trees": kind, "split": split}
                for lam in (0.0, "auto"):
                    start = time.process_time()
                    model = AdaBoostNCClassifier(member, lam=lam).fit(parts[0], parts[2])
                    row[f"seconds {lam}"] = time.process_time() - start
                    proba = model.predict_proba(parts[1])
                    row[f"error {lam}"] = np.mean(model.predict(parts[1]) != parts[3])
                    row[f"loss {lam}"] = log_loss(parts[3], proba, labels=model.classes_)
                row["strength"] = model.strength_
                rows.append(row)
        print(name, flush=True)
    return pd.DataFrame(rows)


def by_ambiguity(splits, first=0, *, lam=2.0, members=21):
    """Return the test error with each ambiguity and without penalty, for every split of a task."""
    kinds = {"none": {"lam": 0.0}}
    kinds |= {k: {"lam": lam, "ambiguity": k} for k in ("absolute", "signed", "weighted")}
    rows = []
    for name, X, y in tasks():
        for split in range(first, first + splits):
            parts = train_test_split(X, y, test_size=0.4, stratify=y, random_state=split)
            row = {"task": name, "split": split}
            for kind, given in kinds.items():
                model = AdaBoostNCClassifier(n_estimators=members, calibrate=False, **given)
                model.fit(parts[0], parts[2])
                row[kind] = 100 * np.mean(model.predict(parts[1]) != parts[3])
            rows.append(row)
    return pd.DataFrame(rows)


def price(members=(10, 25, 50, 100), depths=(1, 3, 5), repeats=7):
    """Print CPU time of a fit with calibration and with "auto", over that of a bare one.

    Medians of fits in turns; ranges are over tables.
    """
    tables = {name: (X, y) for name, X, y in tasks() if name in PRICED}
    tables |= {f"made {n}": made(n, 2, 0.1, 0.8, 0) for n in (200, 1000, 5000, 15_000)}
    for depth in depths:
        for count in members:
            rows = {}
            for name, data in tables.items():
                times = np.array([_three_fits(depth, count, data) for _ in range(repeats + 1)])[1:]
                rows[name] = np.median(times, axis=0)
            seen = pd.DataFrame(rows, index=["bare", "calibrated", "auto"]).T
            over = seen[["calibrated", "auto"]].div(seen["bare"], axis=0)
            told = [
                f"{kind} {own.median():.2f} ({own.min():.2f} to {own.max():.2f}, {own.idxmax()})"
                for kind, own in over.items()
            ]
            print(f"depth {depth}, {count} members: {'; '.join(told)}", flush=True)


def _three_fits(depth, count, data):
    tree, times = HistTreeClassifier(max_depth=depth), []
    for given in ({"lam": 0.0, "calibrate": False}, {"lam": 0.0}, {}):
        start = time.process_time()
        AdaBoostNCClassifier(tree, n_estimators=count, **given).fit(*data)
        times.append(time.process_time() - start)
    return times


def summary(rows):
    """Return, by task and trees, the mean change from lambda 0 and its standard error, in points.

    Splits of one table share rows: the standard error is too small, so more tasks than two in a
    hundred lie beyond two of them by chance alone.
    """
    found = []
    for (task, trees), part in rows.groupby(["task", "trees"], sort=False):
        row = {"task": task, "trees": trees, "error": 100 * part["error 0.0"].mean()}
        for figure in ("error", "loss"):
            change = 100 * (part[f"{figure} auto"] - part[f"{figure} 0.0"])
            row[f"{figure} change"] = change.mean()
            row[f"{figure} noise"] = change.std(ddof=1) / np.sqrt(len(change))
        row["penalised"] = (part["strength"] > 0).sum()
        found.append(row)
    return pd.DataFrame(found)


def told(table):
    """Print the summary: by task, and over all of them."""
    print(table.round(2).to_string(index=False))
    for trees, part in table.groupby("trees", sort=False):
        for figure in ("error", "loss"):
            change, noise = part[f"{figure} change"], part[f"{figure} noise"]
            print(
                f"{trees}, {figure}: {change.mean():+.2f} "
                f"(standard error {change.std(ddof=1) / np.sqrt(len(change)):.2f}), "
                f"from {change.min():+.2f} to {change.max():+.2f}; of {len(part)} tasks "
                f"{(change > 2 * noise).sum()} worse and {(change < -2 * noise).sum()} better "
                "by more than two standard errors"
            )


def run() -> Report:
    """Report the price of "auto", and whether it does any harm, on four of the tasks."""
    report = Report("penalty")
    rows = auto_against_none(5, names=("pima", "vehicle", "sonar", "made 5, 2 classes"))
    own = rows[rows["trees"] == "pruned"]
    price = (own["seconds auto"] / own["seconds 0.0"]).median()
    report.limit('"auto" with calibration against lambda 0 with it, time', price, 1.5, "x")
    table = summary(rows)
    change = table["error change"]
    error = change.std(ddof=1) / np.sqrt(len(change))
    report.limit(
        '"auto" against lambda 0, error', max(change.mean(), 0.0), max(2 * error, 1e-9), "points"
    )
    return report


def main():
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--auto", action="store_true", help='compare lam="auto" with lambda 0')
    parser.add_argument("--splits", type=int, default=5, help="splits, or seeds of made data")
    parser.add_argument("--first", type=int, default=0, help="seed of the first split")
    parser.add_argument("--ambiguity", action="store_true", help="compare kinds of ambiguity")
    parser.add_argument("--price", action="store_true", help="what auto and calibration cost")
    asked = parser.parse_args()
    if asked.price:
        price()
    elif asked.ambiguity:
        table = by_ambiguity(asked.splits, asked.first).groupby("task", sort=False).mean()
        print(table.drop(columns="split").round(2).to_string())
        for kind in ("absolute", "signed", "weighted"):
            change = table[kind] - table["absolute" if kind != "absolute" else "none"]
            print(
                f"{kind}: {change.mean():+.2f} ({change.std() / np.sqrt(len(change)):.2f}) points, "
                f"better on {(change < 0).sum()}, worse on {(change > 0).sum()} of {len(change)}"
            )
    elif asked.auto:
        rows = auto_against_none(asked.splits, asked.first)
        told(summary(rows))
        ratio = rows["seconds auto"] / rows["seconds 0.0"]
        print("time against lambda 0:", ratio.groupby(rows["trees"]).median().round(2).to_dict())
    else:
        print(by_lam(asked.splits).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
