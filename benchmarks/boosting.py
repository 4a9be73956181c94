"""A round of AdaBoost.NC on histogram trees, against scikit-learn, LightGBM and XGBoost.

Times per round, binning left out for all but scikit-learn (which has none): two ensembles of
different size are trained, and the difference divided by the extra rounds. Ours includes the
reweighing; the gradient boosters run bare. Accuracy is shown beside speed.

``python -m benchmarks.boosting`` prints error, log-loss and Brier score of all boosters by votes or
scores, with bare probabilities and with calibrated ones, and what calibration costs.
"""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier as ScikitLearnAdaBoost
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import PAUSE, THREADS, Report, clock
from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaBoostSVMClassifier,
    ArcX4Classifier,
    L2BoostClassifier,
    LogitBoostClassifier,
    NCABSVMClassifier,
)
from counterpoint.datasets import TabularEncoder, load
from counterpoint.trees import HistTreeClassifier

SETS = ("glass", "vehicle", "pima", "sonar", "wdbc", "german-credit", "ionosphere", "heart-statlog")
BOOSTERS = {
    "AdaBoost": lambda **o: AdaBoostClassifier(HistTreeClassifier(max_depth=3), **o),
    "AdaBoost.M1": lambda **o: AdaBoostM1Classifier(HistTreeClassifier(max_depth=3), **o),
    "AdaBoost.M2": lambda **o: AdaBoostM2Classifier(HistTreeClassifier(max_depth=3), **o),
    "AdaBoost.NC, auto": lambda **o: AdaBoostNCClassifier(HistTreeClassifier(max_depth=3), **o),
    "arc-x4": lambda **o: ArcX4Classifier(HistTreeClassifier(max_depth=5), random_state=0, **o),
    "LogitBoost": lambda **o: LogitBoostClassifier(**o),
    "L2Boost": lambda **o: L2BoostClassifier(**o),
    "AdaBoostSVM": lambda **o: AdaBoostSVMClassifier(n_estimators=10, **o),
    "NCABSVM": lambda **o: NCABSVMClassifier(n_estimators=10, **o),
}


def run() -> Report:
    report = Report("boosting")
    for n, depth, rounds, targets in (
        (500, 1, 40, {"scikit-learn": 5}),
        (500, 4, 40, {"scikit-learn": 5}),
        (100_000, 4, 10, {"scikit-learn": 150, "LightGBM": 1, "XGBoost": 1}),
        (100_000, 8, 10, {"scikit-learn": 150, "LightGBM": 1, "XGBoost": 1}),
        (1_000_000, 4, 16, {"LightGBM": 1}),
        (1_000_000, 8, 16, {"LightGBM": 1}),
    ):
        X, y = make_classification(n, 20, n_informative=10, random_state=0)
        _against(report, X, y, depth, rounds, targets, f"n={n:,}, depth {depth}")
    X, y = make_classification(
        100_000, 20, n_informative=12, n_classes=10, n_clusters_per_class=1, random_state=0
    )
    _against(report, X, y, 6, 8, {"LightGBM": 5}, "n=100,000, 10 classes, depth 6")
    _accuracy(report)
    _fit(report)
    _memory(report)
    return report


def _against(report, X, y, depth, rounds, targets, case):
    ours = _ours(X, y, depth)
    peers = {"scikit-learn": _scikit_learn, "LightGBM": _lightgbm, "XGBoost": _xgboost}
    for name, at_least in targets.items():
        try:
            peer = peers[name](X, y, depth)
        except ImportError:
            print(f"{name} is not installed: left out")
            continue
        slow = name == "scikit-learn" and len(X) > 10_000
        extra = 1 if slow else rounds
        repeats = 3 if slow or len(X) > 500_000 else 5
        ours(2), peer(1)
        ours_times, peer_times = [], []
        for _ in range(repeats):
            ours_times.append(_per_round(ours, rounds))
            peer_times.append(_per_round(peer, extra))
        report.add(case, ours_times, peer_times, name, at_least=at_least, note=_note(name))


def _note(name):
    if name == "scikit-learn":
        return "AdaBoostClassifier of DecisionTreeClassifier, plain AdaBoost"
    return f"bare gradient boosting, {THREADS} thread(s), same depth, 255 bins"


def _per_round(train, rounds):
    """Seconds per round: what more rounds cost beyond a few."""
    time.sleep(PAUSE)
    few = min(_time(train, 1) for _ in range(2))
    many = min(_time(train, 1 + rounds) for _ in range(2))
    if many <= few:
        raise RuntimeError(f"{rounds} rounds more took no longer: the machine is too busy to tell.")
    return (many - few) / rounds


def _time(train, rounds):
    start = clock()
    train(rounds)
    return clock() - start


def _ours(X, y, depth):
    learner = HistTreeClassifier(max_depth=depth)
    return lambda rounds: AdaBoostNCClassifier(
        learner, n_estimators=rounds, lam=2.0, calibrate=False
    ).fit(X, y)


def _scikit_learn(X, y, depth):
    learner = DecisionTreeClassifier(max_depth=depth)
    return lambda rounds: ScikitLearnAdaBoost(learner, n_estimators=rounds).fit(X, y)


def _lightgbm(X, y, depth):
    import lightgbm

    n_classes = len(np.unique(y))
    options = {
        "objective": "binary" if n_classes == 2 else "multiclass",
        "num_class": 1 if n_classes == 2 else n_classes,
        "max_depth": depth,
        "num_leaves": 2**depth,
        "min_data_in_leaf": 1,
        "max_bin": 255,
        "num_threads": THREADS,
        "verbose": -1,
    }
    data = lightgbm.Dataset(X, y, params=options).construct()
    return lambda rounds: lightgbm.train(options, data, num_boost_round=rounds)


def _xgboost(X, y, depth):
    import xgboost

    options = {
        "objective": "binary:logistic",
        "max_depth": depth,
        "tree_method": "hist",
        "max_bin": 255,
        "min_child_weight": 0,
        "nthread": THREADS,
        "verbosity": 0,
    }
    data = xgboost.QuantileDMatrix(X, y, max_bin=255)
    return lambda rounds: xgboost.train(options, data, num_boost_round=rounds)


def _accuracy(report):
    """Plain AdaBoost on histogram trees and on scikit-learn's, over ten seeds."""
    gaps = []
    for seed in range(10):
        X, y = make_classification(6000, 20, n_informative=10, flip_y=0.05, random_state=seed)
        ours = AdaBoostClassifier(HistTreeClassifier(max_depth=4), n_estimators=30)
        theirs = ScikitLearnAdaBoost(DecisionTreeClassifier(max_depth=4), n_estimators=30)
        gaps.append(
            ours.fit(X[:3000], y[:3000]).score(X[3000:], y[3000:])
            - theirs.fit(X[:3000], y[:3000]).score(X[3000:], y[3000:])
        )
    mean, error = np.mean(gaps), np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    report.limit(
        "accuracy lost to bins, 10 seeds",
        max(-mean, 1e-6),
        max(2 * error, 1e-6),
        "(share)",
        note=f"ours less scikit-learn's: {mean:+.4f}, standard error {error:.4f}",
    )


def probabilities(splits, boosters=tuple(BOOSTERS), first=0):
    """Return error, log-loss and Brier score, bare and calibrated, and the price: means over sets.

    The Brier score is the squared distance to the class, summed over the classes.
    """
    rows = []
    for booster in boosters:
        for name in SETS:
            X, y = load(name, return_X_y=True)
            X = np.asarray(TabularEncoder().fit_transform(X), dtype=float)
            y = np.unique(np.asarray(y), return_inverse=True)[1]
            for split in range(first, first + splits):
                parts = train_test_split(X, y, test_size=0.4, stratify=y, random_state=split)
                for calibrate in (False, True):
                    start = time.process_time()
                    model = BOOSTERS[booster](calibrate=calibrate).fit(parts[0], parts[2])
                    row = {"booster": booster, "set": name, "split": split, "fit": calibrate}
                    row["seconds"] = time.process_time() - start
                    rows.append(row | _figures(model, parts[1], parts[3]))
    return pd.DataFrame(rows)


def _figures(model, X, y):
    proba = model.predict_proba(X)
    return {
        "error": np.mean(model.predict(X) != y),
        "log_loss": log_loss(y, np.clip(proba, 1e-15, 1.0), labels=model.classes_),
        "brier": np.mean(((proba - np.eye(len(model.classes_))[y]) ** 2).sum(axis=1)),
    }


def by_booster(rows):
    """Return the table of the docs: means over sets and splits; the price is a median."""
    figures = rows.pivot_table(
        index="booster", columns="fit", values=["error", "log_loss", "brier"], sort=False
    )
    figures.columns = [f"{name}, {'calibrated' if fit else 'bare'}" for name, fit in figures]
    seconds = rows.pivot_table(index=["booster", "set", "split"], columns="fit", values="seconds")
    figures["time"] = (seconds[True] / seconds[False]).groupby("booster").median()
    return figures


def _fit(report):
    """Report how calibrated probabilities fit, beside bare ones."""
    table = by_booster(probabilities(2, ("AdaBoost", "LogitBoost")))
    for booster, row in table.iterrows():
        for figure in ("log_loss", "brier"):
            report.limit(
                f"{booster}, {figure} calibrated",
                row[f"{figure}, calibrated"],
                row[f"{figure}, bare"],
                "(bare)",
                note=f"{booster}: error {row['error, calibrated']:.4f} with both",
            )


MEMORY = """
import numpy as np
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.trees import HistTreeClassifier
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
def train(n):
    rng = np.random.default_rng(0)
    X = np.empty((n, 20))
    for column in X.T:
        column[:] = rng.standard_normal(n)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    before = kilobytes("VmRSS")
    AdaBoostNCClassifier(HistTreeClassifier(max_depth=8), n_estimators=3).fit(X, y)
    return before
train(1000)  # compile first: LLVM needs memory of its own
before = train(1_000_000)
print((kilobytes("VmHWM") - before) / 1024)
"""


def _memory(report):
    """Measure what a fit on a million rows adds to the data themselves."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    twice = 2 * 1_000_000 * 20 * 8 / 2**20
    report.limit("n=1,000,000 x 20, depth 8, memory added to X", float(done.stdout), twice, "MB")


if __name__ == "__main__":
    print(by_booster(probabilities(3)).round(3).to_string())
