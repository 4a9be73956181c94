"""The evidence behind docs/choosing.md: what each branch of the decision brings, on shipped tables.

``python -m benchmarks.choosing`` (some minutes of one core) writes ``benchmarks/choosing.csv``, a
row per table, fold and method; the page's numbers come from it through docs/build.py.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostNCClassifier, HistBoostClassifier
from counterpoint.combiners import CombinedClassifier
from counterpoint.datasets import TabularEncoder, load
from counterpoint.dynamic import DynamicSelectionClassifier
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.selection import EnsembleSelectionClassifier
from counterpoint.trees import MergedTreeClassifier
from counterpoint.views import ProjectionEnsembleClassifier

FILE = Path(__file__).parent / "choosing.csv"
# Shipped tables from 150 to 1,000 rows, chosen before any result was seen; a fold has every class.
SETS = ["australian", "balance-scale", "blood-transfusion", "breast-cancer", "breast-w", "bupa"]
SETS += ["crx", "glass", "haberman", "heart-statlog", "hepatitis", "ionosphere", "iris"]
SETS += ["new-thyroid", "pima", "sonar", "vehicle", "wdbc", "wine"]
FOLDS = 3


def pool():
    """Five kinds of learners, as somebody may have them."""
    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "bayes": GaussianNB(),
        "near": make_pipeline(StandardScaler(), KNeighborsClassifier(7)),
        "forest": RandomForestClassifier(50, random_state=0),
        "boosting": AdaBoostNCClassifier(n_estimators=25, random_state=0),
    }


METHODS = {
    # One model
    "one tree, 8 leaves": lambda: DecisionTreeClassifier(max_leaf_nodes=8, random_state=0),
    "merged tree, 8 leaves": lambda: MergedTreeClassifier(50, max_leaf_nodes=8, random_state=0),
    "full tree": lambda: DecisionTreeClassifier(random_state=0),
    "linear": lambda: pool()["linear"],
    "naive Bayes": GaussianNB,
    "neighbours": lambda: pool()["near"],
    # One ensemble
    "bagging": lambda: BaggingClassifier(n_estimators=50, random_state=0),
    "forest": lambda: RandomForestClassifier(100, random_state=0),
    "rotation forest": lambda: ProjectionEnsembleClassifier(
        kinds="rotation", n_estimators=30, random_state=0
    ),
    "AdaBoost.NC": lambda: AdaBoostNCClassifier(n_estimators=50, random_state=0),
    "histogram boosting": lambda: HistBoostClassifier(random_state=0),
    "networks together": lambda: NegativeCorrelationClassifier(10, random_state=0),
    # The pool above, put together
    "pool: mean": lambda: CombinedClassifier(pool(), combiner="mean"),
    "pool: weighted mean": lambda: CombinedClassifier(pool(), combiner="weighted-mean"),
    "pool: stacking": lambda: CombinedClassifier(pool(), combiner="stacking"),
    "pool: greedy selection": lambda: EnsembleSelectionClassifier(pool(), random_state=0),
    "pool: dynamic (KNORA-U)": lambda: DynamicSelectionClassifier(pool(), method="knora-u"),
}


def folds(name):
    """Yield encoded rows of each fold: to train on, and to be asked about."""
    X, y = load(name, return_X_y=True)
    y = np.asarray(y).astype(str)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        encoder = TabularEncoder().fit(X.iloc[train], y[train])
        rows = (np.asarray(encoder.transform(X.iloc[part]), dtype=float) for part in (train, test))
        yield *rows, y[train], y[test]


def measure(name):
    """Yield a row per fold and method."""
    for fold, (X_train, X_test, y_train, y_test) in enumerate(folds(name)):
        for method, make in METHODS.items():
            start = time.process_time()
            model = make().fit(X_train, y_train)
            proba = np.clip(model.predict_proba(X_test), 1e-6, 1.0)
            loss = log_loss(y_test, proba / proba.sum(axis=1, keepdims=True), labels=model.classes_)
            error = np.mean(model.predict(X_test) != y_test)
            cpu = time.process_time() - start
            row = {"table": name, "rows": len(y_train) + len(y_test), "fold": fold}
            yield {**row, "method": method, "error": error, "log_loss": loss, "cpu": cpu}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = pd.read_csv(FILE).to_dict("records") if FILE.exists() else []
    done = {row["table"] for row in found}
    for name in sys.argv[1:] or [name for name in SETS if name not in done]:
        found += measure(name)
        print(name, flush=True)
        pd.DataFrame(found).round(5).to_csv(FILE, index=False)
