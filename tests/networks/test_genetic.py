"""ADDEMUP: crossover, fitness, the rule for lambda, the weights of rows and members."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import evolution as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons

from counterpoint.networks.genetic import (
    AddemupClassifier,
    Breeding,
    crossed,
    fitness,
    member_weights,
    next_lambda,
)
from counterpoint.networks.samples import Samples
from counterpoint.networks.structure import start_masked, units


def parent(size, seed):
    return start_masked([size], 3, 2, output="softmax", rng=np.random.RandomState(seed))


def unit_list(network):
    """All a unit is: weights in, bias, weights out."""
    return [
        (*network.coefs[0][0, :, k], network.intercepts[0][0, k], *network.coefs[1][0, k])
        for k in np.flatnonzero(units(network)[0])
    ]


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1000))
def test_crossover_shares_out_hidden_units(n_first, n_second, seed):
    rng = np.random.RandomState(seed)
    first, second = parent(n_first, seed), parent(n_second, seed + 1)
    cuts = rng.random_sample(n_first) < 0.5, rng.random_sample(n_second) < 0.5
    children = crossed(first, second, *cuts)
    assert children.n_members == 2
    expected = naive.crossed(unit_list(first), unit_list(second), *cuts)
    for k in range(2):
        assert unit_list(children.take(k)) == expected[k]
        assert_allclose(
            children.intercepts[1][k], (first.intercepts[1][0] + second.intercepts[1][0]) / 2
        )


def test_fitness_scales_both_parts():
    accuracy, diversity = np.array([0.5, 0.9, 0.7]), np.array([0.1, 0.2, 0.3])
    assert_allclose(fitness(accuracy, diversity, 2.0), [0, 1 + 1, 0.5 + 2])
    assert_allclose(fitness(np.full(3, 0.5), diversity, 1.0), [0, 0.5, 1])


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ((0.1, 0.5, 0.1), 1.0),  # the ensemble got better: whatever the members do
        ((0.2, 0.3, 0.1), 1.1),  # members no worse, less diverse
        ((0.2, 0.4, 0.2), 0.9),  # members worse, no less diverse
        ((0.2, 0.4, 0.1), 1.0),  # worse and less diverse: neither
        ((0.2, 0.3, 0.3), 1.0),  # no worse and more diverse: neither
    ],
)
def test_lambda_follows_the_rule_of_the_paper(now, expected):
    assert_allclose(next_lambda(1.0, now, (0.2, 0.3, 0.2)), expected)


def test_members_speak_by_accuracy():
    assert_allclose(member_weights(np.array([0.5, 0.0, 0.25])), np.array([2, 4, 3]) / 9)
    assert_allclose(member_weights(np.ones(2)), 0.5)


def search(lam=1.0, **options):
    X, y = load_iris(return_X_y=True)
    rows = Samples(X=X - X.mean(axis=0), targets=np.eye(3)[y], weight=np.full(150, 1 / 150))
    options = {"max_epochs": 5, "hidden_layer_sizes": 3, **options}
    return Breeding(AddemupClassifier(4, lam=lam, **options), rows, rows, np.random.RandomState(0))


def test_rows_the_ensemble_gets_wrong_weigh_more():
    state = search(lam=3.0)
    outputs = np.tensordot(state.weights, state.networks.outputs(state.rows.X), axes=1)
    off = np.abs(state.rows.targets - outputs).sum(axis=1)
    weight = state._emphasis()
    assert_allclose(weight * 150, (off / off.mean()) ** 0.75)
    assert_allclose(search(lam=0.0)._emphasis(), 1 / 150)
    state.rows = Samples(X=state.rows.X, targets=outputs, weight=state.rows.weight)
    assert_array_equal(state._emphasis(), state.rows.weight)  # nothing is wrong


def test_children_keep_to_the_room_there_is():
    state = search(max_hidden=3, mutation_rate=1.0, n_children=7)
    for _ in range(3):
        children = state._children()
        assert children.n_members == 7
        assert (units(children).sum(axis=1) >= 1).all()
        assert (units(children).sum(axis=1) <= 3).all()
        state.step()
        assert state.networks.n_members == 4


def test_the_fittest_stay():
    state = search(n_children=6)
    before = state.networks.copy()
    state.step()
    assert len(state.history) == 2
    survivors = 4 - state.history[1]["n_new"]
    found = state.networks.outputs(state.valid.X)
    old = before.outputs(state.valid.X)
    same = [any(np.allclose(f, o) for o in old) for f in found]
    assert sum(same) == survivors


def test_the_ensemble_is_the_weighted_mean():
    X, y = make_moons(120, noise=0.2, random_state=0)
    ensemble = AddemupClassifier(5, n_generations=2, max_epochs=15, random_state=0).fit(X, y)
    assert_allclose(ensemble.estimator_weights_.sum(), 1)
    expected = np.tensordot(ensemble.estimator_weights_, ensemble.member_predict_proba(X), axes=1)
    assert_allclose(ensemble.predict_proba(X), expected)
    assert len(ensemble.history_) == 3
    assert ensemble.history_["lam"].iloc[0] == 1.0
    assert_array_equal(ensemble.n_hidden_ >= 1, True)


def test_one_network_can_breed_with_itself():
    X, y = make_moons(60, noise=0.2, random_state=0)
    ensemble = AddemupClassifier(1, n_generations=2, n_children=3, random_state=0).fit(X, y)
    assert ensemble.member_predict(X).shape == (1, 60)
