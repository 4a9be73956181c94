"""Stochastic discrimination against the time of a forest, and forest kernels against numpy."""

import json
import subprocess
import sys

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.harness import THREADS, Report, clock
from counterpoint.subsets import StochasticDiscriminationClassifier, ensemble_kernel


def run() -> Report:
    report = Report("subsets")
    X, y = make_classification(10_000, 20, n_informative=8, random_state=0)
    discrimination(report, X, y)
    for depth in (None, 6):
        leaf_kernel(report, X, y, depth)
    memory(report)
    return report


def discrimination(report, X, y):
    StochasticDiscriminationClassifier(10).fit(X, y)  # compile
    for n_boxes in (1, 3):
        model = StochasticDiscriminationClassifier(5000, n_boxes=n_boxes, random_state=0)
        forest = RandomForestClassifier(500, n_jobs=THREADS, random_state=0)
        ours, peer = [], []
        for _ in range(2):
            ours.append(once(lambda model=model: model.fit(X, y)))
            peer.append(once(lambda forest=forest: forest.fit(X, y)))
        report.add(
            f"10,000 models of {n_boxes} box(es), 10,000 x 20",
            ours,
            peer,
            "forest of 500, all cores",
            at_least=1,
            note=f"5000 models for each of two classes, out of {model.n_candidates_.sum():,} drawn",
        )


def once(function):
    """Seconds of one call: they take long enough to need no warming up."""
    start = clock()
    function()
    return clock() - start


def leaf_kernel(report, X, y, depth):
    forest = RandomForestClassifier(500, max_depth=depth, n_jobs=THREADS, random_state=0).fit(X, y)
    n_trees, asked = 500, 5
    leaves = forest.apply(X)
    small = ensemble_kernel(forest, X[:300])
    np.testing.assert_allclose(small, numpy_loop(leaves[:300]), rtol=1e-5)
    ours = [once(lambda: ensemble_kernel(forest, X)) for _ in range(3)]
    peer = [once(lambda: numpy_loop(leaves[:, :asked])) * n_trees / asked for _ in range(3)]
    report.add(
        f"kernel of 500 trees, depth {depth}, 10,000 x 10,000",
        ours,
        peer,
        "numpy loop over trees",
        at_least=20,
        note=f"ours finds the leaves too; the loop is given them, timed on {asked} trees, "
        f"multiplied by {n_trees // asked}",
    )


def numpy_loop(leaves):
    """Compare the leaves of all pairs, tree by tree: what one finds in forums."""
    kernel = np.zeros((len(leaves), len(leaves)), dtype=np.float32)
    for t in range(leaves.shape[1]):
        kernel += np.equal.outer(leaves[:, t], leaves[:, t])
    return kernel / leaves.shape[1]


MEMORY = """
import json
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from counterpoint.subsets import ensemble_kernel
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
X, y = make_classification(10_000, 20, n_informative=8, random_state=0)
forest = RandomForestClassifier(100, n_jobs=THREADS, random_state=0).fit(X, y)
ensemble_kernel(forest, X[:100])
before = kilobytes("VmRSS")
kernel = ensemble_kernel(forest, X)
print(json.dumps({"before": before, "after": kilobytes("VmHWM"), "result": kernel.nbytes // 1024}))
"""


def memory(report):
    """Measure what a kernel of 10 000 rows adds, over its own size."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    told = json.loads(done.stdout)
    added = (told["after"] - told["before"]) / told["result"]
    report.limit("kernel 10,000 x 10,000, memory added", added, 1.25, "x the result")
