import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import resample

from counterpoint.decomposition import (
    BregmanLoss,
    Decomposition,
    bias_variance,
    bias_variance_covariance,
    bias_variance_diversity,
    decompose,
    domingos,
    kohavi_wolpert,
    trials,
    zero_one_diversity_effect,
)

iris = load_iris(return_X_y=True)
diabetes = load_diabetes(return_X_y=True)
cancer = load_breast_cancer(return_X_y=True)


def assert_same(a, b):
    assert a.averages == b.averages
    np.testing.assert_array_equal(a.outputs, b.outputs)


@pytest.mark.parametrize(
    "method", [None, "kohavi-wolpert", "breiman", "james", "domingos", "effect"]
)
def test_zero_one(method):
    forest = RandomForestClassifier(5)
    result = decompose(forest, *iris, method=method, n_trials=6, random_state=0)
    assert isinstance(result, Decomposition)
    assert result.method == (method or "kohavi-wolpert")
    assert (result.loss, result.n_trials) == ("zero-one", 6)
    assert result.residual < 1e-12
    # whatever the definition, the error is that of the estimator
    assert result.averages["error"] == pytest.approx(result.own_error)
    assert len(result.y) == len(result.test_index) == round(0.33 * 150)
    np.testing.assert_array_equal(result.y, iris[1][result.test_index])
    assert result.n_members == (5 if method == "effect" else 1)


def test_outputs_serve_the_other_functions():
    result = decompose(DecisionTreeClassifier(), *iris, n_trials=8, random_state=0)
    assert result.outputs.shape == (8, 50)
    assert kohavi_wolpert(result.y, result.outputs).averages == result.averages
    other = decompose(
        DecisionTreeClassifier(), *iris, method="domingos", n_trials=8, random_state=0
    )
    again = domingos(result.y, result.outputs, classes=result.classes)
    assert again.averages == other.averages


def test_effect_is_about_the_estimators_own_vote():
    forest = RandomForestClassifier(4, max_depth=2)
    result = decompose(forest, *iris, method="effect", n_trials=5, random_state=3)
    assert result.outputs.shape == (5, 4, 50)
    plurality = zero_one_diversity_effect(result.y, result.outputs)
    # a forest averages probabilities: its members are those of the plain vote
    assert plurality.averages["bias_effect"] == result.averages["bias_effect"]
    assert plurality.averages["variance_effect"] == result.averages["variance_effect"]


@pytest.mark.parametrize(
    "ensemble",
    [BaggingRegressor(n_estimators=4), RandomForestRegressor(4, max_features=0.5)],
    ids=["bagging", "forest"],
)
def test_squared_with_members(ensemble):
    run = {"loss": "squared", "n_trials": 5, "random_state": 0}
    diverse = decompose(ensemble, *diabetes, **run)
    classic = decompose(ensemble, *diabetes, method="covariance", **run)
    single = decompose(ensemble, *diabetes, method="bias-variance", **run)
    assert diverse.method == "diversity"
    assert diverse.n_members == classic.n_members == 4
    assert single.n_members == 1
    for result in (diverse, classic, single):
        assert result.residual < 1e-12
        # these ensembles are averages of their members, so centroid and own prediction agree
        assert result.averages["error"] == pytest.approx(result.own_error)
    assert diverse.averages["diversity"] > 0
    assert diverse.averages["variance"] == pytest.approx(classic.averages["variance"])
    assert classic.averages["bias"] == pytest.approx(single.averages["bias"])
    assert bias_variance_covariance(diverse.y, diverse.outputs).averages == classic.averages
    assert bias_variance(single.y, single.outputs).averages == single.averages


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(n_estimators=3, max_features=0.5),
        RandomForestClassifier(3, min_samples_leaf=3),
        make_pipeline(StandardScaler(), BaggingClassifier(LogisticRegression(), 3)),
    ],
    ids=["bagging", "forest", "pipeline"],
)
def test_cross_entropy_with_members(ensemble):
    result = decompose(ensemble, *iris, loss="cross-entropy", n_trials=4, random_state=0)
    assert result.outputs.shape == (4, 3, 50, 3)
    assert result.n_members == 3
    assert result.residual < 1e-12
    assert result.averages["diversity"] > 0


def test_logistic_is_cross_entropy_of_two_classes():
    run = {"n_trials": 3, "random_state": 0, "eps": 1e-6}
    forest = RandomForestClassifier(3, max_depth=3)
    one = decompose(forest, *cancer, loss="logistic", **run)
    two = decompose(forest, *cancer, loss="cross-entropy", **run)
    assert one.outputs.ndim == 3
    for name, value in one.averages.items():
        assert value == pytest.approx(two.averages[name], rel=1e-5)
    assert one.own_error == pytest.approx(two.own_error, rel=1e-5)


def test_poisson():
    X = np.random.RandomState(0).uniform(size=(200, 2))
    y = np.random.RandomState(1).poisson(np.exp(2 * X[:, 0]))
    forest = RandomForestRegressor(5, min_samples_leaf=5)
    result = decompose(forest, X, y, loss="poisson", n_trials=5, random_state=0)
    assert result.residual < 1e-12
    # the geometric mean is not the mean that a forest takes
    assert result.averages["error"] != pytest.approx(result.own_error, rel=1e-6)


def test_a_loss_of_ones_own():
    half = BregmanLoss("half squared", lambda q: q**2 / 2, lambda q: q, lambda t: t)
    run = {"n_trials": 3, "random_state": 0}
    own = decompose(RandomForestRegressor(3), *diabetes, loss=half, **run)
    squared = decompose(RandomForestRegressor(3), *diabetes, loss="squared", **run)
    assert own.loss == "half squared"
    assert own.averages["diversity"] == pytest.approx(squared.averages["diversity"] / 2)


@pytest.mark.parametrize("method", [None, "diversity", "bias-variance", "covariance"])
def test_a_single_model_is_an_ensemble_of_one(method):
    result = decompose(
        Ridge(), *diabetes, loss="squared", method=method, n_trials=4, random_state=0
    )
    assert result.n_members == 1
    assert result.averages["variance"] > 0
    if method == "covariance":
        assert np.isnan(result.averages["covariance"])
    elif method != "bias-variance":
        assert result.averages["diversity"] == 0
    assert result.averages["error"] == pytest.approx(result.own_error)


def test_members_without_probabilities_count_as_one_model():
    boosted = GradientBoostingClassifier(n_estimators=3)
    result = decompose(boosted, *iris, loss="cross-entropy", n_trials=3, random_state=0)
    assert result.n_members == 1
    assert result.averages["diversity"] == 0


def test_own_error_is_the_loss_of_the_estimators_own_predictions():
    X, y = iris
    model = LogisticRegression(max_iter=1000)
    result = decompose(
        model,
        X,
        y,
        loss="cross-entropy",
        n_trials=1,
        X_test=X,
        y_test=y,
        resample=lambda rng: (X, y),
        random_state=0,
    )
    expected = log_loss(y, model.fit(X, y).predict_proba(X))
    assert result.own_error == pytest.approx(expected)
    assert result.averages["variance"] == 0


def test_number_of_jobs_changes_nothing():
    forest = RandomForestClassifier(3)
    run = {"loss": "cross-entropy", "n_trials": 4, "random_state": 7}
    assert_same(
        decompose(forest, *iris, n_jobs=1, **run), decompose(forest, *iris, n_jobs=2, **run)
    )


def test_random_state_decides_all():
    tree = DecisionTreeClassifier(splitter="random")
    a, b, c = (decompose(tree, *iris, n_trials=5, random_state=s) for s in (1, 1, 2))
    assert_same(a, b)
    assert not np.array_equal(a.outputs, c.outputs)


def test_only_what_has_no_seed_is_seeded():
    X, y = diabetes
    run = {"loss": "squared", "n_trials": 4, "resample": lambda rng: (X, y), "random_state": 0}
    stump = {"max_depth": 1, "splitter": "random"}
    free = decompose(DecisionTreeRegressor(**stump), X, y, **run)
    fixed = decompose(DecisionTreeRegressor(**stump, random_state=0), X, y, **run)
    assert free.averages["variance"] > 0
    assert fixed.averages["variance"] == 0


def test_frames_and_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    run = {"method": "effect", "n_trials": 3, "random_state": 0}
    by_name = decompose(RandomForestClassifier(3), X, names, **run)
    by_code = decompose(RandomForestClassifier(3), X.to_numpy(), y, **run)
    assert by_name.averages == by_code.averages
    assert set(by_name.outputs.ravel()) <= set(names)
    polars = decompose(RandomForestClassifier(3), pl.from_pandas(X), names, **run)
    assert polars.averages == by_code.averages


@pytest.mark.parametrize(
    ("way", "train_size", "expected"),
    [
        ("bootstrap", None, 60),
        ("bootstrap", 0.5, 30),
        ("bootstrap", 90, 90),
        ("subsample", None, 30),
        ("subsample", 1.0, 60),
        ("subsample", 7, 7),
    ],
)
def test_training_sets(way, train_size, expected):
    seen = []

    class Spy(LinearRegression):
        def fit(self, X, y):
            seen.append(np.asarray(X)[:, 0])
            return super().fit(X, y)

    X, y = np.arange(120.0).reshape(60, 2), np.arange(60.0)
    decompose(
        Spy(), X, y, loss="squared", X_test=X, y_test=y, n_trials=3, resample=way,
        train_size=train_size, random_state=0,
    )  # fmt: skip
    assert [len(rows) for rows in seen] == [expected] * 3
    repeated = [len(np.unique(rows)) < len(rows) for rows in seen]
    assert repeated == [way == "bootstrap"] * 3


def test_draws_miss_no_class_where_they_need_not():
    y = np.array([0] * 30 + [1] * 2)
    X = np.arange(32.0)[:, None]
    # half of all bootstraps would miss one of two single-sample regions; all must see class 1
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(set(y))
            return super().fit(X, y)

    decompose(Spy(), X, y, X_test=X, y_test=y, n_trials=20, random_state=0)
    assert seen == [{0, 1}] * 20


def test_a_class_that_training_never_saw():
    X, y = iris
    two = y < 2
    result = decompose(
        DecisionTreeClassifier(max_depth=1),
        X,
        y,
        loss="cross-entropy",
        n_trials=2,
        resample=lambda rng: (X[two], y[two]),
        random_state=0,
        eps=1e-3,
    )
    assert result.outputs.shape[-1] == 3
    assert (result.outputs[..., 2] == 0).all()
    assert result.parts.error[result.y == 2] == pytest.approx(-np.log(1e-3), rel=0.01)


def fresh_gaussians(rng, n=60):
    y = rng.randint(2, size=n)
    return rng.normal(loc=2 * y[:, None] - 1, size=(n, 1)), y


def test_known_noise_is_the_bayes_error():
    X, y = fresh_gaussians(np.random.RandomState(0), n=2000)
    odds = norm.pdf(X[:, 0], 1) / (norm.pdf(X[:, 0], 1) + norm.pdf(X[:, 0], -1))
    result = decompose(
        LinearDiscriminantAnalysis(),
        X,
        y,
        method="breiman",
        X_test=X,
        y_proba_test=np.column_stack([1 - odds, odds]),
        resample=fresh_gaussians,
        n_trials=20,
        random_state=0,
    )
    averages = result.averages
    assert averages["noise"] == pytest.approx(norm.cdf(-1), abs=0.01)
    # the model is the right one, so hardly anything is left beyond noise
    assert 0 <= averages["bias"] < 0.01
    assert averages["error"] == pytest.approx(averages["noise"], abs=0.02)
    assert result.y.shape == (2000, 2)


@pytest.mark.parametrize("loss", ["zero-one", "cross-entropy", "logistic"])
def test_true_probabilities_follow_the_split(loss):
    X, y = fresh_gaussians(np.random.RandomState(0), n=200)
    odds = norm.cdf(2 * X[:, 0])
    P = np.column_stack([1 - odds, odds])
    result = decompose(
        LogisticRegression(), X, y, loss=loss, y_proba_test=P, n_trials=3, random_state=0
    )
    np.testing.assert_array_equal(result.y, P[result.test_index])
    assert result.averages["noise"] > 0.05
    assert result.residual < 1e-12


def test_sample_weights_follow_the_split():
    weight = np.random.RandomState(0).uniform(size=150)
    result = decompose(
        DecisionTreeClassifier(), *iris, sample_weight=weight, n_trials=4, random_state=0
    )
    expected = np.average(result.parts.error, weights=weight[result.test_index])
    assert result.averages["error"] == pytest.approx(expected)


def test_the_mean_has_its_textbook_variance():
    # the mean of n fresh draws: no bias, and variance 1/n
    def draw(rng):
        return np.zeros((25, 1)), rng.normal(3.0, 1.0, size=25)

    result = decompose(
        DummyRegressor(),
        *draw(np.random.RandomState(0)),
        loss="squared",
        method="bias-variance",
        X_test=np.zeros((1, 1)),
        y_test=[3.0],
        resample=draw,
        n_trials=2000,
        random_state=0,
    )
    assert result.averages["variance"] == pytest.approx(1 / 25, rel=0.1)
    assert result.averages["bias"] < 1e-4


def test_result_hands_on_what_its_parts_tell():
    result = decompose(DecisionTreeClassifier(), *iris, n_trials=5, random_state=0)
    assert result.contributions == result.parts.contributions
    assert result.identity == "error = noise + bias + variance"
    pd.testing.assert_frame_equal(result.table(), result.parts.table())
    assert len(result.table(per_sample=True)) == 50
    pd.testing.assert_frame_equal(
        result.intervals(0.5, random_state=0), result.parts.intervals(0.5, random_state=0)
    )
    assert repr(result).startswith("Decomposition(zero-one, kohavi-wolpert, 5 trials: noise=0")


def test_progress_is_tracked(monkeypatch):
    calls = []

    def track(items, **options):
        calls.append(options)
        yield from items

    monkeypatch.setattr(trials, "track", track)
    decompose(DecisionTreeClassifier(), *iris, n_trials=3, random_state=0, progress=False)
    assert calls == [{"total": 3, "description": "Training", "show": False}]


class Interrupted(ClassifierMixin, BaseEstimator):
    """Is interrupted in its fit number ``after`` + 1."""

    fits = 0

    def __init__(self, after=3):
        self.after = after

    def fit(self, X, y):
        Interrupted.fits += 1
        if Interrupted.fits > self.after:
            raise KeyboardInterrupt
        self.classes_, self.label_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


@pytest.fixture(autouse=True)
def no_fits_yet():
    Interrupted.fits = 0


def test_interruption_keeps_what_is_done():
    with pytest.warns(UserWarning, match="rests on the 3 trials of 10"):
        result = decompose(Interrupted(3), *iris, n_trials=10, random_state=0)
    assert result.n_trials == 3
    Interrupted.fits = -100
    assert_same(result, decompose(Interrupted(3), *iris, n_trials=3, random_state=0))


def test_interruption_of_parallel_trials():
    def sometimes(rng):
        if rng.uniform() < 0.15:
            raise KeyboardInterrupt
        return resample(*iris, random_state=rng)

    run = {"n_trials": 30, "resample": sometimes, "random_state": 1}
    with pytest.warns(UserWarning, match="Interrupted"):
        alone = decompose(DecisionTreeClassifier(), *iris, **run)
    with parallel_config(backend="threading"), pytest.warns(UserWarning, match="Interrupted"):
        together = decompose(DecisionTreeClassifier(), *iris, n_jobs=2, **run)
    assert 2 <= alone.n_trials < 30
    assert_same(alone, together)


def test_interruption_too_early_is_an_interruption():
    with pytest.raises(KeyboardInterrupt):
        decompose(Interrupted(1), *iris, n_trials=10, random_state=0)


class Growing(RegressorMixin, BaseEstimator):
    """Has one member or two, as its training set will have it."""

    def fit(self, X, y):
        self.values_ = [y.mean()] * (1 + int(y.sum()) % 2)
        return self

    def member_predict(self, X):
        return np.outer(self.values_, np.ones(len(X)))

    def predict(self, X):
        return self.member_predict(X).mean(axis=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "hinge"}, "loss='hinge': choose 'zero-one', 'squared'"),
        ({"method": "bayes"}, "method='bayes': choose 'kohavi-wolpert'"),
        (
            {"loss": "cross-entropy", "method": "covariance"},
            "method='covariance': choose 'diversity'",
        ),
        ({"loss": "squared"}, "loss='squared' is for regressors, which DecisionTreeClassifier"),
        ({"estimator": Ridge()}, "loss='zero-one' is for classifiers, which Ridge is not"),
        ({"loss": "logistic"}, "loss='logistic' is for two classes, but y has 3"),
        ({"n_trials": 0}, "n_trials=0: give a whole number from 1"),
        ({"n_trials": 2.5}, "n_trials=2.5"),
        ({"resample": "jackknife"}, "resample='jackknife': choose 'bootstrap'"),
        ({"train_size": 0.0}, "train_size=0.0 of 100 training samples"),
        ({"train_size": 1.5}, "train_size=1.5"),
        ({"train_size": 101, "resample": "subsample"}, "train_size=101 of 100"),
        ({"y": iris[1][:-1]}, "inconsistent numbers of samples"),
        ({"y": iris[1] + 0.5}, "Unknown label type: continuous"),
        ({"y": np.where(iris[1] == 1, np.nan, iris[1])}, "y has missing labels"),
        ({"y": iris[1][:, None]}, r"y has shape \(150, 1\)"),
        ({"y_test": iris[1]}, "y_test is given without X_test"),
        ({"X_test": iris[0]}, "X_test is given without y_test"),
        ({"X_test": iris[0], "y_test": iris[1][1:]}, "inconsistent numbers of samples"),
        ({"y_proba_test": np.full((150, 2), 0.5)}, r"y_proba_test has shape \(150, 2\): expected"),
        ({"y_proba_test": np.full((150, 3), 0.5)}, "y_proba_test adds up to 1.5"),
        ({"sample_weight": [1.0]}, r"sample_weight has shape \(1,\)"),
        (
            {"estimator": Ridge(), "loss": "squared", "y_proba_test": [[1.0]]},
            "y_proba_test is for classifiers",
        ),
        (
            {"estimator": Ridge(), "loss": "squared", "y": [np.inf] * 150},
            "y has inf at sample 0",
        ),
    ],
)
def test_says_what_is_wrong(change, message):
    given = {"estimator": DecisionTreeClassifier(), "X": iris[0], "y": iris[1], "n_trials": 2}
    with pytest.raises(ValueError, match=message):
        decompose(**(given | {"random_state": 0} | change))


def test_probabilities_are_needed():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba: wrap it in Calibrated"):
        decompose(LinearSVC(), *iris, loss="cross-entropy", n_trials=2, random_state=0)


def test_resample_must_return_a_pair():
    with pytest.raises(TypeError, match="returned ndarray: it must return a pair"):
        decompose(DecisionTreeClassifier(), *iris, resample=lambda rng: iris[0], n_trials=2)


def test_members_must_have_counterparts():
    run = {"loss": "squared", "n_trials": 8, "random_state": 0}
    with pytest.raises(ValueError, match="different sizes, from 1 to 2 members"):
        decompose(Growing(), *diabetes, **run)
    assert decompose(Growing(), *diabetes, method="bias-variance", **run).residual < 1e-12


def test_diversity_agrees_with_the_plain_function():
    result = decompose(
        RandomForestClassifier(3), *iris, loss="cross-entropy", n_trials=3, random_state=0
    )
    again = bias_variance_diversity(result.y, result.outputs, loss="cross-entropy")
    assert again.averages == result.averages
