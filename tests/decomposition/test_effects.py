from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import decomposition as naive

from counterpoint.decomposition import james, zero_one_diversity_effect

relaxed = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def labels_and_probabilities(draw):
    shape, n_classes = draw(st.tuples(*[st.integers(1, 5)] * 3)), draw(st.integers(1, 4))
    labels = draw(arrays(int, shape, elements=st.integers(0, n_classes - 1)))
    counts = draw(arrays(int, (shape[-1], n_classes), elements=st.integers(0, 3)))
    counts[counts.sum(axis=1) == 0] = 1
    return labels, counts / counts.sum(axis=1, keepdims=True)


@relaxed
@given(labels_and_probabilities(), st.randoms(use_true_random=False))
def test_adds_up_and_matches_naive(assert_identity, assert_matches, case, random):
    labels, P = case
    parts = zero_one_diversity_effect(None, labels, y_proba=P)
    assert_identity(parts, floor=1.0)
    assert_matches(
        parts,
        lambda i: naive.zero_one_diversity_effect(P[i].tolist(), labels[:, :, i].tolist()),
        len(P),
    )
    trials, members, samples = (random.sample(range(n), n) for n in labels.shape)
    shuffled = zero_one_diversity_effect(
        None, labels[np.ix_(trials, members, samples)], y_proba=P[samples]
    )
    for name, values in shuffled.per_sample.items():
        np.testing.assert_allclose(values, parts.per_sample[name][samples], atol=1e-14)


@relaxed
@given(labels_and_probabilities())
def test_one_member_has_the_effects_of_james(case):
    labels, P = case
    alone = zero_one_diversity_effect(None, labels[:, :1], y_proba=P)
    classic = james(None, labels[:, 0], y_proba=P)
    assert (alone.diversity_effect == 0).all()
    np.testing.assert_allclose(alone.bias_effect, classic.systematic_effect, atol=1e-14)
    np.testing.assert_allclose(alone.variance_effect, classic.variance_effect, atol=1e-14)


def test_independent_vote_of_three():
    # each member errs in 3 of 10 cases, all combinations of cases once: .3^3 + 3 x .3^2 x .7
    errs = np.array([1] * 3 + [0] * 7)
    labels = np.array(list(product(errs, repeat=3)))[:, :, None]
    parts = zero_one_diversity_effect([0], labels)
    np.testing.assert_allclose(parts.error, 0.216)
    np.testing.assert_allclose(parts.variance_effect, 0.3)
    np.testing.assert_allclose(parts.diversity_effect, 0.084)


def test_diversity_can_harm():
    # two members wrong with the same label outvote a right one
    parts = zero_one_diversity_effect(["a"], [[["b"], ["b"], ["a"]]])
    np.testing.assert_allclose(parts.diversity_effect, 2 / 3 - 1)
    assert parts.error == [1]


def test_ties_of_the_vote_go_to_the_lowest_class():
    assert zero_one_diversity_effect(["a"], [[["b"], ["a"]]]).error == [0]
    assert zero_one_diversity_effect(["b"], [[["b"], ["a"]]]).error == [1]


def test_another_combiner(assert_identity):
    labels = np.array([[["b"], ["b"], ["a"]], [["a"], ["a"], ["b"]]])
    parts = zero_one_diversity_effect(["a"], labels, combined=[["a"], ["a"]])
    assert parts.error == [0]
    assert parts.n_members == 3
    np.testing.assert_allclose(parts.diversity_effect, 0.5)
    assert_identity(parts)


def test_combined_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"combined has shape \(1, 2\): expected .* = \(2, 1\)"):
        zero_one_diversity_effect(["a"], [[["b"], ["a"]], [["a"], ["a"]]], combined=[["a", "a"]])
