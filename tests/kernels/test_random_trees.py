import numpy as np
import pytest
from naive import random_trees as naive

from counterpoint._kernels import random_trees as kernels


def table(width, n=60, seed=0):
    """Rows of which some are drawn twice or not at all, with a constant column and one of steps."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(5, n))
    columns[1], columns[2] = 3.0, rng.integers(3, size=n)
    weight = rng.integers(3, size=n).astype(float)
    place = rng.integers(width, size=n)
    # Whole numbers: sums are exact in whatever order.
    amount = weight * (rng.integers(-20, 20, size=n) if width == 1 else 1)
    return columns, (place, amount, weight), np.flatnonzero(weight), rng.uniform(size=37)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("by_lot", [False, True])
@pytest.mark.parametrize(
    ("n", "n_columns", "least"), [(60, 2, 1), (60, 5, 4), (300, 3, 2), (2, 1, 1)]
)
def test_grow_matches_naive(width, by_lot, n, n_columns, least):
    columns, target, rows, draws = table(width, n)
    if not len(rows):
        pytest.skip("no row has a weight")
    in_order = np.argsort(columns, axis=1).astype(np.int32)[: 0 if by_lot else 5]
    left, right, feature = np.empty((3, 2 * n - 1), dtype=np.int32)
    threshold, value = np.empty(2 * n - 1), np.empty((2 * n - 1, width))
    size, depth = kernels.grow(
        columns, in_order, target, rows.copy(), draws, n_columns, least,
        left, right, feature, threshold, value,
    )  # fmt: skip
    plain = [part.tolist() for part in target]
    nodes, deepest = naive.grow(
        columns.tolist(), plain, rows.tolist(), draws.tolist(), n_columns, least, width,
        by_lot=by_lot,
    )  # fmt: skip
    assert (size, depth) == (len(nodes), deepest)
    for k, node in enumerate(nodes):
        assert (feature[k], left[k], right[k]) == (node["feature"], node["left"], node["right"])
        np.testing.assert_allclose(value[k], node["value"], rtol=1e-12, atol=1e-12)
        if node["feature"] >= 0:
            assert threshold[k] == pytest.approx(node["threshold"], rel=1e-12)
        else:
            assert np.isnan(threshold[k])


def test_a_cut_lies_between_numbers_next_to_each_other():
    low = 1.0
    high = np.nextafter(low, 2.0)
    columns, order = np.array([[high, low]]), np.array([[1, 0]], dtype=np.int32)
    for in_order in (order, order[:0]):
        left, right, feature = np.empty((3, 3), dtype=np.int32)
        threshold, value = np.empty(3), np.empty((3, 2))
        target = np.array([0, 1]), np.ones(2), np.ones(2)
        size, _ = kernels.grow(
            columns, in_order, target, np.arange(2), np.array([0.999]), 1, 1,
            left, right, feature, threshold, value,
        )  # fmt: skip
        assert size == 3
        assert low <= threshold[0] < high
