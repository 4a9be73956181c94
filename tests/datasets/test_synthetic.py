import numpy as np
import pytest

from counterpoint.datasets import (
    make_cone_torus,
    make_ripley,
    make_two_gaussians,
    make_waveform,
)

PRIORS = {
    make_two_gaussians: [1 / 2, 1 / 2],
    make_ripley: [1 / 2, 1 / 2],
    make_cone_torus: [92 / 400, 99 / 400, 209 / 400],
    make_waveform: [1 / 3, 1 / 3, 1 / 3],
}
everywhere = pytest.mark.parametrize("make", PRIORS, ids=lambda make: make.__name__)


@everywhere
def test_shapes_and_seeds(make):
    X, y = make(50, random_state=0)
    assert X.shape == (50, 21 if make is make_waveform else 2)
    assert X.dtype == np.float64
    assert y.shape == (50,)
    assert y.dtype.kind == "i"
    again = make(50, random_state=np.random.RandomState(0))
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, make(50, random_state=1)[0])
    assert (np.diff(y) < 0).any()  # not sorted by class


@everywhere
def test_default_sizes_are_those_of_the_sources(make):
    expected = {
        make_two_gaussians: [200, 200],
        make_ripley: [125, 125],
        make_cone_torus: [92, 99, 209],
        make_waveform: [100, 100, 100],
    }[make]
    assert np.bincount(make(random_state=0)[1]).tolist() == expected


@everywhere
@pytest.mark.parametrize("n_samples", [1, 7, 100, 1001])
def test_fixed_sizes_are_the_priors_to_the_nearest_row(make, n_samples):
    _, y = make(n_samples, random_state=0)
    sizes = np.bincount(y, minlength=len(PRIORS[make]))
    assert sizes.sum() == n_samples
    assert (np.abs(sizes - n_samples * np.array(PRIORS[make])) < 1).all()


@everywhere
def test_drawn_sizes_vary_about_the_priors(make):
    priors = np.array(PRIORS[make])
    sizes = [
        np.bincount(make(2000, fixed_sizes=False, random_state=seed)[1], minlength=len(priors))
        for seed in range(8)
    ]
    assert len({tuple(size) for size in sizes}) > 1
    spread = np.sqrt(priors * (1 - priors) / 16000)
    assert (np.abs(np.mean(sizes, axis=0) / 2000 - priors) < 5 * spread).all()


@everywhere
def test_sizes_can_be_given(make):
    given = [3, 0, 5][: len(PRIORS[make])]
    _, y = make(given, random_state=0)
    assert np.bincount(y, minlength=len(given)).tolist() == given


@everywhere
@pytest.mark.parametrize("n_samples", [0, -1, (1, 2, 3, 4), (1.5, 2.5, 3.5), (-1, 2, 3), (-1, 2)])
def test_wrong_sizes(make, n_samples):
    with pytest.raises(ValueError, match="n_samples="):
        make(n_samples)


def moments(X, y, label):
    return X[y == label].mean(axis=0), np.cov(X[y == label].T)


def test_two_gaussians():
    X, y = make_two_gaussians(100_000, distance=3.0, random_state=0)
    for label, sign in ((0, -1), (1, 1)):
        mean, covariance = moments(X, y, label)
        np.testing.assert_allclose(mean, sign * 3 / np.sqrt(8), atol=0.02)
        np.testing.assert_allclose(covariance, np.eye(2), atol=0.03)


def test_ripley():
    X, y = make_ripley(100_000, random_state=0)
    # An equal mixture of means a and b: mean (a + b) / 2, variance 0.03 plus ((a - b) / 2) squared.
    for label, mean, variance in (
        (0, [-0.2, 0.3], [0.03 + 0.25, 0.03]),
        (1, [0.05, 0.7], [0.03 + 0.35**2, 0.03]),
    ):
        actual, covariance = moments(X, y, label)
        np.testing.assert_allclose(actual, mean, atol=0.01)
        np.testing.assert_allclose(np.diag(covariance), variance, atol=0.005)


def test_cone_torus():
    X, y = make_cone_torus(100_000, random_state=0)
    for label, centre, sd in ((0, [3.7, 2.1], 0.65), (2, [6.4, 5.3], 1.75)):
        mean, covariance = moments(X, y, label)
        np.testing.assert_allclose(mean, centre, atol=0.03)
        np.testing.assert_allclose(covariance, sd**2 * np.eye(2), atol=0.06)
    arc = X[y == 1] - [4.6, 1.9]
    # The centre of a half circle of radius r is 2 r / pi above its middle.
    np.testing.assert_allclose(arc.mean(axis=0), [0, 2 * 3.2 / np.pi], atol=0.04)
    np.testing.assert_allclose((arc**2).sum(axis=1).mean(), 3.2**2 + 2 * 0.25**2, atol=0.05)


def test_waveform():
    X, y = make_waveform(90_000, noise_features=19, random_state=0)
    assert X.shape == (90_000, 40)
    points = np.arange(1, 22)
    waves = [np.clip(6 - np.abs(points - peak), 0, None) for peak in (7, 15, 11)]
    for label, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = X[y == label]
        expected = (waves[a] + waves[b]) / 2
        np.testing.assert_allclose(rows[:, :21].mean(axis=0), expected, atol=0.06)
        # u is uniform, with variance 1/12
        variance = 1 + (waves[a] - waves[b]) ** 2 / 12
        np.testing.assert_allclose(rows[:, :21].var(axis=0), variance, rtol=0.05)
        np.testing.assert_allclose(rows[:, 21:].mean(axis=0), 0, atol=0.03)
        np.testing.assert_allclose(rows[:, 21:].var(axis=0), 1, rtol=0.05)


def test_wrong_parameters():
    with pytest.raises(ValueError, match="noise_features=-1"):
        make_waveform(noise_features=-1)
    for distance in (0, -1.0, np.nan, np.inf, "far"):
        with pytest.raises(ValueError, match=r"distance=.*give a number above 0"):
            make_two_gaussians(distance=distance)
