"""Learn the order in which the flagship tries its members, and write its table.

Every member of the default pools is cross-fitted on many data sets; what it says is kept in
``.benchmarks/portfolio`` and not computed again. The order is then greedy: next comes the member
that lowers the loss of the ensemble of those before it most, in per cent for its share of the time
of the whole pool, mean over the sets. The first three are given: boosted trees, a linear model and
the better forest, because what is learnt on small tables must also serve large ones, where kernel
machines are out of reach::

    python -m benchmarks.portfolio --write      # counterpoint/auto/portfolio.csv

Ten shipped sets are kept aside: nothing here looks at them.
"""

import argparse
import time
import warnings

import numba
import numpy as np
from sklearn.datasets import (
    load_diabetes,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_regression,
)
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.harness import RESULTS, ROOT
from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.auto import default_number_pool, default_pool
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.datasets import TabularEncoder, load
from counterpoint.selection import select_forward

ASIDE = (
    "anneal", "blood-transfusion", "ecoli", "german-credit", "heart-cleveland", "hypothyroid",
    "ionosphere", "new-thyroid", "splice", "vowel",
)  # fmt: skip
CLASSES = (
    "glass", "sonar", "hepatitis", "bupa", "pima", "wdbc", "vehicle", "tic-tac-toe", "haberman",
    "australian", "monks-2", "contraceptive", "zoo", "lymphography", "house-votes-84",
    "soybean-large", "churn", "spambase", "satimage", "segment", "car", "letter",
)  # fmt: skip
NUMBERS = ("diabetes", "friedman1", "friedman2", "friedman3", "linear", "noisy", "steps", "wide")
MOST_ROWS = 1500
KEPT = RESULTS / "portfolio"
TABLE = ROOT / "counterpoint" / "auto" / "portfolio.csv"
# A fit has a cost besides its time: what is quick on small tables is not free.
FIXED = 0.02
STEPS = 15
FIRST = (("boosted trees",), ("logistic regression", "ridge regression"), ("extra trees", "random"))


def class_data(name):
    """Return numbers and codes of a shipped set, at most so many rows."""
    X, y = load(name, return_X_y=True)
    y = np.unique(y.astype(str), return_inverse=True)[1]
    rows = np.random.RandomState(0).permutation(len(y))[:MOST_ROWS]
    rows = rows[np.bincount(y)[y[rows]] >= 10]
    y = np.unique(y[rows], return_inverse=True)[1]
    return TabularEncoder().fit_transform(X.iloc[rows]), y


def number_data(name):
    """Return a table with a target of numbers."""
    rng = np.random.RandomState(0)
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    if name.startswith("friedman"):
        make = {"1": make_friedman1, "2": make_friedman2, "3": make_friedman3}[name[-1]]
        return make(800, noise={"1": 1.0, "2": 120.0, "3": 0.15}[name[-1]], random_state=0)
    if name == "linear":
        return make_regression(500, 20, n_informative=8, noise=30.0, random_state=0)
    if name == "wide":
        return make_regression(200, 100, n_informative=20, noise=20.0, random_state=0)
    X = rng.normal(size=(1000, 8))
    if name == "steps":
        return X, 3.0 * (X[:, 0] > 0) * (X[:, 1] > 0) + (X[:, 2] > 1) + rng.normal(size=1000)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 2.0 * rng.standard_t(3, size=1000)


def cross_fit(name, numbers):
    """Return the names of members, what they said, their seconds and the truth."""
    path = KEPT / f"{'numbers' if numbers else 'classes'}-{name}.npz"
    kept = dict(np.load(path)) if path.exists() else {}
    X, y = (number_data if numbers else class_data)(name)
    if numbers:
        pool = default_number_pool(*X.shape)
        folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    else:
        pool = default_pool(*X.shape, int(y.max()) + 1)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    fresh = False
    for member in pool:
        if member.name in kept:
            continue
        said = np.zeros(len(y)) if numbers else np.zeros((len(y), int(y.max()) + 1))
        began = time.process_time()
        for train, test in folds:
            model = member.make(0).fit(X[train], y[train])
            if numbers:
                said[test] = model.predict(X[test])
            else:
                said[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
        kept[member.name] = said
        kept[f"{member.name}: seconds"] = time.process_time() - began
        fresh = True
    if fresh:
        KEPT.mkdir(parents=True, exist_ok=True)
        np.savez(path, **kept)
    names = [m.name for m in pool]
    said = np.stack([kept[n] for n in names])
    seconds = np.array([float(kept[f"{n}: seconds"]) for n in names])
    simple = [m.simple for m in pool]
    if numbers:
        return names, MemberPredictions(said, y, names=names), seconds, simple
    outputs = MemberOutputs(proba=said, y=y, names=names)
    return names, temper(outputs, tempers(outputs)), seconds, simple


def loss_of(outputs, members):
    """Return the loss of the greedy mean of some members."""
    criterion = "squared" if isinstance(outputs, MemberPredictions) else "log-loss"
    trace = select_forward(
        outputs.take(members), criterion, n_members=STEPS, replace=True, tol=1e-9
    )
    return float(trace.values[trace.best])


def learn(tables):
    """Return the order: (name, per cent it took off the loss, seconds), greedy by their ratio."""
    names = sorted({name for own, *_ in tables for name in own})
    order, gains = [], []
    # Before anybody: the one that knows least.
    losses = [max(loss_of(outputs, [k]) for k in range(len(own))) for own, outputs, *_ in tables]
    while len(order) < len(names):
        best = None
        allowed = FIRST[len(order)] if len(order) < len(FIRST) else ("",)
        for name in (n for n in names if n not in order and n.startswith(allowed)):
            drops, costs = [], []
            for t, (own, outputs, seconds, _) in enumerate(tables):
                if name not in own:
                    continue
                now = [own.index(n) for n in [*order, name] if n in own]
                drops.append(100 * (1 - loss_of(outputs, now) / losses[t]))
                costs.append(seconds[own.index(name)] / seconds.sum())
            # Shares of the time of the whole pool: sets count alike, whatever their size.
            value = np.mean(drops) / (np.mean(costs) + FIXED)
            if best is None or value > best[0]:
                best = (value, name, np.mean(drops), np.mean(costs))
        order.append(best[1])
        gains.append(best[2:])
        for t, (own, outputs, *_) in enumerate(tables):
            now = [own.index(n) for n in order if n in own]
            if now:
                losses[t] = loss_of(outputs, now)
        print(f"{best[1]:36} {best[2]:8.2f} %  {100 * best[3]:6.2f} % of the time", flush=True)
    return order, gains


def main():
    """Cross-fit what is missing, learn both orders."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the table of the package")
    given = parser.parse_args()
    numba.set_num_threads(1)
    lines = ["kind;member;off the loss, per cent;share of the time, per cent"]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for numbers, sets in ((False, CLASSES), (True, NUMBERS)):
            tables = []
            for name in sets:
                tables.append(cross_fit(name, numbers))
                print(name, f"{tables[-1][2].sum():.1f} s", flush=True)
            order, gains = learn(tables)
            lines += [
                f"{'numbers' if numbers else 'classes'};{name};{gain:.3f};{100 * cost:.2f}"
                for name, (gain, cost) in zip(order, gains, strict=True)
            ]
    if given.write:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
