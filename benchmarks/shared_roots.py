"""Would the roots of N trees cost less in one pass over the rows? (docs/negative_correlation_boosting.md)

Eight boosters grown together fit eight gradients on the same bins. ``python -m
benchmarks.shared_roots`` times, on one thread, the histograms of eight roots made one after the
other, as ``counterpoint._kernels.hist`` does, and side by side: a row's bins are read once, and each
takes the sixteen sums of all trees, which lie next to each other, in a few vector additions. Beside
them eight whole trees, of which the roots are a part.
"""

import time

import numba
import numpy as np
from numba import njit
from sklearn.datasets import make_classification

from counterpoint._kernels.hist import _add_targets
from counterpoint.trees.binning import Binner
from counterpoint.trees.growing.workspace import GrowWorkspace, grow

N_TREES = 8


@njit(error_model="numpy")
def one_by_one(words, weight, target, hist, per_word, width):
    """Add up weights and targets (n_trees, n_samples), a tree after the other."""
    for m in range(len(weight)):
        for k in range(len(words)):
            _add_targets(words[k], weight[m], target[m], hist[m, k], per_word, width)


@njit(error_model="numpy")
def side_by_side(words, sums, hist, per_word):
    """Add up sums (n_samples, 2 * n_trees) into hist (n_words, per_word, 256, 2 * n_trees)."""
    for k in range(len(words)):
        for i in range(words.shape[1]):
            word = words[k, i]
            for j in range(per_word):
                own = hist[k, j, (word >> np.uint64(8 * (j + 1))) & np.uint64(255)]
                for m in range(2 * N_TREES):
                    own[m] += sums[i, m]


def least(work, repeats=7):
    """Return the least CPU time of some calls, in milliseconds; the first one compiles."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * min(times[1:])


def main():
    """Print the times for few rows and for many."""
    numba.set_num_threads(1)
    rng = np.random.default_rng(0)
    for n in (5_000, 100_000):
        X, _ = make_classification(n, 20, n_informative=10, n_redundant=4, random_state=0)
        workspace = GrowWorkspace(Binner(255).fit_transform(X))
        words, per_word, width = workspace._words[0], workspace._per_word, workspace._width
        weight = rng.integers(1, 1 << 40, size=(N_TREES, n))
        target = rng.integers(-(1 << 40), 1 << 40, size=(N_TREES, n))
        alone = np.zeros((N_TREES, len(words), 2 * per_word * width), dtype=np.int64)
        together = np.zeros((len(words), per_word, 256, 2 * N_TREES), dtype=np.int64)
        sums = np.ascontiguousarray(np.concatenate([weight, target]).T)
        roots = least(lambda: one_by_one(words, weight, target, alone, per_word, width))
        shared = least(lambda: side_by_side(words, sums, together, per_word))
        laid = least(lambda: np.ascontiguousarray(np.concatenate([weight, target]).T))
        print(f"{n:,} rows: {N_TREES} roots {roots:.1f} ms, side by side {shared:.1f} and {laid:.1f}")
        curvature, aim = rng.uniform(0.1, 0.25, n), X[:, 0] * X[:, 1] + rng.standard_normal(n)
        for leaves in (31, 63):
            options = {"max_leaf_nodes": leaves, "l2": 1.0, "min_weight_leaf": 1.0}
            whole = N_TREES * least(lambda: grow(workspace, curvature, target=aim, **options))
            print(f"  {N_TREES} trees of {leaves} leaves {whole:.0f} ms, roots {roots / whole:.0%}")


if __name__ == "__main__":
    main()
