"""CNNE: it grows by need, trains some while others stand still, and follows its own rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_moons

from counterpoint.networks.constructive import (
    ConstructiveNetworkClassifier,
    Growth,
    PartialNegativeCorrelation,
)
from counterpoint.networks.coupling import NegativeCorrelation
from counterpoint.networks.engine import Trainer, start_networks
from counterpoint.networks.samples import Samples
from counterpoint.networks.structure import units


@pytest.mark.parametrize("s", [0.0, 0.6, 1.0])
def test_members_that_stand_still_count_in_the_mean(s):
    rng = np.random.RandomState(0)
    outputs, wanted = rng.uniform(size=(4, 6, 2)), rng.uniform(size=(6, 2))
    every, some = NegativeCorrelation(s), PartialNegativeCorrelation(s, 4)
    targets = np.column_stack([wanted, outputs[2:].sum(axis=0)])
    assert_allclose(some.gradient(outputs[:2], targets), every.gradient(outputs, wanted)[:2])
    assert_allclose(some.error(outputs[:2], targets), every.error(outputs, wanted)[:2])


def test_gradients_through_sigmoid_outputs_match_finite_differences():
    rng = np.random.RandomState(1)
    X, targets = rng.normal(size=(5, 2)), rng.uniform(size=(5, 6))
    networks = start_networks(2, (2, 3, 3), output="sigmoid", random_state=0)
    trainer = Trainer(networks=networks, coupling=PartialNegativeCorrelation(0.7, 5))
    found, eps = trainer.gradients(X, targets), 1e-6
    for p, g in zip(networks.parameters, found, strict=True):
        for at in np.ndindex(p.shape):
            keep, sides = p[at], []
            for step in (eps, -eps):
                p[at] = keep + step
                sides.append(trainer.coupling.error(networks.outputs(X), targets)[at[0]].mean())
            p[at] = keep
            assert_allclose(g[at], (sides[0] - sides[1]) / (2 * eps), atol=1e-8)


def fitted(**options):
    X, y = make_moons(150, noise=0.25, random_state=0)
    options = {"random_state": 0, **options}
    return ConstructiveNetworkClassifier(**options).fit(X, y)


def test_it_starts_with_two_tiny_networks_and_grows():
    ensemble = fitted()
    first, history = ensemble.history_.iloc[0], ensemble.history_
    assert (first["change"], first["n_networks"], first["n_hidden"]) == ("start", 2, 2)
    assert history["n_hidden"].is_monotonic_increasing
    assert history["n_networks"].is_monotonic_increasing
    assert set(history["change"]) == {"start", "none", "units", "network"}
    grown = history["n_hidden"].diff()[1:]
    assert_array_equal(grown > 0, history["change"][1:].isin(["units", "network"]))
    assert_array_equal(history["n_networks"].diff()[1:] > 0, history["change"][1:] == "network")
    kept = history.iloc[ensemble.best_epoch_]
    assert kept["n_networks"] == ensemble.networks_.n_members == len(ensemble.n_epochs_)
    assert kept["n_hidden"] == ensemble.n_hidden_.sum()
    assert ensemble.history_["valid_error"].iloc[0] > ensemble.history_["valid_error"].min()


def test_limits_are_kept():
    ensemble = fitted(n_estimators=3, max_hidden=2, patience=50, n_rounds=200)
    assert ensemble.stop_reason_ == "full"
    assert ensemble.history_["n_networks"].max() == 3
    assert (ensemble.n_hidden_ <= 2).all()
    assert ensemble.history_["n_hidden"].max() <= 6
    assert fitted(n_rounds=3).stop_reason_ == "n_rounds"
    assert fitted(patience=1, n_rounds=200).stop_reason_ == "no progress"
    assert len(fitted(n_rounds=0).history_) == 1


def growing(seed=0, **options):
    X, y = load_iris(return_X_y=True)
    rows = Samples(X=X - X.mean(axis=0), targets=np.eye(3)[y], weight=np.full(150, 1 / 150))
    options = ConstructiveNetworkClassifier(**options)
    return Growth(options, rows, rows, np.random.RandomState(seed))


def test_networks_that_stand_still_are_not_touched():
    state = growing()
    state.look("start")
    state.is_trained[0] = False
    before = state.networks.copy()
    state.train()
    for now, then in zip(state.networks.parameters, before.parameters, strict=True):
        assert_array_equal(now[0], then[0])
    assert not np.array_equal(state.networks.coefs[0][1], before.coefs[0][1])
    assert_array_equal(state.epochs, [0, 20])


def test_growth_by_units_first_then_by_a_network():
    state = growing(n_splits=2)
    state.look("start")
    assert state.change() == "none"  # nothing to compare with yet
    for expected in ("units", "units", "network"):
        state.look("")  # the same loss again: it stands still
        n_units, before = units(state.networks).sum(), state.networks.outputs(state.valid.X)
        assert state.change() == expected
        assert units(state.networks).sum() > n_units
        now = state.networks.outputs(state.valid.X)
        assert_allclose(now[: len(before)], before, atol=1e-12)
    assert state.networks.n_members == 3
    assert_array_equal(state.is_trained, [False, False, True])


def test_contribution_is_that_of_the_paper():
    state = growing()
    state.look("start")
    outputs = state.networks.outputs(state.valid.X)
    loss = state.valid.loss(outputs.mean(axis=0))
    assert_allclose(state.contribution[0], 100 * (1 / loss - 1 / state.valid.loss(outputs[1])))


def test_a_perfect_ensemble_has_a_finite_contribution():
    state = growing()
    state.valid = Samples(
        X=state.valid.X,
        targets=state.networks.outputs(state.valid.X).mean(axis=0),
        weight=state.valid.weight,
    )
    state.look("start")
    assert np.isfinite(state.contribution).all()
