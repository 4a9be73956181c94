"""Overproduce and select for numbers, and what both have in common."""

import importlib.machinery
import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, make_classification, make_friedman1
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, TimeSeriesSplit, train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint.auto import (
    Candidate,
    OverproduceSelectClassifier,
    OverproduceSelectRegressor,
    default_number_pool,
)
from counterpoint.auto.choice import BestOfCombiner
from counterpoint.auto.metric import number_metric
from counterpoint.auto.plan import folds_plan


def few():
    return [
        ("ridge", Ridge(0.1)),
        ("tree", DecisionTreeRegressor(max_depth=4)),
        ("neighbours", KNeighborsRegressor(7)),
        ("constant", DummyRegressor()),
    ]


@pytest.fixture(scope="module")
def data():
    X, y = make_friedman1(700, noise=1.0, random_state=0)
    return train_test_split(X, y, test_size=400, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return OverproduceSelectRegressor(few(), random_state=0).fit(data[0], data[2])


def test_it_is_at_least_about_as_good_as_its_best_member(data, model):
    A, B, a, b = data
    alone = max(m.fit(A, a).score(B, b) for _, m in few())
    assert model.score(B, b) >= alone - 0.01
    assert abs(model.cv_score_ - model.score(B, b)) < 0.1
    assert model.cv_rmse_ == pytest.approx(np.sqrt(model.cv_loss_))


def test_the_board_tells_members_and_their_worth(data, model):
    board = model.leaderboard_
    assert set(board["member"]) == {name for name, _ in few()}
    assert board["weight"].sum() == pytest.approx(1)
    assert (board.loc[board["member"] == "constant", "weight"] == 0).all()
    seen = model.outputs_
    own = dict(zip(seen.names, np.sqrt(seen.errors), strict=True))
    for _, row in board.iterrows():
        assert row["rmse"] == pytest.approx(own[row["member"]])
    text = model.explain()
    assert "4 members were tried" in text
    assert "RMSE" in text
    assert model.member_outputs(data[1]).n_members == len(model.pool_)


@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_intervals_hold_the_truth_as_often_as_they_say(data, model, coverage):
    low, high = model.predict_interval(data[1], coverage=coverage)
    inside = ((low <= data[3]) & (data[3] <= high)).mean()
    assert abs(inside - coverage) < 0.08
    # Wider where members disagree.
    values, weight = model.member_predict(data[1]), model.estimator_weights_
    apart = np.sqrt(weight @ (values - weight @ values) ** 2)
    assert np.corrcoef(high - low, apart)[0, 1] == pytest.approx(1)
    np.testing.assert_allclose((low + high) / 2, model.predict(data[1]))


def test_an_interval_that_too_few_rows_can_back_is_infinite():
    X, y = np.arange(8.0)[:, None], np.arange(8.0)
    model = OverproduceSelectRegressor([("ridge", Ridge())], cv=2).fit(X, y)
    low, high = model.predict_interval(X, coverage=0.99)
    assert np.isinf(high - low).all()
    with pytest.raises(ValueError, match="coverage=1"):
        model.predict_interval(X, coverage=1.0)


def test_the_default_pool_of_numbers():
    small, large = default_number_pool(300, 5), default_number_pool(200_000, 5)
    families = {c.family for c in small}
    assert {"linear", "trees", "boosting", "kernel", "networks", "neighbours"} <= families
    assert "kernel" not in {c.family for c in large}
    assert {c.family for c in small[:3]} >= {"boosting", "linear"}
    X, y = load_diabetes(return_X_y=True)
    for candidate in default_number_pool(60, 10):
        if candidate.family != "networks":
            told = candidate.make(0).fit(X[:60], y[:60]).predict(X[:5])
            assert told.shape == (5,), candidate.name


def test_frames_gaps_and_weights(data):
    frame = pd.DataFrame(data[0], columns=[f"x{k}" for k in range(10)])
    frame["kind"] = np.where(frame["x3"] > 0.5, "high", "low")
    frame.loc[::9, "x0"] = np.nan
    weight = np.random.RandomState(0).uniform(0.5, 2, size=len(frame))
    pool = [few()[0], few()[1]]
    model = OverproduceSelectRegressor(pool, random_state=0).fit(frame, data[2], weight)
    assert model.score(frame, data[2]) > 0.6
    np.testing.assert_array_equal(model.outputs_.sample_weight, weight)


# -- both ----------------------------------------------------------------------------------------


def test_an_ensemble_no_better_than_a_simple_member_gives_way_to_it():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=300)
    pool = [
        Candidate(name="ridge", family="linear", make=lambda s: Ridge(0.01), simple=True),
        Candidate(name="stump", family="trees", make=lambda s: DecisionTreeRegressor(max_depth=1)),
        Candidate(name="noise", family="given", make=lambda s: KNeighborsRegressor(1)),
    ]
    # Of time nothing is said where there was enough of it.
    for limit in (1e6, None):
        with pytest.warns(
            UserWarning, match="^All members together are not better than ridge alone"
        ):
            model = OverproduceSelectRegressor(pool, time_limit=limit, random_state=0).fit(X, y)
    assert [name for name, _ in model.pool_] == ["ridge"]
    assert model.combiner_name_ == "best simple one"
    np.testing.assert_allclose(model.predict(X), Ridge(0.01).fit(X, y).predict(X))
    labels = rng.randint(2, size=300)
    pool = [
        Candidate(name="majority", family="simple", make=lambda s: DummyClassifier(), simple=True),
        Candidate(
            name="tree", family="trees", make=lambda s: DecisionTreeClassifier(random_state=s)
        ),
        Candidate(name="line", family="linear", make=lambda s: LogisticRegression()),
    ]
    with pytest.warns(UserWarning, match="not better than majority alone"):
        OverproduceSelectClassifier(pool, random_state=0).fit(X, labels)


def test_rows_of_a_group_are_not_learnt_from_and_asked_about():
    # Every group has a level of its own: whoever has seen it knows the answer.
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(40), 10)
    X = np.stack([groups + 0.01 * rng.normal(size=400), rng.normal(size=400)], axis=1)
    y = rng.normal(size=40)[groups] + 0.1 * rng.normal(size=400)
    pool = [("tree", DecisionTreeRegressor()), ("mean", DummyRegressor())]
    fooled = OverproduceSelectRegressor(pool, random_state=0).fit(X, y)
    honest = OverproduceSelectRegressor(pool, random_state=0).fit(X, y, groups=groups)
    assert fooled.cv_score_ > 0.9
    assert honest.cv_score_ < 0.2
    same = OverproduceSelectRegressor(pool, cv=GroupKFold(5), random_state=0)
    assert same.fit(X, y, groups=groups).cv_score_ < 0.2
    classes = (y > 0).astype(int)
    pool = [("tree", DecisionTreeClassifier()), ("prior", DummyClassifier())]
    model = OverproduceSelectClassifier(pool, random_state=0).fit(X, classes, groups=groups)
    assert model.cv_score_ < 0.8
    with pytest.raises(ValueError, match="one group only"):
        OverproduceSelectClassifier(pool).fit(X, classes, groups=np.zeros(400))


def test_a_splitter_in_time_asks_about_later_rows_only(data):
    model = OverproduceSelectRegressor(few(), cv=TimeSeriesSplit(4), random_state=0)
    model.fit(data[0], data[2])
    assert model.outputs_.n_samples == 240  # of 300: the first part is never asked about
    with pytest.raises(ValueError, match="more than once"):
        OverproduceSelectRegressor(few(), cv=[([0, 1], [2, 3]), ([0, 1], [3, 4])]).fit(
            data[0][:5], data[2][:5]
        )


def test_rare_classes_and_many_classes_are_kept():
    X, y = make_classification(400, 6, n_informative=4, random_state=0)
    y = y.astype(object)
    y[:] = np.where(y == 1, "yes", "no")
    y[7], y[11:13] = "once", "twice"
    pool = [("tree", DecisionTreeClassifier(max_depth=3)), ("line", LogisticRegression())]
    model = OverproduceSelectClassifier(pool, random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["no", "once", "twice", "yes"]
    assert model.predict_proba(X).shape == (400, 4)
    # Rare ones are no reason to learn from fewer rows: there are five parts all the same.
    codes = np.unique(y.astype(str), return_inverse=True)[1]
    plan = folds_plan(5, X, codes, None, np.random.RandomState(0), classes=True)
    assert [len(test) for _, test in plan.folds] == [80] * 5
    many = np.arange(400) % 100
    model = OverproduceSelectClassifier(pool, random_state=0).fit(X, many)
    assert len(model.classes_) == 100


def test_one_of_five_hundred_is_found_also_where_rows_are_held_out():
    rng = np.random.RandomState(0)
    y = (np.arange(6000) % 500 == 0).astype(int)
    X = rng.normal(size=(6000, 3)) + 4.0 * y[:, None]
    pool = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(min_samples_leaf=3))]
    plan = folds_plan(5, X, y, None, np.random.RandomState(0), classes=True)
    [(few_rows, _)] = plan.probe(100)  # to see what members cost: none may fail for want of a class
    assert len(few_rows) == 100
    assert y[few_rows].sum() >= 2
    assert set(few_rows) <= set(plan.folds[0][0])
    for limit in (None, 1e-9):  # folds, or the first member on few rows
        with warnings.catch_warnings(action="ignore"):
            model = OverproduceSelectClassifier(pool, time_limit=limit, random_state=0).fit(X, y)
        proba = model.predict_proba(X)
        assert model.classes_.tolist() == [0, 1]
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        assert proba[y == 1, 1].min() > np.quantile(proba[y == 0, 1], 0.99)


def test_names_of_the_default_pool_and_what_is_installed_can_be_asked_for(monkeypatch):
    fake = types.ModuleType("lightgbm")

    class LGBMRegressor(DecisionTreeRegressor):
        def __init__(self, n_estimators=1, learning_rate=1, verbose=0, n_jobs=1, random_state=None):
            super().__init__(random_state=random_state)
            self.n_estimators, self.learning_rate = n_estimators, learning_rate
            self.verbose, self.n_jobs = verbose, n_jobs

    fake.LGBMRegressor = LGBMRegressor
    fake.__spec__ = importlib.machinery.ModuleSpec("lightgbm", None)
    monkeypatch.setitem(sys.modules, "lightgbm", fake)
    X, y = load_diabetes(return_X_y=True)
    names = ["ridge regression", "LightGBM", "small tree"]
    with warnings.catch_warnings(action="ignore"):  # it may be no better than ridge regression
        model = OverproduceSelectRegressor([*names, ("mine", Ridge())], random_state=0).fit(X, y)
    assert set(model.leaderboard_["member"]) == {*names, "mine"}
    plus = OverproduceSelectRegressor("default+")
    plus._groups = None
    listed = [c.name for c in plus._candidates(X)]
    assert "LightGBM" in listed[:6]
    assert listed[0] == "boosted trees"
    with pytest.raises(ValueError, match=r"ridge regresion.*choose 'boosted trees'"):
        OverproduceSelectRegressor(["ridge regresion"]).fit(X, y)
    with pytest.raises(ValueError, match=r"pool='default\+\+'"):
        OverproduceSelectRegressor("default++").fit(X, y)


def test_class_weights_are_weights_of_samples():
    X, y = make_classification(200, 5, weights=[0.8], random_state=0)
    y = np.where(y == 1, "rare", "common")
    pool = [("tree", DecisionTreeClassifier(max_depth=3)), ("line", LogisticRegression())]
    weight = np.where(y == "rare", 4.0, 1.0)
    one = OverproduceSelectClassifier(pool, class_weight={"rare": 4.0}, random_state=0).fit(X, y)
    two = OverproduceSelectClassifier(pool, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    even = OverproduceSelectClassifier(pool, class_weight="balanced", random_state=0).fit(X, y)
    assert (even.predict(X) == "rare").sum() > (y == "rare").sum()
    with pytest.raises(ValueError, match="class_weight names 'rar'"):
        OverproduceSelectClassifier(pool, class_weight={"rar": 1}).fit(X, y)


def heavy_tails(n):
    """Targets of which a few are far from all others, on either side."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    far = np.where(rng.random(n) < 0.03, 400.0 * rng.choice([-1, 1], size=n), 0.0)
    return X, 2 * np.abs(X[:, 0]) + X[:, 1] + rng.normal(scale=0.3, size=n) + far


def test_where_targets_are_far_off_a_median_is_learnt_and_not_a_mean():
    X, y = heavy_tails(1200)
    A, B, a, b = train_test_split(X, y, test_size=400, random_state=0)
    names = ["boosted trees", "ridge regression", "mean"]
    model = OverproduceSelectRegressor([*names, "boosted trees, median"], metric="mae")
    with pytest.warns(UserWarning, match="not better than boosted trees, median alone, which"):
        model.set_params(random_state=0).fit(A, a)
    means = OverproduceSelectRegressor(names, metric="mae", random_state=0)
    with pytest.warns(UserWarning, match="not better than mean alone"):
        means.fit(A, a)
    off = np.abs(model.predict(B) - b).mean()
    assert off < np.abs(means.predict(B) - b).mean() - 0.2
    assert f"absolute error {model.cv_loss_:.4g}" in model.explain()
    # By squared error the median is no better than the mean, and not what is to be judged by.
    simple = BestOfCombiner([0, 2, 3], number_metric("mae")).fit(model.outputs_)
    assert simple.estimator_weights_.tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(("metric", "name"), [("mae", "median"), (("quantile", 0.9), "quantile")])
def test_boosted_trees_of_the_metric_s_own_loss_are_among_the_first(metric, name):
    model = OverproduceSelectRegressor(metric=metric)
    first = [c.name for c in model._candidates(np.zeros((200, 3)))[:6]]
    assert f"boosted trees, {name}" in first
    plain = OverproduceSelectRegressor()._candidates(np.zeros((200, 3)))
    assert not [c for c in plain if c.name.endswith(name)]
