"""Nearest rows by trying all of them, exactly and fast."""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from counterpoint._arrays import check_floats
from counterpoint._kernels import nearest as kernels
from counterpoint._threads import one_native_thread
from counterpoint._validation import check_count

# Queries multiplied with all rows in one go: the product should stay in the cache.
_PRODUCT = 400_000
# Multiplications below which a second thread costs more than it brings.
_WORTH_A_THREAD = 20_000_000


class NearestRows:
    """Try every row: a matrix product finds candidates, exact distances decide.

    The answers of scikit-learn's ``NearestNeighbors``; of rows equally far the first comes first.
    """

    def __init__(self, rows):
        self._index(rows)

    def _index(self, rows):
        self.rows = np.ascontiguousarray(rows, dtype=np.float64)
        # About the middle there is less to round.
        self.middle = rows.mean(axis=0)
        moved = self.rows - self.middle
        squares = (moved**2).sum(axis=1)
        self.reach = np.sqrt(squares.max())
        with np.errstate(over="ignore"):
            both = np.concatenate([moved, -0.5 * squares[:, None]], axis=1)
            self.product = np.ascontiguousarray(both.T, dtype=np.float32)

    def _check_sound(self):
        check_floats(self.rows, "rows", ("n_samples", "n_features"))
        self._index(self.rows)

    def kneighbors(self, X, n_neighbors):
        """Return distances and rows, (n_queries, n_neighbors), the nearest first."""
        check_count(n_neighbors, "n_neighbors", high=len(self.rows))
        if X.shape[1] != self.rows.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns, the rows have {self.rows.shape[1]}.")
        distance = np.empty((len(X), n_neighbors))
        nearest = np.empty((len(X), n_neighbors), dtype=np.int64)

        n_rows = len(self.rows)
        step = max(1, _PRODUCT // n_rows)

        def search(part):
            queries = np.ascontiguousarray(X[part], dtype=np.float64)
            moved = queries - self.middle
            norm = (moved**2).sum(axis=1)
            # Rounding of the numbers, of their products and of the sum, twice over.
            slack = 2.0**-23 * (queries.shape[1] + 8) * self.reach * (self.reach + np.sqrt(norm))
            with np.errstate(over="ignore", invalid="ignore"):
                short = np.ones((len(queries), queries.shape[1] + 1), dtype=np.float32)
                short[:, :-1] = moved
                # One product after the other in the same place: new memory costs more than they.
                place = np.empty((min(step, len(queries)), n_rows), dtype=np.float32)
                for k in range(0, len(queries), step):
                    own = slice(k, k + step)
                    score = np.matmul(short[own], self.product, out=place[: len(short[own])])
                    kernels.nearest(
                        score, slack[own], norm[own], queries[own], self.rows,
                        distance[part][own], nearest[part][own],
                    )  # fmt: skip

        in_parts(search, len(X), 1024, len(X) * self.product.size)
        nearest[nearest == n_rows] = 0  # where distances are no numbers
        return np.sqrt(distance), nearest


class NearestVotes:
    """Rows of which the most members say the same, the first of equals; class codes below 128."""

    def __init__(self, votes):
        self.votes = np.ascontiguousarray(votes.T, dtype=np.int8)

    def alike(self, votes, n_neighbors):
        """Return rows, (n_queries, n_neighbors)."""
        votes = np.ascontiguousarray(votes, dtype=np.int8)
        nearest = np.empty((len(votes), n_neighbors), dtype=np.int64)
        kind = np.uint8 if len(self.votes) < 256 else np.uint16

        def search(part):
            count = np.empty(self.votes.shape[1], dtype=kind)
            kernels.most_alike(votes[part], self.votes, count, nearest[part])

        in_parts(search, len(votes), 256, len(votes) * self.votes.size)
        return nearest


def in_parts(search, n, size, work):
    """Call ``search`` with slices of n queries, some at a time if there is enough to do."""
    parts = [slice(k, k + max(1, size)) for k in range(0, n, max(1, size))]
    n_threads = min(numba.get_num_threads(), len(parts)) if work > _WORTH_A_THREAD else 1
    if n_threads == 1:
        for part in parts:
            search(part)
        return
    # Each thread multiplies alone: threads of the matrix library would wait for each other.
    with one_native_thread(only_blas=True), ThreadPoolExecutor(n_threads) as threads:
        list(threads.map(search, parts))


def without_self(distance, rows):
    """Take each row out of its own neighbours; the last of them where it is not among them."""
    own = rows == np.arange(len(rows))[:, None]
    own[~own.any(axis=1), -1] = True
    return distance[~own].reshape(len(rows), -1), rows[~own].reshape(len(rows), -1)
