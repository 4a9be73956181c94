"""Boosters, networks and searches as they come, for ``benchmarks/study.py``.

Knows nothing of counterpoint. Prints answers and the processor's seconds of each method.
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
numbers = str(np.load(folder / "task.npy")) == "numbers"
kind = "Regressor" if numbers else "Classifier"


def xgboost():
    """Return XGBoost as it comes."""
    import xgboost

    return getattr(xgboost, f"XGB{kind}")(n_jobs=1, random_state=seed)


def lightgbm():
    """Return LightGBM as it comes."""
    import lightgbm

    return getattr(lightgbm, f"LGBM{kind}")(n_jobs=1, random_state=seed, verbose=-1)


def catboost():
    """Return CatBoost as it comes."""
    import catboost

    return getattr(catboost, f"CatBoost{kind}")(
        thread_count=1, random_seed=seed, verbose=False, allow_writing_files=False
    )


def realmlp():
    """Return the network with tuned defaults, without a graphics card."""
    import pytabkit

    return getattr(pytabkit, f"RealMLP_TD_{kind}")(
        device="cpu", n_threads=1, random_state=seed, verbosity=0
    )


class Flaml:
    """FLAML's search within the time."""

    def fit(self, X, y):
        """Search."""
        from flaml import AutoML

        if bool(np.load(folder / "cpu.npy")):
            # Others are at work on the machine: its budget is of the processor's seconds.
            began, used = time.time(), time.process_time()
            time.time = lambda: began + time.process_time() - used
        self.model = AutoML()
        task, metric = ("regression", "rmse") if numbers else ("classification", "log_loss")
        self.model.fit(
            X, y, task=task, time_budget=limit, n_jobs=1, verbose=0, seed=seed, metric=metric
        )
        return self

    def predict(self, X):
        """Return numbers."""
        return self.model.predict(X)

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
        said = model.predict(B) if numbers else model.predict_proba(B)
        told[name] = {"seconds": seconds, "said": np.asarray(said, dtype=float).tolist()}
print(json.dumps(told))
