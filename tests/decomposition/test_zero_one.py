from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import decomposition as naive

from counterpoint.decomposition import breiman, domingos, james, kohavi_wolpert

relaxed = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
DEFINITIONS = [kohavi_wolpert, breiman, james, domingos]


@st.composite
def labels_and_probabilities(draw, min_trials=1, min_classes=1, max_classes=4):
    n_trials, n_samples = draw(st.integers(min_trials, 7)), draw(st.integers(1, 4))
    n_classes = draw(st.integers(min_classes, max_classes))
    labels = draw(arrays(int, (n_trials, n_samples), elements=st.integers(0, n_classes - 1)))
    # small whole counts, so zeros and ties are common
    counts = draw(arrays(int, (n_samples, n_classes), elements=st.integers(0, 3)))
    counts[counts.sum(axis=1) == 0] = 1
    return labels, counts / counts.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("definition", DEFINITIONS)
@relaxed
@given(case=labels_and_probabilities())
def test_adds_up_and_matches_naive(assert_identity, assert_matches, definition, case):
    labels, P = case
    parts = definition(None, labels, y_proba=P)
    assert_identity(parts)
    twin = getattr(naive, definition.__name__)
    assert_matches(parts, lambda i: twin(P[i].tolist(), labels[:, i].tolist()), len(P))


@pytest.mark.parametrize("definition", DEFINITIONS)
@relaxed
@given(case=labels_and_probabilities(), random=st.randoms(use_true_random=False))
def test_labels_are_one_sided_probabilities(assert_identity, definition, case, random):
    labels, P = case
    y = P.argmax(axis=1)
    parts = definition(y, labels, classes=range(P.shape[1]))
    assert_identity(parts)
    assert (parts.noise == 0).all()
    np.testing.assert_allclose(parts.error, (labels != y).mean(axis=0))
    trials, samples = (random.sample(range(n), n) for n in labels.shape)
    shuffled = definition(y[samples], labels[np.ix_(trials, samples)], classes=range(P.shape[1]))
    for name, values in shuffled.per_sample.items():
        np.testing.assert_allclose(values, parts.per_sample[name][samples], atol=1e-15)


@relaxed
@given(labels_and_probabilities(min_trials=2))
def test_unbiased_kohavi_wolpert(assert_identity, assert_matches, case):
    labels, P = case
    parts = kohavi_wolpert(None, labels, y_proba=P, unbiased=True)
    assert_identity(parts)
    assert_matches(
        parts,
        lambda i: naive.kohavi_wolpert_unbiased(P[i].tolist(), labels[:, i].tolist()),
        len(P),
    )


def test_unbiased_kohavi_wolpert_is_unbiased():
    # three equally likely predictions, two of them "a": all outcomes of 3 trials, each a sample
    labels = np.array(list(product("aab", repeat=3))).T
    n_outcomes, truth, shares = labels.shape[1], np.array([0.9, 0.1]), np.array([2, 1]) / 3
    P = np.tile(truth, (n_outcomes, 1))
    corrected = kohavi_wolpert(None, labels, y_proba=P, classes=["a", "b"], unbiased=True)
    plain = kohavi_wolpert(None, labels, y_proba=P, classes=["a", "b"])
    expected = ((truth - shares) ** 2).sum() / 2, (1 - (shares**2).sum()) / 2
    np.testing.assert_allclose(corrected.averages["bias"], expected[0])
    np.testing.assert_allclose(corrected.averages["variance"], expected[1])
    assert plain.averages["bias"] > expected[0] + 0.01


@relaxed
@given(labels_and_probabilities(min_classes=2, max_classes=2))
def test_margin_of_two_classes_follows_equation_2_22(case):
    labels, P = case
    parts = domingos(None, labels, y_proba=P)
    np.testing.assert_allclose(
        parts.margin, (2 * parts.bias - 1) * (2 * parts.variance - 1), atol=1e-15
    )
    # two classes: the coefficients of Domingos' special case
    Q_best = (labels == P.argmax(axis=1)).mean(axis=0)
    noisy = parts.noise > 0
    np.testing.assert_allclose(parts.alpha1[noisy], 2 * Q_best[noisy] - 1, atol=1e-12)
    varied = parts.variance > 0
    np.testing.assert_allclose(
        parts.alpha2[varied], np.where(parts.bias[varied] == 0, 1, -1), atol=1e-12
    )


def test_margin_takes_its_sign_from_the_class_it_is_measured_against():
    # mostly wrong: the margin of the true class is negative, as its definition has it
    parts = domingos(["a"], [["b"], ["b"], ["b"], ["a"]])
    assert parts.margin == [-0.5]


def test_worked_by_hand():
    # three classes; ten trials: 5 "a", 3 "b", 2 "c"; the truth is most often "b"
    labels = np.array([list("aaaaabbbcc")]).T
    P = [[0.3, 0.5, 0.2]]
    known = {"y_proba": P, "classes": ["a", "b", "c"]}
    # 1 - (.3 x .5 + .5 x .3 + .2 x .2)
    for definition in DEFINITIONS:
        np.testing.assert_allclose(definition(None, labels, **known).error, 0.66)

    parts = kohavi_wolpert(None, labels, **known)
    np.testing.assert_allclose(parts.bias, (0.2**2 + 0.2**2) / 2)
    np.testing.assert_allclose(parts.variance, (1 - 0.25 - 0.09 - 0.04) / 2)
    np.testing.assert_allclose(parts.noise, (1 - 0.09 - 0.25 - 0.04) / 2)

    parts = breiman(None, labels, **known)
    np.testing.assert_allclose(parts.bias, (0.5 - 0.3) * 0.5)
    np.testing.assert_allclose(parts.variance, (0.5 - 0.5) * 0.3 + (0.5 - 0.2) * 0.2)
    np.testing.assert_allclose(parts.noise, 0.5)

    parts = james(None, labels, **known)
    np.testing.assert_allclose(parts.systematic_effect, 0.5 - 0.3)
    np.testing.assert_allclose(parts.variance_effect, 0.3 * (0.3 - 0.5) + 0.2 * (0.3 - 0.2))
    np.testing.assert_allclose([parts.bias, parts.variance, parts.noise], [[1], [0.5], [0.5]])

    parts = domingos(None, labels, **known)
    # wrong and wrong, yet the same label: (.3 x .5 + .2 x .2) of .5 x .7
    np.testing.assert_allclose(parts.alpha1, 0.3 - 0.7 * (0.19 / 0.35))
    np.testing.assert_allclose(parts.alpha2, -0.3 / 0.5)
    np.testing.assert_allclose(parts.margin, 0.3 - 0.5)
    np.testing.assert_allclose(parts.biased_variance, 0.3)
    np.testing.assert_allclose(parts.unbiased_variance, 0)


def test_equation_2_20_needs_both_labels_in_its_condition():
    # read without "p != b" in the condition, the sum fails: kept so that nobody "corrects" it
    labels, P = np.array([list("aaaaabbbcc")]).T, np.array([0.3, 0.5, 0.2])
    parts = domingos(None, labels, y_proba=[P], classes=["a", "b", "c"])
    same_given_noise = (0.3 * 0.5 + 0.2 * 0.2) / 0.5
    as_printed = 0.3 - 0.7 * same_given_noise
    total = as_printed * parts.noise + parts.bias + parts.alpha2 * parts.variance
    assert abs(total[0] - parts.error[0]) > 0.01


def test_undefined_conditions_count_as_zero():
    # no noise; and a wrong label that never varies
    parts = domingos(["a", "a"], [["a", "b"], ["a", "b"]])
    np.testing.assert_array_equal(parts.alpha1, [1, 0])
    np.testing.assert_array_equal(parts.alpha2, [1, 0])


def test_ties_go_to_the_lowest_class():
    parts = james(["b", "a"], [["a", "a"], ["b", "b"]])
    np.testing.assert_array_equal(parts.bias, [1, 0])
    # "lowest" is the first of `classes`, where these are given
    parts = james(["b", "a"], [["a", "a"], ["b", "b"]], classes=["b", "a"])
    np.testing.assert_array_equal(parts.bias, [0, 1])
    # and of equal true probabilities the first is the best
    parts = james(None, [[0], [0]], y_proba=[[0.5, 0.5]])
    assert parts.bias == [0]


def test_variance_helps_where_the_main_prediction_is_wrong():
    steady = domingos(["a"], [["b"]] * 4)
    wavering = domingos(["a"], [["b"]] * 3 + [["a"]])
    assert wavering.error < steady.error
    assert wavering.contributions["variance"] < 0 < wavering.averages["variance"]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_kinds_of_labels(definition):
    expected = definition([0, 1, 1], [[0, 1, 0], [0, 0, 0]]).averages
    texts = definition(["no", "yes", "yes"], np.array([["no", "yes", "no"], ["no"] * 3]))
    flags = definition([False, True, True], [[0, 1, 0], [0, 0, 0]])
    assert texts.averages == expected
    assert flags.averages == expected
