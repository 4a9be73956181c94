"""Boosters grown together: alone at strength 0, one at strength 1, and slopes by differences."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

from counterpoint import MemberOutputs, member_predictions
from counterpoint.boosting import (
    HistBoostRegressor,
    NegativeCorrelationBoostingClassifier,
    NegativeCorrelationBoostingRegressor,
)
from counterpoint.boosting.coupled import CoupledClassLoss
from counterpoint.boosting.newton import NewtonClassLoss
from counterpoint.networks.coupling import CrossEntropyMixture, NegativeCorrelation
from counterpoint.trees import HistTreeRegressor

KINDS = NegativeCorrelationBoostingClassifier, NegativeCorrelationBoostingRegressor
SMALL = {
    "n_rounds": 6,
    "learning_rate": 0.3,
    "max_leaf_nodes": 6,
    "early_stopping": False,
    "random_state": 0,
}


def classes(n_classes=2, n=200):
    return make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.1, random_state=0
    )


def numbers(n=200):
    return make_friedman1(n, 6, noise=1.0, random_state=0)


def trees_of(member):
    """Return the trees of a booster, round by round and class by class."""
    rounds = (m if isinstance(m, list) else [m] for m in member.estimators_)
    return [model.tree_ for models in rounds for model in models]


def assert_same_trees(ours, others):
    assert len(ours) == len(others) > 0
    for one, other in zip(ours, others, strict=True):
        for part in ("feature", "threshold", "children_left", "value", "n_node_samples"):
            assert_array_equal(getattr(one, part), getattr(other, part))


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("max_features", [1.0, 0.5])
def test_at_strength_0_each_member_is_the_booster_of_its_seed(n_classes, max_features):
    X, y = numbers() if n_classes is None else classes(n_classes)
    kind = NegativeCorrelationBoostingRegressor
    if n_classes is not None:
        kind = NegativeCorrelationBoostingClassifier
    weight = np.random.RandomState(1).uniform(0.5, 2.0, len(y))
    model = kind(3, strength=0.0, max_features=max_features, **SMALL)
    model.fit(X, y, sample_weight=weight)
    for member in model.estimators_:
        alone = clone(member).fit(X, y, sample_weight=weight)
        assert_same_trees(trees_of(member), trees_of(alone))
        assert_array_equal(member.predict(X), alone.predict(X))
    assert len({tree.value.tobytes() for m in model.estimators_ for tree in trees_of(m)}) > 6


def test_at_strength_1_all_are_one_booster_of_n_trees_a_round():
    X, y = numbers()
    model = NegativeCorrelationBoostingRegressor(4, strength=1.0, max_features=0.5, **SMALL)
    model.fit(X, y)
    base = HistTreeRegressor(
        max_leaf_nodes=6, min_weight_leaf=1.0, l2_regularization=1.0, max_features=0.5
    )
    data = base.prepare(X)
    draws = [np.random.RandomState(member.random_state) for member in model.estimators_]
    total, wanted = np.full(len(y), y.mean()), []
    for _ in range(6):
        left_over = y - total
        grown = []
        for rng in draws:
            tree = clone(base).set_params(random_state=rng)
            rows = np.flatnonzero(rng.permutation(len(y)) < len(y) // 2)
            grown.append(tree.fit_prepared(data, None, target=left_over, rows=rows))
        total += 0.3 * np.mean([tree.predict_prepared(data) for tree in grown], axis=0)
        wanted.append([tree.tree_ for tree in grown])
    for member, trees in zip(model.estimators_, zip(*wanted, strict=True), strict=True):
        for one, other in zip(trees_of(member), trees, strict=True):
            assert_array_equal(one.feature, other.feature)
            assert_array_equal(one.threshold, other.threshold)
            assert_allclose(one.value, other.value, atol=1e-9)
    assert_allclose(model.predict(X), total, rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strength", [0.0, 0.7, 1.0])
def test_requests_are_the_slopes_of_the_coupled_losses(n_classes, strength):
    rng = np.random.RandomState(0)
    own = NewtonClassLoss(n_classes)
    y = rng.randint(n_classes, size=12)
    output = "sigmoid" if n_classes == 2 else "softmax"
    loss = CoupledClassLoss(own, CrossEntropyMixture(strength, output=output), 3)
    target = loss.begin(y, np.full(12, 1 / 12))
    scores = rng.normal(size=target.shape)
    curvature, aim = loss.request(target, scores)
    k = own.n_outputs
    for column in range(3 * k):
        step = np.zeros_like(scores)
        step[:, column] = 1e-5
        errors = [
            loss.coupling.error(loss.outputs(scores + sign * step), target[:, :k])[column // k]
            for sign in (1, -1)
        ]
        slope = (errors[0] - errors[1]) / 2e-5
        assert_allclose((curvature * aim)[:, column], -slope, rtol=1e-5, atol=1e-8)
    # The curvature is that of a member's own loss at any strength.
    alone, _ = own.request(target[:, :k], scores[:, :k])
    assert_array_equal(curvature[:, :k], alone)


def test_without_draws_all_members_are_alike():
    X, y = numbers()
    model = NegativeCorrelationBoostingRegressor(3, strength=0.8, subsample=1.0, **SMALL).fit(X, y)
    first, *others = model.member_predict(X)
    for other in others:
        assert_array_equal(other, first)
    options = {k: v for k, v in SMALL.items() if k != "n_rounds"}
    whole = {"subsample": 1.0, "max_features": 1.0}
    alone = HistBoostRegressor(n_estimators=6, **whole, **options).fit(X, y)
    assert_allclose(model.predict(X), alone.predict(X), rtol=1e-9)


class Alone(NegativeCorrelation):
    """No pull at any strength."""

    def gradient(self, outputs, targets):
        return outputs - targets


def test_any_coupling_does():
    X, y = numbers()
    found = {
        penalty: NegativeCorrelationBoostingRegressor(4, strength=s, penalty=penalty, **SMALL)
        .fit(X, y)
        .predict(X)
        for penalty, s in (("ncl", 0.0), (Alone(), 0.9), ("root-quartic", 0.9))
    }
    alone, own, quartic = found.values()
    assert_array_equal(own, alone)
    assert not np.allclose(quartic, alone)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_members_answer_and_their_mean_is_the_answer(n_classes):
    X, y = classes(n_classes)
    y = np.array(["a", "b", "c"])[y]
    model = NegativeCorrelationBoostingClassifier(3, strength=0.5, **SMALL).fit(X, y)
    proba = model.member_predict_proba(X)
    assert proba.shape == (3, 200, n_classes)
    assert_allclose(model.predict_proba(X), proba.mean(axis=0), rtol=1e-12)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    outputs = MemberOutputs.from_estimator(model, X, y)
    assert outputs.votes.shape == (3, 200)
    assert_array_equal(model.classes_[outputs.votes], model.member_predict(X))
    staged = list(model.staged_predict_proba(X))
    assert len(staged) == 6
    assert_allclose(staged[-1], model.predict_proba(X), rtol=1e-12)
    decided = model.decision_function(X)
    codes = decided > 0 if n_classes == 2 else decided.argmax(axis=1)
    assert_array_equal(model.classes_[np.asarray(codes, dtype=int)], model.predict(X))


def test_every_round_splits_the_error_into_members_and_ambiguity():
    X, y = numbers(300)
    model = NegativeCorrelationBoostingRegressor(4, strength=0.5, record=True, **SMALL)
    model.fit(X[:200], y[:200], eval_set=(X[200:], y[200:]))
    seen = model.history_
    assert seen.index.tolist() == [1, 2, 3, 4, 5, 6]
    for name in ("train", "eval"):
        gap = seen[f"{name}_member_loss"] - seen[f"{name}_ensemble_loss"]
        assert_allclose(gap, seen[f"{name}_ambiguity"], rtol=1e-6)
        assert_allclose(seen[f"{name}_ensemble_error"] ** 2, seen[f"{name}_ensemble_loss"])
    staged = np.stack([list(member.staged_predict(X[200:])) for member in model.estimators_])
    assert_allclose(((staged - staged.mean(axis=0)) ** 2).mean(axis=(0, 2)), seen.eval_ambiguity)
    assert_allclose(member_predictions(model, X[200:]), staged[:, -1])
    assert_allclose(model.predict(X), list(model.staged_predict(X))[-1])


def test_it_ends_at_the_best_round_for_rows_held_out():
    X, y = classes(n=300)
    model = NegativeCorrelationBoostingClassifier(
        3, n_rounds=100, early_stopping=True, patience=5, learning_rate=0.5, random_state=0
    ).fit(X, y)
    losses = model.history_["held_ensemble_loss"]
    assert model.stop_reason_ == "held_ensemble_loss did not improve for 5 rounds"
    assert {len(member.estimators_) for member in model.estimators_} == {losses.argmin() + 1}
    assert len(losses) == losses.argmin() + 1 < 100


def test_few_rows_have_the_number_of_rounds_found_by_folds():
    X, y = classes(n=120)
    model = NegativeCorrelationBoostingClassifier(
        2, n_rounds=40, learning_rate=0.5, patience=3, random_state=0
    ).fit(X, y)
    assert {len(member.estimators_) for member in model.estimators_} == {len(model.history_)}
    assert len(model.history_) < 40


def test_importances_are_shares():
    X, y = numbers()
    model = NegativeCorrelationBoostingRegressor(3, **SMALL).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmin() == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": 1.5}, r"strength=1\.5"),
        ({"strength": -0.1}, r"strength=-0\.1"),
        ({"strength": np.nan}, "strength=nan"),
        ({"n_rounds": 0}, "n_rounds=0"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"penalty": "nlc"}, "penalty='nlc'"),
        ({"penalty": "root-quartic"}, "penalty='root-quartic' goes with loss='squared' only"),
        ({"record": "yes"}, "record='yes'"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        NegativeCorrelationBoostingClassifier(**options).fit(*classes(n=60))


def test_one_booster_has_nobody_to_differ_from():
    X, y = classes(n=60)
    with pytest.warns(UserWarning, match="nobody to differ from"):
        NegativeCorrelationBoostingClassifier(1, **SMALL | {"strength": 0.5}).fit(X, y)
    alone = NegativeCorrelationBoostingClassifier(1, **SMALL).fit(X, y)
    assert alone.strength_ == 0
    assert_array_equal(alone.predict_proba(X), alone.estimators_[0].predict_proba(X))


def named(n=300):
    """Return a frame with a column of names, one with gaps, and numbers that depend on them."""
    rng = np.random.RandomState(0)
    name, x = rng.randint(6, size=n), rng.uniform(-2, 2, size=n)
    X = pd.DataFrame({"name": np.array(list("dbafce"))[name], "x": x})
    y = (name % 3) + 0.5 * x + np.sin(4 * x) + 0.2 * rng.normal(size=n)
    X.loc[::13, "x"] = np.nan
    return X, y


@pytest.mark.parametrize("early", [False, True, "auto"])
@pytest.mark.parametrize("kind", KINDS)
def test_names_of_categories_are_split_as_sets_by_every_member(kind, early):
    X, y = named()
    y = np.digitize(y, [0.5, 1.5]) if kind is KINDS[0] else y
    options = SMALL | {"strength": 0.0, "categorical_features": ["name"], "early_stopping": early}
    model = kind(3, **options).fit(X, y, eval_set=(X[:50], y[:50]))
    assert model.categories_ == [list("abcdef"), None]
    for member in model.estimators_:
        assert any(tree.on_categories.any() for tree in trees_of(member))
    answers = [member.predict(X) for member in model.estimators_]
    assert_array_equal(model.member_predict(X), answers)
    *_, last = model.staged_predict(X)
    assert_allclose(last, model.predict(X))
    strange, gap = X[:9].assign(name="new"), X[:9].assign(name=None)
    assert_array_equal(model.predict(strange), model.predict(gap))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    # The same by numbers; and, trained on all rows, each member is the booster of its seed.
    coded = X.assign(name=X["name"].map({name: k for k, name in enumerate("abcdef")}))
    by_hand = kind(3, **options | {"categorical_features": [0]}).fit(coded.to_numpy(), y)
    assert_array_equal(by_hand.predict(coded.to_numpy()), model.predict(X))
    if not early:
        for member in model.estimators_:
            alone = clone(member).fit(X, y)
            assert_same_trees(trees_of(member), trees_of(alone))
    with pytest.raises(ValueError, match="give a frame with the same columns"):
        model.predict(coded.to_numpy())


@pytest.mark.parametrize("strength", [0.0, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_answers_of_all_members_rise_and_fall_as_asked(kind, strength):
    X, y = numbers()
    y = y - 12.0 * X[:, 4]
    y = (y > np.median(y)).astype(int) if kind is KINDS[0] else y
    model = kind(3, strength=strength, monotonic_cst=[0, 0, 0, 1, -1, 0], **SMALL).fit(X, y)
    grid = np.repeat(X[:20], 30, axis=0)
    for column, sign in ((3, 1), (4, -1)):
        asked = grid.copy()
        asked[:, column] = np.tile(np.linspace(-0.1, 1.1, 30), 20)
        answers = model.predict(asked)
        members = model.member_predict(asked)
        if kind is KINDS[0]:
            answers = model.predict_proba(asked)[:, 1]
            members = model.member_predict_proba(asked)[:, :, 1]
        steps = np.diff(answers.reshape(20, 30), axis=1) * sign
        assert steps.min() >= -1e-12
        assert steps.max() > 0
        assert (np.diff(members.reshape(3, 20, 30), axis=2) * sign).min() >= -1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_columns_are_named(kind):
    X, y = np.tile([[0.0, 0.5], [1.0, 1.0]], (20, 1)), np.arange(40) % 2
    for options, message in (
        ({"monotonic_cst": [1, 0], "categorical_features": [0]}, "column 0, which holds categor"),
        ({"categorical_features": [1]}, r"Column 1 of X is one of categories and holds 0\.5"),
        ({"monotonic_cst": [0, 2]}, "monotonic_cst has 2 for column 1"),
    ):
        with pytest.raises(ValueError, match=message):
            kind(3, **SMALL | options).fit(X, y)
    if kind is KINDS[0]:
        with pytest.raises(ValueError, match="y holds 3 classes"):
            kind(3, monotonic_cst=[1, 0], **SMALL).fit(X, np.arange(40) % 3)


def test_rows_to_hold_out_are_needed_and_few_are_enough():
    with pytest.raises(ValueError, match="X has 1: none is left to train on"):
        NegativeCorrelationBoostingRegressor(2, early_stopping=True).fit([[1.0]], [1.0])
    for kind in KINDS:
        for n, early in itertools.product((2, 3, 5), (True, "auto")):
            X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2
            model = kind(2, n_rounds=4, early_stopping=early, random_state=0).fit(X, y)
            assert np.isfinite(model.predict(X)).all()


def test_rows_held_out_may_be_of_one_class():
    X, y = classes(n=60)
    y = (np.arange(60) == 7).astype(int)
    for seed in range(4):
        model = NegativeCorrelationBoostingClassifier(
            2, n_rounds=5, early_stopping=True, random_state=seed
        ).fit(X, y)
        assert np.isfinite(model.history_["held_ensemble_loss"]).all()
        assert np.isfinite(model.predict_log_proba(X)).all()
