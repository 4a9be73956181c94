"""Labels that are wrong: what giving up on samples gains, as told in docs/boosting_family.md.

``python -m benchmarks.noise`` flips some of the training labels of eight shipped sets and prints
the error on clean test rows of AdaBoost, BrownBoost, and stochastic discrimination with and without
rows given up. It takes some minutes.
"""

import argparse

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from counterpoint.boosting import AdaBoostClassifier, BrownBoostClassifier
from counterpoint.datasets import TabularEncoder, load
from counterpoint.subsets import StochasticDiscriminationClassifier
from counterpoint.trees import HistTreeClassifier

SHIPPED = ("ionosphere", "sonar", "heart-statlog", "pima", "bupa", "breast-w", "wdbc", "vehicle")
NOISE = (0.0, 0.1, 0.2)


def models(noise, seed):
    """Return the methods; those that give up know how much noise there is, but never nothing."""
    tree, given = HistTreeClassifier(max_depth=2), max(noise, 0.05)
    return {
        "AdaBoost": AdaBoostClassifier(tree, n_estimators=100, calibrate=False),
        "BrownBoost": BrownBoostClassifier(
            tree, n_estimators=100, target_error=given, calibrate=False
        ),
        "discrimination": StochasticDiscriminationClassifier(random_state=seed),
        "giving up": StochasticDiscriminationClassifier(give_up=given, random_state=seed),
    }


def run(splits):
    """Return errors on clean rows, in percent, by set, noise and method."""
    rows = []
    for name in SHIPPED:
        X, y = load(name, return_X_y=True)
        X = np.asarray(TabularEncoder().fit_transform(X), dtype=float)
        y = np.unique(np.asarray(y), return_inverse=True)[1]
        for seed in range(splits):
            A, B, a, b = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
            for noise in NOISE:
                rng = np.random.default_rng(seed)
                wrong = rng.uniform(size=len(a)) < noise
                flipped = np.where(
                    wrong, (a + rng.integers(1, y.max() + 1, len(a))) % (y.max() + 1), a
                )
                for method, model in models(noise, seed).items():
                    error = 100 * np.mean(model.fit(A, flipped).predict(B) != b)
                    rows.append({"data": name, "noise": noise, "method": method, "error": error})
    return pd.DataFrame(rows)


def main():
    """Print the mean error by noise and method, and by set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    frame = run(parser.parse_args().splits)
    print(frame.pivot_table(index=["data", "noise"], columns="method", values="error").round(1))
    print(frame.pivot_table(index="noise", columns="method", values="error").round(2))


if __name__ == "__main__":
    main()
