"""GFMM against hyperbox-brain: merging boxes, and learning sample by sample.

Both learn the same samples in the same order. Merged boxes must be equal; online, the peer leaves
gaps of 1e-5 where it takes boxes apart, so that their numbers are compared.
"""

import numpy as np

from benchmarks.harness import Report, peer_python, run_peer, timed
from counterpoint.hyperboxes import HyperboxClassifier

THETA, MIN_SIMILARITY = 0.3, 0.5
SIZES = ((300, 8), (1000, 8), (1000, 30), (5000, 8), (5000, 30))


def samples(n, n_features):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    X = 0.5 + 0.12 * rng.standard_normal((n, n_features)) + 0.1 * (y[:, None] - 0.5)
    return np.clip(X, 0, 1), y


def run() -> Report:
    report = Report("hyperboxes")
    python = peer_python("hyperbox", ["hyperbox-brain==0.1.6"])
    if python is None:
        return report
    for n, n_features in SIZES:
        X, y = samples(n, n_features)
        repeats = 3 if n <= 1000 else 1  # at 5000 the peer takes minutes
        ways = {"agglomerative": 30, "online": None}
        arrays = {
            "X": X,
            "y": y,
            "X_new": X[:200],
            "options": np.array([THETA, MIN_SIMILARITY, repeats]),
            "online": np.ones(1),
        }
        if n <= 300:  # the peer lists all pairs anew after each merge
            ways["best-first"] = None
            arrays["best_first"] = np.ones(1)
        told = run_peer(python, "hyperbox_brain.py", arrays)
        for learning, at_least in ways.items():
            model = HyperboxClassifier(
                THETA, learning=learning, min_similarity=MIN_SIMILARITY, bounds=(0, 1)
            )
            times = [timed(lambda m=model, X=X, y=y: m.fit(X, y)) for _ in range(repeats)]
            theirs = told[learning]
            report.add(
                f"{learning}, {n} x {n_features}",
                times,
                theirs["seconds"],
                "hyperbox-brain 0.1.6",
                at_least=at_least,
                note=compared(model, theirs, X[:200], learning),
            )
    return report


def compared(model, theirs, X, learning):
    """Say how the models agree; merged boxes have to be the same."""
    if learning != "online":
        np.testing.assert_allclose(model.boxes_[0], theirs["lower"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(model.boxes_[1], theirs["upper"], rtol=0, atol=1e-12)
    same = np.mean(model.predict(X) == theirs["predicted"])
    return (
        f"{model.n_boxes_} boxes, the peer {len(theirs['lower'])}; {same:.1%} of the predictions "
        "are equal"
    )
