import numpy as np
import pytest
from naive import truth as naive

from counterpoint._kernels import truth as kernels


@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_truth_step_matches_naive(n_classes):
    rng = np.random.default_rng(0)
    n_members, n_samples, n_votes = 4, 12, 30
    sample = np.sort(rng.integers(n_samples, size=n_votes))  # some samples have no vote
    starts = np.searchsorted(sample, np.arange(n_samples + 1))
    member = rng.integers(n_members, size=n_votes).astype(np.int32)
    label = rng.integers(n_classes, size=n_votes).astype(np.int32)
    say, weight = rng.random(n_members), rng.random(n_samples)
    prior = np.log(rng.dirichlet(np.ones(n_classes)))
    confusion = np.log(rng.dirichlet(np.ones(n_classes), size=(n_members, n_classes)))
    proba, counts = np.empty((n_samples, n_classes)), np.zeros(confusion.shape)
    reached = kernels.truth_step(
        starts, member, label, say, weight, prior, confusion, proba, counts
    )
    expected = naive.truth_step(starts, member, label, say, weight, prior, confusion)
    for actual, wanted in zip((proba, counts, reached), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-12)
