"""Boosters, networks and searches as they come, for ``benchmarks/accuracy.py``.

Knows nothing of counterpoint. Prints probabilities and the processor's seconds of each method.
"""

import contextlib
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
A, a, B = (np.load(folder / f"{name}.npy") for name in ("A", "a", "B"))
seed, limit = int(np.load(folder / "seed.npy")), float(np.load(folder / "limit.npy"))
asked = np.load(folder / "methods.npy").tolist()


def xgboost():
    """Return XGBoost as it comes."""
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=seed)


def lightgbm():
    """Return LightGBM as it comes."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1)


def catboost():
    """Return CatBoost as it comes."""
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False
    )


def realmlp():
    """Return the network with tuned defaults, without a graphics card."""
    from pytabkit import RealMLP_TD_Classifier

    return RealMLP_TD_Classifier(device="cpu", n_threads=1, random_state=seed, verbosity=0)


class Flaml:
    """FLAML's search within the time."""

    def fit(self, X, y):
        """Search."""
        from flaml import AutoML

        self.model = AutoML()
        self.model.fit(
            X, y, task="classification", time_budget=limit, n_jobs=1, verbose=0, seed=seed,
            metric="log_loss",
        )  # fmt: skip
        return self

    def predict_proba(self, X):
        """Return probabilities."""
        return self.model.predict_proba(X)


METHODS = {"XGBoost": xgboost, "LightGBM": lightgbm, "CatBoost": catboost, "RealMLP-TD": realmlp,
           "FLAML": Flaml}  # fmt: skip
told = {}
for name in asked:
    with contextlib.redirect_stdout(sys.stderr):
        start = time.process_time()
        model = METHODS[name]().fit(A, a)
        seconds = time.process_time() - start
        proba = np.asarray(model.predict_proba(B), dtype=float)
        told[name] = {"seconds": seconds, "proba": proba.tolist()}
print(json.dumps(told))
