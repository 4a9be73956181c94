"""EPNet's mutations and order, RLS against the recursion, combinations of a population."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import evolution as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons

from counterpoint import MemberOutputs
from counterpoint.networks import mutation
from counterpoint.networks._evolution import COMBINATIONS, Evolution, combined, rls_weights
from counterpoint.networks.evolution import EPNetClassifier, EvolutionaryEnsembleClassifier
from counterpoint.networks.samples import Samples
from counterpoint.networks.structure import n_connections, start_masked, units


def some_rows(seed=0, n=20, n_features=3, n_classes=2):
    rng = np.random.RandomState(seed)
    targets = np.eye(n_classes)[rng.randint(n_classes, size=n)]
    return Samples(X=rng.normal(size=(n, n_features)), targets=targets, weight=np.full(n, 1 / n))


def network(size=4, seed=0, density=0.7):
    rng = np.random.RandomState(seed)
    return start_masked([size], 3, 2, output="softmax", rng=rng, density=density)


@given(st.integers(1, 5), st.integers(0, 1000), st.floats(1e-4, 10))
def test_rls_weights_are_where_the_recursion_ends(n_members, seed, delta):
    rng = np.random.RandomState(seed)
    outputs, targets = rng.uniform(size=(n_members, 12, 2)), rng.uniform(size=(12, 2))
    found = rls_weights(outputs, targets, np.full(12, 1 / 12), delta)
    expected = naive.recursive_least_squares(
        outputs.reshape(n_members, -1).T,
        targets.ravel(),
        start=np.full(n_members, 1 / n_members),
        first=1 / (12 * delta),
    )
    assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_rls_weights_are_least_squares_where_delta_vanishes_and_equal_where_it_rules():
    rng = np.random.RandomState(0)
    outputs, targets = rng.uniform(size=(3, 30, 2)), rng.uniform(size=(30, 2))
    weight = rng.uniform(size=30)
    weight /= weight.sum()
    root = np.repeat(np.sqrt(weight), 2)
    line = np.linalg.lstsq(
        outputs.reshape(3, -1).T * root[:, None], targets.ravel() * root, rcond=None
    )[0]
    assert_allclose(rls_weights(outputs, targets, weight, 1e-12), line)
    assert_allclose(rls_weights(outputs, targets, weight, 1e9), 1 / 3, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_importance_matches_naive(seed):
    rows, net = some_rows(seed, n=8), network(3, seed, density=1.0)
    found = mutation.importance(net, rows, 0.1)
    parts = [a[0].tolist() for a in (net.coefs[0], net.intercepts[0])]
    parts += [a[0].tolist() for a in (net.coefs[1], net.intercepts[1])]
    expected = naive.importance(rows.X.tolist(), rows.targets.tolist(), 0.1, *parts)
    for layer in range(2):
        assert_allclose(found[layer], expected[layer], rtol=1e-4)


def test_what_nothing_comes_through_matters_nothing():
    net = network(2, density=1.0)
    net.coefs[1][:] = 0
    first = mutation.importance(net, some_rows(), 0.1)[0]
    net.coefs[0][:] = 0
    assert np.isinf(first).all()  # weights, and no row that would change them
    assert_array_equal(mutation.importance(net, some_rows(), 0.1)[0], 0)


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(0, 1000), st.integers(1, 30))
def test_mutations_change_what_they_say(size, seed, most):
    net, rows, rng = network(size, seed), some_rows(seed), np.random.RandomState(seed)
    before = [a.copy() for a in [*net.parameters, *net.masks]]
    fewer = mutation.units_dropped(net, most, rng)
    assert 1 <= units(fewer).sum() <= max(1, size - 1)
    thinner = mutation.connections_dropped(net, rows, 0.1, most, rng)
    assert units(thinner).any()
    # Inputs of a unit go with its last output, so more may be lost than were drawn.
    assert n_connections(thinner)[0] < n_connections(net)[0] or n_connections(net)[0] == 1
    denser = mutation.connections_added(net, rows, 0.1, most, rng)
    added = n_connections(denser)[0] - n_connections(net)[0]
    assert 0 <= added <= most
    assert added > 0 or n_connections(net)[0] == 5 * size
    assert_allclose(denser.outputs(rows.X), net.outputs(rows.X))  # new weights are zero
    larger = mutation.unit_added(net, rng)
    assert units(larger).sum() == size + 1
    for now, then in zip([*net.parameters, *net.masks], before, strict=True):
        assert_array_equal(now, then)


def test_weak_connections_go_and_strong_ones_come_more_often():
    rows, rng = some_rows(n=60), np.random.RandomState(0)
    net = network(4, density=1.0)
    tests = np.concatenate([t.ravel() for t in mutation.importance(net, rows, 0.1)])
    gone = np.zeros(len(tests))
    for _ in range(200):
        thin = mutation.connections_dropped(net, rows, 0.1, 1, rng)
        gone += np.concatenate([m.ravel() for m in thin.masks]) == 0
    weak, strong = np.argsort(tests)[:5], np.argsort(tests)[-5:]
    assert gone[weak].sum() > 2 * gone[strong].sum()
    assert gone[12:][tests[12:].argmax()] == 0  # the last way to the outputs


def test_annealing_never_returns_anything_worse_and_respects_masks():
    rows, net = some_rows(), network(4)
    for seed in range(5):
        found = mutation.annealed(net, rows, np.random.RandomState(seed))
        assert rows.loss(found.outputs(rows.X))[0] <= rows.loss(net.outputs(rows.X))[0] + 1e-12
        for w, m in zip(found.coefs, net.masks, strict=True):
            assert (w[m == 0] == 0).all()


def evolution():
    X, y = load_iris(return_X_y=True)
    rows = Samples(X=X - X.mean(axis=0), targets=np.eye(3)[y], weight=np.full(150, 1 / 150))
    model = EPNetClassifier(5, max_epochs=4)
    return Evolution(model, rows, rows, np.random.RandomState(0))


def test_losses_are_those_of_the_members_all_along():
    state = evolution()
    for _ in range(25):
        state.step()
        assert_allclose(state.losses, [state._loss(m) for m in state.members])
    changes = {look["change"] for look in state.history}
    assert changes >= {"start", "trained"}
    assert changes <= {
        "start",
        "trained",
        "annealed",
        "units dropped",
        "connections dropped",
        "connections added",
        "unit added",
    }


def test_a_parent_that_training_failed_is_annealed_then_rebuilt(monkeypatch):
    state = evolution()
    state.thrives[:] = False
    monkeypatch.setattr(mutation, "annealed", lambda parent, *args, **options: parent)
    n_before = len(state.members)
    worst = state.losses.argmax()
    state.step()
    assert state.history[-1]["change"] in (
        "units dropped",
        "connections dropped",
        "connections added",
        "unit added",
    )
    assert len(state.members) == n_before
    assert state.thrives[worst]
    assert state.thrives.sum() == 1


def test_deletion_comes_before_addition():
    state = evolution()
    state.losses[3] = 10.0  # so bad that the first child is already better
    assert state._restructured(0) == "units dropped"
    state.losses[:] = 0.0  # so good that no child is: the better addition goes in all the same
    assert state._restructured(0) in ("connections added", "unit added")
    assert state.losses[0] > 0


def test_combinations_do_what_they_say():
    outputs = np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.2, 0.8]]])
    weights = np.array([2.0, -0.5, -0.5])
    assert_allclose(combined(outputs, "rls", weights, 0), [[1.5, -0.5]])
    assert_allclose(combined(outputs, "average", weights, 0), [[0.5, 0.5]])
    assert_allclose(combined(outputs, "vote", weights, 0), [[1 / 3, 2 / 3]])
    assert_allclose(combined(outputs, "best", weights, 1), [[0.4, 0.6]])


@pytest.fixture(scope="module")
def moons():
    return make_moons(150, noise=0.2, random_state=0)


@pytest.mark.parametrize("how", COMBINATIONS)
def test_the_ensemble_answers_by_its_combination(moons, how):
    X, y = moons
    ensemble = EvolutionaryEnsembleClassifier(
        5, combine=how, n_generations=5, max_epochs=10, random_state=0
    ).fit(X, y)
    errors = ensemble.compare(X, y)
    assert list(errors.index) == list(COMBINATIONS)
    assert_allclose(errors[how], 1 - ensemble.score(X, y))
    assert_allclose(ensemble.estimator_weights_.sum(), 1, atol=0.2 if how == "rls" else 1e-12)
    row = ensemble.history_.iloc[ensemble.best_epoch_]
    assert row["valid_error"] == row[f"{how}_error"]
    proba = ensemble.member_predict_proba(X)
    if how == "average":
        assert_allclose(ensemble.predict_proba(X), proba.mean(axis=0))
    if how == "best":
        assert_allclose(ensemble.predict_proba(X), proba[ensemble.best_member_])


def test_epnet_answers_with_its_best_network(moons):
    X, y = moons
    net = EPNetClassifier(5, n_generations=5, max_epochs=10, random_state=0).fit(X, y)
    same = EvolutionaryEnsembleClassifier(
        5, combine="best", n_generations=5, max_epochs=10, random_state=0
    ).fit(X, y)
    assert_array_equal(net.predict_proba(X), same.predict_proba(X))
    assert_array_equal(net.estimator_weights_, np.eye(5)[net.best_member_])
    assert_array_equal(net.member_predict(X)[net.best_member_], net.predict(X))
    assert MemberOutputs.from_estimator(net, X, y).weights.sum() == 1
    assert net.n_connections_.shape == net.n_hidden_.shape == (5,)
