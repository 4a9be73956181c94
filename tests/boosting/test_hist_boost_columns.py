"""Boosted histogram trees on columns of categories, and with answers that rise or fall."""

import pickle

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingRegressor

from counterpoint.boosting import (
    AdaBoostNCClassifier,
    HistBoostClassifier,
    HistBoostRegressor,
    in_time,
)
from counterpoint.boosting.loop import boost


def mixed(n=600, seed=0):
    """Ten categories in no order of their effect, a number with a bump, and one that is noise."""
    rng = np.random.RandomState(seed)
    effect = rng.permutation(10) - 4.5
    name = rng.randint(10, size=n)
    X = pd.DataFrame(
        {
            "name": np.array([f"v{k}" for k in range(10)])[name],
            "bump": rng.uniform(-3, 3, size=n),
            "noise": rng.normal(size=n),
        }
    )
    return X, effect[name] + X["bump"] + np.sin(3 * X["bump"]) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("early", [False, True])
def test_names_of_categories_are_split_as_sets(early):
    X, y = mixed()
    options = {"n_estimators": 40, "max_leaf_nodes": 8, "early_stopping": early, "random_state": 0}
    model = HistBoostRegressor(categorical_features="from_dtype", **options)
    model.fit(X[:400], y[:400], eval_set=(X[400:], y[400:]))
    assert model.categories_ == [[f"v{k}" for k in range(10)], None, None]
    assert any(member.tree_.on_categories.any() for member in model.estimators_)
    codes = X.assign(name=X["name"].str[1:].astype(float))
    as_numbers = HistBoostRegressor(**options).fit(codes[:400], y[:400])
    assert model.score(X[400:], y[400:]) > as_numbers.score(codes[400:], y[400:])
    by_hand = HistBoostRegressor(categorical_features=[0], **options).fit(codes[:400], y[:400])
    assert_array_equal(by_hand.predict(codes), model.predict(X))
    *_, last = model.staged_predict(X)
    assert_allclose(last, model.predict(X))
    error = np.mean((y[400:] - model.predict(X[400:])) ** 2)
    assert model.history_["eval_error"].iloc[-1] == pytest.approx(error)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    strange, gap = X[:9].assign(name="new"), X[:9].assign(name=None)
    assert_array_equal(model.predict(strange), model.predict(gap))


def test_names_in_a_frame_are_told_of_the_option_and_dates_are_not():
    X, y = mixed(n=30)
    with pytest.raises(ValueError, match=r"'v[0-9]'.* Set categorical_features='from_dtype'"):
        HistBoostRegressor().fit(X, y)
    days = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=30)})
    with pytest.raises(ValueError, match="'day' holds dates or times"):
        HistBoostRegressor().fit(days, y)
    with pytest.raises(ValueError, match=r"takes numbers\. Put an encoder before it"):
        AdaBoostNCClassifier().fit(X, y > 0)


@pytest.mark.parametrize("subsample", [1.0, 0.6])
@pytest.mark.parametrize("kind", [HistBoostRegressor, HistBoostClassifier])
def test_the_loss_that_stops_is_that_of_the_rows_held_out(monkeypatch, kind, subsample):
    X, y = mixed()
    X.loc[::11, "name"] = None
    y = y.to_numpy() if kind is HistBoostRegressor else np.digitize(y, [-2.0, 2.0])
    held_out = []
    hold_out = kind._hold_out

    def noted(self, X, y, weight, kept, held):
        held_out.append(held)
        return hold_out(self, X, y, weight, kept, held)

    monkeypatch.setattr(kind, "_hold_out", noted)
    model = kind(
        n_estimators=60, max_leaf_nodes=8, learning_rate=0.3, patience=5, subsample=subsample,
        categorical_features="from_dtype", early_stopping=True, random_state=0,
    ).fit(X, y)  # fmt: skip
    (held,) = held_out
    trees = np.ravel(model.estimators_).tolist()
    assert any(member.tree_.on_categories.any() for member in trees)
    if kind is HistBoostRegressor:
        losses = [np.mean((y[held] - said) ** 2) for said in model.staged_predict(X.iloc[held])]
        told = model.history_["held_error"]
        last = np.mean((y[held] - model.predict(X.iloc[held])) ** 2)
    else:
        own = np.arange(len(held)), y[held]
        staged = model.staged_predict_proba(X.iloc[held])
        losses = [-np.log(proba[own]).mean() for proba in staged]
        told = model.history_["held_log_loss"]
        last = -model.predict_log_proba(X.iloc[held])[own].mean()
    assert_allclose(told, losses, rtol=1e-10)
    assert told.iloc[-1] == pytest.approx(last, rel=1e-10) == told.min()
    assert last < 0.5 * losses[0]


def test_parts_have_the_sizes_and_the_numbers_of_all_rows(monkeypatch):
    X, y = mixed()
    seen = []

    def noted(rule, *args, **options):
        result = boost(rule, *args, **options)
        seen.append((rule.learning_rate, result.models))
        return result

    monkeypatch.setattr(in_time, "boost", noted)
    model = HistBoostRegressor(categorical_features="from_dtype", random_state=0).fit(X, y)
    assert len(seen) == 3
    for rate, members in seen:
        assert rate == pytest.approx(3 * model.learning_rate_)
        for member in members:
            assert_array_equal(member.is_categorical_, [True, False, False])
            assert member.tree_.n_leaves <= model.max_leaf_nodes_
        assert any(member.tree_.on_categories.any() for member in members)


def test_classes_by_categories_and_going_on():
    X, y = mixed()
    options = {"categorical_features": ["name"], "max_leaf_nodes": 6, "early_stopping": False}
    options |= {"subsample": 1.0, "max_features": 1.0}
    whole = HistBoostClassifier(n_estimators=12, **options).fit(X, y > 0)
    model = HistBoostClassifier(n_estimators=5, warm_start=True, **options).fit(X, y > 0)
    model.set_params(n_estimators=12).fit(X, y > 0)
    assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    assert whole.score(X, y > 0) > 0.9
    assert whole.feature_importances_.argmin() == 2


@pytest.mark.parametrize(
    ("loss", "sign"),
    [("squared_error", 1), ("absolute_error", 1), ("quantile", -1), ("poisson", 1)],
)
@pytest.mark.parametrize("subsample", [1.0, 0.5])
def test_predictions_rise_and_fall_as_asked(loss, sign, subsample):
    X, y = mixed()
    y = np.maximum(sign * y + 10, 0)
    model = HistBoostRegressor(
        loss=loss, n_estimators=30, max_leaf_nodes=12, categorical_features="from_dtype",
        monotonic_cst={"bump": sign}, subsample=subsample, random_state=0,
    ).fit(X, y)  # fmt: skip
    grid = pd.DataFrame({"name": "v3", "bump": np.linspace(-3, 3, 100), "noise": 0.1})
    assert (np.diff(sign * model.predict(grid)) >= 0).all()
    assert model.score(X, y) > 0.8


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 80),
    loss=st.sampled_from(["squared_error", "absolute_error", "quantile", "poisson", "classes"]),
    penalty=st.sampled_from([0.0, 1.0]),
    share=st.sampled_from([1.0, 0.5]),
)
def test_answers_rise_and_fall_for_any_data(seed, n, loss, penalty, share):
    """Columns 0 and 1 rise and fall; 2 is free and 3 holds categories; there are gaps and ties."""
    rng = np.random.RandomState(seed)
    X = rng.randint(8, size=(n, 4)).astype(float)
    y = rng.poisson(np.exp(np.sin(X[:, 0]) + 0.3 * X[:, 1] - 1)).astype(float)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    options = {"n_estimators": 8, "early_stopping": False, "min_weight_leaf": 0.0}
    options |= {"l2_regularization": penalty, "subsample": share, "random_state": seed}
    options |= {"categorical_features": [3], "monotonic_cst": [1, -1, 0, 0]}
    if loss == "classes":
        y = np.append(y[2:] > np.median(y), [False, True])
        model = HistBoostClassifier(**options).fit(X, y)
    else:
        y[0] += 1  # of counts not all are 0
        model = HistBoostRegressor(loss=loss, quantile=0.3, **options).fit(X, y)
    answer = model.decision_function if loss == "classes" else model.predict
    for f, sign in ((0, 1), (1, -1)):
        asked = np.repeat(X, 11, axis=0)
        asked[:, f] = np.tile(np.linspace(-1.0, 9.0, 11), n)
        found = sign * answer(asked).reshape(n, 11)
        assert (np.diff(found, axis=1) >= -1e-12 * np.abs(found).max()).all()


def test_monotone_predictions_are_as_good_as_those_of_scikit_learn():
    rng = np.random.RandomState(0)
    X = rng.uniform(-2, 2, size=(1500, 3))
    clean = X[:, 0] ** 3 - 2 * X[:, 1] + np.sin(3 * X[:, 2])
    y = clean + rng.normal(size=1500) * 2
    fit, test = slice(0, 1000), slice(1000, None)
    common = {"max_leaf_nodes": 15, "early_stopping": False, "monotonic_cst": [1, -1, 0]}
    whole = {"subsample": 1.0, "max_features": 1.0}
    ours = HistBoostRegressor(n_estimators=60, **common, **whole).fit(X[fit], y[fit])
    theirs = HistGradientBoostingRegressor(max_iter=60, **common).fit(X[fit], y[fit])
    errors = [np.mean((m.predict(X[test]) - clean[test]) ** 2) for m in (ours, theirs)]
    assert errors[0] == pytest.approx(errors[1], rel=0.25)
    for f, sign in ((0, 1), (1, -1)):
        asked = np.repeat(X[:10], 60, axis=0)
        asked[:, f] = np.tile(np.linspace(-2, 2, 60), 10)
        assert (np.diff(sign * ours.predict(asked).reshape(10, 60), axis=1) >= 0).all()


def test_probabilities_rise_for_two_classes_and_only_for_two():
    shape = {"n_features": 5, "n_informative": 4, "n_redundant": 0, "random_state": 0}
    X, y = make_classification(200, **shape)
    model = HistBoostClassifier(
        monotonic_cst=[1, 0, 0, 0, 0], n_estimators=20, early_stopping=False, random_state=0
    ).fit(X, y)
    asked = np.tile(X[0], (50, 1))
    asked[:, 0] = np.linspace(-3, 3, 50)
    assert (np.diff(model.predict_proba(asked)[:, 1]) >= 0).all()
    with pytest.raises(ValueError, match="monotonic_cst is given, and y holds 3 classes"):
        model.fit(*make_classification(160, n_classes=3, **shape))
    with pytest.raises(ValueError, match="column 0, which holds categories"):
        HistBoostClassifier(monotonic_cst=[1], categorical_features=[0]).fit(
            [[0], [1]] * 9, [0, 1] * 9
        )


def test_threads_do_not_show_in_categories(monkeypatch):
    monkeypatch.setattr("counterpoint.trees.growing.workspace._MIN_PARALLEL", 0)
    X, y = mixed(n=6000)
    model = HistBoostRegressor(
        categorical_features="from_dtype",
        monotonic_cst={"bump": 1},
        n_estimators=5,
        random_state=0,
    )
    threads = numba.get_num_threads()
    told = []
    for n in (1, threads):
        numba.set_num_threads(n)
        told.append(model.fit(pd.concat([X] * 3), pd.concat([y] * 3)).predict(X))
    numba.set_num_threads(threads)
    assert_array_equal(*told)
