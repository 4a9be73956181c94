"""What the roots of N trees would cost in one pass over the rows.

Eight boosters grown together (docs/negative_correlation_boosting.md) fit eight gradients on the
same bins. ``python -m benchmarks.shared_roots`` times, on one thread, the histograms of eight roots
made one after the other, as ``counterpoint._kernels.hist`` does, and side by side: a row's bins are
read once, and each takes the sixteen sums of all trees, which lie next to each other, in a few
vector additions. Beside them eight whole trees, of which the roots are a part.
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


def lay_out(weight, target):
    """Return the sums of all trees next to each other, row after row."""
    return np.ascontiguousarray(np.concatenate([weight, target]).T)


def least(work, *given, repeats=7, **options):
    """Return the least CPU time of some calls, in milliseconds; the first one compiles."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        work(*given, **options)
        times.append(time.process_time() - start)
    return 1e3 * min(times[1:])


def look(n, rng):
    """Print the times for n rows."""
    X, _ = make_classification(n, 20, n_informative=10, n_redundant=4, random_state=0)
    workspace = GrowWorkspace(Binner(255).fit_transform(X))
    words, per_word, width = workspace._words[0], workspace._per_word, workspace._width
    weight = rng.integers(1, 1 << 40, size=(N_TREES, n))
    target = rng.integers(-(1 << 40), 1 << 40, size=(N_TREES, n))
    alone = np.zeros((N_TREES, len(words), 2 * per_word * width), dtype=np.int64)
    together = np.zeros((len(words), per_word, 256, 2 * N_TREES), dtype=np.int64)
    roots = least(one_by_one, words, weight, target, alone, per_word, width)
    shared = least(side_by_side, words, lay_out(weight, target), together, per_word)
    print(
        f"{n:,} rows: {N_TREES} roots {roots:.1f} ms; side by side {shared:.1f}, and "
        f"{least(lay_out, weight, target):.1f} to lay them out so"
    )
    curvature, aim = rng.uniform(0.1, 0.25, n), X[:, 0] * X[:, 1] + rng.standard_normal(n)
    options = {"target": aim, "l2": 1.0, "min_weight_leaf": 1.0}
    for leaves in (31, 63):
        whole = N_TREES * least(grow, workspace, curvature, max_leaf_nodes=leaves, **options)
        print(f"  {N_TREES} trees of {leaves} leaves {whole:.0f} ms, roots {roots / whole:.0%}")


def main():
    """Print the times for few rows and for many."""
    numba.set_num_threads(1)
    rng = np.random.default_rng(0)
    for n in (5_000, 100_000):
        look(n, rng)


if __name__ == "__main__":
    main()
