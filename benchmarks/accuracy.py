"""Errors over many shipped data sets: ours beside forests, boosting, stacking and AutoML.

Each set is cut several times into two thirds to train on and one third to test on, stratified;
all methods get the same numbers, encoded by the training part. Every method has one thread; what
searches as long as it is let (AutoGluon, FLAML, and ours once more) is let ``LIMIT`` seconds.
Peers live in environments of their own, made when missing. Rows go to
``.benchmarks/accuracy.csv`` as they are finished, and what is there is not done again::

    python -m benchmarks.accuracy --repeats 3 --jobs 2
    python -m benchmarks.accuracy --methods overproduce-select LightGBM "AutoGluon best"
    python -m benchmarks.accuracy --again overproduce-select    # forget its rows, do them anew
    python -m benchmarks.accuracy --only-summary
"""

import argparse
import csv
import time
import warnings
from dataclasses import dataclass
from subprocess import CalledProcessError

import numba
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.harness import RESULTS, Report, peer_python, run_peer
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import TabularEncoder, load
from counterpoint.plots import RankDisplay
from counterpoint.selection import compare_ranks

# Shipped sets of 100 to 1,500 rows, cheap ones first; of sets that are nearly the same (crx and
# australian, the two hearts, the three monks' problems) one.
DATA = (
    "zoo", "promoters", "lymphography", "iris", "hepatitis", "wine", "sonar", "glass",
    "new-thyroid", "heart-statlog", "breast-cancer", "haberman", "ecoli", "bupa", "ionosphere",
    "house-votes-84", "monks-2", "balance-scale", "wdbc", "australian", "breast-w",
    "blood-transfusion", "pima", "tic-tac-toe", "german-credit", "vehicle", "primary-tumor",
    "anneal", "vowel", "soybean-large", "contraceptive",
)  # fmt: skip
FLAGSHIP = "overproduce-select"
# A class must be in both parts of every cut.
FEWEST = 6
# Probabilities below this count as this: one sure mistake must not decide about a whole set.
LEAST = 1e-6
ROWS = RESULTS / "accuracy.csv"
FIELDS = ("dataset", "repeat", "method", "error", "log_loss", "fit_seconds")
LIMIT = 20.0


@dataclass(frozen=True)
class Peer:
    """Methods of others, in an environment of their own."""

    requirements: list[str]
    script: str
    methods: dict[str, str]  # our name for each, and the script's

    def python(self, name):
        """Return the interpreter; None if it cannot be had."""
        return peer_python(name, self.requirements)


OTHERS = {
    "deslib": Peer(
        ["deslib==0.3.7", "scikit-learn==1.5.2", "numpy<2"],
        "deslib_accuracy.py",
        {"DESlib KNORA-E": "KNORA-E", "DESlib META-DES": "META-DES"},
    ),
    "autogluon": Peer(
        ["autogluon.tabular[lightgbm,catboost,xgboost]==1.6.3", "torch==2.13.0"],
        "autogluon_accuracy.py",
        {f"AutoGluon {preset}": preset for preset in ("best", "best, log-loss", "medium")},
    ),
    "tabular": Peer(
        ["torch==2.13.0", "pytabkit", "flaml[automl]", "lightgbm", "xgboost-cpu", "catboost"],
        "tabular_accuracy.py",
        {name: name for name in ("XGBoost", "LightGBM", "CatBoost", "RealMLP-TD", "FLAML")},
    ),
}


def scaled(model):
    """Return the model behind a scaler."""
    return make_pipeline(StandardScaler(), model)


def stacking(seed):
    """Return scikit-learn's stacking of four kinds of learner."""
    return StackingClassifier(
        [
            ("forest", RandomForestClassifier(300, random_state=seed)),
            ("svc", scaled(SVC(random_state=seed))),
            ("logistic", scaled(LogisticRegression(max_iter=2000))),
            ("boosting", HistGradientBoostingClassifier(random_state=seed)),
        ],
        final_estimator=LogisticRegression(max_iter=2000),
    )


METHODS = {
    FLAGSHIP: lambda seed: OverproduceSelectClassifier(progress=False, random_state=seed),
    f"{FLAGSHIP}, limited": lambda seed: OverproduceSelectClassifier(
        time_limit=LIMIT, progress=False, random_state=seed
    ),
    "random forest": lambda seed: RandomForestClassifier(300, random_state=seed),
    "extra trees": lambda seed: ExtraTreesClassifier(300, random_state=seed),
    "histogram boosting": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "stacking": stacking,
    "AdaBoost.NC": lambda seed: AdaBoostNCClassifier(random_state=seed),
    "logistic regression": lambda seed: scaled(LogisticRegression(max_iter=2000)),
}


def parts(name, repeat):
    """Return encoded training and test rows and codes of the classes, the rarest left out."""
    X, y = load(name, return_X_y=True)
    y = y.astype(str).to_numpy()
    _, codes, count = np.unique(y, return_inverse=True, return_counts=True)
    keep = count[codes] >= FEWEST
    X, y = X[keep].reset_index(drop=True), np.unique(y[keep], return_inverse=True)[1]
    train, test = train_test_split(
        np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=repeat
    )
    encoder = TabularEncoder().fit(X.iloc[train])
    A, B = (np.asarray(encoder.transform(X.iloc[rows]), dtype=float) for rows in (train, test))
    return A, y[train], B, y[test]


def measure(name, repeat, methods, pythons):
    """Return a row for each method on one cut of one set."""
    A, a, B, b = parts(name, repeat)
    rows = []

    def add(method, proba, seconds):
        truth = np.clip(np.asarray(proba)[np.arange(len(b)), b], LEAST, 1.0)
        wrong = np.mean(np.argmax(proba, axis=1) != b)
        rows.append((name, repeat, method, wrong, -np.log(truth).mean(), seconds))

    numba.set_num_threads(1)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in methods:
            if method in METHODS:
                # Time of the processor: others may be at work on the same machine.
                start = time.process_time()
                model = METHODS[method](repeat).fit(A, a)
                seconds = time.process_time() - start
                add(method, model.predict_proba(B), seconds)
        for key, python in pythons.items():
            peer = OTHERS[key]
            asked = {peer.methods[m]: m for m in methods if m in peer.methods}
            if not asked:
                continue
            given = {"A": A, "a": a, "B": B, "seed": np.array(repeat), "limit": np.array(LIMIT),
                     "methods": np.array(list(asked))}  # fmt: skip
            try:
                told = run_peer(python, peer.script, given)
            except CalledProcessError as why:
                print(f"{name}, cut {repeat}: {key} fails: {why.stderr[-200:]}", flush=True)
                continue
            for own, found in told.items():
                if own in asked:
                    add(asked[own], found["proba"], found["seconds"])
    return rows


def known():
    """Return the rows there are."""
    if not ROWS.exists():
        return pd.DataFrame(columns=list(FIELDS))
    return pd.read_csv(ROWS)


def measure_all(repeats, jobs, methods=None, again=()):
    """Fill in the rows that are missing."""
    RESULTS.mkdir(exist_ok=True)
    there = known()
    if again:
        there = there[~there["method"].isin(again)]
        there.to_csv(ROWS, index=False)
    done = set(zip(there["dataset"], there["repeat"], there["method"], strict=True))
    wanted = {m for p in OTHERS.values() for m in p.methods} if methods is None else set(methods)
    pythons = {key: p.python(key) for key, p in OTHERS.items() if wanted & set(p.methods)}
    pythons = {key: python for key, python in pythons.items() if python is not None}
    names = [*METHODS, *(m for key in pythons for m in OTHERS[key].methods)]
    names = [name for name in names if methods is None or name in methods]
    todo = []
    for repeat in range(repeats):
        for name in DATA:
            missing = [method for method in names if (name, repeat, method) not in done]
            if missing:
                todo.append(delayed(measure)(name, repeat, missing, pythons))
    new = not ROWS.exists()
    with ROWS.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(FIELDS)
        # One at a time in this process: what is written is what is done.
        for rows in Parallel(n_jobs=jobs, return_as="generator_unordered")(todo):
            writer.writerows(rows)
            file.flush()
            print(f"{rows[0][0]}, cut {rows[0][1]}: {len(rows)} methods", flush=True)


def summary(rows):
    """Return a row per method, and the two comparisons of ranks, by error and by log-loss.

    Cuts are counted that all methods have been through.
    """
    whole = rows.groupby(["dataset", "repeat"])["method"].nunique()
    whole = whole[whole == rows["method"].nunique()].index
    rows = rows.set_index(["dataset", "repeat"]).loc[whole].reset_index()
    tables = {
        what: rows.pivot_table(index="dataset", columns="method", values=what)
        for what in ("error", "log_loss", "fit_seconds")
    }
    ranks = {what: compare_ranks(tables[what]) for what in ("error", "log_loss")}
    own = tables["error"][FLAGSHIP]
    frame = pd.DataFrame(
        {
            "mean rank": ranks["error"].mean_ranks,
            "rank by log-loss": ranks["log_loss"].mean_ranks,
            "mean error": tables["error"].mean(),
            "mean log-loss": tables["log_loss"].mean(),
        }
    )
    for title, sign in (("won", 1), ("tied", 0), ("lost", -1)):
        # Means of the same cuts, summed in the same order: equal is equal up to rounding.
        frame[title] = [
            int((np.sign(np.round(tables["error"][m] - own, 12)) == sign).sum())
            for m in frame.index
        ]
    seconds = tables["fit_seconds"]
    frame["fit time"] = (seconds.div(seconds["random forest"], axis=0)).median()
    return frame.sort_values("mean rank"), ranks, tables, len(whole)


def show(rows):
    """Print the summary and leave it, and the picture, beside the rows."""
    frame, ranks, tables, n_cuts = summary(rows)
    error = ranks["error"]
    print(f"{error.n_sets} data sets, {n_cuts} cuts. Won, tied, lost: sets of the flagship against")
    print("the method; fit time: median over sets, as a multiple of the forest's.")
    print(frame.round(3).to_string())
    for what, found in ranks.items():
        print(
            f"{what}: Friedman {found.statistic:.1f}, p = {found.p_value:.2g}; mean ranks differ "
            f"at {found.alpha:g} (Nemenyi) from {found.critical_difference:.2f} on."
        )
    frame.to_csv(RESULTS / "accuracy_summary.csv")
    tables["error"].to_csv(RESULTS / "accuracy_errors.csv")
    RankDisplay.from_table(tables["error"]).figure_.savefig(RESULTS / "accuracy_ranks.png", dpi=150)
    return frame, ranks


def run() -> Report:
    """One cut of every set, and what is there already."""
    measure_all(1, 1)
    frame, ranks = show(known())
    report = Report("accuracy")
    best = frame["mean rank"].drop(FLAGSHIP).idxmin()
    report.limit(
        "mean rank of the flagship by error",
        float(frame.loc[FLAGSHIP, "mean rank"]),
        float(frame.loc[best, "mean rank"]),
        "",
        note=f"the best of the others is {best}; {ranks['error'].n_sets} sets",
    )
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="cuts looked at at a time")
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--again", nargs="+", default=[], help="forget the rows of these")
    parser.add_argument("--only-summary", action="store_true")
    asked = parser.parse_args()
    if not asked.only_summary:
        measure_all(asked.repeats, asked.jobs, asked.methods, asked.again)
    show(known())


if __name__ == "__main__":
    main()
