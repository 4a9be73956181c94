"""Views and the ensembles on them: chains, jobs, members, and what is refused."""

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import counterpoint.views as package
from counterpoint import MemberOutputs
from counterpoint.datasets import TabularEncoder
from counterpoint.views import (
    BalancedView,
    BootstrapView,
    ChainedView,
    ColumnsView,
    LabelsView,
    NoiseView,
    OutputCodeClassifier,
    ProjectionView,
    RotationView,
    SubspaceView,
    TrainingSet,
    UntrainedNetworkView,
    View,
    ViewEnsembleClassifier,
    WholeView,
)

ESTIMATORS = [
    value()
    for value in (getattr(package, name) for name in package.__all__)
    if inspect.isclass(value) and issubclass(value, BaseEstimator)
]
ENSEMBLES = [e for e in ESTIMATORS if hasattr(e, "n_jobs")]
VIEWS = [
    BalancedView(),
    BootstrapView(0.5),
    BootstrapView(as_weights=True),
    ChainedView([BootstrapView(), SubspaceView(2), NoiseView(0.1)]),
    ColumnsView([1, 3]),
    LabelsView({0: 0, 1: 1, 2: 1}),
    NoiseView(),
    ProjectionView("kurtosis"),
    RotationView(),
    SubspaceView(),
    UntrainedNetworkView(),
    WholeView(),
]


def test_no_ensemble_and_no_view_is_missing():
    assert len(ENSEMBLES) == 9
    public = {getattr(package, name) for name in package.__all__}
    views = {v for v in public if inspect.isclass(v) and issubclass(v, View) and v is not View}
    assert views == {type(view) for view in VIEWS}


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda e: type(e).__name__)
def test_members_can_be_taken_out_and_jobs_change_nothing(ensemble):
    X, y = load_iris(return_X_y=True)
    names = np.array(["rose", "iris", "lily"])[y]
    one = clone(ensemble).set_params(random_state=1).fit(X, names)
    two = clone(ensemble).set_params(random_state=1, n_jobs=2)
    with parallel_config("threading"):  # processes take long to start
        two.fit(X, names)
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    again = pickle.loads(pickle.dumps(one))
    assert_array_equal(again.predict(X), one.predict(X))
    outputs = MemberOutputs.from_estimator(one, X, names)
    assert outputs.n_members == len(one.estimators_)
    assert outputs.correct.mean() > 0.8
    if isinstance(one, OutputCodeClassifier):
        return
    assert_array_equal(one.member_predict(X), two.member_predict(X))
    assert_allclose(one.member_predict_proba(X).mean(axis=0), one.predict_proba(X), rtol=1e-12)
    assert len(one.views_) == len(one.estimators_)
    assert set(np.unique(one.member_predict(X))) <= set(one.classes_)


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda e: type(e).__name__)
def test_mixed_frames_are_refused_by_name_of_the_column(ensemble):
    frame = pd.DataFrame({"size": np.arange(20.0), "colour": ["red", "blue"] * 10})
    y = np.arange(20) % 2
    for mixed in (frame, pl.from_pandas(frame)):
        with pytest.raises(ValueError, match="Column 'colour' holds values such as 'red'"):
            clone(ensemble).fit(mixed, y)
    dates = pd.DataFrame({"size": np.arange(20.0), "when": pd.date_range("2020", periods=20)})
    with pytest.raises(ValueError, match="Column 'when' holds dates or times"):
        clone(ensemble).fit(dates, y)
    # The same error for new samples.
    fitted = clone(ensemble).fit(frame[["size"]].assign(colour=np.arange(20.0) ** 2), y)
    with pytest.raises(ValueError, match="Column 'colour' holds values"):
        fitted.predict(frame)


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: type(v).__name__)
def test_every_view_makes_an_ensemble(view):
    X, y = load_iris(return_X_y=True)
    before = X.copy()
    X.setflags(write=False)  # as large arrays are in another process
    ensemble = ViewEnsembleClassifier(view=view, n_estimators=3, random_state=0).fit(X, y)
    assert_array_equal(X, before)
    assert ensemble.score(X, y) > 0.6
    proba = ensemble.member_predict_proba(X)
    assert_allclose(proba.sum(axis=2), 1.0)
    rng = np.random.RandomState(0)
    seen = clone(view, safe=False).fit(X, y, None, rng)
    assert len(seen.X) == len(seen.y)
    weighted = clone(view, safe=False).fit(X, y, np.full(150, 2.0), np.random.RandomState(0))
    assert weighted.sample_weight.min() >= 2.0


def test_a_view_of_ones_own_and_one_per_member():
    class Shifted(View):
        def fit(self, X, y, sample_weight, rng):
            self.by = rng.randint(100)
            return TrainingSet(X + self.by, y, sample_weight)

        def transform(self, X):
            return X + self.by

    X, y = load_iris(return_X_y=True)
    ensemble = ViewEnsembleClassifier(GaussianNB(), view=Shifted(), n_estimators=4, random_state=0)
    ensemble.fit(X, y)
    assert len({view.by for view in ensemble.views_}) == 4
    for k, (model, view) in enumerate(zip(ensemble.estimators_, ensemble.views_)):
        assert_array_equal(ensemble.member_predict(X)[k], model.predict(X + view.by))
    two = ViewEnsembleClassifier(view=[ColumnsView([0, 1]), ColumnsView([2])]).fit(X, y)
    assert [model.n_features_in_ for model in two.estimators_] == [2, 1]
    assert not hasattr(ensemble.view, "by")  # the parameter itself is left alone


def test_a_chain_is_its_views_one_after_the_other():
    X, y = load_iris(return_X_y=True)
    chain = ChainedView([BootstrapView(20, replace=False), ColumnsView([3, 1]), NoiseView(0.0)])
    seen = chain.fit(X, y, None, np.random.RandomState(0))
    rows = np.random.RandomState(0).choice(150, size=20, replace=False)
    assert_array_equal(seen.X, X[rows][:, [3, 1]])
    assert_array_equal(seen.y, y[rows])
    assert_array_equal(chain.transform(X), X[:, [3, 1]])
    merged = ChainedView([BootstrapView(), LabelsView({0: 7, 1: 7, 2: 9})])
    assert merged.targets(np.array([0, 1, 2])).tolist() == [7, 7, 9]


@given(st.integers(2, 40), st.integers(2, 5), st.integers(0, 99))
@settings(max_examples=30)
def test_bootstrap_keeps_every_class_and_weights_count_draws(n, n_classes, seed):
    y = np.arange(n) % n_classes
    X = np.arange(n)[:, None]
    rows = BootstrapView().fit(X, y, None, np.random.RandomState(seed))
    counts = BootstrapView(as_weights=True).fit(X, y, None, np.random.RandomState(seed))
    assert set(rows.y) == set(y)
    assert_array_equal(y[rows.X[:, 0]], rows.y)
    assert_array_equal(
        np.repeat(counts.X[:, 0], counts.sample_weight.astype(int)), np.sort(rows.X[:, 0])
    )
    once = BootstrapView(0.5, replace=False).fit(X, y, np.ones(n), np.random.RandomState(seed))
    assert len(set(once.X[:, 0])) == len(once.X) == len(once.sample_weight)


def test_merged_classes_share_what_their_group_gets():
    X, y = load_iris(return_X_y=True)
    view = LabelsView({0: "small", 1: "large", 2: "large"})
    ensemble = ViewEnsembleClassifier(GaussianNB(), view=view, n_estimators=1).fit(X, y)
    proba = ensemble.predict_proba(X)
    told = ensemble.estimators_[0].predict_proba(X)  # "large" comes first
    assert_allclose(proba, np.column_stack([told[:, 1], told[:, 0] / 2, told[:, 0] / 2]))
    assert set(ensemble.member_predict(X).ravel()) == {0, 1}


def test_members_without_probabilities_vote():
    X, y = load_iris(return_X_y=True)
    ensemble = ViewEnsembleClassifier(LinearSVC(), n_estimators=5, random_state=0).fit(X, y)
    assert not hasattr(ensemble, "predict_proba")
    assert not hasattr(ensemble, "member_predict_proba")
    votes = ensemble.member_predict(X)
    counts = (votes[:, :, None] == ensemble.classes_).sum(axis=0)
    assert_array_equal(ensemble.predict(X), counts.argmax(axis=1))
    assert MemberOutputs.from_estimator(ensemble, X, y).proba is None


def test_frames_go_to_learners_that_take_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60)})
    y = np.where(frame["colour"] == "red", "yes", "no")
    learner = make_pipeline(TabularEncoder(), DecisionTreeClassifier())
    ensemble = ViewEnsembleClassifier(learner, n_estimators=3, random_state=0).fit(frame, y)
    assert ensemble.score(frame, y) == 1.0
    assert list(ensemble.feature_names_in_) == ["size", "colour"]
    one = ViewEnsembleClassifier(learner, view=ColumnsView(["colour"]), n_estimators=1)
    assert one.fit(frame, y).score(frame, y) == 1.0
    coded = OutputCodeClassifier(learner, random_state=0).fit(frame, y)
    assert coded.score(frame, y) == 1.0


def test_in_a_pipeline_and_a_grid_search():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ViewEnsembleClassifier(random_state=0)),
        {"viewensembleclassifier__n_estimators": [1, 3]},
        cv=2,
    ).fit(X, y)
    assert MemberOutputs.from_estimator(search, X, y).n_members in (1, 3)


def test_missing_values_pass_where_the_learner_takes_them():
    X, y = load_iris(return_X_y=True)
    X[::7, 2] = np.nan
    assert ViewEnsembleClassifier(random_state=0).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        ViewEnsembleClassifier(LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        ViewEnsembleClassifier(view=NoiseView(0.1)).fit(X, y)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (
            BootstrapView(151),
            "max_samples=151, but there are 150 rows: give a whole number from 1 to 150",
        ),
        (BootstrapView(0.0), "max_samples=0.0, but there are 150 rows: give a whole number"),
        (SubspaceView(5), "max_features=5, but there are 4 columns"),
        (ColumnsView([1, 4]), r"columns=\[1, 4\], but X has 4 columns, counted from 0"),
        (ColumnsView([]), "columns is empty"),
        (ChainedView([]), "views is empty"),
        (LabelsView({0: 1, 1: 1}), "groups says nothing of class 2"),
        (UntrainedNetworkView(activation="step"), "activation='step': choose 'tanh'"),
        (UntrainedNetworkView(gain=0), "gain=0: give a number above 0"),
        (UntrainedNetworkView(n_units=0), "n_units=0: give a whole number from 1, or None"),
        (UntrainedNetworkView(n_layers=0), "n_layers=0"),
    ],
)
def test_views_refuse(view, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ViewEnsembleClassifier(view=view, n_estimators=1).fit(X, y)


def test_ensembles_refuse():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match=r"write ViewEnsembleClassifier\(n_estimators=10\)"):
        ViewEnsembleClassifier(10).fit(X, y)
    with pytest.raises(TypeError, match=r"write OutputCodeClassifier\(n_bits=3\)"):
        OutputCodeClassifier(3).fit(X, y)
    with pytest.raises(TypeError, match="view is 'bootstrap', expected a View"):
        ViewEnsembleClassifier(view="bootstrap").fit(X, y)
    with pytest.raises(TypeError, match=r"view is \[\], expected a View"):
        ViewEnsembleClassifier(view=[]).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=0: give a whole number from 1"):
        ViewEnsembleClassifier(n_estimators=0).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        ViewEnsembleClassifier().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ViewEnsembleClassifier(GaussianNB()).fit(pd.DataFrame(X), y[1:])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        OutputCodeClassifier(GaussianNB()).fit(pd.DataFrame(X), y[1:])
    view = BootstrapView(as_weights=True)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        ViewEnsembleClassifier(KNeighborsClassifier(), view=view).fit(X, y)
    twice = ChainedView([LabelsView({0: 0, 1: 0, 2: 1}), LabelsView({0: 0, 1: 1, 2: 1})])
    with pytest.raises(ValueError, match="2 views of a chain change labels"):
        ViewEnsembleClassifier(view=twice).fit(X, y).predict(X)


def test_an_untrained_network_is_what_it_says():
    X, y = load_iris(return_X_y=True)
    view = UntrainedNetworkView(n_units=6, n_layers=2, gain=2.0, keep_inputs=True)
    seen = view.fit(X, y, None, np.random.RandomState(0))
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    hidden = np.tanh(inputs @ view.weights_[0] + view.biases_[0])
    hidden = np.tanh(hidden @ view.weights_[1] + view.biases_[1])
    assert_allclose(seen.X, np.hstack([inputs, hidden]), rtol=1e-9)
    assert_array_equal(view.transform(X), seen.X)
    assert UntrainedNetworkView(activation="relu").fit(X, y, None, np.random).X.min() == 0.0
    many = UntrainedNetworkView(n_units=4000, gain=3.0)
    many.fit(X, y, None, np.random.RandomState(0))
    assert_allclose(many.weights_[0].std(), 3.0 / np.sqrt(4), rtol=0.03)


def test_zero_weights_are_refused():
    X, y = load_iris(return_X_y=True)
    for name in ("RandomTransformClassifier", "InputDecimationClassifier"):
        with pytest.raises(ValueError, match="are all zero"):
            getattr(package, name)().fit(X, y, np.zeros(150))
