import numpy as np
import pytest
from naive import temperature as naive

from counterpoint._kernels.temperature import tempered


def case(n_samples, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    sums = rng.normal(size=(n_samples, n_classes), scale=3.0)
    return sums, rng.integers(n_classes, size=n_samples), rng.uniform(0.5, 2.0, n_samples)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 5.0])
def test_tempered_matches_naive(n_classes, temperature):
    sums, y, weight = case(40, n_classes)
    wanted = naive.tempered(sums.tolist(), y.tolist(), weight.tolist(), temperature)
    np.testing.assert_allclose(tempered(sums, y, weight, temperature), wanted, rtol=1e-10)


def test_each_is_the_slope_of_the_one_before():
    given = case(30, 3)
    for inverse in (0.5, 2.0):
        found = tempered(*given, 1.0 / inverse)
        for place in (0, 1):
            low, high = (tempered(*given, 1.0 / (inverse + d))[place] for d in (-1e-6, 1e-6))
            sign = -1.0 if place == 0 else 1.0
            np.testing.assert_allclose((high - low) / 2e-6, sign * found[place + 1], rtol=1e-5)


def test_sums_that_are_far_apart_give_numbers():
    sums = np.array([[0.0, 1e5], [1e5, 0.0]])
    found = tempered(sums, np.array([0, 0]), np.ones(2), 0.01)
    np.testing.assert_allclose(found, [-1e7, 1e5, 0.0])
