import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_friedman1
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from counterpoint import MemberOutputs, member_predictions
from counterpoint.datasets import make_two_gaussians
from counterpoint.exceptions import CollapseWarning, DivergenceError, InterruptedFitWarning
from counterpoint.networks import training
from counterpoint.networks.negative_correlation import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
)

OPTIONS = [
    {},
    {"strength": 1.0},
    {"penalty": "root-quartic", "strength": 0.9},
    {"output": "sigmoid"},
    {"output": "softmax"},
    {"loss": "cross-entropy"},
    {"loss": "cross-entropy", "output": "sigmoid", "strength": 1.0},
    {"solver": "gd", "learning_rate": 0.2},
    {"batch_size": 20, "init": "glorot", "activation": "relu"},
    {"hidden_layer_sizes": (8, 5), "activation": "logistic", "alpha": 0.0},
    {"hidden_layer_sizes": ()},
]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def waves():
    X, y = make_friedman1(120, random_state=0)
    return X, y


def weights(model):
    return np.concatenate([p.ravel() for p in model.networks_.parameters])


# -- what it says ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_learns(iris, options):
    X, y = iris
    model = NegativeCorrelationClassifier(3, random_state=0, **options).fit(X, y)
    assert model.score(X, y) > 0.8
    outputs, proba = model.member_decision_function(X), model.predict_proba(X)
    assert_array_equal(model.predict(X), model.classes_[outputs.mean(axis=0).argmax(axis=1)])
    assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    members = model.member_predict_proba(X)
    assert members.shape == (3, 150, 3)
    assert_array_equal(model.member_predict(X), model.classes_[members.argmax(axis=2)])
    if options.get("loss") == "cross-entropy" and "output" not in options:
        assert_allclose(proba, members.mean(axis=0), atol=1e-9)


@pytest.mark.parametrize(
    "options", [{}, {"penalty": "root-quartic"}, {"strength": 0.0, "batch_size": 16}], ids=str
)
def test_a_regressor_learns(waves, options):
    X, y = waves
    model = NegativeCorrelationRegressor(3, random_state=0, **options).fit(X, 1000 * y)
    assert model.score(X, 1000 * y) > 0.7
    assert model.member_predict(X).shape == (3, 120)
    assert_allclose(model.predict(X), model.member_predict(X).mean(axis=0))


def test_several_targets_at_once(waves):
    X, y = waves
    Y = np.column_stack([y, -1000 * X[:, 0]])
    model = NegativeCorrelationRegressor(3, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (120, 2)
    assert model.member_predict(X).shape == (3, 120, 2)
    assert model.score(X, Y) > 0.7


def test_members_speak_our_protocol(iris, waves):
    X, y = iris
    model = NegativeCorrelationClassifier(4, strength=0.9, max_epochs=20, random_state=0).fit(X, y)
    outputs = MemberOutputs.from_estimator(model, X, y)
    assert (outputs.n_members, outputs.n_samples) == (4, 150)
    assert_allclose(outputs.errors, (model.member_predict(X) != y).mean(axis=1))
    X, y = waves
    model = NegativeCorrelationRegressor(4, max_epochs=20, random_state=0).fit(X, y)
    assert_array_equal(member_predictions(model, X), model.member_predict(X))


# -- what strength means -----------------------------------------------------------------------


def test_lambdas(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(3, strength=0.5, max_epochs=2, random_state=0).fit(X, y)
    assert (model.strength_, model.lam_, model.lam_star_) == (0.5, 0.375, 0.75)
    assert model.lam_upper_ == 1.125
    model = NegativeCorrelationClassifier(3, lam=0.6, max_epochs=2, random_state=0).fit(X, y)
    assert_allclose(model.strength_, 0.8)
    model = NegativeCorrelationClassifier(
        3, penalty="root-quartic", strength=1.0, max_epochs=2, random_state=0
    ).fit(X, y)
    assert_allclose([model.lam_, model.lam_star_], 8**-0.5)
    assert np.isnan(model.lam_upper_)


def test_strength_zero_trains_every_network_alone(iris):
    """Members are drawn one after another, so the first of three is the only one of one."""
    X, y = iris
    options = dict(strength=0.0, max_epochs=50, random_state=0, patience=None)
    three = NegativeCorrelationClassifier(3, **options).fit(X, y)
    one = NegativeCorrelationClassifier(1, **options).fit(X, y)
    assert_allclose(
        three.member_decision_function(X)[0], one.member_decision_function(X)[0], atol=1e-8
    )


@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_strength_keeps_members_apart(iris, loss):
    X, y = iris
    ambiguity = []
    for s in (0.0, 0.5, 0.9, 1.0):
        model = NegativeCorrelationClassifier(
            3, strength=s, loss=loss, alpha=0.0, max_epochs=100, random_state=0
        ).fit(X, y)
        outputs = model.member_decision_function(X)
        ambiguity.append(((outputs - outputs.mean(axis=0)) ** 2).mean())
    assert ambiguity == sorted(ambiguity)


def test_at_strength_one_only_the_mean_predicts():
    X, y = load_breast_cancer(return_X_y=True)
    model = NegativeCorrelationClassifier(5, strength=1.0, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert (model.member_predict(X) == y).mean() < model.score(X, y) - 0.05


def test_beyond_lambda_star_a_warning_then_an_error(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(3, lam=1.2, max_epochs=3000, alpha=0.0, random_state=0)
    model.set_params(patience=None, solver="gd", learning_rate=0.1)
    with (
        pytest.warns(UserWarning, match=r"lam=1.2 is beyond lambda\* = 0.75 of 3 members"),
        pytest.raises(DivergenceError, match="lower lambda"),
    ):
        model.fit(X, y)
    assert not hasattr(model, "networks_")


def test_a_collapse_is_said(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(3, alpha=50.0, random_state=0)
    with pytest.warns(CollapseWarning, match="the same answer .* or alpha \\(now 50\\)"):
        model.fit(X, y)
    assert len(set(model.predict(X))) == 1
    regressor = NegativeCorrelationRegressor(3, alpha=50.0, random_state=0)
    with pytest.warns(CollapseWarning, match="the same answer"):
        regressor.fit(X, X[:, 0])


def test_members_that_saturate_each_other_collapse_too(iris):
    """Beyond lambda* bounded outputs do not overflow, but say one thing."""
    X, y = iris
    # A rate at which every seed collapses: at a tenth of it half of them do, as rounding will have.
    model = NegativeCorrelationClassifier(
        3, lam=200.0, output="sigmoid", solver="gd", learning_rate=50.0, random_state=0
    )
    with pytest.warns(CollapseWarning, match="the same answer"):
        model.fit(X, y)
    assert len(set(model.predict(X))) == 1
    assert np.isfinite(weights(model)).all()


def test_one_class_by_weight_is_no_collapse(iris):
    X, y = iris
    weight = np.where(y == "setosa", 1.0, 1e-9)
    model = NegativeCorrelationClassifier(3, random_state=0).fit(X, y, weight)
    assert set(model.predict(X[y == "setosa"])) == {"setosa"}


def test_auto_walks_chooses_and_fits_all_rows(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(3, strength="auto", max_epochs=40, random_state=0)
    path = model.fit(X, y).strength_path_
    assert path["strength"].tolist() == [0.0, 0.25, 0.5, 0.75, 0.9, 1.0]
    assert path["epochs"].tolist() == [40, 50, 60, 70, 80, 90]
    assert model.strength_ == path["strength"][path["validation_loss"].idxmin()]
    plain = clone(model).set_params(strength=model.strength_).fit(X, y)
    assert_allclose(weights(plain), weights(model))
    assert not hasattr(plain, "strength_path_")
    assert not hasattr(model.set_params(strength=0.3).fit(X, y), "strength_path_")


def test_auto_prefers_members_alone_where_labels_are_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(2, size=200)
    model = NegativeCorrelationClassifier(
        8, strength="auto", alpha=0.0, max_epochs=100, random_state=0
    )
    assert model.fit(X, y).strength_ < 0.5


def test_auto_works_for_regressors_and_single_networks(waves):
    X, y = waves
    model = NegativeCorrelationRegressor(3, strength="auto", max_epochs=20, random_state=0)
    assert "validation_error" not in model.fit(X, y).strength_path_
    model.set_params(n_estimators=1).fit(X, y)
    assert model.strength_ == 0.0
    assert np.isnan(model.lam_star_)


# -- going on, stopping, weights ---------------------------------------------------------------


def test_the_seed_decides(iris):
    X, y = iris
    options = dict(n_estimators=2, max_epochs=5, batch_size=32, early_stopping=True)
    first, again, other = (
        weights(NegativeCorrelationClassifier(random_state=seed, **options).fit(X, y))
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("solver", ["adam", "gd"])
def test_a_warm_start_goes_on_where_it_was(iris, solver):
    X, y = iris
    options = dict(n_estimators=2, solver=solver, patience=None, random_state=0)
    once = NegativeCorrelationClassifier(max_epochs=20, **options).fit(X, y)
    twice = NegativeCorrelationClassifier(max_epochs=10, warm_start=True, **options)
    twice.fit(X, y)
    assert twice.fit(X, y).n_epochs_ == 20
    assert_allclose(weights(twice), weights(once), rtol=1e-9, atol=1e-12)
    twice.set_params(warm_start=False).fit(X, y)
    assert twice.n_epochs_ == 10


def test_a_warm_start_may_change_the_strength(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(3, strength=0.0, warm_start=True, random_state=0)
    model.fit(X, y).set_params(strength=0.9).fit(X, y)
    assert model.strength_ == 0.9


def test_what_ran_away_leaves_the_estimator_as_it_was(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, warm_start=True, max_epochs=20, random_state=0)
    before = weights(model.fit(X, y))
    with pytest.raises(DivergenceError):
        model.set_params(learning_rate=1e12).fit(X, y)
    assert_array_equal(weights(model), before)
    model.set_params(learning_rate=0.01).fit(X, y)
    assert np.isfinite(weights(model)).all()


def test_partial_fit_is_fit_a_bit_at_a_time(iris):
    X, y = iris
    options = dict(n_estimators=2, patience=None, random_state=0)
    whole = NegativeCorrelationClassifier(max_epochs=15, **options).fit(X, y)
    model = NegativeCorrelationClassifier(**options)
    for _ in range(15):
        model.partial_fit(X, y, classes=np.unique(y))
    assert model.n_epochs_ == 15
    assert_allclose(weights(model), weights(whole), rtol=1e-9, atol=1e-12)


def test_partial_fit_on_classes_as_they_come(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, random_state=0)
    model.partial_fit(X[::3], y[::3], classes=["setosa", "versicolor", "virginica"])
    for _ in range(30):
        for label in np.unique(y):
            model.partial_fit(X[y == label][:25], y[y == label][:25])
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.8


def test_a_regressor_fits_in_parts(waves):
    X, y = waves
    model = NegativeCorrelationRegressor(2, random_state=0)
    for _ in range(60):
        model.partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    assert model.score(X, y) > 0.5


def test_early_stopping_keeps_the_best_networks():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = (X[:, 0] + rng.normal(0, 1.5, 120) > 0).astype(int)
    model = NegativeCorrelationClassifier(
        3, alpha=0.0, early_stopping=True, validation_fraction=0.3, record=10, max_epochs=300
    )
    model.set_params(random_state=0).fit(X, y)
    watched = model.dynamics_["validation"].ensemble_loss
    at = np.flatnonzero(model.dynamics_.epochs == model.best_epoch_)[0]
    assert model.stop_reason_ == "no progress"
    assert model.best_epoch_ < model.n_epochs_ < 300
    assert_allclose(model.loss_, watched[at])
    assert watched[at] == watched.min()


def test_plateaus_end_training(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, max_epochs=5000, tol=1e-3, random_state=0).fit(X, y)
    assert model.stop_reason_ == "no progress"
    assert model.n_epochs_ < 1000
    model.set_params(patience=None, max_epochs=55).fit(X, y)
    assert (model.n_epochs_, model.best_epoch_, model.stop_reason_) == (55, 55, "max_epochs")
    assert np.isnan(model.loss_)


def interrupted_after(monkeypatch, n_looks):
    real, looks = training._stop_runaway, []

    def stop(*args):
        real(*args)
        looks.append(1)
        if len(looks) == n_looks:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "_stop_runaway", stop)


def test_ctrl_c_keeps_what_was_reached(iris, monkeypatch):
    X, y = iris
    interrupted_after(monkeypatch, 4)
    with pytest.warns(InterruptedFitWarning, match="keeps its networks as after epoch"):
        model = NegativeCorrelationClassifier(2, max_epochs=500, random_state=0).fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert model.n_epochs_ == 40
    assert model.score(X, y) > 0.7


def test_ctrl_c_on_the_way_to_a_strength(iris, monkeypatch):
    X, y = iris
    interrupted_after(monkeypatch, 7)
    model = NegativeCorrelationClassifier(2, strength="auto", max_epochs=40, random_state=0)
    with pytest.warns(InterruptedFitWarning, match="keeps its networks"):
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert len(model.strength_path_) < 6
    assert model.strength_ in set(model.strength_path_["strength"])
    assert model.score(X, y) > 0.7


def test_a_weight_of_two_is_a_row_twice(iris, waves):
    rng = np.random.default_rng(0)
    for (X, y), estimator in (
        (iris, NegativeCorrelationClassifier(2, max_epochs=30, random_state=0)),
        (waves, NegativeCorrelationRegressor(2, max_epochs=30, random_state=0)),
    ):
        weight = rng.integers(0, 3, len(y))
        weighted = clone(estimator).fit(X, y, weight)
        repeated = clone(estimator).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        assert_allclose(weights(weighted), weights(repeated), rtol=1e-5, atol=1e-7)


def test_class_weights(iris):
    X, y = iris
    rare = np.r_[0:50, 50:100, 100:106]
    X, y = X[rare], y[rare]
    plain = NegativeCorrelationClassifier(2, max_epochs=30, random_state=0)
    balanced = clone(plain).set_params(class_weight="balanced").fit(X, y)
    by_hand = {"setosa": 106 / 150, "versicolor": 106 / 150, "virginica": 106 / 18}
    again = clone(plain).set_params(class_weight=by_hand).fit(X, y)
    assert_allclose(weights(balanced), weights(again))
    assert not np.allclose(weights(balanced), weights(plain.fit(X, y)))


# -- scikit-learn and frames -------------------------------------------------------------------


def test_frames_in(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, max_epochs=5, random_state=0)
    expected = clone(model).fit(X, y).predict_proba(X)
    for frame in (pd.DataFrame(X, columns=list("abcd")), pl.DataFrame(X, schema=list("abcd"))):
        fitted = clone(model).fit(frame, y)
        assert fitted.feature_names_in_.tolist() == list("abcd")
        assert_allclose(fitted.predict_proba(frame), expected)
    assert_array_equal(clone(model).fit(X, pd.Series(y)).predict_proba(X), expected)


def test_float32_stays_float32(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, max_epochs=20, random_state=0)
    few = X.astype(np.float32)
    small = clone(model).fit(few, y)
    assert small.networks_.coefs[0].dtype == small.predict_proba(few).dtype == np.float32
    assert_allclose(small.predict_proba(few), model.fit(X, y).predict_proba(X), atol=1e-2)


def test_in_pipelines_and_searches(iris):
    X, y = iris
    pipeline = make_pipeline(
        MinMaxScaler(), NegativeCorrelationClassifier(2, max_epochs=20, scale=False, random_state=0)
    )
    grid = {"negativecorrelationclassifier__strength": [0.0, 0.9]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.6
    assert MemberOutputs.from_estimator(search, X, y).n_members == 2


def test_large_data_go_in_batches():
    X, y = make_two_gaussians(n_samples=1500, random_state=0)
    model = NegativeCorrelationClassifier(2, max_epochs=3, random_state=0).fit(X, y)
    assert model._trainer.steps == 3 * 8


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strength": 1.2}, "strength=1.2: give a number from 0"),
        ({"strength": -0.1}, "strength=-0.1"),
        ({"strength": "strong"}, "strength='strong': give a number from 0 to 1, 'auto'"),
        ({"strength": 0.5, "lam": 0.3}, "strength=0.5 and lam=0.3 both say"),
        ({"strength": "auto", "lam": 0.3}, "strength='auto' chooses lambda, but lam=0.3"),
        ({"lam": -1.0}, "lam=-1.0: give a number from 0"),
        ({"lam": np.inf}, "lam=inf: give a number from 0"),
        ({"n_estimators": 0}, "n_estimators=0: give a whole number from 1"),
        ({"hidden_layer_sizes": (5, 0)}, r"hidden_layer_sizes=\(5, 0\): give whole numbers from 1"),
        ({"hidden_layer_sizes": 0}, "hidden_layer_sizes=0"),
        ({"penalty": "cubic"}, "penalty='cubic': choose 'ncl', 'root-quartic'"),
        ({"loss": "hinge"}, "loss='hinge'"),
        ({"output": "tanh"}, "output='tanh'"),
        ({"loss": "cross-entropy", "output": "linear"}, "needs outputs that are probabilities"),
        ({"loss": "cross-entropy", "penalty": "root-quartic"}, "goes with loss='squared' only"),
        ({"activation": "sine"}, "activation='sine'"),
        ({"init": "zeros"}, "init='zeros'"),
        ({"solver": "sgd"}, "solver='sgd'"),
        ({"learning_rate": 0.0}, "learning_rate=0.0: give a number from 1e-30"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"max_epochs": 0}, "max_epochs=0"),
        ({"patience": 0}, "patience=0"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction=1.0"),
        ({"early_stopping": True, "validation_fraction": 0.999}, "leaves none to train on"),
        ({"record": "yes"}, "record='yes': give True, False, or a number of epochs"),
        ({"record": -3}, "record=-3"),
    ],
    ids=str,
)
def test_wrong_options(iris, options, message):
    with pytest.raises(ValueError, match=message):
        NegativeCorrelationClassifier(random_state=0).set_params(**options).fit(*iris)


def test_wrong_data(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, max_epochs=2, random_state=0)
    with pytest.raises(ValueError, match="y holds one class only"):
        model.fit(X[:50], y[:50])
    bad = X.copy()
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(bad, y)
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, y)
    with pytest.raises(ValueError, match="not negative"):
        model.fit(X, y, -np.ones(150))
    with pytest.raises(ValueError, match="expected \\(150,\\)"):
        model.fit(X, y, np.ones(3))
    with pytest.raises(ValueError, match="'aster', which is not among the classes"):
        model.fit(X, y, eval_set=(X[:1], ["aster"]))
    with pytest.raises(ValueError, match="not a pair"):
        model.fit(X, y, eval_set={"new": X})
    with pytest.raises(ValueError, match="may not be called 'train'"):
        model.fit(X, y, eval_set={"train": (X, y)})


def test_sparse_input_is_refused(iris):
    from scipy.sparse import csr_array

    X, y = iris
    with pytest.raises(TypeError, match="Sparse data was passed"):
        NegativeCorrelationClassifier().fit(csr_array(X), y)


def test_one_network_has_no_lambda_star(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(1, strength=0.5, max_epochs=20, random_state=0)
    with pytest.warns(UserWarning, match=r"lambda\* is undefined for n_estimators=1"):
        model.fit(X, y)
    assert model.strength_ == 0.0
    assert model.member_predict(X).shape == (1, 150)


def test_a_rate_that_blows_up(iris):
    model = NegativeCorrelationClassifier(solver="gd", learning_rate=500.0, random_state=0)
    with pytest.raises(DivergenceError, match="The learning rate is 500: lower it"):
        model.fit(*iris)


def test_wrong_partial_fits(iris):
    X, y = iris
    model = NegativeCorrelationClassifier(2, random_state=0)
    with pytest.raises(ValueError, match="The first call of partial_fit needs classes="):
        model.partial_fit(X, y)
    model.partial_fit(X, y, classes=np.unique(y))
    with pytest.raises(ValueError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(ValueError, match="'aster', which is not among the classes"):
        model.partial_fit(X[:1], ["aster"])
    with pytest.raises(ValueError, match="'balanced' needs all data at once"):
        model.set_params(class_weight="balanced").partial_fit(X, y)
    with pytest.raises(ValueError, match="strength='auto' needs all data at once"):
        model.set_params(class_weight=None, strength="auto").partial_fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 3}, "n_estimators is 3, but the networks to go on from have 2"),
        ({"hidden_layer_sizes": (5,)}, r"layers is \(4, 5, 3\)"),
        ({"activation": "relu"}, "activation is relu"),
        ({"output": "sigmoid"}, "output is sigmoid"),
    ],
)
def test_a_warm_start_cannot_change_the_networks(iris, options, message):
    model = NegativeCorrelationClassifier(2, max_epochs=2, warm_start=True, random_state=0)
    model.fit(*iris).set_params(**options)
    with pytest.raises(ValueError, match=message):
        model.fit(*iris)


def test_weights_on_one_side_of_the_split_only(iris):
    X, y = iris
    weight = np.zeros(150)
    weight[7] = 1.0
    model = NegativeCorrelationClassifier(2, early_stopping=True, random_state=0)
    with pytest.raises(ValueError, match="one side of the validation split have weight 0"):
        model.fit(X, y, weight)
