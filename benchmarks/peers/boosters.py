"""One booster on one table within budgets of CPU seconds: prints what it did, a line of JSON each.

Called with a folder of arrays, the booster's name, threads and budgets, in an environment that has
it. A few rounds are trained to see how long one takes, then as many as fit into each budget, twice
if the first guess was far off. CPU seconds of all threads are counted, of training alone.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

FIRST = 20  # rounds of the first look
AIM, ENOUGH = 0.95, 0.7  # shares of a budget: what is tried for, and what will do
TRIES = 2
MOST_ROUNDS = 4000
STEPS = (10, 50, 100, 150, 200)


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
    options = {"early_stopping": False} | options
    return kind(n_estimators=rounds, random_state=0, **options)


def counterpoint_63(task, rounds, threads):
    return counterpoint(task, rounds, threads, max_leaf_nodes=63, learning_rate=0.1)


def counterpoint_stopped(task, rounds, threads):
    return counterpoint(task, rounds, threads, early_stopping="auto")


def probabilities(model, X):
    """Return P, (n_samples, n_classes)."""
    P = np.asarray(model.predict_proba(X), dtype=float).reshape(len(X), -1)
    return np.hstack([1.0 - P, P]) if P.shape[1] == 1 else P


def trained(make, task, rounds, threads, arrays):
    """Train and judge one booster."""
    X, y, X_test, y_test = arrays
    model = make(task, rounds, threads)
    start, wall = time.process_time(), time.perf_counter()
    model.fit(X, y)
    row = {
        "rounds": rounds,
        "cpu": time.process_time() - start,
        "wall": time.perf_counter() - wall,
    }
    if task == "numbers":
        row["error"] = float(np.sqrt(np.mean((np.asarray(model.predict(X_test)) - y_test) ** 2)))
        row["log_loss"] = float("nan")
    else:
        P = probabilities(model, X_test)
        at = np.clip(P[np.arange(len(y_test)), y_test], 1e-15, 1.0)
        row["error"] = float(np.mean(P.argmax(axis=1) != y_test))
        row["log_loss"] = float(-np.mean(np.log(at)))
    return row


def rounds_within(budget, rows):
    """Return how many rounds nearly fill a budget, by the line through the last two rows."""
    last = rows[-1]
    slope, left = last["cpu"] / last["rounds"], AIM * budget - last["cpu"]
    if len(rows) > 1 and last["rounds"] != rows[-2]["rounds"]:
        line = (last["cpu"] - rows[-2]["cpu"]) / (last["rounds"] - rows[-2]["rounds"])
        slope = line if line > 0 else slope
    rounds = int(last["rounds"] + left / slope)
    return max(1, min(rounds, MOST_ROUNDS))


def by_line(train, budgets):
    """Yield budgets and rows of a booster whose time grows with its rounds."""
    rows = [train(FIRST)]
    yield 0.0, rows[-1]
    for budget in budgets:
        for _ in range(TRIES):
            rounds = rounds_within(budget, rows)
            if rounds == rows[-1]["rounds"]:
                break
            rows.append(train(rounds))
            yield budget, rows[-1]
            if ENOUGH * budget <= rows[-1]["cpu"] <= budget:
                break


def by_steps(train, budgets):
    """Yield budgets and rows of a booster that has no rounds: steps until the last is passed."""
    for step in STEPS:
        row = train(step)
        yield min((b for b in budgets if row["cpu"] <= b), default=budgets[-1]), row
        if row["cpu"] > budgets[-1] / 2:
            break


def main():
    """Train one booster within the budgets."""
    folder, name, threads = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    budgets = [float(word) for word in sys.argv[4:]]
    arrays = [np.load(folder / f"{part}.npy") for part in ("X", "y", "X_test", "y_test")]
    X, y = arrays[:2]
    task = "numbers" if y.dtype.kind == "f" else "classes"
    make = globals()[name]
    warm = slice(0, 3000)  # imports, pools of threads and compiled loops are no part of it
    make(task, 3, threads).fit(X[warm], y[warm])

    def train(rounds):
        return trained(make, task, rounds, threads, arrays)

    for budget, row in (by_steps if name == "perpetual" else by_line)(train, budgets):
        print(json.dumps({"budget": budget} | row), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", sys.argv[3])
    main()
