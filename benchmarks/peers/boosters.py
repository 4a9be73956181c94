"""One booster, one number of rounds, one table: prints what it took and how well it did, as JSON.

Called with a folder of arrays, the booster's name, rounds and threads, in an environment that has
it. CPU seconds of all threads are counted, of training alone.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def lightgbm(task, rounds, threads, leaves=63):
    import lightgbm

    kind = lightgbm.LGBMRegressor if task == "numbers" else lightgbm.LGBMClassifier
    return kind(n_estimators=rounds, num_leaves=leaves, n_jobs=threads, verbose=-1, random_state=0)


def lightgbm_default(task, rounds, threads):
    return lightgbm(task, rounds, threads, leaves=31)


def xgboost(task, rounds, threads):
    import xgboost

    kind = xgboost.XGBRegressor if task == "numbers" else xgboost.XGBClassifier
    return kind(n_estimators=rounds, n_jobs=threads, tree_method="hist", random_state=0)


def catboost(task, rounds, threads):
    import catboost

    kind = catboost.CatBoostRegressor if task == "numbers" else catboost.CatBoostClassifier
    return kind(
        iterations=rounds, thread_count=threads, verbose=0, random_seed=0, allow_writing_files=False
    )


def perpetual(task, rounds, threads):
    import perpetual

    # It has no rounds: a budget says how far it goes, and it stops by itself.
    objective = "SquaredLoss" if task == "numbers" else "LogLoss"
    return perpetual.PerpetualBooster(objective=objective, budget=rounds / 100, num_threads=threads)


def scikit_learn(task, rounds, threads):
    from sklearn import ensemble

    name = "Regressor" if task == "numbers" else "Classifier"
    kind = getattr(ensemble, f"HistGradientBoosting{name}")
    return kind(max_iter=rounds, early_stopping=False, random_state=0)


def counterpoint(task, rounds, threads, **options):
    import numba

    from counterpoint.boosting import HistBoostClassifier, HistBoostRegressor

    numba.set_num_threads(threads)
    kind = HistBoostRegressor if task == "numbers" else HistBoostClassifier
    return kind(n_estimators=rounds, early_stopping=False, random_state=0, **options)


def counterpoint_large(task, rounds, threads):
    return counterpoint(task, rounds, threads, max_leaf_nodes=255, learning_rate=0.2)


def probabilities(model, X, n_classes):
    """Return P, (n_samples, n_classes)."""
    if type(model).__name__ != "PerpetualBooster":
        return np.asarray(model.predict_proba(X))
    log_odds = np.asarray(model.predict_log_odds(X)).reshape(len(X), -1)
    if log_odds.shape[1] == 1:
        second = 1 / (1 + np.exp(-log_odds))
        return np.hstack([1 - second, second])
    shares = 1 / (1 + np.exp(-log_odds))
    return shares / shares.sum(axis=1, keepdims=True)


def main():
    """Train and judge one booster."""
    folder, name, rounds, threads = Path(sys.argv[1]), *sys.argv[2:5]
    X, y, X_test, y_test = (
        np.load(folder / f"{part}.npy") for part in ("X", "y", "X_test", "y_test")
    )
    task = "numbers" if y.dtype.kind == "f" else "classes"
    make = globals()[name]
    warm = slice(0, 3000)  # imports, pools of threads and compiled loops are no part of it
    make(task, 3, int(threads)).fit(X[warm], y[warm])
    model = make(task, int(rounds), int(threads))
    start, wall = time.process_time(), time.perf_counter()
    model.fit(X, y)
    row = {"cpu": time.process_time() - start, "wall": time.perf_counter() - wall}
    if task == "numbers":
        row["error"] = float(np.sqrt(np.mean((np.asarray(model.predict(X_test)) - y_test) ** 2)))
        row["log_loss"] = float("nan")
    else:
        P = probabilities(model, X_test, int(y.max()) + 1)
        at = np.clip(P[np.arange(len(y_test)), y_test], 1e-15, 1.0)
        row["error"] = float(np.mean(P.argmax(axis=1) != y_test))
        row["log_loss"] = float(-np.mean(np.log(at)))
    print(json.dumps(row))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", sys.argv[4])
    main()
