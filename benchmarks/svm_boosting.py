"""Boosted support vector machines against a plain loop of fits over the same widths.

Ours computes squared distances once for all widths and rounds and the kernel once for all rounds of
a width, solves as libsvm does but on that kernel, and does not train machines that can only say one
class. The loop trains scikit-learn's SVC at every width in turn, as steps 3 to
11 of Hong et al. (2018) say, with the same number of members.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.harness import Report
from counterpoint.boosting import NCABSVMClassifier


def run() -> Report:
    report = Report("svm")
    for n_features in (10, 30):
        X, y = make_classification(
            1000, n_features, n_informative=8, n_clusters_per_class=2, flip_y=0.05, random_state=0
        )
        report.compare(
            f"NCAB-SVM, 1000 x {n_features}, 20 members",
            lambda X=X, y=y: NCABSVMClassifier(n_estimators=20, calibrate=False).fit(X, y),
            lambda X=X, y=y: plain_loop(X, y, 20),
            peer_name="loop of SVC fits",
            repeats=3,
            at_least=3,
        )
    return report


def plain_loop(X, y, n_members, lam=2.0, div=0.8):
    """Follow steps 1 to 11 of Hong et al. (2018) with scikit-learn's SVC, one fit at a time."""
    X = StandardScaler().fit_transform(X)
    sign = np.where(y == 1, 1.0, -1.0)
    n = len(y)
    weight, score = np.full(n, 1 / n), np.zeros(n)
    sigma, members = 20.0, 0
    while sigma > -20 and members < n_members:
        machine = SVC(gamma=0.5 / 4.0**sigma).fit(X, sign, sample_weight=weight * n)
        predicted = machine.predict(X)
        error = weight[predicted != sign].sum()
        penalty = (predicted - np.where(score > 0, 1.0, -1.0)) ** 2 if members else np.ones(n)
        if error >= 0.5 - 1e-9 or (members and penalty.mean() < div):
            sigma -= 2
            continue
        pulled = weight * penalty**lam
        right = max(pulled[predicted == sign].sum(), 1 / n)
        wrong = max(pulled[predicted != sign].sum(), 1 / n)
        alpha = 0.5 * np.log(right / wrong)
        if alpha <= 0:
            sigma -= 2
            continue
        weight = weight * np.exp(-alpha * predicted * sign)
        weight /= weight.sum()
        score += alpha * predicted
        members += 1
    return members
