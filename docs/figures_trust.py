"""Draw the pictures of docs/trust*.md into docs/images: python docs/figures_trust.py."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from counterpoint import MemberOutputs, tabular
from counterpoint.datasets import TabularEncoder, load, make_judges
from counterpoint.plots import (
    ErrorEstimateDisplay,
    LabelErrorDisplay,
    QueryDisplay,
    SelectiveDisplay,
    UncertaintyDisplay,
    VotersDisplay,
    WatchDisplay,
)
from counterpoint.trust import (
    QueryByCommittee,
    VoteLog,
    estimate_error,
    estimate_truth,
    find_label_errors,
)

save = runpy.run_path(str(Path(__file__).parent / "figures.py"))["save"]


def data():
    """German credit data in three parts, and a forest trained on the first."""
    X, y = load("german-credit", return_X_y=True)
    encoder = TabularEncoder().fit(X, y)
    X, y = encoder.transform(X), np.asarray(y)
    X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=0.5, random_state=0)
    parts = train_test_split(rest, y_rest, train_size=0.5, random_state=0)
    forest = RandomForestClassifier(60, max_depth=8, random_state=0).fit(X_train, y_train)
    return forest, X, y, *parts


def draw_error(forest, X_ref, X_new, y_ref, y_new):
    hard = np.argsort(forest.predict_proba(X_new).max(axis=1))[:150]
    reference = MemberOutputs.from_estimator(forest, X_ref, y_ref)
    told = estimate_error(
        reference, MemberOutputs.from_estimator(forest, X_new[hard]), random_state=0
    )
    true = float(np.mean(forest.predict(X_new[hard]) != y_new[hard]))
    save(ErrorEstimateDisplay.from_estimate(told, true=true).figure_, "trust_error.png")


def draw_acting(forest, X_ref, y_ref):
    outputs = MemberOutputs.from_estimator(forest, X_ref, y_ref)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    SelectiveDisplay.from_outputs(outputs, ax=left, name="forest")
    UncertaintyDisplay.from_outputs(outputs, ax=right)
    save(figure, "trust_acting.png")


def draw_voters():
    log, _ = make_judges(600, random_state=0)
    found = estimate_truth(VoteLog(log["judge"], log["question"], log["label"]), random_state=0)
    save(VotersDisplay.from_truth(found).figure_, "trust_voters.png")


def draw_labels(X, y):
    codes = np.unique(y, return_inverse=True)[1]
    wrong = np.random.default_rng(0).random(len(y)) < 0.1
    given = np.where(wrong, 1 - codes, codes)
    forest = RandomForestClassifier(40, random_state=0)
    outputs = MemberOutputs.from_estimator([("forest", forest)], X, given, cv=5)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    LabelErrorDisplay.from_errors(find_label_errors(outputs), ax=left)
    X, y = load("breast-w", return_X_y=True)
    X, y = TabularEncoder().fit(X, y).transform(X), np.asarray(y)
    committee, known = QueryByCommittee(random_state=0), np.zeros(len(y), dtype=bool)
    known[:10] = True
    for _ in range(15):
        committee.fit(X[known], y[known])
        known[np.flatnonzero(~known)[committee.query(X[~known], 10)]] = True
    QueryDisplay.from_estimator(committee, ax=right)
    save(figure, "trust_labels.png")


def draw_watch():
    frame = load("german-credit").frame
    order = np.random.default_rng(0).permutation(len(frame))
    target = frame.columns[-1]
    model = tabular.fit(frame.iloc[order[:500]].reset_index(drop=True), target, "random-forest")
    rest = frame.iloc[order[500:]].reset_index(drop=True)
    numbers = rest.select_dtypes("number").columns
    batches = []
    for k in range(8):
        batch = rest.iloc[60 * k : 60 * k + 60].copy()
        if k >= 4:  # amounts grow, as in an inflation
            batch[numbers] = (batch[numbers] * (1 + 0.35 * (k - 3))).astype(float)
        batches.append((f"week {k + 1}", batch))
    save(WatchDisplay.from_watch(tabular.watch(model, batches)).figure_, "trust_watch.png")


if __name__ == "__main__":
    forest, X, y, X_ref, X_new, y_ref, y_new = data()
    draw_error(forest, X_ref, X_new, y_ref, y_new)
    draw_acting(forest, X_ref, y_ref)
    draw_voters()
    draw_labels(X, y)
    draw_watch()
