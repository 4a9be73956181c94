import numpy as np
import pytest
from naive import pairs as naive

from counterpoint._kernels import pairs as kernels

SIZES = [(1, 1), (3, 63), (4, 64), (5, 65), (8, 200), (13, 4 * 64 + 7)]


def flags(n_members, n_samples, seed=0):
    return (np.random.default_rng(seed).random((n_members, n_samples)) < 0.7).astype(np.uint8)


@pytest.mark.parametrize(("n_members", "n_samples"), SIZES)
def test_pack_matches_naive(n_members, n_samples):
    given = flags(n_members, n_samples)
    rows = -(-n_members // 4) * 4
    np.testing.assert_array_equal(kernels.pack(given, rows), naive.pack(given.tolist(), rows))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize(("n_members", "n_samples"), SIZES)
def test_pack_equal_packs_the_comparison(n_members, n_samples, dtype):
    rng = np.random.default_rng(1)
    votes = rng.integers(3, size=(n_members, n_samples)).astype(dtype)
    y = rng.integers(3, size=n_samples).astype(dtype)
    expected = naive.pack((votes == y).tolist(), n_members)
    np.testing.assert_array_equal(kernels.pack_equal(votes, y, n_members), expected)


# The third size has an odd number of tiles, the last more words than one chunk.
@pytest.mark.parametrize(("n_rows", "n_words"), [(4, 1), (8, 3), (12, 2), (4, 600)])
def test_count_pairs_matches_naive(n_rows, n_words):
    words = np.random.default_rng(0).integers(2**64, size=(n_rows, n_words), dtype=np.uint64)
    np.testing.assert_array_equal(kernels.count_pairs(words), naive.count_pairs(words.tolist()))


@pytest.mark.parametrize(("n_rows", "n_samples"), [(1, 1), (4, 64), (8, 100), (16, 65), (3, 4200)])
def test_count_columns_matches_naive(n_rows, n_samples):
    words = kernels.pack(flags(n_rows, n_samples), n_rows)
    expected = naive.count_columns(words.tolist(), n_samples)
    np.testing.assert_array_equal(kernels.count_columns(words, n_samples), expected)


def test_all_rows_set_reaches_the_highest_counter():
    words = kernels.pack(np.ones((16, 70), dtype=np.uint8), 16)
    np.testing.assert_array_equal(kernels.count_columns(words, 70), np.full(70, 16))


@pytest.mark.parametrize(
    "kind", ["Q", "CORRELATION", "KAPPA", "DISAGREEMENT", "DOUBLE_FAULT", "COVARIANCE"]
)
def test_measure_pairs_matches_naive(kind):
    # Few samples, so that members that are always right, always wrong or equal are common.
    for seed in range(5):
        correct = flags(6, 4, seed).astype(int)
        both = correct @ correct.T
        actual = kernels.measure_pairs(getattr(kernels, kind), both.astype(float), 4.0)
        np.testing.assert_allclose(actual, naive.measure_pairs(kind, both.tolist(), 4), atol=1e-12)


@pytest.mark.parametrize("total", [1e-3, 1.0, 1e6])
def test_what_rounding_leaves_of_a_count_is_measured_by_the_whole(total):
    # Two members that are never wrong together, but for a rounding error and but for a sample.
    for share, expected in ((1e-14, 0.0), (1e-6, 1e-6)):
        both = np.array([[0.5, share], [share, 0.5]]) * total
        values = kernels.measure_pairs(kernels.DOUBLE_FAULT, both, total)
        np.testing.assert_allclose(values[0, 1], expected, rtol=1e-6)
