import numpy as np
import pytest
from naive import boosting as naive

from counterpoint._kernels import boosting as kernels


def powers(t, lam):
    share = np.arange(t + 1) / t
    return np.power(np.stack([1 - share, share]), lam)


@pytest.mark.parametrize("lam", [0.0, 2.0, 9.0])
@pytest.mark.parametrize(("n_classes", "n_samples"), [(2, 7), (2, 60), (3, 40), (5, 60)])
def test_a_run_of_rounds_matches_naive(n_classes, n_samples, lam):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n_samples).astype(np.int32)
    # Right more often than not, so that no weight is negative; ties are common all the same.
    members = np.where(
        rng.random((6, n_samples)) < 0.7, y, rng.integers(n_classes, size=(6, n_samples))
    ).astype(np.int32)
    members[:, 0] = (y[0] + 1) % n_classes  # somebody is always wrong
    members[:, 1] = y[1]
    weight = np.full(n_samples, 1 / n_samples)
    right = np.zeros(n_samples, dtype=np.int32)
    many = n_classes if n_classes > 2 else 0
    tally, score = np.zeros((n_samples, many), np.int32), np.zeros((n_samples, many or 1))
    expected = naive.adaboost_nc(members.tolist(), y.tolist(), n_classes, lam)
    for t, (votes, told) in enumerate(zip(members, expected, strict=True)):
        power = powers(t + 1, lam)
        sums = kernels.judge(votes, y, weight, right, tally, t, power)
        alpha = np.log(sums[kernels.RIGHT] / sums[kernels.WRONG]) + np.log(n_classes - 1)
        np.testing.assert_allclose(alpha, told["alpha"], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sums[kernels.ERROR], told["error"], rtol=1e-9)
        np.testing.assert_allclose(sums[kernels.PENALTY] / n_samples, told["penalty"])
        np.testing.assert_allclose(
            sums[kernels.AMBIGUITY] / n_samples, told["ambiguity"], atol=1e-12
        )
        covariance = (
            sums[kernels.BOTH] / n_samples
            - sums[kernels.HITS] * sums[kernels.BEFORE] / n_samples**2
        )
        np.testing.assert_allclose(covariance, told["covariance"], atol=1e-12)
        z = kernels.new_total(sums, alpha)
        kernels.count_in(votes, y, weight, right, tally, score, t, power, alpha, z)
        np.testing.assert_allclose(z, told["z"], rtol=1e-9)
        np.testing.assert_allclose(weight, told["weight"], rtol=1e-9)
    np.testing.assert_array_equal(right, (members == y).sum(axis=0))


def test_the_weighted_vote_is_counted():
    y = np.array([0, 1, 1, 0], dtype=np.int32)
    votes = np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 0]], dtype=np.int32)
    for n_classes in (2, 3):
        many = n_classes if n_classes > 2 else 0
        weight, right = np.full(4, 0.25), np.zeros(4, dtype=np.int32)
        tally, score = np.zeros((4, many), np.int32), np.zeros((4, many or 1))
        total = np.zeros((4, 2))
        for t, alpha in enumerate([1.0, 0.4, 0.5]):
            power = powers(t + 1, 0.0)
            z = kernels.new_total(kernels.judge(votes[t], y, weight, right, tally, t, power), alpha)
            wrong = kernels.count_in(votes[t], y, weight, right, tally, score, t, power, alpha, z)
            total[np.arange(4), votes[t]] += alpha
            assert wrong == np.sum(total.argmax(axis=1) != y)
        assert weight.sum() == pytest.approx(1.0)
