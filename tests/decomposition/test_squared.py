from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import decomposition as naive

from counterpoint.decomposition import (
    ambiguity_decomposition,
    bias_variance,
    bias_variance_covariance,
)

relaxed = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# single-precision numbers: their squares do not run out of the range of double precision
numbers = st.floats(-1e6, 1e6, width=32)


@st.composite
def predictions_and_target(draw, n_axes):
    shape = draw(st.tuples(*[st.integers(1, 5)] * n_axes))
    predictions = draw(arrays(float, shape, elements=numbers))
    y = draw(arrays(float, shape[-1], elements=numbers))
    return predictions, y


@relaxed
@given(predictions_and_target(2), st.data())
def test_ambiguity(assert_identity, assert_matches, case, data):
    predictions, y = case
    weights = data.draw(arrays(float, len(predictions), elements=st.floats(0.01, 10)))
    parts = ambiguity_decomposition(y, predictions, weights=weights)
    assert_identity(parts)
    assert (parts.ambiguity >= 0).all()
    size = 1 + max(np.abs(y).max(), np.abs(predictions).max()) ** 2
    assert_matches(
        parts,
        lambda i: naive.ambiguity_decomposition(y[i], predictions[:, i], weights.tolist()),
        len(y),
        atol=1e-12 * size,
    )
    equal = ambiguity_decomposition(y, predictions)
    ones = ambiguity_decomposition(y, predictions, weights=np.full(len(predictions), 3.0))
    np.testing.assert_allclose(equal.ambiguity, ones.ambiguity, rtol=1e-9, atol=1e-14 * size)


@relaxed
@given(predictions_and_target(2), st.floats(0, 10))
def test_bias_variance(assert_identity, assert_matches, case, noise):
    predictions, y = case
    parts = bias_variance(y, predictions)
    assert_identity(parts)
    size = 1 + max(np.abs(y).max(), np.abs(predictions).max()) ** 2
    assert_matches(
        parts, lambda i: naive.bias_variance(y[i], predictions[:, i]), len(y), atol=1e-12 * size
    )
    noisy = bias_variance(y, predictions, noise=noise)
    assert_identity(noisy)
    np.testing.assert_array_equal(noisy.error, parts.error + noise)


@relaxed
@given(predictions_and_target(3))
def test_bias_variance_covariance(assert_identity, assert_matches, case):
    predictions, y = case
    parts = bias_variance_covariance(y, predictions)
    assert_identity(parts)
    size = 1 + max(np.abs(y).max(), np.abs(predictions).max()) ** 2
    assert_matches(
        parts,
        lambda i: naive.bias_variance_covariance(y[i], predictions[:, :, i].tolist()),
        len(y),
        atol=1e-12 * size,
    )


@relaxed
@given(predictions_and_target(3), st.randoms(use_true_random=False))
def test_order_of_trials_members_and_samples_does_not_matter(case, random):
    predictions, y = case
    before = bias_variance_covariance(y, predictions).per_sample
    trials, members, samples = (random.sample(range(n), n) for n in predictions.shape)
    shuffled = predictions[np.ix_(trials, members, samples)]
    after = bias_variance_covariance(y[samples], shuffled).per_sample
    size = 1 + np.abs(predictions).max() ** 2 + np.abs(y).max() ** 2
    for name, values in after.items():
        np.testing.assert_allclose(values, before[name][samples], rtol=1e-9, atol=1e-12 * size)


def test_large_offsets_cost_no_digits(assert_identity):
    rng = np.random.RandomState(0)
    away = rng.normal(scale=1e-3, size=(7, 4, 6))
    parts = bias_variance_covariance(np.full(6, 1e9), 1e9 + away)
    assert_identity(parts)
    assert_identity(ambiguity_decomposition(np.full(6, 1e9), 1e9 + away[0]))


@pytest.mark.parametrize("shrink", [1.0, 0.5])
def test_mean_of_a_sample_has_its_textbook_bias_and_variance(shrink):
    # every sample of size 4 from a population, so expectations are exact, not simulated
    population, size = np.array([1.0, 2.0, 6.0]), 4
    means = shrink * np.mean(list(product(population, repeat=size)), axis=1)
    parts = bias_variance([population.mean()], means[:, None])
    np.testing.assert_allclose(parts.bias, ((1 - shrink) * population.mean()) ** 2, atol=1e-15)
    np.testing.assert_allclose(parts.variance, shrink**2 * population.var() / size)


@pytest.mark.parametrize("correlation", [0.0, 0.25, 1.0])
def test_variance_of_correlated_members_follows_equation_2_9(correlation):
    n_members = 3
    # all signs of one shared and three private terms: unit variances, given correlation
    signs = np.array(list(product([-1.0, 1.0], repeat=1 + n_members)))
    members = np.sqrt(correlation) * signs[:, :1] + np.sqrt(1 - correlation) * signs[:, 1:]
    parts = bias_variance_covariance([0.0], members[:, :, None])
    np.testing.assert_allclose(parts.variance, 1)
    np.testing.assert_allclose(parts.covariance, correlation, atol=1e-15)
    np.testing.assert_allclose(parts.error, (1 + correlation * (n_members - 1)) / n_members)


def test_one_member_has_no_covariance_but_the_sum_holds(assert_identity):
    parts = bias_variance_covariance([1.0, 0.0], [[[1.0, 2.0]], [[3.0, 2.0]]])
    assert np.isnan(parts.covariance).all()
    assert_identity(parts)
    assert parts.contributions["covariance"] == 0
    assert np.isnan(parts.averages["covariance"])


def test_one_trial_has_no_variance():
    assert bias_variance([1.0], [[3.0]]).variance == [0.0]
    parts = bias_variance_covariance([1.0], [[[3.0], [4.0]]])
    assert parts.variance == [0.0]
    assert parts.covariance == [0.0]
