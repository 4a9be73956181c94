"""Boosted histogram trees against loops over scikit-learn's trees and slopes by differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.tree import DecisionTreeRegressor

from counterpoint.boosting import HistBoostClassifier, HistBoostRegressor
from counterpoint.boosting.losses import SquaredLoss
from counterpoint.boosting.newton import NewtonClassLoss, PoissonLoss, grouped_quantiles
from counterpoint.trees.growing.workspace import GrowWorkspace

PLAIN = {
    "min_samples_leaf": 1,
    "min_weight_leaf": 0.0,
    "l2_regularization": 0.0,
    "max_leaf_nodes": None,
    "max_depth": 3,
    "early_stopping": False,
    "n_estimators": 6,
    "learning_rate": 0.3,
    "subsample": 1.0,
    "max_features": 1.0,
}
# Set to 0, parts are asked about trees of one size only.
ONE_SIZE = "counterpoint.boosting.hist_boost._LARGER"


def classes(n_classes=2, n=160, seed=0):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=seed
    )
    return X, y


def newton_loop(X, y, n_classes, rounds, rate):
    """Scores for the training rows by scikit-learn's trees on slope over curvature."""
    share = np.bincount(y) / len(y)
    columns = [1] if n_classes == 2 else range(n_classes)
    scores = np.tile(
        [np.log(share[1] / share[0])] if n_classes == 2 else np.log(share), (len(y), 1)
    )
    for _ in range(rounds):
        p = expit(scores) if n_classes == 2 else softmax(scores, axis=1)
        factor = 1.0 if n_classes == 2 else n_classes / (n_classes - 1)
        h = factor * p * (1 - p)
        for k, c in enumerate(columns):
            tree = DecisionTreeRegressor(max_depth=3, random_state=0)
            tree.fit(X, ((y == c) - p[:, k]) / h[:, k], sample_weight=h[:, k])
            scores[:, k] += rate * tree.predict(X)
    return scores


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_penalty_it_is_newton_boosting_of_trees(n_classes):
    X, y = classes(n_classes)
    ours = HistBoostClassifier(**PLAIN).fit(X, y)
    # At the training rows: between equally good splits each has its own way to choose.
    scores = newton_loop(X, y, n_classes, 6, 0.3)
    wanted = expit(np.hstack([-scores, scores])) if n_classes == 2 else softmax(scores, axis=1)
    assert_allclose(ours.predict_proba(X), wanted, rtol=1e-6)
    *_, last = ours.staged_predict_proba(X)
    assert_allclose(last, ours.predict_proba(X), rtol=1e-12)


def test_absolute_error_is_boosting_with_medians_in_the_leaves():
    X, y = make_friedman1(150, 5, noise=1.0, random_state=0)
    ours = HistBoostRegressor(loss="absolute_error", **PLAIN).fit(X, y)
    scores = np.full(len(y), np.median(y))
    for _ in range(6):
        left = y - scores
        tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, np.sign(left) / 2)
        leaf = tree.apply(X)
        medians = {k: np.median(left[leaf == k]) for k in np.unique(leaf)}
        scores += 0.3 * np.array([medians[k] for k in leaf])
    assert_allclose(ours.predict(X), scores, rtol=1e-9)


@pytest.mark.parametrize(
    ("loss", "value"),
    [
        (NewtonClassLoss(2), lambda s, t: np.logaddexp(0, s) - t * s),
        (PoissonLoss(), lambda s, t: np.exp(s) - t * s),
        (SquaredLoss(), lambda s, t: (s - t) ** 2 / 2),
    ],
    ids=["classes", "poisson", "squared"],
)
def test_requests_are_slope_over_curvature(loss, value):
    rng = np.random.RandomState(0)
    scores, target = rng.normal(size=(20, 1)), rng.randint(2, size=(20, 1)).astype(float)
    curvature, aim = loss.request(target, scores)
    step = 1e-4
    low, mid, high = (value(scores + d, target) for d in (-step, 0.0, step))
    bend = (high - 2 * mid + low) / step**2
    curvature = np.ones_like(aim) if curvature is None else curvature
    assert_allclose(curvature, bend, rtol=1e-5)
    assert_allclose(aim * curvature, -(high - low) / (2 * step), rtol=1e-6, atol=1e-9)


def test_quantiles_of_groups_are_those_of_each_group():
    rng = np.random.RandomState(0)
    group, values = rng.randint(1, 5, size=60), rng.normal(size=60)
    found = grouped_quantiles(group, values, np.ones(60), 0.5, 6)
    for k in range(1, 5):
        assert found[k] == pytest.approx(np.median(values[group == k]))
    assert_array_equal(found[[0, 5]], 0.0)
    # A weight of 2 is the value twice.
    weight = rng.randint(1, 4, size=60)
    twice = np.repeat(np.arange(60), weight)
    for level in (0.1, 0.37, 0.9):
        assert_allclose(
            grouped_quantiles(group, values, weight.astype(float), level, 6),
            grouped_quantiles(group[twice], values[twice], np.ones(len(twice)), level, 6),
        )


@pytest.mark.parametrize("level", [0.1, 0.8])
def test_quantiles_cover_their_share(level):
    X, y = make_friedman1(3000, 5, noise=3.0, random_state=0)
    model = HistBoostRegressor(loss="quantile", quantile=level, max_leaf_nodes=6, random_state=0)
    share = np.mean(y[1500:] <= model.fit(X[:1500], y[:1500]).predict(X[1500:]))
    assert share == pytest.approx(level, abs=0.06)


def test_counts_are_predicted_by_their_mean():
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, size=(1500, 3))
    mean = np.exp(1 + X[:, 0])
    model = HistBoostRegressor(loss="poisson", n_estimators=60, max_leaf_nodes=4)
    found = model.fit(X, rng.poisson(mean)).predict(X)
    assert (found > 0).all()
    assert np.corrcoef(found, mean)[0, 1] > 0.95
    with pytest.raises(ValueError, match=r"poisson.*y goes from -1"):
        model.fit(X, -np.ones(1500))


def test_rows_and_columns_are_drawn_for_each_tree():
    X, y = classes(n=200)
    model = HistBoostClassifier(
        subsample=0.3,
        max_features=0.2,
        n_estimators=40,
        min_weight_leaf=0.0,
        early_stopping=False,
        random_state=0,
    ).fit(X, y)
    trees = [member.tree_ for member in model.estimators_]
    assert {tree.n_node_samples[0] for tree in trees} == {60}
    used = [set(tree.feature[~tree.is_leaf]) for tree in trees]
    assert all(len(columns) <= 1 for columns in used)
    assert len(set.union(*used)) == 5
    # What a tree says of rows it was not grown on counts as well.
    *_, last = model.staged_decision_function(X)
    assert_allclose(last, model.decision_function(X))


@pytest.mark.parametrize("calibrate", [True, False])
def test_it_ends_at_the_best_round_for_rows_held_out(calibrate):
    X, y = classes(n=400)
    y = np.where(np.random.RandomState(0).rand(400) < 0.3, 1 - y, y)
    options = {"learning_rate": 0.5, "validation_fraction": 0.4, "calibrate": calibrate}
    model = HistBoostClassifier(early_stopping=True, patience=7, random_state=0, **options)
    model.fit(X, y)
    column = "held_refinement" if calibrate else "held_log_loss"
    assert model.stop_reason_ == f"{column} did not improve for 7 rounds"
    losses = model.history_[column]
    assert len(model.estimators_) == len(losses) == losses.argmin() + 1 < 100
    # The trees that came after the best are not in any answer.
    short = HistBoostClassifier(
        early_stopping=True, n_estimators=len(losses), random_state=0, **options
    ).fit(X, y)
    assert_array_equal(short.predict_proba(X), model.predict_proba(X))


def test_with_few_rows_folds_find_the_rounds_and_all_rows_are_trained_on():
    X, y = classes(n=150)
    y = np.where(np.random.RandomState(0).rand(150) < 0.2, 1 - y, y)
    model = HistBoostClassifier(learning_rate=0.3, subsample=1.0, random_state=0).fit(X, y)
    rounds = len(model.estimators_)
    assert 1 <= rounds < 100
    assert model.estimators_[0].tree_.n_node_samples[0] == 150
    assert model.stop_reason_ == "complete"


def test_a_class_of_one_row_is_not_lost_to_the_rows_held_out():
    X, y = classes(n=300)
    y[7] = 2
    model = HistBoostClassifier(early_stopping=True, n_estimators=5, validation_fraction=0.9)
    for seed in range(5):
        proba = model.set_params(random_state=seed).fit(X, y).predict_proba(X)
        assert model.classes_.tolist() == [0, 1, 2]
        assert np.isfinite(proba).all()


def test_class_weights_are_sample_weights_and_whole_weights_are_copies():
    X, y = classes(n=120)
    times = np.where(y == 1, 3, 1)
    options = {**PLAIN, "min_weight_leaf": 2.0, "l2_regularization": 3.0}
    weighted = HistBoostClassifier(**options).fit(X, y, sample_weight=times)
    by_class = HistBoostClassifier(class_weight={0: 1, 1: 3}, **options).fit(X, y)
    copies = HistBoostClassifier(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_array_equal(weighted.predict_proba(X), by_class.predict_proba(X))
    assert_allclose(weighted.predict_proba(X), copies.predict_proba(X), rtol=1e-9)


def test_importances_are_shares_and_find_the_columns_that_matter():
    X, y = make_friedman1(400, 8, noise=0.5, random_state=0)
    model = HistBoostRegressor(n_estimators=40, max_leaf_nodes=6).fit(X, y)
    share = model.feature_importances_
    assert share.sum() == pytest.approx(1.0)
    assert set(np.argsort(share)[-5:]) == set(range(5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subsample": 0.0}, r"subsample=0\.0"),
        ({"subsample": "all"}, "subsample='all'.* 'auto'"),
        ({"max_features": 1.5}, r"max_features=1\.5"),
        ({"max_features": "sqrt"}, "max_features='sqrt'.* 'auto'"),
        ({"min_weight_leaf": -1.0}, r"min_weight_leaf=-1\.0"),
        ({"l2_regularization": -1}, "l2_regularization=-1"),
        ({"early_stopping": "yes"}, "early_stopping='yes'"),
        ({"validation_fraction": 1.0}, r"validation_fraction=1\.0"),
        ({"patience": 0}, "patience=0"),
        ({"learning_rate": "fast"}, "learning_rate='fast': give a number above 0, or 'auto'"),
        ({"early_stopping": True, "warm_start": True}, "Set one of them to False"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        HistBoostClassifier(**options).fit(*classes(n=60))


def test_rows_to_hold_out_are_needed():
    with pytest.raises(ValueError, match="X has 1: none is left to train on"):
        HistBoostRegressor(early_stopping=True).fit([[1.0]], [1.0])
    with pytest.raises(ValueError, match=r"validation_fraction=0\.99 of the rows, and X has 40"):
        HistBoostClassifier(early_stopping=True, validation_fraction=0.99).fit(*classes(n=40))


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("early", [True, "auto"])
def test_very_few_rows_are_enough(n, early):
    X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2
    options = {"early_stopping": early, "n_estimators": 4, "categorical_features": [0]}
    options["monotonic_cst"] = [0, 1]
    for kind in (HistBoostClassifier, HistBoostRegressor):
        model = kind(**options).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        assert 1 <= len(model.estimators_) <= 4


@pytest.mark.parametrize("early", [True, "auto"])
def test_rows_held_out_may_be_of_one_class(early):
    X, y = classes(n=60)
    y = (np.arange(60) == 7).astype(int)
    for seed in range(4):
        model = HistBoostClassifier(
            early_stopping=early, n_estimators=5, validation_fraction=0.1, random_state=seed
        ).fit(X, y)
        if early is True:
            assert np.isfinite(model.history_["held_log_loss"]).all()
        assert np.isfinite(model.predict_log_proba(X)).all()


@pytest.mark.parametrize("kind", [HistBoostClassifier, HistBoostRegressor])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"monotonic_cst": [0, 2, 0]}, "monotonic_cst has 2 for column 1"),
        ({"monotonic_cst": [0, 0.5, 0]}, r"monotonic_cst has 0\.5 for column 1"),
        ({"monotonic_cst": [0, np.nan, 0]}, "monotonic_cst has nan"),
        ({"monotonic_cst": [0, 1]}, "monotonic_cst has 2 values, and X 3 columns"),
        ({"monotonic_cst": [1, 0, 0]}, "column 0, which holds categories"),
        ({"categorical_features": [3]}, "categorical_features has 3, which is no column"),
        ({"categorical_features": [True]}, "mask of length 1, but X has 3 columns"),
        ({"categorical_features": [1]}, r"Column 1 of X is one of categories and holds 0\.5"),
        ({"categorical_features": [2]}, "Column 2 of X is one of categories and holds -1"),
    ],
)
def test_wrong_columns_are_named(kind, options, message):
    X = np.tile([[0.0, 0.5, -1.0], [1.0, 1.0, 255.0]], (20, 1))
    options = {"categorical_features": [0], "early_stopping": False, **options}
    with pytest.raises(ValueError, match=message):  # of the first row: none is held out
        kind(**options).fit(X, np.arange(40) % 2)
    X[:, 2] = 255.0
    with pytest.raises(ValueError, match="Column 2 of X is one of categories and holds 255"):
        kind(categorical_features=[2]).fit(X, np.arange(40) % 2)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_without_weight_is_never_the_answer(n_classes):
    X, y = classes(n_classes)
    weight = (y != n_classes - 1).astype(float)
    model = HistBoostClassifier(**PLAIN).fit(X, y, sample_weight=weight)
    proba = model.predict_proba(X)
    assert proba.shape == (len(y), n_classes)
    assert (proba[:, -1] < 1e-6).all()


@pytest.mark.parametrize(
    ("kind", "n", "leaves"),
    [
        (HistBoostClassifier, 100, 8),
        (HistBoostClassifier, 1000, 21),
        (HistBoostClassifier, 3000, 55),
        (HistBoostRegressor, 100, 8),
        (HistBoostRegressor, 3000, 14),
    ],
)
def test_leaves_follow_the_rows(kind, n, leaves):
    X, y = classes(n=n)
    model = kind(n_estimators=2, random_state=0).fit(X, y)
    assert (model.max_leaf_nodes_, model.learning_rate_) == (leaves, 0.1)
    same = kind(n_estimators=2, max_leaf_nodes=leaves, learning_rate=0.1, random_state=0).fit(X, y)
    assert_array_equal(same.predict(X), model.predict(X))
    assert same.get_params()["max_leaf_nodes"] == leaves
    assert max(tree.tree_.n_leaves for tree in model.estimators_) <= leaves


def test_the_sizes_of_large_tables():
    model = HistBoostClassifier()
    model.classes_ = np.arange(2)
    table = [model._sizes(n) for n in (10_000, 19_999, 20_000, 99_999, 100_000, 10**7)]
    assert [t["max_leaf_nodes"] for t in table] == [100, 141, 141, 255, 255, 255]
    assert [t["learning_rate"] for t in table] == [0.1, 0.1, 0.1, 0.1, 0.2, 0.2]
    assert [t["min_weight_leaf"] for t in table] == [0.1, 0.1, 3.0, 3.0, 3.0, 3.0]
    assert {(t["min_samples_leaf"], t["l2_regularization"]) for t in table} == {(1, 1.0)}
    for name in ("subsample", "max_features"):
        assert [t[name] for t in table] == [0.8, 0.8, 0.8, 0.8, 1.0, 1.0]
    drawn = {"min_weight_leaf": 0.1, "subsample": 0.8, "max_features": 0.8}
    large = {"max_leaf_nodes": 63, "learning_rate": 0.1} | drawn
    large |= {"min_samples_leaf": 1, "l2_regularization": 1.0}
    assert HistBoostRegressor()._sizes(10**7) == large


def test_the_sizes_for_several_classes():
    model = HistBoostClassifier()
    model.classes_ = np.arange(10)
    table = [model._sizes(n) for n in (100, 660, 1500, 4300, 10_000, 19_999, 25_000, 100_000)]
    assert [t["max_leaf_nodes"] for t in table] == [8, 11, 31, 33, 50, 71, 79, 158]
    assert [t["learning_rate"] for t in table] == [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.15, 0.2]
    assert [t["min_samples_leaf"] for t in table] == [1, 4, 10, 20, 20, 20, 20, 20]
    assert {t["l2_regularization"] for t in table} == {0.2}
    weights = [t["min_weight_leaf"] for t in table]
    assert_allclose(weights, [0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.6, 0.6])


def test_the_trees_of_a_round_share_its_rows(monkeypatch):
    taken, take = [], GrowWorkspace.take

    def noted(self, rows):
        taken.append(rows.copy())
        part = take(self, rows)
        assert_array_equal(part._words[0], self._words[0][:, rows])
        return part

    monkeypatch.setattr(GrowWorkspace, "take", noted)
    X, y = classes(3, n=300)
    HistBoostClassifier(n_estimators=4, early_stopping=False, random_state=0).fit(X, y)
    rounds = np.array(taken).reshape(4, 3, 240)
    assert_array_equal(rounds, np.repeat(rounds[:, :1], 3, axis=1))
    assert len(np.unique(rounds[:, 0], axis=0)) == 4


@pytest.mark.parametrize("n", [900, 1000])
def test_many_rows_are_not_drawn_from(monkeypatch, n):
    for limit in ("_ENOUGH", "_MANY"):
        monkeypatch.setattr(f"counterpoint.boosting.hist_boost.{limit}", 1000)
    X, y = classes(3, n=n)
    options = {"n_estimators": 3, "early_stopping": False, "random_state": 0}
    model = HistBoostClassifier(**options).fit(X, y)
    sizes = (2.0, 1.0, 1.0) if n == 1000 else (0.1 * 2.0 / 3, 0.8, 0.8)
    assert (model.min_weight_leaf_, model.subsample_, model.max_features_) == sizes
    given = dict(zip(("min_weight_leaf", "subsample", "max_features"), sizes, strict=True))
    same = HistBoostClassifier(**given, **options).fit(X, y)
    assert_array_equal(same.predict_proba(X), model.predict_proba(X))
    trees = [tree.tree_ for trees in model.estimators_ for tree in trees]
    rows = {int(tree.n_node_samples[0]) for tree in trees}
    assert rows == {1000 if n == 1000 else 720}


@pytest.mark.parametrize(
    ("n", "n_classes", "rate", "fits"),
    [
        (300, 2, "auto", 4),
        (600, 2, "auto", 3),
        (900, 2, 0.2, 3),
        (400, 3, 0.5, 2),
        (2000, 2, "auto", 1),
    ],
)
def test_few_rows_are_asked_thrice_or_once_when_to_stop(monkeypatch, n, n_classes, rate, fits):
    monkeypatch.setattr("counterpoint.boosting.in_time._QUICK", 1000)
    monkeypatch.setattr("counterpoint.boosting.in_time._NO_TIME", 500)
    monkeypatch.setattr(ONE_SIZE, 0)
    X, y = classes(n_classes, n=n)
    seen = []
    ask = HistBoostClassifier._best_round

    def counted(self, rule, learner, *given):
        kept, held, _ = given[-3:]
        assert sorted([*kept, *held]) == list(range(n))
        best = ask(self, rule, learner, *given)
        seen.append((best[0], rule.learning_rate))
        return best

    monkeypatch.setattr(HistBoostClassifier, "_best_round", counted)
    model = HistBoostClassifier(learning_rate=rate, random_state=0).fit(X, y)
    assert len(seen) == fits - 1
    rate = 0.1 if rate == "auto" else rate  # of 600 rows on halved when it is known for how long
    faster = max(1.0, 0.3 / rate)
    for _, part_rate in seen:
        assert part_rate == pytest.approx(faster * rate)
    if seen:
        best = np.prod([part[0] for part in seen]) ** (1 / len(seen))
        halved = rate / model.learning_rate_
        assert halved == (2 if n == 600 else 1)
        assert len(model.estimators_) == halved * min(1000, round(1.3 * faster * best))


@pytest.mark.parametrize(
    ("n", "n_classes", "options", "rate"),
    [
        (600, 2, {}, 0.05),
        (599, 2, {}, 0.1),
        (600, 3, {}, 0.1),
        (600, 2, {"n_estimators": 70}, 0.1),  # not enough of half the size
        (600, 2, {"learning_rate": 0.1}, 0.1),
        (600, 2, {"early_stopping": False, "n_estimators": 20}, 0.1),
        (600, 2, {"early_stopping": True}, 0.1),
    ],
)
def test_where_no_rows_are_held_out_steps_are_half_as_large(
    monkeypatch, n, n_classes, options, rate
):
    monkeypatch.setattr(
        HistBoostClassifier, "_best_round", lambda *given: (10, {"held_temperature": 1}, [0.0])
    )
    monkeypatch.setattr(ONE_SIZE, 0)
    monkeypatch.setattr("counterpoint.boosting.in_time._COARSE", 0)
    X, y = classes(n_classes, n=n)
    model = HistBoostClassifier(random_state=0, **options).fit(X, y)
    assert model.learning_rate_ == rate
    assert_array_equal(model.estimator_weights_, np.full(len(model.estimators_), rate))
    if "early_stopping" not in options:
        assert len(model.estimators_) == (78 if rate == 0.05 else 39)


@pytest.mark.parametrize("coarse", [0, 8])
def test_where_few_rounds_are_best_parts_are_asked_again_at_the_rate_itself(monkeypatch, coarse):
    X, y = classes(n=120)
    y = np.random.default_rng(0).permutation(y)  # nothing to be learnt
    seen = []
    ask = HistBoostClassifier._best_round

    def noted(self, rule, *given):
        best = ask(self, rule, *given)
        seen.append((best[0], rule.learning_rate, given[-4]))
        return best

    monkeypatch.setattr(HistBoostClassifier, "_best_round", noted)
    monkeypatch.setattr("counterpoint.boosting.in_time._COARSE", coarse)
    monkeypatch.setattr(ONE_SIZE, 0)
    model = HistBoostClassifier(random_state=0).fit(X, y)
    best, rates, patience = zip(*seen, strict=True)
    assert np.prod(best[:3]) < 8**3
    assert rates == pytest.approx([0.3] * 3 + [0.1] * (coarse and 3))
    assert patience == (5, 5, 5) + (10, 10, 10) * (coarse > 0)
    rounds = np.prod(best[-3:]) ** (1 / 3) * (1 if coarse else 3)
    assert len(model.estimators_) == round(1.3 * rounds)


@pytest.mark.parametrize("kind", [HistBoostClassifier, HistBoostRegressor])
def test_a_part_asks_a_booster_of_the_other_rows(monkeypatch, kind):
    """In columns of few values that all parts have the bins are the same."""
    X, y = classes(n=200)
    X = np.round(2 * X)
    options = {"l2_regularization": 0.0, "min_weight_leaf": 0.0, "max_leaf_nodes": 6}
    if kind is HistBoostClassifier:
        options["calibrate"] = False  # by the log-loss itself
    best_round = kind._best_round
    seen = []

    def noted(self, *given):
        kept, held, rng = given[-3:]
        draws = np.random.RandomState()
        draws.set_state(rng.get_state())
        best = best_round(self, *given)
        seen.append((kept, held, draws, best[0]))
        return best

    monkeypatch.setattr(kind, "_best_round", noted)
    monkeypatch.setattr("counterpoint.boosting.in_time._COARSE", 0)  # not once more
    monkeypatch.setattr(ONE_SIZE, 0)
    kind(random_state=0, **options).fit(X, y)
    assert len(seen) == 3
    for kept, held, draws, best in seen:
        booster = kind(
            n_estimators=60, learning_rate=0.3, early_stopping=False, random_state=draws, **options
        )
        history = booster.fit(X[kept], y[kept], eval_set=(X[held], y[held])).history_
        losses = history.get("eval_log_loss", history["eval_error"]).to_numpy()
        assert best == losses[: best + 4].argmin() + 1
        assert (losses[best : best + 5] >= losses[best - 1]).all()


def test_rows_held_out_are_asked_as_predict_would():
    X, y = classes(3, n=600)
    X[::7, 0] = np.nan
    model = HistBoostClassifier(n_estimators=15, early_stopping=False, random_state=0)
    history = model.fit(X, y, eval_set=(X, y)).history_
    staged = np.array([proba[np.arange(600), y] for proba in model.staged_predict_proba(X)])
    assert_allclose(history["eval_log_loss"], -np.log(staged).mean(axis=1), rtol=1e-10)


def test_a_rate_next_to_nothing_learns_next_to_nothing():
    X, y = load_iris(return_X_y=True)
    model = HistBoostClassifier(n_estimators=3, learning_rate=1e-320, random_state=0).fit(X, y)
    assert_allclose(model.predict_proba(X), 1 / 3)
