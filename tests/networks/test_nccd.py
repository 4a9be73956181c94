"""NCCD: the gradient it solves, rounds against plain Python, and what it promises."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import nccd as naive
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import counterpoint
from counterpoint import MemberOutputs
from counterpoint._strength import lambda_star, lambda_upper
from counterpoint.exceptions import RedundancyWarning
from counterpoint.networks.correction import _by_content, corrected_target
from counterpoint.networks.nccd import NCCDClassifier, NCCDRegressor

numbers = st.floats(-100, 100)


class Shrunken(RegressorMixin, BaseEstimator):
    """Remembers its targets, and says ``share`` of them: a linear smoother, exact for 1."""

    def __init__(self, share=1.0):
        self.share = share

    def fit(self, X, y):
        self.table_ = dict(zip(map(tuple, np.asarray(X)), np.asarray(y)))
        return self

    def predict(self, X):
        return self.share * np.array([self.table_[tuple(row)] for row in np.asarray(X)])


# -- the gradient ----------------------------------------------------------------------------------


def ncl_gradient(f_i, f, d, lam, n):
    return (f_i - d) - 2 * lam * (1 - 1 / n) * (f_i - f)


@given(numbers, numbers, st.integers(2, 20), st.floats(0, 0.95))
def test_the_gradient_is_zero_at_the_corrected_target(d, f, n, s):
    lam = s * lambda_star(n)
    f_i = corrected_target(d, f, s)
    assert ncl_gradient(f_i, f, d, lam, n) == pytest.approx(0, abs=1e-9 * (1 + abs(f_i)))


@given(numbers, numbers, st.integers(2, 20), st.floats(0, 0.95))
def test_without_the_member_the_gradient_is_zero_while_f_moves_along(d, others, n, share):
    """Where f holds the member itself, the rate is lambda / lambda_upper."""
    lam = share * lambda_upper(n)
    f_i = corrected_target(d, others, share)
    f = (f_i + (n - 1) * others) / n
    assert ncl_gradient(f_i, f, d, lam, n) == pytest.approx(0, abs=1e-9 * (1 + abs(f_i)))


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("s", [0.3, 0.7, 0.9])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_the_fixed_point(s, share, exclude_self):
    """Outputs of a smoother with eigenvalue h end at h (1 + k) / (1 + h k) of the target.

    For h = 1, a learner that reproduces its targets, that is the target itself, and the gradient
    of negative correlation learning is zero there.
    """
    X, d = np.arange(6.0)[:, None], np.array([1.0, -2, 3, 0, 5, -1])
    n = 4
    model = NCCDRegressor(
        Shrunken(share),
        n_estimators=n,
        strength=s,
        exclude_self=exclude_self,
        bootstrap=False,
        n_rounds=500,
        patience=500,
        tol=1e-14,
    )
    with pytest.warns(RedundancyWarning):
        model.fit(X, d)
    assert model.stop_reason_ == "converged"
    rate = s * (1 - 1 / n) if exclude_self else s
    k = rate / (1 - rate)
    reached = share * (1 + k) / (1 + share * k)
    last = model.history_.iloc[-1]
    assert last["error"] == pytest.approx((1 - reached) ** 2 * np.mean(d**2), abs=1e-12)
    if share == 1.0:
        said = model.member_predict(X)
        assert_allclose(said, np.tile(d, (n, 1)), atol=1e-12)
        gradient = ncl_gradient(said, said.mean(axis=0), d, s * lambda_star(n), n)
        assert_allclose(gradient, 0, atol=1e-12)


def test_a_full_step_swings_where_the_default_converges():
    """For s above 1/2 the undamped map multiplies the distance by -h s / (1 - s)."""
    X, d = np.arange(4.0)[:, None], np.array([1.0, -2, 3, 0])
    options = dict(n_estimators=2, strength=0.7, bootstrap=False, n_rounds=12, patience=12, tol=0)
    with pytest.warns(RedundancyWarning):
        full = NCCDRegressor(Shrunken(0.6), step=1.0, **options).fit(X, d)
    change = full.history_["change"].to_numpy()[1:]
    assert_allclose(change[1:] / change[:-1], 0.6 * 0.7 / 0.3, rtol=1e-9)
    with pytest.warns(RedundancyWarning):
        damped = NCCDRegressor(Shrunken(0.6), **options).fit(X, d)
    change = damped.history_["change"].to_numpy()[1:]
    # The first output is remembered whole, so the pace is steady from the second change on.
    assert_allclose(change[2:] / change[1:-1], 1 - 0.3 * (1 + 0.6 * 0.7 / 0.3), rtol=1e-6)
    assert full.history_["error"].iloc[-1] > 10 * damped.history_["error"].iloc[-1]


# -- rounds ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(80, n_features=5, noise=1.0, random_state=0)


def test_strength_zero_is_independent_fits(friedman):
    X, y = friedman
    model = NCCDRegressor(strength=0, n_estimators=4, random_state=3).fit(X, y)
    assert model.stop_reason_ == "converged"
    assert len(model.history_) == 1
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        alone = clone(member).fit(X[rows], y[rows])
        assert_array_equal(member.predict(X), alone.predict(X))
    assert len({tuple(np.sort(rows)) for rows in model.estimators_samples_}) == 4
    assert len({member.random_state for member in model.estimators_}) == 4


@settings(max_examples=15)
@given(
    st.integers(2, 4),
    st.sampled_from([0.2, 0.5, 0.8]),
    st.booleans(),
    st.sampled_from([None, 0.3, 1.0]),
    st.integers(0, 5),
)
def test_rounds_match_naive(friedman, n, s, exclude_self, step, seed):
    X, y = friedman[0][:25], friedman[1][:25]
    base = Ridge(alpha=5.0)
    model = NCCDRegressor(
        base,
        n_estimators=n,
        strength=s,
        exclude_self=exclude_self,
        step=step,
        n_rounds=5,
        patience=5,
        tol=0,
        random_state=seed,
    ).fit(X, y)

    def learn(i, rows, targets):
        fitted = clone(base).fit(rows, np.ravel(targets))
        return lambda x: fitted.predict([x])

    bags = [rows.tolist() for rows in model.estimators_samples_]
    rate = s * (1 - 1 / n) if exclude_self else s
    d = y[:, None].tolist()
    used = 1 - rate if step is None else step
    story = naive.rounds(learn, X.tolist(), d, bags, s, used, 5, exclude_self)
    names = ["error", "member_error", "ambiguity"]
    assert_allclose(model.history_[names], [naive.terms(o, d) for o in story], rtol=1e-7)
    held = [naive.out_of_bag_error(o, d, bags) for o in story]
    if not np.isnan(held).any() and len(held) == 5:
        assert_allclose(model.history_["valid_error"], held, rtol=1e-7)
        assert model.best_epoch_ == 1 + int(np.argmin(held))
    best = story[model.best_epoch_ - 1]
    assert_allclose(model.member_predict(X), np.array(best)[:, :, 0], rtol=1e-7)


def test_error_is_member_error_less_ambiguity(friedman):
    history = NCCDRegressor(random_state=0).fit(*friedman).history_
    assert len(history) > 2
    assert_allclose(history["error"], history["member_error"] - history["ambiguity"])


def test_correction_raises_the_spread_and_lowers_the_error():
    """What negative correlation is for: worse members, a better mean, on data not seen."""
    X, y = make_friedman1(600, noise=1.0, random_state=1)
    old = NCCDRegressor(strength=0, random_state=0).fit(X[:300], y[:300])
    new = NCCDRegressor(random_state=0).fit(X[:300], y[:300])
    assert new.best_epoch_ > 1
    first, best = new.history_.loc[1], new.history_.loc[new.best_epoch_]
    assert best["ambiguity"] > first["ambiguity"]
    assert new.score(X[300:], y[300:]) > old.score(X[300:], y[300:])


def test_lambda_and_strength_say_the_same(friedman):
    X, y = friedman
    by_strength = NCCDRegressor(strength=0.4, n_estimators=5, random_state=0).fit(X, y)
    by_lam = NCCDRegressor(lam=0.4 * lambda_star(5), n_estimators=5, random_state=0).fit(X, y)
    assert_allclose(by_strength.predict(X), by_lam.predict(X))
    assert by_lam.strength_ == pytest.approx(0.4)
    assert by_lam.lam_star_ == lambda_star(5)


def test_strength_one_without_the_member_itself(friedman):
    model = NCCDRegressor(strength=1.0, exclude_self=True, n_estimators=5, random_state=0)
    assert np.isfinite(model.fit(*friedman).predict(friedman[0])).all()


def test_the_order_of_rows_changes_nothing(friedman):
    X, y = friedman
    mixed = np.random.default_rng(0).permutation(len(y))
    one = NCCDRegressor(random_state=0).fit(X, y)
    other = NCCDRegressor(random_state=0).fit(X[mixed], y[mixed])
    assert_allclose(one.predict(X), other.predict(X))


def test_rows_are_drawn_by_weight(friedman):
    X, y = friedman
    weight = np.where(np.arange(len(y)) < 20, 5.0, 0.5)
    model = NCCDRegressor(n_estimators=20, n_rounds=1, random_state=0).fit(X, y, weight)
    drawn = np.concatenate(model.estimators_samples_)
    assert np.mean(drawn < 20) == pytest.approx(100 / 130, abs=0.03)


def test_weights_are_passed_on_without_bootstrap(friedman):
    X, y = friedman
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    options = dict(bootstrap=False, strength=0, n_estimators=2, random_state=0)
    base = DecisionTreeRegressor(max_depth=3, splitter="random")
    model = NCCDRegressor(base, **options).fit(X, y, weight)
    alone = clone(model.estimators_[0]).fit(X, y, sample_weight=weight)
    assert_array_equal(model.estimators_[0].predict(X), alone.predict(X))
    with pytest.raises(ValueError, match="takes no sample_weight: set bootstrap=True"):
        NCCDRegressor(KNeighborsRegressor(), **options).fit(X, y, weight)


def test_rounds_are_chosen_by_the_evaluation_set(friedman):
    X, y = friedman
    X_new, y_new = make_friedman1(60, n_features=5, noise=1.0, random_state=9)
    model = NCCDRegressor(random_state=0, patience=20, tol=0).fit(X, y, eval_set=(X_new, y_new))
    held = model.history_["valid_error"]
    assert model.best_epoch_ == held.idxmin()
    assert held.min() == pytest.approx(np.mean((model.predict(X_new) - y_new) ** 2))
    assert model.stop_reason_ == "complete"
    assert len(held) == 20


def test_patience_ends_it(friedman):
    model = NCCDRegressor(random_state=0, patience=2, tol=0, strength=0.9, n_rounds=50)
    model.fit(*friedman)
    assert model.stop_reason_ == "held-out error"
    assert len(model.history_) == model.best_epoch_ + 2


class Interrupting(DecisionTreeRegressor):
    """A tree after so many of which somebody presses Ctrl-C."""

    left = 0

    def fit(self, X, y):
        type(self).left -= 1
        if type(self).left < 0:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_an_interruption_keeps_the_best_round(friedman):
    X, y = friedman
    Interrupting.left = 4 * 3 + 2
    model = NCCDRegressor(Interrupting(max_depth=3), n_estimators=4, random_state=0, patience=9)
    with pytest.warns(UserWarning, match="Interrupted: NCCDRegressor keeps round"):
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert len(model.history_) == 3
    whole = NCCDRegressor(
        DecisionTreeRegressor(max_depth=3), n_estimators=4, random_state=0, n_rounds=3
    ).fit(X, y)
    assert_array_equal(model.predict(X), whole.predict(X))
    Interrupting.left = 2
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)


def test_identical_members_are_pointed_out(friedman):
    with pytest.warns(RedundancyWarning, match="All members are the same"):
        NCCDRegressor(LinearRegression(), bootstrap=False, n_estimators=2).fit(*friedman)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NCCDRegressor(LinearRegression(), n_estimators=2).fit(*friedman)


def test_one_member_is_trained_alone(friedman):
    model = NCCDRegressor(n_estimators=1, random_state=0).fit(*friedman)
    assert np.isnan(model.lam_star_)
    assert model.strength_ == 0.0
    with pytest.warns(UserWarning, match="undefined for n_estimators=1"):
        NCCDRegressor(n_estimators=1, strength=0.5).fit(*friedman)


def test_threads_change_nothing(friedman):
    X, y = friedman
    one = NCCDRegressor(random_state=0).fit(X, y)
    two = NCCDRegressor(random_state=0, n_jobs=2).fit(X, y)
    assert_array_equal(one.predict(X), two.predict(X))


# -- classifier ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("base", [None, SVR(kernel="linear")], ids=["joint", "one per class"])
def test_classifier_codes_and_members(n_classes, base):
    X, y = load_iris(return_X_y=True)
    X, names = X[y < n_classes], np.array(["c", "b", "a"])[y[y < n_classes]]
    model = NCCDClassifier(base, n_estimators=3, n_rounds=4, random_state=0).fit(X, names)
    assert model.score(X, names) > 0.8
    outputs = MemberOutputs.from_estimator(model, X, names)
    assert outputs.n_members == 3
    assert_array_equal(model.classes_[outputs.votes], model.member_predict(X))
    proba = model.member_predict_proba(X)
    assert proba.shape == (3, len(X), n_classes)
    assert_array_equal(model.classes_[proba.argmax(axis=2)], model.member_predict(X))
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))
    assert_allclose(model.member_decision_function(X).mean(axis=0), model.decision_function(X))
    assert isinstance(model.estimators_[0], list) == (base is not None and n_classes == 3)


def test_classifier_history_counts_errors():
    X, y = load_iris(return_X_y=True)
    model = NCCDClassifier(random_state=0).fit(X, y)
    row = model.history_.loc[model.best_epoch_]
    assert row["train_error"] == pytest.approx(np.mean(model.predict(X) != y))
    f = model.decision_function(X)
    assert row["error"] == pytest.approx(((f - np.eye(3)[y]) ** 2).sum(axis=1).mean())


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(3, 5)), elements=numbers))
def test_nearest_distribution_matches_naive(f):
    p = NCCDClassifier()._proba(f)
    assert_allclose(p, [naive.nearest_distribution(row) for row in f.tolist()], atol=1e-9)
    assert_allclose(p.sum(axis=1), 1)


# -- company ---------------------------------------------------------------------------------------


def test_in_a_search_and_a_pipeline(friedman):
    X, y = friedman
    search = GridSearchCV(
        make_pipeline(StandardScaler(), NCCDRegressor(n_estimators=3, n_rounds=3, random_state=0)),
        {"nccdregressor__strength": [0.0, 0.5], "nccdregressor__estimator__max_depth": [2]}
        | {"nccdregressor__estimator": [DecisionTreeRegressor()]},
        cv=2,
    ).fit(X, y)
    assert counterpoint.member_predictions(search, X).shape == (3, len(y))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_with_names(make):
    frame = make({"size": [1.0, 2, 3, 4, 5, 6] * 5, "colour": ["red", "blue", "red"] * 10})
    y = np.array([1.0, 5, 3, 4, 8, 6] * 5)
    learner = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"),
        Ridge(alpha=0.1),
    )
    if make is pl.DataFrame:
        learner.set_output(transform="default")
    model = NCCDRegressor(learner, n_estimators=3, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.feature_names_in_.tolist() == ["size", "colour"]


def test_sparse_data(friedman):
    X, y = friedman
    dense = NCCDRegressor(n_estimators=3, random_state=0, strength=0).fit(X, y)
    sparse = NCCDRegressor(n_estimators=3, random_state=0, strength=0).fit(csr_array(X), y)
    assert_allclose(dense.score(X, y), sparse.score(csr_array(X), y), atol=0.1)
    with pytest.raises(TypeError, match="needs dense data"):
        NCCDRegressor(_DenseOnly()).fit(csr_array(X), y)


class _DenseOnly(LinearRegression):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def test_small_networks_as_members():
    X, y = load_diabetes(return_X_y=True)
    net = MLPRegressor(hidden_layer_sizes=(3,), max_iter=30, solver="lbfgs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # thirty iterations are no convergence
        model = NCCDRegressor(net, n_estimators=3, n_rounds=2, bootstrap=False, random_state=0)
        model.fit(StandardScaler().fit_transform(X)[:100], (y[:100] - y.mean()) / y.std())
    assert model.history_["ambiguity"].iloc[0] > 0


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"strength": 1.0}, "strength 1 .* has no corrected target.*exclude_self=True"),
        ({"lam": 3.0}, "has no corrected target"),
        ({"lam": 9.0, "exclude_self": True}, "Stay below lambda_upper"),
        ({"strength": 2.0}, "strength=2.0: give a number from 0"),
        ({"strength": 0.5, "lam": 0.5}, "set one of them"),
        ({"n_estimators": 0}, "n_estimators=0: give a whole number"),
        ({"n_rounds": 0}, "n_rounds=0: give a whole number"),
        ({"patience": 1.5}, "patience=1.5: give a whole number"),
        ({"tol": -1}, "tol=-1: give a number from 0"),
        ({"step": 0.0}, "step=0.0: give a number above 0"),
        ({"step": 1.1}, "step=1.1"),
        ({"estimator": DecisionTreeClassifier()}, "DecisionTreeClassifier is a classifier"),
    ],
)
def test_bad_options(friedman, options, match):
    with pytest.raises(ValueError, match=match):
        NCCDRegressor(**options).fit(*friedman)


def test_bad_data(friedman):
    X, y = friedman
    with pytest.raises(ValueError, match=r"learns one output. Wrap it in MultiOutputRegressor"):
        NCCDRegressor().fit(X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NCCDRegressor().fit(X, y[:-1])
    with pytest.raises(ValueError, match="are all zero"):
        NCCDRegressor().fit(X, y, np.zeros(len(y)))
    with pytest.raises(ValueError, match="eval_set is a DataFrame: give a pair"):
        NCCDRegressor().fit(X, y, eval_set=pd.DataFrame(X))
    with pytest.raises(ValueError, match="one class only"):
        NCCDClassifier().fit(X, np.zeros(len(y)))
    labels = (y > 14).astype(int)
    with pytest.raises(ValueError, match=r"eval_set holds the label [78]"):
        NCCDClassifier().fit(X, labels, eval_set=(X, labels + 7))


# -- weights and metadata --------------------------------------------------------------------------


class Noting(RegressorMixin, BaseEstimator):
    """Says the mean, and notes what its fit was given."""

    def fit(self, X, y, sample_weight=None, shift=None):
        self.weight_, self.shift_, self.mean_ = sample_weight, shift, y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_without_bootstrap_members_get_the_weights(friedman):
    X, y = friedman
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = NCCDRegressor(Noting(), bootstrap=False, n_rounds=2, random_state=0)
    with pytest.warns(RedundancyWarning):
        model.fit(X, y, sample_weight=weight)
    assert_allclose(model.estimators_[0].weight_, weight[weight > 0])


def test_metadata_go_where_they_were_asked_for(friedman):
    X, y = friedman
    weight, shift = np.ones(len(y)), np.arange(len(y))
    weight[:3] = 0
    with config_context(enable_metadata_routing=True):
        learner = Noting().set_fit_request(sample_weight=False, shift=True)
        model = NCCDRegressor(learner, n_rounds=2, random_state=0)
        model.fit(X, y, sample_weight=weight, shift=shift)
        for member, rows in zip(model.estimators_, model.estimators_samples_):
            assert member.weight_ is None
            assert_array_equal(member.shift_, shift[3:][rows])
        with pytest.raises(TypeError, match="unexpected argument"):
            model.fit(X, y, colour="red")


def test_rows_too_large_to_add_up_have_an_order_too():
    X = csr_array(np.array([[1e308, 1e308], [1e308, 1e308], [-1e308, -1e308], [1.0, 2.0]]))
    with np.errstate(over="ignore"):
        order, group = _by_content(X, np.array([0.0, 0.0, 0.0, 0.0]))
    assert sorted(order) == [0, 1, 2, 3]
    assert group[0] == group[1]
    assert len({group[0], group[2], group[3]}) == 3
