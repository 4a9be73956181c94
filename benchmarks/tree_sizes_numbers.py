"""The best single regression tree of 4, 8, 16 and 32 leaves: ours beside CART and a distilled tree.

``python -m benchmarks.tree_sizes_numbers`` splits every set again and again, the same parts for
all, and prints the squared error as a share of that of the training mean, its mean rank, and how
stable trees are: the mean squared difference of what trees grown on two halves of the training rows
say, as the same share (less is better). "CART" is scikit-learn's tree with cost-complexity pruning,
its strength chosen by five-fold cross-validation among those that leave so few leaves; "greedy" its
``max_leaf_nodes``; "distilled" such a tree grown on what a forest says. The forest is the ceiling.
"""

import argparse
import time

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold, train_test_split
from sklearn.tree import DecisionTreeRegressor

from benchmarks import accuracy_numbers
from counterpoint.trees import MergedTreeRegressor

SIZES = (4, 8, 16, 32)
NAMES = ("friedman1", "diabetes", "vehicle", "pima", "wdbc", "ring")
MOST_ROWS = 500  # to train on
_LEVELS = 40  # strengths of pruning that are tried


def cart(X, y, seed):
    """Return CART for every size: the best strength of those that leave so few leaves."""
    levels = DecisionTreeRegressor(random_state=seed).cost_complexity_pruning_path(X, y).ccp_alphas
    # Between any two, and beyond the last, which leaves the root alone.
    between = np.sqrt(np.maximum(levels[:-1] * levels[1:], 0.0))[-_LEVELS:]
    levels = np.append(between, 2.0 * levels[-1])
    errors = np.zeros(len(levels))
    for fit, rest in KFold(5, shuffle=True, random_state=seed).split(X):
        for k, level in enumerate(levels):
            tree = DecisionTreeRegressor(ccp_alpha=level, random_state=seed).fit(X[fit], y[fit])
            errors[k] += ((tree.predict(X[rest]) - y[rest]) ** 2).sum()
    trees = [DecisionTreeRegressor(ccp_alpha=a, random_state=seed).fit(X, y) for a in levels]
    best = [trees[k] for k in np.argsort(errors)]
    return {size: next(t for t in best if t.get_n_leaves() <= size) for size in SIZES} | {
        "own": best[0]
    }


def greedy(X, y, seed, said=None):
    """Return trees grown best split first, on y or on what somebody says."""
    target = y if said is None else said
    return {s: DecisionTreeRegressor(max_leaf_nodes=s, random_state=seed).fit(X, target)
            for s in SIZES}  # fmt: skip


def distilled(X, y, seed):
    """Return trees grown on what a forest says of the training rows."""
    forest = RandomForestRegressor(100, min_samples_leaf=5, random_state=seed).fit(X, y)
    return greedy(X, y, seed, forest.predict(X))


def merged(X, y, seed):
    """Return ours, all sizes out of one fit, and the one it takes by itself."""
    model = MergedTreeRegressor(random_state=seed).fit(X, y)
    return {size: model.at_size(size) for size in SIZES} | {"own": model}


def forest(X, y, seed):
    """Return a forest, which has no size."""
    return {0: RandomForestRegressor(200, min_samples_leaf=2, random_state=seed).fit(X, y)}


METHODS = {
    "merged": merged, "CART": cart, "greedy": greedy, "distilled": distilled, "forest": forest,
}  # fmt: skip


def parts(name, repeat):
    """Return training and test rows."""
    if name == "friedman1":
        X, y = make_friedman1(1500, noise=1.0, random_state=repeat)
    elif name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    else:
        A, a, B, b = accuracy_numbers.parts(name, repeat)
        return A[:MOST_ROWS].astype(np.float32), a[:MOST_ROWS], B.astype(np.float32), b
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, random_state=repeat)
    return A[:MOST_ROWS].astype(np.float32), a[:MOST_ROWS], B.astype(np.float32), b


def measure(name, repeat):
    """Yield rows of method, size, error, difference of halves, leaves and seconds."""
    X, y, X_new, y_new = parts(name, repeat)
    base = np.mean((y.mean() - y_new) ** 2)
    order = np.random.RandomState(repeat).permutation(len(X))
    halves = np.array_split(order, 2)
    for method, fit in METHODS.items():
        start = time.process_time()
        models = fit(X, y, repeat)
        seconds = time.process_time() - start
        others = [fit(X[half], y[half], repeat) for half in halves] if repeat == 0 else []
        for size, model in models.items():
            row = {"data": name, "method": method, "size": size, "seconds": seconds}
            row["error"] = np.mean((model.predict(X_new) - y_new) ** 2) / base
            row["leaves"] = model.get_n_leaves() if hasattr(model, "get_n_leaves") else np.nan
            if others:
                one, two = (other[size].predict(X_new) for other in others)
                row["differ"] = np.mean((one - two) ** 2) / base
            yield row


def show(names, repeats):
    """Measure all, and print the tables."""
    rows = []
    for name in names:
        rows += [row for repeat in range(repeats) for row in measure(name, repeat)]
        print(name, flush=True)
    frame = pd.DataFrame(rows)
    frame["size"] = frame["size"].astype(str)
    ceiling = frame[frame["method"] == "forest"].groupby("data")["error"].mean()
    print(f"forest: {ceiling.round(3).to_dict()}")
    for size in [*map(str, SIZES), "own"]:
        part = frame[frame["size"] == size]
        table = part.pivot_table(index="data", columns="method", values="error")
        ranks = table.rank(axis=1).mean()
        print(f"{size} leaves:\n{table.round(3).to_string()}")
        means = ", ".join(f"{m} {table[m].mean():.3f} ({ranks[m]:.1f})" for m in table)
        print(f"{size} leaves, mean error (mean rank): {means}")
        ratio = (table["merged"] / table["CART"]).mean()
        better = int((table["merged"] < table["CART"]).sum())
        print(f"{size} leaves: {ratio:.2f} of CART's error, less on {better} of {len(table)}")
        print(f"leaves: {part.groupby('method')['leaves'].mean().round(1).to_dict()}")
        differ = part.groupby("method")["differ"].mean()
        print(f"difference of trees from halves: {differ.round(3).to_dict()}")
    cpu = frame.groupby("method")["seconds"].median()
    print(f"CPU seconds, median: {cpu.round(2).to_dict()}")


def main():
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=NAMES)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    show(asked.data, asked.repeats)


if __name__ == "__main__":
    main()
