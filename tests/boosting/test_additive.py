import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import additive as naive
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint import MemberOutputs, member_predictions
from counterpoint.boosting import (
    HistBoostRegressor,
    L2BoostClassifier,
    L2BoostRegressor,
    LogitBoostClassifier,
)
from counterpoint.boosting.losses import SquaredClassLoss
from counterpoint.boosting.stopping import DiversityStopping, ErrorStopping
from counterpoint.exceptions import DivergenceError, MemberError
from counterpoint.trees import HistTreeRegressor

CLASSIFIERS = [LogitBoostClassifier, L2BoostClassifier]
ALL = [*CLASSIFIERS, L2BoostRegressor]


def classes(n_classes=3, n=160, seed=0, noise=0.15):
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=noise, random_state=seed
    )


def numbers(n=200, seed=0):
    return make_friedman1(n, 6, noise=1.0, random_state=seed)


def data_for(kind, **kwargs):
    return numbers(**kwargs) if kind is L2BoostRegressor else classes(**kwargs)


def stump():
    return DecisionTreeRegressor(max_depth=1)


def seeded(model, seed=0):
    """Make models one after the other with the seeds that ours get: they settle ties."""
    rng = np.random.RandomState(seed)

    def make():
        made = clone(model)
        if "random_state" in made.get_params():
            made.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        return made

    return make


# -- LogitBoost ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("z_max", [2.0, 4.0])
def test_logitboost_of_two_classes_matches_naive(rate, z_max):
    X, y = classes(2)
    boosted = LogitBoostClassifier(
        stump(), n_estimators=25, learning_rate=rate, z_max=z_max, random_state=0
    ).fit(X[::2], y[::2])
    expected = naive.logitboost_two(X[::2], y[::2], X, 25, seeded(stump()), z_max=z_max, rate=rate)
    np.testing.assert_allclose(boosted.decision_function(X), expected, atol=1e-9)
    assert len(boosted.estimators_) == 25
    assert not any(isinstance(member, list) for member in boosted.estimators_)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_logitboost_of_many_classes_matches_naive(n_classes):
    X, y = classes(n_classes, n=400)
    boosted = LogitBoostClassifier(stump(), n_estimators=10, random_state=0).fit(X[::2], y[::2])
    expected = naive.logitboost_many(X[::2], y[::2], X, n_classes, 10, seeded(stump()))
    np.testing.assert_allclose(boosted.decision_function(X), expected, atol=1e-9)
    np.testing.assert_allclose(boosted.decision_function(X).sum(axis=1), 0.0, atol=1e-9)
    assert [len(members) for members in boosted.estimators_] == [n_classes] * 10


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logitboost_probabilities_are_those_of_the_model(n_classes):
    X, y = classes(n_classes)
    boosted = LogitBoostClassifier(n_estimators=15, calibrate=False).fit(X, y)
    scores = boosted.decision_function(X)
    if n_classes == 2:
        scores = np.stack([-scores, scores], axis=1)  # p = exp(F) / (exp(F) + exp(-F))
    powers = np.exp(scores)
    proba = boosted.predict_proba(X)
    np.testing.assert_allclose(proba, powers / powers.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(boosted.predict_log_proba(X), np.log(proba))
    last = boosted.history_.iloc[-1]
    assert last["train_log_loss"] == pytest.approx(log_loss(y, proba))
    assert last["train_error"] == pytest.approx(1 - boosted.score(X, y))


def test_logitboost_is_near_gradient_boosting():
    """A peer: same model, other steps; errors on 2000 new samples within noise."""
    gaps = []
    for seed in range(6):
        X, y = classes(2, n=2400, seed=seed)
        ours = LogitBoostClassifier(n_estimators=60, learning_rate=0.5).fit(X[:400], y[:400])
        peer = GradientBoostingClassifier(
            n_estimators=60, learning_rate=0.5, max_depth=1, random_state=0
        ).fit(X[:400], y[:400])
        gaps.append(ours.score(X[400:], y[400:]) - peer.score(X[400:], y[400:]))
    spread = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    assert abs(np.mean(gaps)) < 0.005 + 3 * spread
    assert np.max(np.abs(gaps)) < 0.03


def test_separable_classes_stay_finite():
    X, y = np.arange(20.0)[:, None], np.arange(20) // 7
    boosted = LogitBoostClassifier(HistTreeRegressor(), n_estimators=300).fit(X, y)
    assert np.isfinite(boosted.decision_function(X)).all()
    assert np.isfinite(boosted.predict_log_proba(X)).all()
    np.testing.assert_array_equal(boosted.predict(X), y)
    assert boosted.history_["train_log_loss"].iloc[-1] < 1e-12


def test_logitboost_on_lines_is_a_logistic_regression():
    """With an exact least-squares learner, Newton steps end where the gradient is zero."""
    X, y = classes(2, noise=0.4)
    boosted = LogitBoostClassifier(
        LinearRegression(), n_estimators=60, z_max=1e6, calibrate=False
    ).fit(X, y)
    left = y - boosted.predict_proba(X)[:, 1]
    np.testing.assert_allclose(left @ X, 0.0, atol=1e-8)
    assert left.sum() == pytest.approx(0.0, abs=1e-8)


# -- L2Boost -------------------------------------------------------------------------------------


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("base", [stump(), Ridge(50.0), KNeighborsRegressor(7)])
def test_l2boost_matches_naive(base, line_search):
    X, y = numbers()
    boosted = L2BoostRegressor(base, n_estimators=20, line_search=line_search, random_state=0)
    boosted.fit(X[::2], y[::2])  # without a warning: equal weights need no sample_weight
    expected = naive.l2boost(X[::2], y[::2], X, 20, seeded(base), line_search=line_search)
    np.testing.assert_allclose(boosted.predict(X), expected, rtol=1e-9)


def test_l2boost_is_gradient_boosting_of_squares():
    X, y = numbers(300)
    ours = L2BoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=40, random_state=0)
    peer = GradientBoostingRegressor(
        loss="squared_error", n_estimators=40, max_depth=2, learning_rate=0.1, random_state=0
    )
    if peer.criterion != "deprecated":  # gone from newer versions, where it is always this
        peer.set_params(criterion="squared_error")
    np.testing.assert_allclose(
        ours.fit(X, y).predict(X + 0.01), peer.fit(X, y).predict(X + 0.01), rtol=1e-9
    )
    for a, b in zip(ours.staged_predict(X), peer.staged_predict(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_l2boost_with_binned_trees_is_the_same():
    X, y = numbers()
    ours = L2BoostRegressor(HistTreeRegressor(max_depth=2), n_estimators=30).fit(X, y)
    other = L2BoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=30, random_state=0)
    np.testing.assert_allclose(ours.predict(X), other.fit(X, y).predict(X), rtol=1e-8)


def test_line_search_lowers_the_error_most():
    X, y = numbers()
    base = KNeighborsRegressor(25)
    boosted = L2BoostRegressor(base, n_estimators=3, learning_rate=1.0, line_search=True).fit(X, y)
    before = np.full(len(y), y.mean())
    for member, step in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        values = member.predict(X)
        best = np.mean((y - before - step * values) ** 2)
        for other in (step - 0.05, step + 0.05):
            assert np.mean((y - before - other * values) ** 2) > best
        before = before + step * values
    # Means in leaves are best already.
    trees = L2BoostRegressor(n_estimators=5, line_search=True).fit(X, y)
    np.testing.assert_allclose(trees.estimator_weights_, 0.1)


def test_two_classes_are_a_regression_on_signs():
    X, y = classes(2)
    boosted = L2BoostClassifier(n_estimators=20, calibrate=False).fit(X, y)
    signs = L2BoostRegressor(n_estimators=20).fit(X, 2.0 * y - 1.0).predict(X)
    np.testing.assert_allclose(boosted.decision_function(X), signs, atol=1e-12)
    np.testing.assert_array_equal(boosted.predict(X), (signs > 0).astype(int))
    np.testing.assert_allclose(boosted.predict_proba(X)[:, 1], np.clip((signs + 1) / 2, 0, 1))


def test_many_classes_are_each_against_the_rest():
    X, y = classes(4)
    boosted = L2BoostClassifier(n_estimators=15).fit(X, y)
    each = np.stack(
        [
            L2BoostRegressor(n_estimators=15).fit(X, np.where(y == k, 1, -1)).predict(X)
            for k in range(4)
        ],
        axis=1,
    )
    np.testing.assert_allclose(boosted.decision_function(X), each, atol=1e-12)
    np.testing.assert_allclose(boosted.start_.sum(), 2 - 4)
    last = boosted.history_.iloc[-1]
    codes = np.where(y[:, None] == np.arange(4), 1.0, -1.0)
    assert last["train_squared_error"] == pytest.approx(np.mean((codes - each) ** 2))


@settings(max_examples=30)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=6))
def test_probabilities_are_the_nearest_ones(values):
    loss = SquaredClassLoss(len(values))
    proba = loss.proba(2.0 * np.array([values]) - 1.0)[0]
    np.testing.assert_allclose(proba, naive.project(values), atol=1e-9)
    assert proba.sum() == pytest.approx(1.0)
    assert proba[int(np.argmax(values))] == proba.max()


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("n_classes", [1, 3])
def test_trees_that_number_names_are_asked_alike(n_classes, resample):
    """Of rows drawn for each tree some lack names, and the others have other numbers there."""
    rng = np.random.RandomState(0)
    name = rng.randint(60, size=400)
    X = pd.DataFrame({"name": [f"v{k:02d}" for k in name], "number": rng.normal(size=400)})
    y = 3 * rng.normal(size=60)[name] + X["number"]
    y = y if n_classes == 1 else np.digitize(y, [-1.0, 1.0])
    base = HistTreeRegressor(max_depth=3, categorical_features="from_dtype")
    kind = L2BoostRegressor if n_classes == 1 else L2BoostClassifier
    model = kind(base, n_estimators=8, resample=resample, random_state=0)
    history = model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:])).history_
    said, asked = list(model.staged_predict(X[300:])), np.asarray(y[300:])
    np.testing.assert_allclose(model.predict(X[300:]), said[-1])
    errors = [np.mean((s - asked) ** 2 if n_classes == 1 else s != asked) for s in said]
    np.testing.assert_allclose(history["eval_error"], errors)


def test_steps_of_rate_one_on_full_trees_end_at_once():
    X, y = numbers()
    boosted = L2BoostRegressor(HistTreeRegressor(), n_estimators=3, learning_rate=1.0).fit(X, y)
    np.testing.assert_allclose(boosted.predict(X), y)
    np.testing.assert_allclose(boosted.history_["train_error"], 0.0, atol=1e-12)
    # Nothing is left to correct: line search has no step to choose, and takes none.
    done = L2BoostRegressor(DecisionTreeRegressor(), n_estimators=3, line_search=True)
    np.testing.assert_array_equal(done.fit(X, np.zeros(len(y))).predict(X), 0.0)
    np.testing.assert_array_equal(done.estimator_weights_, 0.0)
    np.testing.assert_allclose(done.fit(X, np.full(len(y), 2.5)).predict(X), 2.5)


# -- all -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_kernel_says_what_the_members_say(kind, n_classes):
    X, y = classes(n_classes)
    boosted = kind(n_estimators=12).fit(X, y)
    assert boosted._stacked
    ask = boosted.predict if kind is L2BoostRegressor else boosted.decision_function
    stages = (
        boosted.staged_predict(X)
        if kind is L2BoostRegressor
        else boosted.staged_decision_function(X)
    )
    stages = list(stages)
    assert len(stages) == 12
    np.testing.assert_allclose(ask(X), stages[-1], atol=1e-12)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_of_classifiers(kind, n_classes):
    X, y = classes(n_classes)
    names = np.array(["no", "perhaps", "yes"])[:n_classes]
    boosted = kind(n_estimators=6).fit(X, names[y])
    errors = [np.mean(predicted != names[y]) for predicted in boosted.staged_predict(X)]
    np.testing.assert_allclose(errors, boosted.history_["train_error"])
    for proba in boosted.staged_predict_proba(X):
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(proba, boosted.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("base", [None, DecisionTreeRegressor(max_depth=2)])
def test_warm_start_is_one_long_fit(kind, base):
    X, y = data_for(kind)
    new = data_for(kind, seed=1)
    going = kind(base, n_estimators=4, warm_start=True, random_state=0).fit(X, y, eval_set=new)
    going.set_params(n_estimators=9).fit(X, y, eval_set=new)
    whole = kind(base, n_estimators=9, random_state=0).fit(X, y, eval_set=new)
    ask = "predict" if kind is L2BoostRegressor else "decision_function"
    np.testing.assert_allclose(getattr(going, ask)(X), getattr(whole, ask)(X), atol=1e-10)
    # Those on new data as well: members that were there before count.
    for column in ("train_error", "eval_error"):
        np.testing.assert_allclose(going.history_[column], whole.history_[column], atol=1e-10)


@pytest.mark.parametrize("kind", ALL)
def test_stopping_by_error_on_new_data(kind):
    X, y = data_for(kind, n=400)
    boosted = kind(n_estimators=500, learning_rate=1.0, stopping=ErrorStopping(patience=8))
    boosted.fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    assert len(boosted.estimators_) < 500
    assert boosted.stop_reason_ == "eval_error did not improve for 8 rounds"
    predicted = boosted.predict(X[1::2])
    truth = y[1::2]
    error = np.mean((predicted - truth) ** 2 if kind is L2BoostRegressor else predicted != truth)
    assert boosted.history_["eval_error"].iloc[-1] == pytest.approx(error)


def test_stopping_by_diversity_is_for_classifiers():
    X, y = classes(3)
    stopping = DiversityStopping("disagreement", patience=3)
    boosted = LogitBoostClassifier(n_estimators=200, stopping=stopping).fit(X, y)
    assert len(boosted.estimators_) < 200
    with pytest.raises(ValueError, match="is for classifiers"):
        L2BoostRegressor(stopping=stopping).fit(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_corrections_speak_for_classes(kind, n_classes):
    X, y = classes(n_classes)
    boosted = kind(n_estimators=5).fit(X, y)
    votes = boosted.member_predict(X)
    scores = np.stack(list(boosted.staged_decision_function(X)))
    parts = np.diff(scores, axis=0)
    expected = parts.argmax(axis=2) if n_classes > 2 else (parts > 0).astype(int)
    assert np.mean(votes[1:] == expected) > 0.99  # differences are rounded: ties may fall
    assert MemberOutputs.from_estimator(boosted, X, y).n_members == 5


def test_corrections_of_a_regressor_are_no_predictions():
    X, y = numbers()
    boosted = L2BoostRegressor(n_estimators=5, learning_rate=0.5).fit(X, y)
    parts = boosted.member_predict(X)
    np.testing.assert_allclose(boosted.start_ + parts.sum(axis=0), boosted.predict(X))
    with pytest.raises(MemberError, match="alone they predict nothing"):
        member_predictions(boosted, X)


@pytest.mark.parametrize("kind", ALL)
def test_whole_weights_are_repeats(kind):
    X, y = data_for(kind, n=80)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    for base in (Ridge(10.0), HistTreeRegressor(max_depth=2)):
        weighed = kind(base, n_estimators=8).fit(X, y, weight)
        repeated = kind(base, n_estimators=8).fit(X.repeat(weight, axis=0), y.repeat(weight))
        ask = "predict" if kind is L2BoostRegressor else "decision_function"
        np.testing.assert_allclose(getattr(weighed, ask)(X), getattr(repeated, ask)(X), atol=1e-8)


@pytest.mark.parametrize("kind", ALL)
def test_learner_without_sample_weight_draws_rows(kind):
    X, y = data_for(kind)
    weight = None if kind is LogitBoostClassifier else np.linspace(0.1, 2.0, len(y))
    boosted = kind(KNeighborsRegressor(9), n_estimators=4, random_state=0)
    with pytest.warns(UserWarning, match="rows drawn by weight") as warned:
        boosted.fit(X, y, weight)
    assert len(warned) == 1
    again = clone(boosted).set_params(resample=True).fit(X, y, weight)  # said by the user: silent
    np.testing.assert_array_equal(again.predict(X), boosted.predict(X))
    assert boosted.score(X, y) > 0.2


@pytest.mark.parametrize("kind", ALL)
def test_frames_stay_frames(kind):
    seen = []

    class Spy(DecisionTreeRegressor):
        def fit(self, X, y, sample_weight=None):
            seen.append(X)
            return super().fit(X, y, sample_weight)

    X, y = data_for(kind)
    X = pd.DataFrame(X, columns=list("abcdef"))
    boosted = kind(Spy(max_depth=1), n_estimators=2).fit(X, y)
    assert seen
    assert all(isinstance(x, pd.DataFrame) for x in seen)  # those of the trial as well
    assert all(x is X for x in seen[: len(boosted.estimators_)])
    assert boosted.predict(X).shape == y.shape
    by_bins = kind(n_estimators=2).fit(X, y)
    assert by_bins.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(ValueError, match="feature names"):
        by_bins.predict(X.rename(columns={"a": "z"}))


@pytest.mark.parametrize("kind", ALL)
def test_missing_values_are_left_to_the_learner(kind):
    X, y = data_for(kind)
    X[::3, 0] = np.nan
    assert np.isfinite(np.mean(kind(n_estimators=3).fit(X, y).predict(X)))
    with pytest.raises(ValueError, match="NaN"):
        kind(Ridge(), n_estimators=3).fit(X, y)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"learning_rate": 0}, "learning_rate=0: give a number above 0"),
        ({"learning_rate": "slow"}, "learning_rate='slow'"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"estimator": DecisionTreeClassifier()}, "DecisionTreeClassifier is a classifier"),
    ],
)
def test_bad_parameters(kind, params, message):
    X, y = data_for(kind)
    with pytest.raises(ValueError, match=message):
        kind(**params).fit(X, y)


@pytest.mark.parametrize("z_max", [0.5, np.inf, "high"])
def test_bad_z_max(z_max):
    X, y = classes()
    with pytest.raises(ValueError, match=r"z_max=.*: give a number from 1"):
        LogitBoostClassifier(z_max=z_max).fit(X, y)


def test_bad_data():
    X, y = classes()
    with pytest.raises(ValueError, match="label 9, which is not among the classes"):
        LogitBoostClassifier().fit(X, y, eval_set=(X, np.full(len(y), 9)))
    with pytest.raises(ValueError, match="one class only"):
        L2BoostClassifier().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="y is None"):
        L2BoostRegressor().fit(X, None)
    with pytest.raises(ValueError, match="160 rows and y 5"):
        L2BoostRegressor().fit(X, np.arange(5.0))
    with pytest.raises(ValueError, match="zero"):
        L2BoostRegressor().fit(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="contains NaN"):
        L2BoostRegressor().fit(X, np.where(y == 0, np.nan, y))


@pytest.mark.parametrize("kind", [HistBoostRegressor, L2BoostRegressor])
@pytest.mark.parametrize("rate", [1e60, 1e308])
def test_scores_that_run_away_name_the_rate(kind, rate):
    with pytest.raises(DivergenceError, match=r"learning_rate=1e.*Give a smaller one"):
        kind(n_estimators=5, learning_rate=rate).fit(*numbers())
