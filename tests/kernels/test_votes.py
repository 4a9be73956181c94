import numpy as np
import pytest
from naive import votes as naive

from counterpoint._kernels import votes as kernels


def ballot(n_members, n_samples, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    votes = rng.integers(n_classes, size=(n_members, n_samples)).astype(np.int8)
    return votes, rng.integers(n_classes, size=n_samples).astype(np.int8), rng.random(n_members)


@pytest.mark.parametrize(
    ("n_members", "n_samples", "n_classes"), [(1, 1, 2), (6, 50, 2), (5, 40, 7)]
)
def test_add_votes_matches_naive(n_members, n_samples, n_classes):
    votes, _, weights = ballot(n_members, n_samples, n_classes)
    tally = np.ones((n_samples, n_classes))
    expected = naive.add_votes(tally.tolist(), votes.tolist(), weights.tolist())
    kernels.add_votes(tally, votes, weights)
    np.testing.assert_allclose(tally, expected, rtol=1e-15)


def test_add_votes_takes_more_samples_than_a_block():
    votes, _, weights = ballot(2, 4100, 3)
    tally = np.zeros((4100, 3))
    kernels.add_votes(tally, votes, weights)
    expected = naive.add_votes(np.zeros((4100, 3)).tolist(), votes.tolist(), weights.tolist())
    np.testing.assert_allclose(tally, expected, rtol=1e-15)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
def test_read_tally_matches_naive(n_classes):
    rng = np.random.default_rng(0)
    tally = rng.integers(3, size=(60, n_classes)).astype(float)  # small counts, so ties are common
    y = rng.integers(n_classes, size=60)
    right, other, winner = np.empty(60), np.empty(60), np.empty(60, dtype=np.int64)
    kernels.read_tally(tally, y, right, other, winner)
    for actual, expected in zip((right, other, winner), naive.read_tally(tally, y), strict=True):
        np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(("n_members", "n_samples"), [(1, 1), (5, 30)])
def test_prefix_histograms_matches_naive(n_members, n_samples):
    rng = np.random.default_rng(0)
    correct, weight = rng.random((n_members, n_samples)) < 0.6, rng.random(n_samples)
    expected = naive.prefix_histograms(correct.tolist(), weight.tolist())
    np.testing.assert_allclose(kernels.prefix_histograms(correct, weight), expected, rtol=1e-13)


def test_votes_of_leaves_are_the_labels_of_the_leaves():
    labels, leaf = np.array([2, 0, 1], dtype=np.int8), np.array([1, 1, 2, 0], dtype=np.int32)
    found = kernels.votes_of_leaves(labels, leaf)
    assert found.dtype == np.int8
    assert found.tolist() == [0, 0, 1, 2]
