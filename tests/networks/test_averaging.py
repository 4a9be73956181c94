"""Weight averaging: the mean of copies, units brought into one order, parts left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons

from counterpoint.networks.averaging import (
    AveragedNetworkClassifier,
    _left_out_error,
    _parts,
    _without,
    aligned,
    averaged,
)
from counterpoint.networks.engine import concatenate, start_networks
from counterpoint.networks.samples import Samples


def shuffled(networks, rng):
    """The same network with its hidden units in another order, some negated on both sides."""
    networks = networks.copy()
    for layer in range(len(networks.coefs) - 1):
        size = networks.coefs[layer].shape[2]
        order, sign = rng.permutation(size), rng.choice([-1.0, 1.0], size)
        networks.coefs[layer][0] = networks.coefs[layer][0][:, order] * sign
        networks.intercepts[layer][0] = networks.intercepts[layer][0][order] * sign
        networks.coefs[layer + 1][0] = networks.coefs[layer + 1][0][order] * sign[:, None]
    return networks


@pytest.mark.parametrize("hidden", [(5,), (4, 3)])
@given(seed=st.integers(0, 1000))
def test_a_shuffled_copy_is_brought_back(hidden, seed):
    rng = np.random.RandomState(seed)
    network = start_networks(1, (3, *hidden, 2), output="softmax", init="glorot", random_state=rng)
    pair = concatenate([network, shuffled(network, rng)])
    X = rng.normal(size=(6, 3))
    assert_allclose(pair.outputs(X)[0], pair.outputs(X)[1])
    back = aligned(pair)
    for p in back.parameters:
        assert_allclose(p[0], p[1])
    assert_allclose(averaged(back).outputs(X)[0], network.outputs(X)[0])


@given(st.integers(0, 1000))
def test_alignment_changes_no_answers_and_brings_weights_nearer(seed):
    rng = np.random.RandomState(seed)
    networks = start_networks(4, (3, 5, 2), output="softmax", random_state=rng)
    X = rng.normal(size=(6, 3))
    found = aligned(networks)
    assert_allclose(found.outputs(X), networks.outputs(X))

    def apart(networks):
        return sum(((p - p[:1]) ** 2).sum() for p in networks.parameters)

    assert apart(found) <= apart(networks) + 1e-9


def test_the_mean_is_of_all_weights():
    networks = start_networks(3, (2, 4, 2), random_state=0)
    mean = averaged(networks)
    assert mean.n_members == 1
    for p, q in zip(networks.parameters, mean.parameters, strict=True):
        assert_allclose(q[0], p.mean(axis=0))


def test_parts_are_disjoint_and_cover_all_rows():
    left_out = _parts(11, 4, np.random.RandomState(0))
    assert_array_equal(left_out.sum(axis=0), 1)
    assert set(left_out.sum(axis=1)) == {2, 3}
    weight = np.arange(1.0, 12)
    assert_array_equal(_without(weight, left_out), np.where(left_out, 0, weight))
    assert_array_equal(_without(np.ones(1), np.array([[True], [False]])), 1)


def test_cross_validation_error_is_of_the_parts_left_out():
    networks = start_networks(2, (1, 2, 2), output="softmax", random_state=0)
    rows = Samples(
        X=np.linspace(-1, 1, 6)[:, None],
        targets=np.eye(2)[[0, 1, 0, 1, 0, 1]],
        weight=np.array([1, 2, 3, 4, 5, 6]) / 21,
    )
    left_out = np.array([[True, True, False, False, False, False], ~np.eye(6, dtype=bool)[0]])
    expected = []
    for k in range(2):
        wrong = networks.outputs(rows.X)[k].argmax(axis=1) != rows.targets.argmax(axis=1)
        expected.append(np.average(wrong[left_out[k]], weights=rows.weight[left_out[k]]))
    assert_allclose(_left_out_error(networks, rows, left_out), np.mean(expected))


@pytest.fixture(scope="module")
def moons():
    return make_moons(200, noise=0.2, random_state=0)


@pytest.mark.parametrize("start", ["shared", "different"])
def test_one_network_answers(moons, start):
    X, y = moons
    net = AveragedNetworkClassifier(4, start=start, random_state=0).fit(X, y)
    assert net.network_.n_members == 1
    assert net.networks_.n_members == 4
    for mean, each in zip(net.network_.parameters, net.networks_.parameters, strict=True):
        assert_allclose(mean[0], each.mean(axis=0))
    assert_allclose(net.predict_proba(X), net.network_.outputs(net.scale_.inputs(X))[0])
    assert net.score(X, y) > 0.85
    assert net.history_["epoch"].tolist() == list(range(0, 61, 5))
    assert net.best_epoch_ in set(net.history_["epoch"])


def test_copies_start_as_one_and_part(moons):
    net = AveragedNetworkClassifier(4, random_state=0).fit(*moons)
    spread = net.history_["spread"]
    assert spread.iloc[0] == 0
    assert spread.is_monotonic_increasing
    assert 0 < net.cv_error_ < 0.5


def test_without_max_epochs_it_is_the_network_alone(moons):
    net = AveragedNetworkClassifier(3, max_epochs=0, random_state=0).fit(*moons)
    assert len(net.history_) == 1
    assert_array_equal(net.member_predict(moons[0])[0], net.predict(moons[0]))


def test_several_hidden_layers(moons):
    net = AveragedNetworkClassifier(3, hidden_layer_sizes=(6, 4), start="different")
    assert net.set_params(random_state=0).fit(*moons).score(*moons) > 0.8
