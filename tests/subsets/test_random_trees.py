"""The kernel of purely random trees, against trees grown at random and a formula for one edge."""

from math import exp, factorial, log

import numpy as np
import pytest
from naive import subset_kernels as naive
from numpy.testing import assert_allclose

from counterpoint.subsets import random_tree_kernel

POINTS = np.array([[0.1, 0.2], [0.15, 0.2], [0.5, 0.5], [0.55, 0.4], [0.9, 0.95]])


def test_a_simulated_forest():
    rng = np.random.default_rng(0)
    n = 3000
    together = sum(naive.share_a_leaf(naive.random_tree(2, log(12), rng), POINTS) for _ in range(n))
    expected = random_tree_kernel(POINTS, n_leaves=12, bounds=(0, 1))
    noise = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(together / n - expected) <= 4 * noise + 1e-9).all()
    sizes = [len(naive.random_tree(2, log(12), rng)) for _ in range(1000)]
    assert np.mean(sizes) == pytest.approx(12, rel=0.12)


@pytest.mark.parametrize("z", [0.001, 0.1, 0.3, 0.9])
def test_from_the_edge_there_is_a_formula(z):
    """Scornet 2016: k uniform cuts spare 0 and z with chance 1 - z sum_{j<k} (-ln z)^j / j!."""
    cuts = log(50)
    spared = [1 - z * sum((-log(z)) ** j / factorial(j) for j in range(k)) for k in range(60)]
    expected = sum(exp(-cuts) * cuts**k / factorial(k) * f for k, f in enumerate(spared))
    actual = random_tree_kernel([[0.0]], [[z]], n_leaves=50, bounds=(0, 1))
    assert_allclose(actual, expected, atol=1e-6)


def test_it_is_a_kernel_of_any_space():
    kernel = random_tree_kernel(POINTS, n_leaves=30, bounds=(0, 1))
    assert_allclose(kernel, kernel.T)
    assert_allclose(np.diag(kernel), 1.0)
    assert np.linalg.eigvalsh(kernel).min() > -1e-6
    moved = random_tree_kernel(POINTS * 40 - 3, n_leaves=30, bounds=(-3, 37))
    assert_allclose(moved, kernel, atol=1e-9)
    assert_allclose(random_tree_kernel(POINTS, n_leaves=1, bounds=(0, 1)), 1.0)


def test_wrong_bounds():
    with pytest.raises(ValueError, match="outside bounds"):
        random_tree_kernel(POINTS, bounds=(0.2, 1))
    with pytest.raises(ValueError, match="each low below its high"):
        random_tree_kernel(POINTS, bounds=(1, 1))
