"""Few rows: parts held out say whether larger trees are better than those of the rule."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from counterpoint.boosting import (
    HistBoostClassifier,
    HistBoostRegressor,
    NegativeCorrelationBoostingClassifier,
)
from counterpoint.boosting.calibration import HOLD, gain_and_noise

AUTO = {"max_leaf_nodes": "auto", "random_state": 0}


def counted(n=400):
    """Return five columns of two values, and whether just two of them are 0."""
    X = np.random.default_rng(0).integers(2, size=(n, 5)).astype(float)
    return X, ((X == 0).sum(axis=1) == 2).astype(int)


def summed(n=400):
    """Return columns that act one by one, and labels with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize(("data", "leaves"), [(counted, 31), (summed, 8)])
@pytest.mark.parametrize("calibrate", [True, False])
def test_it_is_the_booster_of_the_better_size(data, leaves, calibrate):
    X, y = data()
    model = HistBoostClassifier(calibrate=calibrate, **AUTO).fit(X, y)
    assert model.max_leaf_nodes_ == leaves
    given = AUTO | {"max_leaf_nodes": leaves}
    same = HistBoostClassifier(calibrate=calibrate, **given).fit(X, y)
    assert_array_equal(same.predict_proba(X), model.predict_proba(X))
    assert same.history_.equals(model.history_)


def test_boosters_grown_together_are_asked_alike():
    X, y = counted()
    given = AUTO | {"n_rounds": 60}
    model = NegativeCorrelationBoostingClassifier(2, **given).fit(X, y)
    assert [member.max_leaf_nodes_ for member in model.estimators_] == [31, 31]
    given["max_leaf_nodes"] = 31
    same = NegativeCorrelationBoostingClassifier(2, **given).fit(X, y)
    assert_array_equal(same.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("calibrate", [True, False])
@pytest.mark.parametrize("data", [counted, summed])
def test_larger_trees_must_be_better_beyond_noise_on_the_same_rows(
    monkeypatch, data, calibrate, weighted
):
    X, y = data(150)
    weight = 1.0 + np.arange(150) % 3 if weighted else np.ones(150)
    seen, ask = [], HistBoostClassifier._best_round

    def noted(self, *given):
        found = ask(self, *given)
        seen.append((self.max_leaf_nodes_, given[-2], *found[1:]))
        return found

    monkeypatch.setattr(HistBoostClassifier, "_best_round", noted)
    monkeypatch.setattr("counterpoint.boosting.in_time._COARSE", 0)
    model = HistBoostClassifier(calibrate=calibrate, **AUTO).fit(X, y, sample_weight=weight)
    sizes, rows, notes, losses = zip(*seen, strict=True)
    assert sizes == (8, 8, 8, 31, 31, 31)
    assert_array_equal(np.concatenate(rows[:3]), np.concatenate(rows[3:]))
    for held, row, loss in zip(rows, notes, losses, strict=True):
        cases = weight[held]
        if calibrate:
            pull = HOLD * np.log(row["held_temperature"]) ** 2 / cases.sum()
            wanted = row["held_refinement"] - pull
            assert np.average(loss, weights=cases) == pytest.approx(wanted, abs=1e-5)
        else:
            assert loss.mean() == pytest.approx(row["held_log_loss"])
    less = np.concatenate(losses[:3]) - np.concatenate(losses[3:])
    once = np.repeat(less, weight[np.concatenate(rows[:3])].astype(int))
    better = once.mean() > once.std() / np.sqrt(len(once))
    assert model.max_leaf_nodes_ == (31 if better else 8)


def test_a_gain_and_its_standard_error_count_cases():
    less, cases = np.array([1.0, -2.0, 4.0]), np.array([1.0, 2.0, 3.0])
    once = np.repeat(less, cases.astype(int))
    assert gain_and_noise(less, cases) == pytest.approx((once.mean(), once.std() / 6**0.5))


@pytest.mark.parametrize(
    ("kind", "n", "options", "leaves"),
    [
        (HistBoostClassifier, 815, {}, 16),  # not half as large
        (HistBoostClassifier, 400, {"max_leaf_nodes": 10}, 10),
        (HistBoostClassifier, 400, {"early_stopping": False, "n_estimators": 9}, 8),
        (HistBoostClassifier, 400, {"early_stopping": True}, 8),
        (HistBoostClassifier, 400, {"warm_start": True, "n_estimators": 9}, 8),
        (HistBoostRegressor, 400, {}, 8),
    ],
)
def test_where_no_larger_trees_are_tried(monkeypatch, kind, n, options, leaves):
    X, y = counted(n)
    monkeypatch.setattr(kind, "_set_leaves", None)
    assert kind(random_state=0, **options).fit(X, y).max_leaf_nodes_ == leaves


@pytest.mark.parametrize(("n", "leaves"), [(333, 31), (334, 8)])
def test_several_classes_have_larger_trees_where_three_parts_are_asked(n, leaves):
    X, _ = counted(n)
    y = (X == 0).sum(axis=1) % 3  # three trees a round: two parts where rows are 1002
    assert HistBoostClassifier(**AUTO).fit(X, y).max_leaf_nodes_ == leaves
