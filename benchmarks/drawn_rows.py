"""All rows and columns for each tree, or some by lot? Made tables of many kinds, 30,000 rows.

The booster is as it comes, rows held out and all, but for what is compared (docs/hist_boost.md);
10,000 rows to test on. It prints, for each table, the log-loss and error of each way, means over
seeds::

    python -m benchmarks.drawn_rows
    python -m benchmarks.drawn_rows --tables moons blobs --seeds 3 --first 80 --rows 100000
"""

import argparse

import numba
import numpy as np
import pandas as pd
from sklearn.datasets import (
    make_blobs,
    make_circles,
    make_classification,
    make_gaussian_quantiles,
    make_hastie_10_2,
    make_moons,
)
from sklearn.ensemble import RandomForestClassifier

from benchmarks.harness import Report
from counterpoint.boosting import HistBoostClassifier

N_TEST = 10_000


def clusters(n, seed):
    """Ten columns that act together, eight clusters a class: the table of benchmarks/curve.py."""
    return make_classification(
        n, 20, n_informative=10, n_redundant=4, n_clusters_per_class=8, flip_y=0.05,
        class_sep=0.8, random_state=seed,
    )  # fmt: skip


def quantiles(n, seed):
    """Shells around a centre, three classes, a tenth of the labels drawn anew."""
    X, y = make_gaussian_quantiles(n_samples=n, n_features=10, n_classes=3, random_state=seed)
    return shuffled(X, flipped(y, 0.1, seed), seed)


def hastie(n, seed):
    """Ten normal columns, one class where their squares add up to much."""
    X, y = make_hastie_10_2(n, random_state=seed)
    return X, (y > 0).astype(int)


def moons(n, seed):
    """Two columns that tell much, ten that tell nothing."""
    X, y = make_moons(n, noise=0.35, random_state=seed)
    return with_noise(X, 10, seed), y


def circles(n, seed):
    """Likewise, one circle in another."""
    X, y = make_circles(n, noise=0.2, factor=0.6, random_state=seed)
    return with_noise(X, 10, seed), y


def forest(n, seed):
    """Labels drawn from the shares that a forest gives."""
    rng = np.random.default_rng(seed)
    X, y = make_classification(2000, 15, n_informative=8, n_classes=3, random_state=seed)
    trees = RandomForestClassifier(50, min_samples_leaf=3, random_state=seed, n_jobs=1).fit(X, y)
    X = X[rng.integers(2000, size=n)] + 0.5 * rng.standard_normal((n, 15))
    return X, drawn_from(trees.predict_proba(X), rng)


def codes(n, seed):
    """Categories as numbers, each with an effect of its own, pairs of them, and some numbers."""
    rng = np.random.default_rng(seed)
    names = rng.integers(30, size=(n, 8))
    numbers = rng.standard_normal((n, 6))
    score = rng.standard_normal((8, 30))[np.arange(8), names].sum(axis=1) * 0.6
    score += rng.standard_normal((30, 30))[names[:, 0], names[:, 1]] + numbers[:, 0]
    score += np.sin(2 * numbers[:, 1]) * numbers[:, 2]
    return np.hstack([names, numbers]), (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def line(n, seed):
    """Log-odds that are a weighted sum of twenty columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 20))
    score = X @ rng.standard_normal(20) * 0.6
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def waves(n, seed):
    """Log-odds as in Friedman's first function, five columns of twelve."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 12))
    score = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    score += 10 * X[:, 3] + 5 * X[:, 4]
    score = (score - score.mean()) / 2
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def blobs(n, seed):
    """Twenty classes of two or three blobs each, which overlap."""
    X, which = make_blobs(n, 12, centers=50, cluster_std=5.0, random_state=seed)
    return X, which % 20


def flipped(y, share, seed):
    """Return labels of which a share is drawn anew."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(y)) < share, rng.integers(y.max() + 1, size=len(y)), y)


def shuffled(X, y, seed):
    """Return rows in an order by lot."""
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def with_noise(X, n_more, seed):
    """Return X with columns that say nothing."""
    return np.hstack([X, np.random.default_rng(seed).standard_normal((len(X), n_more))])


def drawn_from(shares, rng):
    """Return a class for each row, drawn by its shares."""
    return (shares.cumsum(axis=1) < rng.random((len(shares), 1))).sum(axis=1)


TABLES = {
    made.__name__: made
    for made in (clusters, quantiles, hastie, moons, circles, forest, codes, line, waves, blobs)
}
WAYS = {
    "drawn": {"subsample": 0.8, "max_features": 0.8},
    "rows": {"subsample": 0.8, "max_features": 1.0},
    "columns": {"subsample": 1.0, "max_features": 0.8},
    "all": {"subsample": 1.0, "max_features": 1.0},
}
LEAST = {"light": 0.2, "heavy": 6.0}  # weight of a leaf, over the number of classes


def compare(tables, rows, seeds, first, ways):
    """Return a row for each table, seed and way."""
    numba.set_num_threads(1)
    found = []
    for name in tables:
        for seed in range(first, first + seeds):
            X, y = TABLES[name](rows + N_TEST, seed)
            for way in ways:
                drawn, least = way.split(", ")
                model = HistBoostClassifier(
                    min_weight_leaf=LEAST[least] / (y.max() + 1), random_state=seed, **WAYS[drawn]
                ).fit(X[:rows], y[:rows])
                log_p = model.predict_log_proba(X[rows:])
                right = y[rows:]
                found.append(
                    {
                        "table": name,
                        "seed": seed,
                        "way": way,
                        "error": np.mean(log_p.argmax(axis=1) != right),
                        "log_loss": -log_p[np.arange(len(right)), right].mean(),
                    }
                )
        told(pd.DataFrame(found[-seeds * len(ways) :]))
    return pd.DataFrame(found)


def told(rows):
    """Print means over seeds: a line a table."""
    means = rows.pivot_table(index="table", columns="way", values=["log_loss", "error"], sort=False)
    print(means.round(4).to_string(), flush=True)


def run() -> Report:
    """Report how much the default loses to the better of two ways on two tables of either kind."""
    report = Report("drawn_rows")
    rows = compare(("clusters", "codes"), 20_000, 1, 70, ("drawn, heavy", "all, heavy"))
    losses = rows.pivot_table(index="table", columns="way", values="log_loss")
    worst = (losses["all, heavy"] / losses.min(axis=1)).max()
    report.limit("log-loss of all rows and columns over the better way", float(worst), 1.05, "x")
    return report


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    every = [f"{drawn}, {least}" for least in LEAST for drawn in WAYS]
    parser.add_argument("--tables", nargs="+", choices=sorted(TABLES), default=list(TABLES))
    parser.add_argument("--ways", nargs="+", choices=every, default=every)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first", type=int, default=70)
    given = parser.parse_args()
    told(compare(given.tables, given.rows, given.seeds, given.first, given.ways))


if __name__ == "__main__":
    main()
