import numpy as np
import pytest
from naive import machines as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from counterpoint._kernels import machines as kernels

NEVER = 10**6


def case(n, n_classes, *, seed=0, gamma=0.5, rounded=False, weighted=True):
    """Kernel values, class codes and what each sample weighs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    codes = rng.permutation(np.arange(n) % n_classes)
    X[:, 0] += codes
    if rounded:  # many samples in one place: steps without curvature, and equals
        X = np.round(X)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-gamma * squared), codes, rng.exponential(size=n) if weighted else np.ones(n)


def ours(values, codes, limit, tol=1e-3, most=NEVER):
    n_classes, n = codes.max() + 1, len(codes)
    order = np.argsort(codes, kind="stable")
    taken = np.empty((n, n), dtype=np.float32)
    kernels.take_kernel(values, order, taken)
    assert_array_equal(taken, values[np.ix_(order, order)].astype(np.float32))
    first = np.searchsorted(codes[order], np.arange(n_classes + 1))
    n_pairs = n_classes * (n_classes - 1) // 2
    found, offset = np.zeros((n, n_pairs)), np.full(n_pairs, np.nan)
    stopped = kernels.solve_pairs(taken, first, limit[order], tol, most, found, offset)
    coef = np.empty_like(found)
    coef[order] = found
    return coef, offset, stopped


def libsvm(values, codes, weight, C, tol=1e-3, most=NEVER):
    """Coefficients and offsets of all pairs; above 0 is the first class of a pair."""
    machine = SVC(C=C, kernel="precomputed", tol=tol, max_iter=most)
    machine.fit(values, codes, sample_weight=weight)
    n_classes = len(machine.classes_)
    sign = -1.0 if n_classes == 2 else 1.0
    coef = np.zeros((len(codes), len(machine.intercept_)))
    of, dual = codes[machine.support_], machine.dual_coef_
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for p, (a, b) in enumerate(pairs):
        coef[machine.support_[of == a], p] = sign * dual[b - 1, of == a]
        coef[machine.support_[of == b], p] = sign * dual[a, of == b]
    return coef, sign * machine.intercept_


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_machine_is_that_of_the_twin(seed, C):
    values, codes, weight = case(24, 2, seed=seed)
    values = values.astype(np.float32).astype(float)  # as precise as the solver sees it
    coef, offset, stopped = ours(values, codes, C * weight, tol=1e-9)
    side = np.where(codes == 0, 1.0, -1.0)
    alpha, wanted = naive.train(values.tolist(), side.tolist(), (C * weight).tolist(), 1e-9)
    assert not stopped
    assert_allclose(coef[:, 0], side * alpha, atol=1e-6 * C)
    assert_allclose(offset[0], wanted, atol=1e-6 * C)


@pytest.mark.parametrize("gamma", [1e-4, 0.5, 50.0])
@pytest.mark.parametrize(
    ("n_classes", "C", "how"),
    [
        (2, 1.0, {}),
        (2, 1.0, {"weighted": False}),
        (2, 100.0, {"rounded": True}),  # many steps, and many rounds of shrinking
        (2, 0.01, {"rounded": True}),
        (3, 10.0, {}),
        (4, 1.0, {"rounded": True}),
    ],
)
def test_steps_are_those_of_libsvm(n_classes, C, how, gamma):
    values, codes, weight = case(90, n_classes, gamma=gamma, **how)
    for tol in (1e-3, 1e-6):
        coef, offset, stopped = ours(values, codes, C * weight, tol=tol)
        wanted = libsvm(values, codes, weight, C, tol)
        assert not stopped
        # Not merely near the solution by the tolerance: where libsvm stopped, too.
        assert_allclose(coef, wanted[0], rtol=0, atol=1e-11 * C)
        assert_allclose(offset, wanted[1], rtol=0, atol=1e-11 * C)


def test_it_stops_where_libsvm_does():
    values, codes, weight = case(90, 2, rounded=True)
    coef, offset, stopped = ours(values, codes, 100 * weight, most=150)
    with pytest.warns(ConvergenceWarning):
        wanted = libsvm(values, codes, weight, 100.0, most=150)
    assert stopped
    assert_allclose(coef, wanted[0], atol=1e-9)
    assert_allclose(offset, wanted[1], atol=1e-9)


def test_a_class_without_samples_is_left_out():
    values, codes, weight = case(40, 2)
    taken = values[np.ix_(*2 * [np.argsort(codes, kind="stable")])].astype(np.float32)
    n_0 = int((codes == 0).sum())
    limit = weight[np.argsort(codes, kind="stable")]
    two, three = (np.zeros((40, n)) for n in (1, 3))
    offset, of_three = np.zeros(1), np.full(3, 7.0)
    kernels.solve_pairs(taken, np.array([0, n_0, 40]), limit, 1e-3, NEVER, two, offset)
    kernels.solve_pairs(taken, np.array([0, n_0, n_0, 40]), limit, 1e-3, NEVER, three, of_three)
    assert_array_equal(three[:, 1], two[:, 0])
    assert_array_equal(three[:, [0, 2]], 0.0)
    assert_array_equal(of_three, [7.0, offset[0], 7.0])


@pytest.mark.parametrize("n", [1, 5, 127, 128, 129, 600])
def test_the_largest_of_equals_is_the_last(n):
    values = np.random.default_rng(n).integers(4, size=n).astype(float)
    largest = getattr(kernels._largest, "py_func", kernels._largest)
    assert largest(values, n) == (values.max(), np.flatnonzero(values == values.max())[-1])
    assert largest(np.full(n, -np.inf), n)[0] == -np.inf
