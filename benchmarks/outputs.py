"""Asking members and following a measure as members join."""

from itertools import combinations

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.harness import Report
from counterpoint import MemberOutputs
from counterpoint.diversity import profile, q_statistic, trajectory


def run() -> Report:
    report = Report("outputs")
    X, y = make_classification(20_000, 20, n_informative=8, random_state=0)
    forest = RandomForestClassifier(100, max_depth=8, random_state=0, n_jobs=2).fit(X[::2], y[::2])
    report.compare(
        "votes and probabilities of 100 trees, 20,000 rows",
        lambda: MemberOutputs.from_estimator(forest, X, y),
        lambda: [(tree.predict(X), tree.predict_proba(X)) for tree in forest.estimators_],
        peer_name="loop over estimators_",
        repeats=5,
        note="both on one thread",
    )
    outputs = MemberOutputs.from_estimator(forest, X, y)
    report.compare(
        "Q after 1, 2, ..., 100 members, 20,000 samples",
        lambda: trajectory(outputs, "q"),
        lambda: [q_statistic(outputs.take(slice(t + 1))) for t in range(100)],
        peer_name="our Q, 100 times",
        repeats=5,
    )
    few = outputs.take(slice(20))
    correct = few.correct
    report.compare(
        "Q of 20 members, 20,000 samples",
        lambda: q_statistic(correct),
        lambda: _numpy_q(correct),
        peer_name="numpy, pair by pair",
        repeats=5,
    )
    report.compare(
        f"all {len(profile(few))} measures of 20 members, 20,000 samples",
        lambda: profile(MemberOutputs(few.votes, few.y)),
        lambda: _numpy_q(correct),
        peer_name="numpy, Q alone",
        repeats=5,
    )
    return report


def _numpy_q(correct):
    values = []
    for a, b in combinations(correct, 2):
        n11, n00 = np.sum(a & b), np.sum(~a & ~b)
        n10, n01 = np.sum(a & ~b), np.sum(~a & b)
        values.append((n11 * n00 - n10 * n01) / (n11 * n00 + n10 * n01))
    return np.mean(values)
