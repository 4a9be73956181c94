"""Dynamic selection end to end: 100 trees, 5000 validation rows, 100,000 queries, as DESlib.

Both on one thread, and both with as many as they take by default. What one thread takes is time
of the processor, which is the same on a machine that others use; all threads compete with them.
"""

import time

import numba
import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks.harness import Report, peer_python, run_peer, timed
from counterpoint.dynamic import (
    DynamicSelectionClassifier,
    KnoraEliminate,
    MetaLearned,
    NeighbourRegion,
    OverallLocalAccuracy,
)

METHODS = {
    "KNORA-E": KnoraEliminate(),
    "OLA": OverallLocalAccuracy(ties="first"),
    "META-DES": MetaLearned(),
}
N_META = 10_000
REPEATS = 3


def run() -> Report:
    report = Report("dynamic")
    python = peer_python("deslib", ["deslib==0.3.7", "scikit-learn==1.5.2", "numpy<2"])
    if python is None:
        return report
    X, y = make_classification(
        110_000, 20, n_informative=10, n_classes=3, flip_y=0.05, random_state=0
    )
    parts = {"X": X[:5000], "y": y[:5000], "Q": X[10_000:]}
    parts |= {"V": X[5000:10_000], "v": y[5000:10_000]}
    arrays = {**parts, "n_meta": np.array(N_META)}
    ours: dict = {f"{name}, {threads}": [] for name in METHODS for threads in THREADS}
    peer: dict = {case: [] for case in ours}
    models: dict = {}
    for _ in range(REPEATS):  # in turns: the machine may be busier at one time than at another
        told = run_peer(python, "deslib_dynamic.py", arrays)
        models = models or fit(parts, told)
        for name, (model, queries) in models.items():
            for threads, predict in THREADS.items():
                case = f"{name}, {threads}"
                peer[case].append(told["seconds"][case])
                taken = worked if predict is alone else timed
                ours[case].append(taken(lambda m=model, q=queries, p=predict: p(m, q)))
    for name, (model, queries) in models.items():
        same = np.mean(model.predict(queries) == np.array(told["decided"][name]))
        for threads in THREADS:
            case = f"{name}, {threads}"
            report.add(
                f"{case}, {len(queries):,} queries",
                ours[case],
                peer[case],
                "DESlib 0.3.7",
                at_least=5,
                note=f"{same:.2%} of the decisions are the same",
            )
    return report


def alone(model, queries):
    """Predict on one thread."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            return model.predict(queries)
    finally:
        numba.set_num_threads(before)


def worked(function):
    """Seconds of the processor that one call takes, after one that is not counted."""
    function()
    start = time.process_time()
    function()
    return time.process_time() - start


# As they come, all threads compete with whatever else the machine does.
THREADS = {"one thread": alone, "all threads": lambda model, queries: model.predict(queries)}


def fit(parts, told):
    """Grow the peer's trees again, and fit ours on them."""
    pool = [
        DecisionTreeClassifier(random_state=seed).fit(
            parts["X"], parts["y"], sample_weight=np.bincount(rows, minlength=5000)
        )
        for rows, seed in zip(told["rows"], told["seeds"], strict=True)
    ]
    models = {}
    for name, method in METHODS.items():
        model = DynamicSelectionClassifier(
            pool, method=method, region=NeighbourRegion(7, scale=False)
        )
        queries = parts["Q"][:N_META] if name == "META-DES" else parts["Q"]
        models[name] = model.fit(parts["V"], parts["v"]), queries
    return models
