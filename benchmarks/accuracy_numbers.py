"""Errors of regressors over many tables: ours beside boosting, forests, stacking and AutoML.

As ``accuracy.py``, whose rules hold here too: made tables (those ``portfolio.py`` learnt the order
of members from, and others), scikit-learn's diabetes, and shipped sets with one of their columns of
numbers as the target, the classes left out. Errors are divided by those of a constant: the standard
deviation of the test rows for the RMSE, their mean distance from the median for the MAE::

    python -m benchmarks.accuracy_numbers --repeats 1
    python -m benchmarks.accuracy_numbers --methods overproduce-select LightGBM "AutoGluon best"
    python -m benchmarks.accuracy_numbers --only-summary
"""

import numpy as np
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
)
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.svm import SVR

from benchmarks import portfolio
from benchmarks.accuracy import LIMIT, scaled
from benchmarks.harness import Report
from benchmarks.study import AUTOGLUON, BOOSTERS, FLAGSHIP, LIMITED, SEARCHES, Study
from counterpoint.auto import OverproduceSelectRegressor
from counterpoint.datasets import TabularEncoder, load

# A shipped set and the column that is asked for.
TARGETS = {
    "bupa": "drinks", "glass": "ri", "wine": "color_intensity", "heart-statlog": "max_heart_rate",
    "german-credit": "credit_amount", "contraceptive": "children", "pima": "glucose",
    "wdbc": "mean_fractal_dimension", "vehicle": "hollows_ratio", "satimage": "p5_b1",
}  # fmt: skip
MADE = ("planes", "arm", "ring", "prices")
MOST_ROWS = 1_500


def made(name):
    """Return a generated table."""
    rng = np.random.RandomState(0)
    if name == "planes":  # Breiman et al., 1984: two planes, which one by the sign of a column
        X = rng.randint(-1, 2, size=(600, 10)).astype(float)
        X[:, 0] = np.where(X[:, 0] == 0, 1.0, X[:, 0])
        one, other = 3 + X[:, 1:4] @ [3, 2, 1], -3 + X[:, 4:7] @ [3, 2, 1]
        return X, np.where(X[:, 0] == 1, one, other) + 1.5 * rng.normal(size=600)
    if name == "arm":  # how far an arm of four joints reaches
        X = rng.uniform(-np.pi / 2, np.pi / 2, size=(1000, 8))
        turned = np.cumsum(X[:, :4], axis=1)
        reach = np.hypot(np.cos(turned).sum(axis=1), np.sin(turned).sum(axis=1))
        return X, reach + 0.1 * rng.normal(size=1000)
    X = rng.normal(size=(800, 6))
    if name == "ring":
        return X, np.exp(-((np.hypot(X[:, 0], X[:, 1]) - 1.5) ** 2)) + 0.2 * rng.normal(size=800)
    # Prices: factors multiply, and errors grow with them.
    X = np.column_stack([X, rng.randint(0, 5, size=(800, 2))])
    return X, np.exp(
        0.6 * X[:, 0] + 0.4 * X[:, 1] * (X[:, 6] > 2) + 0.3 * X[:, 7] + 0.4 * rng.normal(size=800)
    )


def parts(name, repeat):
    """Return training and test rows."""
    if name in TARGETS:
        X, _ = load(name, return_X_y=True)
        X = X[X[TARGETS[name]].notna()]
        if len(X) > MOST_ROWS:
            X = X.sample(MOST_ROWS, random_state=0)
        X, y = X.drop(columns=TARGETS[name]), X[TARGETS[name]].to_numpy(dtype=float)
    else:
        X, y = made(name) if name in MADE else portfolio.number_data(name)
    train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, random_state=repeat)
    if name not in TARGETS:
        return X[train], y[train], X[test], y[test]
    encoder = TabularEncoder().fit(X.iloc[train])
    A, B = (np.asarray(encoder.transform(X.iloc[rows]), dtype=float) for rows in (train, test))
    return A, y[train], B, y[test]


def judge(said, b):
    """Return RMSE and MAE, divided by those of a constant."""
    off = said - b
    return (
        np.sqrt(np.mean(off**2)) / b.std(),
        np.abs(off).mean() / np.abs(b - np.median(b)).mean(),
    )


METHODS = {
    FLAGSHIP: lambda seed: OverproduceSelectRegressor(progress=False, random_state=seed),
    LIMITED: lambda seed: OverproduceSelectRegressor(
        time_limit=LIMIT, progress=False, random_state=seed
    ),
    "random forest": lambda seed: RandomForestRegressor(300, random_state=seed),
    "extra trees": lambda seed: ExtraTreesRegressor(300, random_state=seed),
    "histogram boosting": lambda seed: HistGradientBoostingRegressor(random_state=seed),
    "stacking": lambda seed: StackingRegressor(
        [
            ("forest", RandomForestRegressor(300, random_state=seed)),
            ("svr", scaled(SVR())),
            ("ridge", scaled(RidgeCV())),
            ("boosting", HistGradientBoostingRegressor(random_state=seed)),
        ],
        final_estimator=RidgeCV(),
    ),
    "ridge regression": lambda seed: scaled(RidgeCV()),
}
STUDY = Study(
    name="accuracy_numbers",
    task="numbers",
    data=(*portfolio.NUMBERS, *MADE, *TARGETS),
    methods=METHODS,
    others={"autogluon": AUTOGLUON, "boosters": BOOSTERS, "searches": SEARCHES},
    parts=parts,
    losses=("rmse", "mae"),
    judge=judge,
    limit=LIMIT,
)


def run() -> Report:
    """One cut of every set, and what is there already."""
    return STUDY.report(STUDY.show)


if __name__ == "__main__":
    STUDY.main(__doc__, STUDY.show)
