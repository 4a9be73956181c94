"""Which strength of negative correlation learning does best on average? Repeats the docs' table.

``python -m benchmarks.strength`` prints errors of the ensemble, by data set and strength, with all
other options at their defaults: half of each set to train on, half to test on, several splits.
``--splits``, ``--members``, ``--hidden``, ``--alpha`` and ``--loss`` vary it;
``--regression`` takes other problems. It takes a few minutes.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import train_test_split

from benchmarks.harness import Report
from counterpoint.datasets import TabularEncoder, load
from counterpoint.exceptions import CollapseWarning
from counterpoint.networks import NegativeCorrelationClassifier, NegativeCorrelationRegressor

SETS = (
    "iris",
    "wine",
    "glass",
    "ionosphere",
    "sonar",
    "heart-statlog",
    "pima",
    "bupa",
    "vehicle",
    "ecoli",
    "breast-w",
    "german-credit",
)
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)


def classification_errors(splits, sets=SETS, **options):
    """Return the mean test error: a row per set, a column per strength."""
    rows = {}
    for name in sets:
        X, y = load(name, return_X_y=True)
        X = np.asarray(TabularEncoder().fit_transform(X), dtype=float)
        y = np.asarray(y)
        found = np.zeros(len(STRENGTHS))
        for split in range(splits):
            parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=split)
            for k, s in enumerate(STRENGTHS):
                model = NegativeCorrelationClassifier(strength=s, random_state=split, **options)
                found[k] += 1 - model.fit(parts[0], parts[2]).score(parts[1], parts[3])
        rows[name] = found / splits
    return pd.DataFrame(rows, index=STRENGTHS).T


def regression_errors(splits, **options):
    """Return the mean test error as a share of the variance, 1 - R^2, likewise."""
    makers = {
        "diabetes": lambda seed: load_diabetes(return_X_y=True),
        "friedman1": lambda seed: make_friedman1(400, noise=1.0, random_state=seed),
        "friedman2": lambda seed: make_friedman2(400, noise=125.0, random_state=seed),
        "friedman3": lambda seed: make_friedman3(400, noise=0.1, random_state=seed),
    }
    rows = {}
    for name, make in makers.items():
        found = np.zeros(len(STRENGTHS))
        for split in range(splits):
            parts = train_test_split(*make(split), test_size=0.5, random_state=split)
            for k, s in enumerate(STRENGTHS):
                model = NegativeCorrelationRegressor(strength=s, random_state=split, **options)
                found[k] += 1 - model.fit(parts[0], parts[2]).score(parts[1], parts[3])
        rows[name] = found / splits
    return pd.DataFrame(rows, index=STRENGTHS).T


def run():
    """Report how far the default is from the best strength, on average over the sets."""
    report = Report("strength")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapseWarning)
        mean = classification_errors(3).mean()
    default = NegativeCorrelationClassifier()._default_strength()
    report.limit(
        "error at the default strength, over that of the best one",
        float(mean[default] / mean.min()),
        1.02,
        "x",
        note=f"best strength {mean.idxmin()} of {list(STRENGTHS)}, default {default}",
    )
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=20)
    parser.add_argument("--loss", default="squared")
    parser.add_argument("--alpha", type=float, default=0.01)
    parser.add_argument("--regression", action="store_true")
    asked = parser.parse_args()
    options = {
        "n_estimators": asked.members,
        "hidden_layer_sizes": (asked.hidden,),
        "alpha": asked.alpha,
    }
    if asked.regression:
        table = regression_errors(asked.splits, **options)
    else:
        table = classification_errors(asked.splits, loss=asked.loss, **options)
    table.loc["mean"] = table.mean()
    table.loc["mean rank"] = table.iloc[:-1].rank(axis=1).mean()
    print(table.round(4).to_string())


if __name__ == "__main__":
    main()
