import numpy as np
import pytest
from naive import polls as naive

from counterpoint._kernels import polls as kernels


@pytest.mark.parametrize(("n_rows", "n_samples"), [(1, 1), (3, 64), (9, 130), (5, 64 * 64 + 7)])
def test_weigh_columns_matches_naive(n_rows, n_samples):
    rng = np.random.default_rng(n_rows)
    words = rng.integers(2**63, size=(n_rows, -(-n_samples // 64)), dtype=np.uint64)
    weights = rng.integers(0, 11, size=n_rows)
    rows = rng.permutation(n_rows)[: max(1, n_rows - 1)]
    found = kernels.weigh_columns(words, rows, weights[rows], n_samples)
    assert found.tolist() == naive.weigh_columns(words.tolist(), rows, weights[rows], n_samples)


def test_the_highest_sum_has_its_own_plane():
    words = np.full((2, 1), ~np.uint64(0))
    found = kernels.weigh_columns(words, np.arange(2), np.array([2**30, 2**30 - 1]), 64)
    assert found.tolist() == [2**31 - 1] * 64
