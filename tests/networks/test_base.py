"""What all searched, grown and gated networks promise, and the plumbing they share."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from counterpoint import MemberOutputs
from counterpoint.exceptions import DivergenceError, InterruptedFitWarning
from counterpoint.networks.averaging import AveragedNetworkClassifier
from counterpoint.networks.base import as_proba
from counterpoint.networks.constructive import ConstructiveNetworkClassifier
from counterpoint.networks.engine import Trainer
from counterpoint.networks.evolution import EPNetClassifier, EvolutionaryEnsembleClassifier
from counterpoint.networks.experts import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from counterpoint.networks.genetic import AddemupClassifier
from counterpoint.networks.samples import hold_out, merge_rows
from counterpoint.networks.search import Best

SEARCHED = [
    ConstructiveNetworkClassifier(n_rounds=12, max_epochs=10),
    AddemupClassifier(4, n_generations=3, n_children=4, hidden_layer_sizes=3, max_epochs=10),
    EPNetClassifier(4, n_generations=8, max_epochs=8),
    *(
        EvolutionaryEnsembleClassifier(4, combine=how, n_generations=6, max_epochs=8)
        for how in ("rls", "average", "vote")
    ),
    AveragedNetworkClassifier(4, base_epochs=15, max_epochs=15),
    AveragedNetworkClassifier(4, base_epochs=15, max_epochs=15, start="different"),
]
GATED = [
    MixtureOfExpertsClassifier(3, max_epochs=8),
    MixtureOfExpertsClassifier(2, max_epochs=5, hidden_layer_sizes=(3,), solver="gradient"),
]


def name(estimator):
    return f"{type(estimator).__name__}-{getattr(estimator, 'combine', '')}"


def problem(seed, n=90, n_classes=3, n_features=3):
    rng = np.random.RandomState(seed)
    y = rng.randint(n_classes, size=n)
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    return rng.normal(size=(n, n_features)) + 1.2 * y[:, None] * (np.arange(n_features) != 1), y


@pytest.mark.parametrize("estimator", SEARCHED, ids=name)
@settings(max_examples=6)
@given(seed=st.integers(0, 10_000), n=st.integers(20, 80))
def test_never_worse_on_held_out_rows_than_the_start(estimator, seed, n):
    X, y = problem(seed, n)
    fitted = clone(estimator).set_params(random_state=seed).fit(X, y)
    start, held = fitted.history_.iloc[0], fitted.held_out_
    assert held.any()
    error = 1 - fitted.score(X[held], y[held])
    assert error <= start["valid_error"] + 1e-12
    kept = fitted.history_[fitted.history_["valid_error"] <= start["valid_error"]]
    assert_allclose(error, kept["valid_error"][kept["valid_loss"].idxmin()], atol=1e-12)


@pytest.mark.parametrize("estimator", GATED, ids=name)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=6)
def test_mixtures_are_never_less_likely_on_held_out_rows_than_the_start(estimator, seed):
    X, y = problem(seed)
    fitted = clone(estimator).set_params(random_state=seed).fit(X, y)
    held = fitted.held_out_
    truth = fitted.predict_proba(X[held])[np.arange(held.sum()), y[held]]
    likely = fitted.history_["valid_log_likelihood"]
    assert_allclose(np.log(truth).mean(), likely.max(), rtol=1e-9)
    assert likely.max() >= likely.iloc[0]


@pytest.mark.parametrize("estimator", [*SEARCHED, *GATED], ids=name)
def test_the_seed_decides_everything(estimator):
    X, y = problem(1)
    one, two, other = (
        clone(estimator).set_params(random_state=seed).fit(X, y).predict_proba(X)
        for seed in (5, 5, 6)
    )
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("estimator", [*SEARCHED, *GATED], ids=name)
def test_a_row_of_weight_two_is_two_rows_and_of_weight_zero_none(estimator):
    X, y = problem(2)
    weight = np.random.RandomState(0).randint(3, size=len(X))
    weight[:6] = 1
    estimator = clone(estimator).set_params(random_state=0)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert not weighted.held_out_[weight == 0].any()


@pytest.mark.parametrize("estimator", [*SEARCHED, *GATED], ids=name)
def test_members_can_be_measured(estimator):
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    fitted = clone(estimator).set_params(random_state=0).fit(pd.DataFrame(X).add_prefix("x"), y)
    X = pd.DataFrame(X).add_prefix("x")
    outputs = MemberOutputs.from_estimator(fitted, X, y)
    n_members = fitted.networks_.n_members
    assert outputs.proba.shape == (n_members, 150, 3)
    assert_allclose(outputs.proba.sum(axis=2), 1)
    assert_array_equal(fitted.member_predict(X)[0], fitted.classes_[outputs.votes[0]])
    assert fitted.score(X, y) > 0.5
    assert_array_equal(fitted.predict(X), fitted.classes_[fitted.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("estimator", SEARCHED[1:6], ids=name)
def test_outputs_know_how_the_ensemble_answers(estimator):
    X, y = load_iris(return_X_y=True)
    fitted = clone(estimator).set_params(random_state=0).fit(X, y)
    outputs = fitted.member_outputs(X, y)
    assert_array_equal(fitted.classes_[outputs.answer], fitted.predict(X))
    assert_allclose(fitted.combiner_.combine(outputs), fitted.predict_proba(X), atol=1e-9)
    assert_allclose(fitted.combiner_.shares(outputs).sum(), 1)
    assert fitted.combiner_.silence(0, outputs).shape == (150, 3)


@pytest.mark.parametrize("estimator", SEARCHED, ids=name)
def test_ctrl_c_keeps_the_best_so_far(estimator, monkeypatch):
    X, y = problem(3)
    run, calls = Trainer.run, []

    def interrupted(self, *args):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return run(self, *args)

    monkeypatch.setattr(Trainer, "run", interrupted)
    with pytest.warns(InterruptedFitWarning, match="keeps the best found so far"):
        fitted = clone(estimator).set_params(random_state=0).fit(X, y)
    assert fitted.stop_reason_ == "interrupted"
    assert len(fitted.history_) <= 3
    assert fitted.predict(X).shape == y.shape


@pytest.mark.parametrize("estimator", SEARCHED[:1] + SEARCHED[1:2] + GATED[:1], ids=name)
def test_they_live_in_pipelines_and_searches(estimator):
    X, y = problem(4, n=60)
    search = GridSearchCV(
        make_pipeline(MinMaxScaler(), clone(estimator).set_params(random_state=0)),
        {f"{type(estimator).__name__.lower()}__validation_fraction": [None, 0.3]},
        cv=2,
    )
    assert search.fit(X, y).best_score_ > 0.4


@pytest.mark.parametrize("estimator", SEARCHED, ids=name)
def test_without_held_out_rows_training_rows_stand_in(estimator):
    X, y = make_moons(60, noise=0.2, random_state=0)
    fitted = clone(estimator).set_params(random_state=0, validation_fraction=None).fit(X, y)
    assert not fitted.held_out_.any()


@pytest.mark.parametrize("estimator", SEARCHED, ids=name)
def test_a_learning_rate_that_blows_up_is_named(estimator):
    X, y = problem(5)
    wild = clone(estimator).set_params(random_state=0, learning_rate=1e308)
    with pytest.raises(DivergenceError, match="learning rate is 1e\\+308"):
        wild.fit(X, y)


WRONG = [
    (ConstructiveNetworkClassifier(1), "n_estimators=1: give a whole number from 2"),
    (ConstructiveNetworkClassifier(hidden_layer_sizes=0), "hidden_layer_sizes=0"),
    (ConstructiveNetworkClassifier(hidden_layer_sizes=(5,), max_hidden=4), "max_hidden=4.* from 5"),
    (ConstructiveNetworkClassifier(strength=1.5), "strength=1.5"),
    (ConstructiveNetworkClassifier(tol=-1), "tol=-1"),
    (EPNetClassifier(hidden_layer_sizes=(5, 3)), "have one hidden layer.* such as \\(5,\\)"),
    (ConstructiveNetworkClassifier(max_epochs=2.5), "max_epochs=2.5: give a whole number"),
    (AddemupClassifier(0), "n_estimators=0"),
    (AddemupClassifier(lam=-0.1), "lam=-0.1: give a number from 0"),
    (AddemupClassifier(mutation_rate=1.1), "mutation_rate=1.1: give a number"),
    (AddemupClassifier(max_hidden=0), "max_hidden=0"),
    (EPNetClassifier(1), "n_estimators=1: give a whole number from 2"),
    (EPNetClassifier(density=0), "density=0: give a number above 0 and up to 1"),
    (EPNetClassifier(max_units_changed=0), "max_units_changed=0"),
    (EvolutionaryEnsembleClassifier(combine="mean"), "combine='mean': choose 'rls'"),
    (EvolutionaryEnsembleClassifier(delta=0), "delta=0"),
    (AveragedNetworkClassifier(1), "n_estimators=1"),
    (AveragedNetworkClassifier(start="same"), "start='same': choose 'shared'"),
    (AveragedNetworkClassifier(hidden_layer_sizes=()), r"hidden_layer_sizes=\(\)"),
    (AveragedNetworkClassifier(hidden_layer_sizes=(5, 0)), r"hidden_layer_sizes=\(5, 0\)"),
    (AveragedNetworkClassifier(learning_rate=0), "learning_rate=0: give a number from 1e-30"),
    (AveragedNetworkClassifier(batch_size=0), "batch_size=0"),
    (AveragedNetworkClassifier(validation_fraction=1), "validation_fraction=1.* below 1"),
    (MixtureOfExpertsClassifier(gate="open"), "gate='open': choose 'soft'"),
    (MixtureOfExpertsClassifier(solver="sgd"), "solver='sgd'"),
    (MixtureOfExpertsClassifier(hidden_layer_sizes="5"), "hidden_layer_sizes='5'"),
    (MixtureOfExpertsClassifier(n_init=True), "n_init=True"),
    (MixtureOfExpertsRegressor(alpha=float("nan")), "alpha=nan"),
    (MixtureOfExpertsRegressor(inner_iter=0), "inner_iter=0"),
]


@pytest.mark.parametrize(("estimator", "message"), WRONG, ids=lambda w: str(w)[:60])
def test_wrong_options_are_named(estimator, message):
    X, y = problem(0, n=30)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


def test_wrong_data_are_named():
    X, y = problem(0, n=30)
    with pytest.raises(ValueError, match="at least two classes"):
        AddemupClassifier().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="at least two classes"):
        AddemupClassifier().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="NaN"):
        EPNetClassifier().fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\)"):
        EPNetClassifier().fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match=r"1d array, got an array of shape \(30, 3\)"):
        MixtureOfExpertsRegressor().fit(X, X)


# -- plumbing ----------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1),
    st.randoms(use_true_random=False),
)
def test_merging_adds_the_weights_of_equal_rows_in_an_order_of_its_own(rows, random):
    table = np.array(rows, dtype=float)
    if not table[:, 2].any():
        table[0, 2] = 1

    def merge(table):
        first, weight, place = merge_rows(table[:, :1], table[:, 1], table[:, 2])
        assert_array_equal(place == -1, table[:, 2] == 0)
        kept = place >= 0
        assert_array_equal(table[first[place[kept]], :2], table[kept, :2])
        return table[first, :2], weight

    values, weight = merge(table)
    assert len(np.unique(values, axis=0)) == len(values)
    assert weight.sum() == table[:, 2].sum()
    shuffled = table.tolist()
    random.shuffle(shuffled)
    again, weight_again = merge(np.array(shuffled))
    assert_array_equal(again, values)
    assert_array_equal(weight_again, weight)


def test_merging_takes_both_zeros_for_one_and_keeps_colliding_rows_apart(monkeypatch):
    X, y, weight = np.array([[0.0], [-0.0], [1.0]]), np.zeros(3), np.ones(3)
    assert sorted(merge_rows(X, y, weight)[1]) == [1, 2]

    def same_key(table, index):
        return pd.Series(np.zeros(len(table), dtype=np.uint64))

    monkeypatch.setattr(pd.util, "hash_pandas_object", same_key)
    assert sorted(merge_rows(X, y, weight)[1]) == [1, 2]


def test_every_group_keeps_a_row_and_gives_its_share():
    groups = np.array([0] * 10 + [1] * 20 + [2])
    held = hold_out(groups, 0.2, np.random.RandomState(0))
    assert [int(held[groups == g].sum()) for g in range(3)] == [2, 4, 0]
    assert not hold_out(np.zeros(3), 0.99, np.random.RandomState(0)).all()


def test_no_row_is_on_both_sides():
    X, y = problem(0, n=40)
    X, y = np.concatenate([X, X]), np.concatenate([y, y])
    fitted = AveragedNetworkClassifier(2, base_epochs=1, max_epochs=1, random_state=0).fit(X, y)
    assert_array_equal(fitted.held_out_[:40], fitted.held_out_[40:])


def test_scores_become_probabilities_in_the_same_order():
    scores = np.array([[2.0, 6.0], [-1.0, -3.0], [0.0, 0.0], [-0.5, 0.5]])
    proba = as_proba(scores)
    assert_allclose(proba, [[0.25, 0.75], [1, 0], [0.5, 0.5], [0, 1]])


def test_best_is_never_worse_than_the_first_in_error_and_loss():
    best = Best()
    assert best.offer(0.2, 0.5, "first")
    assert not best.offer(0.3, 0.1, "more errors")
    assert not best.offer(0.1, 0.6, "more loss")
    assert best.offer(0.2, 0.4, "better")
    assert best.state == "better"
