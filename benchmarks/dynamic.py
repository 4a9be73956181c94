"""Dynamic selection end to end: 100 trees, 5000 validation rows, 100,000 queries, as DESlib."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

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
    told = run_peer(python, "deslib_dynamic.py", {**parts, "n_meta": np.array(N_META)})
    pool = [
        DecisionTreeClassifier(random_state=seed).fit(
            parts["X"], parts["y"], sample_weight=np.bincount(rows, minlength=5000)
        )
        for rows, seed in zip(told["rows"], told["seeds"], strict=True)
    ]
    for name, method in METHODS.items():
        queries = parts["Q"][:N_META] if name == "META-DES" else parts["Q"]
        model = DynamicSelectionClassifier(
            pool, method=method, region=NeighbourRegion(7, scale=False)
        ).fit(parts["V"], parts["v"])
        same = np.mean(model.predict(queries) == np.array(told["decided"][name]))
        ours = [timed(lambda m=model, q=queries: m.predict(q)) for _ in range(3)]
        report.add(
            f"{name}, {len(queries):,} queries",
            ours,
            told["seconds"][name],
            "DESlib 0.3.7",
            at_least=5,
            note=f"{same:.2%} of the decisions are the same",
        )
    return report
