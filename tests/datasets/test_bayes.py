"""The best errors, each against a second way to get it."""

import math

import numpy as np
import pytest

from counterpoint import datasets
from counterpoint.datasets import bayes_error, bayes_posterior, bayes_predict

NAMES = ["two_gaussians", "ripley", "cone_torus", "waveform"]
everywhere = pytest.mark.parametrize("name", NAMES)


def make(name):
    return getattr(datasets, f"make_{name}")


def normal(x, mean, sd):
    """Density of a round Gaussian at one point, in any dimension."""
    square = sum((a - b) ** 2 for a, b in zip(x, mean, strict=True))
    return math.exp(-square / (2 * sd**2)) / (math.sqrt(2 * math.pi) * sd) ** len(x)


def naive_densities(name, x):
    """Return the density of each class at one point, from the words of the docstrings."""
    if name == "two_gaussians":
        a = 4 / math.sqrt(8)
        return [normal(x, (-a, -a), 1), normal(x, (a, a), 1)]
    if name == "ripley":
        sd = math.sqrt(0.03)
        return [
            (normal(x, (-0.7, 0.3), sd) + normal(x, (0.3, 0.3), sd)) / 2,
            (normal(x, (-0.3, 0.7), sd) + normal(x, (0.4, 0.7), sd)) / 2,
        ]
    n = 2000  # midpoints of an integral over (0, 1)
    middles = [(i + 0.5) / n for i in range(n)]
    if name == "cone_torus":
        on_arc = [
            (4.6 + 3.2 * math.cos(math.pi * u), 1.9 + 3.2 * math.sin(math.pi * u)) for u in middles
        ]
        return [
            normal(x, (3.7, 2.1), 0.65),
            sum(normal(x, centre, 0.25) for centre in on_arc) / n,
            normal(x, (6.4, 5.3), 1.75),
        ]
    waves = [[max(6 - abs(i - peak), 0) for i in range(1, 22)] for peak in (7, 15, 11)]
    densities = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        means = np.array(
            [
                [u * p + (1 - u) * q for p, q in zip(waves[a], waves[b], strict=True)]
                for u in middles
            ]
        )
        densities.append(np.exp(-((x[:21] - means) ** 2).sum(axis=1) / 2).mean())
    return densities


PRIORS = {
    "two_gaussians": [1 / 2, 1 / 2],
    "ripley": [1 / 2, 1 / 2],
    "cone_torus": [92 / 400, 99 / 400, 209 / 400],
    "waveform": [1 / 3, 1 / 3, 1 / 3],
}


@everywhere
def test_posterior_is_bayes_rule_on_the_densities(name):
    X, _ = make(name)(12, random_state=3)
    actual = bayes_posterior(name, X)
    for x, posterior in zip(X, actual, strict=True):
        joint = np.array(naive_densities(name, x)) * PRIORS[name]
        np.testing.assert_allclose(posterior, joint / joint.sum(), rtol=1e-5, atol=1e-9)


@everywhere
def test_posteriors_are_probabilities_even_far_away(name):
    width = 21 if name == "waveform" else 2
    X = np.vstack(
        [make(name)(200, random_state=0)[0], np.full((1, width), 1e3), -np.ones((1, width)) * 50]
    )
    posterior = bayes_posterior(name, X)
    assert (posterior >= 0).all()
    np.testing.assert_allclose(posterior.sum(axis=1), 1)
    np.testing.assert_array_equal(bayes_predict(name, X), posterior.argmax(axis=1))


@everywhere
def test_error_of_the_best_rule_on_a_big_sample(name):
    n = 50_000
    X, y = make(name)(n, random_state=0)
    error = bayes_error(name)
    wrong = bayes_predict(name, X) != y
    assert abs(wrong.mean() - error) < 4 * np.sqrt(error * (1 - error) / n)
    # Less noisy, and it tests the probabilities: what the best rule expects to lose.
    loss = 1 - bayes_posterior(name, X).max(axis=1)
    assert abs(loss.mean() - error) < 4 * loss.std() / np.sqrt(n)


@everywhere
def test_posterior_is_calibrated(name):
    X, y = make(name)(50_000, random_state=1)
    posterior = bayes_posterior(name, X)
    for label in range(posterior.shape[1]):
        p = posterior[:, label]
        for low, high in ((0.1, 0.3), (0.3, 0.7), (0.7, 0.9)):
            rows = (low < p) & (p < high)
            noise = np.sqrt((p[rows] * (1 - p[rows])).sum()) / rows.sum()
            assert abs((y[rows] == label).mean() - p[rows].mean()) < 4.5 * noise


def test_values():
    assert bayes_error("two_gaussians") == pytest.approx(
        0.5 * math.erfc(2 / math.sqrt(2)), rel=1e-12
    )
    assert bayes_error("cone_torus") == pytest.approx(0.1203, abs=5e-5)
    # Literature: "about 0.08" and "about 0.14". The densities themselves say:
    assert bayes_error("ripley") == pytest.approx(0.0893, abs=5e-5)
    assert abs(bayes_error("ripley") - 0.08) < 0.01
    assert bayes_error("waveform") == pytest.approx(0.1329, abs=5e-5)
    assert abs(bayes_error("waveform") - 0.14) < 0.01


def test_two_gaussians_at_other_distances_and_priors():
    assert bayes_error("two_gaussians", distance=1.0) == pytest.approx(
        0.5 * math.erfc(0.5 / math.sqrt(2))
    )
    for priors in ([0.9, 0.1], [0.2, 0.8]):
        sizes = [int(100_000 * prior) for prior in priors]
        X, y = datasets.make_two_gaussians(sizes, distance=1.5, random_state=0)
        error = bayes_error("two_gaussians", distance=1.5, priors=priors)
        wrong = bayes_predict("two_gaussians", X, distance=1.5, priors=priors) != y
        assert abs(wrong.mean() - error) < 0.004
        assert error < min(priors)
    assert bayes_error("two_gaussians", priors=[1, 0]) == 0


@pytest.mark.parametrize("name", ["ripley", "waveform"])
def test_other_priors(name):
    n_classes = len(PRIORS[name])
    certain = np.eye(n_classes)[0]
    assert bayes_error(name, priors=certain) == pytest.approx(0, abs=1e-12)
    X, _ = make(name)(20, random_state=0)
    assert (bayes_predict(name, X, priors=certain) == 0).all()
    uneven = [0.8, 0.2] if n_classes == 2 else [0.8, 0.1, 0.1]
    assert bayes_error(name, priors=uneven) < bayes_error(name)


def test_names_and_functions_are_the_same():
    values = {bayes_error(p) for p in ("ripley", "make_ripley", "Ripley", datasets.make_ripley)}
    assert len(values) == 1
    assert bayes_error("two-gaussians") == bayes_error(datasets.make_two_gaussians)


def test_noise_columns_change_nothing():
    X, _ = datasets.make_waveform(20, noise_features=19, random_state=0)
    np.testing.assert_array_equal(
        bayes_posterior("waveform", X), bayes_posterior("waveform", X[:, :21])
    )
    assert bayes_error("waveform", noise_features=19) == bayes_error("waveform")


def test_wrong_input():
    with pytest.raises(ValueError, match=r"No synthetic problem is called 'iris'.*two_gaussians"):
        bayes_error("iris")
    with pytest.raises(ValueError, match="called 'len'"):
        bayes_posterior(len, [[0, 0]])
    with pytest.raises(TypeError, match=r"ripley does not take the parameters \['distance'\]"):
        bayes_error("ripley", distance=2)
    with pytest.raises(ValueError, match="X has 3 columns, but ripley has 2 features"):
        bayes_posterior("ripley", [[0, 0, 0]])
    with pytest.raises(ValueError, match="X has 20 columns, but waveform has 21 features"):
        bayes_predict("waveform", np.zeros((1, 20)))
    for priors in ([0.5, 0.6], [1.0], [1.5, -0.5], [np.nan, 1]):
        with pytest.raises(ValueError, match=r"priors=.*give 2 probabilities"):
            bayes_error("ripley", priors=priors)
