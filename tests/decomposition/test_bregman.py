import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import decomposition as naive
from sklearn.metrics import log_loss, mean_poisson_deviance

from counterpoint.decomposition import (
    LOSSES,
    BregmanLoss,
    ambiguity_decomposition,
    bias_variance_covariance,
    bias_variance_diversity,
    centroid,
)
from counterpoint.decomposition import bregman as module

relaxed = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ITAKURA_SAITO = BregmanLoss(
    "itakura-saito",
    generator=lambda q: -np.log(q),
    gradient=lambda q: -1 / q,
    inverse_gradient=lambda theta: -1 / theta,
    domain=(0, np.inf),
)
BRIER = BregmanLoss(
    "brier",
    generator=lambda q: (q**2).sum(axis=-1),
    gradient=lambda q: 2 * q,
    inverse_gradient=lambda theta: theta / 2,
    vector=True,
)
OUTPUTS = {
    "squared": st.floats(-100, 100, width=32),
    "poisson": st.floats(1e-3, 1e3),
    "logistic": st.floats(0, 1),
    "itakura-saito": st.floats(0.1, 10),
}
TARGETS = {
    "squared": st.floats(-100, 100, width=32),
    "poisson": st.sampled_from([0.0, 1.0, 2.5, 40.0]),
    "logistic": st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)),
    "itakura-saito": st.floats(0.1, 10),
}
# losses made of logarithms are exact to rounding of one nat, squared loss to that of itself
FLOOR = {"squared": 0.0, "poisson": 1.0, "logistic": 1.0, "itakura-saito": 1.0}


@st.composite
def scalar_case(draw, loss, n_axes=3):
    shape = draw(st.tuples(*[st.integers(1, 4)] * n_axes))
    outputs = draw(arrays(float, shape, elements=OUTPUTS[loss]))
    return draw(arrays(float, shape[-1], elements=TARGETS[loss])), outputs


@st.composite
def class_case(draw, n_axes=3):
    *shape, n_classes = draw(st.tuples(*[st.integers(1, 4)] * (n_axes + 1)))
    # whole numbers of very different size: zeros, near-certainty and ties all occur
    sizes = st.sampled_from([0, 1, 2, 1000, 10**9])
    raw = draw(arrays(float, (*shape, n_classes), elements=sizes))
    raw[raw.sum(axis=-1) == 0] = 1
    truth = draw(arrays(float, (shape[-1], n_classes), elements=st.sampled_from([0, 1, 3])))
    truth[truth.sum(axis=-1) == 0] = 1
    outputs = raw / raw.sum(axis=-1, keepdims=True)
    return truth / truth.sum(axis=-1, keepdims=True), outputs


@pytest.mark.parametrize("loss", [*sorted(set(LOSSES) - {"cross-entropy"}), ITAKURA_SAITO])
@relaxed
@given(data=st.data())
def test_scalar_losses_add_up(assert_identity, loss, data):
    name = loss if isinstance(loss, str) else loss.name
    y, outputs = data.draw(scalar_case(name))
    parts = bias_variance_diversity(y, outputs, loss=loss)
    assert_identity(parts, floor=FLOOR[name])
    assert (parts.diversity >= 0).all()
    assert (parts.variance >= 0).all()
    assert_identity(ambiguity_decomposition(y, outputs[0], loss=loss), floor=FLOOR[name])


@relaxed
@given(class_case())
def test_cross_entropy_adds_up(assert_identity, case):
    P, outputs = case
    parts = bias_variance_diversity(P, outputs, loss="cross-entropy")
    assert_identity(parts, floor=1.0)
    assert (parts.diversity >= 0).all()
    assert_identity(ambiguity_decomposition(P, outputs[0], loss="cross-entropy"), floor=1.0)
    labels = bias_variance_diversity(P.argmax(axis=1), outputs, loss="cross-entropy")
    assert_identity(labels, floor=1.0)
    assert (labels.noise == 0).all()


@relaxed
@given(class_case())
def test_vector_losses_of_users_add_up(assert_identity, case):
    P, outputs = case
    assert_identity(bias_variance_diversity(P, outputs, loss=BRIER), floor=1.0)
    assert_identity(bias_variance_diversity(P.argmax(axis=1), outputs, loss=BRIER), floor=1.0)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@relaxed
@given(data=st.data())
def test_matches_naive(assert_matches, loss, data):
    if loss == "cross-entropy":
        y, outputs = data.draw(class_case())
        outputs = (outputs + 0.01) / (outputs + 0.01).sum(axis=-1, keepdims=True)
        noise = [-sum(p * np.log(p) for p in row if p > 0) for row in y]
    else:
        y, outputs = data.draw(scalar_case(loss))
        noise = np.zeros(len(y))
        if loss == "logistic":
            outputs = 0.01 + 0.98 * outputs
            noise = [-sum(p * np.log(p) for p in (v, 1 - v) if p > 0) for v in y]
        y, outputs = y[:, None], outputs[..., None]
    parts = bias_variance_diversity(
        y if loss == "cross-entropy" else y[:, 0],
        outputs if loss == "cross-entropy" else outputs[..., 0],
        loss=loss,
    )

    def twin(i):
        expected = naive.bias_variance_diversity(y[i].tolist(), outputs[:, :, i].tolist(), loss)
        return expected | {"noise": noise[i], "error": expected["error"] + noise[i]}

    size = max(1, float(np.abs(outputs).max()) ** 2)
    assert_matches(parts, twin, len(y), rtol=1e-8, atol=1e-11 * size)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@relaxed
@given(data=st.data(), random=st.randoms(use_true_random=False))
def test_order_of_trials_members_and_samples_does_not_matter(loss, data, random):
    y, outputs = data.draw(class_case() if loss == "cross-entropy" else scalar_case(loss))
    before = bias_variance_diversity(y, outputs, loss=loss).per_sample
    trials, members, samples = (random.sample(range(n), n) for n in outputs.shape[:3])
    shuffled = outputs[np.ix_(trials, members, samples)]
    after = bias_variance_diversity(y[samples], shuffled, loss=loss).per_sample
    for name, values in after.items():
        np.testing.assert_allclose(values, before[name][samples], rtol=1e-9, atol=1e-9)


@relaxed
@given(scalar_case("squared"))
def test_squared_diversity_is_variance_less_covariance_and_spread_of_biases(case):
    y, outputs = case
    diverse = bias_variance_diversity(y, outputs, loss="squared")
    classic = bias_variance_covariance(y, outputs)
    n = outputs.shape[1]
    member_bias = (outputs - y).mean(axis=0)
    covariance = classic.covariance if n > 1 else 0.0
    spread = member_bias.var(axis=0)
    kept = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(
        diverse.diversity, (1 - 1 / n) * (classic.variance - covariance) + spread, **kept
    )
    np.testing.assert_allclose(diverse.bias, classic.bias + spread, **kept)
    np.testing.assert_allclose(diverse.variance, classic.variance, **kept)
    np.testing.assert_allclose(diverse.error, classic.error, **kept)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@relaxed
@given(data=st.data())
def test_diversity_is_the_mean_ambiguity_of_the_trials(loss, data):
    y, outputs = data.draw(class_case() if loss == "cross-entropy" else scalar_case(loss))
    parts = bias_variance_diversity(y, outputs, loss=loss)
    each = [ambiguity_decomposition(y, trial, loss=loss) for trial in outputs]
    kept = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(parts.diversity, np.mean([a.ambiguity for a in each], 0), **kept)
    excess = np.mean([a.error for a in each], axis=0)
    np.testing.assert_allclose(parts.error, excess + parts.noise, **kept)


def test_squared_ambiguity_is_that_of_krogh_and_vedelsby():
    rng = np.random.RandomState(0)
    y, outputs, weights = rng.normal(size=5), rng.normal(size=(3, 5)), [1, 2, 5]
    parts = ambiguity_decomposition(y, outputs, weights=weights)
    mean = np.average(outputs, axis=0, weights=weights)
    np.testing.assert_allclose(parts.error, (mean - y) ** 2)
    for values, centre in ((parts.member_error, y), (parts.ambiguity, mean)):
        spread = np.average((outputs - centre) ** 2, axis=0, weights=weights)
        np.testing.assert_allclose(values, spread)


@pytest.mark.parametrize("loss", ["squared", "poisson", "logistic", "cross-entropy"])
def test_weighted_ambiguity_adds_up(assert_identity, loss):
    rng = np.random.RandomState(1)
    outputs = rng.dirichlet([1, 1, 1], size=(4, 6))
    y = rng.randint(3, size=6)
    if loss != "cross-entropy":
        outputs, y = outputs[..., 0], y > 0
    parts = ambiguity_decomposition(y, outputs, loss=loss, weights=[0, 1, 2, 3])
    assert_identity(parts, floor=1.0)
    # a member of weight 0 is no member
    fewer = ambiguity_decomposition(y, outputs[1:], loss=loss, weights=[1, 2, 3])
    np.testing.assert_allclose(parts.ambiguity, fewer.ambiguity)


def test_two_classifiers_are_as_diverse_as_their_bhattacharyya_distance():
    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6])
    parts = bias_variance_diversity([0], [[[p], [q]]], loss="cross-entropy")
    np.testing.assert_allclose(parts.diversity, -np.log(np.sqrt(p * q).sum()))


def test_poisson_diversity_is_arithmetic_less_geometric_mean():
    q = np.array([1.0, 4.0, 16.0])
    parts = bias_variance_diversity([3.0], q[None, :, None], loss="poisson")
    np.testing.assert_allclose(parts.diversity, q.mean() - 4.0)


def test_logistic_is_cross_entropy_of_two_classes():
    rng = np.random.RandomState(0)
    p, y = rng.uniform(size=(4, 3, 20)), rng.randint(2, size=20)
    one = bias_variance_diversity(y, p, loss="logistic")
    two = bias_variance_diversity(y, np.stack([1 - p, p], axis=-1), loss="cross-entropy")
    for name, values in one.per_sample.items():
        np.testing.assert_allclose(values, two.per_sample[name], rtol=1e-10, atol=1e-12)


def test_errors_are_those_of_scikit_learn():
    rng = np.random.RandomState(0)
    proba, y = rng.dirichlet([1, 1, 1], size=(4, 5, 30)), rng.randint(3, size=30)
    combined = [centroid(trial, "cross-entropy") for trial in proba]
    parts = bias_variance_diversity(y, proba, loss="cross-entropy")
    expected = np.mean([log_loss(y, c, labels=[0, 1, 2]) for c in combined])
    np.testing.assert_allclose(parts.averages["error"], expected)

    counts, rates = rng.poisson(2, size=30), rng.uniform(0.5, 4, size=(4, 5, 30))
    parts = bias_variance_diversity(counts, rates, loss="poisson")
    expected = np.mean([mean_poisson_deviance(counts, centroid(r, "poisson")) for r in rates]) / 2
    np.testing.assert_allclose(parts.averages["error"], expected)


def test_centroids():
    np.testing.assert_allclose(centroid([[1.0], [4.0]]), [2.5])
    np.testing.assert_allclose(centroid([[1.0], [4.0]], weights=[3, 1]), [1.75])
    np.testing.assert_allclose(centroid([[1.0], [4.0]], "poisson"), [2.0])
    np.testing.assert_allclose(centroid([[0.5], [0.9]], "logistic"), [0.75])  # odds 1 and 9: 3
    np.testing.assert_allclose(
        centroid([[[0.5, 0.5]], [[0.9, 0.1]]], "cross-entropy"), [[0.75, 0.25]]
    )
    np.testing.assert_allclose(centroid([[1.0], [3.0]], ITAKURA_SAITO), [1.5])  # harmonic


@pytest.mark.parametrize("loss", [LOSSES["poisson"], LOSSES["logistic"], ITAKURA_SAITO])
def test_divergence_is_that_of_the_generator(loss):
    p, q = np.array([0.2, 0.7, 0.5]), np.array([0.6, 0.1, 0.5])
    by_definition = loss.generator(p) - loss.generator(q) - loss.gradient(q) * (p - q)
    np.testing.assert_allclose(loss.divergence(p, q), by_definition, atol=1e-15)
    np.testing.assert_allclose(loss.inverse_gradient(loss.gradient(q)), q)


def test_a_zero_costs_what_eps_says(assert_identity):
    outputs = np.array([[[[1.0, 0.0]], [[0.5, 0.5]]]])
    for eps in (1e-12, 1e-3):
        parts = bias_variance_diversity([1], outputs, loss="cross-entropy", eps=eps)
        assert_identity(parts)
        expected = (-np.log(eps) - np.log(0.5)) / 2
        member = ambiguity_decomposition(
            [1], outputs[0], loss="cross-entropy", eps=eps
        ).member_error
        np.testing.assert_allclose(member, expected, rtol=1e-2 if eps > 1e-6 else 1e-9)
    parts = bias_variance_diversity([3.0], [[[0.0]]], loss="poisson", eps=1e-6)
    np.testing.assert_allclose(parts.error, 3 * np.log(3 / 1e-6) - 3 + 1e-6)


def test_certain_and_opposed_probabilities_keep_the_identity(assert_identity):
    # the centroid of many near-ones rounds to 1 as a probability, not as a logit
    outputs = np.array([[[1.0, 0.0], [1.0, 1.0]], [[1.0 - 1e-9, 0.3], [1.0, 0.0]]])
    for y in ([0, 1], [1, 0], [0.5, 1e-7]):
        assert_identity(bias_variance_diversity(y, outputs, loss="logistic"), floor=1.0)


def test_noise_is_told_apart(assert_identity):
    P, outputs = np.array([[0.9, 0.1]]), np.array([[[[0.8, 0.2]]], [[[0.6, 0.4]]]])
    parts = bias_variance_diversity(P, outputs, loss="cross-entropy")
    np.testing.assert_allclose(parts.noise, -(0.9 * np.log(0.9) + 0.1 * np.log(0.1)))
    # and so the error is what log loss is expected to be on fresh labels
    fresh = -(P * np.log([[0.8, 0.2]])).sum() / 2 - (P * np.log([[0.6, 0.4]])).sum() / 2
    np.testing.assert_allclose(parts.error, fresh)
    one = bias_variance_diversity(P[:, 1], outputs[..., 1], loss="logistic")
    np.testing.assert_allclose(one.error, fresh)
    known = bias_variance_diversity([1.0], [[[2.0]]], loss="squared", noise=0.25)
    assert known.error == [1.25]
    assert_identity(known)


def test_one_member_is_not_diverse_and_one_trial_does_not_vary():
    proba = np.random.RandomState(0).dirichlet([1, 1, 1], size=(5, 7, 4))
    labels = [0, 1, 2, 0]
    alone = bias_variance_diversity(labels, proba[:, :1], loss="cross-entropy")
    once = bias_variance_diversity(labels, proba[:1], loss="cross-entropy")
    assert (alone.diversity == 0).all()
    assert (alone.variance > 0).all()
    assert (once.variance == 0).all()
    assert (once.diversity > 0).all()


def test_labels_may_have_names():
    proba = np.random.RandomState(0).dirichlet([1, 1], size=(2, 3, 2))
    by_name = bias_variance_diversity(
        ["no", "yes"], proba, loss="cross-entropy", classes=["no", "yes"]
    )
    by_place = bias_variance_diversity([0, 1], proba, loss="cross-entropy")
    assert by_name.averages == by_place.averages


def test_slices_change_nothing(monkeypatch):
    rng = np.random.RandomState(0)
    y, outputs = rng.randint(3, size=50), rng.dirichlet([1, 1, 1], size=(3, 4, 50))
    whole = bias_variance_diversity(y, outputs, loss="cross-entropy").per_sample
    monkeypatch.setattr(module, "_VALUES_AT_ONCE", 7 * 3 * 4 * 3)
    sliced = bias_variance_diversity(y, outputs, loss="cross-entropy").per_sample
    for name, values in whole.items():
        np.testing.assert_array_equal(sliced[name], values)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_built_in_losses_travel_to_other_processes(loss):
    assert pickle.loads(pickle.dumps(loss)) == loss
